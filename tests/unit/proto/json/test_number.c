/* Does every double come back from its text as itself, and do simple ones look simple? */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test_proto.h"

#define RANDOM_COUNT 100000

TEST_ARENA(arena)

/* The text that a reply has for the number. */
static const char *text_of(double value) {
    static char text[64];
    struct proto_buffer out;
    proto_stamp stamp = {.has_tick = true, .tick = value};

    proto_buffer_init(&out, &arena);
    proto_encode_ray_any(&out, true, &stamp);
    const size_t head = strlen("{\"hit\":true,\"tick\":");
    ck_assert_uint_lt(out.length - head - 1, sizeof text);
    memcpy(text, out.data + head, out.length - head - 1);
    text[out.length - head - 1] = '\0';
    gjk_arena_reset(&arena);
    return text;
}

static bool is_json_number(const char *text) {
    text += *text == '-';
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || (digits > 1 && text[0] == '0'))
        return false;
    text += digits;
    if (*text == '.') {
        digits = strspn(++text, "0123456789");
        if (digits == 0)
            return false;
        text += digits;
    }
    if (*text == 'e') {
        text += 1 + (text[1] == '-' || text[1] == '+');
        digits = strspn(text, "0123456789");
        if (digits == 0)
            return false;
        text += digits;
    }
    return *text == '\0';
}

static void check_number(double value) {
    if (!isfinite(value)) /* is never written */
        return;
    const char *text = text_of(value);
    double back = strtod(text, NULL);

    ck_assert_msg(back == value && signbit(back) == signbit(value), "%a became %s", value, text);
    ck_assert_msg(is_json_number(text), "%s is no JSON", text);
}

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* The text by its definition: printf's with 17 digits, near a shorter one with 15 or 16. */
static const char *text_by_printf(double value) {
    static char text[64];

    if (fabs(value) < 0x1p53 && floor(value) == value) {
        snprintf(text, sizeof text, value == 0.0 && signbit(value) ? "-0.0" : "%.0f", value);
        return text;
    }
    snprintf(text, sizeof text, "%.16e", fabs(value));
    const int last_two = (text[16] - '0') * 10 + text[17] - '0';
    int digits = last_two <= 11 || last_two >= 89 ? 15 : 17;
    do
        snprintf(text, sizeof text, "%.*g", digits++, value);
    while (strtod(text, NULL) != value);
    return text;
}

static void check_text(double value) {
    const double both[] = {value, -value};

    for (int i = 0; isfinite(value) && i < COUNT_OF(both); i++) {
        check_number(both[i]);
        const char *text = text_of(both[i]), *wanted = text_by_printf(both[i]);
        ck_assert_msg(strcmp(text, wanted) == 0, "%a became %s, not %s", both[i], text, wanted);
    }
}

/* That value and so many doubles on each side of it. */
static void check_texts_around(double value, int count) {
    double above = value, below = value;

    check_text(value);
    for (int i = 0; i < count; i++) {
        check_text(above = nextafter(above, INFINITY));
        check_text(below = nextafter(below, 0.0));
    }
}

/* Where numbers get their digits from integers of our own, and a little to both sides. */
TEST(random_numbers_as_printf) {
    uint64_t state = 3;

    for (int i = 0; i < RANDOM_COUNT / 2; i++) {
        const double mantissa = (double)(next_random(&state) >> 11);
        const int exponent = (int)(next_random(&state) % 97) - 40;
        check_text(ldexp(mantissa, exponent - 53));
        /* with few bits: ties when digits are cut */
        check_text(ldexp((double)(next_random(&state) >> 44), exponent - 20));
        /* a quotient of small integers, as answers are */
        check_text((double)(next_random(&state) % 1000) / (double)(1 + next_random(&state) % 1000));
    }
}

TEST(random_bits_as_printf) {
    uint64_t state = 4;

    for (int i = 0; i < RANDOM_COUNT / 4; i++) {
        const uint64_t bits = next_random(&state);
        double value;
        memcpy(&value, &bits, sizeof value);
        check_text(value);
    }
}

TEST(decimals_as_printf) {
    uint64_t state = 5;

    for (int i = 0; i < RANDOM_COUNT; i++) {
        char given[32];
        uint64_t digits = next_random(&state) % UINT64_C(100000000000000000); /* 17 */
        for (uint64_t cut = next_random(&state) % 17; cut > 0; cut--)
            digits /= 10;
        snprintf(given, sizeof given, "%" PRIu64 "e-%d", digits, (int)(next_random(&state) % 28));
        const double value = strtod(given, NULL);
        check_text(value);
    }
}

TEST(borders_as_printf) {
    for (int i = -1074; i < 1024; i++)
        check_texts_around(ldexp(1.0, i), i > -60 && i < 60 ? 100 : 2);
    for (int i = -320; i <= 308; i++) {
        char given[32];
        for (int digit = 1; digit <= 9; digit++) {
            snprintf(given, sizeof given, "%de%d", digit, i);
            check_texts_around(strtod(given, NULL), i > -20 && i < 20 ? 50 : 2);
        }
    }
}

TEST(random_bits_come_back) {
    uint64_t state = 1;

    for (int i = 0; i < RANDOM_COUNT; i++) {
        uint64_t bits = next_random(&state);
        double value;
        memcpy(&value, &bits, sizeof value);
        check_number(value);
    }
}

/* Numbers as people write them: few digits. The text must not be longer than what they wrote. */
TEST(short_decimals_stay_short) {
    uint64_t state = 2;

    for (int i = 0; i < RANDOM_COUNT; i++) {
        char given[32];
        uint64_t digits = next_random(&state) % 1000000000000000; /* 15 */
        int point = (int)(next_random(&state) % 14);
        for (uint64_t cut = next_random(&state) % 15; cut > 0; cut--)
            digits /= 10;
        snprintf(given, sizeof given, "%" PRIu64 "e-%d", digits, point);
        double value = strtod(given, NULL);
        check_number(value);
        snprintf(given, sizeof given, "%.15g", value);
        ck_assert_msg(strlen(text_of(value)) <= strlen(given), "%s became %s", given,
                      text_of(value));
    }
}

TEST(edges_come_back) {
    static const double edges[] = {
        0.0,
        -0.0,
        5e-324,
        -5e-324,
        2.2250738585072014e-308,
        0.1,
        1.0 / 3.0,
        1e20,
        9007199254740991.0,
        9007199254740992.0,
        1e15,
        1e16,
        1e17,
        9007199254740994.0,
        -9007199254740993.0,
        1e150,
        1e-150,
        1.5e300,
        1.7976931348623157e308,
        -1.7976931348623157e308,
        0.5,
        4294967295,
        1e-7,
        123456789012345680.0,
        2.2250738585072011e-308,
    };

    for (int i = 0; i < COUNT_OF(edges); i++) {
        check_number(edges[i]);
        check_number(-edges[i]);
        check_number(nextafter(edges[i], INFINITY));
        check_number(nextafter(edges[i], -1e308));
    }
}

TEST(simple_numbers_look_simple) {
    static const struct {
        double value;
        const char *text;
    } rows[] = {
        {0.0, "0"},
        {-0.0, "-0.0"},
        {5.0, "5"},
        {-5.0, "-5"},
        {0.1, "0.1"},
        {0.3, "0.3"},
        {-12.75, "-12.75"},
        {1e15, "1000000000000000"},
        {9007199254740991.0, "9007199254740991"},
        {1e20, "1e+20"},
        {1e-10, "1e-10"},
        {5e-324, "4.9406564584124654e-324"},
    };

    for (int i = 0; i < COUNT_OF(rows); i++)
        ck_assert_str_eq(text_of(rows[i].value), rows[i].text);
}
