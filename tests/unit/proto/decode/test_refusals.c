/*
 * Are queries refused with the code, the place and the hint of tests/cases/refused_queries.jsonl?
 * tests/http/test_refused_queries.py sends the same rows to a daemon.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test_proto.h"
#include "json/parse.h"

#define PATH GJKD_CASES "/refused_queries.jsonl"

/* Copies the string of a member of a row, or returns NULL if it is not there. */
static const char *text_of(struct gjk_arena *arena, proto_value row, const char *name) {
    const proto_value *found = proto_find(row, name, strlen(name));

    if (found == NULL)
        return NULL;
    ck_assert_int_eq(found->type, PROTO_STRING);
    return gjk_arena_copy_text(arena, found->text, found->count);
}

static int find_op(const char *name) {
    static const char *const names[] =
        {[PROTO_OP_DETECT] = "detect",   [PROTO_OP_DISTANCE] = "distance",
         [PROTO_OP_RAYCAST] = "raycast", [PROTO_OP_CAST] = "cast",
         [PROTO_OP_HIT] = "hit",         [PROTO_OP_MOVE] = "move"};
    int op = 0;

    while (op < COUNT_OF(names) && strcmp(name, names[op]) != 0)
        op++;
    ck_assert_msg(op < COUNT_OF(names), "%s is no operation", name);
    return op;
}

static void check_row(struct gjk_arena *arena, proto_text line) {
    struct proto_problem problem = {0};
    proto_value row, unread;

    ck_assert_msg(proto_parse(line, arena, &row, &problem), "%s", problem.detail);
    ck_assert(proto_parse_shallow(line, arena, &unread, &problem));
    const proto_value *dimension = proto_find(row, "dimension", 9);
    const proto_value *body = proto_find(unread, "body", 4);
    ck_assert(dimension != NULL && dimension->type == PROTO_NUMBER && body != NULL);
    const struct query_refusal refusal = {
        .op = (proto_op)find_op(text_of(arena, row, "op")),
        .dimension = (uint32_t)dimension->number,
        .body = gjk_arena_copy_text(arena, body->text, body->count),
        .code = text_of(arena, row, "code"),
        .pointer = text_of(arena, row, "pointer"),
    };
    test_refused(&refusal, text_of(arena, row, "hint"));
}

TEST(rows) {
    struct gjk_arena arena;
    FILE *file = fopen(PATH, "re");
    char *line = NULL;
    size_t capacity = 0, rows = 0;

    ck_assert_msg(file != NULL, "%s", PATH);
    for (ssize_t length; (length = getline(&line, &capacity, file)) > 0; rows++) {
        gjk_arena_init(&arena, 0);
        check_row(&arena, (proto_text){line, (size_t)length});
        gjk_arena_fini(&arena);
    }
    ck_assert_uint_gt(rows, 200);
    free(line);
    fclose(file);
}
