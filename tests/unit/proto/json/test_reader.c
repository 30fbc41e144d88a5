/* Is text that is not quite JSON refused, with the place and the reason? */

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "test_proto.h"

static struct gjk_arena arena;
static struct proto_problem problem;
static proto_query query;

static void set_up(void) {
    gjk_arena_init(&arena, 0);
    problem = (struct proto_problem){0};
}

static void tear_down(void) {
    gjk_arena_fini(&arena);
}

TEST_FIXTURE(set_up, tear_down)

static bool decode(const char *body, size_t length) {
    const proto_limits limits = proto_limits_default();
    char *exact = gjk_arena_alloc(&arena, length); /* without a NUL behind it */

    memcpy(exact, body, length);
    return proto_decode_query((proto_text){exact, length}, PROTO_OP_DETECT, 2, &limits, &arena,
                              &query, &problem);
}

static const struct {
    const char *body;
    const char *place;
    const char *reason;
} malformed[] = {
    {"", "line 1, column 1:", "empty"},
    {"   \n ", "line 2, column 2:", "expected a value, but the text ends"},
    {"{", "line 1, column 2:", "expected a member's name in quotes, but the text ends"},
    {"{\"a\":\n  \"x\", }", "line 2, column 8:", "expected a member's name in quotes, found '}'"},
    {"{\"a\": \"x\"} x", "line 1, column 12:", "expected the end of the text, found 'x'"},
    {"{\"a\": \"x\"}{}", "line 1, column 11:", "expected the end of the text, found '{'"},
    {"{\"a\": \"x\", \"b\": \"y\", \"a\": \"z\"}", "line 1, column 22:", "duplicate member"},
    {"{\"a\": \"x\", \"\\u0061\": \"z\"}", "line 1, column 26:", "duplicate member"},
    {"{\"limit\": 1e999}", "line 1, column 11:", "too large for a double"},
    {"{\"limit\": -1e999}", "line 1, column 11:", "too large for a double"},
    {"{\"a\": \"\xFF\"}", "line 1, column 8:", "invalid UTF-8"},
    {"{\"a\": \"\xC3\"}", "line 1, column 8:", "invalid UTF-8"},
    {"{\"a\": \"\xED\xA0\x80\"}", "line 1, column 8:", "invalid UTF-8"},
    {"{\"a\": \"\\ud800\"}", "line 1, column 8:", "not an escape"},
    {"{\"a\": \"\\x\"}", "line 1, column 8:", "not an escape"},
    {"{\"a\": \"\\n", "line 1, column 10:", "the string does not end"},
    {"{\"a\": \"\\n\t\"}", "line 1, column 10:", "control character"},
    {"{\"a\\u0000b\": 1}", "line 1, column 2:", "NUL byte"},
    {"{a: 1}", "line 1, column 2:", "found 'a'"},
    {"{'a': 1}", "line 1, column 2:", "found '''"},
    {"{\"a\" 1}", "line 1, column 6:", "expected ':', found '1'"},
    {"{\"a\": NaN}", "line 1, column 7:", "expected a value, found 'N'"},
    {"{\"a\": nul}", "line 1, column 7:", "expected a value, found 'n'"},
    {"{\"a\": 01}", "line 1, column 7:", "not a number"},
    {"{\"a\": 1.}", "line 1, column 7:", "not a number"},
    {"{\"a\": +1}", "line 1, column 7:", "found '+'"},
    {"{\"a\": .5}", "line 1, column 7:", "found '.'"},
    {"{\"a\": \"\t\"}", "line 1, column 8:", "control character"},
    {"\xEF\xBB\xBF{}", "line 1, column 1:", "expected a value"},
    {"]", "line 1, column 1:", "expected a value, found ']'"},
    {"[1 2]", "line 1, column 4:", "expected ',' or ']', found '2'"},
    {"{\"\xC3\xA4\xC3\xA4\":\n\"\xC3\xA4\" 1}", "line 2, column 5:", "expected ',' or '}'"},
};

TEST_EACH(malformed_text_is_refused, 0, COUNT_OF(malformed)) {
    ck_assert(!decode(malformed[_i].body, strlen(malformed[_i].body)));
    ck_assert_int_eq(problem.code, PROTO_MALFORMED_JSON);
    ck_assert_str_eq(problem.pointer, "");
    ck_assert_msg(strncmp(problem.detail, malformed[_i].place, strlen(malformed[_i].place)) == 0,
                  "%s: %s, expected %s", malformed[_i].body, problem.detail, malformed[_i].place);
    ck_assert_msg(strstr(problem.detail, malformed[_i].reason) != NULL, "%s: %s",
                  malformed[_i].body, problem.detail);
}

TEST(nul_bytes_in_the_text_are_refused) {
    ck_assert(!decode("{}\0", 3));
    ck_assert_int_eq(problem.code, PROTO_MALFORMED_JSON);
    ck_assert(!decode("{\0}", 3));
    ck_assert_int_eq(problem.code, PROTO_MALFORMED_JSON);
    ck_assert(!decode("{\"a\":\"\0\"}", 9));
    ck_assert_int_eq(problem.code, PROTO_MALFORMED_JSON);
}

TEST_EACH(only_objects_are_requests, 0, 6) {
    static const char *const values[] = {"[]", "5", "\"x\"", "true", "null", "  -0.0 "};

    ck_assert(!decode(values[_i], strlen(values[_i])));
    ck_assert_int_eq(problem.code, PROTO_WRONG_TYPE);
    ck_assert_str_eq(problem.pointer, "");
}

/* A member `a` that nests to the given depth, the object of the request included. */
static size_t nest(char *text, int depth, char open, char close) {
    size_t length = (size_t)sprintf(text, "{\"a\":");

    for (int i = 1; i < depth; i++) {
        if (open == '{')
            length += (size_t)sprintf(text + length, "{\"x\":");
        else
            text[length++] = open;
    }
    text[length++] = '1';
    for (int i = 1; i < depth; i++)
        text[length++] = close;
    text[length++] = '}';
    return length;
}

TEST_EACH(depth_is_limited, 0, 2) {
    char text[4096];
    static const char brackets[][2] = {{'[', ']'}, {'{', '}'}};
    static const struct {
        int depth;
        bool is_too_deep;
    } rows[] = {{63, false}, {64, false}, {65, true}, {66, true}, {600, true}};

    for (int i = 0; i < COUNT_OF(rows); i++) {
        size_t length = nest(text, rows[i].depth, brackets[_i][0], brackets[_i][1]);
        ck_assert(!decode(text, length)); /* no operand in any case */
        ck_assert_int_eq(problem.code == PROTO_MALFORMED_JSON, rows[i].is_too_deep);
        if (rows[i].is_too_deep) {
            ck_assert(problem.has_limit);
            ck_assert_uint_eq(problem.limit, PROTO_DEPTH_MAX);
            ck_assert_ptr_nonnull(strstr(problem.detail, "nested deeper than 64"));
        }
    }
    nest(text, 65, '[', ']');
    ck_assert(!decode(text, strlen(text)));
    ck_assert_ptr_nonnull(strstr(problem.detail, "line 1, column 69:")); /* of the 65th bracket */
}

TEST(brackets_in_strings_do_not_nest) {
    char text[512];
    int length = sprintf(text, "{\"a\":\"\\\"\\\\");

    for (int i = 0; i < 100; i++)
        length += sprintf(text + length, "[{");
    length += sprintf(text + length, "\"}");
    ck_assert(!decode(text, (size_t)length));
    ck_assert_int_eq(problem.code, PROTO_BAD_NAME);
}

TEST(numbers_are_doubles_however_written) {
    const char *body = "{'against':'x','limit':5.0e0}";

    test_accepted(&arena, PROTO_OP_DETECT, 2, body, &query);
    ck_assert_uint_eq(query.limit, 5);
    test_accepted(&arena, PROTO_OP_DISTANCE, 2,
                  "{'a':{'type':'point','position':[100000000000000000000,-0]}}", &query);
    ck_assert_double_eq(query.a.pose.position.x, 1e20);
    ck_assert(query.a.pose.position.y == 0.0 && __builtin_signbit(query.a.pose.position.y));
}

#define THREADS 4
#define BODIES_PER_THREAD 2000

/* Every thread has its own arena and its own kind of body, good or bad. */
static void *decode_many(void *argument) {
    static const char *const bodies[THREADS] = {"{\"a\":{\"type\":\"circle\",\"radius\":2}}",
                                                "{\"a\":\"x\",\"a\":\"y\"}",
                                                "{\"a\":{\"type\":\"circle\",\"radius\":-1}}",
                                                "{\"a\":[[[[[[[["};
    static const proto_code codes[THREADS] = {PROTO_OK, PROTO_MALFORMED_JSON, PROTO_OUT_OF_RANGE,
                                              PROTO_MALFORMED_JSON};
    const proto_limits limits = proto_limits_default();
    const int *thread = argument;
    const char *body = bodies[*thread];
    struct gjk_arena own;
    size_t wrong = 0;

    gjk_arena_init(&own, 0);
    for (int i = 0; i < BODIES_PER_THREAD; i++) {
        struct proto_problem own_problem = {0};
        proto_query own_query;
        bool is_decoded = proto_decode_query((proto_text){body, strlen(body)}, PROTO_OP_DETECT, 2,
                                             &limits, &own, &own_query, &own_problem);
        wrong += is_decoded != (codes[*thread] == PROTO_OK);
        wrong += own_problem.code != codes[*thread];
        wrong += is_decoded && own_query.a.shape.radius != 2.0;
        gjk_arena_reset(&own);
    }
    gjk_arena_fini(&own);
    return wrong == 0 ? argument : NULL;
}

TEST(threads_do_not_meet) {
    pthread_t threads[THREADS];
    int numbers[THREADS];

    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, decode_many, &numbers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *result = NULL;
        ck_assert_int_eq(pthread_join(threads[i], &result), 0);
        ck_assert_ptr_eq(result, &numbers[i]);
    }
}
