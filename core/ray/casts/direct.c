/*
 * A ray at the Minkowski difference of two convex polygons. The difference is bounded by the lines
 * of the edges of both, so the ray enters at the last line that it crosses from outside (Cyrus,
 * Beck, Generalized two- and three-dimensional clipping, 1978). With a radius the lines are moved
 * outward and the corners become arcs: if the entry is beyond an end of its edge, only the arc
 * there can be hit.
 *
 * Every answer is proven: a hit by a common point and by the line, or the tangent of the arc, that
 * separates the two before; a miss by a line that is not reached. If there is no proof, as for
 * nearly parallel edges with a radius, the general method decides.
 */

#include "ray/casts/casts.h"

#include "base/numbers.h"
#include "pair/direct/edges.h"
#include "pair/kernels.h"

/* A polygon's points in the frame. */
typedef struct outline {
    const double *x, *y;
    uint32_t count;
} outline;

static gjk_vec2 corner(const outline *polygon, uint32_t i) {
    return (gjk_vec2){polygon->x[i], polygon->y[i]};
}

/* Returns the support value of a polygon along n. */
static double reach_along(const outline *polygon, gjk_vec2 n) {
    double most = gjk_dot2(n, corner(polygon, 0));
    for (uint32_t i = 1; i < polygon->count; i++) {
        most = gjk_larger(most, gjk_dot2(n, corner(polygon, i)));
    }
    return most;
}

/* The points of a polygon nearest to the line of an edge: the first and the last one along the
 * edge, and their distances from its start. */
typedef struct facing {
    gjk_vec2 point[2];
    double at[2];
} facing;

static facing find_facing(const outline *polygon, gjk_vec2 start, gjk_vec2 n, gjk_vec2 along,
                          double rounding) {
    const double least = rounding - reach_along(polygon, gjk_neg2(n));
    facing f = {.at = {INFINITY, -INFINITY}};
    for (uint32_t i = 0; i < polygon->count; i++) {
        const gjk_vec2 p = corner(polygon, i);
        const double at = gjk_dot2(along, gjk_sub2(p, start));
        if (gjk_dot2(n, p) <= least) {
            f.point[0] = at < f.at[0] ? p : f.point[0];
            f.at[0] = gjk_smaller(at, f.at[0]);
            f.point[1] = at > f.at[1] ? p : f.point[1];
            f.at[1] = gjk_larger(at, f.at[1]);
        }
    }
    return f;
}

static gjk_vec2 between(gjk_vec2 p, gjk_vec2 q, double part) {
    return gjk_add2(p, gjk_scale2(part, gjk_sub2(q, p)));
}

/* The ray and both polygons, in the frame of the pair. */
typedef struct ray {
    outline polygon[2];
    gjk_vec2 direction;
    double radius, rounding, reach;
} ray;

static void hit_at(const ray *r, double t, gjk_vec2 normal, gjk_vec2 on_a,
                   gjk_ray_solution *solution) {
    solution->hit = t - r->rounding / -gjk_dot2(normal, r->direction) <= r->reach;
    solution->t = t;
    solution->normal = gjk_xy0(normal);
    solution->point_a = gjk_xy0(on_a);
}

/* Intersects the arc around the difference of two corners. Returns false if the ray misses it, or
 * other corners are farther out there. */
static bool meet_arc(const ray *r, gjk_vec2 on_a, gjk_vec2 on_b, gjk_ray_solution *solution) {
    const gjk_vec2 v = gjk_sub2(on_a, on_b);
    const double along = gjk_dot2(v, r->direction);
    const gjk_vec2 off = gjk_sub2(gjk_scale2(along, r->direction), v);
    const double square = r->radius * r->radius - gjk_dot2(off, off);
    if (!(square > 0.0)) {
        return false;
    }
    const double chord = sqrt(square);
    const gjk_vec2 out = gjk_sub2(off, gjk_scale2(chord, r->direction));
    const gjk_vec2 n = gjk_scale2(1.0 / gjk_length2(out), out);
    const double beyond = reach_along(&r->polygon[0], n) - gjk_dot2(n, on_a) +
                          reach_along(&r->polygon[1], gjk_neg2(n)) + gjk_dot2(n, on_b);
    if (!(beyond <= r->rounding && along - chord > 0.0)) {
        return false;
    }
    hit_at(r, along - chord, n, on_a, solution);
    return true;
}

/* Intersects an edge, or the arc beyond an end of it. Returns false if undecided. */
static bool meet_edge(const ray *r, const gjk_entry2 *entry, gjk_vec2 own_normal,
                      gjk_ray_solution *solution) {
    const outline *own = &r->polygon[entry->of_b], *other = &r->polygon[!entry->of_b];
    const uint32_t after = entry->edge + 1 < own->count ? entry->edge + 1 : 0;
    const gjk_vec2 start = corner(own, entry->edge), end = corner(own, after);
    const gjk_vec2 edge = gjk_sub2(end, start);
    const double length = gjk_length2(edge), t = entry->of_b ? -entry->t : entry->t;
    const gjk_vec2 along = gjk_scale2(1.0 / length, edge);
    const facing f = find_facing(other, start, own_normal, along, r->rounding);
    const double moved = t * gjk_dot2(along, r->direction); /* the other polygon, along the edge */
    const double from = f.at[0] + moved, to = f.at[1] + moved;
    const double low = gjk_larger(from, 0.0), high = gjk_smaller(to, length);
    if (low <= high) { /* the contact is the middle of the common part */
        const double middle = 0.5 * (low + high);
        const double part = to > from ? (middle - from) / (to - from) : 0.0;
        const gjk_vec2 normal = entry->of_b ? gjk_neg2(own_normal) : own_normal;
        hit_at(r, entry->t, normal,
               entry->of_b ? between(f.point[0], f.point[1], part)
                           : between(start, end, middle / length),
               solution);
        return true;
    }
    const gjk_vec2 on_own = from > length ? end : start, on_other = f.point[from <= length];
    return entry->of_b ? meet_arc(r, on_other, on_own, solution)
                       : meet_arc(r, on_own, on_other, solution);
}

static bool ray_at_polygons(const gjk_placed *a, const gjk_placed *b, const gjk_ray_goal *goal,
                            double near, gjk_ray_solution *solution) {
    const gjk_frame2 frame = gjk_frame2_place(a, b);
    if (!gjk_edges_serve(&frame)) {
        return false;
    }
    gjk_turned2 turned;
    const double *const x = frame.a->columns;
    const ray r = {
        .polygon = {{x, x + frame.a->stride, frame.a->count}, {turned.x, turned.y, frame.b->count}},
        .direction = gjk_xy(gjk_mul3_transposed(&a->pose.rotation, goal->direction)),
        .radius = goal->radius,
        .rounding = 4.0 * GJK_ROUNDING * (frame.scale + goal->radius),
        .reach = goal->reach,
    };
    const gjk_entry2 entry =
        GJK_FASTEST(gjk_enter_edges_plain, gjk_enter_edges_avx2,
                    gjk_enter_edges_avx512)(&frame, r.direction, r.radius, r.rounding, &turned);
    (void)gjk_budget_spend(goal->budget, gjk_pair_steps(a->shape, b->shape));
    *solution = (gjk_ray_solution){.iterations = 1};
    if (goal->apart > 0.0 && !(entry.widest > goal->apart)) {
        solution->unproven = true;
        return true;
    }
    const double left = entry.high + r.radius, right = r.radius - entry.low;
    const bool beside = left <= near || right <= near;
    solution->inside = gjk_smaller(left, right);
    if (entry.recedes || beside) {
        return entry.recedes || left > near || right > near;
    }
    if (!(entry.t > 0.0)) {
        return false;
    }
    if (entry.t > 2.0 * r.reach) { /* a miss, whatever the rounding */
        return true;
    }
    const uint32_t i = entry.edge;
    const double *edges = gjk_edges_of(frame.a);
    gjk_vec2 normal = {turned.normal_x[i], turned.normal_y[i]};
    normal = entry.of_b ? gjk_scale2(1.5 - 0.5 * gjk_dot2(normal, normal), normal)
                        : (gjk_vec2){edges[i], edges[frame.a->stride + i]};
    return meet_edge(&r, &entry, normal, solution);
}

static bool ray_at_boxes(const gjk_placed *a, const gjk_placed *b, const gjk_ray_goal *goal,
                         double near, gjk_ray_solution *solution) {
    if (a->shape->type != GJK_BOX || b->shape->type != GJK_BOX) {
        return false;
    }
    const gjk_frame3 frame = gjk_frame3_place(a, b);
    const gjk_vec3 direction = gjk_mul3_transposed(&a->pose.rotation, goal->direction);
    gjk_entry3 entry;
    (void)gjk_budget_spend(goal->budget, gjk_pair_steps(a->shape, b->shape));
    if (!gjk_enter_boxes(&frame, direction, goal->radius, near, &entry)) {
        return false;
    }
    *solution = (gjk_ray_solution){
        .hit = !entry.misses && entry.t - entry.slack <= goal->reach,
        .unproven = goal->apart > 0.0 && !(entry.widest > goal->apart),
        .iterations = 1,
        .t = entry.t,
        .normal = entry.normal,
        .point_a = entry.point_a,
        .inside = entry.inside,
    };
    return true;
}

bool gjk_ray_direct(const gjk_placed *a, const gjk_placed *b, const gjk_ray_goal *goal, double near,
                    gjk_ray_solution *solution) {
    return a->shape->dimension == 2 ? ray_at_polygons(a, b, goal, near, solution)
                                    : ray_at_boxes(a, b, goal, near, solution);
}
