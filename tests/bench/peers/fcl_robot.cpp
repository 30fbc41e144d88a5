/* How fast is FCL 0.7 for a robot's rows? Its dynamic tree of obstacles, asked for each link, and its
 * collide and distance of two links, in doubles. */

#include "../robot.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "fcl.h"

namespace {

using object = fcl::CollisionObjectd;

struct scene {
    std::vector<std::unique_ptr<object>> obstacles, links;
    fcl::DynamicAABBTreeCollisionManagerd manager;
};

void *begin(const bench_robot_world *world) {
    scene *s = new scene;
    for (const gjk_placed &placed : world->obstacles) {
        s->obstacles.emplace_back(
            new object(make_hull(*placed.shape, 1e-12), transform(placed.pose)));
        s->manager.registerObject(s->obstacles.back().get());
    }
    for (const gjk_shape &link : world->links) {
        s->links.emplace_back(new object(make_hull(link, 1e-12)));
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
