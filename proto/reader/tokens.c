/*
 * Strings and numbers of JSON. Their bytes are looked at once: a string without escapes stays where
 * it is, a number is put together digit by digit and becomes a double by exact integers
 * (text/decimal_value.c) or, where it has more digits or a larger exponent, by strtod.
 */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "reader/parse.h"
#include "text/text.h"

#define UNIT_TEXT 6         /* bytes of "\uXXXX" */
#define NUMBER_TEXT_MAX 512 /* bytes; longer ones are left to the judge */
#define DIGITS_EXACT 19     /* of which any fit into 64 bits */
#define EXPONENT_MAX 100000 /* beyond any double, whatever the digits */

/* --- Strings --- */

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The unit of UTF-16 behind "\u", or -1. */
static long read_unit(const char *at, const char *end) {
    long unit = 0;

    if (end - at < UNIT_TEXT || at[0] != '\\' || at[1] != 'u') {
        return -1;
    }
    for (int i = 2; i < UNIT_TEXT; i++) {
        const int digit = hex_digit(at[i]);
        if (digit < 0) {
            return -1;
        }
        unit = unit << 4 | digit;
    }
    return unit;
}

static char *put_utf8(char *to, long c) {
    if (c < 0x80) {
        *to++ = (char)c;
        return to;
    }
    if (c < 0x800) {
        *to++ = (char)(0xC0 | c >> 6);
    } else {
        if (c < 0x10000) {
            *to++ = (char)(0xE0 | c >> 12);
        } else {
            *to++ = (char)(0xF0 | c >> 18);
            *to++ = (char)(0x80 | (c >> 12 & 0x3F));
        }
        *to++ = (char)(0x80 | (c >> 6 & 0x3F));
    }
    *to++ = (char)(0x80 | (c & 0x3F));
    return to;
}

/* Writes the character of an escape "\u....", or of two that are a surrogate pair. */
static char *unescape_unit(const char **at, const char *end, char *to) {
    long c = read_unit(*at, end);

    if (c < 0 || (c >= 0xDC00 && c <= 0xDFFF)) {
        return NULL;
    }
    *at += UNIT_TEXT;
    if (c >= 0xD800 && c <= 0xDBFF) {
        const long low = read_unit(*at, end);
        if (low < 0xDC00 || low > 0xDFFF) {
            return NULL;
        }
        *at += UNIT_TEXT;
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
    }
    return put_utf8(to, c);
}

/* Writes what the escape at *at stands for. Returns the end of it, or NULL. */
static char *unescape(const char **at, const char *end, char *to) {
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";

    if (end - *at < 2) {
        return NULL;
    }
    if ((*at)[1] == 'u') {
        return unescape_unit(at, end, to);
    }
    const char *letter = memchr(letters, (*at)[1], sizeof letters - 1);
    if (letter == NULL) {
        return NULL;
    }
    *at += 2;
    *to++ = meant[letter - letters];
    return to;
}

/* Returns true if a byte of a string stands for itself: no escape, quote, control or UTF-8. */
static inline bool is_plain(char c) {
    return (unsigned char)c >= 0x20 && (unsigned char)c < 0x80 && c != '"' && c != '\\';
}

/*
 * Marks the highest bit of bytes that are not plain, of the first one and perhaps of some behind
 * it: a subtraction borrows only from what is behind a marked one (Mycroft's test for a zero).
 */
static inline uint64_t mark_special(uint64_t bytes) {
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    const uint64_t quote = bytes ^ '"' * ones, escape = bytes ^ '\\' * ones;

    return (bytes | ((bytes - 0x20 * ones) & ~bytes) | ((quote - ones) & ~quote) |
            ((escape - ones) & ~escape)) &
           tops;
}

static inline const char *skip_plain(const char *at, const char *end) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (uint64_t bytes; end - at >= 8; at += 8) {
        memcpy(&bytes, at, sizeof bytes);
        bytes = mark_special(bytes);
        if (bytes != 0) {
            return at + __builtin_ctzll(bytes) / 8;
        }
    }
#endif
    while (at < end && is_plain(*at)) {
        at++;
    }
    return at;
}

/* The first quote or escape, or NULL where the string is not valid up to there. */
static const char *skip_valid(const char *at, const char *end) {
    for (;;) {
        at = skip_plain(at, end);
        if (at == end || (unsigned char)*at < 0x20) {
            return NULL;
        }
        if ((unsigned char)*at < 0x80) {
            return at;
        }
        const size_t length = proto_utf8_sequence(at, (size_t)(end - at));
        if (length == 0) {
            return NULL;
        }
        at += length;
    }
}

/* The quote that ends the string, or NULL. */
static const char *find_end(const char *at, const char *end) {
    while (at < end && *at != '"') {
        at += *at == '\\' && end - at > 1 ? 2 : 1;
    }
    return at < end ? at : NULL;
}

/* Copies a string whose first escape is at `escape`, from start on. No escape is longer unwritten. */
static proto_parsed copy_string(const char **at, const char *escape, const char *end,
                                struct gjk_arena *arena, proto_value *out) {
    const char *start = *at, *last = find_end(escape, end);

    if (last == NULL) {
        return PROTO_PARSE_REFUSED;
    }
    char *const text = gjk_arena_alloc(arena, (size_t)(last - start));
    char *to = text;
    if (text == NULL) {
        return PROTO_PARSE_NO_MEMORY;
    }
    for (;;) {
        memcpy(to, start, (size_t)(escape - start));
        to += escape - start;
        if (*escape == '"') {
            break;
        }
        to = unescape(&escape, end, to);
        if (to == NULL) {
            return PROTO_PARSE_REFUSED;
        }
        start = escape;
        escape = skip_valid(start, end);
        if (escape == NULL) {
            return PROTO_PARSE_REFUSED;
        }
    }
    *at = escape + 1;
    *out = (proto_value){.type = PROTO_STRING, .count = (uint32_t)(to - text), .text = text};
    return PROTO_PARSE_DONE;
}

proto_parsed proto_parse_string(const char **at, const char *end, struct gjk_arena *arena,
                                proto_value *out) {
    const char *const start = ++*at;
    const char *special = skip_valid(start, end);

    if (special == NULL) {
        return PROTO_PARSE_REFUSED;
    }
    if (*special == '\\') {
        return copy_string(at, special, end, arena, out);
    }
    *at = special + 1;
    *out = (proto_value){.type = PROTO_STRING, .count = (uint32_t)(special - start), .text = start};
    return PROTO_PARSE_DONE;
}

/* --- Numbers --- */

static inline bool is_digit(const char *at, const char *end) {
    return at < end && *at >= '0' && *at <= '9';
}

/* Returns true if 8 bytes are digits: none is below '0', and none has a carry past '9'. */
static inline bool are_digits(uint64_t bytes) {
    const uint64_t high = UINT64_C(0xF0F0F0F0F0F0F0F0), six = UINT64_C(0x0606060606060606);

    return (bytes & high) == UINT64_C(0x3030303030303030) &&
           ((bytes + six) & high) == UINT64_C(0x3030303030303030);
}

/* The number that 8 digits are, the first in the lowest byte: pairs, then fours, then all. */
static inline uint64_t join_digits(uint64_t bytes) {
    bytes -= UINT64_C(0x3030303030303030);
    bytes = bytes * 10 + (bytes >> 8);
    const uint64_t fours = (bytes & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x000F424000000064);
    const uint64_t others =
        (bytes >> 16 & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x0000271000000001);
    return (fours + others) >> 32;
}

/* Takes digits behind *digits, modulo 2^64. Returns `at` itself where there is none. */
static inline const char *take_digits(const char *at, const char *end, uint64_t *digits) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (uint64_t bytes; end - at >= 8; at += 8) {
        memcpy(&bytes, at, sizeof bytes);
        if (!are_digits(bytes)) {
            break;
        }
        *digits = 100000000 * *digits + join_digits(bytes);
    }
#endif
    for (; is_digit(at, end); at++) {
        *digits = 10 * *digits + (uint64_t)(*at - '0');
    }
    return at;
}

static const char *take_exponent(const char *at, const char *end, int *exponent) {
    const bool is_negative = at < end && *at == '-';
    int size = 0;

    at += at < end && (*at == '-' || *at == '+');
    if (!is_digit(at, end)) {
        return NULL;
    }
    for (; is_digit(at, end); at++) {
        size = size < EXPONENT_MAX ? 10 * size + (*at - '0') : size;
    }
    *exponent += is_negative ? -size : size;
    return at;
}

/* Returns true if all digits fit into 64 bits: zeros in front do not count. */
static bool are_few_digits(const char *at, const char *end) {
    size_t count = 0;

    if (end - at <= DIGITS_EXACT) {
        return true;
    }
    for (; at < end && *at != 'e' && *at != 'E'; at++) {
        count += *at != '.' && (count > 0 || *at != '0');
    }
    return count <= DIGITS_EXACT;
}

/* Reads what stands behind the sign, as digits 10^exponent. Returns NULL where it is no number. */
static inline const char *take_number(const char *at, const char *end, uint64_t *digits,
                                      int *exponent) {
    const char *const start = at;

    at = take_digits(at, end, digits);
    if (at == start || (*start == '0' && at > start + 1)) {
        return NULL;
    }
    if (at < end && *at == '.') {
        const char *const fraction = at + 1;
        at = take_digits(fraction, end, digits);
        if (at == fraction) {
            return NULL;
        }
        *exponent = (int)(fraction - at);
    }
    return at < end && (*at == 'e' || *at == 'E') ? take_exponent(at + 1, end, exponent) : at;
}

/* In the C locale: nobody calls setlocale. */
static bool convert_any(const char *start, const char *end, double *out) {
    char text[NUMBER_TEXT_MAX];

    if ((size_t)(end - start) >= sizeof text) {
        return false;
    }
    memcpy(text, start, (size_t)(end - start));
    text[end - start] = '\0';
    *out = strtod(text, NULL);
    return isfinite(*out);
}

bool proto_parse_number(const char **at, const char *end, double *out) {
    const char *const start = *at;
    const bool is_negative = start < end && *start == '-';
    uint64_t digits = 0;
    int exponent = 0;

    *at = take_number(start + is_negative, end, &digits, &exponent);
    if (*at == NULL) {
        return false;
    }
    if (are_few_digits(start + is_negative, *at) && proto_decimal_value(digits, exponent, out)) {
        *out = is_negative ? -*out : *out;
        return true;
    }
    return convert_any(start, *at, out);
}
