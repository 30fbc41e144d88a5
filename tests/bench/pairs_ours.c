/*
 * What every library of the table is measured against: the core, and as a floor the
 * bare support scans without which no general method can do.
 */

#include "peers/peer.h"

#include "gjk/cast.h"

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

static double boolean_with(const struct bench_pair *pair, gjk_cache *cache) {
    gjk_detect_settings settings = gjk_detect_settings_default();
    settings.penetration = false;
    settings.cache = cache;
    return bench_say(gjk_detect(&pair->a, &pair->b, &settings).state != GJK_SEPARATED, 1.0, 0.0);
}

static double depth_with(const struct bench_pair *pair, gjk_cache *cache) {
    gjk_detect_settings settings = gjk_detect_settings_default();
    settings.cache = cache;
    gjk_detect_result result = gjk_detect(&pair->a, &pair->b, &settings);
    return bench_say(result.state != GJK_SEPARATED, result.depth, BENCH_NONE);
}

static double distance_with(const struct bench_pair *pair, gjk_cache *cache) {
    gjk_distance_settings settings = gjk_distance_settings_default();
    settings.cache = cache;
    gjk_distance_result result = gjk_distance(&pair->a, &pair->b, &settings);
    return bench_say(result.state != GJK_OVERLAPPING, result.distance, BENCH_NONE);
}

static double boolean(const struct bench_pair *pair) {
    return boolean_with(pair, NULL);
}

static double depth(const struct bench_pair *pair) {
    return depth_with(pair, NULL);
}

static double distance(const struct bench_pair *pair) {
    return distance_with(pair, NULL);
}

static double ray(const struct bench_pair *pair) {
    gjk_ray_settings settings = gjk_ray_settings_default();
    gjk_ray_result result = gjk_raycast(&pair->a, &pair->ray, &settings);
    return bench_say(result.hit, result.distance, BENCH_NONE);
}

static double cast(const struct bench_pair *pair) {
    const gjk_cast_settings settings = gjk_cast_settings_default();
    const gjk_placed a = {pair->a.shape, pair->away};
    const gjk_cast_result result = gjk_cast(&a, pair->motion.translation, &pair->b, &settings);
    return bench_say(result.hit, result.distance, BENCH_NONE);
}

static double turning_cast(const struct bench_pair *pair) {
    const gjk_cast_settings settings = gjk_cast_settings_default();
    const gjk_placed a = {pair->a.shape, pair->away};
    const gjk_rigid_motion motion =
        gjk_rigid_motion_between(pair->a.shape->dimension, &pair->away, &pair->arrived);
    const gjk_cast_result result = gjk_cast_turning(&a, &motion, &pair->b, &settings);
    return bench_say(result.hit, result.distance, BENCH_NONE);
}

struct world {
    const struct bench_scene *scene;
    gjk_cache cache[BENCH_PAIRS];
    unsigned passes; /* warm ones */
};

/* Inlined into each pass together with its query. */
__attribute__((always_inline)) static inline void over(
    const struct world *world, double *answers, double (*query)(const struct bench_pair *pair)) {
    for (int i = 0; i < BENCH_PAIRS; i++) {
        answers[i] = query(&world->scene->pairs[i]);
    }
}

__attribute__((always_inline)) static inline void warm_over(
    struct world *world, double *answers,
    double (*query)(const struct bench_pair *pair, gjk_cache *cache)) {
    bool moved = world->passes++ % 2 == 0;
    const struct bench_pair *pairs = moved ? world->scene->moved : world->scene->pairs;
    for (int i = 0; i < BENCH_PAIRS; i++) {
        answers[i] = query(&pairs[i], &world->cache[i]);
    }
}

#define PASS(query)                                                \
    static void query##_pass(const void *world, double *answers) { \
        over(world, answers, query);                               \
    }
PASS(boolean)
PASS(depth)
PASS(distance)
PASS(ray)
PASS(cast)
PASS(turning_cast)
PASS(two_scans)
PASS(one_scan)

#define WARM_PASS(query)                                                  \
    static void warm_##query##_pass(const void *world, double *answers) { \
        warm_over((struct world *)world, answers, query##_with);          \
    }
WARM_PASS(boolean)
WARM_PASS(depth)
WARM_PASS(distance)

static void *begin(const struct bench_scene *scene) {
    static struct world worlds[2]; /* of a library and of the scans beside it */
    static unsigned turn;
    struct world *world = &worlds[turn++ % 2];
    world->scene = scene;
    world->passes = 0;
    for (int i = 0; i < BENCH_PAIRS; i++) {
        world->cache[i] = gjk_cache_make();
    }
    return world;
}

static void end(void *world) {
    (void)world;
}

const struct bench_peer bench_ours = {"ours",
                                      0,
                                      1e-10,
                                      begin,
                                      end,
                                      {boolean_pass, depth_pass, distance_pass, ray_pass,
                                       warm_boolean_pass, warm_depth_pass, warm_distance_pass,
                                       cast_pass, turning_cast_pass}};

/* clang-format off */
#define SCANS {two_scans_pass, two_scans_pass, two_scans_pass, one_scan_pass}
/* clang-format on */
const struct bench_peer bench_scans2 = {"support scans", 2, INFINITY, begin, end, SCANS};
const struct bench_peer bench_scans3 = {"support scans", 3, INFINITY, begin, end, SCANS};
