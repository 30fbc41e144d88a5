/* Does the parser see in a text what jansson sees, and in which form does it leave it? */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/jansson_oracle.h"
#include "test_proto.h"
#include "json/number.h"
#include "json/parse.h"
#include "json/writer.h"

#define RANDOM_COUNT 200000

TEST_ARENA(arena)

/* In memory that ends where the text does. */
static proto_text exact(const char *text, size_t length) {
    return (proto_text){memcpy(gjk_arena_alloc(&arena, length), text, length), length};
}

static struct proto_problem problem;

/* Parses the text, and requires that jansson sees the same in it. */
static bool parse(proto_text text, proto_value *out) {
    problem = (struct proto_problem){0};
    const bool is_json = proto_parse(text, &arena, out, &problem);
    json_t *json = oracle_load(text);

    ck_assert_msg(is_json == (json != NULL), "%s", problem.detail);
    ck_assert(!is_json || oracle_equals(json, *out));
    json_decref(json);
    return is_json;
}

static proto_value parsed(const char *text) {
    proto_value value;
    ck_assert(parse(exact(text, strlen(text)), &value));
    return value;
}

/* --- Numbers --- */

static void check_number(const char *text) {
    const double expected = strtod(text, NULL);
    const char *at = text, *end = text + strlen(text);
    double found = 0.0;

    ck_assert_int_eq(proto_parse_number(&at, end, &found), isfinite(expected));
    ck_assert_msg(!isfinite(expected) ||
                      (at == end && memcmp(&found, &expected, sizeof found) == 0),
                  "%s: %.17g, expected %.17g", text, found, expected);
}

static const char *const numbers[] = {
    "0",
    "-0",
    "-0.0",
    "0e0",
    "0.0e-999999999999",
    "1",
    "-1",
    "0.1",
    "1e22",
    "1e23",
    "1e27",
    "1e28",
    "1e-22",
    "1e-23",
    "1e-27",
    "1e-28",
    "9007199254740991",
    "9007199254740992",
    "9007199254740993",
    "9007199254740994",
    "9007199254740995",
    "9007199254740993e1",
    "9007199254740993e-1",
    "9223372036854775807",
    "9223372036854775808",
    "9999999999999999999",
    "18446744073709551615",
    "18446744073709551616",
    "18446744073709551616e-5",
    "184467440737095516160",
    "100000000000000000000",
    "0.30000000000000004",
    "0.000000000000000000000000000000000000000000000001",
    "1.7976931348623157e308",
    "1.7976931348623159e308",
    "1e309",
    "-1e309",
    "4.9e-324",
    "2.4e-324",
    "2.2250738585072011e-308",
    "4503599627370496.5",
    "4503599627370497.5",
    "4503599627370497.500000000000000000001",
    "9007199254740992.999999999999999999999",
    "1.00000000000000011102230246251565",
    "1.000000000000000111022302462515654",
    "12345678901234567890123456789",
    "1E+2",
    "1e-2",
    "123e+05",
};

TEST_EACH(numbers_are_those_of_strtod, 0, COUNT_OF(numbers)) {
    check_number(numbers[_i]);
}

/* Digits with as many exponents as there are ways to convert them. */
TEST_EACH(random_numbers_are_those_of_strtod, 0, 3) {
    uint64_t state = (uint64_t)_i + 1;
    char text[64];

    for (int i = 0; i < RANDOM_COUNT; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint64_t digits = (state ^ state >> 29) >> (state >> 59) * 2 % 64;
        const int exponent = (int)(state >> 40) % 64 - 32;
        snprintf(text, sizeof text, "%" PRIu64 "e%d", digits, exponent);
        check_number(text);
        snprintf(text, sizeof text, "%.*g", 15 + i % 4,
                 (double)digits * pow(10.0, (double)(exponent - 10)));
        check_number(text);
    }
}

/* Half-way between two doubles, exactly: the even one is next to it. */
TEST(ties_go_to_even) {
    char text[64];

    for (uint64_t i = 1; i < 4000; i += 2) {
        for (int power = 1; power <= 10; power++) {
            const uint64_t half = ((UINT64_C(1) << 52) + i) * 2 + 1;
            snprintf(text, sizeof text, "%" PRIu64, half << (power - 1));
            check_number(text);
            snprintf(text, sizeof text, "%" PRIu64 "5e-1", half / 2 * 2);
            check_number(text);
        }
    }
}

static const char *const not_numbers[] = {"",     "-",   "+1",  ".5",       "1.",
                                          "1.e5", "01",  "-01", "1e",       "1e+",
                                          "--1",  "0x1", "NaN", "Infinity", "1e5.5"};

TEST_EACH(other_texts_are_no_numbers, 0, COUNT_OF(not_numbers)) {
    proto_value value;
    ck_assert(!parse(exact(not_numbers[_i], strlen(not_numbers[_i])), &value));
}

/* --- Forms --- */

TEST(numbers_are_packed) {
    const proto_value row = parsed("[1, null, -2.5]");
    ck_assert_int_eq(row.type, PROTO_NUMBERS);
    ck_assert_uint_eq(row.count, 3);
    ck_assert_int_eq(proto_value_at(row, 1).type, PROTO_NULL);
    ck_assert(proto_value_at(row, 2).number == -2.5);

    const proto_value rows = parsed(" [ [1,2] , [3,4] , [5,6] ] ");
    ck_assert_int_eq(rows.type, PROTO_ROWS);
    ck_assert_uint_eq(rows.count, 3);
    ck_assert_uint_eq(rows.columns, 2);
    ck_assert_uint_eq(proto_value_at(rows, 2).count, 2);
    for (int i = 0; i < 6; i++)
        ck_assert(rows.numbers[i] == i + 1);
}

/* What does not fit beside the first items makes them values of their own. */
static const struct {
    const char *text;
    uint32_t count;
    const char *again;
} mixed[] = {
    {"[]", 0, "[]"},
    {"[[]]", 1, "[[]]"},
    {"[1,\"x\",2]", 3, "[1,\"x\",2]"},
    {"[1,[2],3]", 3, "[1,[2],3]"},
    {"[[1,2],[3,4],[5]]", 3, "[[1,2],[3,4],[5]]"},
    {"[[1,2],[],[3,4]]", 3, "[[1,2],[],[3,4]]"},
    {"[[1,2],3,[4,5]]", 3, "[[1,2],3,[4,5]]"},
    {"[[1,2],[[3,4],[5,6]],[7,8]]", 3, "[[1,2],[[3,4],[5,6]],[7,8]]"},
    {"[[1,2],{\"a\":[3,4]},[5,6]]", 3, "[[1,2],{\"a\":[3,4]},[5,6]]"},
    {"[[1,2],[3,{}],[5,6]]", 3, "[[1,2],[3,{}],[5,6]]"},
    {"[[1,2],[[3]],[5,6]]", 3, "[[1,2],[[3]],[5,6]]"},
    {"[null,[null],true]", 3, "[null,[null],true]"},
};

TEST_EACH(mixed_arrays_are_values, 0, COUNT_OF(mixed)) {
    const proto_value value = parsed(mixed[_i].text);
    struct proto_buffer out;

    ck_assert_int_eq(value.type, PROTO_ARRAY);
    ck_assert_uint_eq(value.count, mixed[_i].count);
    proto_buffer_init(&out, &arena);
    proto_put_json(&out, value);
    ck_assert_uint_eq(out.length, strlen(mixed[_i].again));
    ck_assert(memcmp(out.data, mixed[_i].again, out.length) == 0);
}

TEST(rows_of_255_numbers_are_the_longest) {
    for (size_t length = 254; length <= 256; length++) {
        char text[2048];
        size_t at = (size_t)sprintf(text, "[[0");
        for (size_t i = 1; i < length; i++)
            at += (size_t)sprintf(text + at, ",%zu", i);
        strcpy(text + at, "]]");
        const proto_value value = parsed(text);
        ck_assert_int_eq(value.type, length <= 255 ? PROTO_ROWS : PROTO_ARRAY);
        ck_assert_uint_eq(proto_value_at(value, 0).count, length);
    }
}

TEST(strings_stay_in_the_text) {
    const proto_text text = exact("\"r\xC3\xA4um\"", 7);
    proto_value value;

    ck_assert(parse(text, &value));
    ck_assert_ptr_eq(value.text, text.data + 1);
    ck_assert_uint_eq(value.count, 5);

    value = parsed("\"\\u00e4\\ud83d\\ude00\\u0000\\n\\/x\"");
    ck_assert_uint_eq(value.count, 10);
    ck_assert(memcmp(value.text, "\xC3\xA4\xF0\x9F\x98\x80\0\n/x", 10) == 0);
}

/* --- Names --- */

/* An object of so many members, the last of which is called as the one at `twin`. */
static proto_text object_of(size_t count, size_t twin) {
    char *text = gjk_arena_alloc(&arena, 32 * count + 2);
    size_t at = 0;

    for (size_t i = 0; i < count; i++)
        at += (size_t)sprintf(text + at, "%c\"unit-%zu\":%zu", i == 0 ? '{' : ',',
                              i + 1 == count ? twin : i, i);
    text[at++] = '}';
    return (proto_text){text, at};
}

TEST_EACH(no_name_stands_twice, 0, 8) {
    static const size_t counts[] = {2, 15, 16, 17, 64, 65, 1280, 20000};
    const size_t count = counts[_i];
    proto_value value;

    ck_assert(parse(object_of(count, count - 1), &value));
    ck_assert_uint_eq(value.count, count);
    for (size_t twin = 0; twin + 1 < count; twin += 1 + count / 20) {
        ck_assert(!parse(object_of(count, twin), &value));
        ck_assert_ptr_nonnull(strstr(problem.detail, "duplicate member"));
    }
}

/* In no order, as a map of a client's program may give them. */
TEST(names_in_any_order_are_told_apart) {
    enum { COUNT = 400 };
    char *text = gjk_arena_alloc(&arena, (size_t)32 * COUNT);
    proto_value value;

    for (int twin = 0; twin < 2; twin++) {
        size_t at = 0;
        for (unsigned i = 0; i < COUNT; i++)
            at += (size_t)sprintf(text + at, "%c\"%x\":%u", i == 0 ? '{' : ',',
                                  (twin == 1 && i == COUNT - 1 ? 7 : i) * 2654435761U, i);
        text[at++] = '}';
        ck_assert_int_eq(parse((proto_text){text, at}, &value), twin == 0);
    }
    ck_assert_ptr_nonnull(strstr(problem.detail, "duplicate member"));
}

/* --- Long texts --- */

TEST(depth_is_64) {
    char text[256];
    proto_value value;

    for (int depth = 63; depth <= 65; depth++) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        const proto_text body = {text, 2 * (size_t)depth};
        ck_assert_int_eq(proto_parse(body, &arena, &value, &problem), depth <= 64);
    }
}

TEST(numbers_may_be_long) {
    char text[2048];
    proto_value value;

    const int length = sprintf(text, "[2.%0600d,2.5%0600d]", 0, 0);
    ck_assert(parse(exact(text, (size_t)length), &value));
}
