#ifndef GJK_SHAPE_H
#define GJK_SHAPE_H

/*
 * A convex shape in its own frame: the convex hull of a cloud of points (its
 * core), plus a ball of some radius around every point of it. Point, circle,
 * sphere, segment, capsule, box, polygon, triangle and hull, each with rounding,
 * are all of this form. Shapes are closed: the boundary belongs to them.
 *
 * Constructors check everything once; behind them the queries only assert. The
 * cloud is kept as columns (all x, then all y, then all z in 3D), each padded
 * with copies of the first point up to a multiple of GJK_LANES, so that a
 * support scan needs no tail. A shape is a value that borrows its columns from
 * the arena it was made in: copy it freely while the arena lives. Shapes are
 * immutable and may be read by any number of threads.
 *
 * All constructors: NOT_FINITE for NaN or infinity, OUT_OF_RANGE for a magnitude
 * beyond GJK_COORDINATE_MAX, a negative rounding or a radius <= 0, OUT_OF_MEMORY.
 * On any status but OK *out is untouched.
 */

#include "gjk/arena.h"
#include "gjk/base.h"
#include "gjk/pose.h"
#include "gjk/vec.h"

#define GJK_LANES 8

/* Most points that a shape's cloud may have. */
#define GJK_POINTS_MAX 65536

typedef enum gjk_shape_type {
    GJK_POINT,
    GJK_BALL, /* circle in 2D, sphere in 3D */
    GJK_SEGMENT,
    GJK_CAPSULE,
    GJK_BOX,
    GJK_POLYGON,  /* 2D only */
    GJK_TRIANGLE, /* 3D only */
    GJK_HULL,
} gjk_shape_type;

typedef struct gjk_shape {
    gjk_shape_type type;
    uint32_t dimension;     /* 2 or 3 */
    uint32_t count;         /* points of the cloud, >= 1 */
    uint32_t stride;        /* doubles from one column to the next, a multiple of GJK_LANES */
    const double *columns;  /* dimension columns of stride doubles */
    double radius;          /* of the ball around the cloud: own radius + rounding */
    gjk_vec3 center;        /* centre of the bounding box in the own frame */
    gjk_vec3 half_extents;  /* of that box, radius included */
    double size;            /* its largest side: what tolerances are relative to */
    double bounding_radius; /* about center, radius included: contains the whole shape */
} gjk_shape;

gjk_status gjk_shape_make_point(struct gjk_arena *arena, uint32_t dimension, double rounding,
                                gjk_shape *out) GJK_MUST_USE;

/* A circle (dimension 2) or sphere (3), radius > 0, centred at the own origin. */
gjk_status gjk_shape_make_ball(struct gjk_arena *arena, uint32_t dimension, double radius,
                               double rounding, gjk_shape *out) GJK_MUST_USE;

/* From a to b, which may coincide. In 2D z is ignored (here and below). */
gjk_status gjk_shape_make_segment(struct gjk_arena *arena, uint32_t dimension, gjk_vec3 a,
                                  gjk_vec3 b, double rounding, gjk_shape *out) GJK_MUST_USE;

/* A segment with a radius > 0. */
gjk_status gjk_shape_make_capsule(struct gjk_arena *arena, uint32_t dimension,
                                  const gjk_vec3 ends[2], double radius, double rounding,
                                  gjk_shape *out) GJK_MUST_USE;

/* Centred at the own origin; each half extent >= 0, so a flat box is a box. */
gjk_status gjk_shape_make_box(struct gjk_arena *arena, uint32_t dimension, gjk_vec3 half_extents,
                              double rounding, gjk_shape *out) GJK_MUST_USE;

/*
 * A 2D polygon of count >= 3 vertices in either winding, kept counter-clockwise
 * without the collinear ones. A vertex at most 1e-12 of the size inside its
 * neighbours' chord counts as collinear. NOT_CONVEX with *bad_vertex the index of
 * the first vertex that is concave or where the outline crosses itself (0 when it
 * has no area); TOO_FEW_POINTS, TOO_MANY_POINTS.
 */
gjk_status gjk_shape_make_polygon(struct gjk_arena *arena, const gjk_vec2 *vertices,
                                  uint32_t count, double rounding, uint32_t *bad_vertex,
                                  gjk_shape *out) GJK_MUST_USE;

/* A 3D triangle; corners may coincide or be collinear. */
gjk_status gjk_shape_make_triangle(struct gjk_arena *arena, const gjk_vec3 corners[3],
                                   double rounding, gjk_shape *out) GJK_MUST_USE;

/*
 * The convex hull of count >= 1 points, flat, collinear or coincident ones
 * included; only its extreme points are kept (2D: counter-clockwise).
 * O(n log n) expected. TOO_FEW_POINTS, TOO_MANY_POINTS.
 */
gjk_status gjk_shape_make_hull(struct gjk_arena *arena, uint32_t dimension,
                               const gjk_vec3 *points, uint32_t count, double rounding,
                               gjk_shape *out) GJK_MUST_USE;

/* Point i of the cloud, in the own frame (z 0 in 2D). i < count. */
static inline gjk_vec3 gjk_shape_point(const gjk_shape *shape, uint32_t i) {
    const double *c = shape->columns;
    return (gjk_vec3){c[i], c[shape->stride + i],
                      shape->dimension == 3 ? c[2 * (size_t)shape->stride + i] : 0.0};
}

/* A shape at a place. Borrows the shape. */
typedef struct gjk_placed {
    const gjk_shape *shape;
    gjk_pose pose;
} gjk_placed;

/* An axis-aligned box in the world that contains the placed shape. */
typedef struct gjk_bounds {
    gjk_vec3 min, max;
} gjk_bounds;

gjk_bounds gjk_placed_bounds(const gjk_placed *placed);

#endif
