#ifndef GJK_SCENE_PACKED_H
#define GJK_SCENE_PACKED_H

/*
 * Consecutive ticks with the same bodies, packed: the bodies are stored once, the poses of moving
 * bodies as columns, and one tree, whose boxes enclose each body at all of these ticks. Answers are
 * bit-identical to those from the sets; a query only visits more bodies, because boxes are looser.
 * Packings are immutable and reference-counted like sets.
 */

#include "base/references.h"
#include "gjk/history.h"
#include "tree/tree.h"

#define GJK_PACKED_TICKS 8

struct gjk_packed {
    gjk_references references;
    bool has_own_set;   /* false: `set` is shared with another packing */
    uint32_t row_count; /* bodies whose pose at some tick differs from that in `set` */
    uint32_t resting;   /* rows whose last body object is in the next tick, but not in `set` */
    uint32_t dimension;
    const struct gjk_set *set; /* the bodies, without a tree; poses of rows are in `poses` */
    struct gjk_tree *tree;
    const uint32_t *handles; /* of the rows, ascending */
    const uint8_t *stays;    /* per row, bit i: not interpolated from tick i to the next */
    double poses[]; /* per row and tick, GJK_PACKED_TICKS + 1 of them: position, rotation */
};

/*
 * Packs GJK_PACKED_TICKS sets. The last element of `sets` is the tick after them, towards which the
 * last packed tick is interpolated. Precondition: the packed sets have the same bodies, except for
 * poses. span: tree over the motions from the first set to the second. shared: a packing of the
 * same bodies, whose set is reused if most bodies move; or NULL. Returns OK with *out == NULL if
 * some pose was not made from position and rotation; OUT_OF_MEMORY on failure.
 */
gjk_status gjk_packed_new(const struct gjk_set *const sets[GJK_PACKED_TICKS + 1],
                          const struct gjk_tree *span, const struct gjk_packed *shared,
                          const struct gjk_packed **out) GJK_MUST_USE;

const struct gjk_packed *gjk_packed_retain(const struct gjk_packed *packed);
void gjk_packed_release(const struct gjk_packed *packed); /* NULL is allowed */

/* Returns the memory of a packing in bytes, without that of its set. */
size_t gjk_packed_bytes(const struct gjk_packed *packed);

/* Computes the pose of a body of the set at tick `at` of the packing, or alpha in (0, 1) after it,
 * as gjk_snapshot_pose defines it. Returns false, with *pose unchanged, if the pose is that in the
 * set. O(log rows). */
bool gjk_packed_pose(const struct gjk_packed *packed, uint32_t at, double alpha,
                     const gjk_body *body, gjk_pose *pose);

#endif
