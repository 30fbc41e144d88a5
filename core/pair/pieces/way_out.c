/*
 * Separating translations of shapes of many pieces. Any translation beyond a supporting plane of
 * its Minkowski difference separates a pair of convex pieces, so translations beyond one plane of
 * each pair are free. The least of them is found by cutting planes (Kelley 1960): the pair that
 * overlaps most after the least translation so far adds its plane. From a free translation the
 * planes are those that separate the pairs there: each least translation is then free or adds a
 * plane, and is no longer than the one before.
 */

#include "pair/pieces/way_out.h"

#include "base/numbers.h"
#include "pair/pieces/pieces.h"
#include "shape/pieces/pieces.h"

#include <math.h>
#include <string.h>

#define ROUNDS 16            /* limit of least translations from free ones */
#define OBLIQUE 0.1          /* cosine below which a plane gives a walk little information */
#define INSIDE_STEP 0x1p-8   /* step of a walk in a closed mesh, relative to the size */
#define THIN 0x1p-40         /* squared sine, or triple product, of dependent normals */
#define FAR_ROUNDING 0x1p-28 /* relative: of points where planes meet at a small angle */

/* --- Queries after a translation --- */

gjk_pair_answer gjk_way_query(gjk_way_out *way, gjk_vec3 t) {
    const gjk_placed moved = gjk_moved_by(&way->b, t);
    way->queries_left -= way->queries_left > 0;
    const gjk_pair_answer answer =
        gjk_find_piece_pair(GJK_ASK_DETECT, &way->a, &moved, &way->settings);
    const bool is_within = answer.state == GJK_TOUCHING && !answer.given_up &&
                           gjk_touch_is_inside(&way->a, &moved, &way->settings);
    return is_within ? gjk_answer_without_pieces(true) : answer;
}

gjk_pair_answer gjk_way_query_state(gjk_way_out *way, gjk_vec3 t) {
    const gjk_placed moved = gjk_moved_by(&way->b, t);
    gjk_pair_settings state_only = way->settings;
    state_only.penetration = false;
    way->queries_left -= way->queries_left > 0;
    return gjk_find_piece_pair(GJK_ASK_DETECT, &way->a, &moved, &state_only);
}

gjk_pair_answer gjk_way_query_any(gjk_way_out *way, gjk_vec3 t) {
    const gjk_pair_answer found = gjk_way_query_state(way, t);
    if (found.given_up || found.inside || found.state == GJK_SEPARATED) {
        return found;
    }
    gjk_convex_pair pair;
    gjk_way_take(way, &found, &pair);
    const gjk_placed b = gjk_moved_by(&pair.b.placed, t);
    gjk_pair_answer answer = gjk_detect(&pair.a.placed, &b, &way->settings);
    answer.piece_a = found.piece_a;
    answer.piece_b = found.piece_b;
    return answer;
}

gjk_pair_answer gjk_way_nearest(gjk_way_out *way, gjk_vec3 t) {
    const gjk_placed moved = gjk_moved_by(&way->b, t);
    way->queries_left -= way->queries_left > 0;
    return gjk_search_pieces(GJK_ASK_DISTANCE, &way->a, &moved, &way->settings);
}

bool gjk_way_has_ended(const gjk_way_out *way) {
    return way->length - way->lower_bound <= way->close || way->queries_left == 0 ||
           gjk_budget_is_spent(way->settings.budget);
}

void gjk_way_keep(gjk_way_out *way, gjk_vec3 move, double slack) {
    const double length = gjk_length3(move);
    if (length < way->length) {
        way->length = length;
        way->best = move;
        way->slack = slack;
        way->has_pair = false;
    }
}

void gjk_way_take(const gjk_way_out *way, const gjk_pair_answer *of, gjk_convex_pair *pair) {
    gjk_part_make(&way->a, of->piece_a, &pair->a);
    gjk_part_make(&way->b, of->piece_b, &pair->b);
}

double gjk_way_reach(const gjk_convex_pair *pair) {
    return 2.0 * (pair->a.placed.shape->bounding_radius + pair->b.placed.shape->bounding_radius);
}

bool gjk_way_plane_between(const gjk_way_out *way, const gjk_convex_pair *pair, gjk_vec3 t,
                           gjk_plane *between) {
    const gjk_placed moved = gjk_moved_by(&pair->b.placed, t);
    const gjk_distance_result apart = gjk_distance(&pair->a.placed, &moved, &way->settings);
    *between = (gjk_plane){apart.normal, gjk_dot3(apart.normal, t) - apart.distance};
    return apart.state == GJK_SEPARATED && !apart.given_up;
}

/* --- The least translation beyond planes --- */

/* Returns true if t, which is on some of the planes, is beyond the others. */
static bool is_beyond(const gjk_plane *planes, uint32_t count, const gjk_plane *const on[3],
                      double margin, double slack, gjk_vec3 t) {
    slack += 16.0 * GJK_ROUNDING * gjk_length3(t);
    for (uint32_t i = 0; i < count; i++) {
        const gjk_plane *plane = &planes[i];
        if (plane != on[0] && plane != on[1] && plane != on[2] &&
            gjk_dot3(plane->normal, t) < plane->least + margin - slack) {
            return false;
        }
    }
    return true;
}

/* Sets *t to the least translation where one, two or three planes meet. Returns false if there is
 * none, or if one of the planes does not hold it back (t, as a combination of the normals, has a
 * negative coefficient). `thin` is the squared sine, or triple product, below which normals are
 * dependent. */
static bool least_on(const gjk_plane *const on[3], uint32_t count, double margin, double thin,
                     gjk_vec3 *t) {
    const gjk_vec3 p = on[0]->normal, q = on[count > 1]->normal;
    const double c = on[0]->least + margin, d = on[count > 1]->least + margin;
    if (count == 1) {
        *t = gjk_scale3(c, p);
        return c >= 0.0;
    }
    const gjk_vec3 pq = gjk_cross3(p, q);
    if (count == 2) {
        const double whole = gjk_dot3(pq, pq), cosine = gjk_dot3(p, q);
        if (!(whole > thin) || c < cosine * d || d < cosine * c) {
            return false;
        }
        *t = gjk_scale3(1.0 / whole, gjk_add3(gjk_scale3(c, gjk_cross3(q, pq)),
                                              gjk_scale3(d, gjk_cross3(pq, p))));
        return true;
    }
    const gjk_vec3 r = on[2]->normal, qr = gjk_cross3(q, r), rp = gjk_cross3(r, p);
    const double whole = gjk_dot3(r, pq), e = on[2]->least + margin;
    const gjk_vec3 sum =
        gjk_add3(gjk_add3(gjk_scale3(c, qr), gjk_scale3(d, rp)), gjk_scale3(e, pq));
    if (!(whole * whole > thin) || gjk_dot3(sum, qr) < 0.0 || gjk_dot3(sum, rp) < 0.0 ||
        gjk_dot3(sum, pq) < 0.0) {
        return false;
    }
    *t = gjk_scale3(1.0 / whole, sum);
    return true;
}

/* The least translation is unique: the first candidate where planes that hold it back meet and that
 * is beyond the others. The last plane is one of them, since without it there was a lesser one. */
bool gjk_way_least(const gjk_plane *planes, uint32_t count, double margin, double slack,
                   gjk_vec3 *t) {
    const gjk_plane *on[3] = {NULL};
    const double thin = slack > 0.0 ? GJK_WAY_OBLIQUE * GJK_WAY_OBLIQUE : THIN;
    *t = (gjk_vec3){0, 0, 0};
    if (is_beyond(planes, count, on, margin, slack, *t)) {
        return true;
    }
    on[0] = &planes[count - 1];
    if (least_on(on, 1, margin, thin, t) && is_beyond(planes, count, on, margin, slack, *t)) {
        return true;
    }
    for (uint32_t i = 0; i + 1 < count; i++) {
        on[1] = &planes[i];
        if (least_on(on, 2, margin, thin, t) && is_beyond(planes, count, on, margin, slack, *t)) {
            return true;
        }
    }
    for (uint32_t i = 0; i + 1 < count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            on[1] = &planes[i];
            on[2] = &planes[k];
            if (least_on(on, 3, margin, thin, t) &&
                is_beyond(planes, count, on, margin, slack, *t)) {
                return true;
            }
        }
    }
    return false;
}

double gjk_way_farthest(const gjk_plane *planes, uint32_t count) {
    const gjk_plane *on[3] = {&planes[count - 1]};
    double most = 0.0;
    gjk_vec3 t;
    for (uint32_t i = 0; i + 1 < count; i++) {
        on[1] = &planes[i];
        most = least_on(on, 2, 0.0, THIN, &t) ? gjk_larger(most, gjk_length3(t)) : most;
        for (uint32_t k = 0; k < i; k++) {
            on[2] = &planes[k];
            most = least_on(on, 3, 0.0, THIN, &t) ? gjk_larger(most, gjk_length3(t)) : most;
        }
    }
    return most * (1.0 - FAR_ROUNDING);
}

/* --- From a free translation to a shorter one --- */

/* Sets *next to the least translation beyond planes that separate pairs after a free one; it is
 * free, too. Returns the number of planes, or 0 on failure. */
static uint32_t step_from(gjk_way_out *way, gjk_vec3 free, gjk_plane planes[GJK_WAY_PLANES],
                          gjk_vec3 *next) {
    gjk_pair_answer blocks = gjk_way_nearest(way, free);
    const double margin = gjk_smaller(way->margin, blocks.distance); /* `free` must be beyond it */
    for (uint32_t count = 1; count <= GJK_WAY_PLANES && !blocks.given_up && !blocks.inside;
         count++) {
        gjk_convex_pair pair;
        gjk_way_take(way, &blocks, &pair);
        if (!gjk_way_plane_between(way, &pair, free, &planes[count - 1]) ||
            !gjk_way_least(planes, count, margin, 0.0, next) || gjk_length3(*next) > way->most) {
            return 0;
        }
        blocks = gjk_way_query(way, *next);
        if (gjk_way_is_free(&blocks)) {
            return count;
        }
    }
    return 0;
}

/* Moves a free translation straight towards 0 until the shapes touch: by the plane of the nearest
 * pair if that makes no other pair overlap, else by the distance. */
static gjk_vec3 move_back_to_contact(gjk_way_out *way, gjk_vec3 free) {
    const gjk_vec3 back = gjk_scale3(-1.0 / gjk_length3(free), free);
    for (int i = 0; i < GJK_WAY_STEPS; i++) {
        const gjk_pair_answer nearest = gjk_way_nearest(way, free);
        if (nearest.given_up || nearest.state != GJK_SEPARATED) {
            break;
        }
        const double cosine = -gjk_dot3(nearest.normal, back);
        gjk_vec3 next = gjk_add3(free, gjk_scale3(nearest.distance, back));
        if (cosine * gjk_length3(free) > nearest.distance) { /* the plane is before 0 */
            const gjk_vec3 at_plane = gjk_add3(free, gjk_scale3(nearest.distance / cosine, back));
            const gjk_pair_answer there = gjk_way_query(way, at_plane);
            next = there.state == GJK_OVERLAPPING || there.given_up ? next : at_plane;
        }
        free = next;
    }
    return free;
}

/* Returns true if two planes face each other at so small an angle that curved borders meet far from
 * the planes' intersection. */
static bool is_slot(const gjk_plane *planes, uint32_t count) {
    for (uint32_t i = 0; i < count * count; i++) {
        const gjk_vec3 p = planes[i / count].normal, q = planes[i % count].normal;
        if (gjk_dot3(p, q) < 0.0 && gjk_length3(gjk_cross3(p, q)) < GJK_WAY_OBLIQUE) {
            return true;
        }
    }
    return false;
}

void gjk_way_settle(gjk_way_out *way, gjk_vec3 free) {
    gjk_plane planes[GJK_WAY_PLANES], tried[GJK_WAY_PLANES];
    gjk_vec3 next, touching;
    uint32_t count = 0;
    bool is_shorter = true;
    for (int i = 0; i < ROUNDS && is_shorter; i++) {
        const uint32_t found = step_from(way, free, tried, &next);
        if (found == 0) {
            break;
        }
        memcpy(planes, tried, found * sizeof *tried);
        count = found;
        is_shorter = gjk_length3(next) < gjk_length3(free) * (1.0 - 1e-7);
        free = next;
    }
    const double length = gjk_length3(free);
    double slack = INFINITY;
    if (count > 0 && gjk_way_least(planes, count, 0.0, 0.0, &touching)) {
        /* If borders meet at a small angle, or touch, nearby limits may be shorter by about the
         * length that the planes gain; by less if the planes are the borders, so that nothing
         * overlaps there. */
        const gjk_pair_answer there = gjk_way_query(way, touching);
        const double size = gjk_larger(way->a.shape->size, way->b.shape->size);
        const double bend = 4.0 * (there.depth + GJK_ROUNDING * size) / way->margin;
        slack = is_slot(planes, count)
                    ? INFINITY
                    : 4.0 * (length - gjk_length3(touching)) * gjk_smaller(bend, 1.0);
        if (!there.given_up && there.state == GJK_TOUCHING) {
            gjk_way_keep(way, touching, slack);
            return;
        }
    }
    if (length < way->length) {
        gjk_way_keep(way, move_back_to_contact(way, free), slack);
    }
}

/* --- Walks: along one direction --- */

/* Returns the distance that b, moved by t, must go along a unit direction to separate two
 * overlapping convex pieces. Starts where they are certainly separated and goes back from one
 * separating plane to the next (van den Bergen, Ray casting against general convex objects,
 * 2004). */
static double past_pair(const gjk_way_out *way, const gjk_pair_answer *overlap, gjk_vec3 t,
                        gjk_vec3 direction) {
    gjk_convex_pair pair;
    gjk_way_take(way, overlap, &pair);
    const double cosine = gjk_dot3(overlap->normal, direction);
    double along = cosine > OBLIQUE ? overlap->depth / cosine : gjk_way_reach(&pair);
    for (int i = 0; i < GJK_WAY_STEPS; i++) {
        const gjk_vec3 move = gjk_add3(t, gjk_scale3(along, direction));
        gjk_plane between;
        if (!gjk_way_plane_between(way, &pair, move, &between) ||
            gjk_dot3(between.normal, direction) <= 0.0) {
            break;
        }
        along -=
            (gjk_dot3(between.normal, move) - between.least) / gjk_dot3(between.normal, direction);
    }
    return along;
}

void gjk_way_walk(gjk_way_out *way, gjk_vec3 direction) {
    const double size = gjk_larger(way->a.shape->size, way->b.shape->size);
    double along = way->lower_bound + way->margin, shove = way->margin;
    for (int i = 0; i < GJK_WAY_STEPS && along < way->length && way->queries_left > 0; i++) {
        const gjk_vec3 t = gjk_scale3(along, direction);
        const gjk_pair_answer answer = gjk_way_query(way, t);
        if (answer.given_up) {
            return;
        }
        if (gjk_way_is_free(&answer)) {
            gjk_way_settle(way, t);
            return;
        }
        const double step = answer.inside
                                ? gjk_larger(gjk_way_nearest(way, t).distance, INSIDE_STEP * size)
                                : past_pair(way, &answer, t, direction);
        shove = step > shove ? way->margin : 2.0 * shove;
        along += gjk_larger(step, 0.0) + shove;
    }
}

/* --- Descents: towards the best direction --- */

void gjk_way_descend(gjk_way_out *way, gjk_plane first) {
    gjk_plane planes[GJK_WAY_PLANES] = {first};
    gjk_vec3 t;
    for (uint32_t count = 1; gjk_way_least(planes, count, way->margin, 0.0, &t) &&
                             gjk_length3(t) < gjk_smaller(way->length, way->most) + way->margin;
         count++) {
        const gjk_pair_answer answer = gjk_way_query(way, t);
        if (gjk_way_is_free(&answer)) {
            if (count == 1 && first.least - way->lower_bound <= way->close && first.least > 0.0) {
                gjk_way_keep(way, gjk_scale3(first.least, first.normal), 0.0);
            } else {
                gjk_way_settle(way, t);
            }
            return;
        }
        if (answer.given_up || answer.inside || count == GJK_WAY_PLANES || way->queries_left == 0) {
            return;
        }
        planes[count] = (gjk_plane){answer.normal, gjk_dot3(answer.normal, t) + answer.depth};
    }
}
