/*
 * How fast is FCL 0.7 on the same pairs? Its public collide and distance in doubles, with
 * its default solver, which is libccd behind supports of its own.
 */

#include "peer.h"

#include <memory>
#include <vector>

#include "fcl.h"

namespace {

using geometry = std::shared_ptr<fcl::CollisionGeometryd>;

struct item {
    const fcl::CollisionGeometryd *a, *b;
    fcl::Transform3d pose_a, pose_b;
};

struct world {
    std::vector<geometry> a, b;
    std::vector<item> items;
};

geometry make(const gjk_shape &shape) {
    gjk_vec3 side = gjk_scale3(2.0, shape.half_extents);
    switch (shape.type) {
    case GJK_BOX:
        return std::make_shared<fcl::Boxd>(side.x, side.y, side.z);
    case GJK_CAPSULE:
        return std::make_shared<fcl::Capsuled>(shape.radius, side.z - 2 * shape.radius);
    case GJK_CYLINDER:
        return std::make_shared<fcl::Cylinderd>(shape.curve.radius, side.z);
    case GJK_CONE:
        return std::make_shared<fcl::Coned>(shape.curve.radius, side.z);
    default:
        return make_hull(shape, 1e-9);
    }
}

void *begin(const bench_scene *scene) {
    world *w = new world;
    for (int i = 0; i < BENCH_SHAPES; i++) {
        w->a.push_back(make(scene->a[i]));
        w->b.push_back(make(scene->b[i]));
        w->a.back()->computeLocalAABB();
        w->b.back()->computeLocalAABB();
    }
    for (const bench_pair &pair : scene->pairs) {
        w->items.push_back({w->a[size_t(pair.a.shape - scene->a)].get(),
                            w->b[size_t(pair.b.shape - scene->b)].get(), transform(pair.a.pose),
                            transform(pair.b.pose)});
    }
    return w;
}

void end(void *w) {
    delete static_cast<world *>(w);
}

double boolean(const item &i) {
    fcl::CollisionRequestd request(1, false);
    fcl::CollisionResultd result;
    return fcl::collide(i.a, i.pose_a, i.b, i.pose_b, request, result) > 0;
}

/* Pairs of boxes have several contacts, the deepest of which is wanted. */
double depth(const item &i) {
    fcl::CollisionRequestd request(8, true);
    fcl::CollisionResultd result;
    fcl::collide(i.a, i.pose_a, i.b, i.pose_b, request, result);
    double most = BENCH_NONE;
    for (size_t k = 0; k < result.numContacts(); k++) {
        most = std::max(most, double(result.getContact(k).penetration_depth));
    }
    return most;
}

double distance(const item &i) {
    fcl::DistanceRequestd request(false);
    fcl::DistanceResultd result;
    fcl::distance(i.a, i.pose_a, i.b, i.pose_b, request, result);
    return bench_say(result.min_distance > 0.0, result.min_distance, BENCH_NONE);
}

template <double (*query)(const item &)> void pass(const void *w, double *answers) {
    for (const item &i : static_cast<const world *>(w)->items) {
        *answers++ = query(i);
    }
}

} // namespace

const bench_peer bench_fcl = {"FCL", 3,   1e-4,
                              begin, end, {pass<boolean>, pass<depth>, pass<distance>, nullptr}};
