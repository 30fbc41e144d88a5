/* The kernels of clouds in space: the same bits from every instruction set, and what the general
 * method says of the same pair, with and without a cache. */

#include "pair/kernels/spatial.h"

#include "support/rng.h"
#include "support/test.h"

#include <string.h>

#define SHAPES 36
#define PAIRS 12000
#define POINTS_MAX 140

/* Of as many points as decide between the kernels, and around that. */
static const uint32_t counts[] = {1, 2, 3, 4, 7, 8, 9, 16, 17, 31, 32, 33, 128, 129, 140};
#define COUNTS (sizeof counts / sizeof counts[0])

/* Hulls, some flat, some rounded; spheres, capsules and triangles among them. */
static void make_shapes(struct gjk_arena *arena, test_rng *rng, gjk_shape shapes[SHAPES]) {
    for (uint32_t i = 0; i < SHAPES; i++) {
        const double size = test_rng_magnitude(rng, -1, 1);
        const double rounding = test_rng_once_in(rng, 3) ? 0.3 * size : 0.0;
        const double thin = test_rng_once_in(rng, 5) ? 1e-6 : 1.0;
        gjk_vec3 points[POINTS_MAX];
        const uint32_t count = counts[i % COUNTS];
        for (uint32_t k = 0; k < count; k++) { /* of an ellipsoid: all of them are extreme */
            points[k] = gjk_scale3(size, test_rng_direction(rng, 3));
            points[k].y *= thin;
        }
        ck_assert_int_eq(gjk_shape_make_hull(arena, 3, points, count, rounding, &shapes[i]),
                         GJK_OK);
    }
}

static gjk_vec3 corner_of(const gjk_shape *shape) {
    return gjk_shape_point(shape, shape->count - 1);
}

/* Anywhere near each other; turned alike once in four times, and corner at corner once in four. */
static void place(test_rng *rng, gjk_placed *a, gjk_placed *b) {
    const double reach = a->shape->bounding_radius + b->shape->bounding_radius;
    const gjk_quat turn_a = test_rng_rotation(rng);
    const gjk_quat turn_b = test_rng_once_in(rng, 4) ? turn_a : test_rng_rotation(rng);
    const gjk_vec3 home = gjk_scale3(10.0, test_rng_direction(rng, 3));
    gjk_vec3 away = gjk_scale3(test_rng_uniform(rng, 0, 1.2) * reach, test_rng_direction(rng, 3));
    ck_assert_int_eq(gjk_pose_make3(home, turn_a, &a->pose), GJK_OK);
    ck_assert_int_eq(gjk_pose_make3(home, turn_b, &b->pose), GJK_OK);
    if (test_rng_once_in(rng, 4)) {
        away = gjk_sub3(gjk_mul3(&a->pose.rotation, corner_of(a->shape)),
                        gjk_mul3(&b->pose.rotation, corner_of(b->shape)));
    }
    b->pose.position = gjk_add3(home, away);
}

static double size_of(const gjk_placed *a, const gjk_placed *b) {
    return gjk_largest3(a->pose.position) + a->shape->reach + b->shape->reach;
}

static void require_near(gjk_vec3 p, gjk_vec3 q, double tolerance) {
    ck_assert_double_le(gjk_largest3(gjk_sub3(p, q)), tolerance);
}

/* A first direction, which the kernels leave to the general method. */
static const gjk_vec3 elsewhere = {0.3, -0.2, 0.9};

static void compare_detect(const gjk_placed *a, const gjk_placed *b, bool penetration) {
    gjk_detect_settings settings = gjk_detect_settings_default();
    settings.penetration = penetration;
    const gjk_detect_result fast = gjk_detect(a, b, &settings);
    settings.first_direction = elsewhere;
    const gjk_detect_result slow = gjk_detect(a, b, &settings);
    const double near = 0x1p-48 * size_of(a, b);
    ck_assert_int_eq(fast.state, slow.state);
    if (slow.convergence != GJK_CONVERGED) { /* a flat cloud, begun from a bad direction */
        return;
    }
    ck_assert_int_eq(fast.convergence, GJK_CONVERGED);
    ck_assert_int_eq(fast.has_points, slow.has_points);
    ck_assert_double_eq_tol(fast.depth, slow.depth, near);
    ck_assert_double_eq_tol(fast.depth_lower_bound, slow.depth_lower_bound, near);
    if (fast.has_points) {
        const gjk_vec3 between = gjk_sub3(fast.point_a, fast.point_b);
        require_near(between, gjk_scale3(fast.depth, fast.normal), 4.0 * near);
    }
}

static void compare_distance(const gjk_placed *a, const gjk_placed *b) {
    gjk_distance_settings settings = gjk_distance_settings_default();
    const gjk_distance_result fast = gjk_distance(a, b, &settings);
    settings.first_direction = elsewhere;
    const gjk_distance_result slow = gjk_distance(a, b, &settings);
    const double near = 0x1p-48 * size_of(a, b);
    ck_assert_int_eq(fast.state, slow.state);
    ck_assert_int_eq(fast.convergence, GJK_CONVERGED);
    ck_assert_int_eq(fast.has_points, slow.has_points);
    ck_assert_double_eq_tol(fast.distance, slow.distance, near);
    ck_assert_double_eq_tol(fast.lower_bound, slow.lower_bound, near);
    if (fast.has_points) {
        const gjk_vec3 between = gjk_sub3(fast.point_b, fast.point_a);
        require_near(between, gjk_scale3(fast.distance, fast.normal), 4.0 * near);
    }
}

static void for_pairs(uint64_t seed, void (*check)(const gjk_placed *a, const gjk_placed *b)) {
    struct gjk_arena arena;
    gjk_shape shapes[SHAPES];
    test_rng rng = test_rng_make(seed);
    gjk_arena_init(&arena, 0);
    make_shapes(&arena, &rng, shapes);
    for (int i = 0; i < PAIRS; i++) {
        gjk_placed a = {.shape = &shapes[test_rng_below(&rng, SHAPES)]};
        gjk_placed b = {.shape = &shapes[test_rng_below(&rng, SHAPES)]};
        place(&rng, &a, &b);
        if (gjk_spatial_serves(&a, &b)) {
            check(&a, &b);
        }
    }
    gjk_arena_fini(&arena);
}

static void compare_all(const gjk_placed *a, const gjk_placed *b) {
    compare_detect(a, b, true);
    compare_detect(a, b, false);
    compare_distance(a, b);
}

TEST(they_say_what_the_general_method_says) {
    for_pairs(11, compare_all);
}

/* A recorder sees the general method; the answer stays the kernels', to the bit. */
static void count_step(void *user, const gjk_trace_step *step) {
    (void)step;
    ++*(uint32_t *)user;
}

static void record(const gjk_placed *a, const gjk_placed *b) {
    uint32_t steps = 0;
    const gjk_recorder recorder = {count_step, &steps};
    gjk_detect_settings detect = gjk_detect_settings_default();
    gjk_distance_settings distance = gjk_distance_settings_default();
    gjk_detect_result deep[2];
    gjk_distance_result far[2];
    memset(deep, 0, sizeof deep);
    memset(far, 0, sizeof far);
    gjk_detect_into(a, b, &detect, &deep[0]);
    gjk_distance_into(a, b, &distance, &far[0]);
    detect.recorder = distance.recorder = &recorder;
    gjk_detect_into(a, b, &detect, &deep[1]);
    ck_assert_uint_gt(steps, 0);
    steps = 0;
    gjk_distance_into(a, b, &distance, &far[1]);
    ck_assert_uint_gt(steps, 0);
    ck_assert_int_eq(memcmp(&deep[0], &deep[1], sizeof deep[0]), 0);
    ck_assert_int_eq(memcmp(&far[0], &far[1], sizeof far[0]), 0);
}

TEST(a_recorder_changes_no_bit) {
    for_pairs(12, record);
}

static const struct gjk_spatial_kernels *const kernels[] = {
    &gjk_spatial_plain,
#ifdef GJK_SCAN_X86
    &gjk_spatial_avx2,
    &gjk_spatial_avx512,
#endif
};
#define SETS (sizeof kernels / sizeof kernels[0])

static bool has_set(size_t set) {
#ifdef GJK_SCAN_X86
    return set == 0 || (set == 1 ? gjk_has_avx2() : __builtin_cpu_supports("avx512dq") != 0);
#else
    return set == 0;
#endif
}

/* All that a kernel tells, from cleared memory, so that padding is equal too. */
typedef struct told {
    bool decided[3];
    gjk_walk3 walk[3];
    gjk_detect_result deep, quick;
    gjk_distance_result far;
    gjk_cache cache;
} told;

static void ask(size_t set, const gjk_placed *a, const gjk_placed *b, told *all) {
    const bool swapped = !gjk_comes_first(a, b);
    gjk_detect_settings deep = gjk_detect_settings_default(), quick = deep;
    gjk_distance_settings far = gjk_distance_settings_default();
    memset(all, 0, sizeof *all);
    quick.penetration = false;
    quick.cache = far.cache = &all->cache;
    all->decided[0] =
        kernels[set]->clouds[GJK_ASK_DETECT](a, b, swapped, &deep, &all->deep, &all->walk[0]);
    all->decided[1] =
        kernels[set]->clouds[GJK_ASK_DETECT](a, b, swapped, &quick, &all->quick, &all->walk[1]);
    all->decided[2] =
        kernels[set]->clouds[GJK_ASK_DISTANCE](a, b, swapped, &far, &all->far, &all->walk[2]);
}

static void compare_sets(const gjk_placed *a, const gjk_placed *b) {
    static told plain, other; /* larger than a stack frame should be */
    ask(0, a, b, &plain);
    for (size_t set = 1; set < SETS; set++) {
        if (has_set(set)) {
            ask(set, a, b, &other);
            ck_assert_int_eq(memcmp(&plain, &other, sizeof plain), 0);
        }
    }
}

TEST(every_instruction_set_tells_the_same_bits) {
    for_pairs(13, compare_sets);
}

/* Two cubes: of the edge of one against a corner of the other, all distances are known. */
TEST(a_known_distance_and_its_points) {
    const gjk_vec3 cube[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                              {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
    struct gjk_arena arena;
    gjk_shape shape;
    gjk_arena_init(&arena, 0);
    ck_assert_int_eq(gjk_shape_make_hull(&arena, 3, cube, 8, 0.0, &shape), GJK_OK);
    gjk_placed a = {&shape, gjk_pose_identity()}, b = a;
    b.pose.position = (gjk_vec3){4, 5, 6};
    gjk_distance_settings settings = gjk_distance_settings_default();
    gjk_distance_result apart;
    gjk_walk3 walk;
    gjk_walk3_init(&walk);
    ck_assert(gjk_spatial_answer(GJK_ASK_DISTANCE, &a, &b, &settings, &apart, &walk));
    ck_assert_double_eq_tol(apart.distance, sqrt(4.0 + 9.0 + 16.0), 4e-15);
    require_near(apart.point_a, (gjk_vec3){1, 1, 1}, 0.0);
    require_near(apart.point_b, (gjk_vec3){3, 4, 5}, 0.0);
    b.pose.position = (gjk_vec3){4, 0.5, 0.25};
    ck_assert(gjk_spatial_answer(GJK_ASK_DISTANCE, &a, &b, &settings, &apart, &walk));
    ck_assert_double_eq(apart.distance, 2.0);
    require_near(apart.normal, (gjk_vec3){1, 0, 0}, 0.0);
    b.pose.position = (gjk_vec3){1, 0.5, 0.25};
    ck_assert(gjk_spatial_answer(GJK_ASK_DISTANCE, &a, &b, &settings, &apart, &walk));
    ck_assert_int_eq(apart.state, GJK_OVERLAPPING);
    gjk_arena_fini(&arena);
}
