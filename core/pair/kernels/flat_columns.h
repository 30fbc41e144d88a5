/* Columns of a polygon of at most eight points, in lanes. */

#ifndef GJK_PAIR_KERNELS_FLAT_COLUMNS_H
#define GJK_PAIR_KERNELS_FLAT_COLUMNS_H

#include "base/eight_lanes.h"
#include "base/two.h"
#include "gjk/shape.h"

/* Offsets of the columns. Lanes past the last point repeat the first point; lanes past the last
 * edge repeat the first edge. */
enum column {
    COLUMN = GJK_LANES,
    NORMAL_X = 2 * GJK_LANES,
    NORMAL_Y = 3 * GJK_LANES,
    OFFSET = 4 * GJK_LANES
};
#define ALL_LANES 0xffu

LANES_INLINE lanes dot(lanes ax, lanes ay, lanes bx, lanes by) {
    return lanes_add(lanes_mul(ax, bx), lanes_mul(ay, by));
}

/* Returns the positions of eight points along a direction. */
LANES_INLINE lanes along(const double *points, gjk_two direction) {
    return dot(lanes_all(direction[0]), lanes_all(direction[1]), lanes_load(points),
               lanes_load(points + COLUMN));
}

/* Returns a point, or a normal. */
LANES_INLINE gjk_two row(const double *columns, uint32_t i) {
    return (gjk_two){columns[i], columns[COLUMN + i]};
}

/* Returns the lane of the largest number, the first among equals. */
LANES_INLINE uint32_t lane_of_largest(lanes a) {
    return (uint32_t)__builtin_ctz(lanes_equal(a, lanes_largest(a)));
}

/* Returns one of two addresses. Both are equally likely, so the assembly keeps compilers from a
 * branch, and from taking the mask from a vector. */
LANES_INLINE const void *place_of(const void *no, const void *yes, bool which) {
    uintptr_t mask = -(uintptr_t)which;
    __asm__("" : "+r"(mask));
    return (const void *)((uintptr_t)no ^ (((uintptr_t)no ^ (uintptr_t)yes) & mask));
}

#endif
