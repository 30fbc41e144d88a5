/*
 * The incremental convex hull (Barber, Dobkin, Huhdanpaa, The Quickhull Algorithm, 1996): the
 * faces that a new vertex sees are replaced by a fan of faces from the closed loop of edges
 * around them (the horizon) to the vertex. Visibility is decided by the exact orientation
 * predicate, so that the horizon is always a simple cycle.
 */

#include "pair/polytope.h"

#include "base/predicate.h"
#include "pair/simplex.h"

static gjk_vec3 at(const struct gjk_polytope3 *p, uint32_t vertex) {
    return p->vertex[vertex].w;
}

static uint32_t take_face(struct gjk_polytope3 *p) {
    if (p->free_count > 0) {
        return p->free_face[--p->free_count];
    }
    GJK_CHECK(p->face_count < GJK_POLYTOPE3_FACES);
    return p->face_count++;
}

static void make_face(struct gjk_polytope3 *p, uint32_t index, const uint16_t vertex[3]) {
    gjk_face3 *f = &p->face[index];
    for (int i = 0; i < 3; i++) {
        f->vertex[i] = vertex[i];
    }
    const gjk_vec3 *corner = &p->vertex[vertex[0]].w;
    gjk_triangle_normal3(corner, &p->vertex[vertex[1]].w, &p->vertex[vertex[2]].w, &f->normal);
    f->distance = gjk_dot3(f->normal, *corner);
    f->alive = true;
    f->visible = false;
}

void gjk_polytope3_init(struct gjk_polytope3 *p, const gjk_vertex3 corners[4]) {
    static const uint16_t corner[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    static const uint16_t neighbour[4][3] = {{2, 3, 1}, {0, 3, 2}, {1, 3, 0}, {0, 2, 1}};
    int winding = gjk_orient3_sign(corners[0].w, corners[1].w, corners[2].w, corners[3].w);
    GJK_ASSERT(winding != 0);
    p->vertex_count = 4;
    p->face_count = 4;
    p->free_count = 0;
    for (int i = 0; i < 4; i++) {
        /* vertex 3 must see (0, 1, 2) counter-clockwise from the other side */
        p->vertex[i] = corners[winding < 0 && i < 2 ? 1 - i : i];
    }
    for (uint32_t i = 0; i < 4; i++) {
        make_face(p, i, corner[i]);
        for (int k = 0; k < 3; k++) {
            p->face[i].neighbour[k] = neighbour[i][k];
        }
    }
}

uint32_t gjk_polytope3_nearest_face(const struct gjk_polytope3 *p) {
    uint32_t best = GJK_NO_FACE;
    double nearest = INFINITY;
    for (uint32_t i = 0; i < p->face_count; i++) {
        if (p->face[i].alive && p->face[i].distance < nearest) {
            nearest = p->face[i].distance;
            best = i;
        }
    }
    return best;
}

static bool sees(const struct gjk_polytope3 *p, const gjk_face3 *f, gjk_vec3 from) {
    return gjk_orient3_sign(at(p, f->vertex[0]), at(p, f->vertex[1]), at(p, f->vertex[2]), from) >
           0;
}

/* Marks and lists all faces that see `from`, by a flood fill from one that does. */
static uint32_t flood(struct gjk_polytope3 *p, uint32_t start, gjk_vec3 from, uint16_t *list) {
    uint32_t count = 0;
    p->face[start].visible = true;
    list[count++] = (uint16_t)start;
    for (uint32_t next = 0; next < count; next++) {
        for (int k = 0; k < 3; k++) {
            uint16_t neighbour = p->face[list[next]].neighbour[k];
            gjk_face3 *f = &p->face[neighbour];
            if (!f->visible && sees(p, f, from)) {
                f->visible = true;
                GJK_CHECK(count < GJK_POLYTOPE3_FACES);
                list[count++] = neighbour;
            }
        }
    }
    return count;
}

/* Makes `face` the neighbour of `other` across the edge b -> a of `other`. */
static void join(struct gjk_polytope3 *p, uint32_t other, uint16_t b, uint32_t face) {
    gjk_face3 *f = &p->face[other];
    for (int k = 0; k < 3; k++) {
        if (f->vertex[k] == b) {
            f->neighbour[k] = (uint16_t)face;
        }
    }
}

/* Adds the face (a, b, new vertex) over the horizon edge a -> b of a face that is removed. */
static uint16_t add_fan_face(struct gjk_polytope3 *p, uint16_t a, uint16_t b, uint16_t beyond) {
    uint16_t face = (uint16_t)take_face(p);
    const uint16_t corner[3] = {a, b, (uint16_t)(p->vertex_count - 1)};
    make_face(p, face, corner);
    p->face[face].neighbour[0] = beyond;
    join(p, beyond, b, face);
    p->fan[a] = face;
    return face;
}

bool gjk_polytope3_insert(struct gjk_polytope3 *p, const gjk_vertex3 *vertex, uint32_t face) {
    if (p->vertex_count == GJK_POLYTOPE3_VERTICES || !sees(p, &p->face[face], vertex->w)) {
        return false;
    }
    uint16_t removed[GJK_POLYTOPE3_FACES], added[GJK_POLYTOPE3_FACES];
    uint32_t removed_count = flood(p, face, vertex->w, removed), added_count = 0;
    p->vertex[p->vertex_count++] = *vertex;
    for (uint32_t i = 0; i < removed_count; i++) {
        const gjk_face3 old = p->face[removed[i]];
        for (int k = 0; k < 3; k++) {
            if (!p->face[old.neighbour[k]].visible) {
                GJK_CHECK(added_count < GJK_POLYTOPE3_FACES);
                added[added_count++] =
                    add_fan_face(p, old.vertex[k], old.vertex[(k + 1) % 3], old.neighbour[k]);
            }
        }
    }
    for (uint32_t i = 0; i < added_count; i++) {
        gjk_face3 *f = &p->face[added[i]];
        uint16_t next = p->fan[f->vertex[1]]; /* starts where f's horizon edge ends */
        f->neighbour[1] = next;
        p->face[next].neighbour[2] = added[i];
    }
    for (uint32_t i = 0; i < removed_count; i++) {
        p->face[removed[i]].alive = false;
        p->face[removed[i]].visible = false;
        GJK_CHECK(p->free_count < GJK_POLYTOPE3_FACES);
        p->free_face[p->free_count++] = removed[i];
    }
    return true;
}
