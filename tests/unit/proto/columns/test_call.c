/* The messages Call and Answer, byte by byte. */

#include <string.h>

#include "proto/call.h"
#include "test_proto.h"

static struct gjk_arena arena;
static struct proto_problem problem;
static proto_call call;

static void setup(void) {
    gjk_arena_init(&arena, 0);
}

static void teardown(void) {
    gjk_arena_fini(&arena);
}

TEST_FIXTURE(setup, teardown)

static bool decode(const char *bytes, size_t length) {
    return proto_decode_call_message((proto_text){bytes, length}, &arena, &call, &problem);
}

#define DECODE(bytes) decode(bytes, sizeof(bytes) - 1)

/* id 300, GET, /a */
#define HEAD "\x08\xac\x02\x12\x03GET\x1a\x02/a"

TEST(whole) {
    ck_assert(DECODE(HEAD "\x22\x01t\x2a\x03\x00\x01\xff\x32\x04"
                          "a: b\x32\x03"
                          "c:d\x32\x02"
                          "e:"));
    ck_assert(call.has_id && call.id == 300);
    ck_assert_str_eq(call.method, "GET");
    ck_assert_str_eq(call.path, "/a");
    ck_assert_str_eq(call.content_type, "t");
    ck_assert(call.body.length == 3 && memcmp(call.body.data, "\x00\x01\xff", 3) == 0);
    ck_assert_uint_eq(call.header_count, 3);
    ck_assert_str_eq(call.headers[0].value, "b");
    ck_assert_str_eq(call.headers[1].value, "d");
    ck_assert_str_eq(call.headers[2].value, "");
}

TEST(what_is_absent) {
    ck_assert(DECODE("\x12\x03GET\x1a\x01/\x22\x00"));
    ck_assert(call.has_id && call.id == 0 && call.content_type == NULL && call.body.data == NULL);
}

TEST(refused_by_id) {
    ck_assert(!DECODE(HEAD "\x3a\x01x") && call.id == 300 && call.has_id);
    ck_assert_int_eq(problem.code, PROTO_MALFORMED_PROTOBUF);
    ck_assert(!DECODE(HEAD "\x32\x01x") && call.id == 300 && call.has_id);
    ck_assert_int_eq(problem.code, PROTO_BAD_REQUEST);
    ck_assert(!DECODE("\x08\x05") && call.id == 5 && call.has_id);
    ck_assert_int_eq(problem.code, PROTO_MISSING_MEMBER);
    ck_assert(!DECODE("\x12\x03GET\x08\x05") && call.id == 5);
    ck_assert_str_eq(problem.pointer, "/path");
    ck_assert(DECODE("\x08\x05\x12\x07UNWATCH"));
}

TEST(no_call) {
    static const struct {
        const char *bytes;
        size_t length;
    } rows[] = {
        {"\x08", 1},        /* no number */
        {"\x08\xff", 2},    /* which does not end */
        {"\x12\x04GET", 5}, /* cut short */
        {"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11},
        {"\x0a\x01\x31", 3}, /* the id as a text */
        {"\x10\x01", 2},     /* the method as a number */
        {"\x09\x00\x00\x00\x00\x00\x00\x00\x00", 9},
        {"\x12\x03G\x01T", 5},                       /* a control character */
        {"\x1a\x02\xc0\xaf", 4},                     /* no UTF-8 */
        {"\x08\x81\x80\x80\x80\x80\x80\x80\x10", 9}, /* 2^53 + 1 */
    };

    for (int i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_msg(!decode(rows[i].bytes, rows[i].length) && !call.has_id, "row %d", i);
        ck_assert_int_eq(problem.code, PROTO_MALFORMED_PROTOBUF);
    }
    ck_assert(DECODE("\x08\x80\x80\x80\x80\x80\x80\x80\x10\x12\x01G\x1a\x01/"));
    ck_assert_uint_eq(call.id, PROTO_CALL_ID_MAX);
}

TEST(an_answer) {
    proto_call_answer answer = {.id = 300,
                                .status = 200,
                                .content_type = "t",
                                .body_bytes = 200,
                                .headers = {{"ETag", "x"}},
                                .header_count = 1};
    static const char wanted[] = "\x08\xac\x02\x10\xc8\x01\x1a\x01t\x2a\x07"
                                 "ETag: x\x22\xc8\x01";
    struct proto_buffer out;

    proto_buffer_init(&out, &arena);
    proto_encode_answer_message(&out, &answer);
    ck_assert(!out.failed && out.length == sizeof wanted - 1);
    ck_assert(memcmp(out.data, wanted, out.length) == 0);

    answer = (proto_call_answer){.status = 204};
    proto_buffer_init(&out, &arena);
    proto_encode_answer_message(&out, &answer);
    ck_assert(out.length == 3 && memcmp(out.data, "\x10\xcc\x01", 3) == 0);
}
