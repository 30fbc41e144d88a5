#ifndef GJK_SHAPE_CONVEX_CLOUD_H
#define GJK_SHAPE_CONVEX_CLOUD_H

/* Clouds of points: the part of their construction that is the same for all, and their edges. */

#include "gjk/shape.h"

/* NOT_FINITE or OUT_OF_RANGE for a bad coordinate. z is not looked at in 2D. */
gjk_status gjk_cloud_check(uint32_t dimension, const gjk_vec3 *points, uint32_t count) GJK_MUST_USE;

/* Makes the shape with the type, dimension, count >= 1 and radius of head around checked points
 * (distinct, and in 2D counter-clockwise), in memory of the arena. OUT_OF_MEMORY. */
gjk_status gjk_cloud_finish(struct gjk_arena *arena, const gjk_shape *head, const gjk_vec3 *points,
                            gjk_shape *out) GJK_MUST_USE;

/* The same with columns of the caller's, of 5 * the count padded to GJK_LANES doubles at 64
 * bytes. */
void gjk_cloud_fill(const gjk_shape *head, const gjk_vec3 *points, double *columns, gjk_shape *out);

/* The shapes that gjk_shape_make_triangle and gjk_shape_make_segment make of checked points, in
 * columns of the caller's, 5 * GJK_LANES doubles. */
void gjk_shape_fill_triangle(const gjk_vec3 corners[3], double rounding, double *columns,
                             gjk_shape *out);
void gjk_shape_fill_segment(uint32_t dimension, const gjk_vec3 ends[2], double rounding,
                            double *columns, gjk_shape *out);

/* How many of its sizes a shape's centre lies from its own origin before the numbers are taken
 * relative to an offset. One is enough for exact differences, and nearer ones lose no digits that
 * matter. */
#define GJK_FAR_SIZES 1.0

/* The offset of a shape of that size: along each axis the centre where that is so far out that the
 * differences are exact (Sterbenz 1974), else 0. */
static inline gjk_vec3 gjk_offset_of(gjk_vec3 center, double size) {
    const double far = GJK_FAR_SIZES * size;
    return (gjk_vec3){fabs(center.x) > far ? center.x : 0.0, fabs(center.y) > far ? center.y : 0.0,
                      fabs(center.z) > far ? center.z : 0.0};
}

/* Sets the offset of a shape whose box is measured. */
void gjk_set_offset(gjk_shape *shape);

/* The same shape in a frame whose origin is its offset, which is 0 then. */
void gjk_shape_about_offset(const gjk_shape *shape, gjk_shape *out);

/*
 * Returns true if the edges of a convex polygon (a segment has two, there and back) are kept beside
 * its points. Edge i goes from point i to the next; three more columns hold the outward unit normal
 * and the offset of its line along that, padded with copies of the first edge. They are kept in 2D,
 * of 2 to GJK_EDGES_MAX points, if the squares of all lengths are in the range of doubles.
 */
static inline bool gjk_has_edges(const gjk_shape *shape) {
    return shape->column_count > 3;
}

/* Writes the three columns of the edges behind those of the points, of a shape that has room for
 * them. */
void gjk_edges_fill(const gjk_shape *shape, double *columns);

/* The first of the three columns (normal x, normal y, offset), of a shape that has them. */
static inline const double *gjk_edges_of(const gjk_shape *shape) {
    return shape->columns + 2 * (size_t)shape->stride;
}

#endif
