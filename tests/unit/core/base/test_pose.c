/* Do poses turn and move points as they should, and refuse what they cannot do? */

#include "gjk/pose.h"

#include <float.h>

#include "support/rng.h"
#include "support/test.h"

static const double tolerance = 8 * DBL_EPSILON;

static void check_near(gjk_vec3 got, gjk_vec3 expected, double error) {
    ck_assert_msg(fabs(got.x - expected.x) <= error && fabs(got.y - expected.y) <= error &&
                      fabs(got.z - expected.z) <= error,
                  "(%a, %a, %a) is not (%a, %a, %a)", got.x, got.y, got.z, expected.x, expected.y,
                  expected.z);
}

TEST(the_identity_does_nothing) {
    const gjk_pose identity = gjk_pose_identity();
    gjk_vec3 p = gjk_pose_apply(&identity, (gjk_vec3){0.1, -2, 3e10});
    ck_assert(p.x == 0.1 && p.y == -2 && p.z == 3e10);
}

TEST(a_flat_pose_turns_about_z) {
    gjk_pose pose;
    const double quarter = 1.57079632679489661923;
    ck_assert_int_eq(gjk_pose_make2((gjk_vec2){10, 20}, quarter, &pose), GJK_OK);
    check_near(gjk_pose_apply(&pose, (gjk_vec3){1, 0, 0}), (gjk_vec3){10, 21, 0}, 4e-15);
    check_near(gjk_pose_apply(&pose, (gjk_vec3){0, 1, 5}), (gjk_vec3){9, 20, 5}, 4e-15);
    ck_assert(pose.position.z == 0);
}

TEST(quaternions_turn_as_they_should) {
    static const struct {
        gjk_quat q;
        gjk_vec3 x, y, z; /* where the axes go */
    } rows[] = {
        {{0, 0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
        {{0, 0, 0, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
        {{1, 0, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 0, -1}},
        {{0, 1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, 0, -1}},
        {{0, 0, 1, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, 1}},
        {{0, 0, 0.70710678118654752, 0.70710678118654752}, {0, 1, 0}, {-1, 0, 0}, {0, 0, 1}},
        {{0.70710678118654752, 0, 0, 0.70710678118654752}, {1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
        {{0, 0.70710678118654752, 0, 0.70710678118654752}, {0, 0, -1}, {0, 1, 0}, {1, 0, 0}},
        {{0.5, 0.5, 0.5, 0.5}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gjk_pose pose;
        ck_assert_int_eq(gjk_pose_make3((gjk_vec3){0, 0, 0}, rows[i].q, &pose), GJK_OK);
        check_near(gjk_pose_apply(&pose, (gjk_vec3){1, 0, 0}), rows[i].x, tolerance);
        check_near(gjk_pose_apply(&pose, (gjk_vec3){0, 1, 0}), rows[i].y, tolerance);
        check_near(gjk_pose_apply(&pose, (gjk_vec3){0, 0, 1}), rows[i].z, tolerance);
    }
}

/* Rows of unit length at right angles, whatever the quaternion's own length was. */
TEST(rotations_are_rigid) {
    test_rng rng = test_rng_make(9);
    for (int i = 0; i < 20000; i++) {
        gjk_pose pose, longer;
        gjk_quat q = test_rng_rotation(&rng);
        double f = test_rng_uniform(&rng, 0.9991, 1.0009);
        gjk_quat stretched = {f * q.x, f * q.y, f * q.z, f * q.w};
        ck_assert_int_eq(gjk_pose_make3((gjk_vec3){1, 2, 3}, q, &pose), GJK_OK);
        ck_assert_int_eq(gjk_pose_make3((gjk_vec3){1, 2, 3}, stretched, &longer), GJK_OK);
        const gjk_mat3 m = pose.rotation, n = longer.rotation;
        check_near(n.r0, m.r0, tolerance);
        check_near(n.r1, m.r1, tolerance);
        check_near(n.r2, m.r2, tolerance);
        check_near((gjk_vec3){gjk_dot3(m.r0, m.r0), gjk_dot3(m.r1, m.r1), gjk_dot3(m.r2, m.r2)},
                   (gjk_vec3){1, 1, 1}, tolerance);
        check_near((gjk_vec3){gjk_dot3(m.r0, m.r1), gjk_dot3(m.r1, m.r2), gjk_dot3(m.r2, m.r0)},
                   (gjk_vec3){0, 0, 0}, tolerance);
        check_near(gjk_cross3(m.r0, m.r1), m.r2, tolerance);
    }
}

TEST(the_length_of_a_quaternion_is_checked) {
    static const struct {
        double length;
        gjk_status status;
    } rows[] = {
        {1, GJK_OK},
        {1.001, GJK_OK},
        {0.999, GJK_OK},
        {1.0010001, GJK_BAD_ORIENTATION},
        {0.9989999, GJK_BAD_ORIENTATION},
        {0, GJK_BAD_ORIENTATION},
        {1e200, GJK_BAD_ORIENTATION},
        {1e-200, GJK_BAD_ORIENTATION},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double l = rows[i].length;
        const gjk_quat forms[] = {{0, 0, 0, l}, {-l, 0, 0, 0}, {0.6 * l, 0, -0.8 * l, 0}};
        for (int k = 0; k < 3; k++) {
            gjk_pose pose = {.position = {7, 7, 7}, .rotation = gjk_mat3_identity()};
            ck_assert_int_eq(gjk_pose_make3((gjk_vec3){0, 0, 0}, forms[k], &pose), rows[i].status);
            ck_assert(pose.position.x == (rows[i].status == GJK_OK ? 0 : 7));
        }
    }
}

TEST(positions_are_checked) {
    const double max = GJK_COORDINATE_MAX;
    static const gjk_quat unit = {0, 0, 0, 1};
    const struct {
        double value;
        gjk_status status;
    } rows[] = {
        {max, GJK_OK},
        {-max, GJK_OK},
        {nextafter(max, 0), GJK_OK},
        {nextafter(max, INFINITY), GJK_OUT_OF_RANGE},
        {-nextafter(max, INFINITY), GJK_OUT_OF_RANGE},
        {INFINITY, GJK_NOT_FINITE},
        {-INFINITY, GJK_NOT_FINITE},
        {(double)NAN, GJK_NOT_FINITE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double v = rows[i].value;
        gjk_status status = rows[i].status;
        gjk_pose pose;
        ck_assert_int_eq(gjk_pose_make2((gjk_vec2){v, 0}, 0, &pose), status);
        ck_assert_int_eq(gjk_pose_make2((gjk_vec2){0, v}, 0, &pose), status);
        ck_assert_int_eq(gjk_pose_make3((gjk_vec3){v, 0, 0}, unit, &pose), status);
        ck_assert_int_eq(gjk_pose_make3((gjk_vec3){0, v, 0}, unit, &pose), status);
        ck_assert_int_eq(gjk_pose_make3((gjk_vec3){0, 0, v}, unit, &pose), status);
    }
}

TEST(angles_and_quaternions_must_be_finite) {
    const double bad[] = {INFINITY, -INFINITY, (double)NAN};
    for (int i = 0; i < 3; i++) {
        gjk_pose pose;
        const gjk_vec3 o = {0, 0, 0};
        ck_assert_int_eq(gjk_pose_make2((gjk_vec2){0, 0}, bad[i], &pose), GJK_NOT_FINITE);
        ck_assert_int_eq(gjk_pose_make3(o, (gjk_quat){bad[i], 0, 0, 1}, &pose), GJK_NOT_FINITE);
        ck_assert_int_eq(gjk_pose_make3(o, (gjk_quat){0, bad[i], 0, 1}, &pose), GJK_NOT_FINITE);
        ck_assert_int_eq(gjk_pose_make3(o, (gjk_quat){0, 0, bad[i], 1}, &pose), GJK_NOT_FINITE);
        ck_assert_int_eq(gjk_pose_make3(o, (gjk_quat){0, 0, 0, bad[i]}, &pose), GJK_NOT_FINITE);
    }
    gjk_pose pose;
    ck_assert_int_eq(gjk_pose_make2((gjk_vec2){0, 0}, DBL_MAX, &pose), GJK_OK);
}
