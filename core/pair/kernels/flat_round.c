/*
 * Kernels for circles and capsules in the plane.
 *
 * Two circles or points have a closed form from the vector between the centres and its length. It
 * is computed in world axes relative to the first shape's position, without branches on the state
 * (answer_masked).
 */

#include "pair/kernels/flat_view.h"

/*
 * Answers without branches: all members are computed, and a bit mask clears those that the state
 * excludes. For pairs that take so few instructions that a mispredicted branch on the state, which
 * is unpredictable, would cost more than all of them.
 */

/* Writes both points of the rounded shapes if the mask is set, else 0. */
TWO_INLINE void write_masked_points(const nearest *at, gjk_two_bits mask, gjk_vec3 *point_a,
                                    gjk_vec3 *point_b) {
    const gjk_two home = two_of(&at->own->pose.position);
    const gjk_two to_a = two_all(at->distance - at->own->shape->radius);
    const gjk_two to_b = two_all(at->other->shape->radius);
    write_vector(two_masked(mask, (at->point - to_a * at->normal) + home), point_a);
    write_vector(two_masked(mask, (at->point - to_b * at->normal) + home), point_b);
}

/* Sets the same members as write_answer of flat_view.h. */
TWO_INLINE void write_masked(gjk_question question, const view *v, const nearest *at,
                             gjk_state state, gjk_pair_answer *answer) {
    const bool is_distance = question == GJK_ASK_DISTANCE;
    const bool has_points = is_distance ? state != GJK_OVERLAPPING : state != GJK_SEPARATED;
    const gjk_two_bits mask = two_mask(has_points);
    const double length = is_distance ? at->distance - v->radius : v->radius - at->distance;
    gjk_answer_begin(state, 1, answer);
    answer->has_points = has_points;
    answer->distance = answer->lower_bound = two_masked(mask, two_positive(two_all(length)))[0];
    write_normal(is_distance ? two_masked(mask, at->normal) : at->normal, false, &answer->normal);
    write_masked_points(at, mask, &answer->point_a, &answer->point_b);
}

/* Writes the answer that the settings ask for. The state is the number of limits that the distance
 * is within. */
TWO_INLINE void answer_masked(gjk_question question, const view *v, const nearest *at,
                              const gjk_pair_settings *settings, gjk_pair_answer *answer) {
    _Static_assert(GJK_SEPARATED == 0 && GJK_TOUCHING == 1 && GJK_OVERLAPPING == 2, "counted");
    const gjk_state state = (gjk_state)((at->distance <= v->most) + (at->distance < v->least));
    if (question == GJK_ASK_DISTANCE) {
        write_masked(GJK_ASK_DISTANCE, v, at, state, answer);
    } else if (settings->penetration) {
        write_masked(GJK_ASK_DETECT, v, at, state, answer);
    } else {
        write_state(state, answer);
    }
}

/* Finds the nearest points of two circles, independently of their order. Returns false if they are
 * nearly concentric and have no best direction. */
TWO_INLINE bool find_nearest_of_circles(const gjk_placed *a, const gjk_placed *b, const view *v,
                                        nearest *at) {
    const double *p = a->shape->columns, *q = b->shape->columns;
    const gjk_two of_a = two_turned(two_turn_of(&a->pose), (gjk_two){p[0], p[GJK_LANES]});
    const gjk_two of_b = two_turned(two_turn_of(&b->pose), (gjk_two){q[0], q[GJK_LANES]});
    const gjk_two between = (of_b - of_a) + v->between;
    at->distance = sqrt(two_dot(between, between));
    at->normal = between / two_all(at->distance);
    at->point = of_a + between;
    at->own = a;
    at->other = b;
    at->is_back = false;
    return v->is_ordinary & (at->distance > 16.0 * v->rounding) & (at->distance >= 0x1p-400);
}

bool gjk_flat_circles(gjk_question question, const gjk_placed *a, const gjk_placed *b,
                      const gjk_pair_settings *settings, gjk_pair_answer *answer) {
    const view v = view_of(a, b, settings->tolerance);
    nearest at;
    if (!find_nearest_of_circles(a, b, &v, &at)) {
        return gjk_answer_general(question, a, b, settings, answer);
    }
    answer_masked(question, &v, &at, settings, answer);
    return true;
}

/*
 * Two segments or capsules. For two segments that do not cross, one of the nearest points is an end
 * point (Ericson, Real-Time Collision Detection, 2005, 5.1.9): the candidates are four ends against
 * the interior of the other segment and four pairs of ends. They are computed two at a time in
 * world axes, and masks select the nearest, since a branch on it would be unpredictable.
 *
 * Every length is computed from differences of a point of one segment and a point of the other,
 * whose magnitudes have the same bits in either order; so lengths do not depend on the order of the
 * segments.
 */

enum { NORMAL_X = 2 * GJK_LANES, NORMAL_Y = 3 * GJK_LANES };

/* A segment in world axes, relative to its shape's position: its end points and a unit normal of
 * its line. */
typedef struct rod {
    gjk_two end[2], normal;
} rod;

TWO_INLINE rod rod_of(const gjk_placed *placed) {
    const double *own = placed->shape->columns;
    const gjk_two_turn turn = two_turn_of(&placed->pose);
    return (rod){
        {two_turned(turn, (gjk_two){own[0], own[GJK_LANES]}),
         two_turned(turn, (gjk_two){own[1], own[GJK_LANES + 1]})},
        two_turned(turn, (gjk_two){own[NORMAL_X], own[NORMAL_Y]}),
    };
}

/* The vectors from end i of the first segment to both ends of the second: two x components
 * together, and two y components. */
typedef struct ways {
    gjk_two x[2], y[2];
} ways;

TWO_INLINE ways ways_between(const rod *first, const rod *second, gjk_two between) {
    ways w;
    for (int i = 0; i < 2; i++) {
        const gjk_two to_0 = (second->end[0] - first->end[i]) + between;
        const gjk_two to_1 = (second->end[1] - first->end[i]) + between;
        w.x[i] = (gjk_two){to_0[0], to_1[0]};
        w.y[i] = (gjk_two){to_0[1], to_1[1]};
    }
    return w;
}

/* Return the dot products of two vectors, given by their x and y components, with v (part_along) or
 * with v turned left by a quarter turn (part_across). */
TWO_INLINE gjk_two part_along(gjk_two v, gjk_two x, gjk_two y) {
    return two_all(v[0]) * x + two_all(v[1]) * y;
}
TWO_INLINE gjk_two part_across(gjk_two v, gjk_two x, gjk_two y) {
    return two_all(v[0]) * y - two_all(v[1]) * x;
}

/* The end points of one segment relative to the other: their signed distances from its line, along
 * its normal, and whether their projections are on the segment. */
typedef struct heights {
    gjk_two height;
    gjk_two_bits is_over;
} heights;

/* Makes heights. start, end: positions of the projections along the line, from the segment's first
 * and second end. */
TWO_INLINE heights heights_of(gjk_two height, gjk_two start, gjk_two end) {
    const gjk_two none = two_all(0.0);
    return (heights){height, two_if_not_below(start, none) & two_if_not_below(none, end)};
}

/* Returns true if the line separates the end points or contains one of them. Independent of the
 * sign of the normal. */
TWO_INLINE bool are_apart(const heights *ends) {
    return ends->height[0] * ends->height[1] <= 0.0;
}

/* Returns the distances of the end points whose projections are on the segment (with `all`: of
 * both), else INFINITY. */
TWO_INLINE gjk_two distances_of(const heights *ends, gjk_two_bits all) {
    const gjk_two_bits sign = {INT64_MIN, INT64_MIN};
    const gjk_two size = (gjk_two)((gjk_two_bits)ends->height & ~sign);
    return two_pick(ends->is_over | all, size, two_all(INFINITY));
}

/* The nearest end point of one segment over the interior of the other; is_one: no other end is
 * equally near. */
typedef struct over_side {
    gjk_two point, normal; /* as in `nearest` */
    double distance;
    bool is_one;
} over_side;

TWO_INLINE over_side find_over_side(const rod *first, const rod *second, gjk_two between,
                                    const heights *of_second, const heights *of_first,
                                    gjk_two_bits crossing) {
    const gjk_two p = distances_of(of_second, crossing), q = distances_of(of_first, crossing);
    const gjk_two_bits last_p = two_mask(p[1] < p[0]), last_q = two_mask(q[1] < q[0]);
    const double to_first = gjk_smaller(p[1], p[0]), to_second = gjk_smaller(q[1], q[0]);
    const gjk_two_bits at_second = two_mask(to_second < to_first);
    const gjk_two high_p =
        two_pick(last_p, two_all(of_second->height[1]), two_all(of_second->height[0]));
    const gjk_two high_q =
        two_pick(last_q, two_all(of_first->height[1]), two_all(of_first->height[0]));
    const gjk_two_bits sign = {INT64_MIN, INT64_MIN};
    const gjk_two_bits turn = (gjk_two_bits)two_pick(at_second, high_q, high_p) & sign;
    over_side s;
    s.distance = gjk_smaller(to_second, to_first);
    s.normal = (gjk_two)((gjk_two_bits)two_pick(at_second, second->normal, first->normal) ^ turn);
    const gjk_two of_first_end = two_pick(last_q, first->end[1], first->end[0]);
    const gjk_two of_second_end = two_pick(last_p, second->end[1], second->end[0]) + between;
    s.point = two_pick(at_second, of_first_end + two_all(s.distance) * s.normal, of_second_end);
    s.is_one =
        (p[0] == s.distance) + (p[1] == s.distance) + (q[0] == s.distance) + (q[1] == s.distance) ==
        1;
    return s;
}

/* The nearest pair of end points: the vector between them, its square, and the second segment's
 * point. */
typedef struct both_ends {
    gjk_two way, point;
    double square;
} both_ends;

TWO_INLINE both_ends find_both_ends(const rod *second, const ways *w) {
    const gjk_two of_0 = w->x[0] * w->x[0] + w->y[0] * w->y[0];
    const gjk_two of_1 = w->x[1] * w->x[1] + w->y[1] * w->y[1];
    const gjk_two_bits is_0 = two_if_not_below(of_1, of_0);
    const gjk_two squares = two_pick(is_0, of_0, of_1);
    const gjk_two x = two_pick(is_0, w->x[0], w->x[1]), y = two_pick(is_0, w->y[0], w->y[1]);
    const gjk_two_bits is_last = two_mask(squares[1] < squares[0]);
    return (both_ends){
        two_pick(is_last, (gjk_two){x[1], y[1]}, (gjk_two){x[0], y[0]}),
        two_pick(is_last, second->end[1], second->end[0]),
        gjk_smaller(squares[1], squares[0]),
    };
}

/* Returns the gap between the segments along a normal. */
TWO_INLINE double gap_along(gjk_two normal, const ways *w) {
    const gjk_two from_0 = part_along(normal, w->x[0], w->y[0]);
    const gjk_two from_1 = part_along(normal, w->x[1], w->y[1]);
    const gjk_two least = two_pick(two_if_not_below(from_1, from_0), from_0, from_1);
    return gjk_smaller(least[1], least[0]);
}

/*
 * Finds the nearest points of two segments. If they cross, the distance is negative, minus the
 * least distance of an end point from the other's line, and the normal is reversed. Returns false,
 * which leaves the pair to the kernel of polygons, if the segments touch within rounding; if they
 * are parallel and side by side, where the middle of the common part is wanted; or if the normal
 * does not prove the distance, as when the nearest point is within rounding of an end.
 */
TWO_INLINE bool find_nearest_of_capsules(const gjk_placed *a, const gjk_placed *b, const view *v,
                                         nearest *at) {
    const rod first = rod_of(a), second = rod_of(b);
    const ways w = ways_between(&first, &second, v->between);
    const gjk_two along_0 = part_across(second.normal, w.x[0], w.y[0]);
    const gjk_two along_1 = part_across(second.normal, w.x[1], w.y[1]);
    const gjk_two high_0 = part_along(second.normal, w.x[0], w.y[0]);
    const gjk_two high_1 = part_along(second.normal, w.x[1], w.y[1]);
    const heights of_second = heights_of(part_along(first.normal, w.x[0], w.y[0]),
                                         part_across(first.normal, w.x[0], w.y[0]),
                                         part_across(first.normal, w.x[1], w.y[1]));
    const heights of_first =
        heights_of((gjk_two){high_0[0], high_1[0]}, -(gjk_two){along_0[0], along_1[0]},
                   -(gjk_two){along_0[1], along_1[1]});
    const bool parts_second = are_apart(&of_second), parts_first = are_apart(&of_first);
    const gjk_two_bits crossing = two_mask(parts_second & parts_first);
    const over_side side =
        find_over_side(&first, &second, v->between, &of_second, &of_first, crossing);
    const both_ends ends = find_both_ends(&second, &w);
    const double length = sqrt(ends.square);
    const gjk_two_bits at_side = two_mask(side.distance * side.distance <= ends.square) | crossing;
    const gjk_two_bits deep = crossing & (gjk_two_bits){INT64_MIN, INT64_MIN};
    const gjk_two distance = two_pick(at_side, two_all(side.distance), two_all(length));
    const gjk_two end_normal = ends.way * two_all(length * (1.0 / ends.square));
    const gjk_two normal = two_pick(at_side, side.normal, end_normal);
    at->distance = ((gjk_two)((gjk_two_bits)distance ^ deep))[0];
    at->normal = (gjk_two)((gjk_two_bits)normal ^ deep);
    at->point = two_pick(at_side, side.point, ends.point + v->between);
    at->own = a;
    at->other = b;
    at->is_back = false;
    const bool is_proven =
        (crossing[0] != 0) | (gap_along(normal, &w) >= distance[0] - v->rounding);
    return v->is_ordinary & (distance[0] > 16.0 * v->rounding) & is_proven &
           (side.is_one | (at_side[0] == 0));
}

bool gjk_flat_capsules(gjk_question question, const gjk_placed *a, const gjk_placed *b,
                       const gjk_pair_settings *settings, gjk_pair_answer *answer) {
    const view v = view_of(a, b, settings->tolerance);
    nearest at;
    if (!find_nearest_of_capsules(a, b, &v, &at)) {
        return gjk_flat_fastest()->polygons[question](a, b, settings, answer);
    }
    answer_masked(question, &v, &at, settings, answer);
    return true;
}
