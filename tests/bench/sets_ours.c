/*
 * Our own tree, asked the same as the peers' trees: what it finds (boxes), or whole queries
 * of a set.
 */

#include "sets.h"

#include "gjk/set_query.h"
#include "tree/walk.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct world_set {
    struct gjk_set *set; /* with the bodies' first places */
    struct gjk_tree *tree;
    gjk_tree_change *changes;
    struct gjk_arena arena;
} world_set;

static void keep_nothing(const gjk_body *body) {
    (void)body;
}
static const gjk_body_callbacks borrowed = {keep_nothing, keep_nothing};

static void insist(bool condition) {
    if (!condition) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
}

static struct gjk_set *make_set(const bench_world *world) {
    struct gjk_set *empty = gjk_set_new_empty(world->dimension, &borrowed), *set = NULL;
    gjk_edit *edits = malloc(world->count * sizeof *edits);
    insist(empty != NULL && edits != NULL);
    for (uint32_t i = 0; i < world->count; i++) {
        edits[i] = (gjk_edit){world->bodies[i].id, &world->bodies[i]};
    }
    insist(gjk_set_edit(empty, edits, world->count, &set) == GJK_OK);
    gjk_set_release(empty);
    free(edits);
    return set;
}

/* The tree alone, as the peers'. The set, which is made on first use, is not timed here. */
static void *build(const bench_world *world) {
    world_set *w = calloc(1, sizeof *w);
    insist(w != NULL && (w->changes = malloc(world->count * sizeof *w->changes)) != NULL);
    gjk_arena_init(&w->arena, 0);
    for (uint32_t i = 0; i < world->count; i++) {
        w->changes[i] = (gjk_tree_change){NULL, &world->bodies[i]};
    }
    insist(gjk_tree_edit(NULL, world->dimension, w->changes, world->count, NULL, &w->tree) ==
           GJK_OK);
    return w;
}

static void end(void *tree) {
    world_set *w = tree;
    gjk_tree_release(w->tree);
    gjk_set_release(w->set);
    gjk_arena_fini(&w->arena);
    free(w->changes);
    free(w);
}

static void move(void *tree, const bench_world *world, uint32_t count, int back) {
    world_set *w = tree;
    struct gjk_tree *next;
    for (uint32_t i = 0; i < count; i++) {
        const gjk_body *here = &world->bodies[i], *there = &world->moved[i];
        w->changes[i] = back ? (gjk_tree_change){there, here} : (gjk_tree_change){here, there};
    }
    insist(gjk_tree_edit(w->tree, world->dimension, w->changes, count, NULL, &next) == GJK_OK);
    gjk_tree_release(w->tree);
    w->tree = next;
}

static uint64_t bytes(const void *tree) {
    return gjk_tree_bytes(((const world_set *)tree)->tree);
}

static gjk_snapshot snapshot_of(world_set *w, const bench_world *world) {
    if (w->set == NULL) {
        w->set = make_set(world);
    }
    gjk_snapshot snapshot = gjk_snapshot_of(w->set);
    snapshot.tree = w->tree;
    gjk_arena_reset(&w->arena);
    return snapshot;
}

static gjk_filter everybody;

static gjk_selection select_first(world_set *w) {
    everybody = gjk_filter_default();
    return (
        gjk_selection){.filter = &everybody, .limit = 1, .arena = &w->arena, .rest_unasked = true};
}

/* How many bodies the tree finds for a query. */
static uint64_t count_found(const world_set *w, gjk_tree_walk *walk, const gjk_query_bounds *query,
                            double bound) {
    uint64_t count = 0;
    gjk_leaf leaf;
    gjk_tree_walk_aim(walk, w->tree, query, bound);
    while (gjk_tree_walk_next(walk, &leaf)) {
        count++;
    }
    return count;
}

static uint64_t count_boxes(void *tree, const bench_world *world) {
    gjk_tree_walk walk;
    uint64_t sum = 0;
    gjk_tree_walk_init(&walk, NULL);
    for (uint32_t i = 0; i < BENCH_QUERIES; i++) {
        gjk_query_bounds query = {.kind = GJK_QUERY_OVERLAP, .dimension = world->dimension};
        gjk_query_bounds_put_box(&query, &world->queries[i]);
        sum += count_found(tree, &walk, &query, 0.0);
    }
    return sum;
}

static uint64_t count_segments(void *tree, const bench_world *world) {
    gjk_tree_walk walk;
    uint64_t sum = 0;
    gjk_tree_walk_init(&walk, NULL);
    for (uint32_t i = 0; i < BENCH_QUERIES; i++) {
        const gjk_ray *ray = &world->segments[i];
        gjk_query_bounds query =
            gjk_query_bounds_of_ray(ray, world->dimension, GJK_TOLERANCE_DEFAULT);
        sum += count_found(tree, &walk, &query, ray->max_distance);
    }
    return sum;
}

static uint64_t closest(void *tree, const bench_world *world) {
    const gjk_ray_settings settings = gjk_ray_settings_default();
    gjk_snapshot snapshot = snapshot_of(tree, world);
    gjk_selection selection = select_first(tree);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < BENCH_QUERIES; i++) {
        gjk_ray_hits hits;
        insist(gjk_set_raycast(&snapshot, &world->rays[i], &selection, &settings, &hits) == GJK_OK);
        sum += hits.count > 0 ? hits.items[0].body->handle : 0;
    }
    return sum;
}

static uint64_t find_nearest(void *tree, const bench_world *world, uint32_t limit) {
    const gjk_distance_settings settings = gjk_distance_settings_default();
    gjk_snapshot snapshot = snapshot_of(tree, world);
    gjk_selection selection = select_first(tree);
    uint64_t sum = 0;
    selection.limit = limit;
    for (uint32_t i = 0; i < BENCH_QUERIES; i++) {
        gjk_nears nears;
        insist(gjk_set_nearest(&snapshot, &world->points[i], INFINITY, &selection, &settings,
                               &nears) == GJK_OK);
        sum += nears.items[nears.count - 1].body->handle;
    }
    return sum;
}

static uint64_t nearest(void *tree, const bench_world *world) {
    return find_nearest(tree, world, 1);
}

static uint64_t nearest10(void *tree, const bench_world *world) {
    return find_nearest(tree, world, 10);
}

static bool count_pair(void *count, const gjk_leaf *a, const gjk_leaf *b) {
    (void)a;
    (void)b;
    ++*(uint64_t *)count;
    return true;
}

static uint64_t count_box_pairs(void *tree, const bench_world *world) {
    uint64_t count = 0;
    (void)world;
    gjk_tree_pairs_within(((world_set *)tree)->tree, (gjk_pair_reach){0}, NULL, count_pair, &count);
    return count;
}

static uint64_t pairs(void *tree, const bench_world *world) {
    gjk_detect_settings settings = gjk_detect_settings_default();
    gjk_snapshot snapshot = snapshot_of(tree, world);
    gjk_selection selection = select_first(tree);
    gjk_pair_hits hits;
    settings.penetration = false;
    selection.limit = UINT32_MAX;
    insist(gjk_set_detect_pairs(&snapshot, &selection, &settings, &hits) == GJK_OK);
    return hits.count;
}

const struct bench_tree bench_tree_ours = {"ours",
                                           0,
                                           build,
                                           end,
                                           move,
                                           bytes,
                                           {count_boxes, count_segments, closest, nearest,
                                            nearest10, count_box_pairs, pairs}};
