/*
 * Builds the static tree over the pieces of a shape, from the top: the boxes below a node are
 * halved, the dearest part first, until there are eight parts or each fits a leaf. A half is cut by
 * the surface area heuristic over 16 bins along the longest axis of the boxes' centres (Wald, On fast
 * Construction of SAH-based Bounding Volume Hierarchies, 2007). Where that is of no use, because all
 * centres coincide or the tree would get too high, it is cut in the middle of that order.
 */

#include "shape/pieces_tree.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define BINS 16
/* From this level on halves are equal, so that what is left of 2^29 pieces fits below. */
#define LEVEL_OF_EQUAL_HALVES (GJK_PIECES_HEIGHT_MAX - 12)

typedef struct range {
    uint32_t begin, end;
    float min[3], max[3]; /* of the boxes */
} range;

typedef struct tree_builder {
    gjk_pieces_tree *tree;
    gjk_piece_box *boxes;
    uint32_t node_capacity;
    bool failed;
} tree_builder;

/* --- Boxes --- */

/* The nearest float that is not above (below) x. */
static float round_down(double x) {
    float f = (float)x;
    return (double)f > x ? nextafterf(f, -INFINITY) : f;
}

static float round_up(double x) {
    float f = (float)x;
    return (double)f < x ? nextafterf(f, INFINITY) : f;
}

void gjk_pieces_tree_aim(gjk_pieces_tree *tree, const gjk_bounds *bounds) {
    const gjk_vec3 low = bounds->min, high = bounds->max;
    tree->center = (gjk_vec3){0.5 * low.x + 0.5 * high.x, 0.5 * low.y + 0.5 * high.y,
                              0.5 * low.z + 0.5 * high.z};
    double half =
        fmax(high.x - tree->center.x, fmax(high.y - tree->center.y, high.z - tree->center.z));
    int exponent = 0;
    if (half > 0.0) {
        (void)frexp(half, &exponent);
    }
    tree->unit = ldexp(1.0, exponent > -1000 ? -exponent : 1000);
}

gjk_piece_box gjk_pieces_tree_box(const gjk_pieces_tree *tree, const gjk_bounds *bounds,
                                  uint32_t piece) {
    const double low[3] = {bounds->min.x, bounds->min.y, bounds->min.z};
    const double high[3] = {bounds->max.x, bounds->max.y, bounds->max.z};
    const double center[3] = {tree->center.x, tree->center.y, tree->center.z};
    gjk_piece_box box = {.piece = piece};
    for (int axis = 0; axis < 3; axis++) {
        /* The subtraction rounds by less than a float's last place. */
        box.min[axis] = nextafterf(round_down((low[axis] - center[axis]) * tree->unit), -INFINITY);
        box.max[axis] = nextafterf(round_up((high[axis] - center[axis]) * tree->unit), INFINITY);
    }
    return box;
}

static void empty_box(float min[3], float max[3]) {
    for (int axis = 0; axis < 3; axis++) {
        min[axis] = INFINITY;
        max[axis] = -INFINITY;
    }
}

static inline void join_box(float min[3], float max[3], const float low[3], const float high[3]) {
    for (int axis = 0; axis < 3; axis++) {
        min[axis] = low[axis] < min[axis] ? low[axis] : min[axis];
        max[axis] = high[axis] > max[axis] ? high[axis] : max[axis];
    }
}

/* Half the surface: what the chance to be hit by a random line is proportional to. */
static float measure(const float min[3], const float max[3]) {
    float x = max[0] - min[0], y = max[1] - min[1], z = max[2] - min[2];
    return x * y + z * (x + y);
}

static inline float center_of(const gjk_piece_box *box, int axis) {
    return 0.5f * box->min[axis] + 0.5f * box->max[axis];
}

/* --- Cutting --- */

static range measure_range(const gjk_piece_box *boxes, uint32_t begin, uint32_t end) {
    range whole = {.begin = begin, .end = end};
    empty_box(whole.min, whole.max);
    for (uint32_t i = begin; i < end; i++) {
        join_box(whole.min, whole.max, boxes[i].min, boxes[i].max);
    }
    return whole;
}

typedef struct bin_set {
    float min[BINS][3], max[BINS][3];
    uint32_t count[BINS];
    int axis;
    float from, scale; /* bin of a centre c: (c - from) * scale */
} bin_set;

static inline uint32_t bin_of(const bin_set *bins, const gjk_piece_box *box) {
    float at = (center_of(box, bins->axis) - bins->from) * bins->scale;
    return at >= (float)(BINS - 1) ? BINS - 1 : (uint32_t)at;
}

/* Sorts the boxes of a range into bins along the longest axis of their centres. False: all the
 * centres coincide. */
static bool fill_bins(const gjk_piece_box *boxes, const range *part, bin_set *bins) {
    float low[3], high[3];
    empty_box(low, high);
    for (uint32_t i = part->begin; i < part->end; i++) {
        const float center[3] = {center_of(&boxes[i], 0), center_of(&boxes[i], 1),
                                 center_of(&boxes[i], 2)};
        join_box(low, high, center, center);
    }
    bins->axis = 0;
    for (int axis = 1; axis < 3; axis++) {
        bins->axis =
            high[axis] - low[axis] > high[bins->axis] - low[bins->axis] ? axis : bins->axis;
    }
    float length = high[bins->axis] - low[bins->axis];
    if (!(length > 0.0f) || !(length < INFINITY)) {
        return false;
    }
    bins->from = low[bins->axis];
    bins->scale = (float)BINS / length;
    if (!(bins->scale < INFINITY)) {
        return false;
    }
    for (int i = 0; i < BINS; i++) {
        empty_box(bins->min[i], bins->max[i]);
        bins->count[i] = 0;
    }
    for (uint32_t i = part->begin; i < part->end; i++) {
        uint32_t bin = bin_of(bins, &boxes[i]);
        join_box(bins->min[bin], bins->max[bin], boxes[i].min, boxes[i].max);
        bins->count[bin]++;
    }
    return true;
}

/* The first bin of the right half where the cost, area times pieces on both sides, is least. */
static uint32_t cheapest_cut(const bin_set *bins) {
    float right_cost[BINS], min[3], max[3], least = INFINITY;
    uint32_t count = 0, best = 0;
    empty_box(min, max);
    for (uint32_t i = BINS - 1; i > 0; i--) {
        join_box(min, max, bins->min[i], bins->max[i]);
        count += bins->count[i];
        right_cost[i] = count > 0 ? measure(min, max) * (float)count : 0.0f;
    }
    empty_box(min, max);
    count = 0;
    for (uint32_t i = 1; i < BINS; i++) {
        join_box(min, max, bins->min[i - 1], bins->max[i - 1]);
        count += bins->count[i - 1];
        float cost = (count > 0 ? measure(min, max) * (float)count : 0.0f) + right_cost[i];
        if (cost < least) {
            least = cost;
            best = i;
        }
    }
    return best;
}

static void swap(gjk_piece_box *a, gjk_piece_box *b) {
    gjk_piece_box c = *a;
    *a = *b;
    *b = c;
}

/* Brings the boxes of the left bins to the front; returns the first of the others. */
static uint32_t partition(gjk_piece_box *boxes, const range *part, const bin_set *bins,
                          uint32_t cut) {
    uint32_t left = part->begin, right = part->end;
    while (left < right) {
        if (bin_of(bins, &boxes[left]) < cut) {
            left++;
        } else {
            swap(&boxes[left], &boxes[--right]);
        }
    }
    return left;
}

static int by_center(const void *p, const void *q, int axis) {
    const gjk_piece_box *a = p, *b = q;
    float x = center_of(a, axis), y = center_of(b, axis);
    if (x != y) {
        return x < y ? -1 : 1;
    }
    return a->piece < b->piece ? -1 : a->piece > b->piece;
}

static int by_center_x(const void *p, const void *q) {
    return by_center(p, q, 0);
}
static int by_center_y(const void *p, const void *q) {
    return by_center(p, q, 1);
}
static int by_center_z(const void *p, const void *q) {
    return by_center(p, q, 2);
}

/* Halves by number, in the order of centres along the longest axis of the range. */
static uint32_t cut_in_the_middle(gjk_piece_box *boxes, const range *part) {
    static int (*const orders[3])(const void *, const void *) = {by_center_x, by_center_y,
                                                                 by_center_z};
    int longest = 0;
    for (int axis = 1; axis < 3; axis++) {
        bool longer = part->max[axis] - part->min[axis] > part->max[longest] - part->min[longest];
        longest = longer ? axis : longest;
    }
    qsort(boxes + part->begin, part->end - part->begin, sizeof boxes[0], orders[longest]);
    return part->begin + (part->end - part->begin) / 2;
}

static void cut(gjk_piece_box *boxes, range *part, uint32_t level, range *other) {
    bin_set bins;
    uint32_t middle = part->begin;
    if (level < LEVEL_OF_EQUAL_HALVES && fill_bins(boxes, part, &bins)) {
        middle = partition(boxes, part, &bins, cheapest_cut(&bins));
    }
    if (middle == part->begin || middle == part->end) {
        middle = cut_in_the_middle(boxes, part);
    }
    uint32_t end = part->end;
    *part = measure_range(boxes, part->begin, middle);
    *other = measure_range(boxes, middle, end);
}

/* --- Nodes --- */

/* Splits a range into at most eight; the one that costs most is cut next. */
static uint32_t split(gjk_piece_box *boxes, const range *whole, uint32_t level,
                      range parts[GJK_PIECES_WIDTH]) {
    uint32_t count = 1;
    parts[0] = *whole;
    while (count < GJK_PIECES_WIDTH) {
        float most = -1.0f;
        uint32_t dearest = count;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t pieces = parts[i].end - parts[i].begin;
            float cost = level < LEVEL_OF_EQUAL_HALVES
                             ? measure(parts[i].min, parts[i].max) * (float)pieces
                             : (float)pieces;
            if (pieces > GJK_PIECES_LEAF && !(cost <= most)) {
                most = cost;
                dearest = i;
            }
        }
        if (dearest == count) {
            break;
        }
        cut(boxes, &parts[dearest], level, &parts[count]);
        count++;
    }
    return count;
}

/* A node without children, or UINT32_MAX for want of memory. */
static uint32_t add_node(tree_builder *builder) {
    gjk_pieces_tree *tree = builder->tree;
    if (tree->node_count == builder->node_capacity) {
        uint32_t capacity = 2 * builder->node_capacity + 1;
        gjk_pieces_node *nodes = realloc(tree->nodes, capacity * sizeof *nodes);
        if (nodes == NULL) {
            builder->failed = true;
            return UINT32_MAX;
        }
        tree->nodes = nodes;
        builder->node_capacity = capacity;
    }
    gjk_pieces_node *node = &tree->nodes[tree->node_count];
    for (uint32_t i = 0; i < GJK_PIECES_WIDTH; i++) {
        for (int axis = 0; axis < 3; axis++) {
            node->min[axis][i] = INFINITY;
            node->max[axis][i] = -INFINITY;
        }
        node->child[i] = GJK_CHILD_LEAF;
    }
    return tree->node_count++;
}

static uint32_t build_node(tree_builder *builder, const range *whole, uint32_t level) {
    range parts[GJK_PIECES_WIDTH];
    uint32_t count = split(builder->boxes, whole, level, parts);
    uint32_t index = add_node(builder);
    for (uint32_t i = 0; i < count && !builder->failed; i++) {
        const range *part = &parts[i];
        uint32_t pieces = part->end - part->begin, child;
        if (pieces <= GJK_PIECES_LEAF) {
            child = GJK_CHILD_LEAF | (pieces - 1) << GJK_CHILD_SLOT_BITS | part->begin;
        } else {
            GJK_CHECK(level + 1 < GJK_PIECES_HEIGHT_MAX);
            child = build_node(builder, part, level + 1);
        }
        if (builder->failed) {
            break;
        }
        gjk_pieces_node *node = &builder->tree->nodes[index];
        for (int axis = 0; axis < 3; axis++) {
            node->min[axis][i] = part->min[axis];
            node->max[axis][i] = part->max[axis];
        }
        node->child[i] = child;
    }
    return index;
}

bool gjk_pieces_tree_build(gjk_pieces_tree *tree, gjk_piece_box *boxes, uint32_t count) {
    tree_builder builder = {.tree = tree, .boxes = boxes};
    tree->nodes = NULL;
    tree->order = NULL;
    tree->node_count = 0;
    tree->slot_count = count;
    if (count == 0) {
        return true;
    }
    range whole = measure_range(boxes, 0, count);
    (void)build_node(&builder, &whole, 0);
    gjk_pieces_node *fitted =
        builder.failed ? NULL : realloc(tree->nodes, tree->node_count * sizeof *tree->nodes);
    tree->nodes = fitted != NULL ? fitted : tree->nodes;
    tree->order = builder.failed ? NULL : malloc(count * sizeof *tree->order);
    if (tree->order == NULL) {
        gjk_pieces_tree_free(tree);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        tree->order[i] = boxes[i].piece;
    }
    return true;
}

void gjk_pieces_tree_free(gjk_pieces_tree *tree) {
    free(tree->nodes);
    free(tree->order);
    tree->nodes = NULL;
    tree->order = NULL;
}
