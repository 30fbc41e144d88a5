/*
 * Does a moving shape stop where it first touches, and never later? Against the
 * distance sampled along the way, closed forms, walls as thin as nothing, and the
 * same sweep told the other way round.
 */

#include "curved.h"
#include "support/test.h"

#include "gjk/cast.h"

#include <stdio.h>

#define SWEEPS 2000
#define SAMPLES 64
#define ERROR 1e-9 /* relative to the size and the way */

typedef struct sweep {
    test_curved moving, target;
    gjk_vec3 way;
} sweep;

#define REQUIRE(s, condition) require(s, condition, #condition, __LINE__)

static gjk_cast_result cast(const sweep *s) {
    const gjk_cast_settings settings = gjk_cast_settings_default();
    return gjk_cast(&s->moving.placed, s->way, &s->target.placed, &settings);
}

static void require(const sweep *s, bool holds, const char *what, int line) {
    if (!holds) {
        gjk_cast_result r = cast(s);
        test_curved_print("moving", &s->moving);
        test_curved_print("target", &s->target);
        fprintf(stderr, "way %.17g %.17g %.17g\n", s->way.x, s->way.y, s->way.z);
        fprintf(stderr, "hit %d inside %d convergence %d fraction %.17g normal %g %g %g\n", r.hit,
                r.inside, (int)r.convergence, r.fraction, r.normal.x, r.normal.y, r.normal.z);
        ck_abort_msg("line %d: %s", line, what);
    }
}

static double size_of(const sweep *s) {
    return fmax(s->moving.shape.size, s->target.shape.size);
}

static double scale_of(const sweep *s) {
    gjk_vec3 off = gjk_sub3(s->moving.placed.pose.position, s->target.placed.pose.position);
    return size_of(s) + gjk_length3(s->way) + gjk_length3(off);
}

/* The distance of the two with the moving one that far along. */
static gjk_distance_result distance_at(const sweep *s, double fraction) {
    const gjk_distance_settings settings = gjk_distance_settings_default();
    gjk_placed moved = s->moving.placed;
    moved.pose.position = gjk_add3(moved.pose.position, gjk_scale3(fraction, s->way));
    return gjk_distance(&s->target.placed, &moved, &settings);
}

/* A way that passes near the target's centre, sometimes stopping short of it. */
static void random_sweep(test_rng *rng, uint32_t dimension, struct gjk_arena *arena, sweep *s) {
    test_curved_make_random(&s->moving, rng, dimension, 1.0, arena, true);
    test_curved_make_random(&s->target, rng, dimension, test_rng_magnitude(rng, -1, 1), arena,
                            true);
    double reach = s->moving.shape.size + s->target.shape.size;
    gjk_vec3 home = gjk_scale3(5, test_rng_direction(rng, dimension));
    double far = reach * test_rng_uniform(rng, 0, 4);
    gjk_vec3 from = gjk_add3(home, gjk_scale3(far, test_rng_direction(rng, dimension)));
    test_curved_place_randomly(&s->moving, rng, from);
    test_curved_place_randomly(&s->target, rng, home);
    double off = reach * test_rng_uniform(rng, 0, 0.6);
    s->way = gjk_add3(gjk_sub3(home, from), gjk_scale3(off, test_rng_direction(rng, dimension)));
    s->way = gjk_scale3(test_rng_uniform(rng, 0.3, 2.5), s->way);
}

/* At the hit the two touch there, and the normal leads from the target to the moving shape. */
static void require_contact(const sweep *s, const gjk_cast_result *r) {
    double error = ERROR * scale_of(s);
    sweep end = *s;
    end.moving.placed.shape = &end.moving.shape;
    end.target.placed.shape = &end.target.shape;
    end.moving.placed.pose.position =
        gjk_add3(s->moving.placed.pose.position, gjk_scale3(r->fraction, s->way));
    REQUIRE(s, r->fraction >= 0 && r->fraction <= 1 && r->has_normal);
    REQUIRE(s, fabs(gjk_length3(r->normal) - 1) <= 4e-15);
    REQUIRE(s, gjk_dot3(r->normal, s->way) <= 0);
    REQUIRE(s, fabs(r->distance - r->fraction * gjk_length3(s->way)) <= 1e-15 * 4 * scale_of(s));
    double gap = (double)test_curved_gap(&end.target, &end.moving, r->normal);
    REQUIRE(s, fabs(gap) <= error);
    REQUIRE(s, distance_at(s, r->fraction).distance <= error);
    REQUIRE(s, fabs((double)test_curved_outside(&s->target, r->point, r->normal)) <= error);
    REQUIRE(s,
            fabs((double)test_curved_outside(&end.moving, r->point, gjk_neg3(r->normal))) <= error);
}

TEST_EACH(as_distance_sampled_along_the_way, 2, 4) {
    test_rng rng = test_rng_make(5000 + (uint64_t)_i);
    struct gjk_arena arena;
    static sweep s;
    unsigned hits = 0, misses = 0, inside = 0;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < SWEEPS; i++) {
        random_sweep(&rng, (uint32_t)_i, &arena, &s);
        gjk_cast_result r = cast(&s);
        gjk_state start = distance_at(&s, 0).state;
        REQUIRE(&s, r.inside == (start == GJK_OVERLAPPING));
        REQUIRE(&s, r.convergence == GJK_CONVERGED || r.inside);
        double last = r.hit ? r.fraction : 1.0, error = ERROR * scale_of(&s);
        for (int j = 0; j < SAMPLES && !r.inside; j++) { /* nothing touched before */
            double fraction = (j + test_rng_uniform(&rng, 0, 1)) / SAMPLES;
            const gjk_detect_settings settings = gjk_detect_settings_default();
            gjk_placed moved = s.moving.placed;
            moved.pose.position = gjk_add3(moved.pose.position, gjk_scale3(fraction, s.way));
            gjk_detect_result d = gjk_detect(&s.target.placed, &moved, &settings);
            REQUIRE(&s, fraction > last || d.depth_lower_bound <= error);
        }
        if (r.hit && !r.inside) {
            require_contact(&s, &r);
        }
        REQUIRE(&s, !r.inside || (r.hit && r.fraction == 0 && !r.has_normal));
        inside += r.inside;
        hits += r.hit && !r.inside;
        misses += !r.hit;
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
    ck_assert_uint_gt(hits, SWEEPS / 5);
    ck_assert_uint_gt(misses, SWEEPS / 20);
    ck_assert_uint_gt(inside, SWEEPS / 50);
}

/* Seen from the moving shape, the target comes the opposite way. */
TEST_EACH(the_other_way_round, 2, 4) {
    test_rng rng = test_rng_make(5100 + (uint64_t)_i);
    struct gjk_arena arena;
    static sweep s, t;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < SWEEPS; i++) {
        random_sweep(&rng, (uint32_t)_i, &arena, &s);
        t = (sweep){s.target, s.moving, gjk_neg3(s.way)};
        t.moving.placed.shape = &t.moving.shape;
        t.target.placed.shape = &t.target.shape;
        gjk_cast_result r = cast(&s), q = cast(&t);
        bool same = r.hit == q.hit && r.inside == q.inside;
        if (same && r.hit && !r.inside) {
            double cosine = -gjk_dot3(r.normal, s.way) / gjk_length3(s.way);
            double error = ERROR * scale_of(&s) / fmax(cosine, 1e-6);
            REQUIRE(&s, fabs(r.distance - q.distance) <= error);
        } else if (!same) { /* only where they graze */
            const gjk_cast_result *hit = r.hit ? &r : &q;
            double cosine = fabs(gjk_dot3(hit->normal, s.way)) / gjk_length3(s.way);
            REQUIRE(&s, !hit->inside && (cosine < 1e-4 || hit->fraction > 1 - 1e-9));
        }
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}

/* A wall of 1e-9 to no thickness, crossed by something a million times smaller than its way. */
TEST_EACH(never_through_a_wall, 2, 4) {
    test_rng rng = test_rng_make(5200 + (uint64_t)_i);
    const uint32_t dimension = (uint32_t)_i;
    struct gjk_arena arena;
    static sweep s;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < SWEEPS; i++) {
        double thin = test_rng_once_in(&rng, 3) ? 0.0 : test_rng_magnitude(&rng, -15, -9);
        double far = test_rng_magnitude(&rng, 0.5, 6);
        test_curved_make_random(&s.moving, &rng, dimension, 1.0, &arena, true);
        test_curved_make_box(&s.target, &arena, dimension, (gjk_vec3){thin, 50, 50});
        /* It crosses the wall's plane well within the wall, at a slant of up to 45 degrees. */
        gjk_vec3 slant = gjk_scale3(0.7, test_rng_direction(&rng, dimension));
        slant.x = 1.0;
        gjk_vec3 through = gjk_scale3(20, test_rng_direction(&rng, dimension));
        through.x = 0.0;
        gjk_vec3 from = gjk_sub3(through, gjk_scale3(3 * s.moving.shape.size + far, slant));
        double angle = test_rng_once_in(&rng, 2) ? 0.0 : test_rng_uniform(&rng, -3, 3);
        double c, k;
        gjk_sincos(angle, &k, &c);
        gjk_vec3 turned = {c * from.x - k * from.y, k * from.x + c * from.y, from.z};
        test_curved_place_randomly(&s.moving, &rng, turned);
        gjk_quat q;
        gjk_sincos(angle / 2, &q.z, &q.w);
        q.x = q.y = 0;
        if (dimension == 2) {
            test_curved_place2(&s.target, (gjk_vec3){0, 0, 0}, angle);
        } else {
            test_curved_place3(&s.target, (gjk_vec3){0, 0, 0}, q);
        }
        s.way = (gjk_vec3){c * slant.x - k * slant.y, k * slant.x + c * slant.y, slant.z};
        s.way = gjk_scale3(2 * (3 * s.moving.shape.size + far), s.way);
        gjk_cast_result r = cast(&s);
        REQUIRE(&s, r.hit && !r.inside);
        require_contact(&s, &r);
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}

/* Onto the face of a box: where its surface comes to the radius. */
TEST_EACH(ball_onto_box, 2, 4) {
    test_rng rng = test_rng_make(5300 + (uint64_t)_i);
    const uint32_t dimension = (uint32_t)_i;
    struct gjk_arena arena;
    static sweep s;
    gjk_arena_init(&arena, 0);
    for (int i = 0; i < SWEEPS; i++) {
        double radius = test_rng_uniform(&rng, 0.1, 2), gap = test_rng_magnitude(&rng, -6, 2);
        gjk_vec3 h = {test_rng_uniform(&rng, 0.1, 2), 3, 3};
        test_curved_make_ball(&s.moving, &arena, dimension, radius);
        test_curved_make_box(&s.target, &arena, dimension, h);
        double y = test_rng_uniform(&rng, -1, 1), slope = test_rng_uniform(&rng, -1, 1);
        s.moving.placed.pose.position = (gjk_vec3){h.x + radius + gap, y - slope * gap, 0};
        s.way = gjk_scale3(1.25 * gap, (gjk_vec3){-1, slope, 0});
        gjk_cast_result r = cast(&s);
        double error = 1e-13 * (radius + gap + 4);
        REQUIRE(&s, r.hit && fabs((r.fraction - 0.8) * gap) <= error);
        REQUIRE(&s, gjk_length3(gjk_sub3(r.normal, (gjk_vec3){1, 0, 0})) <= 1e-12);
        REQUIRE(&s, gjk_length3(gjk_sub3(r.point, (gjk_vec3){h.x, y, 0})) <= 10 * error);
        s.way = gjk_scale3(0.99 / 1.25, s.way); /* too short by a hundredth */
        REQUIRE(&s, !cast(&s).hit);
        s.way = gjk_neg3(s.way);
        REQUIRE(&s, !cast(&s).hit);
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
}

/* Touching: a hit only when the way leads in. Overlapping: inside, whatever the way. */
TEST_EACH(at_the_start, 2, 4) {
    struct gjk_arena arena;
    static sweep s;
    const uint32_t dimension = (uint32_t)_i;
    const gjk_vec3 in = {-1, 0, 0}, out = {1, 0, 0}, along = {0, 1, 0}, none = {0, 0, 0};
    gjk_arena_init(&arena, 0);
    test_curved_make_ellipse(&s.moving, dimension, (gjk_vec3){2, 1, 1}, 0.5);
    test_curved_make_box(&s.target, &arena, dimension, (gjk_vec3){1, 1, 1});
    for (int overlap = 0; overlap < 2; overlap++) {
        s.moving.placed.pose.position.x = overlap ? 3 : 3.5;
        const gjk_vec3 ways[] = {in, out, along, none};
        for (int i = 0; i < 4; i++) {
            s.way = ways[i];
            gjk_cast_result r = cast(&s);
            REQUIRE(&s, r.inside == (overlap == 1) && r.hit == (overlap == 1 || i == 0));
            REQUIRE(&s, r.fraction == 0 && r.distance == 0);
            REQUIRE(&s, r.has_normal == (r.hit && !r.inside));
        }
    }
    s.moving.placed.pose.position.x = 4;
    s.way = none;
    REQUIRE(&s, !cast(&s).hit);
    gjk_arena_fini(&arena);
}
