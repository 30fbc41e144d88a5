/* Parses the header as a list of tags and compares each one. If-Match is evaluated before
 * If-None-Match (RFC 9110, section 13.2.2). */

#include "sets/etag.h"

#include <string.h>

/* Writes '-', the number and the closing quote. */
static void put_number(char *at, uint64_t number) {
    char digits[20];
    size_t count = 0;
    *at++ = '-';
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (count > 0) {
        *at++ = digits[--count];
    }
    memcpy(at, "\"", 2);
}

/* Writes the lowest 4 * count bits in hexadecimal. Returns the end. */
static char *put_digits(char *at, uint64_t bits, int count) {
    for (int shift = 4 * (count - 1); shift >= 0; shift -= 4) {
        *at++ = "0123456789abcdef"[bits >> shift & 15];
    }
    return at;
}

void gjkd_etag_format(char etag[GJKD_ETAG_MAX], uint64_t incarnation, uint32_t nonce,
                      uint64_t revision) {
    char *at = etag;
    *at++ = '"';
    at = put_digits(at, incarnation, 16);
    at = nonce != 0 ? put_digits(at, nonce, 8) : at;
    put_number(at, revision);
}

void gjkd_etag_add(char etag[GJKD_ETAG_MAX], uint64_t tick) {
    put_number(etag + strlen(etag) - 1, tick);
}

void gjkd_etag_add_handle(char etag[GJKD_ETAG_MAX], uint32_t handle) {
    char *at = etag + strlen(etag) - 1;
    memcpy(at, "-h", 2);
    put_number(at + 1, handle);
    at[1] = 'h';
}

void gjkd_etag_mark_gzip(char etag[GJKD_ETAG_MAX]) {
    size_t length = strlen(etag);
    if (length > 1 && length + sizeof GJKD_ETAG_GZIP <= GJKD_ETAG_MAX) {
        memcpy(etag + length - 1, GJKD_ETAG_GZIP "\"", sizeof GJKD_ETAG_GZIP + 1);
    }
}

typedef enum match { NO_MATCH, MATCH, UNCLEAR } match;

/* Returns true if the quoted tag is the current one, or that of its compressed representation. */
static bool is_same(const char *tag, size_t length, const char *etag) {
    const size_t mark = sizeof GJKD_ETAG_GZIP - 1, own = strlen(etag);
    if (length == own + mark && memcmp(tag + own - 1, GJKD_ETAG_GZIP, mark) == 0) {
        return memcmp(tag, etag, own - 1) == 0;
    }
    return length == own && memcmp(tag, etag, own) == 0;
}

static const char *skip_blanks(const char *text) {
    return text + strspn(text, " \t");
}

/* Compares a list of tags with the current one. weak: W/ tags may match. */
static match match_list(const char *list, const char *etag, bool weak) {
    const char *at = skip_blanks(list);
    if (at[0] == '*' && skip_blanks(at + 1)[0] == '\0') {
        return etag != NULL ? MATCH : NO_MATCH;
    }
    match result = UNCLEAR; /* an empty list is invalid */
    for (; *at != '\0'; at = skip_blanks(at)) {
        if (*at == ',') {
            at++;
            continue;
        }
        bool marked_weak = strncmp(at, "W/", 2) == 0;
        at += marked_weak ? 2 : 0;
        const char *quote = at[0] == '"' ? strchr(at + 1, '"') : NULL;
        if (quote == NULL) {
            return UNCLEAR;
        }
        const size_t length = (size_t)(quote - at) + 1;
        bool same = etag != NULL && is_same(at, length, etag);
        result = result == MATCH || (same && (weak || !marked_weak)) ? MATCH : NO_MATCH;
        at = skip_blanks(at + length);
        if (*at != ',' && *at != '\0') {
            return UNCLEAR;
        }
    }
    return result;
}

gjkd_precondition gjkd_precondition_check(const char *if_match, const char *if_none_match,
                                          const char *etag, bool reading) {
    if (if_match != NULL) {
        match found = match_list(if_match, etag, false);
        if (found != MATCH) {
            return found == UNCLEAR ? GJKD_PRECONDITION_UNCLEAR : GJKD_PRECONDITION_FAILED;
        }
    }
    if (if_none_match != NULL) {
        match found = match_list(if_none_match, etag, true);
        if (found == UNCLEAR) {
            return GJKD_PRECONDITION_UNCLEAR;
        }
        if (found == MATCH) {
            return reading ? GJKD_NOT_MODIFIED : GJKD_PRECONDITION_FAILED;
        }
    }
    return GJKD_PROCEED;
}
