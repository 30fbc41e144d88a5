/*
 * Which bodies does a ray pass near? The distance of each to the stretch of the ray beside it:
 * a stretch, because a segment as long as the whole ray, which may have no end, would lend its
 * size to the tolerance.
 */

#include "base/list.h"
#include "gjk/set_query.h"
#include "tree/walk.h"

#include <string.h>

#define ROUNDING 0x1p-48 /* of positions along the ray, relative to what they were made of */

static int by_distance_then_id(const void *a, const void *b) {
    const gjk_near *p = a, *q = b;
    if (p->result.distance != q->result.distance) {
        return p->result.distance < q->result.distance ? -1 : 1;
    }
    return strcmp(p->body->id, q->body->id);
}

/* The part of a ray that is beside a placed shape: all of the shape lies between the planes
 * across the ray at its ends, or beyond an end that is the ray's own. */
typedef struct stretch {
    double from, to; /* along the ray */
    double gap;      /* the shape is at least so far from the ray */
} stretch;

static double clamp(double x, double max) {
    return fmax(0.0, fmin(x, max));
}

static stretch beside(const gjk_ray *ray, const gjk_placed *placed) {
    const gjk_shape *shape = placed->shape;
    gjk_vec3 to_center = gjk_sub3(gjk_pose_apply(&placed->pose, shape->center), ray->origin);
    double along = gjk_dot3(to_center, ray->direction);
    double slack = ROUNDING * (gjk_length3(to_center) + gjk_length3(ray->origin) + shape->reach);
    double half = shape->bounding_radius + slack;
    gjk_vec3 nearest = gjk_scale3(clamp(along, ray->max_distance), ray->direction);
    return (stretch){
        .from = clamp(along - half, ray->max_distance),
        .to = clamp(along + half, ray->max_distance),
        .gap = gjk_length3(gjk_sub3(to_center, nearest)) - half,
    };
}

/* The distance of a placed shape to its stretch of the ray. */
static gjk_status measure(const gjk_ray *ray, const stretch *part, const gjk_placed *placed,
                          const gjk_distance_settings *settings, struct gjk_arena *arena,
                          gjk_distance_result *out) {
    gjk_shape segment;
    gjk_placed line = {&segment, gjk_pose_identity()};
    const gjk_arena_mark mark = gjk_arena_here(arena);
    double length = fmin(part->to - part->from, GJK_COORDINATE_MAX);
    line.pose.position = gjk_add3(ray->origin, gjk_scale3(part->from, ray->direction));
    gjk_status status =
        gjk_shape_make_segment(arena, placed->shape->dimension, (gjk_vec3){0.0, 0.0, 0.0},
                               gjk_scale3(length, ray->direction), 0.0, &segment);
    if (status == GJK_OK) {
        *out = gjk_distance(&line, placed, settings);
    }
    gjk_arena_rewind(arena, mark);
    return status;
}

/* A box of that half size on its way along the ray. */
static gjk_query_bounds wide_ray(const gjk_ray *ray, double half, uint32_t dimension,
                                 double tolerance) {
    gjk_query_bounds probe = gjk_query_bounds_of_ray(ray, dimension, tolerance);
    for (uint32_t axis = 0; axis < dimension; axis++) {
        double slack = ROUNDING * (half + fabs(probe.min[axis]));
        probe.min[axis] -= half + slack;
        probe.max[axis] += half + slack;
    }
    return probe;
}

gjk_status gjk_set_near_ray(const gjk_snapshot *snapshot, const gjk_ray *ray, double max_distance,
                            const gjk_selection *selection, const gjk_distance_settings *settings,
                            gjk_nears *out) {
    gjk_list nears = gjk_list_make(selection->arena, sizeof(gjk_near));
    gjk_walk walk;
    const gjk_query_bounds probe =
        wide_ray(ray, max_distance, gjk_set_dimension(snapshot->set), settings->tolerance);
    const gjk_body *body;
    gjk_walk_init(&walk, snapshot, selection);
    gjk_walk_aim(&walk, &probe, ray->max_distance);
    while ((body = gjk_walk_next(&walk)) != NULL) {
        const gjk_placed placed = gjk_walk_place(&walk, body);
        const stretch part = beside(ray, &placed);
        if (part.gap > max_distance) {
            continue;
        }
        gjk_near near = {.body = body};
        gjk_status status = measure(ray, &part, &placed, settings, selection->arena, &near.result);
        if (status != GJK_OK) {
            return status;
        }
        if (near.result.distance <= max_distance &&
            !gjk_list_offer(&nears, selection->limit, by_distance_then_id, &near)) {
            return GJK_OUT_OF_MEMORY;
        }
    }
    gjk_list_sort(&nears, by_distance_then_id);
    *out = (gjk_nears){(gjk_near *)(void *)nears.items, nears.count,
                       nears.truncated && !selection->rest_unasked};
    return walk.given_up ? GJK_GIVEN_UP : GJK_OK;
}
