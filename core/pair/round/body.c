/*
 * The hull of two discs in the frame of a pair, and its farthest points: of each rim, the one whose
 * direction from the centre is that of the direction without its part along the axis.
 */

#include "pair/round/round.h"

#include "base/larger.h"

static bool is_round(const gjk_shape *shape) {
    return shape->count == 0 && (shape->type == GJK_CYLINDER || shape->type == GJK_CONE);
}

static bool is_served(const gjk_shape *shape) {
    return is_round(shape) || shape->count == 1 || shape->count == 2;
}

static gjk_vec3 column_point(const gjk_shape *shape, uint32_t i) {
    const double *x = shape->columns + i;
    return (gjk_vec3){x[0], x[shape->stride], x[2 * (size_t)shape->stride]};
}

static void set_body(const gjk_shape *shape, gjk_round_body *body) {
    const gjk_curve *curve = &shape->curve;
    const gjk_vec3 none = {0, 0, 0};
    body->across[0] = body->across[1] = body->axis = none;
    body->radius[0] = body->radius[1] = 0.0;
    if (shape->count > 0) {
        body->center[0] = column_point(shape, 0);
        body->center[1] = column_point(shape, shape->count - 1);
        return;
    }
    body->center[0] = curve->a;
    body->center[1] = curve->b;
    body->across[0] = curve->across[0];
    body->across[1] = curve->across[1];
    body->axis = gjk_cross3(curve->across[0], curve->across[1]);
    body->radius[0] = curve->radius;
    body->radius[1] = shape->type == GJK_CYLINDER ? curve->radius : 0.0;
}

static void turn(const gjk_frame3 *frame, gjk_round_body *body) {
    for (int i = 0; i < 2; i++) {
        const gjk_vec3 center = gjk_mul3(&frame->rotation, body->center[i]);
        body->center[i] = gjk_add3(center, frame->translation);
        body->across[i] = gjk_mul3(&frame->rotation, body->across[i]);
    }
    body->axis = gjk_mul3(&frame->rotation, body->axis);
}

bool gjk_round_pair_make(const gjk_frame3 *frame, gjk_round_pair *pair) {
    if (!frame->curved || frame->unit != 1.0 || !is_served(frame->a) || !is_served(frame->b)) {
        return false;
    }
    set_body(frame->a, &pair->body[0]);
    set_body(frame->b, &pair->body[1]);
    turn(frame, &pair->body[1]);
    pair->scale = frame->scale;
    return true;
}

void gjk_round_look_along(const gjk_round_body *body, gjk_vec3 direction, gjk_round_look *look) {
    const double x = gjk_dot3(body->across[0], direction);
    const double y = gjk_dot3(body->across[1], direction);
    const double length = sqrt(x * x + y * y), scale = length > 0.0 ? 1.0 / length : 0.0;
    const gjk_vec3 outward =
        gjk_add3(gjk_scale3(scale * x, body->across[0]), gjk_scale3(scale * y, body->across[1]));
    look->along =
        gjk_sub3(gjk_scale3(scale * x, body->across[1]), gjk_scale3(scale * y, body->across[0]));
    look->sine = length;
    for (int i = 0; i < 2; i++) {
        look->point[i] = gjk_add3(body->center[i], gjk_scale3(body->radius[i], outward));
        look->value[i] = gjk_dot3(direction, look->point[i]);
    }
}

double gjk_round_height(const gjk_round_body *body, gjk_vec3 point) {
    const gjk_vec3 axis = gjk_sub3(body->center[1], body->center[0]);
    const double squared = gjk_dot3(axis, axis);
    const double along = gjk_dot3(gjk_sub3(point, body->center[0]), axis);
    return squared > 0.0 ? gjk_larger(0.0, gjk_smaller(1.0, along / squared)) : 0.0;
}
