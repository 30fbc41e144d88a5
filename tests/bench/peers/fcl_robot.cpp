/* How fast is FCL 0.7 for a robot's rows? Its dynamic tree of obstacles, asked for each link, and its
 * collide and distance of two links, in doubles. */

#include "../robot.h"

#include <algorithm>
#include <memory>
#include <vector>

#include <fcl/fcl.h>

namespace {

using vector3 = fcl::Vector3d;
using object = fcl::CollisionObjectd;

vector3 vector(gjk_vec3 v) {
    return vector3(v.x, v.y, v.z);
}

/* Convex wants faces, seen from outside counter-clockwise; coplanar points make one face. */
std::shared_ptr<fcl::CollisionGeometryd> make_hull(const gjk_shape &shape) {
    auto points = std::make_shared<std::vector<vector3>>();
    auto faces = std::make_shared<std::vector<int>>();
    int face_count = 0;
    for (uint32_t i = 0; i < shape.count; i++) {
        points->push_back(vector(gjk_shape_point(&shape, i)));
    }
    const std::vector<vector3> &p = *points;
    const int count = int(p.size());
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
            for (int k = i + 1; k < count; k++) {
                const vector3 normal = (p[j] - p[i]).cross(p[k] - p[i]);
                const bool is_face = k != j && normal.norm() > 1e-12 &&
                                     std::all_of(p.begin(), p.end(), [&](const vector3 &q) {
                                         return normal.dot(q - p[i]) <= 1e-12;
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

fcl::Transform3d transform(const gjk_pose &pose) {
    const gjk_mat3 &r = pose.rotation;
    fcl::Transform3d t = fcl::Transform3d::Identity();
    t.linear() << r.r0.x, r.r0.y, r.r0.z, r.r1.x, r.r1.y, r.r1.z, r.r2.x, r.r2.y, r.r2.z;
    t.translation() = vector(pose.position);
    return t;
}

struct scene {
    std::vector<std::unique_ptr<object>> obstacles, links;
    fcl::DynamicAABBTreeCollisionManagerd manager;
};

void *begin(const bench_robot_world *world) {
    scene *s = new scene;
    for (const gjk_placed &placed : world->obstacles) {
        s->obstacles.emplace_back(new object(make_hull(*placed.shape), transform(placed.pose)));
        s->manager.registerObject(s->obstacles.back().get());
    }
    for (const gjk_shape &link : world->links) {
        s->links.emplace_back(new object(make_hull(link)));
    }
    s->manager.setup();
    return s;
}

void end(void *s) {
    delete static_cast<scene *>(s);
}

void place(scene *s, const bench_robot_world *world, int row) {
    for (int i = 0; i < BENCH_ROBOT_LINKS; i++) {
        s->links[i]->setTransform(transform(world->poses[row][i]));
        s->links[i]->computeAABB();
    }
}

bool collide(object *a, object *b, void *data) {
    fcl::CollisionRequestd request(1, false);
    fcl::CollisionResultd result;
    *static_cast<bool *>(data) = fcl::collide(a, b, request, result) > 0;
    return *static_cast<bool *>(data);
}

void detect(void *scene_, const bench_robot_world *world, double *answers) {
    scene *s = static_cast<scene *>(scene_);
    for (int row = 0; row < BENCH_ROBOT_ROWS; row++) {
        bool hit = false;
        place(s, world, row);
        for (int i = 0; i < BENCH_ROBOT_LINKS && !hit; i++) {
            for (int j = i + 2; j < BENCH_ROBOT_LINKS && !hit; j++) {
                hit = s->links[i]->getAABB().overlap(s->links[j]->getAABB()) &&
                      collide(s->links[i].get(), s->links[j].get(), &hit);
            }
        }
        for (int i = 0; i < BENCH_ROBOT_LINKS && !hit; i++) {
            s->manager.collide(s->links[i].get(), &hit, collide);
        }
        answers[row] = hit;
    }
}

bool measure(object *a, object *b, void *data, double &least) {
    fcl::DistanceRequestd request(false);
    fcl::DistanceResultd result;
    double &best = *static_cast<double *>(data);
    fcl::distance(a, b, request, result);
    best = std::min(best, std::max(double(result.min_distance), 0.0));
    least = best;
    return best <= 0.0;
}

void distance(void *scene_, const bench_robot_world *world, double *answers) {
    scene *s = static_cast<scene *>(scene_);
    for (int row = 0; row < BENCH_ROBOT_ROWS; row++) {
        double best = 1e30, least = 1e30;
        place(s, world, row);
        for (int i = 0; i < BENCH_ROBOT_LINKS; i++) {
            for (int j = i + 2; j < BENCH_ROBOT_LINKS; j++) {
                if (s->links[i]->getAABB().distance(s->links[j]->getAABB()) < best) {
                    measure(s->links[i].get(), s->links[j].get(), &best, least);
                }
            }
        }
        for (int i = 0; i < BENCH_ROBOT_LINKS && best > 0.0; i++) {
            s->manager.distance(s->links[i].get(), &best, measure);
        }
        answers[row] = best;
    }
}

} // namespace

const bench_robot_peer bench_robot_fcl = {"FCL", begin, end, detect, distance};
