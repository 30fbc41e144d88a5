/* The kernels of rays at small flat shapes: the same bits from every instruction set, and what the
 * general method says of the same ray. */

#include "ray/flat/flat.h"

#include "base/numbers.h"
#include "ray/general/general.h"
#include "support/rng.h"
#include "support/test.h"

#include <string.h>

#define RAYS 20000

typedef void ray_check(const gjk_placed *target, const gjk_ray *ray);

/* Rays at polygons and circles, from inside and outside, some of them too short. */
static void for_rays(uint64_t seed, ray_check *check) {
    struct gjk_arena arena;
    test_rng rng = test_rng_make(seed);
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < RAYS; i++) {
        gjk_vec3 points[8];
        gjk_shape shape;
        gjk_ray ray;
        const uint32_t count = 3 + test_rng_below(&rng, 6);
        for (uint32_t k = 0; k < count; k++) {
            points[k] = test_rng_direction(&rng, 2);
        }
        ck_assert_int_eq(test_rng_once_in(&rng, 3)
                             ? gjk_shape_make_ball(&arena, 2, 1.0, 0.0, &shape)
                             : gjk_shape_make_hull(&arena, 2, points, count, 0.0, &shape),
                         GJK_OK);
        gjk_placed target = {.shape = &shape};
        const gjk_vec3 at = gjk_scale3(5.0, test_rng_direction(&rng, 2));
        ck_assert_int_eq(gjk_pose_make2(gjk_xy(at), test_rng_uniform(&rng, -4, 4), &target.pose),
                         GJK_OK);
        const gjk_vec3 from =
            gjk_add3(at, gjk_scale3(test_rng_uniform(&rng, 0, 4), test_rng_direction(&rng, 2)));
        const gjk_vec3 to =
            gjk_add3(at, gjk_scale3(test_rng_uniform(&rng, 0, 1.5), test_rng_direction(&rng, 2)));
        const double most = test_rng_once_in(&rng, 4) ? test_rng_uniform(&rng, 0, 4) : INFINITY;
        ck_assert_int_eq(gjk_ray_make(from, gjk_sub3(to, from), most, &ray), GJK_OK);
        if (shape.flat != GJK_FLAT_NOT) {
            check(&target, &ray);
        }
    }
    gjk_arena_fini(&arena);
}

static int decided, asked;

static void compare(const gjk_placed *target, const gjk_ray *ray) {
    const gjk_ray_settings settings = gjk_ray_settings_default();
    gjk_ray_result fast;
    const gjk_ray_result slow = gjk_raycast_general(target, ray, &settings);
    asked += !slow.inside;
    if (!gjk_flat_ray(target, ray, &settings, &fast)) {
        return;
    }
    decided++;
    ck_assert(!fast.inside && !slow.inside);
    ck_assert_int_eq(fast.hit, slow.hit);
    if (fast.hit) {
        ck_assert(fast.has_normal);
        ck_assert_double_eq_tol(fast.distance, slow.distance, 1e-9);
        ck_assert_double_le(gjk_largest3(gjk_sub3(fast.point, slow.point)), 1e-9);
        ck_assert_double_eq_tol(gjk_length3(fast.normal), 1.0, 1e-15);
        ck_assert_double_le(gjk_dot3(fast.normal, ray->direction), 0.0);
    }
}

TEST(they_say_what_the_general_method_says) {
    decided = asked = 0;
    for_rays(1, compare);
    ck_assert_msg(decided > asked / 100 * 80, "%d of %d", decided, asked);
}

#ifdef GJK_SCAN_X86
static void require_same(const gjk_placed *target, const gjk_ray *ray,
                         gjk_flat_ray_kernel *kernel) {
    gjk_ray_result one, other;
    memset(&one, 0, sizeof one);
    memset(&other, 0, sizeof other);
    const gjk_ray_settings settings = gjk_ray_settings_default();
    ck_assert_int_eq(gjk_flat_ray_plain(target, ray, &settings, &one),
                     kernel(target, ray, &settings, &other));
    ck_assert_mem_eq(&one, &other, sizeof one);
}

static void compare_sets(const gjk_placed *target, const gjk_ray *ray) {
    if (target->shape->flat != GJK_FLAT_POLYGON) {
        return;
    }
    if (__builtin_cpu_supports("avx2")) {
        require_same(target, ray, gjk_flat_ray_avx2);
    }
    if (__builtin_cpu_supports("avx512dq")) {
        require_same(target, ray, gjk_flat_ray_avx512);
    }
}

TEST(every_instruction_set_gives_the_same_bits) {
    for_rays(2, compare_sets);
}
#endif

/* --- Capsules --- */

/* A capsule along the x axis of its own frame, and where it stands. */
typedef struct rod {
    gjk_shape shape;
    gjk_placed placed;
    double half, radius; /* half the length of the segment */
} rod;

/* Radii from the least number to many lengths, places up to 1e9 lengths from the world's origin. */
static void make_rod(test_rng *rng, struct gjk_arena *arena, rod *out) {
    static const double radii[] = {0x1p-1074, 1e-300, 1e-30, 1e-17, 1e-12, 1e-6,
                                   0.01,      0.1,    0.25,  0.5,   1.0,   30.0};
    const bool is_plain = test_rng_once_in(rng, 2);
    out->half = test_rng_magnitude(rng, -2, 2);
    out->radius = is_plain ? 0.25 * out->half : radii[test_rng_below(rng, 12)] * out->half;
    out->radius = out->radius > 0.0 ? out->radius : 0x1p-1074;
    const gjk_vec3 ends[2] = {{-out->half, 0, 0}, {out->half, 0, 0}};
    const double away = is_plain ? 3.0 : test_rng_magnitude(rng, -3, 9);
    const gjk_vec3 at = gjk_scale3(away * out->half, test_rng_direction(rng, 2));
    out->placed.shape = &out->shape;
    ck_assert_int_eq(gjk_shape_make_capsule(arena, 2, ends, out->radius, 0.0, &out->shape), GJK_OK);
    ck_assert_int_eq(gjk_pose_make2(gjk_xy(at), test_rng_uniform(rng, -4, 4), &out->placed.pose),
                     GJK_OK);
}

/* A point in the rod's own frame: around it, on its border, on the lines of its sides, or
 * inside. */
static gjk_vec3 point_near(test_rng *rng, const rod *r) {
    const gjk_vec3 way = test_rng_direction(rng, 2);
    const double x = test_rng_uniform(rng, -1, 1) * r->half, end = way.x > 0 ? r->half : -r->half;
    const double off = test_rng_once_in(rng, 2) ? 1.0 : 1.0 + test_rng_magnitude(rng, -16, -3);
    const double side = way.y > 0 ? r->radius * off : -r->radius * off;
    switch (test_rng_below(rng, 6)) {
    case 0: /* on a side, or just off */
        return (gjk_vec3){x, side, 0};
    case 1: /* on the line of a side */
        return (gjk_vec3){6 * x, side, 0};
    case 2: /* on the ball around an end, or just off */
        return (gjk_vec3){end + off * r->radius * way.x, off * r->radius * way.y, 0};
    case 3: /* inside */
        return (gjk_vec3){x, 0.9 * r->radius * way.y, 0};
    case 4: /* at an end, where side and ball meet */
        return (gjk_vec3){end, side, 0};
    default: {
        const double reach = 2 * (r->half + r->radius);
        return gjk_scale3(test_rng_uniform(rng, 0, 2) * reach, way);
    }
    }
}

/* Through two such points, or from further away; one in three along the axis or across, and some
 * that end near the surface. */
static gjk_ray ray_near(test_rng *rng, const rod *r) {
    gjk_vec3 from = point_near(rng, r), to = point_near(rng, r);
    const uint32_t turn = test_rng_below(rng, 6);
    to = turn == 0 ? (gjk_vec3){-from.x, from.y, 0} : turn == 1 ? (gjk_vec3){from.x, 0, 0} : to;
    gjk_vec3 way = gjk_sub3(to, from);
    way = gjk_largest3(way) > 0.0 ? way : (gjk_vec3){1, 0, 0};
    const double back = test_rng_once_in(rng, 3) ? 0.0 : test_rng_magnitude(rng, -2, 3);
    from = gjk_sub3(from, gjk_scale3(back, way));
    const double length = (1 + back) * gjk_length3(way);
    const double most = test_rng_once_in(rng, 3) ? length : INFINITY;
    gjk_ray ray;
    ck_assert_int_eq(gjk_ray_make(gjk_pose_apply(&r->placed.pose, from),
                                  gjk_mul3(&r->placed.pose.rotation, way), most, &ray),
                     GJK_OK);
    return ray;
}

/* The point of the segment nearest a point, in the world. */
static gjk_vec3 nearest_of_core(const rod *r, gjk_vec3 point) {
    const gjk_pose *pose = &r->placed.pose;
    const gjk_vec3 own = gjk_mul3_transposed(&pose->rotation, gjk_sub3(point, pose->position));
    return gjk_pose_apply(pose, (gjk_vec3){fmax(-r->half, fmin(own.x, r->half)), 0, 0});
}

/* The point is on the surface, the normal is the surface's there, and the ray comes from outside:
 * so this is where it enters. */
static void require_entry(const rod *r, const gjk_ray *ray, const gjk_ray_result *hit) {
    const double reach =
        gjk_largest3(ray->origin) + gjk_largest3(r->placed.pose.position) + r->shape.reach;
    const double error = 64 * GJK_ROUNDING * reach;
    const gjk_vec3 out = gjk_sub3(hit->point, nearest_of_core(r, hit->point));
    ck_assert_double_le(fabs(gjk_length3(out) - r->radius), error);
    ck_assert_double_eq_tol(gjk_length3(hit->normal), 1.0, 1e-15);
    ck_assert_double_le(gjk_dot3(hit->normal, ray->direction), 0.0);
    ck_assert(hit->distance >= 0.0 && hit->distance <= ray->max_distance);
    /* The normal supports the capsule at the point: no point of it is further along. */
    const gjk_vec3 axis = gjk_scale3(r->half, (gjk_vec3){r->placed.pose.rotation.r0.x,
                                                         r->placed.pose.rotation.r1.x, 0});
    const double most = gjk_dot3(hit->normal, r->placed.pose.position) +
                        fabs(gjk_dot3(hit->normal, axis)) + r->radius;
    const double bend = error < r->radius ? error * sqrt(error / r->radius) : error;
    ck_assert_double_le(fabs(most - gjk_dot3(hit->normal, hit->point)), error + bend);
}

/* All of the ray that could reach it, as a segment, is outside, or within rounding of it. */
static void require_miss(const rod *r, const gjk_ray *ray) {
    const double reach =
        gjk_largest3(ray->origin) + gjk_largest3(r->placed.pose.position) + r->shape.reach;
    const double length = fmin(ray->max_distance, 4.0 * reach);
    const gjk_vec3 ends[2] = {{0, 0, 0}, gjk_scale3(length, ray->direction)};
    const gjk_detect_settings settings = gjk_detect_settings_default();
    struct gjk_arena arena;
    gjk_shape way;
    gjk_placed placed = {&way, gjk_pose_identity()};
    gjk_arena_init(&arena, 0);
    placed.pose.position = ray->origin;
    ck_assert_int_eq(gjk_shape_make_segment(&arena, 2, ends[0], ends[1], 0.0, &way), GJK_OK);
    ck_assert_double_le(gjk_detect(&placed, &r->placed, &settings).depth,
                        64 * GJK_ROUNDING * reach);
    gjk_arena_fini(&arena);
}

/* Whether an endless line passes by the border by more than rounding, on whichever side. */
static bool is_clear(const rod *r, const gjk_ray *ray) {
    const double reach =
        gjk_largest3(ray->origin) + gjk_largest3(r->placed.pose.position) + r->shape.reach;
    double left[2];
    for (int i = 0; i < 2; i++) {
        const gjk_vec3 end =
            gjk_pose_apply(&r->placed.pose, (gjk_vec3){i == 0 ? -r->half : r->half, 0, 0});
        left[i] = gjk_cross2(gjk_xy(ray->direction), gjk_xy(gjk_sub3(end, ray->origin)));
    }
    const double off = fmax(fmin(left[0], left[1]), -fmax(left[0], left[1])) - r->radius;
    return ray->max_distance == INFINITY && fabs(off) > 64 * GJK_ROUNDING * reach;
}

TEST(capsules_are_entered_where_the_general_method_says) {
    struct gjk_arena arena;
    test_rng rng = test_rng_make(3);
    const gjk_ray_settings settings = gjk_ray_settings_default();
    int known = 0, hits = 0;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < 4 * RAYS; i++) {
        rod r;
        make_rod(&rng, &arena, &r);
        const gjk_ray ray = ray_near(&rng, &r);
        gjk_ray_result fast, slow;
        if (r.shape.flat == GJK_FLAT_NOT || !gjk_flat_ray(&r.placed, &ray, &settings, &fast)) {
            continue;
        }
        known++;
        hits += fast.hit;
        ck_assert(!fast.inside);
        if (fast.hit) {
            require_entry(&r, &ray, &fast);
        } else {
            ck_assert(fast.distance == 0.0 && !fast.has_normal);
            require_miss(&r, &ray);
        }
        if (is_clear(&r, &ray)) {
            (void)gjk_raycast_any(&r.placed, &ray, &settings, &slow);
            ck_assert_int_eq(fast.hit, slow.hit);
            slow = gjk_raycast_general(&r.placed, &ray, &settings);
            ck_assert_int_eq(fast.hit, slow.hit);
        }
    }
    ck_assert_msg(known > RAYS && hits > RAYS / 4, "%d known, %d hits", known, hits);
    gjk_arena_fini(&arena);
}

/* Nearly all ordinary ones, or the work before the general question would be in vain. */
TEST(capsules_need_no_other_method) {
    struct gjk_arena arena;
    test_rng rng = test_rng_make(4);
    const gjk_ray_settings settings = gjk_ray_settings_default();
    int missed = 0;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < RAYS; i++) {
        const gjk_vec3 ends[2] = {gjk_scale3(2.0, test_rng_direction(&rng, 2)), {0, 0, 0}};
        const gjk_vec3 from = gjk_scale3(10.0, test_rng_direction(&rng, 2));
        const gjk_vec3 to = gjk_scale3(3.0, test_rng_direction(&rng, 2));
        gjk_shape shape;
        gjk_placed target = {&shape, gjk_pose_identity()};
        gjk_ray ray;
        gjk_ray_result result;
        ck_assert_int_eq(gjk_shape_make_capsule(&arena, 2, ends, 0.5, 0.5, &shape), GJK_OK);
        ck_assert_int_eq(gjk_ray_make(from, gjk_sub3(to, from), INFINITY, &ray), GJK_OK);
        ck_assert(gjk_flat_ray(&target, &ray, &settings, &result));
        missed += !result.hit;
    }
    ck_assert_msg(missed > RAYS / 10 && missed < RAYS / 4 * 3, "%d", missed);
    gjk_arena_fini(&arena);
}
