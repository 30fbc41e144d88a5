/*
 * Are gjk_detect and gjk_distance right? Every pair of every family is judged
 * against a brute force in 113 bits. GJKD_SEED and GJKD_FACTOR in the environment
 * choose another seed and multiply the number of pairs, for longer hunts.
 */

#include "families.h"
#include "judge.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>

#define SHOWN_MAX 2 /* pairs printed for each complaint of a family */

struct tally {
    uint32_t pairs, wrong, by_complaint[TEST_COMPLAINT_COUNT];
    test_worst worst;
};

static void judge_one(const test_pair *pair, bool with_points, const char *label, struct tally *t) {
    test_truth truth = test_reference(&pair->a, &pair->b);
    test_judgement j = test_judge(&pair->a, &pair->b, &truth, with_points, &t->worst);
    t->pairs++;
    if (j.complaints == 0) {
        return;
    }
    t->wrong++;
    bool show = false;
    for (unsigned bit = 0; bit < TEST_COMPLAINT_COUNT; bit++) {
        bool made = (j.complaints >> bit & 1u) != 0;
        show = show || (made && t->by_complaint[bit] < SHOWN_MAX);
        t->by_complaint[bit] += made;
    }
    if (show) {
        fprintf(stderr, "--- %s, pair %u\n", label, t->pairs);
        test_judgement_print(&j, &pair->a, &pair->b, &truth);
    }
}

static void run_family(const test_family *family, uint32_t dimension) {
    static test_pair pair;
    struct tally tally = {0};
    test_rng rng = test_rng_make(test_seed() * 1000 + dimension);
    uint64_t pairs = TEST_CASES(family->pairs) * test_factor();
    struct gjk_arena arena;
    gjk_arena_init(&arena, 0);
    for (uint64_t i = 0; i < pairs; i++) {
        family->make(&rng, dimension, &arena, &pair);
        test_pair_build(&pair, &arena);
        judge_one(&pair, i % 8 == 0, family->name, &tally);
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
    const test_worst *w = &tally.worst;
    printf("%uD %-15s %6u pairs, worst: value %.1e, upper %+.1f ulp, lower %+.1f ulp, points %.1e, "
           "axis %.1e, %u iterations\n",
           dimension, family->name, tally.pairs, w->value, w->upper_ulps, w->lower_ulps, w->points,
           w->axis, w->iterations);
    for (unsigned bit = 0; bit < TEST_COMPLAINT_COUNT; bit++) {
        if (tally.by_complaint[bit] > 0) {
            printf("   %u x %s\n", tally.by_complaint[bit], test_complaint_text(bit));
        }
    }
    fflush(stdout);
    ck_assert_msg(tally.wrong == 0, "%uD %s: %u of %u pairs wrong", dimension, family->name,
                  tally.wrong, tally.pairs);
}

TEST_EACH(family_2d, 0, (int)test_family_count) {
    run_family(&test_families[_i], 2);
}

TEST_EACH(family_3d, 0, (int)test_family_count) {
    run_family(&test_families[_i], 3);
}
