/*
 * The least translation out of balls and beyond planes. It is the least one beyond the planes
 * alone, or lies on a sphere: at its point nearest to 0, at the point nearest to 0 of the circle in
 * which it meets a plane or another sphere, or at one of the two points where two such circles
 * meet. All candidates are tried. Two spheres meet in their radical plane. If a candidate is
 * inaccurate, its length counts without a test whether it is outside of the others: a bound may be
 * too low, never too high.
 */

#include "pair/pieces/way_out.h"

#include "base/numbers.h"

#include <math.h>

#define SAME 0x1p-15  /* of a radius: distance of centres below which balls count as equal */
#define ROUGH 0x1p-12 /* of a radius: lengths below which a direction is inaccurate */
#define SURFACES (GJK_BALLS + 32)
/* Budget steps: */
#define CIRCLE_STEPS 2
#define LINE_STEPS 3

typedef struct search {
    const gjk_balls *balls;
    const gjk_plane *planes;
    uint32_t count;
    double margin, slack;
    double length; /* length of the best translation */
    gjk_vec3 best;
} search;

/* A plane that meets a sphere: its distance from the sphere's centre, and the circle's point
 * nearest to 0, with its length. */
typedef struct surface {
    gjk_vec3 normal;
    double off, length;
    gjk_vec3 place;
} surface;

bool gjk_balls_add(gjk_balls *balls, gjk_ball new) {
    for (uint32_t i = 0; i < balls->count; i++) {
        if (gjk_length3(gjk_sub3(balls->of[i].center, new.center)) <= SAME * new.radius) {
            return false;
        }
    }
    if (balls->count == GJK_BALLS) {
        return false;
    }
    balls->of[balls->count++] = new;
    return true;
}

static bool is_out(const search *s, gjk_vec3 t) {
    const double enough = s->margin - s->slack;
    for (uint32_t i = 0; i < s->balls->count; i++) {
        const gjk_ball *ball = &s->balls->of[i];
        const gjk_vec3 from = gjk_sub3(t, ball->center);
        if (gjk_length3(from) < ball->radius + enough) {
            return false;
        }
    }
    for (uint32_t i = 0; i < s->count; i++) {
        if (gjk_dot3(s->planes[i].normal, t) < s->planes[i].least + enough) {
            return false;
        }
    }
    return true;
}

/* Keeps a shorter translation that is outside of everything, or inaccurate (is_rough). */
static void offer(search *s, gjk_vec3 t, bool is_rough) {
    const double length = gjk_length3(t);
    if (length < s->length && (is_rough || is_out(s, t))) {
        s->length = length;
        s->best = t;
    }
}

/* Sets the point nearest to 0 of the circle in which a plane meets a sphere, and offers it. Returns
 * false if there is no circle, or no shorter point. */
static bool try_circle(search *s, gjk_vec3 center, double radius, surface *of) {
    const double square = radius * radius - of->off * of->off;
    if (square < -ROUGH * ROUGH * radius * radius) {
        return false;
    }
    const double round = sqrt(gjk_larger(square, 0.0));
    const gjk_vec3 middle = gjk_add3(center, gjk_scale3(of->off, of->normal));
    const gjk_vec3 foot = gjk_scale3(gjk_dot3(of->normal, middle), of->normal);
    gjk_vec3 back = gjk_sub3(foot, middle);
    double far = gjk_length3(back);
    if (far == 0.0) {
        back = gjk_perpendicular3(of->normal);
        far = gjk_length3(back);
    }
    of->place = gjk_add3(middle, gjk_scale3(round / far, back));
    of->length = gjk_length3(of->place);
    if (round < ROUGH * radius) {
        const double least = gjk_length3(middle) - 2.0 * ROUGH * radius;
        of->place = gjk_scale3(gjk_larger(least, 0.0) / of->length, of->place);
        of->length = gjk_larger(least, 0.0);
    }
    offer(s, of->place, round < ROUGH * radius || far < ROUGH * radius);
    return of->length < s->length;
}

/* Offers the points of a sphere at which two planes meet. */
static void try_line(search *s, gjk_vec3 center, double radius, const surface *p,
                     const surface *q) {
    const gjk_vec3 across = gjk_cross3(p->normal, q->normal);
    const double whole = gjk_dot3(across, across);
    const gjk_vec3 farther = p->length > q->length ? p->place : q->place;
    if (whole < ROUGH * ROUGH) {
        const double cosine = gjk_dot3(p->normal, q->normal);
        const double apart = fabs(p->off - (cosine < 0.0 ? -q->off : q->off));
        if (apart <= 4.0 * ROUGH * radius) {
            offer(s, farther, true);
        }
        return;
    }
    const gjk_vec3 foot =
        gjk_scale3(1.0 / whole, gjk_add3(gjk_scale3(p->off, gjk_cross3(q->normal, across)),
                                         gjk_scale3(q->off, gjk_cross3(across, p->normal))));
    const double square = radius * radius - gjk_dot3(foot, foot);
    if (square < ROUGH * radius * radius) {
        if (square > -ROUGH * radius * radius) {
            offer(s, farther, true);
        }
        return;
    }
    const gjk_vec3 middle = gjk_add3(center, foot);
    const gjk_vec3 along = gjk_scale3(sqrt(square / whole), across);
    offer(s, gjk_add3(middle, along), false);
    offer(s, gjk_sub3(middle, along), false);
}

/* Offers the candidates of a sphere: of the sphere, of its circles, then of pairs of circles. Each
 * is no shorter than the earlier ones of its circles, which prunes the search. Returns false if the
 * budget is spent. */
static bool try_sphere(search *s, uint32_t index) {
    const gjk_ball *ball = &s->balls->of[index];
    const double radius = ball->radius + s->margin, far = gjk_length3(ball->center);
    surface surfaces[SURFACES];
    uint32_t count = 0, lines = 0;
    if (radius - far >= s->length) {
        return true;
    }
    offer(s,
          far > 0.0 ? gjk_scale3(1.0 - radius / far, ball->center) : (gjk_vec3){radius, 0.0, 0.0},
          far < ROUGH * radius);
    for (uint32_t i = 0; i < s->balls->count + s->count; i++) {
        surface *new = &surfaces[count];
        if (i < s->balls->count) {
            const gjk_ball *other = &s->balls->of[i];
            const gjk_vec3 between = gjk_sub3(other->center, ball->center);
            const double apart = gjk_length3(between), of_other = other->radius + s->margin;
            if (i == index || !(apart > 0.0)) {
                continue;
            }
            new->normal = gjk_scale3(1.0 / apart, between);
            new->off = 0.5 * (apart + (radius - of_other) * (radius + of_other) / apart);
        } else {
            const gjk_plane *plane = &s->planes[i - s->balls->count];
            new->normal = plane->normal;
            new->off = plane->least + s->margin - gjk_dot3(plane->normal, ball->center);
        }
        count += try_circle(s, ball->center, radius, new);
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (surfaces[i].length < s->length && surfaces[k].length < s->length) {
                try_line(s, ball->center, radius, &surfaces[i], &surfaces[k]);
                lines++;
            }
        }
    }
    return !gjk_budget_spend(s->balls->budget,
                             CIRCLE_STEPS * (s->balls->count + s->count) + LINE_STEPS * lines);
}

double gjk_balls_least(const gjk_balls *balls, const gjk_plane *planes, uint32_t count,
                       double margin, double slack, double most, gjk_vec3 *t) {
    search s = {.balls = balls,
                .planes = planes,
                .count = count,
                .margin = margin,
                .slack = slack,
                .length = most,
                .best = *t};
    GJK_CHECK(balls->count + count <= SURFACES);
    offer(&s, *t, false);
    for (uint32_t i = 0; i < balls->count && try_sphere(&s, i); i++) {
    }
    *t = s.best;
    return s.length;
}
