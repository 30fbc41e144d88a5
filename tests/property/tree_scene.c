/* Sets that are hard on a tree: see tree_scene.h. */

#include "tree_scene.h"

#include "curved.h"

#include "set_body.h"
#include "support/checks.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const groups[] = {NULL, "red", "blue", "team/green"};

static void *get(test_tree_scene *s, size_t size) {
    void *block = gjk_arena_alloc(&s->arena, size);
    ck_assert_ptr_nonnull(block);
    return block;
}

static gjk_vec3 in_cube(test_rng *rng, uint32_t dimension, double half) {
    return (gjk_vec3){test_rng_uniform(rng, -half, half), test_rng_uniform(rng, -half, half),
                      dimension == 3 ? test_rng_uniform(rng, -half, half) : 0.0};
}

/* Of each kind: how large, and where. */
static double random_size(test_rng *rng, const test_tree_scene *s, uint32_t number) {
    switch (s->kind) {
    case TEST_TREE_NESTED:
        return s->spread * (number + 1) / 100;
    case TEST_TREE_ONE_HUGE:
        return number == 0 ? s->spread : 1e-3 * s->spread;
    case TEST_TREE_MAGNITUDES:
        return test_rng_magnitude(rng, -9, 3);
    case TEST_TREE_FAR:
        return 1;
    default:
        return s->spread * test_rng_uniform(rng, 0.01, 0.2);
    }
}

static gjk_vec3 random_position(test_rng *rng, const test_tree_scene *s) {
    gjk_vec3 p = in_cube(rng, s->dimension, s->spread);
    switch (s->kind) {
    case TEST_TREE_CLUSTERED: {
        gjk_vec3 home = test_rng_once_in(rng, 2) ? s->middle : gjk_neg3(s->middle);
        return gjk_add3(home, gjk_scale3(test_rng_once_in(rng, 9) ? 1.0 : 0.02, p));
    }
    case TEST_TREE_NESTED:
        return gjk_add3(s->middle, gjk_scale3(1e-3, p));
    case TEST_TREE_COINCIDENT:
        return s->middle;
    case TEST_TREE_GRID:
        return (gjk_vec3){floor(p.x), floor(p.y), floor(p.z)};
    case TEST_TREE_MAGNITUDES:
        return gjk_scale3(test_rng_magnitude(rng, -9, 3), test_rng_direction(rng, s->dimension));
    default:
        return gjk_add3(s->middle, p);
    }
}

static gjk_placed random_shape(test_rng *rng, test_tree_scene *s, uint32_t number) {
    gjk_shape *shape = get(s, sizeof *shape);
    double size = random_size(rng, s, number);
    if (s->kind == TEST_TREE_CURVED) {
        test_curved c;
        test_curved_make_random(&c, rng, s->dimension, size, &s->arena, true);
        test_curved_place_randomly(&c, rng, (gjk_vec3){0, 0, 0});
        *shape = c.shape;
        return (gjk_placed){shape, c.placed.pose};
    }
    test_body body = test_random_body(rng, s->dimension, size);
    if (s->kind == TEST_TREE_GRID) {
        /* half a unit, or short of it by what tolerances can bridge */
        double half = test_rng_once_in(rng, 2) ? 0.5 : 0.5 - 0.5 * GJK_TOLERANCE_MAX;
        body = test_body_box(s->dimension, (gjk_vec3){half, half, half});
    }
    test_body_build(&body, &s->arena);
    *shape = body.shape;
    return (gjk_placed){shape, body.placed.pose};
}

static gjk_body *new_body(test_rng *rng, test_tree_scene *s) {
    gjk_body *body = get(s, sizeof *body);
    char *id = get(s, 16);
    uint32_t number = s->next_handle++;
    /* a number of its own that does not sort like the handle */
    (void)snprintf(id, 16, "%c%u", 'a' + (char)(number * 7 % 26), number);
    *body = (gjk_body){.id = id,
                       .group = groups[test_rng_below(rng, 4)],
                       .handle = number,
                       .category = test_rng_once_in(rng, 3) ? 1u << test_rng_below(rng, 4) : 1u,
                       .mask = test_rng_once_in(rng, 3) ? test_rng_below(rng, 16) : UINT32_MAX};
    if (s->kind == TEST_TREE_COINCIDENT && gjk_set_count(s->set) > 0) {
        body->placed = test_set_body(s->set, 0)->placed;
    } else {
        body->placed = random_shape(rng, s, number);
        body->placed.pose.position = random_position(rng, s);
    }
    return body;
}

static int compare_edits(const void *a, const void *b) {
    return strcmp(((const gjk_edit *)a)->id, ((const gjk_edit *)b)->id);
}

static void apply(test_tree_scene *s, gjk_edit *edits, uint32_t count) {
    struct gjk_set *next;
    qsort(edits, count, sizeof *edits, compare_edits);
    ck_assert_int_eq(gjk_set_edit(s->set, edits, count, &next), GJK_OK);
    gjk_set_release(s->set);
    s->set = next;
}

uint32_t test_tree_size(test_rng *rng) {
    static const uint32_t sizes[] = {0, 1, 2, 7, 8, 9, 20, 64, 65};
    return test_rng_once_in(rng, 3) ? test_rng_below(rng, 100) : sizes[test_rng_below(rng, 9)];
}

void test_tree_scene_make(test_rng *rng, uint32_t dimension, enum test_tree_kind kind,
                          uint32_t count, test_tree_scene *s) {
    static gjk_edit edits[TEST_TREE_BODIES_MAX];
    const double z = dimension == 3;
    gjk_arena_init(&s->arena, 0);
    s->dimension = dimension;
    s->kind = kind;
    s->spread = kind == TEST_TREE_TINY ? 1e-160 : kind == TEST_TREE_GRID ? 4 : 10;
    s->middle = kind == TEST_TREE_FAR         ? (gjk_vec3){1e9, -1e9, 3e8 * z}
                : kind == TEST_TREE_CLUSTERED ? (gjk_vec3){100, 50, -70 * z}
                                              : (gjk_vec3){0, 0, 0};
    s->next_handle = 0;
    s->set = gjk_set_new_empty(dimension, &test_borrowed);
    ck_assert_ptr_nonnull(s->set);
    for (uint32_t i = 0; i < count; i++) {
        const gjk_body *body = new_body(rng, s);
        edits[i] = (gjk_edit){body->id, body};
        if (i == 0) { /* so that the others can coincide with it */
            apply(s, edits, 1);
        }
    }
    apply(s, edits, count);
}

void test_tree_scene_drop(test_tree_scene *s) {
    gjk_set_release(s->set);
    gjk_arena_fini(&s->arena);
}

/* A body like another, where it goes. */
static gjk_body *moved(test_rng *rng, test_tree_scene *s, const gjk_body *from) {
    gjk_body *body = get(s, sizeof *body);
    gjk_vec3 *position = &body->placed.pose.position;
    *body = *from;
    switch (test_rng_below(rng, 8)) {
    case 0: /* thrown */
        *position = random_position(rng, s);
        break;
    case 1: { /* another shape */
        gjk_vec3 at = *position;
        body->placed = random_shape(rng, s, 1);
        *position = at;
        break;
    }
    case 2: /* as it was */
        break;
    default: {
        double by = s->spread * test_rng_magnitude(rng, -6, -1);
        *position = gjk_add3(*position, in_cube(rng, s->dimension, by));
    }
    }
    return body;
}

void test_tree_scene_edit(test_rng *rng, test_tree_scene *s) {
    static gjk_edit edits[TEST_TREE_BODIES_MAX];
    uint32_t count = 0, held = gjk_set_count(s->set);
    uint32_t some = test_rng_once_in(rng, 4) ? 1 : 1 + test_rng_below(rng, 30);
    uint32_t out_of = test_rng_once_in(rng, 6) ? 2 : 40;
    for (uint32_t i = 0; i < held; i++) {
        const gjk_body *body = test_set_body(s->set, i);
        if (!test_rng_once_in(rng, some)) {
            continue;
        }
        edits[count++] =
            (gjk_edit){body->id, test_rng_once_in(rng, out_of) ? NULL : moved(rng, s, body)};
    }
    uint32_t more = test_rng_once_in(rng, 3) ? test_rng_below(rng, held / 2 + 3) : 0;
    for (uint32_t i = 0; i < more && held + i < 1100 && count < TEST_TREE_BODIES_MAX; i++) {
        const gjk_body *body = new_body(rng, s);
        edits[count++] = (gjk_edit){body->id, body};
    }
    edits[count++] = (gjk_edit){"nobody", NULL};
    apply(s, edits, count);
}

gjk_vec3 test_tree_place(test_rng *rng, test_tree_scene *s) {
    uint32_t count = gjk_set_count(s->set);
    gjk_vec3 at = random_position(rng, s);
    if (count > 0 && !test_rng_once_in(rng, 3)) {
        const gjk_body *body = test_set_body(s->set, test_rng_below(rng, count));
        at = body->placed.pose.position;
        if (test_rng_once_in(rng, 2)) { /* a corner of its box */
            at = gjk_placed_bounds(&body->placed).max;
        }
    }
    return at;
}

const gjk_body *test_tree_body(test_rng *rng, test_tree_scene *s) {
    uint32_t count = gjk_set_count(s->set);
    if (count > 0 && !test_rng_once_in(rng, 3)) {
        return test_set_body(s->set, test_rng_below(rng, count));
    }
    return new_body(rng, s);
}
