#ifndef GJKD_CLUSTER_POSES_H
#define GJKD_CLUSTER_POSES_H

/*
 * A tick that only moves shapes, as bytes. It holds the poses of all shapes that differ from what
 * the log has of the set, not only of those that this tick moves: a node that lacks earlier ticks
 * has the newest state again with this one alone. Rows that this tick moves are marked, so that a
 * node that lacks none shares with the tick before what the writer shares, and both interpolate
 * alike.
 *
 *   message   format, epoch, the set's name, poses
 *   poses     incarnation, place of the log, ticks since then, dimension, the tick before and this one
 *             (plus one; 0: none), flags, the digest of its request, the number of rows, rows
 *   row       handle, flags, length, place (store/row.h); in the order of ids
 */

#include "cluster/bytes.h"
#include "sets/version.h"

/* Shapes that differ between two sets; zeroed at first. The caller frees the items. */
typedef struct gjkd_difference {
    const gjk_body *from, *to; /* one of them may be NULL */
    const char *id;
} gjkd_difference;

typedef struct gjkd_differences {
    gjkd_difference *items;
    uint32_t count, capacity;
    bool failed; /* out of memory */
} gjkd_differences;

/* Adds one to the differences; for gjk_set_diff, which finds them in no order. */
void gjkd_differences_note(void *user, const gjk_body *from, const gjk_body *to);

/* Puts them into the order of ids. A shape that was removed and made again has two handles, and so
 * two differences, which become one. */
void gjkd_differences_sort(gjkd_differences *all);

/* Longer messages go through the log. The servers take 1 MiB unless configured otherwise. */
#define GJKD_POSES_BYTES_MAX (((size_t)1 << 20) - 4096)

typedef struct gjkd_poses {
    uint64_t incarnation;
    uint64_t place; /* of the log, upon whose state the rows stand */
    uint32_t ticks; /* since then, this one included */
    uint32_t dimension;
    uint64_t previous_end, tick_end; /* ticks, plus one; 0: none */
    bool is_merged;                  /* the state is not that of the tick alone */
    bool after_gap;                  /* the writer lacks ticks right before this one */
    bool is_marked;                  /* rows say whether this tick moves them */
    gjkd_digest digest;
    uint32_t count;
    proto_text rows;
} gjkd_poses;

/* Writes the part of `version` that the log has not. from: the version before its newest tick,
 * whose bodies it shares; NULL: it is not there any more, and rows are not marked. */
void gjkd_poses_put(struct proto_buffer *out, const struct gjkd_version *from,
                    const struct gjkd_version *version);

/* A view of what stands at the cursor; rows are read when they are applied. False: damaged. */
bool gjkd_poses_read(gjkd_cursor *cursor, gjkd_poses *out) GJK_MUST_USE;

/*
 * The rows as edits that move shapes of the set, which is one of `current`: each row whose pose or
 * entity tag differs from the set's; or, with only_moved, the rows of shapes that the tick itself
 * has moved, even to where they stood. The caller frees *edits by gjkd_edits_free. False: the
 * problem says why, OUT_OF_MEMORY or INTERNAL for damage.
 */
bool gjkd_poses_edit(const gjkd_poses *poses, const struct gjkd_version *current,
                     const struct gjk_set *set, bool only_moved, gjk_edit **edits, uint32_t *count,
                     struct proto_problem *problem) GJK_MUST_USE;

/*
 * Makes of `current`, which is of the same place of the log but older, the version whose shapes
 * stand at these poses. The ticks between the two, which this node has not heard of, are marked as
 * lost. *out is one reference, the caller's. False as above.
 */
bool gjkd_poses_apply(const gjkd_poses *poses, const struct gjkd_version *current,
                      struct gjkd_version **out, struct proto_problem *problem) GJK_MUST_USE;

/* A message of its own. */
typedef struct gjkd_tick_message {
    uint64_t epoch;
    const char *name; /* a view */
    gjkd_poses poses;
} gjkd_tick_message;

void gjkd_tick_message_put(struct proto_buffer *out, uint64_t epoch,
                           const struct gjkd_version *from, const struct gjkd_version *version);

/* A view. False: it is none of this version, or damaged. */
bool gjkd_tick_message_read(proto_text text, gjkd_tick_message *out) GJK_MUST_USE;

#endif
