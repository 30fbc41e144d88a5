#ifndef GJKD_CONFIG_SETTINGS_H
#define GJKD_CONFIG_SETTINGS_H

/*
 * The table of all settings. A row gives the name of a setting, the form of its values, its member
 * of gjkd_config and its default; parsing, the names in environment and file, --help and
 * --print-config are derived from it.
 */

#include "config/config.h"

struct gjkd_setting;

/* A type of values. */
struct gjkd_kind {
    /* False: error holds the reason; *field is unchanged, or holds a part of a list. */
    bool (*parse)(const struct gjkd_setting *setting, void *field, const char *text, char *error);
    /* In the form that parse takes. NULL: the setting is not printed. */
    void (*print)(const struct gjkd_setting *setting, const void *field, FILE *out);
    /* Returns true if the value means "none" and is not printed. NULL: never. */
    bool (*is_none)(const void *field);
    /* Of lists, of which several values may be given: adds an item, and the form of items. */
    bool (*add)(void *list, const char *item, size_t length);
    const char *item_form;
};

struct gjkd_setting {
    const char *name;   /* --name, GJKD_NAME, name = value */
    const char *value;  /* the form of the value in --help; NULL: a switch */
    const char *help;   /* without the default, which --help adds */
    const char *preset; /* the default, as parse takes it; NULL: "none", or see config_parse.c */
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

/* The types of values. */
extern const struct gjkd_kind gjkd_kind_address;
extern const struct gjkd_kind gjkd_kind_switch;
extern const struct gjkd_kind gjkd_kind_count;
extern const struct gjkd_kind gjkd_kind_bytes; /* 16777216, 16M, 1G */
extern const struct gjkd_kind gjkd_kind_time;  /* 10, 10s, 500ms, 2m */
extern const struct gjkd_kind gjkd_kind_choice;
extern const struct gjkd_kind gjkd_kind_file;
extern const struct gjkd_kind gjkd_kind_name;
extern const struct gjkd_kind gjkd_kind_urls; /* whose passwords are not printed */
extern const struct gjkd_kind gjkd_kind_patterns;
extern const struct gjkd_kind gjkd_kind_hosts;
extern const struct gjkd_kind gjkd_kind_origins;
extern const struct gjkd_kind gjkd_kind_networks;
extern const struct gjkd_kind gjkd_kind_action; /* instead of serving */

/* Writes the reason for refusing a value. Returns false. */
bool gjkd_value_refuse(char *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
