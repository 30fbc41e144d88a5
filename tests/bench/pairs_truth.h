#ifndef BENCH_PAIRS_TRUTH_H
#define BENCH_PAIRS_TRUTH_H

/* The reference that all answers of a scene are judged by. */

#include "peers/peer.h"

enum bench_verdict {
    BENCH_UNKNOWN, /* bounds apart: no reference, a failure of the core, others not judged */
    BENCH_KNOWN,
    BENCH_REFUTED /* the core's own proof does not hold: a failure of the core */
};

struct bench_truth {
    enum bench_verdict verdict[BENCH_PAIRS];
    double signed_distance[BENCH_PAIRS]; /* less than 0: the depth */
    double size[BENCH_PAIRS];
    double ray[BENCH_PAIRS];     /* BENCH_NONE for a miss; 2D only */
    double cast[2][BENCH_PAIRS]; /* straight and turning; NAN where they nearly graze */
};

void bench_truth_find(const struct bench_scene *scene, struct bench_truth *truth);

/*
 * How many answers to the question are wrong by more than tolerance * size, how many of
 * those by their state alone; queries: how many could be judged. State counts as wrong
 * only where the shapes are further than that from touching.
 */
struct bench_score {
    int queries, failures, wrong_states;
};
struct bench_score bench_judge(const struct bench_truth *truth, enum bench_question asked,
                               double tolerance, const double *answers);

#endif
