/* Where rings cross: what the arrangement refuses, and what is left of it without memory or
 * time. */

#include "shape/region/region.h"

#include "failing_malloc.h"
#include "support/test.h"

/* A comb over a comb: TEETH edges up and down, and as many across, cross each other all. */
#define TEETH 6
#define COMB (2 * TEETH + 2)

static gjk_rings rings;
static gjk_vec2 vertices[2 * COMB];
TEST_ARENA(arena)

/* Makes two combs, whose teeth are long in y and in x. */
static gjk_region make_combs(void) {
    static uint32_t ring_sizes[] = {COMB, COMB}, polygon_sizes[] = {2};
    for (uint32_t i = 0; i < COMB; i++) {
        const bool is_closing = i >= 2 * TEETH;
        const double along = is_closing ? (i == 2 * TEETH ? 2 * TEETH : -1) : i + 0.25;
        const double up = is_closing ? -2 : i % 2 == 0 ? -1 : 2 * TEETH + 1;
        vertices[i] = (gjk_vec2){along, up};
        vertices[COMB + i] = (gjk_vec2){up, along};
    }
    return (gjk_region){
        .vertices = vertices,
        .ring_sizes = ring_sizes,
        .polygon_sizes = polygon_sizes,
        .polygon_count = 1,
        .fill = GJK_FILL_EVENODD,
    };
}

static gjk_status arrange(uint32_t edges_max) {
    const gjk_region region = make_combs();
    gjk_pieces_fault fault;
    gjk_status status = gjk_rings_make(&arena, &region, &fault, &rings);
    return status == GJK_OK ? gjk_rings_arrange(&arena, region.fill, edges_max, &rings) : status;
}

/* Returns how many edges there are at most, found by trying. */
static uint32_t count_edges(void) {
    uint32_t too_few = 2 * COMB, enough = 4096;
    while (enough - too_few > 1) {
        const uint32_t middle = (too_few + enough) / 2;
        if (arrange(middle) == GJK_OK) {
            enough = middle;
        } else {
            too_few = middle;
        }
    }
    return enough;
}

TEST(edges_are_limited) {
    const uint32_t count = count_edges();
    /* Each of the teeth's edges crosses each of the other comb's at least. */
    ck_assert_uint_ge(count, 2 * COMB + 2 * (2 * TEETH - 1) * (2 * TEETH - 1));
    ck_assert_int_eq(arrange(count - 1), GJK_TOO_MANY_POINTS);
    ck_assert_int_eq(arrange(count), GJK_OK);
    ck_assert_int_eq(arrange(count + 1), GJK_OK);
    ck_assert_int_eq(arrange(2 * COMB - 1), GJK_TOO_MANY_POINTS);
}

TEST(every_edge_parts_inside_and_outside) {
    ck_assert_int_eq(arrange(GJK_PIECES_MAX), GJK_OK);
    ck_assert(rings.is_arranged);
    ck_assert_uint_eq(rings.ring_count, 1);
    for (uint32_t i = 0; i < rings.edge_count; i++) {
        ck_assert_uint_lt(rings.edges[i].left, rings.edges[i].right);
        ck_assert_uint_lt(rings.edges[i].right, rings.point_count);
    }
}

TEST(memory_may_run_out) {
    unsigned failures = 0;
    bool has_failed = true;
    for (unsigned n = 0; has_failed; n++) {
        test_malloc_fail(n);
        const gjk_status status = arrange(GJK_PIECES_MAX);
        has_failed = test_malloc_restore();
        ck_assert_int_eq(status, has_failed ? GJK_OUT_OF_MEMORY : GJK_OK);
        failures += has_failed;
        gjk_arena_fini(&arena);
        gjk_arena_init(&arena, 0);
    }
    ck_assert_uint_ge(failures, 2);
}

static bool is_over(void *user) {
    return (*(unsigned *)user)-- == 0;
}

TEST(time_may_run_out) {
    gjk_status status = GJK_GIVEN_UP;
    unsigned given_up = 0;
    for (unsigned questions = 0; status != GJK_OK; questions++) {
        unsigned left = questions;
        gjk_budget budget = gjk_budget_make(is_over, &left);
        gjk_arena_set_budget(&arena, &budget);
        status = arrange(GJK_PIECES_MAX);
        ck_assert(status == GJK_OK || status == GJK_GIVEN_UP);
        given_up += status == GJK_GIVEN_UP;
    }
    gjk_arena_set_budget(&arena, NULL);
    ck_assert_uint_ge(given_up, 2);
}
