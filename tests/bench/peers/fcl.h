#ifndef BENCH_PEERS_FCL_H
#define BENCH_PEERS_FCL_H

/* Our numbers and hulls as FCL's. */

#include "gjk/pair.h"

#include <algorithm>
#include <memory>
#include <vector>

#include <fcl/fcl.h>

using vector3 = fcl::Vector3d;

static inline vector3 vector(gjk_vec3 v) {
    return vector3(v.x, v.y, v.z);
}

static inline fcl::Transform3d transform(const gjk_pose &pose) {
    const gjk_mat3 &r = pose.rotation;
    fcl::Transform3d t = fcl::Transform3d::Identity();
    t.linear() << r.r0.x, r.r0.y, r.r0.z, r.r1.x, r.r1.y, r.r1.z, r.r2.x, r.r2.y, r.r2.z;
    t.translation() = vector(pose.position);
    return t;
}

/* Convex wants faces, seen from outside counter-clockwise; points within slack of a plane make one
 * face. */
static inline std::shared_ptr<fcl::CollisionGeometryd> make_hull(const gjk_shape &shape,
                                                                 double slack) {
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
                const bool is_face = k != j && normal.norm() > 1e-12 &&
                                     std::all_of(p.begin(), p.end(), [&](const vector3 &q) {
                                         return normal.dot(q - p[i]) <= slack;
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

#endif
