/*
 * Applies a merge patch (RFC 7396) to one stored shape. The patch is merged into the stored
 * definition and the result is decoded like any shape, so that it meets every rule and every
 * problem points at its place. The contract adds one rule: a patch that names `type` drops the old
 * geometry first. A patch that only moves the shape takes a shorter way that never looks at the
 * definition.
 */

#include <string.h>

#include "decode/change_shape.h"
#include "json/reader.h"
#include "json/writer.h"

static bool is_tick(proto_change_form form) {
    return form == PROTO_PUT_TICK || form == PROTO_POST_TICK;
}

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
    const char *const *known = is_tick(form) ? at_tick : others;
    const char *geometry[PROTO_GEOMETRY_NAMES_MAX];
    bool is_fine = true;

    for (size_t i = 0; i < proto_object_size(patch->value); i++) {
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
        proto_geometry_names(geometry);
        proto_suggest_near(reader, "members", name, known, geometry);
        is_fine = false;
        if (!proto_may_go_on(reader)) {
            break;
        }
    }
    return is_fine;
}

/* Returns true if a patch, `teleport` aside, has members of the pose alone. */
static bool is_move(const proto_node *patch, proto_change_form form) {
    const size_t known = (size_t)proto_has(patch, "position") + proto_has(patch, "angle") +
                         proto_has(patch, "orientation") + proto_has(patch, "handle") +
                         (is_tick(form) && proto_has(patch, "teleport"));

    return known == proto_object_size(patch->value);
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
        gjk_pose_turn_as(&place.pose, &given->pose);
        place.turn = given->turn;
    }
    return place;
}

/* Leaves the geometry out of a definition. False: out of memory. */
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

/*
 * Merges the shape; its place is left out where the patch does not give it. Returns false after
 * having set the problem.
 */
static bool merge_shape(struct proto_reader *reader, const proto_node *patch,
                        const proto_stored *stored, proto_node *out) {
    proto_value target = {.type = PROTO_ABSENT};

    *out = *patch;
    if (stored != NULL && !proto_read_stored(reader, stored->definition, &target)) {
        return false;
    }
    const bool drops = stored != NULL && proto_has(patch, "type");
    return ((!drops || drop_geometry(reader->scratch, &target)) &&
            proto_merge(reader->scratch, target, patch->value, &out->value)) ||
           proto_refuse_memory(reader);
}

static bool define(struct proto_application *application, const proto_node *patch,
                   const proto_stored *stored, proto_edit *edit) {
    struct proto_reader *reader = application->reader;
    const bool is_whole = application->form == PROTO_PUT_SHAPE;
    const bool is_alone = is_whole || application->form == PROTO_PATCH_SHAPE;
    const proto_shape_use use = is_alone                     ? PROTO_SHAPE_ALONE
                                : is_tick(application->form) ? PROTO_SHAPE_AT_TICK
                                                             : PROTO_SHAPE_STORED;
    proto_shape *shape = gjk_arena_alloc(reader->arena, sizeof *shape);
    proto_node merged = *patch;

    if (shape == NULL) {
        return proto_refuse_memory(reader);
    }
    if (!is_whole && !merge_shape(reader, patch, stored, &merged)) {
        return false;
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

static bool read_teleport(struct proto_application *application, const proto_node *patch,
                          proto_edit *edit) {
    return !is_tick(application->form) ||
           proto_read_bool(application->reader, proto_optional(patch, "teleport"), &edit->teleport);
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
    bool is_fine = read_teleport(application, patch, edit);
    is_fine = check_removals(application->reader, patch, application->form) && is_fine;
    bool is_stored = base->find(base->user, id, &stored);
    edit->self = is_stored ? stored.self : NULL;
    bool moves =
        is_stored && application->form != PROTO_PUT_SHAPE && is_move(patch, application->form);
    const bool is_empty = proto_object_size(patch->value) == proto_has(patch, "teleport");
    if (moves && is_empty && !edit->teleport) {
        return is_fine;
    }
    application->count++;
    return (moves ? move(application, patch, &stored, edit)
                  : define(application, patch, is_stored ? &stored : NULL, edit)) &&
           is_fine;
}
