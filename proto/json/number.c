/*
 * Converts numbers of JSON by exact arithmetic with 128-bit integers. Numbers outside its range are
 * left to strtod and printf, which use the C locale because the program never calls setlocale.
 */

#include "json/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gjk/base.h"

__extension__ typedef unsigned __int128 uint128;

#define POWER_OF_FIVE_MAX 27 /* 5^27 is the largest power below 2^63 */

static const uint64_t powers_of_five[POWER_OF_FIVE_MAX + 1] = {
    UINT64_C(1),
    UINT64_C(5),
    UINT64_C(25),
    UINT64_C(125),
    UINT64_C(625),
    UINT64_C(3125),
    UINT64_C(15625),
    UINT64_C(78125),
    UINT64_C(390625),
    UINT64_C(1953125),
    UINT64_C(9765625),
    UINT64_C(48828125),
    UINT64_C(244140625),
    UINT64_C(1220703125),
    UINT64_C(6103515625),
    UINT64_C(30517578125),
    UINT64_C(152587890625),
    UINT64_C(762939453125),
    UINT64_C(3814697265625),
    UINT64_C(19073486328125),
    UINT64_C(95367431640625),
    UINT64_C(476837158203125),
    UINT64_C(2384185791015625),
    UINT64_C(11920928955078125),
    UINT64_C(59604644775390625),
    UINT64_C(298023223876953125),
    UINT64_C(1490116119384765625),
    UINT64_C(7450580596923828125),
};

/*
 * --- Reading ---
 *
 * The double nearest to d 10^e = d 5^e 2^e, with d < 2^64, is computed
 *
 *   - by one operation on doubles if d and 10^|e| are exact doubles (d <= 2^53, |e| <= 22), which
 *     rounds once (Clinger, "How to Read Floating Point Numbers Accurately", PLDI 1990);
 *   - for other |e| <= 27 from the exact product d 5^e, or from the quotient of d and 5^|e| (at
 *     least 62 bits, and whether there is a remainder). Rounding to 53 bits, to nearest, ties to
 *     even, happens once.
 *
 * This covers every number with 17 digits between 10^-11 and 10^43. Lemire, "Number Parsing at a
 * Gigabyte per Second" (2021), covers all exponents with a table of 10 KB; other exponents are rare
 * here, so strtod does.
 */

#define EXACT_DIGITS_MAX (UINT64_C(1) << 53)
#define EXACT_POWER_MAX 22 /* 10^22 is a double */
#define MANTISSA_BITS 53
#define WORD_BITS 64
#define NUMBER_TEXT_MAX 512 /* maximum length of a number at the end of the text, for strtod */
#define DIGITS_EXACT 19     /* any number of 19 digits fits into 64 bits */
#define EXPONENT_MAX 100000 /* exponents are clamped here: larger ones overflow or underflow too */

/*
 * Returns the double nearest to (value + rest) 2^exponent with 0 <= rest < 1. has_rest: rest > 0;
 * then value must have more than 54 bits.
 */
static double nearest(uint128 value, bool has_rest, int exponent) {
    const uint64_t high = (uint64_t)(value >> WORD_BITS), low = (uint64_t)value;
    const int length =
        high != 0 ? 2 * WORD_BITS - __builtin_clzll(high) : WORD_BITS - __builtin_clzll(low);
    const int shift = length > MANTISSA_BITS ? length - MANTISSA_BITS : 0;
    const uint128 half = (uint128)1 << shift >> 1;
    uint64_t mantissa = (uint64_t)(value >> shift);
    const uint128 cut = value - ((uint128)mantissa << shift);
    const uint64_t power_bits = (uint64_t)(1023 + exponent + shift) << 52;
    double power;

    if (cut > half || (cut == half && shift > 0 && (has_rest || mantissa % 2 == 1))) {
        mantissa++;
    }
    memcpy(&power, &power_bits, sizeof power);
    return (double)mantissa * power;
}

/* Returns the double nearest to digits 10^-power. Both operands of the division are shifted so that
 * the quotient has 63 or 64 bits. */
static double divide(uint64_t digits, int power) {
    const uint64_t five = powers_of_five[power];
    const int left = __builtin_clzll(digits), more = WORD_BITS - 1 - __builtin_clzll(five);
    const uint128 value = (uint128)(digits << left) << more;
    const uint64_t quotient = (uint64_t)(value / five);

    return nearest(quotient, (uint128)quotient * five != value, -power - left - more);
}

static const double tens[EXACT_POWER_MAX + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

/* Computes the double nearest to digits 10^exponent. Returns false if |exponent| is too large. */
static bool decimal_value(uint64_t digits, int exponent, double *out) {
    const int power = exponent < 0 ? -exponent : exponent;

    if (digits == 0) {
        *out = 0.0;
    } else if (power > POWER_OF_FIVE_MAX) {
        return false;
    } else if (digits <= EXACT_DIGITS_MAX && power <= EXACT_POWER_MAX) {
        *out = exponent < 0 ? (double)digits / tens[power] : (double)digits * tens[power];
    } else {
        *out = exponent < 0 ? divide(digits, power)
                            : nearest((uint128)digits * powers_of_five[power], false, power);
    }
    return true;
}

static inline bool is_digit(const char *at, const char *end) {
    return at < end && *at >= '0' && *at <= '9';
}

/* Returns true if all 8 bytes are digits: the high halves are 3, also after adding 6 to each. */
static inline bool are_digits(uint64_t bytes) {
    const uint64_t high = UINT64_C(0xF0F0F0F0F0F0F0F0), six = UINT64_C(0x0606060606060606);

    return (bytes & high) == UINT64_C(0x3030303030303030) &&
           ((bytes + six) & high) == UINT64_C(0x3030303030303030);
}

/* Converts 8 digits, the first in the lowest byte: combines pairs, then fours, then all (SWAR). */
static inline uint64_t join_digits(uint64_t bytes) {
    bytes -= UINT64_C(0x3030303030303030);
    bytes = bytes * 10 + (bytes >> 8);
    const uint64_t fours = (bytes & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x000F424000000064);
    const uint64_t others =
        (bytes >> 16 & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x0000271000000001);
    return (fours + others) >> 32;
}

/* Appends digits to the number *digits, modulo 2^64. Returns the end of the digits. */
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

/* Returns true if all digits, leading zeros aside, fit into 64 bits. */
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

/* Parses a number without its sign as digits 10^exponent. Returns its end, or NULL if it is
 * none. */
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

/* Converts a number by strtod, which stops at the byte after it. A number at the end of the text is
 * copied, because no byte follows it. */
static bool convert_any(const char *start, const char *at, const char *end, double *out) {
    char text[NUMBER_TEXT_MAX];

    if (at < end) {
        /* Any other byte is a syntax error, which the caller finds; strtod might read past it. */
        *out = memchr(",]} \n\r\t", *at, 7) != NULL ? strtod(start, NULL) : 0.0;
    } else if ((size_t)(at - start) < sizeof text) {
        memcpy(text, start, (size_t)(at - start));
        text[at - start] = '\0';
        *out = strtod(text, NULL);
    } else {
        return false;
    }
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
    if (are_few_digits(start + is_negative, *at) && decimal_value(digits, exponent, out)) {
        *out = is_negative ? -*out : *out;
        return true;
    }
    return convert_any(start, *at, end, out);
}

/*
 * --- Writing ---
 *
 * Seventeen significant digits always read back as the same double (IEEE 754-2019, 5.12.2), but
 * show 0.1 as 0.10000000000000001. A normal double that has a text of 15 digits is within half an
 * ulp of it, which is at most 11 units of the 17th digit. So fewer digits are tried only if the
 * last two of the 17 are near 00. The text is not always the shortest, but most numbers need one
 * conversion.
 *
 * Most doubles in replies are not integers: x = m 2^e with m < 2^53 and e < 0. The first 17 digits
 * are x 10^p, rounded, where p moves the decimal point behind the 17th. With s = -(e + p)
 *
 *     x 10^p = m 2^e 5^p 2^p = (m 5^p) / 2^s,
 *
 * and while p <= 27, m 5^p has at most 53 + 63 bits: the product fits into 128 bits, so shift and
 * rounding (to nearest, ties to even, as printf) are exact.
 *
 * The test whether fewer digits read back is exact too, without strtod: a decimal reads back as x
 * if it is within half an ulp of x. In units of the 17th digit an ulp is 2^e 10^p = 5^p / 2^s.
 * Below a power of two the ulp is half as large. No decimal of at most 17 digits is midway between
 * two doubles here, because 5^p is odd.
 *
 * Digits from exact integers, kept only if they read back, are the method of Steele and White, "How
 * to Print Floating-Point Numbers Accurately" (PLDI 1990). Unlike their text and that of Ryu
 * (Adams, PLDI 2018), ours is not always the shortest.
 */

#define VALUE_MIN 0x1p-36 /* above 10^-11, so that the power of ten is at most 27 */
#define DIGITS 17
#define DIGITS_END UINT64_C(100000000000000000) /* the first number with more digits */
#define WHOLE_MAX 9007199254740992.0            /* 2^53 */

/* The absolute value of x: mantissa 2^exponent. */
typedef struct binary {
    uint64_t mantissa; /* from 2^52 up */
    int exponent;
} binary;

/* x in units of its 17th digit: x 10^power = numerator / 2^shift. */
typedef struct scaled {
    uint128 numerator;
    uint64_t ulp; /* the ulp of x is ulp / 2^shift */
    int shift;
    bool is_lowest; /* x is a power of two: the ulp below it is half as large */
} scaled;

/* A number of 17 digits; the first digit has the value 10^exponent. */
typedef struct decimal {
    uint64_t digits;
    int exponent;
} decimal;

static scaled scale(binary x, int power) {
    GJK_ASSERT(power >= 0 && power <= POWER_OF_FIVE_MAX);
    const uint64_t five = powers_of_five[power];
    return (scaled){.numerator = (uint128)x.mantissa * five,
                    .ulp = five,
                    .shift = -(x.exponent + power),
                    .is_lowest = x.mantissa == UINT64_C(1) << 52};
}

/* Returns x / unit, rounded to nearest, ties to even. */
static inline uint64_t round_to(const scaled *x, unsigned unit) {
    const uint64_t whole = (uint64_t)(x->numerator >> x->shift);
    const uint128 fraction = x->numerator & (((uint128)1 << x->shift) - 1);
    const uint128 rest = ((uint128)(whole % unit) << x->shift) + fraction;
    const uint128 full = (uint128)unit << x->shift;
    const uint64_t times = whole / unit;

    return 2 * rest > full || (2 * rest == full && times % 2 == 1) ? times + 1 : times;
}

static bool reads_back(const scaled *x, uint64_t candidate) {
    const uint128 at = (uint128)candidate << x->shift;
    const bool is_below = at < x->numerator;
    const uint128 off = is_below ? x->numerator - at : at - x->numerator;

    return (is_below && x->is_lowest ? 4 : 2) * off < x->ulp; /* never equal: 5^p is odd */
}

/* Returns the first 17 digits of a double that is not an integer, rounded from *exact, which it
 * computes. */
static decimal digits_of(double value, scaled *exact) {
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    const binary x = {.mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52,
                      .exponent = (int)(bits >> 52 & 0x7FF) - 1075};
    /*
     * Estimates the decimal exponent; it may be too small by one. 2^k <= x, k >= -36, and
     * (k 1233) / 4096 approximates k log10(2). Adding 16 makes the dividend positive, so that the
     * division rounds down.
     */
    const int k = x.exponent + 52;
    decimal out = {.exponent = (k * 1233 + 16 * 4096) / 4096 - 16};
    const int next = out.exponent + 1;
    if (next >= 0 && fabs(value) >= tens[next]) {
        out.exponent = next; /* below 1 the loop corrects the estimate */
    }

    for (;; out.exponent++) {
        *exact = scale(x, DIGITS - 1 - out.exponent);
        out.digits = round_to(exact, 1);
        if (out.digits < DIGITS_END) {
            return out;
        }
    }
}

/* Returns 15 or 16 digits if they read back, else `full`. They can only if the last two digits are
 * near 00. */
static decimal shortened(const scaled *exact, decimal full) {
    const unsigned last_two = (unsigned)(full.digits % 100);

    if (last_two > 11 && last_two < 89) {
        return full;
    }
    for (unsigned unit = 100; unit >= 10; unit /= 10) {
        const uint64_t digits = round_to(exact, unit) * unit;
        const bool carried = digits == DIGITS_END;
        if (reads_back(exact, digits)) {
            return (decimal){.digits = carried ? DIGITS_END / 10 : digits,
                             .exponent = full.exponent + carried};
        }
    }
    return full;
}

/*
 * Converts two digits at a time. put_digits converts its halves independently, which shortens the
 * chain of dependent divisions.
 */
static void put_eight(char *at, uint32_t value) {
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";

    for (int i = 6; i >= 0; i -= 2) {
        memcpy(at + i, &pairs[value % 100 * 2UL], 2);
        value /= 100;
    }
}

static void put_digits(char *at, uint64_t value) {
    const uint64_t first_nine = value / 100000000;

    at[0] = (char)('0' + first_nine / 100000000);
    put_eight(at + 1, (uint32_t)(first_nine % 100000000));
    put_eight(at + 9, (uint32_t)(value % 100000000));
}

static char *skip_zeros_before(char *end) {
    while (end[-1] == '0') {
        end--;
    }
    return end;
}

/* Writes a number in the form of "%g": with an exponent below 10^-4, without trailing zeros. Uses
 * `at` as scratch for all 17 digits. */
static char *put_decimal(char *at, decimal value) {
    if (value.exponent < 0 && value.exponent >= -4) {
        memcpy(at, "0.000", 5);
        at += 1 - value.exponent;
        put_digits(at, value.digits);
        return skip_zeros_before(at + DIGITS);
    }
    const int whole = value.exponent < 0 ? 1 : value.exponent + 1;
    put_digits(at + 1, value.digits);
    for (int i = 0; i < whole; i++) {
        at[i] = at[i + 1];
    }
    at[whole] = '.';
    at = skip_zeros_before(at + 1 + DIGITS);
    if (value.exponent < 0) {
        at -= at[-1] == '.';
        *at++ = 'e';
        *at++ = '-';
        *at++ = (char)('0' + -value.exponent / 10);
        *at++ = (char)('0' + -value.exponent % 10);
    }
    return at;
}

static size_t decimal_text(double value, char text[PROTO_NUMBER_MAX]) {
    char *at = text;
    scaled exact;

    GJK_ASSERT(floor(value) != value);
    if (fabs(value) < VALUE_MIN) {
        return 0;
    }
    const decimal full = digits_of(value, &exact);
    if (value < 0.0) {
        *at++ = '-';
    }
    at = put_decimal(at, shortened(&exact, full));
    *at = '\0';
    return (size_t)(at - text);
}

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

/* Returns true if a text by "%.17g" ends in two digits near 00, so that 15 or 16 digits may do. */
static bool is_near_short(const char *text) {
    unsigned digits = 0, last_two = 0;

    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (digits == 0 && *text == '0')) {
            continue;
        }
        digits++;
        last_two = last_two % 10 * 10 + (unsigned)(*text - '0');
    }
    if (digits == 16) { /* %g omitted a trailing zero */
        last_two = last_two % 10 * 10;
    }
    return digits >= 16 && (last_two <= 11 || last_two >= 89);
}

/* Writes a double of any magnitude by printf. */
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
    if (!isfinite(value)) { /* without assertions: still valid JSON */
        return copy_text("null", text);
    }
    if (fabs(value) >= WHOLE_MAX) {
        return printed_text(value, text);
    }
    if ((double)(int64_t)value == value) {
        return whole_text(value, text);
    }
    const size_t length = decimal_text(value, text);
    return length > 0 ? length : printed_text(value, text);
}
