/*
 * How fast is Bullet in doubles at a btBvhTriangleMeshShape? Rays and casts by the engine's own
 * routines for one object; detect and distance by its pair detector on the triangles that its tree
 * finds near the probe's box. It knows no nearest search: distance widens the box until it is wide
 * enough.
 */

#include "../worlds.h"

#include <algorithm>
#include <memory>

#include <BulletCollision/CollisionDispatch/btCollisionWorld.h>
#include <BulletCollision/CollisionShapes/btTriangleShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btRaycastCallback.h>
#include <btBulletCollisionCommon.h>

#include "bullet.h"

namespace {

struct mesh {
    std::unique_ptr<btTriangleIndexVertexArray> array;
    std::unique_ptr<btBvhTriangleMeshShape> shape;
    std::unique_ptr<btConvexShape> probes[BENCH_PROBES];
    btCollisionObject object;
};

void *begin(const bench_landscape_world *world) {
    mesh *m = new mesh;
    m->array.reset(new btTriangleIndexVertexArray(int(world->triangle_count),
                                                  reinterpret_cast<int *>(world->triangles), 12,
                                                  int(world->vertex_count), &world->vertices[0].x,
                                                  sizeof world->vertices[0]));
    m->shape.reset(new btBvhTriangleMeshShape(m->array.get(), true));
    m->shape->setMargin(0);
    m->object.setCollisionShape(m->shape.get());
    m->probes[BENCH_SPHERE].reset(new btSphereShape(0.5));
    m->probes[BENCH_CAPSULE_PROBE].reset(new btCapsuleShapeZ(0.3, 1.0));
    btConvexHullShape *hull = new btConvexHullShape;
    for (uint32_t i = 0; i < world->shapes[BENCH_HULL].count; i++) {
        hull->addPoint(vector(gjk_shape_point(&world->shapes[BENCH_HULL], i)), false);
    }
    hull->recalcLocalAabb();
    hull->setMargin(0);
    m->probes[BENCH_HULL].reset(hull);
    return m;
}

void end(void *m) {
    delete static_cast<mesh *>(m);
}

struct nearest_hit : btTriangleRaycastCallback {
    using btTriangleRaycastCallback::btTriangleRaycastCallback;
    btScalar reportHit(const btVector3 &, btScalar fraction, int, int) override {
        return fraction;
    }
};

void pass_ray(const void *m, const bench_landscape_world *world, int, double *answers) {
    for (int i = 0; i < BENCH_WORLD_QUERIES; i++) {
        const gjk_ray &ray = world->rays[i];
        const btVector3 from = vector(ray.origin),
                        to = from + vector(ray.direction) * ray.max_distance;
        nearest_hit hit(from, to);
        static_cast<const mesh *>(m)->shape->performRaycast(&hit, from, to);
        answers[i] =
            hit.m_hitFraction < 1 ? hit.m_hitFraction * ray.max_distance : BENCH_WORLD_NONE;
    }
}

struct pair_callback : btTriangleCallback {
    const btConvexShape *probe;
    btTransform pose;
    double least = 1e30;
    void processTriangle(btVector3 *corners, int, int) override {
        btTriangleShape triangle(corners[0], corners[1], corners[2]);
        triangle.setMargin(0);
        btVoronoiSimplexSolver simplex;
        btGjkPairDetector detector(probe, &triangle, &simplex, nullptr);
        btGjkPairDetector::ClosestPointInput input;
        input.m_transformA = pose;
        input.m_transformB.setIdentity();
        btPointCollector found;
        detector.getClosestPoints(input, found, nullptr);
        least = std::min(least, found.m_hasResult ? std::max(double(found.m_distance), 0.0) : 0.0);
    }
};

double least_within(const mesh *m, int probe, const btTransform &pose, double wider) {
    pair_callback callback;
    btVector3 low, high;
    callback.probe = m->probes[probe].get();
    callback.pose = pose;
    callback.probe->getAabb(pose, low, high);
    const btVector3 around(wider, wider, wider);
    m->shape->processAllTriangles(&callback, low - around, high + around);
    return callback.least;
}

void pass_detect(const void *m, const bench_landscape_world *world, int probe, double *answers) {
    for (int i = 0; i < BENCH_WORLD_QUERIES; i++) {
        answers[i] = least_within(static_cast<const mesh *>(m), probe,
                                  transform(world->probes[probe][i].pose), 0) <= 0;
    }
}

void pass_distance(const void *m, const bench_landscape_world *world, int probe, double *answers) {
    for (int i = 0; i < BENCH_WORLD_QUERIES; i++) {
        const btTransform pose = transform(world->probes[probe][i].pose);
        double wider = 0.5, least;
        while ((least = least_within(static_cast<const mesh *>(m), probe, pose, wider)) > wider) {
            wider = least < 1e30 ? least : 2 * wider;
        }
        answers[i] = least;
    }
}

void pass_cast(const void *m, const bench_landscape_world *world, int probe, double *answers) {
    const mesh *own = static_cast<const mesh *>(m);
    for (int i = 0; i < BENCH_WORLD_QUERIES; i++) {
        const btTransform from = transform(world->probes[probe][i].pose);
        btTransform to = from;
        to.setOrigin(from.getOrigin() + vector(world->ways[i]));
        btCollisionWorld::ClosestConvexResultCallback hit(from.getOrigin(), to.getOrigin());
        btCollisionWorld::objectQuerySingle(own->probes[probe].get(), from, to,
                                            const_cast<btCollisionObject *>(&own->object),
                                            own->shape.get(), btTransform::getIdentity(), hit, 0);
        answers[i] = hit.hasHit() ? double(hit.m_closestHitFraction) : BENCH_WORLD_NONE;
    }
}

} // namespace

const bench_world_peer bench_world_bullet =
    {"Bullet", begin, end, nullptr, {pass_ray, nullptr, pass_detect, pass_distance, pass_cast}};
