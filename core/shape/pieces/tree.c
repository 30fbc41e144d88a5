/*
 * Builds the static tree over the pieces of a shape, top-down: the boxes below a node are cut in
 * two, the most expensive part first, until there are eight parts or each fits into a leaf. Parts
 * whose leaves fit into the current node come before all others, because they then need no node of
 * their own. A part is cut by the surface area heuristic over 16 bins along the longest axis of the
 * boxes' centers (Wald, On fast Construction of SAH-based Bounding Volume Hierarchies, 2007). It is
 * cut at the median if all centers coincide or the tree would become too high.
 */

#include "shape/pieces/tree.h"

#include "base/large_pages.h"
#include "base/numbers.h"
#include "gjk/budget.h"
#include "gjk/sort.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE__
#include <immintrin.h>
#endif

#define BINS 16
/* Level from which parts are cut at the median, so that the height is bounded for 2^29 pieces. */
#define LEVEL_OF_EQUAL_HALVES (GJK_PIECES_HEIGHT_MAX - 12)

typedef struct box4 {
    gjk_float4 min, max;
} box4;

typedef struct range {
    uint32_t begin, end;
    box4 bounds; /* of the boxes */
} range;

typedef struct tree_builder {
    gjk_pieces_tree *tree;
    gjk_piece_box *boxes;
    gjk_pieces_node *nodes; /* by malloc */
    uint32_t node_capacity;
    struct gjk_arena *scratch;
    gjk_budget *budget;
    gjk_status status;
} tree_builder;

/* --- Boxes --- */

/* Returns a float below x by one to four units in the last place. */
static inline float float_below(double x) {
    const float f = (float)x;
    return f - (fabsf(f) * 0x1p-22f + FLT_MIN);
}

void gjk_pieces_tree_set_unit(gjk_pieces_tree *tree, const gjk_bounds *bounds) {
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
    gjk_piece_box box = {.max_xyz = {0.0f}};
    box.piece = piece;
    for (int axis = 0; axis < 3; axis++) {
        /* The subtraction rounds by less than a float's last place. */
        box.min[axis] = float_below((low[axis] - center[axis]) * tree->unit);
        box.max_xyz[axis] = -float_below(-((high[axis] - center[axis]) * tree->unit));
    }
    return box;
}

static inline gjk_float4 smaller(gjk_float4 a, gjk_float4 b) {
#ifdef __SSE__
    return (gjk_float4)_mm_min_ps((__m128)a, (__m128)b);
#else
    return (gjk_float4){a[0] < b[0] ? a[0] : b[0], a[1] < b[1] ? a[1] : b[1],
                        a[2] < b[2] ? a[2] : b[2], 0.0f};
#endif
}

static inline gjk_float4 larger(gjk_float4 a, gjk_float4 b) {
#ifdef __SSE__
    return (gjk_float4)_mm_max_ps((__m128)a, (__m128)b);
#else
    return (gjk_float4){a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1],
                        a[2] > b[2] ? a[2] : b[2], 0.0f};
#endif
}

static inline box4 empty_box(void) {
    return (box4){{INFINITY, INFINITY, INFINITY, 0.0f}, {-INFINITY, -INFINITY, -INFINITY, 0.0f}};
}

static inline void join_box(box4 *whole, gjk_float4 min, gjk_float4 max) {
    whole->min = smaller(min, whole->min);
    whole->max = larger(max, whole->max);
}

/* Returns half the surface, which is proportional to the probability that a random line meets the
 * box. */
static float half_surface(const box4 *bounds) {
    const gjk_float4 side = bounds->max - bounds->min;
    return side[0] * side[1] + side[2] * (side[0] + side[1]);
}

/* Returns twice the center; only comparisons use it. */
static inline float center_of(const gjk_piece_box *box, int axis) {
    return box->min[axis] + box->max[axis];
}

/* --- Cutting --- */

static range measure_range(const gjk_piece_box *boxes, uint32_t begin, uint32_t end) {
    range whole = {.begin = begin, .end = end, .bounds = empty_box()};
    for (uint32_t i = begin; i < end; i++) {
        join_box(&whole.bounds, boxes[i].min, boxes[i].max);
    }
    return whole;
}

typedef struct bin_set {
    box4 bounds[BINS];
    uint32_t count[BINS];
    int axis;
    float from, scale; /* bin of a center c: (c - from) * scale */
} bin_set;

static inline uint32_t bin_of(const bin_set *bins, const gjk_piece_box *box) {
    float at = (center_of(box, bins->axis) - bins->from) * bins->scale;
    return at >= (float)(BINS - 1) ? BINS - 1 : (uint32_t)at;
}

/* Sorts the boxes of a range into bins along the longest axis of their centers. Returns false if
 * all centers coincide. */
static bool fill_bins(const gjk_piece_box *boxes, const range *part, bin_set *bins) {
    box4 centers = empty_box();
    for (uint32_t i = part->begin; i < part->end; i++) {
        const gjk_float4 center = boxes[i].min + boxes[i].max;
        join_box(&centers, center, center);
    }
    const gjk_float4 low = centers.min, high = centers.max;
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
        bins->bounds[i] = empty_box();
        bins->count[i] = 0;
    }
    for (uint32_t i = part->begin; i < part->end; i++) {
        uint32_t bin = bin_of(bins, &boxes[i]);
        join_box(&bins->bounds[bin], boxes[i].min, boxes[i].max);
        bins->count[bin]++;
    }
    return true;
}

/* Returns the number of leaves for a number of pieces. */
static inline uint32_t leaves_of(uint32_t pieces) {
    return (pieces + GJK_PIECES_LEAF - 1) / GJK_PIECES_LEAF;
}

/* Returns the first bin of the right part for the cut with the least cost: area times leaves,
 * summed over both parts. */
static uint32_t cheapest_cut(const bin_set *bins) {
    float right_cost[BINS], least = INFINITY;
    uint32_t count = 0, best = 0;
    box4 side = empty_box();
    for (uint32_t i = BINS - 1; i > 0; i--) {
        join_box(&side, bins->bounds[i].min, bins->bounds[i].max);
        count += bins->count[i];
        right_cost[i] = count > 0 ? half_surface(&side) * (float)leaves_of(count) : 0.0f;
    }
    side = empty_box();
    count = 0;
    for (uint32_t i = 1; i < BINS; i++) {
        join_box(&side, bins->bounds[i - 1].min, bins->bounds[i - 1].max);
        count += bins->count[i - 1];
        float cost =
            (count > 0 ? half_surface(&side) * (float)leaves_of(count) : 0.0f) + right_cost[i];
        if (cost < least) {
            least = cost;
            best = i;
        }
    }
    return best;
}

/* Moves the boxes of the left bins to the front. Returns the first of the others. */
static uint32_t partition(gjk_piece_box *boxes, const range *part, const bin_set *bins,
                          uint32_t cut) {
    uint32_t left = part->begin, right = part->end;
    while (left < right) {
        if (bin_of(bins, &boxes[left]) < cut) {
            left++;
        } else {
            const gjk_piece_box box = boxes[left];
            boxes[left] = boxes[--right];
            boxes[right] = box;
        }
    }
    return left;
}

/* Compares by the key in the fourth lane of `min`, then by piece. */
static int by_key(const void *p, const void *q) {
    const gjk_piece_box *a = p, *b = q;
    const int order = GJK_COMPARE(a->min[3], b->min[3]);
    return order != 0 ? order : GJK_COMPARE(a->piece, b->piece);
}

/* Cuts a range at the median of the centers along its longest axis. Returns the begin of the second
 * half. */
static uint32_t cut_in_the_middle(tree_builder *builder, const range *part) {
    const gjk_float4 side = part->bounds.max - part->bounds.min;
    int longest = 0;
    for (int axis = 1; axis < 3; axis++) {
        longest = side[axis] > side[longest] ? axis : longest;
    }
    for (uint32_t i = part->begin; i < part->end; i++) {
        builder->boxes[i].min[3] = center_of(&builder->boxes[i], longest);
    }
    builder->status = gjk_sort(builder->scratch, builder->boxes + part->begin,
                               part->end - part->begin, sizeof *builder->boxes, by_key);
    return part->begin + (part->end - part->begin) / 2;
}

/* Returns the box of the bins [first, end). */
static box4 join_bins(const bin_set *bins, uint32_t first, uint32_t end) {
    box4 all = empty_box();
    for (uint32_t i = first; i < end; i++) {
        join_box(&all, bins->bounds[i].min, bins->bounds[i].max);
    }
    return all;
}

static void cut_range(tree_builder *builder, range *part, uint32_t level, range *other) {
    gjk_piece_box *boxes = builder->boxes;
    const uint32_t begin = part->begin, end = part->end;
    bin_set bins;
    if (level < LEVEL_OF_EQUAL_HALVES && fill_bins(boxes, part, &bins)) {
        const uint32_t first_right = cheapest_cut(&bins);
        const uint32_t middle = partition(boxes, part, &bins, first_right);
        if (middle > begin && middle < end) {
            *part = (range){begin, middle, join_bins(&bins, 0, first_right)};
            *other = (range){middle, end, join_bins(&bins, first_right, BINS)};
            return;
        }
    }
    const uint32_t middle = cut_in_the_middle(builder, part);
    *part = measure_range(boxes, begin, middle);
    *other = measure_range(boxes, middle, end);
}

/* --- Nodes --- */

/* Splits a range into at most eight parts; the most expensive one is cut next. Returns their
 * number. */
static uint32_t split(tree_builder *builder, const range *whole, uint32_t level,
                      range parts[GJK_PIECES_WIDTH]) {
    uint32_t count = 1;
    parts[0] = *whole;
    while (count < GJK_PIECES_WIDTH && builder->status == GJK_OK) {
        float most = -1.0f;
        uint32_t dearest = count;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t pieces = parts[i].end - parts[i].begin;
            float cost = level < LEVEL_OF_EQUAL_HALVES
                             ? half_surface(&parts[i].bounds) * (float)pieces
                             : (float)pieces;
            /* Parts whose leaves fit into this node come first: they need no node of their own. */
            const uint32_t leaves = leaves_of(pieces);
            if (leaves <= GJK_PIECES_WIDTH - count + 1) {
                cost = leaves == 2 ? INFINITY : 0x1p100f * cost;
            }
            if (pieces > GJK_PIECES_LEAF && !(cost <= most)) {
                most = cost;
                dearest = i;
            }
        }
        if (dearest == count) {
            break;
        }
        if (gjk_budget_spend(builder->budget, 2 * (parts[dearest].end - parts[dearest].begin))) {
            builder->status = GJK_GIVEN_UP;
            break;
        }
        cut_range(builder, &parts[dearest], level, &parts[count]);
        count++;
    }
    return count;
}

static bool grow(tree_builder *builder) {
    /* Initial capacity: three pieces per leaf and six leaves per node. */
    const uint32_t capacity = builder->node_capacity == 0 ? builder->tree->slot_count / 18 + 1
                                                          : 2 * builder->node_capacity;
    gjk_pieces_node *nodes = realloc(builder->nodes, capacity * sizeof *nodes);
    if (nodes == NULL) {
        builder->status = GJK_OUT_OF_MEMORY;
        return false;
    }
    gjk_prefer_large_pages(nodes, capacity * sizeof *nodes, true);
    builder->nodes = nodes;
    builder->node_capacity = capacity;
    return true;
}

static uint32_t build_node(tree_builder *builder, const range *whole, uint32_t level) {
    range parts[GJK_PIECES_WIDTH];
    uint32_t count = split(builder, whole, level, parts);
    gjk_pieces_tree *tree = builder->tree;
    if (builder->status != GJK_OK ||
        (tree->node_count == builder->node_capacity && !grow(builder))) {
        return UINT32_MAX;
    }
    const uint32_t index = tree->node_count++;
    gjk_pieces_node_clear(&builder->nodes[index]);
    for (uint32_t i = 0; i < count && builder->status == GJK_OK; i++) {
        const range *part = &parts[i];
        uint32_t pieces = part->end - part->begin, child;
        if (pieces <= GJK_PIECES_LEAF) {
            child = GJK_CHILD_LEAF | (pieces - 1) << GJK_CHILD_SLOT_BITS | part->begin;
        } else {
            GJK_CHECK(level + 1 < GJK_PIECES_HEIGHT_MAX);
            child = build_node(builder, part, level + 1);
        }
        if (builder->status != GJK_OK) {
            break;
        }
        gjk_pieces_node_put(&builder->nodes[index], i, part->bounds.min, part->bounds.max, child);
    }
    return index;
}

/* Copies the tree to the arena, now that its size is known. */
static gjk_status keep_tree(const tree_builder *builder, struct gjk_arena *arena, uint32_t count) {
    gjk_pieces_tree *tree = builder->tree;
    tree->nodes = gjk_arena_alloc_array(arena, tree->node_count, sizeof *tree->nodes);
    tree->order = gjk_arena_alloc_array(arena, count, sizeof *tree->order);
    if (tree->nodes == NULL || tree->order == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    memcpy(tree->nodes, builder->nodes, tree->node_count * sizeof *tree->nodes);
    for (uint32_t i = 0; i < count; i++) {
        tree->order[i] = builder->boxes[i].piece;
    }
    return GJK_OK;
}

gjk_status gjk_pieces_tree_build(gjk_pieces_tree *tree, struct gjk_arena *arena,
                                 struct gjk_arena *scratch, gjk_piece_box *boxes, uint32_t count) {
    tree_builder builder = {.tree = tree,
                            .boxes = boxes,
                            .scratch = scratch,
                            .budget = scratch->budget};
    tree->nodes = NULL;
    tree->order = NULL;
    tree->node_count = 0;
    tree->slot_count = count;
    if (count == 0) {
        return GJK_OK;
    }
    range whole = measure_range(boxes, 0, count);
    (void)build_node(&builder, &whole, 0);
    const gjk_status status =
        builder.status == GJK_OK ? keep_tree(&builder, arena, count) : builder.status;
    free(builder.nodes);
    return status;
}
