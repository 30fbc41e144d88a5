/* How fast is FCL 0.7 at a BVHModel of OBBRSS? Its public collide and distance in doubles. */

#include "../worlds.h"

#include <algorithm>
#include <memory>
#include <vector>

#include <fcl/fcl.h>

namespace {

using vector3 = fcl::Vector3d;
using model = fcl::BVHModel<fcl::OBBRSSd>;

vector3 vector(gjk_vec3 v) {
    return vector3(v.x, v.y, v.z);
}

struct mesh {
    model triangles;
    std::shared_ptr<fcl::CollisionGeometryd> probes[BENCH_PROBES];
};

/* Convex wants faces, seen from outside counter-clockwise. Points in general position. */
std::shared_ptr<fcl::CollisionGeometryd> make_hull(const gjk_shape &shape) {
    auto points = std::make_shared<std::vector<vector3>>();
    auto faces = std::make_shared<std::vector<int>>();
    const int count = int(shape.count);
    int face_count = 0;
    for (int i = 0; i < count; i++) {
        points->push_back(vector(gjk_shape_point(&shape, uint32_t(i))));
    }
    const std::vector<vector3> &p = *points;
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
            for (int k = i + 1; k < count; k++) {
                const vector3 normal = (p[j] - p[i]).cross(p[k] - p[i]);
                const bool is_face =
                    k != j && std::all_of(p.begin(), p.end(), [&](const vector3 &q) {
                        return normal.dot(q - p[i]) <= 1e-9;
                    });
                if (is_face) {
                    faces->insert(faces->end(), {3, i, j, k});
                    face_count++;
                }
            }
        }
    }
    return std::make_shared<fcl::Convexd>(points, face_count, faces);
}

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
    m->probes[BENCH_HULL] = make_hull(world->shapes[BENCH_HULL]);
    for (auto &probe : m->probes) {
        probe->computeLocalAABB();
    }
    return m;
}

void end(void *m) {
    delete static_cast<mesh *>(m);
}

fcl::Transform3d transform(const gjk_pose &pose) {
    const gjk_mat3 &r = pose.rotation;
    fcl::Transform3d t = fcl::Transform3d::Identity();
    t.linear() << r.r0.x, r.r0.y, r.r0.z, r.r1.x, r.r1.y, r.r1.z, r.r2.x, r.r2.y, r.r2.z;
    t.translation() = vector(pose.position);
    return t;
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
