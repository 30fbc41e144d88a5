/*
 * Can any configuration file do harm? It is refused with a sentence, or gives settings within
 * their limits; and what --print-config then shows is a file that gives the same settings.
 */

#define _GNU_SOURCE 1 /* memfd_create */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "config/config.h"

static const char *no_environment(const char *name) {
    (void)name;
    return NULL;
}

/* Parses `--config FILE` with a file of those bytes. */
static bool parse(const void *data, size_t size, struct gjkd_config *config, char *error) {
    char name[64], program[] = "gjkd", flag[] = "--config", insecure[] = "--insecure";
    int fd = memfd_create("config", 0);

    require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    char *argv[] = {program, flag, name, insecure};
    bool fine = gjkd_config_parse(config, 4, argv, no_environment, error);
    close(fd);
    return fine;
}

static char *print(const struct gjkd_config *config, size_t *size) {
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    require(out != NULL);
    gjkd_config_print(config, out);
    fclose(out);
    return text;
}

static void check_limits(const struct gjkd_config *config) {
    for (unsigned i = 0; i < GJKD_SETTING_COUNT; i++) {
        const struct gjkd_setting *setting = &gjkd_settings[i];
        const void *field = (const char *)config + setting->offset;
        if (setting->kind == &gjkd_kind_count || setting->kind == &gjkd_kind_bytes ||
            setting->kind == &gjkd_kind_time) {
            uint64_t value = *(const uint64_t *)field;
            require(value >= setting->min && value <= setting->max);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct gjkd_config config, again;
    char error[GJKD_ERROR_MAX] = "";

    if (!parse(data, size, &config, error)) {
        require(error[0] != '\0');
        return 0;
    }
    check_limits(&config);
    size_t length = 0;
    char *text = print(&config, &length);
    /* A list or a name may make a line that is too long for a file; all else can be read again. */
    if (parse(text, length, &again, error)) {
        require(memcmp(&config.listen, &again.listen, sizeof config.listen) == 0);
        require(config.max_body_bytes == again.max_body_bytes);
        require(config.request_timeout_ms == again.request_timeout_ms);
        require(config.log_level == again.log_level && config.access_log == again.access_log);
        require(config.allowed_hosts.count == again.allowed_hosts.count);
        require(config.cors_origins.count == again.cors_origins.count);
        require(config.trusted_proxies.count == again.trusted_proxies.count);
        require(strcmp(config.token_file, again.token_file) == 0);
    } else {
        require(strstr(error, "too long") != NULL);
    }
    free(text);
    return 0;
}
