#ifndef GJKD_CONFIG_CONFIG_H
#define GJKD_CONFIG_CONFIG_H

/*
 * The configuration: from flags, else from GJKD_<NAME> in the environment, else from the file of
 * --config, else the defaults. The settings are the rows of a table in config.c.
 */

#include "util/host.h"
#include "util/log.h"
#include "util/network.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define GJKD_IO_THREADS_MAX 64
#define GJKD_WORKERS_MAX 1024
#define GJKD_BODY_BYTES_MAX 1073741824
#define GJKD_BATCH_QUERIES_MAX 1048576
#define GJKD_JOBS_MAX 1048576
#define GJKD_ANSWER_BYTES_MIN 65536
#define GJKD_MEMORY_BYTES_MAX (UINT64_C(1) << 50)
#define GJKD_CONNECTIONS_MAX 1048576
#define GJKD_WATCHES_MAX 1048576
#define GJKD_TIME_MS_MAX 3600000
#define GJKD_RATE_MAX 1000000000
#define GJKD_REPLICAS_MAX 5
#define GJKD_CLUSTER_NAME_BYTES_MAX 32
#define GJKD_NODE_NAME_BYTES_MAX 64
#define GJKD_FILE_NAME_BYTES_MAX 1023
#define GJKD_PATTERNS_BYTES_MAX 255 /* of all together */

typedef enum gjkd_action {
    GJKD_SERVE,
    GJKD_CHECK_CONFIG,
    GJKD_PRINT_CONFIG,
    GJKD_CHECK_HEALTH,
    GJKD_EXPORT,
    GJKD_IMPORT,
    GJKD_SHOW_VERSION,
    GJKD_SHOW_HELP,
} gjkd_action;

/* Where a value came from; greater ones override smaller ones. */
typedef enum gjkd_source {
    GJKD_FROM_DEFAULT,
    GJKD_FROM_FILE,
    GJKD_FROM_ENVIRONMENT,
    GJKD_FROM_FLAG,
} gjkd_source;

/* Rows of the table of settings. */
#define GJKD_SETTING_COUNT 51

typedef char gjkd_file_name[GJKD_FILE_NAME_BYTES_MAX + 1]; /* "": none */

struct gjkd_config {
    unsigned action; /* gjkd_action */
    gjkd_address listen;
    uint64_t io_threads;
    uint64_t workers;
    bool demo;
    gjkd_file_name data_dir;
    uint64_t pose_checkpoint_ms;
    gjkd_file_name load;

    gjkd_file_name nats; /* URLs; "": no cluster, as of the next two */
    gjkd_file_name cluster, node;
    bool cluster_init;                      /* this node makes the log where there is none */
    char sets[GJKD_PATTERNS_BYTES_MAX + 1]; /* patterns of names, with commas; "": all */
    uint64_t stale_after_ms;
    gjkd_file_name cluster_status; /* URL of a node to be asked; "": none */
    uint64_t replicas;             /* 0: as many as the servers allow, up to 3 */
    gjkd_file_name nats_creds, nats_ca;

    uint64_t max_body_bytes;
    uint64_t max_batch_queries;
    uint64_t max_jobs;
    uint64_t max_memory_bytes; /* of the process */
    uint64_t max_answer_bytes; /* of lists in answers to queries */
    uint64_t max_connections;
    uint64_t max_connections_per_address; /* 0: no limit */
    uint64_t max_streams;
    uint64_t max_watches;          /* of each client */
    uint64_t rate_limit;           /* queries and writes a second for each address; 0: no limit */
    uint64_t rate_limit_per_token; /* the same for each token */
    uint64_t request_timeout_ms;
    uint64_t min_body_rate; /* bytes a second of a large body; 0: no limit */
    uint64_t drain_timeout_ms;
    uint64_t drain_delay_ms; /* of which the listener stays open, at most half of it */

    gjkd_file_name token_file;
    bool insecure;
    struct gjkd_names allowed_hosts;
    struct gjkd_names cors_origins;
    struct gjkd_networks trusted_proxies;
    gjkd_file_name tls_cert;
    gjkd_file_name tls_key;
    bool sandbox;

    unsigned log_format; /* gjkd_log_format */
    unsigned log_level;  /* gjkd_log_level */
    bool access_log;

    gjkd_file_name config_file;
    gjkd_source sources[GJKD_SETTING_COUNT]; /* by row of the table */
};

/* getenv, or a test's replacement. */
typedef const char *(*gjkd_lookup)(const char *name);

/*
 * Fills *config. False: a setting or a value is invalid, and error is one precise sentence. Values
 * that are overridden are not checked.
 */
bool gjkd_config_parse(struct gjkd_config *config, int argc, char *const argv[], gjkd_lookup lookup,
                       char error[GJKD_ERROR_MAX]);

/* Print --help, and --print-config: every value and its source, in the form of a configuration
 * file. */
void gjkd_config_help(FILE *out);
void gjkd_config_print(const struct gjkd_config *config, FILE *out);

/* --- The table of settings --- */

struct gjkd_kind; /* a type of values */
extern const struct gjkd_kind gjkd_kind_count;
extern const struct gjkd_kind gjkd_kind_bytes; /* 16777216, 16M, 1G */
extern const struct gjkd_kind gjkd_kind_time;  /* 10, 10s, 500ms, 2m */

struct gjkd_setting {
    const char *name;   /* --name, GJKD_NAME, name = value */
    const char *value;  /* the form of the value in --help; NULL: a switch */
    const char *help;   /* without the default, which --help adds */
    const char *preset; /* the default, as parse takes it; NULL: "none", or see set_defaults */
    const struct gjkd_kind *kind;
    size_t offset;              /* of the field in gjkd_config */
    uint64_t min, max;          /* of numbers; min: of the first choice; max: the action */
    const char *const *choices; /* of a choice; ends with NULL */
    bool own;                   /* only as a flag or in the environment */
};

extern const struct gjkd_setting gjkd_settings[GJKD_SETTING_COUNT];

/* Parses text into the setting's field. False: error says `shown_name: reason`. */
bool gjkd_setting_parse(const struct gjkd_setting *setting, struct gjkd_config *config,
                        const char *shown_name, const char *text, char error[GJKD_ERROR_MAX]);

#endif
