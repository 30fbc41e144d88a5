/*
 * The Minkowski difference of two convex pieces, as planes. For boxes the planes are those of the
 * separating-axis test (Gottschalk, Lin, Manocha, OBBTree, 1996). For other pieces they are faces
 * of EPA's polytope, expanded until its nearest face is farther than the best translation so far.
 * That polytope is inside the true difference, so bounds from its planes are valid for curved
 * pieces, too.
 */

#include "pair/pieces/way_out.h"

#include "base/numbers.h"
#include "base/predicate.h"
#include "pair/epa/polytope.h"
#include "pair/frame.h"
#include "shape/box.h"

#define VERTICES 64   /* limit for one difference */
#define SAME 0x1p-45  /* largest difference of a component between normals of one plane */
#define CURVED 0x1p-6 /* of the best length: accuracy of a curved difference */
#define FINAL 8.0     /* roundings by which a vertex may be beyond a face */
/* Squared sines between edges of two boxes: below the first their cross product is computed
 * exactly, below the second they are parallel. */
#define EDGES_INACCURATE 1e-4
#define EDGES_PARALLEL 1e-28

static bool add_plane(gjk_difference_planes *all, gjk_plane plane) {
    if (all->count == GJK_DIFFERENCE_PLANES) {
        return false;
    }
    const uint32_t i = all->count++;
    all->x[i] = plane.normal.x;
    all->y[i] = plane.normal.y;
    all->z[i] = plane.normal.z;
    all->least[i] = plane.least;
    return true;
}

/* --- Boxes --- */

typedef struct box_pair {
    gjk_vec3 axis_a[3], axis_b[3], between;
    double half_a[3], half_b[3];
    double cosine[3][3]; /* absolute, between an axis of a and one of b */
} box_pair;

static bool is_box(const gjk_shape *shape) {
    return shape->type == GJK_BOX && shape->count == 8 && shape->radius == 0.0 && !shape->is_far;
}

bool gjk_difference_is_of_boxes(const gjk_placed *a, const gjk_placed *b) {
    return is_box(a->shape) && is_box(b->shape);
}

static void set_axes(const gjk_placed *box, gjk_vec3 axes[3], double half[3]) {
    const gjk_mat3 *turn = &box->pose.rotation;
    axes[0] = (gjk_vec3){turn->r0.x, turn->r1.x, turn->r2.x};
    axes[1] = (gjk_vec3){turn->r0.y, turn->r1.y, turn->r2.y};
    axes[2] = (gjk_vec3){turn->r0.z, turn->r1.z, turn->r2.z};
    half[0] = box->shape->half_extents.x;
    half[1] = box->shape->half_extents.y;
    half[2] = box->shape->half_extents.z;
}

/* Adds the planes on both sides. `reach` is the extent of both boxes from their centres. */
static bool add_slab(const box_pair *boxes, gjk_vec3 n, double reach, gjk_difference_planes *all) {
    const double along = gjk_dot3(n, boxes->between);
    return add_plane(all, (gjk_plane){n, reach - along}) &&
           add_plane(all, (gjk_plane){gjk_neg3(n), reach + along});
}

/* Adds the planes along the cross product of two edges, unless it is an axis of a box. */
static bool add_edges(const box_pair *boxes, int i, int j, gjk_difference_planes *all) {
    const int p = (i + 1) % 3, q = (i + 2) % 3, r = (j + 1) % 3, s = (j + 2) % 3;
    const double least_of_b = gjk_smaller(boxes->cosine[p][j], boxes->cosine[q][j]);
    const double least_of_a = gjk_smaller(boxes->cosine[i][r], boxes->cosine[i][s]);
    if (gjk_smaller(least_of_a, least_of_b) <= SAME) {
        return true;
    }
    gjk_vec3 across = gjk_cross3(boxes->axis_a[i], boxes->axis_b[j]);
    double squared = gjk_dot3(across, across);
    if (squared <= EDGES_PARALLEL) {
        return true;
    }
    if (squared < EDGES_INACCURATE) {
        across = gjk_cross3_exact((gjk_vec3){0, 0, 0}, boxes->axis_a[i], boxes->axis_b[j]);
        squared = gjk_dot3(across, across);
    }
    const gjk_vec3 n = gjk_scale3(1.0 / sqrt(squared), across);
    const double reach = boxes->half_a[p] * fabs(gjk_dot3(boxes->axis_a[p], n)) +
                         boxes->half_a[q] * fabs(gjk_dot3(boxes->axis_a[q], n)) +
                         boxes->half_b[r] * fabs(gjk_dot3(boxes->axis_b[r], n)) +
                         boxes->half_b[s] * fabs(gjk_dot3(boxes->axis_b[s], n));
    return add_slab(boxes, n, reach, all);
}

/* Adds the planes of a pair of boxes. Returns false if there is no room. */
static bool find_planes_of_boxes(const gjk_placed *a, const gjk_placed *b,
                                 gjk_difference_planes *all) {
    box_pair boxes = {.between = gjk_sub3(b->pose.position, a->pose.position)};
    const double *half_a = boxes.half_a, *half_b = boxes.half_b;
    const double(*cosine)[3] = (const double(*)[3])boxes.cosine;
    bool has_room = true;
    set_axes(a, boxes.axis_a, boxes.half_a);
    set_axes(b, boxes.axis_b, boxes.half_b);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            boxes.cosine[i][j] = fabs(gjk_dot3(boxes.axis_a[i], boxes.axis_b[j]));
        }
        const double reach = half_a[i] + half_b[0] * cosine[i][0] + half_b[1] * cosine[i][1] +
                             half_b[2] * cosine[i][2];
        has_room &= add_slab(&boxes, boxes.axis_a[i], reach, all);
    }
    for (int j = 0; j < 3; j++) {
        const gjk_vec3 most = {cosine[0][j], cosine[1][j], cosine[2][j]};
        const double reach =
            half_b[j] + half_a[0] * most.x + half_a[1] * most.y + half_a[2] * most.z;
        /* Parallel to an axis of a if perpendicular to both others. */
        const bool is_axis_of_a = most.x + most.y + most.z <= gjk_largest3(most) + SAME;
        has_room &= is_axis_of_a || add_slab(&boxes, boxes.axis_b[j], reach, all);
    }
    for (int i = 0; i < 9 && has_room; i++) {
        has_room = add_edges(&boxes, i / 3, i % 3, all);
    }
    return has_room;
}

/* --- Other pieces --- */

/* Adds a plane, unless it equals one of the same difference. */
static bool add_new_plane(const gjk_way_out *way, gjk_difference_planes *all, uint32_t first,
                          gjk_plane plane) {
    for (uint32_t i = first; i < all->count; i++) {
        const gjk_plane old = gjk_difference_plane(all, i);
        const gjk_vec3 turn = gjk_sub3(old.normal, plane.normal);
        if (gjk_largest3(turn) <= SAME && fabs(old.least - plane.least) <= way->margin) {
            all->least[i] = gjk_smaller(old.least, plane.least);
            return true;
        }
    }
    return add_plane(all, plane);
}

/* Computes the point of a difference farthest along a unit direction. */
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

/* Grows the hull of a difference until its planes are known up to the best length. Not inlined,
 * since its stack frame is large. */
__attribute__((noinline)) static bool find_planes_of_any(const gjk_way_out *way,
                                                         const gjk_placed *a, const gjk_placed *b,
                                                         gjk_difference_planes *all,
                                                         gjk_difference *of) {
    GJK_POLYTOPE3_STORAGE(VERTICES) storage;
    struct gjk_polytope3 hull;
    const gjk_frame3 frame = gjk_frame3_make(a, b);
    const double radii = frame.unit * (a->shape->radius + b->shape->radius);
    const double far = way->length * frame.unit;
    const bool is_curved = frame.curved || radii > 0.0;
    const double final =
        gjk_larger(FINAL * GJK_ROUNDING * frame.scale, is_curved ? CURVED * far : 0);
    const uint32_t steps = gjk_pair_steps(frame.a, frame.b);
    of->is_exact = !is_curved;
    GJK_POLYTOPE3_USE(&hull, &storage, VERTICES);
    if (!(way->length < INFINITY) || !begin_hull(&frame, radii, &hull)) {
        return false;
    }
    while (!gjk_budget_spend(way->settings.budget, steps)) {
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
            const gjk_plane plane = {gjk_mul3(&a->pose.rotation, n), inner / frame.unit};
            of->is_exact &= is_final;
            hull.distance[nearest] = INFINITY;
            if (!add_new_plane(way, all, of->first, plane)) {
                return false;
            }
        }
    }
    return false;
}

bool gjk_difference_find(const gjk_way_out *way, const gjk_placed *a, const gjk_placed *b,
                         gjk_difference_planes *all, gjk_difference *of) {
    gjk_near_shape near_a, near_b;
    of->first = all->count;
    of->is_exact = true;
    if (gjk_is_far(a) || gjk_is_far(b)) {
        (void)gjk_near_pair(a, b, &near_a, &near_b);
        a = &near_a.placed;
        b = &near_b.placed;
    }
    bool is_found = gjk_difference_is_of_boxes(a, b) && find_planes_of_boxes(a, b, all);
    of->is_of_boxes = is_found;
    if (!is_found) {
        all->count = of->first;
        is_found = find_planes_of_any(way, a, b, all, of);
    }
    while (is_found && all->count % GJK_LANES != 0) {
        is_found = add_plane(all, (gjk_plane){{0, 0, 0}, INFINITY});
    }
    all->count = is_found ? all->count : of->first;
    of->end = all->count;
    return is_found;
}
