#ifndef GJK_PAIR_POLYTOPE3_H
#define GJK_PAIR_POLYTOPE3_H

#include "gjk/pair.h"
#include "pair/frame.h"

/*
 * A convex polytope that grows by one vertex at a time: triangles wound
 * counter-clockwise from outside, each knowing its three neighbours. Orientation
 * is decided exactly, so the polytope is the true convex hull of its vertices'
 * doubles, however flat or thin: no face is ever lost, duplicated or inverted.
 */

#define GJK_POLYTOPE3_VERTICES (GJK_ITERATIONS_MAX + 4)
/* A hull of V vertices has 2 V - 4 faces; an insertion makes up to V before it frees any. */
#define GJK_POLYTOPE3_FACES (3 * GJK_POLYTOPE3_VERTICES)
#define GJK_NO_FACE UINT16_MAX

typedef struct gjk_face3 {
    gjk_vec3 normal; /* unit, outward */
    double distance; /* of its plane from the origin, along normal */
    uint16_t vertex[3];
    uint16_t neighbour[3]; /* across the edge vertex[i] -> vertex[i + 1] */
    bool alive;
    bool visible; /* scratch of one insertion */
} gjk_face3;

/* In the caller's storage, which needs no initialisation. */
struct gjk_polytope3 {
    uint32_t vertex_count, face_count, free_count;
    gjk_vertex3 vertex[GJK_POLYTOPE3_VERTICES];
    gjk_face3 face[GJK_POLYTOPE3_FACES];
    uint16_t free_face[GJK_POLYTOPE3_FACES];
    uint16_t fan[GJK_POLYTOPE3_VERTICES]; /* scratch: new face whose horizon edge starts there */
};

/* Starts with the tetrahedron of four vertices that are not coplanar (asserted). */
void gjk_polytope3_init(struct gjk_polytope3 *polytope, const gjk_vertex3 corners[4]);

/* The face whose plane is nearest the origin; the lowest index among equals. */
uint32_t gjk_polytope3_nearest_face(const struct gjk_polytope3 *polytope);

/*
 * Grows the hull by a vertex seen from the given face. False, and nothing changed,
 * when the vertex does not lie strictly beyond that face, or there is no room.
 */
bool gjk_polytope3_insert(struct gjk_polytope3 *polytope, const gjk_vertex3 *vertex, uint32_t face);

#endif
