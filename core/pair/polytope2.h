#ifndef GJK_PAIR_POLYTOPE2_H
#define GJK_PAIR_POLYTOPE2_H

#include "gjk/pair.h"
#include "pair/frame.h"

/*
 * A convex polygon that grows by one vertex at a time: a ring of vertices, counter-
 * clockwise; edge i goes from vertex i to vertex next[i]. Orientation is decided
 * exactly, so the ring is the true convex hull of its vertices' doubles.
 */

#define GJK_POLYTOPE2_VERTICES (GJK_ITERATIONS_MAX + 3)

typedef struct gjk_edge2 {
    gjk_vec2 normal; /* unit, outward */
    double distance; /* of its line from the origin, along normal */
    uint16_t next, previous;
    bool alive;
} gjk_edge2;

/* In the caller's storage, which needs no initialisation. */
struct gjk_polytope2 {
    uint32_t count;
    gjk_vertex2 vertex[GJK_POLYTOPE2_VERTICES];
    gjk_edge2 edge[GJK_POLYTOPE2_VERTICES];
};

/* Starts with the triangle of three vertices that are not collinear (asserted). */
void gjk_polytope2_init(struct gjk_polytope2 *polytope, const gjk_vertex2 corners[3]);

/* The edge whose line is nearest the origin; the lowest index among equals. */
uint32_t gjk_polytope2_nearest_edge(const struct gjk_polytope2 *polytope);

/*
 * Grows the hull by a vertex seen from the given edge. False, and nothing changed,
 * when the vertex does not lie strictly beyond that edge, or there is no room.
 */
bool gjk_polytope2_insert(struct gjk_polytope2 *polytope, const gjk_vertex2 *vertex, uint32_t edge);

#endif
