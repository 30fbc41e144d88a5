/*
 * The incremental convex hull (Barber, Dobkin, Huhdanpaa, The Quickhull Algorithm, 1996): the faces
 * that a new vertex sees are replaced by a fan of faces from the closed loop of edges around them
 * (the horizon) to the vertex. The rounded plane decides visibility where it is certain, else the
 * exact orientation predicate, so that the horizon is always a simple cycle. The outcome for each
 * face is unpredictable, so it is selected without branches.
 */

#include "pair/epa/polytope.h"

#include <string.h>

#include "base/predicate.h"
#include "pair/gjk/simplex.h"
#include "shape/convex/scan.h"

/*
 * Error of a point's distance from a rounded plane, relative to the scale. Points of a - b have
 * coordinates up to 3 scale, so two of them are less than 11 scale apart. The cross product of the
 * edges errs by at most 70 units of 2^-53 of its length (simplex3.c: sines above 0.1, else
 * double-double), the unit normal by three more, both products with it by seven of 11 scale.
 */
#define PLANE_ERROR 0x1p-42

/* Error of a point's distance from a face's corner along the normal, relative to the sum of the
 * components' magnitudes: the error of the normal, and four units more. */
#define WAY_ERROR 0x1p-46

static gjk_vec3 at(const struct gjk_polytope3 *p, uint32_t vertex) {
    return p->vertex[vertex].w;
}

static uint32_t take_face(struct gjk_polytope3 *p) {
    if (p->free_count > 0) {
        return p->free_face[--p->free_count];
    }
    GJK_CHECK(p->face_count < GJK_POLYTOPE3_FACES_OF(p->vertices_max));
    if (p->face_count % GJK_LANES == 0) {
        for (uint32_t i = 0; i < GJK_LANES; i++) {
            p->distance[p->face_count + i] = INFINITY;
        }
    }
    return p->face_count++;
}

static inline void make_face(struct gjk_polytope3 *p, uint32_t index, uint16_t a, uint16_t b,
                             uint16_t c) {
    gjk_face3 *f = &p->face[index];
    const gjk_vec3 *corner = &p->vertex[a].w;
    const bool is_certain =
        gjk_triangle_normal3(corner, &p->vertex[b].w, &p->vertex[c].w, &f->normal);
    f->vertex[0] = a;
    f->vertex[1] = b;
    f->vertex[2] = c;
    f->distance = gjk_dot3(f->normal, *corner);
    f->slack = is_certain ? p->slack : INFINITY;
    f->seen_by = 0;
    p->distance[index] = f->distance;
}

void gjk_polytope3_init(struct gjk_polytope3 *p, const gjk_vertex3 corners[4], double scale) {
    static const uint16_t corner[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    static const uint16_t neighbour[4][3] = {{2, 3, 1}, {0, 3, 2}, {1, 3, 0}, {0, 2, 1}};
    int winding = gjk_orient3_sign(corners[0].w, corners[1].w, corners[2].w, corners[3].w);
    GJK_ASSERT(winding != 0);
    p->vertex_count = 4;
    p->face_count = p->free_count = p->ridge_count = 0;
    p->slack = PLANE_ERROR * scale;
    for (int i = 0; i < 4; i++) {
        /* Vertex 3 must see (0, 1, 2) counter-clockwise from the other side. */
        p->vertex[i] = corners[winding < 0 && i < 2 ? 1 - i : i];
    }
    for (uint32_t i = 0; i < 4; i++) {
        make_face(p, take_face(p), corner[i][0], corner[i][1], corner[i][2]);
        memcpy(p->face[i].neighbour, neighbour[i], sizeof neighbour[i]);
    }
}

void gjk_polytope3_move(const struct gjk_polytope3 *from, struct gjk_polytope3 *to) {
    GJK_CHECK(from->vertices_max <= to->vertices_max);
    to->vertex_count = from->vertex_count;
    to->face_count = from->face_count;
    to->free_count = from->free_count;
    to->ridge_count = 0;
    to->slack = from->slack;
    memcpy(to->vertex, from->vertex, from->vertex_count * sizeof *from->vertex);
    memcpy(to->face, from->face, from->face_count * sizeof *from->face);
    memcpy(to->free_face, from->free_face, from->free_count * sizeof *from->free_face);
    memcpy(to->distance, from->distance, (from->face_count + GJK_LANES) * sizeof *from->distance);
}

uint32_t gjk_polytope3_nearest_face(const struct gjk_polytope3 *p) {
    return gjk_scans_fastest()->least(p->distance, p->face_count);
}

/* Returns true if the ray passes the edge from a to b on the inner side of a face, exactly. */
static bool passes(gjk_vec3 ray, gjk_vec3 a, gjk_vec3 b) {
    return gjk_orient3_sign((gjk_vec3){0, 0, 0}, ray, a, b) >= 0;
}

static bool is_pierced(const struct gjk_polytope3 *p, uint32_t index, gjk_vec3 ray) {
    const gjk_face3 *face = &p->face[index];
    const gjk_vec3 a = at(p, face->vertex[0]), b = at(p, face->vertex[1]);
    const gjk_vec3 c = at(p, face->vertex[2]);
    return gjk_dot3(face->normal, ray) > 0.0 && passes(ray, a, b) && passes(ray, b, c) &&
           passes(ray, c, a);
}

/* Returns the face whose plane the ray reaches first, in rounded arithmetic. */
static uint32_t first_plane(const struct gjk_polytope3 *p, gjk_vec3 ray) {
    uint32_t first = 0;
    double most = -INFINITY;
    for (uint32_t i = 0; i < p->face_count; i++) {
        const double nearness =
            gjk_dot3(p->face[i].normal, ray) / p->distance[i]; /* 0 for a removed face */
        first = nearness > most ? i : first;
        most = nearness > most ? nearness : most;
    }
    return first;
}

uint32_t gjk_polytope3_pierced_face(const struct gjk_polytope3 *p, gjk_vec3 ray) {
    const uint32_t first = first_plane(p, ray);
    if (p->distance[first] < INFINITY && is_pierced(p, first, ray)) {
        return first;
    }
    for (uint32_t i = 0; i < p->face_count; i++) {
        if (p->distance[i] < INFINITY && is_pierced(p, i, ray)) {
            return i;
        }
    }
    return GJK_NO_FACE;
}

uint32_t gjk_polytope3_pierced_new_face(const struct gjk_polytope3 *p, gjk_vec3 ray) {
    for (uint32_t i = 0; i < p->ridge_count; i++) {
        const uint16_t face = p->fan[p->ridge[i].from];
        if (is_pierced(p, face, ray)) {
            return face;
        }
    }
    return GJK_NO_FACE;
}

/* Decides visibility near the plane: by a more accurate distance, then exactly. */
static bool sees_closely(const struct gjk_polytope3 *p, const gjk_face3 *f, gjk_vec3 from) {
    const gjk_vec3 way = gjk_sub3(from, at(p, f->vertex[0]));
    const double above = gjk_dot3(f->normal, way);
    if (f->slack < INFINITY &&
        fabs(above) > WAY_ERROR * (fabs(way.x) + fabs(way.y) + fabs(way.z))) {
        return above > 0.0;
    }
    return gjk_orient3_sign(at(p, f->vertex[0]), at(p, f->vertex[1]), at(p, f->vertex[2]), from) >
           0;
}

static inline bool sees(const struct gjk_polytope3 *p, const gjk_face3 *f, gjk_vec3 from) {
    const double above = gjk_dot3(f->normal, from) - f->distance;
    bool is_visible = above > 0.0;
    if (!(fabs(above) > f->slack)) {
        is_visible = sees_closely(p, f, from);
    }
    return is_visible;
}

/* Lists all faces that see `from`, by a flood fill from one that does, and the edges around them.
 * Returns the number of faces. Both lists are written one element past their ends. */
static uint32_t flood(struct gjk_polytope3 *p, uint32_t start, gjk_vec3 from) {
    const uint32_t mark = p->vertex_count, faces_max = GJK_POLYTOPE3_FACES_OF(p->vertices_max);
    uint16_t *visible = p->visible;
    gjk_ridge3 *ridge = p->ridge;
    uint32_t count = 0, ridges = 0;
    p->face[start].seen_by = mark;
    visible[count++] = (uint16_t)start;
    for (uint32_t next = 0; next < count; next++) {
        const gjk_face3 *here = &p->face[visible[next]];
        for (int k = 0; k < 3; k++) {
            const uint16_t neighbour = here->neighbour[k];
            gjk_face3 *f = &p->face[neighbour];
            const uint32_t is_visible = sees(p, f, from), is_new = f->seen_by != mark;
            visible[count] = neighbour;
            ridge[ridges].from = here->vertex[k];
            ridge[ridges].to = here->vertex[k < 2 ? k + 1 : 0];
            ridge[ridges].beyond = neighbour;
            f->seen_by = (mark & (0 - is_visible)) | (f->seen_by & (is_visible - 1));
            count += is_visible & is_new;
            ridges += is_visible ^ 1;
        }
        GJK_CHECK(count <= faces_max - 3 && ridges <= p->vertices_max);
    }
    p->ridge_count = ridges;
    return count;
}

/* Makes the face (from, to, new vertex) over a ridge and links it with the face beyond. */
static inline void add_fan_face(struct gjk_polytope3 *p, const gjk_ridge3 *ridge, uint16_t apex) {
    const uint16_t face = (uint16_t)take_face(p);
    gjk_face3 *beyond = &p->face[ridge->beyond];
    make_face(p, face, ridge->from, ridge->to, apex);
    p->face[face].neighbour[0] = ridge->beyond;
    for (int k = 0; k < 3; k++) { /* across its edge from `to` to `from` */
        const bool is_it = beyond->vertex[k] == ridge->to;
        beyond->neighbour[k] = is_it ? face : beyond->neighbour[k];
    }
    p->fan[ridge->from] = face;
}

bool gjk_polytope3_insert(struct gjk_polytope3 *p, uint32_t face) {
    const gjk_vec3 from = p->vertex[p->vertex_count].w;
    if (gjk_polytope3_is_full(p) || !sees(p, &p->face[face], from)) {
        return false;
    }
    const uint32_t removed = flood(p, face, from);
    const uint16_t apex = (uint16_t)p->vertex_count++;
    for (uint32_t i = 0; i < p->ridge_count; i++) {
        add_fan_face(p, &p->ridge[i], apex);
    }
    for (uint32_t i = 0; i < p->ridge_count; i++) {
        const uint16_t here = p->fan[p->ridge[i].from];
        const uint16_t next = p->fan[p->ridge[i].to]; /* across the edge from `to` to the apex */
        p->face[here].neighbour[1] = next;
        p->face[next].neighbour[2] = here;
    }
    for (uint32_t i = 0; i < removed; i++) {
        p->distance[p->visible[i]] = INFINITY;
        GJK_CHECK(p->free_count < GJK_POLYTOPE3_FACES_OF(p->vertices_max));
        p->free_face[p->free_count++] = p->visible[i];
    }
    return true;
}
