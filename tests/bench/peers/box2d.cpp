/*
 * How fast is Box2D 2.4 on the same pairs? Polygons without their skin, b2Distance with a
 * cold cache, depths from contact manifolds. Box2D computes in floats.
 */

#include "peer.h"

#include <algorithm>
#include <vector>

#include <box2d/b2_distance.h>
#include <box2d/b2_time_of_impact.h>
#include <box2d/box2d.h>

namespace {

constexpr float reach = 16.0f; /* of a ray: all hits of a scene lie nearer */

struct item {
    const b2Shape *a;
    const b2PolygonShape *b;
    b2Transform pose_a, pose_b;
    b2RayCastInput ray;
    b2Transform moved_b, away_a;
    b2Vec2 way;
    float angle, turn; /* of a, away, and on the way */
    mutable b2SimplexCache cache;
};

struct world {
    bool circle;
    b2CircleShape circles[BENCH_SHAPES];
    b2PolygonShape a[BENCH_SHAPES], b[BENCH_SHAPES];
    std::vector<item> items;
    mutable unsigned passes = 0; /* warm ones */
};

b2Vec2 vector(gjk_vec3 v) {
    return b2Vec2(float(v.x), float(v.y));
}

b2Transform transform(const gjk_pose &pose) {
    b2Transform t;
    t.p = vector(pose.position);
    t.q.s = float(pose.rotation.r1.x);
    t.q.c = float(pose.rotation.r0.x);
    return t;
}

void set_polygon(b2PolygonShape &polygon, const gjk_shape &shape) {
    b2Vec2 points[b2_maxPolygonVertices];
    for (uint32_t i = 0; i < shape.count; i++) {
        points[i] = vector(gjk_shape_point(&shape, i));
    }
    polygon.Set(points, int32(shape.count));
    polygon.m_radius = 0.0f;
}

void *begin(const bench_scene *scene) {
    world *w = new world;
    w->circle = scene->kind_a == BENCH_CIRCLE;
    for (int i = 0; i < BENCH_SHAPES; i++) {
        w->circles[i].m_radius = float(scene->a[i].radius);
        if (!w->circle) {
            set_polygon(w->a[i], scene->a[i]);
        }
        set_polygon(w->b[i], scene->b[i]);
    }
    for (int k = 0; k < BENCH_PAIRS; k++) {
        const bench_pair &pair = scene->pairs[k];
        long a = pair.a.shape - scene->a, b = pair.b.shape - scene->b;
        b2Vec2 from = vector(pair.ray.origin), along = vector(pair.ray.direction);
        item i = {w->circle ? static_cast<b2Shape *>(&w->circles[a]) : &w->a[a],
                  &w->b[b],
                  transform(pair.a.pose),
                  transform(pair.b.pose),
                  {from, from + reach * along, 1.0f},
                  transform(scene->moved[k].b.pose),
                  transform(pair.away),
                  vector(pair.motion.translation),
                  0.0f,
                  float(pair.motion.angle),
                  {}};
        i.angle = i.away_a.q.GetAngle();
        w->items.push_back(i);
    }
    return w;
}

void end(void *w) {
    delete static_cast<world *>(w);
}

double distance_with(const item &i, const b2Transform &pose_b, b2SimplexCache &cache) {
    b2DistanceInput input;
    input.proxyA.Set(i.a, 0);
    input.proxyB.Set(i.b, 0);
    input.transformA = i.pose_a;
    input.transformB = pose_b;
    input.useRadii = true;
    b2DistanceOutput output;
    b2Distance(&output, &cache, &input);
    return bench_say(output.distance > 10.0f * b2_epsilon, output.distance, BENCH_NONE);
}

double distance(const item &i) {
    b2SimplexCache cache;
    cache.count = 0;
    return distance_with(i, i.pose_b, cache);
}

double boolean(const item &i) {
    return b2TestOverlap(i.a, 0, i.b, 0, i.pose_a, i.pose_b);
}

double deepest(const b2Manifold &manifold, const item &i, const b2Shape *a, const b2Shape *b,
               bool swapped) {
    if (manifold.pointCount == 0) {
        return BENCH_NONE;
    }
    b2WorldManifold points;
    points.Initialize(&manifold, swapped ? i.pose_b : i.pose_a, a->m_radius,
                      swapped ? i.pose_a : i.pose_b, b->m_radius);
    float least = points.separations[0];
    for (int k = 1; k < manifold.pointCount; k++) {
        least = std::min(least, points.separations[k]);
    }
    return std::max(-least, 0.0f);
}

double polygon_depth(const item &i) {
    b2Manifold manifold;
    b2CollidePolygons(&manifold, static_cast<const b2PolygonShape *>(i.a), i.pose_a, i.b, i.pose_b);
    return deepest(manifold, i, i.a, i.b, false);
}

double circle_depth(const item &i) {
    b2Manifold manifold;
    b2CollidePolygonAndCircle(&manifold, i.b, i.pose_b, static_cast<const b2CircleShape *>(i.a),
                              i.pose_a);
    return deepest(manifold, i, i.b, i.a, true);
}

double ray(const item &i) {
    b2RayCastOutput output{};
    const bool hits = i.a->RayCast(&output, i.ray, i.pose_a, 0);
    return bench_say(hits, reach * output.fraction, BENCH_NONE);
}

/* It stops short of contact by its linear slop. */
double cast(const item &i) {
    b2ShapeCastInput input;
    input.proxyA.Set(i.b, 0);
    input.proxyB.Set(i.a, 0);
    input.transformA = i.pose_b;
    input.transformB = i.away_a;
    input.translationB = i.way;
    b2ShapeCastOutput output;
    const bool hits = b2ShapeCast(&output, &input);
    return bench_say(hits, output.lambda * i.way.Length(), BENCH_NONE);
}

double turning_cast(const item &i) {
    const float angle = i.pose_b.q.GetAngle();
    b2TOIInput input;
    input.proxyA.Set(i.b, 0);
    input.proxyB.Set(i.a, 0);
    input.sweepA = {b2Vec2_zero, i.pose_b.p, i.pose_b.p, angle, angle, 0.0f};
    input.sweepB = {b2Vec2_zero, i.away_a.p, i.away_a.p + i.way, i.angle, i.angle + i.turn, 0.0f};
    input.tMax = 1.0f;
    b2TOIOutput output;
    b2TimeOfImpact(&output, &input);
    return bench_say(output.state == b2TOIOutput::e_touching, output.t * i.way.Length(),
                     BENCH_NONE);
}

template <double (*query)(const item &)> void pass(const void *w, double *answers) {
    for (const item &i : static_cast<const world *>(w)->items) {
        *answers++ = query(i);
    }
}

void warm_distance_pass(const void *w, double *answers) {
    bool moved = static_cast<const world *>(w)->passes++ % 2 == 0;
    for (const item &i : static_cast<const world *>(w)->items) {
        *answers++ = distance_with(i, moved ? i.moved_b : i.pose_b, i.cache);
    }
}

void depth_pass(const void *w, double *answers) {
    static_cast<const world *>(w)->circle ? pass<circle_depth>(w, answers)
                                          : pass<polygon_depth>(w, answers);
}

} // namespace

const bench_peer bench_box2d = {"Box2D 2.4",
                                2,
                                1e-3,
                                begin,
                                end,
                                {pass<boolean>, depth_pass, pass<distance>, pass<ray>, nullptr,
                                 nullptr, warm_distance_pass, pass<cast>, pass<turning_cast>}};
