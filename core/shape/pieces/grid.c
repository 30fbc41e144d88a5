/*
 * Builds the static tree over a height field in one pass, without sorting: a pyramid of minima and
 * maxima (Tevs, Ihrke and Seidel, Maximum Mipmaps for Fast, Accurate, and Scalable Dynamic Height
 * Field Rendering, 2008), in the nodes that queries walk in all shapes of pieces. A leaf is a block
 * of two cells in a row, a node a block of up to eight smaller blocks, as square as possible.
 * Blocks without a triangle are omitted.
 */

#include "shape/pieces/pieces.h"

#include "base/numbers.h"
#include "gjk/budget.h"
#include "shape/box.h"

#include <math.h>
#include <string.h>

/* Steps charged per node, with its leaves. */
#define NODE_STEPS 20

/* Number of cells along both sides of a block. */
typedef struct block_size {
    uint32_t columns, rows;
} block_size;

typedef struct grid_builder {
    const struct gjk_pieces *pieces;
    gjk_pieces_tree *tree;
    gjk_budget *budget;
    block_size cells; /* of the whole field */
    uint32_t height;
    block_size levels[GJK_PIECES_HEIGHT_MAX]; /* block sizes, leaves first */
} grid_builder;

/* The cells of a block that have triangles: first and last column and row, least and greatest
 * height. */
typedef struct cell_range {
    uint32_t columns[2], rows[2];
    double heights[2];
} cell_range;

static inline cell_range no_cells(void) {
    return (cell_range){{UINT32_MAX, 0}, {UINT32_MAX, 0}, {INFINITY, -INFINITY}};
}

/* Adds a cell to a range. Returns false if the cell has no triangles, because a corner is a hole. */
static inline bool add_cell(const gjk_heightfield *field, uint32_t column, uint32_t row,
                            cell_range *range) {
    const double *low = field->heights + (size_t)row * field->columns + column;
    const double *high = low + field->columns;
    if (isnan(low[0] + low[1] + high[0] + high[1])) {
        return false;
    }
    const double min = gjk_smaller(gjk_smaller(low[0], low[1]), gjk_smaller(high[0], high[1]));
    const double max = gjk_larger(gjk_larger(low[0], low[1]), gjk_larger(high[0], high[1]));
    range->columns[0] = column < range->columns[0] ? column : range->columns[0];
    range->columns[1] = column > range->columns[1] ? column : range->columns[1];
    range->rows[0] = row < range->rows[0] ? row : range->rows[0];
    range->rows[1] = row > range->rows[1] ? row : range->rows[1];
    range->heights[0] = gjk_smaller(range->heights[0], min);
    range->heights[1] = gjk_larger(range->heights[1], max);
    return true;
}

/* Returns the bounds of the triangles of a range that has some. */
static inline gjk_bounds bounds_of(const struct gjk_pieces *pieces, const cell_range *range) {
    const double *spacing = pieces->heightfield.spacing, rounding = pieces->rounding;
    return (gjk_bounds){{range->columns[0] * spacing[0] - rounding,
                         range->rows[0] * spacing[1] - rounding, range->heights[0] - rounding},
                        {(range->columns[1] + 1) * spacing[0] + rounding,
                         (range->rows[1] + 1) * spacing[1] + rounding,
                         range->heights[1] + rounding}};
}

bool gjk_grid_measure(const struct gjk_pieces *pieces, gjk_budget *budget, gjk_bounds *whole) {
    const gjk_heightfield *field = &pieces->heightfield;
    cell_range range = no_cells();
    bool has_cells = false;
    for (uint32_t row = 0; row + 1 < field->rows; row++) {
        for (uint32_t column = 0; column + 1 < field->columns; column++) {
            has_cells |= add_cell(field, column, row, &range);
        }
        if (gjk_budget_spend(budget, field->columns)) {
            return false;
        }
    }
    if (has_cells) {
        const gjk_bounds cells = bounds_of(pieces, &range);
        *whole = gjk_box_join(whole, &cells);
    }
    return has_cells;
}

/* --- Blocks --- */

/* Doubles the shorter side of a block, unless it spans the field already. */
static void double_block(const grid_builder *builder, block_size *block) {
    const double *spacing = builder->pieces->heightfield.spacing;
    const bool is_wide = block->columns >= builder->cells.columns;
    const bool is_tall = block->rows >= builder->cells.rows;
    if (!is_wide && (is_tall || block->columns * spacing[0] <= block->rows * spacing[1])) {
        block->columns *= 2;
    } else if (!is_tall) {
        block->rows *= 2;
    }
}

/* Returns the number of blocks with a side of `size` cells along `cells` cells. */
static uint32_t blocks_of(uint32_t cells, uint32_t size) {
    return (cells + size - 1) / size;
}

/* Sets the levels. Returns the maximum number of nodes. */
static size_t plan_levels(grid_builder *builder) {
    block_size block = {2, 1};
    size_t nodes = 0;
    builder->levels[builder->height++] = block;
    do {
        for (int i = 0; i < 3; i++) {
            double_block(builder, &block);
        }
        GJK_CHECK(builder->height < GJK_PIECES_HEIGHT_MAX);
        builder->levels[builder->height++] = block;
        nodes += (size_t)blocks_of(builder->cells.columns, block.columns) *
                 blocks_of(builder->cells.rows, block.rows);
    } while (block.columns < builder->cells.columns || block.rows < builder->cells.rows);
    return nodes;
}

/* --- Nodes --- */

/* A child, and its box in the tree's unit. */
typedef struct branch {
    gjk_piece_box box;
    uint32_t child;
} branch;

static uint32_t add_node(gjk_pieces_tree *tree) {
    gjk_pieces_node_clear(&tree->nodes[tree->node_count]);
    return tree->node_count++;
}

static void put_child(gjk_pieces_node *node, uint32_t i, const branch *child) {
    gjk_pieces_node_put(node, i, child->box.min, child->box.max, child->child);
}

/* Makes the branch that refers to a node. */
static branch branch_of(const gjk_pieces_tree *tree, uint32_t index) {
    const gjk_pieces_node *node = &tree->nodes[index];
    branch out = {.child = index};
    for (int axis = 0; axis < 3; axis++) {
        float min = node->min[axis][0], max = node->max[axis][0];
        for (uint32_t i = 1; i < GJK_PIECES_WIDTH; i++) {
            min = node->min[axis][i] < min ? node->min[axis][i] : min;
            max = node->max[axis][i] > max ? node->max[axis][i] : max;
        }
        out.box.min[axis] = min;
        out.box.max_xyz[axis] = max;
    }
    return out;
}

/* Makes a leaf of a cell and the one after it in its row, if there is one. Returns false if none of
 * them has a triangle. */
static bool build_leaf(const grid_builder *builder, uint32_t column, uint32_t row, branch *out) {
    const uint32_t end = column + 2 < builder->cells.columns ? column + 2 : builder->cells.columns;
    uint32_t first = 0, count = 0;
    cell_range range = no_cells();
    for (uint32_t x = column; x < end; x++) {
        if (add_cell(&builder->pieces->heightfield, x, row, &range)) {
            first = count == 0 ? 2 * (row * builder->cells.columns + x) : first;
            count += 2;
        }
    }
    if (count == 0) {
        return false;
    }
    const gjk_bounds box = bounds_of(builder->pieces, &range);
    out->box = gjk_pieces_tree_box(builder->tree, &box, 0);
    out->child = GJK_CHILD_LEAF | (count - 1) << GJK_CHILD_SLOT_BITS | first;
    return true;
}

/* Makes the node of the block at (column, row) of a level. Returns false if none of its cells has a
 * triangle, or if the budget is spent. */
static bool build_node(const grid_builder *builder, uint32_t level, uint32_t column, uint32_t row,
                       branch *out) {
    const block_size size = builder->levels[level], part = builder->levels[level - 1];
    const block_size cells = builder->cells;
    const uint32_t index = add_node(builder->tree);
    uint32_t count = 0;
    if (gjk_budget_spend(builder->budget, NODE_STEPS)) {
        return false;
    }
    for (uint32_t y = row; y < row + size.rows && y < cells.rows; y += part.rows) {
        for (uint32_t x = column; x < column + size.columns && x < cells.columns;
             x += part.columns) {
            branch child;
            const bool has_triangles = level > 1 ? build_node(builder, level - 1, x, y, &child)
                                                 : build_leaf(builder, x, y, &child);
            if (has_triangles) {
                put_child(&builder->tree->nodes[index], count++, &child);
            }
        }
    }
    if (count == 0) {
        builder->tree->node_count--;
        return false;
    }
    *out = branch_of(builder->tree, index);
    return true;
}

/* --- The tree --- */

/* Appends the nodes of a tree with the same unit, whose slots follow the cells'. Returns the index
 * of its root. */
static uint32_t append_tree(gjk_pieces_tree *tree, const gjk_pieces_tree *other) {
    const uint32_t root = tree->node_count;
    for (uint32_t n = 0; n < other->node_count; n++) {
        gjk_pieces_node *node = &tree->nodes[tree->node_count++];
        *node = other->nodes[n];
        for (uint32_t i = 0; i < GJK_PIECES_WIDTH; i++) {
            node->child[i] += gjk_child_is_leaf(node->child[i]) ? tree->cell_count : root;
        }
    }
    return root;
}

gjk_status gjk_grid_build(struct gjk_pieces *pieces, struct gjk_arena *scratch,
                          gjk_piece_box *base_boxes, uint32_t base_count) {
    const gjk_heightfield *field = &pieces->heightfield;
    gjk_pieces_tree *tree = &pieces->tree, base = *tree;
    grid_builder builder = {.pieces = pieces,
                            .tree = tree,
                            .budget = scratch->budget,
                            .cells = {field->columns - 1, field->rows - 1}};
    gjk_status status = gjk_pieces_tree_build(&base, scratch, scratch, base_boxes, base_count);
    if (status != GJK_OK) {
        return status;
    }
    const size_t nodes = plan_levels(&builder) + base.node_count + 1;
    tree->nodes = gjk_arena_alloc_array(&pieces->memory, nodes, sizeof *tree->nodes);
    tree->order = gjk_pieces_copy(pieces, base.order, base_count, sizeof *base.order);
    tree->cell_count = pieces->count;
    tree->slot_count = pieces->count + base_count;
    if (tree->nodes == NULL || pieces->lacks_memory) {
        return GJK_OUT_OF_MEMORY;
    }
    branch child;
    if (base_count > 0) {
        (void)add_node(tree); /* common root of the field and its base */
    }
    if (build_node(&builder, builder.height - 1, 0, 0, &child) && base_count > 0) {
        put_child(&tree->nodes[0], 0, &child);
        child = branch_of(tree, append_tree(tree, &base));
        put_child(&tree->nodes[0], 1, &child);
    }
    return gjk_budget_is_spent(scratch->budget) ? GJK_GIVEN_UP : GJK_OK;
}
