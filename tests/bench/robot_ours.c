/* The core's own loop over the rows: what the daemon does, without the daemon. */

#include "robot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gjk/configuration.h"

enum { BODIES = BENCH_ROBOT_LINKS + BENCH_ROBOT_OBSTACLES };

typedef struct scene {
    struct gjk_arena arena;
    char ids[BODIES][16];
    gjk_body bodies[BODIES];
    struct gjk_set *set;
    struct gjk_configurations *detect, *distance;
} scene;

static void must(gjk_status status) {
    if (status != GJK_OK) {
        fprintf(stderr, "no scene: status %d\n", (int)status);
        exit(1);
    }
}

static struct gjk_configurations *prepare(scene *own, bool distance) {
    const gjk_body *moved[BENCH_ROBOT_LINKS];
    gjk_allowed_pair allowed[BENCH_ROBOT_LINKS - 1];
    for (int i = 0; i < BENCH_ROBOT_LINKS; i++) {
        moved[i] = gjk_set_find(own->set, own->ids[i]);
    }
    for (int i = 0; i + 1 < BENCH_ROBOT_LINKS; i++) {
        allowed[i] = (gjk_allowed_pair){moved[i], moved[i + 1]};
    }
    const gjk_body **kept = gjk_arena_alloc_array(&own->arena, BENCH_ROBOT_LINKS, sizeof *kept);
    gjk_allowed_pair *pairs =
        gjk_arena_alloc_array(&own->arena, BENCH_ROBOT_LINKS - 1, sizeof *pairs);
    gjk_snapshot *snapshot = gjk_arena_alloc(&own->arena, sizeof *snapshot);
    must(kept != NULL && pairs != NULL && snapshot != NULL ? GJK_OK : GJK_OUT_OF_MEMORY);
    memcpy(kept, moved, sizeof moved);
    memcpy(pairs, allowed, sizeof allowed);
    *snapshot = gjk_snapshot_of(own->set);
    const gjk_detect_settings usual = gjk_detect_settings_default();
    const gjk_configuration_settings settings = {.moved = kept,
                                                 .count = BENCH_ROBOT_LINKS,
                                                 .self = true,
                                                 .allowed = pairs,
                                                 .allowed_count = BENCH_ROBOT_LINKS - 1,
                                                 .distance = distance,
                                                 .threshold = INFINITY,
                                                 .tolerance = usual.tolerance,
                                                 .max_iterations = usual.max_iterations};
    struct gjk_configurations *out;
    must(gjk_configurations_new(snapshot, &settings, &own->arena, &out));
    return out;
}

static void *begin(const bench_robot_world *world) {
    scene *own = malloc(sizeof *own);
    must(own != NULL ? GJK_OK : GJK_OUT_OF_MEMORY);
    gjk_arena_init(&own->arena, 0);
    for (int i = 0; i < BODIES; i++) {
        const int obstacle = i - BENCH_ROBOT_LINKS;
        (void)snprintf(own->ids[i], sizeof own->ids[i], obstacle < 0 ? "link-%d" : "obstacle-%04d",
                       obstacle < 0 ? i : obstacle);
        own->bodies[i] = (gjk_body){
            .id = own->ids[i],
            .handle = (uint32_t)i + 1,
            .category = 1,
            .mask = UINT32_MAX,
            .placed = obstacle < 0 ? (gjk_placed){&world->links[i], world->poses[0][i]}
                                   : world->obstacles[obstacle],
        };
    }
    must(gjk_set_new_indexed(3, own->bodies, BODIES, &own->set));
    own->detect = prepare(own, false);
    own->distance = prepare(own, true);
    return own;
}

static void end(void *s) {
    scene *own = s;
    gjk_set_release(own->set);
    gjk_arena_fini(&own->arena);
    free(own);
}

static void detect(void *s, const bench_robot_world *world, double *answers) {
    gjk_configuration_hint hint = {0};
    for (int row = 0; row < BENCH_ROBOT_ROWS; row++) {
        gjk_configuration answer;
        must(gjk_configuration_ask(((scene *)s)->detect, world->poses[row], NULL, NULL, &hint,
                                   &answer));
        answers[row] = answer.colliding;
    }
}

static void distance(void *s, const bench_robot_world *world, double *answers) {
    gjk_configuration_hint hint = {0};
    for (int row = 0; row < BENCH_ROBOT_ROWS; row++) {
        gjk_configuration answer;
        must(gjk_configuration_ask(((scene *)s)->distance, world->poses[row], NULL, NULL, &hint,
                                   &answer));
        answers[row] = answer.result.distance;
    }
}

const struct bench_robot_peer bench_robot_ours = {"gjkd", begin, end, detect, distance};
