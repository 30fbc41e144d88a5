/* How fast is libccd on the same pairs? Supports as its manual writes them: a scan of the cloud. */

#include "pairs_pass.h"

#include <ccd/ccd.h>

static void support(const void *object, const ccd_vec3_t *along, ccd_vec3_t *out) {
    const gjk_placed *placed = object;
    const gjk_shape *shape = placed->shape;
    gjk_vec3 world = {along->v[0], along->v[1], along->v[2]};
    gjk_vec3 d = gjk_mul3_transposed(&placed->pose.rotation, world);
    uint32_t best = 0;
    double most = -INFINITY;
    for (uint32_t i = 0; i < shape->count; i++) {
        double here = gjk_dot3(gjk_shape_point(shape, i), d);
        if (here > most) {
            most = here;
            best = i;
        }
    }
    gjk_vec3 point = gjk_pose_apply(&placed->pose, gjk_shape_point(shape, best));
    if (shape->radius > 0.0) {
        point = gjk_add3(point, gjk_scale3(shape->radius / gjk_length3(world), world));
    }
    ccdVec3Set(out, point.x, point.y, point.z);
}

static void center(const void *object, ccd_vec3_t *out) {
    const gjk_placed *placed = object;
    gjk_vec3 c = gjk_pose_apply(&placed->pose, placed->shape->center);
    ccdVec3Set(out, c.x, c.y, c.z);
}

static ccd_t settings(void) {
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = support;
    ccd.center1 = ccd.center2 = center;
    ccd.max_iterations = 100;
    return ccd;
}

static double gjk(const struct bench_pair *pair) {
    ccd_t ccd = settings();
    return ccdGJKIntersect(&pair->a, &pair->b, &ccd);
}

static double mpr(const struct bench_pair *pair) {
    ccd_t ccd = settings();
    return ccdMPRIntersect(&pair->a, &pair->b, &ccd);
}

static double gjk_depth(const struct bench_pair *pair) {
    ccd_t ccd = settings();
    ccd_real_t depth = 0.0;
    ccd_vec3_t normal, point;
    return ccdGJKPenetration(&pair->a, &pair->b, &ccd, &depth, &normal, &point) + depth;
}

static double mpr_depth(const struct bench_pair *pair) {
    ccd_t ccd = settings();
    ccd_real_t depth = 0.0;
    ccd_vec3_t normal, point;
    return ccdMPRPenetration(&pair->a, &pair->b, &ccd, &depth, &normal, &point) + depth;
}

double bench_libccd_gjk(const struct bench_scene *scene) {
    return bench_over_pairs(scene, gjk);
}
double bench_libccd_mpr(const struct bench_scene *scene) {
    return bench_over_pairs(scene, mpr);
}
double bench_libccd_gjk_depth(const struct bench_scene *scene) {
    return bench_over_pairs(scene, gjk_depth);
}
double bench_libccd_mpr_depth(const struct bench_scene *scene) {
    return bench_over_pairs(scene, mpr_depth);
}
