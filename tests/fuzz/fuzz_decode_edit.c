/*
 * Can any patch do harm, and is what it makes always what a shape may be? The first byte chooses
 * form and limits, the second which of the stored shapes a single one is about, the rest is the
 * body. It is merged into a small set; every shape that comes of it must be accepted once more as
 * GET tells it, and come out the same.
 */

#include "fuzz.h"

#include <string.h>

#include "proto/reply.h"

#define NAME "fuzz"

static const char *const bodies[] = {
    "{\"dimension\":2,\"history\":{\"ticks\":8},\"meta\":{\"a\":{\"b\":[1,null]}},\"shapes\":{"
    "\"a\":{\"type\":\"circle\",\"radius\":2,\"position\":[1,2],\"meta\":{\"x\":1}},"
    "\"b\":{\"type\":\"polygon\",\"vertices\":[[0,0],[1,0],[0,1]],\"angle\":-0.5,\"group\":\"g\"},"
    "\"c/d\":{\"type\":\"point\",\"rounding\":0.25,\"mask\":3}}}",
    "{\"dimension\":3,\"shapes\":{"
    "\"a\":{\"type\":\"box\",\"half_extents\":[1,2,3],\"orientation\":[0,0,0,1]},"
    "\"b\":{\"type\":\"cone\",\"a\":[0,0,0],\"b\":[0,0,1],\"radius\":1,\"category\":2}}}",
};

static bool find(const void *user, const char *id, proto_stored *out) {
    const proto_set *set = user;

    for (uint32_t i = 0; i < set->shape_count; i++) {
        if (strcmp(set->shapes[i].id, id) == 0) {
            *out = (proto_stored){set->shapes[i].shape.definition, set->shapes[i].shape.place, NULL,
                                  &set->shapes[i].shape.shape};
            return true;
        }
    }
    return false;
}

static proto_base base_of(const proto_set *set) {
    return (proto_base){
        .dimension = set->dimension,
        .shape_count = set->shape_count,
        .has_history = set->has_history,
        .history_ticks = set->history_ticks,
        .meta = set->meta,
        .user = set,
        .find = find,
    };
}

/* What GET answers of the shape must make the same shape. */
static void check_shape(const proto_shape *shape, const proto_base *base,
                        const proto_limits *limits, struct gjk_arena *arena) {
    const proto_stored stored = {shape->definition, shape->place, NULL, &shape->shape};
    struct proto_buffer first, second;
    struct proto_problem problem;
    struct proto_change *change;
    proto_edits edits;

    proto_buffer_init(&first, arena);
    proto_encode_shape(&first, base->dimension, &stored, 1, 1);
    require(!first.failed);
    const proto_change_request request = {{first.data, first.length},
                                          PROTO_PUT_SHAPE,
                                          "a",
                                          limits,
                                          arena};
    require(proto_change_open(&request, &change, &problem));
    require(proto_change_apply(change, base, &edits, &problem));
    proto_change_close(change);
    require(edits.count == 1 && edits.items[0].kind == PROTO_EDIT_DEFINE);
    const proto_stored again = {edits.items[0].shape->definition, edits.items[0].shape->place, NULL,
                                &edits.items[0].shape->shape};
    proto_buffer_init(&second, arena);
    proto_encode_shape(&second, base->dimension, &again, 1, 1);
    require(second.length == first.length && memcmp(second.data, first.data, first.length) == 0);
}

static void check_edits(const proto_edits *edits, const proto_base *base,
                        const proto_limits *limits, struct gjk_arena *arena) {
    uint64_t shapes = base->shape_count;
    proto_stored stored;

    for (uint32_t i = 0; i < edits->count; i++) {
        const proto_edit *edit = &edits->items[i];
        bool is_stored = find(base->user, edit->id, &stored);
        require(i == 0 || strcmp(edits->items[i - 1].id, edit->id) < 0);
        require(is_stored || edit->kind == PROTO_EDIT_DEFINE);
        shapes += !is_stored;
        shapes -= edit->kind == PROTO_EDIT_REMOVE;
        if (edit->kind == PROTO_EDIT_DEFINE) {
            require(edit->shape->shape.dimension == base->dimension);
            check_shape(edit->shape, base, limits, arena);
        }
    }
    require(shapes <= limits->shapes_per_set_max || shapes <= base->shape_count);
    require(!edits->sets_history || edits->history_ticks <= limits->history_ticks_max);
    require(edits->meta.length <= limits->meta_bytes_max);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const ids[] = {"a", "b", "c/d", "new"};
    const proto_limits usual = proto_limits_default();
    proto_limits limits = usual;
    struct proto_problem problem = {0};
    struct gjk_arena arena;
    struct proto_change *change;
    proto_set set;
    proto_edits edits;

    if (size < 2)
        return 0;
    const proto_change_form form = (proto_change_form)(data[0] & 3);
    const bool is_alone = form == PROTO_PATCH_SHAPE || form == PROTO_PUT_SHAPE;
    const char *body = bodies[(data[0] >> 2) & 1];
    if (data[0] & 8) {
        limits.points_per_hull_max = 6;
        limits.shapes_per_set_max = 4;
        limits.meta_bytes_max = 24;
    }
    gjk_arena_init(&arena, 0);
    require(
        proto_decode_set((proto_text){body, strlen(body)}, NAME, &usual, &arena, &set, &problem));
    if (data[0] & 16)
        arena.limit_bytes = arena.used_bytes + 16384;
    const proto_base base = base_of(&set);
    const proto_change_request request = {{(const char *)data + 2, size - 2},
                                          form,
                                          is_alone ? ids[data[1] & 3] : NAME,
                                          &limits,
                                          &arena};
    bool opened = proto_change_open(&request, &change, &problem);
    bool applied = opened && proto_change_apply(change, &base, &edits, &problem);
    if (opened)
        proto_change_close(change);
    arena.limit_bytes = 0; /* what follows is not what is tested for running out */
    if (applied)
        check_edits(&edits, &base, &limits, &arena);
    else
        check_problem(&problem);
    require(problem.code != PROTO_NOT_FINITE);
    gjk_arena_fini(&arena);
    return 0;
}
