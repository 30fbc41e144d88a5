/*
 * A row of the table of settings gives a setting's name, the form of its values, its member of
 * gjkd_config and its default; parsing, names in environment and file, --help and --print-config
 * are derived from it. Sources are read from the strongest to the weakest: a setting that a
 * stronger source gave is not parsed again. Checks of settings that depend on each other come last.
 */

#include "config/config.h"

#include "proto/limits.h"
#include "proto/problem.h"
#include "util/process.h"

#include <errno.h>
#include <ini.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define SETTING_NAME_MAX 64

/* --- Types of values: a parser and a printer for each, so that the output of --print-config can be
 * parsed again --- */

struct gjkd_kind {
    /* Returns false, with a reason in error, if the text is invalid; *field is unchanged, or holds
     * part of a list. */
    bool (*parse)(const struct gjkd_setting *setting, void *field, const char *text, char *error);
    /* Prints the value in the form that parse takes. NULL: the setting is not printed. */
    void (*print)(const struct gjkd_setting *setting, const void *field, FILE *out);
    /* Returns true if the value means "none" and is not printed. NULL: never. */
    bool (*is_none)(const void *field);
    /* Of lists, for which several values may be given: adds an item. NULL: no list. */
    bool (*add)(void *list, const char *item, size_t length);
    const char *form; /* of a text, or of a list's item, for refusals */
};

/* Length of the shortest abbreviation of a choice: warn for warning. */
#define WORD_BYTES_MIN 4

/* --- Addresses --- */

static bool parse_address(const struct gjkd_setting *setting, void *field, const char *text,
                          char *error) {
    (void)setting;
    return gjkd_address_parse(text, field) ||
           gjkd_refuse(error,
                       "\"%.80s\" is not ADDR:PORT, such as 127.0.0.1:8080, 0.0.0.0:8080 or "
                       "[::1]:8080",
                       text);
}

static void print_address(const struct gjkd_setting *setting, const void *field, FILE *out) {
    char text[GJKD_ADDRESS_TEXT_MAX];
    (void)setting;
    gjkd_address_format(field, text);
    fputs(text, out);
}

static const struct gjkd_kind gjkd_kind_address = {.parse = parse_address, .print = print_address};

/* --- Switches --- */

static bool parse_switch(const struct gjkd_setting *setting, void *field, const char *text,
                         char *error) {
    static const char *const yes[] = {"1", "true", "yes", "on"};
    static const char *const no[] = {"0", "false", "no", "off"};
    (void)setting;
    for (size_t i = 0; i < 4; i++) {
        if (strcmp(text, yes[i]) == 0 || strcmp(text, no[i]) == 0) {
            *(bool *)field = strcmp(text, yes[i]) == 0;
            return true;
        }
    }
    return gjkd_refuse(error, "\"%.80s\" is neither on nor off", text);
}

static void print_switch(const struct gjkd_setting *setting, const void *field, FILE *out) {
    (void)setting;
    fputs(*(const bool *)field ? "true" : "false", out);
}

static const struct gjkd_kind gjkd_kind_switch = {.parse = parse_switch, .print = print_switch};

static bool parse_action(const struct gjkd_setting *setting, void *field, const char *text,
                         char *error) {
    bool is_set = false;
    bool fine = parse_switch(setting, &is_set, text, error);
    if (fine && is_set) {
        *(unsigned *)field = (unsigned)setting->max;
    }
    return fine;
}

static const struct gjkd_kind gjkd_kind_action = {.parse = parse_action};

/* --- Numbers --- */

/* Parses leading digits. Returns their end, or NULL if there are none or too many. */
static const char *parse_digits(const char *text, uint64_t *out) {
    size_t digits = strspn(text, "0123456789");
    errno = 0;
    *out = digits > 0 ? strtoull(text, NULL, 10) : 0;
    return digits > 0 && errno == 0 ? text + digits : NULL;
}

static bool parse_count(const struct gjkd_setting *setting, void *field, const char *text,
                        char *error) {
    uint64_t value = 0;
    const char *end = parse_digits(text, &value);
    if (end == NULL || *end != '\0' || value < setting->min || value > setting->max) {
        return gjkd_refuse(error, "\"%.80s\" is not a whole number from %" PRIu64 " to %" PRIu64,
                           text, setting->min, setting->max);
    }
    *(uint64_t *)field = value;
    return true;
}

static void print_count(const struct gjkd_setting *setting, const void *field, FILE *out) {
    (void)setting;
    fprintf(out, "%" PRIu64, *(const uint64_t *)field);
}

const struct gjkd_kind gjkd_kind_count = {.parse = parse_count, .print = print_count};

static bool parse_bytes(const struct gjkd_setting *setting, void *field, const char *text,
                        char *error) {
    static const char units[] = "KMGT";
    uint64_t value = 0;
    unsigned shift = 0;
    const char *end = parse_digits(text, &value);
    const char *unit = end != NULL && *end != '\0' ? strchr(units, *end) : NULL;
    if (unit != NULL) {
        shift = 10 * (unsigned)(unit - units + 1);
        end++;
    }
    if (end == NULL || *end != '\0' || value > setting->max >> shift ||
        value << shift < setting->min) {
        return gjkd_refuse(error,
                           "\"%.80s\" is not a number of bytes from %" PRIu64 " to %" PRIu64
                           ", such as 1000000, 512K, 16M or 2G",
                           text, setting->min, setting->max);
    }
    *(uint64_t *)field = value << shift;
    return true;
}

const struct gjkd_kind gjkd_kind_bytes = {.parse = parse_bytes, .print = print_count};

/* Parses a time. Without a unit, it is in seconds. */
static bool parse_time(const struct gjkd_setting *setting, void *field, const char *text,
                       char *error) {
    static const struct {
        const char *unit;
        double ms;
    } units[] = {{"", 1000.0}, {"s", 1000.0}, {"ms", 1.0}, {"m", 60000.0}};
    char *unit = NULL;
    double value = text[0] >= '0' && text[0] <= '9' ? strtod(text, &unit) : -1.0;
    double ms = -1.0;
    for (size_t i = 0; unit != NULL && i < sizeof units / sizeof units[0]; i++) {
        ms = strcmp(unit, units[i].unit) == 0 ? value * units[i].ms : ms;
    }
    if (!(ms >= (double)setting->min && ms <= (double)setting->max)) {
        return gjkd_refuse(error,
                           "\"%.80s\" is not a time such as 10s, 500ms or 2m, from %" PRIu64
                           " ms to %" PRIu64 " s",
                           text, setting->min, setting->max / 1000);
    }
    *(uint64_t *)field = (uint64_t)ms;
    return true;
}

static void print_time(const struct gjkd_setting *setting, const void *field, FILE *out) {
    uint64_t ms = *(const uint64_t *)field;
    (void)setting;
    fprintf(out, ms % 1000 == 0 ? "%" PRIu64 "s" : "%" PRIu64 "ms",
            ms % 1000 == 0 ? ms / 1000 : ms);
}

const struct gjkd_kind gjkd_kind_time = {.parse = parse_time, .print = print_time};

/* --- Words --- */

static bool parse_choice(const struct gjkd_setting *setting, void *field, const char *text,
                         char *error) {
    size_t length = strlen(text);
    for (unsigned i = 0; setting->choices[i] != NULL; i++) {
        const char *choice = setting->choices[i];
        if (length >= WORD_BYTES_MIN && strncmp(text, choice, length) == 0) {
            *(unsigned *)field = (unsigned)setting->min + i;
            return true;
        }
    }
    return gjkd_refuse(error, "\"%.80s\" is not %s", text, setting->value);
}

static void print_choice(const struct gjkd_setting *setting, const void *field, FILE *out) {
    fputs(setting->choices[*(const unsigned *)field - setting->min], out);
}

static const struct gjkd_kind gjkd_kind_choice = {.parse = parse_choice, .print = print_choice};

static bool parse_text(const struct gjkd_setting *setting, void *field, const char *text,
                       char *error) {
    size_t length = strlen(text);
    if (length == 0 || length > GJKD_FILE_NAME_BYTES_MAX) {
        return gjkd_refuse(error, "%s has 1 to %d bytes", setting->kind->form,
                           GJKD_FILE_NAME_BYTES_MAX);
    }
    memcpy(field, text, length + 1);
    return true;
}

static void print_text(const struct gjkd_setting *setting, const void *field, FILE *out) {
    (void)setting;
    fputs(field, out);
}

static bool is_no_text(const void *field) {
    return *(const char *)field == '\0';
}

static const struct gjkd_kind gjkd_kind_file = {parse_text, print_text, is_no_text, NULL,
                                                "a file's name"};
static const struct gjkd_kind gjkd_kind_name = {parse_text, print_text, is_no_text, NULL, "a name"};

/* Parses URLs of servers. Refuses a text of only commas and blanks, which names no server. */
static bool parse_urls(const struct gjkd_setting *setting, void *field, const char *text,
                       char *error) {
    if (text[strspn(text, ", \t")] == '\0') {
        return gjkd_refuse(error, "no server is named; give one URL, such as "
                                  "nats://127.0.0.1:4222, or several with commas between them");
    }
    return parse_text(setting, field, text, error);
}

/* Prints URLs without passwords. */
static void print_urls(const struct gjkd_setting *setting, const void *field, FILE *out) {
    (void)setting;
    for (const char *at = field; *at != '\0';) {
        const size_t length = strcspn(at, ",") + (strchr(at, ',') != NULL);
        const char *slashes = strstr(at, "//"), *host = memchr(at, '@', length);
        if (host != NULL && slashes != NULL && slashes < host) {
            fprintf(out, "%.*s***%.*s", (int)(slashes + 2 - at), at, (int)(at + length - host),
                    host);
        } else {
            fprintf(out, "%.*s", (int)length, at);
        }
        at += length;
    }
}

static const struct gjkd_kind gjkd_kind_urls = {parse_urls, print_urls, is_no_text, NULL,
                                                "a list of URLs"};

/* Parses names in which "*" matches any text. */
static bool parse_patterns(const struct gjkd_setting *setting, void *field, const char *text,
                           char *error) {
    if (strlen(text) > GJKD_PATTERNS_BYTES_MAX) {
        return gjkd_refuse(error, "patterns have at most %d bytes together",
                           GJKD_PATTERNS_BYTES_MAX);
    }
    for (const char *at = text; at != NULL;
         at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL) {
        const size_t length = strcspn(at, ",");
        char name[PROTO_SET_NAME_BYTES_MAX + 1];
        const size_t kept = length < sizeof name ? length : sizeof name - 1;
        for (size_t i = 0; i < kept; i++) {
            name[i] = at[i];
            name[i] = name[i] == '*' ? 'x' : name[i];
        }
        if (kept < length || !proto_is_set_name(name, length)) {
            return gjkd_refuse(error, "\"%.*s\" is not the name of a set, with or without *",
                               (int)(length < 80 ? length : 80), at);
        }
    }
    return parse_text(setting, field, text, error);
}

static const struct gjkd_kind gjkd_kind_patterns = {parse_patterns, print_text, is_no_text, NULL,
                                                    "a list of patterns"};

/* --- Lists: one or several with commas, and each value adds --- */

static bool parse_list(const struct gjkd_setting *setting, void *field, const char *text,
                       char *error) {
    for (const char *at = text; at != NULL;) {
        size_t length = strcspn(at, ",");
        if (!setting->kind->add(field, at, length)) {
            return gjkd_refuse(error, "\"%.*s\" is not %s (one of at most 64)",
                               (int)(length < 80 ? length : 80), at, setting->kind->form);
        }
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return true;
}

/* Returns true if a list is empty. All three types of lists begin with their count. */
static bool is_empty(const void *field) {
    return *(const unsigned *)field == 0;
}

static bool add_name(struct gjkd_names *list, const char *item, size_t length) {
    if (list->count == GJKD_NAMES_MAX) {
        return false;
    }
    memcpy(list->names[list->count], item, length);
    list->names[list->count++][length] = '\0';
    return true;
}

static void print_names(const struct gjkd_setting *setting, const void *field, FILE *out) {
    const struct gjkd_names *list = field;
    (void)setting;
    for (unsigned i = 0; i < list->count; i++) {
        fprintf(out, "%s%s", i > 0 ? "," : "", list->names[i]);
    }
}

static bool add_host(void *list, const char *item, size_t length) {
    return gjkd_is_host_name(item, length) && add_name(list, item, length);
}

static const struct gjkd_kind gjkd_kind_hosts = {parse_list, print_names, is_empty, add_host,
                                                 "a host name without a port"};

static bool add_origin(void *list, const char *item, size_t length) {
    return gjkd_is_origin(item, length) && add_name(list, item, length);
}

static const struct gjkd_kind gjkd_kind_origins =
    {parse_list, print_names, is_empty, add_origin,
     "an origin such as https://game.example or http://localhost:3000, in lower case and without a "
     "path, or *"};

static bool add_network(void *list, const char *item, size_t length) {
    struct gjkd_networks *networks = list;
    return networks->count < GJKD_NETWORKS_MAX &&
           gjkd_network_parse(item, length, &networks->items[networks->count]) &&
           ++networks->count > 0;
}

static void print_networks(const struct gjkd_setting *setting, const void *field, FILE *out) {
    const struct gjkd_networks *networks = field;
    (void)setting;
    for (unsigned i = 0; i < networks->count; i++) {
        char text[GJKD_NETWORK_TEXT_MAX];
        gjkd_network_format(&networks->items[i], text);
        fprintf(out, "%s%s", i > 0 ? "," : "", text);
    }
}

static const struct gjkd_kind gjkd_kind_networks =
    {parse_list, print_networks, is_empty, add_network,
     "an address or a network such as 10.0.0.0/8 or fd00::/8, with no bits set behind its prefix"};

/* --- The table --- */

static const char *const log_formats[] = {"text", "json", NULL};
static const char *const log_levels[] = {"error", "warning", "info", "debug", NULL};
#define AT(field) offsetof(struct gjkd_config, field)

/* clang-format off */
const struct gjkd_setting gjkd_settings[] = {
    /* Address, threads and data. */
    {"listen", "ADDR:PORT", "where to listen; port 0 picks a free one", "127.0.0.1:8080",
     &gjkd_kind_address, AT(listen), 0, 0, NULL, false},
    {"io-threads", "N", "threads that serve connections: one a processor, at most 4", NULL,
     &gjkd_kind_count, AT(io_threads), 1, GJKD_IO_THREADS_MAX, NULL, false},
    {"workers", "N", "threads for long queries and for writes: one a processor", NULL,
     &gjkd_kind_count, AT(workers), 1, GJKD_WORKERS_MAX, NULL, false},
    {"demo", NULL, "load the demo sets arena2d and range3d", "false",
     &gjkd_kind_switch, AT(demo), 0, 0, NULL, false},
    {"data-dir", "DIR", "where to store sets, so that they outlive the daemon", NULL,
     &gjkd_kind_file, AT(data_dir), 0, 0, NULL, false},
    {"pose-checkpoint", "TIME", "how often to store where the last tick left shapes", "5s",
     &gjkd_kind_time, AT(pose_checkpoint_ms), 100, GJKD_TIME_MS_MAX, NULL, false},
    {"load", "PATH", "sets to begin with: NAME.json, a folder of them, or a file of one a line", NULL,
     &gjkd_kind_file, AT(load), 0, 0, NULL, false},
    {"nats", "URL,...", "servers of NATS JetStream, over which the nodes of a cluster share sets", NULL,
     &gjkd_kind_urls, AT(nats), 0, 0, NULL, false},
    {"cluster", "NAME", "name of the cluster, the same on all of its nodes", NULL,
     &gjkd_kind_name, AT(cluster), 0, 0, NULL, false},
    {"cluster-init", NULL, "make the log of the cluster where NATS has none", "false",
     &gjkd_kind_switch, AT(cluster_init), 0, 0, NULL, false},
    {"node", "NAME", "name of this node in the cluster: by default the host's, with the port", NULL,
     &gjkd_kind_name, AT(node), 0, 0, NULL, false},
    {"sets", "PATTERN,...", "hold only the sets with these names, in which * is any text", NULL,
     &gjkd_kind_patterns, AT(sets), 0, 0, NULL, false},
    {"replicas", "N", "copies of the log that NATS keeps; 0: 3 where it has so many servers", "0",
     &gjkd_kind_count, AT(replicas), 0, GJKD_REPLICAS_MAX, NULL, false},
    {"stale-after", "TIME", "age of a node's copy past which /readyz says degraded", "2s",
     &gjkd_kind_time, AT(stale_after_ms), 100, GJKD_TIME_MS_MAX, NULL, false},
    {"nats-creds", "FILE", "credentials for NATS: a JWT and its key", NULL,
     &gjkd_kind_file, AT(nats_creds), 0, 0, NULL, false},
    {"nats-ca", "FILE", "certificates that NATS servers are trusted by; with it, TLS is used", NULL,
     &gjkd_kind_file, AT(nats_ca), 0, 0, NULL, false},

    /* Limits. */
    {"max-body", "BYTES", "largest body of a request", "16777216",
     &gjkd_kind_bytes, AT(max_body_bytes), 1, GJKD_BODY_BYTES_MAX, NULL, false},
    {"max-batch", "N", "most queries of one batch or column message", "65536",
     &gjkd_kind_count, AT(max_batch_queries), 1, GJKD_BATCH_QUERIES_MAX, NULL, false},
    {"max-jobs", "N", "requests that may wait for a worker; more are answered 503", "1024",
     &gjkd_kind_count, AT(max_jobs), 1, GJKD_JOBS_MAX, NULL, false},
    {"max-answer", "BYTES", "where lists of answers end with truncated; GETs have no limit", "67108864",
     &gjkd_kind_bytes, AT(max_answer_bytes), GJKD_ANSWER_BYTES_MIN, GJKD_MEMORY_BYTES_MAX, NULL,
     false},
    {"max-memory", "BYTES", "memory of the process: three quarters of the machine's or container's",
     NULL, &gjkd_kind_bytes, AT(max_memory_bytes), 1, GJKD_MEMORY_BYTES_MAX, NULL, false},
    {"max-connections", "N", "open connections; more are closed at once", "8192",
     &gjkd_kind_count, AT(max_connections), 1, GJKD_CONNECTIONS_MAX, NULL, false},
    {"max-connections-per-address", "N",
     "of which one address may have so many; trusted proxies any number; 0: no limit", "4096",
     &gjkd_kind_count, AT(max_connections_per_address), 0, GJKD_CONNECTIONS_MAX, NULL, false},
    {"max-streams", "N", "of which so many may be streams", "4096",
     &gjkd_kind_count, AT(max_streams), 0, GJKD_CONNECTIONS_MAX, NULL, false},
    {"max-watches", "N", "watches of sets that each client may have: a token, else an address", "4096",
     &gjkd_kind_count, AT(max_watches), 1, GJKD_WATCHES_MAX, NULL, false},
    {"rate-limit", "N", "queries and writes a second of one address; 0: no limit", "0",
     &gjkd_kind_count, AT(rate_limit), 0, GJKD_RATE_MAX, NULL, false},
    {"rate-limit-per-token", "N", "queries and writes a second of one token; 0: no limit", "0",
     &gjkd_kind_count, AT(rate_limit_per_token), 0, GJKD_RATE_MAX, NULL, false},
    {"request-timeout", "TIME", "from a request's first line to its answer", "30s",
     &gjkd_kind_time, AT(request_timeout_ms), 1, GJKD_TIME_MS_MAX, NULL, false},
    {"min-body-rate", "BYTES",
     "bytes a second, over each 5 s, in which a body of more than 64 KiB has to come; 0: no limit",
     "16384", &gjkd_kind_bytes, AT(min_body_rate), 0, GJKD_BODY_BYTES_MAX, NULL, false},
    {"drain-timeout", "TIME", "how long SIGTERM waits for answers", "10s",
     &gjkd_kind_time, AT(drain_timeout_ms), 0, GJKD_TIME_MS_MAX, NULL, false},
    {"drain-delay", "TIME", "of which it still listens so long, but half of it at most", "2s",
     &gjkd_kind_time, AT(drain_delay_ms), 0, GJKD_TIME_MS_MAX, NULL, false},

    /* Security. */
    {"token-file", "FILE", "tokens and scopes, lines of NAME SHA256-HEX SCOPES [PREFIX[:read],...]", NULL,
     &gjkd_kind_file, AT(token_file), 0, 0, NULL, false},
    {"insecure", NULL, "listen beyond loopback although no token is required",
     "false", &gjkd_kind_switch, AT(insecure), 0, 0, NULL, false},
    {"allowed-host", "NAME,...", "names accepted in Host besides IP addresses and localhost", NULL,
     &gjkd_kind_hosts, AT(allowed_hosts), 0, 0, NULL, false},
    {"cors-origin", "ORIGIN,...", "web origins whose pages may read answers; * for all", NULL,
     &gjkd_kind_origins, AT(cors_origins), 0, 0, NULL, false},
    {"trusted-proxy", "NETWORK,...", "proxies whose X-Forwarded-For is trusted", NULL,
     &gjkd_kind_networks, AT(trusted_proxies), 0, 0, NULL, false},
    {"tls-cert", "FILE", "certificate chain in PEM form; with --tls-key, serves https", NULL,
     &gjkd_kind_file, AT(tls_cert), 0, 0, NULL, false},
    {"tls-key", "FILE", "its private key", NULL,
     &gjkd_kind_file, AT(tls_key), 0, 0, NULL, false},
    {"sandbox", "on|off", "give up what a running daemon does not need: files, system calls", "on",
     &gjkd_kind_switch, AT(sandbox), 0, 0, NULL, false},

    /* Logging. */
    {"log-format", "text|json", "form of log records on standard error", "text",
     &gjkd_kind_choice, AT(log_format), GJKD_LOG_TEXT, 0, log_formats, false},
    {"log-level", "error|warning|info|debug", "least severe records that are written", "info",
     &gjkd_kind_choice, AT(log_level), GJKD_LOG_ERROR, 0, log_levels, false},
    {"access-log", NULL, "log a record for every request", "false",
     &gjkd_kind_switch, AT(access_log), 0, 0, NULL, false},

    /* Actions and the configuration file. */
    {"config", "FILE", "settings in the form `name = value`, which flags and environment beat",
     NULL, &gjkd_kind_file, AT(config_file), 0, 0, NULL, true},
    {"check-config", NULL, "check the settings and the files that they name, and exit", NULL,
     &gjkd_kind_action, AT(action), 0, GJKD_CHECK_CONFIG, NULL, true},
    {"print-config", NULL, "print every setting and its source, and exit", NULL,
     &gjkd_kind_action, AT(action), 0, GJKD_PRINT_CONFIG, NULL, true},
    {"health-check", NULL, "ask the daemon at --listen whether it is ready; exit 0 or 1", NULL,
     &gjkd_kind_action, AT(action), 0, GJKD_CHECK_HEALTH, NULL, true},
    {"cluster-status", "URL", "print what that node says of its cluster (GET /v1/cluster), and exit", NULL,
     &gjkd_kind_file, AT(cluster_status), 0, 0, NULL, true},
    {"export", NULL, "print the sets of --data-dir, one a line, and exit", NULL,
     &gjkd_kind_action, AT(action), 0, GJKD_EXPORT, NULL, true},
    {"import", NULL, "store the sets of standard input, one a line, in --data-dir, and exit", NULL,
     &gjkd_kind_action, AT(action), 0, GJKD_IMPORT, NULL, true},
    {"version", NULL, "print the version and exit", NULL,
     &gjkd_kind_action, AT(action), 0, GJKD_SHOW_VERSION, NULL, true},
    {"help", NULL, "print this and exit", NULL,
     &gjkd_kind_action, AT(action), 0, GJKD_SHOW_HELP, NULL, true},
};
/* clang-format on */

_Static_assert(sizeof gjkd_settings / sizeof gjkd_settings[0] == GJKD_SETTING_COUNT,
               "GJKD_SETTING_COUNT is the number of rows");

/* Returns the index of the row with that name, or GJKD_SETTING_COUNT. */
static unsigned find_setting(const char *name, size_t length) {
    unsigned i = 0;
    while (i < GJKD_SETTING_COUNT && (strlen(gjkd_settings[i].name) != length ||
                                      memcmp(gjkd_settings[i].name, name, length) != 0)) {
        i++;
    }
    return i;
}

/* Writes " (did you mean \"max-body\"?)" or "". before: prefix of names, "--" or "". */
#define SUGGESTION_MAX 64
static void suggest(const char *name, size_t length, const char *before,
                    char text[SUGGESTION_MAX]) {
    const char *known[GJKD_SETTING_COUNT + 1] = {NULL};
    char copy[SUGGESTION_MAX];
    for (unsigned i = 0; i < GJKD_SETTING_COUNT; i++) {
        known[i] = gjkd_settings[i].name;
    }
    snprintf(copy, sizeof copy, "%.*s", (int)(length < sizeof copy ? length : sizeof copy), name);
    const char *nearest = proto_nearest_name(copy, known);
    text[0] = '\0';
    if (nearest != NULL) {
        snprintf(text, SUGGESTION_MAX, "; did you mean \"%s%s\"?", before, nearest);
    }
}

/* Writes the environment variable of a setting: "io-threads" becomes "GJKD_IO_THREADS". */
static void name_variable(const struct gjkd_setting *setting, char text[SETTING_NAME_MAX]) {
    size_t length = (size_t)snprintf(text, SETTING_NAME_MAX, "GJKD_%s", setting->name);
    for (size_t i = 0; i < length; i++) {
        bool lower = text[i] >= 'a' && text[i] <= 'z';
        text[i] = lower ? (char)(text[i] - 'a' + 'A') : text[i] == '-' ? '_' : text[i];
    }
}

bool gjkd_setting_parse(const struct gjkd_setting *setting, struct gjkd_config *config,
                        const char *shown_name, const char *text, char error[GJKD_ERROR_MAX]) {
    char reason[GJKD_ERROR_MAX] = "";
    void *field = (char *)config + setting->offset;
    return setting->kind->parse(setting, field, text, reason) ||
           gjkd_refuse(error, "%s: %.400s", shown_name, reason);
}

/* --- Sources --- */

static bool set(struct gjkd_config *config, unsigned index, gjkd_source source,
                const char *shown_name, const char *text, char *error) {
    const struct gjkd_setting *setting = &gjkd_settings[index];
    config->sources[index] = source;
    return gjkd_setting_parse(setting, config, shown_name, text, error);
}

/* --- Flags --- */

/* Parses --flag, --flag value or --flag=value. Moves *at to its last argument. */
static bool take_argument(struct gjkd_config *config, int argc, char *const argv[], int *at,
                          char *error) {
    const char *argument = argv[*at];
    char shown_name[SETTING_NAME_MAX];
    if (strncmp(argument, "--", 2) != 0) {
        return gjkd_refuse(error, "unexpected argument \"%.80s\"; flags begin with --", argument);
    }
    size_t length = strcspn(argument + 2, "=");
    unsigned index = find_setting(argument + 2, length);
    if (index == GJKD_SETTING_COUNT) {
        char suggestion[SUGGESTION_MAX];
        suggest(argument + 2, length, "--", suggestion);
        return gjkd_refuse(error, "unknown flag %.80s%s", argument,
                           suggestion[0] != '\0' ? suggestion
                                                 : "; gjkd --help lists those that are known");
    }
    const struct gjkd_setting *setting = &gjkd_settings[index];
    const char *value = argument[2 + length] == '=' ? argument + 3 + length : NULL;
    if (value == NULL && setting->value == NULL) {
        value = "true";
    } else if (value == NULL && *at + 1 < argc) {
        value = argv[++*at];
    } else if (value == NULL) {
        return gjkd_refuse(error, "--%s: a value is missing (%s)", setting->name, setting->value);
    }
    snprintf(shown_name, sizeof shown_name, "--%s", setting->name);
    return set(config, index, GJKD_FROM_FLAG, shown_name, value, error);
}

/* --- The environment --- */

static bool take_environment(struct gjkd_config *config, gjkd_lookup lookup, char *error) {
    for (unsigned i = 0; i < GJKD_SETTING_COUNT; i++) {
        char name[SETTING_NAME_MAX];
        name_variable(&gjkd_settings[i], name);
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
 * The file has `name = value` lines and comments, and is parsed by inih with a line reader of our
 * own. That reader counts lines, refuses what inih would accept silently (lines that are too long,
 * sections), and lets `#` after a blank begin a comment after a value, as `;` does.
 */

#define LINE_BYTES_MAX 4096

struct file_reader {
    struct gjkd_config *config;
    FILE *file;
    unsigned line;
    const char *fault;           /* fault of the file itself, or NULL */
    char reason[GJKD_ERROR_MAX]; /* reason for refusing a setting; "": none */
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
    char *comment = text; /* begins at the first # after a blank */
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
    unsigned index = find_setting(name, length);
    (void)section; /* there are none */
    if (index == GJKD_SETTING_COUNT) {
        char suggestion[SUGGESTION_MAX];
        suggest(name, length, "", suggestion);
        return gjkd_refuse(reader->reason, "there is no setting \"%.80s\"%s", name, suggestion);
    }
    const struct gjkd_setting *setting = &gjkd_settings[index];
    if (setting->own) {
        return gjkd_refuse(reader->reason, "\"%s\" has no place in a file", name);
    }
    if (reader->seen[index] && setting->kind->add == NULL) {
        return gjkd_refuse(reader->reason, "\"%s\" stands twice", name);
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
        return gjkd_refuse(error, "cannot read the configuration %.200s: %s", config->config_file,
                           strerror(errno));
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
    return gjkd_refuse(error, "%.100s, line %u: %.380s", config->config_file, reader.line, message);
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
        const struct gjkd_setting *setting = &gjkd_settings[i];
        if (setting->preset != NULL &&
            !gjkd_setting_parse(setting, config, setting->name, setting->preset, error)) {
            return false;
        }
    }
    return true;
}

/* Requires tokens for an address beyond loopback, unless --insecure allows access without. */
static bool check_exposure(const struct gjkd_config *config, char *error) {
    if (config->insecure || config->token_file[0] != '\0' ||
        gjkd_address_is_loopback(&config->listen)) {
        return true;
    }
    char address[GJKD_ADDRESS_TEXT_MAX];
    gjkd_address_format(&config->listen, address);
    return gjkd_refuse(
        error,
        "refusing to listen on %s: others than this machine could read and change every set. "
        "Give a token file (--token-file or GJKD_TOKEN_FILE), or, where the network keeps "
        "strangers out, --insecure or GJKD_INSECURE=1",
        address);
}

/* Refuses a setting that has no effect without another one, because it is a mistake. */
static bool check_ineffective(const struct gjkd_config *config, char *error) {
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
            char variable[SETTING_NAME_MAX];
            name_variable(&gjkd_settings[find_setting(name, strlen(name))], variable);
            return gjkd_refuse(error,
                               "--%s has no effect without --nats and --cluster: add what is "
                               "missing, or leave --%s (%s) out",
                               name, name, variable);
        }
    }
    return true;
}

/* Checks settings that must be given together or need another one. */
static bool check_dependencies(const struct gjkd_config *config, char *error) {
    const bool has_cert = config->tls_cert[0] != '\0', has_key = config->tls_key[0] != '\0';
    if (has_cert != has_key) {
        return gjkd_refuse(error, "--tls-cert and --tls-key go together: --%s is missing",
                           has_cert ? "tls-key" : "tls-cert");
    }
    return config->rate_limit_per_token == 0 || config->token_file[0] != '\0' ||
           gjkd_refuse(error, "--rate-limit-per-token needs --token-file");
}

static bool check_cluster(const struct gjkd_config *config, char *error) {
    /* The name becomes part of subjects and of names of streams. */
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const size_t length = strlen(config->cluster);
    const bool has_servers = config->nats[0] != '\0', has_name = config->cluster[0] != '\0';
    if (has_servers != has_name) {
        return gjkd_refuse(error, "--nats and --cluster go together: --%s is missing",
                           has_name ? "nats" : "cluster");
    }
    if (has_name &&
        (length > GJKD_CLUSTER_NAME_BYTES_MAX || strspn(config->cluster, plain) != length)) {
        return gjkd_refuse(error, "--cluster: a name has 1 to %d letters, digits, - and _",
                           GJKD_CLUSTER_NAME_BYTES_MAX);
    }
    if (config->node[0] != '\0' && strlen(config->node) > GJKD_NODE_NAME_BYTES_MAX) {
        return gjkd_refuse(error, "--node: a name has at most %d bytes", GJKD_NODE_NAME_BYTES_MAX);
    }
    return true;
}

bool gjkd_config_parse(struct gjkd_config *config, int argc, char *const argv[], gjkd_lookup lookup,
                       char error[GJKD_ERROR_MAX]) {
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
               gjkd_refuse(error, config->action == GJKD_IMPORT
                                      ? "--import needs --data-dir, where to store the sets"
                                      : "--export needs --data-dir, whose sets to print; a running "
                                        "daemon's: GET /v1/export");
    }
    return config->action == GJKD_CHECK_HEALTH ||
           (check_dependencies(config, error) && check_cluster(config, error) &&
            check_ineffective(config, error) && check_exposure(config, error));
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
        const struct gjkd_setting *setting = &gjkd_settings[i];
        char left[SETTING_NAME_MAX];
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
    char name[SETTING_NAME_MAX];
    switch (config->sources[index]) {
    case GJKD_FROM_DEFAULT:
        fputs("default", out);
        break;
    case GJKD_FROM_FILE:
        fprintf(out, "file %s", config->config_file);
        break;
    case GJKD_FROM_ENVIRONMENT:
        name_variable(&gjkd_settings[index], name);
        fprintf(out, "environment %s", name);
        break;
    case GJKD_FROM_FLAG:
        fputs("flag", out);
        break;
    }
}

void gjkd_config_print(const struct gjkd_config *config, FILE *out) {
    for (unsigned i = 0; i < GJKD_SETTING_COUNT; i++) {
        const struct gjkd_setting *setting = &gjkd_settings[i];
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
