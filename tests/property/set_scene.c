/* Random sets and filters: see set_scene.h. */

#include "set_scene.h"

#include "support/checks.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void keep_nothing(const gjk_body *body) {
    (void)body;
}

const gjk_body_callbacks test_borrowed = {keep_nothing, keep_nothing};

static const char *const groups[] = {NULL, "red", "blue", "team/green"};

static int compare_edits(const void *a, const void *b) {
    return strcmp(((const gjk_edit *)a)->id, ((const gjk_edit *)b)->id);
}

/* A set that comes from an edit has a tree. */
static void make_by_edit(test_scene *s) {
    struct gjk_set *empty = gjk_set_new_empty(s->dimension, &test_borrowed);
    gjk_edit edits[BODIES_MAX];
    for (uint32_t i = 0; i < s->count; i++) {
        edits[i] = (gjk_edit){s->id[i], &s->bodies[i]};
    }
    qsort(edits, s->count, sizeof *edits, compare_edits);
    ck_assert_ptr_nonnull(empty);
    ck_assert_int_eq(gjk_set_edit(empty, edits, s->count, &s->set), GJK_OK);
    gjk_set_release(empty);
}

void test_scene_make(test_rng *rng, uint32_t dimension, const char *prefix, test_scene *s) {
    gjk_arena_init(&s->arena, 0);
    s->dimension = dimension;
    s->count = test_rng_below(rng, BODIES_MAX + 1);
    for (uint32_t i = 0; i < s->count; i++) {
        s->body[i] = test_random_body(rng, dimension, 1.0);
        double away = test_rng_uniform(rng, 0, 4);
        s->body[i].position = gjk_scale3(away, test_rng_direction(rng, dimension));
        if (test_rng_once_in(rng, 5) && i > 0) { /* equal distances */
            s->body[i] = s->body[i - 1];
        }
        test_body_build(&s->body[i], &s->arena);
        (void)snprintf(s->id[i], sizeof s->id[i], "%s%u", prefix, (i * 7 + 3) % 41);
        s->bodies[i] = (gjk_body){
            .id = s->id[i],
            .group = groups[test_rng_below(rng, 4)],
            .handle = i,
            .category = test_rng_once_in(rng, 3) ? 1u << test_rng_below(rng, 4) : 1u,
            .mask = test_rng_once_in(rng, 3) ? test_rng_below(rng, 16) : UINT32_MAX,
            .placed = s->body[i].placed,
        };
    }
    if (test_rng_once_in(rng, 2)) {
        ck_assert_int_eq(gjk_set_new(dimension, s->bodies, s->count, &s->set), GJK_OK);
    } else {
        make_by_edit(s);
    }
}

void test_scene_drop(test_scene *s) {
    gjk_set_release(s->set);
    gjk_arena_fini(&s->arena);
}

static const char *const ignored_ids[] = {"a10", "a3", "nobody"};
static const char *const ignored_groups[] = {"red"};
static const char *const only_groups[] = {"blue", "team/green"};

gjk_filter test_random_filter(test_rng *rng) {
    gjk_filter f = gjk_filter_default();
    if (test_rng_once_in(rng, 2)) {
        return f;
    }
    f.category = test_rng_once_in(rng, 2) ? UINT32_MAX : test_rng_below(rng, 16);
    f.mask = test_rng_once_in(rng, 2) ? UINT32_MAX : test_rng_below(rng, 16);
    f.ignore = ignored_ids;
    f.ignore_count = test_rng_below(rng, 4);
    f.ignore_groups = ignored_groups;
    f.ignore_groups_count = test_rng_below(rng, 2);
    f.has_only_groups = test_rng_once_in(rng, 4);
    f.only_groups = only_groups;
    f.only_groups_count = test_rng_below(rng, 3);
    return f;
}
