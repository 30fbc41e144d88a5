/*
 * Do the closed forms of rays say what the general method says? Every kind of shape,
 * round or sharp, thick or a sliver, near or far from the origin; rays from outside,
 * inside and the boundary, along axes, at corners, past silhouettes.
 */

#include "ray/closed/closed_forms.h"
#include "ray/general/general.h"
#include "shape/box.h"

#include "rng.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>

#define RAYS 60000

/* Of the place of the surface, relative to the scale. Polytopes: both are solved to rounding.
 * Curves: the general method stops where its planes gain no more than rounding, which on a
 * curve is up to the square root of it away along the ray, and that squared off the surface. */
#define POLYTOPE_ERROR 2e-13
#define CURVE_ERROR 1e-9
/* Answers that differ are right when the ray grazes: the part of it in question is that near the
 * surface. detect and distance of curves are solved to the tolerance, 1e-10. */
#define POLYTOPE_GRAZE 1e-12
#define CURVE_GRAZE 1e-9

typedef struct ray_case {
    gjk_shape shape;
    gjk_placed target;
    gjk_ray ray;
    double scale; /* what errors are relative to */
    double error, graze;
} ray_case;

static gjk_vec3 vec_within(test_rng *rng, uint32_t dimension, double length) {
    double l = length * test_rng_uniform(rng, 0, 1);
    return gjk_scale3(l, test_rng_direction(rng, dimension));
}

static gjk_status make_cloud(test_rng *rng, uint32_t dimension, gjk_vec3 extent, double rounding,
                             struct gjk_arena *arena, gjk_shape *out) {
    gjk_vec3 point[12];
    uint32_t count = 3 + test_rng_below(rng, 10);
    for (uint32_t i = 0; i < 12; i++) {
        gjk_vec3 d = test_rng_direction(rng, dimension);
        point[i] = (gjk_vec3){extent.x * d.x, extent.y * d.y, extent.z * d.z};
    }
    switch (test_rng_below(rng, 5)) {
    case 0:
        return gjk_shape_make_segment(arena, dimension, point[0], point[1], rounding, out);
    case 1:
        return gjk_shape_make_capsule(arena, dimension, point, fmax(rounding, 0.1 * extent.x),
                                      rounding, out);
    case 2:
        return gjk_shape_make_box(arena, dimension, extent, rounding, out);
    case 3:
        return dimension == 3 ? gjk_shape_make_triangle(arena, point, rounding, out)
                              : gjk_shape_make_hull(arena, 2, point, 3, rounding, out);
    default:
        return gjk_shape_make_hull(arena, dimension, point, count, rounding, out);
    }
}

static gjk_status make_curve(test_rng *rng, uint32_t dimension, gjk_vec3 extent, gjk_shape *out) {
    gjk_vec3 axis = test_rng_direction(rng, 3);
    const gjk_vec3 ends[2] = {gjk_scale3(-extent.y, axis), gjk_scale3(extent.z, axis)};
    uint32_t kind = test_rng_below(rng, 3);
    if (kind == 0) {
        return gjk_shape_make_ellipse(dimension, extent, 0.0, out);
    }
    if (dimension == 2) {
        double thin = test_rng_once_in(rng, 4) ? test_rng_magnitude(rng, -5, 0) : 1.0;
        return kind == 1
                   ? gjk_shape_make_half_ellipse(extent.x, extent.y, 0.0, out)
                   : gjk_shape_make_slice(extent.x, thin * test_rng_uniform(rng, 0.1, 3.14159), 0.0,
                                          out);
    }
    return kind == 1 ? gjk_shape_make_cylinder(ends, extent.x, 0.0, out)
                     : gjk_shape_make_cone(ends[0], ends[1], extent.x, 0.0, out);
}

static void make_target(test_rng *rng, uint32_t dimension, bool curved, struct gjk_arena *arena,
                        ray_case *c) {
    double size = test_rng_once_in(rng, 3) ? test_rng_magnitude(rng, -3, 3) : 1.0;
    double thin = test_rng_once_in(rng, 5) ? test_rng_magnitude(rng, curved ? -3 : -7, 0) : 1.0;
    gjk_vec3 extent = {size * test_rng_uniform(rng, 0.2, 1),
                       size * thin * test_rng_uniform(rng, 0.2, 1),
                       size * test_rng_uniform(rng, 0.2, 1)};
    double rounding = test_rng_once_in(rng, 3) ? extent.x * test_rng_uniform(rng, 0, 0.5) : 0.0;
    if (dimension == 2) {
        extent.z = 0.0;
    }
    gjk_status status = curved ? make_curve(rng, dimension, extent, &c->shape)
                               : make_cloud(rng, dimension, extent, rounding, arena, &c->shape);
    ck_assert_msg(status == GJK_OK, "%s", gjk_status_text(status));
    double far = test_rng_once_in(rng, 8) ? size * test_rng_magnitude(rng, 3, 9) : size;
    gjk_vec3 position = gjk_scale3(far, test_rng_direction(rng, dimension));
    gjk_quat q = test_rng_once_in(rng, 4) ? (gjk_quat){0, 0, 0, 1} : test_rng_rotation(rng);
    double angle = test_rng_once_in(rng, 4) ? 0.0 : test_rng_uniform(rng, -4, 4);
    status = dimension == 2 ? gjk_pose_make2(gjk_xy(position), angle, &c->target.pose)
                            : gjk_pose_make3(position, q, &c->target.pose);
    ck_assert_msg(status == GJK_OK, "%s", gjk_status_text(status));
    c->target.shape = &c->shape;
    c->error = curved ? CURVE_ERROR : POLYTOPE_ERROR;
    c->graze = curved ? CURVE_GRAZE : POLYTOPE_GRAZE;
}

/* The point of the surface nearest to a random place outside; half the time off by up to 1 % of the
 * size. */
static gjk_vec3 near_surface(test_rng *rng, const ray_case *c) {
    uint32_t dimension = c->shape.dimension;
    struct gjk_arena arena;
    gjk_shape point;
    gjk_arena_init(&arena, 0);
    ck_assert(gjk_shape_make_point(&arena, dimension, 0.0, &point) == GJK_OK);
    gjk_placed far = {&point, gjk_pose_identity()};
    gjk_vec3 center = gjk_pose_apply(&c->target.pose, c->shape.center);
    far.pose.position = gjk_add3(center, gjk_scale3(3 * c->shape.bounding_radius,
                                                    test_rng_direction(rng, dimension)));
    const gjk_distance_settings settings = gjk_distance_settings_default();
    gjk_distance_result d = gjk_distance(&c->target, &far, &settings);
    gjk_arena_fini(&arena);
    double off = test_rng_once_in(rng, 2) ? c->shape.size * test_rng_magnitude(rng, -12, -2) : 0.0;
    return gjk_add3(d.point_a, vec_within(rng, dimension, off));
}

/* From anywhere to anywhere: often from or to the surface, often along an axis of the shape. */
static void make_ray(test_rng *rng, ray_case *c) {
    uint32_t dimension = c->shape.dimension;
    double r = c->shape.bounding_radius;
    gjk_vec3 center = gjk_pose_apply(&c->target.pose, c->shape.center), along;
    gjk_vec3 from = gjk_add3(center, vec_within(rng, dimension, 4 * r));
    gjk_vec3 to = gjk_add3(center, vec_within(rng, dimension, r));
    from = test_rng_once_in(rng, 8) ? near_surface(rng, c) : from;
    to = test_rng_once_in(rng, 3) ? near_surface(rng, c) : to;
    along = gjk_sub3(to, from);
    if (test_rng_once_in(rng, 5)) { /* through that point along an axis */
        uint32_t axis = test_rng_below(rng, dimension);
        gjk_vec3 e = {axis == 0, axis == 1, axis == 2};
        along = gjk_mul3(&c->target.pose.rotation, e);
        from = gjk_sub3(to, gjk_scale3(r * test_rng_uniform(rng, -4, 4), along));
    }
    if (gjk_length3(along) == 0.0) {
        along = test_rng_direction(rng, dimension);
    }
    double reach = test_rng_once_in(rng, 4) ? r * test_rng_uniform(rng, 0, 4) : INFINITY;
    ck_assert(gjk_ray_make(from, along, reach, &c->ray) == GJK_OK);
    gjk_vec3 away = gjk_sub3(from, c->target.pose.position);
    c->scale = gjk_length3(away) + c->shape.reach;
}

/* How far is the part of the ray up to that length from the surface? */
static double clearance(const ray_case *c, double length) {
    struct gjk_arena arena;
    gjk_shape shape;
    gjk_arena_init(&arena, 0);
    gjk_vec3 way = gjk_scale3(length, c->ray.direction);
    gjk_status status =
        gjk_shape_make_segment(&arena, c->shape.dimension, (gjk_vec3){0, 0, 0}, way, 0.0, &shape);
    ck_assert(status == GJK_OK);
    gjk_placed part = {&shape, gjk_pose_identity()};
    part.pose.position = c->ray.origin;
    const gjk_distance_settings distance = gjk_distance_settings_default();
    const gjk_detect_settings detect = gjk_detect_settings_default();
    double apart = gjk_distance(&c->target, &part, &distance).distance;
    double deep = gjk_detect(&c->target, &part, &detect).depth;
    gjk_arena_fini(&arena);
    return apart > 0.0 ? apart : -deep;
}

static void complain(const ray_case *c, const gjk_ray_result *r, const gjk_ray_result *g,
                     const char *what) {
    gjk_vec3 o = c->ray.origin, d = c->ray.direction, p = c->target.pose.position;
    fprintf(stderr, "type %d dimension %u count %u radius %.17g size %.17g at %.17g %.17g %.17g\n",
            (int)c->shape.type, c->shape.dimension, c->shape.count, c->shape.radius, c->shape.size,
            p.x, p.y, p.z);
    fprintf(stderr, "from %.17g %.17g %.17g along %.17g %.17g %.17g up to %g\n", o.x, o.y, o.z, d.x,
            d.y, d.z, c->ray.max_distance);
    fprintf(stderr, "form: hit %d inside %d at %.17g normal %.17g %.17g %.17g\n", r->hit, r->inside,
            r->distance, r->normal.x, r->normal.y, r->normal.z);
    fprintf(stderr, "else: hit %d inside %d at %.17g normal %.17g %.17g %.17g status %d\n", g->hit,
            g->inside, g->distance, g->normal.x, g->normal.y, g->normal.z, (int)g->convergence);
    ck_abort_msg("%s", what);
}

/* Is the ray up to that length just touching? What is right even where the two methods differ. */
static bool is_grazing(const ray_case *c, double length) {
    return fabs(clearance(c, length)) <= c->graze * c->scale;
}

static const char *compare(const ray_case *c, const gjk_ray_result *r, const gjk_ray_result *g) {
    if (r->inside != g->inside) {
        return "inside";
    }
    if (r->hit != g->hit) {
        bool right =
            r->hit ? is_grazing(c, r->distance) : clearance(c, g->distance) >= -c->graze * c->scale;
        return right ? NULL : "hit or not";
    }
    if (!r->hit || r->inside) {
        return NULL;
    }
    double flat =
        fmax(-gjk_dot3(r->normal, c->ray.direction), -gjk_dot3(g->normal, c->ray.direction));
    if (fabs(r->distance - g->distance) * flat > c->error * c->scale &&
        !is_grazing(c, r->distance)) {
        return "distance";
    }
    bool is_unit = fabs(gjk_length3(r->normal) - 1.0) <= 2e-15;
    return is_unit && gjk_dot3(r->normal, c->ray.direction) <= 0.0 ? NULL : "normal";
}

static void run(test_rng *rng, uint32_t dimension, bool curved) {
    struct gjk_arena arena;
    static ray_case c;
    unsigned hits = 0, inside = 0, closed = 0;
    gjk_arena_init(&arena, 0);
    const gjk_ray_settings settings = gjk_ray_settings_default();
    for (int i = 0; i < RAYS; i++) {
        make_target(rng, dimension, curved, &arena, &c);
        make_ray(rng, &c);
        gjk_near_shape near; /* which gjk_raycast would do itself for one far from its own origin */
        const gjk_wide3 at = gjk_near_make(&c.target, &near);
        c.target = near.placed;
        c.ray.origin = gjk_wide3_sub(gjk_wide3_of(c.ray.origin), at);
        gjk_ray_result r = gjk_raycast(&c.target, &c.ray, &settings);
        gjk_ray_result g = gjk_raycast_general(&c.target, &c.ray, &settings);
        const char *what = compare(&c, &r, &g);
        if (what != NULL && (!curved || g.convergence == GJK_CONVERGED)) {
            complain(&c, &r, &g, what);
        }
        hits += r.hit && !r.inside;
        inside += r.inside;
        closed += r.iterations == 1;
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
    ck_assert_uint_gt(hits, RAYS / 5);
    ck_assert_uint_gt(inside, RAYS / 50);
    ck_assert_uint_gt(closed, 2 * RAYS / 3); /* the general method needs more */
}

TEST_EACH(clouds, 2, 4) {
    test_rng rng = test_rng_make(7000 + (uint64_t)_i);
    run(&rng, (uint32_t)_i, false);
}

TEST_EACH(curves, 2, 4) {
    test_rng rng = test_rng_make(7100 + (uint64_t)_i);
    run(&rng, (uint32_t)_i, true);
}
