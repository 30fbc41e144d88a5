#ifndef GJKD_CLUSTER_POSES_H
#define GJKD_CLUSTER_POSES_H

/*
 * Encoding of a tick that only moves shapes. It contains the poses of all shapes that differ from
 * the state in the log, not only of the shapes that this tick moves: it alone brings a node up to
 * date that has missed earlier ticks. Rows of shapes that this tick moves are marked, so that a
 * node without gaps shares the same bodies with the previous tick as the writer does, and both
 * interpolate alike.
 *
 *   message   format, epoch, the set's name, poses
 *   poses     incarnation, position in the log, ticks since then, dimension, the previous tick and
 *             this one (plus one; 0: none), flags, digest of the request, number of rows, rows
 *   row       handle, flags, length, pose (store/row.h); sorted by id
 */

#include "cluster/bytes.h"
#include "sets/version.h"

/* List of the shapes that differ between two sets. Zero-initialized; the caller frees the items. */
typedef struct gjkd_difference {
    const gjk_body *from, *to; /* one of them may be NULL: the shape is new or gone */
    const char *id;
} gjkd_difference;

typedef struct gjkd_differences {
    gjkd_difference *items;
    uint32_t count, capacity;
    bool failed; /* memory was exhausted */
} gjkd_differences;

/* Appends a difference. A callback for gjk_set_diff, which reports in no order. */
void gjkd_differences_note(void *user, const gjk_body *from, const gjk_body *to);

/* Sorts the differences by id. A shape that was removed and created again has two handles and so
 * two differences, which are merged. */
void gjkd_differences_sort(gjkd_differences *all);

/* Maximum length; longer ticks go through the log. The servers accept 1 MiB by default. */
#define GJKD_POSES_BYTES_MAX (((size_t)1 << 20) - 4096)

typedef struct gjkd_poses {
    uint64_t incarnation;
    uint64_t place; /* position in the log of the state that the rows update */
    uint32_t ticks; /* number of ticks since then, including this one */
    uint32_t dimension;
    uint64_t previous_end, tick_end; /* the previous tick and this one, plus one; 0: none */
    bool is_merged;                  /* includes a change of the log made after the tick */
    bool after_gap;                  /* the writer misses ticks right before this one */
    bool is_marked;                  /* rows tell whether this tick moves them */
    gjkd_digest digest;
    uint32_t count;
    proto_text rows;
} gjkd_poses;

/* Encodes the difference between the log and `version`. from: the version before its newest tick,
 * with which it shares bodies; NULL if it is not known any more: rows are not marked. */
void gjkd_poses_put(struct proto_buffer *out, const struct gjkd_version *from,
                    const struct gjkd_version *version);

/* Decodes all but the rows, of which it makes a view. Returns false if the bytes are damaged. */
bool gjkd_poses_read(gjkd_cursor *cursor, gjkd_poses *out) GJK_MUST_USE;

/*
 * Decodes the rows as edits of `set`, which belongs to `current`: each row whose pose or entity tag
 * differs from the set's; with only_moved, each row of a shape that this tick has moved, even if it
 * did not change. The caller frees *edits with gjkd_edits_free. Returns false on failure: the
 * problem is OUT_OF_MEMORY, or INTERNAL for damage.
 */
bool gjkd_poses_edit(const gjkd_poses *poses, const struct gjkd_version *current,
                     const struct gjk_set *set, bool only_moved, gjk_edit **edits, uint32_t *count,
                     struct proto_problem *problem) GJK_MUST_USE;

/*
 * Builds the version with these poses from `current`, an older version at the same position in the
 * log. Ticks between the two, which this node has missed, are marked as lost. The caller owns the
 * reference *out. Fails like gjkd_poses_edit.
 */
bool gjkd_poses_apply(const gjkd_poses *poses, const struct gjkd_version *current,
                      struct gjkd_version **out, struct proto_problem *problem) GJK_MUST_USE;

/* Tick as a broadcast message. */
typedef struct gjkd_tick_message {
    uint64_t epoch;
    const char *name; /* a view */
    gjkd_poses poses;
} gjkd_tick_message;

void gjkd_tick_message_put(struct proto_buffer *out, uint64_t epoch,
                           const struct gjkd_version *from, const struct gjkd_version *version);

/* Decodes a message into views. Returns false if it has another format or is damaged. */
bool gjkd_tick_message_read(proto_text text, gjkd_tick_message *out) GJK_MUST_USE;

#endif
