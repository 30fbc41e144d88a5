/*
 * What do queries at one triangle mesh cost, and what do other libraries take for the same? One
 * thread, seeded scenes, ours and the peers in turns. Prints a JSON object a line.
 */

#include "worlds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define REPETITIONS 5

static const struct bench_world_peer *const peers[] = {
    &bench_world_ours, /* the first */
#ifdef BENCH_EMBREE
    &bench_world_embree,
#endif
#ifdef BENCH_BULLET
    &bench_world_bullet,
#endif
#ifdef BENCH_FCL
    &bench_world_fcl,
#endif
};
#define PEERS (sizeof peers / sizeof peers[0])

static const char *const probes[] = {"sphere", "capsule", "hull of 32"};
static const struct {
    const char *text;
    double tolerance; /* of answers: floats on meshes some hundred units wide, and iterations */
    bool of_probes;
} questions[] = {{"ray", 5e-3, false},
                 {"ray, any", 0, false},
                 {"detect", 0, true},
                 {"distance", 5e-3, true},
                 {"cast", 5e-3, true}};

typedef struct contender {
    const struct bench_world_peer *peer;
    void *mesh;
    double least; /* ns a query, or a triangle */
    double answers[BENCH_WORLD_QUERIES];
} contender;

static double nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/* differ: how many answers do, or -1 where there are none to compare. */
static void print_row(const char *what, const contender *peer, double ours, double theirs,
                      const char *unit, int differ) {
    printf("{\"case\": \"%s\", \"ours\": %.1f", what, ours);
    if (peer != NULL) {
        printf(", \"peer\": %.1f, \"peer_name\": \"%s\", \"ratio\": %.3f", theirs, peer->peer->name,
               ours / theirs);
    }
    printf(", \"unit\": \"%s\"", unit);
    if (differ >= 0) {
        printf(", \"differ\": %d", differ);
    }
    puts("}");
    fflush(stdout);
}

static int count_different(const contender *a, const contender *b, double tolerance) {
    int count = 0;
    for (int i = 0; i < BENCH_WORLD_QUERIES; i++) {
        const double p = a->answers[i], q = b->answers[i];
        count += (p < 0) != (q < 0) || !(fabs(p - q) <= tolerance);
    }
    return count;
}

/* All who answer the question take turns. */
static void ask(const char *scene, contender *all, const bench_landscape_world *world, int question,
                int probe) {
    char what[128];
    for (size_t i = 0; i < PEERS; i++) {
        all[i].least = INFINITY;
    }
    for (int repetition = 0; repetition < REPETITIONS; repetition++) {
        for (size_t i = 0; i < PEERS; i++) {
            if (all[i].peer->pass[question] != NULL) {
                const double start = nanoseconds(CLOCK_MONOTONIC);
                all[i].peer->pass[question](all[i].mesh, world, probe, all[i].answers);
                all[i].least = fmin(all[i].least,
                                    (nanoseconds(CLOCK_MONOTONIC) - start) / BENCH_WORLD_QUERIES);
            }
        }
    }
    (void)snprintf(what, sizeof what, "%s%s%s, %s", questions[question].text,
                   questions[question].of_probes ? " of a " : "",
                   questions[question].of_probes ? probes[probe] : "", scene);
    for (size_t i = 1; i < PEERS; i++) {
        if (all[i].peer->pass[question] != NULL) {
            print_row(what, &all[i], all[0].least, all[i].least, "ns",
                      count_different(&all[0], &all[i], questions[question].tolerance));
        }
    }
}

static void build(const char *scene, contender *all, const bench_landscape_world *world) {
    char what[128];
    for (size_t i = 0; i < PEERS; i++) {
        const double start = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
        all[i].peer = peers[i];
        all[i].mesh = peers[i]->begin(world);
        all[i].least = (nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - start) / world->triangle_count;
    }
    (void)snprintf(what, sizeof what, "build, %s", scene);
    for (size_t i = 1; i < PEERS; i++) {
        print_row(what, &all[i], all[0].least, all[i].least, "ns a triangle", -1);
    }
    (void)snprintf(what, sizeof what, "bytes, %s", scene);
    for (size_t i = 0; i < PEERS; i++) {
        if (all[i].peer->bytes != NULL) {
            print_row(what, i == 0 ? NULL : &all[i],
                      all[0].peer->bytes(all[0].mesh) / world->triangle_count,
                      all[i].peer->bytes(all[i].mesh) / world->triangle_count, "bytes a triangle",
                      -1);
        }
    }
}

/* asked: only the questions whose name contains it. */
static void measure(const char *scene, bench_landscape_world *world, const char *asked) {
    static contender all[PEERS];
    build(scene, all, world);
    for (int q = 0; q < BENCH_WORLD_QUESTIONS; q++) {
        if (strstr(questions[q].text, asked) == NULL) {
            continue;
        }
        for (int probe = 0; probe < (questions[q].of_probes ? BENCH_PROBES : 1); probe++) {
            ask(scene, all, world, q, probe);
        }
    }
    for (size_t i = 0; i < PEERS; i++) {
        all[i].peer->end(all[i].mesh);
    }
}

/* Texts as arguments: only the scenes, and of them the questions, whose names contain them. */
int main(int argc, char **argv) {
    bench_landscapes_measure(BENCH_LANDSCAPES - 1, 1000, argc, argv, measure);
    return 0;
}
