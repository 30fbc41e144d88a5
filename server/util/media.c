/* One scanner for both headers: media ranges separated by commas, each with parameters. Of the
 * ranges of Accept that match, the most specific one decides. */

#include "util/media.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

static const char *skip_blanks(const char *text) {
    return text + strspn(text, " \t");
}

/* Returns true if the text begins with that word, compared without case. */
static bool starts_with(const char *text, const char *word) {
    size_t length = strlen(word);
    return strncasecmp(text, word, length) == 0 && strchr("; \t,", text[length]) != NULL;
}

/* The length of the text before the first unquoted character of stops, or before its end. */
static size_t span(const char *text, const char *stops) {
    bool quoted = false;
    size_t i = 0;
    for (; text[i] != '\0' && (quoted || strchr(stops, text[i]) == NULL); i++) {
        if (text[i] == '"') {
            quoted = !quoted;
        } else if (quoted && text[i] == '\\' && text[i + 1] != '\0') {
            i++;
        }
    }
    return i;
}

/* Returns true if the parameter, without blanks around it, is anything but a charset other than
 * UTF-8. */
static bool is_unicode(const char *parameter, size_t length) {
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

static bool has_type(const char *content_type, const char *type, bool is_text) {
    if (content_type == NULL || !starts_with(content_type, type)) {
        return false;
    }
    const char *at = skip_blanks(content_type + strlen(type));
    while (*at == ';') {
        at = skip_blanks(at + 1);
        size_t length = span(at, "; \t");
        if (is_text && !is_unicode(at, length)) {
            return false;
        }
        at = skip_blanks(at + length);
    }
    return *at == '\0';
}

bool gjkd_is_text_type(const char *content_type, const char *type) {
    return has_type(content_type, type, true);
}

bool gjkd_is_columns_type(const char *content_type) {
    return has_type(content_type, GJKD_TYPE_X_PROTOBUF, false) || gjkd_is_short_name(content_type);
}

bool gjkd_is_short_name(const char *content_type) {
    return has_type(content_type, GJKD_TYPE_PROTOBUF, false);
}

/* "0.125" in thousandths; 1000 if it is not such a number. */
static int parse_weight(const char *text) {
    if (text[0] != '0' || (text[1] != '\0' && strchr(".,; \t", text[1]) == NULL)) {
        return 1000;
    }
    int weight = 0;
    int digit = 100;
    for (const char *at = text[1] == '.' ? text + 2 : ""; *at >= '0' && *at <= '9'; at++) {
        weight += digit * (*at - '0');
        weight += digit == 0 && weight == 0 && *at != '0'; /* less than a thousandth is not 0 */
        digit /= 10;
    }
    return weight;
}

/* The weight (parameter q) of the range that ends at end. */
static int weight_of(const char *range, const char *end) {
    for (const char *at = range + span(range, ",;"); at < end; at += span(at, ",;")) {
        at = skip_blanks(at + 1);
        if ((at[0] == 'q' || at[0] == 'Q') && at[1] == '=') {
            return parse_weight(at + 2);
        }
    }
    return 1000;
}

/* 3 if the range is the type itself, 2 for its main type, 1 for any type, 0 if it does not match.
 * */
static int how_specific(const char *range, const char *type) {
    size_t kind = strcspn(type, "/") + 1;
    if (starts_with(range, "*/*")) {
        return 1;
    }
    if (strncasecmp(range, type, kind) == 0 && starts_with(range + kind, "*")) {
        return 2;
    }
    return starts_with(range, type) ? 3 : 0;
}

int gjkd_accept_weight(const char *accept, const char *type) {
    if (accept == NULL || skip_blanks(accept)[0] == '\0') {
        return 1000;
    }
    int best = 0;
    int weight = 0;
    const char *at = accept;
    while (*at != '\0') {
        at = skip_blanks(at);
        const char *end = at + span(at, ",");
        int specific = how_specific(at, type);
        if (specific > best) {
            best = specific;
            weight = weight_of(at, end);
        }
        at = *end == ',' ? end + 1 : end;
    }
    return weight;
}

int gjkd_coding_weight(const char *accept_encoding, const char *coding) {
    int any = 0;
    for (const char *at = accept_encoding != NULL ? accept_encoding : ""; *at != '\0';) {
        at = skip_blanks(at);
        const char *end = at + span(at, ",");
        if (starts_with(at, coding)) {
            return weight_of(at, end);
        }
        if (starts_with(at, "*") && strcmp(coding, "identity") != 0) {
            any = weight_of(at, end);
        }
        at = *end == ',' ? end + 1 : end;
    }
    return any;
}

bool gjkd_accepts_json(const char *accept) {
    return gjkd_accept_weight(accept, GJKD_TYPE_JSON) > 0;
}
