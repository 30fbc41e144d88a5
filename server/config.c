/*
 * Which settings do the command line and the environment give? One table lists every flag
 * with its setter; parsing, the environment's names and --help all follow from it.
 */

#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

struct flag {
    const char *name;
    const char *value; /* what stands behind it; NULL: a switch */
    const char *help;
    bool (*set)(struct gjkd_config *config, const char *value, char *error);
};

/* A reason for refusing a value; the caller puts the flag's name before it. Returns false. */
static bool refuse(char *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool refuse(char *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error, GJKD_CONFIG_ERROR_MAX, format, arguments);
    va_end(arguments);
    return false;
}

static bool parse_whole(const char *text, uint64_t min, uint64_t max, uint64_t *out, char *error) {
    size_t digits = strspn(text, "0123456789");
    errno = 0;
    unsigned long long value = digits > 0 && text[digits] == '\0' ? strtoull(text, NULL, 10) : 0;
    if (digits == 0 || text[digits] != '\0' || errno != 0 || value < min || value > max) {
        return refuse(error, "\"%.80s\" is not a whole number from %llu to %llu", text,
                      (unsigned long long)min, (unsigned long long)max);
    }
    *out = value;
    return true;
}

static bool parse_switch(const char *text, bool *out, char *error) {
    static const char *const yes[] = {"1", "true", "yes", "on"};
    static const char *const no[] = {"0", "false", "no", "off"};
    for (size_t i = 0; i < 4; i++) {
        if (strcmp(text, yes[i]) == 0 || strcmp(text, no[i]) == 0) {
            *out = strcmp(text, yes[i]) == 0;
            return true;
        }
    }
    return refuse(error, "\"%.80s\" is neither true nor false", text);
}

/* 10, 10s, 500ms, 2m: seconds where no unit stands. */
static bool parse_duration_ms(const char *text, uint64_t max_ms, uint64_t *out, char *error) {
    char *unit = NULL;
    double value = text[0] >= '0' && text[0] <= '9' ? strtod(text, &unit) : -1.0;
    double scale = -1.0;
    if (unit != NULL && (unit[0] == '\0' || strcmp(unit, "s") == 0)) {
        scale = 1000.0;
    } else if (unit != NULL && strcmp(unit, "ms") == 0) {
        scale = 1.0;
    } else if (unit != NULL && strcmp(unit, "m") == 0) {
        scale = 60000.0;
    }
    if (!(value >= 0.0 && scale > 0.0 && value * scale <= (double)max_ms)) {
        return refuse(error, "\"%.80s\" is not a time such as 10s, 500ms or 2m, up to %llu s", text,
                      (unsigned long long)(max_ms / 1000));
    }
    *out = (uint64_t)(value * scale);
    return true;
}

static bool set_listen(struct gjkd_config *config, const char *value, char *error) {
    if (!gjkd_address_parse(value, &config->listen)) {
        return refuse(error,
                      "\"%.80s\" is not ADDR:PORT, such as 127.0.0.1:8080, 0.0.0.0:8080 or "
                      "[::1]:8080",
                      value);
    }
    return true;
}

static bool set_io_threads(struct gjkd_config *config, const char *value, char *error) {
    uint64_t count = 0;
    bool fine = parse_whole(value, 1, GJKD_IO_THREADS_MAX, &count, error);
    config->io_threads = (unsigned)count;
    return fine;
}

static bool set_workers(struct gjkd_config *config, const char *value, char *error) {
    uint64_t count = 0;
    bool fine = parse_whole(value, 1, GJKD_WORKERS_MAX, &count, error);
    config->workers = (unsigned)count;
    return fine;
}

static bool set_demo(struct gjkd_config *config, const char *value, char *error) {
    return parse_switch(value, &config->demo, error);
}

static bool set_max_body(struct gjkd_config *config, const char *value, char *error) {
    return parse_whole(value, 1, GJKD_BODY_BYTES_MAX, &config->max_body_bytes, error);
}

static bool set_insecure(struct gjkd_config *config, const char *value, char *error) {
    return parse_switch(value, &config->insecure, error);
}

/* One name or several with commas; each use of the flag adds. */
static bool set_allowed_host(struct gjkd_config *config, const char *value, char *error) {
    struct gjkd_hosts *hosts = &config->allowed_hosts;
    for (const char *at = value; at != NULL;) {
        size_t length = strcspn(at, ",");
        if (!gjkd_is_host_name(at, length)) {
            return refuse(error, "\"%.80s\" is not a host name (without a port)", at);
        }
        if (hosts->count == GJKD_ALLOWED_HOSTS_MAX) {
            return refuse(error, "more than %d hosts", GJKD_ALLOWED_HOSTS_MAX);
        }
        memcpy(hosts->names[hosts->count], at, length);
        hosts->names[hosts->count++][length] = '\0';
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return true;
}

static bool set_token_file(struct gjkd_config *config, const char *value, char *error) {
    (void)config;
    (void)value;
    return refuse(error, "tokens are not available in this version; listen on loopback, or use "
                         "--insecure where the network keeps strangers out");
}

static bool set_drain_timeout(struct gjkd_config *config, const char *value, char *error) {
    return parse_duration_ms(value, GJKD_DRAIN_TIMEOUT_MS_MAX, &config->drain_timeout_ms, error);
}

/* The place of value among the words. */
static bool parse_word(const char *value, const char *const *words, int *place, char *error) {
    char known[64] = "";
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(value, words[i]) == 0) {
            *place = i;
            return true;
        }
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    return refuse(error, "\"%.80s\" is none of: %s", value, known);
}

static bool set_log_format(struct gjkd_config *config, const char *value, char *error) {
    static const char *const words[] = {"text", "json", NULL};
    int place = 0;
    bool fine = parse_word(value, words, &place, error);
    config->log_format = place == 0 ? GJKD_LOG_TEXT : GJKD_LOG_JSON;
    return fine;
}

static bool set_log_level(struct gjkd_config *config, const char *value, char *error) {
    static const char *const words[] = {"error", "warning", "info", "debug", NULL};
    int place = 0;
    bool fine = parse_word(value, words, &place, error);
    config->log_level = (gjkd_log_level)place;
    return fine;
}

static bool set_access_log(struct gjkd_config *config, const char *value, char *error) {
    return parse_switch(value, &config->access_log, error);
}

/* Switches that say what to do instead of serving. */
static bool set_action(struct gjkd_config *config, const char *value, gjkd_action action,
                       char *error) {
    bool wanted = false;
    bool fine = parse_switch(value, &wanted, error);
    config->action = fine && wanted ? action : config->action;
    return fine;
}

static bool set_health_check(struct gjkd_config *config, const char *value, char *error) {
    return set_action(config, value, GJKD_CHECK_HEALTH, error);
}

static bool set_version(struct gjkd_config *config, const char *value, char *error) {
    return set_action(config, value, GJKD_SHOW_VERSION, error);
}

static bool set_help(struct gjkd_config *config, const char *value, char *error) {
    return set_action(config, value, GJKD_SHOW_HELP, error);
}

static const struct flag flags[] = {
    {"listen", "ADDR:PORT", "where to listen (127.0.0.1:8080); port 0 picks a free one",
     set_listen},
    {"io-threads", "N", "threads that serve connections (one a processor, at most 4)",
     set_io_threads},
    {"workers", "N", "threads for long queries and for writes (one a processor)", set_workers},
    {"demo", NULL, "load the demo sets arena2d and range3d", set_demo},
    {"max-body", "BYTES", "largest body of a request (16777216)", set_max_body},
    {"insecure", NULL, "serve others than this machine although nobody is asked for a token",
     set_insecure},
    {"allowed-host", "NAME,...", "names that the Host header may have besides IP and localhost",
     set_allowed_host},
    {"token-file", "FILE", "who may do what (not available in this version)", set_token_file},
    {"drain-timeout", "TIME", "how long SIGTERM waits for answers (10s)", set_drain_timeout},
    {"log-format", "text|json", "how lines on standard error are written (text)", set_log_format},
    {"log-level", "LEVEL", "what is written: error, warning, info (the default) or debug",
     set_log_level},
    {"access-log", NULL, "also a line for every request", set_access_log},
    {"health-check", NULL, "ask the daemon at --listen whether it is ready; exit 0 or 1",
     set_health_check},
    {"version", NULL, "print the version and exit", set_version},
    {"help", NULL, "print this and exit", set_help},
};
enum { FLAG_COUNT = sizeof flags / sizeof flags[0] };

/* "io-threads" -> "GJKD_IO_THREADS" */
static void make_environment_name(const char *name, char out[64]) {
    size_t length = (size_t)snprintf(out, 64, "GJKD_%s", name);
    for (size_t i = 0; i < length; i++) {
        bool lower = out[i] >= 'a' && out[i] <= 'z';
        out[i] = lower ? (char)(out[i] - 'a' + 'A') : out[i] == '-' ? '_' : out[i];
    }
}

static bool set_flag(struct gjkd_config *config, const struct flag *flag, const char *shown_name,
                     const char *value, char *error) {
    char reason[GJKD_CONFIG_ERROR_MAX] = "";
    if (flag->set(config, value, reason)) {
        return true;
    }
    snprintf(error, GJKD_CONFIG_ERROR_MAX, "%s: %.400s", shown_name, reason);
    return false;
}

static int find_flag(const char *name, size_t length) {
    for (int i = 0; i < FLAG_COUNT; i++) {
        if (strlen(flags[i].name) == length && memcmp(flags[i].name, name, length) == 0) {
            return i;
        }
    }
    return -1;
}

/* --flag, --flag value or --flag=value. Moves *at to the last argument it took. */
static bool take_argument(struct gjkd_config *config, int argc, char *const argv[], int *at,
                          bool given[FLAG_COUNT], char *error) {
    const char *argument = argv[*at];
    if (strncmp(argument, "--", 2) != 0) {
        return refuse(error, "unexpected argument \"%.80s\"; flags begin with --", argument);
    }
    size_t length = strcspn(argument + 2, "=");
    int index = find_flag(argument + 2, length);
    if (index < 0) {
        return refuse(error, "unknown flag %.80s; gjkd --help lists those that are known",
                      argument);
    }
    const struct flag *flag = &flags[index];
    const char *value = argument[2 + length] == '=' ? argument + 3 + length : NULL;
    if (value == NULL && flag->value == NULL) {
        value = "true";
    } else if (value == NULL && *at + 1 < argc) {
        value = argv[++*at];
    } else if (value == NULL) {
        return refuse(error, "--%s: a value is missing (%s)", flag->name, flag->value);
    }
    given[index] = true;
    char name[64];
    snprintf(name, sizeof name, "--%s", flag->name);
    return set_flag(config, flag, name, value, error);
}

static bool take_environment(struct gjkd_config *config, gjkd_lookup lookup,
                             const bool given[FLAG_COUNT], char *error) {
    for (int i = 0; i < FLAG_COUNT; i++) {
        char name[64];
        make_environment_name(flags[i].name, name);
        const char *value = given[i] ? NULL : lookup(name);
        if (value != NULL && value[0] != '\0' && !set_flag(config, &flags[i], name, value, error)) {
            return false;
        }
    }
    return true;
}

/* Strangers may be served only where somebody decided so. */
static bool check_exposure(const struct gjkd_config *config, char *error) {
    if (config->insecure || gjkd_address_is_loopback(&config->listen)) {
        return true;
    }
    char address[GJKD_ADDRESS_TEXT_MAX];
    gjkd_address_format(&config->listen, address);
    return refuse(error,
                  "refusing to listen on %s: others than this machine could read and change every "
                  "set. Give a token file (--token-file or GJKD_TOKEN_FILE; not available in this "
                  "version), or, where the network keeps strangers out, --insecure or "
                  "GJKD_INSECURE=1",
                  address);
}

static void set_defaults(struct gjkd_config *config) {
    unsigned processors = uv_available_parallelism();
    *config = (struct gjkd_config){
        .action = GJKD_SERVE,
        .io_threads = processors < 4 ? processors : 4,
        .workers = processors < GJKD_WORKERS_MAX ? processors : GJKD_WORKERS_MAX,
        .max_body_bytes = GJKD_BODY_BYTES_DEFAULT,
        .drain_timeout_ms = GJKD_DRAIN_TIMEOUT_MS_DEFAULT,
        .log_format = GJKD_LOG_TEXT,
        .log_level = GJKD_LOG_INFO,
    };
    bool fine = gjkd_address_parse("127.0.0.1:8080", &config->listen);
    (void)fine;
}

bool gjkd_config_parse(struct gjkd_config *config, int argc, char *const argv[], gjkd_lookup lookup,
                       char error[GJKD_CONFIG_ERROR_MAX]) {
    bool given[FLAG_COUNT] = {false};
    set_defaults(config);
    for (int i = 1; i < argc; i++) {
        if (!take_argument(config, argc, argv, &i, given, error)) {
            return false;
        }
    }
    if (config->action == GJKD_SHOW_HELP || config->action == GJKD_SHOW_VERSION) {
        return true;
    }
    return take_environment(config, lookup, given, error) &&
           (config->action != GJKD_SERVE || check_exposure(config, error));
}

char *gjkd_config_help(void) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        return NULL;
    }
    fputs("gjkd: collision queries over HTTP.\n\nUsage: gjkd [FLAG]...\n\n"
          "Each flag may also stand in the environment; a flag beats the environment.\n\n",
          out);
    for (int i = 0; i < FLAG_COUNT; i++) {
        char left[64];
        char name[64];
        make_environment_name(flags[i].name, name);
        snprintf(left, sizeof left, "--%s%s%s", flags[i].name, flags[i].value != NULL ? " " : "",
                 flags[i].value != NULL ? flags[i].value : "");
        fprintf(out, "  %-24s %s\n  %-24s %s\n", left, flags[i].help, "", name);
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
