/* Contacts of cylinders and cones whose places are known: of sides, rims, flat ends and apexes. */

#include "pair/direct/round.h"

#include "support/test.h"

#define ERROR 4e-15

static gjk_shape cylinder(double half, double radius) {
    const gjk_vec3 ends[2] = {{0, 0, -half}, {0, 0, half}};
    gjk_shape shape;
    ck_assert_int_eq(gjk_shape_make_cylinder(ends, radius, 0, &shape), GJK_OK);
    return shape;
}

static gjk_shape cone(double half, double radius) {
    const gjk_vec3 ends[2] = {{0, 0, -half}, {0, 0, half}};
    gjk_shape shape;
    ck_assert_int_eq(gjk_shape_make_cone(ends[0], ends[1], radius, 0, &shape), GJK_OK);
    return shape;
}

/* The contact of a at the origin and b turned about x by the angle whose half has this sine. */
static bool find(const gjk_shape *a, const gjk_shape *b, gjk_vec3 place, double half_sine,
                 gjk_vec3 normal, gjk_round_contact *contact) {
    gjk_pose pose;
    const gjk_quat turn = {half_sine, 0, 0, sqrt(1.0 - half_sine * half_sine)};
    ck_assert_int_eq(gjk_pose_make3(place, turn, &pose), GJK_OK);
    const gjk_placed placed_a = {a, gjk_pose_identity()}, placed_b = {b, pose};
    const gjk_frame3 frame = gjk_frame3_make(&placed_a, &placed_b);
    gjk_round_pair pair;
    ck_assert(gjk_round_pair_place(&frame, &pair));
    return gjk_round_find_from(&pair, gjk_scale3(1.0 / gjk_length3(normal), normal), contact);
}

static void require_vec3(gjk_vec3 v, double x, double y, double z) {
    ck_assert_double_eq_tol(v.x, x, ERROR);
    ck_assert_double_eq_tol(v.y, y, ERROR);
    ck_assert_double_eq_tol(v.z, z, ERROR);
}

static const double right_angle = 0.70710678118654757;

/* One cylinder across the other, beside it or in it: both sides touch. */
TEST(sides_that_cross) {
    const gjk_shape a = cylinder(2, 1), b = cylinder(3, 0.5);
    for (int i = 0; i < 2; i++) {
        const double x = i == 0 ? 2.0 : 1.25;
        gjk_round_contact c;
        const gjk_vec3 place = {x, 0.25, 0.5}, near = {1, 0.02, -0.05};
        ck_assert(find(&a, &b, place, right_angle, near, &c));
        require_vec3(c.normal, 1, 0, 0);
        require_vec3(c.point[0], 1, 0, 0.5);
        require_vec3(c.point[1], x - 0.5, 0, 0.5);
        ck_assert_double_eq_tol(c.weight[0], 0.625, ERROR);
    }
}

/* The apex of a cone that lies beside the cylinder and points at it. */
TEST(an_apex_and_a_side) {
    const gjk_shape a = cylinder(2, 1), b = cone(0.5, 0.25);
    gjk_round_contact c;
    ck_assert(find(&a, &b, (gjk_vec3){0, -2, 0.75}, -right_angle, (gjk_vec3){0.1, -1, 0.05}, &c));
    require_vec3(c.normal, 0, -1, 0);
    require_vec3(c.point[0], 0, -1, 0.75);
    require_vec3(c.point[1], 0, -1.5, 0.75);
}

/* A tilted cylinder over the flat end of another: the lowest point of its rim. */
TEST(a_rim_and_a_flat_end) {
    const gjk_shape a = cylinder(1, 2), b = cylinder(1, 0.5);
    gjk_round_contact c;
    const double sine = 0.6, half_sine = sqrt(0.1), low = 0.8 * 1 + 0.6 * 0.5; /* cosine 0.8 */
    ck_assert(find(&a, &b, (gjk_vec3){0, 0, 3}, half_sine, (gjk_vec3){0, 0.3, 1}, &c));
    require_vec3(c.normal, 0, 0, 1);
    require_vec3(c.point[1], 0, sine * 1 - 0.8 * 0.5, 3 - low);
    require_vec3(c.point[0], 0, sine * 1 - 0.8 * 0.5, 1);
    ck_assert_double_eq_tol(c.margin[0], 2 - fabs(sine * 1 - 0.8 * 0.5), ERROR);
}

/* Two rims, in the plane of symmetry of both: their points differ along the normal. */
TEST(two_rims) {
    const gjk_shape a = cylinder(1, 1), b = cylinder(1, 1);
    gjk_round_contact c;
    ck_assert(find(&a, &b, (gjk_vec3){0, 3, 3}, right_angle, (gjk_vec3){0.1, 1, 0.9}, &c));
    require_vec3(c.point[0], 0, 1, 1);
    require_vec3(c.point[1], 0, 2, 2);
    require_vec3(c.normal, 0, right_angle, right_angle);
}

/* Around parallel axes nothing tells where on the sides they touch: there is no such contact. */
TEST(none_where_axes_are_parallel) {
    const gjk_shape a = cylinder(1, 1), b = cylinder(1, 0.5);
    gjk_round_contact c;
    ck_assert(!find(&a, &b, (gjk_vec3){0, 0, 1.5}, 0, (gjk_vec3){0, 0, 1}, &c));
}
