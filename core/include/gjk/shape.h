#ifndef GJK_SHAPE_H
#define GJK_SHAPE_H

/*
 * A convex shape in its own frame: its core, the convex hull of a cloud of points, plus a ball of
 * some radius around every point of the core. Point, circle, sphere, segment, capsule, box,
 * polygon, triangle and hull, each with rounding, have this form. The core of ellipse, half
 * ellipse, slice, cylinder, cone and custom shapes is a curve instead. Shapes are closed sets: the
 * boundary belongs to them.
 *
 * Constructors check everything once; queries only assert. The cloud is stored as columns (all x,
 * then all y, then in 3D all z), each padded with copies of the first point to a multiple of
 * GJK_LANES, so that a support scan needs no tail. A shape far from its own origin stores its
 * numbers relative to `offset`, a point in its middle chosen so that the differences are exact; for
 * other shapes `offset` is 0. A shape is a value that borrows its columns from the arena it was
 * made in: it may be copied freely while the arena lives. Shapes are immutable; any number of
 * threads may read them.
 *
 * All constructors return NOT_FINITE for NaN or infinity, OUT_OF_RANGE for a magnitude beyond
 * GJK_COORDINATE_MAX, a negative rounding or a radius <= 0, OUT_OF_MEMORY. On any status but OK
 * *out is unchanged.
 */

#include "gjk/arena.h"
#include "gjk/base.h"
#include "gjk/pose.h"
#include "gjk/vec.h"

GJK_BEGIN

#define GJK_LANES 8

/* Largest number of points of a cloud. */
#define GJK_POINTS_MAX 65536

/* Largest number of points of a 2D cloud whose edges are stored with it. */
#define GJK_EDGES_MAX 32

/*
 * The table of kinds: one row for each kind of shape that requests can name. A row begins with
 * CLOUD (the core is the hull of points), CURVE (the core is given by its support function, and a
 * ray may have a closed form) or PIECES (a union of convex pieces, gjk/pieces.h) and holds
 *
 *   the type (GJK_CONE) and the name used in its functions in core/ (make_cone in shape/kinds.c;
 *       for curves cone_support in shape/convex/curves.c and gjk_line_meet_cone in ray/),
 *   its names in requests in 2D and in 3D, NULL if it does not exist in that dimension, and the
 *       kind to use there instead, NULL if there is none,
 *   the members of its geometry in the order in which they are read, each with its form and range
 *       (see gjk/kinds.h).
 *
 * The library and the decoder take everything that depends on the kind from these rows.
 */
#define GJK_KIND_MAP(CLOUD, CURVE, PIECES)                                                        \
    CLOUD(POINT, point, "point", "point", NULL)                                                   \
    CLOUD(BALL, ball, "circle", "sphere", NULL, POSITIVE("radius"))                               \
    CLOUD(SEGMENT, segment, "segment", "segment", NULL, PLACE("a"), PLACE("b"))                   \
    CLOUD(CAPSULE, capsule, "capsule", "capsule", NULL, PLACE("a"), PLACE("b"),                   \
          POSITIVE("radius"))                                                                     \
    CLOUD(BOX, box, "box", "box", NULL, LENGTHS("half_extents"))                                  \
    CLOUD(POLYGON, polygon, "polygon", NULL, "hull", PLACES("vertices", 3))                       \
    CLOUD(TRIANGLE, triangle, NULL, "triangle", "polygon", PLACE("a"), PLACE("b"), PLACE("c"))    \
    CLOUD(HULL, hull, "hull", "hull", NULL, PLACES("points", 1))                                  \
    CURVE(ELLIPSE, ellipse, "ellipse", "ellipsoid", NULL, POSITIVES("radii"))                     \
    CURVE(HALF_ELLIPSE, half_ellipse, "half_ellipse", NULL, NULL, POSITIVE("width"),              \
          POSITIVE("height"))                                                                     \
    CURVE(SLICE, slice, "slice", NULL, NULL, POSITIVE("radius"), HALF_TURN("theta"))              \
    CURVE(CYLINDER, cylinder, NULL, "cylinder", "box", PLACE("a"), OTHER_PLACE("b"),              \
          POSITIVE("radius"))                                                                     \
    CURVE(CONE, cone, NULL, "cone", "polygon", PLACE("a"), OTHER_PLACE("b"), POSITIVE("radius"))  \
    PIECES(COMPOUND, compound, "compound", "compound", NULL, PARTS("parts"))                      \
    PIECES(CHAIN, chain, "chain", NULL, "mesh", VERTICES("vertices", 2), FLAG("closed"))          \
    PIECES(REGION, region, "region", NULL, "mesh", RINGS("polygons"), FLAT_RINGS("rings"),        \
           FILL("fill"))                                                                          \
    PIECES(MESH, mesh, NULL, "mesh", "region", VERTICES("vertices", 1), TRIANGLES("triangles"),   \
           FLAG("closed"), FLAG("one_sided"), MATERIALS("materials"), FLAG("weld"), FILL("fill")) \
    PIECES(HEIGHTFIELD, heightfield, NULL, "heightfield", "chain", COUNT("columns", 2),           \
           COUNT("rows", 2), STEPS("spacing"), HEIGHTS("heights"), FLAG("one_sided"),             \
           MATERIALS("materials"), HEIGHT("base"))                                                \
    PIECES(POINTS, points, "points", "points", NULL, VERTICES("points", 1), LENGTH("radius"),     \
           RADII("radii"))

/* The rows of curves alone. */
#define GJK_CURVE_MAP(CURVE) GJK_KIND_MAP(GJK_KIND_SKIP, CURVE, GJK_KIND_SKIP)
#define GJK_KIND_SKIP(...)

#define GJK_KIND_TYPE(type, ...) GJK_##type,
typedef enum gjk_shape_type {
    GJK_KIND_MAP(GJK_KIND_TYPE, GJK_KIND_TYPE, GJK_KIND_TYPE) /* one of them for each row */
    GJK_KIND_COUNT,
    GJK_CUSTOM = GJK_KIND_COUNT, /* given only by its support function; requests cannot name it */
} gjk_shape_type;

struct gjk_pieces;

/* Piece index in results for a convex operand. */
#define GJK_NO_PIECE UINT32_MAX

/* Returns the point of a custom shape farthest along a direction that is not zero, in the shape's
 * own frame. Pure: always the same point for the same direction. */
typedef gjk_vec3 (*gjk_support_function)(const void *user, gjk_vec3 direction);

typedef struct gjk_custom_support {
    gjk_support_function support;
    const void *user; /* first argument of support */
} gjk_custom_support;

/* Numbers of a curved shape. */
typedef struct gjk_curve {
    gjk_vec3 a; /* ellipse, half ellipse: radii; slice: cosine and sine of theta / 2;
                   cylinder: an end; cone: centre of the base */
    gjk_vec3 b; /* cylinder: other end; cone: apex */
    union {
        gjk_vec3 across[2]; /* cylinder, cone: unit, normal to the axis and each other */
        gjk_custom_support custom;
    };
    double radius; /* slice, cylinder, cone */
} gjk_curve;

/* Kind of a shape for the kernels of two small flat shapes (pair/kernels). The sum of two kinds
 * identifies the kind of their pair. */
typedef enum gjk_flat_kind {
    GJK_FLAT_NOT,         /* served by the general kernels */
    GJK_FLAT_POINT = 4,   /* one point, or the circle around it */
    GJK_FLAT_POLYGON = 5, /* 2 to GJK_LANES points with stored edges */
} gjk_flat_kind;

/* Columns of a point at the own origin, shared by all balls and points. */
extern const double gjk_origin_columns[3 * GJK_LANES];

/* The members that every query reads come first, in one cache line. */
typedef struct gjk_shape {
    gjk_shape_type type;
    uint32_t dimension;    /* 2 or 3 */
    uint32_t count;        /* points of the cloud, >= 1; 0: the core is a curve */
    uint32_t stride;       /* doubles from one column to the next, a multiple of GJK_LANES */
    uint32_t column_count; /* dimension, or 5: x, y and three for the edges (cloud.h) */
    bool is_far;           /* far from the own origin for its size: offset is not 0 */
    uint8_t flat;          /* a gjk_flat_kind */
    const double *columns; /* column_count columns of stride doubles, 64-byte aligned */
    const struct gjk_pieces *pieces; /* NULL: convex; else count is 0 and there is no curve */
    double radius;                   /* ball around the cloud: own radius + rounding */
    double size;                     /* largest side of its box: the scale of tolerances */
    double reach;           /* bounds the coordinates of every point, from the own origin */
    gjk_vec3 center;        /* centre of the bounding box in the own frame */
    double bounding_radius; /* about center, radius included: encloses the whole shape */
    gjk_vec3 half_extents;  /* of the bounding box, radius included */
    gjk_vec3 offset;        /* origin of the columns and of the curve's points */
    gjk_curve curve;        /* valid if count is 0 */
} gjk_shape;

/* Makes a point at the own origin. */
gjk_status gjk_shape_make_point(struct gjk_arena *arena, uint32_t dimension, double rounding,
                                gjk_shape *out) GJK_MUST_USE;

/* Makes a circle (dimension 2) or sphere (3) with radius > 0, centred at the own origin. */
gjk_status gjk_shape_make_ball(struct gjk_arena *arena, uint32_t dimension, double radius,
                               double rounding, gjk_shape *out) GJK_MUST_USE;

/* Makes a segment from a to b, which may coincide. In 2D z is ignored (here and below). */
gjk_status gjk_shape_make_segment(struct gjk_arena *arena, uint32_t dimension, gjk_vec3 a,
                                  gjk_vec3 b, double rounding, gjk_shape *out) GJK_MUST_USE;

/* Makes a capsule: a segment with a radius > 0. */
gjk_status gjk_shape_make_capsule(struct gjk_arena *arena, uint32_t dimension,
                                  const gjk_vec3 ends[2], double radius, double rounding,
                                  gjk_shape *out) GJK_MUST_USE;

/* Makes a box centred at the own origin; each half extent >= 0, so a flat box is a box. */
gjk_status gjk_shape_make_box(struct gjk_arena *arena, uint32_t dimension, gjk_vec3 half_extents,
                              double rounding, gjk_shape *out) GJK_MUST_USE;

/*
 * Makes a 2D polygon of count >= 3 vertices in either winding, stored counter-clockwise without
 * collinear ones. A vertex at most 1e-12 of the size inside its neighbours' chord counts as
 * collinear. NOT_CONVEX with *bad_vertex the index of the first vertex that is concave or where the
 * outline crosses itself (0 if it has no area); TOO_FEW_POINTS, TOO_MANY_POINTS.
 */
gjk_status gjk_shape_make_polygon(struct gjk_arena *arena, const gjk_vec2 *vertices, uint32_t count,
                                  double rounding, uint32_t *bad_vertex,
                                  gjk_shape *out) GJK_MUST_USE;

/* Makes a 3D triangle; corners may coincide or be collinear. */
gjk_status gjk_shape_make_triangle(struct gjk_arena *arena, const gjk_vec3 corners[3],
                                   double rounding, gjk_shape *out) GJK_MUST_USE;

/* Makes the convex hull of count >= 1 points, which may be coplanar, collinear or coincident. Only
 * its extreme points are stored (2D: counter-clockwise). O(n log n) expected. TOO_FEW_POINTS,
 * TOO_MANY_POINTS. */
gjk_status gjk_shape_make_hull(struct gjk_arena *arena, uint32_t dimension, const gjk_vec3 *points,
                               uint32_t count, double rounding, gjk_shape *out) GJK_MUST_USE;

/* Makes an ellipse (dimension 2: z of the radii is ignored) or ellipsoid with radii > 0 along the
 * axes of its own frame. */
gjk_status gjk_shape_make_ellipse(uint32_t dimension, gjk_vec3 radii, double rounding,
                                  gjk_shape *out) GJK_MUST_USE;

/* Makes the upper half (y >= 0) of an ellipse of that width, `height` tall, with the centre of its
 * base at the own origin; both > 0. */
gjk_status gjk_shape_make_half_ellipse(double width, double height, double rounding,
                                       gjk_shape *out) GJK_MUST_USE;

/* Makes a circular sector with its apex at the own origin, symmetric about +x; theta in (0, pi] is
 * the full opening in radians, radius > 0. */
gjk_status gjk_shape_make_slice(double radius, double theta, double rounding,
                                gjk_shape *out) GJK_MUST_USE;

/* Makes a solid cylinder of radius > 0 between the centres of its two discs, which must differ
 * (OUT_OF_RANGE otherwise). */
gjk_status gjk_shape_make_cylinder(const gjk_vec3 ends[2], double radius, double rounding,
                                   gjk_shape *out) GJK_MUST_USE;

/* Makes a solid cone from the centre and radius > 0 of its base and its apex; base and apex must
 * differ. */
gjk_status gjk_shape_make_cone(gjk_vec3 base, gjk_vec3 apex, double radius, double rounding,
                               gjk_shape *out) GJK_MUST_USE;

/* A convex shape given by a support function and a ball around center that contains it
 * (bounding_radius > 0). Solved to the tolerance, like every curved shape. Borrows user. */
typedef struct gjk_custom {
    gjk_support_function support;
    const void *user;
    gjk_vec3 center;
    double bounding_radius;
} gjk_custom;

gjk_status gjk_shape_make_custom(uint32_t dimension, const gjk_custom *custom, double rounding,
                                 gjk_shape *out) GJK_MUST_USE;

/* Returns point i < count of the cloud in the own frame (z 0 in 2D): exactly the number given. */
static inline gjk_vec3 gjk_shape_point(const gjk_shape *shape, uint32_t i) {
    const double *c = shape->columns;
    const gjk_vec3 o = shape->offset;
    return GJK_LITERAL(gjk_vec3){c[i] + o.x, c[shape->stride + i] + o.y,
                                 shape->dimension == 3 ? c[2 * (size_t)shape->stride + i] + o.z
                                                       : 0.0};
}

/* A shape at a pose. Borrows the shape. */
typedef struct gjk_placed {
    const gjk_shape *shape;
    gjk_pose pose;
} gjk_placed;

/* An axis-aligned box in the world that contains the placed shape. */
typedef struct gjk_bounds {
    gjk_vec3 min, max;
} gjk_bounds;

/* Returns bounds of the placed shape; z is 0 in 2D. */
gjk_bounds gjk_placed_bounds(const gjk_placed *placed);

GJK_END

#endif
