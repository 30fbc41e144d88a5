/* Random bodies: see scene.h. */

#include "scene.h"

#include "checks.h"

static gjk_vec3 random_point(test_rng *rng, uint32_t dimension, gjk_vec3 half) {
    return (gjk_vec3){test_rng_uniform(rng, -half.x, half.x),
                      test_rng_uniform(rng, -half.y, half.y),
                      dimension == 3 ? test_rng_uniform(rng, -half.z, half.z) : 0.0};
}

void test_turn_randomly(test_rng *rng, test_body *body) {
    if (body->dimension == 2) {
        body->angle = test_rng_uniform(rng, -7, 7);
    } else {
        body->orientation = test_rng_rotation(rng);
    }
}

test_body test_random_hull(test_rng *rng, uint32_t dimension, uint32_t count, gjk_vec3 half) {
    gjk_vec3 points[TEST_BODY_POINTS_MAX];
    ck_assert_uint_le(count, TEST_BODY_POINTS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        points[i] = random_point(rng, dimension, half);
    }
    return test_body_cloud(GJK_HULL, dimension, points, count);
}

/* Vertices on an ellipse in order, clearly convex. */
static test_body random_polygon(test_rng *rng, double size) {
    gjk_vec3 points[10];
    uint32_t count = 3 + test_rng_below(rng, 6);
    double wide = size * test_rng_uniform(rng, 0.3, 1.0),
           tall = size * test_rng_uniform(rng, 0.3, 1.0);
    double turn = test_rng_uniform(rng, 0, 7);
    for (uint32_t i = 0; i < count; i++) {
        double angle = turn + 6.28 * (i + test_rng_uniform(rng, 0.0, 0.8)) / count;
        points[i] = (gjk_vec3){wide * cos(angle), tall * sin(angle), 0};
    }
    return test_body_cloud(GJK_POLYGON, 2, points, count);
}

static test_body body_of_type(test_rng *rng, gjk_shape_type type, uint32_t dimension, double size) {
    const gjk_vec3 half = {size, size, size};
    gjk_vec3 p = random_point(rng, dimension, half), q = random_point(rng, dimension, half);
    double radius = size * test_rng_uniform(rng, 0.05, 0.7);
    switch (type) {
    case GJK_POINT:
        return test_body_ball(dimension, 0.0);
    case GJK_BALL:
        return test_body_ball(dimension, radius);
    case GJK_SEGMENT:
        return test_body_segment(dimension, p, q, 0.0);
    case GJK_CAPSULE:
        return test_body_segment(dimension, p, q, radius);
    case GJK_BOX:
        return test_body_box(dimension, (gjk_vec3){fabs(p.x), fabs(p.y), fabs(p.z)});
    case GJK_POLYGON:
        return random_polygon(rng, size);
    case GJK_TRIANGLE: {
        test_body body = test_random_hull(rng, 3, 3, half);
        body.type = GJK_TRIANGLE;
        return body;
    }
    default:
        return test_random_hull(rng, dimension, 1 + test_rng_below(rng, dimension == 2 ? 12 : 8),
                                half);
    }
}

static gjk_shape_type random_type(test_rng *rng, uint32_t dimension, bool round) {
    static const gjk_shape_type type[] = {GJK_POINT, GJK_SEGMENT, GJK_BOX,  GJK_POLYGON,
                                          GJK_HULL,  GJK_HULL,    GJK_BALL, GJK_CAPSULE};
    const uint32_t polytopes = 6, all = 8;
    gjk_shape_type found = type[test_rng_below(rng, round ? all : polytopes)];
    return found == GJK_POLYGON && dimension == 3 ? GJK_TRIANGLE : found;
}

test_body test_random_body(test_rng *rng, uint32_t dimension, double size) {
    test_body body = body_of_type(rng, random_type(rng, dimension, true), dimension, size);
    if (test_rng_once_in(rng, 4)) {
        body.rounding = size * test_rng_uniform(rng, 0.0, 0.3);
    }
    test_turn_randomly(rng, &body);
    return body;
}

test_body test_random_polytope(test_rng *rng, uint32_t dimension, double size) {
    test_body body = body_of_type(rng, random_type(rng, dimension, false), dimension, size);
    test_turn_randomly(rng, &body);
    return body;
}

void test_pair_build(test_pair *pair, struct gjk_arena *arena) {
    test_body_build(&pair->a, arena);
    test_body_build(&pair->b, arena);
}

/* Puts b at most so far from a that about half of such pairs overlap. Both must be built. */
static void bring_near(test_rng *rng, test_pair *p) {
    double reach = 0.8 * (p->a.shape.bounding_radius + p->b.shape.bounding_radius);
    gjk_vec3 away = test_rng_direction(rng, p->a.dimension);
    p->b.position = gjk_add3(p->a.position, gjk_scale3(test_rng_uniform(rng, 0, reach), away));
    test_body_place(&p->b);
}

void test_random_pair(test_rng *rng, uint32_t dimension, struct gjk_arena *arena, test_pair *out) {
    const gjk_vec3 around = {3, 3, 3};
    bool of_any_size = test_rng_once_in(rng, 4);
    double size = of_any_size ? test_rng_magnitude(rng, -3, 3) : test_rng_uniform(rng, 0.3, 3.0);
    out->a = test_random_body(rng, dimension, 1.0);
    out->b = test_random_body(rng, dimension, size);
    out->a.position = random_point(rng, dimension, around);
    test_pair_build(out, arena);
    bring_near(rng, out);
}

void test_random_large_pair(test_rng *rng, uint32_t dimension, struct gjk_arena *arena,
                            test_pair *out) {
    const gjk_vec3 half = {1, 1, 1};
    test_random_pair(rng, dimension, arena, out);
    if (!test_rng_once_in(rng, 3)) {
        return;
    }
    uint32_t large = 10 + test_rng_below(rng, 91);
    test_body *body = test_rng_once_in(rng, 2) ? &out->a : &out->b;
    *body = test_random_hull(rng, dimension, large, half);
    test_turn_randomly(rng, body);
    if (test_rng_once_in(rng, 2)) {
        out->b = test_random_hull(rng, dimension, large, half);
        test_turn_randomly(rng, &out->b);
    }
    test_pair_build(out, arena);
    bring_near(rng, out);
}

static double largest_component(gjk_vec3 v) {
    return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}

double test_pair_scale(const test_pair *p) {
    double size = fmax(p->a.shape.size, p->b.shape.size);
    double apart = largest_component(gjk_sub3(p->b.position, p->a.position));
    double off = fmax(largest_component(p->a.shape.center), largest_component(p->b.shape.center));
    return fmax(size, fmax(apart, off));
}

test_body test_prism(const test_body *flat) {
    gjk_vec3 points[TEST_BODY_POINTS_MAX];
    ck_assert_uint_le(2 * flat->count, TEST_BODY_POINTS_MAX);
    for (uint32_t i = 0; i < flat->count; i++) {
        points[2 * i] = (gjk_vec3){flat->point[i].x, flat->point[i].y, -1};
        points[2 * i + 1] = (gjk_vec3){flat->point[i].x, flat->point[i].y, 1};
    }
    test_body prism = test_body_cloud(GJK_HULL, 3, points, 2 * flat->count);
    prism.position = flat->position;
    prism.orientation = (gjk_quat){0, 0, sin(0.5 * flat->angle), cos(0.5 * flat->angle)};
    return prism;
}
