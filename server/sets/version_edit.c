/*
 * Path copying with reference counts: an edit makes new bodies for the shapes that it names and
 * shares the rest; a whole set is an edit of the empty set.
 */

#include "sets/version_edit.h"

#include "gjk/pieces.h"
#include "sets/feed.h"
#include "sets/kept_ticks.h"
#include "util/random.h"
#include "work/memory.h"

#include <stdlib.h>
#include <string.h>

/* Number of revisions that ticks may use before the store has to store the set again. */
#define REVISIONS_AHEAD 65536

/* 4294967295 means "no shape" on the wire. */
#define HANDLES_END UINT32_MAX

/* --- A version while it is built --- */

/*
 * A version that is being built, by one thread; no other has seen it. The new bodies are gathered
 * as edits and applied to the set all at once.
 */
struct builder {
    struct gjkd_version *version;        /* the version being built */
    const struct gjkd_version *previous; /* NULL: none */
    const struct gjk_set *newest;        /* set of the newest kept tick, or NULL */
    gjk_edit *edits;
    uint32_t count;
    gjkd_places places;
    gjk_budget *budget; /* NULL: unlimited */
};

/*
 * Memory is accounted incrementally: each body that a version or a tick keeps is counted once, and
 * so is each tree.
 */

/* Typical number of pieces of one shape that a query visits. */
#define PIECES_ASKED 64

/* Allocates a version with name and a copy of meta. Returns NULL if memory is exhausted. */
static struct gjkd_version *version_alloc(const char *name, proto_text meta) {
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

/* Budget of making one body, in steps. */
#define BODY_STEPS 16

/* Spends the budget of making one body. Returns true if nothing is left. */
static bool builder_spend(struct builder *builder) {
    return gjk_budget_spend(builder->budget, BODY_STEPS);
}

/* Accounts for replacing body old by body; either may be NULL. */
static void builder_account(struct builder *builder, const gjk_body *old, const gjk_body *body,
                            const char *id) {
    struct gjkd_version *version = builder->version;
    /* Without edits since the newest tick, its set is that of the previous version. */
    bool same = builder->previous != NULL && builder->newest == builder->previous->set;
    const gjk_body *kept = same                      ? old
                           : builder->newest != NULL ? gjk_set_find(builder->newest, id)
                                                     : NULL;
    if (old != NULL) {
        version->body_bytes -= gjkd_stored_bytes(old, NULL);
        version->fresh_body_bytes -= gjkd_stored_bytes(old, kept);
    }
    if (body != NULL) {
        version->made_bytes += gjkd_stored_bytes(body, old);
        version->body_bytes += gjkd_stored_bytes(body, NULL);
        version->fresh_body_bytes += gjkd_stored_bytes(body, kept);
        /* Keeps the maxima, from which costs are estimated. */
        const gjk_shape *shape = body->placed.shape;
        const uint32_t pieces = shape->pieces != NULL ? gjk_pieces_count(shape->pieces) : 0;
        uint32_t points = pieces < PIECES_ASKED ? pieces : PIECES_ASKED;
        points = shape->pieces != NULL ? points : shape->count;
        version->points_max = points > version->points_max ? points : version->points_max;
        version->pieces_max = pieces > version->pieces_max ? pieces : version->pieces_max;
    }
}

/* Finds the newest tick's set, which edits are accounted against. Called before the first edit. */
static void builder_begin_edits(struct builder *builder) {
    struct gjkd_version *version = builder->version;
    if (version->history != NULL && gjk_history_count(version->history) > 0) {
        builder->newest = gjk_history_newest_set(version->history);
    } else {
        version->fresh_body_bytes = version->body_bytes;
    }
}

/* Accounts for an edit and adds it, taking ownership of the body; NULL removes the shape. The array
 * of edits has room for it. */
static void builder_push(struct builder *builder, const char *id, const gjk_body *old,
                         const gjk_body *body) {
    const struct gjkd_version *version = builder->version;
    if (body != NULL) {
        gjkd_stored_set_origin(body, (gjkd_origin){version->revision, version->nonce, 0});
    }
    builder_account(builder, old, body, id);
    builder->edits[builder->count++] = (gjk_edit){id, body};
}

/* Makes the version's set if status is GJK_OK: applies all edits to `from`, or none on an error.
 * Frees the edits in any case. */
static gjk_status builder_finish(struct builder *builder, gjk_status status,
                                 const struct gjk_set *from) {
    struct gjkd_version *version = builder->version; /* may be NULL if status is not GJK_OK */
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

/* Returns the memory of the bodies and of the tree that orders them. */
static uint64_t whole_bytes(const struct gjkd_version *version) {
    return version->body_bytes + gjk_set_bytes(version->set);
}

/* Returns the memory of tree nodes that the newest tick does not share: an upper bound, because
 * nodes made and dropped since then count too, but never more than the whole tree. */
static uint64_t fresh_order_bytes(const struct gjkd_version *version) {
    uint64_t most = gjk_set_bytes(version->set);
    return version->fresh_order_bytes < most ? version->fresh_order_bytes : most;
}

static uint64_t fresh_bytes(const struct gjkd_version *version) {
    return version->fresh_body_bytes + fresh_order_bytes(version);
}

/*
 * Charges the version, its texts, trees and ticks to the process: in full although versions share
 * most of it, because any of them may be the last one kept. Returns false if memory is exhausted.
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

/* Makes an empty history if the version is to keep ticks. */
static gjk_status version_fill_history(struct gjkd_version *version) {
    if (version->has_history && version->history_ticks > 0) {
        version->history = gjk_history_new(version->history_ticks);
        return version->history != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
    }
    return GJK_OK;
}

/* Copies or counts up the members that a successor in the same incarnation takes over. */
static void version_follow(struct gjkd_version *version, const struct gjkd_version *previous) {
    version->incarnation = previous->incarnation;
    version->revision = previous->revision + 1;
    version->order = previous->order + 1;
    version->feed = gjkd_feed_retain(previous->feed);
    version->next_handle = previous->next_handle;
    version->made_bytes = previous->made_bytes;
    version->made_ticks = previous->made_ticks;
}

/* Copies everything from the previous version but name, meta and shapes. Applies an edit of the
 * settings of the history. */
static gjk_status version_inherit(struct gjkd_version *version, const struct gjkd_version *previous,
                                  const proto_edits *edits) {
    version_follow(version, previous);
    version->dimension = previous->dimension;
    version->has_history = edits->sets_history ? edits->has_history : previous->has_history;
    version->history_ticks = edits->sets_history ? edits->history_ticks : previous->history_ticks;
    version->points_max = previous->points_max;
    version->pieces_max = previous->pieces_max;
    version->body_bytes = previous->body_bytes;
    version->fresh_body_bytes = previous->fresh_body_bytes;
    version->fresh_order_bytes = previous->fresh_order_bytes;
    if (!version->has_history || version->history_ticks == 0 || previous->history == NULL) {
        return version_fill_history(version);
    }
    version->tick_totals = previous->tick_totals;
    if (version->history_ticks == previous->history_ticks) {
        version->history = gjk_history_retain(previous->history);
        return GJK_OK;
    }
    return gjkd_ticks_limit(previous->history, version->history_ticks, &version->tick_totals,
                            &version->history);
}

/* Adds the finished set to the version's history as a tick. packs: see gjkd_ticks_add. */
static gjk_status version_stamp(struct gjkd_version *version, const gjkd_stamp *stamp, bool packs) {
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
        .is_first = gjk_history_count(version->history) == 0 && !stamp->after_gap,
    };
    gjk_status status =
        gjkd_ticks_add(version->history, &tick, &note, packs, &version->tick_totals, &history);
    if (status != GJK_OK) {
        return status;
    }
    gjk_history_release(version->history);
    version->history = history;
    version->made_ticks++;
    version->fresh_body_bytes = version->fresh_order_bytes = 0;
    return GJK_OK;
}

/* --- The end --- */

/* Charges and measures the version and passes it to the caller in *out. Frees the version instead
 * if status is not GJK_OK or memory is exhausted. */
static gjk_status version_complete(struct gjkd_version *version, gjk_status status,
                                   struct gjkd_version **out) {
    if (status == GJK_OK && !charge(version)) {
        status = GJK_OUT_OF_MEMORY;
    }
    if (status != GJK_OK) {
        gjkd_version_release(version);
        return status;
    }
    uint32_t ticks = version->history != NULL ? gjk_history_count(version->history) : 0;
    version->bytes = sizeof *version + strlen(version->name) + version->meta.length;
    version->bytes +=
        ticks > 0 ? version->tick_totals.bytes + fresh_bytes(version) : whole_bytes(version);
    *out = version;
    return GJK_OK;
}

/* Draws the version's nonce, never 0. Returns false if the kernel has no random numbers. */
static bool draw_nonce(struct gjkd_version *version) {
    const uint64_t number = gjkd_random();
    version->nonce = (uint32_t)number != 0 ? (uint32_t)number : 1;
    return number != 0;
}

/* Makes a body with its own definition. old: the body of the same id, whose handle the new one
 * keeps, or NULL. */
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

static gjk_status push_edit(struct builder *builder, const proto_edit *edit) {
    const gjk_body *old = edit->self;
    const gjk_body *body = NULL;
    gjk_status status = GJK_OK;
    if (edit->kind == PROTO_EDIT_DEFINE) {
        status = make_body(builder->version, edit->id, edit->shape, edit->teleport, old, &body);
    } else if (edit->kind == PROTO_EDIT_MOVE && old != NULL) {
        body = gjkd_stored_move(old, &edit->place, edit->teleport, &builder->places);
        status = body != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
    }
    if (status == GJK_OK && (old != NULL || body != NULL)) {
        builder_push(builder, edit->id, old, body);
    }
    return status;
}

/* --- Whole sets --- */

static gjk_status fill_set(struct gjkd_version *version, const proto_set *body,
                           const struct gjkd_version *previous, gjk_budget *budget) {
    struct builder builder = {.version = version, .budget = budget};
    struct gjk_set *empty = gjk_set_new_empty(body->dimension, &gjkd_stored_callbacks);
    builder.edits = calloc(body->shape_count + (size_t)1, sizeof *builder.edits);
    gjk_status status = empty != NULL && builder.edits != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
    for (uint32_t i = 0; status == GJK_OK && i < body->shape_count; i++) {
        const proto_named_shape *named = &body->shapes[i];
        const gjk_body *old = previous != NULL ? gjk_set_find(previous->set, named->id) : NULL;
        const gjk_body *made = NULL;
        if (builder_spend(&builder)) {
            status = GJK_GIVEN_UP;
            break;
        }
        status = make_body(version, named->id, &named->shape, false, old, &made);
        if (made != NULL) {
            builder_push(&builder, named->id, NULL, made);
        }
    }
    status = builder_finish(&builder, status, empty);
    gjk_set_release(empty);
    return status;
}

static gjk_status fill(struct gjkd_version *version, const proto_set *body,
                       const struct gjkd_version *previous, gjk_budget *budget) {
    if (previous != NULL) {
        version_follow(version, previous);
    } else {
        version->revision = version->order = 1;
        version->next_handle = 1;
        version->feed = gjkd_feed_new(version->revision);
        version->incarnation = gjkd_random();
        if (version->feed == NULL || version->incarnation == 0) {
            return GJK_OUT_OF_MEMORY;
        }
    }
    version->dimension = body->dimension;
    version->has_history = body->has_history;
    version->history_ticks = body->history_ticks;
    gjk_status status = draw_nonce(version) ? version_fill_history(version) : GJK_OUT_OF_MEMORY;
    if (status == GJK_OK) {
        status = fill_set(version, body, previous, budget);
    }
    return status;
}

/* --- Making a version --- */

gjk_status gjkd_version_new(const char *name, const proto_set *body,
                            const struct gjkd_version *previous, gjk_budget *budget,
                            struct gjkd_version **out) {
    struct gjkd_version *version = version_alloc(name, body->meta);
    if (version == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    return version_complete(version, fill(version, body, previous, budget), out);
}

bool gjkd_version_renew_incarnation(struct gjkd_version *version, uint64_t revision) {
    struct gjkd_feed *feed = gjkd_feed_new(revision);
    if (feed == NULL) {
        return false;
    }
    gjkd_feed_release(version->feed);
    version->feed = feed;
    version->revision = version->order = revision;
    version->incarnation = gjkd_random();
    return version->incarnation != 0;
}

static gjk_status edit_set(struct gjkd_version *version, const struct gjkd_version *previous,
                           const proto_edits *edits, gjk_budget *budget) {
    struct builder builder = {.version = version, .previous = previous, .budget = budget};
    builder_begin_edits(&builder);
    builder.edits = calloc(edits->count + (size_t)1, sizeof *builder.edits);
    gjk_status status = builder.edits != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
    for (uint32_t i = 0; status == GJK_OK && i < edits->count; i++) {
        status = builder_spend(&builder) ? GJK_GIVEN_UP : push_edit(&builder, &edits->items[i]);
    }
    gjkd_places_close(&builder.places);
    return builder_finish(&builder, status, previous->set);
}

gjk_status gjkd_version_edit(const struct gjkd_version *previous, const proto_edits *edits,
                             const gjkd_stamp *stamp, gjk_budget *budget,
                             struct gjkd_version **out) {
    struct gjkd_version *version =
        version_alloc(previous->name, edits->sets_meta ? edits->meta : previous->meta);
    if (version == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    gjk_status status = version_inherit(version, previous, edits);
    if (status == GJK_OK && !draw_nonce(version)) {
        status = GJK_OUT_OF_MEMORY;
    }
    if (status == GJK_OK) {
        status = edit_set(version, previous, edits, budget);
    }
    if (status == GJK_OK && stamp != NULL) {
        /* Nodes of a cluster pass ticks on as they were made. */
        status = version_stamp(version, stamp, !previous->is_shared);
    }
    if (status == GJK_OK && gjkd_version_ticks(version).count > 0) {
        bool is_below = stamp != NULL && version->revision < previous->revision_bound;
        version->revision_bound =
            is_below ? previous->revision_bound : version->revision + REVISIONS_AHEAD;
    }
    return version_complete(version, status, out);
}

/* --- Versions of a file, or of a cluster --- */

static void push_bodies(struct builder *builder, const gjkd_restored *set,
                        const struct gjk_set *base) {
    for (uint32_t i = 0; i < set->count; i++) {
        const gjk_edit *edit = &set->edits[i];
        const gjk_body *old = base != NULL ? gjk_set_find(base, edit->id) : NULL;
        if (edit->body != NULL && builder->version->is_shared &&
            gjkd_stored_origin(edit->body).revision == 0) {
            gjkd_stored_set_origin(edit->body, (gjkd_origin){set->revision, set->nonce, 0});
        }
        builder_account(builder, old, edit->body, edit->id);
    }
    builder->edits = set->edits;
    builder->count = set->count;
}

/* Applies the changes as edits of the previous version and continues its history. */
static gjk_status continue_set(struct gjkd_version *version, const struct gjkd_version *previous,
                               const gjkd_restored *set) {
    const proto_edits head = {.sets_history = true,
                              .has_history = set->has_history,
                              .history_ticks = set->history_ticks};
    struct builder builder = {.version = version, .previous = previous};
    gjk_status status = version_inherit(version, previous, &head);
    if (status != GJK_OK) {
        gjkd_edits_free(set->edits, set->count);
        return status;
    }
    builder_begin_edits(&builder);
    push_bodies(&builder, set, previous->set);
    return builder_finish(&builder, GJK_OK, previous->set);
}

/* Replaces all shapes; the history starts empty. */
static gjk_status replace_set(struct gjkd_version *version, const struct gjkd_version *previous,
                              const gjkd_restored *set) {
    struct builder builder = {.version = version};
    struct gjk_set *empty = gjk_set_new_empty(set->dimension, &gjkd_stored_callbacks);
    if (previous != NULL) {
        version_follow(version, previous);
    } else {
        version->feed = gjkd_feed_new(gjkd_version_seq(version));
    }
    version->dimension = set->dimension;
    version->has_history = set->has_history;
    version->history_ticks = set->history_ticks;
    if (empty == NULL || version->feed == NULL || version_fill_history(version) != GJK_OK) {
        gjk_set_release(empty);
        gjkd_edits_free(set->edits, set->count);
        return GJK_OUT_OF_MEMORY;
    }
    push_bodies(&builder, set, NULL);
    const gjk_status status = builder_finish(&builder, GJK_OK, empty);
    gjk_set_release(empty);
    return status;
}

/* Drops the ticks numbered `from` and above, which another node has made anew. What the newest
 * remaining tick does not share is unknown then; the upper bound is everything. */
static gjk_status cut_ticks(struct gjkd_version *version, uint64_t from) {
    struct gjk_history *history = NULL;
    if (gjkd_version_ticks_end(version) <= from) {
        return GJK_OK;
    }
    const gjk_status status =
        gjkd_ticks_cut(version->history, from, &version->tick_totals, &history);
    if (status != GJK_OK) {
        return status;
    }
    gjk_history_release(version->history);
    version->history = history;
    version->fresh_body_bytes = version->body_bytes;
    version->fresh_order_bytes = gjk_set_bytes(version->set);
    return GJK_OK;
}

static gjk_status succeed(const struct gjkd_version *previous, const gjkd_successor *successor,
                          bool is_shared, struct gjkd_version **out) {
    const gjkd_restored *set = &successor->set;
    struct gjkd_version *version = version_alloc(set->name, set->meta);
    if (version == NULL) {
        gjkd_edits_free(set->edits, set->count);
        return GJK_OUT_OF_MEMORY;
    }
    version->is_shared = is_shared;
    version->order = successor->order;
    gjk_status status = successor->is_whole ? replace_set(version, previous, set)
                                            : continue_set(version, previous, set);
    if (status == GJK_OK && successor->stamp != NULL) {
        status = cut_ticks(version, successor->ticks_end);
        status = status == GJK_OK ? version_stamp(version, successor->stamp, false) : status;
    }
    version->unlogged = successor->unlogged;
    if (version->unlogged.base != NULL) {
        version->unlogged.base = gjk_set_retain(version->unlogged.base);
    }
    version->incarnation = set->incarnation;
    version->revision = set->revision;
    version->nonce = set->nonce;
    version->order = successor->order;
    version->next_handle = set->next_handle;
    return version_complete(version, status, out);
}

gjk_status gjkd_version_succeed(const struct gjkd_version *previous,
                                const gjkd_successor *successor, struct gjkd_version **out) {
    return succeed(previous, successor, true, out);
}

gjk_status gjkd_version_restore(const gjkd_restored *restored, struct gjkd_version **out) {
    const gjkd_successor successor = {.set = *restored,
                                      .is_whole = true,
                                      .order = restored->revision};
    return succeed(NULL, &successor, false, out);
}

/* Sets the origin of a body that the version has made. */
static void renumber(void *user, const gjk_body *from, const gjk_body *to) {
    (void)from;
    if (to != NULL) {
        gjkd_stored_set_origin(to, *(const gjkd_origin *)user);
    }
}

/* Sets the origin of the bodies that are new since `from` (NULL: of all bodies). O(bodies). */
static void renumber_bodies(const struct gjkd_version *version, const struct gjkd_version *from,
                            bool is_quiet) {
    gjkd_origin origin = {version->revision, version->nonce,
                          is_quiet ? gjkd_version_ticks_end(version) : 0};
    if (from != NULL) {
        gjk_set_diff(from->set, version->set, renumber, &origin);
        return;
    }
    gjk_set_iterator bodies = gjk_set_iterate(version->set, NULL);
    for (const gjk_body *body; (body = gjk_set_next(&bodies)) != NULL;) {
        renumber(&origin, NULL, body);
    }
}

void gjkd_version_number(struct gjkd_version *version, const struct gjkd_version *from,
                         uint64_t incarnation, bool is_quiet, uint64_t order, uint32_t nonce) {
    const struct gjkd_version *revision_of = is_quiet ? from : NULL;
    version->revision = revision_of != NULL ? revision_of->revision : order;
    version->nonce = revision_of != NULL ? revision_of->nonce : nonce;
    gjk_set_release(version->unlogged.base);
    version->unlogged = (gjkd_unlogged){.base = NULL};
    version->order = order;
    version->is_shared = true;
    if (from == NULL) {
        version->incarnation = incarnation;
        gjkd_feed_begin(version->feed, gjkd_version_seq(version));
    }
    renumber_bodies(version, from, is_quiet);
}

void gjkd_version_number_tick(struct gjkd_version *version, const struct gjkd_version *from) {
    version->revision = from->revision;
    version->nonce = from->nonce;
    version->order = from->order;
    version->is_shared = true;
    version->unlogged = from->unlogged;
    version->unlogged.base = gjk_set_retain(gjkd_version_base_set(from));
    version->unlogged.base_ticks = gjkd_version_base_ticks(from);
    version->unlogged.ticks++;
    version->unlogged.owes = true;
    renumber_bodies(version, from, true);
}

uint64_t gjkd_version_base_ticks(const struct gjkd_version *version) {
    return version->unlogged.base != NULL ? version->unlogged.base_ticks
                                          : gjkd_version_ticks_end(version);
}

/* Compares the log position with the revision: a message that has not raised the revision was a
 * tick or a checkpoint. */
bool gjkd_version_may_lack_ticks(const struct gjkd_version *version) {
    const gjkd_unlogged *unlogged = &version->unlogged;
    const bool is_of_another = version->is_shared && !unlogged->leads && !unlogged->owes;
    return unlogged->doubts ||
           (is_of_another && (version->order != version->revision || unlogged->ticks > 0));
}
