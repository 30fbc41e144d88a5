#ifndef BENCH_WORLDS_H
#define BENCH_WORLDS_H

#include <stdint.h>

/* What a library must do to stand in the table of worlds: queries at one triangle mesh. C and
 * C++. */

#ifdef __cplusplus
#define _Noreturn [[noreturn]]
extern "C" {
#endif

#include "gjk/ray.h"

enum { BENCH_WORLD_QUERIES = 1024 };

/* A point is asked about by the topic meshes alone. */
enum bench_probe {
    BENCH_SPHERE,
    BENCH_CAPSULE_PROBE,
    BENCH_HULL,
    BENCH_PROBES,
    BENCH_POINT = BENCH_PROBES,
    BENCH_ALL_PROBES,
};

enum bench_landscape {
    BENCH_TERRAIN,
    BENCH_SCULPTURE,
    BENCH_CITY,
    BENCH_FIELD,
    BENCH_LANDSCAPES,
};

enum bench_world_question {
    BENCH_WORLD_RAY,    /* the distance of the first hit */
    BENCH_WORLD_ANY,    /* 1: some hit, 0: none */
    BENCH_WORLD_DETECT, /* 1: overlap, 0: none; these three with each kind of probe */
    BENCH_WORLD_DISTANCE,
    BENCH_WORLD_CAST, /* the fraction of the translation at first contact */
    BENCH_WORLD_QUESTIONS,
};

/* No hit: the answer to rays and casts. Overlapping: distance 0. */
#define BENCH_WORLD_NONE (-1.0)

/* A mesh whose edges are about 1 long, and what is asked about it, near its surface. */
typedef struct bench_landscape_world {
    struct gjk_arena arena;
    gjk_vec3 *vertices;
    uint32_t (*triangles)[3];
    uint32_t vertex_count, triangle_count;
    uint32_t columns; /* of a height field, whose samples the vertices are; 0: a mesh */
    gjk_ray rays[BENCH_WORLD_QUERIES]; /* of the length of the world */
    gjk_shape shapes[BENCH_ALL_PROBES];
    gjk_placed probes[BENCH_ALL_PROBES][BENCH_WORLD_QUERIES];
    gjk_vec3 ways[BENCH_WORLD_QUERIES];
} bench_landscape_world;

/* Seeded; about `triangles` of them. Ends the program when memory runs out. */
void bench_landscape_init(bench_landscape_world *world, enum bench_landscape kind,
                          uint32_t triangles);
void bench_landscape_fini(bench_landscape_world *world);

/* Measures each landscape up to `last`, from so many triangles to a million. Arguments of the
 * program: only the scenes whose names contain the first; the second, else "", is handed on. */
void bench_landscapes_measure(enum bench_landscape last, uint32_t triangles_least, int argc,
                              char **argv,
                              void (*measure)(const char *scene, bench_landscape_world *world,
                                              const char *asked));

/* One answer for each of BENCH_WORLD_QUERIES. probe: for the questions about probes. */
typedef void (*bench_world_pass)(const void *mesh, const bench_landscape_world *world, int probe,
                                 double *answers);

struct bench_world_peer {
    const char *name;
    void *(*begin)(const bench_landscape_world *world);
    void (*end)(void *mesh);
    double (*bytes)(const void *mesh);            /* NULL: it does not tell */
    bench_world_pass pass[BENCH_WORLD_QUESTIONS]; /* NULL: not asked */
};

extern const struct bench_world_peer bench_world_ours, bench_world_embree, bench_world_bullet,
    bench_world_fcl;
/* Embree with the questions about points and spheres, which callbacks answer. */
extern const struct bench_world_peer bench_mesh_embree;

#ifdef __cplusplus
}
#endif

#endif
