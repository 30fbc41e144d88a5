/*
 * How fast is Bullet in doubles on the same pairs? Twice: its pair detector, which the
 * engine itself uses, and its EPA solver called directly. All margins are 0; a capsule's
 * radius is its margin by construction.
 */

#include "peer.h"

#include <algorithm>
#include <memory>
#include <vector>

#include <BulletCollision/NarrowPhaseCollision/btContinuousConvexCollision.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpa2.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <btBulletCollisionCommon.h>

#include "bullet.h"

namespace {

using shape_pointer = std::unique_ptr<btConvexShape>;

struct item {
    const btConvexShape *a, *b;
    btTransform pose_a, pose_b, moved_b, away_a, passed_a, arrived_a; /* passed: without a turn */
    double way;
    mutable btVector3 axis; /* of the query before */
};

struct world {
    std::vector<shape_pointer> a, b;
    std::vector<item> items;
    mutable unsigned passes = 0; /* warm ones */
};

shape_pointer make(const gjk_shape &shape) {
    gjk_vec3 half = shape.half_extents;
    if (shape.type == GJK_CAPSULE) {
        return shape_pointer(new btCapsuleShapeZ(shape.radius, 2 * (half.z - shape.radius)));
    }
    shape_pointer made;
    if (shape.type == GJK_BOX) {
        made.reset(new btBoxShape(vector(half)));
    } else if (shape.type == GJK_CYLINDER) {
        made.reset(new btCylinderShapeZ(vector(half)));
    } else if (shape.type == GJK_CONE) {
        made.reset(new btConeShapeZ(shape.curve.radius, 2 * half.z));
    } else {
        btConvexHullShape *hull = new btConvexHullShape;
        for (uint32_t i = 0; i < shape.count; i++) {
            hull->addPoint(vector(gjk_shape_point(&shape, i)), false);
        }
        hull->recalcLocalAabb();
        made.reset(hull);
    }
    made->setMargin(0);
    return made;
}

void *begin(const bench_scene *scene) {
    world *w = new world;
    for (int i = 0; i < BENCH_SHAPES; i++) {
        w->a.push_back(make(scene->a[i]));
        w->b.push_back(make(scene->b[i]));
    }
    for (int k = 0; k < BENCH_PAIRS; k++) {
        const bench_pair &pair = scene->pairs[k];
        gjk_pose passed = pair.away;
        passed.position = pair.arrived.position;
        w->items.push_back({w->a[pair.a.shape - scene->a].get(),
                            w->b[pair.b.shape - scene->b].get(), transform(pair.a.pose),
                            transform(pair.b.pose), transform(scene->moved[k].b.pose),
                            transform(pair.away), transform(passed), transform(pair.arrived),
                            gjk_length3(pair.motion.translation), btVector3(0, 1, 0)});
    }
    return w;
}

void end(void *w) {
    delete static_cast<world *>(w);
}

/* The signed distance; without a depth solver -1 for whatever overlaps. */
double detect(const item &i, btConvexPenetrationDepthSolver *solver) {
    btVoronoiSimplexSolver simplex;
    btGjkPairDetector detector(i.a, i.b, &simplex, solver);
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA = i.pose_a;
    input.m_transformB = i.pose_b;
    btPointCollector found;
    detector.getClosestPoints(input, found, nullptr);
    return bench_say(found.m_hasResult, double(found.m_distance), -1.0);
}

/* Begins with the axis of the query before, as a contact that lasts does in the engine. */
double detect_warm(const item &i, bool moved, btConvexPenetrationDepthSolver *solver) {
    btVoronoiSimplexSolver simplex;
    btGjkPairDetector detector(i.a, i.b, &simplex, solver);
    detector.setCachedSeparatingAxis(i.axis);
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA = i.pose_a;
    input.m_transformB = moved ? i.moved_b : i.pose_b;
    btPointCollector found;
    detector.getClosestPoints(input, found, nullptr);
    i.axis = detector.getCachedSeparatingAxis();
    return bench_say(found.m_hasResult, double(found.m_distance), -1.0);
}

double boolean(const item &i) {
    return detect(i, nullptr) <= 0.0;
}

double depth(const item &i) {
    btGjkEpaPenetrationDepthSolver solver;
    double apart = detect(i, &solver);
    return bench_say(apart <= 0.0, -apart, BENCH_NONE);
}

double distance(const item &i) {
    double apart = detect(i, nullptr);
    return bench_say(apart > 0.0, apart, BENCH_NONE);
}

/* Works on the shapes without margins. */
double epa_distance(const item &i) {
    btGjkEpaSolver2::sResults found;
    btVector3 guess = i.pose_a.getOrigin() - i.pose_b.getOrigin();
    if (!btGjkEpaSolver2::Distance(i.a, i.pose_a, i.b, i.pose_b, guess, found)) {
        return BENCH_NONE;
    }
    double apart = found.distance - i.a->getMargin() - i.b->getMargin();
    return bench_say(apart > 0.0, apart, BENCH_NONE);
}

double epa_boolean(const item &i) {
    return epa_distance(i) == BENCH_NONE;
}

double epa_depth(const item &i) {
    btGjkEpaSolver2::sResults found;
    btVector3 guess = i.pose_a.getOrigin() - i.pose_b.getOrigin();
    bool deep = btGjkEpaSolver2::Penetration(i.a, i.pose_a, i.b, i.pose_b, guess, found);
    return deep ? std::max(-double(found.distance), 0.0) : BENCH_NONE;
}

double cast_to(const item &i, const btTransform &to) {
    btVoronoiSimplexSolver simplex;
    btGjkEpaPenetrationDepthSolver solver;
    btContinuousConvexCollision caster(i.a, i.b, &simplex, &solver);
    btConvexCast::CastResult result;
    result.m_fraction = 1.0;
    const bool hits = caster.calcTimeOfImpact(i.away_a, to, i.pose_b, i.pose_b, result);
    return bench_say(hits, result.m_fraction * i.way, BENCH_NONE);
}

double cast(const item &i) {
    return cast_to(i, i.passed_a);
}

double turning_cast(const item &i) {
    return cast_to(i, i.arrived_a);
}

template <double (*query)(const item &)> void pass(const void *w, double *answers) {
    for (const item &i : static_cast<const world *>(w)->items) {
        *answers++ = query(i);
    }
}

template <int question> void warm_pass(const void *w, double *answers) {
    bool moved = static_cast<const world *>(w)->passes++ % 2 == 0;
    btGjkEpaPenetrationDepthSolver solver;
    for (const item &i : static_cast<const world *>(w)->items) {
        double s = detect_warm(i, moved, question == BENCH_WARM_DEPTH ? &solver : nullptr);
        *answers++ = question == BENCH_WARM_BOOLEAN ? s <= 0.0
                     : question == BENCH_WARM_DEPTH ? bench_say(s <= 0.0, -s, BENCH_NONE)
                                                    : bench_say(s > 0.0, s, BENCH_NONE);
    }
}

} // namespace

const bench_peer bench_bullet = {"Bullet",
                                 3,
                                 1e-6,
                                 begin,
                                 end,
                                 {pass<boolean>, pass<depth>, pass<distance>, nullptr,
                                  warm_pass<BENCH_WARM_BOOLEAN>, warm_pass<BENCH_WARM_DEPTH>,
                                  warm_pass<BENCH_WARM_DISTANCE>, pass<cast>, pass<turning_cast>}};
const bench_peer bench_bullet_epa =
    {"Bullet EPA", 3,   1e-6,
     begin,        end, {pass<epa_boolean>, pass<epa_depth>, pass<epa_distance>, nullptr}};
