/*
 * Are the answers the same bits everywhere? Asks seeded queries of all kinds and prints two
 * numbers over the fields of every answer, one of convex shapes, one of shapes of many pieces
 * and of moves among them:
 *     golden_hash CHUNKS THREADS [avx512 | avx2]
 * Chunk i is seeded by i and hashed by itself, and the chunks' hashes are hashed in
 * order, so the numbers depend on CHUNKS alone. A third word hides that instruction set and later ones
 * from the core. FNV-1a (Fowler, Noll, Vo), 64 bits.
 */

#include "gallery.h"

#include "base/lanes.h"
#include "gjk/cast.h"
#include "gjk/motion.h"
#include "gjk/move.h"
#include "gjk/ray.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUERIES_PER_CHUNK 512
#define WHOLES_PER_CHUNK 16 /* queries of shapes of many pieces */
#define BODIES 6            /* about one that moves */
#define CHUNKS_MAX 4096
#define THREADS_MAX 64

static uint64_t add_word(uint64_t hash, uint64_t word) {
    for (int i = 0; i < 8; i++) {
        hash = (hash ^ (word >> (8 * i) & 0xffu)) * 0x100000001b3u;
    }
    return hash;
}

#define FNV_OFFSET 0xcbf29ce484222325u

static uint64_t add_number(uint64_t hash, double value) {
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return add_word(hash, word);
}

static uint64_t add_vec(uint64_t hash, gjk_vec3 v) {
    return add_number(add_number(add_number(hash, v.x), v.y), v.z);
}

static uint64_t add_shape(uint64_t hash, const gjk_shape *s) {
    hash = add_word(add_word(hash, (uint64_t)s->type), s->count);
    hash = add_number(add_number(hash, s->size), s->bounding_radius);
    for (uint32_t i = 0; i < s->count; i++) {
        hash = add_vec(hash, gjk_shape_point(s, i));
    }
    return add_vec(add_vec(hash, s->center), s->half_extents);
}

/* The poses of a pair, and how far its members may be apart to have something to tell. */
typedef struct pair {
    gjk_placed a, b;
    double reach;
} pair;

/* Of any length up to the largest. (Two draws in one call's arguments would come in an order
 * that each compiler chooses.) */
static gjk_vec3 random_vec(test_rng *rng, uint32_t dimension, double largest) {
    double length = largest * test_rng_uniform(rng, 0, 1);
    return gjk_scale3(length, test_rng_direction(rng, dimension));
}

static gjk_pose random_pose(test_rng *rng, uint32_t dimension, gjk_vec3 position, bool turned) {
    gjk_pose pose;
    gjk_quat q = turned ? test_rng_rotation(rng) : (gjk_quat){0, 0, 0, 1};
    double angle = turned ? test_rng_uniform(rng, -10, 10) : 0.0;
    gjk_status status = dimension == 2 ? gjk_pose_make2(gjk_xy(position), angle, &pose)
                                       : gjk_pose_make3(position, q, &pose);
    if (status != GJK_OK) {
        fprintf(stderr, "pose: %s\n", gjk_status_text(status));
        abort();
    }
    return pose;
}

/* Ordinary ones three times in eight; else far, coincident, identical, on a grid, nearly apart. */
static pair random_pair(test_rng *rng, const test_gallery *gallery, bool of_wholes) {
    uint32_t dimension = 2 + test_rng_below(rng, 2), mode = test_rng_below(rng, 8);
    pair p;
    p.a.shape = of_wholes ? test_gallery_pick_whole(gallery, dimension, rng)
                          : test_gallery_pick(gallery, dimension, rng);
    p.b.shape = mode == 1                ? p.a.shape
                : of_wholes && mode == 2 ? test_gallery_pick_whole(gallery, dimension, rng)
                                         : test_gallery_pick(gallery, dimension, rng);
    p.reach = p.a.shape->bounding_radius + p.b.shape->bounding_radius;
    double far = mode == 0 ? test_rng_magnitude(rng, 6, 9) : p.reach;
    gjk_vec3 home = gjk_scale3(far, test_rng_direction(rng, dimension)), away = {0, 0, 0};
    if (mode > 2) {
        away = random_vec(rng, dimension, 1.3 * p.reach);
    }
    if (mode == 3) { /* faces and vertices meet exactly */
        home = (gjk_vec3){0, 0, 0};
        away.x = p.a.shape->half_extents.x + p.b.shape->half_extents.x;
        away.y = away.z = 0.0;
    }
    p.a.pose = random_pose(rng, dimension, home, mode != 3);
    p.b.pose = random_pose(rng, dimension, gjk_add3(home, away), mode != 3);
    if (mode == 1) {
        p.b.pose = p.a.pose;
    }
    return p;
}

static uint64_t add_detect(uint64_t hash, const pair *p, bool penetration,
                           const struct gjk_penetration_solver *solver) {
    gjk_detect_settings settings = gjk_detect_settings_default();
    settings.penetration = penetration;
    settings.solver = solver;
    gjk_detect_result r = gjk_detect(&p->a, &p->b, &settings);
    hash = add_word(hash, (uint64_t)r.state);
    if (!penetration) {
        return hash;
    }
    hash = add_word(add_word(hash, (uint64_t)r.convergence), r.iterations);
    hash = add_number(add_number(hash, r.depth), r.depth_lower_bound);
    hash = add_vec(add_word(hash, r.has_points), r.normal);
    return add_vec(add_vec(hash, r.point_a), r.point_b);
}

static uint64_t add_distance(uint64_t hash, const pair *p) {
    const gjk_distance_settings settings = gjk_distance_settings_default();
    gjk_distance_result r = gjk_distance(&p->a, &p->b, &settings);
    hash = add_word(add_word(hash, (uint64_t)r.state), (uint64_t)r.convergence);
    hash = add_word(hash, r.iterations);
    hash = add_number(add_number(hash, r.distance), r.lower_bound);
    hash = add_vec(add_word(hash, r.has_points), r.normal);
    return add_vec(add_vec(hash, r.point_a), r.point_b);
}

static uint64_t add_ray(uint64_t hash, const pair *p, test_rng *rng) {
    const gjk_ray_settings settings = gjk_ray_settings_default();
    gjk_vec3 toward = gjk_sub3(p->a.pose.position, p->b.pose.position);
    gjk_ray ray;
    toward = gjk_add3(toward, random_vec(rng, p->a.shape->dimension, p->a.shape->size));
    if (gjk_ray_make(p->b.pose.position, toward, INFINITY, &ray) != GJK_OK) {
        return add_word(hash, 1);
    }
    gjk_ray_result r = gjk_raycast(&p->a, &ray, &settings);
    hash = add_word(hash, (uint64_t)r.hit << 2 | (uint64_t)r.inside << 1 | r.has_normal);
    hash = add_word(add_word(hash, (uint64_t)r.convergence), r.iterations);
    return r.hit ? add_vec(add_vec(add_number(hash, r.distance), r.point), r.normal) : hash;
}

static uint64_t add_cast(uint64_t hash, const pair *p, bool turns, test_rng *rng) {
    const gjk_cast_settings settings = gjk_cast_settings_default();
    gjk_vec3 way = gjk_sub3(p->a.pose.position, p->b.pose.position);
    way = gjk_add3(way, random_vec(rng, p->a.shape->dimension, p->reach));
    way = gjk_scale3(test_rng_once_in(rng, 4) ? test_rng_magnitude(rng, 0, 6) : 1.5, way);
    gjk_rigid_motion motion = gjk_rigid_motion_straight(way);
    if (turns) {
        motion.axis = p->a.shape->dimension == 3 ? test_rng_direction(rng, 3) : motion.axis;
        motion.angle = test_rng_uniform(rng, -3, 3);
    }
    gjk_cast_result r = gjk_cast_turning(&p->b, &motion, &p->a, &settings);
    hash = add_word(hash, (uint64_t)r.hit << 2 | (uint64_t)r.inside << 1 | r.has_normal);
    hash = add_word(add_word(hash, (uint64_t)r.convergence), r.iterations);
    hash = r.hit ? add_number(add_number(hash, r.fraction), r.distance) : hash;
    return r.hit ? add_vec(add_vec(hash, r.point), r.normal) : hash;
}

static uint64_t add_query(uint64_t hash, const pair *p, int i, test_rng *rng) {
    switch (i % 5) {
    case 0:
    case 1:
        return add_detect(hash, p, i % 5 == 0, i % 2 == 0 ? NULL : &gjk_penetration_epa);
    case 2:
        return add_distance(hash, p);
    case 3:
        return add_ray(hash, p, rng);
    default:
        return add_cast(hash, p, i % 2 == 0, rng);
    }
}

/* A ball walks about a shape of many pieces and some convex ones. */
static uint64_t add_move(uint64_t hash, const test_gallery *gallery, test_rng *rng) {
    static const char *const ids[BODIES] = {"a", "b", "c", "d", "e", "f"};
    const uint32_t dimension = 2 + test_rng_below(rng, 2);
    gjk_body bodies[BODIES];
    struct gjk_arena arena;
    struct gjk_set *set;
    gjk_shape ball;
    gjk_move_result r;
    gjk_arena_init(&arena, 0);
    for (uint32_t i = 0; i < BODIES; i++) {
        bodies[i] = (gjk_body){.id = ids[i], .handle = i, .category = 1, .mask = UINT32_MAX};
        bodies[i].placed.shape = i == 0 ? test_gallery_pick_whole(gallery, dimension, rng)
                                        : test_gallery_pick(gallery, dimension, rng);
        bodies[i].placed.pose =
            random_pose(rng, dimension, random_vec(rng, dimension, 2.0), i % 2 == 1);
    }
    const gjk_status status = gjk_set_new(dimension, bodies, BODIES, &set);
    if (status != GJK_OK || gjk_shape_make_ball(&arena, dimension, 0.125, 0.0, &ball) != GJK_OK) {
        abort();
    }
    const gjk_placed walker = {&ball,
                               random_pose(rng, dimension, random_vec(rng, dimension, 2.0), false)};
    const gjk_snapshot snapshot = gjk_snapshot_of(set);
    const gjk_filter everybody = gjk_filter_default();
    const gjk_selection all = {.filter = &everybody, .limit = UINT32_MAX, .arena = &arena};
    gjk_move move = gjk_move_make(&walker, random_vec(rng, dimension, 4.0));
    move.has_up = test_rng_once_in(rng, 2);
    move.up = dimension == 2 ? (gjk_vec3){0, 1, 0} : (gjk_vec3){0, 0, 1};
    move.step = move.snap = 0.125;
    if (gjk_set_move(&snapshot, &move, &all, &r) != GJK_OK) {
        abort();
    }
    hash = add_vec(add_vec(add_vec(hash, r.position), r.moved), r.pushed);
    hash = add_word(add_word(hash, r.leg_count), r.count);
    for (uint32_t i = 0; i < r.count; i++) {
        hash = add_vec(add_vec(hash, r.items[i].point), r.items[i].normal);
        hash = add_number(add_word(hash, r.items[i].piece), r.items[i].fraction);
    }
    gjk_set_release(set);
    gjk_arena_fini(&arena);
    return hash;
}

/* Hashes of the two kinds. */
typedef struct hashes {
    uint64_t convex, wholes;
} hashes;

static hashes hash_chunk(const test_gallery *gallery, uint64_t seed) {
    test_rng rng = test_rng_make(seed);
    hashes hash = {FNV_OFFSET, FNV_OFFSET};
    for (int i = 0; i < QUERIES_PER_CHUNK; i++) {
        const pair p = random_pair(&rng, gallery, false);
        hash.convex = add_query(hash.convex, &p, i, &rng);
    }
    for (int i = 0; i < WHOLES_PER_CHUNK; i++) {
        const pair p = random_pair(&rng, gallery, true);
        hash.wholes = add_query(hash.wholes, &p, i, &rng);
    }
    hash.wholes = add_move(hash.wholes, gallery, &rng);
    return hash;
}

/* Thread number `first` of `step` takes every step-th chunk. */
typedef struct worker {
    const test_gallery *gallery;
    hashes *hashes;
    unsigned first, step, chunks;
    pthread_t thread;
} worker;

static void *work(void *argument) {
    const worker *w = argument;
    for (unsigned i = w->first; i < w->chunks; i += w->step) {
        w->hashes[i] = hash_chunk(w->gallery, i);
    }
    return NULL;
}

static hashes hash_all(const test_gallery *gallery, unsigned chunks, unsigned threads) {
    static hashes of_chunks[CHUNKS_MAX];
    static worker workers[THREADS_MAX];
    for (unsigned i = 0; i < threads; i++) {
        workers[i] = (worker){gallery, of_chunks, i, threads, chunks, 0};
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
            abort();
        }
    }
    for (unsigned i = 0; i < threads; i++) {
        (void)pthread_join(workers[i].thread, NULL);
    }
    hashes hash = {FNV_OFFSET, FNV_OFFSET};
    for (int d = 0; d < 2; d++) {
        for (int i = 0; i < GALLERY_SHAPES_MAX; i++) {
            hash.convex = add_shape(hash.convex, &gallery->shape[d][i]);
        }
    }
    for (unsigned i = 0; i < chunks; i++) {
        hash.convex = add_word(hash.convex, of_chunks[i].convex);
        hash.wholes = add_word(hash.wholes, of_chunks[i].wholes);
    }
    return hash;
}

#ifdef GJK_SCAN_X86
#define AVX2 (1u << 10)
#define AVX512 (1u << 15 | 1u << 20 | 1u << 21 | 1u << 22) /* F, VL, BW, DQ */

/* Hides an instruction set and later ones from the core. Returns false if the core still finds them. */
static bool hide(const char *set) {
    const bool is_avx2 = strcmp(set, "avx2") == 0;
    if (!is_avx2 && strcmp(set, "avx512") != 0) {
        return false;
    }
    test_hide(is_avx2 ? AVX512 | AVX2 : AVX512);
    return !gjk_has_avx512() && !(is_avx2 && gjk_has_avx2());
}
#else
static bool hide(const char *set) {
    (void)set;
    return false;
}
#endif

int main(int argc, char **argv) {
    static test_gallery gallery;
    unsigned long chunks = argc >= 3 ? strtoul(argv[1], NULL, 10) : 0;
    unsigned long threads = argc >= 3 ? strtoul(argv[2], NULL, 10) : 0;
    if (chunks < 1 || chunks > CHUNKS_MAX || threads < 1 || threads > THREADS_MAX ||
        (argc == 4 && !hide(argv[3])) || argc > 4) {
        fputs("usage: golden_hash CHUNKS THREADS [avx512 | avx2]\n", stderr);
        return 2;
    }
    test_gallery_init(&gallery);
    const hashes hash = hash_all(&gallery, (unsigned)chunks, (unsigned)threads);
    printf("%016llx %016llx\n", (unsigned long long)hash.convex, (unsigned long long)hash.wholes);
    test_gallery_fini(&gallery);
    return 0;
}
