#ifndef GJK_SHAPE_CONVEX_CLOUD_H
#define GJK_SHAPE_CONVEX_CLOUD_H

/* Clouds of points: the common part of their construction, and their edges. */

#include "gjk/shape.h"

/* Returns NOT_FINITE or OUT_OF_RANGE if a coordinate is invalid. In 2D, z is ignored. */
gjk_status gjk_cloud_check(uint32_t dimension, const gjk_vec3 *points, uint32_t count) GJK_MUST_USE;

/* Makes a shape with the type, dimension, count >= 1 and radius of `head` from checked points
 * (distinct, and in 2D counter-clockwise), in memory of the arena. Returns OUT_OF_MEMORY on
 * failure. */
gjk_status gjk_cloud_finish(struct gjk_arena *arena, const gjk_shape *head, const gjk_vec3 *points,
                            gjk_shape *out) GJK_MUST_USE;

/* Like gjk_cloud_finish, with columns of the caller: 5 doubles for each point, their count padded
 * to GJK_LANES, aligned to 64 bytes. */
void gjk_cloud_fill(const gjk_shape *head, const gjk_vec3 *points, double *columns, gjk_shape *out);

/* Make the same shapes as gjk_shape_make_triangle and gjk_shape_make_segment from checked points,
 * in columns of the caller: 5 * GJK_LANES doubles. */
void gjk_shape_fill_triangle(const gjk_vec3 corners[3], double rounding, double *columns,
                             gjk_shape *out);
void gjk_shape_fill_segment(uint32_t dimension, const gjk_vec3 ends[2], double rounding,
                            double *columns, gjk_shape *out);

/* Distance of a shape's center from its own origin, in sizes of the shape, beyond which its points
 * are stored relative to an offset. Differences are exact from 1 on; shapes nearer than that lose
 * no digits that matter. */
#define GJK_FAR_SIZES 1.0

/* Returns the offset of a shape with a center and size: on each axis the center if it is so far out
 * that differences are exact (Sterbenz 1974), else 0. */
static inline gjk_vec3 gjk_offset_of(gjk_vec3 center, double size) {
    const double far = GJK_FAR_SIZES * size;
    return (gjk_vec3){fabs(center.x) > far ? center.x : 0.0, fabs(center.y) > far ? center.y : 0.0,
                      fabs(center.z) > far ? center.z : 0.0};
}

/* Sets the offset of a shape whose box is measured. */
void gjk_set_offset(gjk_shape *shape);

/* Returns point i < count of a placed cloud in the world. */
static inline gjk_vec3 gjk_placed_point(const gjk_placed *placed, uint32_t i) {
    return gjk_pose_apply(&placed->pose, gjk_shape_point(placed->shape, i));
}

/* Copies a shape into a frame whose origin is at its offset; the copy's offset is 0. */
void gjk_shape_about_offset(const gjk_shape *shape, gjk_shape *out);

/*
 * Returns true if a convex polygon (or a segment, which has two edges, there and back) has edge
 * columns. Edge i goes from point i to the next. The three columns hold the outward unit normal and
 * the offset of the edge's line along it, padded with copies of the first edge. They exist in 2D,
 * for 2 to GJK_EDGES_MAX points, if the squares of all lengths are in the range of doubles.
 */
static inline bool gjk_has_edges(const gjk_shape *shape) {
    return shape->column_count > 3;
}

/* Writes the three edge columns after the point columns, which must have room for them. */
void gjk_edges_fill(const gjk_shape *shape, double *columns);

/* Returns the first of the edge columns (normal x, normal y, offset) of a shape that has them. */
static inline const double *gjk_edges_of(const gjk_shape *shape) {
    return shape->columns + 2 * (size_t)shape->stride;
}

#endif
