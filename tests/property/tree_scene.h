#ifndef TEST_TREE_SCENE_H
#define TEST_TREE_SCENE_H

/* Sets that are hard on a tree, and edits of them. */

#include "set_scene.h"

enum test_tree_kind {
    TEST_TREE_UNIFORM,
    TEST_TREE_CLUSTERED,
    TEST_TREE_NESTED,     /* about one centre, of growing sizes */
    TEST_TREE_COINCIDENT, /* one shape, one place */
    TEST_TREE_ONE_HUGE,   /* among many tiny ones */
    TEST_TREE_GRID,       /* unit boxes that touch, and others a gap of the tolerance apart */
    TEST_TREE_FAR,        /* far from the origin, for their size */
    TEST_TREE_MAGNITUDES, /* sizes and places of all magnitudes */
    TEST_TREE_TINY,       /* of 1e-160, where squares vanish */
    TEST_TREE_CURVED,
    TEST_TREE_KINDS,
};

#define TEST_TREE_BODIES_MAX 1400

typedef struct test_tree_scene {
    struct gjk_arena arena;
    uint32_t dimension;
    enum test_tree_kind kind;
    gjk_vec3 middle;
    double spread; /* half the side of where bodies are */
    struct gjk_set *set;
    uint32_t next_handle;
} test_tree_scene;

/* 0, 1, 2, a node's width and around it, dozens. */
uint32_t test_tree_size(test_rng *rng);

void test_tree_scene_make(test_rng *rng, uint32_t dimension, enum test_tree_kind kind,
                          uint32_t count, test_tree_scene *out);
void test_tree_scene_drop(test_tree_scene *scene);

/* Puts in, takes out, nudges, turns and throws some bodies, or all. */
void test_tree_scene_edit(test_rng *rng, test_tree_scene *scene);

/* A random place of the scene, often one of a body. */
gjk_vec3 test_tree_place(test_rng *rng, test_tree_scene *scene);

/* A body of the scene, or another one like them. */
const gjk_body *test_tree_body(test_rng *rng, test_tree_scene *scene);

#endif
