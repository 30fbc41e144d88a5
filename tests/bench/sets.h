#ifndef BENCH_SETS_H
#define BENCH_SETS_H

#include <stdint.h>

/* What a tree must do to stand in the table of sets. C and C++. */

#ifdef __cplusplus
#define _Noreturn [[noreturn]]
extern "C" {
#endif

#include "gjk/body.h"
#include "gjk/ray.h"

enum { BENCH_QUERIES = 1024 };

/* Bodies at a density that does not depend on their number, and where they are a tick later. */
typedef struct bench_world {
    uint32_t dimension, count;
    gjk_body *bodies, *moved;
    gjk_bounds *boxes, *moved_boxes;
    gjk_ray rays[BENCH_QUERIES];     /* without end */
    gjk_ray segments[BENCH_QUERIES]; /* BENCH_SEGMENT long */
    gjk_bounds queries[BENCH_QUERIES];
    gjk_placed points[BENCH_QUERIES];
} bench_world;

#define BENCH_SEGMENT 20.0

enum bench_set_question {
    BENCH_SET_BOX,       /* boxes that meet a box, counted */
    BENCH_SET_SEGMENT,   /* boxes that a segment meets, counted */
    BENCH_SET_RAY,       /* the closest body that a ray hits, asked by gjk_raycast */
    BENCH_SET_NEAREST,   /* the nearest body to a point */
    BENCH_SET_NEAREST10, /* the ten nearest bodies */
    BENCH_SET_BOX_PAIRS, /* pairs of boxes that meet, counted */
    BENCH_SET_PAIRS,     /* pairs of bodies that collide, asked by gjk_detect */
    BENCH_SET_QUESTIONS,
};

/* All queries of a question in one go; the sum of what was found (counts, handles). */
typedef uint64_t (*bench_set_pass)(void *tree, const bench_world *world);

struct bench_tree {
    const char *name;
    uint32_t dimension; /* 0: both */
    void *(*build)(const bench_world *world);
    void (*end)(void *tree);
    /* The first `count` bodies go where they are a tick later, or back. */
    void (*move)(void *tree, const bench_world *world, uint32_t count, int back);
    uint64_t (*bytes)(const void *tree);
    bench_set_pass pass[BENCH_SET_QUESTIONS]; /* NULL: not asked */
};

extern const struct bench_tree bench_tree_ours, bench_tree_bullet, bench_tree_box2d;

/* Do two bodies collide? */
int bench_collide(const gjk_body *a, const gjk_body *b);

/* How far along the ray is the body hit? Negative: not at all. */
double bench_hit(const gjk_body *body, const gjk_ray *ray);

#ifdef __cplusplus
}
#endif

#endif
