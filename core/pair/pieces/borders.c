/*
 * Exact separation in the plane. The shortest translation that separates two shapes of many pieces
 * is on the border of the Minkowski difference of a pair: on the line of a side or the circle about
 * a corner. Each of these borders is walked both ways from its point nearest to 0, slightly
 * outside, so that the pair itself does not overlap. Free translations on a line beyond its side,
 * or on a circle within the sides, are also valid and do no harm.
 */

#include "pair/pieces/way_out.h"

#include "base/numbers.h"
#include "pair/pieces/pieces.h"
#include "shape/convex/cloud.h"

#include <math.h>

#define PAIRS 8192      /* limit of pairs whose borders are walked */
#define OBLIQUE 0.25    /* cosine below which a circle does not leave a plane at once */
#define WALK_STEPS 1024 /* limit along one border */
#define AHEAD 8.0       /* least step, in units of the shove, that counts as progress */

/* A border: a circle, or if the radius is 0 the line through the centre perpendicular to the
 * normal. `start` is its point nearest to 0. */
typedef struct border {
    gjk_vec3 center, normal, start;
    double radius;
} border;

static gjk_vec3 left_of(gjk_vec3 v) {
    return (gjk_vec3){-v.y, v.x, 0.0};
}

/* Sets *t to the point at which a walk along a border to the left (turn 1) or right (-1) gets
 * beyond a plane. Returns false if there is none. */
static bool border_crosses(const border *on, double turn, const gjk_plane *beyond, gjk_vec3 *t) {
    if (on->radius == 0.0) {
        const gjk_vec3 along = gjk_scale3(turn, left_of(on->normal));
        const double cosine = gjk_dot3(beyond->normal, along);
        *t = gjk_add3(on->center,
                      gjk_scale3((beyond->least - gjk_dot3(beyond->normal, on->center)) / cosine,
                                 along));
        return cosine > 0x1p-30;
    }
    const double cosine = (beyond->least - gjk_dot3(beyond->normal, on->center)) / on->radius;
    if (!(fabs(cosine) <= 1.0)) {
        return false;
    }
    const double sine = turn * sqrt(1.0 - cosine * cosine);
    const gjk_vec3 from_center =
        gjk_sub3(gjk_scale3(cosine, beyond->normal), gjk_scale3(sine, left_of(beyond->normal)));
    *t = gjk_add3(on->center, gjk_scale3(on->radius, from_center));
    return true;
}

/* Returns the point `by` further along a border. */
static gjk_vec3 point_ahead(const border *on, gjk_vec3 t, double turn, double by) {
    if (on->radius == 0.0) {
        return gjk_add3(t, gjk_scale3(turn * by, left_of(on->normal)));
    }
    const gjk_vec3 out = gjk_sub3(t, on->center);
    const gjk_vec3 ahead = gjk_add3(out, gjk_scale3(turn * by / on->radius, left_of(out)));
    return gjk_add3(on->center, gjk_scale3(on->radius / gjk_length3(ahead), ahead));
}

/* Returns true if a walk along a circle has passed the point farthest from 0. */
static bool is_past(const border *on, gjk_vec3 t, double turn) {
    const gjk_vec3 from = gjk_sub3(on->start, on->center), to = gjk_sub3(t, on->center);
    return on->radius > 0.0 && turn * gjk_dot3(left_of(from), to) < 0.0;
}

static bool overlaps_at(const gjk_way_out *way, const gjk_convex_pair *pair, gjk_vec3 t) {
    const gjk_placed moved = gjk_moved_by(&pair->b.placed, t);
    gjk_pair_settings state_only = way->settings;
    state_only.penetration = false;
    return gjk_detect(&pair->a.placed, &moved, &state_only).state == GJK_OVERLAPPING;
}

/* Walks along a circle within the overlap of two pieces, which the circle may leave and enter
 * again. The overlap is convex, so an arc lies in it if both ends and the intersection of their
 * tangents do. Sets *beyond to the overlap's plane at the end of the walk. Returns false if the
 * circle may not leave the overlap there. */
static bool walk_in_overlap(const gjk_way_out *way, const gjk_convex_pair *pair, const border *on,
                            double turn, gjk_vec3 *t, gjk_plane *beyond) {
    double part = 0.5; /* tangent of half the arc's angle */
    for (int i = 0; i < GJK_WAY_STEPS && !is_past(on, *t, turn); i++) {
        const gjk_placed moved = gjk_moved_by(&pair->b.placed, *t);
        const gjk_detect_result met = gjk_detect(&pair->a.placed, &moved, &way->settings);
        const gjk_vec3 out = gjk_sub3(*t, on->center), ahead = gjk_scale3(turn, left_of(out));
        *beyond = (gjk_plane){met.normal, gjk_dot3(met.normal, *t) + met.depth};
        if (met.state != GJK_OVERLAPPING || (met.depth < on->radius * 0x1p-12 &&
                                             gjk_dot3(met.normal, ahead) > OBLIQUE * on->radius)) {
            return true;
        }
        gjk_vec3 end = *t;
        for (part = gjk_smaller(2.0 * part, 0.5); part * on->radius > way->margin; part *= 0.5) {
            const double below = 1.0 / (1.0 + part * part);
            const gjk_vec3 turned = gjk_add3(gjk_scale3((1.0 - part * part) * below, out),
                                             gjk_scale3(2.0 * part * below, ahead));
            end = gjk_add3(on->center, turned);
            if (overlaps_at(way, pair, end) &&
                overlaps_at(way, pair, gjk_add3(*t, gjk_scale3(part, ahead)))) {
                break;
            }
        }
        if (part * on->radius <= way->margin) {
            return false;
        }
        *t = end;
    }
    return false;
}

/* Sets *next to the point at which a walk along a border leaves two pieces, which overlap after the
 * translation t, or to a point on the way there. */
static void leave_pair(const gjk_way_out *way, const gjk_pair_answer *overlap, const border *on,
                       gjk_vec3 t, double turn, gjk_vec3 *next) {
    gjk_plane beyond = {overlap->normal, gjk_dot3(overlap->normal, t) + overlap->depth};
    gjk_convex_pair pair;
    gjk_way_take(way, overlap, &pair);
    *next = t;
    if (on->radius > 0.0 && !walk_in_overlap(way, &pair, on, turn, next, &beyond)) {
        return;
    }
    if (!border_crosses(on, turn, &beyond, next)) {
        if (on->radius > 0.0) {
            return;
        }
        *next = point_ahead(on, t, turn, gjk_way_reach(&pair));
    }
    for (int i = 0; i < GJK_WAY_STEPS; i++) {
        gjk_plane between;
        gjk_vec3 back;
        if (!gjk_way_plane_between(way, &pair, *next, &between) ||
            !border_crosses(on, turn, &between, &back)) {
            break;
        }
        *next = back;
    }
}

/* Walks along a border until a translation is free. Returns false if the walk is cut short. */
static bool walk_border(gjk_way_out *way, const border *on, double turn) {
    gjk_vec3 t = on->start;
    double shove = way->margin;
    for (int i = 0; i < WALK_STEPS; i++) {
        if (gjk_length3(t) >= way->length + GJK_WAY_BAND * way->margin || is_past(on, t, turn)) {
            return true;
        }
        const gjk_pair_answer answer = gjk_way_query_any(way, t);
        if (answer.given_up || answer.inside) {
            return false;
        }
        if (gjk_way_is_free(&answer)) {
            gjk_way_settle(way, t);
            return true;
        }
        gjk_vec3 next;
        leave_pair(way, &answer, on, t, turn, &next);
        const gjk_vec3 out = on->radius > 0.0 ? gjk_sub3(t, on->center) : on->normal;
        const gjk_vec3 by = gjk_sub3(next, t);
        /* More than half a circle ahead is past the farthest point. Slightly back is rounding. */
        const bool is_ahead = turn * gjk_dot3(left_of(out), by) > 0.0 ||
                              (on->radius > 0.0 && gjk_length3(by) > 0.5 * on->radius);
        /* If two circles nearly coincide, the next point is hardly farther than the last shove:
         * double the shove until a step makes progress. */
        shove = is_ahead && gjk_length3(by) > AHEAD * shove ? way->margin : 2.0 * shove;
        t = point_ahead(on, is_ahead ? next : t, turn, shove);
    }
    return false;
}

static bool walk_both_ways(gjk_way_out *way, const border *on) {
    return walk_border(way, on, 1.0) && walk_border(way, on, -1.0);
}

/* Returns the corner of a placed cloud farthest along a direction, among equals the one farthest
 * along `then`. */
static gjk_vec3 farthest(const gjk_placed *placed, gjk_vec3 direction, gjk_vec3 then) {
    const double slack = 8.0 * GJK_ROUNDING * placed->shape->size;
    gjk_vec3 best = gjk_placed_point(placed, 0);
    for (uint32_t i = 1; i < placed->shape->count; i++) {
        const gjk_vec3 point = gjk_placed_point(placed, i);
        const gjk_vec3 off = gjk_sub3(point, best);
        const double more = gjk_dot3(direction, off);
        if (more > slack || (more >= -slack && gjk_dot3(then, off) > 0.0)) {
            best = point;
        }
    }
    return best;
}

/* Walks along the side with that outward normal and along the circle about its left end. */
static bool walk_side(gjk_way_out *way, const gjk_placed *a, const gjk_placed *b, gjk_vec3 normal) {
    const gjk_vec3 left = left_of(normal);
    const gjk_vec3 end = gjk_sub3(farthest(a, normal, left),
                                  farthest(b, gjk_scale3(-1.0, normal), gjk_scale3(-1.0, left)));
    const double radius = a->shape->radius + b->shape->radius;
    const double length = gjk_length3(end);
    const double least = gjk_dot3(normal, end) + radius + 2.0 * way->margin;
    const border side = {.center = gjk_scale3(least, normal),
                         .normal = normal,
                         .start = gjk_scale3(least, normal)};
    if (!walk_both_ways(way, &side)) {
        return false;
    }
    if (radius == 0.0) {
        return true;
    }
    border circle = {.center = end, .normal = normal, .radius = radius + 2.0 * way->margin};
    circle.start = gjk_add3(end, length > 0.0 ? gjk_scale3(-circle.radius / length, end)
                                              : gjk_scale3(circle.radius, normal));
    return walk_both_ways(way, &circle);
}

/* Walks along all sides from sides of `of`, one piece of the pair; outward is 1 for a, -1 for b. */
static bool walk_sides_of(gjk_way_out *way, const gjk_piece_pair *pair, const gjk_placed *of,
                          double outward) {
    const uint32_t count = of->shape->count;
    for (uint32_t i = 0; i < count && count > 1; i++) {
        const gjk_vec3 edge =
            gjk_sub3(gjk_placed_point(of, (i + 1) % count), gjk_placed_point(of, i));
        const double length = gjk_length3(edge);
        if (length > 0.0 &&
            !walk_side(way, pair->a, pair->b, gjk_scale3(-outward / length, left_of(edge)))) {
            return false;
        }
    }
    return true;
}

typedef struct border_search {
    gjk_piece_visitor visitor; /* first member: cast back by the visitor */
    gjk_way_out *way;
    uint32_t pairs;
    bool is_whole; /* no walk has been cut short so far */
} border_search;

static bool visit_borders(gjk_piece_visitor *visitor, const gjk_piece_pair *pair) {
    border_search *search = (border_search *)visitor;
    gjk_way_out *way = search->way;
    const bool are_points = pair->a->shape->count == 1 && pair->b->shape->count == 1;
    search->is_whole = pair->a->shape->count > 0 && pair->b->shape->count > 0 &&
                       search->pairs++ < PAIRS && walk_sides_of(way, pair, pair->a, 1.0) &&
                       walk_sides_of(way, pair, pair->b, -1.0) &&
                       (!are_points || walk_side(way, pair->a, pair->b, (gjk_vec3){1, 0, 0}));
    visitor->bound = way->length;
    return search->is_whole && !gjk_budget_is_spent(way->settings.budget);
}

bool gjk_walk_borders(gjk_way_out *way) {
    border_search search = {.visitor = gjk_visitor_make(visit_borders, &way->settings),
                            .way = way,
                            .is_whole = true};
    search.visitor.bound = way->length;
    gjk_visit_piece_pairs(&way->a, &way->b, &search.visitor);
    return search.is_whole && !gjk_budget_is_spent(way->settings.budget);
}
