/* Does the wire read and write as it should? Runs the suites of gjk_proto. */

#include <stdio.h>
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

/* Decodes a set with that shape, called "s". */
static bool decode_shape(struct gjk_arena *arena, uint32_t dimension, proto_text shape,
                         struct proto_problem *problem) {
    const proto_limits limits = proto_limits_default();
    size_t room = shape.length + 64;
    char *body = gjk_arena_alloc(arena, room);
    proto_set set;

    int length = snprintf(body, room, "{\"dimension\":%u,\"shapes\":{\"s\":%.*s}}", dimension,
                          (int)shape.length, shape.data);
    return proto_decode_set((proto_text){body, (size_t)length}, "arena", &limits, arena, &set,
                            problem);
}

static bool decode_batch(struct gjk_arena *arena, uint32_t dimension, bool beside_tick,
                         proto_text body, struct proto_problem *problem) {
    const proto_limits limits = proto_limits_default();
    struct proto_batch *batch;
    bool is_decoded =
        proto_decode_batch(body, dimension, beside_tick, &limits, arena, &batch, problem);

    if (is_decoded)
        proto_batch_close(batch);
    return is_decoded;
}

static bool decode_change(struct gjk_arena *arena, const char *op, proto_text body,
                          struct proto_problem *problem) {
    static const struct {
        const char *op;
        proto_change_form form;
        const char *name;
    } forms[] = {{"patch", PROTO_PATCH_SET, NULL},
                 {"tick", PROTO_PUT_TICK, NULL},
                 {"tick-batch", PROTO_POST_TICK, NULL},
                 {"put-shape", PROTO_PUT_SHAPE, "box"},
                 {"patch-shape", PROTO_PATCH_SHAPE, "box"}};
    proto_edits edits;
    int i = 0;

    while (i < COUNT_OF(forms) && strcmp(op, forms[i].op) != 0)
        i++;
    ck_assert_msg(i < COUNT_OF(forms), "%s is no operation", op);
    test_keep_box(arena);
    if (!test_change(arena, forms[i].form, forms[i].name, body, NULL, &edits, problem))
        return false;
    return forms[i].form != PROTO_POST_TICK || decode_batch(arena, 2, true, body, problem);
}

/* Decodes a row's body. Returns false if it is refused, with the problem. */
static bool decode(struct gjk_arena *arena, const struct test_refusal *row,
                   struct proto_problem *problem) {
    static const char *const queries[] =
        {[PROTO_OP_DETECT] = "detect",   [PROTO_OP_DISTANCE] = "distance",
         [PROTO_OP_RAYCAST] = "raycast", [PROTO_OP_CAST] = "cast",
         [PROTO_OP_HIT] = "hit",         [PROTO_OP_MOVE] = "move"};
    const proto_limits limits = proto_limits_default();
    proto_text body = test_text(arena, row->body);
    proto_query query;
    proto_set set;

    for (int op = 0; op < COUNT_OF(queries); op++) {
        if (strcmp(row->op, queries[op]) == 0)
            return proto_decode_query(body, (proto_op)op, row->dimension, &limits, arena, &query,
                                      problem);
    }
    if (strcmp(row->op, "set") == 0)
        return proto_decode_set(body, "arena", &limits, arena, &set, problem);
    if (strcmp(row->op, "shape") == 0)
        return decode_shape(arena, row->dimension, body, problem);
    if (strcmp(row->op, "batch") == 0)
        return decode_batch(arena, row->dimension, false, body, problem);
    return decode_change(arena, row->op, body, problem);
}

void test_refused(const struct test_refusal *row) {
    const char *above = strcmp(row->op, "shape") == 0 ? "/shapes/s" : "";
    struct proto_problem problem = {0};
    struct gjk_arena arena;

    gjk_arena_init(&arena, 0);
    ck_assert_msg(!decode(&arena, row, &problem), "%s: %s: accepted", row->op, row->body);
    ck_assert_msg(strcmp(proto_code_text(problem.code), row->code) == 0, "%s: %s (%s), expected %s",
                  row->body, proto_code_text(problem.code), problem.detail, row->code);
    ck_assert_msg(strncmp(problem.pointer, above, strlen(above)) == 0 &&
                      strcmp(problem.pointer + strlen(above), row->pointer) == 0,
                  "%s: at \"%s\", expected \"%s\"", row->body, problem.pointer, row->pointer);
    ck_assert_msg(problem.detail[0] != '\0', "%s: no detail", row->body);
    ck_assert_msg(row->hint == NULL || strcmp(problem.hint, row->hint) == 0, "%s: hint \"%s\"",
                  row->body, problem.hint);
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

void test_set_accepted(struct gjk_arena *arena, const char *body, proto_set *out) {
    const proto_limits limits = proto_limits_default();
    struct proto_problem problem = {0};

    bool is_decoded =
        proto_decode_set(test_text(arena, body), "arena", &limits, arena, out, &problem);
    ck_assert_msg(is_decoded, "%s: %s at \"%s\" (%s)", body, proto_code_text(problem.code),
                  problem.pointer, problem.detail);
}

#define STORED_MAX 4

static struct {
    const char *id;
    proto_stored shape;
} store[STORED_MAX];
static proto_base base;

static bool find(const void *user, const char *id, proto_stored *out) {
    (void)user;
    for (uint32_t i = 0; i < base.shape_count; i++) {
        if (strcmp(store[i].id, id) == 0) {
            *out = store[i].shape;
            return true;
        }
    }
    return false;
}

void test_keep(struct gjk_arena *arena, const char *body) {
    proto_set set;

    test_set_accepted(arena, body, &set);
    ck_assert_uint_le(set.shape_count, STORED_MAX);
    for (uint32_t i = 0; i < set.shape_count; i++) {
        store[i].id = set.shapes[i].id;
        store[i].shape = (proto_stored){set.shapes[i].shape.definition, set.shapes[i].shape.place,
                                        NULL, &set.shapes[i].shape.shape};
    }
    base = (proto_base){
        .dimension = set.dimension,
        .shape_count = set.shape_count,
        .has_history = set.has_history,
        .history_ticks = set.history_ticks,
        .meta = set.meta,
        .find = find,
    };
}

void test_keep_box(struct gjk_arena *arena) {
    test_keep(arena,
              "{'dimension':2,'shapes':{'dot':{'type':'point'},'box':{'type':'box','half_extents':"
              "[1,2],'rounding':0.5,'position':[3,-0.0],'angle':1,'group':'g','mask':7,"
              "'meta':{'hp':5}}}}");
}

bool test_change(struct gjk_arena *arena, proto_change_form form, const char *name, proto_text body,
                 const proto_limits *limits, proto_edits *out, struct proto_problem *problem) {
    const proto_limits usual = proto_limits_default();
    const proto_change_request request = {
        .body = body,
        .form = form,
        .name = name != NULL ? name : "arena",
        .limits = limits != NULL ? limits : &usual,
        .arena = arena,
    };
    struct proto_change *opened;

    *problem = (struct proto_problem){0};
    if (!proto_change_open(&request, &opened, problem))
        return false;
    bool is_applied = proto_change_apply(opened, &base, out, problem);
    proto_change_close(opened);
    return is_applied;
}

void test_wrote(const struct proto_buffer *out, const char *expected) {
    proto_text text = test_text(out->arena, expected);

    ck_assert(!out->failed);
    ck_assert_msg(out->length == text.length && memcmp(out->data, text.data, text.length) == 0,
                  "wrote\n  %.*s\nexpected\n  %s", (int)out->length, out->data, text.data);
}
