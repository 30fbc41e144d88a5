/*
 * Which pairs and rays is a case measured on? Shapes about one unit large, 32 of a
 * kind so that they stay in the cache; poses drawn until the wanted numbers of
 * overlapping and separated pairs are found.
 */

#include "pairs_scene.h"

#include "gjk/pair.h"

#include <stdio.h>
#include <stdlib.h>

#define SEED UINT64_C(20240229)
#define TURN 6.283185307179586
#define POINTS_MAX 128

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t next(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double uniform(uint64_t *state, double low, double high) {
    return low + (high - low) * ldexp((double)(next(state) >> 11), -53);
}

/*
 * Random numbers are drawn one a statement: in one expression the order of the draws
 * would be the compiler's choice, and so would the scene.
 */

/* On the unit circle or sphere. */
static gjk_vec3 direction(uint64_t *state, uint32_t dimension) {
    double z = dimension == 3 ? uniform(state, -1, 1) : 0.0;
    double angle = uniform(state, 0, TURN);
    double r = sqrt(1.0 - z * z);
    return (gjk_vec3){r * cos(angle), r * sin(angle), z};
}

static void must(gjk_status status) {
    if (status != GJK_OK) {
        fprintf(stderr, "bench_pairs: %s\n", gjk_status_text(status));
        exit(1);
    }
}

static gjk_shape make_8_gon(struct gjk_arena *arena, uint64_t *state) {
    gjk_vec2 vertices[8];
    for (int i = 0; i < 8; i++) {
        double angle = (i + uniform(state, 0.0, 0.7)) * TURN / 8;
        vertices[i] = gjk_vec2_make(cos(angle), sin(angle));
    }
    uint32_t bad;
    gjk_shape shape;
    must(gjk_shape_make_polygon(arena, vertices, 8, 0.0, &bad, &shape));
    return shape;
}

/* Points on a sphere: all of them are extreme. */
static gjk_shape make_hull(struct gjk_arena *arena, uint64_t *state, uint32_t count) {
    gjk_vec3 points[POINTS_MAX];
    for (uint32_t i = 0; i < count; i++) {
        points[i] = direction(state, 3);
    }
    gjk_shape shape;
    must(gjk_shape_make_hull(arena, 3, points, count, 0.0, &shape));
    return shape;
}

static gjk_shape make(struct gjk_arena *arena, enum bench_kind kind, uint64_t *state) {
    gjk_shape shape;
    gjk_vec3 half;
    half.x = uniform(state, 0.5, 1);
    half.y = uniform(state, 0.5, 1);
    half.z = uniform(state, 0.5, 1);
    gjk_vec3 ends[2] = {{0, 0, -half.z}, {0, 0, half.z}};
    switch (kind) {
    case BENCH_CIRCLE:
        must(gjk_shape_make_ball(arena, 2, half.x, 0.0, &shape));
        return shape;
    case BENCH_8_GON:
        return make_8_gon(arena, state);
    case BENCH_BOX:
        must(gjk_shape_make_box(arena, 3, half, 0.0, &shape));
        return shape;
    case BENCH_CAPSULE:
        must(gjk_shape_make_capsule(arena, 3, ends, 0.5 * half.x, 0.0, &shape));
        return shape;
    case BENCH_CYLINDER:
        must(gjk_shape_make_cylinder(ends, half.x, 0.0, &shape));
        return shape;
    case BENCH_CONE:
        must(gjk_shape_make_cone(ends[0], ends[1], half.x, 0.0, &shape));
        return shape;
    case BENCH_HULL_8:
        return make_hull(arena, state, 8);
    case BENCH_HULL_32:
        return make_hull(arena, state, 32);
    case BENCH_HULL_128:
        return make_hull(arena, state, 128);
    }
    abort();
}

static gjk_pose pose_at(gjk_vec3 position, uint32_t dimension, uint64_t *state) {
    gjk_pose pose;
    if (dimension == 2) {
        must(gjk_pose_make2(gjk_xy(position), uniform(state, 0, TURN), &pose));
        return pose;
    }
    /* A uniform rotation: a unit quaternion from two random circles (Shoemake 1992). */
    double u = uniform(state, 0, 1);
    double s = uniform(state, 0, TURN);
    double t = uniform(state, 0, TURN);
    gjk_quat q = {sqrt(1 - u) * sin(s), sqrt(1 - u) * cos(s), sqrt(u) * sin(t), sqrt(u) * cos(t)};
    must(gjk_pose_make3(position, q, &pose));
    return pose;
}

static bool overlap(const struct bench_pair *pair) {
    gjk_detect_settings settings = gjk_detect_settings_default();
    return gjk_detect(&pair->a, &pair->b, &settings).state != GJK_SEPARATED;
}

/* A random point in the ball of the given radius (denser towards its centre). */
static gjk_vec3 point_within(uint64_t *state, uint32_t dimension, double radius) {
    double length = uniform(state, 0, radius);
    return gjk_scale3(length, direction(state, dimension));
}

static void draw_poses(struct bench_pair *pair, uint64_t *state, bool overlapping) {
    uint32_t dimension = pair->a.shape->dimension;
    double reach = pair->a.shape->bounding_radius + pair->b.shape->bounding_radius;
    do {
        gjk_vec3 position = point_within(state, dimension, 10);
        gjk_vec3 offset = point_within(state, dimension, reach);
        pair->a.pose = pose_at(position, dimension, state);
        pair->b.pose = pose_at(gjk_add3(position, offset), dimension, state);
    } while (overlap(pair) != overlapping);
}

/* Nearly touching, on the side where it is. */
static void draw_near(struct bench_pair *pair, uint64_t *state) {
    const gjk_distance_settings apart = gjk_distance_settings_default();
    const gjk_detect_settings deep = gjk_detect_settings_default();
    gjk_distance_result far = gjk_distance(&pair->a, &pair->b, &apart);
    gjk_detect_result depth = gjk_detect(&pair->a, &pair->b, &deep);
    bool separated = far.state == GJK_SEPARATED;
    double gap = pow(10.0, uniform(state, -9, -3));
    gjk_vec3 by = separated ? gjk_scale3(gap - far.distance, far.normal)
                            : gjk_scale3(depth.depth - gap, depth.normal);
    pair->b.pose.position = gjk_add3(pair->b.pose.position, by);
}

static void draw_ray(struct bench_pair *pair, uint64_t *state, bool hitting) {
    uint32_t dimension = pair->a.shape->dimension;
    double radius = pair->a.shape->bounding_radius;
    gjk_vec3 center = gjk_pose_apply(&pair->a.pose, pair->a.shape->center);
    gjk_ray_settings settings = gjk_ray_settings_default();
    do {
        gjk_vec3 from = gjk_scale3(4.0 * radius, direction(state, dimension));
        gjk_vec3 to = point_within(state, dimension, 1.5 * radius);
        gjk_vec3 along = gjk_sub3(to, from);
        must(gjk_ray_make(gjk_add3(center, from), along, INFINITY, &pair->ray));
    } while (gjk_raycast(&pair->a, &pair->ray, &settings).hit != hitting);
}

/* Away from b by more than they reach, and from there to or past a point in it or beside it, turned
 * by up to a fifth of a circle. */
static void draw_cast(struct bench_pair *pair, uint64_t *state) {
    const uint32_t dimension = pair->a.shape->dimension;
    const double reach = pair->a.shape->bounding_radius + pair->b.shape->bounding_radius;
    const gjk_vec3 from = gjk_scale3(uniform(state, 1.5, 2) * reach, direction(state, dimension));
    const gjk_vec3 to = point_within(state, dimension, 1.5 * reach);
    const gjk_vec3 way = gjk_scale3(uniform(state, 0.7, 1.6), gjk_sub3(to, from));
    const double side = uniform(state, -1, 1) < 0.0 ? -1.0 : 1.0;
    pair->away = pose_at(gjk_add3(pair->b.pose.position, from), dimension, state);
    pair->motion = (gjk_rigid_motion){way, {0, 0, 1}, side * uniform(state, 0.2, 1.2)};
    if (dimension == 3) {
        pair->motion.axis = direction(state, 3);
    }
    pair->arrived = gjk_rigid_motion_pose(&pair->away, &pair->motion, 1.0);
}

void bench_scene_init(struct bench_scene *scene, enum bench_kind a, enum bench_kind b,
                      int overlapping, bool near) {
    uint64_t state = SEED;
    scene->kind_a = a;
    scene->kind_b = b;
    gjk_arena_init(&scene->arena, 0);
    for (int i = 0; i < BENCH_SHAPES; i++) {
        scene->a[i] = make(&scene->arena, a, &state);
        scene->b[i] = make(&scene->arena, b, &state);
    }
    int overlapping_left = overlapping, hitting_left = BENCH_PAIRS / 2;
    for (int left = BENCH_PAIRS; left > 0; left--) {
        struct bench_pair *pair = &scene->pairs[left - 1];
        pair->a.shape = &scene->a[next(&state) % BENCH_SHAPES];
        pair->b.shape = &scene->b[next(&state) % BENCH_SHAPES];
        bool overlaps = uniform(&state, 0, left) < overlapping_left;
        bool hits = uniform(&state, 0, left) < hitting_left;
        overlapping_left -= overlaps;
        hitting_left -= hits;
        draw_poses(pair, &state, overlaps);
        if (near) {
            draw_near(pair, &state);
        }
        draw_ray(pair, &state, hits);
        gjk_vec3 by = gjk_scale3(0.01, direction(&state, scene->a[0].dimension));
        scene->moved[left - 1] = *pair;
        scene->moved[left - 1].b.pose.position = gjk_add3(pair->b.pose.position, by);
    }
    for (int i = 0; i < BENCH_PAIRS; i++) {
        draw_cast(&scene->pairs[i], &state);
    }
}

void bench_scene_fini(struct bench_scene *scene) {
    gjk_arena_fini(&scene->arena);
}
