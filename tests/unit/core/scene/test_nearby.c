/*
 * Touches and casts by what is kept near a body that walks about have the bits of a search of the whole
 * set, at places near and far, over meshes coarse and fine, and among bodies that stand anyhow.
 */

#include "scene/touches.h"

#include "gjk/pieces.h"
#include "support/meshes.h"
#include "support/rng.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#define CELLS 40
#define BOXES 12
#define PLACES 2000

TEST_ARENA(arena)

static gjk_shape mesh, box, row, walkers[3];
static gjk_body bodies[BOXES + 2];
static char ids[BOXES + 2][8];

static double bumps(double x, double y) {
    return 0.4 * sin(1.3 * x) * cos(1.1 * y);
}

static void add(test_rng *rng, uint32_t i, const gjk_shape *shape, gjk_vec3 place) {
    gjk_pose pose;
    ck_assert_int_eq(gjk_pose_make3(place, test_rng_rotation(rng), &pose), GJK_OK);
    (void)snprintf(ids[i], sizeof ids[i], "b%u", i);
    bodies[i] = (gjk_body){.id = ids[i],
                           .handle = i,
                           .category = 1,
                           .mask = UINT32_MAX,
                           .placed = {shape, pose}};
}

/* A ground of cells of that size, boxes, and a compound of them. */
static struct gjk_set *make_set(test_rng *rng, double cell) {
    static gjk_vec3 vertices[(CELLS + 1) * (CELLS + 1)];
    static uint32_t triangles[2 * CELLS * CELLS][3];
    const gjk_vec3 ends[2] = {{0, 0, -0.5}, {0, 0, 0.5}}, half = {0.3, 0.4, 0.2};
    const double side = CELLS * cell / 2;
    gjk_placed parts[3];
    gjk_pieces_fault fault;
    struct gjk_set *set;
    test_ground(CELLS, cell, bumps, vertices, triangles);
    const gjk_mesh ground = {.vertices = vertices,
                             .vertex_count = (CELLS + 1) * (CELLS + 1),
                             .triangles = (const uint32_t(*)[3])triangles,
                             .triangle_count = 2 * CELLS * CELLS};
    ck_assert_int_eq(gjk_shape_make_mesh(&arena, &ground, 0, &fault, &mesh), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_box(&arena, 3, half, 0, &box), GJK_OK);
    for (int i = 0; i < 3; i++) {
        parts[i] = (gjk_placed){&box, gjk_pose_identity()};
        parts[i].pose.position.x = 0.7 * i;
    }
    ck_assert_int_eq(gjk_shape_make_compound(&arena, 3, parts, 3, &row), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_capsule(&arena, 3, ends, 0.4, 0, &walkers[0]), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_box(&arena, 3, half, 0, &walkers[1]), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_ball(&arena, 3, 0.5, 0, &walkers[2]), GJK_OK);
    for (uint32_t i = 0; i < BOXES + 1; i++) {
        const double x = test_rng_uniform(rng, -side, side), y = test_rng_uniform(rng, -side, side);
        add(rng, i, i == 0 ? &row : &box, (gjk_vec3){x, y, bumps(x, y)});
    }
    add(rng, BOXES + 1, &mesh, (gjk_vec3){0, 0, 0});
    bodies[BOXES + 1].placed.pose = gjk_pose_identity();
    ck_assert_int_eq(gjk_set_new_indexed(3, bodies, BOXES + 2, &set), GJK_OK);
    return set;
}

static void check_touches(const gjk_snapshot *snapshot, const gjk_placed *moving, double reach,
                          const gjk_selection *all, gjk_nearby *nearby) {
    static gjk_nearby full;
    const gjk_distance_settings settings = gjk_distance_settings_default();
    gjk_touches kept, whole;
    gjk_nearby_init(&full);
    full.is_full = true; /* so that the set is searched */
    ck_assert_int_eq(gjk_touches_find(snapshot, moving, reach, all, &settings, nearby, &kept),
                     GJK_OK);
    ck_assert_int_eq(gjk_touches_find(snapshot, moving, reach, all, &settings, &full, &whole),
                     GJK_OK);
    ck_assert_uint_eq(kept.count, whole.count);
    for (uint32_t i = 0; i < kept.count; i++) {
        const gjk_touch *p = &kept.items[i], *q = &whole.items[i];
        ck_assert(p->body == q->body && p->piece == q->piece && p->gap == q->gap);
        ck_assert(memcmp(&p->normal, &q->normal, sizeof p->normal) == 0);
        ck_assert(memcmp(&p->point, &q->point, sizeof p->point) == 0);
    }
}

/* Returns true if what is kept has answered. */
static bool check_cast(const gjk_snapshot *snapshot, const gjk_placed *moving, gjk_vec3 way,
                       const gjk_selection *all, gjk_nearby *nearby) {
    const gjk_sweep sweep = {*moving, way};
    gjk_cast_settings settings = gjk_cast_settings_default();
    gjk_cast_hits hits;
    gjk_cast_hit hit;
    settings.at_start = GJK_AT_START_LEAVING;
    if (!gjk_nearby_cast(nearby, moving, way, &settings, &hit)) {
        return false;
    }
    ck_assert_int_eq(gjk_set_cast(snapshot, &sweep, all, &settings, &hits), GJK_OK);
    ck_assert_uint_eq(hit.result.hit, hits.count > 0);
    if (hit.result.hit) {
        const gjk_cast_result *p = &hit.result, *q = &hits.items[0].result;
        ck_assert(hit.body == hits.items[0].body && p->piece == q->piece);
        ck_assert(p->fraction == q->fraction && p->inside == q->inside);
        ck_assert(memcmp(&p->normal, &q->normal, sizeof p->normal) == 0);
        ck_assert(memcmp(&p->point, &q->point, sizeof p->point) == 0);
    }
    return true;
}

/* Of each walker, over coarse, middling and fine ground. */
TEST_EACH(what_is_kept_answers_as_the_set_does, 0, 9) {
    static gjk_nearby nearby;
    const double cell = (double[]){1, 0.3, 0.04}[_i / 3], side = CELLS * cell / 2;
    test_rng rng = test_rng_make(2706 + _i);
    gjk_filter everybody = gjk_filter_default();
    struct gjk_set *set = make_set(&rng, cell);
    struct gjk_arena scratch;
    gjk_arena_init(&scratch, 0);
    const gjk_snapshot snapshot = gjk_snapshot_of(set);
    const gjk_selection all = {.filter = &everybody, .limit = UINT32_MAX, .arena = &scratch};
    gjk_placed moving = {&walkers[_i % 3], gjk_pose_identity()};
    unsigned apart = 0, casts = 0;
    gjk_nearby_init(&nearby);
    for (int i = 0; i < TEST_CASES(PLACES); i++) {
        gjk_vec3 *at = &moving.pose.position;
        const gjk_vec3 way =
            gjk_scale3(test_rng_magnitude(&rng, -4, 0), test_rng_direction(&rng, 3));
        *at = gjk_add3(*at, gjk_scale3(test_rng_uniform(&rng, 0, 1), way));
        if (i % 20 == 0) {
            *at = (gjk_vec3){test_rng_uniform(&rng, -side, side),
                             test_rng_uniform(&rng, -side, side), test_rng_uniform(&rng, 0, 4)};
            gjk_nearby_init(&nearby);
        }
        nearby.ahead = gjk_scale3(3, way);
        check_touches(&snapshot, &moving, test_rng_magnitude(&rng, -5, -0.5), &all, &nearby);
        casts += check_cast(&snapshot, &moving, way, &all, &nearby);
        if (gjk_nearby_is_apart(&nearby, &moving)) {
            gjk_hits hits;
            const gjk_detect_settings settings = gjk_detect_settings_default();
            ck_assert_int_eq(gjk_set_detect(&snapshot, &moving, &all, &settings, &hits), GJK_OK);
            ck_assert_uint_eq(hits.count, 0);
            apart++;
        }
        gjk_arena_reset(&scratch);
    }
    ck_assert_uint_gt(apart, 0);
    ck_assert_uint_gt(casts, 0);
    gjk_set_release(set);
    gjk_arena_fini(&scratch);
}
