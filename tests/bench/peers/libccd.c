/*
 * How fast is libccd 2.1 on the same pairs? Supports as its manual writes them, a scan of
 * the cloud; its default tolerances. It tells no distance of pairs that are apart.
 */

#include "peer.h"

#include <ccd/ccd.h>

static gjk_vec3 of_cloud(const gjk_shape *shape, gjk_vec3 d) {
    uint32_t best = 0;
    double most = -INFINITY;
    for (uint32_t i = 0; i < shape->count; i++) {
        double here = gjk_dot3(gjk_shape_point(shape, i), d);
        if (here > most) {
            most = here;
            best = i;
        }
    }
    return gjk_shape_point(shape, best);
}

/* Cylinders and cones of a scene stand along z, a below and b above. */
static gjk_vec3 of_curve(const gjk_shape *shape, gjk_vec3 d) {
    const gjk_curve *c = &shape->curve;
    double across = sqrt(d.x * d.x + d.y * d.y);
    double r = across > 0.0 ? c->radius / across : 0.0;
    gjk_vec3 below = {r * d.x, r * d.y, c->a.z};
    bool cone = shape->type == GJK_CONE;
    gjk_vec3 above = cone ? c->b : gjk_vec3_make(below.x, below.y, c->b.z);
    return gjk_dot3(above, d) > gjk_dot3(below, d) ? above : below;
}

static void support(const void *object, const ccd_vec3_t *along, ccd_vec3_t *out) {
    const gjk_placed *placed = object;
    const gjk_shape *shape = placed->shape;
    gjk_vec3 world = {along->v[0], along->v[1], along->v[2]};
    gjk_vec3 d = gjk_mul3_transposed(&placed->pose.rotation, world);
    gjk_vec3 own = shape->count == 0 ? of_curve(shape, d) : of_cloud(shape, d);
    gjk_vec3 point = gjk_add3(gjk_mul3(&placed->pose.rotation, own), placed->pose.position);
    if (shape->radius > 0.0) {
        point = gjk_add3(point, gjk_scale3(shape->radius / gjk_length3(world), world));
    }
    ccdVec3Set(out, point.x, point.y, point.z);
}

static void center(const void *object, ccd_vec3_t *out) {
    const gjk_placed *placed = object;
    gjk_vec3 c = gjk_mul3(&placed->pose.rotation, placed->shape->center);
    c = gjk_add3(c, placed->pose.position);
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

static void *begin(const struct bench_scene *scene) {
    return (void *)scene;
}

static void end(void *world) {
    (void)world;
}

typedef int (*yes_or_no)(const void *a, const void *b, const ccd_t *ccd);
typedef int (*how_deep)(const void *a, const void *b, const ccd_t *ccd, ccd_real_t *depth,
                        ccd_vec3_t *direction, ccd_vec3_t *point);

static void boolean(const struct bench_scene *scene, double *answers, yes_or_no ask) {
    for (int i = 0; i < BENCH_PAIRS; i++) {
        ccd_t ccd = settings();
        answers[i] = ask(&scene->pairs[i].a, &scene->pairs[i].b, &ccd);
    }
}

static void depth(const struct bench_scene *scene, double *answers, how_deep ask) {
    for (int i = 0; i < BENCH_PAIRS; i++) {
        ccd_t ccd = settings();
        ccd_vec3_t direction, point;
        if (ask(&scene->pairs[i].a, &scene->pairs[i].b, &ccd, &answers[i], &direction, &point)) {
            answers[i] = BENCH_NONE;
        }
    }
}

static void gjk_boolean(const void *world, double *answers) {
    boolean(world, answers, ccdGJKIntersect);
}
static void gjk_depth(const void *world, double *answers) {
    depth(world, answers, ccdGJKPenetration);
}
static void mpr_boolean(const void *world, double *answers) {
    boolean(world, answers, ccdMPRIntersect);
}
static void mpr_depth(const void *world, double *answers) {
    depth(world, answers, ccdMPRPenetration);
}

const struct bench_peer bench_libccd = {"libccd", 3,   1e-4,
                                        begin,    end, {gjk_boolean, gjk_depth, NULL, NULL}};
const struct bench_peer bench_libccd_mpr = {"libccd MPR", 3,
                                            1e-4,         begin,
                                            end,          {mpr_boolean, mpr_depth, NULL, NULL}};
