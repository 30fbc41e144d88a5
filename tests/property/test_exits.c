/*
 * Does a ray leave shapes of pieces where 113 bits say? Over rows of pieces that touch, overlap or
 * leave gaps by exact powers of two, about the origin and up to 2^30 away from it, turned and not,
 * and over convex shapes. GJKD_FACTOR: how many times as much is tested.
 */

#include "curved.h"
#include "exit_scene.h"
#include "ray_closed.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>

#define SCENES 500
#define CONVEX 1000
/* Roundings of the scale, of a ray that is not moved sideways and of one that is. */
#define ERROR 0x1p-48
#define ASIDE 0x1p-47

/* What the ray is told, and what is true of it and of four rays beside it. */
typedef struct verdict {
    double enter, leave;
    quad least, most; /* of the true places of leaving */
    bool is_right, has_entry;
} verdict;

/* Compares with the truth of the ray moved sideways. */
static void compare(const test_exit_scene *s, gjk_vec3 aside, verdict *v) {
    const double error = ERROR * s->scale;
    quad enter, leave;
    if (!test_exit_truth(s, aside, &enter, &leave) ||
        fabs((double)enter - v->enter) > 1e3 * error) {
        return;
    }
    v->has_entry = true;
    v->is_right |= fabs((double)leave - v->leave) <= error;
    v->least = leave < v->least ? leave : v->least;
    v->most = leave > v->most ? leave : v->most;
    /* Where a sideways move matters little, so does rounding. */
    const bool is_steady = v->most - v->least < (quad)1e-6;
    v->is_right |=
        is_steady && v->leave >= (double)v->least - error && v->leave <= (double)v->most + error;
}

static bool judge(const test_exit_scene *s, double *enter, bool *skipped) {
    const gjk_ray_settings settings = gjk_ray_settings_default();
    const gjk_ray_result hit = gjk_raycast(&s->placed, &s->ray, &settings);
    verdict v = {.enter = hit.distance, .least = (quad)1e300, .most = -(quad)1e300};
    *enter = hit.distance;
    *skipped = !hit.hit;
    if (!hit.hit) {
        return true;
    }
    ck_assert_int_eq(gjk_ray_exit(&s->placed, &s->ray, &hit, &settings, &v.leave), GJK_OK);
    ck_assert(isfinite(v.leave) && v.leave >= hit.distance);
    const double far = ASIDE * s->scale;
    compare(s, (gjk_vec3){0, 0, 0}, &v);
    for (int i = 0; i < 6 && !v.is_right; i++) {
        const double step = i % 2 == 0 ? far : -far;
        compare(s, (gjk_vec3){i / 2 == 0 ? step : 0, i / 2 == 1 ? step : 0, i / 2 == 2 ? step : 0},
                &v);
    }
    *skipped = !v.has_entry; /* what is hit is tested elsewhere */
    if (v.has_entry && !v.is_right) {
        fprintf(stderr, "in at %.17g, told to leave at %.17g, true %.17g to %.17g\n", v.enter,
                v.leave, (double)v.least, (double)v.most);
    }
    return !v.has_entry || v.is_right;
}

TEST_EACH(as_exact_numbers_say, 0, 2 * TEST_EXIT_KINDS) {
    static test_exit_scene scene;
    const test_exit_kind kind = (test_exit_kind)(_i / 2);
    const uint32_t dimension = 2 + (uint32_t)_i % 2;
    const bool is_flat = kind == TEST_EXIT_CHAIN || kind == TEST_EXIT_REGION;
    if (kind != TEST_EXIT_COMPOUND && is_flat != (dimension == 2)) {
        return;
    }
    test_rng rng = test_rng_make(2600 + (uint64_t)_i);
    struct gjk_arena arena;
    gjk_arena_init(&arena, 0);
    uint64_t asked = 0, left_out = 0, wrong = 0;
    const uint64_t scenes = SCENES * test_factor();
    while (asked < scenes) {
        double enter;
        bool skipped;
        test_exit_scene_make(&rng, kind, dimension, &arena, &scene);
        if (!judge(&scene, &enter, &skipped)) {
            test_exit_scene_print(&scene);
            wrong++;
        }
        asked += !skipped;
        left_out += skipped;
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
    fprintf(stderr, "kind %d in %uD: %llu of %llu wrong, %llu left out\n", (int)kind, dimension,
            (unsigned long long)wrong, (unsigned long long)asked, (unsigned long long)left_out);
    ck_assert_uint_eq(wrong, 0);
}

static double exit_of(const gjk_placed *placed, const gjk_ray *ray, const gjk_ray_result *hit) {
    const gjk_ray_settings settings = gjk_ray_settings_default();
    double exit;
    ck_assert_int_eq(gjk_ray_exit(placed, ray, hit, &settings, &exit), GJK_OK);
    ck_assert(isfinite(exit) && exit >= hit->distance);
    return exit;
}

/* A hair off a face, within the digits that the mesh's own numbers leave out. */
TEST_EACH(a_hair_off_a_face, 0, 7) {
    const double far = ldexp(1.0, 5 * _i), hair = 0x1p-28;
    const gjk_vec3 place = {far, -far, far};
    gjk_vec3 vertices[8];
    static const uint32_t triangles[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                              {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                              {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    for (int i = 0; i < 8; i++) {
        vertices[i] =
            gjk_add3(place, (gjk_vec3){i % 2 ? 1 : -1, i / 2 % 2 ? 1 : -1, i / 4 ? 1 : -1});
    }
    const gjk_mesh mesh = {.vertices = vertices,
                           .vertex_count = 8,
                           .triangles = triangles,
                           .triangle_count = 12,
                           .closed = true};
    struct gjk_arena arena;
    gjk_arena_init(&arena, 0);
    gjk_shape shape;
    gjk_pieces_fault fault;
    ck_assert_int_eq(gjk_shape_make_mesh(&arena, &mesh, 0.0, &fault, &shape), GJK_OK);
    gjk_placed placed = {&shape, gjk_pose_identity()};
    placed.pose.position = gjk_neg3(place);
    const gjk_ray_settings settings = gjk_ray_settings_default();
    for (int side = 0; side < 4; side++) { /* inside or outside, inwards or outwards */
        const bool is_inside = side % 2 == 0, inwards = side / 2 == 0;
        const gjk_vec3 from = {is_inside ? 1.0 - hair : 1.0 + hair, 0.25, 0.125};
        gjk_ray ray;
        ck_assert_int_eq(gjk_ray_make(from, (gjk_vec3){inwards ? -1 : 1, 0, 0}, INFINITY, &ray),
                         GJK_OK);
        const gjk_ray_result hit = gjk_raycast(&placed, &ray, &settings);
        ck_assert(hit.hit == (is_inside || inwards) && hit.inside == is_inside);
        if (hit.hit) {
            const double out = inwards ? from.x + 1.0 : hair;
            ck_assert_double_eq(hit.distance, is_inside ? 0.0 : hair);
            ck_assert_double_eq(exit_of(&placed, &ray, &hit), out);
        }
    }
    gjk_arena_fini(&arena);
}

#define RINGS 65

/* A long bar whose ends are many triangles apart. */
static void make_bar(struct gjk_arena *arena, gjk_shape *out) {
    static const double y[4] = {-1, 1, 1, -1}, z[4] = {-1, -1, 1, 1};
    gjk_vec3 vertices[4 * RINGS];
    uint32_t triangles[8 * RINGS][3];
    const uint32_t last = 4 * (RINGS - 1);
    const uint32_t ends[4][3] = {{0, 1, 2},
                                 {0, 2, 3},
                                 {last, last + 2, last + 1},
                                 {last, last + 3, last + 2}};
    uint32_t count = 0;
    for (uint32_t v = 0; v < 4 * RINGS; v++) {
        vertices[v] = (gjk_vec3){v / 4, y[v % 4], z[v % 4]};
        const uint32_t next = v % 4 < 3 ? v + 1 : v - 3;
        const uint32_t side[2][3] = {{v, v + 4, next}, {next, v + 4, next + 4}};
        for (uint32_t k = 0; v < last && k < 6; k++) {
            triangles[count + k / 3][k % 3] = side[k / 3][k % 3];
        }
        count += v < last ? 2 : 0;
    }
    for (uint32_t k = 0; k < 12; k++) {
        triangles[count + k / 3][k % 3] = ends[k / 3][k % 3];
    }
    const gjk_mesh mesh = {.vertices = vertices,
                           .vertex_count = 4 * RINGS,
                           .triangles = (const uint32_t(*)[3])triangles,
                           .triangle_count = count + 4,
                           .closed = true};
    gjk_pieces_fault fault;
    ck_assert_int_eq(gjk_shape_make_mesh(arena, &mesh, 0.0, &fault, out), GJK_OK);
}

/* Far from what it would cross next. */
TEST(a_ray_that_ends_in_a_solid) {
    static const double ends[3] = {1.5, 10.0, 40.0};
    struct gjk_arena arena;
    gjk_arena_init(&arena, 0);
    gjk_shape shape;
    make_bar(&arena, &shape);
    const gjk_placed placed = {&shape, gjk_pose_identity()};
    const gjk_ray_settings settings = gjk_ray_settings_default();
    for (int i = 0; i < 6; i++) {
        const bool is_inside = i % 2 == 0;
        gjk_ray ray;
        ck_assert_int_eq(gjk_ray_make((gjk_vec3){is_inside ? 5.5 : -1.0, 0.125, 0.25},
                                      (gjk_vec3){1, 0, 0}, ends[i / 2], &ray),
                         GJK_OK);
        const gjk_ray_result hit = gjk_raycast(&placed, &ray, &settings);
        ck_assert(hit.hit && hit.inside == is_inside);
        ck_assert_double_eq(exit_of(&placed, &ray, &hit), ends[i / 2]);
    }
    gjk_arena_fini(&arena);
}

/* --- Convex shapes --- */

/* Round numbers, to which powers of two up to 2^30 can be added exactly. */
static gjk_vec3 rounded(gjk_vec3 v) {
    return (gjk_vec3){floor(v.x * 0x1p16) * 0x1p-16, floor(v.y * 0x1p16) * 0x1p-16,
                      floor(v.z * 0x1p16) * 0x1p-16};
}

static gjk_vec3 far_place(test_rng *rng, uint32_t dimension) {
    const double far = ldexp(1.0, test_rng_integer(rng, 0, 30));
    return (gjk_vec3){far * test_rng_integer(rng, -1, 1), far * test_rng_integer(rng, -1, 1),
                      dimension == 3 ? far : 0.0};
}

static test_body random_simple(test_rng *rng, uint32_t dimension) {
    const gjk_vec3 p =
        gjk_scale3(test_rng_uniform(rng, 0.1, 1), test_rng_direction(rng, dimension));
    const gjk_vec3 q =
        gjk_scale3(test_rng_uniform(rng, 0.1, 1), test_rng_direction(rng, dimension));
    switch (test_rng_below(rng, 3)) {
    case 0:
        return test_body_ball(dimension, test_rng_magnitude(rng, -1, 1));
    case 1:
        return test_body_segment(dimension, p, q, test_rng_uniform(rng, 0.05, 1));
    default:
        return test_body_box(dimension, (gjk_vec3){fabs(p.x), fabs(p.y), fabs(p.z)});
    }
}

TEST_EACH(as_closed_forms_say, 0, 2) {
    const uint32_t dimension = 2 + (uint32_t)_i;
    test_rng rng = test_rng_make(2700 + (uint64_t)_i);
    struct gjk_arena arena;
    static test_ray_case c;
    gjk_arena_init(&arena, 0);
    uint64_t asked = 0;
    while (asked < CONVEX * test_factor()) {
        c.target.a = random_simple(&rng, dimension);
        c.target.b = test_body_ball(dimension, 0.0);
        const gjk_vec3 place = far_place(&rng, dimension);
        c.target.a.position = gjk_add3(place, rounded(test_rng_direction(&rng, dimension)));
        if (test_rng_once_in(&rng, 2)) {
            test_turn_randomly(&rng, &c.target.a);
        }
        test_pair_build(&c.target, &arena);
        const gjk_vec3 way =
            gjk_scale3(test_rng_uniform(&rng, 0, 6), test_rng_direction(&rng, dimension));
        const gjk_vec3 aside = gjk_scale3(0.4, test_rng_direction(&rng, dimension));
        test_aim(&c, gjk_sub3(c.target.a.position, rounded(way)), gjk_add3(way, aside), INFINITY);
        const gjk_ray_result hit = test_cast(&c, true);
        const test_closed_hit out = test_closed_exit(&c);
        if (hit.hit && out.hit && out.cosine > 1e-5) {
            const double scale = c.target.a.shape.size + gjk_length3(way);
            const double exit = exit_of(&c.target.a.placed, &c.ray, &hit);
            RAY_REQUIRE_NEAR(&c, exit, fmax((double)out.t, hit.distance),
                             16 * ERROR * scale / (double)out.cosine);
            asked++;
        }
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}

/* How far the point is outside; inside: minus the depth. */
static double outside(const test_curved *c, gjk_vec3 at, struct gjk_arena *arena) {
    static test_curved point;
    const gjk_distance_settings distance = gjk_distance_settings_default();
    const gjk_detect_settings detect = gjk_detect_settings_default();
    test_curved_make_ball(&point, arena, c->shape.dimension, 0.0);
    point.placed.pose.position = at;
    const double d = gjk_distance(&c->placed, &point.placed, &distance).distance;
    return d > 0.0 ? d : -gjk_detect(&c->placed, &point.placed, &detect).depth;
}

/* Of every kind: the ray is inside up to there and not after, and far away it is told the same. */
static void check_kind(const test_curved *c, const gjk_ray *ray, gjk_vec3 place,
                       struct gjk_arena *arena) {
    const gjk_ray_settings settings = gjk_ray_settings_default();
    const gjk_ray_result hit = gjk_raycast(&c->placed, ray, &settings);
    if (!hit.hit) {
        return;
    }
    const double exit = exit_of(&c->placed, ray, &hit), size = c->shape.size;
    const double middle = 0.5 * (hit.distance + exit), error = 1e-9 * (size + exit);
    const gjk_vec3 way[3] = {gjk_scale3(middle, ray->direction), gjk_scale3(exit, ray->direction),
                             gjk_scale3(exit + 1e-2 * size, ray->direction)};
    const double at_middle = outside(c, gjk_add3(ray->origin, way[0]), arena);
    const double at_exit = outside(c, gjk_add3(ray->origin, way[1]), arena);
    const double beyond = outside(c, gjk_add3(ray->origin, way[2]), arena);
    gjk_placed there = c->placed;
    gjk_ray far_ray = *ray;
    there.pose.position = gjk_add3(there.pose.position, place);
    far_ray.origin = gjk_add3(ray->origin, place);
    const gjk_ray_result far_hit = gjk_raycast(&there, &far_ray, &settings);
    const double far_exit = far_hit.hit ? exit_of(&there, &far_ray, &far_hit) : -1.0;
    const bool is_right = at_middle <= error && fabs(at_exit) <= error && beyond > 0.0 &&
                          fabs(far_exit - exit) <= 1e-12 * (size + exit);
    if (!is_right) {
        test_curved_print("target", c);
        ck_abort_msg("in at %.17g, out at %.17g (far away %.17g): %g, %g, %g", hit.distance, exit,
                     far_exit, at_middle, at_exit, beyond);
    }
}

TEST_EACH(of_every_convex_kind, 0, 2) {
    const uint32_t dimension = 2 + (uint32_t)_i;
    test_rng rng = test_rng_make(2800 + (uint64_t)_i);
    struct gjk_arena arena;
    static test_curved c;
    gjk_arena_init(&arena, 0);
    for (uint64_t i = 0; i < CONVEX * test_factor(); i++) {
        test_curved_make_random(&c, &rng, dimension, test_rng_magnitude(&rng, -1, 1), &arena, true);
        const gjk_vec3 at = gjk_scale3(3, test_rng_direction(&rng, dimension));
        test_curved_place_randomly(&c, &rng, rounded(at));
        const gjk_vec3 off = test_rng_direction(&rng, dimension);
        const gjk_vec3 from = rounded(gjk_add3(at, gjk_scale3(test_rng_uniform(&rng, 0, 5), off)));
        const gjk_vec3 aside = test_rng_direction(&rng, dimension);
        const gjk_vec3 to = gjk_add3(at, gjk_scale3(0.3 * c.shape.size, aside));
        gjk_ray ray;
        if (gjk_ray_make(from, gjk_sub3(to, from), INFINITY, &ray) == GJK_OK) {
            check_kind(&c, &ray, far_place(&rng, dimension), &arena);
        }
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}
