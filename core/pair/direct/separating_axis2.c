/*
 * The separating-axis test (Gottschalk 1996) for distance or penetration of two small polygons. The
 * signed distance is the maximum over all directions of the gap along them. If the polygons
 * overlap, or a corner faces an edge, the maximum is at the normal of an edge; all normals are
 * tried. Otherwise the nearest points are two corners, one of them an end of the edge with the
 * widest gap: the gap is quasiconcave on the circle of directions while it is positive, so the best
 * normal is a neighbour of the best direction. Support scans of both polygons verify the direction
 * between the two corners; if rounding led to the wrong corners, the general method takes over.
 */

#include "pair/kernels.h"

#include "base/numbers.h"
#include "pair/direct/edges.h"
#include "shape/convex/support.h"

/* Relative depth along every normal from which an overlap is certain. At a smaller depth the
 * difference may be flat within rounding, with the origin beyond its end, where no edge has a
 * normal. */
#define CERTAIN_DEPTH (8.0 * GJK_ROUNDING)

/* A polygon's points in the frame. */
typedef struct outline2 {
    const double *x, *y;
    uint32_t count;
} outline2;

/* Candidates for the witness points: one on the edge's polygon, one on the other. */
typedef struct witness2 {
    gjk_vec2 on_edge, on_other;
    bool projected; /* on_edge is the projection of on_other on the edge */
} witness2;

static gjk_vec2 corner(const outline2 *polygon, uint32_t i) {
    return (gjk_vec2){polygon->x[i], polygon->y[i]};
}

/* Returns the corner farthest along n, the first among equals. */
static uint32_t farthest_corner(const outline2 *polygon, gjk_vec2 n) {
    uint32_t best = 0;
    double most = n.x * polygon->x[0] + n.y * polygon->y[0];
    for (uint32_t i = 1; i < polygon->count; i++) {
        double along = n.x * polygon->x[i] + n.y * polygon->y[i];
        best = along > most ? i : best;
        most = along > most ? along : most;
    }
    return best;
}

/* Restores the unit length of a rotated normal by one step of Newton's method. */
static gjk_vec2 renormalised(gjk_vec2 n) {
    return gjk_scale2(1.5 - 0.5 * gjk_dot2(n, n), n);
}

/* Returns the nearest points of the edge of `own` and of the edges of `other` at its support vertex
 * `facing`: that vertex and its projection on the edge; if the projection is beyond an end, the end
 * and its projection on the adjacent edge of `other` on that side. */
static witness2 find_witness(const outline2 *own, uint32_t edge, const outline2 *other,
                             uint32_t facing) {
    const uint32_t after = (edge + 1) * (edge + 1 < own->count);
    gjk_vec2 from = corner(own, edge), to = corner(own, after);
    gjk_vec2 along = gjk_sub2(to, from), q = corner(other, facing);
    double from_start = gjk_dot2(gjk_sub2(q, from), along);
    double from_end = gjk_dot2(gjk_sub2(to, q), along);
    if (from_start >= 0.0 && from_end >= 0.0) {
        static const double way[2] = {-1.0, 1.0}; /* avoids an unpredictable branch */
        const bool near_start = from_start <= from_end;
        double share = gjk_smaller(from_start, from_end) / gjk_dot2(along, along);
        gjk_vec2 end = corner(own, near_start ? edge : after);
        return (witness2){gjk_add2(end, gjk_scale2(way[near_start] * share, along)), q, true};
    }
    bool before = from_start < 0.0; /* both polygons are counter-clockwise */
    uint32_t last = other->count - 1;
    uint32_t next = before ? (facing > 0 ? facing - 1 : last) : (facing < last ? facing + 1 : 0);
    gjk_vec2 end = before ? from : to, back = gjk_sub2(corner(other, next), q);
    double reach = gjk_dot2(gjk_sub2(end, q), back), squared = gjk_dot2(back, back);
    if (!(reach > 0.0)) {
        return (witness2){end, q, false};
    }
    if (reach >= squared) {
        return (witness2){end, corner(other, next), false};
    }
    return (witness2){end, gjk_add2(q, gjk_scale2(reach / squared, back)), false};
}

/* Settles a pair whose nearest points are corners; the normal is the direction between them.
 * Returns true if the bounds meet. */
static bool settle_corners(const outline2 *own, const outline2 *other, const witness2 *points,
                           bool of_b, double close_enough, gjk_solution *solution) {
    gjk_vec2 between = gjk_sub2(points->on_other, points->on_edge);
    double length = gjk_length2(between);
    if (!(length > 0.0)) {
        return false;
    }
    gjk_vec2 n = gjk_scale2(1.0 / length, between);
    gjk_vec2 p = corner(own, farthest_corner(own, n));
    gjk_vec2 q = corner(other, farthest_corner(other, gjk_neg2(n)));
    double gap = gjk_dot2(n, gjk_sub2(q, p));
    bool met = length - gap <= close_enough;
    if (met || gap > solution->lower) { /* an edge normal may miss the points */
        solution->normal = gjk_xy0(of_b ? gjk_neg2(n) : n);
    }
    solution->lower = gjk_larger(solution->lower, gap);
    solution->upper = length;
    return met;
}

/* Sets the witness points and the final bounds. Returns false if the bounds do not meet. */
static bool settle(const outline2 polygons[2], const gjk_gap2 *widest, gjk_vec2 normal,
                   double rounding, gjk_solution *solution) {
    const outline2 *own = &polygons[widest->of_b], *other = &polygons[!widest->of_b];
    uint32_t facing = farthest_corner(other, gjk_neg2(normal));
    witness2 points = find_witness(own, widest->edge, other, facing);
    double gap = gjk_dot2(normal, gjk_sub2(corner(other, facing), corner(own, widest->edge)));
    if (points.projected) { /* avoids the lever arm of an error of the normal */
        gap = gjk_dot2(normal, gjk_sub2(points.on_other, points.on_edge));
    }
    /* The points differ by the gap along the normal, unless the edge is so short that rounding has
     * turned it. */
    gjk_vec2 between = gjk_sub2(points.on_other, points.on_edge);
    gjk_vec2 off = gjk_sub2(between, gjk_scale2(gap, normal));
    if (gjk_length2(off) <= (points.projected ? 4.0 : 1.0) * rounding) {
        solution->lower = gap;
        solution->upper = gap;
    } else if (!settle_corners(own, other, &points, widest->of_b, rounding, solution)) {
        solution->upper = INFINITY;
        return false;
    }
    solution->point_a = gjk_xy0(widest->of_b ? points.on_other : points.on_edge);
    solution->point_b = gjk_xy0(widest->of_b ? points.on_edge : points.on_other);
    solution->has_points = true;
    return true;
}

/* Solves by the widest gap, and if that does not reach the goal, by the nearest points. */
static bool conclude(const outline2 polygons[2], const gjk_gap2 *widest, gjk_vec2 normal,
                     double scale, const gjk_goal *goal, gjk_solution *solution) {
    solution->iterations = 1;
    solution->lower = widest->gap;
    solution->normal = gjk_xy0(widest->of_b ? gjk_neg2(normal) : normal);
    if (gjk_goal_proven(goal, solution)) {
        return true;
    }
    if (widest->gap < -CERTAIN_DEPTH * scale) {
        solution->upper = widest->gap; /* certainly overlapping */
    }
    if (gjk_goal_proven(goal, solution)) {
        return true;
    }
    bool settled = settle(polygons, widest, normal, GJK_ROUNDING * scale, solution);
    if (settled) {
        (void)gjk_goal_proven(goal, solution);
    } else if (solution->proof == GJK_PROVEN_OVERLAPPING) {
        solution->upper = widest->gap;
    }
    return settled;
}

/* Transforms a solution from the frame of b with the shapes exchanged. */
static void turn_back(const gjk_frame2 *frame, gjk_solution *solution) {
    gjk_vec2 n = gjk_xy(solution->normal), on_a = gjk_xy(solution->point_b);
    gjk_vec2 on_b = gjk_xy(solution->point_a);
    solution->normal = gjk_xy0(gjk_neg2(renormalised(gjk_frame2_turn(frame, n))));
    solution->point_a = gjk_xy0(gjk_add2(gjk_frame2_turn(frame, on_a), frame->translation));
    solution->point_b = gjk_xy0(gjk_add2(gjk_frame2_turn(frame, on_b), frame->translation));
}

/* Solves a polygon and a point in the polygon's frame, which avoids rotating its edges. */
static bool solve_point(const gjk_frame2 *frame, const gjk_goal *goal, gjk_solution *solution) {
    const bool swapped = frame->a->count == 1;
    const gjk_shape *polygon = swapped ? frame->b : frame->a;
    const gjk_vec2 own = gjk_xy(gjk_shape_point(swapped ? frame->a : frame->b, 0));
    const gjk_vec2 p = swapped ? gjk_frame2_turn_back(frame, gjk_sub2(own, frame->translation))
                               : gjk_add2(gjk_frame2_turn(frame, own), frame->translation);
    const double *edges = gjk_edges_of(polygon);
    const gjk_columns lines = {edges, polygon->count, polygon->stride};
    const uint32_t edge = gjk_scan3(&lines, p.x, p.y, -1.0);
    const gjk_vec2 normal = {edges[edge], edges[polygon->stride + edge]};
    const gjk_gap2 widest = {
        .gap = gjk_dot2(normal, p) - edges[2 * (size_t)polygon->stride + edge],
        .edge = edge,
    };
    const outline2 both[2] = {
        {polygon->columns, polygon->columns + polygon->stride, polygon->count},
        {&p.x, &p.y, 1},
    };
    bool solved = conclude(both, &widest, normal, frame->scale, goal, solution);
    if (swapped) {
        turn_back(frame, solution);
    }
    return solved;
}

bool gjk_separating_axis2(const gjk_frame2 *frame, const gjk_goal *goal, gjk_solution *solution) {
    if (!gjk_edges_serve(frame)) {
        return false;
    }
    if (frame->a->count == 1 || frame->b->count == 1) {
        return solve_point(frame, goal, solution);
    }
    gjk_turned2 turned;
    const gjk_gap2 widest = GJK_FASTEST(gjk_scan_edges_plain, gjk_scan_edges_avx2,
                                        gjk_scan_edges_avx512)(frame, &turned);
    const outline2 polygons[2] = {
        {frame->a->columns, frame->a->columns + frame->a->stride, frame->a->count},
        {turned.x, turned.y, frame->b->count},
    };
    const double *edges = gjk_edges_of(frame->a);
    gjk_vec2 normal =
        widest.of_b
            ? renormalised((gjk_vec2){turned.normal_x[widest.edge], turned.normal_y[widest.edge]})
            : (gjk_vec2){edges[widest.edge], edges[frame->a->stride + widest.edge]};
    return conclude(polygons, &widest, normal, frame->scale, goal, solution);
}
