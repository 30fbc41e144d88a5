/*
 * Quickhull (Barber, Dobkin, Huhdanpaa, The Quickhull Algorithm for Convex Hulls, 1996): each point
 * outside the hull waits at one face that sees it. The farthest point of a face is added: all faces
 * that it sees are replaced by the cone over their horizon, and the points waiting there are
 * distributed over the new faces. Faces are processed first in, first out; depth-first order makes
 * long fans and quadratic time.
 *
 * Some inputs take quadratic time in any such order: each farthest point sees most of the faces. So
 * once the work exceeds a multiple of the number of points, the waiting points are added in random
 * order, which takes expected O(n log n) time for any input (Clarkson and Shor, Applications of
 * random sampling in computational geometry II, 1989). The seed is a hash of all coordinates:
 * deterministic, but hard for an adversary to choose. The face of a large cone at which a point
 * waits is found by bisection.
 *
 * Deviation: the paper merges facets to survive rounding. Here "sees" is an exact sign, strictly
 * positive. A point strictly outside sees the same faces as one moved slightly inward, which is in
 * general position. So the seen faces form a disk, no new face is degenerate, and every point still
 * outside is seen by a new face. Coplanar neighbours are not merged; the corners of the hull are
 * the vertices where at least three non-flat edges meet. Distances are rounded: they only choose
 * the next point.
 */

#include "shape/convex/hull.h"

#include <string.h>

#include "gjk/budget.h"

#define NO_FACE UINT32_MAX

/* Number of faces up to which a cone is searched linearly. */
#define CONE_SMALL 8

typedef struct face {
    uint32_t vertex[3];
    uint32_t neighbour[3]; /* across the edge from vertex[i] to vertex[i + 1] */
    uint32_t waiting;      /* the farthest of the points that wait here, or GJK_NO_POINT */
    bool alive;
    bool seen;   /* by the point being added */
    bool queued; /* belongs to the slot and outlives the face in it */
    double farthest;
} face;

/* An edge of the horizon, with the face beyond it that stays. */
typedef struct ridge {
    uint32_t start, end;
    uint32_t beyond;
} ridge;

/* A hull of V corners has at most 2 V - 4 faces and a horizon of at most V ridges; seen faces are
 * freed before new ones are made. This bounds all lists. */
typedef struct builder {
    const gjk_cloud3 *cloud;
    uint32_t face_capacity; /* of faces, free_slots, queue and seen */
    face *faces;
    uint32_t slots_used;
    uint32_t *free_slots; /* a stack */
    uint32_t free_count;
    uint32_t *queue; /* ring buffer of slots where points may wait, without duplicates */
    uint32_t queue_first, queue_count;
    uint32_t *seen; /* faces seen by the point being added */
    uint32_t seen_count;
    ridge *horizon; /* this and the following arrays: one item per point */
    uint32_t horizon_count;
    uint32_t *fresh;        /* the new faces; those of a cone in order around its apex */
    uint32_t *starting;     /* by vertex: the new face whose ridge starts there */
    uint32_t *next_waiting; /* by point: links the points that wait at one face */
    uint32_t *waits_at;     /* by point: that face, or NO_FACE */
    uint64_t sides;         /* side tests done; sides_spent of them are charged */
    uint64_t sides_spent;
    gjk_budget *budget;
} builder;

static bool builder_init(builder *b, struct gjk_arena *arena, const gjk_cloud3 *cloud) {
    uint32_t count = cloud->count;
    *b = (builder){.cloud = cloud, .face_capacity = 2 * count, .budget = arena->budget};
    b->faces = gjk_arena_alloc_array(arena, b->face_capacity, sizeof *b->faces);
    b->free_slots = gjk_arena_alloc_array(arena, b->face_capacity, sizeof *b->free_slots);
    b->queue = gjk_arena_alloc_array(arena, b->face_capacity, sizeof *b->queue);
    b->seen = gjk_arena_alloc_array(arena, b->face_capacity, sizeof *b->seen);
    b->horizon = gjk_arena_alloc_array(arena, count, sizeof *b->horizon);
    b->fresh = gjk_arena_alloc_array(arena, count, sizeof *b->fresh);
    b->starting = gjk_arena_alloc_array(arena, count, sizeof *b->starting);
    b->next_waiting = gjk_arena_alloc_array(arena, count, sizeof *b->next_waiting);
    b->waits_at = gjk_arena_alloc_array(arena, count, sizeof *b->waits_at);
    return b->faces != NULL && b->free_slots != NULL && b->queue != NULL && b->seen != NULL &&
           b->horizon != NULL && b->fresh != NULL && b->starting != NULL &&
           b->next_waiting != NULL && b->waits_at != NULL;
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

/* Charges the side tests since the last call. Returns true if the budget is spent. */
static bool spend_sides(builder *b) {
    const uint64_t fresh = b->sides - b->sides_spent;
    b->sides_spent = b->sides;
    return gjk_budget_spend(b->budget, (uint32_t)fresh);
}

/* Returns the side of a face on which a point is, and counts the test. */
static inline int side_of(builder *b, const uint32_t triangle[3], uint32_t point,
                          double *distance) {
    b->sides++;
    return gjk_cloud3_side(b->cloud, triangle, point, distance);
}

static bool sees(builder *b, uint32_t slot, uint32_t point, double *distance) {
    return side_of(b, b->faces[slot].vertex, point, distance) > 0;
}

/* Lists a point at a face that sees it, keeping the farthest one first. */
static void wait_at(builder *b, uint32_t slot, uint32_t point, double distance) {
    face *f = &b->faces[slot];
    b->waits_at[point] = slot;
    if (f->waiting == GJK_NO_POINT || distance > f->farthest) {
        b->next_waiting[point] = f->waiting;
        f->waiting = point;
        f->farthest = distance;
    } else {
        b->next_waiting[point] = b->next_waiting[f->waiting];
        b->next_waiting[f->waiting] = point;
    }
}

/* Returns the first of the new faces from begin to end that a point sees, or NO_FACE. */
static uint32_t search_all(builder *b, uint32_t begin, uint32_t end, uint32_t point,
                           double *distance) {
    for (uint32_t i = begin; i < end; i++) {
        if (sees(b, b->fresh[i], point, distance)) {
            return b->fresh[i];
        }
    }
    return NO_FACE;
}

/*
 * Returns a face of a new cone that a point sees, or NO_FACE if the point is in the cone. Face i
 * contains the ridge from corner i to corner i + 1 of the horizon, which, seen from the apex, is a
 * convex polygon (possibly with corners inside its sides). A point that sees neither face at corner
 * 0 is between their planes. The planes through the apex, corner 0 and another corner divide that
 * wedge; in the part of a face, the point is outside the cone if and only if it sees that face.
 */
static uint32_t search_cone(builder *b, uint32_t count, uint32_t point, double *distance) {
    const uint32_t *fresh = b->fresh;
    if (sees(b, fresh[0], point, distance)) {
        return fresh[0];
    }
    if (sees(b, fresh[count - 1], point, distance)) {
        return fresh[count - 1];
    }
    const uint32_t *first = b->faces[fresh[0]].vertex;
    uint32_t low = 1, high = count - 1;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        const uint32_t corner = b->faces[fresh[middle]].vertex[0];
        const uint32_t divider[3] = {first[0], corner, first[2]};
        int side = side_of(b, divider, point, distance);
        if (side == 0) {
            /* The point is on the plane through the corner: beyond the corner, between the corner
             * and corner 0, or on a side of the polygon that has several corners and contains
             * corner 0. */
            const uint32_t seen = search_all(b, middle - 1, middle + 1, point, distance);
            if (seen != NO_FACE) {
                return seen;
            }
            side = side_of(b, first, corner, distance) == 0 ? -1 : 1;
        }
        if (side < 0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return sees(b, fresh[low], point, distance) ? fresh[low] : NO_FACE;
}

/* Lists each point of a list at a new face that sees it; interior points are dropped. closed: the
 * faces are a cone in order. */
static void distribute_points(builder *b, uint32_t list, uint32_t face_count, bool closed) {
    while (list != GJK_NO_POINT && !spend_sides(b)) {
        uint32_t point = list;
        double distance;
        list = b->next_waiting[point];
        uint32_t slot = closed && face_count > CONE_SMALL
                            ? search_cone(b, face_count, point, &distance)
                            : search_all(b, 0, face_count, point, &distance);
        b->waits_at[point] = NO_FACE;
        if (slot != NO_FACE) {
            wait_at(b, slot, point, distance);
        }
    }
    for (uint32_t i = 0; i < face_count; i++) {
        face *f = &b->faces[b->fresh[i]];
        if (f->waiting != GJK_NO_POINT && !f->queued) {
            f->queued = true;
            b->queue[(b->queue_first + b->queue_count++) % b->face_capacity] = b->fresh[i];
        }
    }
}

/* Finds all faces that a point sees, starting from face `first`, and their horizon. */
static void find_horizon(builder *b, uint32_t first, uint32_t point) {
    double distance;

    b->horizon_count = 0;
    b->seen_count = 0;
    b->faces[first].seen = true;
    b->seen[b->seen_count++] = first;
    for (uint32_t i = 0; i < b->seen_count && !spend_sides(b); i++) {
        const face *f = &b->faces[b->seen[i]];
        for (uint32_t e = 0; e < 3; e++) {
            face *g = &b->faces[f->neighbour[e]];
            if (g->seen) {
                continue;
            }
            if (sees(b, f->neighbour[e], point, &distance)) {
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

/* Frees the seen faces. Returns the list of points that waited there, without `point`. */
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
        b->starting[r->start] = add_face(b, r->start, r->end, point);
    }
    for (uint32_t i = 0; i < b->horizon_count; i++) {
        const ridge *r = &b->horizon[i];
        uint32_t left = b->starting[r->start], right = b->starting[r->end];
        face *beyond = &b->faces[r->beyond];
        uint32_t e = beyond->vertex[0] == r->end ? 0 : beyond->vertex[1] == r->end ? 1 : 2;
        GJK_ASSERT(beyond->vertex[e] == r->end && beyond->vertex[(e + 1) % 3] == r->start);
        beyond->neighbour[e] = left;
        b->faces[left].neighbour[0] = r->beyond;
        b->faces[left].neighbour[1] = right;
        b->faces[right].neighbour[2] = left;
    }
}

/* Lists the faces of the cone in order. A large one begins at a face that is not coplanar with the
 * one before it. */
static void list_cone(builder *b) {
    uint32_t slot = b->starting[b->horizon[0].start];
    for (uint32_t i = 0; b->horizon_count > CONE_SMALL && i < b->horizon_count; i++) {
        const face *f = &b->faces[slot], *before = &b->faces[f->neighbour[2]];
        double distance;
        if (side_of(b, before->vertex, f->vertex[1], &distance) != 0) {
            break;
        }
        slot = f->neighbour[1];
    }
    for (uint32_t i = 0; i < b->horizon_count; i++) {
        b->fresh[i] = slot;
        slot = b->faces[slot].neighbour[1];
    }
}

/* Adds a point that sees the face in a slot. */
static void add_point(builder *b, uint32_t slot, uint32_t point) {
    find_horizon(b, slot, point);
    if (gjk_budget_is_spent(b->budget)) {
        return;
    }
    uint32_t orphans = remove_seen(b, point);
    add_cone(b, point);
    list_cone(b);
    b->waits_at[point] = NO_FACE;
    distribute_points(b, orphans, b->horizon_count, true);
}

/* Adds the farthest point of each face in the queue, until the limit of side tests is reached. */
static void grow(builder *b, uint32_t looks) {
    const uint64_t most = (uint64_t)looks * b->cloud->count;
    while (b->queue_count > 0 && b->sides < most && !gjk_budget_is_spent(b->budget)) {
        uint32_t slot = b->queue[b->queue_first];
        b->queue_first = (b->queue_first + 1) % b->face_capacity;
        b->queue_count--;
        b->faces[slot].queued = false;
        if (b->faces[slot].alive && b->faces[slot].waiting != GJK_NO_POINT) {
            add_point(b, slot, b->faces[slot].waiting);
        }
    }
}

/* Hash of all coordinates (rounds of splitmix64: Steele, Lea and Flood, Fast splittable
 * pseudorandom number generators, 2014). */
static uint64_t mix(uint64_t state) {
    state += UINT64_C(0x9e3779b97f4a7c15);
    state = (state ^ state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    state = (state ^ state >> 27) * UINT64_C(0x94d049bb133111eb);
    return state ^ state >> 31;
}

static uint64_t hash_points(const gjk_cloud3 *cloud) {
    uint64_t hash = cloud->count;
    for (uint32_t i = 0; i < cloud->count; i++) {
        const double numbers[3] = {cloud->points[i].x, cloud->points[i].y, cloud->points[i].z};
        for (int axis = 0; axis < 3; axis++) {
            uint64_t bits;
            memcpy(&bits, &numbers[axis], sizeof bits);
            hash = mix(hash ^ bits);
        }
    }
    return hash;
}

/* Lists the waiting points in random order (Fisher-Yates, from the front). */
static uint32_t shuffle_waiting(const builder *b, uint32_t *order) {
    uint32_t count = 0;
    uint64_t random = hash_points(b->cloud);
    for (uint32_t i = 0; i < b->cloud->count; i++) {
        if (b->waits_at[i] != NO_FACE) {
            random = mix(random);
            uint32_t at = (uint32_t)(random % (count + 1));
            order[count] = i;
            order[count++] = order[at];
            order[at] = i;
        }
    }
    return count;
}

static gjk_status grow_randomly(builder *b, struct gjk_arena *arena) {
    uint32_t *order = gjk_arena_alloc_array(arena, b->cloud->count, sizeof *order);
    if (order == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    const uint32_t count = shuffle_waiting(b, order);
    for (uint32_t i = 0; i < count && !gjk_budget_is_spent(b->budget); i++) {
        if (b->waits_at[order[i]] != NO_FACE) {
            add_point(b, b->waits_at[order[i]], order[i]);
        }
    }
    return GJK_OK;
}

/* Makes the tetrahedron a b c d, with d behind a b c, and distributes the points outside it. */
static void begin_hull(builder *b, const uint32_t corner[4]) {
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
    distribute_points(b, 0, 4, false);
}

/* Copies the faces out and marks the vertices where three non-flat edges meet. */
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
            /* Each edge is visited from both sides; each visit counts for its start. */
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
                          uint32_t looks, uint8_t *marks, gjk_hull3 *out) {
    builder b;
    if (!builder_init(&b, arena, cloud)) {
        return GJK_OUT_OF_MEMORY;
    }
    begin_hull(&b, start);
    grow(&b, looks);
    gjk_status status = b.queue_count > 0 ? grow_randomly(&b, arena) : GJK_OK;
    if (status == GJK_OK) {
        status = gjk_budget_is_spent(b.budget) ? GJK_GIVEN_UP : mark_solid(&b, arena, marks, out);
    }
    return status;
}
