/*
 * What becomes of a stored set by a request that names some of its shapes? The patch of each is
 * merged into what is stored of that one (RFC 7396), and the result decoded like any shape, so
 * that it meets every rule and every refusal names its place. The contract adds one rule: a
 * patch that names `type` drops the old geometry first. Most patches only move shapes; those
 * never look at the definition.
 */

#include "proto/edit.h"

#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "merge.h"
#include "suggest.h"

/* Levels around a shape's meta in the body of a set, which must take what one shape's did. */
#define DEPTH_AROUND_META 3

struct proto_change {
    proto_change_request request;
    struct proto_document document;
    struct proto_reader reader;
};

/* One application of a change. */
struct application {
    struct proto_reader *reader;
    struct proto_document *document;
    proto_change_form form;
    const proto_base *base;
    proto_edit *edits;
    uint32_t count;
    uint64_t shape_count; /* of the set, as it becomes */
};

/* --- What the text alone tells --- */

static bool check_shapes(struct proto_reader *reader, const proto_node *root) {
    proto_node shapes = proto_optional(root, "shapes");

    if (shapes.json == NULL && proto_has(root, "shapes"))
        return proto_refuse(reader, &shapes, PROTO_WRONG_TYPE, "expected an object, found null");
    return proto_read_object(reader, &shapes);
}

static bool check_dimension(struct proto_reader *reader, const proto_node *root) {
    uint64_t dimension = 0;

    return !proto_has(root, "dimension") ||
           proto_read_integer(reader, proto_required(root, "dimension"), 2, 3, &dimension);
}

static bool check_root(struct proto_reader *reader, const proto_node *root,
                       const proto_change_request *request) {
    static const char *const of_set[] = {"dimension", "history", "shapes", "meta", NULL};
    static const char *const read_only[] = {"name", "revision", "tick", "ticks", NULL};
    static const char *const of_tick[] = {"shapes", NULL};

    if (!proto_read_object(reader, root))
        return false;
    switch (request->form) {
    case PROTO_PATCH_SET:
        return proto_check_members(reader, root, of_set, read_only) &&
               proto_check_set_name(reader, proto_optional(root, "name"), request->name) &&
               check_dimension(reader, root) && check_shapes(reader, root);
    case PROTO_PUT_TICK:
        return proto_check_members(reader, root, of_tick, NULL) && check_shapes(reader, root);
    case PROTO_PATCH_SHAPE:
    case PROTO_PUT_SHAPE:
        break;
    }
    return true;
}

bool proto_change_open(const proto_change_request *request, struct proto_change **out,
                       struct proto_problem *problem) {
    struct proto_change *change = gjk_arena_alloc(request->arena, sizeof *change);

    if (change == NULL)
        return proto_problem_set(problem, PROTO_OUT_OF_MEMORY,
                                 "the request needs more memory than there is");
    change->request = *request;
    if (!proto_document_open(&change->document, request->body, request->arena, problem))
        return false;
    proto_reader_init(&change->reader, &change->document, request->limits, request->arena, problem);
    proto_node root = proto_root(change->document.root);
    if (!check_root(&change->reader, &root, request)) {
        proto_change_close(change);
        return false;
    }
    *out = change;
    return true;
}

void proto_change_close(struct proto_change *change) {
    proto_document_close(&change->document);
}

/* --- One shape --- */

/* What is not there cannot be removed by a wrong name in silence. */
static bool check_removals(struct proto_reader *reader, const proto_node *patch) {
    static const char *const others[] = {"type",        "rounding", "position", "angle",
                                         "orientation", "category", "mask",     "group",
                                         "meta",        "handle",   "revision", NULL};
    const char *name;
    json_t *value;

    json_object_foreach(patch->json, name, value) {
        bool is_known = !json_is_null(value) || proto_is_geometry(name);
        for (size_t i = 0; !is_known && others[i] != NULL; i++)
            is_known = strcmp(name, others[i]) == 0;
        if (is_known)
            continue;
        proto_node member = proto_optional(patch, name);
        proto_refuse(reader, &member, PROTO_UNKNOWN_MEMBER,
                     "the member \"%.128s\" is not known here", name);
        proto_suggest(reader->problem, "members", name, others, NULL);
        return false;
    }
    return true;
}

static bool is_move(const proto_node *patch) {
    static const char *const of_pose[] = {"position", "angle", "orientation", "handle"};
    size_t known = 0;

    for (size_t i = 0; i < sizeof of_pose / sizeof of_pose[0]; i++)
        known += proto_has(patch, of_pose[i]);
    return known == json_object_size(patch->json);
}

/* The stored place, with what the patch says in its stead. */
static proto_place merge_place(const proto_place *stored, const proto_node *patch,
                               const proto_place *given) {
    proto_place place = *stored;

    if (proto_has(patch, "position")) {
        place.has_position = given->has_position;
        place.pose.position = given->pose.position;
    }
    if (proto_has(patch, "angle") || proto_has(patch, "orientation")) {
        place.has_rotation = given->has_rotation;
        place.pose.rotation = given->pose.rotation;
        place.turn = given->turn;
    }
    return place;
}

static void drop_geometry(json_t *definition) {
    const char *name;
    json_t *value;
    void *next;

    json_object_foreach_safe(definition, next, name, value) {
        if (proto_is_geometry(name))
            json_object_del(definition, name);
    }
}

/* What the shape becomes, its place left out where the patch says nothing of it. NULL: refused. */
static json_t *merge_shape(struct application *application, const proto_node *patch,
                           const proto_stored *stored) {
    json_t *target = NULL, *merged = NULL;

    proto_document_enter(application->document);
    if (stored != NULL)
        target = proto_document_parse(stored->definition);
    if (target != NULL && proto_has(patch, "type"))
        drop_geometry(target);
    if (target != NULL || stored == NULL)
        merged = proto_merge(target, patch->json);
    if (proto_document_leave() && merged != NULL)
        return merged;
    proto_refuse_memory(application->reader);
    return NULL;
}

static size_t depth_of(json_t *json) {
    size_t deepest = 0, index;
    const char *name;
    json_t *value;

    json_object_foreach(json, name, value) {
        size_t depth = depth_of(value);
        deepest = depth > deepest ? depth : deepest;
    }
    json_array_foreach(json, index, value) {
        size_t depth = depth_of(value);
        deepest = depth > deepest ? depth : deepest;
    }
    return json_is_object(json) || json_is_array(json) ? deepest + 1 : 0;
}

/* A shape alone may not be deeper than it can be in its set, which GET tells and PUT takes. */
static bool check_depth(struct application *application, const proto_node *shape) {
    proto_node meta = proto_optional(shape, "meta");

    if (depth_of(meta.json) <= PROTO_DEPTH_MAX - DEPTH_AROUND_META)
        return true;
    proto_refuse(application->reader, &meta, PROTO_MALFORMED_JSON,
                 "in its set this would be nested deeper than %d levels", PROTO_DEPTH_MAX);
    return proto_problem_limit(application->reader->problem, PROTO_DEPTH_MAX);
}

static bool define(struct application *application, const proto_node *patch,
                   const proto_stored *stored, proto_edit *edit) {
    struct proto_reader *reader = application->reader;
    const bool is_whole = application->form == PROTO_PUT_SHAPE;
    const bool is_alone = is_whole || application->form == PROTO_PATCH_SHAPE;
    proto_shape *shape = gjk_arena_alloc(reader->arena, sizeof *shape);
    proto_node merged = *patch;

    if (shape == NULL)
        return proto_refuse_memory(reader);
    if (!is_whole) {
        merged.json = merge_shape(application, patch, stored);
        if (merged.json == NULL)
            return false;
    }
    if (!proto_decode_shape(reader, &merged, application->base->dimension,
                            is_alone ? PROTO_SHAPE_ALONE : PROTO_SHAPE_STORED, shape)) {
        if (stored == NULL && !is_whole && reader->problem->code == PROTO_MISSING_MEMBER)
            proto_problem_hint(reader->problem, "the set has no shape \"%.128s\" yet", edit->id);
        return false;
    }
    if (is_alone && !check_depth(application, &merged))
        return false;
    if (stored != NULL && !is_whole)
        shape->place = merge_place(&stored->place, patch, &shape->place);
    edit->kind = PROTO_EDIT_DEFINE;
    edit->shape = shape;
    application->shape_count += stored == NULL;
    return true;
}

static bool move(struct application *application, const proto_node *patch,
                 const proto_stored *stored, proto_edit *edit) {
    proto_place given;

    if (!proto_decode_place(application->reader, patch, application->base->dimension, &given))
        return false;
    edit->kind = PROTO_EDIT_MOVE;
    edit->place = merge_place(&stored->place, patch, &given);
    return true;
}

static bool take_teleport(struct application *application, const proto_node *patch,
                          proto_edit *edit) {
    if (application->form != PROTO_PUT_TICK)
        return true;
    if (!proto_read_bool(application->reader, proto_optional(patch, "teleport"), &edit->teleport))
        return false;
    json_object_del(patch->json, "teleport");
    return true;
}

/* The edit that the patch of one shape comes to, if it comes to any. */
static bool edit_shape(struct application *application, const proto_node *patch, const char *id) {
    const proto_base *base = application->base;
    proto_edit *edit = &application->edits[application->count];
    proto_stored stored;

    *edit = (proto_edit){.id = id};
    if (!proto_read_object(application->reader, patch) ||
        !take_teleport(application, patch, edit) || !check_removals(application->reader, patch))
        return false;
    bool is_stored = base->find(base->user, id, &stored);
    edit->self = is_stored ? stored.self : NULL;
    bool moves = is_stored && application->form != PROTO_PUT_SHAPE && is_move(patch);
    if (moves && json_object_size(patch->json) == 0 && !edit->teleport)
        return true;
    application->count++;
    return moves ? move(application, patch, &stored, edit)
                 : define(application, patch, is_stored ? &stored : NULL, edit);
}

/* --- All of them --- */

static void remove_shape(struct application *application, const char *id) {
    const proto_base *base = application->base;
    proto_stored stored;

    if (base->find(base->user, id, &stored)) {
        application->edits[application->count++] =
            (proto_edit){.id = id, .kind = PROTO_EDIT_REMOVE, .self = stored.self};
        application->shape_count--;
    }
}

static bool edit_shapes(struct application *application, const proto_node *shapes) {
    struct proto_reader *reader = application->reader;
    const char *name, *id;
    json_t *value;

    json_object_foreach(shapes->json, name, value) {
        proto_node patch = {.parent = shapes, .name = name, .json = value, .is_required = true};
        if (!proto_copy_id(reader, &patch, name, strlen(name), &id))
            return false;
        if (json_is_null(value))
            remove_shape(application, id);
        else if (!edit_shape(application, &patch, id))
            return false;
    }
    return true;
}

static bool check_count(const struct application *application, const proto_node *shapes) {
    const uint64_t limit = application->reader->limits->shapes_per_set_max;

    return application->shape_count <= limit ||
           application->shape_count <= application->base->shape_count ||
           proto_refuse_many(application->reader, shapes, "shapes", application->shape_count,
                             limit);
}

/* --- The set itself --- */

/* A member of the set, merged; target NULL: the set has none. */
static bool merge_member(struct application *application, const proto_node *root, const char *name,
                         proto_text target, proto_node *out) {
    *out = proto_optional(root, name);
    if (out->json == NULL)
        return true;
    proto_document_enter(application->document);
    json_t *old = target.data != NULL ? proto_document_parse(target) : NULL;
    if (old != NULL || target.data == NULL)
        out->json = proto_merge(old, out->json);
    return (proto_document_leave() && out->json != NULL) ||
           proto_refuse_memory(application->reader);
}

static bool edit_history(struct application *application, const proto_node *root,
                         proto_edits *out) {
    const proto_base *base = application->base;
    struct proto_buffer text;
    proto_node history;

    if (!proto_has(root, "history"))
        return true;
    proto_buffer_init(&text, &application->document->scratch);
    if (base->has_history) {
        proto_put_text(&text, "{\"ticks\":");
        proto_put_integer(&text, base->history_ticks);
        proto_put_text(&text, "}");
    }
    if (text.failed)
        return proto_refuse_memory(application->reader);
    out->sets_history = true;
    return merge_member(application, root, "history", (proto_text){text.data, text.length},
                        &history) &&
           proto_decode_history(application->reader, &history, &out->has_history,
                                &out->history_ticks);
}

static bool edit_meta(struct application *application, const proto_node *root, proto_edits *out) {
    proto_node meta;

    if (!proto_has(root, "meta"))
        return true;
    out->sets_meta = true;
    return merge_member(application, root, "meta", application->base->meta, &meta) &&
           proto_decode_meta(application->reader, &meta, &out->meta);
}

static bool edit_set(struct application *application, const proto_node *root, proto_edits *out) {
    const uint32_t stored = application->base->dimension;
    proto_node node = proto_optional(root, "dimension");
    uint64_t dimension = stored;

    if (!proto_read_integer(application->reader, node, 2, 3, &dimension))
        return false;
    if (dimension != stored)
        return proto_refuse(application->reader, &node, PROTO_DIMENSION_MISMATCH,
                            "the set is %uD and stays so", stored);
    return edit_history(application, root, out) && edit_meta(application, root, out);
}

/* --- The whole --- */

static int compare_ids(const void *a, const void *b) {
    return strcmp(((const proto_edit *)a)->id, ((const proto_edit *)b)->id);
}

static bool apply(struct application *application, const proto_node *root, const char *name,
                  proto_edits *out) {
    const bool is_alone =
        application->form == PROTO_PATCH_SHAPE || application->form == PROTO_PUT_SHAPE;
    proto_node shapes = is_alone ? *root : proto_optional(root, "shapes");
    size_t capacity = is_alone ? 1 : json_object_size(shapes.json);

    application->edits =
        gjk_arena_alloc_array(application->reader->arena, capacity, sizeof(proto_edit));
    if (application->edits == NULL)
        return proto_refuse_memory(application->reader);
    if ((application->form == PROTO_PATCH_SET && !edit_set(application, root, out)) ||
        !(is_alone ? edit_shape(application, root, name) : edit_shapes(application, &shapes)) ||
        !check_count(application, &shapes))
        return false;
    qsort(application->edits, application->count, sizeof(proto_edit), compare_ids);
    out->items = application->edits;
    out->count = application->count;
    return true;
}

bool proto_change_apply(struct proto_change *change, const proto_base *base, proto_edits *out,
                        struct proto_problem *problem) {
    struct application application = {
        .reader = &change->reader,
        .document = &change->document,
        .form = change->request.form,
        .base = base,
        .shape_count = base->shape_count,
    };
    proto_node root = proto_root(change->document.root);

    change->reader.problem = problem;
    *out = (proto_edits){0};
    return apply(&application, &root, change->request.name, out);
}
