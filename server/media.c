/*
 * Is this body JSON, and may the answer be? One small scanner for both headers: media
 * ranges separated by commas, each with parameters. Of the ranges that match, the most
 * specific one decides, and its q=0 excludes.
 */

#include "media.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

static const char *skip_blanks(const char *text) {
    return text + strspn(text, " \t");
}

/* Does the text begin with word (any case) and does the word end there? */
static bool starts_with(const char *text, const char *word) {
    size_t length = strlen(word);
    return strncasecmp(text, word, length) == 0 && strchr("; \t,", text[length]) != NULL;
}

/* A parameter, without blanks around it: may it stand behind application/json? */
static bool is_harmless(const char *parameter, size_t length) {
    static const char charset[] = "charset=";
    static const char *const values[] = {"utf-8", "\"utf-8\""};
    if (length < sizeof charset - 1 || strncasecmp(parameter, charset, sizeof charset - 1) != 0) {
        return true;
    }
    const char *value = parameter + sizeof charset - 1;
    length -= sizeof charset - 1;
    for (int i = 0; i < 2; i++) {
        if (strlen(values[i]) == length && strncasecmp(value, values[i], length) == 0) {
            return true;
        }
    }
    return false;
}

bool gjkd_is_json_type(const char *content_type) {
    if (content_type == NULL || !starts_with(content_type, "application/json")) {
        return false;
    }
    const char *at = skip_blanks(content_type + strlen("application/json"));
    while (*at == ';') {
        at = skip_blanks(at + 1);
        size_t length = strcspn(at, "; \t");
        if (!is_harmless(at, length)) {
            return false;
        }
        at = skip_blanks(at + length);
    }
    return *at == '\0';
}

/* Is the parameter q of the range that ends at end zero? */
static bool is_refused(const char *range, const char *end) {
    for (const char *at = memchr(range, ';', (size_t)(end - range)); at != NULL && at < end;
         at = memchr(at, ';', (size_t)(end - at))) {
        at = skip_blanks(at + 1);
        if ((at[0] == 'q' || at[0] == 'Q') && at[1] == '=') {
            const char *value = at + 2;
            return value[0] == '0' && strcspn(value, "123456789") >= strcspn(value, ",; \t");
        }
    }
    return false;
}

bool gjkd_accepts_json(const char *accept) {
    static const char *const ranges[] = {"*/*", "application/*", "application/json"};
    if (accept == NULL || skip_blanks(accept)[0] == '\0') {
        return true;
    }
    int best = -1;
    bool accepted = false;
    const char *at = accept;
    while (*at != '\0') {
        at = skip_blanks(at);
        const char *end = at + strcspn(at, ",");
        for (int i = best + 1; i < 3; i++) {
            if (starts_with(at, ranges[i])) {
                best = i;
                accepted = !is_refused(at, end);
            }
        }
        at = *end == ',' ? end + 1 : end;
    }
    return accepted;
}
