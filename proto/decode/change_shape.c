/*
 * Applies a merge patch (RFC 7396) to one stored shape. The patch is merged into the stored
 * definition and the result is decoded like any shape, so that it meets every rule and every
 * problem points at its place. The contract adds one rule: a patch that names `type` drops the old
 * geometry first. A patch that only moves the shape takes a shorter way that never looks at the
 * definition.
 */

#include <string.h>

#include "decode/change_shape.h"
#include "reader/document.h"
#include "text/text.h"

/*
 * Checks that a patch removes known members only: removing a misspelt one would do nothing, in
 * silence.
 */
static bool check_removals(struct proto_reader *reader, const proto_node *patch,
                           proto_change_form form) {
    static const char *const others[] = {"type",        "rounding", "position", "angle",
                                         "orientation", "category", "mask",     "group",
                                         "meta",        "handle",   "revision", NULL};
    static const char *const at_tick[] = {"type",        "rounding", "position", "angle",
                                          "orientation", "category", "mask",     "group",
                                          "meta",        "handle",   "teleport", NULL};
    const char *const *known = form == PROTO_PUT_TICK ? at_tick : others;
    const char *geometry[PROTO_GEOMETRY_NAMES_MAX];
    const char *name;
    json_t *value;
    bool is_fine = true;

    json_object_foreach(patch->json, name, value) {
        bool is_known = !json_is_null(value) || proto_is_geometry(name);
        for (size_t i = 0; !is_known && known[i] != NULL; i++) {
            is_known = strcmp(name, known[i]) == 0;
        }
        if (is_known) {
            continue;
        }
        proto_node member = proto_optional(patch, name);
        proto_refuse(reader, &member, PROTO_UNKNOWN_MEMBER,
                     "the member \"%.128s\" is not known here", name);
        proto_geometry_names(geometry);
        proto_suggest(reader->problem, "members", name, known, geometry);
        is_fine = false;
        if (!proto_may_go_on(reader)) {
            break;
        }
    }
    return is_fine;
}

static bool is_move(const proto_node *patch) {
    static const char *const of_pose[] = {"position", "angle", "orientation", "handle"};
    size_t known = 0;

    for (size_t i = 0; i < sizeof of_pose / sizeof of_pose[0]; i++) {
        known += proto_has(patch, of_pose[i]);
    }
    return known == json_object_size(patch->json);
}

/* Decodes the new place: the stored one, where the patch does not replace it. */
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
        if (proto_is_geometry(name)) {
            json_object_del(definition, name);
        }
    }
}

/*
 * Merges the shape; its place is left out where the patch does not give it. Returns NULL after
 * having set the problem.
 */
static json_t *merge_shape(struct proto_application *application, const proto_node *patch,
                           const proto_stored *stored) {
    json_t *target = NULL, *merged = NULL;

    proto_document_enter(application->document);
    if (stored != NULL) {
        target = proto_document_parse(stored->definition);
    }
    if (target != NULL && proto_has(patch, "type")) {
        drop_geometry(target);
    }
    if (target != NULL || stored == NULL) {
        merged = proto_merge(target, patch->json);
    }
    if (proto_document_leave() && merged != NULL) {
        return merged;
    }
    proto_refuse_memory(application->reader);
    return NULL;
}

static bool define(struct proto_application *application, const proto_node *patch,
                   const proto_stored *stored, proto_edit *edit) {
    struct proto_reader *reader = application->reader;
    const bool is_whole = application->form == PROTO_PUT_SHAPE;
    const bool is_alone = is_whole || application->form == PROTO_PATCH_SHAPE;
    const proto_shape_use use = is_alone                              ? PROTO_SHAPE_ALONE
                                : application->form == PROTO_PUT_TICK ? PROTO_SHAPE_AT_TICK
                                                                      : PROTO_SHAPE_STORED;
    proto_shape *shape = gjk_arena_alloc(reader->arena, sizeof *shape);
    proto_node merged = *patch;

    if (shape == NULL) {
        return proto_refuse_memory(reader);
    }
    if (!is_whole) {
        json_t *json = merge_shape(application, patch, stored);
        if (json == NULL) {
            return false;
        }
        merged = proto_changed(patch, json);
    }
    const proto_kept kept = {stored != NULL ? stored->shape : NULL, patch};
    const bool keeps =
        kept.shape != NULL && kept.shape->pieces != NULL && !is_whole && !proto_has(patch, "type");
    if (!proto_decode_shape(reader, &merged, application->base->dimension, use,
                            keeps ? &kept : NULL, shape)) {
        if (stored == NULL && !is_whole && reader->problem->code == PROTO_MISSING_MEMBER) {
            proto_problem_hint(reader->problem, "the set has no shape \"%.128s\" yet", edit->id);
        }
        return false;
    }
    const proto_node meta = proto_optional(&merged, "meta");
    if (is_alone && !proto_check_meta_depth(reader, &meta)) {
        return false;
    }
    if (stored != NULL && !is_whole) {
        shape->place = merge_place(&stored->place, patch, &shape->place);
    }
    edit->kind = PROTO_EDIT_DEFINE;
    edit->shape = shape;
    application->shape_count += stored == NULL;
    return true;
}

static bool move(struct proto_application *application, const proto_node *patch,
                 const proto_stored *stored, proto_edit *edit) {
    proto_place given;

    if (!proto_decode_place(application->reader, patch, application->base->dimension, &given)) {
        return false;
    }
    edit->kind = PROTO_EDIT_MOVE;
    edit->place = merge_place(&stored->place, patch, &given);
    return true;
}

static bool take_teleport(struct proto_application *application, const proto_node *patch,
                          proto_edit *edit) {
    if (application->form != PROTO_PUT_TICK) {
        return true;
    }
    if (!proto_read_bool(application->reader, proto_optional(patch, "teleport"), &edit->teleport)) {
        return false;
    }
    json_object_del(patch->json, "teleport");
    return true;
}

bool proto_change_shape(struct proto_application *application, const proto_node *patch,
                        const char *id) {
    const proto_base *base = application->base;
    proto_edit *edit = &application->edits[application->count];
    proto_stored stored;

    *edit = (proto_edit){.id = id};
    if (!proto_read_object(application->reader, patch)) {
        return false;
    }
    bool is_fine = take_teleport(application, patch, edit);
    is_fine = check_removals(application->reader, patch, application->form) && is_fine;
    bool is_stored = base->find(base->user, id, &stored);
    edit->self = is_stored ? stored.self : NULL;
    bool moves = is_stored && application->form != PROTO_PUT_SHAPE && is_move(patch);
    if (moves && json_object_size(patch->json) == 0 && !edit->teleport) {
        return is_fine;
    }
    application->count++;
    return (moves ? move(application, patch, &stored, edit)
                  : define(application, patch, is_stored ? &stored : NULL, edit)) &&
           is_fine;
}
