/* Histories of sets: a persistent map from ticks to sets. Its versions share the unchanged parts,
 * so that the cost of adding a tick grows only with the logarithm of their number. A tick is
 * reduced twice: first its set drops its tree, because the tree over the motions to the next tick
 * has the same bodies; later eight ticks become one packing with one set. */

#include "gjk/history.h"

#include "base/map.h"
#include "base/references.h"
#include "scene/packed.h"
#include "scene/scene.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A set at a tick. Immutable, shared by the histories that contain it. */
typedef struct stamp {
    gjk_references references;
    uint64_t tick;
    double key;                /* tick */
    const struct gjk_set *set; /* retained */
    struct gjk_tree *span;     /* over the motions from the previous tick to this one; NULL: none */
    const struct gjk_packed *packed; /* NULL: not packed */
    uint32_t packed_at;              /* index among the packed ticks */
    bool is_bare;                    /* the set has dropped its tree, which freed `tree_bytes` */
    size_t tree_bytes;
    bool after_gap, is_missing;
    bool is_steady; /* the previous tick has the same bodies, except for poses */
    size_t note_bytes;
    uint64_t note[]; /* note_bytes bytes */
} stamp;

struct gjk_history {
    gjk_references references;
    uint32_t ticks_max;
    gjk_map stamps;
};

static const void *key_of(const void *item) {
    return &((const stamp *)item)->key;
}

static int compare_tick(const void *key, const void *item) {
    double p = *(const double *)key, q = ((const stamp *)item)->key;
    return p < q ? -1 : p > q;
}

static void retain_stamp(const void *context, const void *item) {
    (void)context;
    gjk_references_add(&((stamp *)item)->references);
}

static void release_stamp(const void *context, const void *item) {
    stamp *shared = (stamp *)item;
    (void)context;
    if (gjk_references_drop(&shared->references)) {
        gjk_tree_release(shared->span);
        gjk_packed_release(shared->packed);
        gjk_set_release(shared->set);
        free(shared);
    }
}

static const gjk_map_kind map_by_tick = {key_of, compare_tick, retain_stamp, release_stamp};

static const stamp *stamp_at(const struct gjk_history *history, uint32_t i) {
    return gjk_map_at(&history->stamps, i);
}

/* Bodies that move from one tick to the next. Capacity: all bodies. */
typedef struct motions {
    gjk_tree_change *changes;
    uint32_t count;
    bool is_steady; /* the sets differ in nothing else */
} motions;

/* Returns true if two bodies with the same handle differ at most in pose. */
static bool is_same_shape(const gjk_body *a, const gjk_body *b) {
    return a != NULL && b != NULL && a->id == b->id && a->group == b->group &&
           a->category == b->category && a->mask == b->mask && a->placed.shape == b->placed.shape;
}

static void note_motion(void *user, const gjk_body *from, const gjk_body *to) {
    motions *all = user;
    all->is_steady = all->is_steady && is_same_shape(from, to);
    if (from == NULL || to == NULL || to->teleport) {
        return; /* inserted, removed and teleported bodies are not interpolated */
    }
    all->changes[all->count++] = (gjk_tree_change){from, to};
}

/* Makes the tree over the motions of bodies from one set to the next. *is_steady: as in stamp. */
static gjk_status make_span(const struct gjk_set *from, const struct gjk_set *to,
                            struct gjk_tree **out, bool *is_steady) {
    const struct gjk_tree *tree = gjk_set_tree(from);
    motions all = {.is_steady = true};
    *out = NULL;
    if (tree == NULL) {
        return GJK_OK;
    }
    all.changes = malloc(gjk_set_count(from) * sizeof all.changes[0]);
    if (all.changes == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    gjk_set_diff(from, to, note_motion, &all);
    *is_steady = all.is_steady;
    gjk_status status = GJK_OK;
    if (all.count == 0) {
        *out = gjk_tree_retain(tree);
    } else {
        status = gjk_tree_span(tree, all.changes, all.count, NULL, out);
    }
    free(all.changes);
    return status;
}

/* Creates the stamp of a tick. previous: the stamp before it, or NULL. Returns NULL if memory is
 * exhausted. */
static stamp *stamp_new(const gjk_tick *tick, const stamp *previous) {
    stamp *made = malloc(sizeof *made + tick->note_bytes);
    struct gjk_tree *span = NULL;
    /* Bodies are not interpolated over a gap. */
    const bool has_span =
        previous != NULL && !(previous->is_missing || tick->is_missing || tick->after_gap);
    bool is_steady = false;
    if (made == NULL ||
        (has_span && make_span(previous->set, tick->set, &span, &is_steady) != GJK_OK)) {
        free(made);
        return NULL;
    }
    *made = (stamp){.tick = tick->number,
                    .key = (double)tick->number,
                    .set = gjk_set_retain(tick->set),
                    .span = span,
                    .after_gap = tick->after_gap,
                    .is_missing = tick->is_missing,
                    .is_steady = is_steady,
                    .note_bytes = tick->note_bytes};
    gjk_references_init(&made->references);
    if (tick->note_bytes > 0) {
        memcpy(made->note, tick->note, tick->note_bytes);
    }
    return made;
}

struct gjk_history *gjk_history_new(uint32_t ticks_max) {
    struct gjk_history *history = malloc(sizeof *history);
    if (history != NULL) {
        gjk_references_init(&history->references);
        history->ticks_max = ticks_max;
        history->stamps = gjk_map_make(&map_by_tick, NULL);
    }
    return history;
}

/* Makes a history by editing the stamps of another. */
static gjk_status edit_stamps(const struct gjk_history *history, uint32_t ticks_max,
                              const gjk_map_edit *edits, uint32_t count, struct gjk_history **out) {
    struct gjk_history *next = gjk_history_new(ticks_max);
    const gjk_status status = next != NULL
                                  ? gjk_map_edit_all(&history->stamps, edits, count, &next->stamps)
                                  : GJK_OUT_OF_MEMORY;
    if (status != GJK_OK) {
        gjk_history_release(next);
        return status;
    }
    *out = next;
    return GJK_OK;
}

/* Makes a history without the `dropped` ticks from rank `first` on, and with the stamp `newest`
 * unless it is NULL. */
static gjk_status replace(const struct gjk_history *history, uint32_t ticks_max, uint32_t first,
                          uint32_t dropped, const stamp *newest, struct gjk_history **out) {
    gjk_map_edit *edits = malloc((dropped + (size_t)1) * sizeof edits[0]);
    if (edits == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < dropped; i++) {
        edits[i] = (gjk_map_edit){&stamp_at(history, first + i)->key, NULL};
    }
    if (newest != NULL) {
        edits[dropped++] = (gjk_map_edit){&newest->key, newest};
    }
    const gjk_status status = edit_stamps(history, ticks_max, edits, dropped, out);
    free(edits);
    return status;
}

gjk_status gjk_history_add_tick(const struct gjk_history *history, const gjk_tick *tick,
                                struct gjk_history **out) {
    GJK_ASSERT((double)tick->number <= GJK_TICK_MAX);
    GJK_ASSERT(gjk_history_count(history) == 0 || tick->number > gjk_history_newest(history));
    if (history->ticks_max == 0) {
        return replace(history, 0, 0, 0, NULL, out);
    }
    const uint32_t count = gjk_history_count(history);
    stamp *newest = stamp_new(tick, count > 0 ? stamp_at(history, count - 1) : NULL);
    if (newest == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    uint32_t dropped = count == history->ticks_max;
    gjk_status status = replace(history, history->ticks_max, 0, dropped, newest, out);
    release_stamp(NULL, newest);
    return status;
}

gjk_status gjk_history_add(const struct gjk_history *history, uint64_t tick,
                           const struct gjk_set *set, struct gjk_history **out) {
    return gjk_history_add_tick(history, &(gjk_tick){.number = tick, .set = set}, out);
}

gjk_status gjk_history_limit(const struct gjk_history *history, uint32_t ticks_max,
                             struct gjk_history **out) {
    uint32_t count = gjk_history_count(history);
    return replace(history, ticks_max, 0, count > ticks_max ? count - ticks_max : 0, NULL, out);
}

gjk_status gjk_history_cut(const struct gjk_history *history, uint64_t from,
                           struct gjk_history **out) {
    /* Last tick that is kept: a double does not hold a `from` beyond the largest tick. */
    const double last = from > (uint64_t)GJK_TICK_MAX ? GJK_TICK_MAX : (double)from - 1.0;
    const uint32_t kept = gjk_map_rank(&history->stamps, &last);
    GJK_ASSERT(
        kept == 0 || kept == gjk_history_count(history) ||
        !(stamp_at(history, kept - 1)->packed != NULL || stamp_at(history, kept - 1)->is_bare));
    return replace(history, history->ticks_max, kept, gjk_history_count(history) - kept, NULL, out);
}

struct gjk_history *gjk_history_retain(const struct gjk_history *history) {
    struct gjk_history *shared = (struct gjk_history *)history;
    gjk_references_add(&shared->references);
    return shared;
}

void gjk_history_release(const struct gjk_history *history) {
    struct gjk_history *shared = (struct gjk_history *)history;
    if (shared != NULL && gjk_references_drop(&shared->references)) {
        gjk_map_release(&shared->stamps);
        free(shared);
    }
}

uint32_t gjk_history_count(const struct gjk_history *history) {
    return gjk_map_count(&history->stamps);
}

uint32_t gjk_history_ticks_max(const struct gjk_history *history) {
    return history->ticks_max;
}

uint64_t gjk_history_oldest(const struct gjk_history *history) {
    return stamp_at(history, 0)->tick;
}

uint64_t gjk_history_newest(const struct gjk_history *history) {
    return stamp_at(history, gjk_history_count(history) - 1)->tick;
}

const struct gjk_set *gjk_history_newest_set(const struct gjk_history *history) {
    uint32_t count = gjk_history_count(history);
    return count > 0 ? stamp_at(history, count - 1)->set : NULL;
}

gjk_rewind gjk_history_at(const struct gjk_history *history, double tick, gjk_rewound *out) {
    uint32_t before = history != NULL ? gjk_map_rank(&history->stamps, &tick) : 0;
    if (before == 0) {
        return GJK_REWIND_EXPIRED;
    }
    const stamp *from = stamp_at(history, before - 1);
    *out = (gjk_rewound){gjk_snapshot_of(from->set), from->tick, from->tick, from->is_missing};
    if (from->packed != NULL) {
        out->snapshot.tree = from->packed->tree;
        out->snapshot.packed = from->packed;
        out->snapshot.packed_at = from->packed_at;
    }
    const bool is_newest = before == gjk_history_count(history);
    const stamp *to = is_newest ? from : stamp_at(history, before);
    if (from->is_bare && from->packed == NULL) {
        out->snapshot.tree = to->span;
    }
    if (tick == (double)from->tick) {
        return GJK_REWIND_OK;
    }
    if (is_newest) {
        return GJK_REWIND_FUTURE;
    }
    out->to = to->tick;
    if (from->is_missing || to->is_missing || to->after_gap) {
        out->is_gap = true;
        return GJK_REWIND_OK;
    }
    /* Both differences are exact: ticks are integers up to 2^53. */
    if (from->packed == NULL) {
        out->snapshot.next = to->set;
        out->snapshot.tree = to->span;
    }
    out->snapshot.alpha = (tick - (double)from->tick) / (double)(to->tick - from->tick);
    return GJK_REWIND_OK;
}

static gjk_tick view(const stamp *kept) {
    const struct gjk_packed *packed = kept->packed;
    const bool is_first = packed != NULL && kept->packed_at == 0;
    return (gjk_tick){
        .number = kept->tick,
        .set = packed == NULL && !kept->is_bare ? kept->set : NULL,
        .after_gap = kept->after_gap,
        .is_missing = kept->is_missing,
        .keeps_set = packed == NULL || (is_first && packed->has_own_set),
        .keeps_bodies = is_first ? packed->resting : 0,
        .given_up_bytes = kept->tree_bytes,
        .note = kept->note_bytes > 0 ? kept->note : NULL,
        .note_bytes = kept->note_bytes,
        .bytes = sizeof *kept + kept->note_bytes + gjk_tree_added_bytes(kept->span) +
                 (packed != NULL ? gjk_packed_bytes(packed) / GJK_PACKED_TICKS : 0),
    };
}

/* --- Packing --- */

/* Returns true if the GJK_PACKED_TICKS ticks from rank `first` on can be packed, with the poses of
 * the tick after them. */
static bool is_packable(const struct gjk_history *history, uint32_t first) {
    for (uint32_t i = 0; i <= GJK_PACKED_TICKS; i++) {
        const stamp *kept = stamp_at(history, first + i);
        const bool is_inside = i > 0 && i < GJK_PACKED_TICKS;
        if (kept->packed != NULL || kept->is_missing || (i > 0 && kept->span == NULL) ||
            (is_inside && !kept->is_steady)) {
            return false;
        }
    }
    return true;
}

/* Copies a stamp with another set, which it retains, and with or without its span. Returns NULL if
 * memory is exhausted. */
static stamp *stamp_with(const stamp *kept, const struct gjk_set *set, bool has_span) {
    const size_t first = offsetof(stamp, tick); /* without the shared reference count */
    stamp *made = malloc(sizeof *made + kept->note_bytes);
    if (made != NULL) {
        memcpy((char *)made + first, (const char *)kept + first,
               sizeof *made - first + kept->note_bytes);
        gjk_references_init(&made->references);
        made->set = gjk_set_retain(set);
        made->span = has_span && kept->span != NULL ? gjk_tree_retain(kept->span) : NULL;
    }
    return made;
}

/* Copies a stamp as packed tick `at`, or as the tick after the packing. has_span: the previous tick
 * is not packed and still needs this span. Returns NULL if memory is exhausted. */
static stamp *stamp_packed(const stamp *kept, const struct gjk_packed *packed, uint32_t at,
                           bool has_span) {
    const bool is_packed = at < GJK_PACKED_TICKS;
    stamp *made = stamp_with(kept, is_packed ? packed->set : kept->set, has_span);
    if (made != NULL && is_packed) {
        made->packed = gjk_packed_retain(packed);
        made->packed_at = at;
    }
    return made;
}

/* Makes the history in which the ticks from rank `first` on are packed. */
static gjk_status put_packed(const struct gjk_history *history, uint32_t first,
                             const struct gjk_packed *packed, struct gjk_history **out) {
    gjk_map_edit edits[GJK_PACKED_TICKS + 1];
    uint32_t made = 0;
    bool has_span = first > 0 && stamp_at(history, first - 1)->packed == NULL;
    gjk_status status = GJK_OK;
    while (status == GJK_OK && made <= GJK_PACKED_TICKS) {
        const stamp *each = stamp_packed(stamp_at(history, first + made), packed, made, has_span);
        has_span = false;
        status = each != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
        if (each != NULL) {
            edits[made++] = (gjk_map_edit){&each->key, each};
        }
    }
    if (status == GJK_OK) {
        status = edit_stamps(history, history->ticks_max, edits, made, out);
    }
    while (made > 0) {
        release_stamp(NULL, edits[--made].item);
    }
    return status;
}

/* Drops the tree of the third newest tick's set, if possible. *out stays NULL if not. */
static gjk_status drop_tree(const struct gjk_history *history, uint32_t *first, uint32_t *count,
                            struct gjk_history **out) {
    const uint32_t ticks = gjk_history_count(history);
    if (ticks < 3) {
        return GJK_OK;
    }
    const stamp *kept = stamp_at(history, ticks - 3), *next = stamp_at(history, ticks - 2);
    if (kept->is_bare || kept->packed != NULL || next->span == NULL) {
        return GJK_OK;
    }
    *first = ticks - 3;
    *count = 1;
    struct gjk_set *bare = gjk_set_without_tree(kept->set);
    stamp *made = bare != NULL ? stamp_with(kept, bare, true) : NULL;
    gjk_status status = GJK_OUT_OF_MEMORY;
    if (made != NULL) {
        made->is_bare = true;
        made->tree_bytes = gjk_tree_bytes_beside(gjk_set_tree(kept->set), next->span);
        status = replace(history, history->ticks_max, 0, 0, made, out);
        release_stamp(NULL, made);
    }
    gjk_set_release(bare);
    return status;
}

gjk_status gjk_history_pack(const struct gjk_history *history, uint32_t *first, uint32_t *count,
                            struct gjk_history **out) {
    const struct gjk_set *sets[GJK_PACKED_TICKS + 1];
    const struct gjk_packed *packed = NULL;
    const uint32_t ticks = gjk_history_count(history), whole = GJK_PACKED_TICKS + 2;
    *out = NULL;
    if (ticks < whole || !is_packable(history, ticks - whole)) {
        return drop_tree(history, first, count, out);
    }
    *first = ticks - whole;
    *count = GJK_PACKED_TICKS + 1;
    for (uint32_t i = 0; i <= GJK_PACKED_TICKS; i++) {
        sets[i] = stamp_at(history, *first + i)->set;
    }
    const bool is_next = *first > 0 && stamp_at(history, *first)->is_steady;
    gjk_status status =
        gjk_packed_new(sets, stamp_at(history, *first + 1)->span,
                       is_next ? stamp_at(history, *first - 1)->packed : NULL, &packed);
    if (packed != NULL) {
        status = put_packed(history, *first, packed, out);
        gjk_packed_release(packed);
    } else if (status == GJK_OK) {
        status = drop_tree(history, first, count, out);
    }
    return status;
}

gjk_tick gjk_history_tick(const struct gjk_history *history, uint32_t i) {
    return view(stamp_at(history, i));
}

bool gjk_history_find(const struct gjk_history *history, uint64_t number, gjk_tick *out) {
    const double key = (double)number;
    const stamp *kept = gjk_map_find(&history->stamps, &key);
    if (kept == NULL || kept->tick != number) {
        return false;
    }
    *out = view(kept);
    return true;
}
