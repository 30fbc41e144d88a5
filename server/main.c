/* What was the program started for? */

#include "config.h"
#include "health_check.h"
#include "log.h"
#include "server.h"

#include <stdio.h>
#include <stdlib.h>

#define EXIT_USAGE 2

static const char *lookup(const char *name) {
    return getenv(name);
}

static int show_help(void) {
    char *text = gjkd_config_help();
    if (text == NULL) {
        return 1;
    }
    fputs(text, stdout);
    free(text);
    return 0;
}

int main(int argc, char *argv[]) {
    static struct gjkd_config config; /* large, and lives as long as the process */
    char error[GJKD_CONFIG_ERROR_MAX];
    if (!gjkd_config_parse(&config, argc, argv, lookup, error)) {
        gjkd_log(GJKD_LOG_ERROR, "%s", error);
        return EXIT_USAGE;
    }
    switch (config.action) {
    case GJKD_SHOW_HELP:
        return show_help();
    case GJKD_SHOW_VERSION:
        printf("gjkd %s\n", GJKD_VERSION_TEXT);
        return 0;
    case GJKD_CHECK_HEALTH:
        return gjkd_health_check(&config.listen);
    case GJKD_SERVE:
        break;
    }
    return gjkd_serve(&config);
}
