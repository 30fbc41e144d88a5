#include "config/config.h"

#include "config/memory_limit.h"
#include "config/settings.h"

#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

/*
 * The sources are read from the strongest to the weakest: a setting that a stronger source gave is
 * not parsed again. Checks of settings that depend on each other come last.
 */

static bool set(struct gjkd_config *config, unsigned index, gjkd_source source,
                const char *shown_name, const char *text, char *error) {
    const struct gjkd_setting *setting = gjkd_setting_at(index);
    config->sources[index] = source;
    return gjkd_setting_parse(setting, config, shown_name, text, error);
}

/* --- Flags --- */

/* Parses --flag, --flag value or --flag=value and moves *at to its last argument. */
static bool take_argument(struct gjkd_config *config, int argc, char *const argv[], int *at,
                          char *error) {
    const char *argument = argv[*at];
    char shown_name[GJKD_SETTING_NAME_MAX];
    if (strncmp(argument, "--", 2) != 0) {
        return gjkd_value_refuse(error, "unexpected argument \"%.80s\"; flags begin with --",
                                 argument);
    }
    size_t length = strcspn(argument + 2, "=");
    unsigned index = gjkd_setting_find(argument + 2, length);
    if (index == GJKD_SETTING_COUNT) {
        char suggestion[GJKD_SUGGESTION_MAX];
        gjkd_setting_suggest(argument + 2, length, "--", suggestion);
        return gjkd_value_refuse(error, "unknown flag %.80s%s", argument,
                                 suggestion[0] != '\0'
                                     ? suggestion
                                     : "; gjkd --help lists those that are known");
    }
    const struct gjkd_setting *setting = gjkd_setting_at(index);
    const char *value = argument[2 + length] == '=' ? argument + 3 + length : NULL;
    if (value == NULL && setting->value == NULL) {
        value = "true";
    } else if (value == NULL && *at + 1 < argc) {
        value = argv[++*at];
    } else if (value == NULL) {
        return gjkd_value_refuse(error, "--%s: a value is missing (%s)", setting->name,
                                 setting->value);
    }
    snprintf(shown_name, sizeof shown_name, "--%s", setting->name);
    return set(config, index, GJKD_FROM_FLAG, shown_name, value, error);
}

/* --- The environment --- */

static bool take_environment(struct gjkd_config *config, gjkd_lookup lookup, char *error) {
    for (unsigned i = 0; i < GJKD_SETTING_COUNT; i++) {
        char name[GJKD_SETTING_NAME_MAX];
        gjkd_setting_environment(gjkd_setting_at(i), name);
        const char *value = config->sources[i] < GJKD_FROM_ENVIRONMENT ? lookup(name) : NULL;
        if (value != NULL && value[0] != '\0' &&
            !set(config, i, GJKD_FROM_ENVIRONMENT, name, value, error)) {
            return false;
        }
    }
    return true;
}

/* --- The file --- */

/*
 * `name = value` lines and comments, parsed by inih with a line reader of our own. That reader
 * counts lines, refuses what inih would accept silently (lines that are too long, sections), and
 * lets `#` after a blank begin a comment behind a value, as `;` does.
 */

#define LINE_BYTES_MAX 4096

struct file_reader {
    struct gjkd_config *config;
    FILE *file;
    unsigned line;
    const char *fault;                  /* of the file itself, or NULL */
    char reason[GJKD_CONFIG_ERROR_MAX]; /* for refusing a setting; "": none is refused */
    bool seen[GJKD_SETTING_COUNT];
};

static char *read_line(char *text, int size, void *closure) {
    struct file_reader *reader = closure;
    if (reader->fault != NULL || fgets(text, size, reader->file) == NULL) {
        return NULL;
    }
    reader->line++;
    size_t length = strlen(text);
    bool whole = length > 0 && (text[length - 1] == '\n' || feof(reader->file));
    if (!whole) {
        reader->fault = "the line is too long, or holds a NUL";
        return NULL;
    }
    if (text[strspn(text, " \t")] == '[') {
        reader->fault = "there are no sections";
        return NULL;
    }
    char *comment = text; /* begins with the first # behind a blank */
    do {
        comment = strchr(comment + 1, '#');
    } while (comment != NULL && comment[-1] != ' ' && comment[-1] != '\t');
    if (comment != NULL) {
        *comment = '\0';
    }
    return text;
}

static int take_line(void *closure, const char *section, const char *name, const char *value) {
    struct file_reader *reader = closure;
    size_t length = strlen(name);
    unsigned index = gjkd_setting_find(name, length);
    (void)section; /* there are none */
    if (index == GJKD_SETTING_COUNT) {
        char suggestion[GJKD_SUGGESTION_MAX];
        gjkd_setting_suggest(name, length, "", suggestion);
        return gjkd_value_refuse(reader->reason, "there is no setting \"%.80s\"%s", name,
                                 suggestion);
    }
    const struct gjkd_setting *setting = gjkd_setting_at(index);
    if (setting->own) {
        return gjkd_value_refuse(reader->reason, "\"%s\" has no place in a file", name);
    }
    if (reader->seen[index] && setting->kind->add == NULL) {
        return gjkd_value_refuse(reader->reason, "\"%s\" stands twice", name);
    }
    reader->seen[index] = true;
    return reader->config->sources[index] > GJKD_FROM_FILE ||
           set(reader->config, index, GJKD_FROM_FILE, name, value, reader->reason);
}

static bool take_file(struct gjkd_config *config, char *error) {
    struct file_reader reader = {.config = config};
    if (config->config_file[0] == '\0') {
        return true;
    }
    reader.file = fopen(config->config_file, "re");
    if (reader.file == NULL) {
        return gjkd_value_refuse(error, "cannot read the configuration %.200s: %s",
                                 config->config_file, strerror(errno));
    }
    ini_allow_multiline = false;
    ini_stop_on_first_error = true;
    ini_use_stack = false;
    ini_max_line = LINE_BYTES_MAX;
    ini_initial_alloc = LINE_BYTES_MAX;
    const int status = ini_parse_stream(read_line, &reader, take_line, &reader);
    fclose(reader.file);
    if (status == 0 && reader.fault == NULL) {
        return true;
    }
    const char *message = reader.fault != NULL       ? reader.fault
                          : reader.reason[0] != '\0' ? reader.reason
                          : status < 0               ? "out of memory"
                                                     : "this is not `name = value`";
    return gjkd_value_refuse(error, "%.100s, line %u: %.380s", config->config_file, reader.line,
                             message);
}

/* --- Defaults and checks --- */

static bool set_defaults(struct gjkd_config *config, char *error) {
    unsigned processors = uv_available_parallelism();
    const uint64_t memory_bytes = gjkd_memory_limit("") / 4 * 3; /* of machine or container */
    memset(config, 0, sizeof *config);
    config->io_threads = processors < 4 ? processors : 4;
    config->workers = processors < GJKD_WORKERS_MAX ? processors : GJKD_WORKERS_MAX;
    config->max_memory_bytes =
        memory_bytes < GJKD_MEMORY_BYTES_MAX ? memory_bytes : GJKD_MEMORY_BYTES_MAX;
    for (unsigned i = 0; i < GJKD_SETTING_COUNT; i++) {
        const struct gjkd_setting *setting = gjkd_setting_at(i);
        if (setting->preset != NULL &&
            !gjkd_setting_parse(setting, config, setting->name, setting->preset, error)) {
            return false;
        }
    }
    return true;
}

/* Beyond loopback the daemon needs tokens, unless the operator decided otherwise. */
static bool check_exposure(const struct gjkd_config *config, char *error) {
    if (config->insecure || config->token_file[0] != '\0' ||
        gjkd_address_is_loopback(&config->listen)) {
        return true;
    }
    char address[GJKD_ADDRESS_TEXT_MAX];
    gjkd_address_format(&config->listen, address);
    return gjkd_value_refuse(
        error,
        "refusing to listen on %s: others than this machine could read and change every set. "
        "Give a token file (--token-file or GJKD_TOKEN_FILE), or, where the network keeps "
        "strangers out, --insecure or GJKD_INSECURE=1",
        address);
}

/* A setting that has no effect without another one is a mistake, and refused. */
static bool check_idle(const struct gjkd_config *config, char *error) {
    const struct {
        const char *name;
        bool is_given;
    } of_cluster[] = {
        {"node", config->node[0] != '\0'},
        {"cluster-init", config->cluster_init},
        {"sets", config->sets[0] != '\0'},
        {"replicas", config->replicas != 0},
        {"nats-creds", config->nats_creds[0] != '\0'},
        {"nats-ca", config->nats_ca[0] != '\0'},
    };
    for (unsigned i = 0; i < sizeof of_cluster / sizeof of_cluster[0]; i++) {
        if (of_cluster[i].is_given && config->cluster[0] == '\0') {
            const char *name = of_cluster[i].name;
            char variable[GJKD_SETTING_NAME_MAX];
            gjkd_setting_environment(gjkd_setting_at(gjkd_setting_find(name, strlen(name))),
                                     variable);
            return gjkd_value_refuse(error,
                                     "--%s has no effect without --nats and --cluster: add what is "
                                     "missing, or leave --%s (%s) out",
                                     name, name, variable);
        }
    }
    return true;
}

/* Settings that go together or need another one. */
static bool check_needs(const struct gjkd_config *config, char *error) {
    const bool has_cert = config->tls_cert[0] != '\0', has_key = config->tls_key[0] != '\0';
    if (has_cert != has_key) {
        return gjkd_value_refuse(error, "--tls-cert and --tls-key go together: --%s is missing",
                                 has_cert ? "tls-key" : "tls-cert");
    }
    return config->rate_limit_per_token == 0 || config->token_file[0] != '\0' ||
           gjkd_value_refuse(error, "--rate-limit-per-token needs --token-file");
}

static bool check_cluster(const struct gjkd_config *config, char *error) {
    /* The name becomes part of subjects and of names of streams. */
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const size_t length = strlen(config->cluster);
    const bool has_servers = config->nats[0] != '\0', has_name = config->cluster[0] != '\0';
    if (has_servers != has_name) {
        return gjkd_value_refuse(error, "--nats and --cluster go together: --%s is missing",
                                 has_name ? "nats" : "cluster");
    }
    if (has_name &&
        (length > GJKD_CLUSTER_NAME_BYTES_MAX || strspn(config->cluster, plain) != length)) {
        return gjkd_value_refuse(error, "--cluster: a name has 1 to %d letters, digits, - and _",
                                 GJKD_CLUSTER_NAME_BYTES_MAX);
    }
    if (config->node[0] != '\0' && strlen(config->node) > GJKD_NODE_NAME_BYTES_MAX) {
        return gjkd_value_refuse(error, "--node: a name has at most %d bytes",
                                 GJKD_NODE_NAME_BYTES_MAX);
    }
    return true;
}

bool gjkd_config_parse(struct gjkd_config *config, int argc, char *const argv[], gjkd_lookup lookup,
                       char error[GJKD_CONFIG_ERROR_MAX]) {
    if (!set_defaults(config, error)) {
        return false;
    }
    for (int i = 1; i < argc; i++) {
        if (!take_argument(config, argc, argv, &i, error)) {
            return false;
        }
    }
    if (config->action == GJKD_SHOW_HELP || config->action == GJKD_SHOW_VERSION) {
        return true;
    }
    if (!take_environment(config, lookup, error) || !take_file(config, error)) {
        return false;
    }
    if (config->action == GJKD_EXPORT || config->action == GJKD_IMPORT) {
        return config->data_dir[0] != '\0' ||
               gjkd_value_refuse(error,
                                 config->action == GJKD_IMPORT
                                     ? "--import needs --data-dir, where to store the sets"
                                     : "--export needs --data-dir, whose sets to print; a running "
                                       "daemon's: GET /v1/export");
    }
    return config->action == GJKD_CHECK_HEALTH ||
           (check_needs(config, error) && check_cluster(config, error) &&
            check_idle(config, error) && check_exposure(config, error));
}

/* --help and --print-config, both from the table of settings. */

#define COLUMN 28

void gjkd_config_help(FILE *out) {
    fputs("gjkd: collision queries over HTTP.\n\nUsage: gjkd [FLAG]...\n\n"
          "Each flag may also stand in the environment (--listen as GJKD_LISTEN) and, but for "
          "the last\nnine, in the file of --config (listen = 127.0.0.1:80). A flag beats the "
          "environment, and that the file.\n\n",
          out);
    for (unsigned i = 0; i < GJKD_SETTING_COUNT; i++) {
        const struct gjkd_setting *setting = gjkd_setting_at(i);
        char left[GJKD_SETTING_NAME_MAX];
        snprintf(left, sizeof left, "--%s%s%s", setting->name, setting->value != NULL ? " " : "",
                 setting->value != NULL ? setting->value : "");
        int length = fprintf(out, "  %-*s  ", COLUMN, left);
        if (length > COLUMN + 4) {
            fprintf(out, "\n  %-*s  ", COLUMN, "");
        }
        fputs(setting->help, out);
        if (setting->preset != NULL && setting->value != NULL) {
            fprintf(out, " (%s)", setting->preset);
        }
        fputc('\n', out);
    }
}

static void print_source(const struct gjkd_config *config, unsigned index, FILE *out) {
    char name[GJKD_SETTING_NAME_MAX];
    switch (config->sources[index]) {
    case GJKD_FROM_DEFAULT:
        fputs("default", out);
        break;
    case GJKD_FROM_FILE:
        fprintf(out, "file %s", config->config_file);
        break;
    case GJKD_FROM_ENVIRONMENT:
        gjkd_setting_environment(gjkd_setting_at(index), name);
        fprintf(out, "environment %s", name);
        break;
    case GJKD_FROM_FLAG:
        fputs("flag", out);
        break;
    }
}

void gjkd_config_print(const struct gjkd_config *config, FILE *out) {
    for (unsigned i = 0; i < GJKD_SETTING_COUNT; i++) {
        const struct gjkd_setting *setting = gjkd_setting_at(i);
        const struct gjkd_kind *kind = setting->kind;
        const void *field = (const char *)config + setting->offset;
        if (setting->own || kind->print == NULL) {
            continue;
        }
        bool none = kind->is_none != NULL && kind->is_none(field);
        fprintf(out, "%s%s = ", none ? "; " : "", setting->name);
        if (!none) {
            kind->print(setting, field, out);
        }
        fputs("  ; ", out);
        print_source(config, i, out);
        fputc('\n', out);
    }
}
