/* Does the wire read and write as it should? Runs the suites of gjk_proto. */

#include <string.h>

#include "test_proto.h"

proto_text test_text(struct gjk_arena *arena, const char *quoted) {
    size_t length = strlen(quoted);
    char *text = gjk_arena_copy_text(arena, quoted, length);

    ck_assert_ptr_nonnull(text);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\'')
            text[i] = '"';
    }
    return (proto_text){text, length};
}

static void check_problem(const struct proto_problem *problem, const char *body, const char *code,
                          const char *pointer, const char *hint) {
    ck_assert_msg(strcmp(proto_code_text(problem->code), code) == 0, "%s: %s (%s), expected %s",
                  body, proto_code_text(problem->code), problem->detail, code);
    ck_assert_msg(strcmp(problem->pointer, pointer) == 0, "%s: at \"%s\", expected \"%s\"", body,
                  problem->pointer, pointer);
    ck_assert_msg(problem->detail[0] != '\0', "%s: no detail", body);
    if (hint != NULL)
        ck_assert_str_eq(problem->hint, hint);
}

void test_refused(const struct query_refusal *row, const char *hint) {
    const proto_limits limits = proto_limits_default();
    struct proto_problem problem = {0};
    struct gjk_arena arena;
    proto_query query;

    gjk_arena_init(&arena, 0);
    bool is_decoded = proto_decode_query(test_text(&arena, row->body), row->op, row->dimension,
                                         &limits, &arena, &query, &problem);
    ck_assert_msg(!is_decoded, "%s: accepted", row->body);
    check_problem(&problem, row->body, row->code, row->pointer, hint);
    gjk_arena_fini(&arena);
}

void test_accepted(struct gjk_arena *arena, proto_op op, uint32_t dimension, const char *body,
                   proto_query *out) {
    const proto_limits limits = proto_limits_default();
    struct proto_problem problem = {0};

    bool is_decoded =
        proto_decode_query(test_text(arena, body), op, dimension, &limits, arena, out, &problem);
    ck_assert_msg(is_decoded, "%s: %s at \"%s\" (%s)", body, proto_code_text(problem.code),
                  problem.pointer, problem.detail);
    ck_assert_int_eq(out->op, op);
}

void test_set_refused(const char *body, proto_code code, const char *pointer, const char *hint) {
    const proto_limits limits = proto_limits_default();
    struct proto_problem problem = {0};
    struct gjk_arena arena;
    proto_set set;

    gjk_arena_init(&arena, 0);
    bool is_decoded =
        proto_decode_set(test_text(&arena, body), "arena", &limits, &arena, &set, &problem);
    ck_assert_msg(!is_decoded, "%s: accepted", body);
    check_problem(&problem, body, proto_code_text(code), pointer, hint);
    gjk_arena_fini(&arena);
}

void test_set_accepted(struct gjk_arena *arena, const char *body, proto_set *out) {
    const proto_limits limits = proto_limits_default();
    struct proto_problem problem = {0};

    bool is_decoded =
        proto_decode_set(test_text(arena, body), "arena", &limits, arena, out, &problem);
    ck_assert_msg(is_decoded, "%s: %s at \"%s\" (%s)", body, proto_code_text(problem.code),
                  problem.pointer, problem.detail);
}

void test_wrote(const struct proto_buffer *out, const char *expected) {
    proto_text text = test_text(out->arena, expected);

    ck_assert(!out->failed);
    ck_assert_msg(out->length == text.length && memcmp(out->data, text.data, text.length) == 0,
                  "wrote\n  %.*s\nexpected\n  %s", (int)out->length, out->data, text.data);
}
