/*
 * The least translation in 3D by branch and bound (Land, Doig 1960). A free translation is outside
 * the Minkowski difference of each pair of pieces, so beyond one of the planes around it. A node
 * stands for the translations beyond some planes; the shortest of these is its lower bound. The node
 * with the least bound is opened. If its shortest translation is free, it is the answer. Otherwise it
 * is in a difference, and each plane of that difference makes a child. A difference is the polytope
 * of EPA, expanded until its nearest face is farther than the best translation so far. That polytope
 * is inside the true difference, so the bounds hold for curved pieces, too.
 */

#include "pair/pieces/branch_bound.h"

#include "base/numbers.h"
#include "base/predicate.h"
#include "pair/epa/polytope.h"
#include "pair/frame.h"

#define NODES 512
#define DIFFERENCES 32
#define PLANES 768    /* of all differences */
#define VERTICES 64   /* of a difference */
#define SAME 0x1p-45  /* normals of one plane differ by this at most, in each component */
#define CURVED 0x1p-6 /* of the best length: how much of a curved difference is left out */
#define FINAL 8.0     /* roundings by which a vertex may be beyond a face */
/* Opened nodes after which a descent looks for a shorter way out, and how many times as many after
 * which the next does. */
#define FIRST_DESCENT 4
#define NEXT_DESCENT 4
#define NODE_STEPS 8 /* of the budget, beside those of the children */

/* The planes around the Minkowski difference of a pair that the best translation reaches. A
 * translation no longer than that one is in the difference if it is beyond none of them. */
typedef struct difference {
    uint32_t piece_a, piece_b;
    uint32_t first, end;
} difference;

typedef struct node {
    gjk_plane plane;
    gjk_vec3 least; /* translation beyond this plane and those of the parents */
    uint16_t parent;
} node;

typedef struct tree {
    gjk_way_out *way;
    uint32_t node_count, difference_count, plane_count;
    double key[NODES]; /* length of the least translation; INFINITY: has been opened */
    node nodes[NODES];
    difference differences[DIFFERENCES];
    gjk_plane planes[PLANES];
} tree;

/* --- Differences --- */

static bool add_plane(tree *s, const difference *of, gjk_plane plane) {
    for (uint32_t i = of->first; i < s->plane_count; i++) {
        const gjk_vec3 turn = gjk_sub3(s->planes[i].normal, plane.normal);
        if (gjk_largest3(turn) <= SAME &&
            fabs(s->planes[i].least - plane.least) <= s->way->margin) {
            s->planes[i].least = gjk_smaller(s->planes[i].least, plane.least);
            return true;
        }
    }
    if (s->plane_count == PLANES) {
        return false;
    }
    s->planes[s->plane_count++] = plane;
    return true;
}

/* Writes the point of a difference that is farthest along a unit direction. */
static void support(const gjk_frame3 *frame, double radii, gjk_vec3 n, gjk_vertex3 *vertex) {
    gjk_support3_into(frame, &n, vertex);
    vertex->w = gjk_add3(vertex->w, gjk_scale3(radii, n));
}

static bool begin_hull(const gjk_frame3 *frame, double radii, struct gjk_polytope3 *hull) {
    static const double corner[4][3] = {{1, 1, 1}, {-1, -1, 1}, {-1, 1, -1}, {1, -1, -1}};
    for (int side = 0; side < 2; side++) {
        gjk_vertex3 c[4];
        for (int i = 0; i < 4; i++) {
            const gjk_vec3 n = {corner[i][0], corner[i][1], corner[i][2]};
            support(frame, radii, gjk_scale3((side == 0 ? 1.0 : -1.0) / sqrt(3.0), n), &c[i]);
        }
        if (gjk_orient3_sign(c[0].w, c[1].w, c[2].w, c[3].w) != 0) {
            gjk_polytope3_init(hull, c, frame->scale);
            return true;
        }
    }
    return false;
}

/* Grows the hull of a difference until its planes are known up to the best length. Returns false if
 * it is flat, or if there are too many planes. Not inlined: its stack frame is large. */
__attribute__((noinline)) static bool find_planes(tree *s, const gjk_convex_pair *pair,
                                                  const difference *of) {
    GJK_POLYTOPE3_STORAGE(VERTICES) storage;
    struct gjk_polytope3 hull;
    const gjk_frame3 frame = gjk_frame3_make(&pair->a.placed, &pair->b.placed);
    const double radii = frame.unit * (pair->a.placed.shape->radius + pair->b.placed.shape->radius);
    const double far = s->way->length * frame.unit;
    const bool is_curved = frame.curved || radii > 0.0;
    const double final =
        gjk_larger(FINAL * GJK_ROUNDING * frame.scale, is_curved ? CURVED * far : 0);
    const uint32_t steps = gjk_pair_steps(frame.a, frame.b);
    GJK_POLYTOPE3_USE(&hull, &storage, VERTICES);
    if (!begin_hull(&frame, radii, &hull)) {
        return false;
    }
    while (!gjk_budget_spend(s->way->settings.budget, steps)) {
        const uint32_t nearest = gjk_polytope3_nearest_face(&hull);
        if (!(hull.distance[nearest] < far)) {
            return true;
        }
        const gjk_vec3 n = hull.face[nearest].normal;
        const double inner = hull.distance[nearest];
        gjk_vertex3 *vertex = gjk_polytope3_next(&hull);
        support(&frame, radii, n, vertex);
        const bool is_final = gjk_dot3(n, vertex->w) - inner <= final;
        if (is_final || !gjk_polytope3_insert(&hull, nearest)) {
            const gjk_plane plane = {gjk_mul3(&pair->a.placed.pose.rotation, n),
                                     inner / frame.unit};
            hull.distance[nearest] = INFINITY;
            if (!add_plane(s, of, plane)) {
                return false;
            }
        }
    }
    return false;
}

static bool has(const tree *s, const difference *of, gjk_vec3 t) {
    for (uint32_t i = of->first; i < of->end; i++) {
        if (gjk_dot3(s->planes[i].normal, t) >= s->planes[i].least) {
            return false;
        }
    }
    return true;
}

/* Returns the difference that a translation is in: one that is known, else that of the deepest
 * pair. Returns NULL where there is none to be had, and keeps the translation if it is free. */
static const difference *find_difference(tree *s, gjk_vec3 t) {
    for (uint32_t i = 0; i < s->difference_count; i++) {
        if (has(s, &s->differences[i], t)) {
            return &s->differences[i];
        }
    }
    const gjk_pair_answer deepest = gjk_way_look(s->way, t);
    if (gjk_way_is_free(&deepest)) {
        gjk_way_settle(s->way, t);
    }
    if (deepest.given_up || deepest.inside || deepest.state != GJK_OVERLAPPING ||
        s->difference_count == DIFFERENCES) {
        return NULL;
    }
    difference *new = &s->differences[s->difference_count++];
    gjk_convex_pair pair;
    *new = (difference){deepest.piece_a, deepest.piece_b, s->plane_count, 0};
    gjk_way_take(s->way, &deepest, &pair);
    if (!find_planes(s, &pair, new)) {
        return NULL;
    }
    new->end = s->plane_count;
    return has(s, new, t) ? new : NULL;
}

/* --- Nodes --- */

static uint32_t least_node(const tree *s) {
    uint32_t least = 0;
    for (uint32_t i = 1; i < s->node_count; i++) {
        least = s->key[i] < s->key[least] ? i : least;
    }
    return least;
}

/* Lists the planes of a node, the newest last, with room for one more. Returns how many, or
 * GJK_WAY_PLANES where there is no room. */
static uint32_t planes_of(const tree *s, uint32_t index, gjk_plane planes[GJK_WAY_PLANES]) {
    uint32_t count = 0, i;
    for (i = index; i != 0; i = s->nodes[i].parent) {
        count++;
    }
    if (count >= GJK_WAY_PLANES) {
        return GJK_WAY_PLANES;
    }
    for (uint32_t at = count, k = index; k != 0; k = s->nodes[k].parent) {
        planes[--at] = s->nodes[k].plane;
    }
    return count;
}

/* Returns true if the last plane meets others at so small an angle that no least translation was
 * found, though there may be one. Below the first limits they meet too far away. */
static bool is_oblique(const gjk_plane *planes, uint32_t count) {
    const gjk_vec3 last = planes[count - 1].normal;
    for (uint32_t i = 0; i + 1 < count; i++) {
        const gjk_vec3 across = gjk_cross3(last, planes[i].normal);
        const double sine = gjk_length3(across);
        bool is_thin = sine > 0x1p-20 && sine < GJK_WAY_OBLIQUE;
        for (uint32_t k = 0; k < i; k++) {
            const double product = fabs(gjk_dot3(across, planes[k].normal));
            is_thin |= product > 0x1p-44 && product < GJK_WAY_OBLIQUE;
        }
        if (is_thin) {
            return true;
        }
    }
    return false;
}

/* Replaces a node by its children. Returns false if there is no room. */
static bool open_node(tree *s, uint32_t index, gjk_plane planes[GJK_WAY_PLANES], uint32_t count,
                      const difference *around) {
    const node parent = s->nodes[index];
    const double key = s->key[index];
    for (uint32_t i = around->first; i < around->end; i++) {
        node child = {s->planes[i], parent.least, (uint16_t)index};
        double length = key;
        planes[count] = child.plane;
        if (gjk_dot3(child.plane.normal, parent.least) < child.plane.least) {
            if (gjk_way_least(planes, count + 1, 0.0, s->way->margin, &child.least)) {
                length = gjk_length3(child.least);
            } else if (!is_oblique(planes, count + 1)) {
                continue;
            }
        }
        if (length >= s->way->length) {
            continue;
        }
        if (s->node_count == NODES) {
            return false;
        }
        s->key[s->node_count] = gjk_larger(length, key);
        s->nodes[s->node_count++] = child;
    }
    s->key[index] = INFINITY;
    return !gjk_budget_spend(s->way->settings.budget, NODE_STEPS + around->end - around->first);
}

/* Looks for a shorter way out near a translation. */
static void descend_near(gjk_way_out *way, gjk_vec3 t) {
    const double length = gjk_length3(t);
    if (length > 0.0) {
        gjk_way_descend(way, (gjk_plane){gjk_scale3(1.0 / length, t), length});
    }
}

void gjk_way_bound(gjk_way_out *way) {
    tree s; /* not set as a whole: it is large */
    double least = 0.0;
    uint32_t next_descent = FIRST_DESCENT;
    s.way = way;
    s.node_count = 1;
    s.difference_count = s.plane_count = 0;
    s.key[0] = 0.0;
    s.nodes[0] = (node){.parent = 0};
    for (uint32_t opened = 0;; opened++) {
        gjk_plane planes[GJK_WAY_PLANES];
        const uint32_t index = least_node(&s);
        gjk_vec3 t = {0, 0, 0};
        least = gjk_smaller(s.key[index], way->length);
        if (least >= way->length - 0.5 * way->close) {
            break;
        }
        const uint32_t count = planes_of(&s, index, planes);
        if (count == GJK_WAY_PLANES ||
            (count > 0 && !gjk_way_least(planes, count, way->margin, 0.0, &t))) {
            break;
        }
        if (opened == next_descent) {
            next_descent *= NEXT_DESCENT;
            descend_near(way, t);
        }
        const difference *around = find_difference(&s, t);
        if (around == NULL) {
            descend_near(way, t);
            break;
        }
        if (!open_node(&s, index, planes, count, around)) {
            break;
        }
    }
    least = gjk_smaller(least, way->length);
    if (!gjk_budget_is_spent(way->settings.budget)) {
        way->lower_bound = gjk_larger(way->lower_bound, least - 2.0 * way->margin);
    }
}
