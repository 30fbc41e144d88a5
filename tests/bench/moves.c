/*
 * What does a body's move on a large mesh cost? A capsule walks into a corner of two walls on a
 * floor, all one mesh of some 100,000 triangles, and meets three contacts; and over hills. The peer
 * is one cast of the same capsule along the same translation. Prints a JSON object a line. One
 * thread, seeded, both in turns, of five passes the fastest.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gjk/move.h"
#include "gjk/pieces.h"

#include "../support/meshes.h"
#include "../support/rng.h"

#define CELLS 224 /* along a side, 1 long: 100,352 triangles */
#define MOVES 1024
#define REPETITIONS 5

typedef struct level {
    struct gjk_arena arena;
    gjk_shape mesh, capsule;
    gjk_body body;
    struct gjk_set *set;
} level;

static double corner(double x, double y) {
    return 8.0 * fmax(x, 0.0) + 8.0 * fmax(y, 0.0);
}

static double hills(double x, double y) {
    return 2.0 * sin(0.3 * x) * cos(0.4 * y);
}

static void check(gjk_status status) {
    if (status != GJK_OK) {
        fprintf(stderr, "%s\n", gjk_status_text(status));
        exit(1);
    }
}

static void make_level(double (*height)(double x, double y), level *l) {
    static gjk_vec3 vertices[(CELLS + 1) * (CELLS + 1)];
    static uint32_t triangles[2 * CELLS * CELLS][3];
    test_ground(CELLS, 1.0, height, vertices, triangles);
    const gjk_mesh mesh = {.vertices = vertices,
                           .vertex_count = (CELLS + 1) * (CELLS + 1),
                           .triangles = (const uint32_t(*)[3])triangles,
                           .triangle_count = 2 * CELLS * CELLS};
    const gjk_vec3 ends[2] = {{0, 0, 0.4}, {0, 0, 1.4}};
    gjk_pieces_fault fault;
    gjk_arena_init(&l->arena, 0);
    check(gjk_shape_make_mesh(&l->arena, &mesh, 0.0, &fault, &l->mesh));
    check(gjk_shape_make_capsule(&l->arena, 3, ends, 0.4, 0.0, &l->capsule));
    l->body = (gjk_body){.id = "level",
                         .category = 1,
                         .mask = UINT32_MAX,
                         .placed = {&l->mesh, gjk_pose_identity()}};
    check(gjk_set_new(3, &l->body, 1, &l->set));
}

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static gjk_move move_of(const level *l, test_rng *rng, bool in_corner) {
    gjk_placed moving = {&l->capsule, gjk_pose_identity()};
    const double x = test_rng_uniform(rng, 0.0, 0.3), y = test_rng_uniform(rng, 0.0, 0.3);
    moving.pose.position = in_corner ? (gjk_vec3){-0.7 - x, -0.7 - y, 1e-4}
                                     : (gjk_vec3){300 * x - 45, 300 * y - 45, 4};
    gjk_move move = gjk_move_make(&moving, (gjk_vec3){1, 1 + x, -0.1});
    move.has_up = true;
    move.up = (gjk_vec3){0, 0, 1};
    return move;
}

/* Prints a row: moves of one kind. */
static void measure(const char *what, double (*height)(double x, double y), bool in_corner) {
    static gjk_move moves[MOVES];
    level l;
    double least[2] = {INFINITY, INFINITY};
    uint64_t contacts = 0;
    gjk_filter everybody = gjk_filter_default();
    struct gjk_arena scratch;
    test_rng rng = test_rng_make(2705);
    make_level(height, &l);
    gjk_arena_init(&scratch, 0);
    const gjk_snapshot snapshot = gjk_snapshot_of(l.set);
    const gjk_selection all = {.filter = &everybody, .limit = 1, .arena = &scratch};
    gjk_move_result result;
    for (int i = 0; i < MOVES; i++) {
        moves[i] = move_of(&l, &rng, in_corner);
        gjk_move fall = moves[i];
        fall.translation = (gjk_vec3){0, 0, -9};
        check(gjk_set_move(&snapshot, &fall, &all, &result));
        moves[i].moving.pose.position = result.position;
        gjk_arena_reset(&scratch);
    }
    for (int pass = 0; pass < 2 * REPETITIONS; pass++) {
        const double start = now_ns();
        contacts = 0;
        for (int i = 0; i < MOVES; i++) {
            if (pass % 2 == 0) {
                check(gjk_set_move(&snapshot, &moves[i], &all, &result));
                contacts += result.count;
            } else {
                const gjk_sweep sweep = {moves[i].moving, moves[i].translation};
                const gjk_cast_settings settings = gjk_cast_settings_default();
                gjk_cast_hits hits;
                check(gjk_set_cast(&snapshot, &sweep, &all, &settings, &hits));
                contacts += hits.count;
            }
            gjk_arena_reset(&scratch);
        }
        least[pass % 2] = fmin(least[pass % 2], (now_ns() - start) / MOVES);
        if (pass == 0) {
            fprintf(stderr, "%s: %.2f contacts a move\n", what, (double)contacts / MOVES);
        }
    }
    printf("{\"case\": \"%s\", \"ours\": %.1f, \"peer\": %.1f, \"peer_name\": \"one cast\", "
           "\"ratio\": %.3f, \"unit\": \"ns\"}\n",
           what, least[0], least[1], least[0] / least[1]);
    gjk_set_release(l.set);
    gjk_arena_fini(&l.arena);
    gjk_arena_fini(&scratch);
}

int main(void) {
    measure("move of a capsule, three contacts, mesh of 100,352", corner, true);
    measure("move of a capsule over hills, mesh of 100,352", hills, false);
    return 0;
}
