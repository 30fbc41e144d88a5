/* --help and --print-config, both from the table of settings. */

#include "config/settings.h"

#define COLUMN 28

void gjkd_config_help(FILE *out) {
    fputs("gjkd: collision queries over HTTP.\n\nUsage: gjkd [FLAG]...\n\n"
          "Each flag may also stand in the environment (--listen as GJKD_LISTEN) and, but for "
          "the last\nnine, in the file of --config (listen = 127.0.0.1:80). A flag beats the "
          "environment, and that the file.\n\n",
          out);
    for (unsigned i = 0; i < GJKD_SETTING_COUNT; i++) {
        const struct gjkd_setting *setting = gjkd_setting_at(i);
        char left[GJKD_SETTING_NAME_MAX];
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
    char name[GJKD_SETTING_NAME_MAX];
    switch (config->sources[index]) {
    case GJKD_FROM_DEFAULT:
        fputs("default", out);
        break;
    case GJKD_FROM_FILE:
        fprintf(out, "file %s", config->config_file);
        break;
    case GJKD_FROM_ENVIRONMENT:
        gjkd_setting_environment(gjkd_setting_at(index), name);
        fprintf(out, "environment %s", name);
        break;
    case GJKD_FROM_FLAG:
        fputs("flag", out);
        break;
    }
}

void gjkd_config_print(const struct gjkd_config *config, FILE *out) {
    for (unsigned i = 0; i < GJKD_SETTING_COUNT; i++) {
        const struct gjkd_setting *setting = gjkd_setting_at(i);
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
