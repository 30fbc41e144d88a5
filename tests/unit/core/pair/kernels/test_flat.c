/* The kernels of small flat pairs: the same bits from every instruction set, and what the general
 * kernels say of the same pair. */

#include "pair/kernels/flat.h"

#include "support/rng.h"
#include "support/test.h"

#include <string.h>

#define SHAPES 24
#define PAIRS 20000

/* Polygons of 2 to 8 points, some thin, some rounded; circles and points. */
static void make_shapes(struct gjk_arena *arena, test_rng *rng, gjk_shape shapes[SHAPES]) {
    for (int i = 0; i < SHAPES; i++) {
        const double size = test_rng_magnitude(rng, -2, 2);
        const double rounding = test_rng_once_in(rng, 3) ? 0.3 * size : 0.0;
        const double thin = test_rng_once_in(rng, 4) ? 1e-6 : 1.0;
        gjk_vec3 points[8];
        const uint32_t count = i % 4 == 0 ? 1 : 2 + test_rng_below(rng, 7);
        for (uint32_t k = 0; k < count; k++) {
            points[k] = gjk_scale3(count == 1 ? 0.0 : size, test_rng_direction(rng, 2));
            points[k].y *= thin;
        }
        ck_assert_int_eq(gjk_shape_make_hull(arena, 2, points, count, rounding, &shapes[i]),
                         GJK_OK);
        const uint8_t kind = count == 1 ? GJK_FLAT_POINT : GJK_FLAT_POLYGON;
        ck_assert_int_eq(shapes[i].flat, shapes[i].is_far ? GJK_FLAT_NOT : kind);
    }
}

/* Anywhere near each other; on a grid, side by side or one in the other once in four times each. */
static void place(test_rng *rng, gjk_placed *a, gjk_placed *b) {
    const double reach = a->shape->bounding_radius + b->shape->bounding_radius;
    const bool turned = !test_rng_once_in(rng, 4);
    gjk_vec3 home = gjk_scale3(10.0, test_rng_direction(rng, 2));
    gjk_vec3 away = gjk_scale3(test_rng_uniform(rng, 0, 1.2) * reach, test_rng_direction(rng, 2));
    if (test_rng_once_in(rng, 4)) {
        home = (gjk_vec3){0, 0, 0};
        away = (gjk_vec3){a->shape->half_extents.x + b->shape->half_extents.x, 0, 0};
    }
    const double angle_a = turned ? test_rng_uniform(rng, -4, 4) : 0.0;
    const double angle_b = turned ? test_rng_uniform(rng, -4, 4) : 0.0;
    ck_assert_int_eq(gjk_pose_make2(gjk_xy(home), angle_a, &a->pose), GJK_OK);
    ck_assert_int_eq(gjk_pose_make2(gjk_xy(gjk_add3(home, away)), angle_b, &b->pose), GJK_OK);
}

static void require_near(gjk_vec3 p, gjk_vec3 q, double tolerance) {
    ck_assert_double_le(gjk_largest3(gjk_sub3(p, q)), tolerance);
}

/* The signed distance: of a touching pair detect and distance tell the one that is above 0. */
static double gap_of(const gjk_placed *a, const gjk_placed *b) {
    const gjk_detect_settings detect = gjk_detect_settings_default();
    const gjk_distance_settings distance = gjk_distance_settings_default();
    return gjk_distance(a, b, &distance).distance - gjk_detect(a, b, &detect).depth;
}

/* Both points differ by the signed distance along the normal, but for rounding and underflow. */
static void require_points(const gjk_placed *a, const gjk_placed *b, gjk_vec3 on_a, gjk_vec3 on_b,
                           gjk_vec3 normal) {
    const double size = gjk_largest3(a->pose.position) + a->shape->reach + b->shape->reach;
    require_near(gjk_sub3(on_b, on_a), gjk_scale3(gap_of(a, b), normal),
                 0x1p-47 * size + 0x1p-1072);
}

static void compare_detect(const gjk_placed *a, const gjk_placed *b, bool penetration) {
    gjk_detect_settings settings = gjk_detect_settings_default();
    settings.penetration = penetration;
    const gjk_detect_result fast = gjk_detect(a, b, &settings);
    gjk_detect_result slow;
    (void)gjk_answer_general(GJK_ASK_DETECT, a, b, &settings, &slow);
    const double size = gjk_largest3(a->pose.position) + a->shape->reach + b->shape->reach;
    ck_assert_int_eq(fast.state, slow.state);
    ck_assert_int_eq(fast.convergence, slow.convergence);
    ck_assert_int_eq(fast.has_points, slow.has_points);
    ck_assert_double_le(fabs(fast.depth - slow.depth), 0x1p-49 * size);
    ck_assert_double_le(fabs(fast.depth_lower_bound - slow.depth_lower_bound), 0x1p-49 * size);
    if (fast.has_points) {
        require_points(a, b, fast.point_a, fast.point_b, fast.normal);
    }
}

static void compare_distance(const gjk_placed *a, const gjk_placed *b) {
    gjk_distance_settings settings = gjk_distance_settings_default();
    const gjk_distance_result fast = gjk_distance(a, b, &settings);
    gjk_distance_result slow;
    (void)gjk_answer_general(GJK_ASK_DISTANCE, a, b, &settings, &slow);
    const double size = gjk_largest3(a->pose.position) + a->shape->reach + b->shape->reach;
    ck_assert_int_eq(fast.state, slow.state);
    ck_assert_int_eq(fast.convergence, slow.convergence);
    ck_assert_int_eq(fast.has_points, slow.has_points);
    ck_assert_double_le(fabs(fast.distance - slow.distance), 0x1p-49 * size);
    ck_assert_double_le(fabs(fast.lower_bound - slow.lower_bound), 0x1p-49 * size);
    if (fast.has_points) {
        require_points(a, b, fast.point_a, fast.point_b, fast.normal);
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
        if (gjk_flat_serves(&a, &b)) {
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

TEST(they_say_what_the_general_kernels_say) {
    for_pairs(7, compare_all);
}

static bool is_none(gjk_vec3 v) {
    return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

/* What an answer has not is 0. */
static void require_cleared(const gjk_placed *a, const gjk_placed *b) {
    const gjk_detect_settings detect = gjk_detect_settings_default();
    const gjk_distance_settings distance = gjk_distance_settings_default();
    const gjk_detect_result deep = gjk_detect(a, b, &detect);
    const gjk_distance_result far = gjk_distance(a, b, &distance);
    ck_assert(deep.has_points == (deep.state != GJK_SEPARATED));
    ck_assert(deep.has_points ||
              (deep.depth == 0.0 && is_none(deep.point_a) && is_none(deep.point_b)));
    ck_assert(far.has_points == (far.state != GJK_OVERLAPPING));
    ck_assert(far.has_points || (far.distance == 0.0 && is_none(far.normal) &&
                                 is_none(far.point_a) && is_none(far.point_b)));
}

/* Radii down to the least number, and gaps down to the tolerance, at home and far out. */
TEST(circles_say_what_the_general_kernels_say) {
    static const double radii[] = {0x1p-1074, 0x1p-1022, 1e-300, 1e-100, 1e-9, 0.25, 1.0, 1e6};
    struct gjk_arena arena;
    gjk_shape shapes[9];
    test_rng rng = test_rng_make(11);
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < 8; i++) {
        ck_assert_int_eq(gjk_shape_make_ball(&arena, 2, radii[i], 0.0, &shapes[i]), GJK_OK);
    }
    ck_assert_int_eq(gjk_shape_make_point(&arena, 2, 0.0, &shapes[8]), GJK_OK);
    for (int i = 0; i < PAIRS; i++) {
        gjk_placed a = {.shape = &shapes[test_rng_below(&rng, 9)]};
        gjk_placed b = {.shape = &shapes[test_rng_below(&rng, 9)]};
        const double sum = a.shape->radius + b.shape->radius;
        const double part = test_rng_once_in(&rng, 2)
                                ? test_rng_uniform(&rng, 0, 2)
                                : 1.0 + (test_rng_once_in(&rng, 2) ? -1.0 : 1.0) *
                                            test_rng_magnitude(&rng, -16, -8);
        const double out = test_rng_once_in(&rng, 4) ? 0.0 : test_rng_magnitude(&rng, -6, 12);
        const gjk_vec3 home = gjk_scale3(out, test_rng_direction(&rng, 2));
        const gjk_vec3 away = gjk_scale3(part * sum, test_rng_direction(&rng, 2));
        ck_assert_int_eq(gjk_pose_make2(gjk_xy(home), 1.0, &a.pose), GJK_OK);
        ck_assert_int_eq(gjk_pose_make2(gjk_xy(gjk_add3(home, away)), 2.0, &b.pose), GJK_OK);
        compare_all(&a, &b);
        require_cleared(&a, &b);
    }
    gjk_arena_fini(&arena);
}

/* Neither state nor lengths depend on which of the two is named first, to the bit. */
static void compare_orders(const gjk_placed *a, const gjk_placed *b) {
    const gjk_detect_settings deep = gjk_detect_settings_default();
    const gjk_distance_settings apart = gjk_distance_settings_default();
    const gjk_detect_result d = gjk_detect(a, b, &deep), e = gjk_detect(b, a, &deep);
    ck_assert_int_eq(d.state, e.state);
    ck_assert(d.depth == e.depth && d.depth_lower_bound == e.depth_lower_bound);
    const gjk_distance_result f = gjk_distance(a, b, &apart), g = gjk_distance(b, a, &apart);
    ck_assert_int_eq(f.state, g.state);
    ck_assert(f.distance == g.distance && f.lower_bound == g.lower_bound);
}

/* A point of the world that a segment or capsule along its own x axis has, to within an error. */
static void require_in_rod(const gjk_placed *rod, gjk_vec3 point, double error) {
    const double radius = rod->shape->radius, half = rod->shape->half_extents.x - radius;
    const gjk_vec3 own =
        gjk_mul3_transposed(&rod->pose.rotation, gjk_sub3(point, rod->pose.position));
    const double beyond = fmax(fabs(own.x) - half, 0.0);
    ck_assert_double_le(hypot(beyond, own.y) - radius, error);
}

static void check_rods(const gjk_placed *a, const gjk_placed *b) {
    const double error =
        0x1p-47 * (gjk_largest3(a->pose.position) + gjk_largest3(b->pose.position) +
                   a->shape->reach + b->shape->reach);
    const gjk_detect_settings detect = gjk_detect_settings_default();
    const gjk_distance_settings distance = gjk_distance_settings_default();
    compare_all(a, b);
    require_cleared(a, b);
    compare_orders(a, b);
    const gjk_detect_result deep = gjk_detect(a, b, &detect);
    const gjk_distance_result far = gjk_distance(a, b, &distance);
    ck_assert_double_eq_tol(gjk_length3(deep.normal), 1.0, 1e-15);
    if (deep.has_points) {
        require_in_rod(a, deep.point_a, error);
        require_in_rod(b, deep.point_b, error);
    }
    if (far.has_points) {
        require_in_rod(a, far.point_a, error);
        require_in_rod(b, far.point_b, error);
    }
}

/* Side by side, end to end, crossing, or with an end on the other; parallel ones and such that are
 * so but for rounding; radii from none to the length. */
TEST(capsules_say_what_the_general_kernels_say) {
    static const double radii[] = {0, 0x1p-1074, 1e-300, 1e-17, 1e-12, 1e-3, 0.1, 0.3, 1};
    struct gjk_arena arena;
    gjk_shape shapes[18];
    double half[18];
    test_rng rng = test_rng_make(12);
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < 18; i++) {
        half[i] = test_rng_magnitude(&rng, i < 9 ? 0 : -2, i < 9 ? 0 : 2);
        const gjk_vec3 ends[2] = {{-half[i], 0, 0}, {half[i], 0, 0}};
        ck_assert_int_eq(gjk_shape_make_segment(&arena, 2, ends[0], ends[1], radii[i % 9],
                                                &shapes[i]),
                         GJK_OK);
    }
    for (int i = 0; i < 2 * PAIRS; i++) {
        const uint32_t one = test_rng_below(&rng, 18), two = test_rng_below(&rng, 18);
        gjk_placed a = {.shape = &shapes[one]}, b = {.shape = &shapes[two]};
        const double out = test_rng_once_in(&rng, 2) ? 1.0 : test_rng_magnitude(&rng, -3, 9);
        const bool is_plain = test_rng_once_in(&rng, 4); /* on one line, exactly, or on two */
        const double turn = is_plain ? 0.0 : test_rng_uniform(&rng, -4, 4);
        const double more = test_rng_once_in(&rng, 3)   ? test_rng_magnitude(&rng, -17, -6)
                            : test_rng_once_in(&rng, 4) ? 0.0
                                                        : test_rng_uniform(&rng, -4, 4);
        /* a point of the one near one of the other */
        const double at_a = test_rng_uniform(&rng, -1, 1), at_b = test_rng_uniform(&rng, -1, 1);
        const bool at_end = test_rng_once_in(&rng, 3), is_round = test_rng_once_in(&rng, 2);
        const double sum = shapes[one].radius + shapes[two].radius;
        const double apart = test_rng_once_in(&rng, 2)
                                 ? sum * (1 + test_rng_magnitude(&rng, -16, -1))
                                 : test_rng_uniform(&rng, 0, 2) * (is_round ? sum : half[one]);
        const gjk_vec3 way = is_plain && at_end ? (gjk_vec3){4 * apart, 0, 0}
                                                : gjk_scale3(apart, test_rng_direction(&rng, 2));
        ck_assert_int_eq(gjk_pose_make2(gjk_xy(gjk_scale3(out, test_rng_direction(&rng, 2))), turn,
                                        &a.pose),
                         GJK_OK);
        ck_assert_int_eq(gjk_pose_make2((gjk_vec2){0, 0}, turn + more, &b.pose), GJK_OK);
        const gjk_vec3 of_a = {(at_end ? 1.0 : at_a) * half[one], 0, 0},
                       of_b = {at_b * half[two], 0, 0};
        b.pose.position =
            gjk_add3(gjk_sub3(gjk_pose_apply(&a.pose, of_a), gjk_mul3(&b.pose.rotation, of_b)),
                     way);
        check_rods(&a, &b);
    }
    gjk_arena_fini(&arena);
}

/* A point of the world on or in a box that stands unturned. */
static void require_in(const gjk_placed *box, gjk_vec3 point) {
    const gjk_vec3 own = gjk_sub3(point, box->pose.position), half = box->shape->half_extents;
    ck_assert_double_le(fabs(own.x), half.x + 1e-14);
    ck_assert_double_le(fabs(own.y), half.y + 1e-14);
}

/* The gaps along the two axes tell all of boxes with parallel sides. */
static void check_boxes(const gjk_placed *a, const gjk_placed *b) {
    const gjk_vec3 half_a = a->shape->half_extents, half_b = b->shape->half_extents;
    const gjk_vec3 from_a = gjk_sub3(b->pose.position, a->pose.position);
    const double x = fabs(from_a.x) - half_a.x - half_b.x, y = fabs(from_a.y) - half_a.y - half_b.y;
    const gjk_detect_settings detect = gjk_detect_settings_default();
    const gjk_distance_settings distance = gjk_distance_settings_default();
    gjk_detect_result deep;
    gjk_distance_result far;
    ck_assert(gjk_flat_answer(GJK_ASK_DETECT, a, b, &detect, &deep));
    ck_assert(gjk_flat_answer(GJK_ASK_DISTANCE, a, b, &distance, &far));
    ck_assert_int_eq(deep.state, far.state);
    ck_assert_int_eq(deep.state, x > 0.0 || y > 0.0 ? GJK_SEPARATED : GJK_OVERLAPPING);
    gjk_vec3 point_a = far.point_a, point_b = far.point_b, way = far.normal;
    double length = far.distance;
    if (deep.state == GJK_OVERLAPPING) {
        ck_assert_double_le(fabs(deep.depth + fmax(x, y)), 1e-14);
        point_a = deep.point_a;
        point_b = deep.point_b;
        way = deep.normal;
        length = -deep.depth;
    } else {
        ck_assert_double_le(fabs(far.distance - hypot(fmax(x, 0.0), fmax(y, 0.0))), 1e-14);
    }
    require_in(a, point_a);
    require_in(b, point_b);
    require_near(gjk_sub3(point_b, point_a), gjk_scale3(length, way), 1e-14);
}

/* All their edges are in pairs alike, and so are the corners that face one. */
TEST(boxes_with_parallel_sides_need_no_other_kernel) {
    struct gjk_arena arena;
    test_rng rng = test_rng_make(9);
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < PAIRS; i++) {
        gjk_shape shapes[2];
        gjk_placed a = {.shape = &shapes[0]}, b = {.shape = &shapes[test_rng_below(&rng, 2)]};
        for (int k = 0; k < 2; k++) {
            const gjk_vec3 half = {test_rng_uniform(&rng, 0.1, 1), test_rng_uniform(&rng, 0.1, 1),
                                   0};
            ck_assert_int_eq(gjk_shape_make_box(&arena, 2, half, 0, &shapes[k]), GJK_OK);
        }
        const gjk_vec2 home = {test_rng_uniform(&rng, -5, 5), test_rng_uniform(&rng, -5, 5)};
        const gjk_vec2 away = {test_rng_uniform(&rng, -2, 2), test_rng_uniform(&rng, -2, 2)};
        ck_assert_int_eq(gjk_pose_make2(home, 0, &a.pose), GJK_OK);
        ck_assert_int_eq(gjk_pose_make2(gjk_add2(home, away), 0, &b.pose), GJK_OK);
        check_boxes(&a, &b);
    }
    gjk_arena_fini(&arena);
}

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
    gjk_distance_into(a, b, &distance, &far[1]);
    ck_assert_uint_gt(steps, 0);
    ck_assert_int_eq(memcmp(&deep[0], &deep[1], sizeof deep[0]), 0);
    ck_assert_int_eq(memcmp(&far[0], &far[1], sizeof far[0]), 0);
}

/* It hears the general method; the answer stays the kernels'. */
TEST(a_recorder_changes_no_bit) {
    for_pairs(8, record);
}

#ifdef GJK_SCAN_X86
/* Both are cleared, so that bytes between members are the same too. */
static void require_same(const gjk_placed *a, const gjk_placed *b,
                         const struct gjk_flat_kernels *set) {
    const bool round = a->shape->flat + b->shape->flat != 2 * GJK_FLAT_POLYGON;
    gjk_flat_kernel *const *plain = round ? gjk_flat_plain.circle : gjk_flat_plain.polygons;
    gjk_flat_kernel *const *fast = round ? set->circle : set->polygons;
    gjk_pair_settings settings = gjk_detect_settings_default();
    for (int i = 0; i < 3; i++) {
        const gjk_question question = i < 2 ? GJK_ASK_DETECT : GJK_ASK_DISTANCE;
        gjk_pair_answer one, other;
        memset(&one, 0, sizeof one);
        memset(&other, 0, sizeof other);
        settings.penetration = i == 0;
        ck_assert_int_eq(plain[question](a, b, &settings, &one),
                         fast[question](a, b, &settings, &other));
        ck_assert_mem_eq(&one, &other, sizeof one);
    }
}

static void compare_sets(const gjk_placed *a, const gjk_placed *b) {
    if (a->shape->flat + b->shape->flat == 2 * GJK_FLAT_POINT) {
        return; /* the kernel of circles is one for all */
    }
    if (__builtin_cpu_supports("avx2")) {
        require_same(a, b, &gjk_flat_avx2);
    }
    if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        require_same(a, b, &gjk_flat_avx512);
    }
}

TEST(every_instruction_set_gives_the_same_bits) {
    for_pairs(8, compare_sets);
}
#endif

TEST(the_order_of_the_shapes_changes_nothing) {
    for_pairs(10, compare_orders);
}

/* Nearly all of them, or the work before the general question would be in vain. */
static int decided, asked;

static void count(const gjk_placed *a, const gjk_placed *b) {
    const gjk_detect_settings deep = gjk_detect_settings_default();
    const gjk_distance_settings apart = gjk_distance_settings_default();
    gjk_detect_result depth;
    gjk_distance_result distance;
    asked += 2;
    decided += gjk_flat_answer(GJK_ASK_DETECT, a, b, &deep, &depth);
    decided += gjk_flat_answer(GJK_ASK_DISTANCE, a, b, &apart, &distance);
}

TEST(they_decide_nearly_all_pairs) {
    for_pairs(9, count);
    ck_assert_int_gt(asked, PAIRS);
    ck_assert_msg(decided > asked / 100 * 95, "%d of %d", decided, asked);
}

/* A place past which products of lengths could overflow, and one just before. */
TEST(they_leave_huge_and_far_pairs_to_others) {
    struct gjk_arena arena;
    gjk_shape box, huge;
    gjk_arena_init(&arena, 0);
    ck_assert_int_eq(gjk_shape_make_box(&arena, 2, (gjk_vec3){1, 1, 0}, 0.0, &box), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_box(&arena, 2, (gjk_vec3){0x1p90, 1, 0}, 0.0, &huge), GJK_OK);
    ck_assert_int_eq(huge.flat, GJK_FLAT_NOT);
    gjk_placed a = {&box, gjk_pose_identity()}, b = a;
    const gjk_detect_settings settings = gjk_detect_settings_default();
    gjk_detect_result result;
    b.pose.position.x = 0x1p98;
    ck_assert(gjk_flat_answer(GJK_ASK_DETECT, &a, &b, &settings, &result));
    b.pose.position.x = 0x1p100;
    ck_assert(!gjk_flat_answer(GJK_ASK_DETECT, &a, &b, &settings, &result));
    ck_assert_int_eq(gjk_detect(&a, &b, &settings).state, GJK_SEPARATED);
    gjk_arena_fini(&arena);
}
