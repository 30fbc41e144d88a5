/* Are the answers about a pair right? See judge.h. */

#include "judge.h"

#include <stdio.h>

#define VALUE_ERROR 2e-13
#define BOUND_ULPS 4
/* Witness points, and what lies along a normal: rounding of several steps. */
#define POINT_ERROR 1e-12
#define UNIT_ERROR 1e-15
/* Of a distance, relative to it and the size. */
#define COORDINATE_ROUNDING 0x1p-49

typedef struct bench {
    const test_body *a, *b;
    const test_truth *truth;
    double s;     /* the truth, rounded */
    double size;  /* larger size of the two */
    double scale; /* max(size, distance) */
    double blur;  /* of the distance, by the rounding of what it is made of */
    test_worst *worst;
    test_judgement *j;
} bench;

const char *test_complaint_text(unsigned bit) {
    static const char *const text[] = {
#define X(name, words) words,
        TEST_COMPLAINTS(X)
#undef X
    };
    return text[bit];
}

bool test_finite3(gjk_vec3 v) {
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

double test_largest3(gjk_vec3 v) {
    return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}

double test_ulp(double magnitude) {
    return nextafter(fabs(magnitude), INFINITY) - fabs(magnitude);
}

static void require(bench *t, bool holds, unsigned bit) {
    t->j->complaints |= holds ? 0u : 1u << bit;
}

static double raise(double *worst, double value) {
    *worst = fmax(*worst, value);
    return value;
}

/* upper and lower enclose max(truth, 0), and upper is right. */
static void judge_value(bench *t, quad truth, double upper, double lower) {
    quad positive = truth > 0 ? truth : 0;
    double ulp = test_ulp(t->scale);
    require(t, lower <= upper && lower >= 0.0, TEST_BIT_ORDER);
    double error = fabs((double)(upper - positive)) / t->scale;
    require(t, raise(&t->worst->value, error) <= VALUE_ERROR, TEST_BIT_VALUE);
    double above = (double)(positive - upper) / ulp, below = (double)(lower - positive) / ulp;
    require(t, raise(&t->worst->upper_ulps, above) <= BOUND_ULPS, TEST_BIT_UPPER);
    require(t, raise(&t->worst->lower_ulps, below) <= BOUND_ULPS, TEST_BIT_LOWER);
}

/* The signed distance along the normal must be what was answered, for that is what it is for. */
static void judge_normal(bench *t, gjk_vec3 normal, double signed_answer) {
    require(t, fabs(gjk_length3(normal) - 1.0) <= UNIT_ERROR, TEST_BIT_NORMAL);
    require(t, t->a->dimension == 3 || normal.z == 0.0, TEST_BIT_FIELDS);
    double lost = signed_answer - (double)test_gap_along(t->a, t->b, normal);
    require(t, raise(&t->worst->axis, lost / t->scale) <= POINT_ERROR, TEST_BIT_AXIS);
}

/* What rounding of their coordinates in the world moves two points by. */
static double grain_of(gjk_vec3 p, gjk_vec3 q) {
    return 4 * test_ulp(fmax(test_largest3(p), test_largest3(q)));
}

/* to - from = length * normal */
static void judge_points(bench *t, gjk_vec3 from, gjk_vec3 to, gjk_vec3 normal, double length) {
    gjk_vec3 off = gjk_sub3(gjk_sub3(to, from), gjk_scale3(length, normal));
    double unexplained = test_largest3(off) - grain_of(from, to);
    require(t, raise(&t->worst->points, unexplained / t->scale) <= POINT_ERROR, TEST_BIT_POINTS);
}

static void judge_on(bench *t, const test_body *body, gjk_vec3 point) {
    double off = fabs((double)test_point_distance(body, point));
    require(t, off <= POINT_ERROR * t->scale + grain_of(point, point), TEST_BIT_POINT_OFF);
}

static gjk_state true_state(const bench *t, double tolerance) {
    return t->s > tolerance ? GJK_SEPARATED : t->s < -tolerance ? GJK_OVERLAPPING : GJK_TOUCHING;
}

static void judge_state(bench *t, gjk_state state, double tolerance) {
    double band = tolerance * t->size;
    bool on_the_edge = fabs(fabs(t->s) - band) <= t->blur;
    require(t, on_the_edge || state == true_state(t, band), TEST_BIT_STATE);
}

static void judge_detect(bench *t, const gjk_detect_result *r, bool with_points) {
    require(t,
            isfinite(r->depth) && isfinite(r->depth_lower_bound) && test_finite3(r->normal) &&
                test_finite3(r->point_a) && test_finite3(r->point_b),
            TEST_BIT_NOT_FINITE);
    require(t, r->convergence == GJK_CONVERGED, TEST_BIT_NOT_CONVERGED);
    if (r->state == GJK_SEPARATED) {
        require(t, r->depth == 0 && r->depth_lower_bound == 0 && !r->has_points, TEST_BIT_FIELDS);
        /* An axis that separates, though not the best one. */
        require(t, test_gap_along(t->a, t->b, r->normal) > 0, TEST_BIT_AXIS);
        require(t, fabs(gjk_length3(r->normal) - 1.0) <= UNIT_ERROR, TEST_BIT_NORMAL);
        return;
    }
    judge_value(t, -t->truth->signed_distance, r->depth, r->depth_lower_bound);
    judge_normal(t, r->normal, fmax(t->s, -r->depth));
    require(t, r->has_points, TEST_BIT_FIELDS);
    /* Apart within the tolerance: depth 0, and the points are as far apart as the shapes. */
    double between = t->s > 0.0 ? -t->s : r->depth;
    judge_points(t, r->point_b, r->point_a, r->normal, between);
    if (with_points) {
        judge_on(t, t->a, r->point_a);
        judge_on(t, t->b, r->point_b);
    }
}

static void judge_distance(bench *t, const gjk_distance_result *r, bool with_points) {
    require(t,
            isfinite(r->distance) && isfinite(r->lower_bound) && test_finite3(r->normal) &&
                test_finite3(r->point_a) && test_finite3(r->point_b),
            TEST_BIT_NOT_FINITE);
    require(t, r->convergence == GJK_CONVERGED, TEST_BIT_NOT_CONVERGED);
    if (r->state == GJK_OVERLAPPING) {
        require(t, r->distance == 0 && r->lower_bound == 0 && !r->has_points, TEST_BIT_FIELDS);
        return;
    }
    judge_value(t, t->truth->signed_distance, r->distance, r->lower_bound);
    judge_normal(t, r->normal, fmin(t->s, r->distance));
    require(t, r->has_points, TEST_BIT_FIELDS);
    double between = t->s < 0.0 ? t->s : r->distance;
    judge_points(t, r->point_a, r->point_b, r->normal, between);
    if (with_points) {
        judge_on(t, t->a, r->point_a);
        judge_on(t, t->b, r->point_b);
    }
}

/* The same of b and a. */
static void judge_order(bench *t, const gjk_detect_settings *settings,
                        const gjk_distance_settings *distance_settings) {
    const gjk_detect_result detect = gjk_detect(&t->b->placed, &t->a->placed, settings);
    const gjk_distance_result distance =
        gjk_distance(&t->b->placed, &t->a->placed, distance_settings);
    require(t,
            detect.state == t->j->detect.state && detect.depth == t->j->detect.depth &&
                distance.state == t->j->distance.state &&
                distance.distance == t->j->distance.distance,
            TEST_BIT_ORDER_OF_TWO);
}

static test_judgement judge_solver(const test_body *a, const test_body *b, const test_truth *truth,
                                   bool with_points, const struct gjk_penetration_solver *solver,
                                   test_worst *worst) {
    gjk_detect_settings settings = gjk_detect_settings_default();
    gjk_distance_settings distance_settings = gjk_distance_settings_default();
    settings.solver = distance_settings.solver = solver;
    test_judgement j = {
        .detect = gjk_detect(&a->placed, &b->placed, &settings),
        .distance = gjk_distance(&a->placed, &b->placed, &distance_settings),
    };
    settings.penetration = false;
    gjk_detect_result quick = gjk_detect(&a->placed, &b->placed, &settings);
    settings.penetration = true;
    const double least = 1e-300; /* two points in one place: any positive scale will do */
    double s = (double)truth->signed_distance;
    double size = fmax(a->shape.size, b->shape.size);
    bench t = {
        .a = a,
        .b = b,
        .truth = truth,
        .s = s,
        .size = size,
        .scale = fmax(fmax(size, s), least),
        .blur = COORDINATE_ROUNDING * (fabs(s) + size),
        .worst = worst,
        .j = &j,
    };
    judge_state(&t, j.detect.state, settings.tolerance);
    require(&t, j.detect.state == j.distance.state && j.detect.state == quick.state,
            TEST_BIT_DISAGREE);
    judge_order(&t, &settings, &distance_settings);
    judge_detect(&t, &j.detect, with_points);
    judge_distance(&t, &j.distance, with_points);
    uint32_t most = j.detect.iterations;
    most = j.distance.iterations > most ? j.distance.iterations : most;
    worst->iterations = most > worst->iterations ? most : worst->iterations;
    return j;
}

/* By the direct solver where it serves the pair, and by the general method. */
test_judgement test_judge(const test_body *a, const test_body *b, const test_truth *truth,
                          bool with_points, test_worst *worst) {
    test_judgement j = judge_solver(a, b, truth, with_points, &gjk_penetration_direct, worst);
    if (j.complaints == 0) {
        test_judgement general =
            judge_solver(a, b, truth, with_points, &gjk_penetration_epa, worst);
        j = general.complaints != 0 ? general : j;
    }
    return j;
}

void test_judgement_print(const test_judgement *j, const test_body *a, const test_body *b,
                          const test_truth *truth) {
    for (unsigned bit = 0; bit < TEST_COMPLAINT_COUNT; bit++) {
        if (j->complaints >> bit & 1u) {
            fprintf(stderr, "* %s\n", test_complaint_text(bit));
        }
    }
    const gjk_detect_result *r = &j->detect;
    const gjk_distance_result *d = &j->distance;
    fprintf(stderr, "truth %.17g\n", (double)truth->signed_distance);
    fprintf(stderr,
            "detect: state %d convergence %d iterations %u depth %.17g >= %.17g normal %.17g %.17g "
            "%.17g points %.17g %.17g %.17g, %.17g %.17g %.17g\n",
            (int)r->state, (int)r->convergence, r->iterations, r->depth, r->depth_lower_bound,
            r->normal.x, r->normal.y, r->normal.z, r->point_a.x, r->point_a.y, r->point_a.z,
            r->point_b.x, r->point_b.y, r->point_b.z);
    fprintf(stderr,
            "distance: state %d convergence %d iterations %u distance %.17g >= %.17g normal %.17g "
            "%.17g %.17g points %.17g %.17g %.17g, %.17g %.17g %.17g\n",
            (int)d->state, (int)d->convergence, d->iterations, d->distance, d->lower_bound,
            d->normal.x, d->normal.y, d->normal.z, d->point_a.x, d->point_a.y, d->point_a.z,
            d->point_b.x, d->point_b.y, d->point_b.z);
    test_body_print("a", a);
    test_body_print("b", b);
}
