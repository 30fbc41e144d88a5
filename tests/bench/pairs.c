/*
 * How many nanoseconds does a query of the core take, and how many do other libraries
 * take on the same pairs, and who is right? One thread, seeded pairs, each question
 * beside its peers: a pass of ours, a pass of each peer, and around again, so that a
 * slow second of the machine hits all of them. Prints a JSON object a line.
 */

#include "pairs_truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define REPETITIONS 51 /* odd: the median is one of them */

static const struct bench_peer *const peers[] = {
    &bench_ours, /* the first */
    &bench_scans2,   &bench_scans3,
#ifdef BENCH_BOX2D
    &bench_box2d,
#endif
#ifdef BENCH_CHIPMUNK
    &bench_chipmunk,
#endif
#ifdef BENCH_LIBCCD
    &bench_libccd,   &bench_libccd_mpr,
#endif
#ifdef BENCH_FCL
    &bench_fcl,
#endif
#ifdef BENCH_BULLET
    &bench_bullet,   &bench_bullet_epa,
#endif
};
#define PEERS (sizeof peers / sizeof peers[0])

static const char *const question_name[] = {
    "boolean",    "depth",         "distance", "ray",          "warm boolean",
    "warm depth", "warm distance", "cast",     "turning cast",
};

#define HALF (BENCH_PAIRS / 2)

static const struct bench_case {
    const char *name;
    enum bench_kind a, b;
    int overlapping;
    bool near;
} cases[] = {
    {"8-gons", BENCH_8_GON, BENCH_8_GON, HALF, false},
    {"circle and 8-gon", BENCH_CIRCLE, BENCH_8_GON, HALF, false},
    {"boxes", BENCH_BOX, BENCH_BOX, HALF, false},
    {"hulls of 8", BENCH_HULL_8, BENCH_HULL_8, HALF, false},
    {"hulls of 32", BENCH_HULL_32, BENCH_HULL_32, HALF, false},
    {"hulls of 128", BENCH_HULL_128, BENCH_HULL_128, HALF, false},
    {"capsule and hull of 32", BENCH_CAPSULE, BENCH_HULL_32, HALF, false},
    {"cylinder and cone", BENCH_CYLINDER, BENCH_CONE, HALF, false},
    {"hulls of 32, nearly touching:", BENCH_HULL_32, BENCH_HULL_32, HALF, true},
    {"boxes, all overlapping:", BENCH_BOX, BENCH_BOX, BENCH_PAIRS, false},
    {"hulls of 32, all overlapping:", BENCH_HULL_32, BENCH_HULL_32, BENCH_PAIRS, false},
    {"hulls of 128, all overlapping:", BENCH_HULL_128, BENCH_HULL_128, BENCH_PAIRS, false},
};

struct contender {
    const struct bench_peer *peer;
    void *world;
    double times[REPETITIONS]; /* ns a query, sorted in the end */
    double answers[BENCH_PAIRS];
};

static double nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Who can be asked; a scan needs a cloud, a ray of a solid has no reference here. */
static size_t enlist(const struct bench_scene *scene, enum bench_question question,
                     struct contender *contenders) {
    uint32_t dimension = scene->a[0].dimension;
    bool clouds = scene->a[0].count > 0 && scene->b[0].count > 0;
    size_t count = 0;
    for (size_t i = 0; i < PEERS; i++) {
        const struct bench_peer *peer = peers[i];
        bool scans = peer == &bench_scans2 || peer == &bench_scans3;
        if (peer->pass[question] != NULL && (peer->dimension == dimension || i == 0) &&
            (clouds || !scans)) {
            contenders[count].peer = peer;
            contenders[count++].world = peer->begin(scene);
        }
    }
    return count;
}

static void measure(enum bench_question question, struct contender *contenders, size_t count) {
    for (int repetition = -1; repetition < REPETITIONS; repetition++) { /* -1 warms up */
        for (size_t i = 0; i < count; i++) {
            struct contender *c = &contenders[i];
            double start = nanoseconds();
            c->peer->pass[question](c->world, c->answers);
            c->times[repetition < 0 ? 0 : repetition] = (nanoseconds() - start) / BENCH_PAIRS;
        }
    }
    for (size_t i = 0; i < count; i++) {
        qsort(contenders[i].times, REPETITIONS, sizeof contenders[i].times[0], ascending);
    }
}

static void report(const char *name, enum bench_question question, const struct bench_truth *truth,
                   const struct contender *ours, const struct contender *peer) {
    double mine = ours->times[REPETITIONS / 2], other = peer->times[REPETITIONS / 2];
    struct bench_score score = bench_judge(truth, question, ours->peer->tolerance, ours->answers);
    struct bench_score theirs = bench_judge(truth, question, peer->peer->tolerance, peer->answers);
    int unproven = 0;
    const bool is_cast = question == BENCH_CAST || question == BENCH_TURNING_CAST;
    for (int i = 0; i < BENCH_PAIRS && question != BENCH_RAY && !is_cast; i++) {
        unproven += truth->verdict[i] != BENCH_KNOWN;
    }
    printf("{\"case\": \"%s %s\", \"ours\": %.2f, \"peer\": %.2f, \"peer_name\": \"%s\", "
           "\"unit\": \"ns\", \"ratio\": %.4f, \"ours_min\": %.2f, \"peer_min\": %.2f, "
           "\"failures\": %d",
           name, question_name[question], mine, other, peer->peer->name, mine / other,
           ours->times[0], peer->times[0], score.failures + unproven);
    if (isfinite(peer->peer->tolerance)) {
        printf(", \"failures_peer\": %d, \"wrong_state_peer\": %d, \"tolerance_peer\": %g",
               theirs.failures, theirs.wrong_states, peer->peer->tolerance);
    }
    printf(", \"queries\": %d}\n", score.queries);
    fflush(stdout);
}

static void run(const struct bench_case *at, const struct bench_scene *scene,
                const struct bench_truth *truth) {
    static struct contender contenders[PEERS];
    bool flat = scene->a[0].dimension == 2;
    for (int q = 0; q < BENCH_QUESTIONS; q++) {
        enum bench_question question = (enum bench_question)q;
        bool deep = question == BENCH_DEPTH || question == BENCH_WARM_DEPTH;
        const bool is_cast = question == BENCH_CAST || question == BENCH_TURNING_CAST;
        if ((question == BENCH_RAY && !flat) || ((question == BENCH_RAY || is_cast) && at->near) ||
            (at->overlapping == BENCH_PAIRS && !deep)) {
            continue;
        }
        size_t count = enlist(scene, question, contenders);
        measure(question, contenders, count);
        for (size_t i = 1; i < count; i++) {
            report(at->name, question, truth, &contenders[0], &contenders[i]);
        }
        for (size_t i = 0; i < count; i++) {
            contenders[i].peer->end(contenders[i].world);
        }
    }
}

/* With an argument: only the cases whose name contains it. */
int main(int count, char **arguments) {
    static struct bench_scene scene;
    static struct bench_truth truth;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct bench_case *at = &cases[i];
        if (count > 1 && strstr(at->name, arguments[1]) == NULL) {
            continue;
        }
        bench_scene_init(&scene, at->a, at->b, at->overlapping, at->near);
        bench_truth_find(&scene, &truth);
        run(at, &scene, &truth);
        bench_scene_fini(&scene);
    }
    return 0;
}
