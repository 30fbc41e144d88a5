/*
 * The kernel of the search for the nearest triangles: a walk of the tree, depth first, nearest
 * child first, in floats (Roussopoulos, Kelley, Vincent 1995). Children are not sorted: after the
 * nearest one most others are too far.
 *
 * Triangles of a leaf are seen in doubles. A point of each bounds its distance from above, the
 * plane through that point from below.
 */

#include "base/eight_floats.h"
#include "base/numbers.h"
#include "base/predicate.h"
#include "pair/pieces/nearest.h"
#include "shape/convex/cloud.h"
#include "shape/pieces/leaf.h"

/* Errors in the tree's unit above which the search gives up. */
#define SLACK_MOST 0.25
/* Largest unit for which squares of the slack do not underflow. */
#define UNIT_MOST 0x1p480
/* Largest coordinate of a center that is seen in floats, and twice their rounding error. */
#define NEAR_MOST 4.0
#define NEAR_ROUNDING 0x1p-21
/* (a + b)^2 is at most a^2 * WIDER + b^2 * WIDEST; WIDER also bounds errors of squares. */
#define WIDER (1.0 + 0x1p-19)
#define WIDEST (1.0 + 0x1p20)
#define SQUARE_LEAST 0x1p-1000

/* A node of which children are left to visit. */
typedef struct near_level {
    floats keys; /* squared distances of the children's boxes */
    const gjk_pieces_node *node;
    uint32_t left; /* a bit for each of the children */
} near_level;

typedef struct near_walk {
    double center[3];
    floats low[3], high[3]; /* the center, widened by all errors */
    floats limit;           /* squared distance above which boxes are left out */
    double square, slack;   /* the same of triangles, in the shape's unit, and its slack */
    double unit;
    bool shrinks; /* the least distance lowers the limits */
    uint32_t top;
    near_level levels[GJK_PIECES_HEIGHT_MAX];
} near_walk;

/* Lowers the limits to triangles that are at most about as far as one at a squared distance. */
LANES_INLINE void lower_limits(near_walk *walk, double square) {
    const double in_tree = square * walk->unit * walk->unit * WIDER;
    const floats limit = floats_all((float)gjk_smaller(in_tree, 0x1p100));
    walk->limit = floats_smaller(&limit, &walk->limit);
    walk->square = gjk_smaller(square * WIDER + walk->slack, walk->square);
}

/* Returns false if floats would lose too much, or squares underflow. */
LANES_INLINE bool aim(gjk_nearest_search *search, near_walk *walk) {
    const gjk_pieces_tree *tree = &search->pieces->tree;
    const gjk_vec3 c = gjk_scale3(tree->unit, gjk_sub3(search->center, tree->center));
    const double errors = 2.0 * search->slack * tree->unit, wider = errors + NEAR_ROUNDING;
    const double most = search->bound + search->radius + search->pieces->rounding;
    memcpy(walk->center, &c, sizeof walk->center);
    for (int axis = 0; axis < 3; axis++) {
        walk->low[axis] = floats_all((float)(walk->center[axis] - wider));
        walk->high[axis] = floats_all((float)(walk->center[axis] + wider));
    }
    walk->unit = tree->unit;
    walk->slack = 4.0 * search->slack * search->slack * WIDEST + SQUARE_LEAST;
    walk->shrinks = search->enough == -INFINITY;
    walk->limit = floats_all(INFINITY);
    walk->square = INFINITY;
    walk->top = 0;
    lower_limits(walk, most * most);
    search->count = 0;
    return errors <= SLACK_MOST && tree->unit <= UNIT_MOST && gjk_largest3(c) <= NEAR_MOST;
}

/* Returns the squared distance of a child's box, the same bits as in a walk (walk.h). */
LANES_INLINE double key_of(const near_walk *walk, const gjk_pieces_node *node, uint32_t i) {
    double sum = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const double above = (double)node->min[axis][i] - walk->center[axis];
        const double below = walk->center[axis] - (double)node->max[axis][i];
        const double gap = gjk_larger(gjk_larger(above, below), 0.0);
        sum += gap * gap;
    }
    return sum;
}

/* Returns the nearest of some children, of equally near ones the last: the order of a walk, so that
 * the first overlap found is the same. */
LANES_INLINE uint32_t nearest_of(const near_walk *walk, const gjk_pieces_node *node,
                                 uint32_t some) {
    uint32_t nearest = (uint32_t)__builtin_ctz(some);
    some &= some - 1;
    if (some != 0) {
        double least = key_of(walk, node, nearest);
        for (; some != 0; some &= some - 1) {
            const uint32_t i = (uint32_t)__builtin_ctz(some);
            const double key = key_of(walk, node, i);
            nearest = key <= least ? i : nearest;
            least = gjk_smaller(key, least);
        }
    }
    return nearest;
}

/* Returns the nearest child within the limit, else GJK_NO_CHILD. */
LANES_INLINE uint32_t open_node(const gjk_pieces_tree *tree, const gjk_pieces_node *node,
                                near_walk *walk) {
    const floats zero = floats_all(0.0f);
    floats near = zero;
    for (int axis = 0; axis < 3; axis++) {
        const floats low = floats_load(node->min[axis]), high = floats_load(node->max[axis]);
        const floats above = floats_difference(&low, &walk->high[axis]);
        const floats below = floats_difference(&walk->low[axis], &high);
        const floats outside = floats_larger(&above, &below), gap = floats_larger(&outside, &zero);
        near = floats_plus_square(&near, &gap);
    }
    const uint32_t found = floats_not_above(&near, &walk->limit);
    if (found == 0) {
        return GJK_NO_CHILD;
    }
    uint32_t i;
    if (walk->shrinks) { /* the order does not matter, and a loop would be mispredicted */
        const floats least = floats_all(floats_least(&near));
        i = (uint32_t)__builtin_ctz(floats_not_above(&near, &least));
    } else {
        i = nearest_of(walk, node, found);
    }
    for (uint32_t k = 0; k < GJK_PIECES_WIDTH; k++) {
        prefetch_child(tree, node->child[k]);
    }
    GJK_CHECK(walk->top < GJK_PIECES_HEIGHT_MAX);
    walk->levels[walk->top] = (near_level){near, node, found ^ 1u << i};
    walk->top += (found & (found - 1)) != 0;
    return node->child[i];
}

/* Returns the next child within the limit, else GJK_NO_CHILD. */
LANES_INLINE uint32_t next_child(near_walk *walk) {
    while (walk->top > 0) {
        near_level *level = &walk->levels[walk->top - 1];
        const uint32_t left = level->left & floats_not_above(&level->keys, &walk->limit);
        if (left == 0) {
            walk->top--;
            continue;
        }
        const uint32_t i =
            walk->shrinks ? (uint32_t)__builtin_ctz(left) : nearest_of(walk, level->node, left);
        level->left = left ^ 1u << i;
        return level->node->child[i];
    }
    return GJK_NO_CHILD;
}

/* Adds the triangles of a leaf whose gap may be the least; if one leaf is enough, only that of the
 * least lower bound. Returns false if they are too many. */
LANES_INLINE bool search_leaf(gjk_nearest_search *search, near_walk *walk, uint32_t first,
                              uint32_t count) {
    _Alignas(32) double gaps[4];
    lanes3 t[3];
    lane_bits is_inside;
    load_leaf(search->pieces, first, count, t);
    const lanes3 p = all3(search->center), nearest = nearest_on_triangles(t, &p, &is_inside);
    const lanes3 off = difference(&p, &nearest), a = difference(&p, &t[0]),
                 b = difference(&p, &t[1]), c = difference(&p, &t[2]);
    const lanes square = dot(&off, &off), infinite = all(INFINITY);
    is_inside &= ((lane_bits){0, 1, 2, 3} < (int64_t)count) & (square < infinite); /* no NaN */
    const lanes most = pick(&is_inside, &square, &infinite);
    const lanes at[3] = {dot(&off, &a), dot(&off, &b), dot(&off, &c)};
    const lanes sooner = smaller(&at[1], &at[2]), least = smaller(&at[0], &sooner);
    if (walk->shrinks) {
        lower_limits(walk,
                     gjk_smaller(gjk_smaller(most[0], most[1]), gjk_smaller(most[2], most[3])));
    }
    const lanes below = least * absolute(&least), limit = square * walk->square;
    uint32_t near = (find_above(&below, &limit) ^ 0xf) & ((1u << count) - 1);
    if (near == 0) {
        return true;
    }
    const leaf_gaps found = gaps_along(t, &off, &square);
    const double rounding = search->pieces->rounding;
    const lanes gap =
        along(&found.direction, search->center) - search->radius - found.most - rounding;
    const lanes upper = root(&most) - search->radius - rounding;
    memcpy(gaps, &gap, sizeof gaps);
    for (; near != 0; near &= near - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(near);
        if (search->count == GJK_NEAREST_MAX) {
            return false;
        }
        if (walk->shrinks || search->count == 0 || gaps[i] < search->gap[0]) {
            search->bound = walk->shrinks ? gjk_smaller(upper[i], search->bound) : upper[i];
            search->count = walk->shrinks ? search->count : 0;
            search->piece[search->count] = gjk_slot_piece(&search->pieces->tree, first + i);
            search->gap[search->count++] = gaps[i];
        }
    }
    return true;
}

LANES_TARGET static bool find(gjk_nearest_search *search) {
    const gjk_pieces_tree *tree = &search->pieces->tree;
    near_walk walk;
    uint32_t child = 0;
    bool goes_on = aim(search, &walk);
    while (goes_on && child != GJK_NO_CHILD) {
        while (goes_on && !gjk_child_is_leaf(child)) {
            goes_on = !gjk_budget_spend(search->budget, GJK_PIECES_NODE_STEPS);
            child = open_node(tree, &tree->nodes[child], &walk);
        }
        if (child != GJK_NO_CHILD && goes_on) {
            const uint32_t count = gjk_child_slot_count(child);
            goes_on = !gjk_budget_spend(search->budget, count * GJK_PIECES_PIECE_STEPS) &&
                      search_leaf(search, &walk, gjk_child_first_slot(child), count);
            if (!walk.shrinks && search->count > 0) {
                return goes_on && search->bound < search->enough;
            }
        }
        child = next_child(&walk);
    }
    return goes_on;
}

/* Each number is computed as in shape/convex/cloud.c, so that the bits are the same. */
LANES_TARGET static bool make_triangle(const struct gjk_pieces *pieces, uint32_t piece,
                                       gjk_near_triangle *out) {
    gjk_vec3 made[4] = {{0, 0, 0}};
    const gjk_vec3 *corners[3] = {&made[0], &made[1], &made[2]};
    if (pieces->type == GJK_MESH) {
        for (int k = 0; k < 3; k++) {
            corners[k] = &pieces->mesh.vertices[pieces->mesh.triangles[piece][k]];
        }
    } else {
        gjk_pieces_triangle(pieces, piece, made);
    }
    const lane_bits used = {-1, -1, -1, 0};
    lanes corner[3] = {load_row(corners[0]), load_row(corners[1]), load_row(corners[2])};
    lanes low = smaller(&corner[0], &corner[1]), high = larger(&corner[0], &corner[1]);
    low = smaller(&low, &corner[2]);
    high = larger(&high, &corner[2]);
    const lanes middle = 0.5 * low + 0.5 * high + 0.0;
    const lanes above = high - middle, below = middle - low, half = larger(&above, &below);
    const double size = 2.0 * (gjk_largest3(vector_of(&half)) + pieces->rounding);
    const lane_bits is_far = (absolute(&middle) > all(GJK_FAR_SIZES * size)) & used;
    const lanes offset = (lanes)(is_far & (lane_bits)middle), center = middle - offset;
    for (int i = 0; i < 3; i++) {
        corner[i] = corner[i] - offset + 0.0;
    }
    const lanes3 column = columns_of_rows(&corner[0], &corner[1], &corner[2], &corner[0]);
    const lanes *rows[3] = {&column.x, &column.y, &column.z};
    for (size_t axis = 0; axis < 3; axis++) { /* padded with the first point */
        const lanes padding = all((*rows[axis])[0]);
        memcpy(out->columns + GJK_LANES * axis, rows[axis], sizeof padding);
        memcpy(out->columns + GJK_LANES * axis + 4, &padding, sizeof padding);
    }
    out->offset = vector_of(&offset);
    out->is_far = bits_of(&is_far) != 0;
    gjk_shape *shape = &out->shape;
    shape->type = GJK_TRIANGLE;
    shape->dimension = shape->count = shape->column_count = 3;
    shape->stride = GJK_LANES;
    shape->is_far = false;
    shape->flat = GJK_FLAT_NOT;
    shape->columns = out->columns;
    shape->pieces = NULL;
    shape->radius = pieces->rounding;
    shape->size = size;
    shape->center = vector_of(&center);
    shape->reach = gjk_largest3(shape->center) + size;
    return !gjk_collinear3(*corners[0], *corners[1], *corners[2]);
}

const struct gjk_nearest_kernels LANES_FORM(gjk_nearest) = {find, make_triangle};
