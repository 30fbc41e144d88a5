/* Curved shapes and their heights: see curved.h. */

#include "curved.h"

#include "checks.h"
#include <stdio.h>

typedef struct real3 {
    long double x, y, z;
} real3;

static long double dot(real3 a, real3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static real3 real(gjk_vec3 v) {
    return (real3){v.x, v.y, v.z};
}

static real3 minus(real3 a, real3 b) {
    return (real3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static void finish(test_curved *c, gjk_status status) {
    ck_assert_msg(status == GJK_OK, "%s", gjk_status_text(status));
    c->placed = (gjk_placed){&c->shape, gjk_pose_identity()};
}

void test_curved_make_ellipse(test_curved *c, uint32_t dimension, gjk_vec3 radii, double rounding) {
    *c = (test_curved){.a = radii, .rounding = rounding};
    finish(c, gjk_shape_make_ellipse(dimension, radii, rounding, &c->shape));
}

void test_curved_make_half_ellipse(test_curved *c, double rx, double height, double rounding) {
    *c = (test_curved){.a = {rx, height, 0}, .rounding = rounding};
    finish(c, gjk_shape_make_half_ellipse(2 * rx, height, rounding, &c->shape));
}

void test_curved_make_slice(test_curved *c, double radius, double theta, double rounding) {
    *c = (test_curved){.radius = radius, .theta = theta, .rounding = rounding};
    finish(c, gjk_shape_make_slice(radius, theta, rounding, &c->shape));
}

void test_curved_make_cylinder(test_curved *c, const gjk_vec3 ends[2], double radius,
                               double rounding) {
    *c = (test_curved){.a = ends[0], .b = ends[1], .radius = radius, .rounding = rounding};
    finish(c, gjk_shape_make_cylinder(ends, radius, rounding, &c->shape));
}

void test_curved_make_cone(test_curved *c, const gjk_vec3 ends[2], double radius, double rounding) {
    *c = (test_curved){.a = ends[0], .b = ends[1], .radius = radius, .rounding = rounding};
    finish(c, gjk_shape_make_cone(ends[0], ends[1], radius, rounding, &c->shape));
}

void test_curved_make_ball(test_curved *c, struct gjk_arena *arena, uint32_t dimension,
                           double radius) {
    *c = (test_curved){.radius = radius};
    finish(c, radius > 0 ? gjk_shape_make_ball(arena, dimension, radius, 0, &c->shape)
                         : gjk_shape_make_point(arena, dimension, 0, &c->shape));
}

void test_curved_make_capsule(test_curved *c, struct gjk_arena *arena, const gjk_vec3 ends[2],
                              double radius) {
    *c = (test_curved){.radius = radius};
    finish(c, gjk_shape_make_capsule(arena, 3, ends, radius, 0, &c->shape));
}

void test_curved_make_box(test_curved *c, struct gjk_arena *arena, uint32_t dimension,
                          gjk_vec3 half_extents) {
    *c = (test_curved){.a = half_extents};
    finish(c, gjk_shape_make_box(arena, dimension, half_extents, 0, &c->shape));
}

static void make_random_hull(test_curved *c, test_rng *rng, uint32_t dimension, double size,
                             struct gjk_arena *arena) {
    gjk_vec3 points[12];
    for (int i = 0; i < 12; i++) {
        points[i] = gjk_scale3(size, test_rng_direction(rng, dimension));
    }
    *c = (test_curved){.rounding = 0};
    finish(c, gjk_shape_make_hull(arena, dimension, points, 12, 0, &c->shape));
}

static void make_random_cloud(test_curved *c, test_rng *rng, uint32_t dimension, double size,
                              struct gjk_arena *arena) {
    gjk_vec3 h = {size * test_rng_uniform(rng, 0.2, 1), size, size};
    switch (test_rng_below(rng, 3)) {
    case 0:
        test_curved_make_ball(c, arena, dimension, h.x);
        break;
    case 1:
        test_curved_make_box(c, arena, dimension, h);
        break;
    default:
        make_random_hull(c, rng, dimension, size, arena);
        break;
    }
}

void test_curved_make_random(test_curved *c, test_rng *rng, uint32_t dimension, double size,
                             struct gjk_arena *arena, bool any) {
    double rounding = test_rng_once_in(rng, 3) ? size * test_rng_uniform(rng, 0, 0.4) : 0.0;
    double x = size * test_rng_uniform(rng, 0.2, 1), y = size * test_rng_uniform(rng, 0.2, 1);
    double z = size * test_rng_uniform(rng, 0.2, 1);
    gjk_vec3 ends[2] = {gjk_scale3(y, test_rng_direction(rng, 3)),
                        gjk_scale3(z, test_rng_direction(rng, 3))};
    if (gjk_length3(gjk_sub3(ends[1], ends[0])) < 0.1 * size) {
        ends[1] = gjk_neg3(ends[0]);
    }
    uint32_t kind = test_rng_below(rng, any ? 4 : 3);
    if (kind == 3) {
        make_random_cloud(c, rng, dimension, size, arena);
    } else if (kind == 0) {
        test_curved_make_ellipse(c, dimension, (gjk_vec3){x, y, z}, rounding);
    } else if (dimension == 2 && kind == 1) {
        test_curved_make_half_ellipse(c, x, y, rounding);
    } else if (dimension == 2) {
        test_curved_make_slice(c, x, test_rng_uniform(rng, 0.1, 3.14), rounding);
    } else if (kind == 1) {
        test_curved_make_cylinder(c, ends, x, rounding);
    } else {
        test_curved_make_cone(c, ends, x, rounding);
    }
}

void test_curved_place2(test_curved *c, gjk_vec3 position, double angle) {
    ck_assert(gjk_pose_make2(gjk_xy(position), angle, &c->placed.pose) == GJK_OK);
    c->placed.shape = &c->shape;
}

void test_curved_place3(test_curved *c, gjk_vec3 position, gjk_quat orientation) {
    ck_assert(gjk_pose_make3(position, orientation, &c->placed.pose) == GJK_OK);
    c->placed.shape = &c->shape;
}

void test_curved_place_randomly(test_curved *c, test_rng *rng, gjk_vec3 position) {
    if (c->shape.dimension == 2) {
        test_curved_place2(c, position, test_rng_uniform(rng, -3.2, 3.2));
    } else {
        test_curved_place3(c, position, test_rng_rotation(rng));
    }
}

static long double slice_height(const test_curved *c, real3 n) {
    long double half = (long double)c->theta / 2, length = sqrtl(dot(n, n));
    if (atan2l(fabsl(n.y), n.x) <= half) {
        return c->radius * length;
    }
    return fmaxl(0.0L, c->radius * (cosl(half) * n.x + sinl(half) * fabsl(n.y)));
}

/* Of a disc with that unit normal, around its centre. */
static long double disc_height(real3 n, real3 axis, double radius) {
    long double along = dot(n, axis);
    real3 across = {n.x - along * axis.x, n.y - along * axis.y, n.z - along * axis.z};
    return radius * sqrtl(dot(across, across));
}

static long double points_height(const gjk_shape *shape, real3 n) {
    long double most = -INFINITY;
    for (uint32_t i = 0; i < shape->count; i++) {
        most = fmaxl(most, dot(n, real(gjk_shape_point(shape, i))));
    }
    return most;
}

static long double own_height(const test_curved *c, real3 n) {
    real3 r = {c->a.x * n.x, c->a.y * n.y, c->shape.dimension == 3 ? c->a.z * n.z : 0.0L};
    real3 a = real(c->a), b = real(c->b), axis = minus(b, a);
    long double length = sqrtl(dot(axis, axis));
    axis = (real3){axis.x / length, axis.y / length, axis.z / length};
    switch (c->shape.type) {
    case GJK_ELLIPSE:
        return sqrtl(dot(r, r));
    case GJK_HALF_ELLIPSE:
        return n.y >= 0 ? sqrtl(dot(r, r)) : fabsl(r.x);
    case GJK_SLICE:
        return slice_height(c, n);
    case GJK_CYLINDER:
        return fmaxl(dot(n, a), dot(n, b)) + disc_height(n, axis, c->radius);
    case GJK_CONE:
        return fmaxl(dot(n, a) + disc_height(n, axis, c->radius), dot(n, b));
    default:
        return points_height(&c->shape, n) + c->radius * sqrtl(dot(n, n));
    }
}

long double test_curved_height(const test_curved *c, gjk_vec3 n, gjk_vec3 origin) {
    const gjk_mat3 *m = &c->placed.pose.rotation;
    real3 own =
        {(long double)m->r0.x * n.x + (long double)m->r1.x * n.y + (long double)m->r2.x * n.z,
         (long double)m->r0.y * n.x + (long double)m->r1.y * n.y + (long double)m->r2.y * n.z,
         (long double)m->r0.z * n.x + (long double)m->r1.z * n.y + (long double)m->r2.z * n.z};
    real3 off = minus(real(c->placed.pose.position), real(origin));
    return own_height(c, own) + dot(real(n), off) + c->rounding * sqrtl(dot(real(n), real(n)));
}

long double test_curved_gap(const test_curved *a, const test_curved *b, gjk_vec3 n) {
    gjk_vec3 origin = a->placed.pose.position;
    long double length = sqrtl(dot(real(n), real(n)));
    return (-test_curved_height(b, gjk_neg3(n), origin) - test_curved_height(a, n, origin)) /
           length;
}

long double test_curved_outside(const test_curved *c, gjk_vec3 point, gjk_vec3 n) {
    return -test_curved_height(c, n, point) / sqrtl(dot(real(n), real(n)));
}

/* A random search whose steps shrink when they do not help. */
static long double climb(const test_curved *a, const test_curved *b, gjk_vec3 n, test_rng *rng) {
    long double best = test_curved_gap(a, b, n);
    for (double step = 0.3; step > 1e-7;) {
        gjk_vec3 off = test_rng_direction(rng, a->shape.dimension);
        gjk_vec3 next = gjk_add3(n, gjk_scale3(step, off));
        next = gjk_scale3(1.0 / gjk_length3(next), next);
        long double gap = test_curved_gap(a, b, next);
        if (gap > best) {
            best = gap;
            n = next;
            step *= 1.5;
        } else {
            step *= 0.85;
        }
    }
    return best;
}

#define NET 60
#define CLIMBS 3

long double test_curved_best_gap(const test_curved *a, const test_curved *b, gjk_vec3 n,
                                 test_rng *rng) {
    long double best = gjk_length3(n) > 0.5 ? climb(a, b, n, rng) : -INFINITY;
    for (int i = 0; i < CLIMBS; i++) {
        gjk_vec3 start = test_rng_direction(rng, a->shape.dimension);
        for (int j = 0; j < NET; j++) {
            gjk_vec3 other = test_rng_direction(rng, a->shape.dimension);
            if (test_curved_gap(a, b, other) > test_curved_gap(a, b, start)) {
                start = other;
            }
        }
        best = fmaxl(best, climb(a, b, start, rng));
    }
    return best;
}

void test_curved_print(const char *name, const test_curved *c) {
    const gjk_pose *p = &c->placed.pose;
    fprintf(stderr, "%s: type %d dimension %u a %.17g %.17g %.17g b %.17g %.17g %.17g radius %.17g",
            name, (int)c->shape.type, c->shape.dimension, c->a.x, c->a.y, c->a.z, c->b.x, c->b.y,
            c->b.z, c->radius);
    fprintf(stderr, " theta %.17g rounding %.17g\n  at %.17g %.17g %.17g turned", c->theta,
            c->rounding, p->position.x, p->position.y, p->position.z);
    fprintf(stderr, " [%.17g %.17g %.17g] [%.17g %.17g %.17g] [%.17g %.17g %.17g]\n",
            p->rotation.r0.x, p->rotation.r0.y, p->rotation.r0.z, p->rotation.r1.x,
            p->rotation.r1.y, p->rotation.r1.z, p->rotation.r2.x, p->rotation.r2.y,
            p->rotation.r2.z);
    for (uint32_t i = 0; i < c->shape.count && i < 12; i++) {
        gjk_vec3 v = gjk_shape_point(&c->shape, i);
        fprintf(stderr, "  point %.17g %.17g %.17g\n", v.x, v.y, v.z);
    }
}
