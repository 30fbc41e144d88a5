/*
 * How many nanoseconds does a query of the core take? One thread, seeded pairs, each
 * question beside its peers: a pass of ours, a pass of each peer, and around again,
 * so that a slow second of the machine hits all of them. Prints a JSON object a line.
 */

#include "pairs_pass.h"

#include "gjk/pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define REPETITIONS 101 /* odd: the median is one of them */
#define CONTENDERS_MAX 4

/* The floor: no answer needs less than one support of each cloud. No index, no point. */
static double scan2(const gjk_placed *placed, gjk_vec3 world) {
    const gjk_shape *shape = placed->shape;
    gjk_vec3 d = gjk_mul3_transposed(&placed->pose.rotation, world);
    const double *x = shape->columns, *y = x + shape->stride;
    double most[2] = {-INFINITY, -INFINITY};
    for (uint32_t i = 0; i < shape->stride; i += 2) {
        for (uint32_t lane = 0; lane < 2; lane++) {
            double here = d.x * x[i + lane] + d.y * y[i + lane];
            most[lane] = here > most[lane] ? here : most[lane];
        }
    }
    return fmax(most[0], most[1]);
}

static double scan3(const gjk_placed *placed, gjk_vec3 world) {
    const gjk_shape *shape = placed->shape;
    gjk_vec3 d = gjk_mul3_transposed(&placed->pose.rotation, world);
    const double *x = shape->columns, *y = x + shape->stride, *z = y + shape->stride;
    double most[2] = {-INFINITY, -INFINITY};
    for (uint32_t i = 0; i < shape->stride; i += 2) {
        for (uint32_t lane = 0; lane < 2; lane++) {
            double here = d.x * x[i + lane] + d.y * y[i + lane] + d.z * z[i + lane];
            most[lane] = here > most[lane] ? here : most[lane];
        }
    }
    return fmax(most[0], most[1]);
}

static double scan(const gjk_placed *placed, gjk_vec3 world) {
    return placed->shape->dimension == 2 ? scan2(placed, world) : scan3(placed, world);
}

static double two_scans(const struct bench_pair *pair) {
    gjk_vec3 direction = gjk_sub3(pair->b.pose.position, pair->a.pose.position);
    return scan(&pair->a, direction) + scan(&pair->b, gjk_neg3(direction));
}

static double one_scan(const struct bench_pair *pair) {
    return scan(&pair->a, pair->ray.direction);
}

static double boolean(const struct bench_pair *pair) {
    gjk_detect_settings settings = gjk_detect_settings_default();
    settings.penetration = false;
    return gjk_detect(&pair->a, &pair->b, &settings).state;
}

static double depth(const struct bench_pair *pair) {
    gjk_detect_settings settings = gjk_detect_settings_default();
    return gjk_detect(&pair->a, &pair->b, &settings).depth;
}

static double distance(const struct bench_pair *pair) {
    gjk_distance_settings settings = gjk_distance_settings_default();
    return gjk_distance(&pair->a, &pair->b, &settings).distance;
}

static double ray(const struct bench_pair *pair) {
    gjk_ray_settings settings = gjk_ray_settings_default();
    return gjk_raycast(&pair->a, &pair->ray, &settings).distance;
}

static double two_scans_pass(const struct bench_scene *scene) {
    return bench_over_pairs(scene, two_scans);
}
static double one_scan_pass(const struct bench_scene *scene) {
    return bench_over_pairs(scene, one_scan);
}
static double boolean_pass(const struct bench_scene *scene) {
    return bench_over_pairs(scene, boolean);
}
static double depth_pass(const struct bench_scene *scene) {
    return bench_over_pairs(scene, depth);
}
static double distance_pass(const struct bench_scene *scene) {
    return bench_over_pairs(scene, distance);
}
static double ray_pass(const struct bench_scene *scene) {
    return bench_over_pairs(scene, ray);
}

struct contender {
    const char *name;
    bench_pass pass;
};

/* A question and who answers it; the first contender is ours, a NULL name ends the list. */
struct question {
    const char *name;
    struct contender contenders[CONTENDERS_MAX + 1];
};

static const struct question flat_questions[] = {
    {"boolean", {{"ours", boolean_pass}, {"two support scans", two_scans_pass}}},
    {"depth", {{"ours", depth_pass}, {"two support scans", two_scans_pass}}},
    {"distance", {{"ours", distance_pass}, {"two support scans", two_scans_pass}}},
    {NULL, {{NULL, NULL}}},
};

#ifdef BENCH_LIBCCD
#define LIBCCD(gjk, mpr)  \
    {"libccd", gjk}, {    \
        "libccd MPR", mpr \
    }
#else
#define LIBCCD(gjk, mpr) \
    { NULL, NULL }
#endif

static const struct question solid_questions[] = {
    {"boolean",
     {{"ours", boolean_pass},
      {"two support scans", two_scans_pass},
      LIBCCD(bench_libccd_gjk, bench_libccd_mpr)}},
    {"depth",
     {{"ours", depth_pass},
      {"two support scans", two_scans_pass},
      LIBCCD(bench_libccd_gjk_depth, bench_libccd_mpr_depth)}},
    {"distance", {{"ours", distance_pass}, {"two support scans", two_scans_pass}}},
    {NULL, {{NULL, NULL}}},
};

static const struct question overlapping_questions[] = {
    {"depth, all overlapping",
     {{"ours", depth_pass},
      {"two support scans", two_scans_pass},
      LIBCCD(bench_libccd_gjk_depth, bench_libccd_mpr_depth)}},
    {NULL, {{NULL, NULL}}},
};

static const struct question ray_questions[] = {
    {"ray", {{"ours", ray_pass}, {"one support scan", one_scan_pass}}},
    {NULL, {{NULL, NULL}}},
};

static const struct bench_case {
    const char *name;
    enum bench_kind a, b;
    int overlapping;
    const struct question *questions;
} cases[] = {
    {"8-gons", BENCH_8_GON, BENCH_8_GON, BENCH_PAIRS / 2, flat_questions},
    {"circle and 8-gon", BENCH_CIRCLE, BENCH_8_GON, BENCH_PAIRS / 2, flat_questions},
    {"boxes", BENCH_BOX, BENCH_BOX, BENCH_PAIRS / 2, solid_questions},
    {"hulls of 8", BENCH_HULL_8, BENCH_HULL_8, BENCH_PAIRS / 2, solid_questions},
    {"hulls of 32", BENCH_HULL_32, BENCH_HULL_32, BENCH_PAIRS / 2, solid_questions},
    {"hulls of 128", BENCH_HULL_128, BENCH_HULL_128, BENCH_PAIRS / 2, solid_questions},
    {"capsule and hull of 32", BENCH_CAPSULE, BENCH_HULL_32, BENCH_PAIRS / 2, solid_questions},
    {"boxes", BENCH_BOX, BENCH_BOX, BENCH_PAIRS, overlapping_questions},
    {"hulls of 32", BENCH_HULL_32, BENCH_HULL_32, BENCH_PAIRS, overlapping_questions},
    {"hulls of 128", BENCH_HULL_128, BENCH_HULL_128, BENCH_PAIRS, overlapping_questions},
    {"8-gon", BENCH_8_GON, BENCH_8_GON, BENCH_PAIRS / 2, ray_questions},
    {"hull of 32", BENCH_HULL_32, BENCH_HULL_32, BENCH_PAIRS / 2, ray_questions},
};

static volatile double unused; /* where the sums go */

static double nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Fills times[contender] with the ns a query of every repetition, sorted; how many contenders. */
static int measure(const struct question *question, const struct bench_scene *scene,
                   double times[CONTENDERS_MAX][REPETITIONS]) {
    int contenders = 0;
    while (question->contenders[contenders].name != NULL) {
        unused = question->contenders[contenders].pass(scene); /* warms up */
        contenders++;
    }
    for (int repetition = 0; repetition < REPETITIONS; repetition++) {
        for (int c = 0; c < contenders; c++) {
            double start = nanoseconds();
            unused = question->contenders[c].pass(scene);
            times[c][repetition] = (nanoseconds() - start) / BENCH_PAIRS;
        }
    }
    for (int c = 0; c < contenders; c++) {
        qsort(times[c], REPETITIONS, sizeof times[c][0], ascending);
    }
    return contenders;
}

static void report(const char *name, const struct question *question,
                   const struct bench_scene *scene) {
    double times[CONTENDERS_MAX][REPETITIONS];
    int contenders = measure(question, scene, times);
    double ours = times[0][REPETITIONS / 2];
    for (int c = 1; c < contenders; c++) {
        double peer = times[c][REPETITIONS / 2];
        printf("{\"case\": \"%s %s\", \"ours\": %.2f, \"peer\": %.2f, \"peer_name\": \"%s\", "
               "\"unit\": \"ns\", \"ratio\": %.4f, \"ours_min\": %.2f, \"peer_min\": %.2f}\n",
               name, question->name, ours, peer, question->contenders[c].name, ours / peer,
               times[0][0], times[c][0]);
    }
}

int main(void) {
    static struct bench_scene scene;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct bench_case *at = &cases[i];
        bench_scene_init(&scene, at->a, at->b, at->overlapping);
        for (const struct question *q = at->questions; q->name != NULL; q++) {
            report(at->name, q, &scene);
        }
        bench_scene_fini(&scene);
    }
    return 0;
}
