/* How fast is FCL 0.7 at a BVHModel of OBBRSS? Its public collide and distance in doubles. */

#include "../worlds.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "fcl.h"

namespace {

using model = fcl::BVHModel<fcl::OBBRSSd>;

struct mesh {
    model triangles;
    std::shared_ptr<fcl::CollisionGeometryd> probes[BENCH_PROBES];
};

void *begin(const bench_landscape_world *world) {
    mesh *m = new mesh;
    std::vector<vector3> vertices;
    std::vector<fcl::Triangle> triangles;
    for (uint32_t i = 0; i < world->vertex_count; i++) {
        vertices.push_back(vector(world->vertices[i]));
    }
    for (uint32_t i = 0; i < world->triangle_count; i++) {
        const uint32_t *t = world->triangles[i];
        triangles.emplace_back(t[0], t[1], t[2]);
    }
    m->triangles.beginModel();
    m->triangles.addSubModel(vertices, triangles);
    m->triangles.endModel();
    m->triangles.computeLocalAABB();
    m->probes[BENCH_SPHERE] = std::make_shared<fcl::Sphered>(0.5);
    m->probes[BENCH_CAPSULE_PROBE] = std::make_shared<fcl::Capsuled>(0.3, 1.0);
    m->probes[BENCH_HULL] = make_hull(world->shapes[BENCH_HULL], 1e-9);
    for (auto &probe : m->probes) {
        probe->computeLocalAABB();
    }
    return m;
}

void end(void *m) {
    delete static_cast<mesh *>(m);
}

void pass_detect(const void *m, const bench_landscape_world *world, int probe, double *answers) {
    const mesh *own = static_cast<const mesh *>(m);
    for (int i = 0; i < BENCH_WORLD_QUERIES; i++) {
        fcl::CollisionRequestd request(1, false);
        fcl::CollisionResultd result;
        answers[i] =
            fcl::collide(&own->triangles, fcl::Transform3d::Identity(), own->probes[probe].get(),
                         transform(world->probes[probe][i].pose), request, result) > 0;
    }
}

void pass_distance(const void *m, const bench_landscape_world *world, int probe, double *answers) {
    const mesh *own = static_cast<const mesh *>(m);
    for (int i = 0; i < BENCH_WORLD_QUERIES; i++) {
        fcl::DistanceRequestd request(false);
        fcl::DistanceResultd result;
        fcl::distance(&own->triangles, fcl::Transform3d::Identity(), own->probes[probe].get(),
                      transform(world->probes[probe][i].pose), request, result);
        answers[i] = std::max(double(result.min_distance), 0.0);
    }
}

} // namespace

const bench_world_peer bench_world_fcl = {"FCL",
                                          begin,
                                          end,
                                          nullptr,
                                          {nullptr, nullptr, pass_detect, pass_distance, nullptr}};
