/* A pair seen from the frame of a: what moves both or turns both changes nothing. */

#include "pair/frame.h"

#include "core/pair/boxes.h"

static const gjk_vec3 half_a = {1, 2, 3}, half_b = {0.5, 0.25, 2}, offset = {5, -3, 0};

TEST(the_difference_of_boxes_is_a_box) {
    boxes pair;
    make_boxes(&pair, 2, half_a, half_b, (gjk_vec3){0, 0, 0}, offset);
    gjk_frame2 frame = gjk_frame2_make(&pair.a, &pair.b);
    for (int corner = 0; corner < 8; corner++) {
        double x = corner & 1 ? 1 : -1, y = corner & 2 ? 1 : -1, z = corner & 4 ? 1 : -1;
        gjk_vertex2 v = gjk_support2(&frame, (gjk_vec2){x, y});
        double unit = frame.unit;
        require_vec3(gjk_xy0(v.w), unit * (1.5 * x - 5), unit * (2.25 * y + 3), 0 * z);
        require_vec3(gjk_xy0(gjk_sub2(v.a, v.b)), v.w.x, v.w.y, 0);
    }
    gjk_arena_fini(&pair.arena);
}

/* Far from the world's origin by a power of two, all digits of the pair remain. */
TEST(it_does_not_matter_where_the_pair_stands) {
    boxes here, there;
    make_boxes(&here, 2, half_a, half_b, (gjk_vec3){0, 0, 0}, offset);
    make_boxes(&there, 2, half_a, half_b, (gjk_vec3){0x1p40, -0x1p40, 0}, offset);
    gjk_frame2 one = gjk_frame2_make(&here.a, &here.b);
    gjk_frame2 two = gjk_frame2_make(&there.a, &there.b);
    gjk_vertex2 v = gjk_support2(&one, (gjk_vec2){1, 1}), w = gjk_support2(&two, (gjk_vec2){1, 1});
    ck_assert(gjk_vertex2_same(&v, &w));
    gjk_arena_fini(&here.arena);
    gjk_arena_fini(&there.arena);
}

TEST(the_first_direction) {
    boxes pair;
    make_boxes(&pair, 2, half_a, half_b, (gjk_vec3){0, 0, 0}, (gjk_vec3){0, -7, 0});
    gjk_frame2 frame = gjk_frame2_make(&pair.a, &pair.b);
    require_vec3(gjk_xy0(frame.toward), 0, -1, 0);
    gjk_frame2_aim(&frame, &pair.a.pose, (gjk_vec3){-9, 0, 0});
    require_vec3(gjk_xy0(frame.toward), -1, 0, 0);
    pair.b.pose.position = pair.a.pose.position; /* no direction from centre to centre */
    frame = gjk_frame2_make(&pair.a, &pair.b);
    require_vec3(gjk_xy0(frame.toward), 1, 0, 0);
    gjk_arena_fini(&pair.arena);
}
