/* Is a in no direction that a cover contains less deep in b than it says? */

#include "pair/direct/round.h"

#include "support/rng.h"
#include "support/test.h"

#define PAIRS 3000
#define DIRECTIONS 100
#define ERROR 1e-14 /* relative to the scale */

static gjk_shape make_body(test_rng *rng, struct gjk_arena *arena) {
    const double half = test_rng_uniform(rng, 0.1, 1), radius = test_rng_uniform(rng, 0.1, 1);
    const gjk_vec3 ends[2] = {{0, 0, -half}, {0, 0, half}};
    const uint32_t kind = test_rng_below(rng, 5);
    gjk_shape shape;
    if (kind < 2) {
        ck_assert_int_eq(gjk_shape_make_cylinder(ends, radius, 0, &shape), GJK_OK);
    } else if (kind < 4) {
        ck_assert_int_eq(gjk_shape_make_cone(ends[0], ends[1], radius, 0, &shape), GJK_OK);
    } else {
        ck_assert_int_eq(gjk_shape_make_segment(arena, 3, ends[0], ends[1], 0, &shape), GJK_OK);
    }
    return shape;
}

static gjk_pose make_pose(test_rng *rng) {
    const gjk_vec3 place = gjk_scale3(test_rng_uniform(rng, 0, 1), test_rng_direction(rng, 3));
    gjk_pose pose;
    ck_assert_int_eq(gjk_pose_make3(place, test_rng_rotation(rng), &pose), GJK_OK);
    return pose;
}

static double depth_along(const gjk_frame3 *frame, gjk_vec3 n) {
    return gjk_dot3(n, gjk_support3(frame, n).w);
}

/* Off by at most the angle of the cover; mostly by nearly as much. */
static gjk_vec3 covered_direction(test_rng *rng, const gjk_round_cover *cover) {
    const gjk_vec3 n = cover->contact.normal;
    const double most = sqrt(1.0 - cover->cosine * cover->cosine);
    const double sine = most * (test_rng_once_in(rng, 2) ? 1.0 : test_rng_uniform(rng, 0, 1));
    gjk_vec3 aside = gjk_cross3(n, test_rng_direction(rng, 3));
    aside = gjk_scale3(sine / gjk_length3(aside), aside);
    return gjk_add3(gjk_scale3(sqrt(1.0 - sine * sine), n), aside);
}

static bool check(test_rng *rng, const gjk_frame3 *frame) {
    gjk_round_pair pair;
    gjk_round_contact contact;
    gjk_round_cover cover;
    if (!gjk_round_pair_place(frame, &pair) ||
        !gjk_round_find_from(&pair, test_rng_direction(rng, 3), &contact)) {
        return false;
    }
    const double depth = depth_along(frame, contact.normal);
    if (!(depth > 0.0)) {
        return false;
    }
    gjk_round_cover_make(&pair, &contact, depth, &cover);
    for (int i = 0; i < DIRECTIONS && cover.cosine < 1.0; i++) {
        const double there = depth_along(frame, covered_direction(rng, &cover));
        ck_assert_double_ge(there, cover.least - ERROR * frame->scale);
    }
    return cover.cosine < 1.0 && cover.least > depth - ERROR * frame->scale;
}

TEST(nothing_covered_is_less_deep) {
    test_rng rng = test_rng_make(51);
    struct gjk_arena arena;
    unsigned covers = 0;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < PAIRS; i++) {
        const gjk_shape shape_a = make_body(&rng, &arena), shape_b = make_body(&rng, &arena);
        const gjk_placed a = {&shape_a, make_pose(&rng)}, b = {&shape_b, make_pose(&rng)};
        const gjk_frame3 frame = gjk_frame3_make(&a, &b);
        covers += check(&rng, &frame);
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
    ck_assert_uint_gt(covers, PAIRS / 10);
}

/* A rod that is nearly as wide as its hub: all around, the depth is nearly the same, and the rims'
 * radii must not be taken for more than they are. */
TEST(a_saddle_is_not_covered) {
    gjk_shape hub, rod;
    const gjk_vec3 tall[2] = {{0, 0, -5}, {0, 0, 5}}, flat[2] = {{0, 0, -4}, {0, 0, 4}};
    ck_assert_int_eq(gjk_shape_make_cylinder(tall, 1, 0, &hub), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_cylinder(flat, 0.9, 0, &rod), GJK_OK);
    gjk_pose pose;
    ck_assert_int_eq(gjk_pose_make3((gjk_vec3){0.1, 0, 0}, (gjk_quat){0, 0, 0, 1}, &pose), GJK_OK);
    const gjk_placed a = {&hub, gjk_pose_identity()}, b = {&rod, pose};
    const gjk_frame3 frame = gjk_frame3_make(&a, &b);
    gjk_round_pair pair;
    gjk_round_contact contact;
    gjk_round_cover cover;
    ck_assert(gjk_round_pair_place(&frame, &pair));
    contact = (gjk_round_contact){.normal = {-1, 0, 0}, .margin = {-1, -1}};
    gjk_round_look_along(&pair.body[0], contact.normal, &contact.look[0]);
    gjk_round_look_along(&pair.body[1], gjk_neg3(contact.normal), &contact.look[1]);
    contact.point[0] = contact.look[0].point[0];
    contact.point[1] = contact.look[1].point[0];
    const double deepest = depth_along(&frame, contact.normal);
    ck_assert_double_eq_tol(deepest, 2.0, 1e-15); /* along x itself it is 1.8 */
    gjk_round_cover_make(&pair, &contact, deepest, &cover);
    ck_assert_double_eq(cover.cosine, 1.0);
}
