/* The types of values: a parser and a printer for each, so that the output of --print-config can be
 * parsed again. */

#include "config/settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The shortest abbreviation of a choice: warn for warning. */
#define WORD_BYTES_MIN 4

bool gjkd_value_refuse(char *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error, GJKD_CONFIG_ERROR_MAX, format, arguments);
    va_end(arguments);
    return false;
}

/* --- Addresses --- */

static bool parse_address(const struct gjkd_setting *setting, void *field, const char *text,
                          char *error) {
    (void)setting;
    return gjkd_address_parse(text, field) ||
           gjkd_value_refuse(error,
                             "\"%.80s\" is not ADDR:PORT, such as 127.0.0.1:8080, 0.0.0.0:8080 or "
                             "[::1]:8080",
                             text);
}

static void print_address(const struct gjkd_setting *setting, const void *field, FILE *out) {
    char text[GJKD_ADDRESS_TEXT_MAX];
    (void)setting;
    gjkd_address_format(field, text);
    fputs(text, out);
}

const struct gjkd_kind gjkd_kind_address = {.parse = parse_address, .print = print_address};

/* --- Switches --- */

static bool parse_switch(const struct gjkd_setting *setting, void *field, const char *text,
                         char *error) {
    static const char *const yes[] = {"1", "true", "yes", "on"};
    static const char *const no[] = {"0", "false", "no", "off"};
    (void)setting;
    for (size_t i = 0; i < 4; i++) {
        if (strcmp(text, yes[i]) == 0 || strcmp(text, no[i]) == 0) {
            *(bool *)field = strcmp(text, yes[i]) == 0;
            return true;
        }
    }
    return gjkd_value_refuse(error, "\"%.80s\" is neither on nor off", text);
}

static void print_switch(const struct gjkd_setting *setting, const void *field, FILE *out) {
    (void)setting;
    fputs(*(const bool *)field ? "true" : "false", out);
}

const struct gjkd_kind gjkd_kind_switch = {.parse = parse_switch, .print = print_switch};

static bool parse_action(const struct gjkd_setting *setting, void *field, const char *text,
                         char *error) {
    bool is_set = false;
    bool fine = parse_switch(setting, &is_set, text, error);
    if (fine && is_set) {
        *(unsigned *)field = (unsigned)setting->max;
    }
    return fine;
}

const struct gjkd_kind gjkd_kind_action = {.parse = parse_action};

/* --- Numbers --- */

/* Parses leading digits and returns their end. NULL: there are none, or too many. */
static const char *parse_digits(const char *text, uint64_t *out) {
    size_t digits = strspn(text, "0123456789");
    errno = 0;
    *out = digits > 0 ? strtoull(text, NULL, 10) : 0;
    return digits > 0 && errno == 0 ? text + digits : NULL;
}

static bool parse_count(const struct gjkd_setting *setting, void *field, const char *text,
                        char *error) {
    uint64_t value = 0;
    const char *end = parse_digits(text, &value);
    if (end == NULL || *end != '\0' || value < setting->min || value > setting->max) {
        return gjkd_value_refuse(error,
                                 "\"%.80s\" is not a whole number from %" PRIu64 " to %" PRIu64,
                                 text, setting->min, setting->max);
    }
    *(uint64_t *)field = value;
    return true;
}

static void print_count(const struct gjkd_setting *setting, const void *field, FILE *out) {
    (void)setting;
    fprintf(out, "%" PRIu64, *(const uint64_t *)field);
}

const struct gjkd_kind gjkd_kind_count = {.parse = parse_count, .print = print_count};

static bool parse_bytes(const struct gjkd_setting *setting, void *field, const char *text,
                        char *error) {
    static const char units[] = "KMGT";
    uint64_t value = 0;
    unsigned shift = 0;
    const char *end = parse_digits(text, &value);
    const char *unit = end != NULL && *end != '\0' ? strchr(units, *end) : NULL;
    if (unit != NULL) {
        shift = 10 * (unsigned)(unit - units + 1);
        end++;
    }
    if (end == NULL || *end != '\0' || value > setting->max >> shift ||
        value << shift < setting->min) {
        return gjkd_value_refuse(error,
                                 "\"%.80s\" is not a number of bytes from %" PRIu64 " to %" PRIu64
                                 ", such as 1000000, 512K, 16M or 2G",
                                 text, setting->min, setting->max);
    }
    *(uint64_t *)field = value << shift;
    return true;
}

const struct gjkd_kind gjkd_kind_bytes = {.parse = parse_bytes, .print = print_count};

/* Without a unit, seconds. */
static bool parse_time(const struct gjkd_setting *setting, void *field, const char *text,
                       char *error) {
    static const struct {
        const char *unit;
        double ms;
    } units[] = {{"", 1000.0}, {"s", 1000.0}, {"ms", 1.0}, {"m", 60000.0}};
    char *unit = NULL;
    double value = text[0] >= '0' && text[0] <= '9' ? strtod(text, &unit) : -1.0;
    double ms = -1.0;
    for (size_t i = 0; unit != NULL && i < sizeof units / sizeof units[0]; i++) {
        ms = strcmp(unit, units[i].unit) == 0 ? value * units[i].ms : ms;
    }
    if (!(ms >= (double)setting->min && ms <= (double)setting->max)) {
        return gjkd_value_refuse(error,
                                 "\"%.80s\" is not a time such as 10s, 500ms or 2m, from %" PRIu64
                                 " ms to %" PRIu64 " s",
                                 text, setting->min, setting->max / 1000);
    }
    *(uint64_t *)field = (uint64_t)ms;
    return true;
}

static void print_time(const struct gjkd_setting *setting, const void *field, FILE *out) {
    uint64_t ms = *(const uint64_t *)field;
    (void)setting;
    fprintf(out, ms % 1000 == 0 ? "%" PRIu64 "s" : "%" PRIu64 "ms",
            ms % 1000 == 0 ? ms / 1000 : ms);
}

const struct gjkd_kind gjkd_kind_time = {.parse = parse_time, .print = print_time};

/* --- Words --- */

static bool parse_choice(const struct gjkd_setting *setting, void *field, const char *text,
                         char *error) {
    size_t length = strlen(text);
    for (unsigned i = 0; setting->choices[i] != NULL; i++) {
        const char *choice = setting->choices[i];
        if (length >= WORD_BYTES_MIN && strncmp(text, choice, length) == 0) {
            *(unsigned *)field = (unsigned)setting->min + i;
            return true;
        }
    }
    return gjkd_value_refuse(error, "\"%.80s\" is not %s", text, setting->value);
}

static void print_choice(const struct gjkd_setting *setting, const void *field, FILE *out) {
    fputs(setting->choices[*(const unsigned *)field - setting->min], out);
}

const struct gjkd_kind gjkd_kind_choice = {.parse = parse_choice, .print = print_choice};

/* Takes a text as it is. what: of which one is refused that is empty or too long. */
static bool take_text(void *field, const char *text, const char *what, char *error) {
    size_t length = strlen(text);
    if (length == 0 || length > GJKD_FILE_NAME_BYTES_MAX) {
        return gjkd_value_refuse(error, "%s has 1 to %d bytes", what, GJKD_FILE_NAME_BYTES_MAX);
    }
    memcpy(field, text, length + 1);
    return true;
}

static bool parse_file(const struct gjkd_setting *setting, void *field, const char *text,
                       char *error) {
    (void)setting;
    return take_text(field, text, "a file's name", error);
}

static void print_file(const struct gjkd_setting *setting, const void *field, FILE *out) {
    (void)setting;
    fputs(field, out);
}

static bool is_no_file(const void *field) {
    return *(const char *)field == '\0';
}

const struct gjkd_kind gjkd_kind_file = {.parse = parse_file,
                                         .print = print_file,
                                         .is_none = is_no_file};

static bool parse_name(const struct gjkd_setting *setting, void *field, const char *text,
                       char *error) {
    (void)setting;
    return take_text(field, text, "a name", error);
}

const struct gjkd_kind gjkd_kind_name = {.parse = parse_name,
                                         .print = print_file,
                                         .is_none = is_no_file};

/* A text of nothing but commas and blanks names no server. */
static bool parse_urls(const struct gjkd_setting *setting, void *field, const char *text,
                       char *error) {
    (void)setting;
    if (text[strspn(text, ", \t")] == '\0') {
        return gjkd_value_refuse(error,
                                 "no server is named; give one URL, such as "
                                 "nats://127.0.0.1:4222, or several with commas between them");
    }
    return take_text(field, text, "a list of URLs", error);
}

/* Without the password of a URL. */
static void print_urls(const struct gjkd_setting *setting, const void *field, FILE *out) {
    (void)setting;
    for (const char *at = field; *at != '\0';) {
        const size_t length = strcspn(at, ",") + (strchr(at, ',') != NULL);
        const char *slashes = strstr(at, "//"), *host = memchr(at, '@', length);
        if (host != NULL && slashes != NULL && slashes < host) {
            fprintf(out, "%.*s***%.*s", (int)(slashes + 2 - at), at, (int)(at + length - host),
                    host);
        } else {
            fprintf(out, "%.*s", (int)length, at);
        }
        at += length;
    }
}

const struct gjkd_kind gjkd_kind_urls = {.parse = parse_urls,
                                         .print = print_urls,
                                         .is_none = is_no_file};

/* --- Lists: one or several with commas, and each value adds --- */

static bool parse_list(const struct gjkd_setting *setting, void *field, const char *text,
                       char *error) {
    for (const char *at = text; at != NULL;) {
        size_t length = strcspn(at, ",");
        if (!setting->kind->add(field, at, length)) {
            return gjkd_value_refuse(error, "\"%.*s\" is not %s (one of at most 64)",
                                     (int)(length < 80 ? length : 80), at,
                                     setting->kind->item_form);
        }
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return true;
}

/* All three types of lists begin with their count. */
static bool is_empty(const void *field) {
    return *(const unsigned *)field == 0;
}

static bool add_name(struct gjkd_names *list, const char *item, size_t length) {
    if (list->count == GJKD_NAMES_MAX) {
        return false;
    }
    memcpy(list->names[list->count], item, length);
    list->names[list->count++][length] = '\0';
    return true;
}

static void print_names(const struct gjkd_setting *setting, const void *field, FILE *out) {
    const struct gjkd_names *list = field;
    (void)setting;
    for (unsigned i = 0; i < list->count; i++) {
        fprintf(out, "%s%s", i > 0 ? "," : "", list->names[i]);
    }
}

static bool add_host(void *list, const char *item, size_t length) {
    return gjkd_is_host_name(item, length) && add_name(list, item, length);
}

const struct gjkd_kind gjkd_kind_hosts = {parse_list, print_names, is_empty, add_host,
                                          "a host name without a port"};

static bool add_origin(void *list, const char *item, size_t length) {
    return gjkd_is_origin(item, length) && add_name(list, item, length);
}

const struct gjkd_kind gjkd_kind_origins =
    {parse_list, print_names, is_empty, add_origin,
     "an origin such as https://game.example or http://localhost:3000, in lower case and without a "
     "path, or *"};

static bool add_network(void *list, const char *item, size_t length) {
    struct gjkd_networks *networks = list;
    return networks->count < GJKD_NETWORKS_MAX &&
           gjkd_network_parse(item, length, &networks->items[networks->count]) &&
           ++networks->count > 0;
}

static void print_networks(const struct gjkd_setting *setting, const void *field, FILE *out) {
    const struct gjkd_networks *networks = field;
    (void)setting;
    for (unsigned i = 0; i < networks->count; i++) {
        char text[GJKD_NETWORK_TEXT_MAX];
        gjkd_network_format(&networks->items[i], text);
        fprintf(out, "%s%s", i > 0 ? "," : "", text);
    }
}

const struct gjkd_kind gjkd_kind_networks =
    {parse_list, print_networks, is_empty, add_network,
     "an address or a network such as 10.0.0.0/8 or fd00::/8, with no bits set behind its prefix"};
