/* Is every refusal told completely and in valid JSON and UTF-8? */

#include <stdio.h>
#include <string.h>

#include "test_proto.h"

static struct gjk_arena arena;
static struct proto_buffer out;

static void set_up(void) {
    gjk_arena_init(&arena, 0);
    proto_buffer_init(&out, &arena);
}

static void tear_down(void) {
    gjk_arena_fini(&arena);
}

TEST_FIXTURE(set_up, tear_down)

TEST_EACH(every_code_is_complete, PROTO_OK + 1, PROTO_CODE_COUNT) {
    proto_code code = (proto_code)_i;
    const char *text = proto_code_text(code);

    ck_assert(proto_code_status(code) >= 400 && proto_code_status(code) < 600);
    ck_assert_uint_gt(strlen(proto_code_title(code)), 10);
    ck_assert_uint_gt(strlen(proto_code_explanation(code)), 20);
    ck_assert_int_eq(proto_code_find(text, strlen(text)), code);
    ck_assert_uint_eq(strspn(text, "abcdefghijklmnopqrstuvwxyz-"), strlen(text));
}

TEST(unknown_codes_are_not_found) {
    ck_assert_int_eq(proto_code_find("unknown-membe", 13), PROTO_OK);
    ck_assert_int_eq(proto_code_find("unknown-members", 15), PROTO_OK);
    ck_assert_int_eq(proto_code_find("ok", 2), PROTO_OK);
    ck_assert_int_eq(proto_code_find("", 0), PROTO_OK);
    ck_assert_int_eq(proto_code_find("unknown-members", 14), PROTO_UNKNOWN_MEMBER);
}

TEST(problem_has_all_members) {
    struct proto_problem problem;

    ck_assert(!proto_problem_set(&problem, PROTO_TOO_MANY, "%d points", 7));
    ck_assert(!proto_problem_point(&problem, "/shapes/a/points"));
    ck_assert(!proto_problem_hint(&problem, "take %s", "fewer"));
    ck_assert(!proto_problem_limit(&problem, 6));
    proto_encode_problem(&out, &problem);
    test_wrote(&out, "{'type':'/problems/too-many','title':'There is more of something than the "
                     "limit allows.','status':422,'detail':'7 points','code':'too-many',"
                     "'hint':'take fewer','limit':6,'errors':[{'pointer':'/shapes/a/points',"
                     "'code':'too-many','detail':'7 points'}]}");
}

TEST(problem_outside_the_body_has_no_errors) {
    struct proto_problem problem;

    proto_problem_set(&problem, PROTO_SET_NOT_FOUND, "no set \"x\"");
    proto_encode_problem(&out, &problem);
    test_wrote(&out, "{'type':'/problems/set-not-found','title':'There is no set of this name.',"
                     "'status':404,'detail':'no set \\'x\\'','code':'set-not-found'}");
}

TEST(problem_with_a_place_has_errors_whatever_its_code) {
    struct proto_problem problem;

    proto_problem_set(&problem, PROTO_SHAPE_NOT_FOUND, "no");
    proto_problem_point(&problem, "/a");
    proto_encode_problem(&out, &problem);
    test_wrote(&out, "{'type':'/problems/shape-not-found','title':'There is no shape of this id "
                     "in the set.','status':404,'detail':'no','code':'shape-not-found','errors':"
                     "[{'pointer':'/a','code':'shape-not-found','detail':'no'}]}");
}

TEST(code_page_explains) {
    proto_encode_code(&out, PROTO_MISSING_MEMBER);
    test_wrote(&out, "{'type':'/problems/missing-member','title':'A required member is missing.',"
                     "'status':422,'detail':'The pointer tells which. A member that is null "
                     "counts as missing.','code':'missing-member'}");
}

TEST(texts_are_cut_at_a_character) {
    struct proto_problem problem;
    char umlauts[2 * PROTO_DETAIL_MAX + 1];

    for (size_t i = 0; i + 1 < sizeof umlauts; i += 2)
        memcpy(umlauts + i, "\xC3\xA4", 2);
    umlauts[sizeof umlauts - 1] = '\0';
    proto_problem_set(&problem, PROTO_INTERNAL, "%s", umlauts);
    ck_assert_uint_eq(strlen(problem.detail), PROTO_DETAIL_MAX - 2); /* odd room, even text */
    proto_problem_hint(&problem, "x%s", umlauts);
    ck_assert_uint_eq(strlen(problem.hint), PROTO_HINT_MAX - 1);
    ck_assert_mem_eq(problem.hint + PROTO_HINT_MAX - 3, "\xC3\xA4", 3);
}

TEST_EACH(bytes_that_are_not_utf8_are_replaced, 0, 9) {
    static const char *const bad[][2] = {
        {"a\xFFz", "a?z"},
        {"\x80", "?"},
        {"\xC0\xAF", "??"},               /* overlong */
        {"\xE0\x80\xAF", "???"},          /* overlong */
        {"\xED\xA0\x80", "???"},          /* surrogate */
        {"\xF4\x90\x80\x80", "????"},     /* past U+10FFFF */
        {"\xE2\x82", "??"},               /* cut */
        {"\xE2\x82\xAC", "\xE2\x82\xAC"}, /* fine */
        {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"},
    };
    struct proto_problem problem;

    proto_problem_set(&problem, PROTO_INTERNAL, "%s", bad[_i][0]);
    ck_assert_str_eq(problem.detail, bad[_i][1]);
}

TEST(strings_are_escaped) {
    struct proto_problem problem;

    proto_problem_set(&problem, PROTO_INTERNAL, "\"\\\b\f\n\r\t\x01\x1f/\x7f");
    proto_encode_problem(&out, &problem);
    const char *text = gjk_arena_copy_text(&arena, out.data, out.length);
    ck_assert_ptr_nonnull(strstr(text, "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f/\x7f\""));
}

TEST(long_pointer_names_an_enclosing_place) {
    struct proto_problem problem;
    char pointer[2 * PROTO_POINTER_MAX];

    memset(pointer, 'x', sizeof pointer);
    memcpy(pointer, "/shapes/", 8);
    pointer[sizeof pointer - 1] = '\0';
    proto_problem_set(&problem, PROTO_WRONG_TYPE, "no");
    proto_problem_point(&problem, pointer);
    ck_assert_str_eq(problem.pointer, "/shapes");
}
