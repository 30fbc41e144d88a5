/*
 * Rays, points and balls at a mesh against the same at each of its triangles, one by one: the same
 * bits. Rays go through vertices and edges, lie in planes of triangles, run along axes and end on
 * the surface; meshes are small or large, and far from their own origin or the world's.
 */

#include "gjk/pieces.h"
#include "gjk/ray.h"
#include "scene.h"
#include "support/test.h"

#include <string.h>

#define SCENES TEST_CASES(150)
#define QUERIES 60
#define SIDE 9

/* A mesh in its own frame: a bumpy grid, or a soup with slivers and triangles of no area. */
typedef struct mesh_scene {
    gjk_vec3 vertices[SIDE * SIDE];
    uint32_t triangles[2 * (SIDE - 1) * (SIDE - 1)][3];
    uint32_t triangle_count;
    double size;
    gjk_vec3 middle;
    gjk_shape shape;
    gjk_placed placed;
} mesh_scene;

static void fill_vertices(test_rng *rng, mesh_scene *scene, bool is_flat) {
    const double size = scene->size;
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        const gjk_vec3 at = {i % SIDE - 0.5 * SIDE, i / SIDE - 0.5 * SIDE,
                             is_flat ? 0.0 : test_rng_uniform(rng, -2, 2)};
        scene->vertices[i] = gjk_add3(scene->middle, gjk_scale3(size / SIDE, at));
    }
}

static void fill_triangles(test_rng *rng, mesh_scene *scene, bool is_soup) {
    scene->triangle_count = 0;
    for (uint32_t i = 0; i < SIDE * (SIDE - 1); i++) {
        if (i % SIDE + 1 < SIDE) {
            const uint32_t two[6] = {i, i + 1, i + SIDE + 1, i, i + SIDE + 1, i + SIDE};
            memcpy(scene->triangles[scene->triangle_count], two, sizeof two);
            scene->triangle_count += 2;
        }
    }
    for (uint32_t k = 0; is_soup && k < 3 * scene->triangle_count; k++) {
        scene->triangles[k / 3][k % 3] = test_rng_below(rng, SIDE * SIDE);
    }
}

static void make_scene(test_rng *rng, struct gjk_arena *arena, mesh_scene *scene) {
    const uint32_t kind = test_rng_below(rng, 4);
    scene->size = kind == 0 ? test_rng_magnitude(rng, -12, 12) : test_rng_magnitude(rng, -1, 2);
    const double off = test_rng_once_in(rng, 2) ? 0.0 : test_rng_magnitude(rng, -1, 7);
    scene->middle = gjk_scale3(scene->size * off, test_rng_direction(rng, 3));
    fill_vertices(rng, scene, kind == 1);
    fill_triangles(rng, scene, kind == 2);
    const gjk_mesh made_of = {.vertices = scene->vertices,
                              .vertex_count = SIDE * SIDE,
                              .triangles = (const uint32_t(*)[3])scene->triangles,
                              .triangle_count = scene->triangle_count};
    gjk_pieces_fault fault;
    ck_assert_int_eq(gjk_shape_make_mesh(arena, &made_of, 0.0, &fault, &scene->shape), GJK_OK);
    scene->placed = (gjk_placed){&scene->shape, gjk_pose_identity()};
    if (test_rng_once_in(rng, 2)) {
        const double away = test_rng_once_in(rng, 2) ? 0.0 : test_rng_magnitude(rng, -1, 5);
        const gjk_vec3 at = gjk_scale3(scene->size * away, test_rng_direction(rng, 3));
        ck_assert_int_eq(gjk_pose_make3(at, test_rng_rotation(rng), &scene->placed.pose), GJK_OK);
    }
}

/* A place on a triangle: a corner, on an edge, within. */
static gjk_vec3 aim(test_rng *rng, const mesh_scene *scene, const uint32_t t[3]) {
    const uint32_t kind = test_rng_below(rng, 3);
    const double u = kind == 0 ? 0.0 : test_rng_uniform(rng, 0, 1);
    const double w = kind < 2 ? 0.0 : test_rng_uniform(rng, 0, 1 - u);
    const gjk_vec3 a = scene->vertices[t[0]];
    const gjk_vec3 ab = gjk_sub3(scene->vertices[t[1]], a), ac = gjk_sub3(scene->vertices[t[2]], a);
    return gjk_add3(a, gjk_add3(gjk_scale3(u, ab), gjk_scale3(w, ac)));
}

static gjk_vec3 choose_direction(test_rng *rng, const mesh_scene *scene, const uint32_t t[3]) {
    const gjk_vec3 ab = gjk_sub3(scene->vertices[t[1]], scene->vertices[t[0]]);
    const gjk_vec3 ac = gjk_sub3(scene->vertices[t[2]], scene->vertices[t[0]]);
    const double sign = test_rng_once_in(rng, 2) ? 1.0 : -1.0;
    switch (test_rng_below(rng, 5)) {
    case 0: /* along an axis */
        return (gjk_vec3[]){{sign, 0, 0}, {0, sign, 0}, {0, 0, sign}}[test_rng_below(rng, 3)];
    case 1: /* along an edge */
        return gjk_scale3(sign, ab);
    case 2: /* in the triangle's plane */
        return gjk_add3(gjk_scale3(test_rng_uniform(rng, -1, 1), ab), gjk_scale3(sign, ac));
    default:
        return test_rng_direction(rng, 3);
    }
}

/* Makes a ray in the world that comes by a triangle. Returns false if it has no direction. */
static bool make_ray(test_rng *rng, const mesh_scene *scene, gjk_ray *ray) {
    const uint32_t *t = scene->triangles[test_rng_below(rng, scene->triangle_count)];
    gjk_vec3 way = choose_direction(rng, scene, t);
    const double most = gjk_largest3(way);
    if (!(most > 0.0)) {
        return false;
    }
    way = gjk_scale3(1.0 / most, way);
    const gjk_vec3 at = aim(rng, scene, t);
    const double back = scene->size * (test_rng_once_in(rng, 8)   ? 0.0
                                       : test_rng_once_in(rng, 4) ? test_rng_magnitude(rng, 0, 6)
                                                                  : test_rng_uniform(rng, 0, 2));
    const gjk_vec3 origin = gjk_sub3(at, gjk_scale3(back, way));
    const double reach = test_rng_once_in(rng, 4) ? back * gjk_length3(way) : INFINITY;
    const gjk_pose *pose = &scene->placed.pose;
    return gjk_ray_make(gjk_pose_apply(pose, origin), gjk_mul3(&pose->rotation, way), reach, ray) ==
           GJK_OK;
}

/* The best of all triangles: inside first, then the nearest, then the least. */
static gjk_ray_result raycast_each(const mesh_scene *scene, const gjk_ray *ray) {
    const gjk_ray_settings settings = gjk_ray_settings_default();
    gjk_ray_result best = {.hit = false};
    for (uint32_t i = 0; i < scene->triangle_count; i++) {
        gjk_piece piece;
        gjk_piece_make(&scene->placed, i, &piece);
        gjk_ray_result result = gjk_raycast(&piece.placed, ray, &settings);
        result.piece = i;
        const bool is_better = !best.hit || (result.inside && !best.inside) ||
                               (result.inside == best.inside && result.distance < best.distance);
        best = result.hit && is_better ? result : best;
    }
    return best;
}

static bool same_place(gjk_vec3 a, gjk_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

TEST(rays_hit_what_they_hit_of_the_triangles) {
    uint32_t hits = 0, rays = 0;
    for (uint64_t seed = 0; seed < SCENES; seed++) {
        static mesh_scene scene;
        test_rng rng = test_rng_make(41000 + seed);
        struct gjk_arena arena;
        gjk_arena_init(&arena, 0);
        make_scene(&rng, &arena, &scene);
        for (int k = 0; k < QUERIES; k++) {
            gjk_ray ray;
            if (!make_ray(&rng, &scene, &ray)) {
                continue;
            }
            gjk_ray_settings settings = gjk_ray_settings_default();
            settings.any = true;
            const bool hits_any = gjk_raycast(&scene.placed, &ray, &settings).hit;
            settings.any = false;
            const gjk_ray_result whole = gjk_raycast(&scene.placed, &ray, &settings);
            const gjk_ray_result best = raycast_each(&scene, &ray);
            ck_assert_int_eq(hits_any, whole.hit);
            ck_assert_msg(whole.hit == best.hit, "seed %llu, query %d: hit %d, of triangles %d",
                          (unsigned long long)seed, k, whole.hit, best.hit);
            rays++;
            hits += best.hit;
            if (best.hit) {
                ck_assert_msg(whole.inside == best.inside && whole.distance == best.distance &&
                                  whole.piece == best.piece && same_place(whole.point, best.point),
                              "seed %llu, query %d: %u at %.17g, of triangles %u at %.17g",
                              (unsigned long long)seed, k, whole.piece, whole.distance, best.piece,
                              best.distance);
            }
        }
        gjk_arena_fini(&arena);
    }
    ck_assert_uint_gt(2 * hits, rays);
}

static void check_ball(const mesh_scene *scene, const gjk_placed *ball, uint64_t seed, int k) {
    const gjk_distance_settings settings = gjk_distance_settings_default();
    gjk_detect_settings boolean = gjk_detect_settings_default();
    boolean.penetration = false;
    const gjk_distance_result whole = gjk_distance(&scene->placed, ball, &settings);
    gjk_distance_result best = {.distance = INFINITY};
    gjk_state state = GJK_SEPARATED;
    for (uint32_t i = 0; i < scene->triangle_count; i++) {
        gjk_piece piece;
        gjk_piece_make(&scene->placed, i, &piece);
        gjk_distance_result result = gjk_distance(&piece.placed, ball, &settings);
        result.piece_a = i;
        best = result.distance < best.distance ? result : best;
        const gjk_state found = gjk_detect(&piece.placed, ball, &boolean).state;
        state = found > state ? found : state;
    }
    ck_assert_int_eq(gjk_detect(&scene->placed, ball, &boolean).state, state);
    ck_assert_msg(whole.distance == best.distance &&
                      (best.distance == 0.0 ||
                       (whole.piece_a == best.piece_a && same_place(whole.point_a, best.point_a) &&
                        same_place(whole.point_b, best.point_b))),
                  "seed %llu, query %d: %u at %.17g, of triangles %u at %.17g",
                  (unsigned long long)seed, k, whole.piece_a, whole.distance, best.piece_a,
                  best.distance);
}

TEST(balls_are_as_far_as_from_the_nearest_triangle) {
    for (uint64_t seed = 0; seed < SCENES; seed++) {
        static mesh_scene scene;
        test_rng rng = test_rng_make(42000 + seed);
        struct gjk_arena arena;
        gjk_arena_init(&arena, 0);
        make_scene(&rng, &arena, &scene);
        for (int k = 0; k < QUERIES / 4; k++) {
            const uint32_t *t = scene.triangles[test_rng_below(&rng, scene.triangle_count)];
            const double off = scene.size * test_rng_magnitude(&rng, -6, 2);
            const double radius =
                test_rng_once_in(&rng, 2) ? 0.0 : off * test_rng_uniform(&rng, 0, 1.5);
            const gjk_vec3 at =
                gjk_add3(aim(&rng, &scene, t), gjk_scale3(off, test_rng_direction(&rng, 3)));
            gjk_shape shape;
            ck_assert_int_eq(radius > 0.0 ? gjk_shape_make_ball(&arena, 3, radius, 0.0, &shape)
                                          : gjk_shape_make_point(&arena, 3, 0.0, &shape),
                             GJK_OK);
            gjk_placed ball = {&shape, gjk_pose_identity()};
            ball.pose.position = gjk_pose_apply(&scene.placed.pose, at);
            check_ball(&scene, &ball, seed, k);
        }
        gjk_arena_fini(&arena);
    }
}
