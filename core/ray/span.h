#ifndef GJK_RAY_SPAN_H
#define GJK_RAY_SPAN_H

/*
 * The part of a line within an intersection of simple convex sets: from the last entry to the
 * first exit (Kay, Kajiya, Ray Tracing Complex Scenes, 1986). Each end has an error interval,
 * so that the verdict is UNSURE where rounding could change it.
 */

#include "ray/line.h"

typedef struct gjk_span {
    double in;                    /* the last entry so far */
    double in_early, in_late;     /* the error interval of the last entry */
    double out_early, out_late;   /* the error interval of the first exit */
    gjk_vec3 normal;              /* of the set entered at `in`, of any length */
    gjk_line_verdict not_hitting; /* MISSES or UNSURE as found so far; HITS: neither */
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

/*
 * Cuts the span to a half-space with that outward normal, `gap` away from the line's point. A
 * line whose distance changes by no more than the slack over `extent` counts as parallel.
 */
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

#endif
