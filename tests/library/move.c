/* A capsule that walks up a step and against a wall. */
#include <gjk/move.h>

#include <stdio.h>

int main(void) {
    static const double boxes[][6] = {/* centre, half extents: floor, step, wall */
                                      {0, 0, -1, 10, 10, 1},
                                      {4, 0, 0, 2, 10, 0.2},
                                      {6, 0, 2, 0.5, 10, 2}};
    static const char *const ids[] = {"floor", "step", "wall"};
    static gjk_body bodies[3];
    const gjk_vec3 ends[] = {{0, 0, 0.4}, {0, 0, 1.4}};
    gjk_shape shapes[3], capsule;
    struct gjk_arena arena;
    struct gjk_set *level;

    gjk_arena_init(&arena, 0);
    for (uint32_t i = 0; i < 3; i++) {
        const double *b = boxes[i];
        if (gjk_shape_make_box(&arena, 3, gjk_vec3_make(b[3], b[4], b[5]), 0, &shapes[i]) !=
            GJK_OK) {
            return 1;
        }
        bodies[i].id = ids[i];
        bodies[i].handle = i + 1;
        bodies[i].category = bodies[i].mask = UINT32_MAX;
        bodies[i].placed.shape = &shapes[i];
        bodies[i].placed.pose = gjk_pose_identity();
        bodies[i].placed.pose.position = gjk_vec3_make(b[0], b[1], b[2]);
    }
    gjk_placed player = {&capsule, gjk_pose_identity()};
    if (gjk_shape_make_capsule(&arena, 3, ends, 0.4, 0, &capsule) != GJK_OK ||
        gjk_set_new_indexed(3, bodies, 3, &level) != GJK_OK) {
        return 1;
    }
    const gjk_filter everything = gjk_filter_default();
    gjk_selection selection = GJK_ZERO;
    selection.filter = &everything;
    selection.arena = &arena;
    const gjk_snapshot now = gjk_snapshot_of(level);
    for (int tick = 0; tick < 8; tick++) {
        gjk_move move = gjk_move_make(&player, gjk_vec3_make(1, 0, -0.1));
        gjk_move_result way;
        move.has_up = true;
        move.up = gjk_vec3_make(0, 0, 1);
        move.step = move.snap = 0.3;
        if (gjk_set_move(&now, &move, &selection, &way) != GJK_OK) {
            return 1;
        }
        player.pose.position = way.position;
        printf("x %.3f, z %.3f, on %s\n", way.position.x, way.position.z,
               way.grounded ? way.ground.body->id : "nothing");
    }
    gjk_set_release(level);
    gjk_arena_fini(&arena);
    return 0;
}
