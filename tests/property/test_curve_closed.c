/*
 * Are curved shapes as far apart, or as deep in each other, as a formula says? Along the
 * axes of ellipsoids, cylinders and cones; and 2D curves against polygons inscribed in
 * them, which by their sagitta are known to be nearly the same.
 */

#include "curved.h"
#include "support/test.h"

#define PAIRS 2000
#define CORNERS 4096
#define ERROR 1e-9

static double signed_of(const gjk_placed *a, const gjk_placed *b) {
    const gjk_detect_settings detect = gjk_detect_settings_default();
    const gjk_distance_settings distance = gjk_distance_settings_default();
    double apart = gjk_distance(a, b, &distance).distance;
    return apart > 0 ? apart : -gjk_detect(a, b, &detect).depth;
}

static void require_near(double got, double expected, double error, const char *what) {
    ck_assert_msg(fabs(got - expected) <= error, "%s: %.17g, expected %.17g", what, got, expected);
}

/* A point and a ball on the z axis over the pole, the rim or the apex. */
TEST(over_the_pole) {
    test_rng rng = test_rng_make(7000);
    struct gjk_arena arena;
    static test_curved c, ball;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < PAIRS; i++) {
        double x = test_rng_uniform(&rng, 0.5, 2), y = test_rng_uniform(&rng, 0.5, 2);
        double z = test_rng_uniform(&rng, 0.5, 2), radius = test_rng_uniform(&rng, 0, 0.2);
        double gap = test_rng_magnitude(&rng, -8, 1) * (test_rng_once_in(&rng, 4) ? -1e-2 : 1);
        double rounding = test_rng_once_in(&rng, 2) ? 0.25 : 0.0, error = ERROR * (4 + gap);
        const gjk_vec3 ends[2] = {{0, 0, -y}, {0, 0, z}};
        test_curved_make_ball(&ball, &arena, 3, test_rng_once_in(&rng, 2) ? radius : 0.0);
        ball.placed.pose.position = (gjk_vec3){0, 0, z + rounding + ball.radius + gap};
        if (gap > 0) { /* inside, the nearest way out may be another */
            test_curved_make_ellipse(&c, 3, (gjk_vec3){x, y, z}, rounding);
            require_near(signed_of(&c.placed, &ball.placed), gap, error, "ellipsoid");
            test_curved_make_cone(&c, ends, x, rounding);
            require_near(signed_of(&c.placed, &ball.placed), gap, error, "apex");
        }
        test_curved_make_cylinder(&c, ends, x, rounding);
        require_near(signed_of(&c.placed, &ball.placed), gap, error, "disc");
        /* Beside the rim: a corner in the plane through the axis. */
        double up = fabs(gap), side = test_rng_uniform(&rng, 0.1, 3);
        ball.placed.pose.position = (gjk_vec3){x + side, 0, z + up};
        double corner = sqrt(side * side + up * up) - rounding - ball.radius;
        if (corner > 0) {
            require_near(signed_of(&c.placed, &ball.placed), corner, error, "rim");
        }
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}

/* A large box stands for a plane: the gap is the distance from it to the height. */
TEST(onto_a_plane) {
    test_rng rng = test_rng_make(7100);
    struct gjk_arena arena;
    static test_curved c, plane;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < PAIRS; i++) {
        const gjk_vec3 origin = {0, 0, 0}, up = {0, 0, 1};
        gjk_vec3 place = {test_rng_uniform(&rng, -3, 3), test_rng_uniform(&rng, -3, 3), 0};
        test_curved_make_random(&c, &rng, 3, 1.0, &arena, false);
        test_curved_place_randomly(&c, &rng, place);
        test_curved_make_box(&plane, &arena, 3, (gjk_vec3){50, 50, 50});
        double gap = test_rng_magnitude(&rng, -10, 1);
        gap = test_rng_once_in(&rng, 2) ? gap : -gap / 10;
        double top = (double)test_curved_height(&c, up, origin);
        plane.placed.pose.position = (gjk_vec3){0, 0, 50 + top + gap};
        require_near(signed_of(&c.placed, &plane.placed), gap, 2e-10 * 100, "plane");
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}

/* Corners on the curve from angle `from` to `to`; their chords leave at most the sagitta. */
static uint32_t arc(gjk_vec2 *corner, gjk_vec2 radii, double from, double to) {
    for (uint32_t i = 0; i < CORNERS; i++) {
        double sine, cosine;
        gjk_sincos(from + (to - from) * i / (CORNERS - 1), &sine, &cosine);
        corner[i] = (gjk_vec2){radii.x * cosine, radii.y * sine};
    }
    return CORNERS;
}

/* The curve in c and the polygon of its corners beside it. */
static double make_twins(test_rng *rng, test_curved *c, gjk_shape *polygon,
                         struct gjk_arena *arena) {
    static gjk_vec2 corner[CORNERS + 1];
    const double pi = 3.14159265358979323846;
    double x = test_rng_uniform(rng, 0.5, 2), y = test_rng_uniform(rng, 0.5, 2), from = 0, to = pi;
    uint32_t count, bad;
    switch (test_rng_below(rng, 3)) {
    case 0:
        test_curved_make_ellipse(c, 2, (gjk_vec3){x, y, 0}, 0);
        to = 2 * pi * (CORNERS - 1) / CORNERS;
        count = arc(corner, (gjk_vec2){x, y}, from, to);
        break;
    case 1:
        test_curved_make_half_ellipse(c, x, y, 0);
        count = arc(corner, (gjk_vec2){x, y}, from, to);
        break;
    default:
        to = test_rng_uniform(rng, 0.2, 1.5);
        from = -to;
        y = x;
        test_curved_make_slice(c, x, 2 * to, 0);
        count = arc(corner, (gjk_vec2){x, x}, from, to);
        corner[count++] = (gjk_vec2){0, 0};
        break;
    }
    ck_assert(gjk_shape_make_polygon(arena, corner, count, 0, &bad, polygon) == GJK_OK);
    double half = (to - from) / (CORNERS - 1) / 2;
    return fmax(x, y) * half * half / 2; /* 1 - cos(half) is less */
}

TEST(as_dense_polygons) {
    test_rng rng = test_rng_make(7200);
    struct gjk_arena arena;
    static test_curved c, other;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < PAIRS / 4; i++) {
        gjk_shape polygon;
        double sagitta = make_twins(&rng, &c, &polygon, &arena);
        test_curved_place_randomly(&c, &rng, gjk_scale3(3, test_rng_direction(&rng, 2)));
        test_curved_make_random(&other, &rng, 2, 1.0, &arena, true);
        gjk_vec3 off = gjk_scale3(test_rng_uniform(&rng, 0, 3), test_rng_direction(&rng, 2));
        test_curved_place_randomly(&other, &rng, gjk_add3(c.placed.pose.position, off));
        const gjk_placed twin = {&polygon, c.placed.pose};
        double s = signed_of(&c.placed, &other.placed), t = signed_of(&twin, &other.placed);
        ck_assert_msg(s <= t + ERROR * 4 && t <= s + sagitta + ERROR * 4,
                      "pair %d type %d: %.17g, polygon %.17g, sagitta %g", i, (int)c.shape.type, s,
                      t, sagitta);
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}
