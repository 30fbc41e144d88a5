#ifndef BENCH_ROBOT_H
#define BENCH_ROBOT_H

/* What a library must do to stand in the table of configurations: a robot of hulls moves, row by
 * row, among hulls that rest. C and C++. */

#ifdef __cplusplus
#define _Noreturn [[noreturn]]
extern "C" {
#endif

#include "gjk/body.h"

enum { BENCH_ROBOT_LINKS = 8, BENCH_ROBOT_OBSTACLES = 2000, BENCH_ROBOT_ROWS = 1000 };

/* Links whose numbers differ by one may touch. */
typedef struct bench_robot_world {
    struct gjk_arena arena;
    gjk_shape links[BENCH_ROBOT_LINKS], shapes[BENCH_ROBOT_OBSTACLES];
    gjk_placed obstacles[BENCH_ROBOT_OBSTACLES];
    gjk_pose poses[BENCH_ROBOT_ROWS][BENCH_ROBOT_LINKS];
    gjk_rotation turns[BENCH_ROBOT_ROWS][BENCH_ROBOT_LINKS]; /* of these poses, as given */
} bench_robot_world;

/* Seeded. Ends the program when memory runs out. */
void bench_robot_init(bench_robot_world *world);
void bench_robot_fini(bench_robot_world *world);

/* Writes set.json, rows.json, rows.bin, distances.json and distances.bin: what the daemon is
 * asked. */
void bench_robot_write(const bench_robot_world *world, const char *folder);

/* Does any link collide with an obstacle, or with a link that it may not touch? 1: yes. */
typedef void (*bench_robot_detect)(void *scene, const bench_robot_world *world, double *answers);

/* The distance of the nearest such pair; 0: they overlap. */
typedef void (*bench_robot_distance)(void *scene, const bench_robot_world *world, double *answers);

struct bench_robot_peer {
    const char *name;
    void *(*begin)(const bench_robot_world *world);
    void (*end)(void *scene);
    bench_robot_detect detect;
    bench_robot_distance distance; /* NULL: it has no nearest search */
};

extern const struct bench_robot_peer bench_robot_ours, bench_robot_fcl, bench_robot_bullet;

#ifdef __cplusplus
}
#endif

#endif
