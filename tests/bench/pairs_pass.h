#ifndef BENCH_PAIRS_PASS_H
#define BENCH_PAIRS_PASS_H

#include "pairs_scene.h"

/*
 * One pass: a query about every pair of a scene. Every contender is such a function,
 * so that all loops have one form; the sum of something of each answer comes back,
 * so that no answer can be left out.
 */
typedef double (*bench_pass)(const struct bench_scene *scene);

/* Inlined into each contender together with its query. */
__attribute__((always_inline)) static inline double bench_over_pairs(
    const struct bench_scene *scene, double (*query)(const struct bench_pair *pair)) {
    double sum = 0.0;
    for (int i = 0; i < BENCH_PAIRS; i++) {
        sum += query(&scene->pairs[i]);
    }
    return sum;
}

/* libccd 2.1 on 3D pairs: booleans by GJK and MPR, depths by EPA and MPR. */
double bench_libccd_gjk(const struct bench_scene *scene);
double bench_libccd_mpr(const struct bench_scene *scene);
double bench_libccd_gjk_depth(const struct bench_scene *scene);
double bench_libccd_mpr_depth(const struct bench_scene *scene);

#endif
