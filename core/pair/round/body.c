/*
 * Support points of hulls of two discs, in the frame of the pair. The support point of a disc along d is
 * the point of its rim in the direction of d projected into the disc's plane; that of the hull is the
 * farther of the two.
 */

#include "pair/round/round.h"

#include "base/larger.h"

/* Squares of lengths between these are far from overflow and underflow. */
#define LONGEST 0x1p900
#define SHORTEST 0x1p-900

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

static void set_own(const gjk_shape *shape, gjk_round_body *body) {
    const gjk_curve *curve = &shape->curve;
    const bool is_cloud = shape->count > 0;
    body->center[0] = is_cloud ? column_point(shape, 0) : curve->a;
    body->center[1] = is_cloud ? column_point(shape, shape->count - 1) : curve->b;
    body->across[0] = body->across[1] = (gjk_vec3){0, 0, 0};
    body->radius[0] = body->radius[1] = 0.0;
    if (!is_cloud) {
        body->across[0] = curve->across[0];
        body->across[1] = curve->across[1];
        body->radius[0] = curve->radius;
        body->radius[1] = shape->type == GJK_CYLINDER ? curve->radius : 0.0;
    }
    body->line = gjk_sub3(body->center[1], body->center[0]);
}

static void turn(const gjk_frame3 *frame, gjk_round_body *body) {
    for (int i = 0; i < 2; i++) {
        const gjk_vec3 center = gjk_mul3(&frame->rotation, body->center[i]);
        body->center[i] = gjk_add3(center, frame->translation);
        body->across[i] = gjk_mul3(&frame->rotation, body->across[i]);
    }
    body->line = gjk_mul3(&frame->rotation, body->line);
}

bool gjk_round_pair_make(const gjk_frame3 *frame, gjk_round_pair *pair) {
    if (!frame->curved || frame->unit != 1.0 || !is_served(frame->a) || !is_served(frame->b)) {
        return false;
    }
    set_own(frame->a, &pair->body[0]);
    set_own(frame->b, &pair->body[1]);
    turn(frame, &pair->body[1]);
    pair->shape_b = frame->b;
    pair->scale = frame->scale;
    return true;
}

/* The farthest rim, and the farthest point of it by its place across the axis. */
typedef struct farthest3 {
    int end;
    double x, y;
} farthest3;

/* False: the direction is too long or too short. */
static inline bool find_farthest(const gjk_round_body *body, gjk_vec3 d, farthest3 *f) {
    const double x = gjk_dot3(body->across[0], d), y = gjk_dot3(body->across[1], d);
    const double squared = x * x + y * y, length = sqrt(squared);
    const double ahead = gjk_dot3(body->line, d) + (body->radius[1] - body->radius[0]) * length;
    f->end = ahead > 0.0;
    const double scale = squared > 0.0 ? body->radius[f->end] / length : 0.0;
    f->x = scale * x;
    f->y = scale * y;
    return squared < LONGEST && (squared > SHORTEST || squared == 0.0);
}

static inline gjk_vec3 place_of(const gjk_round_body *body, const farthest3 *f) {
    const gjk_vec3 off =
        gjk_add3(gjk_scale3(f->x, body->across[0]), gjk_scale3(f->y, body->across[1]));
    return gjk_add3(body->center[f->end], off);
}

/* The same in the own frame of the shape. */
static inline gjk_vec3 own_place_of(const gjk_shape *shape, const farthest3 *f) {
    const gjk_curve *curve = &shape->curve;
    if (shape->count > 0) {
        return column_point(shape, f->end == 0 ? 0 : shape->count - 1);
    }
    const gjk_vec3 off =
        gjk_add3(gjk_scale3(f->x, curve->across[0]), gjk_scale3(f->y, curve->across[1]));
    return gjk_add3(f->end == 0 ? curve->a : curve->b, off);
}

bool gjk_round_support(const gjk_round_pair *pair, const gjk_vec3 *direction, gjk_vertex3 *vertex) {
    farthest3 a, b;
    const gjk_vec3 d = *direction;
    const bool found = find_farthest(&pair->body[0], d, &a);
    if (!find_farthest(&pair->body[1], gjk_neg3(d), &b) || !found) {
        return false;
    }
    vertex->a = place_of(&pair->body[0], &a);
    vertex->b = place_of(&pair->body[1], &b);
    vertex->own_b = own_place_of(pair->shape_b, &b);
    vertex->w = gjk_sub3(vertex->a, vertex->b);
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
