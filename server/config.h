#ifndef GJKD_CONFIG_H
#define GJKD_CONFIG_H

/*
 * What the daemon was asked to be: from flags, else from GJKD_<NAME> in the environment,
 * else the default.
 */

#include "address.h"
#include "host.h"
#include "log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GJKD_IO_THREADS_MAX 64
#define GJKD_WORKERS_MAX 1024 /* what libuv allows */
#define GJKD_BODY_BYTES_DEFAULT 16777216
#define GJKD_BODY_BYTES_MAX 1073741824
#define GJKD_DRAIN_TIMEOUT_MS_DEFAULT 10000
#define GJKD_DRAIN_TIMEOUT_MS_MAX 3600000
#define GJKD_CONFIG_ERROR_MAX 512

typedef enum gjkd_action {
    GJKD_SERVE,
    GJKD_CHECK_HEALTH,
    GJKD_SHOW_VERSION,
    GJKD_SHOW_HELP,
} gjkd_action;

struct gjkd_config {
    gjkd_action action;
    gjkd_address listen;
    unsigned io_threads;
    unsigned workers;
    bool demo;
    uint64_t max_body_bytes;
    bool insecure;
    struct gjkd_hosts allowed_hosts;
    uint64_t drain_timeout_ms;
    gjkd_log_format log_format;
    gjkd_log_level log_level;
    bool access_log;
};

/* Looks a name up in the environment: getenv, or a test's own. */
typedef const char *(*gjkd_lookup)(const char *name);

/*
 * Fills *config. False when a flag or a value cannot be: error then holds one precise
 * sentence. Values of the environment are looked at only when no flag gives them.
 */
bool gjkd_config_parse(struct gjkd_config *config, int argc, char *const argv[], gjkd_lookup lookup,
                       char error[GJKD_CONFIG_ERROR_MAX]);

/* The text of --help; to be freed. NULL: out of memory. */
char *gjkd_config_help(void);

#endif
