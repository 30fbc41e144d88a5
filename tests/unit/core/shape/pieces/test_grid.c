/* Does the tree of a height field hold every triangle once, in boxes that hold it, and do rays find
 * what they find cell by cell? Fields with holes and without, of holes alone, narrow, flat, huge,
 * tiny, rounded, with a base. */

#include "shape/pieces/pieces.h"

#include "failing_malloc.h"
#include "gjk/budget.h"
#include "gjk/ray.h"
#include "shape/pieces/walk.h"
#include "support/rng.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

#define FIELDS TEST_CASES(200)
#define RAYS 16
#define SIDE_MAX 40

static double heights[SIDE_MAX * SIDE_MAX];
static gjk_pieces_fault fault;
static gjk_shape shape;
TEST_ARENA(arena)

/* One sample in `once_in` is a hole; 0: none. */
static gjk_heightfield make_field(test_rng *rng, uint32_t once_in) {
    static const double highest[6] = {0, 1, 1e-9, 1e3, 1e15, 1};
    const double high = highest[test_rng_below(rng, 6)];
    const uint32_t is_narrow = test_rng_below(rng, 4);
    gjk_heightfield field = {
        .columns = is_narrow == 0 ? 2 : 2 + test_rng_below(rng, SIDE_MAX - 1),
        .rows = is_narrow == 1 ? 2 : 2 + test_rng_below(rng, SIDE_MAX - 1),
        .spacing = {test_rng_magnitude(rng, -2, 2), test_rng_magnitude(rng, -2, 2)},
        .heights = heights,
        .has_base = once_in == 0 && test_rng_once_in(rng, 2),
        .base = -1,
    };
    for (uint32_t i = 0; i < field.columns * field.rows; i++) {
        const bool is_hole = once_in > 0 && test_rng_once_in(rng, once_in);
        heights[i] = is_hole ? NAN : test_rng_uniform(rng, 0, high);
    }
    return field;
}

/* --- The tree --- */

static uint32_t seen[2 * SIDE_MAX * SIDE_MAX + 8 * SIDE_MAX];

static void check_leaf(const gjk_pieces_tree *tree, uint32_t child, const float min[3],
                       const float max[3]) {
    const uint32_t first = gjk_child_first_slot(child), count = gjk_child_slot_count(child);
    for (uint32_t slot = first; slot < first + count; slot++) {
        const uint32_t piece = gjk_slot_piece(tree, slot);
        const double rounding = shape.pieces->rounding;
        gjk_vec3 corners[3];
        ck_assert_uint_lt(slot, tree->slot_count);
        ck_assert(gjk_piece_exists(shape.pieces, piece));
        seen[piece < GJK_PIECES_MAX ? piece : shape.pieces->count + piece - GJK_PIECES_MAX]++;
        gjk_pieces_triangle(shape.pieces, piece, corners);
        for (uint32_t k = 0; k < 3; k++) {
            const double at[3] = {corners[k].x, corners[k].y, corners[k].z};
            const double center[3] = {tree->center.x, tree->center.y, tree->center.z};
            for (uint32_t axis = 0; axis < 3; axis++) {
                ck_assert((at[axis] - rounding - center[axis]) * tree->unit >= (double)min[axis]);
                ck_assert((at[axis] + rounding - center[axis]) * tree->unit <= (double)max[axis]);
            }
        }
    }
}

static void check_node(const gjk_pieces_tree *tree, uint32_t index, const float min[3],
                       const float max[3]) {
    const gjk_pieces_node *node = &tree->nodes[index];
    ck_assert_uint_lt(index, tree->node_count);
    for (uint32_t i = 0; i < GJK_PIECES_WIDTH; i++) {
        float low[3], high[3];
        for (uint32_t axis = 0; axis < 3; axis++) {
            low[axis] = node->min[axis][i];
            high[axis] = node->max[axis][i];
        }
        if (!(low[0] <= high[0])) {
            continue;
        }
        for (uint32_t axis = 0; axis < 3; axis++) {
            ck_assert(min[axis] <= low[axis] && high[axis] <= max[axis]);
        }
        if (gjk_child_is_leaf(node->child[i])) {
            check_leaf(tree, node->child[i], low, high);
        } else {
            check_node(tree, node->child[i], low, high);
        }
    }
}

static void check_tree(void) {
    const struct gjk_pieces *pieces = shape.pieces;
    const float min[3] = {-1, -1, -1}, max[3] = {1, 1, 1};
    memset(seen, 0, sizeof seen);
    if (pieces->tree.node_count > 0) {
        check_node(&pieces->tree, 0, min, max);
    }
    for (uint32_t n = 0; n < pieces->count + pieces->base_count; n++) {
        ck_assert_uint_eq(seen[n], gjk_piece_exists(pieces, gjk_pieces_index(pieces, n)));
    }
}

/* --- Rays --- */

/* Anyhow, straight down or along a grid line, or at a sample. */
static gjk_ray make_ray(test_rng *rng, const gjk_heightfield *field) {
    const double far_x = field->columns * field->spacing[0];
    const double far_y = field->rows * field->spacing[1];
    const uint32_t sample = test_rng_below(rng, field->columns * field->rows);
    const uint32_t row = sample / field->columns;
    const gjk_vec3 at = {sample % field->columns * field->spacing[0], row * field->spacing[1],
                         isnan(heights[sample]) ? 0 : heights[sample]};
    gjk_vec3 origin = {test_rng_uniform(rng, -0.2 * far_x, 1.2 * far_x),
                       test_rng_uniform(rng, -0.2 * far_y, 1.2 * far_y),
                       test_rng_uniform(rng, -2, 2) * shape.size};
    gjk_vec3 direction = test_rng_direction(rng, 3);
    switch (test_rng_below(rng, 4)) {
    case 0:
        origin = (gjk_vec3){at.x, at.y, shape.size + at.z};
        direction = (gjk_vec3){0, 0, -1};
        break;
    case 1:
        origin = (gjk_vec3){at.x, -far_y, at.z};
        direction = (gjk_vec3){0, 1, 0};
        break;
    case 2:
        direction = gjk_sub3(at, origin);
        break;
    default:
        break;
    }
    gjk_ray ray;
    ck_assert_int_eq(gjk_ray_make(origin, direction, INFINITY, &ray), GJK_OK);
    return ray;
}

/* The nearest hit of all triangles, asked one by one; the least of equals. */
static gjk_ray_result ask_each(const gjk_placed *whole, const gjk_ray *ray,
                               const gjk_ray_settings *settings) {
    gjk_ray_result best = {.piece = GJK_NO_PIECE};
    uint32_t next = 0, index;
    while (gjk_pieces_next(whole->shape->pieces, NULL, &next, &index)) {
        gjk_piece piece;
        gjk_piece_make(whole, index, &piece);
        const gjk_ray_result hit = gjk_raycast(&piece.placed, ray, settings);
        const bool is_first = hit.inside != best.inside ? hit.inside : hit.distance < best.distance;
        if (hit.hit && (!best.hit || is_first)) {
            best = hit;
            best.piece = index;
        }
    }
    return best;
}

static void check_rays(test_rng *rng, const gjk_heightfield *field) {
    const gjk_placed whole = {&shape, gjk_pose_identity()};
    const gjk_ray_settings settings = gjk_ray_settings_default();
    for (uint32_t i = 0; i < RAYS; i++) {
        const gjk_ray ray = make_ray(rng, field);
        const gjk_ray_result hit = gjk_raycast(&whole, &ray, &settings);
        if (hit.inside && hit.piece == GJK_NO_PIECE) {
            ck_assert(field->has_base); /* it starts in the solid */
            continue;
        }
        const gjk_ray_result truth = ask_each(&whole, &ray, &settings);
        ck_assert_int_eq(hit.hit, truth.hit);
        ck_assert_int_eq(hit.inside, truth.inside);
        ck_assert_uint_eq(hit.piece, truth.piece);
        ck_assert(hit.distance == truth.distance);
    }
}

TEST(every_triangle_is_in_the_tree_and_found) {
    static const uint32_t holes[4] = {0, 20, 2, 1};
    test_rng rng = test_rng_make(61);
    for (uint32_t i = 0; i < FIELDS; i++) {
        const gjk_heightfield field = make_field(&rng, holes[i % 4]);
        const double rounding = test_rng_once_in(&rng, 4) ? 0.5 : 0;
        ck_assert_int_eq(gjk_shape_make_heightfield(&arena, &field, rounding, &fault, &shape),
                         GJK_OK);
        check_tree();
        ck_assert(i % 4 != 3 || gjk_shape_is_empty(&shape));
        check_rays(&rng, &field);
        gjk_arena_reset(&arena);
    }
}

/* --- Limits --- */

static bool is_over(void *user) {
    uint32_t *left = user;
    return (*left)-- == 0;
}

TEST(a_build_ends_with_its_budget) {
    static double flat[500 * 500];
    const gjk_heightfield field = {.columns = 500,
                                   .rows = 500,
                                   .spacing = {1, 1},
                                   .heights = flat,
                                   .has_base = true};
    gjk_status status = GJK_GIVEN_UP;
    uint32_t questions = 0;
    for (; status != GJK_OK; questions++) {
        uint32_t left = questions;
        gjk_budget budget = gjk_budget_make(is_over, &left);
        gjk_arena_set_budget(&arena, &budget);
        status = gjk_shape_make_heightfield(&arena, &field, 0, &fault, &shape);
        ck_assert_int_eq(status, budget.is_spent ? GJK_GIVEN_UP : GJK_OK);
        gjk_arena_set_budget(&arena, NULL);
        gjk_arena_reset(&arena);
    }
    ck_assert_uint_gt(questions, 100);
}

TEST(a_build_needs_memory) {
    static double flat[9 * 9];
    const gjk_heightfield field = {.columns = 9,
                                   .rows = 9,
                                   .spacing = {1, 1},
                                   .heights = flat,
                                   .has_base = true};
    bool has_failed = true;
    for (unsigned n = 0; has_failed; n++) {
        struct gjk_arena own;
        gjk_arena_init(&own, 0);
        test_malloc_fail(n);
        const gjk_status status = gjk_shape_make_heightfield(&own, &field, 0, &fault, &shape);
        has_failed = test_malloc_restore();
        gjk_arena_fini(&own);
        ck_assert_int_eq(status, has_failed ? GJK_OUT_OF_MEMORY : GJK_OK);
        ck_assert_uint_lt(n, 64);
    }
}
