/*
 * Does a tree hold every body in every box above it, share what an edit leaves alone, stay low
 * and leave everything as it was when memory runs out?
 */

#include "tree/node.h"
#include "tree/tree.h"
#include "tree/walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/angle.h"
#include "failing_malloc.h"
#include "support/rng.h"
#include "support/test.h"

#define BODIES 3000

static struct gjk_arena arena;
static gjk_shape box3, ball2;
static gjk_body bodies[BODIES], others[BODIES];
static gjk_tree_change changes[BODIES];

static void set_up(void) {
    gjk_arena_init(&arena, 0);
    ck_assert_int_eq(gjk_shape_make_box(&arena, 3, (gjk_vec3){1, 2, 3}, 0, &box3), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_ball(&arena, 2, 1, 0, &ball2), GJK_OK);
}

static void tear_down(void) {
    gjk_arena_fini(&arena);
}

TEST_FIXTURE(set_up, tear_down)

static gjk_body make_body(uint32_t handle, gjk_vec3 position) {
    gjk_body body = {.id = "", .handle = handle, .placed = {&box3, gjk_pose_identity()}};
    body.placed.pose.position = position;
    return body;
}

static gjk_vec3 random_place(test_rng *rng, double half) {
    return (gjk_vec3){test_rng_uniform(rng, -half, half), test_rng_uniform(rng, -half, half),
                      test_rng_uniform(rng, -half, half)};
}

static void make_bodies(test_rng *rng, double half) {
    for (uint32_t i = 0; i < BODIES; i++) {
        bodies[i] = make_body(i, random_place(rng, half));
        others[i] = bodies[i];
        changes[i] = (gjk_tree_change){NULL, &bodies[i]};
    }
}

static struct gjk_tree *edit(const struct gjk_tree *tree, uint32_t count) {
    struct gjk_tree *out = NULL;
    ck_assert_int_eq(gjk_tree_edit(tree, 3, changes, count, NULL, &out), GJK_OK);
    return out;
}

/* Checks a node against its branches, and counts each body. */
static void check_node(const gjk_tree_node *node, uint8_t *seen, uint32_t *height) {
    uint32_t count = 0, highest = 0, nodes = 1;
    ck_assert(node->used >= 1 && node->used <= GJK_TREE_WIDTH);
    for (uint32_t i = 0; i < node->used; i++) {
        gjk_branch branch = gjk_branch_at(node, i);
        count += gjk_branch_count(&branch);
        ck_assert_uint_le(branch.first, branch.last);
        if (branch.kind == GJK_BRANCH_NODE) {
            const gjk_tree_node *below = branch.what;
            gjk_branch fit = gjk_branch_of_node(below);
            ck_assert(gjk_box_holds(&branch.box, &fit.box) && gjk_box_holds(&fit.box, &branch.box));
            ck_assert(branch.first == fit.first && branch.last == fit.last);
            uint32_t high;
            check_node(below, seen, &high);
            highest = high > highest ? high : highest;
            nodes += below->nodes;
        } else {
            const gjk_motion *motion = branch.what;
            const gjk_body *body =
                branch.kind == GJK_BRANCH_MOTION ? motion->from : (const gjk_body *)branch.what;
            gjk_bounds fit = gjk_box_of(&body->placed);
            ck_assert(gjk_box_holds(&branch.box, &fit));
            ck_assert_uint_eq(branch.first, body->handle);
            seen[body->handle]++;
        }
    }
    for (uint32_t i = node->used; i < GJK_TREE_WIDTH; i++) {
        ck_assert(node->min[0][i] == INFINITY && node->max[0][i] == -INFINITY);
    }
    *height = highest + 1;
    ck_assert_uint_eq(node->height, *height);
    ck_assert_uint_eq(node->count, count);
    ck_assert_uint_eq(node->nodes, nodes);
}

/* Every body that `held` names once, nobody else, and not too high. */
static void check_tree(const struct gjk_tree *tree, const uint8_t *held) {
    static uint8_t seen[BODIES];
    uint32_t height, limit = GJK_TREE_HEIGHT_SPARE, count = tree->root->count;
    memset(seen, 0, sizeof seen);
    check_node(tree->root, seen, &height);
    ck_assert_mem_eq(seen, held, sizeof seen);
    for (; count > 0; count >>= 1) {
        limit++;
    }
    ck_assert_uint_le(height, limit);
}

static void hold_all(uint8_t *held) {
    memset(held, 1, BODIES);
}

TEST(every_body_in_every_box_above_it) {
    static uint8_t held[BODIES];
    test_rng rng = test_rng_make(41);
    make_bodies(&rng, 100);
    hold_all(held);
    struct gjk_tree *tree = edit(NULL, BODIES);
    check_tree(tree, held);
    ck_assert_uint_eq(tree->root->count, BODIES);
    ck_assert_uint_eq(gjk_tree_bytes(tree), gjk_tree_added_bytes(tree));
    gjk_tree_release(tree);
    gjk_tree_release(NULL);
    ck_assert_ptr_null(edit(NULL, 0));
}

/* Among bodies at one place the middle of the handles is what parts them. */
TEST(coincident_bodies_are_found) {
    static uint8_t held[BODIES];
    test_rng rng = test_rng_make(42);
    make_bodies(&rng, 0);
    hold_all(held);
    struct gjk_tree *tree = edit(NULL, BODIES);
    check_tree(tree, held);
    for (uint32_t i = 0; i < 100; i++) {
        uint32_t gone = 29 * i;
        changes[0] = (gjk_tree_change){&bodies[gone], NULL};
        struct gjk_tree *next = edit(tree, 1);
        held[gone] = 0;
        check_tree(next, held);
        /* a path, not the whole */
        ck_assert_uint_le(gjk_tree_added_bytes(next),
                          sizeof *next + 12 * GJK_TREE_WIDTH * sizeof(gjk_tree_node));
        gjk_tree_release(tree);
        tree = next;
    }
    gjk_tree_release(tree);
}

TEST(an_edit_shares_what_it_leaves_alone) {
    static uint8_t held[BODIES];
    test_rng rng = test_rng_make(43);
    make_bodies(&rng, 100);
    hold_all(held);
    struct gjk_tree *tree = edit(NULL, BODIES);
    others[17].placed.pose.position.x += 0.5;
    changes[0] = (gjk_tree_change){&bodies[17], &others[17]};
    struct gjk_tree *next = edit(tree, 1);
    ck_assert_uint_le(gjk_tree_added_bytes(next),
                      sizeof *next + next->root->height * sizeof(gjk_tree_node));
    struct gjk_tree *same = edit(tree, 0);
    ck_assert_ptr_eq(same->root, tree->root);
    check_tree(tree, held);
    gjk_tree_release(tree);
    check_tree(next, held);
    check_tree(same, held);
    gjk_tree_release(next);
    gjk_tree_release(same);
}

/* Lines of newcomers, each beside the last, make the longest paths. */
TEST(a_tree_stays_low) {
    static uint8_t held[BODIES];
    struct gjk_tree *tree = NULL;
    memset(held, 0, sizeof held);
    for (uint32_t i = 0; i < BODIES; i++) {
        bodies[i] = make_body(i, (gjk_vec3){ldexp(1, (int)(i % 400)), 0, 0});
        changes[0] = (gjk_tree_change){NULL, &bodies[i]};
        struct gjk_tree *next = edit(tree, 1);
        held[i] = 1;
        if (i % 97 == 0) {
            check_tree(next, held);
        }
        gjk_tree_release(tree);
        tree = next;
    }
    check_tree(tree, held);
    gjk_tree_release(tree);
}

/* Compares a tree with one that is built from its bodies at once. */
static void check_load(const struct gjk_tree *tree, const gjk_body *at, double factor) {
    for (uint32_t i = 0; i < BODIES; i++) {
        changes[i] = (gjk_tree_change){NULL, &at[i]};
    }
    struct gjk_tree *fresh = edit(NULL, BODIES);
    ck_assert_double_lt(tree->root->load, factor * fresh->root->load);
    gjk_tree_release(fresh);
}

/* A crowd that spreads over a hundred times its room must not end in boxes over everything. */
TEST(worn_branches_are_built_anew) {
    static uint8_t held[BODIES];
    test_rng rng = test_rng_make(44);
    make_bodies(&rng, 10);
    hold_all(held);
    struct gjk_tree *tree = edit(NULL, BODIES);
    gjk_body *here = bodies, *there = others;
    for (int round = 0; round < 40; round++) {
        for (uint32_t i = 0; i < BODIES; i++) {
            gjk_vec3 *at = &there[i].placed.pose.position;
            there[i] = here[i];
            *at = gjk_add3(gjk_scale3(1.1, *at), random_place(&rng, 0.5));
            changes[i] = (gjk_tree_change){&here[i], &there[i]};
        }
        struct gjk_tree *next = edit(tree, BODIES);
        gjk_tree_release(tree);
        tree = next;
        gjk_body *swap = here;
        here = there;
        there = swap;
    }
    check_tree(tree, held);
    check_load(tree, here, 1.6);
    gjk_tree_release(tree);
}

/* However the bodies stand after they have all jumped, spread or crowded ever closer to a corner, which no
 * plane in the middle cuts. */
TEST(bodies_that_jump_are_built_anew) {
    static uint8_t held[BODIES];
    test_rng rng = test_rng_make(45);
    make_bodies(&rng, 100);
    hold_all(held);
    struct gjk_tree *tree = edit(NULL, BODIES);
    gjk_body *here = bodies, *there = others;
    for (int round = 0; round < 6; round++) {
        for (uint32_t i = 0; i < BODIES; i++) {
            there[i] = here[i];
            there[i].placed.pose.position =
                round % 3 < 2 ? random_place(&rng, 100)
                              : (gjk_vec3){ldexp(1, (int)(i % 400)), ldexp(1, (int)(i % 7)), 0};
            changes[i] = (gjk_tree_change){&here[i], &there[i]};
        }
        struct gjk_tree *next = edit(tree, BODIES);
        check_tree(next, held);
        ck_assert_uint_eq(gjk_tree_bytes(next), gjk_tree_added_bytes(next));
        check_load(next, there, 1.25);
        gjk_tree_release(tree);
        tree = next;
        gjk_body *swap = here;
        here = there;
        there = swap;
    }
    gjk_tree_release(tree);
}

/* At every alpha the body on its way is in its box. */
TEST(a_span_holds_bodies_on_their_way) {
    static uint8_t held[BODIES];
    test_rng rng = test_rng_make(45);
    make_bodies(&rng, 50);
    hold_all(held);
    struct gjk_tree *tree = edit(NULL, BODIES), *span;
    for (uint32_t i = 0; i < BODIES / 2; i++) {
        gjk_vec3 by = random_place(&rng, 20);
        gjk_vec3 at = gjk_add3(bodies[i].placed.pose.position, by);
        gjk_quat turn = {0, 0, 0, 1};
        if (i % 2 == 1) { /* by any angle, from small ones to half turns */
            turn = gjk_slerp3(turn, test_rng_rotation(&rng), (i / 2 % 8 + 1) / 8.0);
        }
        ck_assert_int_eq(gjk_pose_make3(at, turn, &others[i].placed.pose), GJK_OK);
        changes[i] = (gjk_tree_change){&bodies[i], &others[i]};
    }
    changes[0].to = NULL; /* taken out: it stays until then */
    changes[1].from = NULL;
    ck_assert_int_eq(gjk_tree_span(tree, changes, BODIES / 2, NULL, &span), GJK_OK);
    check_tree(span, held);
    for (uint32_t i = 2; i < BODIES / 2; i++) {
        const gjk_bounds all = gjk_tree_bounds(span);
        gjk_branch at;
        uint32_t found = 0;
        static gjk_branch leaves[BODIES];
        gjk_branch root = gjk_branch_of_node(span->root);
        if (i == 2) {
            (void)gjk_branch_collect(&root, leaves);
        }
        for (; leaves[found].first != i; found++) {
        }
        at = leaves[found];
        ck_assert_int_eq(at.kind, GJK_BRANCH_MOTION);
        for (int k = 0; k <= 8; k++) {
            const gjk_quat none = {0, 0, 0, 1};
            gjk_placed way = bodies[i].placed;
            gjk_vec3 p = bodies[i].placed.pose.position, q = others[i].placed.pose.position;
            way.pose.position = gjk_add3(p, gjk_scale3(k / 8.0, gjk_sub3(q, p)));
            if (i % 2 == 1) {
                const gjk_quat turn =
                    gjk_slerp3(none, others[i].placed.pose.turn.orientation, k / 8.0);
                ck_assert_int_eq(gjk_pose_make3(way.pose.position, turn, &way.pose), GJK_OK);
            }
            gjk_bounds box = gjk_box_of(&way);
            ck_assert(gjk_box_holds(&at.box, &box) && gjk_box_holds(&all, &box));
        }
    }
    ck_assert_uint_lt(gjk_tree_added_bytes(span), gjk_tree_bytes(span));
    gjk_tree_release(tree);
    gjk_tree_release(span);
}

/* Boxes of small whole numbers, so that many just touch. */
static gjk_bounds small_box(test_rng *rng) {
    gjk_vec3 p = {test_rng_integer(rng, -3, 3), test_rng_integer(rng, -3, 3),
                  test_rng_integer(rng, -3, 3)};
    gjk_vec3 d = {test_rng_integer(rng, 0, 2), test_rng_integer(rng, 0, 2),
                  test_rng_integer(rng, 0, 2)};
    return (gjk_bounds){p, gjk_add3(p, d)};
}

static double small_rate(test_rng *rng) {
    int way = test_rng_integer(rng, -2, 2);
    return way != 0 ? 1.0 / way : INFINITY;
}

TEST(every_instruction_set_sees_the_same) {
    test_rng rng = test_rng_make(47);
    for (int round = 0; round < 20000; round++) {
        gjk_branch branches[GJK_TREE_WIDTH];
        uint32_t count = 1 + test_rng_below(&rng, GJK_TREE_WIDTH);
        for (uint32_t i = 0; i < count; i++) {
            branches[i] = (gjk_branch){.box = small_box(&rng), .what = &bodies[i]};
        }
        gjk_tree_node *node = gjk_tree_node_new(3, branches, count);
        gjk_query_bounds query = {.kind = (gjk_query_bounds_kind)(round % 3),
                                  .dimension = 2 + round % 2};
        const gjk_bounds box = small_box(&rng);
        gjk_query_bounds_put_box(&query, &box);
        for (int axis = 0; axis < 3; axis++) {
            query.rate[axis] = small_rate(&rng);
        }
        double bound = query.kind == GJK_QUERY_OVERLAP ? 0.0 : test_rng_integer(&rng, 0, 4);
        _Alignas(64) double plain[GJK_TREE_WIDTH];
        _Alignas(64) double chosen[GJK_TREE_WIDTH];
        uint32_t bits = gjk_tree_keys_plain(node, &query, bound, plain);
        ck_assert_uint_eq(bits, gjk_tree_node_keys(node, &query, bound, chosen));
        ck_assert_mem_eq(plain, chosen, sizeof plain);
#ifdef GJK_SCAN_X86
        if (gjk_has_avx2()) {
            ck_assert_uint_eq(bits, gjk_tree_keys_avx2(node, &query, bound, chosen));
            ck_assert_mem_eq(plain, chosen, sizeof plain);
        }
#endif
        free(node);
    }
}

static void push_near(gjk_tree_open_near *open_near, const gjk_tree_node *node,
                      const gjk_query_bounds *query, double bound, gjk_tree_walk *walk) {
    walk->query = *query;
    walk->bound = bound;
    walk->top = 1;
    open_near(walk, node);
}

TEST(near_branches_are_sorted_by_key_then_number) {
    static gjk_tree_walk walk, again;
    test_rng rng = test_rng_make(48);
    for (int round = 0; round < 5000; round++) {
        gjk_branch branches[GJK_TREE_WIDTH];
        uint32_t count = 1 + test_rng_below(&rng, GJK_TREE_WIDTH), found = 0;
        _Alignas(64) double keys[GJK_TREE_WIDTH];
        for (uint32_t i = 0; i < count; i++) {
            branches[i] = (gjk_branch){.box = small_box(&rng), .what = &bodies[i]};
        }
        gjk_tree_node *node = gjk_tree_node_new(3, branches, count);
        gjk_query_bounds query = {.kind = GJK_QUERY_NEAR, .dimension = 2 + round % 2};
        const gjk_bounds box = small_box(&rng);
        gjk_query_bounds_put_box(&query, &box);
        const double bound = test_rng_integer(&rng, 0, 9);
        const uint32_t mask = gjk_tree_keys_plain(node, &query, bound, keys);
        push_near(gjk_tree_open_near_plain, node, &query, bound, &walk);
        for (uint32_t k = walk.top; k-- > 1; found++) {
            const uint32_t i = (uint32_t)((const gjk_body *)walk.stack[k].what - bodies);
            ck_assert((mask >> i & 1) != 0 && walk.stack[k].key == keys[i]);
            ck_assert_int_eq(walk.stack[k].kind, GJK_BRANCH_BODY);
            if (k + 1 < walk.top) {
                const gjk_tree_walk_entry *nearer = &walk.stack[k + 1];
                ck_assert(nearer->key < keys[i] ||
                          (nearer->key == keys[i] && nearer->what > walk.stack[k].what));
            }
        }
        ck_assert_uint_eq(found, (uint32_t)__builtin_popcount(mask));
#ifdef GJK_SCAN_X86
        for (int form = 0; form < 2; form++) {
            if (form == 0 ? gjk_has_avx2() : gjk_has_avx512()) {
                push_near(form == 0 ? gjk_tree_open_near_avx2 : gjk_tree_open_near_avx512, node,
                          &query, bound, &again);
                ck_assert_uint_eq(again.top, walk.top);
                for (uint32_t k = 1; k < walk.top; k++) {
                    ck_assert(again.stack[k].what == walk.stack[k].what &&
                              again.stack[k].key == walk.stack[k].key);
                }
            }
        }
#endif
        free(node);
    }
}

static void fail_each_allocation(const struct gjk_tree *tree, uint32_t count, bool as_span) {
    for (unsigned n = 0;; n++) {
        struct gjk_tree *next = NULL;
        test_malloc_fail(n);
        gjk_status status = as_span ? gjk_tree_span(tree, changes, count, NULL, &next)
                                    : gjk_tree_edit(tree, 3, changes, count, NULL, &next);
        if (!test_malloc_restore()) {
            ck_assert_int_eq(status, GJK_OK);
            gjk_tree_release(next);
            return;
        }
        ck_assert_int_eq(status, GJK_OUT_OF_MEMORY);
        ck_assert_ptr_null(next);
    }
}

TEST(without_memory_nothing_changes) {
    static uint8_t held[BODIES];
    test_rng rng = test_rng_make(46);
    make_bodies(&rng, 100);
    hold_all(held);
    struct gjk_tree *tree = edit(NULL, BODIES);
    fail_each_allocation(NULL, 300, false);
    for (uint32_t i = 0; i < 60; i++) {
        others[i].placed.pose.position = random_place(&rng, i % 2 == 0 ? 100 : 1000);
        changes[i] = (gjk_tree_change){&bodies[i], i % 3 == 0 ? NULL : &others[i]};
    }
    fail_each_allocation(tree, 60, false);
    fail_each_allocation(tree, 60, true);
    for (uint32_t i = 0; i < BODIES / 2; i++) { /* so many that bodies are looked up */
        changes[i] = (gjk_tree_change){&bodies[i], i % 3 == 0 ? NULL : &others[i]};
    }
    fail_each_allocation(tree, BODIES / 2, false);
    fail_each_allocation(tree, BODIES / 2, true);
    check_tree(tree, held);
    gjk_tree_release(tree);
}
