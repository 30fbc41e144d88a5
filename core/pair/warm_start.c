/*
 * The warm start of GJK (Cameron, Enhancing GJK, 1997): a query about a pair begins with the
 * simplex or the separating axis that ended the one before. Points are kept in the frames of
 * their shapes, so that they are exactly points of the shapes wherever these move.
 */

#include "pair/kernels.h"

gjk_cache gjk_cache_make(void) {
    return (gjk_cache){.count = 0};
}

void gjk_cache_recall(const gjk_cache *cache, const gjk_frame3 *frame, gjk_simplex3 *simplex,
                      gjk_vec3 *heading) {
    if (cache->a != frame->a || cache->b != frame->b) {
        return;
    }
    if (cache->axis.x != 0.0 || cache->axis.y != 0.0 || cache->axis.z != 0.0) {
        *heading = cache->axis;
    }
    simplex->count = cache->count;
    for (uint32_t i = 0; i < cache->count; i++) {
        gjk_vertex3_make(frame, cache->on_a[i], cache->on_b[i], &simplex->vertex[i]);
    }
}

void gjk_cache_keep(gjk_cache *cache, const gjk_frame3 *frame, const gjk_simplex3 *simplex,
                    const gjk_vec3 *axis) {
    const double length = 1.0 / frame->unit;
    cache->a = frame->a;
    cache->b = frame->b;
    cache->axis = axis != NULL ? *axis : (gjk_vec3){0, 0, 0};
    cache->count = axis != NULL ? 0 : simplex->count;
    for (uint32_t i = 0; i < cache->count; i++) {
        cache->on_a[i] = gjk_scale3(length, simplex->vertex[i].a);
        cache->on_b[i] = simplex->vertex[i].own_b;
    }
}
