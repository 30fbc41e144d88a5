/*
 * Decodes changes of a stored set. Opening a change checks all that its text alone tells, before
 * the writer of the set waits for its turn; applying it then makes one edit of every shape that it
 * names (change_shape.c), in the order of ids.
 */

#include "proto/edit.h"

#include <string.h>

#include "decode/change_shape.h"
#include "gjk/sort.h"
#include "json/reader.h"

struct proto_change {
    proto_change_request request;
    struct proto_document document;
    struct proto_reader reader;
};

/* --- Checks of the text alone --- */

static bool check_shapes(struct proto_reader *reader, const proto_node *root) {
    proto_node shapes = proto_optional(root, "shapes");

    if (!proto_is_given(&shapes) && proto_has(root, "shapes")) {
        return proto_refuse(reader, &shapes, PROTO_WRONG_TYPE, "expected an object, found null");
    }
    return proto_read_object(reader, &shapes);
}

static bool check_dimension(struct proto_reader *reader, const proto_node *root) {
    uint64_t dimension = 0;

    return proto_read_integer(reader, proto_optional(root, "dimension"), 2, 3, &dimension);
}

static bool check_root(struct proto_reader *reader, const proto_node *root,
                       const proto_change_request *request) {
    static const char *const of_set[] = {"dimension", "history", "shapes", "meta", NULL};
    static const char *const read_only[] = {"name", "revision", "tick", "ticks", NULL};
    static const char *const of_tick[] = {"shapes", NULL};
    static const char *const of_batch[] = {"at", "filter", "options", "queries", NULL};
    bool is_fine;

    if (!proto_read_object(reader, root)) {
        return false;
    }
    switch (request->form) {
    case PROTO_PATCH_SET:
        is_fine = proto_check_members(reader, root, of_set, read_only);
        is_fine =
            proto_check_set_name(reader, proto_optional(root, "name"), request->name) && is_fine;
        is_fine = check_dimension(reader, root) && is_fine;
        return check_shapes(reader, root) && is_fine;
    case PROTO_PUT_TICK:
    case PROTO_POST_TICK:
        is_fine = proto_check_members(reader, root, of_tick,
                                      request->form == PROTO_POST_TICK ? of_batch : NULL);
        return check_shapes(reader, root) && is_fine;
    case PROTO_PATCH_SHAPE:
    case PROTO_PUT_SHAPE:
        break;
    }
    return true;
}

bool proto_change_open(const proto_change_request *request, struct proto_change **out,
                       struct proto_problem *problem) {
    struct proto_change *change = gjk_arena_alloc(request->arena, sizeof *change);

    if (change == NULL) {
        return proto_problem_set(problem, PROTO_OUT_OF_MEMORY,
                                 "the request needs more memory than there is");
    }
    change->request = *request;
    if (!proto_document_open(&change->document, request->body, request->arena, problem)) {
        return false;
    }
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

/* --- All shapes --- */

static void remove_shape(struct proto_application *application, const char *id) {
    const proto_base *base = application->base;
    proto_stored stored;

    if (base->find(base->user, id, &stored)) {
        application->edits[application->count++] =
            (proto_edit){.id = id, .kind = PROTO_EDIT_REMOVE, .self = stored.self};
        application->shape_count--;
    }
}

static bool edit_shapes(struct proto_application *application, const proto_node *shapes) {
    struct proto_reader *reader = application->reader;
    const char *id;
    bool is_fine = true;

    for (size_t i = 0; i < proto_object_size(shapes->value); i++) {
        const proto_node patch = proto_member(shapes, i);
        if (!proto_copy_id(reader, &patch, proto_name_at(shapes->value, i), &id)) {
            is_fine = false;
        } else if (patch.value.type == PROTO_NULL) {
            remove_shape(application, id);
        } else {
            is_fine = proto_change_shape(application, &patch, id) && is_fine;
        }
        if (!proto_may_go_on(reader)) {
            break;
        }
    }
    return is_fine;
}

static bool check_count(const struct proto_application *application, const proto_node *shapes) {
    const uint64_t limit = application->reader->limits->shapes_per_set_max;

    return application->shape_count <= limit ||
           application->shape_count <= application->base->shape_count ||
           proto_refuse_many(application->reader, shapes, "shapes", application->shape_count,
                             limit);
}

/* --- The set itself --- */

/* Merges a member of the set with its patch. target NULL: the set has none. */
static bool merge_member(struct proto_application *application, const proto_node *root,
                         const char *name, proto_text target, proto_node *out) {
    *out = proto_optional(root, name);
    if (!proto_is_given(out)) {
        return true;
    }
    struct proto_reader *reader = application->reader;
    proto_value old = {.type = PROTO_ABSENT};
    if (target.data != NULL && !proto_read_stored(reader, target, &old)) {
        return false;
    }
    return proto_merge(reader->scratch, old, out->value, &out->value) ||
           proto_refuse_memory(reader);
}

static bool edit_history(struct proto_application *application, const proto_node *root,
                         proto_edits *out) {
    const proto_base *base = application->base;
    struct proto_buffer text;
    proto_node history;

    if (!proto_has(root, "history")) {
        return true;
    }
    proto_buffer_init(&text, application->reader->scratch);
    if (base->has_history) {
        proto_put_text(&text, "{\"ticks\":");
        proto_put_integer(&text, base->history_ticks);
        proto_put_text(&text, "}");
    }
    if (text.failed) {
        return proto_refuse_memory(application->reader);
    }
    out->sets_history = true;
    return merge_member(application, root, "history", (proto_text){text.data, text.length},
                        &history) &&
           proto_decode_history(application->reader, &history, &out->has_history,
                                &out->history_ticks);
}

static bool edit_meta(struct proto_application *application, const proto_node *root,
                      proto_edits *out) {
    proto_node meta;

    if (!proto_has(root, "meta")) {
        return true;
    }
    out->sets_meta = true;
    return merge_member(application, root, "meta", application->base->meta, &meta) &&
           proto_decode_meta(application->reader, &meta, &out->meta);
}

static bool edit_set(struct proto_application *application, const proto_node *root,
                     proto_edits *out) {
    const uint32_t stored = application->base->dimension;
    proto_node node = proto_optional(root, "dimension");
    uint64_t dimension = stored;

    if (!proto_read_integer(application->reader, node, 2, 3, &dimension)) {
        return false;
    }
    bool is_null = proto_has(root, "dimension") && !proto_is_given(&node);
    if (dimension != stored || is_null) {
        proto_refuse(application->reader, &node, PROTO_DIMENSION_MISMATCH,
                     "the set is %uD and stays so", stored);
        return proto_problem_hint(application->reader->problem,
                                  "leave \"dimension\" out, or make another set with PUT");
    }
    bool is_fine = edit_history(application, root, out);
    return edit_meta(application, root, out) && is_fine;
}

/* --- The whole --- */

static int compare_ids(const void *a, const void *b) {
    return strcmp(((const proto_edit *)a)->id, ((const proto_edit *)b)->id);
}

static bool apply(struct proto_application *application, const proto_node *root, const char *name,
                  proto_edits *out) {
    const bool is_alone =
        application->form == PROTO_PATCH_SHAPE || application->form == PROTO_PUT_SHAPE;
    proto_node shapes = is_alone ? *root : proto_optional(root, "shapes");
    size_t capacity = is_alone ? 1 : proto_object_size(shapes.value);

    application->edits =
        gjk_arena_alloc_array(application->reader->arena, capacity, sizeof(proto_edit));
    if (application->edits == NULL) {
        return proto_refuse_memory(application->reader);
    }
    bool is_fine = application->form != PROTO_PATCH_SET || edit_set(application, root, out);
    is_fine = (is_alone ? proto_change_shape(application, root, name)
                        : edit_shapes(application, &shapes)) &&
              is_fine;
    if (!is_fine || !check_count(application, &shapes)) {
        return false;
    }
    gjk_status status = gjk_sort(application->reader->arena, application->edits, application->count,
                                 sizeof(proto_edit), compare_ids);
    if (status != GJK_OK) {
        return proto_refuse_status(application->reader, root, status);
    }
    out->items = application->edits;
    out->count = application->count;
    return true;
}

bool proto_change_apply(struct proto_change *change, const proto_base *base, proto_edits *out,
                        struct proto_problem *problem) {
    struct proto_application application = {
        .reader = &change->reader,
        .form = change->request.form,
        .base = base,
        .shape_count = base->shape_count,
    };
    proto_node root = proto_root(change->document.root);

    change->reader.problem = problem;
    *out = (proto_edits){0};
    return apply(&application, &root, change->request.name, out);
}
