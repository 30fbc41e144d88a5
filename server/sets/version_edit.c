/*
 * Path copying with reference counts: an edit makes new bodies for the shapes that it names and
 * shares the rest; a whole set is an edit of the empty set.
 */

#include "sets/version_edit.h"

#include "sets/feed.h"
#include "sets/version_builder.h"

#include <stdlib.h>
#include <sys/random.h>

/* Revisions that ticks may use up between two hearings of the store. */
#define REVISIONS_AHEAD 65536

/* 4294967295 means "no shape" on the wire. */
#define HANDLES_END UINT32_MAX

/* Draws a random number. False: the kernel has none, and *out is 0. */
static bool make_incarnation(uint64_t *out) {
    *out = 0;
    return getrandom(out, sizeof *out, 0) == (ssize_t)sizeof *out;
}

/* Draws the mark of a version's write. False: the kernel has no random bits. */
static bool make_mark(struct gjkd_version *version) {
    uint32_t mark = 0;
    const bool fine = getrandom(&mark, sizeof mark, 0) == (ssize_t)sizeof mark;
    version->mark = mark != 0 ? mark : 1;
    return fine;
}

/* A body with a definition of its own. old: the body of the same id, whose handle it keeps, or
 * NULL. */
static gjk_status make_body(struct gjkd_version *version, const char *id, const proto_shape *shape,
                            bool teleport, const gjk_body *old, const gjk_body **out) {
    uint64_t handle = old != NULL ? old->handle : version->next_handle;
    if (handle >= HANDLES_END) {
        return GJK_OUT_OF_RANGE;
    }
    *out = gjkd_stored_new(id, shape, (uint32_t)handle, teleport);
    version->next_handle += old == NULL && *out != NULL;
    return *out != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
}

static gjk_status push_edit(struct gjkd_builder *builder, const proto_edit *edit) {
    const gjk_body *old = edit->self;
    const gjk_body *body = NULL;
    gjk_status status = GJK_OK;
    if (edit->kind == PROTO_EDIT_DEFINE) {
        status = make_body(builder->version, edit->id, edit->shape, edit->teleport, old, &body);
    } else if (edit->kind == PROTO_EDIT_MOVE && old != NULL) {
        body = gjkd_stored_move(old, &edit->place, edit->teleport);
        status = body != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
    }
    if (status == GJK_OK && (old != NULL || body != NULL)) {
        gjkd_builder_push(builder, edit->id, old, body);
    }
    return status;
}

/* --- Whole sets --- */

static gjk_status fill_set(struct gjkd_version *version, const proto_set *body,
                           const struct gjkd_version *previous, gjk_budget *budget) {
    struct gjkd_builder builder = {.version = version, .budget = budget};
    struct gjk_set *empty = gjk_set_new_empty(body->dimension, &gjkd_stored_keeper);
    builder.edits = calloc(body->shape_count + (size_t)1, sizeof *builder.edits);
    gjk_status status = empty != NULL && builder.edits != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
    for (uint32_t i = 0; status == GJK_OK && i < body->shape_count; i++) {
        const proto_named_shape *named = &body->shapes[i];
        const gjk_body *old = previous != NULL ? gjk_set_find(previous->set, named->id) : NULL;
        const gjk_body *made = NULL;
        if (gjkd_builder_gives_up(&builder)) {
            status = GJK_GIVEN_UP;
            break;
        }
        status = make_body(version, named->id, &named->shape, false, old, &made);
        if (made != NULL) {
            gjkd_builder_push(&builder, named->id, NULL, made);
        }
    }
    status = gjkd_builder_finish(&builder, status, empty);
    gjk_set_release(empty);
    return status;
}

static gjk_status fill(struct gjkd_version *version, const proto_set *body,
                       const struct gjkd_version *previous, gjk_budget *budget) {
    if (previous != NULL) {
        version->incarnation = previous->incarnation;
        version->revision = previous->revision + 1;
        version->order = previous->order + 1;
        version->next_handle = previous->next_handle;
        version->made_bytes = previous->made_bytes;
        version->feed = gjkd_feed_retain(previous->feed);
    } else {
        version->revision = version->order = 1;
        version->next_handle = 1;
        version->feed = gjkd_feed_new(version->revision);
        if (version->feed == NULL || !make_incarnation(&version->incarnation)) {
            return GJK_OUT_OF_MEMORY;
        }
    }
    version->dimension = body->dimension;
    version->has_history = body->has_history;
    version->history_ticks = body->history_ticks;
    gjk_status status = make_mark(version) ? gjkd_version_fill_history(version) : GJK_OUT_OF_MEMORY;
    if (status == GJK_OK) {
        status = fill_set(version, body, previous, budget);
    }
    return status;
}

/* --- Making a version --- */

gjk_status gjkd_version_new(const char *name, const proto_set *body,
                            const struct gjkd_version *previous, gjk_budget *budget,
                            struct gjkd_version **out) {
    struct gjkd_version *version = gjkd_version_alloc(name, body->meta);
    if (version == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    return gjkd_version_complete(version, fill(version, body, previous, budget), out);
}

gjk_status gjkd_version_restore(const gjkd_restored *restored, struct gjkd_version **out) {
    struct gjkd_version *version = gjkd_version_alloc(restored->name, restored->meta);
    struct gjk_set *empty = gjk_set_new_empty(restored->dimension, &gjkd_stored_keeper);
    struct gjkd_builder builder = {.version = version, .edits = restored->edits};
    gjk_status status = version != NULL && empty != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
    for (uint32_t i = 0; version != NULL && i < restored->count; i++) {
        gjkd_builder_account(&builder, NULL, restored->edits[i].body, restored->edits[i].id);
    }
    builder.count = restored->count;
    status = gjkd_builder_finish(&builder, status, empty);
    gjk_set_release(empty);
    if (version == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    version->incarnation = restored->incarnation;
    version->revision = version->order = restored->revision;
    version->mark = restored->mark;
    version->next_handle = restored->next_handle;
    version->dimension = restored->dimension;
    version->has_history = restored->has_history;
    version->history_ticks = restored->history_ticks;
    version->feed = gjkd_feed_new(version->revision);
    if (version->feed == NULL) {
        status = GJK_OUT_OF_MEMORY;
    }
    return gjkd_version_complete(version,
                                 status == GJK_OK ? gjkd_version_fill_history(version) : status,
                                 out);
}

bool gjkd_version_renew(struct gjkd_version *version, uint64_t revision) {
    struct gjkd_feed *feed = gjkd_feed_new(revision);
    if (feed == NULL) {
        return false;
    }
    gjkd_feed_release(version->feed);
    version->feed = feed;
    version->revision = version->order = revision;
    return make_incarnation(&version->incarnation);
}

static gjk_status edit_set(struct gjkd_version *version, const struct gjkd_version *previous,
                           const proto_edits *edits, gjk_budget *budget) {
    struct gjkd_builder builder = {.version = version, .previous = previous, .budget = budget};
    gjkd_builder_begin_edits(&builder);
    builder.edits = calloc(edits->count + (size_t)1, sizeof *builder.edits);
    gjk_status status = builder.edits != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
    for (uint32_t i = 0; status == GJK_OK && i < edits->count; i++) {
        status =
            gjkd_builder_gives_up(&builder) ? GJK_GIVEN_UP : push_edit(&builder, &edits->items[i]);
    }
    return gjkd_builder_finish(&builder, status, previous->set);
}

gjk_status gjkd_version_edit(const struct gjkd_version *previous, const proto_edits *edits,
                             const gjkd_stamp *stamp, gjk_budget *budget,
                             struct gjkd_version **out) {
    struct gjkd_version *version =
        gjkd_version_alloc(previous->name, edits->sets_meta ? edits->meta : previous->meta);
    if (version == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    gjk_status status = gjkd_version_inherit(version, previous, edits);
    if (status == GJK_OK && !make_mark(version)) {
        status = GJK_OUT_OF_MEMORY;
    }
    if (status == GJK_OK) {
        status = edit_set(version, previous, edits, budget);
    }
    if (status == GJK_OK && stamp != NULL) {
        status = gjkd_version_stamp(version, stamp);
    }
    if (status == GJK_OK && gjkd_version_ticks(version).count > 0) {
        bool is_below = stamp != NULL && version->revision < previous->revision_bound;
        version->revision_bound =
            is_below ? previous->revision_bound : version->revision + REVISIONS_AHEAD;
    }
    return gjkd_version_complete(version, status, out);
}
