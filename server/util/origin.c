/* Browsers send origins in their normal form; therefore they are compared bytewise. */

#include "util/origin.h"

#include <string.h>

static bool is_one_of(char c, const char *set) {
    return c != '\0' && strchr(set, c) != NULL;
}

/* The number of leading characters that are lower-case letters, digits or in `set`. */
static size_t span(const char *text, size_t length, const char *set) {
    size_t i = 0;
    while (i < length && ((text[i] >= 'a' && text[i] <= 'z') ||
                          (text[i] >= '0' && text[i] <= '9') || is_one_of(text[i], set))) {
        i++;
    }
    return i;
}

bool gjkd_is_origin(const char *text, size_t length) {
    static const char mark[] = "://";
    if (length == 1 && text[0] == '*') {
        return true;
    }
    size_t scheme = span(text, length, "+-.");
    if (length > GJKD_NAME_BYTES_MAX || scheme == 0 || length - scheme < sizeof mark ||
        memcmp(text + scheme, mark, sizeof mark - 1) != 0) {
        return false;
    }
    const char *host = text + scheme + sizeof mark - 1;
    size_t left = length - (size_t)(host - text);
    bool bracket = host[0] == '[';
    size_t name = bracket ? 1 + span(host + 1, left - 1, ":.") : span(host, left, "-._");
    if (bracket) {
        name = name > 1 && name < left && host[name] == ']' ? name + 1 : 0;
    }
    if (name == 0 || name == left) {
        return name == left && name > 0;
    }
    size_t digits = 0;
    while (name + 1 + digits < left && is_one_of(host[name + 1 + digits], "0123456789")) {
        digits++;
    }
    return host[name] == ':' && digits > 0 && digits <= 5 && name + 1 + digits == left;
}

static const char *find(const char *name, const struct gjkd_names *allowed) {
    for (unsigned i = 0; i < allowed->count; i++) {
        if (strcmp(allowed->names[i], name) == 0) {
            return allowed->names[i];
        }
    }
    return NULL;
}

bool gjkd_origins_any(const struct gjkd_names *allowed) {
    return find("*", allowed) != NULL;
}

const char *gjkd_origin_find(const char *header, const struct gjkd_names *allowed) {
    const char *any = find("*", allowed);
    return any != NULL ? any : find(header, allowed);
}
