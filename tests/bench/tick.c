/*
 * What does a tick cost in a bare loop over the core? All shapes of a set move, then rays, casts,
 * shots and pairs are asked of it, as the daemon is asked by the same messages, but decoded
 * beforehand, and nothing is encoded, kept as history or told.
 *   bench_tick SET.json TICK.bin...
 * Each file is a message TickColumns. Prints the nanoseconds of processor time of a tick, of so many
 * rounds the median.
 */

#include "bare.h"

#include "gjk/set_query.h"
#include "gjk/shot.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 5

/* A decoded tick. */
typedef struct bench_tick {
    proto_pose_columns poses;
    proto_raycast_columns rays;
    proto_cast_columns casts;
    proto_hit_columns shots;
    proto_pair_columns pairs;
} bench_tick;

static void insist(bool condition) {
    if (!condition) {
        errx(1, "no memory, or no tick");
    }
}

static void decode_block(const proto_source *source, uint32_t kind, bench_tick *out) {
    switch (kind) {
    case PROTO_BLOCK_raycast:
        insist(proto_decode_columns(source, &proto_raycast_columns_table, &out->rays.rows,
                                    out->rays.fields));
        break;
    case PROTO_BLOCK_cast:
        insist(proto_decode_columns(source, &proto_cast_columns_table, &out->casts.rows,
                                    out->casts.fields));
        break;
    case PROTO_BLOCK_hit:
        insist(proto_decode_columns(source, &proto_hit_columns_table, &out->shots.rows,
                                    out->shots.fields));
        break;
    default:
        insist(kind == PROTO_BLOCK_detect);
        insist(proto_decode_columns(source, &proto_pair_columns_table, &out->pairs.rows,
                                    out->pairs.fields));
    }
}

static void decode_tick(proto_text text, uint32_t dimension, struct gjk_arena *arena,
                        bench_tick *out) {
    static proto_limits limits;
    struct proto_problem problem;
    proto_blocks blocks;
    limits = proto_limits_default();
    proto_source source = {.body = text, .limits = &limits, .arena = arena, .problem = &problem};
    insist(proto_decode_tick_columns(&source, &blocks));
    source.set_dimension = dimension;
    source.body = blocks.poses;
    insist(proto_decode_columns(&source, &proto_pose_columns_table, &out->poses.rows,
                                out->poses.fields));
    for (uint32_t i = 0; i < blocks.count; i++) {
        source.body = blocks.items[i].body;
        decode_block(&source, blocks.items[i].kind, out);
    }
}

/* Bodies that move, and the edits that move them. Two arrays take turns, as the set borrows one. */
struct world {
    struct gjk_set *set;
    gjk_body *bodies[2];
    gjk_edit *edits;
    uint32_t count, turn;
};

static void move(struct world *world, const bench_tick *tick) {
    const uint32_t count = tick->poses.rows.count;
    const gjk_body **old = malloc(count * sizeof(gjk_body *));
    gjk_body *bodies = world->bodies[world->turn ^= 1];
    struct gjk_set *next;
    insist(old != NULL && count == world->count);
    gjk_set_find_handles(world->set, tick->poses.handle.uints, count, old);
    for (uint32_t i = 0; i < count; i++) {
        bodies[i] = *old[i];
        bodies[i].placed.pose.position = tick->poses.rows.poses[i].position;
        world->edits[i] = (gjk_edit){bodies[i].id, &bodies[i]};
    }
    insist(gjk_set_edit(world->set, world->edits, count, &next) == GJK_OK);
    gjk_set_release(world->set);
    world->set = next;
    free(old);
}

static const gjk_body *find(const struct world *world, const proto_field *handle, uint32_t i) {
    const gjk_body *body = gjk_set_find_handle(world->set, proto_uint_at(handle, i));
    insist(body != NULL);
    return body;
}

/* Asks the tick's rays and casts. Returns a sum that keeps it honest, as the next. */
static double ask_lines(const struct world *world, const bench_tick *tick,
                        gjk_selection *selection) {
    const gjk_snapshot snapshot = gjk_snapshot_of(world->set);
    const uint32_t dimension = gjk_set_dimension(world->set);
    const gjk_ray_settings settings = gjk_ray_settings_default();
    const gjk_cast_settings casting = gjk_cast_settings_default();
    double sum = 0.0;
    for (uint32_t i = 0; i < tick->rays.rows.count; i++) {
        gjk_ray_hits hits;
        insist(gjk_set_raycast(&snapshot, &tick->rays.rows.rays[i], selection, &settings, &hits) ==
               GJK_OK);
        sum += hits.count > 0 ? hits.items[0].result.distance : 0.0;
        gjk_arena_reset(selection->arena);
    }
    for (uint32_t i = 0; i < tick->casts.rows.count; i++) {
        gjk_cast_hits hits;
        selection->except = find(world, &tick->casts.shape, i);
        const gjk_sweep sweep = {selection->except->placed,
                                 proto_vector_at(&tick->casts.translation, dimension, i)};
        insist(gjk_set_cast(&snapshot, &sweep, selection, &casting, &hits) == GJK_OK);
        sum += hits.count > 0 ? hits.items[0].result.fraction : 0.0;
        gjk_arena_reset(selection->arena);
    }
    selection->except = NULL;
    return sum;
}

/* Asks the tick's shots and pairs. */
static double ask_others(const struct world *world, const bench_tick *tick,
                         gjk_selection *selection) {
    const gjk_ray_settings settings = gjk_ray_settings_default();
    const gjk_detect_settings detecting = gjk_detect_settings_default();
    double sum = 0.0;
    for (uint32_t i = 0; i < tick->shots.rows.count; i++) {
        gjk_judgement judgement;
        const gjk_shot shot = {.ray = tick->shots.rows.rays[i],
                               .claim_id = find(world, &tick->shots.claim, i)->id,
                               .filter = *selection->filter,
                               .tolerance = settings.tolerance,
                               .max_iterations = settings.max_iterations,
                               .rewind = GJK_REWIND_OK,
                               .snapshot = gjk_snapshot_of(world->set),
                               .max_rewind_ticks = INFINITY,
                               .near_miss = -1.0,
                               .near_miss_limit = 1};
        insist(gjk_shot_judge(&shot, selection->arena, &judgement) == GJK_OK);
        sum += judgement.has_hit ? judgement.hit.result.distance : 0.0;
        gjk_arena_reset(selection->arena);
    }
    for (uint32_t i = 0; i < tick->pairs.rows.count; i++) {
        sum += gjk_detect(&find(world, &tick->pairs.a, i)->placed,
                          &find(world, &tick->pairs.b, i)->placed, &detecting)
                   .depth;
    }
    return sum;
}

static int compare(const void *a, const void *b) {
    const double p = *(const double *)a, q = *(const double *)b;
    return p < q ? -1 : p > q;
}

int main(int argc, char **argv) {
    struct gjk_arena arena, memory;
    double took[ROUNDS], sum = 0.0;
    const uint32_t count = argc > 2 ? (uint32_t)argc - 2 : 0;
    bench_tick *ticks = calloc(count, sizeof *ticks);
    if (count == 0) {
        errx(2, "usage: bench_tick SET.json TICK.bin...");
    }
    gjk_arena_init(&arena, 0);
    gjk_arena_init(&memory, 0);
    struct world world = {.set = bench_load_set(bench_read_file(argv[1]), &arena)};
    world.count = gjk_set_count(world.set);
    world.bodies[0] = calloc(world.count, sizeof(gjk_body));
    world.bodies[1] = calloc(world.count, sizeof(gjk_body));
    world.edits = calloc(world.count, sizeof(gjk_edit));
    insist(ticks != NULL && world.bodies[0] != NULL && world.bodies[1] != NULL &&
           world.edits != NULL);
    for (uint32_t i = 0; i < count; i++) {
        decode_tick(bench_read_file(argv[i + 2]), gjk_set_dimension(world.set), &arena, &ticks[i]);
    }
    gjk_filter filter = gjk_filter_default();
    gjk_selection selection = {.filter = &filter,
                               .limit = 1,
                               .arena = &memory,
                               .rest_unasked = true};
    for (int round = -3; round < ROUNDS; round++) { /* the first ones warm up */
        const double begin = bench_read_ns(CLOCK_THREAD_CPUTIME_ID);
        for (uint32_t i = 0; i < count; i++) {
            move(&world, &ticks[i]);
            sum += ask_lines(&world, &ticks[i], &selection);
            sum += ask_others(&world, &ticks[i], &selection);
        }
        took[round < 0 ? 0 : round] =
            (bench_read_ns(CLOCK_THREAD_CPUTIME_ID) - begin) / (double)count;
    }
    qsort(took, ROUNDS, sizeof *took, compare);
    printf("{\"median_ns\": %.0f, \"least_ns\": %.0f, \"sum\": %.17g}\n", took[ROUNDS / 2], took[0],
           sum);
    return 0;
}
