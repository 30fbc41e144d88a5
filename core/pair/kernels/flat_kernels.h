/*
 * The entries of flat.h, over the lanes of an instruction set: for the files that include one of
 * base/lanes_*.h before.
 */

#include "pair/kernels/flat_circle.h"
#include "pair/kernels/flat_polygons.h"

#define FLAT_KERNEL(set, question, pair)                                                     \
    LANES_TARGET bool gjk_flat_##question##_##pair##_##set(                                  \
        const gjk_placed *a, const gjk_placed *b, const gjk_##question##_settings *settings, \
        gjk_##question##_result *result) {                                                   \
        return question##_##pair(a, b, settings, result) ||                                  \
               gjk_##question##_general(a, b, settings, result);                             \
    }
#define FLAT_KERNELS(set)                \
    FLAT_KERNEL(set, detect, polygons)   \
    FLAT_KERNEL(set, distance, polygons) \
    FLAT_KERNEL(set, detect, circle)     \
    FLAT_KERNEL(set, distance, circle)
