/* A polygon and a circle or point, over the lanes of an instruction set, in the frame of the
 * polygon: the edge with the widest gap to the point, or an end of it, is nearest. */

#include "pair/kernels/flat_columns.h"
#include "pair/kernels/flat_view.h"

/* The point in the frame of the polygon, in all lanes, where it is also computed. */
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

/* The gaps along the normals of all edges to the point. */
LANES_INLINE lanes gaps_to(const double *edges, seen p) {
    return lanes_sub(dot(p.x, p.y, lanes_load(edges + NORMAL_X), lanes_load(edges + NORMAL_Y)),
                     lanes_load(edges + OFFSET));
}

/* The nearest point of the polygon: the projection on the edge, or an end of it, if no other corner
 * is further towards the point. */
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
    const lanes gaps = gaps_to(columns, p);
    const bool separated = lanes_above(gaps, lanes_all(v.most)) != 0;
    const bool deep = lanes_not_below(gaps, lanes_all(v.deep)) == 0;
    if (is_enough(question, settings, separated, deep)) {
        write_state(separated ? GJK_SEPARATED : GJK_OVERLAPPING, answer);
        return true;
    }
    const uint32_t edge = lane_of_largest(gaps);
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
