/*
 * Converts numbers of JSON by exact arithmetic with 128-bit integers. Numbers outside its range are
 * left to strtod and printf, which use the C locale because the program never calls setlocale.
 */

#include "json/number.h"

#include <endian.h>
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
 *     least 62 bits, and whether there is a remainder), which a multiplication by the reciprocal
 *     gives to within one. Rounding to 53 bits, to nearest, ties to even, happens once.
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
#define ZEROS UINT64_C(0x3030303030303030) /* "00000000" */
#define EXPONENT_MAX 100000 /* exponents are clamped here: larger ones overflow or underflow too */

/*
 * Returns the double nearest to (value + rest) 2^exponent with 0 <= rest < 1. has_rest: rest > 0;
 * then value must have more than 54 bits.
 */
static double nearest(uint64_t value, bool has_rest, int exponent) {
    const int length = WORD_BITS - __builtin_clzll(value);
    const int shift = length > MANTISSA_BITS ? length - MANTISSA_BITS : 0;
    const uint64_t half = UINT64_C(1) << shift >> 1;
    uint64_t mantissa = value >> shift;
    const uint64_t cut = value - (mantissa << shift);
    const uint64_t power_bits = (uint64_t)(1023 + exponent + shift) << 52;
    double power;

    if (cut > half || (cut == half && shift > 0 && (has_rest || mantissa % 2 == 1))) {
        mantissa++;
    }
    memcpy(&power, &power_bits, sizeof power);
    return (double)(int64_t)mantissa * power;
}

static double multiply(uint64_t digits, int power) {
    const uint128 value = (uint128)digits * powers_of_five[power];
    const uint64_t high = (uint64_t)(value >> WORD_BITS);
    const int shift = high != 0 ? WORD_BITS - __builtin_clzll(high) : 0;

    return nearest((uint64_t)(value >> shift), (value & (((uint128)1 << shift) - 1)) != 0,
                   power + shift);
}

/* 2^(63 + b) / 5^i, rounded down, where 5^i has b bits. */
static const uint64_t reciprocals[POWER_OF_FIVE_MAX + 1] = {
    0xFFFFFFFFFFFFFFFF, 0xCCCCCCCCCCCCCCCC, 0xA3D70A3D70A3D70A, 0x83126E978D4FDF3B,
    0xD1B71758E219652B, 0xA7C5AC471B478423, 0x8637BD05AF6C69B5, 0xD6BF94D5E57A42BC,
    0xABCC77118461CEFC, 0x89705F4136B4A597, 0xDBE6FECEBDEDD5BE, 0xAFEBFF0BCB24AAFE,
    0x8CBCCC096F5088CB, 0xE12E13424BB40E13, 0xB424DC35095CD80F, 0x901D7CF73AB0ACD9,
    0xE69594BEC44DE15B, 0xB877AA3236A4B449, 0x9392EE8E921D5D07, 0xEC1E4A7DB69561A5,
    0xBCE5086492111AEA, 0x971DA05074DA7BEE, 0xF1C90080BAF72CB1, 0xC16D9A0095928A27,
    0x9ABE14CD44753B52, 0xF79687AED3EEC551, 0xC612062576589DDA, 0x9E74D1B791E07E48,
};

/* Returns the double nearest to digits 10^-power. Both operands of the division are shifted so that
 * the quotient has 63 or 64 bits. */
static double divide(uint64_t digits, int power) {
    const uint64_t five = powers_of_five[power];
    const int left = __builtin_clzll(digits), more = WORD_BITS - 1 - __builtin_clzll(five);
    const uint64_t value = digits << left;
    uint64_t quotient = (uint64_t)((uint128)value * reciprocals[power] >> WORD_BITS);
    uint64_t rest = (value << more) - quotient * five; /* modulo 2^64, and below 2 five */

    if (rest >= five) {
        quotient++;
        rest -= five;
    }
    return nearest(quotient, rest != 0, -power - left - more);
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
        const double exact = (double)(int64_t)digits;
        *out = exponent < 0 ? exact / tens[power] : exact * tens[power];
    } else {
        *out = exponent < 0 ? divide(digits, power) : multiply(digits, power);
    }
    return true;
}

static inline bool is_digit(const char *at, const char *end) {
    return at < end && *at >= '0' && *at <= '9';
}

/* Converts 8 bytes from 0 to 9, the first digit in the lowest one: combines pairs, then fours, then
 * all (SWAR). */
static inline uint64_t join_digits(uint64_t bytes) {
    bytes = bytes * 10 + (bytes >> 8);
    const uint64_t fours = (bytes & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x000F424000000064);
    const uint64_t others =
        (bytes >> 16 & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x0000271000000001);
    return (fours + others) >> 32;
}

/* Returns 0x80 in the first of 8 bytes that is above 9, and 0 in those before it. */
static inline uint64_t mark_others(uint64_t bytes) {
    return (bytes | (bytes + 0x7676767676767676)) & 0x8080808080808080;
}

/* Appends digits to the number *digits, modulo 2^64. Returns the end of the digits. */
static inline const char *take_digits(const char *at, const char *end, uint64_t *digits) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    static const uint32_t shifts[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};

    for (uint64_t bytes; end - at >= 8; at += 8) {
        memcpy(&bytes, at, sizeof bytes);
        bytes ^= ZEROS;
        const uint64_t others = mark_others(bytes);
        if (others != 0) { /* fewer than 8 digits: moved up, behind zeros */
            const int count = __builtin_ctzll(others) / 8;
            *digits = shifts[count] * *digits + join_digits(bytes << (56 - 8 * count) << 8);
            return at + count;
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

    for (; at < end && *at != 'e' && *at != 'E'; at++) {
        count += *at != '.' && (count > 0 || *at != '0');
    }
    return count <= DIGITS_EXACT;
}

/* Parses a number without its sign as `count` digits 10^exponent. Returns its end, or NULL if it is
 * none. */
static inline const char *take_number(const char *at, const char *end, uint64_t *digits,
                                      int *exponent, int64_t *count) {
    const char *const start = at;

    for (; is_digit(at, end); at++) { /* mostly one or two */
        *digits = 10 * *digits + (uint64_t)(*at - '0');
    }
    *count = at - start;
    if (*count == 0 || (*start == '0' && *count > 1)) {
        return NULL;
    }
    if (at < end && *at == '.') {
        const char *const fraction = at + 1;
        at = take_digits(fraction, end, digits);
        if (at == fraction) {
            return NULL;
        }
        *exponent = (int)(fraction - at);
        *count += at - fraction;
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

/* Parses a number at `start`, whose sign ends at `first`. See proto_parse_number. */
__attribute__((noinline)) static bool parse_any(const char **at, const char *first, const char *end,
                                                double *out) {
    const char *const start = *at;
    uint64_t digits = 0;
    int64_t count = 0;
    int exponent = 0;

    *at = take_number(first, end, &digits, &exponent, &count);
    if (*at == NULL) {
        return false;
    }
    if ((count <= DIGITS_EXACT || are_few_digits(first, *at)) &&
        decimal_value(digits, exponent, out)) {
        *out = first > start ? -*out : *out;
        return true;
    }
    return convert_any(start, *at, end, out);
}

/* Parses a number without its sign, an exponent or needless zeros, if it and the byte behind it have
 * at most 8 bytes. Returns its end, or NULL for any other text. */
static inline const char *parse_short(const char *at, const char *end, double *out) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t bytes;

    if (end - at < (ptrdiff_t)sizeof bytes) {
        return NULL;
    }
    memcpy(&bytes, at, sizeof bytes);
    bytes ^= ZEROS;
    uint64_t others = mark_others(bytes);
    const int whole = others != 0 ? __builtin_ctzll(others) / 8 : 0;
    int length = whole, fraction = 0;
    if (whole == 0 || (whole > 1 && *at == '0')) {
        return NULL;
    }
    if (at[whole] == '.') {
        const uint64_t before = (UINT64_C(1) << 8 * whole) - 1;
        others &= others - 1;
        length = others != 0 ? __builtin_ctzll(others) / 8 : 0;
        fraction = length - whole - 1;
        if (fraction <= 0) {
            return NULL;
        }
        bytes = (bytes & before) | (bytes >> 8 & ~before);
    }
    if ((at[length] | 0x20) == 'e') {
        return NULL;
    }
    const int digits = length - (fraction > 0);
    *out = (double)(int64_t)join_digits(bytes << (64 - 8 * digits)) / tens[fraction];
    return at + length;
#else
    (void)at, (void)end, (void)out;
    return NULL;
#endif
}

bool proto_parse_number(const char **at, const char *end, double *out) {
    const char *const start = *at;
    const bool is_negative = start < end && *start == '-';
    const char *const behind = parse_short(start + is_negative, end, out);

    if (behind == NULL) {
        return parse_any(at, start + is_negative, end, out);
    }
    *out = is_negative ? -*out : *out;
    *at = behind;
    return true;
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

/* x in units of its 17th digit: x 10^power = whole + fraction / 2^shift. */
typedef struct scaled {
    uint64_t whole, fraction;
    uint64_t ulp;   /* the ulp of x is ulp / 2^shift */
    int shift;      /* below 64 */
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
    const uint128 numerator = (uint128)x.mantissa * five;
    const int shift = -(x.exponent + power);
    GJK_ASSERT(shift >= 0 && shift < WORD_BITS);
    const uint64_t low = (uint64_t)numerator, high = (uint64_t)(numerator >> WORD_BITS);
    return (scaled){.whole = low >> shift | high << 1 << (WORD_BITS - 1 - shift),
                    .fraction = low & ((UINT64_C(1) << shift) - 1),
                    .ulp = five,
                    .shift = shift,
                    .is_lowest = x.mantissa == UINT64_C(1) << 52};
}

/* Returns x, rounded to nearest, ties to even. */
static inline uint64_t rounded(const scaled *x) {
    const uint64_t twice = 2 * x->fraction, full = UINT64_C(1) << x->shift;

    return x->whole + (twice > full || (twice == full && x->whole % 2 == 1));
}

/* Returns x / unit, rounded to nearest, ties to even. The unit is even. */
static inline uint64_t round_to(const scaled *x, unsigned unit) {
    const uint64_t times = x->whole / unit, twice = 2 * (x->whole % unit);

    return times + (twice > unit || (twice == unit && (x->fraction > 0 || times % 2 == 1)));
}

static bool reads_back(const scaled *x, uint64_t candidate) {
    const bool is_below = candidate <= x->whole;
    const uint128 off = is_below ? ((uint128)(x->whole - candidate) << x->shift) + x->fraction
                                 : ((uint128)(candidate - x->whole) << x->shift) - x->fraction;

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
        out.digits = rounded(exact);
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

/* Returns the 8 digits of a number, as bytes from 0 to 9, the first digit in the lowest one: divides
 * into fours, then pairs, then all (SWAR). */
static inline uint64_t split_digits(uint32_t value) {
    const uint64_t fours = value / 10000 | (uint64_t)(value % 10000) << 32;
    const uint64_t hundreds = fours * 10486 >> 20 & UINT64_C(0x0000007F0000007F);
    const uint64_t pairs = hundreds | (fours - 100 * hundreds) << 16;
    const uint64_t tens_of_pairs = pairs * 103 >> 10 & UINT64_C(0x000F000F000F000F);

    return tens_of_pairs | (pairs - 10 * tens_of_pairs) << 8;
}

static void put_eight(char *at, uint64_t bytes) {
    const uint64_t text = htole64(bytes | ZEROS);

    memcpy(at, &text, sizeof text);
}

/* Writes all 17 digits. Returns the end without trailing zeros. */
static inline char *put_digits(char *at, uint64_t value) {
    const uint64_t first_nine = value / 100000000;
    const uint64_t middle = split_digits((uint32_t)(first_nine % 100000000));
    const uint64_t last = split_digits((uint32_t)(value % 100000000));

    at[0] = (char)('0' + first_nine / 100000000);
    put_eight(at + 1, middle);
    put_eight(at + 9, last);
    return last != 0     ? at + 17 - __builtin_clzll(last) / 8
           : middle != 0 ? at + 9 - __builtin_clzll(middle) / 8
                         : at + 1;
}

/* Writes a number in the form of "%g": with an exponent below 10^-4, without trailing zeros. Uses
 * `at` as scratch for all 17 digits. */
static char *put_decimal(char *at, decimal value) {
    if (value.exponent < 0 && value.exponent >= -4) {
        memcpy(at, "0.000", 5);
        return put_digits(at + 1 - value.exponent, value.digits);
    }
    const int whole = value.exponent < 0 ? 1 : value.exponent + 1;
    char *end = put_digits(at, value.digits) + 1;
    memmove(at + whole + 1, at + whole, DIGITS - 1); /* all that may follow the point */
    at[whole] = '.';
    if (value.exponent < 0) {
        end -= end == at + 2; /* no digit after the point */
        *end++ = 'e';
        *end++ = '-';
        *end++ = (char)('0' + -value.exponent / 10);
        *end++ = (char)('0' + -value.exponent % 10);
    }
    return end;
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
__attribute__((noinline)) static size_t printed_text(double value, char text[PROTO_NUMBER_MAX]) {
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
