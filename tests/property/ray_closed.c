/*
 * Where does a ray hit a ball (roots of a square), a capsule (two balls and what is
 * between them) or a box (slabs)? In 113 bits, in the frame of the body.
 */

#include "ray_closed.h"

#include "support/checks.h"

typedef struct own_ray {
    quad3 origin, direction;
} own_ray;

static quad3 turn_back(const test_body *body, quad3 v) {
    /* Rows of the rotation are the images of the axes under its inverse. */
    quad3 axis[3];
    for (int i = 0; i < 3; i++) {
        gjk_vec3 e = {i == 0, i == 1, i == 2};
        axis[i] =
            body->dimension == 2 ? quad3_turn2(body->angle, e) : quad3_turn3(body->orientation, e);
    }
    return (quad3){quad3_dot(axis[0], v), quad3_dot(axis[1], v), quad3_dot(axis[2], v)};
}

static own_ray to_own(const test_ray_case *c) {
    const test_body *body = &c->target.a;
    quad3 from = quad3_sub(quad3_of(c->ray.origin), quad3_of(body->position));
    return (own_ray){turn_back(body, from), quad3_unit(turn_back(body, quad3_of(c->direction)))};
}

static quad magnitude(quad x) {
    return x < 0 ? -x : x;
}

/* A ball of radius r about the origin, for a ray given relative to it whose direction may be
 * shorter than 1 (as when it is seen along an axis). */
static test_closed_hit hit_round(quad3 origin, quad3 direction, quad r) {
    quad speed = quad3_dot(direction, direction);
    if (!(speed > 0)) {
        return (test_closed_hit){.hit = false, .clearance = 1};
    }
    quad nearest = -quad3_dot(origin, direction) / speed;
    quad3 foot = quad3_add(origin, quad3_scale(nearest, direction));
    quad off = quad_sqrt(quad3_dot(foot, foot));
    quad chord = quad_sqrt((r - off) * (r + off));
    quad t = nearest - chord / quad_sqrt(speed);
    return (test_closed_hit){
        .hit = off <= r && t >= 0,
        .t = t,
        .cosine = chord / r * quad_sqrt(speed),
        .clearance = magnitude(r - off),
    };
}

static void keep_first(test_closed_hit *best, test_closed_hit found) {
    quad least = best->clearance < found.clearance ? best->clearance : found.clearance;
    if (found.hit && (!best->hit || found.t < best->t)) {
        *best = found;
    }
    best->clearance = least;
}

static test_closed_hit hit_capsule(const test_body *body, own_ray ray) {
    quad3 a = quad3_of(body->point[0]), b = quad3_of(body->point[1]);
    quad3 from_a = quad3_sub(ray.origin, a), axis = quad3_sub(b, a);
    test_closed_hit best = hit_round(from_a, ray.direction, body->radius);
    keep_first(&best, hit_round(quad3_sub(ray.origin, b), ray.direction, body->radius));
    quad square = quad3_dot(axis, axis);
    quad3 side_origin = quad3_sub(from_a, quad3_scale(quad3_dot(from_a, axis) / square, axis));
    quad3 side_direction =
        quad3_sub(ray.direction, quad3_scale(quad3_dot(ray.direction, axis) / square, axis));
    test_closed_hit side = hit_round(side_origin, side_direction, body->radius);
    quad3 point = quad3_add(from_a, quad3_scale(side.t, ray.direction));
    quad along = quad3_dot(point, axis);
    side.hit = side.hit && along >= 0 && along <= square;
    keep_first(&best, side);
    return best;
}

static test_closed_hit hit_box(const test_body *body, own_ray ray) {
    const gjk_vec3 corner = body->point[body->count - 1];
    const quad half[3] = {corner.x, corner.y, corner.z};
    const quad origin[3] = {ray.origin.x, ray.origin.y, ray.origin.z};
    const quad direction[3] = {ray.direction.x, ray.direction.y, ray.direction.z};
    test_closed_hit best = {.hit = true, .t = -1, .clearance = 1};
    quad leave = (quad)1e300;
    for (uint32_t i = 0; i < body->dimension; i++) {
        quad speed = magnitude(direction[i]);
        if (!(speed > 0)) {
            best.hit = best.hit && magnitude(origin[i]) <= half[i];
            continue;
        }
        quad middle = -origin[i] / direction[i], reach = half[i] / speed;
        if (middle - reach > best.t) {
            best.t = middle - reach;
            best.cosine = speed;
        }
        leave = middle + reach < leave ? middle + reach : leave;
    }
    /* Entering after leaving is a miss; the difference, as a length, is what decides. */
    best.clearance = magnitude(leave - best.t);
    best.hit = best.hit && best.t >= 0 && best.t <= leave;
    return best;
}

static test_closed_hit hit_body(const test_body *body, own_ray ray) {
    switch (body->type) {
    case GJK_BALL:
        return hit_round(ray.origin, ray.direction, body->radius);
    case GJK_CAPSULE:
        return hit_capsule(body, ray);
    default:
        ck_assert_int_eq(body->type, GJK_BOX);
        return hit_box(body, ray);
    }
}

test_closed_hit test_closed_form(const test_ray_case *c) {
    return hit_body(&c->target.a, to_own(c));
}

test_closed_hit test_closed_exit(const test_ray_case *c) {
    const quad beyond = (quad)0x1p40;
    const own_ray ray = to_own(c);
    const own_ray back = {quad3_add(ray.origin, quad3_scale(beyond, ray.direction)),
                          quad3_scale(-1, ray.direction)};
    test_closed_hit out = hit_body(&c->target.a, back);
    out.t = beyond - out.t;
    return out;
}
