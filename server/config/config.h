#ifndef GJKD_CONFIG_CONFIG_H
#define GJKD_CONFIG_CONFIG_H

/*
 * The configuration: from flags, else from GJKD_<NAME> in the environment, else from the file of
 * --config, else defaults. The settings are the rows of a table in config.c.
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
#define GJKD_PATTERNS_BYTES_MAX 255 /* total of all patterns */

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

/* Source of a value; greater sources override smaller ones. */
typedef enum gjkd_source {
    GJKD_FROM_DEFAULT,
    GJKD_FROM_FILE,
    GJKD_FROM_ENVIRONMENT,
    GJKD_FROM_FLAG,
} gjkd_source;

/* Number of rows of the table of settings. */
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

    gjkd_file_name nats; /* URLs; "": no cluster; likewise the next two */
    gjkd_file_name cluster, node;
    bool cluster_init;                      /* this node creates the log if there is none */
    char sets[GJKD_PATTERNS_BYTES_MAX + 1]; /* patterns of set names with commas; "": all sets */
    uint64_t stale_after_ms;
    gjkd_file_name cluster_status; /* URL of the node to ask; "": none */
    uint64_t replicas;             /* 0: 3 if there are as many servers, else 1 */
    gjkd_file_name nats_creds, nats_ca;

    uint64_t max_body_bytes;
    uint64_t max_batch_queries;
    uint64_t max_jobs;
    uint64_t max_memory_bytes; /* limit on the memory of the process */
    uint64_t max_answer_bytes; /* limit on the lists in the answer to a query */
    uint64_t max_connections;
    uint64_t max_connections_per_address; /* 0: no limit */
    uint64_t max_streams;
    uint64_t max_watches;          /* limit for each client */
    uint64_t rate_limit;           /* queries and writes per second for each address; 0: no limit */
    uint64_t rate_limit_per_token; /* the same for each token */
    uint64_t request_timeout_ms;
    uint64_t min_body_rate; /* bytes per second of a large body; 0: no limit */
    uint64_t drain_timeout_ms;
    uint64_t drain_delay_ms; /* the listener stays open; at most half of that time */

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
    gjkd_source sources[GJKD_SETTING_COUNT]; /* in the order of the table's rows */
};

/* Reads an environment variable: getenv, or a replacement in tests. */
typedef const char *(*gjkd_lookup)(const char *name);

/*
 * Fills *config. Returns false, with one precise sentence in error, if a setting or a value is
 * invalid. Overridden values are not checked.
 */
bool gjkd_config_parse(struct gjkd_config *config, int argc, char *const argv[], gjkd_lookup lookup,
                       char error[GJKD_ERROR_MAX]);

/* Print --help, and --print-config: every value and its source, as a configuration file. */
void gjkd_config_help(FILE *out);
void gjkd_config_print(const struct gjkd_config *config, FILE *out);

/* --- The table of settings --- */

struct gjkd_kind; /* a type of value */
extern const struct gjkd_kind gjkd_kind_count;
extern const struct gjkd_kind gjkd_kind_bytes; /* 16777216, 16M, 1G */
extern const struct gjkd_kind gjkd_kind_time;  /* 10, 10s, 500ms, 2m */

struct gjkd_setting {
    const char *name;   /* --name, GJKD_NAME, name = value */
    const char *value;  /* form of the value in --help; NULL: a switch */
    const char *help;   /* text of --help, which appends the default */
    const char *preset; /* default, in the form that parse takes; NULL: "none", or computed by
                           set_defaults */
    const struct gjkd_kind *kind;
    size_t offset;              /* of the member in gjkd_config */
    uint64_t min, max;          /* bounds of a number; min: value of the first choice; max: the
                                   action */
    const char *const *choices; /* words of a choice, ending with NULL */
    bool own;                   /* only allowed as a flag or in the environment */
};

extern const struct gjkd_setting gjkd_settings[GJKD_SETTING_COUNT];

/* Parses text into the setting's member of config. Returns false, with `shown_name: reason` in
 * error, if the text is invalid. */
bool gjkd_setting_parse(const struct gjkd_setting *setting, struct gjkd_config *config,
                        const char *shown_name, const char *text, char error[GJKD_ERROR_MAX]);

#endif
