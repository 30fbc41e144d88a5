/*
 * Decodes whole sets, and changes of a stored set. proto_change_open checks what the text alone
 * decides, before the request waits for the set's writers. proto_change_apply computes an edit for
 * each shape that the change names, in the order of ids.
 *
 * A patch of a shape (RFC 7396) is merged into the stored definition. The result is decoded like a
 * whole shape, so that all rules apply and problems point at their places. The contract adds one
 * rule: a patch with `type` drops the old geometry first. A patch that only moves the shape takes
 * a fast path that does not read the definition.
 */

#include <string.h>

#include "decode/decode.h"
#include "gjk/sort.h"
#include "proto/edit.h"

/* --- Whole sets --- */

/*
 * The body of PUT of a set has dimension, history, meta and shapes. Read-only members are accepted
 * and ignored, so that the answer to GET can be sent back.
 */

/* Checks that a set's name in the body, if given, equals that in the path. */
static void check_set_name(struct proto_reader *reader, proto_node node, const char *name) {
    const proto_text found = proto_text_of(node.value);

    if (!proto_is_given(&node)) {
        return;
    }
    if (node.value.type != PROTO_STRING) {
        proto_refuse_type(reader, &node, "a string");
    } else if (!proto_text_equals(found, name, strlen(name))) {
        proto_refuse(reader, &node, PROTO_BAD_NAME,
                     "the set is called \"%.128s\" in the path, but \"%.*s\" here", name,
                     proto_shown(found, 128), found.data);
    }
}

/* Decodes {"ticks": n}. *out is unchanged if the node is absent. */
static void decode_history(struct proto_reader *reader, const proto_node *node, bool *exists,
                           uint32_t *out) {
    const uint64_t most = reader->limits->history_ticks_max;
    uint64_t ticks = 0;
    proto_object history;

    *exists = proto_is_given(node);
    if (!proto_object_open(reader, node, &history)) {
        return;
    }
    if (!proto_read_integer(reader, proto_required(&history, "ticks"), 0, most, &ticks) &&
        reader->last != NULL && reader->last->code == PROTO_OUT_OF_RANGE) {
        proto_hint_limit(reader, most);
    }
    *out = (uint32_t)ticks;
    proto_object_close(reader, &history);
}

static void decode_set(struct proto_reader *reader, proto_object *root, const char *name,
                       proto_set *out) {
    const proto_node dimension = proto_required(root, "dimension");
    const proto_node history = proto_optional(root, "history");
    const proto_node shapes = proto_optional(root, "shapes");
    const proto_node meta = proto_optional(root, "meta");
    proto_node given_name = proto_optional(root, "name");

    proto_optional(root, "revision"); /* accepted and ignored, like the next two */
    proto_optional(root, "tick");
    proto_optional(root, "ticks");
    out->name = name;
    if (name != NULL) {
        check_set_name(reader, given_name, name);
    } else {
        given_name.is_required = true;
        proto_read_set_name(reader, given_name, &out->name);
    }
    const bool has_dimension = proto_read_u32(reader, dimension, 2, 3, &out->dimension);
    decode_history(reader, &history, &out->has_history, &out->history_ticks);
    proto_decode_meta(reader, &meta, &out->meta);
    if (has_dimension) {
        proto_decode_shapes(reader, &shapes, out->dimension, PROTO_SHAPE_STORED, &out->shapes,
                            &out->shape_count);
    }
    proto_object_close(reader, root);
}

bool proto_decode_set(proto_text body, const char *name, const proto_limits *limits,
                      struct gjk_arena *arena, proto_set *out, struct proto_problem *problem) {
    struct proto_reader reader;
    proto_object object;
    proto_set set = {0};

    if (!proto_reader_open(&reader, body, limits, arena, problem)) {
        return false;
    }
    const proto_node root = proto_root(reader.root);
    if (proto_object_open(&reader, &root, &object)) {
        decode_set(&reader, &object, name, &set);
    }
    const bool is_decoded = proto_reader_finish(&reader, problem);
    proto_reader_close(&reader);
    if (is_decoded) {
        *out = set;
    }
    return is_decoded;
}

/* --- Changes --- */

struct proto_change {
    proto_change_request request;
    struct proto_reader reader;
    /* Set by apply. */
    const proto_base *base;
    proto_edit *edits;
    uint32_t count;
    uint64_t shape_count; /* of the set after the change */
};

static bool is_tick(proto_change_form form) {
    return form == PROTO_PUT_TICK || form == PROTO_POST_TICK;
}

static bool is_of_one_shape(proto_change_form form) {
    return form == PROTO_PATCH_SHAPE || form == PROTO_PUT_SHAPE;
}

/* --- Checks of the text alone --- */

static void check_root(struct proto_reader *reader, const proto_node *node,
                       const proto_change_request *request) {
    static const char *const known[][8] = {
        [PROTO_PATCH_SET] = {"dimension", "history", "shapes", "meta", "name", "revision", "tick",
                             "ticks"},
        [PROTO_PUT_TICK] = {"shapes"},
        [PROTO_POST_TICK] = {"shapes", "at", "filter", "options", "queries", "overlaps"},
    };
    const proto_node shapes = proto_peek(node, "shapes");
    proto_object root;
    uint32_t dimension = 0;

    if (!proto_object_open(reader, node, &root) || is_of_one_shape(request->form)) {
        return;
    }
    for (size_t i = 0; i < 8 && known[request->form][i] != NULL; i++) {
        proto_optional(&root, known[request->form][i]);
    }
    if (request->form == PROTO_PATCH_SET) {
        check_set_name(reader, proto_peek(node, "name"), request->name);
        proto_read_u32(reader, proto_peek(node, "dimension"), 2, 3, &dimension);
    }
    if (!proto_is_given(&shapes) && proto_has(node, "shapes")) {
        proto_refuse(reader, &shapes, PROTO_WRONG_TYPE, "expected an object, found null");
    } else {
        proto_read_object(reader, &shapes);
    }
    proto_object_close(reader, &root);
}

bool proto_change_open(const proto_change_request *request, struct proto_change **out,
                       struct proto_problem *problem) {
    struct proto_change *change = gjk_arena_alloc(request->arena, sizeof *change);

    if (change == NULL) {
        return proto_problem_set(problem, PROTO_OUT_OF_MEMORY,
                                 "the request needs more memory than there is");
    }
    *change = (struct proto_change){.request = *request};
    if (!proto_reader_open(&change->reader, request->body, request->limits, request->arena,
                           problem)) {
        return false;
    }
    const proto_node root = proto_root(change->reader.root);
    check_root(&change->reader, &root, request);
    if (!proto_reader_finish(&change->reader, problem)) {
        proto_change_close(change);
        return false;
    }
    *out = change;
    return true;
}

void proto_change_close(struct proto_change *change) {
    proto_reader_close(&change->reader);
}

/* --- One shape --- */

/*
 * Refuses the removal of unknown members. Otherwise the removal of a misspelled member would
 * silently do nothing.
 */
static void check_removals(struct proto_reader *reader, const proto_node *patch,
                           proto_change_form form) {
    static const char *const own[] = {"type",     "rounding", "position", "angle", "orientation",
                                      "category", "mask",     "group",    "meta",  "handle"};
    enum { OWN_COUNT = sizeof own / sizeof own[0] };
    const char *known[OWN_COUNT + 1 + PROTO_GEOMETRY_NAMES_MAX];

    memcpy(known, own, sizeof own);
    known[OWN_COUNT] = is_tick(form) ? "teleport" : "revision";
    known[OWN_COUNT + 1] = NULL;
    for (size_t i = 0; i < patch->value.count; i++) {
        const proto_text name = proto_name_at(patch->value, i);
        bool is_known =
            proto_member_value(patch->value, i).type != PROTO_NULL || proto_is_geometry(name);
        for (size_t k = 0; !is_known && known[k] != NULL; k++) {
            is_known = proto_text_equals(name, known[k], strlen(known[k]));
        }
        if (is_known) {
            continue;
        }
        const proto_node member = proto_member(patch, i);
        proto_refuse(reader, &member, PROTO_UNKNOWN_MEMBER, "the member \"%.*s\" is not known here",
                     proto_shown(name, 128), name.data);
        proto_geometry_names(&known[OWN_COUNT + 1]);
        proto_hint_names(reader, "members", name, known);
        if (!proto_may_go_on(reader)) {
            return;
        }
    }
}

/* Returns true if a patch has only members of the pose, and perhaps `teleport` and `handle`. */
static bool is_move(const proto_node *patch, proto_change_form form) {
    const size_t known = (size_t)proto_has(patch, "position") + proto_has(patch, "angle") +
                         proto_has(patch, "orientation") + proto_has(patch, "handle") +
                         (is_tick(form) && proto_has(patch, "teleport"));

    return known == proto_object_size(patch->value);
}

/* Returns the stored place with the parts replaced that the patch gives. */
static proto_place merge_place(const proto_place *stored, const proto_node *patch,
                               const proto_place *given) {
    proto_place place = *stored;

    if (proto_has(patch, "position")) {
        place.has_position = given->has_position;
        place.pose.position = given->pose.position;
    }
    if (proto_has(patch, "angle") || proto_has(patch, "orientation")) {
        place.has_rotation = given->has_rotation;
        gjk_pose_turn_as(&place.pose, &given->pose);
    }
    return place;
}

/* Removes the geometry from a definition. Returns false if memory is exhausted. */
static bool drop_geometry(struct gjk_arena *arena, proto_value *definition) {
    proto_value *pairs = gjk_arena_alloc_array(arena, 2 * (size_t)definition->count, sizeof *pairs);
    uint32_t count = 0;

    for (size_t i = 0; pairs != NULL && i < definition->count; i++) {
        if (!proto_is_geometry(proto_name_at(*definition, i))) {
            memcpy(&pairs[2 * (size_t)count++], &definition->items[2 * i], 2 * sizeof *pairs);
        }
    }
    *definition = proto_object_of(pairs, count);
    return pairs != NULL;
}

/* Merges the patch into the stored definition. The result has a place only if the patch gives
 * one. */
static bool merge_shape(struct proto_reader *reader, const proto_node *patch,
                        const proto_stored *stored, proto_node *out) {
    proto_value target = {.type = PROTO_ABSENT};

    if (stored != NULL && !proto_read_stored(reader, stored->definition, &target)) {
        return false;
    }
    const bool drops = stored != NULL && proto_has(patch, "type");
    return ((!drops || drop_geometry(reader->scratch, &target)) &&
            proto_merge(reader->scratch, target, patch->value, &out->value)) ||
           proto_refuse_memory(reader);
}

/* Decodes the shape that results from the patch and the stored shape (NULL: none) into the edit. */
static void define_edit(struct proto_change *change, const proto_node *patch,
                        const proto_stored *stored, proto_edit *edit) {
    struct proto_reader *reader = &change->reader;
    const uint32_t refused = reader->refused;
    const bool is_first = reader->mistake_count == 0;
    const bool is_whole = change->request.form == PROTO_PUT_SHAPE;
    const bool is_alone = is_of_one_shape(change->request.form);
    const proto_shape_use use = is_alone                        ? PROTO_SHAPE_ALONE
                                : is_tick(change->request.form) ? PROTO_SHAPE_AT_TICK
                                                                : PROTO_SHAPE_STORED;
    proto_shape *shape = gjk_arena_alloc(reader->arena, sizeof *shape);
    proto_node merged = *patch;

    if (shape == NULL) {
        proto_refuse_memory(reader);
        return;
    }
    if (!is_whole && !merge_shape(reader, patch, stored, &merged)) {
        return;
    }
    const proto_kept kept = {stored != NULL ? stored->shape : NULL, patch};
    const bool keeps =
        kept.shape != NULL && kept.shape->pieces != NULL && !is_whole && !proto_has(patch, "type");
    proto_decode_shape(reader, &merged, change->base->dimension, use, keeps ? &kept : NULL, shape);
    if (reader->refused != refused) {
        if (stored == NULL && !is_whole && is_first && reader->mistake_count == 1 &&
            reader->mistakes[0].code == PROTO_MISSING_MEMBER) {
            reader->last = &reader->mistakes[0];
            proto_hint(reader, "the set has no shape \"%.128s\" yet", edit->id);
        }
        return;
    }
    const proto_node meta = proto_peek(&merged, "meta");
    if (is_alone) {
        proto_check_meta_depth(reader, &meta);
    }
    if (stored != NULL && !is_whole) {
        shape->place = merge_place(&stored->place, patch, &shape->place);
    }
    edit->kind = PROTO_EDIT_DEFINE;
    edit->shape = shape;
    change->shape_count += stored == NULL;
}

/* Appends the edit of shape `id` by its patch, unless the patch changes nothing. */
static void change_shape(struct proto_change *change, const proto_node *patch, const char *id) {
    const proto_base *base = change->base;
    proto_edit *edit = &change->edits[change->count];
    const proto_change_form form = change->request.form;
    proto_object object;
    proto_stored stored;
    proto_place given = {0};

    *edit = (proto_edit){.id = id};
    if (!proto_object_open(&change->reader, patch, &object)) {
        return;
    }
    if (is_tick(form)) {
        proto_read_bool(&change->reader, proto_peek(patch, "teleport"), &edit->teleport);
    }
    check_removals(&change->reader, patch, form);
    const bool is_stored = base->find(base->user, id, &stored);
    edit->self = is_stored ? stored.self : NULL;
    const bool moves = is_stored && form != PROTO_PUT_SHAPE && is_move(patch, form);
    const bool is_empty = proto_object_size(patch->value) == proto_has(patch, "teleport");
    if (moves && is_empty && !edit->teleport) {
        return;
    }
    change->count++;
    if (moves) {
        proto_decode_place(&change->reader, &object, base->dimension, &given);
        edit->kind = PROTO_EDIT_MOVE;
        edit->place = merge_place(&stored.place, patch, &given);
    } else {
        define_edit(change, patch, is_stored ? &stored : NULL, edit);
    }
}

/* --- All shapes --- */

static void edit_shapes(struct proto_change *change, const proto_node *shapes) {
    struct proto_reader *reader = &change->reader;
    const proto_base *base = change->base;
    proto_stored stored;
    const char *id;

    for (size_t i = 0; i < proto_object_size(shapes->value); i++) {
        const proto_node patch = proto_member(shapes, i);
        if (proto_copy_id(reader, &patch, proto_name_at(shapes->value, i), &id)) {
            if (patch.value.type != PROTO_NULL) {
                change_shape(change, &patch, id);
            } else if (base->find(base->user, id, &stored)) {
                change->edits[change->count++] =
                    (proto_edit){.id = id, .kind = PROTO_EDIT_REMOVE, .self = stored.self};
                change->shape_count--;
            }
        }
        if (!proto_may_go_on(reader)) {
            return;
        }
    }
}

/* --- The set itself --- */

/* Merges the patch of a member of the set into its value. target is absent if the set has none. */
static bool merge_member(struct proto_change *change, const proto_node *root, const char *name,
                         proto_text target, proto_node *out) {
    struct proto_reader *reader = &change->reader;
    proto_value old = {.type = PROTO_ABSENT};

    *out = proto_peek(root, name);
    if (!proto_is_given(out)) {
        return true;
    }
    if (target.data != NULL && !proto_read_stored(reader, target, &old)) {
        return false;
    }
    return proto_merge(reader->scratch, old, out->value, &out->value) ||
           proto_refuse_memory(reader);
}

static void edit_set(struct proto_change *change, const proto_node *root, proto_edits *out) {
    struct proto_reader *reader = &change->reader;
    const proto_base *base = change->base;
    const proto_node node = proto_peek(root, "dimension");
    uint32_t dimension = base->dimension;
    struct proto_buffer ticks;
    proto_node history, meta;

    if (!proto_read_u32(reader, node, 2, 3, &dimension)) {
        return;
    }
    if (dimension != base->dimension || (proto_has(root, "dimension") && !proto_is_given(&node))) {
        proto_refuse(reader, &node, PROTO_DIMENSION_MISMATCH, "the set is %uD and stays so",
                     base->dimension);
        proto_hint(reader, "leave \"dimension\" out, or make another set with PUT");
        return;
    }
    if (proto_has(root, "history")) {
        proto_buffer_init(&ticks, reader->scratch);
        if (base->has_history) {
            proto_put_text(&ticks, "{\"ticks\":");
            proto_put_integer(&ticks, base->history_ticks);
            proto_put_text(&ticks, "}");
        }
        if (ticks.failed) {
            proto_refuse_memory(reader);
            return;
        }
        out->sets_history = true;
        if (merge_member(change, root, "history", (proto_text){ticks.data, ticks.length},
                         &history)) {
            decode_history(reader, &history, &out->has_history, &out->history_ticks);
        }
    }
    if (proto_has(root, "meta")) {
        out->sets_meta = true;
        if (merge_member(change, root, "meta", base->meta, &meta)) {
            proto_decode_meta(reader, &meta, &out->meta);
        }
    }
}

/* --- The whole --- */

int proto_compare_edits(const void *a, const void *b) {
    return strcmp(((const proto_edit *)a)->id, ((const proto_edit *)b)->id);
}

static void apply(struct proto_change *change, const proto_node *root, proto_edits *out) {
    struct proto_reader *reader = &change->reader;
    const bool is_alone = is_of_one_shape(change->request.form);
    const proto_node shapes = is_alone ? *root : proto_peek(root, "shapes");
    const size_t capacity = is_alone ? 1 : proto_object_size(shapes.value);
    const uint64_t limit = reader->limits->shapes_per_set_max;

    change->edits = gjk_arena_alloc_array(reader->arena, capacity, sizeof(proto_edit));
    if (change->edits == NULL) {
        proto_refuse_memory(reader);
        return;
    }
    if (change->request.form == PROTO_PATCH_SET) {
        edit_set(change, root, out);
    }
    if (is_alone) {
        change_shape(change, root, change->request.name);
    } else {
        edit_shapes(change, &shapes);
    }
    if (reader->refused == 0 && change->shape_count > limit &&
        change->shape_count > change->base->shape_count) {
        proto_refuse_many(reader, &shapes, "shapes", change->shape_count, limit);
    }
    if (reader->refused != 0) {
        return;
    }
    const gjk_status status = gjk_sort(reader->arena, change->edits, change->count,
                                       sizeof(proto_edit), proto_compare_edits);
    if (status != GJK_OK) {
        proto_refuse_status(reader, root, status);
    }
    out->items = change->edits;
    out->count = change->count;
}

bool proto_change_apply(struct proto_change *change, const proto_base *base, proto_edits *out,
                        struct proto_problem *problem) {
    const proto_node root = proto_root(change->reader.root);

    *out = (proto_edits){0};
    change->base = base;
    change->shape_count = base->shape_count;
    apply(change, &root, out);
    return proto_reader_finish(&change->reader, problem);
}
