/*
 * Quickhull (Barber, Dobkin, Huhdanpaa, The Quickhull Algorithm for Convex Hulls, 1996): every
 * point outside is listed at one face that sees it. The farthest point of a face is added: all
 * faces that it sees are replaced by the cone over their horizon, and the points listed there are
 * distributed over the new faces. Faces are processed in the order in which they were made; going
 * deep on one side first makes long fans and quadratic time.
 *
 * Deviation: the paper merges facets to survive rounding. Here "sees" is an exact sign, strictly
 * positive. A point that is strictly outside then sees the same faces as one moved a little
 * towards the inside, which is in general position. So the seen faces form a disk, no new face is
 * degenerate, and every point still outside is seen by a new face. Coplanar neighbours are not
 * merged; at the end the corners of the hull are those where three edges that are not flat meet.
 * Distances are rounded: they only choose the next point.
 */

#include "shape/quickhull3.h"

#include <string.h>

typedef struct face {
    uint32_t vertex[3];
    uint32_t neighbour[3]; /* across the edge from vertex[i] to vertex[i + 1] */
    uint32_t waiting;      /* the farthest of the points that wait here, or GJK_NO_POINT */
    bool alive;
    bool seen;   /* by the point being added */
    bool queued; /* belongs to the slot, not to the face in it */
    double farthest;
} face;

/* An edge of the horizon, and the face that stays beyond it. */
typedef struct ridge {
    uint32_t start, end;
    uint32_t beyond;
} ridge;

/* A hull of V corners has at most 2 V - 4 faces and a horizon of at most V ridges;
 * seen faces are freed before new ones are made. That bounds all lists. */
typedef struct builder {
    const gjk_cloud3 *cloud;
    uint32_t face_capacity; /* of faces, free_slots, queue and seen */
    face *faces;
    uint32_t slots_used;
    uint32_t *free_slots; /* a stack */
    uint32_t free_count;
    uint32_t *queue; /* a ring of slots where points may wait, each at most once */
    uint32_t queue_first, queue_count;
    uint32_t *seen; /* faces seen by the point being added */
    uint32_t seen_count;
    ridge *horizon; /* this and the following: one item a point */
    uint32_t horizon_count;
    uint32_t *fresh;        /* the new faces, in the order of the horizon */
    uint32_t *starting;     /* by vertex: the new face whose ridge starts there */
    uint32_t *next_waiting; /* by point: links those that wait at one face */
} builder;

static bool builder_init(builder *b, struct gjk_arena *arena, const gjk_cloud3 *cloud) {
    uint32_t count = cloud->count;
    *b = (builder){.cloud = cloud, .face_capacity = 2 * count};
    b->faces = gjk_arena_alloc_array(arena, b->face_capacity, sizeof *b->faces);
    b->free_slots = gjk_arena_alloc_array(arena, b->face_capacity, sizeof *b->free_slots);
    b->queue = gjk_arena_alloc_array(arena, b->face_capacity, sizeof *b->queue);
    b->seen = gjk_arena_alloc_array(arena, b->face_capacity, sizeof *b->seen);
    b->horizon = gjk_arena_alloc_array(arena, count, sizeof *b->horizon);
    b->fresh = gjk_arena_alloc_array(arena, count, sizeof *b->fresh);
    b->starting = gjk_arena_alloc_array(arena, count, sizeof *b->starting);
    b->next_waiting = gjk_arena_alloc_array(arena, count, sizeof *b->next_waiting);
    return b->faces != NULL && b->free_slots != NULL && b->queue != NULL && b->seen != NULL &&
           b->horizon != NULL && b->fresh != NULL && b->starting != NULL && b->next_waiting != NULL;
}

static uint32_t add_face(builder *b, uint32_t u, uint32_t v, uint32_t w) {
    uint32_t slot;
    bool queued = false;
    if (b->free_count > 0) {
        slot = b->free_slots[--b->free_count];
        queued = b->faces[slot].queued;
    } else {
        slot = b->slots_used++;
    }
    GJK_CHECK(slot < b->face_capacity);
    b->faces[slot] =
        (face){.vertex = {u, v, w}, .waiting = GJK_NO_POINT, .alive = true, .queued = queued};
    return slot;
}

/* Lists a point at a face that it sees, the farthest one first. */
static void wait_at(builder *b, face *f, uint32_t point, double distance) {
    if (f->waiting == GJK_NO_POINT || distance > f->farthest) {
        b->next_waiting[point] = f->waiting;
        f->waiting = point;
        f->farthest = distance;
    } else {
        b->next_waiting[point] = b->next_waiting[f->waiting];
        b->next_waiting[f->waiting] = point;
    }
}

/* Lists each point of a list at the first of some faces that it sees; inner points are dropped. */
static void share_out(builder *b, uint32_t list, const uint32_t *faces, uint32_t face_count) {
    while (list != GJK_NO_POINT) {
        uint32_t point = list;
        list = b->next_waiting[point];
        for (uint32_t i = 0; i < face_count; i++) {
            double distance;
            face *f = &b->faces[faces[i]];
            if (gjk_cloud3_side(b->cloud, f->vertex, point, &distance) > 0) {
                wait_at(b, f, point, distance);
                break;
            }
        }
    }
    for (uint32_t i = 0; i < face_count; i++) {
        face *f = &b->faces[faces[i]];
        if (f->waiting != GJK_NO_POINT && !f->queued) {
            f->queued = true;
            b->queue[(b->queue_first + b->queue_count++) % b->face_capacity] = faces[i];
        }
    }
}

/* Finds all faces that a point sees, one of which is `first`, and their horizon. */
static void find_horizon(builder *b, uint32_t first, uint32_t point) {
    double distance;

    b->horizon_count = 0;
    b->seen_count = 0;
    b->faces[first].seen = true;
    b->seen[b->seen_count++] = first;
    for (uint32_t i = 0; i < b->seen_count; i++) {
        const face *f = &b->faces[b->seen[i]];
        for (uint32_t e = 0; e < 3; e++) {
            face *g = &b->faces[f->neighbour[e]];
            if (g->seen) {
                continue;
            }
            if (gjk_cloud3_side(b->cloud, g->vertex, point, &distance) > 0) {
                g->seen = true;
                b->seen[b->seen_count++] = f->neighbour[e];
            } else {
                GJK_CHECK(b->horizon_count < b->cloud->count);
                b->horizon[b->horizon_count++] =
                    (ridge){f->vertex[e], f->vertex[(e + 1) % 3], f->neighbour[e]};
            }
        }
    }
}

/* Frees the seen faces. Returns the list of the points that waited there, without `point`. */
static uint32_t remove_seen(builder *b, uint32_t point) {
    uint32_t orphans = GJK_NO_POINT;
    for (uint32_t i = 0; i < b->seen_count; i++) {
        face *f = &b->faces[b->seen[i]];
        for (uint32_t next, waiting = f->waiting; waiting != GJK_NO_POINT; waiting = next) {
            next = b->next_waiting[waiting];
            if (waiting != point) {
                b->next_waiting[waiting] = orphans;
                orphans = waiting;
            }
        }
        f->alive = false;
        b->free_slots[b->free_count++] = b->seen[i];
    }
    return orphans;
}

/* Closes the hole with the cone from `point` over the horizon. */
static void add_cone(builder *b, uint32_t point) {
    for (uint32_t i = 0; i < b->horizon_count; i++) {
        const ridge *r = &b->horizon[i];
        b->fresh[i] = add_face(b, r->start, r->end, point);
        b->starting[r->start] = b->fresh[i];
    }
    for (uint32_t i = 0; i < b->horizon_count; i++) {
        const ridge *r = &b->horizon[i];
        uint32_t left = b->fresh[i], right = b->starting[r->end];
        face *beyond = &b->faces[r->beyond];
        uint32_t e = beyond->vertex[0] == r->end ? 0 : beyond->vertex[1] == r->end ? 1 : 2;
        GJK_ASSERT(beyond->vertex[e] == r->end && beyond->vertex[(e + 1) % 3] == r->start);
        beyond->neighbour[e] = left;
        b->faces[left].neighbour[0] = r->beyond;
        b->faces[left].neighbour[1] = right;
        b->faces[right].neighbour[2] = left;
    }
}

static void grow(builder *b) {
    while (b->queue_count > 0) {
        uint32_t slot = b->queue[b->queue_first];
        b->queue_first = (b->queue_first + 1) % b->face_capacity;
        b->queue_count--;
        b->faces[slot].queued = false;
        if (!b->faces[slot].alive || b->faces[slot].waiting == GJK_NO_POINT) {
            continue;
        }
        uint32_t point = b->faces[slot].waiting;
        find_horizon(b, slot, point);
        uint32_t orphans = remove_seen(b, point);
        add_cone(b, point);
        share_out(b, orphans, b->fresh, b->horizon_count);
    }
}

/* The tetrahedron a b c d, where d lies behind a b c, and the points outside it. */
static void begin(builder *b, const uint32_t corner[4]) {
    static const uint32_t vertices[4][3] = {{0, 1, 2}, {1, 0, 3}, {2, 1, 3}, {0, 2, 3}};
    static const uint32_t neighbours[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t *v = vertices[i];
        b->fresh[i] = add_face(b, corner[v[0]], corner[v[1]], corner[v[2]]);
        for (uint32_t e = 0; e < 3; e++) {
            b->faces[b->fresh[i]].neighbour[e] = neighbours[i][e];
        }
    }
    for (uint32_t i = 0; i < b->cloud->count; i++) {
        b->next_waiting[i] = i + 1 < b->cloud->count ? i + 1 : GJK_NO_POINT;
    }
    share_out(b, 0, b->fresh, 4);
}

/* Copies the faces out and marks the vertices where three edges that are not flat meet. */
static gjk_status mark_solid(const builder *b, struct gjk_arena *arena, uint8_t *marks,
                             gjk_hull3 *out) {
    out->triangles = gjk_arena_alloc_array(arena, b->slots_used, sizeof *out->triangles);
    uint8_t *edges = gjk_arena_alloc_array(arena, b->cloud->count, sizeof *edges);
    if (out->triangles == NULL || edges == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    memset(edges, 0, b->cloud->count);
    for (uint32_t i = 0; i < b->slots_used; i++) {
        const face *f = &b->faces[i];
        if (!f->alive) {
            continue;
        }
        memcpy(out->triangles[out->triangle_count++], f->vertex, sizeof f->vertex);
        for (uint32_t e = 0; e < 3; e++) {
            /* Each edge is met from both sides; counted is the end where it starts. */
            const face *g = &b->faces[f->neighbour[e]];
            uint32_t v = f->vertex[e], w = f->vertex[(e + 1) % 3];
            uint32_t opposite = g->vertex[0] != v && g->vertex[0] != w   ? g->vertex[0]
                                : g->vertex[1] != v && g->vertex[1] != w ? g->vertex[1]
                                                                         : g->vertex[2];
            double distance;
            if (edges[v] < 3 && gjk_cloud3_side(b->cloud, f->vertex, opposite, &distance) != 0) {
                edges[v]++;
                marks[v] = edges[v] == 3;
            }
        }
    }
    return GJK_OK;
}

gjk_status gjk_quickhull3(struct gjk_arena *arena, const gjk_cloud3 *cloud, const uint32_t start[4],
                          uint8_t *marks, gjk_hull3 *out) {
    builder b;
    if (!builder_init(&b, arena, cloud)) {
        return GJK_OUT_OF_MEMORY;
    }
    begin(&b, start);
    grow(&b);
    return mark_solid(&b, arena, marks, out);
}
