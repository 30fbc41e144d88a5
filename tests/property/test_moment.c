/*
 * Does a body between two ticks stand where it should: on the straight line, the shortest arc
 * away, at even speed? Rotations are compared with quaternions of 113 bits that are halved again
 * and again, which is slerp at the fractions k / 2^n.
 */

#include "gjk/snapshot.h"

#include <float.h>
#include <string.h>

#include "quad.h"
#include "rng.h"
#include "set_body.h"
#include "support/test.h"

#define CASES TEST_CASES(20000)
#define HASHED 20000 /* for the hash at the end */
#define PI 3.14159265358979323846

/* Of each component of a unit quaternion, and of an angle of about one turn. */
#define TURN_ERROR 6e-16

typedef struct quad4 {
    quad x, y, z, w;
} quad4;

static struct gjk_arena arena;
static gjk_shape shape[2]; /* a point of dimension 2, and of 3 */

static void set_up(void) {
    gjk_arena_init(&arena, 0);
    for (uint32_t i = 0; i < 2; i++) {
        ck_assert_int_eq(gjk_shape_make_point(&arena, 2 + i, 0, &shape[i]), GJK_OK);
    }
}

static void tear_down(void) {
    gjk_arena_fini(&arena);
}

TEST_FIXTURE(set_up, tear_down)

static gjk_body make_body2(gjk_vec2 position, double angle) {
    gjk_body body = {.id = "x", .handle = 7};
    body.placed.shape = &shape[0];
    ck_assert_int_eq(gjk_pose_make2(position, angle, &body.placed.pose), GJK_OK);
    return body;
}

static gjk_body make_body3(gjk_vec3 position, gjk_quat q) {
    gjk_body body = {.id = "x", .handle = 7};
    body.placed.shape = &shape[1];
    ck_assert_int_eq(gjk_pose_make3(position, q, &body.placed.pose), GJK_OK);
    return body;
}

/* Where `from` stands on its way to `to`. */
static gjk_pose pose_between(const gjk_body *from, const gjk_body *to, double alpha) {
    uint32_t dimension = from->placed.shape->dimension;
    struct gjk_set *set = NULL, *next = NULL;
    ck_assert_int_eq(gjk_set_new(dimension, from, 1, &set), GJK_OK);
    ck_assert_int_eq(gjk_set_new(dimension, to, 1, &next), GJK_OK);
    gjk_snapshot snapshot = {.set = set, .next = next, .alpha = alpha};
    gjk_pose pose = gjk_snapshot_pose(&snapshot, test_set_body(set, 0));
    gjk_set_release(set);
    gjk_set_release(next);
    return pose;
}

static double angle_between(double a, double b, double alpha) {
    gjk_body from = make_body2((gjk_vec2){0, 0}, a), to = make_body2((gjk_vec2){0, 0}, b);
    return pose_between(&from, &to, alpha).turn.angle;
}

static gjk_quat quat_between(gjk_quat p, gjk_quat q, double alpha) {
    gjk_body from = make_body3((gjk_vec3){0, 0, 0}, p), to = make_body3((gjk_vec3){0, 0, 0}, q);
    return pose_between(&from, &to, alpha).turn.orientation;
}

static bool same_pose(const gjk_pose *p, const gjk_pose *q) {
    return p->position.x == q->position.x && p->position.y == q->position.y &&
           p->position.z == q->position.z && gjk_same_rotation(&p->rotation, &q->rotation);
}

static gjk_quat random_quat(test_rng *rng) {
    double v[4], square = 0;
    for (int i = 0; i < 4; i++) {
        v[i] = test_rng_uniform(rng, -1, 1);
        square += v[i] * v[i];
    }
    double scale = test_rng_uniform(rng, 0.9991, 1.0009) / sqrt(square);
    return (gjk_quat){v[0] * scale, v[1] * scale, v[2] * scale, v[3] * scale};
}

static quad4 quad4_unit(quad4 q) {
    quad scale = 1 / quad_sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (quad4){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
}

static quad4 quad4_of(gjk_quat q) {
    return quad4_unit((quad4){q.x, q.y, q.z, q.w});
}

static quad4 quad4_middle(quad4 p, quad4 q) {
    return quad4_unit((quad4){p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w});
}

static quad quad4_dot(quad4 p, quad4 q) {
    return p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
}

/* Slerp at k / 2^n, the shortest way. */
static quad4 reference_slerp(gjk_quat from, gjk_quat to, unsigned k, unsigned n) {
    quad4 p = quad4_of(from), q = quad4_of(to);
    if (quad4_dot(p, q) < 0) {
        q = (quad4){-q.x, -q.y, -q.z, -q.w};
    }
    for (unsigned half = 1u << (n - 1); half > 0; half >>= 1) {
        quad4 middle = quad4_middle(p, q);
        *(k & half ? &p : &q) = middle;
    }
    return p;
}

static double quat_error(gjk_quat got, quad4 expected) {
    double e[4] = {(double)(got.x - expected.x), (double)(got.y - expected.y),
                   (double)(got.z - expected.z), (double)(got.w - expected.w)};
    return fmax(fmax(fabs(e[0]), fabs(e[1])), fmax(fabs(e[2]), fabs(e[3])));
}

TEST(positions_go_straight) {
    test_rng rng = test_rng_make(61);
    for (int i = 0; i < CASES; i++) {
        double a = test_rng_magnitude(&rng, -12, 12), b = test_rng_magnitude(&rng, -12, 12);
        a = i & 1 ? a : -a;
        b = i % 7 == 0 ? a : i & 2 ? b : -b;
        gjk_body from = make_body2((gjk_vec2){a, b}, 0), to = make_body2((gjk_vec2){b, a}, 0);
        double last = a;
        for (int k = 0; k <= 20; k++) {
            double t = k == 20 ? nextafter(1, 0) : k / 20.0;
            gjk_vec3 at = pose_between(&from, &to, t).position;
            quad expected = (quad)a + (quad)t * ((quad)b - (quad)a);
            ck_assert(fabs((double)(at.x - expected)) <= 3.4e-16 * fmax(fabs(a), fabs(b)));
            ck_assert(fmin(a, b) <= at.x && at.x <= fmax(a, b));
            ck_assert(fmin(a, b) <= at.y && at.y <= fmax(a, b));
            ck_assert(b >= a ? at.x >= last : at.x <= last);
            ck_assert(k > 0 || (at.x == a && at.y == b));
            last = at.x;
        }
    }
}

TEST(positions_as_far_as_they_go) {
    const double most = GJK_COORDINATE_MAX;
    gjk_body from = make_body3((gjk_vec3){-most, most, 0}, (gjk_quat){0, 0, 0, 1});
    gjk_body to = make_body3((gjk_vec3){most, most, -most}, (gjk_quat){1, 0, 0, 0});
    gjk_vec3 at = pose_between(&from, &to, 0.5).position;
    ck_assert(at.x == 0 && at.y == most && at.z == -0.5 * most);
}

TEST(angles_take_the_shortest_arc) {
    test_rng rng = test_rng_make(62);
    for (int i = 0; i < CASES; i++) {
        double turns = i % 2 == 0 ? 0 : 2 * PI * test_rng_integer(&rng, -5, 5);
        double a = test_rng_uniform(&rng, -4, 4), way = test_rng_uniform(&rng, -3.14159, 3.14159);
        double b = a + way + turns, t = test_rng_uniform(&rng, 0, 1);
        double s0, c0, s1, c1;
        gjk_sincos(a + t * way, &s0, &c0);
        gjk_sincos(angle_between(a, b, t), &s1, &c1);
        ck_assert_msg(fabs(s1 * c0 - c1 * s0) <= 2e-14 && c1 * c0 + s1 * s0 > 0,
                      "%.17g to %.17g at %.17g", a, b, t);
    }
    ck_assert(angle_between(0, 1, 0.5) == 0.5);
    ck_assert(angle_between(3, 3, 0.25) == 3);
    ck_assert(fabs(angle_between(3, -3, 0.5) - PI) <= TURN_ERROR);
    ck_assert(fabs(angle_between(-3, 3, 0.5) + PI) <= TURN_ERROR);
    ck_assert(fabs(angle_between(0, 6, 0.5) - (3 - PI)) <= TURN_ERROR);
    /* Of a large angle only what is within a turn counts, to the last bit. */
    double expected, got, unused;
    gjk_sincos(1e15, &expected, &unused);
    gjk_sincos(angle_between(1e15, 0, 0x1p-60), &got, &unused);
    ck_assert(fabs(got - expected) <= 1e-15);
}

/* However the two angles are written, a half turn goes counter-clockwise. */
TEST(half_turns_in_2d_go_counter_clockwise) {
    for (int n = 0; n < 48; n++) {
        for (int turns = -3; turns <= 3; turns++) {
            double a = n * PI / 24, b = a + (2 * turns + 1) * PI;
            double s, c, s1, c1;
            gjk_sincos(a + PI / 4, &s, &c);
            gjk_sincos(angle_between(a, b, 0.25), &s1, &c1);
            ck_assert_msg(fabs(s1 - s) < 1e-13 && fabs(c1 - c) < 1e-13, "%.17g to %.17g", a, b);
        }
    }
    ck_assert(angle_between(0, PI, 0.5) == PI / 2);
    ck_assert(angle_between(0, -PI, 0.5) == PI / 2);
    ck_assert(angle_between(PI / 2, -PI / 2, 0.5) == PI);
    /* A little less than a half turn is none. */
    ck_assert(fabs(angle_between(0, -PI + 1e-12, 0.5) + PI / 2) < 1e-11);
    ck_assert(fabs(angle_between(0, PI + 1e-12, 0.5) + PI / 2) < 1e-11);
}

TEST(quaternions_take_the_shortest_arc_at_even_speed) {
    test_rng rng = test_rng_make(63);
    double worst = 0;
    for (int i = 0; i < CASES; i++) {
        gjk_quat p = random_quat(&rng), q = random_quat(&rng);
        if (i % 4 == 0) { /* nearly equal, or nearly opposite, which is the same rotation */
            double off = test_rng_magnitude(&rng, -18, -3), sign = i % 8 == 0 ? 1 : -1;
            q = (gjk_quat){sign * (p.x + off), sign * p.y, sign * (p.z - off), sign * p.w};
            double scale = 1 / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
            q = (gjk_quat){q.x * scale, q.y * scale, q.z * scale, q.w * scale};
        }
        unsigned k = 1 + test_rng_below(&rng, 255);
        gjk_quat at = quat_between(p, q, k / 256.0);
        double length = sqrt(at.x * at.x + at.y * at.y + at.z * at.z + at.w * at.w);
        bool stays = at.x == p.x && at.y == p.y && at.z == p.z && at.w == p.w;
        ck_assert(fabs(length - 1) <= 4e-16 || stays);
        at = (gjk_quat){at.x / length, at.y / length, at.z / length, at.w / length};
        worst = fmax(worst, quat_error(at, reference_slerp(p, q, k, 8)));
    }
    ck_assert_msg(worst <= TURN_ERROR, "error %.3g", worst);
}

/* A turn by half: about the axis whose first component that is not zero is positive. */
TEST(half_turns_in_3d_go_the_positive_way) {
    static const struct {
        gjk_quat from, to, quarter;
    } turns[] = {
        {{0, 0, 0, 1}, {0, 0, 1, 0}, {0, 0, M_SQRT1_2, M_SQRT1_2}},
        {{0, 0, 0, 1}, {0, 0, -1, 0}, {0, 0, M_SQRT1_2, M_SQRT1_2}},
        {{0, 0, 0, 1}, {0, 1, 0, 0}, {0, M_SQRT1_2, 0, M_SQRT1_2}},
        {{0, 0, 0, 1}, {0, -1, 0, 0}, {0, M_SQRT1_2, 0, M_SQRT1_2}},
        {{0, 0, 0, 1}, {1, 0, 0, 0}, {M_SQRT1_2, 0, 0, M_SQRT1_2}},
        {{0, 0, 0, 1}, {-1, 0, 0, 0}, {M_SQRT1_2, 0, 0, M_SQRT1_2}},
        {{0, 0, M_SQRT1_2, M_SQRT1_2}, {0, 0, -M_SQRT1_2, M_SQRT1_2}, {0, 0, 1, 0}},
        {{0, 0, 0, 1}, {0, 0.8, -0.6, 0}, {0, 0.8 * M_SQRT1_2, -0.6 * M_SQRT1_2, M_SQRT1_2}},
        {{0, 0, 0, 1}, {-0.6, 0, 0.8, 0}, {0.6 * M_SQRT1_2, 0, -0.8 * M_SQRT1_2, M_SQRT1_2}},
    };
    for (size_t i = 0; i < sizeof turns / sizeof turns[0]; i++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            gjk_quat to = turns[i].to;
            to = (gjk_quat){sign * to.x, sign * to.y, sign * to.z, sign * to.w};
            gjk_quat at = quat_between(turns[i].from, to, 0.5);
            ck_assert_msg(quat_error(at, quad4_of(turns[i].quarter)) <= TURN_ERROR, "turn %zu", i);
        }
    }
    /* The same as in 2D: about z, from any angle, through sines that are rounded. */
    for (int n = 0; n < 48; n++) {
        double s0, c0, s1, c1, s2, c2, a = n * PI / 24;
        gjk_sincos(a / 2, &s0, &c0);
        gjk_sincos(a / 2 - PI / 2, &s1, &c1);
        gjk_sincos(a / 2 + PI / 8, &s2, &c2);
        gjk_quat at = quat_between((gjk_quat){0, 0, s0, c0}, (gjk_quat){0, 0, s1, c1}, 0.25);
        ck_assert(quat_error(at, quad4_of((gjk_quat){0, 0, s2, c2})) <= 2 * TURN_ERROR);
    }
}

/* What is told of a moment can be asked again as a pose. */
TEST(the_turn_gives_the_same_pose) {
    test_rng rng = test_rng_make(64);
    for (int i = 0; i < CASES; i++) {
        gjk_vec3 a = {test_rng_uniform(&rng, -9, 9), test_rng_uniform(&rng, -9, 9), 0},
                 b = {1, 2, 0};
        double t = test_rng_uniform(&rng, 0, 1);
        gjk_pose again;
        gjk_body from = make_body2(gjk_xy(a), test_rng_uniform(&rng, -9, 9));
        gjk_body to = make_body2(gjk_xy(b), test_rng_uniform(&rng, -9, 9));
        gjk_pose pose = pose_between(&from, &to, t);
        ck_assert_int_eq(gjk_pose_make2(gjk_xy(pose.position), pose.turn.angle, &again), GJK_OK);
        ck_assert(same_pose(&pose, &again));

        from = make_body3(a, random_quat(&rng));
        to = make_body3(b, i % 5 == 0 ? from.placed.pose.turn.orientation : random_quat(&rng));
        pose = pose_between(&from, &to, t);
        ck_assert_int_eq(gjk_pose_make3(pose.position, pose.turn.orientation, &again), GJK_OK);
        ck_assert(same_pose(&pose, &again));
        ck_assert(i % 5 != 0 || gjk_same_rotation(&pose.rotation, &from.placed.pose.rotation));
    }
}

TEST(who_has_nowhere_to_go_stays) {
    gjk_body from = make_body2((gjk_vec2){1, 2}, 3), to = make_body2((gjk_vec2){5, 6}, 1);
    gjk_pose pose = pose_between(&from, &to, 0.5);
    ck_assert(pose.position.x == 3 && pose.position.y == 4 && pose.turn.angle == 2);
    to.teleport = true;
    pose = pose_between(&from, &to, 0.5);
    ck_assert(same_pose(&pose, &from.placed.pose) && pose.turn.angle == 3);
    to.teleport = false;
    to.handle = 8; /* another body of the same name */
    pose = pose_between(&from, &to, 0.5);
    ck_assert(same_pose(&pose, &from.placed.pose) && pose.turn.angle == 3);
    to.handle = 7;
    to.id = "renamed";    /* the handle counts */
    from.teleport = true; /* a jump that has been made already */
    pose = pose_between(&from, &to, 0.5);
    ck_assert(pose.position.x == 3 && pose.turn.angle == 2);
}

/* A pose without a turn, as gjk_pose_compose makes it, is interpolated by its matrix. */
TEST(a_composed_pose_is_interpolated) {
    const gjk_pose none = gjk_pose_identity();
    gjk_body from = make_body2((gjk_vec2){0, 0}, 0), to = make_body2((gjk_vec2){2, 0}, 1);
    from.placed.pose = none;
    to.placed.pose = gjk_pose_compose(&to.placed.pose, &none);
    ck_assert_double_eq_tol(pose_between(&from, &to, 0.5).turn.angle, 0.5, 1e-15);
    const gjk_quat turn = {0, 0, sin(0.5), cos(0.5)};
    from = make_body3((gjk_vec3){0, 0, 0}, turn), to = make_body3((gjk_vec3){2, 0, 0}, turn);
    from.placed.pose = none;
    to.placed.pose = gjk_pose_compose(&to.placed.pose, &none);
    const gjk_pose pose = pose_between(&from, &to, 0.5);
    ck_assert_double_eq_tol(pose.turn.orientation.z, sin(0.25), 1e-15);
    ck_assert_double_eq_tol(pose.rotation.r0.x, cos(0.5), 1e-15);
}

/* The same bits with every compiler and optimisation: their FNV hash. */
TEST(the_bits_are_the_same_everywhere) {
    uint64_t hash = 0xcbf29ce484222325u;
    test_rng rng = test_rng_make(65);
    for (int i = 0; i < HASHED; i++) {
        gjk_quat p = random_quat(&rng), q = random_quat(&rng);
        gjk_quat at = quat_between(p, q, test_rng_uniform(&rng, 0, 1));
        double angle = angle_between(p.x * 20, q.x * 20, p.y * p.y);
        const double values[5] = {at.x, at.y, at.z, at.w, angle};
        unsigned char bytes[sizeof values];
        memcpy(bytes, values, sizeof values);
        for (size_t k = 0; k < sizeof bytes; k++) {
            hash = (hash ^ bytes[k]) * 0x100000001b3u;
        }
    }
    ck_assert_uint_eq(hash, UINT64_C(3613360947717569509));
}
