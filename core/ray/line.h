#ifndef GJK_RAY_LINE_H
#define GJK_RAY_LINE_H

/*
 * The first intersection of a whole line with a shape, in closed form, in the shape's own frame
 * and the world's unit of length.
 *
 * Where rounding could reverse the answer of a form (the line grazes an edge, lies in a face,
 * meets a flat shape edge-on), its verdict is UNSURE, and the general method decides.
 */

#include "gjk/shape.h"

/* The line point + t * direction. */
typedef struct gjk_line {
    gjk_vec3 point;     /* its point nearest the centre of the shape's bounding box */
    gjk_vec3 direction; /* of unit length */
    double slack;       /* how far rounding may have moved it */
} gjk_line;

typedef enum gjk_line_verdict { GJK_LINE_UNSURE, GJK_LINE_MISSES, GJK_LINE_HITS } gjk_line_verdict;

typedef struct gjk_line_hit {
    gjk_line_verdict verdict;
    double t;         /* HITS: where it enters, negative before `point` */
    gjk_vec3 normal;  /* HITS: of the shape there, outward, of unit length */
    double clearance; /* MISSES: all of the line is at least as far away as this, >= 0 */
} gjk_line_hit;

/* Of an edge or a normal: the squares of shorter ones are subnormal, and lose their digits. */
#define GJK_LINE_LENGTH_LEAST 0x1p-500

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
