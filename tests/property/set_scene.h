#ifndef TEST_SET_SCENE_H
#define TEST_SET_SCENE_H

#include "gjk/set_query.h"

#include "scene.h"

#define BODIES_MAX 40

/* For sets whose bodies outlive them. */
extern const gjk_body_callbacks test_borrowed;

/* A set of up to BODIES_MAX random bodies, with groups, categories and masks, some of them
 * twice at one place. */
typedef struct test_scene {
    struct gjk_arena arena;
    test_body body[BODIES_MAX];
    char id[BODIES_MAX][16];
    gjk_body bodies[BODIES_MAX];
    struct gjk_set *set;
    uint32_t dimension, count;
} test_scene;

/* Ids are prefix and a number, and do not sort like numbers. */
void test_scene_make(test_rng *rng, uint32_t dimension, const char *prefix, test_scene *scene);
void test_scene_drop(test_scene *scene);

/* Everybody, or some by bits, ids and groups. Borrows static lists. */
gjk_filter test_random_filter(test_rng *rng);

#endif
