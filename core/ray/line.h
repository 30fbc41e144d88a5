#ifndef GJK_RAY_LINE_H
#define GJK_RAY_LINE_H

/*
 * Where does a whole line first meet a shape, in closed form? Everything in the
 * shape's own frame and the world's unit of length.
 *
 * A form answers what it is sure of. Where rounding could turn the answer into its
 * opposite (the line grazes an edge, lies in a face, meets a flat shape edge-on) it
 * says so, and the general method decides.
 */

#include "gjk/shape.h"

/* The line point + t * direction. */
typedef struct gjk_line {
    gjk_vec3 point;     /* its point nearest the centre of the shape's bounding box */
    gjk_vec3 direction; /* of unit length */
    double slack;       /* how far from where it should be rounding may have moved it */
} gjk_line;

typedef enum gjk_line_verdict { GJK_LINE_UNSURE, GJK_LINE_MISSES, GJK_LINE_HITS } gjk_line_verdict;

typedef struct gjk_line_hit {
    gjk_line_verdict verdict;
    double t;         /* HITS: where it enters, negative before `point` */
    gjk_vec3 normal;  /* HITS: of the shape there, outward, of unit length */
    double clearance; /* MISSES: all of the line is at least as far away as this, >= 0 */
} gjk_line_hit;

/* The form for the shape's kind; UNSURE where there is none. Of ordinary size: products of
 * four lengths neither overflow nor vanish. */
gjk_line_hit gjk_line_meet(const gjk_shape *shape, const gjk_line *line);

/* Any 2D cloud of at least two points, and the same with a radius. O(points). */
gjk_line_hit gjk_line_meet_polygon(const gjk_shape *shape, const gjk_line *line);

/* What is within `radius` of the segment between two different points (3D). */
gjk_line_hit gjk_line_meet_capsule(const gjk_vec3 ends[2], double radius, const gjk_line *line);

/* A 3D box centred at the own origin, and the ball of `radius` around each point of it. */
gjk_line_hit gjk_line_meet_box(gjk_vec3 half_extents, double radius, const gjk_line *line);

/* How far beside that box, centred at `center`, the line passes (as good as exact without
 * radius, at most as far with); negative or 0 when it meets it. */
double gjk_line_clearance_of_box(gjk_vec3 center, gjk_vec3 half_extents, const gjk_line *line);

/* A 3D cloud of three points without radius. */
gjk_line_hit gjk_line_meet_triangle(const gjk_shape *shape, const gjk_line *line);

/* For each kind of curve one form, for shapes without rounding. */
#define GJK_LINE_MEET(type, function, ...) \
    gjk_line_hit gjk_line_meet_##function(const gjk_shape *shape, const gjk_line *line);
GJK_CURVE_MAP(GJK_LINE_MEET)

static inline gjk_line_hit gjk_line_unsure(void) {
    return (gjk_line_hit){.verdict = GJK_LINE_UNSURE};
}

static inline gjk_line_hit gjk_line_misses(double clearance) {
    return (gjk_line_hit){.verdict = GJK_LINE_MISSES, .clearance = clearance};
}

/* normal: of any length but 0. */
static inline gjk_line_hit gjk_line_hits(double t, gjk_vec3 normal) {
    return (gjk_line_hit){.verdict = GJK_LINE_HITS,
                          .t = t,
                          .normal = gjk_scale3(1.0 / gjk_length3(normal), normal)};
}

static inline gjk_vec3 gjk_line_at(const gjk_line *line, double t) {
    return gjk_add3(line->point, gjk_scale3(t, line->direction));
}

#endif
