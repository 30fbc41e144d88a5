#ifndef GJK_PAIR_KERNELS_FLAT_VIEW_H
#define GJK_PAIR_KERNELS_FLAT_VIEW_H

/* Helpers of the flat kernels: the numbers of a pair that a query depends on, and the writing of
 * answers. */

#include "base/numbers.h"
#include "base/two.h"
#include "pair/kernels/flat.h"

#include <string.h>

/* Relative depth along every normal from which an overlap is certain. At a smaller depth the
 * difference of the shapes may be flat within rounding, with the origin beyond its end, where no
 * edge has a normal. As in separating_axis2.c. */
#define CERTAIN_DEPTH (8.0 * GJK_ROUNDING)

/* Limits of the state: a gap or distance of the cores above `most` proves separation, a distance
 * below `least` overlap; gaps below `deep` along all normals prove that the cores overlap.
 * Independent of the order of the shapes. */
typedef struct view {
    gjk_two between; /* between the positions, in world axes */
    double radius, rounding;
    double most, least, deep;
    bool is_ordinary; /* products of lengths do not overflow */
} view;

TWO_INLINE view view_of(const gjk_placed *first, const gjk_placed *second, double tolerance) {
    const gjk_shape *a = first->shape, *b = second->shape;
    view v;
    v.between = two_of(&second->pose.position) - two_of(&first->pose.position);
    const double scale = gjk_larger(fabs(v.between[0]), fabs(v.between[1])) + (a->reach + b->reach);
    v.is_ordinary = scale <= 0x1p99;
    v.rounding = GJK_ROUNDING * scale;
    v.radius = a->radius + b->radius;
    const double touch = gjk_larger(tolerance * gjk_larger(a->size, b->size), 4.0 * v.rounding);
    v.most = v.radius + touch;
    v.least = v.radius - touch;
    v.deep = gjk_smaller(v.least, -(CERTAIN_DEPTH * scale));
    return v;
}

/* Returns the state for a signed distance of the cores. */
TWO_INLINE gjk_state state_at(const view *v, double distance) {
    return distance > v->most    ? GJK_SEPARATED
           : distance < v->least ? GJK_OVERLAPPING
                                 : GJK_TOUCHING;
}

/* Returns true if the gaps along all normals prove all that is asked for. The assembly keeps
 * compilers from branching on the conditions, which are unpredictable. */
TWO_INLINE bool is_enough(gjk_question question, const gjk_pair_settings *settings, bool separated,
                          bool deep) {
    uint32_t enough = question == GJK_ASK_DISTANCE ? deep : separated | deep;
    __asm__("" : "+r"(enough));
    return (question == GJK_ASK_DISTANCE || !settings->penetration) && enough != 0;
}

/* The nearest or deepest points of two cores. `point` is on `other`, `normal` is the unit vector
 * from `own`; own's point is `distance` back along it. */
typedef struct nearest {
    const gjk_placed *own, *other;
    gjk_two point, normal; /* relative to own's position, in world axes */
    double distance;       /* negative: a depth */
    bool is_back;          /* `own` is the caller's b */
    bool is_sure;          /* false: nothing here is valid */
} nearest;

/* Sets the point and the unit normal `toward` times `scale`. Rotates before scaling, while the
 * scale is still being computed. */
TWO_INLINE void turn_to_world(nearest *at, gjk_two point, gjk_two toward, gjk_two scale) {
    const gjk_two_turn turn = two_turn_of(&at->own->pose);
    at->point = two_turned(turn, point);
    at->normal = two_turned(turn, toward) * scale;
}

/* Position of a point relative to an edge of a polygon that it lies outside of. */
typedef struct way_to_point {
    gjk_two end, between; /* nearer end of the edge; from it to the point */
    /* How far the point is beyond this end, along the edge and times its length, whose square is
     * `square`; not positive: the point is over the edge. */
    double beyond, square;
    double distance;
    /* Their product is the unit vector to the point from the nearest point of the edge. */
    gjk_two toward, scale;
} way_to_point;

/* Computes the way from an edge to a point. Computes the distance of the nearer end before it is
 * known to be needed, and 1 / length as length * (1 / length^2), so that root and division
 * overlap. */
TWO_INLINE way_to_point find_way(gjk_two from, gjk_two to, gjk_two normal, gjk_two point) {
    const gjk_two edge = to - from, of_start = point - from, of_end = point - to;
    const gjk_two start_squared = two_dots(of_start, of_start);
    const gjk_two end_squared = two_dots(of_end, of_end);
    const double squared = gjk_smaller(start_squared[0], end_squared[0]), length = sqrt(squared);
    const gjk_two_bits at_start = two_if_not_below(end_squared, start_squared);
    const gjk_two before = -two_dots(of_start, edge), after = two_dots(of_end, edge);
    const gjk_two beyond = two_pick(two_if_not_below(before, after), before, after);
    const gjk_two_bits is_over = two_if_not_below(two_all(0.0), beyond);
    way_to_point way;
    way.end = two_pick(at_start, from, to);
    way.between = two_pick(at_start, of_start, of_end);
    way.beyond = beyond[0];
    way.square = two_dot(edge, edge);
    way.distance = two_pick(is_over, two_dots(normal, of_start), two_all(length))[0];
    way.toward = two_pick(is_over, normal, way.between);
    way.scale = two_pick(is_over, two_all(1.0), two_all(length * (1.0 / squared)));
    return way;
}

/* Returns true if the point is beyond the end by more than rounding. */
TWO_INLINE bool is_clearly_beyond(const view *v, const way_to_point *way) {
    const double clear = 16.0 * v->rounding;
    return way->beyond * way->beyond > clear * clear * way->square;
}

TWO_INLINE void write_vector(gjk_two v, gjk_vec3 *out) {
    memcpy(out, &v, sizeof v);
    out->z = 0.0;
}

/* Writes a normal in the world, from the caller's a to b, without -0. */
TWO_INLINE void write_normal(gjk_two normal, bool is_back, gjk_vec3 *out) {
    const int64_t sign = (int64_t)((uint64_t)is_back << 63);
    const gjk_two_bits back = {sign, sign};
    write_vector((gjk_two)((gjk_two_bits)normal ^ back) + two_all(0.0), out);
}

/* Writes both points of the rounded shapes. */
TWO_INLINE void write_points(const nearest *at, gjk_vec3 *point_a, gjk_vec3 *point_b) {
    const gjk_two home = two_of(&at->own->pose.position);
    const double to_own = at->distance - at->own->shape->radius;
    const double to_other = at->other->shape->radius;
    const gjk_two of_own = (at->point - two_all(to_own) * at->normal) + home;
    const gjk_two of_other = (at->point - two_all(to_other) * at->normal) + home;
    const uintptr_t differ = ((uintptr_t)point_a ^ (uintptr_t)point_b) & -(uintptr_t)at->is_back;
    write_vector(of_own, (gjk_vec3 *)((uintptr_t)point_a ^ differ));
    write_vector(of_other, (gjk_vec3 *)((uintptr_t)point_b ^ differ));
}

/* Writes the state, with all lengths and vectors 0, number by number. */
TWO_INLINE void write_state(gjk_state state, gjk_pair_answer *answer) {
    const gjk_two none = {0.0, 0.0};
    gjk_answer_begin(state, 1, answer);
    answer->depth = answer->depth_lower_bound = 0.0;
    write_vector(none, &answer->normal);
    write_vector(none, &answer->point_a);
    write_vector(none, &answer->point_b);
}

/* Writes the answer for a state, of gjk_detect with penetration or of gjk_distance. */
TWO_INLINE void write_answer(gjk_question question, const view *v, const nearest *at,
                             gjk_state state, gjk_pair_answer *answer) {
    const gjk_two none = {0.0, 0.0};
    const bool is_deep = state != GJK_SEPARATED, is_apart = state != GJK_OVERLAPPING;
    if (question == GJK_ASK_DISTANCE && !is_apart) {
        write_state(state, answer);
        return;
    }
    gjk_answer_begin(state, 1, answer);
    write_normal(at->normal, at->is_back, &answer->normal);
    if (question == GJK_ASK_DISTANCE) {
        answer->has_points = true;
        answer->distance = answer->lower_bound = gjk_positive_part(at->distance - v->radius);
        write_points(at, &answer->point_a, &answer->point_b);
        return;
    }
    const double depth = gjk_positive_part(v->radius - at->distance);
    answer->depth = answer->depth_lower_bound = is_deep ? depth : 0.0;
    if (is_deep) {
        answer->has_points = true;
        write_points(at, &answer->point_a, &answer->point_b);
    } else {
        write_vector(none, &answer->point_a);
        write_vector(none, &answer->point_b);
    }
}

#endif
