/* Shapes together with what they were made of: see body.h. */

#include "body.h"

#include "checks.h"
#include <stdio.h>

static test_body body_of(gjk_shape_type type, uint32_t dimension) {
    return (test_body){.type = type, .dimension = dimension, .orientation = {0, 0, 0, 1}};
}

test_body test_body_ball(uint32_t dimension, double radius) {
    test_body body = body_of(radius > 0 ? GJK_BALL : GJK_POINT, dimension);
    body.count = 1;
    body.radius = radius;
    return body;
}

test_body test_body_segment(uint32_t dimension, gjk_vec3 a, gjk_vec3 b, double radius) {
    test_body body = body_of(radius > 0 ? GJK_CAPSULE : GJK_SEGMENT, dimension);
    body.count = 2;
    body.point[0] = a;
    body.point[1] = b;
    body.radius = radius;
    return body;
}

test_body test_body_box(uint32_t dimension, gjk_vec3 h) {
    test_body body = body_of(GJK_BOX, dimension);
    body.count = dimension == 2 ? 4 : 8;
    for (uint32_t i = 0; i < body.count; i++) {
        body.point[i] = (gjk_vec3){i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y,
                                   dimension == 2 ? 0.0
                                   : i & 4        ? h.z
                                                  : -h.z};
    }
    return body;
}

test_body test_body_cloud(gjk_shape_type type, uint32_t dimension, const gjk_vec3 *points,
                          uint32_t count) {
    ck_assert_uint_le(count, TEST_BODY_POINTS_MAX);
    test_body body = body_of(type, dimension);
    body.count = count;
    for (uint32_t i = 0; i < count; i++) {
        body.point[i] = points[i];
    }
    return body;
}

static gjk_status make_polygon(test_body *body, struct gjk_arena *arena) {
    gjk_vec2 vertices[TEST_BODY_POINTS_MAX];
    uint32_t bad;
    for (uint32_t i = 0; i < body->count; i++) {
        vertices[i] = gjk_xy(body->point[i]);
    }
    return gjk_shape_make_polygon(arena, vertices, body->count, body->rounding, &bad, &body->shape);
}

static gjk_status make_shape(test_body *b, struct gjk_arena *arena) {
    gjk_vec3 corner = b->point[b->count - 1]; /* of a box: all coordinates positive */
    switch (b->type) {
    case GJK_POINT:
        return gjk_shape_make_point(arena, b->dimension, b->rounding, &b->shape);
    case GJK_BALL:
        return gjk_shape_make_ball(arena, b->dimension, b->radius, b->rounding, &b->shape);
    case GJK_SEGMENT:
        return gjk_shape_make_segment(arena, b->dimension, b->point[0], b->point[1], b->rounding,
                                      &b->shape);
    case GJK_CAPSULE:
        return gjk_shape_make_capsule(arena, b->dimension, b->point, b->radius, b->rounding,
                                      &b->shape);
    case GJK_BOX:
        return gjk_shape_make_box(arena, b->dimension, corner, b->rounding, &b->shape);
    case GJK_POLYGON:
        return make_polygon(b, arena);
    case GJK_TRIANGLE:
        return gjk_shape_make_triangle(arena, b->point, b->rounding, &b->shape);
    default:
        return gjk_shape_make_hull(arena, b->dimension, b->point, b->count, b->rounding, &b->shape);
    }
}

void test_body_build(test_body *body, struct gjk_arena *arena) {
    gjk_status status = make_shape(body, arena);
    if (status != GJK_OK) {
        test_body_print("refused", body);
    }
    ck_assert_msg(status == GJK_OK, "%s", gjk_status_text(status));
    test_body_place(body);
}

void test_body_place(test_body *body) {
    gjk_pose pose;
    gjk_status status = body->dimension == 2
                            ? gjk_pose_make2(gjk_xy(body->position), body->angle, &pose)
                            : gjk_pose_make3(body->position, body->orientation, &pose);
    ck_assert_msg(status == GJK_OK, "%s", gjk_status_text(status));
    body->placed = (gjk_placed){&body->shape, pose};
}

double test_body_radius(const test_body *body) {
    return body->radius + body->rounding;
}

quad3 test_body_world_point(const test_body *body, uint32_t i, gjk_vec3 origin) {
    quad3 turned = body->dimension == 2 ? quad3_turn2(body->angle, body->point[i])
                                        : quad3_turn3(body->orientation, body->point[i]);
    return quad3_add(turned, quad3_sub(quad3_of(body->position), quad3_of(origin)));
}

void test_body_world_points(const test_body *body, gjk_vec3 origin, quad3 *out) {
    for (uint32_t i = 0; i < body->count; i++) {
        out[i] = test_body_world_point(body, i, origin);
    }
}

static double largest(gjk_vec3 v) {
    return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}

double test_body_reach(const test_body *body) {
    double own = test_body_radius(body);
    for (uint32_t i = 0; i < body->count; i++) {
        own = fmax(own, largest(body->point[i]));
    }
    return largest(body->position) + 2 * own;
}

void test_body_print(const char *name, const test_body *b) {
    static const char *const type[] = {"point", "ball",    "segment",  "capsule",
                                       "box",   "polygon", "triangle", "hull"};
    fprintf(stderr, "%s: %uD %s radius %.17g rounding %.17g position %.17g %.17g %.17g", name,
            b->dimension, type[b->type], b->radius, b->rounding, b->position.x, b->position.y,
            b->position.z);
    if (b->dimension == 2) {
        fprintf(stderr, " angle %.17g\n", b->angle);
    } else {
        gjk_quat q = b->orientation;
        fprintf(stderr, " orientation %.17g %.17g %.17g %.17g\n", q.x, q.y, q.z, q.w);
    }
    for (uint32_t i = 0; i < b->count; i++) {
        fprintf(stderr, "  %.17g %.17g %.17g\n", b->point[i].x, b->point[i].y, b->point[i].z);
    }
}
