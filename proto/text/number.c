/*
 * Prints doubles so that they read back as themselves. Seventeen significant digits always do
 * (IEEE 754-2019, 5.12.2), but show 0.1 as 0.10000000000000001. A number that has a text of 15 or
 * fewer digits lies within half a unit in its last place of it, which is at most 11 units of the
 * 17th digit: so only numbers whose last two digits are near 00 are tried with fewer. That is not
 * always the shortest text there is, but it costs one conversion most of the time.
 *
 * decimal.c does this for numbers of ordinary size; printf does it for the others, with the same
 * result. The decimal point is the C locale's: nobody calls setlocale.
 */

#include "text/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gjk/base.h"

#define WHOLE_MAX 9007199254740992.0 /* 2^53 */

size_t proto_integer_text(uint64_t value, char *text) {
    char reversed[PROTO_NUMBER_MAX];
    size_t length = 0;

    do {
        reversed[length++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    for (size_t i = 0; i < length; i++) {
        text[i] = reversed[length - 1 - i];
    }
    text[length] = '\0';
    return length;
}

static size_t copy_text(const char *from, char text[PROTO_NUMBER_MAX]) {
    size_t length = strlen(from);

    memcpy(text, from, length + 1);
    return length;
}

static size_t whole_text(double value, char text[PROTO_NUMBER_MAX]) {
    if (value > 0.0) {
        return proto_integer_text((uint64_t)value, text);
    }
    if (value < 0.0) {
        text[0] = '-';
        return 1 + proto_integer_text((uint64_t)-value, text + 1);
    }
    return copy_text(signbit(value) ? "-0.0" : "0", text);
}

/* Returns true if a text of %.17g may have a neighbour with 15 digits that is the same double. */
static bool is_near_short(const char *text) {
    unsigned digits = 0, last_two = 0;

    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (digits == 0 && *text == '0')) {
            continue;
        }
        digits++;
        last_two = last_two % 10 * 10 + (unsigned)(*text - '0');
    }
    if (digits == 16) { /* a trailing zero that %g left out */
        last_two = last_two % 10 * 10;
    }
    return digits >= 16 && (last_two <= 11 || last_two >= 89);
}

/* Prints numbers of any size. */
static size_t printed_text(double value, char text[PROTO_NUMBER_MAX]) {
    char shorter[PROTO_NUMBER_MAX];

    int length = snprintf(text, PROTO_NUMBER_MAX, "%.17g", value);
    for (int digits = 15; digits <= 16 && is_near_short(text); digits++) {
        int shorter_length = snprintf(shorter, sizeof shorter, "%.*g", digits, value);
        if (strtod(shorter, NULL) == value) {
            memcpy(text, shorter, (size_t)shorter_length + 1);
            return (size_t)shorter_length;
        }
    }
    return (size_t)length;
}

size_t proto_number_text(double value, char text[PROTO_NUMBER_MAX]) {
    GJK_ASSERT(isfinite(value));
    if (!isfinite(value)) { /* where asserts are off: still JSON */
        return copy_text("null", text);
    }
    if (floor(value) != value) {
        size_t length = proto_decimal_text(value, text);
        return length > 0 ? length : printed_text(value, text);
    }
    return fabs(value) < WHOLE_MAX ? whole_text(value, text) : printed_text(value, text);
}
