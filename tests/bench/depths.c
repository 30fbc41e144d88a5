/*
 * What does the depth of a whole cost, beside what one pair of pieces costs? A box in a compound of
 * eight boxes, beside the depth of one pair of boxes; a ball in a closed mesh of some 100,000
 * triangles, beside the distance of a ball as far outside. Prints a JSON object a line. One thread,
 * seeded, both in turns, of nine passes the fastest.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gjk/pair.h"
#include "gjk/pieces.h"

#include "../support/rng.h"

#define QUERIES 1024
#define PARTS 8
#define REPETITIONS 9
#define ROWS 158 /* of the mesh: 99,856 triangles */

static void check(gjk_status status) {
    if (status != GJK_OK) {
        fprintf(stderr, "%s\n", gjk_status_text(status));
        exit(1);
    }
}

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

typedef struct question {
    gjk_placed a, b;
} question;

/* Asks all, and returns nanoseconds a question. Counts converged answers. */
static double ask(const question *questions, bool is_signed, int *converged) {
    gjk_pair_settings settings = gjk_detect_settings_default();
    settings.is_signed = is_signed;
    *converged = 0;
    const double start = now_ns();
    for (int i = 0; i < QUERIES; i++) {
        const gjk_pair_answer answer =
            is_signed ? gjk_distance(&questions[i].a, &questions[i].b, &settings)
                      : gjk_detect(&questions[i].a, &questions[i].b, &settings);
        *converged += answer.convergence == GJK_CONVERGED;
    }
    return (now_ns() - start) / QUERIES;
}

static void measure(const char *what, const question *ours, const char *peer_name,
                    const question *peer, bool is_signed) {
    double least[2] = {INFINITY, INFINITY};
    int converged[2];
    for (int pass = 0; pass < 2 * REPETITIONS; pass++) {
        const int side = pass % 2;
        least[side] = fmin(least[side], ask(side == 0 ? ours : peer, is_signed, &converged[side]));
    }
    printf("{\"case\": \"%s\", \"ours\": %.1f, \"peer\": %.1f, \"peer_name\": \"%s\", "
           "\"ratio\": %.3f, \"converged\": %.4f, \"unit\": \"ns\"}\n",
           what, least[0], least[1], peer_name, least[0] / least[1],
           (double)converged[0] / QUERIES);
}

/* --- Compounds --- */

static gjk_placed place(const gjk_shape *shape, test_rng *rng, double spread) {
    gjk_placed placed = {.shape = shape};
    const gjk_vec3 at = {test_rng_uniform(rng, -spread, spread),
                         test_rng_uniform(rng, -spread, spread),
                         test_rng_uniform(rng, -spread, spread)};
    check(gjk_pose_make3(at, test_rng_rotation(rng), &placed.pose));
    return placed;
}

static void make_box(struct gjk_arena *arena, test_rng *rng, gjk_shape *out) {
    const gjk_vec3 half = {test_rng_uniform(rng, 0.2, 1), test_rng_uniform(rng, 0.2, 1),
                           test_rng_uniform(rng, 0.2, 1)};
    check(gjk_shape_make_box(arena, 3, half, 0, out));
}

static void compounds(void) {
    static question wholes[QUERIES], pairs[QUERIES];
    static gjk_shape boxes[QUERIES][PARTS + 1], whole[QUERIES];
    struct gjk_arena arena;
    test_rng rng = test_rng_make(2727);
    const gjk_detect_settings settings = gjk_detect_settings_default();
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < QUERIES; i++) {
        gjk_placed parts[PARTS];
        for (int k = 0; k < PARTS; k++) {
            make_box(&arena, &rng, &boxes[i][k]);
            parts[k] = place(&boxes[i][k], &rng, 2.0);
        }
        make_box(&arena, &rng, &boxes[i][PARTS]);
        check(gjk_shape_make_compound(&arena, 3, parts, PARTS, &whole[i]));
        do {
            wholes[i] = (question){place(&whole[i], &rng, 0.0), place(&boxes[i][PARTS], &rng, 1.0)};
        } while (gjk_detect(&wholes[i].a, &wholes[i].b, &settings).state != GJK_OVERLAPPING);
        do {
            pairs[i] =
                (question){place(&boxes[i][0], &rng, 0.5), place(&boxes[i][PARTS], &rng, 1.0)};
        } while (gjk_detect(&pairs[i].a, &pairs[i].b, &settings).state != GJK_OVERLAPPING);
    }
    measure("depth of a box in a compound of 8 boxes", wholes, "depth of one pair", pairs, false);
    gjk_arena_fini(&arena);
}

/* --- A closed mesh --- */

/* A ball with dents, closed: rows of vertices between two poles. */
static void make_mesh(struct gjk_arena *arena, gjk_shape *out) {
    enum { COLUMNS = 2 * ROWS, COUNT = ROWS * COLUMNS + 2 };
    static gjk_vec3 vertices[COUNT];
    static uint32_t triangles[2 * ROWS * COLUMNS][3];
    uint32_t count = 0;
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++) {
        const double turn = 2 * M_PI * (i % COLUMNS) / COLUMNS;
        const double polar = M_PI * (i / COLUMNS + 1) / (ROWS + 1);
        const double r = 50 * (1 + 0.1 * sin(7 * turn) * sin(polar) * sin(5 * polar));
        vertices[i] =
            (gjk_vec3){r * sin(polar) * cos(turn), r * sin(polar) * sin(turn), r * cos(polar)};
    }
    vertices[COUNT - 2] = (gjk_vec3){0, 0, 50};
    vertices[COUNT - 1] = (gjk_vec3){0, 0, -50};
    for (uint32_t i = 0; i < (ROWS + 1) * COLUMNS; i++) {
        const uint32_t row = i / COLUMNS, at = i % COLUMNS, next = (at + 1) % COLUMNS;
        const uint32_t up = row == 0 ? COUNT - 2 : (row - 1) * COLUMNS;
        const uint32_t down = row == ROWS ? COUNT - 1 : row * COLUMNS;
        const uint32_t up_next = row == 0 ? up : up + next;
        if (row < ROWS) {
            const uint32_t triangle[3] = {row == 0 ? up : up + at, down + at, down + next};
            memcpy(triangles[count++], triangle, sizeof triangle);
        }
        if (row > 0) {
            const uint32_t triangle[3] = {up + at, row == ROWS ? down : down + next, up_next};
            memcpy(triangles[count++], triangle, sizeof triangle);
        }
    }
    const gjk_mesh mesh = {.vertices = vertices,
                           .vertex_count = COUNT,
                           .triangles = (const uint32_t(*)[3])triangles,
                           .triangle_count = count,
                           .closed = true};
    gjk_pieces_fault fault;
    check(gjk_shape_make_mesh(arena, &mesh, 0.0, &fault, out));
}

/* A ball within the mesh, beside one outside, both up to 11 from its surface. */
static void balls(void) {
    static question inside[QUERIES], outside[QUERIES];
    struct gjk_arena arena;
    gjk_shape mesh, ball;
    test_rng rng = test_rng_make(2728);
    gjk_arena_init(&arena, 0);
    make_mesh(&arena, &mesh);
    check(gjk_shape_make_ball(&arena, 3, 0.5, 0, &ball));
    for (int i = 0; i < QUERIES; i++) {
        const gjk_vec3 out = test_rng_direction(&rng, 3);
        const double off = test_rng_uniform(&rng, 0, 6);
        inside[i] = outside[i] =
            (question){{&mesh, gjk_pose_identity()}, {&ball, gjk_pose_identity()}};
        inside[i].b.pose.position = gjk_scale3(45 - off, out);
        outside[i].b.pose.position = gjk_scale3(55 + off, out);
    }
    measure("signed distance of a ball in a closed mesh of 99,856", inside, "distance outside",
            outside, true);
    gjk_arena_fini(&arena);
}

int main(void) {
    compounds();
    balls();
    return 0;
}
