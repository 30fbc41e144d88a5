/* Calls: what is one, what is refused by its id, and what is none; as JSON, and as the messages
 * Call and Answer, byte by byte. */

#include <stdio.h>
#include <string.h>

#include "proto/call.h"
#include "test_proto.h"

static struct proto_problem problem;
static proto_call call;
TEST_ARENA(arena)

static bool decode(const char *quoted) {
    return proto_decode_call(test_text(&arena, quoted), &arena, &call, &problem);
}

static bool body_is(const char *quoted) {
    const proto_text wanted = test_text(&arena, quoted);
    return call.body.data != NULL && call.body.length == wanted.length &&
           memcmp(call.body.data, wanted.data, wanted.length) == 0;
}

TEST(whole) {
    ck_assert(decode(" { 'body' : {'a': [1, '}\\\"']} , 'headers':{'If-Match':'x','a':'b'},"
                     "'path':'/v1\\/\\u0061', 'method':'POST', 'id': 7 } "));
    ck_assert(call.has_id && call.id == 7 && call.authorization == NULL);
    ck_assert_str_eq(call.method, "POST");
    ck_assert_str_eq(call.path, "/v1/a");
    ck_assert_uint_eq(call.header_count, 2);
    ck_assert_str_eq(call.headers[0].name, "If-Match");
    ck_assert_str_eq(call.headers[1].value, "b");
    ck_assert(body_is("{'a': [1, '}\\\"']}"));
}

/* Clients may escape what is not ASCII, as Python's json does. */
TEST(escapes_are_the_characters_they_stand_for) {
    ck_assert(decode("{'id':1,'method':'GET','path':'/\\u00e4\\ud83d\\ude00'}"));
    ck_assert_str_eq(call.path, "/\xc3\xa4\xf0\x9f\x98\x80");
}

/* The operation refuses them, by the id of the call. */
TEST(faults_of_a_body_are_left_to_its_operation) {
    ck_assert(decode("{'id':1,'method':'GET','path':'/','body':{'a':[tru,,'\\x\n']}}"));
    ck_assert(body_is("{'a':[tru,,'\\x\n']}"));
}

TEST(ids) {
    static const struct {
        const char *text;
        uint64_t id;
    } good[] = {{"0", 0},
                {"1", 1},
                {"7.0", 7},
                {"70e-1", 7},
                {"1E3", 1000},
                {"-0", 0},
                {"9007199254740991", PROTO_CALL_ID_MAX - 1},
                {"9007199254740992", PROTO_CALL_ID_MAX}};
    static const char *const bad[] = {"-1",
                                      "1.5",
                                      "9007199254740993",
                                      "1e99",
                                      "01",
                                      "+1",
                                      "1.e",
                                      "0x1",
                                      "'1'",
                                      "null",
                                      "true",
                                      "[]",
                                      "nan",
                                      "",
                                      "1 2",
                                      "--1",
                                      "9007199254740993.0"};
    char text[96];

    for (int i = 0; i < COUNT_OF(good); i++) {
        snprintf(text, sizeof text, "{'id':%s,'method':'GET','path':'/'}", good[i].text);
        ck_assert_msg(decode(text), "%s", text);
        ck_assert_uint_eq(call.id, good[i].id);
    }
    for (int i = 0; i < COUNT_OF(bad); i++) {
        snprintf(text, sizeof text, "{'id':%s,'method':'GET','path':'/'}", bad[i]);
        ck_assert_msg(!decode(text) && !call.has_id, "%s", text);
    }
}

TEST(null_is_absent) {
    ck_assert(decode("{'id':1,'method':'GET','path':'/','headers':null,'body':null,"
                     "'authorization':null}"));
    ck_assert(call.header_count == 0 && call.body.data == NULL && call.authorization == NULL);
    ck_assert(decode("{'id':1,'method':'UNWATCH','path':null}"));
    ck_assert_str_eq(call.path, "");
}

/* The call can be answered, for its id is known, wherever it stands. */
TEST(refused_by_id) {
    static const struct {
        const char *text;
        proto_code code;
        const char *pointer;
    } rows[] = {
        {"{'method':1,'path':'/','id':5}", PROTO_WRONG_TYPE, "/method"},
        {"{'method':'GET','path':{'a':[1]},'id':5}", PROTO_WRONG_TYPE, "/path"},
        {"{'method':'GET','path':'/','headers':'a','id':5}", PROTO_WRONG_TYPE, "/headers"},
        {"{'method':'GET','path':'/','headers':{'a':1},'id':5}", PROTO_WRONG_TYPE, "/headers"},
        {"{'id':5,'method':'GET','path':'/','other':1}", PROTO_UNKNOWN_MEMBER, ""},
        {"{'id':5,'method':'GET','path':'/','authorization':'x'}", PROTO_UNKNOWN_MEMBER, ""},
        {"{'id':5,'path':'/'}", PROTO_MISSING_MEMBER, "/method"},
        {"{'id':5,'method':'','path':'/'}", PROTO_MISSING_MEMBER, "/method"},
        {"{'id':5,'method':'GET'}", PROTO_MISSING_MEMBER, "/path"},
        {"{'id':5}", PROTO_MISSING_MEMBER, "/method"},
    };

    for (int i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_msg(!decode(rows[i].text), "%s", rows[i].text);
        ck_assert_msg(call.has_id && call.id == 5, "%s", rows[i].text);
        ck_assert_int_eq(problem.code, rows[i].code);
        ck_assert_str_eq(problem.pointer, rows[i].pointer);
    }
    ck_assert(!decode("{'id':5,'method':'GET','path':'/','bodi':1}"));
    ck_assert_msg(strstr(problem.hint, "body") != NULL, "%s", problem.hint);
}

TEST(no_call) {
    static const char *const rows[] = {"",
                                       " ",
                                       "[]",
                                       "1",
                                       "{",
                                       "{}x",
                                       "{'id':1,}",
                                       "{'id':1 'method':'GET'}",
                                       "{'id'}",
                                       "{id:1}",
                                       "{'id':1,'method':'GE",
                                       "{'id':1,'method':'GET','path':'/','body':}",
                                       "{'id':1,'method':'GET','path':'/','body':[}",
                                       "{'id':1,'method':'GET','path':'/','body':'x}",
                                       "{'id':1,'method':'GET','path':'/','id':1}",
                                       "{'id':1,'body':1,'body':2}",
                                       "{'id':1,'headers':{'a':'b'}",
                                       "{'id':1,'headers':{'a'}}",
                                       "{'id':1,'headers':{'a':'b',}}",
                                       "{'id':1,'headers':{'a':'b','a':'c'}}",
                                       "{'id':1,'method':'a\\u0000'}",
                                       "{'id':1,'method':'a\\x'}",
                                       "{'id':1,'method':'a\\u12'}",
                                       "{'id':1,'method':'a\\",
                                       "{'id':1,'method':'a\nb'}"};

    for (int i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_msg(!decode(rows[i]) && !call.has_id, "%s", rows[i]);
        ck_assert_int_eq(problem.code, PROTO_MALFORMED_JSON);
    }
    ck_assert(decode("{}") && !call.has_id);
}

TEST(faults_are_placed_in_the_message) {
    ck_assert(!decode("{'id':1,\n'headers':{'a':'b','a':'c'}}"));
    ck_assert_str_eq(problem.detail, "line 2, column 20: duplicate member: \"a\" stands twice");
    ck_assert(!call.has_id);
}

TEST(the_token_alone) {
    ck_assert(decode("{'authorization':'Bearer x'}"));
    ck_assert(!call.has_id);
    ck_assert_str_eq(call.authorization, "Bearer x");
}

TEST(as_many_headers_as_may_be_and_one_more) {
    char text[1024];

    for (int count = PROTO_CALL_HEADERS_MAX - 1; count <= PROTO_CALL_HEADERS_MAX + 1; count++) {
        int length = snprintf(text, sizeof text, "{'method':'GET','path':'/','headers':{");
        for (int i = 0; i < count; i++)
            length += snprintf(text + length, sizeof text - (size_t)length, "%s'h%d':'x'",
                               i > 0 ? "," : "", i);
        snprintf(text + length, sizeof text - (size_t)length, "},'id':3}");
        const bool fits = count <= PROTO_CALL_HEADERS_MAX;
        ck_assert_int_eq(decode(text), fits);
        ck_assert(call.has_id && call.id == 3);
        if (!fits) {
            ck_assert_int_eq(problem.code, PROTO_HEADERS_TOO_LARGE);
            ck_assert_uint_eq(problem.limit, PROTO_CALL_HEADERS_MAX);
        }
    }
}

/* --- Messages --- */

static bool decode_message(const char *bytes, size_t length) {
    return proto_decode_call_message((proto_text){bytes, length}, &arena, &call, &problem);
}

#define DECODE(bytes) decode_message(bytes, sizeof(bytes) - 1)

/* id 300, GET, /a */
#define HEAD "\x08\xac\x02\x12\x03GET\x1a\x02/a"

TEST(whole_message) {
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

TEST(what_a_message_lacks) {
    ck_assert(DECODE("\x12\x03GET\x1a\x01/\x22\x00"));
    ck_assert(call.has_id && call.id == 0 && call.content_type == NULL && call.body.data == NULL);
}

TEST(message_refused_by_id) {
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

TEST(no_call_message) {
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
        ck_assert_msg(!decode_message(rows[i].bytes, rows[i].length) && !call.has_id, "row %d", i);
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
