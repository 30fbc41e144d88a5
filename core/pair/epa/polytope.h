#ifndef GJK_PAIR_EPA_POLYTOPE_H
#define GJK_PAIR_EPA_POLYTOPE_H

#include "gjk/pair.h"
#include "pair/frame.h"

/*
 * The polytopes of EPA, which grow by one vertex at a time: in 2D a counter-clockwise ring of
 * vertices, where edge i goes from vertex i to vertex next[i]; in 3D triangles, counter-clockwise
 * seen from outside, each with its three neighbours. Orientation is exact, so the polytope is the
 * true convex hull of its vertices' doubles, however flat or thin: no face is ever lost, duplicated
 * or inverted. Both are in the caller's storage, which needs no initialisation. The 3D storage
 * comes in two sizes, because setting up a stack frame for a thousand vertices takes longer than
 * most queries.
 */

/* Vertices reserved for after the iterations, where a ray leaves the polytope. */
#define GJK_POLYTOPE_EXIT_MAX 160

#define GJK_POLYTOPE2_VERTICES (GJK_ITERATIONS_MAX + GJK_POLYTOPE_EXIT_MAX + 3)
#define GJK_POLYTOPE3_VERTICES (GJK_ITERATIONS_MAX + GJK_POLYTOPE_EXIT_MAX + 4)
#define GJK_POLYTOPE3_FEW (GJK_POLYTOPE_EXIT_MAX + 64) /* vertices of the small storage */
/* A hull of V vertices has 2 V - 4 faces; an insertion adds up to V before it frees any. */
#define GJK_POLYTOPE3_FACES_OF(vertices) (3 * (vertices))
#define GJK_NO_FACE UINT16_MAX

typedef struct gjk_edge2 {
    gjk_vec2 normal; /* unit, outward */
    double distance; /* distance of its line from the origin, along normal */
    uint16_t next, previous;
    bool alive;
} gjk_edge2;

typedef struct gjk_face3 {
    _Alignas(64) gjk_vec3 normal; /* unit, outward */
    double distance;              /* distance of its plane from the origin, along normal */
    /* A point farther than this from the rounded plane is certainly on the side where it seems to
     * be; INFINITY: never certain. */
    double slack;
    uint16_t vertex[3];
    uint16_t neighbour[3]; /* across the edge from vertex[i] to the next */
    uint32_t seen_by;      /* the newest vertex that has seen this face, or 0 */
} gjk_face3;

/* A directed edge of an insertion's horizon: its face is removed, the face `beyond` stays. */
typedef struct gjk_ridge3 {
    uint16_t from, to, beyond;
} gjk_ridge3;

struct gjk_polytope2 {
    uint32_t count;
    gjk_vertex2 vertex[GJK_POLYTOPE2_VERTICES];
    gjk_edge2 edge[GJK_POLYTOPE2_VERTICES];
};

struct gjk_polytope3 {
    uint32_t vertex_count, face_count, free_count, ridge_count;
    uint32_t vertices_max; /* capacity; for faces three times as many */
    double slack;          /* slack of faces whose normals have all digits */
    double *distance;      /* distance of each face; INFINITY: removed or unused */
    gjk_face3 *face;
    gjk_vertex3 *vertex;
    gjk_ridge3 *ridge; /* horizon of the last insertion; `fan` has its new faces */
    uint16_t *free_face;
    uint16_t *visible; /* scratch list of one insertion */
    uint16_t *fan;     /* for each vertex, the new face whose ridge starts there */
};

/* Storage for a polytope of that many vertices, and its assignment to a polytope. */
#define GJK_POLYTOPE3_STORAGE(vertices)                                             \
    struct {                                                                        \
        _Alignas(64) double distance[GJK_POLYTOPE3_FACES_OF(vertices) + GJK_LANES]; \
        gjk_face3 face[GJK_POLYTOPE3_FACES_OF(vertices)];                           \
        gjk_vertex3 vertex[(vertices) + 1];                                         \
        gjk_ridge3 ridge[(vertices) + 3];                                           \
        uint16_t free_face[GJK_POLYTOPE3_FACES_OF(vertices)];                       \
        uint16_t visible[GJK_POLYTOPE3_FACES_OF(vertices)];                         \
        uint16_t fan[vertices];                                                     \
    }
#define GJK_POLYTOPE3_USE(polytope, storage, vertices)                                   \
    ((polytope)->vertices_max = (vertices), (polytope)->distance = (storage)->distance,  \
     (polytope)->face = (storage)->face, (polytope)->vertex = (storage)->vertex,         \
     (polytope)->ridge = (storage)->ridge, (polytope)->free_face = (storage)->free_face, \
     (polytope)->visible = (storage)->visible, (polytope)->fan = (storage)->fan)

/* Initialise the polytope with a triangle that is not collinear, or a tetrahedron that is not
 * coplanar (asserted). `scale` is that of the frame. */
void gjk_polytope2_init(struct gjk_polytope2 *polytope, const gjk_vertex2 corners[3]);
void gjk_polytope3_init(struct gjk_polytope3 *polytope, const gjk_vertex3 corners[4], double scale);

/* Copies *from to *to, which has larger storage. */
void gjk_polytope3_move(const struct gjk_polytope3 *from, struct gjk_polytope3 *to);

static inline bool gjk_polytope3_is_full(const struct gjk_polytope3 *polytope) {
    return polytope->vertex_count == polytope->vertices_max;
}

/* Return the edge or face whose line or plane is nearest the origin, the lowest index among
 * equals. */
uint32_t gjk_polytope2_nearest_edge(const struct gjk_polytope2 *polytope);
uint32_t gjk_polytope3_nearest_face(const struct gjk_polytope3 *polytope);

/* Return the edge or face through which the ray from the origin leaves the polytope, or GJK_NO_FACE
 * if the origin is not inside. */
uint32_t gjk_polytope2_pierced_edge(const struct gjk_polytope2 *polytope, gjk_vec2 ray);
uint32_t gjk_polytope3_pierced_face(const struct gjk_polytope3 *polytope, gjk_vec3 ray);

/* Returns the pierced face if the ray pierced a face that the last insertion replaced. */
uint32_t gjk_polytope3_pierced_new_face(const struct gjk_polytope3 *polytope, gjk_vec3 ray);

/* Grow the hull by a vertex that sees the given edge or face; in 3D by the vertex stored where
 * gjk_polytope3_next points. Return false, without a change, if the vertex is not strictly beyond
 * it or there is no room. */
static inline gjk_vertex3 *gjk_polytope3_next(const struct gjk_polytope3 *polytope) {
    return &polytope->vertex[polytope->vertex_count];
}
bool gjk_polytope2_insert(struct gjk_polytope2 *polytope, const gjk_vertex2 *vertex, uint32_t edge);
bool gjk_polytope3_insert(struct gjk_polytope3 *polytope, uint32_t face);

#endif
