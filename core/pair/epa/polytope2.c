/* The incremental convex hull in 2D, the twin of polytope3.c: the run of edges that a new vertex
 * sees is replaced by two edges from the ends of the run to the vertex. */

#include "pair/epa/polytope.h"

#include "base/predicate.h"

/* Computes and links the edge a -> b. */
static void make_edge(struct gjk_polytope2 *p, uint16_t a, uint16_t b) {
    gjk_edge2 *e = &p->edge[a];
    gjk_vec2 from = p->vertex[a].w;
    gjk_vec2 outward = gjk_right2(gjk_sub2(p->vertex[b].w, from));
    e->normal = gjk_scale2(1.0 / gjk_length2(outward), outward);
    e->distance = gjk_dot2(e->normal, from);
    e->next = b;
    e->alive = true;
    p->edge[b].previous = a;
}

void gjk_polytope2_init(struct gjk_polytope2 *p, const gjk_vertex2 corners[3]) {
    int winding = gjk_orient2_sign(corners[0].w, corners[1].w, corners[2].w);
    GJK_ASSERT(winding != 0);
    p->count = 3;
    p->vertex[0] = corners[0];
    p->vertex[1] = corners[winding > 0 ? 1 : 2];
    p->vertex[2] = corners[winding > 0 ? 2 : 1];
    for (uint16_t i = 0; i < 3; i++) {
        make_edge(p, i, (uint16_t)((i + 1) % 3));
    }
}

uint32_t gjk_polytope2_nearest_edge(const struct gjk_polytope2 *p) {
    uint32_t best = 0;
    double nearest = INFINITY;
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->edge[i].alive && p->edge[i].distance < nearest) {
            nearest = p->edge[i].distance;
            best = i;
        }
    }
    return best;
}

uint32_t gjk_polytope2_pierced_edge(const struct gjk_polytope2 *p, gjk_vec2 ray) {
    const gjk_vec2 origin = {0, 0};
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->edge[i].alive && gjk_dot2(p->edge[i].normal, ray) > 0.0 &&
            gjk_orient2_sign(origin, ray, p->vertex[i].w) <= 0 &&
            gjk_orient2_sign(origin, ray, p->vertex[p->edge[i].next].w) >= 0) {
            return i;
        }
    }
    return GJK_NO_FACE;
}

static bool sees(const struct gjk_polytope2 *p, uint32_t edge, gjk_vec2 from) {
    const gjk_edge2 *e = &p->edge[edge];
    return gjk_orient2_sign(p->vertex[edge].w, p->vertex[e->next].w, from) < 0;
}

bool gjk_polytope2_insert(struct gjk_polytope2 *p, const gjk_vertex2 *vertex, uint32_t edge) {
    if (p->count == GJK_POLYTOPE2_VERTICES || !sees(p, edge, vertex->w)) {
        return false;
    }
    /* The run of visible edges starts at vertex `first` and ends at vertex `last`. */
    uint16_t first = (uint16_t)edge, last = p->edge[edge].next;
    while (sees(p, p->edge[first].previous, vertex->w)) {
        p->edge[first].alive = false;
        first = p->edge[first].previous;
    }
    while (sees(p, last, vertex->w)) {
        p->edge[last].alive = false;
        last = p->edge[last].next;
    }
    uint16_t added = (uint16_t)p->count++;
    p->vertex[added] = *vertex;
    make_edge(p, first, added);
    make_edge(p, added, last);
    return true;
}
