/*
 * Prints doubles by exact 128-bit integers. printf takes any size and precision, and pays for it
 * with numbers of many words. This handles what replies are full of: a double that is not whole
 * is x = m 2^e with m < 2^53 and e < 0. Its first 17 digits are x 10^p, rounded, where p
 * puts the decimal point behind the 17th. With s = -(e + p)
 *
 *     x 10^p = m 2^e 5^p 2^p = (m 5^p) / 2^s,
 *
 * and while p <= 27, m 5^p has at most 53 + 63 bits: one product of 128-bit integers is exact,
 * and so are its shift and the choice which way to round (to nearest, ties to even, as printf).
 *
 * Whether fewer digits read back is exact as well and needs no strtod: a decimal is read as x
 * when it lies within half an ulp of x, and in units of the 17th digit an ulp is 2^e 10^p =
 * 5^p / 2^s. Below a power of two the ulp is half as long. No decimal of at most 17 digits lies
 * just between two doubles here, for then twice an integer would be 5^p.
 *
 * That digits come from exact integers and are kept only if they read back is Steele and White,
 * "How to Print Floating-Point Numbers Accurately" (PLDI 1990). Unlike theirs, and Ryu's after
 * them (Adams, PLDI 2018), the text is not always the shortest: number.c says which it is.
 */

#include "text/text.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "gjk/base.h"

#define VALUE_MIN 0x1p-36 /* above 10^-11, so that the power of ten is at most 27 */
#define DIGITS 17
#define DIGITS_END UINT64_C(100000000000000000) /* the first number with more digits */

__extension__ typedef unsigned __int128 uint128;

const uint64_t proto_powers_of_five[PROTO_POWER_OF_FIVE_MAX + 1] = {
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

/* x = mantissa 2^exponent, without its sign. */
typedef struct binary {
    uint64_t mantissa; /* from 2^52 up */
    int exponent;
} binary;

/* x 10^power = numerator / 2^shift: x in units of its 17th digit. */
typedef struct scaled {
    uint128 numerator;
    uint64_t ulp; /* over 2^shift as well */
    int shift;
    bool is_lowest; /* a power of two: the ulp below is half as long */
} scaled;

/* digits has 17; the first one stands for 10^exponent. */
typedef struct decimal {
    uint64_t digits;
    int exponent;
} decimal;

static binary binary_of(double value) {
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return (binary){.mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52,
                    .exponent = (int)(bits >> 52 & 0x7FF) - 1075};
}

static scaled scale(binary x, int power) {
    GJK_ASSERT(power >= 0 && power <= PROTO_POWER_OF_FIVE_MAX);
    const uint64_t five = proto_powers_of_five[power];
    return (scaled){.numerator = (uint128)x.mantissa * five,
                    .ulp = five,
                    .shift = -(x.exponent + power),
                    .is_lowest = x.mantissa == UINT64_C(1) << 52};
}

/* How often `unit` goes into x, rounded to nearest, ties to even. */
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

/* The power of ten of x's first digit, or one less: (k 1233) / 4096 is nearly k log10(2). */
static int guess_exponent(binary x) {
    const int k = x.exponent + 52; /* 2^k <= x; -36 or more */

    return (k * 1233 + 16 * 4096) / 4096 - 16; /* the division rounds down: never negative */
}

static decimal digits_of(binary x, scaled *exact) {
    decimal out = {.exponent = guess_exponent(x)};

    for (;; out.exponent++) {
        *exact = scale(x, DIGITS - 1 - out.exponent);
        out.digits = round_to(exact, 1);
        if (out.digits < DIGITS_END) {
            return out;
        }
    }
}

/*
 * Tries 15 and 16 digits, which can read back only when the last two digits are near 00 (see
 * number.c).
 */
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
 * Converts two digits at a time, and each half by itself, which shortens the chain of divisions
 * that wait for each other.
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

static char *put(char *at, const char *from, int length) {
    memcpy(at, from, (size_t)length);
    return at + length;
}

/* printf's %g: with an exponent below 10^-4, without zeros at the end. */
static char *put_decimal(char *at, decimal value) {
    char digits[DIGITS];
    int count = DIGITS;

    put_digits(digits, value.digits);
    while (count > 1 && digits[count - 1] == '0') {
        count--;
    }
    if (value.exponent < -4) {
        *at++ = digits[0];
        if (count > 1) {
            *at++ = '.';
            at = put(at, digits + 1, count - 1);
        }
        at = put(at, "e-", 2);
        *at++ = (char)('0' + -value.exponent / 10);
        *at++ = (char)('0' + -value.exponent % 10);
        return at;
    }
    if (value.exponent < 0) {
        at = put(at, "0.000", 1 - value.exponent);
        return put(at, digits, count);
    }
    const int whole = value.exponent + 1;
    at = put(at, digits, whole);
    *at++ = '.';
    return put(at, digits + whole, count - whole);
}

size_t proto_decimal_text(double value, char text[PROTO_NUMBER_MAX]) {
    char *at = text;
    scaled exact;

    GJK_ASSERT(floor(value) != value);
    if (fabs(value) < VALUE_MIN) {
        return 0;
    }
    const decimal full = digits_of(binary_of(value), &exact);
    if (value < 0.0) {
        *at++ = '-';
    }
    at = put_decimal(at, shortened(&exact, full));
    *at = '\0';
    return (size_t)(at - text);
}
