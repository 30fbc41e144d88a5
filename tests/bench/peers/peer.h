#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* What a library must answer to stand in the table. C and C++. */

#ifdef __cplusplus
#define _Noreturn [[noreturn]]
extern "C" {
#endif

#include "../pairs_scene.h"

enum bench_question {
    BENCH_BOOLEAN,
    BENCH_DEPTH,
    BENCH_DISTANCE,
    BENCH_RAY,
    BENCH_WARM_BOOLEAN, /* with what the library keeps of a pair from the query before */
    BENCH_WARM_DEPTH,
    BENCH_WARM_DISTANCE,
    BENCH_CAST,
    BENCH_TURNING_CAST,
    BENCH_QUESTIONS
};

#define BENCH_NONE (-1.0)

/* One of two answers, by a mask: a branch on what no predictor can guess would be timed with the
 * query. */
static inline double bench_say(bool which, double yes, double no) {
    const uint64_t mask = -(uint64_t)which;
    uint64_t bits[2];
    double answer;
    memcpy(&bits[0], &no, sizeof no);
    memcpy(&bits[1], &yes, sizeof yes);
    bits[0] ^= (bits[0] ^ bits[1]) & mask;
    memcpy(&answer, bits, sizeof answer);
    return answer;
}

/*
 * One answer for each of BENCH_PAIRS pairs. boolean: 1 when they overlap, else 0; depth,
 * distance: BENCH_NONE when there is none; ray, casts: the distance, along the way of a's own origin,
 * BENCH_NONE for a miss.
 * A warm pass asks about the moved pairs and about the pairs by turns, moved first, so that
 * every query finds what the last pass left of its pair, a little off.
 */
typedef void (*bench_pass)(const void *world, double *answers);

/*
 * begin turns a scene into the library's own shapes and poses, which is not timed; whatever
 * it must do with a pose at a query is. An answer is right within tolerance * size.
 */
struct bench_peer {
    const char *name;
    uint32_t dimension;
    double tolerance;
    void *(*begin)(const struct bench_scene *scene);
    void (*end)(void *world);
    bench_pass pass[BENCH_QUESTIONS]; /* NULL: not asked */
};

extern const struct bench_peer bench_ours, bench_scans2, bench_scans3;
extern const struct bench_peer bench_box2d, bench_chipmunk;
extern const struct bench_peer bench_libccd, bench_libccd_mpr, bench_fcl;
extern const struct bench_peer bench_bullet, bench_bullet_epa;

#ifdef __cplusplus
}
#endif

#endif
