/*
 * Validates UTF-8 by the table of well-formed sequences of RFC 3629, section 4, as ranges of the
 * second byte that depend on the first.
 */

#include "text/text.h"

#include <stdbool.h>

static bool is_between(unsigned char byte, unsigned low, unsigned high) {
    return byte >= low && byte <= high;
}

/* The length that a first byte announces, and the range of the byte behind it. */
static size_t promised_length(unsigned char first, unsigned *low, unsigned *high) {
    *low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    *high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (first < 0x80) {
        return 1;
    }
    if (is_between(first, 0xC2, 0xDF)) {
        return 2;
    }
    if (is_between(first, 0xE0, 0xEF)) {
        return 3;
    }
    return is_between(first, 0xF0, 0xF4) ? 4 : 0;
}

size_t proto_utf8_sequence(const char *text, size_t length) {
    unsigned low, high;
    size_t promised = promised_length((unsigned char)text[0], &low, &high);

    if (promised > length) {
        return 0;
    }
    for (size_t i = 1; i < promised; i++) {
        if (!is_between((unsigned char)text[i], low, high)) {
            return 0;
        }
        low = 0x80;
        high = 0xBF;
    }
    return promised;
}
