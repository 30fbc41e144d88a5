/*
 * Casts of shapes that overlap the target at the start, against a search of all pairs of pieces: of
 * compounds whose parts lie anywhere, so that none goes on from another in one plane.
 */

#include "scene.h"
#include "support/test.h"

#include "gjk/cast.h"
#include "gjk/pieces.h"

#define PARTS 6
#define ROUNDS 4000

typedef struct heap_of_parts {
    test_body body[PARTS];
    gjk_placed parts[PARTS];
    gjk_shape shape;
} heap_of_parts;

static void make_heap(test_rng *rng, uint32_t dimension, struct gjk_arena *arena,
                      heap_of_parts *heap) {
    for (int i = 0; i < PARTS; i++) {
        heap->body[i] = test_random_polytope(rng, dimension, 1.0);
        heap->body[i].position =
            gjk_scale3(test_rng_uniform(rng, 0, 3), test_rng_direction(rng, dimension));
        test_body_build(&heap->body[i], arena);
        heap->parts[i] = heap->body[i].placed;
    }
    ck_assert_int_eq(gjk_shape_make_compound(arena, dimension, heap->parts, PARTS, &heap->shape),
                     GJK_OK);
}

/* What a part alone is told to be: a hit or none. */
static gjk_cast_result cast_at_part(const gjk_placed *moving, gjk_vec3 way, const gjk_placed *part,
                                    gjk_at_start how) {
    gjk_cast_settings settings = gjk_cast_settings_default();
    gjk_cast_result result = gjk_cast(moving, way, part, &settings);
    if (result.hit && result.inside) {
        const gjk_detect_settings at_rest = gjk_detect_settings_default();
        const gjk_detect_result deep = gjk_detect(part, moving, &at_rest);
        result.hit = how == GJK_AT_START_LEAVING && gjk_dot3(deep.normal, way) < 0.0;
    }
    return result;
}

TEST_EACH(all_pairs_of_pieces_tell_the_same, 0, 4) {
    const uint32_t dimension = 2 + (uint32_t)_i % 2;
    const gjk_at_start how = _i < 2 ? GJK_AT_START_IGNORE : GJK_AT_START_LEAVING;
    test_rng rng = test_rng_make(2702 + (uint64_t)_i);
    struct gjk_arena arena;
    static heap_of_parts heap;
    unsigned hits = 0, insides = 0, passed = 0;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < TEST_CASES(ROUNDS); i++) {
        make_heap(&rng, dimension, &arena, &heap);
        test_body mover = test_random_polytope(&rng, dimension, 1.0);
        mover.position =
            gjk_scale3(test_rng_uniform(&rng, 0, 3), test_rng_direction(&rng, dimension));
        test_body_build(&mover, &arena);
        const gjk_vec3 way = gjk_scale3(4, test_rng_direction(&rng, dimension));
        const gjk_placed target = {&heap.shape, gjk_pose_identity()};
        gjk_cast_settings settings = gjk_cast_settings_default();
        gjk_cast_result best = {.hit = false};
        for (int k = 0; k < PARTS; k++) {
            const gjk_cast_result r = cast_at_part(&mover.placed, way, &heap.parts[k], how);
            passed += !r.hit &&
                      cast_at_part(&mover.placed, way, &heap.parts[k], GJK_AT_START_LEAVING).inside;
            if (r.hit && (!best.hit || r.fraction < best.fraction)) {
                best = r;
            }
        }
        settings.at_start = how;
        const gjk_cast_result told = gjk_cast(&mover.placed, way, &target, &settings);
        ck_assert_int_eq(told.hit, best.hit);
        if (told.hit) {
            ck_assert_double_eq_tol(told.fraction, best.fraction, 1e-12);
            ck_assert_int_eq(told.inside, best.inside);
            ck_assert_int_eq(told.inside, told.inside && told.has_normal);
        }
        hits += told.hit;
        insides += told.inside;
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
    ck_assert_uint_gt(hits, TEST_CASES(ROUNDS) / 6);
    ck_assert_uint_gt(passed, TEST_CASES(ROUNDS) / 8);
    ck_assert_int_eq(insides > 0, how == GJK_AT_START_LEAVING);
}
