/*
 * The kernels of flat.h.
 *
 * Two polygons: see separating_axis2.c for the method. The nearest points are at the edge with the
 * widest gap and the point of the other polygon that faces it, in the frame of the edge's polygon
 * (own), where its corners and normal are exact.
 *
 * A polygon and a circle or point, in the frame of the polygon: the edge with the widest gap to the
 * point, or an end of it, is nearest.
 */

#include "pair/kernels/flat_columns.h"
#include "pair/kernels/flat_view.h"

/* --- Two polygons --- */

/* Relative placement of two polygons, in all lanes: the rotation of the second relative to the
 * first, and the position of each in the frame of the other. */
typedef struct placing {
    lanes cosine, sine; /* negated */
    lanes x[2], y[2];
} placing;

/* Computes the placement in all lanes, from numbers loaded into all lanes: faster than broadcasting
 * the results. Treats both polygons alike, so that the bits do not depend on their order. */
LANES_INLINE placing place_polygons(const gjk_placed *first, const gjk_placed *second) {
    const gjk_vec3 *a = &first->pose.rotation.r0, *b = &second->pose.rotation.r0;
    const gjk_vec3 *from = &first->pose.position, *to = &second->pose.position;
    const lanes c = lanes_spread(&a->x), s = lanes_spread(&a->y);
    const lanes e = lanes_spread(&b->x), f = lanes_spread(&b->y);
    const lanes dx = lanes_sub(lanes_spread(&to->x), lanes_spread(&from->x));
    const lanes dy = lanes_sub(lanes_spread(&to->y), lanes_spread(&from->y));
    placing p;
    p.x[0] = lanes_sub(lanes_mul(c, dx), lanes_mul(s, dy));
    p.y[0] = dot(s, c, dx, dy);
    p.x[1] = lanes_sub(lanes_mul(f, dy), lanes_mul(e, dx));
    p.y[1] = lanes_sub(lanes_all(0.0), dot(f, e, dx, dy));
    p.cosine = dot(c, s, e, f);
    p.sine = lanes_sub(lanes_mul(c, f), lanes_mul(s, e));
    if (__builtin_expect(memcmp(a, b, 2 * sizeof a->x) == 0, 0)) {
        p.cosine = lanes_all(1.0); /* exact, so that a shape coincides with itself */
    }
    return p;
}

/* Return the position along each of eight normals of one point, and the lesser position of two
 * points. */
LANES_INLINE lanes reach_of(lanes nx, lanes ny, const double *points, int i) {
    return dot(nx, ny, lanes_all(points[i]), lanes_all(points[COLUMN + i]));
}
LANES_INLINE lanes lesser_reach(lanes nx, lanes ny, const double *points, int i) {
    return lanes_smaller(reach_of(nx, ny, points, i), reach_of(nx, ny, points, i + 1));
}

/* Returns the least position of eight points along each of eight normals. */
LANES_INLINE lanes least_along(lanes nx, lanes ny, const double *points) {
    const lanes low =
        lanes_smaller(lesser_reach(nx, ny, points, 0), lesser_reach(nx, ny, points, 2));
    return lanes_smaller(low, lanes_smaller(lesser_reach(nx, ny, points, 4),
                                            lesser_reach(nx, ny, points, 6)));
}

/* Normals of one polygon in the frame of the other, the other's least positions along them, and the
 * gaps. */
typedef struct gaps {
    lanes x, y, least, gap;
} gaps;

LANES_INLINE lanes widest_of(const gaps g[2]) {
    return lanes_larger(g[0].gap, g[1].gap);
}

/* Finds the gaps along the normals of the first polygon, then of the second. */
LANES_INLINE void find_gaps(const placing *at, const double *first, const double *second,
                            gaps g[2]) {
    const lanes c = at->cosine, s = at->sine;
    const lanes u = lanes_load(first + NORMAL_X), w = lanes_load(first + NORMAL_Y);
    const lanes p = lanes_load(second + NORMAL_X), q = lanes_load(second + NORMAL_Y);
    g[0].x = lanes_sub(lanes_mul(c, u), lanes_mul(s, w));
    g[0].y = dot(c, s, w, u);
    g[1].x = dot(c, s, p, q);
    g[1].y = lanes_sub(lanes_mul(c, q), lanes_mul(s, p));
    g[0].least = least_along(g[0].x, g[0].y, second);
    g[1].least = least_along(g[1].x, g[1].y, first);
    g[0].gap =
        lanes_sub(g[0].least, lanes_sub(lanes_load(first + OFFSET), dot(u, w, at->x[0], at->y[0])));
    g[1].gap = lanes_sub(g[1].least,
                         lanes_sub(lanes_load(second + OFFSET), dot(p, q, at->x[1], at->y[1])));
}

/* The edge with the widest gap, in its polygon's frame, and the other's point that faces it. */
typedef struct face {
    const double *own, *other; /* columns of the polygons */
    gjk_two_turn turn;         /* rotation of `other` in the frame of `own` */
    gjk_two translation, normal, from, to, facing;
} face;

/* Returns a bit for each point of the other polygon with the least position along the normal of a
 * lane. Computes all positions again, which avoids keeping an index beside each minimum. */
LANES_INLINE uint32_t find_facing(const gaps g[2], const double *other, uint32_t lane) {
    const lanes x = lanes_pick(g[0].x, g[1].x, lane), y = lanes_pick(g[0].y, g[1].y, lane);
    const lanes reach = dot(x, y, lanes_load(other), lanes_load(other + COLUMN));
    return lanes_equal(reach, lanes_pick(g[0].least, g[1].least, lane));
}

/* Returns the point of the other polygon's edge, which is parallel to own's edge, that is over the
 * middle of own's edge or nearest to it. */
LANES_INLINE gjk_two middle_of(const face *f, gjk_two start, gjk_two end) {
    const gjk_two way = f->to - f->from, from = f->translation - f->from;
    const double at_start = two_dot(two_turned(f->turn, start) + from, way);
    const double at_end = two_dot(two_turned(f->turn, end) + from, way);
    const double part = (0.5 * two_dot(way, way) - at_start) / (at_end - at_start);
    const gjk_two inside = start + two_all(gjk_larger(part, 0.0)) * (end - start); /* not NaN */
    return two_pick(two_if_not_below(two_all(part), two_all(1.0)), end, inside);
}

/* Compares two shapes by sizes and positions in the order of answer.h: negative if the first comes
 * first, positive if the second does. Returns 0 if more is needed: that would be a call with all
 * registers in use. */
LANES_INLINE int compare_quickly(const gjk_placed *first, const gjk_placed *second) {
    const gjk_vec3 *p = &first->pose.position, *q = &second->pose.position;
    const double size = first->shape->size, other_size = second->shape->size;
    return 4 * ((size < other_size) - (size > other_size)) + 2 * ((p->x > q->x) - (p->x < q->x)) +
           ((p->y > q->y) - (p->y < q->y));
}

/* Returns the face with the widest gap. Ties between the polygons go to the one that comes first in
 * the order of answer.h, ties within a polygon to the lowest index. */
LANES_INLINE face find_face(const placing *p, const gaps g[2], const gjk_placed *first,
                            const gjk_placed *second, nearest *at) {
    const lanes gap = lanes_largest(widest_of(g));
    const uint32_t in_second = lanes_equal(g[1].gap, gap);
    const uint32_t widest = lanes_equal(g[0].gap, gap) | in_second << COLUMN;
    uint32_t lane = (uint32_t)__builtin_ctz(widest);
    const uint32_t last = 31 - (uint32_t)__builtin_clz(widest);
    at->is_sure = true;
    if (__builtin_expect((lane ^ last) & COLUMN, 0)) {
        const int order = compare_quickly(first, second);
        at->is_sure = order != 0;
        lane = order < 0 ? lane : COLUMN + (uint32_t)__builtin_ctz(in_second);
    }
    const uint32_t edge = lane % COLUMN;
    const bool of_second = lane >= COLUMN;
    const double *const a = first->shape->columns, *const b = second->shape->columns;
    const gjk_two_bits back = two_if(of_second);
    const gjk_two from_first = {lanes_first(p->x[0]), lanes_first(p->y[0])};
    const gjk_two from_second = {lanes_first(p->x[1]), lanes_first(p->y[1])};
    const gjk_two_bits negative = {INT64_MIN, INT64_MIN};
    face f;
    f.own = place_of(a, b, of_second);
    f.other = place_of(b, a, of_second);
    f.normal = row(f.own + NORMAL_X, edge);
    f.from = row(f.own, edge);
    f.to = row(f.own, (edge + 1) % COLUMN);
    f.turn.cosine = lanes_first_two(p->cosine);
    f.turn.sine = (gjk_two)((gjk_two_bits)lanes_first_two(p->sine) ^ (back & negative));
    f.translation = two_pick(back, from_second, from_first);
    const uint32_t facing = find_facing(g, f.other, lane) | 1u << COLUMN; /* never 0 */
    const uint32_t one = (uint32_t)__builtin_ctz(facing) % COLUMN;
    f.facing = row(f.other, one);
    const uint32_t others = (facing & (facing - 1)) % (1u << COLUMN);
    if (__builtin_expect(others != 0, 0)) {
        f.facing = middle_of(&f, f.facing, row(f.other, (uint32_t)__builtin_ctz(others)));
    }
    at->own = place_of(first, second, of_second);
    at->other = place_of(second, first, of_second);
    at->is_back = of_second;
    return f;
}

/* Finds the deepest points of two overlapping polygons: the other's point and its projection on the
 * edge. */
LANES_INLINE void find_deepest(const face *f, nearest *at) {
    const gjk_two q = two_turned(f->turn, f->facing) + f->translation, way = f->to - f->from;
    const double from_start = two_dot(q - f->from, way), from_end = two_dot(f->to - q, way);
    at->distance = two_dot(f->normal, q - f->from);
    at->is_sure = lanes_unbranched(at->is_sure & (from_start >= 0.0) & (from_end >= 0.0));
    turn_to_world(at, q, f->normal, two_all(1.0));
}

/* Finds the nearest points: the other's point and its projection on the edge; if that is beyond an
 * end of the edge, this end and the point, provided that no other corner of either polygon is
 * further along the direction between them. */
LANES_INLINE void find_nearest_of_polygons(const view *v, const face *f, nearest *at) {
    const gjk_two q = two_turned(f->turn, f->facing) + f->translation;
    const way_to_point way = find_way(f->from, f->to, f->normal, q);
    const gjk_two back = two_turned_back(f->turn, way.between);
    const uint32_t further =
        lanes_above(along(f->own, way.between), lanes_all(two_dot(way.between, way.end))) |
        lanes_above(lanes_all(two_dot(back, f->facing)), along(f->other, back));
    const bool is_corner = is_clearly_beyond(v, &way) & (further == 0);
    at->distance = way.distance;
    at->is_sure = lanes_unbranched(at->is_sure & ((way.beyond <= 0.0) | is_corner));
    turn_to_world(at, q, way.toward, way.scale);
}

LANES_INLINE bool answer_polygons(gjk_question question, const gjk_placed *a, const gjk_placed *b,
                                  const gjk_pair_settings *settings, gjk_pair_answer *answer) {
    const view v = view_of(a, b, settings->tolerance);
    if (!v.is_ordinary) {
        return false;
    }
    const placing p = place_polygons(a, b);
    gaps g[2];
    find_gaps(&p, a->shape->columns, b->shape->columns, g);
    const bool separated = lanes_above(widest_of(g), lanes_all(v.most)) != 0;
    const bool deep = lanes_not_below(widest_of(g), lanes_all(v.deep)) == 0;
    if (is_enough(question, settings, separated, deep)) {
        write_state(separated ? GJK_SEPARATED : GJK_OVERLAPPING, answer);
        return true;
    }
    nearest at;
    const face f = find_face(&p, g, a, b, &at);
    if (question == GJK_ASK_DETECT && separated) {
        write_state(GJK_SEPARATED, answer);
        write_normal(two_turned(two_turn_of(&at.own->pose), f.normal), at.is_back, &answer->normal);
        return at.is_sure;
    }
    gjk_state state = GJK_OVERLAPPING;
    if (question == GJK_ASK_DETECT && deep) {
        find_deepest(&f, &at);
    } else {
        find_nearest_of_polygons(&v, &f, &at);
        state = separated ? GJK_SEPARATED : state_at(&v, at.distance);
    }
    if (question == GJK_ASK_DETECT && !settings->penetration) {
        write_state(state, answer);
    } else {
        write_answer(question, &v, &at, state, answer);
    }
    return at.is_sure;
}

/* --- A polygon and a circle --- */

/* The point in the frame of the polygon, in all lanes. */
typedef struct seen {
    lanes x, y;
} seen;

LANES_INLINE seen point_seen(const gjk_placed *polygon, const gjk_placed *circle) {
    const gjk_vec3 *r = &circle->pose.rotation.r0, *to = &circle->pose.position;
    const gjk_vec3 *q = &polygon->pose.rotation.r0, *from = &polygon->pose.position;
    const double *own = circle->shape->columns;
    const lanes c = lanes_spread(&r->x), s = lanes_spread(&r->y);
    const lanes e = lanes_spread(&q->x), f = lanes_spread(&q->y);
    const lanes u = lanes_spread(own), w = lanes_spread(own + COLUMN);
    const lanes x =
        lanes_add(dot(c, s, u, w), lanes_sub(lanes_spread(&to->x), lanes_spread(&from->x)));
    const lanes y = lanes_add(lanes_sub(lanes_mul(c, w), lanes_mul(s, u)),
                              lanes_sub(lanes_spread(&to->y), lanes_spread(&from->y)));
    return (seen){lanes_sub(lanes_mul(e, x), lanes_mul(f, y)), dot(e, f, y, x)};
}

LANES_INLINE gjk_two first_lane_of(seen p) {
    return (gjk_two){lanes_first(p.x), lanes_first(p.y)};
}

/* Returns the gaps to the point along the normals of all edges. */
LANES_INLINE lanes gaps_to(const double *edges, seen p) {
    return lanes_sub(dot(p.x, p.y, lanes_load(edges + NORMAL_X), lanes_load(edges + NORMAL_Y)),
                     lanes_load(edges + OFFSET));
}

/* Finds the nearest point of the polygon: the projection on the edge, or an end of it if no other
 * corner is further towards the point. */
LANES_INLINE void find_nearest_to(const view *v, const double *columns, uint32_t edge, gjk_two p,
                                  nearest *at) {
    const way_to_point way = find_way(row(columns, edge), row(columns, (edge + 1) % COLUMN),
                                      row(columns + NORMAL_X, edge), p);
    const bool is_farthest =
        lanes_above(along(columns, way.between), lanes_all(two_dot(way.between, way.end))) == 0;
    at->is_sure =
        lanes_unbranched((way.beyond <= 0.0) | (is_clearly_beyond(v, &way) & is_farthest));
    at->distance = way.distance;
    turn_to_world(at, p, way.toward, way.scale);
}

LANES_INLINE bool answer_circle(gjk_question question, const gjk_placed *a, const gjk_placed *b,
                                const gjk_pair_settings *settings, gjk_pair_answer *answer) {
    const bool is_swapped = a->shape->flat != GJK_FLAT_POLYGON;
    const gjk_placed *polygon = place_of(a, b, is_swapped), *circle = place_of(b, a, is_swapped);
    const double *columns = polygon->shape->columns;
    const view v = view_of(polygon, circle, settings->tolerance);
    if (!v.is_ordinary) {
        return false;
    }
    const seen p = point_seen(polygon, circle);
    const lanes gap = gaps_to(columns, p);
    const bool separated = lanes_above(gap, lanes_all(v.most)) != 0;
    const bool deep = lanes_not_below(gap, lanes_all(v.deep)) == 0;
    if (is_enough(question, settings, separated, deep)) {
        write_state(separated ? GJK_SEPARATED : GJK_OVERLAPPING, answer);
        return true;
    }
    const uint32_t edge = lane_of_largest(gap);
    if (question == GJK_ASK_DETECT && separated) {
        write_state(GJK_SEPARATED, answer);
        write_normal(two_turned(two_turn_of(&polygon->pose), row(columns + NORMAL_X, edge)),
                     is_swapped, &answer->normal);
        return true;
    }
    nearest at = {.own = polygon, .other = circle, .is_back = is_swapped};
    find_nearest_to(&v, columns, edge, first_lane_of(p), &at);
    const gjk_state state = separated ? GJK_SEPARATED
                            : deep    ? GJK_OVERLAPPING
                                      : state_at(&v, at.distance);
    if (question == GJK_ASK_DETECT && !settings->penetration) {
        write_state(state, answer);
    } else {
        write_answer(question, &v, &at, state, answer);
    }
    return at.is_sure;
}

/* --- The entries --- */

LANES_INLINE bool detect_polygons(const gjk_placed *a, const gjk_placed *b,
                                  const gjk_pair_settings *settings, gjk_pair_answer *answer) {
    return answer_polygons(GJK_ASK_DETECT, a, b, settings, answer) ||
           gjk_answer_general(GJK_ASK_DETECT, a, b, settings, answer);
}

LANES_INLINE bool distance_polygons(const gjk_placed *a, const gjk_placed *b,
                                    const gjk_pair_settings *settings, gjk_pair_answer *answer) {
    return answer_polygons(GJK_ASK_DISTANCE, a, b, settings, answer) ||
           gjk_answer_general(GJK_ASK_DISTANCE, a, b, settings, answer);
}

LANES_INLINE bool detect_circle(const gjk_placed *a, const gjk_placed *b,
                                const gjk_pair_settings *settings, gjk_pair_answer *answer) {
    return answer_circle(GJK_ASK_DETECT, a, b, settings, answer) ||
           gjk_answer_general(GJK_ASK_DETECT, a, b, settings, answer);
}

LANES_INLINE bool distance_circle(const gjk_placed *a, const gjk_placed *b,
                                  const gjk_pair_settings *settings, gjk_pair_answer *answer) {
    return answer_circle(GJK_ASK_DISTANCE, a, b, settings, answer) ||
           gjk_answer_general(GJK_ASK_DISTANCE, a, b, settings, answer);
}

const struct gjk_flat_kernels LANES_FORM(gjk_flat) = {{detect_polygons, distance_polygons},
                                                      {detect_circle, distance_circle}};
