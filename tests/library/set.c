/* A thousand boxes on a grid, and what a ray hits first among them. */
#include <gjk/set_query.h>

#include <stdio.h>

enum { SIDE = 32, COUNT = SIDE * SIDE };

int main(void) {
    static gjk_body bodies[COUNT];
    static char ids[COUNT][12];
    struct gjk_arena arena;
    gjk_shape box;
    struct gjk_set *set;
    gjk_ray ray;
    gjk_ray_hits hits;

    gjk_arena_init(&arena, 0);
    if (gjk_shape_make_box(&arena, 2, gjk_vec3_make(0.25, 0.25, 0), 0, &box) != GJK_OK ||
        gjk_ray_make(gjk_vec3_make(-3, -3.1, 0), gjk_vec3_make(1, 1, 0), 1000, &ray) != GJK_OK) {
        return 1;
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        snprintf(ids[i], sizeof ids[i], "box-%u", i);
        bodies[i].id = ids[i];
        bodies[i].handle = i + 1;
        bodies[i].category = bodies[i].mask = UINT32_MAX;
        bodies[i].placed.shape = &box;
        bodies[i].placed.pose = gjk_pose_identity();
        bodies[i].placed.pose.position = gjk_vec3_make(i % SIDE, i / SIDE, 0);
    }
    if (gjk_set_new_indexed(2, bodies, COUNT, &set) != GJK_OK) {
        return 1;
    }
    const gjk_snapshot now = gjk_snapshot_of(set);
    const gjk_filter everything = gjk_filter_default();
    gjk_selection closest = GJK_ZERO;
    closest.filter = &everything;
    closest.limit = 1;
    closest.arena = &arena;
    const gjk_ray_settings settings = gjk_ray_settings_default();
    if (gjk_set_raycast(&now, &ray, &closest, &settings, &hits) == GJK_OK && hits.count > 0) {
        printf("%s after %.6g\n", hits.items[0].body->id, hits.items[0].result.distance);
    }
    gjk_set_release(set);
    gjk_arena_fini(&arena);
    return 0;
}
