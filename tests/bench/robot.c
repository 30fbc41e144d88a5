/*
 * What does a row of configurations cost, and what do other libraries take for the same? One
 * thread, a seeded scene, ours and the peers in turns. Prints a JSON object a line.
 *
 *     bench_robot [FOLDER]    and writes there what the daemon is to be asked
 */

#include "robot.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#define REPETITIONS 9

static const struct bench_robot_peer *const peers[] = {
    &bench_robot_ours, /* the first */
#ifdef BENCH_FCL
    &bench_robot_fcl,
#endif
#ifdef BENCH_BULLET
    &bench_robot_bullet,
#endif
};
#define PEERS (sizeof peers / sizeof peers[0])

typedef struct contender {
    void *scene;
    double least[2]; /* ns a row: detect, distance */
    double answers[2][BENCH_ROBOT_ROWS];
} contender;

static double nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static void run(size_t i, int question, contender *own, const bench_robot_world *world) {
    const bench_robot_detect pass = question == 0 ? peers[i]->detect : peers[i]->distance;
    if (pass != NULL) {
        const double start = nanoseconds();
        pass(own->scene, world, own->answers[question]);
        own->least[question] =
            fmin(own->least[question], (nanoseconds() - start) / BENCH_ROBOT_ROWS);
    }
}

/* Peers iterate to tolerances of their own. */
static int count_different(const contender *a, const contender *b, int question) {
    int count = 0;
    for (int row = 0; row < BENCH_ROBOT_ROWS; row++) {
        count += !(fabs(a->answers[question][row] - b->answers[question][row]) <=
                   (question == 0 ? 0.0 : 1e-4));
    }
    return count;
}

static int count_colliding(const contender *own) {
    int count = 0;
    for (int row = 0; row < BENCH_ROBOT_ROWS; row++) {
        count += own->answers[0][row] != 0.0;
    }
    return count;
}

int main(int argc, char **argv) {
    static const char *const questions[] = {"a row, boolean", "a row, distance"};
    static bench_robot_world world;
    static contender all[PEERS];
    bench_robot_init(&world);
    if (argc > 1) {
        bench_robot_write(&world, argv[1]);
    }
    for (size_t i = 0; i < PEERS; i++) {
        all[i] = (contender){.scene = peers[i]->begin(&world), .least = {INFINITY, INFINITY}};
    }
    for (int repetition = 0; repetition < REPETITIONS; repetition++) {
        for (size_t i = 0; i < 2 * PEERS; i++) {
            run(i % PEERS, i < PEERS ? 0 : 1, &all[i % PEERS], &world);
        }
    }
    for (int question = 0; question < 2; question++) {
        for (size_t i = 1; i < PEERS; i++) {
            if ((question == 0 ? peers[i]->detect : peers[i]->distance) == NULL) {
                continue;
            }
            printf("{\"case\": \"%s\", \"ours\": %.1f, \"peer\": %.1f, \"peer_name\": \"%s\", "
                   "\"ratio\": %.3f, \"unit\": \"ns\", \"differ\": %d, \"colliding\": %d}\n",
                   questions[question], all[0].least[question], all[i].least[question],
                   peers[i]->name, all[0].least[question] / all[i].least[question],
                   count_different(&all[0], &all[i], question), count_colliding(&all[0]));
        }
        if (PEERS == 1) {
            printf("{\"case\": \"%s\", \"ours\": %.1f, \"unit\": \"ns\", \"colliding\": %d}\n",
                   questions[question], all[0].least[question], count_colliding(&all[0]));
        }
    }
    for (size_t i = 0; i < PEERS; i++) {
        peers[i]->end(all[i].scene);
    }
    bench_robot_fini(&world);
    return 0;
}
