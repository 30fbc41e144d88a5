/*
 * What every library of the table is measured against: the core, and as a floor the
 * bare support scans without which no general method can do.
 */

#include "peers/peer.h"

#include "gjk/pair.h"

/* The floor: no answer needs less than one support of each cloud. No index, no point. */
static double scan2(const gjk_placed *placed, gjk_vec3 world) {
    const gjk_shape *shape = placed->shape;
    gjk_vec3 d = gjk_mul3_transposed(&placed->pose.rotation, world);
    const double *x = shape->columns, *y = x + shape->stride;
    double most[2] = {-INFINITY, -INFINITY};
    for (uint32_t i = 0; i < shape->stride; i += 2) {
        for (uint32_t lane = 0; lane < 2; lane++) {
            double here = d.x * x[i + lane] + d.y * y[i + lane];
            most[lane] = here > most[lane] ? here : most[lane];
        }
    }
    return fmax(most[0], most[1]);
}

static double scan3(const gjk_placed *placed, gjk_vec3 world) {
    const gjk_shape *shape = placed->shape;
    gjk_vec3 d = gjk_mul3_transposed(&placed->pose.rotation, world);
    const double *x = shape->columns, *y = x + shape->stride, *z = y + shape->stride;
    double most[2] = {-INFINITY, -INFINITY};
    for (uint32_t i = 0; i < shape->stride; i += 2) {
        for (uint32_t lane = 0; lane < 2; lane++) {
            double here = d.x * x[i + lane] + d.y * y[i + lane] + d.z * z[i + lane];
            most[lane] = here > most[lane] ? here : most[lane];
        }
    }
    return fmax(most[0], most[1]);
}

static double scan(const gjk_placed *placed, gjk_vec3 world) {
    return placed->shape->dimension == 2 ? scan2(placed, world) : scan3(placed, world);
}

static double two_scans(const struct bench_pair *pair) {
    gjk_vec3 direction = gjk_sub3(pair->b.pose.position, pair->a.pose.position);
    return scan(&pair->a, direction) + scan(&pair->b, gjk_neg3(direction));
}

static double one_scan(const struct bench_pair *pair) {
    return scan(&pair->a, pair->ray.direction);
}

static double boolean(const struct bench_pair *pair) {
    gjk_detect_settings settings = gjk_detect_settings_default();
    settings.penetration = false;
    return gjk_detect(&pair->a, &pair->b, &settings).state != GJK_SEPARATED;
}

static double depth(const struct bench_pair *pair) {
    gjk_detect_settings settings = gjk_detect_settings_default();
    gjk_detect_result result = gjk_detect(&pair->a, &pair->b, &settings);
    return result.state != GJK_SEPARATED ? result.depth : BENCH_NONE;
}

static double distance(const struct bench_pair *pair) {
    gjk_distance_settings settings = gjk_distance_settings_default();
    gjk_distance_result result = gjk_distance(&pair->a, &pair->b, &settings);
    return result.state != GJK_OVERLAPPING ? result.distance : BENCH_NONE;
}

static double ray(const struct bench_pair *pair) {
    gjk_ray_settings settings = gjk_ray_settings_default();
    gjk_ray_result result = gjk_raycast(&pair->a, &pair->ray, &settings);
    return result.hit ? result.distance : BENCH_NONE;
}

/* Inlined into each pass together with its query. */
__attribute__((always_inline)) static inline void over(
    const struct bench_scene *scene, double *answers,
    double (*query)(const struct bench_pair *pair)) {
    for (int i = 0; i < BENCH_PAIRS; i++) {
        answers[i] = query(&scene->pairs[i]);
    }
}

#define PASS(query)                                                \
    static void query##_pass(const void *scene, double *answers) { \
        over(scene, answers, query);                               \
    }
PASS(boolean)
PASS(depth)
PASS(distance)
PASS(ray)
PASS(two_scans)
PASS(one_scan)

static void *begin(const struct bench_scene *scene) {
    return (void *)scene;
}

static void end(void *world) {
    (void)world;
}

const struct bench_peer bench_ours = {"ours", 0,
                                      1e-10,  begin,
                                      end,    {boolean_pass, depth_pass, distance_pass, ray_pass}};

#define SCANS \
    { two_scans_pass, two_scans_pass, two_scans_pass, one_scan_pass }
const struct bench_peer bench_scans2 = {"support scans", 2, INFINITY, begin, end, SCANS};
const struct bench_peer bench_scans3 = {"support scans", 3, INFINITY, begin, end, SCANS};
