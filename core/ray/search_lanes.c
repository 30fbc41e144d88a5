/*
 * The kernel of a ray's search: a walk of the tree, depth first, nearest child first, in floats. A
 * node's eight boxes are tested at once by the slab test (Kay and Kajiya 1986), whose far times are
 * increased by the rounding error of both (Ize, Robust BVH Ray Traversal, 2013). The ray begins
 * where it comes near the tree, so floats lose little precision, however far away its origin is.
 * Entry times are not negative, so their bits order them: an entry of the stack is an integer of a
 * child and its time.
 *
 * Triangles of a leaf are seen along the ray, in doubles: the ray is a point, and outside if two
 * edges have it on different sides.
 */

#include "base/eight_floats.h"
#include "base/four_lanes.h"
#include "base/numbers.h"
#include "ray/search.h"
#include "shape/pieces/leaf.h"
#include "shape/pieces/walk.h"

#include <stddef.h>

/* Components of a direction below it are enlarged; along the tree that moves no point by more than
 * a rounding error. */
#define DIRECTION_LEAST 0x1p-60
/* Slack in the tree's unit above which nothing is left out. */
#define SLACK_MOST 0.25
/* Largest coordinate at which a ray may begin: one that begins near the tree and meets it, whose
 * boxes are within 1 and the slack of its center, begins nearer. */
#define NEAR_MOST 4.0
/* Twice the rounding error of such coordinates. */
#define NEAR_ROUNDING 0x1p-21
/* Bound of the rounding error of times. */
#define TIME_SLACK (1.0f + 0x1p-21f)
/* Added to margins, since products of tiny numbers have no relative error. */
#define MARGIN_LEAST 0x1p-1000

/* The ray in all lanes. */
typedef struct node_ray {
    floats near[3], far[3]; /* its begin, widened against and along the direction */
    floats rate[3];         /* 1 over the direction */
    floats late[3];         /* the same, enlarged by the rounding error of times */
    floats bound;
    size_t first[3], last[3]; /* bytes from the lower sides of boxes to those met first, last */
    uint64_t limit;           /* entries above it are left out */
    double unit, skipped;     /* length in the tree = unit * length - skipped */
} node_ray;

/* The ray seen from a leaf. */
typedef struct leaf_ray {
    gjk_vec3 origin, direction;
    gjk_vec3 across[2]; /* orthogonal to the direction and each other, of one length of 1 to 2 */
    double near;        /* distance from a triangle at which a point may count as a hit, or more */
} leaf_ray;

typedef struct walk_stack {
    uint32_t top;
    uint64_t entries[GJK_PIECES_STACK];
} walk_stack;

/* Leaves out what is entered beyond `bound`, a distance. */
LANES_INLINE void set_bound(node_ray *ray, double bound) {
    const double most = (bound * ray->unit - ray->skipped) * (1.0 + 0x1p-20);
    const float rounded = (float)gjk_larger(0x1p-100, gjk_smaller(most, 0x1p100));
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    ray->limit = (uint64_t)bits << 32 | UINT32_MAX;
    ray->bound = floats_all(rounded);
}

LANES_INLINE double first_three(const lanes *a) {
    return (*a)[0] + (*a)[1] + (*a)[2];
}

/* Returns the vector at p and 0. */
LANES_INLINE lanes load_alone(const gjk_vec3 *p) {
    const lane_bits used = {-1, -1, -1, 0};
    return (lanes)((lane_bits)load_row(p) & used);
}

typedef float four_floats __attribute__((vector_size(16)));

LANES_INLINE lane_bits all_bits(int64_t x) {
    return (lane_bits){x, x, x, x};
}

LANES_INLINE bool is_far(const lanes *at) {
    const lanes size = absolute(at), most = all(NEAR_MOST);
    return (find_above(&size, &most) & 7) != 0;
}

/* Brings the ray into the tree's unit. `slack` bounds all rounding errors of doubles. Returns false
 * if the ray misses the tree. */
LANES_INLINE bool aim(const gjk_pieces_tree *tree, const lanes *origin, const lanes *way,
                      double slack, node_ray *out) {
    const lane_bits sign = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    double wider = slack * tree->unit;
    lanes at = (*origin - load_row(&tree->center)) * tree->unit;
    out->unit = tree->unit;
    out->skipped = -wider;
    if (!(wider <= SLACK_MOST)) { /* meets every box */
        at = all(0.0);
        wider = NEAR_MOST;
        out->skipped = -INFINITY;
    } else if (is_far(&at)) {
        const lanes parts = at * *way;
        const double before = -first_three(&parts) - 2.0 - 2.0 * wider;
        at += gjk_larger(before, 0.0) * *way;
        out->skipped += gjk_larger(before, 0.0);
        if (is_far(&at)) {
            return false;
        }
    }
    const lane_bits backwards = (lane_bits)*way & sign;
    const lanes size = absolute(way), least = all(DIRECTION_LEAST),
                wide = all(wider + NEAR_ROUNDING);
    const lanes longer = larger(&size, &least), stretched = (lanes)((lane_bits)longer | backwards);
    const lanes widening = (lanes)((lane_bits)wide | backwards);
    const four_floats near = __builtin_convertvector(at + widening, four_floats);
    const four_floats far = __builtin_convertvector(at - widening, four_floats);
    const four_floats rate = 1.0f / __builtin_convertvector(stretched, four_floats);
    const four_floats late = rate * TIME_SLACK;
    const lane_bits all_axes = all_bits(offsetof(gjk_pieces_node, max));
    const lane_bits to_first = (backwards != all_bits(0)) & all_axes, to_last = to_first ^ all_axes;
    for (int axis = 0; axis < 3; axis++) {
        out->near[axis] = floats_all(near[axis]);
        out->far[axis] = floats_all(far[axis]);
        out->rate[axis] = floats_all(rate[axis]);
        out->late[axis] = floats_all(late[axis]);
        out->first[axis] = (size_t)to_first[axis];
        out->last[axis] = (size_t)to_last[axis];
    }
    return tree->node_count > 0;
}

/* Returns the nearest child that the ray enters, else GJK_NO_CHILD. Pushes the others onto the
 * stack, the next nearest on top. */
LANES_INLINE uint32_t open_node(const gjk_pieces_tree *tree, const gjk_pieces_node *node,
                                const node_ray *ray, walk_stack *stack) {
    floats enter[3], leave[3];
    for (int axis = 0; axis < 3; axis++) {
        const char *low = (const char *)node->min[axis];
        const floats first = floats_load(low + ray->first[axis]);
        const floats last = floats_load(low + ray->last[axis]);
        enter[axis] = floats_difference_times(&first, &ray->near[axis], &ray->rate[axis]);
        leave[axis] = floats_difference_times(&last, &ray->far[axis], &ray->late[axis]);
    }
    /* Two pairs each, since three in a row take longer. */
    const floats start = floats_all(0.0f);
    const floats enter_first = floats_larger(&enter[0], &start); /* never -0 */
    const floats enter_last = floats_larger(&enter[1], &enter[2]);
    const floats leave_first = floats_smaller(&leave[0], &ray->bound);
    const floats leave_last = floats_smaller(&leave[1], &leave[2]);
    const floats until = floats_smaller(&leave_first, &leave_last);
    const floats from = floats_larger(&enter_last, &enter_first);
    uint32_t found = floats_not_above(&from, &until);
    uint32_t times[GJK_PIECES_WIDTH];
    floats_store(times, &from);
    if (found == 0) {
        return GJK_NO_CHILD;
    }
    uint32_t i = (uint32_t)__builtin_ctz(found);
    const uint32_t bottom = stack->top, only = node->child[i];
    found &= found - 1;
    if (found == 0) {
        return only;
    }
    uint64_t nearest = (uint64_t)times[i] << 32 | only;
    for (; found != 0; found &= found - 1) {
        i = (uint32_t)__builtin_ctz(found);
        const uint64_t one = (uint64_t)times[i] << 32 | node->child[i];
        const uint64_t other = one < nearest ? nearest : one;
        nearest = one < nearest ? one : nearest;
        GJK_CHECK(stack->top < GJK_PIECES_STACK);
        uint32_t at = stack->top++;
        for (; at > bottom && stack->entries[at - 1] < other; at--) {
            stack->entries[at] = stack->entries[at - 1];
        }
        stack->entries[at] = other;
        prefetch_child(tree, (uint32_t)other);
    }
    return (uint32_t)nearest;
}

/* Returns the view along d: d and the two others are the columns of a Householder reflection. */
LANES_INLINE leaf_ray see_leaves(gjk_vec3 origin, gjk_vec3 d, double near) {
    const double w = d.z + copysign(1.0, d.z), length = fabs(w);
    return (leaf_ray){origin,
                      d,
                      {{d.x * d.x - length, d.x * d.y, d.x * w},
                       {d.y * d.x, d.y * d.y - length, d.y * w}},
                      near};
}

/*
 * Returns a bit for each of four triangles that the ray does not certainly miss up to the bound.
 * *hit: those that it certainly hits, from whatever side, with all corners before the bound. Seen
 * along the ray, u and v are the coordinates of corners, and a side is the cross product of two of
 * them. The sum of their magnitudes bounds how a side changes if the ray moves by `near`, and so
 * rounding errors. Coordinates are enlarged by at most 2.
 */
LANES_INLINE uint32_t find_not_missed(const leaf_ray *ray, const lanes3 corner[3], double bound,
                                      uint32_t *hit) {
    const lanes3 origin = all3(ray->origin);
    lanes u[3], v[3], t[3], size[3];
    for (int i = 0; i < 3; i++) {
        const lanes3 from = difference(&corner[i], &origin);
        u[i] = along(&from, ray->across[0]);
        v[i] = along(&from, ray->across[1]);
        t[i] = along(&from, ray->direction);
        size[i] = absolute(&u[i]) + absolute(&v[i]);
    }
    const lanes margin = 4.0 * ray->near * (size[0] + size[1] + size[2]) + MARGIN_LEAST;
    const lanes side[3] = {u[0] * v[1] - u[1] * v[0], u[1] * v[2] - u[2] * v[1],
                           u[2] * v[0] - u[0] * v[2]};
    lanes least = smaller(&side[0], &side[1]), most = larger(&side[0], &side[1]);
    least = smaller(&least, &side[2]);
    most = larger(&most, &side[2]);
    lanes nearest = smaller(&t[0], &t[1]), farthest = larger(&t[0], &t[1]);
    nearest = smaller(&nearest, &t[2]);
    farthest = larger(&farthest, &t[2]);
    const lanes below = -margin, end = all(bound + ray->near), begin = all(-ray->near);
    const lanes inner_begin = all(ray->near), inner_end = all(bound - ray->near);
    *hit = (find_above(&least, &margin) | find_above(&below, &most)) &
           find_above(&nearest, &inner_begin) & find_above(&inner_end, &farthest);
    const uint32_t beside = find_above(&most, &margin) & find_above(&below, &least);
    return (beside | find_above(&nearest, &end) | find_above(&begin, &farthest)) ^ 0xf;
}

LANES_TARGET static void run(gjk_ray_search *search) {
    const gjk_shape *shape = search->target->shape;
    const gjk_pose *pose = &search->target->pose;
    const struct gjk_pieces *pieces = shape->pieces;
    const gjk_pieces_tree *tree = &pieces->tree;
    gjk_budget *budget = search->settings->budget;
    const bool has_triangles =
        (pieces->type == GJK_MESH || pieces->type == GJK_HEIGHTFIELD) && pieces->rounding == 0.0;
    const lanes world_way = load_row(&search->ray->direction);
    const lanes between = load_alone(&search->ray->origin) - load_alone(&pose->position);
    const lanes origin = turned_back(&pose->rotation, &between);
    const lanes way = turned_back(&pose->rotation, &world_way);
    const lanes numbers = absolute(&origin);
    node_ray ray;
    walk_stack stack;
    search->origin = vector_of(&origin);
    search->direction = vector_of(&way);
    search->rounding = 0x1p-48 * (first_three(&numbers) + shape->reach);
    search->found = false;
    search->bound = search->ray->max_distance;
    const double slack = 8.0 * (search->settings->tolerance * shape->size + search->rounding);
    if (!aim(tree, &origin, &way, slack, &ray)) {
        return;
    }
    const leaf_ray leaf = see_leaves(search->origin, search->direction, slack);
    set_bound(&ray, search->bound);
    stack.entries[0] = 0;
    stack.top = 1;
    while (stack.top > 0) {
        const uint64_t entry = stack.entries[--stack.top];
        uint32_t child = entry > ray.limit ? GJK_NO_CHILD : (uint32_t)entry;
        while (!gjk_child_is_leaf(child)) {
            if (gjk_budget_spend(budget, GJK_PIECES_NODE_STEPS)) {
                return;
            }
            child = open_node(tree, &tree->nodes[child], &ray, &stack);
        }
        if (child == GJK_NO_CHILD) {
            continue;
        }
        const uint32_t first = gjk_child_first_slot(child), count = gjk_child_slot_count(child);
        uint32_t asked = (1u << count) - 1;
        if (gjk_budget_spend(budget, count * GJK_PIECES_PIECE_STEPS)) {
            return;
        }
        if (has_triangles) {
            lanes3 corner[3];
            load_leaf(pieces, first, count, corner);
            uint32_t hit;
            asked &= find_not_missed(&leaf, corner, search->bound, &hit);
            if (search->takes_any && (asked & hit) != 0 && !pieces->one_sided) {
                search->found = true;
                return;
            }
        }
        if (asked != 0) {
            gjk_ray_search_leaf(search, first, asked);
            if (search->found && search->takes_any) {
                return;
            }
            set_bound(&ray, search->bound);
        }
    }
}

gjk_ray_search_run *const LANES_FORM(gjk_ray_search) = run;
