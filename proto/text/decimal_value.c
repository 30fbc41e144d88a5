/*
 * Reads decimals by exact 128-bit integers, as decimal.c prints them. The double next to
 * d 10^e = d 5^e 2^e, with d below 2^64, is found
 *
 *   - by one operation on doubles, where d and 10^|e| are doubles themselves (d <= 2^53,
 *     |e| <= 22): it rounds an exact value once (Clinger, "How to Read Floating Point Numbers
 *     Accurately", PLDI 1990);
 *   - for other |e| <= 27 from d 5^e, or from the quotient of d and 5^|e| to 62 bits or more and
 *     whether it leaves a rest. 5^27 has 63 bits, so both are exact, and 53 bits of them are
 *     rounded to nearest, ties to even, once.
 *
 * Every number with 17 digits between 10^-11 and 10^43 is among these. Lemire, "Number Parsing at a
 * Gigabyte per Second" (2021), has any exponent by a table of 10 KB; what is beyond ours is rare
 * enough for strtod.
 */

#include <string.h>

#include "gjk/base.h"
#include "text/text.h"

#define EXACT_DIGITS_MAX (UINT64_C(1) << 53)
#define EXACT_POWER_MAX 22 /* 10^22 is a double */
#define MANTISSA_BITS 53
#define WORD_BITS 64

__extension__ typedef unsigned __int128 uint128;

static double power_of_two(int exponent) {
    const uint64_t bits = (uint64_t)(1023 + exponent) << 52;
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static int bit_length(uint128 value) {
    const uint64_t high = (uint64_t)(value >> WORD_BITS), low = (uint64_t)value;

    return high != 0 ? 2 * WORD_BITS - __builtin_clzll(high) : WORD_BITS - __builtin_clzll(low);
}

/*
 * The double next to (value + rest) 2^exponent, where 0 <= rest < 1 and is not 0 if has_rest; then
 * value has more than 54 bits.
 */
static double nearest(uint128 value, bool has_rest, int exponent) {
    const int length = bit_length(value);
    const int shift = length > MANTISSA_BITS ? length - MANTISSA_BITS : 0;
    const uint128 half = (uint128)1 << shift >> 1;
    uint64_t mantissa = (uint64_t)(value >> shift);
    const uint128 cut = value - ((uint128)mantissa << shift);

    if (cut > half || (cut == half && shift > 0 && (has_rest || mantissa % 2 == 1))) {
        mantissa++;
    }
    return (double)mantissa * power_of_two(exponent + shift);
}

static double multiplied(uint64_t digits, int power) {
    return nearest((uint128)digits * proto_powers_of_five[power], false, power);
}

/* Both are shifted so that the quotient has 63 or 64 bits. */
static double divided(uint64_t digits, int power) {
    const uint64_t five = proto_powers_of_five[power];
    const int left = __builtin_clzll(digits), more = WORD_BITS - 1 - __builtin_clzll(five);
    const uint128 value = (uint128)(digits << left) << more;
    const uint64_t quotient = (uint64_t)(value / five);

    return nearest(quotient, (uint128)quotient * five != value, -power - left - more);
}

bool proto_decimal_value(uint64_t digits, int exponent, double *out) {
    static const double tens[EXACT_POWER_MAX + 1] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    };
    const int power = exponent < 0 ? -exponent : exponent;

    if (digits == 0) {
        *out = 0.0;
    } else if (power > PROTO_POWER_OF_FIVE_MAX) {
        return false;
    } else if (digits <= EXACT_DIGITS_MAX && power <= EXACT_POWER_MAX) {
        *out = exponent < 0 ? (double)digits / tens[power] : (double)digits * tens[power];
    } else {
        *out = exponent < 0 ? divided(digits, power) : multiplied(digits, power);
    }
    return true;
}
