/* A shot at where a player stood two ticks ago, though the player has moved on since. */
#include <gjk/shot.h>

#include <stdio.h>

enum { TICKS = 5 };

int main(void) {
    static gjk_body bodies[TICKS]; /* one player, as of each tick */
    struct gjk_set *sets[TICKS];
    struct gjk_history *history = gjk_history_new(64), *older;
    const gjk_vec3 ends[] = {{0, 0, 0.5}, {0, 0, 1.5}};
    struct gjk_arena arena;
    gjk_shape capsule;

    gjk_arena_init(&arena, 0);
    if (history == NULL || gjk_shape_make_capsule(&arena, 3, ends, 0.4, 0, &capsule) != GJK_OK) {
        return 1;
    }
    for (int tick = 0; tick < TICKS; tick++) {
        gjk_body *player = &bodies[tick];
        player->id = player->group = "player";
        player->handle = 1;
        player->category = player->mask = UINT32_MAX;
        player->placed.shape = &capsule;
        player->placed.pose = gjk_pose_identity();
        player->placed.pose.position = gjk_vec3_make(10, 2.0 * tick, 0);
        older = history;
        if (gjk_set_new_indexed(3, player, 1, &sets[tick]) != GJK_OK ||
            gjk_history_add(older, (uint64_t)tick, sets[tick], &history) != GJK_OK) {
            return 1;
        }
        gjk_history_release(older);
    }
    gjk_rewound then = GJK_ZERO;
    gjk_judgement judgement;
    gjk_shot shot = GJK_ZERO;
    shot.claim_id = "player";
    shot.filter = gjk_filter_default();
    shot.tolerance = GJK_TOLERANCE_DEFAULT;
    shot.max_iterations = GJK_ITERATIONS_DEFAULT;
    shot.max_rewind_ticks = 10;
    shot.near_miss = -1;
    shot.rewind = gjk_history_at(history, 2.25, &then);
    shot.snapshot = then.snapshot;
    shot.age_ticks = (double)gjk_history_newest(history) - 2.25;
    if (gjk_ray_make(gjk_vec3_make(0, 4.5, 1), gjk_vec3_make(1, 0, 0), 100, &shot.ray) != GJK_OK ||
        gjk_shot_judge(&shot, &arena, &judgement) != GJK_OK) {
        return 1;
    }
    printf("%s, after %g\n", gjk_verdict_text(judgement.verdict), judgement.hit.result.distance);
    gjk_history_release(history);
    for (int tick = 0; tick < TICKS; tick++) {
        gjk_set_release(sets[tick]);
    }
    gjk_arena_fini(&arena);
    return 0;
}
