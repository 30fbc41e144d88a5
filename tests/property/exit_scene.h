#ifndef TEST_EXIT_SCENE_H
#define TEST_EXIT_SCENE_H

/*
 * Rows of pieces along x that touch, overlap or leave gaps by exact powers of two, as shapes of
 * every kind of pieces, and where a ray leaves them, in 113 bits.
 */

#include "gjk/pieces.h"
#include "gjk/ray.h"
#include "quad.h"
#include "rng.h"

typedef enum test_exit_kind {
    TEST_EXIT_COMPOUND,
    TEST_EXIT_CHAIN,
    TEST_EXIT_REGION,
    TEST_EXIT_SOLID, /* a closed mesh */
    TEST_EXIT_MESH,
    TEST_EXIT_HEIGHTFIELD,
    TEST_EXIT_KINDS
} test_exit_kind;

#define TEST_EXIT_CELLS 96

/* A convex part of the scene, in the shape's own frame less the offset. */
typedef struct test_exit_cell {
    enum { CELL_BOX, CELL_CAPSULE, CELL_POLYGON, CELL_TRIANGLE } type;
    uint32_t count;     /* points: 2 are a segment */
    gjk_vec3 points[4]; /* of a box its least and greatest corner */
    double radius;
    double angle; /* a box or capsule is turned by them about position */
    gjk_quat orientation;
    gjk_vec3 position;
} test_exit_cell;

typedef struct test_exit_scene {
    test_exit_kind kind;
    uint32_t dimension;
    test_exit_cell cells[TEST_EXIT_CELLS];
    uint32_t count;
    bool is_round;   /* all numbers have few digits, and nothing is turned */
    gjk_vec3 offset; /* of all points in the own frame */
    double angle;
    gjk_quat orientation;
    gjk_vec3 position;
    gjk_shape shape;
    gjk_placed placed;  /* borrows shape */
    gjk_vec3 direction; /* as given, of any length */
    gjk_ray ray;
    double scale; /* of the shape, and of the way to it */
} test_exit_scene;

/* Must not be copied. */
void test_exit_scene_make(test_rng *rng, test_exit_kind kind, uint32_t dimension,
                          struct gjk_arena *arena, test_exit_scene *out);

/*
 * Where the ray, moved sideways by so much in its own frame, first meets the scene and where it
 * leaves it again. False: it does not meet it.
 */
bool test_exit_truth(const test_exit_scene *scene, gjk_vec3 aside, quad *enter, quad *leave);

/* To stderr. */
void test_exit_scene_print(const test_exit_scene *scene);

#endif
