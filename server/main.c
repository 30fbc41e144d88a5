/* Parses the configuration and runs the action that it asks for. */

#include "config/config.h"
#include "security/security.h"
#include "server.h"
#include "util/health_check.h"
#include "util/log.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#define EXIT_USAGE 2

/* Freed memory that malloc keeps for reuse, and the size from which blocks are unmapped instead. */
#define KEPT_BYTES (16 << 20)
#define KEPT_BLOCK_BYTES (8 << 20)

static const char *lookup(const char *name) {
    return getenv(name);
}

/* Checks the files that the configuration names, too: tokens and certificates. */
static int check_config(const struct gjkd_config *config) {
    struct gjkd_security security = {0};
    char error[GJKD_CONFIG_ERROR_MAX];
    bool fine = gjkd_security_init(&security, config, error);
    gjkd_security_fini(&security);
    if (!fine) {
        gjkd_log(GJKD_LOG_ERROR, "%s", error);
        return EXIT_USAGE;
    }
    puts("the configuration is fine");
    return 0;
}

/* Lets the next large request reuse what the last one freed. By default malloc returns it to the
 * system, and the kernel has to clear it again page by page. */
static void keep_freed_memory(void) {
    mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
    mallopt(M_MMAP_THRESHOLD, KEPT_BLOCK_BYTES);
}

int main(int argc, char *argv[]) {
    static struct gjkd_config config; /* large, and lives as long as the process */
    char error[GJKD_CONFIG_ERROR_MAX];
    if (!gjkd_config_parse(&config, argc, argv, lookup, error)) {
        gjkd_log(GJKD_LOG_ERROR, "%s", error);
        return EXIT_USAGE;
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
    case GJKD_SERVE:
        break;
    }
    keep_freed_memory();
    return gjkd_serve(&config);
}
