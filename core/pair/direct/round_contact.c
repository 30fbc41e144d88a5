/*
 * Newton's method for a stationary point of the support function h of a - b over the unit
 * directions. In a direction n the farthest points of a are one point of a rim, an apex, or, if
 * both ends are equally far, a line between them on its side; the line adds the weight of its
 * second end as an unknown and the equality of h at both ends as an equation. The same holds for b
 * (the Lagrange-Newton method with an active set: Nocedal, Wright, Numerical Optimization, 2006,
 * 16.5 and 18.1). On a rim of radius r the second derivative of h is r over the sine of the angle
 * of n and the axis, along the rim. Within a flat end n is the axis itself, so only the position
 * must be tested.
 */

#include "pair/direct/round.h"

#include "base/numbers.h"

#define STEPS_MAX 10

/* Length of a step after which the error, about its square, is rounding. */
#define SHORT 1e-8

/* Length of a step that leaves the neighbourhood. */
#define LONG 1.0

/* Sine of the angle to the axis below which the rim has no direction. */
#define AXIAL 1e-6

/* Sine of the angle to the axis below which the contact may be within a flat end. */
#define FLAT 0.7

/* Largest difference of the ends' distances, relative to their separation, that suggests a side. */
#define SIDE 0.1

/* Distance from an end, relative to the length, below which a point is on its rim. */
#define END 1e-9

typedef struct search3 {
    const gjk_round_pair *pair;
    gjk_round_contact *contact;
    bool is_side[2];
    gjk_vec3 x, y, w; /* x, y: perpendicular to the normal and each other; w: point[0] - point[1] */
} search3;

/* A symmetric matrix in the plane perpendicular to the normal. */
typedef struct matrix2 {
    double xx, xy, yy;
} matrix2;

static gjk_vec2 times(const matrix2 *m, gjk_vec2 v) {
    return (gjk_vec2){m->xx * v.x + m->xy * v.y, m->xy * v.x + m->yy * v.y};
}

static gjk_vec2 in_plane(const search3 *s, gjk_vec3 v) {
    return (gjk_vec2){gjk_dot3(s->x, v), gjk_dot3(s->y, v)};
}

/* Computes the farthest points along the normal. */
static void look(search3 *s) {
    gjk_round_contact *c = s->contact;
    gjk_round_look_along(&s->pair->body[0], c->normal, &c->look[0]);
    gjk_round_look_along(&s->pair->body[1], gjk_neg3(c->normal), &c->look[1]);
}

static void set_contact_points(search3 *s) {
    gjk_round_contact *c = s->contact;
    for (int k = 0; k < 2; k++) {
        const gjk_vec3 *end = c->look[k].point;
        c->point[k] =
            gjk_add3(gjk_scale3(1.0 - c->weight[k], end[0]), gjk_scale3(c->weight[k], end[1]));
    }
    s->w = gjk_sub3(c->point[0], c->point[1]);
}

/* Activates a side where the inactive end of a body is farther than the active one. */
static void activate(search3 *s) {
    gjk_round_contact *c = s->contact;
    for (int k = 0; k < 2; k++) {
        const double ahead = c->look[k].value[1] - c->look[k].value[0];
        const double hidden = c->weight[k] == 0.0 ? ahead : -ahead;
        s->is_side[k] = s->is_side[k] || hidden > GJK_ROUNDING * s->pair->scale;
    }
}

/* Returns the second derivative of h along the sphere of directions. */
static matrix2 curvature(const search3 *s) {
    const gjk_round_contact *c = s->contact;
    const double h = gjk_dot3(s->w, c->normal);
    matrix2 m = {-h, 0.0, -h};
    for (int k = 0; k < 2; k++) {
        const double *radius = s->pair->body[k].radius;
        const double mean = radius[0] + c->weight[k] * (radius[1] - radius[0]);
        const gjk_vec2 along = in_plane(s, c->look[k].along);
        const double of_rim = mean > 0.0 ? mean / c->look[k].sine : 0.0;
        m.xx += of_rim * along.x * along.x;
        m.xy += of_rim * along.x * along.y;
        m.yy += of_rim * along.y * along.y;
    }
    return m;
}

/* One step of the normal and the weights. */
typedef struct step3 {
    gjk_vec2 normal;
    double weight[2];
} step3;

/* Solves for a contact on a side, whose line has the direction g and whose ends differ by `ahead`
 * in h. */
static bool solve_side(const matrix2 *m, gjk_vec2 w, gjk_vec2 g, double ahead, double *weight,
                       gjk_vec2 *normal) {
    const double squared = gjk_dot2(g, g);
    const gjk_vec2 free = {-g.y, g.x}, of_free = times(m, free);
    const double curved = gjk_dot2(free, of_free);
    if (!(squared > 0.0 && curved > 0.0)) {
        return false;
    }
    const gjk_vec2 back = gjk_scale2(-ahead / squared, g);
    const double along = -(gjk_dot2(free, w) + gjk_dot2(of_free, back)) / curved;
    *normal = gjk_add2(back, gjk_scale2(along, free));
    *weight = -gjk_dot2(g, gjk_add2(w, times(m, *normal))) / squared;
    return true;
}

/* Solves for a contact on the sides of both, which together determine the normal. */
static bool solve_sides(const matrix2 *m, gjk_vec2 w, const gjk_vec2 g[2], const double ahead[2],
                        step3 *step) {
    const double turn = g[0].x * g[1].y - g[0].y * g[1].x;
    if (!(turn * turn > 1e-12 * gjk_dot2(g[0], g[0]) * gjk_dot2(g[1], g[1]))) {
        return false;
    }
    step->normal.x = (ahead[1] * g[0].y - ahead[0] * g[1].y) / turn;
    step->normal.y = (ahead[0] * g[1].x - ahead[1] * g[0].x) / turn;
    const gjk_vec2 rest = gjk_add2(w, times(m, step->normal));
    step->weight[0] = (g[1].x * rest.y - g[1].y * rest.x) / turn;
    step->weight[1] = (g[0].y * rest.x - g[0].x * rest.y) / turn;
    return true;
}

static bool solve_step(const search3 *s, step3 *step) {
    const gjk_round_contact *c = s->contact;
    const matrix2 m = curvature(s);
    const gjk_vec2 w = in_plane(s, s->w);
    gjk_vec2 g[2];
    double ahead[2];
    for (int k = 0; k < 2; k++) {
        const gjk_vec3 line = gjk_sub3(c->look[k].point[1], c->look[k].point[0]);
        g[k] = in_plane(s, k == 0 ? line : gjk_neg3(line));
        ahead[k] = c->look[k].value[1] - c->look[k].value[0];
    }
    step->weight[0] = step->weight[1] = 0.0;
    if (s->is_side[0] && s->is_side[1]) {
        return solve_sides(&m, w, g, ahead, step);
    }
    if (s->is_side[0] || s->is_side[1]) {
        const int k = s->is_side[1];
        return solve_side(&m, w, g[k], ahead[k], &step->weight[k], &step->normal);
    }
    const double determinant = m.xx * m.yy - m.xy * m.xy;
    if (!(m.xx > 0.0 && determinant > 0.0)) {
        return false;
    }
    step->normal.x = (m.xy * w.y - m.yy * w.x) / determinant;
    step->normal.y = (m.xy * w.x - m.xx * w.y) / determinant;
    return true;
}

/* Applies the step. If a weight leaves its range, the contact is at that end. */
static void move(search3 *s, const step3 *step) {
    gjk_round_contact *c = s->contact;
    const gjk_vec3 by =
        gjk_add3(gjk_scale3(step->normal.x, s->x), gjk_scale3(step->normal.y, s->y));
    const gjk_vec3 next = gjk_add3(c->normal, by);
    c->normal = gjk_scale3(1.0 / gjk_length3(next), next);
    for (int k = 0; k < 2; k++) {
        if (s->is_side[k]) {
            const double weight = c->weight[k] + step->weight[k];
            s->is_side[k] = weight > 0.0 && weight < 1.0;
            c->weight[k] = weight > 0.0 ? gjk_smaller(weight, 1.0) : 0.0;
        }
    }
}

/* Sets the axes perpendicular to the normal, along a rim if there is one. Returns false if the rim
 * has no direction. */
static bool set_axes(search3 *s) {
    const gjk_round_contact *c = s->contact;
    bool found = false;
    for (int k = 0; k < 2; k++) {
        const double *radius = s->pair->body[k].radius;
        const bool is_apex = !s->is_side[k] && radius[s->contact->weight[k] == 1.0] == 0.0;
        if (radius[0] == 0.0 || is_apex) {
            continue;
        }
        if (!(c->look[k].sine > AXIAL)) {
            return false;
        }
        s->x = found ? s->x : c->look[k].along;
        found = true;
    }
    s->x = found ? s->x : gjk_perpendicular3(c->normal);
    s->y = gjk_cross3(c->normal, s->x);
    return true;
}

static bool iterate(search3 *s) {
    gjk_round_contact *c = s->contact;
    c->margin[0] = c->margin[1] = -1.0;
    for (int i = 0; i < STEPS_MAX; i++) {
        step3 step;
        look(s);
        activate(s);
        set_contact_points(s);
        const bool had[2] = {s->is_side[0], s->is_side[1]};
        if (!set_axes(s) || !solve_step(s, &step) ||
            !(gjk_dot2(step.normal, step.normal) < LONG * LONG && fabs(step.weight[0]) < 1e9 &&
              fabs(step.weight[1]) < 1e9)) {
            return false;
        }
        move(s, &step);
        const bool same = had[0] == s->is_side[0] && had[1] == s->is_side[1];
        if (same && gjk_dot2(step.normal, step.normal) < SHORT * SHORT) {
            look(s);
            set_contact_points(s);
            return true;
        }
    }
    return false;
}

/* Tries the flat end of body k that faces along the normal. */
static bool try_flat(const gjk_round_pair *pair, int k, gjk_vec3 normal,
                     gjk_round_contact *contact) {
    const gjk_round_body *body = &pair->body[k];
    const gjk_vec3 outward = k == 0 ? normal : gjk_neg3(normal);
    const gjk_vec3 up = gjk_cross3(body->across[0], body->across[1]);
    const double cosine = gjk_dot3(outward, up);
    const int end = cosine > 0.0;
    if (!(body->radius[end] > 0.0 && 1.0 - cosine * cosine < FLAT * FLAT)) {
        return false;
    }
    const gjk_vec3 axis = end == 1 ? up : gjk_neg3(up);
    contact->normal = k == 0 ? axis : gjk_neg3(axis);
    gjk_round_look_along(&pair->body[0], contact->normal, &contact->look[0]);
    gjk_round_look_along(&pair->body[1], gjk_neg3(contact->normal), &contact->look[1]);
    const gjk_round_look *other = &contact->look[1 - k];
    const int far = other->value[1] > other->value[0];
    if (pair->body[1 - k].radius[far] > 0.0 && !(other->sine > AXIAL)) {
        return false;
    }
    const gjk_vec3 point = other->point[far];
    const double beyond = gjk_dot3(axis, gjk_sub3(body->center[end], point));
    const gjk_vec3 foot = gjk_add3(point, gjk_scale3(beyond, axis));
    const double off = gjk_length3(gjk_sub3(foot, body->center[end]));
    contact->point[k] = foot;
    contact->point[1 - k] = point;
    contact->weight[k] = end;
    contact->weight[1 - k] = far;
    contact->margin[k] = body->radius[end] - off;
    contact->margin[1 - k] = -1.0;
    return contact->margin[k] >= 0.0;
}

/* Finds the contact near a unit direction. `weight` is a guess of the contact's weights, between 0
 * and 1 for a likely side. Returns false if there is none of the supported kinds nearby. */
static bool find_contact(const gjk_round_pair *pair, gjk_vec3 normal, const double weight[2],
                         gjk_round_contact *contact) {
    if (try_flat(pair, 0, normal, contact) || try_flat(pair, 1, normal, contact)) {
        return true;
    }
    search3 s = {.pair = pair, .contact = contact};
    contact->normal = normal;
    for (int k = 0; k < 2; k++) {
        contact->weight[k] = weight[k];
        s.is_side[k] = weight[k] > 0.0 && weight[k] < 1.0;
    }
    return iterate(&s);
}

bool gjk_round_find_from(const gjk_round_pair *pair, gjk_vec3 normal, gjk_round_contact *contact) {
    double weight[2];
    for (int k = 0; k < 2; k++) {
        gjk_round_look seen;
        gjk_round_look_along(&pair->body[k], k == 0 ? normal : gjk_neg3(normal), &seen);
        const double ahead = seen.value[1] - seen.value[0];
        const gjk_vec3 line = gjk_sub3(seen.point[1], seen.point[0]);
        const bool is_near = ahead * ahead < SIDE * SIDE * gjk_dot3(line, line);
        weight[k] = is_near ? 0.5 : ahead > 0.0 ? 1.0 : 0.0;
    }
    return find_contact(pair, normal, weight, contact);
}

bool gjk_round_meet(const gjk_round_pair *pair, const gjk_simplex3 *simplex, gjk_vec3 normal,
                    gjk_round_contact *contact) {
    gjk_vec3 point[2];
    gjk_simplex3_points(simplex, &point[0], &point[1]);
    double weight[2];
    for (int k = 0; k < 2; k++) {
        weight[k] = gjk_round_height(&pair->body[k], point[k]);
        const bool is_first = (weight[k] < END), is_second = (weight[k] > 1.0 - END);
        weight[k] = is_first ? 0.0 : is_second ? 1.0 : weight[k];
    }
    return find_contact(pair, normal, weight, contact);
}
