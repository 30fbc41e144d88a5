/*
 * How fast is Bullet's dynamic tree in doubles? Built by insertion, then optimised top down, as
 * the library offers for bulk loads. Its ray test knows no closest hit: it visits every box that
 * the segment meets.
 */

#include "../sets.h"

#include <BulletCollision/BroadphaseCollision/btDbvt.h>

#include <cmath>
#include <vector>

#include "bullet.h"

namespace {

struct world {
    btDbvt tree;
    std::vector<btDbvtNode *> leaves;
};

btDbvtVolume volume(const gjk_bounds &box) {
    return btDbvtVolume::FromMM(vector(box.min), vector(box.max));
}

void *build(const bench_world *from) {
    world *w = new world;
    for (uint32_t i = 0; i < from->count; i++) {
        w->leaves.push_back(w->tree.insert(volume(from->boxes[i]), nullptr));
        w->leaves.back()->dataAsInt = int(i);
    }
    w->tree.optimizeTopDown();
    return w;
}

void end(void *tree) {
    delete static_cast<world *>(tree);
}

void move(void *tree, const bench_world *world_of, uint32_t count, int back) {
    world *w = static_cast<world *>(tree);
    for (uint32_t i = 0; i < count; i++) {
        btDbvtVolume next = volume(back ? world_of->boxes[i] : world_of->moved_boxes[i]);
        w->tree.update(w->leaves[i], next);
    }
}

uint64_t bytes(const void *tree) {
    const world *w = static_cast<const world *>(tree);
    return (2 * w->leaves.size() - 1) * sizeof(btDbvtNode) + sizeof *w;
}

struct counter : btDbvt::ICollide {
    uint64_t count = 0;
    void Process(const btDbvtNode *) override {
        count++;
    }
    void Process(const btDbvtNode *a, const btDbvtNode *b) override {
        count += a != b;
    }
};

uint64_t count_boxes(void *tree, const bench_world *asked) {
    world *w = static_cast<world *>(tree);
    counter found;
    for (const gjk_bounds &box : asked->queries) {
        w->tree.collideTV(w->tree.m_root, volume(box), found);
    }
    return found.count;
}

template <class policy> void cast(world *w, const gjk_ray &ray, double length, policy &found) {
    btVector3 from = vector(ray.origin), to = from + vector(ray.direction) * length;
    btDbvt::rayTest(w->tree.m_root, from, to, found);
}

uint64_t count_segments(void *tree, const bench_world *asked) {
    counter found;
    for (const gjk_ray &ray : asked->segments) {
        cast(static_cast<world *>(tree), ray, BENCH_SEGMENT, found);
    }
    return found.count;
}

uint64_t count_box_pairs(void *tree, const bench_world *) {
    world *w = static_cast<world *>(tree);
    counter found;
    w->tree.collideTT(w->tree.m_root, w->tree.m_root, found);
    return found.count;
}

struct asker : btDbvt::ICollide {
    const bench_world *asked;
    uint64_t count = 0;
    void Process(const btDbvtNode *a, const btDbvtNode *b) override {
        if (a != b) {
            count += bench_collide(&asked->bodies[a->dataAsInt], &asked->bodies[b->dataAsInt]);
        }
    }
};

uint64_t pairs(void *tree, const bench_world *asked) {
    world *w = static_cast<world *>(tree);
    asker found;
    found.asked = asked;
    w->tree.collideTT(w->tree.m_root, w->tree.m_root, found);
    return found.count;
}

} // namespace

const struct bench_tree bench_tree_bullet = {"Bullet btDbvt",
                                             3,
                                             build,
                                             end,
                                             move,
                                             bytes,
                                             {count_boxes, count_segments, nullptr, nullptr,
                                              nullptr, count_box_pairs, pairs}};
