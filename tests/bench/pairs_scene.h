#ifndef BENCH_PAIRS_SCENE_H
#define BENCH_PAIRS_SCENE_H

/* Seeded scenes: what the contenders of one case are all asked about. */

#include "gjk/motion.h"
#include "gjk/ray.h"

#define BENCH_PAIRS 1024 /* pairs of one scene */
#define BENCH_SHAPES 32  /* different shapes of one kind in it */

enum bench_kind {
    BENCH_CIRCLE,
    BENCH_8_GON,
    BENCH_BOX,
    BENCH_HULL_8,
    BENCH_HULL_32,
    BENCH_HULL_128,
    BENCH_CAPSULE,
    BENCH_CYLINDER, /* along z, like the cone */
    BENCH_CONE
};

struct bench_pair {
    gjk_placed a, b;
    gjk_ray ray;             /* aimed at a */
    gjk_pose away;           /* of a, apart from b */
    gjk_rigid_motion motion; /* from there towards b */
    gjk_pose arrived;
};

struct bench_scene {
    enum bench_kind kind_a, kind_b;
    struct gjk_arena arena;
    gjk_shape a[BENCH_SHAPES], b[BENCH_SHAPES];
    struct bench_pair pairs[BENCH_PAIRS];
    struct bench_pair moved[BENCH_PAIRS]; /* b moved by a hundredth of a unit */
};

/*
 * Pairs at any distance at which their bounding balls meet, in any orientation; of
 * them the given number overlaps, in no order that a branch predictor could learn
 * from the position alone. Half of the rays hit, and about half of the casts. The same for the same arguments.
 * With near: then moved together until the gap or the depth is 1e-9 to 1e-3. Ends the
 * program when memory runs out.
 */
void bench_scene_init(struct bench_scene *scene, enum bench_kind a, enum bench_kind b,
                      int overlapping, bool near);
void bench_scene_fini(struct bench_scene *scene);

#endif
