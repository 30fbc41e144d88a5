/*
 * What is the right answer? The core's own where its two bounds meet within 1e-12 of the
 * size and two support scans along its normal, made here in long doubles without the
 * core, confirm one of them: the gap along any axis bounds the distance from below, the
 * overlap along any axis bounds the depth from above. Rays by clipping (Cyrus, Beck
 * 1978), without the core.
 */

#include "pairs_truth.h"

#include "gjk/cast.h"

#define TIGHT 1e-12
#define CAST_STEPS 4000

static long double dot(gjk_vec3 a, gjk_vec3 b) {
    return (long double)a.x * b.x + (long double)a.y * b.y + (long double)a.z * b.z;
}

/* The farthest that a shape about its own origin goes along the direction d (own axes). */
static long double extent(const gjk_shape *shape, gjk_vec3 d) {
    long double most = -INFINITY;
    if (shape->count == 0) { /* a cylinder or cone along z */
        long double flat = shape->curve.radius * sqrtl((long double)d.x * d.x + d.y * d.y);
        long double top = dot(shape->curve.b, d) + (shape->type == GJK_CONE ? 0.0L : flat);
        most = fmaxl(dot(shape->curve.a, d) + flat, top);
    }
    for (uint32_t i = 0; i < shape->count; i++) {
        most = fmaxl(most, dot(gjk_shape_point(shape, i), d));
    }
    return most + shape->radius * sqrtl(dot(d, d));
}

/* The gap between a and b along n, negative when they overlap there. */
static double gap_along(const struct bench_pair *pair, gjk_vec3 n) {
    gjk_vec3 in_a = gjk_mul3_transposed(&pair->a.pose.rotation, n);
    gjk_vec3 in_b = gjk_mul3_transposed(&pair->b.pose.rotation, gjk_neg3(n));
    gjk_vec3 between = gjk_sub3(pair->b.pose.position, pair->a.pose.position);
    return (double)(dot(between, n) - extent(pair->a.shape, in_a) - extent(pair->b.shape, in_b));
}

static enum bench_verdict find_distance(const struct bench_pair *pair, double size,
                                        double *signed_distance) {
    gjk_detect_settings deep = gjk_detect_settings_default();
    gjk_distance_settings apart = gjk_distance_settings_default();
    deep.tolerance = apart.tolerance = 0.1 * TIGHT;
    deep.max_iterations = apart.max_iterations = GJK_ITERATIONS_MAX;
    gjk_distance_result far = gjk_distance(&pair->a, &pair->b, &apart);
    gjk_vec3 normal = far.normal;
    double lower = far.lower_bound, upper = far.distance;
    if (far.state == GJK_OVERLAPPING) {
        gjk_detect_result depth = gjk_detect(&pair->a, &pair->b, &deep);
        normal = depth.normal;
        lower = -depth.depth;
        upper = -depth.depth_lower_bound;
    }
    *signed_distance = upper;
    if (upper - lower > TIGHT * size) {
        return BENCH_UNKNOWN;
    }
    bool holds = fabs(gap_along(pair, normal) - upper) <= 10 * TIGHT * size;
    return holds ? BENCH_KNOWN : BENCH_REFUTED;
}

static double clip_circle(double radius, gjk_vec3 from, gjk_vec3 along) {
    double b = gjk_dot3(from, along), c = gjk_dot3(from, from) - radius * radius;
    double inner = b * b - c;
    return inner >= 0.0 && b <= 0.0 ? -b - sqrt(inner) : BENCH_NONE;
}

/* From outside only, as all rays of a scene start. */
static double clip_polygon(const gjk_shape *shape, gjk_vec3 from, gjk_vec3 along) {
    double enter = 0.0, leave = INFINITY;
    for (uint32_t i = 0; i < shape->count; i++) {
        gjk_vec3 p = gjk_shape_point(shape, i);
        gjk_vec3 q = gjk_shape_point(shape, (i + 1) % shape->count);
        gjk_vec3 outward = {q.y - p.y, p.x - q.x, 0.0};
        double speed = gjk_dot3(outward, along), above = gjk_dot3(outward, gjk_sub3(from, p));
        if (speed < 0.0) {
            enter = fmax(enter, -above / speed);
        } else if (speed > 0.0) {
            leave = fmin(leave, -above / speed);
        } else if (above > 0.0) {
            return BENCH_NONE;
        }
    }
    return enter <= leave ? enter : BENCH_NONE;
}

static double find_ray(const struct bench_pair *pair) {
    const gjk_shape *shape = pair->a.shape;
    const gjk_mat3 *rotation = &pair->a.pose.rotation;
    gjk_vec3 to_origin = gjk_sub3(pair->ray.origin, pair->a.pose.position);
    gjk_vec3 from = gjk_mul3_transposed(rotation, to_origin);
    gjk_vec3 along = gjk_mul3_transposed(rotation, pair->ray.direction);
    return shape->count == 1 ? clip_circle(shape->radius, from, along)
                             : clip_polygon(shape, from, along);
}

/* By steps no longer than the distance, at the speed of the fastest point, until it is nearly 0; NAN
 * where that takes too many. */
static double find_cast(const struct bench_pair *pair, const gjk_rigid_motion *motion,
                        double size) {
    const gjk_shape *shape = pair->a.shape;
    const double way = gjk_length3(motion->translation);
    const double reach = gjk_length3(shape->center) + shape->bounding_radius;
    gjk_distance_settings settings = gjk_distance_settings_default();
    settings.tolerance = 0.01 * TIGHT;
    settings.max_iterations = GJK_ITERATIONS_MAX;
    double t = 0.0;
    for (int i = 0; i < CAST_STEPS && t <= 1.0; i++) {
        const gjk_placed a = {shape, gjk_rigid_motion_pose(&pair->away, motion, t)};
        const gjk_distance_result apart = gjk_distance(&a, &pair->b, &settings);
        if (apart.distance <= TIGHT * size) {
            return t * way;
        }
        t += apart.lower_bound / (way + fabs(motion->angle) * reach);
    }
    return t > 1.0 ? BENCH_NONE : NAN;
}

void bench_truth_find(const struct bench_scene *scene, struct bench_truth *truth) {
    for (int i = 0; i < BENCH_PAIRS; i++) {
        const struct bench_pair *pair = &scene->pairs[i];
        truth->size[i] = fmax(pair->a.shape->size, pair->b.shape->size);
        truth->verdict[i] = find_distance(pair, truth->size[i], &truth->signed_distance[i]);
        truth->ray[i] = pair->a.shape->dimension == 2 ? find_ray(pair) : NAN;
        const gjk_rigid_motion straight = gjk_rigid_motion_straight(pair->motion.translation);
        truth->cast[0][i] = find_cast(pair, &straight, truth->size[i]);
        truth->cast[1][i] = find_cast(pair, &pair->motion, truth->size[i]);
    }
}

/* Is one answer of the right kind, and if so how far off is it? */
static bool right_state(bool there, double answer, double expected, double *error) {
    bool answered = answer > BENCH_NONE;
    *error = there && answered ? fabs(answer - expected) : 0.0;
    return there == answered;
}

/* Warm or cold, the answer is the same. */
static enum bench_question cold(enum bench_question question) {
    switch (question) {
    case BENCH_WARM_BOOLEAN:
        return BENCH_BOOLEAN;
    case BENCH_WARM_DEPTH:
        return BENCH_DEPTH;
    case BENCH_WARM_DISTANCE:
        return BENCH_DISTANCE;
    default:
        return question;
    }
}

struct bench_score bench_judge(const struct bench_truth *truth, enum bench_question asked,
                               double tolerance, const double *answers) {
    const enum bench_question question = cold(asked);
    struct bench_score score = {0, 0, 0};
    for (int i = 0; i < BENCH_PAIRS; i++) {
        double s = truth->signed_distance[i], slack = tolerance * truth->size[i], error = 0.0;
        const bool is_cast = question == BENCH_CAST || question == BENCH_TURNING_CAST;
        const double along = question == BENCH_RAY ? truth->ray[i]
                             : is_cast             ? truth->cast[question - BENCH_CAST][i]
                                                   : NAN;
        bool right, near = fabs(s) <= slack, is_ray = question == BENCH_RAY || is_cast;
        if (is_ray ? isnan(along) : truth->verdict[i] != BENCH_KNOWN) {
            continue;
        }
        if (is_ray) {
            right = right_state(along > BENCH_NONE, answers[i], along, &error);
        } else if (question == BENCH_BOOLEAN) {
            right = near || (answers[i] > 0.0) == (s <= 0.0);
        } else {
            bool there = question == BENCH_DEPTH ? s <= 0.0 : s >= 0.0;
            right = right_state(there, answers[i], fabs(s), &error) || near;
        }
        score.queries++;
        score.wrong_states += !right;
        score.failures += !right || !(error <= slack);
    }
    return score;
}
