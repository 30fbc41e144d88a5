/* Do the casts without iteration say what the general method says, and decide nearly all? */

#include "ray/casts/casts.h"

#include "support/rng.h"
#include "support/test.h"

#define CASES 4000

TEST_ARENA(arena)

enum { POLYGONS, POLYGON_AND_CIRCLE, CIRCLE_AND_POLYGON, ROUNDED, CAPSULES, SQUARES, BOXES, KINDS };

/* Sides at equal angles; two corners make a capsule. */
static gjk_shape polygon(test_rng *rng, uint32_t count, double radius) {
    gjk_vec2 v[12];
    gjk_shape shape;
    uint32_t bad;
    const double size = test_rng_uniform(rng, 0.3, 2);
    if (count == 2) {
        const gjk_vec3 ends[2] = {{-size, 0, 0}, {size, 0.1, 0}};
        ck_assert_int_eq(gjk_shape_make_segment(&arena, 2, ends[0], ends[1], radius, &shape),
                         GJK_OK);
        return shape;
    }
    for (uint32_t i = 0; i < count; i++) {
        const double angle = (i + test_rng_uniform(rng, 0, 0.6)) * 6.283185307179586 / count;
        double s, c;
        gjk_sincos(angle, &s, &c);
        v[i] = (gjk_vec2){size * c, size * s};
    }
    ck_assert_int_eq(gjk_shape_make_polygon(&arena, v, count, radius, &bad, &shape), GJK_OK);
    return shape;
}

static gjk_shape shape_of(test_rng *rng, int kind, bool is_b) {
    const uint32_t corners = 3 + test_rng_below(rng, 10);
    const double radius = test_rng_uniform(rng, 0.1, 1);
    gjk_shape shape;
    if (kind == BOXES || kind == SQUARES) {
        const gjk_vec3 half = {test_rng_uniform(rng, 0.2, 1), test_rng_uniform(rng, 0.2, 1),
                               test_rng_uniform(rng, 0.2, 1)};
        ck_assert_int_eq(gjk_shape_make_box(&arena, kind == BOXES ? 3 : 2, half,
                                            test_rng_once_in(rng, 4) ? 0.1 * radius : 0, &shape),
                         GJK_OK);
        return shape;
    }
    if (kind == (is_b ? POLYGON_AND_CIRCLE : CIRCLE_AND_POLYGON)) {
        ck_assert_int_eq(gjk_shape_make_ball(&arena, 2, radius, 0, &shape), GJK_OK);
        return shape;
    }
    return kind == CAPSULES ? polygon(rng, 2, radius)
                            : polygon(rng, corners, kind == ROUNDED ? radius : 0);
}

static gjk_pose pose_of(test_rng *rng, int kind, gjk_vec3 at) {
    gjk_pose pose = gjk_pose_identity();
    if (kind == BOXES) {
        ck_assert_int_eq(gjk_pose_make3(at, test_rng_rotation(rng), &pose), GJK_OK);
    } else { /* squares stand parallel */
        const double angle = kind == SQUARES ? 0.3 : test_rng_uniform(rng, -3, 3);
        ck_assert_int_eq(gjk_pose_make2(gjk_xy(at), angle, &pose), GJK_OK);
    }
    return pose;
}

TEST_EACH(as_the_general_method, 0, KINDS) {
    test_rng rng = test_rng_make(7700 + (uint64_t)_i);
    const uint32_t dimension = _i == BOXES ? 3 : 2;
    int decided = 0, hits = 0;
    for (int i = 0; i < CASES; i++) {
        const gjk_shape of_a = shape_of(&rng, _i, false), of_b = shape_of(&rng, _i, true);
        const double reach = of_a.bounding_radius + of_b.bounding_radius;
        const gjk_vec3 from = gjk_scale3(1.2 * reach, test_rng_direction(&rng, dimension));
        const gjk_vec3 to =
            gjk_scale3(test_rng_uniform(&rng, 0, reach), test_rng_direction(&rng, dimension));
        const gjk_placed a = {&of_a, pose_of(&rng, _i, (gjk_vec3){0, 0, 0})};
        const gjk_placed b = {&of_b, pose_of(&rng, _i, from)};
        const gjk_vec3 way = gjk_sub3(to, from);
        const gjk_ray_goal goal = {
            .direction = gjk_scale3(1 / gjk_length3(way), way),
            .reach = test_rng_uniform(&rng, 0.5, 3) * gjk_length3(way),
            .radius = of_a.radius + of_b.radius,
            .tolerance = 1e-10,
            .max_iterations = 100,
        };
        const gjk_ray_goal proving = {goal.direction, goal.reach, goal.radius, 1e-10, 100,
                                      1e-9,           0,          NULL};
        double unit;
        gjk_ray_solution r, proven;
        const gjk_ray_solution general = gjk_ray_at_pair(&a, &b, &goal, &unit);
        if (!gjk_ray_direct(&a, &b, &goal, 1e-9, &r)) {
            continue;
        }
        decided++;
        hits += r.hit;
        ck_assert_msg(r.hit == general.hit, "%d: hit %d, not %d", i, r.hit, general.hit);
        ck_assert(gjk_ray_direct(&a, &b, &proving, 1e-9, &proven));
        ck_assert(proven.unproven || (proven.hit == r.hit && (!r.hit || proven.t == r.t)));
        if (r.hit) {
            const double rate =
                -gjk_dot3(r.normal, gjk_mul3_transposed(&a.pose.rotation, goal.direction));
            ck_assert_msg(fabs(r.t - general.t) * rate <= 1e-12, "%d: %g, not %g", i, r.t,
                          general.t);
            ck_assert(fabs(gjk_length3(r.normal) - 1) < 1e-14);
        }
        gjk_arena_reset(&arena);
    }
    ck_assert_msg(decided >= CASES * 9 / 10, "%d decided", decided);
    ck_assert(hits > CASES / 5 && hits < decided);
}
