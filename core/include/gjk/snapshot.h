#ifndef GJK_SNAPSHOT_H
#define GJK_SNAPSHOT_H

/*
 * A set at one instant: as it stands, or interpolated between two ticks. Bodies have the geometry
 * and filter fields that they have in `set`; the functions below compute their poses from `set`,
 * `next` and `alpha`. A view: it lives as long as the sets (or the history) it came from.
 */

#include "gjk/set.h"

GJK_BEGIN

struct gjk_tree;
struct gjk_packed;

typedef struct gjk_snapshot {
    const struct gjk_set *set;
    const struct gjk_set *next;  /* the set to interpolate towards; NULL: exactly `set` */
    double alpha;                /* in [0, 1): the fraction from `set` to `next` */
    const struct gjk_tree *tree; /* over the bodies at that instant; NULL: none */
    /* For a packed tick (gjk_history_pack), else NULL: its poses, which replace those of `set`, and
     * the tick's index among them. `next` is then NULL. */
    const struct gjk_packed *packed;
    uint32_t packed_at;
} gjk_snapshot;

/* Returns a snapshot of the set as it stands. */
gjk_snapshot gjk_snapshot_of(const struct gjk_set *set);

/*
 * Returns the pose of a body of snapshot->set: interpolated towards the body with the same handle
 * in `next`, positions linearly, rotations by the shortest arc (an exact half turn in the positive
 * sense, see base/angle.h). Not interpolated if `next` has no such body or it was teleported.
 * Coordinates stay between those of the two poses. gjk_pose_make2 or 3 with its position and turn
 * gives the same pose to the bit. O(log n).
 */
gjk_pose gjk_snapshot_pose(const gjk_snapshot *snapshot, const gjk_body *body);

/* Returns the body's shape at that pose. */
gjk_placed gjk_snapshot_place(const gjk_snapshot *snapshot, const gjk_body *body);

GJK_END

#endif
