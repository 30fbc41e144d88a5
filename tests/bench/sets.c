/*
 * What does a query of a set cost as the set grows, and what do other libraries' trees take for
 * the same? One thread, seeded scenes of one density, ours and the peers in turns. Prints a
 * JSON object a line.
 */

#include "sets.h"

#include "gjk/pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../support/rng.h"

#define REPETITIONS 7    /* odd: the median is one of them */
#define ROOM 2.5         /* side of the square or cube that each shape has for itself */
#define PAIRS_MAX 100000 /* shapes, for pairs */

static const struct bench_tree *const trees[] = {
    &bench_tree_ours, /* the first */
#ifdef BENCH_BULLET
    &bench_tree_bullet,
#endif
#ifdef BENCH_BOX2D
    &bench_tree_box2d,
#endif
};
#define TREES (sizeof trees / sizeof trees[0])

static const struct {
    const char *text;
    double per; /* queries a pass; 0: bodies */
} questions[BENCH_SET_QUESTIONS] = {
    {"box, boxes met", BENCH_QUERIES},
    {"segment, boxes met", BENCH_QUERIES},
    {"ray, closest hit", BENCH_QUERIES},
    {"nearest", BENCH_QUERIES},
    {"ten nearest", BENCH_QUERIES},
    {"all pairs, boxes met", 0},
    {"all pairs", 0},
};

int bench_collide(const gjk_body *a, const gjk_body *b) {
    gjk_detect_settings settings = gjk_detect_settings_default();
    settings.penetration = false;
    return gjk_detect(&a->placed, &b->placed, &settings).state != GJK_SEPARATED;
}

double bench_hit(const gjk_body *body, const gjk_ray *ray) {
    const gjk_ray_settings settings = gjk_ray_settings_default();
    gjk_ray_result result = gjk_raycast(&body->placed, ray, &settings);
    return result.hit ? result.distance : -1.0;
}

static void *get(struct gjk_arena *arena, size_t count, size_t size) {
    void *block = gjk_arena_alloc_array(arena, count, size);
    if (block == NULL) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return block;
}

static gjk_vec3 random_place(test_rng *rng, uint32_t dimension, double half) {
    return (gjk_vec3){test_rng_uniform(rng, -half, half), test_rng_uniform(rng, -half, half),
                      dimension == 3 ? test_rng_uniform(rng, -half, half) : 0.0};
}

static gjk_pose random_pose(test_rng *rng, uint32_t dimension, double half) {
    gjk_pose pose = gjk_pose_identity();
    gjk_vec3 at = random_place(rng, dimension, half);
    gjk_status status = dimension == 2
                            ? gjk_pose_make2(gjk_xy(at), test_rng_uniform(rng, -3, 3), &pose)
                            : gjk_pose_make3(at, test_rng_rotation(rng), &pose);
    (void)status;
    return pose;
}

static void make_queries(test_rng *rng, bench_world *world, double half, const gjk_shape *point) {
    for (uint32_t i = 0; i < BENCH_QUERIES; i++) {
        const gjk_vec3 at = random_place(rng, world->dimension, 0.9 * half);
        const gjk_vec3 side = random_place(rng, world->dimension, 2);
        const gjk_vec3 size = {fabs(side.x), fabs(side.y), fabs(side.z)};
        const gjk_vec3 way = test_rng_direction(rng, world->dimension);
        world->queries[i] = (gjk_bounds){gjk_sub3(at, size), gjk_add3(at, size)};
        gjk_status status = gjk_ray_make(at, way, INFINITY, &world->rays[i]);
        (void)status;
        world->segments[i] = world->rays[i];
        world->segments[i].max_distance = BENCH_SEGMENT;
        world->points[i] = (gjk_placed){point, gjk_pose_identity()};
        world->points[i].pose.position = at;
    }
}

/* Boxes of many sizes, one shape of 16 each, turned anyhow. */
static void make_world(struct gjk_arena *arena, uint32_t dimension, uint32_t count,
                       bench_world *world) {
    test_rng rng = test_rng_make(4711 + count);
    double side = dimension == 2 ? sqrt(count) : cbrt(count), half = 0.5 * ROOM * side;
    gjk_shape *shapes = get(arena, 17, sizeof *shapes);
    char(*ids)[12] = get(arena, count, sizeof *ids);
    gjk_status status = gjk_shape_make_point(arena, dimension, 0, &shapes[16]);
    for (int i = 0; i < 16 && status == GJK_OK; i++) {
        gjk_vec3 h = random_place(&rng, 3, 0.6);
        status = gjk_shape_make_box(arena, dimension,
                                    (gjk_vec3){0.1 + fabs(h.x), 0.1 + fabs(h.y), 0.1 + fabs(h.z)},
                                    0, &shapes[i]);
    }
    *world = (bench_world){.dimension = dimension, .count = count};
    world->bodies = get(arena, count, sizeof *world->bodies);
    world->moved = get(arena, count, sizeof *world->moved);
    world->boxes = get(arena, count, sizeof *world->boxes);
    world->moved_boxes = get(arena, count, sizeof *world->moved_boxes);
    for (uint32_t i = 0; i < count; i++) {
        (void)snprintf(ids[i], sizeof ids[i], "s%07u", i);
        gjk_body *body = &world->bodies[i], *moved = &world->moved[i];
        *body = (gjk_body){.id = ids[i],
                           .handle = i,
                           .category = 1,
                           .mask = UINT32_MAX,
                           .placed = {&shapes[test_rng_below(&rng, 16)],
                                      random_pose(&rng, dimension, half)}};
        *moved = *body;
        gjk_vec3 *at = &moved->placed.pose.position;
        *at = gjk_add3(*at, random_place(&rng, dimension, 0.05)); /* 6 units a second at 128 Hz */
        world->boxes[i] = gjk_placed_bounds(&body->placed);
        world->moved_boxes[i] = gjk_placed_bounds(&moved->placed);
    }
    make_queries(&rng, world, half, &shapes[16]);
}

static double nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct contender {
    const struct bench_tree *tree;
    void *world;
    double times[REPETITIONS]; /* sorted in the end */
    uint64_t found;
};

static void print_row(const char *what, const bench_world *world, const char *unit,
                      const struct contender *ours, const struct contender *peer) {
    double mine = ours->times[0];
    printf("{\"case\": \"%s, %uD, %u shapes\", \"ours\": %.1f", what, world->dimension,
           world->count, mine);
    if (peer != NULL) {
        double other = peer->times[0];
        printf(", \"peer\": %.1f, \"peer_name\": \"%s\", \"ratio\": %.3f", other, peer->tree->name,
               mine / other);
    }
    printf(", \"unit\": \"%s\", \"found\": %llu", unit, (unsigned long long)ours->found);
    if (peer != NULL) {
        printf(", \"found_peer\": %llu", (unsigned long long)peer->found);
    }
    puts("}");
    fflush(stdout);
}

/* What each takes a turn at; times in ns of one whole turn. */
typedef void (*bench_turn)(struct contender *contender, const bench_world *world, int argument);

static void take_turns(struct contender *all, size_t count, const bench_world *world,
                       bench_turn turn, int argument, double per) {
    for (int repetition = -1; repetition < REPETITIONS; repetition++) { /* -1 warms up */
        for (size_t i = 0; i < count; i++) {
            double start = nanoseconds();
            turn(&all[i], world, argument);
            all[i].times[repetition < 0 ? 0 : repetition] = (nanoseconds() - start) / per;
        }
    }
    for (size_t i = 0; i < count; i++) {
        qsort(all[i].times, REPETITIONS, sizeof all[i].times[0], ascending);
    }
}

static void turn_asking(struct contender *c, const bench_world *world, int question) {
    c->found = c->tree->pass[question](c->world, world);
}

static void turn_building(struct contender *c, const bench_world *world, int argument) {
    (void)argument;
    c->tree->end(c->world);
    c->world = c->tree->build(world);
}

/* There and back: two ticks. */
static void turn_moving(struct contender *c, const bench_world *world, int count) {
    c->tree->move(c->world, world, (uint32_t)count, 0);
    c->tree->move(c->world, world, (uint32_t)count, 1);
}

/* Those who answer the question, ours first. */
static size_t enlist(const struct contender *all, int question, struct contender *out) {
    size_t count = 0;
    for (size_t i = 0; i < TREES; i++) {
        if (all[i].world != NULL && all[i].tree->pass[question] != NULL) {
            out[count++] = all[i];
        }
    }
    return count;
}

static void report(const char *what, const bench_world *world, const char *unit,
                   const struct contender *all, size_t count) {
    for (size_t i = 1; i < count; i++) {
        print_row(what, world, unit, &all[0], &all[i]);
    }
    if (count == 1) {
        print_row(what, world, unit, &all[0], NULL);
    }
}

static void measure_size(struct contender *all, size_t count, const bench_world *world) {
    for (size_t i = 0; i < count; i++) {
        double bytes = (double)all[i].tree->bytes(all[i].world) / world->count;
        for (int k = 0; k < REPETITIONS; k++) {
            all[i].times[k] = bytes;
        }
        all[i].found = 0;
    }
    report("bytes a shape, of the tree", world, "bytes", all, count);
}

/* best: what ours took, by question, for the exponent. */
static void measure(const bench_world *world, double best[BENCH_SET_QUESTIONS]) {
    struct contender all[TREES + 1] = {{0}},
                                 some[TREES + 1]; /* gcc sees loops beyond an array of one */
    size_t count = 0;
    for (size_t i = 0; i < TREES; i++) {
        if (i == 0 || trees[i]->dimension == world->dimension) {
            all[count].tree = trees[i];
            all[count++].world = trees[i]->build(world);
        }
    }
    for (int q = 0; q < BENCH_SET_QUESTIONS; q++) {
        bool is_pairs = questions[q].per == 0;
        if (is_pairs && (world->count < 1000 || world->count > PAIRS_MAX)) {
            continue;
        }
        size_t enlisted = enlist(all, q, some);
        take_turns(some, enlisted, world, turn_asking, q,
                   is_pairs ? world->count : questions[q].per);
        report(questions[q].text, world, is_pairs ? "ns a shape" : "ns", some, enlisted);
        best[q] = some[0].times[0];
    }
    if (world->count <= PAIRS_MAX) {
        take_turns(all, count, world, turn_moving, (int)world->count, 2.0 * world->count);
        report("all move a little", world, "ns a shape", all, count);
        int few = (int)(world->count / 100 > 0 ? world->count / 100 : 1);
        take_turns(all, count, world, turn_moving, few, 2.0 * few);
        report("one in 100 moves", world, "ns a shape", all, count);
        take_turns(all, count, world, turn_building, 0, world->count);
        report("build", world, "ns a shape", all, count);
        measure_size(all, count, world);
    }
    for (size_t i = 0; i < count; i++) {
        all[i].tree->end(all[i].world);
    }
}

int main(void) {
    static const uint32_t counts[] = {100, 1000, 10000, 100000, 1000000};
    enum { COUNTS = sizeof counts / sizeof counts[0] };
    for (uint32_t dimension = 2; dimension <= 3; dimension++) {
        double best[COUNTS][BENCH_SET_QUESTIONS];
        for (int i = 0; i < COUNTS; i++) {
            static bench_world world;
            struct gjk_arena arena;
            gjk_arena_init(&arena, 0);
            make_world(&arena, dimension, counts[i], &world);
            measure(&world, best[i]);
            gjk_arena_fini(&arena);
        }
        for (int q = 0; q < BENCH_SET_QUESTIONS; q++) {
            if (questions[q].per > 0) {
                printf("{\"case\": \"%s, %uD, exponent from %u to %u shapes\", \"ours\": %.3f, "
                       "\"unit\": \"\"}\n",
                       questions[q].text, dimension, counts[0], counts[COUNTS - 1],
                       log(best[COUNTS - 1][q] / best[0][q]) /
                           log((double)counts[COUNTS - 1] / counts[0]));
            }
        }
    }
    return 0;
}
