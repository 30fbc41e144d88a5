/*
 * How fast is Chipmunk 7 on the same pairs? It keeps shapes in world coordinates, so a
 * query begins by moving them there. It tells no distance of pairs that are apart.
 */

#include "peer.h"

#include <stdlib.h>

#include <chipmunk/chipmunk.h>

#define REACH 16.0 /* of a ray: all hits of a scene lie nearer */

struct item {
    cpShape *a, *b;
    cpTransform pose_a, pose_b;
    cpVect from, to;
};

struct world {
    cpBody *body;
    cpShape *a[BENCH_SHAPES], *b[BENCH_SHAPES];
    struct item items[BENCH_PAIRS];
};

static cpVect vector(gjk_vec3 v) {
    return cpv(v.x, v.y);
}

static cpTransform transform(const gjk_pose *pose) {
    const gjk_mat3 *r = &pose->rotation;
    return cpTransformNew(r->r0.x, r->r1.x, r->r0.y, r->r1.y, pose->position.x, pose->position.y);
}

static cpShape *make(cpBody *body, const gjk_shape *shape) {
    if (shape->type == GJK_BALL) {
        return cpCircleShapeNew(body, shape->radius, cpvzero);
    }
    cpVect points[8];
    for (uint32_t i = 0; i < shape->count; i++) {
        points[i] = vector(gjk_shape_point(shape, i));
    }
    return cpPolyShapeNewRaw(body, (int)shape->count, points, 0.0);
}

static void *begin(const struct bench_scene *scene) {
    struct world *w = malloc(sizeof *w);
    if (w == NULL) {
        abort();
    }
    w->body = cpBodyNewStatic();
    for (int i = 0; i < BENCH_SHAPES; i++) {
        w->a[i] = make(w->body, &scene->a[i]);
        w->b[i] = make(w->body, &scene->b[i]);
    }
    for (int i = 0; i < BENCH_PAIRS; i++) {
        const struct bench_pair *pair = &scene->pairs[i];
        gjk_vec3 to = gjk_add3(pair->ray.origin, gjk_scale3(REACH, pair->ray.direction));
        w->items[i] = (struct item){w->a[pair->a.shape - scene->a], w->b[pair->b.shape - scene->b],
                                    transform(&pair->a.pose),       transform(&pair->b.pose),
                                    vector(pair->ray.origin),       vector(to)};
    }
    return w;
}

static void end(void *world) {
    struct world *w = world;
    for (int i = 0; i < BENCH_SHAPES; i++) {
        cpShapeFree(w->a[i]);
        cpShapeFree(w->b[i]);
    }
    cpBodyFree(w->body);
    free(w);
}

static cpContactPointSet collide(const struct item *i) {
    cpShapeUpdate(i->a, i->pose_a);
    cpShapeUpdate(i->b, i->pose_b);
    return cpShapesCollide(i->a, i->b);
}

static void boolean_pass(const void *world, double *answers) {
    const struct world *w = world;
    for (int i = 0; i < BENCH_PAIRS; i++) {
        answers[i] = collide(&w->items[i]).count > 0;
    }
}

static void depth_pass(const void *world, double *answers) {
    const struct world *w = world;
    for (int i = 0; i < BENCH_PAIRS; i++) {
        cpContactPointSet set = collide(&w->items[i]);
        answers[i] = BENCH_NONE;
        for (int k = 0; k < set.count; k++) {
            answers[i] = fmax(answers[i], -set.points[k].distance);
        }
    }
}

static void ray_pass(const void *world, double *answers) {
    const struct world *w = world;
    for (int i = 0; i < BENCH_PAIRS; i++) {
        const struct item *item = &w->items[i];
        cpSegmentQueryInfo hit;
        cpShapeUpdate(item->a, item->pose_a);
        answers[i] = cpShapeSegmentQuery(item->a, item->from, item->to, 0.0, &hit)
                         ? REACH * hit.alpha
                         : BENCH_NONE;
    }
}

const struct bench_peer bench_chipmunk = {"Chipmunk 7", 2,
                                          1e-6,         begin,
                                          end,          {boolean_pass, depth_pass, NULL, ray_pass}};
