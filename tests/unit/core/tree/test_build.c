/* Are bodies halved by their order, in linear time or nearly so whatever that was before? */

#include "tree/build.h"

#include "support/rng.h"
#include "support/test.h"

#define COUNT 4000

static gjk_branch bodies[COUNT];
static double values[COUNT];

static void set_up(void) {
}

static void tear_down(void) {
}

TEST_FIXTURE(set_up, tear_down)

static void fill(void) {
    for (uint32_t i = 0; i < COUNT; i++) {
        const gjk_vec3 at = {values[i], 0, 0};
        bodies[i] = (gjk_branch){.box = {at, at}, .first = i, .last = i};
    }
}

static bool comes_first(const gjk_branch *a, const gjk_branch *b) {
    return a->box.min.x != b->box.min.x ? a->box.min.x < b->box.min.x : a->first < b->first;
}

/* Whether the first half comes before the others and nobody is lost. */
static void check_halves(void) {
    static bool seen[COUNT];
    const gjk_branch *last = &bodies[0], *first = &bodies[COUNT / 2];
    uint32_t found = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        seen[i] = false;
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        found += !seen[bodies[i].first];
        seen[bodies[i].first] = true;
        if (i < COUNT / 2) {
            last = comes_first(last, &bodies[i]) ? &bodies[i] : last;
        } else {
            first = comes_first(&bodies[i], first) ? &bodies[i] : first;
        }
    }
    ck_assert_uint_eq(found, COUNT);
    ck_assert(comes_first(last, first));
}

TEST(any_values) {
    test_rng rng = test_rng_make(61);
    for (uint32_t kinds = 1; kinds <= COUNT; kinds *= 7) {
        for (uint32_t i = 0; i < COUNT; i++) {
            values[i] = test_rng_below(&rng, kinds);
        }
        fill();
        const uint64_t looked_at = gjk_branches_halve(bodies, COUNT, 0);
        check_halves();
        ck_assert_uint_le(looked_at, 10 * COUNT);
    }
}

/*
 * The adversary of McIlroy (A killer adversary for quicksort, 1999): values are decided only when
 * they are compared, each as small as it may still be, so that every pivot turns out to be nearly
 * the least.
 */
static struct {
    uint32_t decided;
    uint32_t candidate;
} adversary;

static bool adversary_less(uint32_t a, uint32_t b) {
    if (values[a] == COUNT && values[b] == COUNT) {
        values[a == adversary.candidate ? a : b] = adversary.decided++;
    }
    if (values[a] == COUNT) {
        adversary.candidate = a;
    } else if (values[b] == COUNT) {
        adversary.candidate = b;
    }
    return values[a] < values[b];
}

/* Quickselect with the pivot in the middle, against the adversary. */
static void decide_values(void) {
    static uint32_t at[COUNT];
    uint32_t low = 0, high = COUNT - 1;
    adversary.decided = adversary.candidate = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        at[i] = i;
        values[i] = COUNT;
    }
    while (low < high) {
        const uint32_t pivot = at[low + (high - low) / 2];
        uint32_t i = low, k = high;
        while (true) {
            while (at[i] != pivot && adversary_less(at[i], pivot)) {
                i++;
            }
            while (at[k] != pivot && adversary_less(pivot, at[k])) {
                k--;
            }
            if (i >= k) {
                break;
            }
            const uint32_t swap = at[i];
            at[i++] = at[k];
            at[k--] = swap;
        }
        if (COUNT / 2 <= k) {
            high = k;
        } else {
            low = k + 1;
        }
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        values[i] = values[i] == COUNT ? COUNT + i : values[i];
    }
}

TEST(the_worst_order) {
    decide_values();
    fill();
    const uint64_t looked_at = gjk_branches_halve(bodies, COUNT, 0);
    check_halves();
    ck_assert_uint_ge(looked_at, 15 * COUNT); /* it is a bad order indeed */
    ck_assert_uint_le(looked_at, 30 * COUNT);
}
