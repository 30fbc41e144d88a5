/*
 * The way out of a shape: where a ray from beyond the shape, in the opposite direction, hits it
 * first. Along a shape of pieces the intervals in which the ray is inside pieces are joined, from
 * the one in which it enters on, as long as the next begins before the last has ended; in a closed
 * mesh also over the stretches between two crossings that lie in its solid.
 */

#include "base/larger.h"
#include "pair/inside_mesh.h"
#include "ray/pieces_ray.h"
#include "shape/pieces.h"
#include "shape/pieces_walk.h"

static double between(double x, double least, double most) {
    return x < least ? least : x > most ? most : x;
}

/* Of a convex target that the ray hits. */
static double convex_exit(const gjk_placed *target, const gjk_ray *ray, double entry,
                          const gjk_ray_settings *settings) {
    const gjk_shape *shape = target->shape;
    const gjk_vec3 center = gjk_pose_apply(&target->pose, shape->center);
    const double along = gjk_dot3(gjk_sub3(center, ray->origin), ray->direction);
    const double start = gjk_larger(along, entry) + 2.0 * shape->bounding_radius;
    const gjk_ray back = {
        .origin = gjk_add3(ray->origin, gjk_scale3(start, ray->direction)),
        .direction = gjk_neg3(ray->direction),
        .max_distance = INFINITY,
    };
    gjk_ray_settings solid = *settings;
    solid.solid = true;
    const gjk_ray_result out = gjk_raycast(target, &back, &solid);
    return out.hit ? between(start - out.distance, entry, ray->max_distance) : entry;
}

/* A shape of pieces, and the ray in its frame. */
typedef struct way_out {
    const gjk_placed *target;
    const gjk_ray *ray;
    gjk_ray_settings settings;
    gjk_vec3 origin, direction; /* in the shape's own frame */
    double slack;               /* what counts as no gap between two pieces */
    double grain; /* the same, and what places in the shape's own frame are rounded by */
    gjk_budget *budget;
} way_out;

static way_out make_way_out(const gjk_placed *target, const gjk_ray *ray,
                            const gjk_ray_settings *settings) {
    const gjk_shape *shape = target->shape;
    const gjk_vec3 off = gjk_sub3(ray->origin, target->pose.position);
    way_out way = {
        .target = target,
        .ray = ray,
        .settings = *settings,
        .origin = gjk_mul3_transposed(&target->pose.rotation, off),
        .direction = gjk_mul3_transposed(&target->pose.rotation, ray->direction),
        .budget = settings->budget,
    };
    /* A ray at a piece rounds what lies between the two; the walk to it also the own frame's
     * numbers. */
    const gjk_vec3 o = way.origin, apart = gjk_sub3(o, shape->center);
    const double near = gjk_length3(apart) + gjk_largest3(ray->origin) + shape->size;
    const double far = fabs(o.x) + fabs(o.y) + fabs(o.z) + shape->reach;
    way.settings.solid = true;
    way.slack = 8.0 * (settings->tolerance * shape->size + 0x1p-48 * near);
    way.grain = way.slack + 8.0 * 0x1p-48 * far;
    return way;
}

static gjk_vec3 point_at(const way_out *way, double t) {
    return gjk_add3(way->origin, gjk_scale3(t, way->direction));
}

/* The ray as it is from `from` on, for a while. */
static gjk_ray part_of(const way_out *way, double from, double length) {
    return (gjk_ray){gjk_add3(way->ray->origin, gjk_scale3(from, way->ray->direction)),
                     way->ray->direction, length};
}

/* The farthest exit of the pieces that the ray is in, or enters, at t; t if there is none. */
static double leave_pieces(way_out *way, double t) {
    const gjk_pieces_tree *tree = &way->target->shape->pieces->tree;
    const double from = gjk_larger(t - way->slack, 0.0);
    const gjk_ray part = part_of(way, from, t + way->slack - from);
    const gjk_vec3 p = point_at(way, from), q = point_at(way, t + way->slack);
    const gjk_bounds box = {{fmin(p.x, q.x), fmin(p.y, q.y), fmin(p.z, q.z)},
                            {fmax(p.x, q.x), fmax(p.y, q.y), fmax(p.z, q.z)}};
    const gjk_pieces_query query = gjk_pieces_query_make(tree, GJK_WALK_OVERLAP, &box, way->grain);
    gjk_pieces_walk walk;
    uint32_t first, count;
    double farthest = t;
    gjk_pieces_walk_init(&walk, tree, &query, 0.0);
    while (gjk_pieces_walk_next(&walk, &first, &count)) {
        for (uint32_t slot = first; slot < first + count; slot++) {
            gjk_piece piece;
            if (gjk_budget_spend(way->budget, 16)) {
                return farthest;
            }
            gjk_piece_make(way->target, tree->order[slot], &piece);
            if (gjk_raycast(&piece.placed, &part, &way->settings).hit) {
                farthest =
                    gjk_larger(farthest, convex_exit(&piece.placed, way->ray, t, &way->settings));
            }
        }
    }
    return farthest;
}

/* Where the ray, in the solid of a closed mesh behind t, crosses it next; t: it is not inside. */
static double cross_solid(way_out *way, double t) {
    const struct gjk_pieces *pieces = way->target->shape->pieces;
    const double from = t + 2.0 * way->grain;
    if (pieces->type != GJK_MESH || !pieces->closed || from > way->ray->max_distance ||
        !gjk_mesh_encloses(pieces, point_at(way, from), way->budget)) {
        return t;
    }
    double next = from;
    const gjk_ray rest = part_of(way, from, way->ray->max_distance - from);
    const gjk_ray_result hit = gjk_raycast_surface(way->target, &rest, &way->settings, way->budget);
    next += hit.hit ? hit.distance : rest.max_distance;
    return next;
}

gjk_status gjk_ray_exit(const gjk_placed *target, const gjk_ray *ray, const gjk_ray_result *hit,
                        const gjk_ray_settings *settings, double *exit) {
    GJK_ASSERT(hit->hit);
    if (target->shape->pieces == NULL) {
        *exit = convex_exit(target, ray, hit->distance, settings);
        return GJK_OK;
    }
    way_out way = make_way_out(target, ray, settings);
    double t = hit->distance;
    for (bool goes_on = true; goes_on && !gjk_budget_is_spent(way.budget);) {
        const double through = leave_pieces(&way, t), beyond = cross_solid(&way, through);
        goes_on = (through > t + way.slack || beyond > through) && beyond < ray->max_distance;
        t = gjk_larger(through, beyond);
    }
    *exit = between(t, hit->distance, ray->max_distance);
    return gjk_budget_is_spent(way.budget) ? GJK_GIVEN_UP : GJK_OK;
}
