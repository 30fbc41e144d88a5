#ifndef GJK_PAIR_POLYTOPE_H
#define GJK_PAIR_POLYTOPE_H

#include "gjk/pair.h"
#include "pair/frame.h"

/*
 * The polytopes of EPA, which grow by one vertex at a time: in 2D a ring of vertices, counter-
 * clockwise, where edge i goes from vertex i to vertex next[i]; in 3D triangles wound counter-
 * clockwise from outside, each with its three neighbours. Orientation is decided exactly, so
 * that the polytope is the true convex hull of its vertices' doubles, however flat or thin: no
 * face is ever lost, duplicated or inverted. Both are in the caller's storage, which needs no
 * initialisation.
 */

#define GJK_POLYTOPE2_VERTICES (GJK_ITERATIONS_MAX + 3)
#define GJK_POLYTOPE3_VERTICES (GJK_ITERATIONS_MAX + 4)
/* A hull of V vertices has 2 V - 4 faces; an insertion makes up to V before it frees any. */
#define GJK_POLYTOPE3_FACES (3 * GJK_POLYTOPE3_VERTICES)
#define GJK_NO_FACE UINT16_MAX

typedef struct gjk_edge2 {
    gjk_vec2 normal; /* unit, outward */
    double distance; /* of its line from the origin, along normal */
    uint16_t next, previous;
    bool alive;
} gjk_edge2;

typedef struct gjk_face3 {
    gjk_vec3 normal; /* unit, outward */
    double distance; /* of its plane from the origin, along normal */
    uint16_t vertex[3];
    uint16_t neighbour[3]; /* across the edge vertex[i] -> vertex[i + 1] */
    bool alive;
    bool visible; /* scratch of one insertion */
} gjk_face3;

struct gjk_polytope2 {
    uint32_t count;
    gjk_vertex2 vertex[GJK_POLYTOPE2_VERTICES];
    gjk_edge2 edge[GJK_POLYTOPE2_VERTICES];
};

struct gjk_polytope3 {
    uint32_t vertex_count, face_count, free_count;
    gjk_vertex3 vertex[GJK_POLYTOPE3_VERTICES];
    gjk_face3 face[GJK_POLYTOPE3_FACES];
    uint16_t free_face[GJK_POLYTOPE3_FACES];
    uint16_t fan[GJK_POLYTOPE3_VERTICES]; /* scratch: new face whose horizon edge starts there */
};

/* Starts with a triangle that is not collinear, a tetrahedron that is not coplanar (asserted). */
void gjk_polytope2_init(struct gjk_polytope2 *polytope, const gjk_vertex2 corners[3]);
void gjk_polytope3_init(struct gjk_polytope3 *polytope, const gjk_vertex3 corners[4]);

/* The edge or face whose line or plane is nearest the origin; the lowest index among equals. */
uint32_t gjk_polytope2_nearest_edge(const struct gjk_polytope2 *polytope);
uint32_t gjk_polytope3_nearest_face(const struct gjk_polytope3 *polytope);

/*
 * Grows the hull by a vertex seen from the given edge or face. Returns false, and changes
 * nothing, when the vertex does not lie strictly beyond it, or there is no room.
 */
bool gjk_polytope2_insert(struct gjk_polytope2 *polytope, const gjk_vertex2 *vertex, uint32_t edge);
bool gjk_polytope3_insert(struct gjk_polytope3 *polytope, const gjk_vertex3 *vertex, uint32_t face);

#endif
