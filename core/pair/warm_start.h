#ifndef GJK_PAIR_WARM_START_H
#define GJK_PAIR_WARM_START_H

#include "gjk/pair.h"
#include "pair/simplex3.h"

/* The points and the direction to start with: *simplex filled or left empty, *heading
 * replaced where the cache knows better. */
void gjk_cache_recall(const gjk_cache *cache, const gjk_frame3 *frame, gjk_simplex3 *simplex,
                      gjk_vec3 *heading);

/* Keeps the simplex with which a query ended, or the axis if that is enough to tell the pair
 * apart (else NULL). */
void gjk_cache_keep(gjk_cache *cache, const gjk_frame3 *frame, const gjk_simplex3 *simplex,
                    const gjk_vec3 *axis);

#endif
