/*
 * Two polygons, over the lanes of an instruction set. See separating_axis2.c for the method.
 *
 * The nearest points are sought at the edge with the widest gap, in the frame of the polygon that it
 * belongs to (own), where its corners and normal are exact, and the point of the other that faces it.
 */

#include "pair/flat/columns.h"
#include "pair/flat/view.h"
#include "pair/order.h"

/* Each polygon seen from the other, in all lanes: the rotation of the second, and where the second
 * stands in the frame of the first and the other way round. */
typedef struct placing {
    lanes cosine, sine; /* negated */
    lanes x[2], y[2];
} placing;

/*
 * Each number is loaded to all lanes, where it is also computed: that takes less time than to move it
 * there. The two polygons are treated alike, so that the same numbers with the same bits come out
 * whichever of them is first.
 */
LANES_INLINE placing place(const gjk_placed *first, const gjk_placed *second) {
    const gjk_vec3 *a = &first->pose.rotation.r0, *b = &second->pose.rotation.r0;
    const gjk_vec3 *from = &first->pose.position, *to = &second->pose.position;
    const lanes c = lanes_all(a->x), s = lanes_all(a->y);
    const lanes e = lanes_all(b->x), f = lanes_all(b->y);
    const lanes dx = lanes_sub(lanes_all(to->x), lanes_all(from->x));
    const lanes dy = lanes_sub(lanes_all(to->y), lanes_all(from->y));
    placing p;
    p.x[0] = lanes_sub(lanes_mul(c, dx), lanes_mul(s, dy));
    p.y[0] = dot(s, c, dx, dy);
    p.x[1] = lanes_sub(lanes_mul(f, dy), lanes_mul(e, dx));
    p.y[1] = lanes_sub(lanes_all(0.0), dot(f, e, dx, dy));
    if (a->x == b->x && a->y == b->y) { /* exact, so that a shape coincides with itself */
        p.cosine = lanes_all(1.0);
        p.sine = lanes_all(0.0);
    } else {
        p.cosine = dot(c, s, e, f);
        p.sine = lanes_sub(lanes_mul(c, f), lanes_mul(s, e));
    }
    return p;
}

/* How far a point, and the lesser of two, reaches along each of eight normals. */
LANES_INLINE lanes reach_of(lanes nx, lanes ny, const double *points, int i) {
    return dot(nx, ny, lanes_all(points[i]), lanes_all(points[COLUMN + i]));
}
LANES_INLINE lanes lesser_reach(lanes nx, lanes ny, const double *points, int i) {
    return lanes_smaller(reach_of(nx, ny, points, i), reach_of(nx, ny, points, i + 1));
}

/* How far eight points reach at least along each of eight normals. */
LANES_INLINE lanes least_along(lanes nx, lanes ny, const double *points) {
    const lanes low =
        lanes_smaller(lesser_reach(nx, ny, points, 0), lesser_reach(nx, ny, points, 2));
    return lanes_smaller(low, lanes_smaller(lesser_reach(nx, ny, points, 4),
                                            lesser_reach(nx, ny, points, 6)));
}

/* The gaps along the normals of either polygon, in the frame of each, and lane by lane the wider of
 * the two. */
typedef struct gaps {
    lanes of_first, of_second, widest;
} gaps;

LANES_INLINE gaps find_gaps(const placing *at, const double *first, const double *second) {
    const lanes c = at->cosine, s = at->sine;
    const lanes u = lanes_load(first + NORMAL_X), w = lanes_load(first + NORMAL_Y);
    const lanes p = lanes_load(second + NORMAL_X), q = lanes_load(second + NORMAL_Y);
    const lanes u_there = lanes_sub(lanes_mul(c, u), lanes_mul(s, w)), w_there = dot(c, s, w, u);
    const lanes p_here = dot(c, s, p, q), q_here = lanes_sub(lanes_mul(c, q), lanes_mul(s, p));
    gaps g;
    g.of_first = lanes_sub(least_along(u_there, w_there, second),
                           lanes_sub(lanes_load(first + OFFSET), dot(u, w, at->x[0], at->y[0])));
    g.of_second = lanes_sub(least_along(p_here, q_here, first),
                            lanes_sub(lanes_load(second + OFFSET), dot(p, q, at->x[1], at->y[1])));
    g.widest = lanes_larger(g.of_first, g.of_second);
    return g;
}

/* The edge with the widest gap, seen from its polygon. */
typedef struct face {
    const double *own, *other; /* columns of the polygons */
    gjk_two turn, translation; /* of the other in the frame of own */
    gjk_two normal, from, to;
} face;

/* Among equals of both polygons one of that which comes first in the order of order.h, of one polygon
 * that with the lowest index. */
LANES_INLINE face find_face(const placing *p, const gaps *g, const gjk_placed *first,
                            const gjk_placed *second, nearest *at) {
    const lanes gap = lanes_largest(g->widest);
    const uint32_t in_first = lanes_equal(g->of_first, gap);
    const uint32_t in_second = lanes_equal(g->of_second, gap);
    const uint32_t lane = (uint32_t)__builtin_ctz(in_first | in_second << COLUMN);
    uint32_t edge = lane % COLUMN;
    bool of_second = lane >= COLUMN;
    if (__builtin_expect((in_first != 0) & (in_second != 0), 0) &&
        !gjk_comes_first(first, second)) {
        of_second = true;
        edge = (uint32_t)__builtin_ctz(in_second);
    }
    const double *const a = first->shape->columns, *const b = second->shape->columns;
    const gjk_two_bits back = two_if(of_second);
    const gjk_two from_first = {lanes_first(p->x[0]), lanes_first(p->y[0])};
    const gjk_two from_second = {lanes_first(p->x[1]), lanes_first(p->y[1])};
    const gjk_two turn = {lanes_first(p->cosine), lanes_first(p->sine)};
    face f;
    f.own = place_of(a, b, of_second);
    f.other = place_of(b, a, of_second);
    f.normal = row(f.own + NORMAL_X, edge);
    f.from = row(f.own, edge);
    f.to = row(f.own, (edge + 1) % COLUMN);
    f.turn =
        (gjk_two)((gjk_two_bits)turn ^ (back & (gjk_two_bits){0, INT64_MIN})); /* the inverse */
    f.translation = two_pick(back, from_second, from_first);
    at->own = place_of(first, second, of_second);
    at->other = place_of(second, first, of_second);
    at->is_back = of_second;
    return f;
}

/*
 * The nearest points: the other's point and its projection on the edge, or where that falls beyond
 * an end, and `apart` is set, this corner and the point, along the direction between them, if no
 * other corner of either is further along that.
 */
LANES_INLINE void find_nearest(const view *v, const face *f, bool apart, nearest *at) {
    const uint32_t facing = least_points(f->other, two_turned_back(f->turn, f->normal));
    const gjk_two point = row(f->other, (uint32_t)__builtin_ctz(facing | 1u << (COLUMN - 1)));
    const gjk_two q = two_turned(f->turn, point) + f->translation, way = f->to - f->from;
    const double from_start = two_dot(q - f->from, way), from_end = two_dot(f->to - q, way);
    const double beyond = gjk_smaller(from_start, from_end);
    const double gap = two_dot(f->normal, q - f->from);
    bool is_sure = beyond >= 0.0;
    at->point = q;
    at->normal = f->normal;
    at->distance = gap;
    if (apart) {
        const gjk_two end = two_pick(two_if_not_below(from_end, from_start), f->from, f->to);
        const gjk_two between = q - end, back = two_turned_back(f->turn, between);
        const double length = sqrt(two_dot(between, between)), clear = 16.0 * v->rounding;
        const gjk_two_bits over = two_if_not_below(beyond, 0.0);
        at->normal = two_pick(over, f->normal, between / two_all(length));
        at->distance = two_pick(over, two_all(gap), two_all(length))[0];
        const uint32_t further =
            lanes_above(along(f->own, between), lanes_all(two_dot(between, end))) |
            lanes_above(lanes_all(two_dot(back, point)), along(f->other, back));
        is_sure |= (beyond * beyond > clear * clear * two_dot(way, way)) & (further == 0);
    }
    at->is_sure = lanes_unbranched(is_sure & ((facing & (facing - 1)) == 0) & (facing != 0));
}

LANES_INLINE bool detect_polygons(const gjk_placed *a, const gjk_placed *b,
                                  const gjk_detect_settings *settings, gjk_detect_result *result) {
    const view v = view_of(a, b, settings->tolerance);
    if (!v.is_ordinary) {
        return false;
    }
    const placing p = place(a, b);
    const gaps g = find_gaps(&p, a->shape->columns, b->shape->columns);
    const bool separated = lanes_above(g.widest, lanes_all(v.most)) != 0;
    const bool deep = lanes_not_below(g.widest, lanes_all(v.deep)) == 0;
    if (!settings->penetration && lanes_unbranched(separated | deep)) {
        write_state(separated ? GJK_SEPARATED : GJK_OVERLAPPING, result);
        return true;
    }
    nearest at;
    const face f = find_face(&p, &g, a, b, &at);
    gjk_state state = GJK_OVERLAPPING;
    if (separated) {
        write_state(GJK_SEPARATED, result);
        write_normal(two_turned(two_turn_of(&at.own->pose), f.normal), at.is_back, &result->normal);
        return true;
    }
    if (deep) {
        find_nearest(&v, &f, false, &at);
    } else {
        find_nearest(&v, &f, true, &at);
        state = state_at(&v, at.distance);
    }
    if (!at.is_sure) {
        return false;
    }
    if (!settings->penetration) {
        write_state(state, result);
        return true;
    }
    turn_to_world(&at);
    write_detect(&v, &at, state, result);
    return true;
}

LANES_INLINE bool distance_polygons(const gjk_placed *a, const gjk_placed *b,
                                    const gjk_distance_settings *settings,
                                    gjk_distance_result *result) {
    const view v = view_of(a, b, settings->tolerance);
    if (!v.is_ordinary) {
        return false;
    }
    const placing p = place(a, b);
    const gaps g = find_gaps(&p, a->shape->columns, b->shape->columns);
    nearest at;
    if (lanes_not_below(g.widest, lanes_all(v.deep)) == 0) {
        write_distance(&v, &at, GJK_OVERLAPPING, result);
        return true;
    }
    const face f = find_face(&p, &g, a, b, &at);
    find_nearest(&v, &f, true, &at);
    const bool is_apart = lanes_above(g.widest, lanes_all(v.most)) != 0;
    if (at.is_sure) {
        turn_to_world(&at);
        write_distance(&v, &at, is_apart ? GJK_SEPARATED : state_at(&v, at.distance), result);
    }
    return at.is_sure;
}
