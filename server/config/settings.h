#ifndef GJKD_CONFIG_SETTINGS_H
#define GJKD_CONFIG_SETTINGS_H

/*
 * The table of all settings. A row says what a setting is called, what its values look like,
 * where in gjkd_config it is kept and what it is when nobody says anything; parsing, the names
 * in the environment and in the file, --help and --print-config follow from it.
 */

#include "config/config.h"

struct gjkd_setting;

/* One way in which values are written. */
struct gjkd_kind {
    /* False: *field is as it was, or half a list; error holds the reason. */
    bool (*parse)(const struct gjkd_setting *setting, void *field, const char *text, char *error);
    /* In the form that parse takes. NULL: there is nothing to print. */
    void (*print)(const struct gjkd_setting *setting, const void *field, FILE *out);
    /* Is there nothing to print for this value, because it means "none"? NULL: never. */
    bool (*is_none)(const void *field);
    bool adds; /* several values make a list */
};

struct gjkd_setting {
    const char *name;   /* --name, GJKD_NAME, name = value */
    const char *value;  /* what stands behind it; NULL: a switch */
    const char *help;   /* without the default, which --help adds */
    const char *preset; /* the default, as parse takes it; NULL: "none", or see config.c */
    const struct gjkd_kind *kind;
    size_t offset;              /* of the field in gjkd_config */
    uint64_t min, max;          /* of numbers; min: of the first choice; max: the action */
    const char *const *choices; /* of a choice; ends with NULL */
    bool own;                   /* only as a flag or in the environment */
};

const struct gjkd_setting *gjkd_setting_at(unsigned i); /* i < GJKD_SETTING_COUNT */

/* The row of that name, or GJKD_SETTING_COUNT. */
unsigned gjkd_setting_find(const char *name, size_t length);

/* " (did you mean \"max-body\"?)" or "". before stands before the names: "--" or "". */
#define GJKD_SUGGESTION_MAX 64
void gjkd_setting_suggest(const char *name, size_t length, const char *before,
                          char text[GJKD_SUGGESTION_MAX]);

/* "io-threads" -> "GJKD_IO_THREADS" */
#define GJKD_SETTING_NAME_MAX 64
void gjkd_setting_environment(const struct gjkd_setting *setting, char text[GJKD_SETTING_NAME_MAX]);

/* Parses text into the setting's field. False: error says `shown_name: reason`. */
bool gjkd_setting_parse(const struct gjkd_setting *setting, struct gjkd_config *config,
                        const char *shown_name, const char *text,
                        char error[GJKD_CONFIG_ERROR_MAX]);

/* value.c: the ways of writing values */
extern const struct gjkd_kind gjkd_kind_address;
extern const struct gjkd_kind gjkd_kind_switch;
extern const struct gjkd_kind gjkd_kind_count;
extern const struct gjkd_kind gjkd_kind_bytes; /* 16777216, 16M, 1G */
extern const struct gjkd_kind gjkd_kind_time;  /* 10, 10s, 500ms, 2m */
extern const struct gjkd_kind gjkd_kind_choice;
extern const struct gjkd_kind gjkd_kind_file;
extern const struct gjkd_kind gjkd_kind_hosts;
extern const struct gjkd_kind gjkd_kind_origins;
extern const struct gjkd_kind gjkd_kind_networks;
extern const struct gjkd_kind gjkd_kind_action;  /* instead of serving */
extern const struct gjkd_kind gjkd_kind_missing; /* not in this version; choices[0] says why */

/* A reason for refusing a value. Returns false. */
bool gjkd_value_refuse(char *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * config_file.c: calls take for every `name = value` of the file, until it returns false with
 * the reason in error; that, or what is wrong with the file, is then told with file and line.
 */
typedef bool (*gjkd_take_setting)(void *closure, const char *name, const char *value, char *error);
bool gjkd_config_file_read(FILE *file, const char *shown_name, gjkd_take_setting take,
                           void *closure, char error[GJKD_CONFIG_ERROR_MAX]);

#endif
