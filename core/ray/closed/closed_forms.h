#ifndef GJK_RAY_CLOSED_CLOSED_FORMS_H
#define GJK_RAY_CLOSED_CLOSED_FORMS_H

/*
 * First intersection of a whole line with a shape, in closed form, in the shape's own frame and the
 * world's unit of length.
 *
 * If rounding could change the answer (the line grazes an edge, is in the plane of a face, or meets
 * a flat shape edge-on), the verdict is UNSURE, and the general method decides.
 */

#include "gjk/ray.h"

/* The line point + t * direction. */
typedef struct gjk_line {
    gjk_vec3 point;     /* the point nearest the centre of the shape's bounding box */
    gjk_vec3 direction; /* of unit length */
    double slack;       /* bound of the line's displacement by rounding */
} gjk_line;

typedef enum gjk_line_verdict { GJK_LINE_UNSURE, GJK_LINE_MISSES, GJK_LINE_HITS } gjk_line_verdict;

typedef struct gjk_line_hit {
    gjk_line_verdict verdict;
    double t;         /* HITS: parameter of the entry, negative before `point` */
    gjk_vec3 normal;  /* HITS: outward unit normal at the entry */
    double clearance; /* MISSES: lower bound of the line's distance from the shape, >= 0 */
} gjk_line_hit;

/* Least usable length of an edge or a normal: squares of shorter ones are subnormal and inexact. */
#define GJK_LINE_LENGTH_LEAST 0x1p-500

static inline gjk_line_hit gjk_line_unsure(void) {
    return (gjk_line_hit){.verdict = GJK_LINE_UNSURE};
}

static inline gjk_line_hit gjk_line_misses(double clearance) {
    return (gjk_line_hit){.verdict = GJK_LINE_MISSES, .clearance = clearance};
}

/* Returns a miss, or UNSURE if the clearance is within rounding. */
static inline gjk_line_hit gjk_line_passes(double clearance, double slack) {
    return clearance > slack ? gjk_line_misses(clearance) : gjk_line_unsure();
}

/* Returns a hit. The normal has any length but 0. */
static inline gjk_line_hit gjk_line_hits(double t, gjk_vec3 normal) {
    return (gjk_line_hit){.verdict = GJK_LINE_HITS,
                          .t = t,
                          .normal = gjk_scale3(1.0 / gjk_length3(normal), normal)};
}

static inline gjk_vec3 gjk_line_at(const gjk_line *line, double t) {
    return gjk_add3(line->point, gjk_scale3(t, line->direction));
}

/* Interval of a line within an intersection of simple convex sets, from the last entry to the first
 * exit (Kay, Kajiya, Ray Tracing Complex Scenes, 1986). Each end has an error interval, so that the
 * verdict is UNSURE if rounding could change it. */

typedef struct gjk_span {
    double in;                    /* the last entry so far */
    double in_early, in_late;     /* the error interval of the last entry */
    double out_early, out_late;   /* the error interval of the first exit */
    gjk_vec3 normal;              /* normal of the set entered at `in`, of any length */
    gjk_line_verdict not_hitting; /* MISSES or UNSURE if a set was missed or unsure, else HITS */
} gjk_span;

static inline gjk_span gjk_span_whole(void) {
    return (gjk_span){.in = -INFINITY,
                      .in_early = -INFINITY,
                      .in_late = -INFINITY,
                      .out_early = INFINITY,
                      .out_late = INFINITY,
                      .not_hitting = GJK_LINE_HITS};
}

/* Sets MISSES or UNSURE; a miss is final. */
static inline void gjk_span_reject(gjk_span *span, gjk_line_verdict verdict) {
    if (span->not_hitting != GJK_LINE_MISSES) {
        span->not_hitting = verdict;
    }
}

static inline void gjk_span_enter(gjk_span *span, double t, double error, gjk_vec3 normal) {
    if (t > span->in) {
        span->in = t;
        span->normal = normal;
    }
    span->in_early = t - error > span->in_early ? t - error : span->in_early;
    span->in_late = t + error > span->in_late ? t + error : span->in_late;
}

static inline void gjk_span_leave(gjk_span *span, double t, double error) {
    span->out_early = t - error < span->out_early ? t - error : span->out_early;
    span->out_late = t + error < span->out_late ? t + error : span->out_late;
}

/* Cuts the span to a half-space with that outward normal, at distance `gap` from the line's point.
 * A line whose distance changes by no more than the slack over `extent` counts as parallel. */
static inline void gjk_span_cut(gjk_span *span, const gjk_line *line, gjk_vec3 normal, double gap,
                                double extent) {
    double rate = gjk_dot3(normal, line->direction), slack = line->slack;
    if (fabs(rate) * extent <= slack) {
        if (gap > -2.0 * slack) {
            gjk_span_reject(span, gap > 2.0 * slack ? GJK_LINE_MISSES : GJK_LINE_UNSURE);
        }
    } else if (rate < 0.0) {
        gjk_span_enter(span, gap / -rate, slack / -rate, normal);
    } else {
        gjk_span_leave(span, gap / -rate, slack / rate);
    }
}

static inline gjk_line_hit gjk_span_verdict(const gjk_span *span) {
    if (span->not_hitting == GJK_LINE_MISSES || span->in_early > span->out_late) {
        return gjk_line_misses(0.0);
    }
    bool sure = span->not_hitting == GJK_LINE_HITS && span->in > -INFINITY;
    return sure && span->in_late <= span->out_early ? gjk_line_hits(span->in, span->normal)
                                                    : gjk_line_unsure();
}

/* --- The forms --- */

/* Casts a ray at a point or ball, whose shape is a cloud of one point. */
gjk_ray_result gjk_raycast_ball(const gjk_placed *target, const gjk_ray *ray,
                                const gjk_ray_settings *settings);

/* Applies the closed form for the shape's kind; UNSURE if there is none. The shape's size must be
 * such that products of four lengths neither overflow nor underflow. */
gjk_line_hit gjk_line_meet(const gjk_shape *shape, const gjk_line *line);

/* A 2D cloud of at least two points, with or without a radius. O(points). */
gjk_line_hit gjk_line_meet_polygon(const gjk_shape *shape, const gjk_line *line);

/* The capsule: all points within `radius` of the segment between two different points (3D). */
gjk_line_hit gjk_line_meet_capsule(const gjk_vec3 ends[2], double radius, const gjk_line *line);

/* A 3D box centred at its own origin, rounded by `radius`. */
gjk_line_hit gjk_line_meet_box(gjk_vec3 half_extents, double radius, const gjk_line *line);

/* Returns the distance of the line from a box without radius, within rounding; negative or 0 if the
 * line intersects the box. */
double gjk_line_clearance_of_box(gjk_vec3 center, gjk_vec3 half_extents, const gjk_line *line);

/* A triangle without radius, in space. */
gjk_line_hit gjk_line_meet_triangle(const gjk_vec3 corners[3], const gjk_line *line);

/* Casts a ray at a triangle of the shape `target`, without radius, with the same bits as
 * gjk_raycast for the triangle alone, but the normal of its face. Returns false unless it certainly
 * hits from outside, or begins beyond the triangle; gjk_raycast must decide then. After each corner
 * one more number must be readable. One function for each instruction set, with the same bits. */
typedef bool gjk_ray_at_triangle(const gjk_placed *target, const gjk_vec3 *const corners[3],
                                 const gjk_ray *ray, double tolerance, gjk_ray_result *result);
extern gjk_ray_at_triangle *const gjk_ray_at_triangle_plain, *const gjk_ray_at_triangle_avx2,
                                                                 *const gjk_ray_at_triangle_avx512;

/* One form for each kind of curve without radius. */
#define GJK_LINE_MEET(type, function, ...) \
    gjk_line_hit gjk_line_meet_##function(const gjk_shape *shape, const gjk_line *line);
GJK_CURVE_MAP(GJK_LINE_MEET)

#endif
