/*
 * Does a shape that moves and turns stop where it first touches, and never later? Against closed
 * forms (rods and discs that turn about their ends), against the distance sampled densely along the
 * way, and for blades that spin many times.
 */

#include "curved.h"
#include "support/test.h"

#include "base/angle.h"
#include "gjk/cast.h"
#include "gjk/pieces.h"

#define PI 3.14159265358979323846
#define CASES 600
#define SAMPLES 400
#define DENSE 100000

static struct gjk_arena arena;
static const gjk_cast_settings settings = {.tolerance = GJK_TOLERANCE_DEFAULT,
                                           .max_iterations = GJK_ITERATIONS_DEFAULT};

static gjk_placed at(const gjk_shape *shape, double x, double y, double z) {
    gjk_placed placed = {shape, gjk_pose_identity()};
    placed.pose.position = (gjk_vec3){x, y, z};
    return placed;
}

static gjk_shape segment(uint32_t dimension, gjk_vec3 a, gjk_vec3 b, double rounding) {
    gjk_shape shape;
    ck_assert_int_eq(gjk_shape_make_segment(&arena, dimension, a, b, rounding, &shape), GJK_OK);
    return shape;
}

static gjk_shape ball(uint32_t dimension, double radius) {
    gjk_shape shape;
    ck_assert_int_eq(gjk_shape_make_ball(&arena, dimension, radius, 0, &shape), GJK_OK);
    return shape;
}

static gjk_rigid_motion spin(double angle) {
    return (gjk_rigid_motion){{0, 0, 0}, {0, 0, 1}, angle};
}

static void open_arena(void), close_arena(void);
TEST_FIXTURE(open_arena, close_arena)

/* The angle between two turns of a rod of length 1 about the origin until it meets a ball. */
TEST(a_rod_turns_about_its_end) {
    test_rng rng = test_rng_make(91);
    for (uint32_t dimension = 2; dimension <= 3; dimension++) {
        const gjk_shape rod = segment(dimension, (gjk_vec3){0, 0, 0}, (gjk_vec3){1, 0, 0}, 0);
        for (int i = 0; i < CASES; i++) {
            const double far = test_rng_uniform(&rng, 0.3, 0.95),
                         radius = test_rng_magnitude(&rng, -6, -1);
            const double where = test_rng_uniform(&rng, 0.4, 2.9);
            const gjk_shape disc = ball(dimension, radius);
            const gjk_placed moving = at(&rod, 0, 0, 0);
            const gjk_placed target = at(&disc, far * cos(where), far * sin(where), 0);
            const gjk_rigid_motion motion = spin(PI);
            const gjk_cast_result r = gjk_cast_turning(&moving, &motion, &target, &settings);
            const double wanted = (where - asin(radius / far)) / PI;
            ck_assert_msg(r.hit && fabs(r.fraction - wanted) <= 1e-9, "%g: %.17g is not %.17g",
                          radius, r.fraction, wanted);
            ck_assert(r.convergence == GJK_CONVERGED && r.iterations <= 12);
            ck_assert(r.distance == 0 && r.has_normal && r.normal.z == 0);
            /* The normal leads from the ball to the rod, whose side it is perpendicular to. */
            const double along =
                r.normal.x * cos(r.fraction * PI) + r.normal.y * sin(r.fraction * PI);
            ck_assert(fabs(along) < 1e-6);
        }
    }
}

/* One that stands away from its own origin, as an arm does that has its joint there. */
TEST(a_rod_turns_about_what_it_is_not_at) {
    test_rng rng = test_rng_make(96);
    for (int i = 0; i < 2 * CASES; i++) {
        const uint32_t dimension = i % 2 == 0 ? 2 : 3;
        const double from = test_rng_magnitude(&rng, 0, 4), way = test_rng_uniform(&rng, 0.1, 0.9);
        const gjk_shape rod =
            segment(dimension, (gjk_vec3){from, 0, 0}, (gjk_vec3){from + 1, 0, 0}, 0);
        const double radius = test_rng_magnitude(&rng, -6, -2);
        const double where = test_rng_uniform(&rng, 0.4, 2.9);
        /* a disc off its own origin, too */
        const gjk_vec3 middle = {(from + way) * cos(where) - from, (from + way) * sin(where), 0};
        const gjk_shape disc = segment(dimension, middle, middle, radius);
        const gjk_placed moving = at(&rod, 0, 0, 0), target = at(&disc, from, 0, 0);
        const gjk_rigid_motion motion = spin(PI);
        const gjk_cast_result r = gjk_cast_turning(&moving, &motion, &target, &settings);
        const double wanted = (where - asin(radius / (from + way))) / PI;
        ck_assert_msg(r.hit && fabs(r.fraction - wanted) <= 1e-9, "%g, %g: %d, %.17g is not %.17g",
                      from, radius, r.hit, r.fraction, wanted);
        ck_assert(r.convergence == GJK_CONVERGED && r.has_normal && r.normal.z == 0);
    }
}

/* A point off the end is passed, however near; one at less than the length is met. */
TEST(the_tip_passes_or_meets) {
    const gjk_shape rod = segment(2, (gjk_vec3){0, 0, 0}, (gjk_vec3){1, 0, 0}, 0);
    gjk_shape point;
    ck_assert_int_eq(gjk_shape_make_point(&arena, 2, 0, &point), GJK_OK);
    for (int k = 2; k <= 8; k++) {
        const double gap = pow(10, -k);
        for (int sign = -1; sign <= 1; sign += 2) {
            const gjk_placed moving = at(&rod, 0, 0, 0), target = at(&point, 0, 1 + sign * gap, 0);
            const gjk_rigid_motion motion = spin(PI);
            const gjk_cast_result r = gjk_cast_turning(&moving, &motion, &target, &settings);
            ck_assert_msg(r.hit == (sign < 0), "%d %d", k, sign);
            ck_assert(sign > 0 || fabs(r.fraction - 0.5) <= 1e-9);
            ck_assert_uint_le(r.iterations, 60);
        }
    }
}

/* Moving by v while it turns by w, a rod's tip draws a curve; where it meets a wall is its root. */
TEST(a_rod_turns_and_moves_to_a_wall) {
    const gjk_shape rod = segment(2, (gjk_vec3){0, 0, 0}, (gjk_vec3){1, 0, 0}, 0);
    gjk_shape wall;
    ck_assert_int_eq(gjk_shape_make_box(&arena, 2, (gjk_vec3){50, 0.5, 0}, 0, &wall), GJK_OK);
    for (int k = 1; k < 20; k++) {
        const double angle = 0.15 * k, way = 0.4 + 0.1 * k, height = 0.8;
        const gjk_placed moving = at(&rod, 0, 0, 0), target = at(&wall, 0, height + 0.5, 0);
        const gjk_rigid_motion motion = {{0.3, way, 0}, {0, 0, 1}, angle};
        const gjk_cast_result r = gjk_cast_turning(&moving, &motion, &target, &settings);
        double low = 0, high = 1;
        for (int i = 0; i < DENSE && way * high + fmax(0, sin(angle * high)) >= height; i++) {
            high -= 1.0 / DENSE; /* back to before the first root */
        }
        low = high;
        high = fmin(1, low + 1.0 / DENSE);
        if (way + sin(angle) < height && way < height) {
            ck_assert(!r.hit || r.fraction > 0);
            continue;
        }
        double first = 2;
        for (int i = 0; i <= DENSE && first > 1; i++) {
            const double t = (double)i / DENSE;
            first = way * t + fmax(0, sin(angle * t)) >= height ? t : first;
        }
        ck_assert(r.hit && r.fraction <= first + 1e-12 && r.fraction >= first - 1.0 / DENSE - 1e-9);
    }
}

static gjk_distance_result distance_at(const gjk_placed *moving, const gjk_rigid_motion *motion,
                                       const gjk_placed *target, double t) {
    const gjk_distance_settings how = gjk_distance_settings_default();
    const gjk_placed moved = {moving->shape, gjk_rigid_motion_pose(&moving->pose, motion, t)};
    return gjk_distance(target, &moved, &how);
}

/* No sample before the fraction touches, and at the fraction the two do. */
static void check_by_samples(const gjk_placed *moving, const gjk_rigid_motion *motion,
                             const gjk_placed *target, const gjk_cast_result *r, int samples) {
    const double size = fmax(moving->shape->size, target->shape->size);
    const double until = r->hit ? r->fraction : 1;
    for (int i = 0; i <= samples; i++) {
        const double t = until * i / samples;
        const gjk_distance_result d = distance_at(moving, motion, target, t);
        ck_assert_msg(d.state != GJK_OVERLAPPING || d.lower_bound > 0 || t >= until,
                      "overlaps at %.17g before %.17g", t, until);
    }
    if (r->hit && !r->inside && r->convergence == GJK_CONVERGED) {
        const gjk_distance_result d = distance_at(moving, motion, target, r->fraction);
        ck_assert_msg(d.distance <= 1e-8 * size, "%.3g apart at the hit", d.distance);
    }
}

TEST(no_contact_is_missed) {
    test_rng rng = test_rng_make(92);
    int hits = 0, misses = 0;
    uint32_t most = 0;
    for (int i = 0; i < 2 * CASES; i++) {
        const uint32_t dimension = i % 2 == 0 ? 2 : 3;
        test_curved moving, target;
        test_curved_make_random(&moving, &rng, dimension, 1.0, &arena, true);
        test_curved_make_random(&target, &rng, dimension, test_rng_magnitude(&rng, -1, 1), &arena,
                                true);
        const double reach = moving.shape.size + target.shape.size;
        const gjk_vec3 home = gjk_scale3(5, test_rng_direction(&rng, dimension));
        const gjk_vec3 from = gjk_add3(home, gjk_scale3(reach * test_rng_uniform(&rng, 0.3, 2),
                                                        test_rng_direction(&rng, dimension)));
        test_curved_place_randomly(&moving, &rng, from);
        test_curved_place_randomly(&target, &rng, home);
        gjk_rigid_motion motion =
            {gjk_scale3(test_rng_uniform(&rng, 0, 1.5),
                        gjk_add3(gjk_sub3(home, from),
                                 gjk_scale3(0.4 * reach, test_rng_direction(&rng, dimension)))),
             dimension == 2 ? (gjk_vec3){0, 0, 1} : test_rng_direction(&rng, 3),
             test_rng_uniform(&rng, -PI, PI)};
        const gjk_cast_result r =
            gjk_cast_turning(&moving.placed, &motion, &target.placed, &settings);
        check_by_samples(&moving.placed, &motion, &target.placed, &r, SAMPLES);
        hits += r.hit && !r.inside;
        misses += !r.hit;
        most = r.iterations > most ? r.iterations : most;
    }
    ck_assert_msg(hits > CASES / 4 && misses > CASES / 4, "%d hits, %d misses", hits, misses);
    ck_assert_msg(most <= GJK_ITERATIONS_DEFAULT, "%u steps", most);
}

TEST(dense_samples_agree) {
    test_rng rng = test_rng_make(93);
    gjk_shape hull[2];
    for (int i = 0; i < 12; i++) {
        gjk_vec3 points[2][12];
        for (int k = 0; k < 2; k++) {
            for (int n = 0; n < 12; n++) {
                points[k][n] =
                    gjk_scale3(test_rng_uniform(&rng, 0.2, 1), test_rng_direction(&rng, 3));
            }
            ck_assert_int_eq(gjk_shape_make_hull(&arena, 3, points[k], 12, 0, &hull[k]), GJK_OK);
        }
        const gjk_placed moving = at(&hull[0], 0, 0, 0), target = at(&hull[1], 1.7, 0.4, 0);
        const gjk_rigid_motion motion = {{0.2, 0, 0.1}, test_rng_direction(&rng, 3), 3};
        const gjk_cast_result r = gjk_cast_turning(&moving, &motion, &target, &settings);
        check_by_samples(&moving, &motion, &target, &r, DENSE);
    }
}

/* A blade as thin as nothing, a million radians: it meets what stands in its disc in its first
 * turn. */
TEST(a_blade_spins) {
    const gjk_shape blade = segment(2, (gjk_vec3){-1, 0, 0}, (gjk_vec3){1, 0, 0}, 0);
    gjk_shape fly;
    ck_assert_int_eq(gjk_shape_make_point(&arena, 2, 0, &fly), GJK_OK);
    for (int k = 1; k < 40; k++) {
        const double where = k * PI / 40, angle = 1e6;
        const gjk_placed moving = at(&blade, 0, 0, 0);
        gjk_placed target = at(&fly, 0.7 * cos(where), 0.7 * sin(where), 0);
        gjk_rigid_motion motion = spin(angle);
        gjk_cast_result r = gjk_cast_turning(&moving, &motion, &target, &settings);
        ck_assert(r.hit && fabs(r.fraction * angle - where) <= 1e-9 * angle);
        ck_assert_msg(fabs(r.fraction * angle - where) <= 1e-9, "%.17g",
                      r.fraction * angle - where);
        /* Far off, it takes no more steps than a disc would, and then meets it within half a
         * turn. */
        motion.translation = (gjk_vec3){0, -50, 0};
        target.pose.position = (gjk_vec3){0.1, -30, 0};
        r = gjk_cast_turning(&moving, &motion, &target, &settings);
        ck_assert(r.hit && r.convergence == GJK_CONVERGED && r.iterations <= 100);
        const double disc = (30 - sqrt(1 - 0.01)) / 50;
        ck_assert(r.fraction >= disc - 1e-9 && r.fraction <= disc + 2 * PI / angle);
        target.pose.position.x = 1.0001; /* beside the disc: never met */
        ck_assert(!gjk_cast_turning(&moving, &motion, &target, &settings).hit);
    }
}

/* With few steps there is a hit that is not proven, never a contact that is missed. */
TEST(few_steps_never_miss) {
    test_rng rng = test_rng_make(94);
    gjk_cast_settings few = settings;
    few.max_iterations = GJK_ITERATIONS_MIN;
    int unproven = 0;
    for (int i = 0; i < CASES; i++) {
        test_curved moving, target;
        test_curved_make_random(&moving, &rng, 3, 1.0, &arena, true);
        test_curved_make_random(&target, &rng, 3, 1.0, &arena, true);
        test_curved_place_randomly(&moving, &rng, (gjk_vec3){0, 0, 0});
        test_curved_place_randomly(&target, &rng, gjk_scale3(2, test_rng_direction(&rng, 3)));
        const gjk_rigid_motion motion = {gjk_scale3(0.5, test_rng_direction(&rng, 3)),
                                         test_rng_direction(&rng, 3),
                                         test_rng_uniform(&rng, 0, 400)};
        const gjk_cast_result full =
            gjk_cast_turning(&moving.placed, &motion, &target.placed, &settings);
        const gjk_cast_result r = gjk_cast_turning(&moving.placed, &motion, &target.placed, &few);
        ck_assert(!full.hit || full.convergence != GJK_CONVERGED ||
                  (r.hit && r.fraction <= full.fraction + 1e-8));
        ck_assert_uint_le(r.iterations, 10 * GJK_ITERATIONS_MIN + 100);
        unproven += r.hit && r.convergence == GJK_ITERATION_LIMIT;
    }
    ck_assert(unproven > 0);
}

/* Touching at the start: away or along is no hit, inwards is one at once. */
TEST(touching_at_the_start) {
    gjk_shape box, floor_shape;
    ck_assert_int_eq(gjk_shape_make_box(&arena, 2, (gjk_vec3){1, 1, 0}, 0, &box), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_box(&arena, 2, (gjk_vec3){50, 1, 0}, 0, &floor_shape), GJK_OK);
    const gjk_placed moving = at(&box, 0, 0, 0), ground = at(&floor_shape, 0, -2, 0);
    gjk_rigid_motion motion = {{0, 0, 0}, {0, 0, 1}, 0.5};
    gjk_cast_result r = gjk_cast_turning(&moving, &motion, &ground, &settings);
    ck_assert(r.hit && r.fraction == 0 && !r.inside);
    motion.translation = (gjk_vec3){0, 3, 0}; /* lifted off faster than it tips */
    ck_assert(!gjk_cast_turning(&moving, &motion, &ground, &settings).hit);
    const gjk_shape wheel = ball(2, 1);
    const gjk_placed rolling = at(&wheel, 0, 0, 0);
    motion = (gjk_rigid_motion){{3, 0, 0}, {0, 0, 1}, -3};
    ck_assert(!gjk_cast_turning(&rolling, &motion, &ground, &settings).hit);
}

/* The pieces of a compound turn about the origin of the whole. */
TEST(pieces_turn_about_the_whole) {
    const gjk_shape disc = ball(2, 0.25), small = ball(2, 0.05);
    gjk_shape whole, cloud;
    const gjk_placed parts[2] = {at(&disc, 2, 0, 0), at(&disc, -3, 0, 0)};
    const gjk_placed others[3] = {at(&small, 0, 9, 0), at(&small, 0, 2, 0), at(&small, 5, 5, 0)};
    ck_assert_int_eq(gjk_shape_make_compound(&arena, 2, parts, 2, &whole), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_compound(&arena, 2, others, 3, &cloud), GJK_OK);
    const gjk_placed moving = at(&whole, 0, 0, 0), target = at(&cloud, 0, 0, 0);
    const gjk_rigid_motion motion = spin(PI);
    const gjk_cast_result r = gjk_cast_turning(&moving, &motion, &target, &settings);
    /* Centres on circles of radius 2 meet when the chord is 0.3. */
    const double wanted = (PI / 2 - 2 * asin(0.3 / 4)) / PI;
    ck_assert(r.hit && r.moving_piece == 0 && r.piece == 1);
    ck_assert_msg(fabs(r.fraction - wanted) <= 1e-9, "%.17g is not %.17g", r.fraction, wanted);
    gjk_shape inner;
    ck_assert_int_eq(gjk_shape_make_box(&arena, 2, (gjk_vec3){0.5, 0.5, 0}, 0, &inner), GJK_OK);
    const gjk_placed hub = at(&inner, 0, 0, 0); /* which the arms go round */
    ck_assert(!gjk_cast_turning(&moving, &motion, &hub, &settings).hit);
}

/* Half turns go the positive way, others the shorter. */
TEST(motions_between_poses) {
    gjk_pose from, to;
    test_rng rng = test_rng_make(95);
    for (int i = 0; i < CASES; i++) {
        const gjk_vec3 u = test_rng_direction(&rng, 3), v = test_rng_direction(&rng, 3);
        const double s = sin(0.4 * i), c = cos(0.4 * i);
        ck_assert_int_eq(gjk_pose_make3(u, (gjk_quat){0, 0, s, c}, &from), GJK_OK);
        ck_assert_int_eq(gjk_pose_make3(v, (gjk_quat){u.x * c, u.y * c, u.z * c, s}, &to), GJK_OK);
        const gjk_rigid_motion motion = gjk_rigid_motion_between(3, &from, &to);
        const gjk_pose end = gjk_rigid_motion_pose(&from, &motion, 1);
        ck_assert(motion.angle >= 0 && motion.angle <= PI);
        ck_assert(gjk_length3(gjk_sub3(end.position, to.position)) < 1e-15);
        const gjk_vec3 p = {1, 2, 3};
        ck_assert(gjk_length3(gjk_sub3(gjk_mul3(&end.rotation, p), gjk_mul3(&to.rotation, p))) <
                  1e-14);
    }
    ck_assert_int_eq(gjk_pose_make3((gjk_vec3){0, 0, 0}, (gjk_quat){0, 0, 0, 1}, &from), GJK_OK);
    static const gjk_vec3 axes[] = {{1, 0, 0},
                                    {0, 1, 0},
                                    {0, 0, 1},
                                    {0.6, -0.8, 0},
                                    {0, 0.6, -0.8}};
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            const gjk_vec3 a = axes[i];
            const gjk_quat q = {sign * a.x, sign * a.y, sign * a.z, 0};
            ck_assert_int_eq(gjk_pose_make3((gjk_vec3){0, 0, 0}, q, &to), GJK_OK);
            const gjk_rigid_motion motion = gjk_rigid_motion_between(3, &from, &to);
            ck_assert(fabs(motion.angle - PI) < 1e-12 && gjk_dot3(motion.axis, a) > 0.999);
        }
    }
    for (int sign = -1; sign <= 1; sign += 2) {
        ck_assert_int_eq(gjk_pose_make2((gjk_vec2){0, 0}, 1, &from), GJK_OK);
        ck_assert_int_eq(gjk_pose_make2((gjk_vec2){0, 0}, 1 + sign * PI, &to), GJK_OK);
        ck_assert(fabs(gjk_rigid_motion_between(2, &from, &to).angle - PI) < 1e-12);
        ck_assert_int_eq(gjk_pose_make2((gjk_vec2){0, 0}, 1 + sign * 3, &to), GJK_OK);
        ck_assert(fabs(gjk_rigid_motion_between(2, &from, &to).angle - sign * 3) < 1e-12);
    }
}

/* Halfway between two poses, as what moves and what is interpolated see it. */
static void same_way(uint32_t dimension, gjk_quat p, gjk_quat q, double from, double to) {
    gjk_pose a, b, between;
    const gjk_vec3 at = {0, 0, 0};
    if (dimension == 2) {
        ck_assert_int_eq(gjk_pose_make2(gjk_xy(at), from, &a), GJK_OK);
        ck_assert_int_eq(gjk_pose_make2(gjk_xy(at), to, &b), GJK_OK);
        ck_assert_int_eq(gjk_pose_make2(gjk_xy(at), gjk_slerp2(from, to, 0.5), &between), GJK_OK);
    } else {
        ck_assert_int_eq(gjk_pose_make3(at, p, &a), GJK_OK);
        ck_assert_int_eq(gjk_pose_make3(at, q, &b), GJK_OK);
        ck_assert_int_eq(gjk_pose_make3(at, gjk_slerp3(p, q, 0.5), &between), GJK_OK);
    }
    const gjk_rigid_motion motion = gjk_rigid_motion_between(dimension, &a, &b);
    const gjk_pose moved = gjk_rigid_motion_pose(&a, &motion, 0.5);
    const gjk_vec3 corner = {1, 2, 3};
    const gjk_vec3 off =
        gjk_sub3(gjk_mul3(&moved.rotation, corner), gjk_mul3(&between.rotation, corner));
    ck_assert_msg(gjk_length3(off) < 1e-8, "from %.17g to %.17g, or to (%g, %g, %g, %g)", from, to,
                  q.x, q.y, q.z, q.w);
}

/* At and near a half turn, the positive way or not: a cast goes the way of an interpolation. */
TEST(half_turns_go_one_way) {
    const gjk_quat identity = {0, 0, 0, 1};
    test_rng rng = test_rng_make(96);
    for (int i = 0; i < CASES; i++) {
        const double largest = test_rng_once_in(&rng, 2) ? 0 : test_rng_magnitude(&rng, 0, 6);
        const double from = test_rng_uniform(&rng, -largest, largest);
        for (int k = -64; k <= 64; k++) {
            const double to = from + (i % 2 == 0 ? -PI : PI) + k * 0x1p-53 * (1 + largest);
            same_way(2, identity, identity, from, to);
        }
        const gjk_vec3 u = i % 4 == 0 ? (gjk_vec3){i % 8 == 0, 0, -1} : test_rng_direction(&rng, 3);
        const gjk_quat p = i % 3 == 0 ? identity : test_rng_rotation(&rng);
        for (int k = -64; k <= 64; k++) {
            const double w = k * 0x1p-54;
            /* (u, w) times p */
            const gjk_vec3 v = {p.x, p.y, p.z};
            const gjk_vec3 t =
                gjk_add3(gjk_add3(gjk_scale3(p.w, u), gjk_scale3(w, v)), gjk_cross3(u, v));
            const double length = sqrt(gjk_dot3(u, u) + w * w);
            const gjk_quat q = {t.x / length, t.y / length, t.z / length,
                                (w * p.w - gjk_dot3(u, v)) / length};
            same_way(3, p, q, 0, 0);
        }
    }
}

static void open_arena(void) {
    gjk_arena_init(&arena, 0);
}

static void close_arena(void) {
    gjk_arena_fini(&arena);
}
