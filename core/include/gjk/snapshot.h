#ifndef GJK_SNAPSHOT_H
#define GJK_SNAPSHOT_H

/*
 * A set at one moment: as it stands, or between two ticks. Bodies exist with the geometry and
 * filter that they have in `set`; where each stands follows from `set`, `next` and `alpha`.
 * A value that borrows; it lives as long as the sets (or the history) it came from.
 */

#include "gjk/set.h"

struct gjk_tree;

typedef struct gjk_snapshot {
    const struct gjk_set *set;
    const struct gjk_set *next;  /* where poses go; NULL: the moment is exactly `set` */
    double alpha;                /* in [0, 1): how far from `set` to `next` */
    const struct gjk_tree *tree; /* over the bodies wherever they stand then; NULL: none */
} gjk_snapshot;

/* The set as it stands. */
gjk_snapshot gjk_snapshot_of(const struct gjk_set *set);

/*
 * Where a body of moment->set stands at the moment: towards the pose of the same handle in
 * `next`, positions linearly, rotations by the shortest arc (an exact half turn the positive
 * way, see core/turn.h), unless that handle is gone there or teleported. Coordinates stay between
 * those of the two poses. The turn gives the same pose to the bit when it is given to
 * gjk_pose_make2 or 3 with the position. O(log n).
 */
gjk_pose gjk_snapshot_pose(const gjk_snapshot *snapshot, const gjk_body *body, gjk_rotation *turn);

/* The same with the body's shape. */
gjk_placed gjk_snapshot_place(const gjk_snapshot *snapshot, const gjk_body *body);

#endif
