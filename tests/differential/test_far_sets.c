/*
 * Do sets find every body that lies far from its own origin? What they answer is compared with what
 * each body alone answers, as bodies that stand still and as those that come to them.
 */

#include "far_shapes.h"
#include "gjk/configuration.h"
#include "gjk/set.h"
#include "gjk/set_query.h"
#include "scene.h"
#include "support/test.h"

#include <stdio.h>

#define SCENES TEST_CASES(1500)
#define BODIES 24
#define NEAREST 3

typedef struct far_scene {
    test_far_pair pairs[BODIES];
    char ids[BODIES][8];
    gjk_body bodies[BODIES];
    gjk_placed near[BODIES]; /* the same about their own origins */
    struct gjk_set *set;
    gjk_snapshot snapshot;
    gjk_filter filter;
    gjk_selection selection;
} far_scene;

/* Bodies spread over 6 units around the world's origin. */
static void make_scene(test_rng *rng, uint32_t dimension, struct gjk_arena *arena, far_scene *out) {
    for (uint32_t i = 0; i < BODIES; i++) {
        test_far_kind kind;
        do {
            kind = (test_far_kind)test_rng_below(rng, TEST_FAR_KINDS);
        } while (!test_far_exists(kind, dimension));
        test_far_pair_make(rng, kind, dimension, arena, &out->pairs[i]);
        snprintf(out->ids[i], sizeof out->ids[i], "b%02u", i);
        gjk_placed placed = out->pairs[i].far_placed;
        const gjk_vec3 off =
            gjk_scale3(test_rng_uniform(rng, 0, 6), test_rng_direction(rng, dimension));
        placed.pose.position = gjk_add3(placed.pose.position, off);
        out->bodies[i] = (gjk_body){.id = out->ids[i],
                                    .handle = i,
                                    .placed = placed,
                                    .category = UINT32_MAX,
                                    .mask = UINT32_MAX};
        const gjk_vec3 moved =
            gjk_sub3(placed.pose.position, out->pairs[i].far_placed.pose.position);
        out->near[i] = out->pairs[i].near_placed;
        out->near[i].pose.position = gjk_add3(out->near[i].pose.position, moved);
    }
    ck_assert_int_eq(gjk_set_new_indexed(dimension, out->bodies, BODIES, &out->set), GJK_OK);
    out->snapshot = gjk_snapshot_of(out->set);
    out->filter = gjk_filter_default();
    out->selection = (gjk_selection){.filter = &out->filter, .limit = UINT32_MAX, .arena = arena};
}

static void check_detect(const far_scene *scene, const gjk_placed *asked) {
    const gjk_detect_settings settings = gjk_detect_settings_default();
    gjk_hits found;
    uint32_t wanted = 0;
    ck_assert_int_eq(gjk_set_detect(&scene->snapshot, asked, &scene->selection, &settings, &found),
                     GJK_OK);
    for (uint32_t i = 0; i < BODIES; i++) {
        wanted += gjk_detect(asked, &scene->bodies[i].placed, &settings).state != GJK_SEPARATED;
    }
    ck_assert_uint_eq(found.count, wanted);
}

/* Compared with what is within of the same bodies made about their own origins. */
static void check_within(const far_scene *scene, struct gjk_arena *arena) {
    const gjk_detect_settings settings = gjk_detect_settings_default();
    const uint32_t dimension = gjk_set_dimension(scene->set);
    gjk_shape box;
    gjk_hits found, wanted;
    struct gjk_set *set;
    gjk_body near[BODIES];
    const gjk_vec3 half = {3, 3, dimension == 3 ? 3.0 : 0.0};
    ck_assert_int_eq(gjk_shape_make_box(arena, dimension, half, 0, &box), GJK_OK);
    const gjk_placed around = {&box, gjk_pose_identity()};
    for (uint32_t i = 0; i < BODIES; i++) {
        near[i] = scene->bodies[i];
        near[i].placed = scene->near[i];
    }
    ck_assert_int_eq(gjk_set_new_indexed(dimension, near, BODIES, &set), GJK_OK);
    const gjk_snapshot snapshot = gjk_snapshot_of(set);
    ck_assert_int_eq(gjk_set_within(&scene->snapshot, &around, &scene->selection, &settings,
                                    &found),
                     GJK_OK);
    ck_assert_int_eq(gjk_set_within(&snapshot, &around, &scene->selection, &settings, &wanted),
                     GJK_OK);
    ck_assert_uint_eq(found.count, wanted.count);
    for (uint32_t i = 0; i < wanted.count; i++) {
        ck_assert_str_eq(found.items[i].body->id, wanted.items[i].body->id);
    }
    gjk_set_release(set);
}

static void check_nearest(const far_scene *scene, const gjk_placed *asked) {
    const gjk_distance_settings settings = gjk_distance_settings_default();
    gjk_selection selection = scene->selection;
    gjk_nears found;
    double least = INFINITY;
    selection.limit = NEAREST;
    ck_assert_int_eq(gjk_set_nearest(&scene->snapshot, asked, INFINITY, &selection, &settings,
                                     &found),
                     GJK_OK);
    for (uint32_t i = 0; i < BODIES; i++) {
        least = fmin(least, gjk_distance(asked, &scene->bodies[i].placed, &settings).distance);
    }
    ck_assert_uint_eq(found.count, NEAREST);
    ck_assert(found.items[0].result.distance == least);
}

static void check_ray(test_rng *rng, const far_scene *scene, uint32_t dimension) {
    const gjk_ray_settings settings = gjk_ray_settings_default();
    const gjk_vec3 from = gjk_scale3(8, test_rng_direction(rng, dimension));
    const gjk_vec3 to = gjk_scale3(3, test_rng_direction(rng, dimension));
    gjk_ray ray;
    gjk_ray_hits found;
    uint32_t wanted = 0;
    ck_assert_int_eq(gjk_ray_make(from, gjk_sub3(to, from), INFINITY, &ray), GJK_OK);
    ck_assert_int_eq(gjk_set_raycast(&scene->snapshot, &ray, &scene->selection, &settings, &found),
                     GJK_OK);
    for (uint32_t i = 0; i < BODIES; i++) {
        wanted += gjk_raycast(&scene->bodies[i].placed, &ray, &settings).hit;
    }
    ck_assert_uint_eq(found.count, wanted);
}

/* Of a motion that turns and one that does not; the number of hits. */
static uint32_t check_casts(const far_scene *scene, const gjk_placed *moving,
                            const gjk_rigid_motion *motion) {
    const gjk_cast_settings settings = gjk_cast_settings_default();
    const gjk_sweep sweep = {*moving, motion->translation};
    gjk_cast_hits found, turning;
    uint32_t wanted = 0, wanted_turning = 0;
    ck_assert_int_eq(gjk_set_cast(&scene->snapshot, &sweep, &scene->selection, &settings, &found),
                     GJK_OK);
    ck_assert_int_eq(gjk_set_cast_turning(&scene->snapshot, moving, motion, &scene->selection,
                                          &settings, &turning),
                     GJK_OK);
    for (uint32_t i = 0; i < BODIES; i++) {
        const gjk_placed *target = &scene->bodies[i].placed;
        wanted += gjk_cast(moving, motion->translation, target, &settings).hit;
        wanted_turning += gjk_cast_turning(moving, motion, target, &settings).hit;
    }
    ck_assert_uint_eq(found.count, wanted);
    ck_assert_uint_eq(turning.count, wanted_turning);
    return wanted_turning;
}

/* One of the bodies goes on its way, as a link of a robot does. */
static void check_configuration(const far_scene *scene, const gjk_rigid_motion *wanted_motion,
                                struct gjk_arena *arena) {
    const gjk_cast_settings settings = gjk_cast_settings_default();
    const gjk_body *moved = gjk_set_find(scene->set, scene->ids[0]);
    const gjk_configuration_settings asked = {.moved = &moved,
                                              .count = 1,
                                              .filter = &scene->filter,
                                              .threshold = INFINITY,
                                              .tolerance = settings.tolerance,
                                              .max_iterations = settings.max_iterations};
    const gjk_placed *from = &moved->placed;
    const gjk_pose to = gjk_rigid_motion_pose(&from->pose, wanted_motion, 1.0);
    const gjk_rigid_motion motion =
        gjk_rigid_motion_between(from->shape->dimension, &from->pose, &to);
    struct gjk_configurations *rows;
    gjk_configuration_hint hint = {0};
    gjk_configuration found;
    double first = 1;
    bool hit = false;
    ck_assert_int_eq(gjk_configurations_new(&scene->snapshot, &asked, arena, &rows), GJK_OK);
    ck_assert_int_eq(gjk_configuration_ask(rows, &to, &from->pose, NULL, &hint, &found), GJK_OK);
    for (uint32_t i = 1; i < BODIES; i++) {
        const gjk_placed *target = &scene->bodies[i].placed;
        const gjk_cast_result met = gjk_cast_turning(from, &motion, target, &settings);
        hit |= met.hit;
        first = met.hit ? fmin(first, met.fraction) : first;
    }
    ck_assert_msg(found.colliding == hit && fabs(found.fraction - first) <= 1e-9,
                  "%d at %.17g, but %d at %.17g", found.colliding, found.fraction, hit, first);
}

static void check_scene(test_rng *rng, const far_scene *scene, uint32_t dimension,
                        struct gjk_arena *arena, uint32_t *hits) {
    for (uint32_t round = 0; round < 3; round++) {
        test_body body = test_random_body(rng, dimension, 1.0);
        body.position = gjk_scale3(test_rng_uniform(rng, 0, 5), test_rng_direction(rng, dimension));
        test_body_build(&body, arena);
        const bool is_far = round == 0; /* one of the bodies themselves, or one like others */
        const gjk_placed asked = is_far ? scene->bodies[0].placed : body.placed;
        const gjk_rigid_motion motion = {gjk_scale3(is_far ? 4.0 : -2.0,
                                                    is_far ? test_rng_direction(rng, dimension)
                                                           : asked.pose.position),
                                         dimension == 2 ? (gjk_vec3){0, 0, 1}
                                                        : test_rng_direction(rng, 3),
                                         test_rng_uniform(rng, -2, 2)};
        check_detect(scene, &asked);
        check_nearest(scene, &asked);
        check_ray(rng, scene, dimension);
        check_within(scene, arena);
        check_configuration(scene, &motion, arena);
        *hits += check_casts(scene, &asked, &motion);
    }
}

TEST_EACH(sets_find_what_pairs_find, 2, 4) {
    const uint32_t dimension = (uint32_t)_i;
    test_rng rng = test_rng_make(200 + dimension);
    struct gjk_arena arena;
    uint32_t hits = 0;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < SCENES; i++) {
        static far_scene scene;
        make_scene(&rng, dimension, &arena, &scene);
        check_scene(&rng, &scene, dimension, &arena, &hits);
        gjk_set_release(scene.set);
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
    ck_assert_uint_gt(hits, SCENES);
}
