/* How fast is Bullet in doubles for a robot's rows? Its tree of boxes (btDbvt), asked for each link,
 * and its pair detector. It knows no nearest search, so only booleans are asked. */

#include "../robot.h"

#include <memory>
#include <vector>

#include <BulletCollision/BroadphaseCollision/btDbvt.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <btBulletCollisionCommon.h>

#include "bullet.h"

namespace {

struct object {
    std::unique_ptr<btConvexHullShape> shape;
    btTransform pose;
    btDbvtVolume box() const {
        btVector3 low, high;
        shape->getAabb(pose, low, high);
        return btDbvtVolume::FromMM(low, high);
    }
};

object make(const gjk_shape &shape) {
    object made = {std::make_unique<btConvexHullShape>(), btTransform::getIdentity()};
    for (uint32_t i = 0; i < shape.count; i++) {
        made.shape->addPoint(vector(gjk_shape_point(&shape, i)), false);
    }
    made.shape->recalcLocalAabb();
    made.shape->setMargin(0);
    return made;
}

struct scene {
    std::vector<object> obstacles, links;
    btDbvt tree;
};

void *begin(const bench_robot_world *world) {
    scene *s = new scene;
    for (const gjk_placed &placed : world->obstacles) {
        s->obstacles.push_back(make(*placed.shape));
        s->obstacles.back().pose = transform(placed.pose);
    }
    for (object &obstacle : s->obstacles) {
        s->tree.insert(obstacle.box(), &obstacle);
    }
    s->tree.optimizeTopDown();
    for (const gjk_shape &link : world->links) {
        s->links.push_back(make(link));
    }
    return s;
}

void end(void *s) {
    delete static_cast<scene *>(s);
}

bool collide(const object &a, const object &b) {
    btVoronoiSimplexSolver simplex;
    btGjkPairDetector detector(a.shape.get(), b.shape.get(), &simplex, nullptr);
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA = a.pose;
    input.m_transformB = b.pose;
    btPointCollector found;
    detector.getClosestPoints(input, found, nullptr);
    return !found.m_hasResult || found.m_distance <= 0;
}

struct first_hit : btDbvt::ICollide {
    const object *link = nullptr;
    bool hit = false;
    void Process(const btDbvtNode *leaf) override {
        hit = hit || collide(*link, *static_cast<const object *>(leaf->data));
    }
};

void detect(void *scene_, const bench_robot_world *world, double *answers) {
    scene *s = static_cast<scene *>(scene_);
    for (int row = 0; row < BENCH_ROBOT_ROWS; row++) {
        first_hit found;
        btDbvtVolume boxes[BENCH_ROBOT_LINKS];
        for (int i = 0; i < BENCH_ROBOT_LINKS; i++) {
            s->links[i].pose = transform(world->poses[row][i]);
            boxes[i] = s->links[i].box();
        }
        for (int i = 0; i < BENCH_ROBOT_LINKS && !found.hit; i++) {
            for (int j = i + 2; j < BENCH_ROBOT_LINKS && !found.hit; j++) {
                found.hit = Intersect(boxes[i], boxes[j]) && collide(s->links[i], s->links[j]);
            }
        }
        for (int i = 0; i < BENCH_ROBOT_LINKS && !found.hit; i++) {
            found.link = &s->links[i];
            s->tree.collideTV(s->tree.m_root, boxes[i], found);
        }
        answers[row] = found.hit;
    }
}

} // namespace

const bench_robot_peer bench_robot_bullet = {"Bullet", begin, end, detect, nullptr};
