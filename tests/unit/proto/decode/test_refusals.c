/*
 * Are bodies refused with the code, the place and the hint of tests/cases/refused_bodies.jsonl?
 * tests/http/test_refused_bodies.py sends the same rows to a daemon.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test_proto.h"
#include "json/parse.h"

#define PATH GJKD_CASES "/refused_bodies.jsonl"

/* Copies the string of a member of a row, or returns NULL if it is not there. */
static const char *text_of(struct gjk_arena *arena, proto_value row, const char *name) {
    const proto_value *found = proto_find(row, name, strlen(name));

    if (found == NULL)
        return NULL;
    ck_assert_int_eq(found->type, PROTO_STRING);
    return gjk_arena_copy_text(arena, found->text, found->count);
}

static void check_row(struct gjk_arena *arena, proto_text line) {
    struct proto_problem problem = {0};
    proto_value row, unread;

    ck_assert_msg(proto_parse(line, arena, &row, &problem), "%s", problem.detail);
    ck_assert(proto_parse_shallow(line, arena, &unread, &problem));
    const proto_value *dimension = proto_find(row, "dimension", 9);
    const proto_value *body = proto_find(unread, "body", 4);
    ck_assert(body != NULL && (dimension == NULL || dimension->type == PROTO_NUMBER));
    test_refused(&(struct test_refusal){
        .op = text_of(arena, row, "op"),
        .dimension = dimension != NULL ? (uint32_t)dimension->number : 0,
        .body = gjk_arena_copy_text(arena, body->text, body->count),
        .code = text_of(arena, row, "code"),
        .pointer = text_of(arena, row, "pointer"),
        .hint = text_of(arena, row, "hint"),
    });
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
    ck_assert_uint_gt(rows, 600);
    free(line);
    fclose(file);
}
