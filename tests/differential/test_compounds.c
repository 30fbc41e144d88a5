/*
 * Do the answers about compounds hold wherever the whole stands? Its parts have poses of their own,
 * of numbers that are no sums of few powers of two; the whole stands 0 to 2^30 away from the
 * world's origin, turned or not. Each pair of parts is judged in exact rational arithmetic (CGAL),
 * from the numbers that were given. GJKD_SEED and GJKD_FACTOR as in test_differential.c.
 */

#include "exact.h"
#include "gjk/cast.h"
#include "gjk/pieces.h"
#include "gjk/ray.h"
#include "judge.h"
#include "quad.h"
#include "scene.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>

#define PAIRS 250
#define PARTS 3
#define CONTACTS 9
#define SHOWN_MAX 5
#define BOUND_ULPS 4
/* Of a ray's way: rounded hulls are met step by step, which ends within some roundings of all
 * lengths. */
#define RAY_ULPS 64
/* A cast ends within the tolerance, and that of the query that it is asked of. */
#define CAST_TOLERANCE 2.5e-10

static struct gjk_arena arena;

/* A convex body, or a compound of some, and the same for the reference. */
typedef struct whole {
    uint32_t count;
    bool is_convex;
    test_body part[PARTS];
    double points[PARTS][3 * TEST_BODY_POINTS_MAX];
    test_exact_body exact[PARTS], frame;
    gjk_shape shape;
    gjk_placed placed;
    double size; /* the largest of its parts' */
} whole;

/* A turn in the plane as a quaternion of twice the digits. */
static void set_turn(const test_body *body, test_exact_body *out) {
    const gjk_quat q = body->orientation;
    quad turn[4] = {q.x, q.y, q.z, q.w};
    if (body->dimension == 2) {
        quad_sincos(0.5 * body->angle, &turn[2], &turn[3]);
    }
    for (int k = 0; k < 4; k++) {
        out->orientation[k] = (double)turn[k];
        out->orientation_rest[k] = (double)(turn[k] - (quad)out->orientation[k]);
    }
}

static void set_exact(const test_body *body, double *points, test_exact_body *out) {
    for (uint32_t i = 0; points != NULL && i < body->count; i++) {
        points[3 * i] = body->point[i].x;
        points[3 * i + 1] = body->point[i].y;
        points[3 * i + 2] = body->point[i].z;
    }
    const gjk_vec3 p = body->position;
    *out = (test_exact_body){.points = points, .count = body->count, .position = {p.x, p.y, p.z}};
    set_turn(body, out);
}

static gjk_vec3 random_vec(test_rng *rng, uint32_t dimension, double most) {
    return gjk_scale3(test_rng_uniform(rng, 0, most), test_rng_direction(rng, dimension));
}

/* Its frame is the pose of `frame`, which is not built otherwise. */
static void make_whole(test_rng *rng, const test_body *frame, bool is_convex, whole *out) {
    gjk_placed parts[PARTS];
    const uint32_t dimension = frame->dimension;
    out->is_convex = is_convex;
    out->count = is_convex ? 1 : 1 + test_rng_below(rng, PARTS);
    out->size = 0;
    set_exact(frame, NULL, &out->frame);
    for (uint32_t i = 0; i < out->count; i++) {
        test_body *part = &out->part[i];
        *part = test_random_body(rng, dimension, 1.0);
        if (test_rng_once_in(rng, 3)) {
            part->angle = 0;
            part->orientation = (gjk_quat){0, 0, 0, 1};
        }
        part->position = random_vec(rng, dimension, test_rng_once_in(rng, 5) ? 50 : 2);
        if (is_convex) {
            part->position = frame->position;
        }
        test_body_build(part, &arena);
        set_exact(part, out->points[i], &out->exact[i]);
        out->exact[i].whole = is_convex ? NULL : &out->frame;
        parts[i] = part->placed;
        out->size = fmax(out->size, part->shape.size);
    }
    out->placed = out->part[0].placed;
    if (!is_convex) {
        ck_assert_int_eq(gjk_shape_make_compound(&arena, dimension, parts, out->count, &out->shape),
                         GJK_OK);
        out->placed = (gjk_placed){&out->shape, frame->placed.pose};
    }
}

/* Where it stands, one of them in four by a whole number of powers of two. */
static test_body random_frame(test_rng *rng, uint32_t dimension) {
    test_body frame = test_body_ball(dimension, 1.0);
    const double far = exp2(test_rng_uniform(rng, 0, 30));
    frame.position = gjk_scale3(far, test_rng_direction(rng, dimension));
    if (test_rng_once_in(rng, 4)) {
        frame.position = (gjk_vec3){far, -far, dimension == 3 ? 0.5 * far : 0.0};
    }
    if (!test_rng_once_in(rng, 3)) {
        test_turn_randomly(rng, &frame);
    }
    test_body_build(&frame, &arena);
    return frame;
}

/* A part of one near a part of the other. */
static void make_pair(test_rng *rng, uint32_t dimension, whole *a, whole *b) {
    test_body frame = random_frame(rng, dimension);
    make_whole(rng, &frame, false, a);
    const test_body *part = &a->part[test_rng_below(rng, a->count)];
    const gjk_vec3 at = gjk_pose_apply(&a->placed.pose, part->position);
    test_turn_randomly(rng, &frame);
    frame.position = gjk_add3(at, random_vec(rng, dimension, 2.5));
    test_body_place(&frame);
    make_whole(rng, &frame, test_rng_once_in(rng, 2), b);
}

static double radii_of(const whole *a, uint32_t i, const whole *b, uint32_t j) {
    return test_body_radius(&a->part[i]) + test_body_radius(&b->part[j]);
}

/* The signed distance of two parts, b's moved first by the fraction of the way. */
static quad distance_at(const whole *a, uint32_t i, const whole *b, uint32_t j, gjk_vec3 way,
                        double fraction) {
    test_exact_body moved = b->exact[j], frame = b->frame;
    test_exact_body *carrier = b->is_convex ? &moved : &frame;
    carrier->way[0] = way.x;
    carrier->way[1] = way.y;
    carrier->way[2] = way.z;
    carrier->fraction = fraction;
    moved.whole = b->is_convex ? NULL : &frame;
    const test_exact_distance exact = test_exact_signed_distance(&a->exact[i], &moved);
    const quad value = quad_sqrt((quad)exact.square_high + exact.square_low);
    return (exact.sign < 0 ? -value : value) - radii_of(a, i, b, j);
}

/* Of the whole: the least of its parts'. In the plane the parts have no thickness, and cores that
 * overlap count as 0: their depth is judged elsewhere. */
static quad least_distance(const whole *a, const whole *b, gjk_vec3 way, double fraction) {
    quad least = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        for (uint32_t j = 0; j < b->count; j++) {
            const quad s = distance_at(a, i, b, j, way, fraction);
            least = (i == 0 && j == 0) || s < least ? s : least;
        }
    }
    return least;
}

static uint32_t piece_or_0(uint32_t piece) {
    return piece == GJK_NO_PIECE ? 0 : piece;
}

/* What is wrong about a pair's answers, or NULL. */
typedef struct verdict {
    const char *wrong;
    double by;       /* in units in the last place of the scale */
    double worst[4]; /* distance from below and above, depth likewise */
} verdict;

static void judge(verdict *v, const char *what, int which, double by, double most) {
    v->worst[which] = fmax(v->worst[which], by);
    if (by > most && v->wrong == NULL) {
        v->wrong = what;
        v->by = by;
    }
}

static void judge_distances(const whole *a, const whole *b, verdict *v) {
    const gjk_distance_settings settings = gjk_distance_settings_default();
    const gjk_distance_result r = gjk_distance(&a->placed, &b->placed, &settings);
    const quad truth = least_distance(a, b, (gjk_vec3){0, 0, 0}, 0);
    const double scale = fmax(fmax(a->size, b->size), (double)truth), ulp = test_ulp(scale);
    const quad positive = truth > 0 ? truth : 0;
    judge(v, "the truth is below the lower bound", 0, (double)((r.lower_bound - positive) / ulp),
          BOUND_ULPS);
    judge(v, "the truth is above the distance", 1, (double)((positive - r.distance) / ulp),
          BOUND_ULPS);
    if (r.state == GJK_OVERLAPPING && truth > 1e-10 * scale) {
        judge(v, "apart, but said to overlap", 0, INFINITY, 0);
    }
    if (r.convergence == GJK_CONVERGED && r.distance - r.lower_bound > 1.1e-10 * scale) {
        judge(v, "converged, with bounds that are apart", 0, INFINITY, 0);
    }
}

/* Every pair of parts alone, as contacts tell it. */
static void judge_contacts(const whole *a, const whole *b, verdict *v) {
    const gjk_detect_settings settings = gjk_detect_settings_default();
    gjk_contacts found;
    ck_assert_int_eq(gjk_pair_contacts(&a->placed, &b->placed, &settings, CONTACTS, &arena, &found),
                     GJK_OK);
    for (uint32_t k = 0; k < found.count; k++) {
        const gjk_detect_result *r = &found.items[k];
        const uint32_t i = piece_or_0(r->piece_a), j = piece_or_0(r->piece_b);
        const quad s = distance_at(a, i, b, j, (gjk_vec3){0, 0, 0}, 0);
        const double ulp = test_ulp(fmax(a->size, b->size));
        const quad depth = s < 0 ? -s : 0;
        judge(v, "the depth is below its lower bound", 2,
              (double)((r->depth_lower_bound - depth) / ulp), BOUND_ULPS);
        judge(v, "the depth is above", 3, (double)((depth - r->depth) / ulp), BOUND_ULPS);
    }
}

/* At the end of a ray's way there is the surface of the part, and none before. */
static void judge_ray(test_rng *rng, const whole *a, verdict *v) {
    const uint32_t dimension = a->part[0].dimension;
    const gjk_ray_settings settings = gjk_ray_settings_default();
    const test_body *part = &a->part[test_rng_below(rng, a->count)];
    const gjk_vec3 at = gjk_pose_apply(&a->placed.pose, part->position);
    const gjk_vec3 from = gjk_add3(at, gjk_scale3(4, test_rng_direction(rng, dimension)));
    gjk_ray ray;
    ck_assert_int_eq(gjk_ray_make(from, gjk_add3(gjk_sub3(at, from), random_vec(rng, dimension, 1)),
                                  INFINITY, &ray),
                     GJK_OK);
    const gjk_ray_result r = gjk_raycast(&a->placed, &ray, &settings);
    const double rate = r.has_normal ? -gjk_dot3(r.normal, ray.direction) : 0;
    if (!r.hit || r.inside || rate < 1e-2) {
        return;
    }
    static whole point;
    point = (whole){.is_convex = true, .count = 1, .part = {test_body_ball(dimension, 0)}};
    point.part[0].position = from;
    set_exact(&point.part[0], point.points[0], &point.exact[0]);
    const quad off = distance_at(a, r.piece, &point, 0, ray.direction, r.distance);
    const double ulp = test_ulp(fmax(r.distance, a->size));
    judge(v, "a ray's hit is off the surface", 0, fabs((double)off) / ulp, RAY_ULPS);
    const quad before = least_distance(a, &point, ray.direction, 0.99 * r.distance);
    judge(v, "a ray went through a part", 0, (double)(-before / ulp), RAY_ULPS);
}

/* Where a cast ends, the two touch. */
static void judge_cast(test_rng *rng, const whole *a, const whole *b, verdict *v) {
    const gjk_cast_settings settings = gjk_cast_settings_default();
    const gjk_vec3 way = gjk_scale3(5, test_rng_direction(rng, a->part[0].dimension));
    const gjk_cast_result r = gjk_cast(&b->placed, way, &a->placed, &settings);
    if (r.hit && !r.inside) {
        const quad off =
            distance_at(a, piece_or_0(r.piece), b, piece_or_0(r.moving_piece), way, r.fraction);
        const double size = fmax(a->size, b->size);
        judge(v, "a cast ends where nothing touches", 0, fabs((double)off) / size, CAST_TOLERANCE);
    }
}

TEST_EACH(bounds_hold_wherever_it_stands, 2, 4) {
    const uint32_t dimension = (uint32_t)_i;
    static whole a, b;
    test_rng rng = test_rng_make(test_seed() * 1000 + 970 + dimension);
    const uint64_t pairs = PAIRS * test_factor();
    verdict worst = {0};
    unsigned wrong = 0;
    gjk_arena_init(&arena, 0);
    for (uint64_t i = 0; i < pairs; i++) {
        verdict v = {0};
        make_pair(&rng, dimension, &a, &b);
        judge_distances(&a, &b, &v);
        judge_distances(&b, &a, &v);
        if (dimension == 3) {
            judge_contacts(&a, &b, &v);
        }
        judge_ray(&rng, &a, &v);
        judge_cast(&rng, &a, &b, &v);
        if (v.wrong != NULL && wrong++ < SHOWN_MAX) {
            fprintf(stderr, "pair %llu: %s, by %.3g\n", (unsigned long long)i, v.wrong, v.by);
        }
        for (int k = 0; k < 4; k++) {
            worst.worst[k] = fmax(worst.worst[k], v.worst[k]);
        }
        gjk_arena_reset(&arena);
    }
    gjk_arena_fini(&arena);
    printf("%uD: worst %.2f below, %.2f above, depth %.2f below, %.2f above\n", dimension,
           worst.worst[0], worst.worst[1], worst.worst[2], worst.worst[3]);
    ck_assert_msg(wrong == 0, "%u of %llu pairs wrong", wrong, (unsigned long long)pairs);
}
