/* How far two shapes are apart, or how deep they overlap. */
#include <gjk/pair.h>

#include <stdio.h>

int main(void) {
    struct gjk_arena arena; /* owns what shapes are made of */
    gjk_arena_init(&arena, 0);

    const gjk_vec3 corners[] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {4, 4, 0}, {2, 2, 3}};
    gjk_shape roof, ball;
    gjk_placed a = {&roof, gjk_pose_identity()}, b = {&ball, gjk_pose_identity()};
    if (gjk_shape_make_hull(&arena, 3, corners, 5, 0, &roof) != GJK_OK ||
        gjk_shape_make_ball(&arena, 3, 0.5, 0, &ball) != GJK_OK) {
        return 1;
    }
    const gjk_distance_settings settings = gjk_distance_settings_default();
    for (int height = 6; height >= 3; height--) {
        b.pose.position = gjk_vec3_make(2, 2, height);
        const gjk_distance_result apart = gjk_distance(&a, &b, &settings);
        const gjk_detect_result deep = gjk_detect(&a, &b, &settings);
        printf("height %d: distance %g, depth %g\n", height, apart.distance, deep.depth);
    }
    gjk_arena_fini(&arena);
    return 0;
}
