#ifndef TEST_GALLERY_H
#define TEST_GALLERY_H

/* A few hundred shapes of every kind, made once and then shared by all threads; and shapes of many
 * pieces that are made of them or on a grid. */

#include "rng.h"

#include "gjk/shape.h"

#define GALLERY_SHAPES_MAX 512 /* of each dimension */
#define GALLERY_WHOLES_MAX 32  /* of each dimension, of many pieces */

typedef struct test_gallery {
    struct gjk_arena arena; /* owns the points */
    gjk_shape shape[2][GALLERY_SHAPES_MAX];
    gjk_shape whole[2][GALLERY_WHOLES_MAX];
} test_gallery;

/* Of the 2D shapes when dimension is 2, of the 3D ones when it is 3. */
const gjk_shape *test_gallery_pick(const test_gallery *gallery, uint32_t dimension, test_rng *rng);

const gjk_shape *test_gallery_pick_whole(const test_gallery *gallery, uint32_t dimension,
                                         test_rng *rng);

/* Aborts when a constructor refuses. */
void test_gallery_init(test_gallery *gallery);
void test_gallery_fini(test_gallery *gallery);

/* Has the core find no instruction set of those, as bits of gcc's enum processor_features. On x86-64. */
void test_hide(unsigned sets);

#endif
