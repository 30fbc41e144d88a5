#ifndef GJK_SNAPSHOT_H
#define GJK_SNAPSHOT_H

/*
 * A set at one instant: as it stands, or interpolated between two ticks. Bodies exist with the
 * geometry and filter that they have in `set`; their poses follow from `set`, `next` and `alpha`, and
 * are read by the functions below.
 * A value that borrows; it lives as long as the sets (or the history) it came from.
 */

#include "gjk/set.h"

GJK_BEGIN

struct gjk_tree;
struct gjk_packed;

typedef struct gjk_snapshot {
    const struct gjk_set *set;
    const struct gjk_set *next;  /* the set that poses move to; NULL: exactly `set` */
    double alpha;                /* in [0, 1): the fraction from `set` to `next` */
    const struct gjk_tree *tree; /* over the bodies where they stand then; NULL: none */
    /* Of a packed tick (gjk_history_pack), else NULL: the poses, of which those of `set` are not
     * the tick's, and the tick's place among them. `next` is NULL then. */
    const struct gjk_packed *packed;
    uint32_t packed_at;
} gjk_snapshot;

/* The set as it stands. */
gjk_snapshot gjk_snapshot_of(const struct gjk_set *set);

/*
 * Returns the pose of a body of snapshot->set: interpolated towards the body of the same handle in
 * `next`, positions linearly, rotations by the shortest arc (an exact half turn in the positive
 * sense, see base/angle.h), unless `next` has no such body or it was teleported. Coordinates stay
 * between those of the two poses. gjk_pose_make2 or 3 of its position and its turn is the same pose
 * to the bit. O(log n).
 */
gjk_pose gjk_snapshot_pose(const gjk_snapshot *snapshot, const gjk_body *body);

/* The same with the body's shape. */
gjk_placed gjk_snapshot_place(const gjk_snapshot *snapshot, const gjk_body *body);

GJK_END

#endif
