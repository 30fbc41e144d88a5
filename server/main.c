/* What was the program started for? */

#include "config.h"
#include "guards.h"
#include "health_check.h"
#include "log.h"
#include "server.h"

#include <stdio.h>
#include <stdlib.h>

#define EXIT_USAGE 2

static const char *lookup(const char *name) {
    return getenv(name);
}

/* Also what the configuration names: tokens and certificates. */
static int check_config(const struct gjkd_config *config) {
    static struct gjkd_context context;
    char error[GJKD_CONFIG_ERROR_MAX];
    context.config = config;
    bool fine = gjkd_guards_init(&context, error);
    gjkd_guards_fini(&context);
    if (!fine) {
        gjkd_log(GJKD_LOG_ERROR, "%s", error);
        return EXIT_USAGE;
    }
    puts("the configuration is fine");
    return 0;
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
    return gjkd_serve(&config);
}
