/*
 * How fast is Box2D 2.4's dynamic tree? In floats; it keeps every box a tenth of a unit wider,
 * so that small moves change nothing.
 */

#include "../sets.h"

#include <box2d/b2_dynamic_tree.h>

#include <vector>

namespace {

struct world {
    b2DynamicTree tree;
    std::vector<int32> proxies;
};

b2Vec2 vector(gjk_vec3 v) {
    return b2Vec2(float(v.x), float(v.y));
}

b2AABB box_of(const gjk_bounds &box) {
    b2AABB aabb;
    aabb.lowerBound = vector(box.min);
    aabb.upperBound = vector(box.max);
    return aabb;
}

void *build(const bench_world *from) {
    world *w = new world;
    for (uint32_t i = 0; i < from->count; i++) {
        w->proxies.push_back(
            w->tree.CreateProxy(box_of(from->boxes[i]), reinterpret_cast<void *>(uintptr_t(i))));
    }
    return w;
}

void end(void *tree) {
    delete static_cast<world *>(tree);
}

void move(void *tree, const bench_world *world_of, uint32_t count, int back) {
    world *w = static_cast<world *>(tree);
    for (uint32_t i = 0; i < count; i++) {
        const gjk_bounds &next = back ? world_of->boxes[i] : world_of->moved_boxes[i];
        const gjk_bounds &last = back ? world_of->moved_boxes[i] : world_of->boxes[i];
        w->tree.MoveProxy(w->proxies[i], box_of(next), vector(next.min) - vector(last.min));
    }
}

uint64_t bytes(const void *tree) {
    const world *w = static_cast<const world *>(tree);
    return (2 * w->proxies.size() - 1) * sizeof(b2TreeNode) + sizeof *w;
}

uint32_t number_of(const world *w, int32 proxy) {
    return uint32_t(reinterpret_cast<uintptr_t>(w->tree.GetUserData(proxy)));
}

struct counter {
    uint64_t count = 0;
    bool QueryCallback(int32) {
        count++;
        return true;
    }
    float RayCastCallback(const b2RayCastInput &input, int32) {
        count++;
        return input.maxFraction;
    }
};

uint64_t count_boxes(void *tree, const bench_world *asked) {
    counter found;
    for (const gjk_bounds &box : asked->queries) {
        static_cast<world *>(tree)->tree.Query(&found, box_of(box));
    }
    return found.count;
}

template <class callback> void cast(world *w, const gjk_ray &ray, double length, callback *found) {
    b2RayCastInput input;
    input.p1 = vector(ray.origin);
    input.p2 = input.p1 + float(length) * vector(ray.direction);
    input.maxFraction = 1.0f;
    w->tree.RayCast(found, input);
}

uint64_t count_segments(void *tree, const bench_world *asked) {
    counter found;
    for (const gjk_ray &ray : asked->segments) {
        cast(static_cast<world *>(tree), ray, BENCH_SEGMENT, &found);
    }
    return found.count;
}

/* Longer than any scene. */
const double far = 1e5;

struct closest_hit {
    const world *w;
    const bench_world *asked;
    const gjk_ray *ray;
    double best;
    uint32_t number;
    float RayCastCallback(const b2RayCastInput &input, int32 proxy) {
        uint32_t i = number_of(w, proxy);
        double t = bench_hit(&asked->bodies[i], ray);
        if (t < 0 || t >= best) {
            return input.maxFraction;
        }
        best = t;
        number = i;
        return t > 0 ? float(t / far) : 0.0f;
    }
};

uint64_t closest(void *tree, const bench_world *asked) {
    world *w = static_cast<world *>(tree);
    uint64_t sum = 0;
    for (const gjk_ray &ray : asked->rays) {
        closest_hit found = {w, asked, &ray, far, 0};
        cast(w, ray, far, &found);
        sum += found.number;
    }
    return sum;
}

struct follower {
    const world *w;
    const bench_world *asked;
    bool ask;
    uint32_t first;
    uint64_t count;
    bool QueryCallback(int32 proxy) {
        uint32_t i = number_of(w, proxy);
        if (i > first) {
            count += ask ? bench_collide(&asked->bodies[first], &asked->bodies[i]) : 1;
        }
        return true;
    }
};

uint64_t find_pairs(world *w, const bench_world *asked, bool ask) {
    follower found = {w, asked, ask, 0, 0};
    for (; found.first < asked->count; found.first++) {
        w->tree.Query(&found, box_of(asked->boxes[found.first]));
    }
    return found.count;
}

uint64_t count_box_pairs(void *tree, const bench_world *asked) {
    return find_pairs(static_cast<world *>(tree), asked, false);
}

uint64_t pairs(void *tree, const bench_world *asked) {
    return find_pairs(static_cast<world *>(tree), asked, true);
}

} // namespace

const struct bench_tree bench_tree_box2d = {"Box2D b2DynamicTree",
                                            2,
                                            build,
                                            end,
                                            move,
                                            bytes,
                                            {count_boxes, count_segments, closest, nullptr, nullptr,
                                             count_box_pairs, pairs}};
