#ifndef GJK_SCENE_PACKED_H
#define GJK_SCENE_PACKED_H

/*
 * Consecutive ticks of one and the same bodies, packed: the bodies once, the poses of those that
 * move as columns, and one tree, whose boxes enclose where each body is in all of them. Answers are
 * the same to the bit as those from the sets; a query meets the bodies of looser boxes. Immutable,
 * and shared as sets are.
 */

#include "base/references.h"
#include "gjk/history.h"
#include "tree/tree.h"

#define GJK_PACKED_TICKS 8

struct gjk_packed {
    gjk_references references;
    bool has_own_set;   /* not one that it shares with another packing */
    uint32_t row_count; /* of bodies that do not stand as they do in `set` at all ticks */
    uint32_t resting;   /* of which objects are kept by the tick after only */
    uint32_t dimension;
    const struct gjk_set *set; /* the bodies; of those in rows not the poses; without a tree */
    struct gjk_tree *tree;
    const uint32_t *handles; /* of rows, ascending */
    const uint8_t *stays;    /* of rows: bit i: not interpolated from tick i to the one after it */
    double
        poses[]; /* of rows and in them of ticks, one more than GJK_PACKED_TICKS: position, turn */
};

/*
 * Packs GJK_PACKED_TICKS sets, followed by that of the tick after them, to which the last is
 * interpolated. Precondition: the first GJK_PACKED_TICKS have the same bodies but for poses. span:
 * the tree over their motions from the first to the second. shared: a packing of the same bodies,
 * whose set serves as well where most of them move, or NULL. *out is NULL where a pose is not given
 * by its position and turn. OUT_OF_MEMORY.
 */
gjk_status gjk_packed_new(const struct gjk_set *const sets[GJK_PACKED_TICKS + 1],
                          const struct gjk_tree *span, const struct gjk_packed *shared,
                          const struct gjk_packed **out) GJK_MUST_USE;

const struct gjk_packed *gjk_packed_retain(const struct gjk_packed *packed);
void gjk_packed_release(const struct gjk_packed *packed); /* NULL is allowed */

/* The memory of it, without that of the set. */
size_t gjk_packed_bytes(const struct gjk_packed *packed);

/* Writes the pose, as gjk_snapshot_pose defines it, of a body of the set at its tick `at`, or by
 * alpha in (0, 1) later. Returns false, and writes nothing, if the pose is that in the set.
 * O(log rows). */
bool gjk_packed_pose(const struct gjk_packed *packed, uint32_t at, double alpha,
                     const gjk_body *body, gjk_pose *pose);

#endif
