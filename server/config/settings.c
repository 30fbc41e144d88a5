/* The table of settings, and lookups in it. */

#include "config/settings.h"

#include "proto/problem.h"

#include <string.h>

static const char *const log_formats[] = {"text", "json", NULL};
static const char *const log_levels[] = {"error", "warning", "info", "debug", NULL};
#define AT(field) offsetof(struct gjkd_config, field)

/* clang-format off */
static const struct gjkd_setting settings[] = {
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
    {"node", "NAME", "name of this node in the cluster: by default the host's, with the port", NULL,
     &gjkd_kind_name, AT(node), 0, 0, NULL, false},
    {"replicas", "N", "copies of the log that NATS keeps; 0: 3 where it has so many servers", "0",
     &gjkd_kind_count, AT(replicas), 0, GJKD_REPLICAS_MAX, NULL, false},
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
    {"token-file", "FILE", "tokens and scopes, lines of NAME SHA256-HEX SCOPES [SET-PREFIX]", NULL,
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
    {"export", NULL, "print the sets of --data-dir, or of --from, one a line, and exit", NULL,
     &gjkd_kind_action, AT(action), 0, GJKD_EXPORT, NULL, true},
    {"from", "URL", "the running daemon whose sets --export prints; its token in GJKD_TOKEN", NULL,
     &gjkd_kind_file, AT(from), 0, 0, NULL, true},
    {"import", NULL, "store the sets of standard input, one a line, in --data-dir, and exit", NULL,
     &gjkd_kind_action, AT(action), 0, GJKD_IMPORT, NULL, true},
    {"version", NULL, "print the version and exit", NULL,
     &gjkd_kind_action, AT(action), 0, GJKD_SHOW_VERSION, NULL, true},
    {"help", NULL, "print this and exit", NULL,
     &gjkd_kind_action, AT(action), 0, GJKD_SHOW_HELP, NULL, true},
};
/* clang-format on */

_Static_assert(sizeof settings / sizeof settings[0] == GJKD_SETTING_COUNT,
               "GJKD_SETTING_COUNT is the number of rows");

const struct gjkd_setting *gjkd_setting_at(unsigned i) {
    return &settings[i];
}

unsigned gjkd_setting_find(const char *name, size_t length) {
    unsigned i = 0;
    while (i < GJKD_SETTING_COUNT &&
           (strlen(settings[i].name) != length || memcmp(settings[i].name, name, length) != 0)) {
        i++;
    }
    return i;
}

void gjkd_setting_suggest(const char *name, size_t length, const char *before,
                          char text[GJKD_SUGGESTION_MAX]) {
    const char *known[GJKD_SETTING_COUNT + 1] = {NULL};
    char copy[GJKD_SUGGESTION_MAX];
    for (unsigned i = 0; i < GJKD_SETTING_COUNT; i++) {
        known[i] = settings[i].name;
    }
    snprintf(copy, sizeof copy, "%.*s", (int)(length < sizeof copy ? length : sizeof copy), name);
    const char *nearest = proto_nearest_name(copy, known);
    text[0] = '\0';
    if (nearest != NULL) {
        snprintf(text, GJKD_SUGGESTION_MAX, "; did you mean \"%s%s\"?", before, nearest);
    }
}

void gjkd_setting_environment(const struct gjkd_setting *setting,
                              char text[GJKD_SETTING_NAME_MAX]) {
    size_t length = (size_t)snprintf(text, GJKD_SETTING_NAME_MAX, "GJKD_%s", setting->name);
    for (size_t i = 0; i < length; i++) {
        bool lower = text[i] >= 'a' && text[i] <= 'z';
        text[i] = lower ? (char)(text[i] - 'a' + 'A') : text[i] == '-' ? '_' : text[i];
    }
}

bool gjkd_setting_parse(const struct gjkd_setting *setting, struct gjkd_config *config,
                        const char *shown_name, const char *text,
                        char error[GJKD_CONFIG_ERROR_MAX]) {
    char reason[GJKD_CONFIG_ERROR_MAX] = "";
    void *field = (char *)config + setting->offset;
    return setting->kind->parse(setting, field, text, reason) ||
           gjkd_value_refuse(error, "%s: %.400s", shown_name, reason);
}
