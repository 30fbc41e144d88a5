/* A proposal as bytes. What differs between its two versions is found by gjk_set_diff, in no order,
 * and written in the order of ids. */

#include "cluster/record_form.h"

#include "cluster/poses.h"
#include "sets/feed.h"
#include "sets/kept_ticks.h"
#include "sets/version.h"
#include "sets/version_edit.h"
#include "store/row.h"

#include <stdlib.h>
#include <string.h>

static bool is_moved(const gjk_body *from, const gjk_body *to) {
    return from != NULL && to != NULL && from->handle == to->handle &&
           gjkd_stored_is_moved(from, to);
}

static void put_shape(struct proto_buffer *out, const gjkd_difference *difference,
                      uint32_t dimension) {
    const gjk_body *to = difference->to;
    const bool moves = is_moved(difference->from, to);
    gjkd_put8(out, to == NULL ? SHAPE_IS_GONE : moves ? SHAPE_IS_MOVED : SHAPE_IS_DEFINED);
    gjkd_put_name(out, difference->id);
    if (to == NULL) {
        return;
    }
    gjkd_place_row place;
    gjkd_place_encode(to, dimension, to->handle, gjkd_stored_origin(to), &place);
    gjkd_put8(out, to->teleport);
    gjkd_put32(out, to->handle);
    gjkd_put_blob(out, place.bytes, place.length);
    if (!moves) {
        struct gjk_arena scratch;
        gjk_arena_init(&scratch, 0);
        const proto_text shape = gjkd_shape_encode(to, to->handle, &scratch);
        out->failed = out->failed || shape.data == NULL;
        gjkd_put_blob(out, shape.data, shape.length);
        gjk_arena_fini(&scratch);
    }
}

static void put_shapes(struct proto_buffer *out, const gjkd_proposal *proposal) {
    gjkd_differences all = {.items = NULL};
    const struct gjkd_version *to = proposal->to;
    if (proposal->is_whole || proposal->from == NULL) {
        gjk_set_iterator bodies = gjk_set_iterate(to->set, NULL);
        for (const gjk_body *body; (body = gjk_set_next(&bodies)) != NULL;) {
            gjkd_differences_note(&all, NULL, body);
        }
    } else {
        gjk_set_diff(proposal->from->set, to->set, gjkd_differences_note, &all);
    }
    gjkd_differences_sort(&all);
    out->failed = out->failed || all.failed;
    gjkd_put32(out, all.count);
    for (uint32_t i = 0; i < all.count && !out->failed; i++) {
        put_shape(out, &all.items[i], to->dimension);
    }
    free(all.items);
}

/* The ticks before the change, as its writer knows them. */
struct past {
    uint64_t ticks_end;               /* the newest one, plus one; 0: none */
    const struct gjkd_version *poses; /* has some that the log has not, or NULL */
    bool has_doubts;                  /* of a snapshot, as its version has */
};

static void put_stamp(struct proto_buffer *out, const gjkd_stamp *stamp) {
    gjkd_put64(out, stamp->tick);
    gjkd_put_bytes(out, stamp->digest.bytes, sizeof stamp->digest.bytes);
    gjkd_put8(out, (uint8_t)((stamp->after_gap ? STAMP_AFTER_GAP : 0) |
                             (stamp->is_missing ? STAMP_IS_MISSING : 0)));
}

/* All of a version but its shapes. */
static void put_version(struct proto_buffer *out, const gjkd_proposal *proposal,
                        const struct past *past) {
    const struct gjkd_version *to = proposal->to;
    gjkd_put64(out, to->incarnation);
    gjkd_put64(out, to->revision);
    gjkd_put64(out, to->order);
    gjkd_put64(out, to->next_handle);
    gjkd_put32(out, to->dimension);
    gjkd_put8(out,
              (uint8_t)((to->has_history ? HAS_HISTORY : 0) |
                        (to->meta.data != NULL ? HAS_META : 0) |
                        (proposal->stamp != NULL ? HAS_STAMP : 0) |
                        (past->poses != NULL ? HAS_POSES : 0) |
                        (past->has_doubts ? HAS_DOUBTS : 0) | (to->nonce != 0 ? HAS_NONCE : 0)));
    gjkd_put32(out, to->history_ticks);
    if (to->nonce != 0) {
        gjkd_put32(out, to->nonce);
    }
    if (to->meta.data != NULL) {
        gjkd_put_blob(out, to->meta.data, to->meta.length);
    }
    gjkd_put64(out, past->ticks_end);
    if (proposal->stamp != NULL) {
        put_stamp(out, proposal->stamp);
    }
    if (past->poses != NULL) {
        gjkd_poses_put(out, NULL, past->poses);
    }
}

static void put_change(struct proto_buffer *out, const gjkd_proposal *proposal,
                       const struct past *past) {
    const struct gjkd_version *to = proposal->to;
    const bool is_whole = proposal->is_whole || proposal->from == NULL;
    gjkd_put8(out, to == NULL ? SET_IS_GONE : is_whole ? SET_IS_WHOLE : SET_IS_EDITED);
    gjkd_put_name(out, proposal->name);
    if (to != NULL) {
        put_version(out, proposal, past);
        put_shapes(out, proposal);
    }
}

void gjkd_record_put(struct proto_buffer *out, const gjkd_proposal *proposal) {
    const struct gjkd_version *from = proposal->from;
    struct past past = {.ticks_end = 0};
    if (from != NULL && !proposal->is_whole) {
        past.ticks_end = gjkd_version_ticks_end(from);
        past.poses = from->unlogged.base != NULL ? from : NULL;
    }
    put_change(out, proposal, &past);
}

/* Writes a snapshot without ticks that the log lacks: its readers receive those as any others. */
void gjkd_record_put_set(struct proto_buffer *out, const struct gjkd_version *version) {
    struct gjkd_version before = {.set =
                                      NULL}; /* of both, the members that are written or compared */
    struct gjkd_version at = {.incarnation = version->incarnation,
                              .revision = version->revision,
                              .nonce = version->nonce,
                              .order = version->order,
                              .next_handle = version->next_handle,
                              .dimension = version->dimension,
                              .has_history = version->has_history,
                              .history_ticks = version->history_ticks,
                              .meta = version->meta};
    const uint64_t end = gjkd_version_base_ticks(version);
    const uint32_t count = version->history != NULL ? gjk_history_count(version->history) : 0;
    gjkd_proposal proposal = {.name = version->name, .to = &at, .is_whole = true};
    struct past past = {.has_doubts = version->unlogged.doubts};
    for (uint32_t i = 0; i < count && !out->failed; i++) {
        const gjk_tick tick = gjk_history_tick(version->history, i);
        if (tick.number >= end) {
            break;
        }
        const gjkd_tick *kept = tick.note;
        const gjkd_stamp stamp = {tick.number, kept->digest, tick.after_gap, tick.is_missing};
        at.set = (struct gjk_set *)(uintptr_t)tick.set;
        proposal.stamp = &stamp;
        put_change(out, &proposal, &past);
        past.ticks_end = tick.number + 1;
        before.set = at.set;
        proposal.from = &before;
        proposal.is_whole = false;
    }
    at.set = gjkd_version_base_set(version);
    proposal.stamp = NULL;
    if (proposal.is_whole || before.set != at.set || past.ticks_end != end) {
        past.ticks_end = end;
        put_change(out, &proposal, &past);
    }
}
