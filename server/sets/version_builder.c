/*
 * Memory is accounted incrementally: every body that a version or a tick keeps is counted once, and
 * so is the tree that orders them.
 */

#include "sets/version_builder.h"

#include "gjk/pieces.h"
#include "sets/feed.h"
#include "work/memory.h"

#include <stdlib.h>
#include <string.h>

/* Pieces of one shape that a query comes to look at, as a rule. */
#define PIECES_ASKED 64

struct gjkd_version *gjkd_version_alloc(const char *name, proto_text meta) {
    size_t name_size = strlen(name) + 1, meta_size = meta.data != NULL ? meta.length + 1 : 0;
    struct gjkd_version *version = calloc(1, sizeof *version + name_size + meta_size);
    if (version == NULL) {
        return NULL;
    }
    gjkd_references_init(&version->references);
    memcpy(version->name, name, name_size);
    if (meta.data != NULL) {
        version->meta = (proto_text){version->name + name_size, meta.length};
        memcpy(version->name + name_size, meta.data, meta.length);
    }
    return version;
}

/* --- Bodies --- */

/* Steps of a body that is made. */
#define BODY_STEPS 16

bool gjkd_builder_gives_up(struct gjkd_builder *builder) {
    return gjk_budget_spend(builder->budget, BODY_STEPS);
}

/* The body of that id in the newest tick; NULL: none. */
static const gjk_body *find_newest(const struct gjkd_builder *builder, const char *id) {
    return builder->newest != NULL ? gjk_set_find(builder->newest, id) : NULL;
}

/* Keeps the largest numbers, from which costs are estimated. */
static void note_size(struct gjkd_version *version, const gjk_shape *shape) {
    const uint32_t pieces = shape->pieces != NULL ? gjk_pieces_count(shape->pieces) : 0;
    uint32_t points = pieces < PIECES_ASKED ? pieces : PIECES_ASKED;
    points = shape->pieces != NULL ? points : shape->count;
    version->points_max = points > version->points_max ? points : version->points_max;
    version->pieces_max = pieces > version->pieces_max ? pieces : version->pieces_max;
}

void gjkd_builder_account(struct gjkd_builder *builder, const gjk_body *old, const gjk_body *body,
                          const char *id) {
    struct gjkd_version *version = builder->version;
    /* If nothing was edited since the newest tick, its set is that of the previous version. */
    bool same = builder->previous != NULL && builder->newest == builder->previous->set;
    const gjk_body *kept = same ? old : find_newest(builder, id);
    if (old != NULL) {
        version->body_bytes -= gjkd_stored_bytes(old, NULL);
        version->fresh_body_bytes -= gjkd_stored_bytes(old, kept);
    }
    if (body != NULL) {
        version->made_bytes += gjkd_stored_bytes(body, old);
        version->body_bytes += gjkd_stored_bytes(body, NULL);
        version->fresh_body_bytes += gjkd_stored_bytes(body, kept);
        note_size(version, body->placed.shape);
    }
}

void gjkd_builder_begin_edits(struct gjkd_builder *builder) {
    struct gjkd_version *version = builder->version;
    if (version->history != NULL && gjk_history_count(version->history) > 0) {
        builder->newest = gjk_history_newest_set(version->history);
    } else {
        version->fresh_body_bytes = version->body_bytes;
    }
}

void gjkd_builder_push(struct gjkd_builder *builder, const char *id, const gjk_body *old,
                       const gjk_body *body) {
    gjkd_builder_account(builder, old, body, id);
    builder->edits[builder->count++] = (gjk_edit){id, body};
}

gjk_status gjkd_builder_finish(struct gjkd_builder *builder, gjk_status status,
                               const struct gjk_set *from) {
    struct gjkd_version *version = builder->version; /* NULL: with another status than OK only */
    if (status == GJK_OK && builder->count == 0) {
        version->set = gjk_set_retain(from);
    } else if (status == GJK_OK) {
        status = gjk_set_edit_within(from, builder->edits, builder->count, builder->budget,
                                     &version->set);
        const uint64_t added = status == GJK_OK ? gjk_set_added_bytes(version->set) : 0;
        version->fresh_order_bytes += added;
        version->made_bytes += added;
    }
    gjkd_edits_free(builder->edits, builder->count);
    return status;
}

/* Of the bodies in the set and of the tree that orders them. */
static uint64_t whole_bytes(const struct gjkd_version *version) {
    return version->body_bytes + gjk_set_bytes(version->set);
}

/* The same of what the newest tick does not share. Trees that came and went since then may be
 * counted, but never more than the whole tree. */
static uint64_t fresh_order_bytes(const struct gjkd_version *version) {
    uint64_t most = gjk_set_bytes(version->set);
    return version->fresh_order_bytes < most ? version->fresh_order_bytes : most;
}

static uint64_t fresh_bytes(const struct gjkd_version *version) {
    return version->fresh_body_bytes + fresh_order_bytes(version);
}

static void measure(struct gjkd_version *version) {
    uint32_t ticks = version->history != NULL ? gjk_history_count(version->history) : 0;
    version->bytes = sizeof *version + strlen(version->name) + version->meta.length;
    version->bytes +=
        ticks > 0 ? version->tick_totals.bytes + fresh_bytes(version) : whole_bytes(version);
}

/*
 * Charges the version, name, meta, trees and ticks to the process: in full, although versions share
 * most of it, for any of them may be the last that is kept. False: out of memory.
 */
static bool charge(struct gjkd_version *version) {
    const struct gjk_set *base = version->unlogged.base;
    uint64_t bytes = sizeof *version + strlen(version->name) + version->meta.length +
                     gjk_set_bytes(version->set) + version->tick_totals.order_bytes +
                     (base != NULL ? gjk_set_bytes(base) : 0);
    if (!gjkd_memory_take(GJKD_CHARGE_SETS, bytes)) {
        return false;
    }
    version->charged_bytes = bytes;
    return true;
}

/* --- Ticks --- */

gjk_status gjkd_version_fill_history(struct gjkd_version *version) {
    if (version->has_history && version->history_ticks > 0) {
        version->history = gjk_history_new(version->history_ticks);
        return version->history != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
    }
    return GJK_OK;
}

gjk_status gjkd_version_inherit(struct gjkd_version *version, const struct gjkd_version *previous,
                                const proto_edits *edits) {
    version->incarnation = previous->incarnation;
    version->revision = previous->revision + 1;
    version->order = previous->order + 1;
    version->feed = gjkd_feed_retain(previous->feed);
    version->next_handle = previous->next_handle;
    version->dimension = previous->dimension;
    version->has_history = edits->sets_history ? edits->has_history : previous->has_history;
    version->history_ticks = edits->sets_history ? edits->history_ticks : previous->history_ticks;
    version->points_max = previous->points_max;
    version->pieces_max = previous->pieces_max;
    version->body_bytes = previous->body_bytes;
    version->fresh_body_bytes = previous->fresh_body_bytes;
    version->fresh_order_bytes = previous->fresh_order_bytes;
    version->made_bytes = previous->made_bytes;
    if (!version->has_history || version->history_ticks == 0 || previous->history == NULL) {
        return gjkd_version_fill_history(version);
    }
    version->tick_totals = previous->tick_totals;
    if (version->history_ticks == previous->history_ticks) {
        version->history = gjk_history_retain(previous->history);
        return GJK_OK;
    }
    return gjkd_ticks_limit(previous->history, version->history_ticks, &version->tick_totals,
                            &version->history);
}

gjk_status gjkd_version_stamp(struct gjkd_version *version, const gjkd_stamp *stamp) {
    struct gjk_history *history = NULL;
    const gjk_tick tick = {.number = stamp->tick,
                           .set = version->set,
                           .after_gap = stamp->after_gap,
                           .is_missing = stamp->is_missing};
    const gjkd_tick note = {
        .digest = stamp->digest,
        .set_bytes = whole_bytes(version),
        .added_bytes = fresh_bytes(version),
        .order_bytes = fresh_order_bytes(version),
    };
    gjk_status status =
        gjkd_ticks_add(version->history, &tick, &note, &version->tick_totals, &history);
    if (status != GJK_OK) {
        return status;
    }
    gjk_history_release(version->history);
    version->history = history;
    version->fresh_body_bytes = version->fresh_order_bytes = 0;
    return GJK_OK;
}

/* --- The end --- */

gjk_status gjkd_version_complete(struct gjkd_version *version, gjk_status status,
                                 struct gjkd_version **out) {
    if (status == GJK_OK && !charge(version)) {
        status = GJK_OUT_OF_MEMORY;
    }
    if (status != GJK_OK) {
        gjkd_version_release(version);
        return status;
    }
    measure(version);
    *out = version;
    return GJK_OK;
}
