/* Parses the configuration and runs the requested action. */

#include "config/config.h"
#include "health_check.h"
#include "security/security.h"
#include "server.h"
#include "store/store.h"
#include "store/transfer.h"
#include "util/log.h"
#include "work/memory.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_USAGE 2

static const char *lookup(const char *name) {
    return getenv(name);
}

/* Checks the configuration and what it names: tokens, certificates, the sets of --load, and whether
 * sets can be stored. */
static int check_config(const struct gjkd_config *config) {
    struct gjkd_security security = {0};
    char error[GJKD_ERROR_MAX];
    const proto_limits limits = proto_limits_default();
    bool fine = gjkd_security_init(&security, config, error) &&
                (config->load[0] == '\0' ||
                 gjkd_load_bodies(NULL, config->load, &limits, error)); /* keeps no set */
    if (fine && config->data_dir[0] != '\0' && access(config->data_dir, R_OK | W_OK | X_OK) != 0) {
        char parent[sizeof config->data_dir]; /* writable, since the start makes data_dir in it */
        snprintf(parent, sizeof parent, "%s", config->data_dir);
        fine = errno == ENOENT && access(dirname(parent), W_OK | X_OK) == 0;
        if (!fine) {
            snprintf(error, sizeof error, "--data-dir %.300s: %s", config->data_dir,
                     strerror(errno));
        }
    }
    gjkd_security_fini(&security);
    if (!fine) {
        gjkd_log(GJKD_LOG_ERROR, "%s", error);
        return EXIT_USAGE;
    }
    puts("the configuration is fine");
    return 0;
}

/* Runs --export or --import. Returns the exit code. */
static int transfer(const struct gjkd_config *config) {
    char error[GJKD_ERROR_MAX];
    bool fine;
    if (config->action == GJKD_IMPORT) {
        fine = gjkd_disk_store_make_directory(config->data_dir, error) &&
               gjkd_import(config->data_dir, stdin, error);
    } else {
        fine = gjkd_export(config->data_dir, stdout, error);
    }
    if (!fine) {
        gjkd_log(GJKD_LOG_ERROR, "%s", error);
    }
    return fine ? 0 : 1;
}

int main(int argc, char *argv[]) {
    static struct gjkd_config config; /* large, and lives as long as the process */
    char error[GJKD_ERROR_MAX];
    if (!gjkd_config_parse(&config, argc, argv, lookup, error)) {
        gjkd_log(GJKD_LOG_ERROR, "%s", error);
        return EXIT_USAGE;
    }
    if (config.cluster_status[0] != '\0') {
        return gjkd_print_cluster(config.cluster_status);
    }
    switch ((gjkd_action)config.action) {
    case GJKD_SHOW_HELP:
        gjkd_config_help(stdout);
        return 0;
    case GJKD_CHECK_CONFIG:
        return check_config(&config);
    case GJKD_PRINT_CONFIG:
        gjkd_config_print(&config, stdout);
        return 0;
    case GJKD_SHOW_VERSION:
        printf("gjkd %s\n", GJKD_VERSION_TEXT);
        return 0;
    case GJKD_CHECK_HEALTH:
        return gjkd_health_check(&config.listen, config.tls_cert[0] != '\0');
    case GJKD_EXPORT:
    case GJKD_IMPORT:
        return transfer(&config);
    case GJKD_SERVE:
        break;
    }
    gjkd_heap_setup((unsigned)(config.io_threads + config.workers + 1));
    return gjkd_serve(&config);
}
