/*
 * Arbitrary bytes as two shapes, settings and a ray: whatever a checked constructor
 * accepts, no query may crash, hang, answer a NaN, cross its bounds, or contradict
 * another query about the same pair.
 *
 * The bytes: a head (dimension, types, settings), then doubles as they are read.
 */

#include "gjk/pair.h"
#include "gjk/ray.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define POINTS_MAX 24

typedef struct input {
    const uint8_t *data;
    size_t left;
} input;

static uint8_t take_byte(input *in) {
    if (in->left == 0) {
        return 0;
    }
    in->left--;
    return *in->data++;
}

/*
 * Two bytes in three bits of forms: small whole numbers (degenerate shapes are likely),
 * tiny and huge magnitudes, or any double at all.
 */
static double take_number(input *in) {
    uint8_t form = take_byte(in);
    int small = (int)take_byte(in) - 128;
    switch (form & 7) {
    case 0:
    case 1:
    case 2:
        return small / 16;
    case 3:
        return small * 0.01;
    case 4: /* a whole number, but for the last bits */
        return nextafter(small / 16, form & 8 ? 1e9 : -1e9);
    case 5:
        return ldexp(small, (form >> 3) * 32 - 500);
    case 6:
        return ldexp(small, -(form >> 3) * 2);
    default: {
        double any = 0.0;
        uint8_t bytes[sizeof any];
        for (size_t i = 0; i < sizeof bytes; i++) {
            bytes[i] = take_byte(in);
        }
        memcpy(&any, bytes, sizeof any);
        return any;
    }
    }
}

static gjk_vec3 take_vec(input *in, uint32_t dimension) {
    double x = take_number(in), y = take_number(in);
    return (gjk_vec3){x, y, dimension == 3 ? take_number(in) : 0.0};
}

static gjk_status take_cloud(input *in, uint32_t dimension, double rounding,
                             struct gjk_arena *arena, gjk_shape *shape) {
    gjk_vec3 points[POINTS_MAX];
    gjk_vec2 vertices[POINTS_MAX];
    uint8_t kind = take_byte(in);
    uint32_t count = 1 + kind % POINTS_MAX, bad;
    for (uint32_t i = 0; i < count; i++) {
        points[i] = take_vec(in, dimension);
        vertices[i] = gjk_xy(points[i]);
    }
    if (dimension == 2 && kind & 0x80) {
        return gjk_shape_make_polygon(arena, vertices, count, rounding, &bad, shape);
    }
    return gjk_shape_make_hull(arena, dimension, points, count, rounding, shape);
}

static gjk_status take_shape(input *in, uint32_t dimension, struct gjk_arena *arena,
                             gjk_shape *shape) {
    uint8_t type = take_byte(in);
    double rounding = type & 0x80 ? take_number(in) : 0.0;
    gjk_vec3 p[3];
    switch (type & 7) {
    case 0:
        return gjk_shape_make_point(arena, dimension, rounding, shape);
    case 1:
        return gjk_shape_make_ball(arena, dimension, take_number(in), rounding, shape);
    case 2:
    case 3:
        p[0] = take_vec(in, dimension);
        p[1] = take_vec(in, dimension);
        return type & 1
                   ? gjk_shape_make_capsule(arena, dimension, p, take_number(in), rounding, shape)
                   : gjk_shape_make_segment(arena, dimension, p[0], p[1], rounding, shape);
    case 4:
        p[0] = take_vec(in, dimension);
        return gjk_shape_make_box(arena, dimension, p[0], rounding, shape);
    case 5:
        if (dimension == 3) {
            for (int i = 0; i < 3; i++) {
                p[i] = take_vec(in, 3);
            }
            return gjk_shape_make_triangle(arena, p, rounding, shape);
        }
        return take_cloud(in, dimension, rounding, arena, shape);
    default:
        return take_cloud(in, dimension, rounding, arena, shape);
    }
}

static gjk_status take_pose(input *in, uint32_t dimension, gjk_pose *pose) {
    gjk_vec3 position = take_vec(in, dimension);
    if (dimension == 2) {
        return gjk_pose_make2(gjk_xy(position), take_number(in), pose);
    }
    gjk_quat q = {take_number(in), take_number(in), take_number(in), take_number(in)};
    double most = fmax(fmax(fabs(q.x), fabs(q.y)), fmax(fabs(q.z), fabs(q.w)));
    if (!(most > 0.0 && most < INFINITY)) {
        q = (gjk_quat){0, 0, 0, most = 1};
    }
    int exponent;
    (void)frexp(most, &exponent);
    q = (gjk_quat){ldexp(q.x, -exponent), ldexp(q.y, -exponent), ldexp(q.z, -exponent),
                   ldexp(q.w, -exponent)};
    double length = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    q = (gjk_quat){q.x / length, q.y / length, q.z / length, q.w / length};
    return gjk_pose_make3(position, q, pose);
}

static void fail(const char *what) {
    (void)fprintf(stderr, "does not hold: %s\n", what);
    abort();
}
#define require(condition) ((condition) ? (void)0 : fail(#condition))

static bool finite3(gjk_vec3 v) {
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static bool is_unit(gjk_vec3 v) {
    return fabs(gjk_length3(v) - 1.0) <= 1e-12;
}

static void check_detect(const gjk_detect_result *r, uint32_t iterations_max) {
    require(isfinite(r->depth) && isfinite(r->depth_lower_bound));
    require(finite3(r->normal) && finite3(r->point_a) && finite3(r->point_b));
    require(0.0 <= r->depth_lower_bound && r->depth_lower_bound <= r->depth);
    require(is_unit(r->normal));
    require(r->has_points == (r->state != GJK_SEPARATED));
    require(r->iterations >= 1 && r->iterations <= 2 * iterations_max);
}

static void check_distance(const gjk_distance_result *r, uint32_t iterations_max) {
    require(isfinite(r->distance) && isfinite(r->lower_bound));
    require(finite3(r->normal) && finite3(r->point_a) && finite3(r->point_b));
    require(0.0 <= r->lower_bound && r->lower_bound <= r->distance);
    require(r->has_points == (r->state != GJK_OVERLAPPING));
    require(!r->has_points || is_unit(r->normal));
    require(r->iterations >= 1 && r->iterations <= 2 * iterations_max);
}

static void check_ray(const gjk_ray_result *r, const gjk_ray *ray, bool solid) {
    require(isfinite(r->distance) && finite3(r->point) && finite3(r->normal));
    require(r->distance >= 0.0 && r->distance <= ray->max_distance);
    require(!r->inside || r->hit == solid);
    require(r->has_normal == (r->hit && !r->inside));
    require(!r->has_normal || (is_unit(r->normal) && gjk_dot3(r->normal, ray->direction) <= 0.0));
}

static void query(input *in, const gjk_placed *a, const gjk_placed *b) {
    uint32_t dimension = a->shape->dimension;
    double tolerance = ldexp(GJK_TOLERANCE_MAX, -(int)(take_byte(in) % 64));
    uint32_t iterations = GJK_ITERATIONS_MIN + take_byte(in);
    gjk_vec3 first = take_vec(in, dimension);
    first = finite3(first) ? first : (gjk_vec3){0, 0, 0};
    gjk_detect_settings detect = {
        .tolerance = tolerance,
        .max_iterations = iterations,
        .first_direction = first,
        .penetration = true,
    };
    const gjk_distance_settings distance = {
        .tolerance = tolerance,
        .max_iterations = iterations,
        .first_direction = first,
    };
    gjk_detect_result r = gjk_detect(a, b, &detect);
    gjk_distance_result d = gjk_distance(a, b, &distance);
    detect.penetration = false;
    gjk_detect_result quick = gjk_detect(a, b, &detect);
    check_detect(&r, iterations);
    check_distance(&d, iterations);
    require(r.state == d.state && r.state == quick.state);
    detect.first_direction = (gjk_vec3){0, 0, 0};
    (void)gjk_detect(b, a, &detect);

    gjk_ray ray;
    gjk_vec3 origin = take_vec(in, dimension), direction = take_vec(in, dimension);
    double reach = take_byte(in) & 1 ? INFINITY : take_number(in);
    gjk_ray_settings settings = {.tolerance = tolerance,
                                 .max_iterations = iterations,
                                 .solid = (take_byte(in) & 1) != 0};
    if (gjk_ray_make(origin, direction, reach, &ray) == GJK_OK) {
        gjk_ray_result hit = gjk_raycast(a, &ray, &settings);
        check_ray(&hit, &ray, settings.solid);
    }
}

static void check_bounds(const gjk_placed *placed) {
    gjk_bounds bounds = gjk_placed_bounds(placed);
    require(finite3(bounds.min) && finite3(bounds.max));
    for (uint32_t i = 0; i < placed->shape->count; i++) {
        gjk_vec3 p = gjk_pose_apply(&placed->pose, gjk_shape_point(placed->shape, i));
        require(bounds.min.x <= p.x && p.x <= bounds.max.x);
        require(bounds.min.y <= p.y && p.y <= bounds.max.y);
        require(bounds.min.z <= p.z && p.z <= bounds.max.z);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input in = {data, size};
    struct gjk_arena arena;
    gjk_shape shape_a, shape_b;
    gjk_placed a = {.shape = &shape_a}, b = {.shape = &shape_b};
    uint32_t dimension = take_byte(&in) & 1 ? 3 : 2;
    gjk_arena_init(&arena, 0);
    if (take_shape(&in, dimension, &arena, &shape_a) == GJK_OK &&
        take_pose(&in, dimension, &a.pose) == GJK_OK &&
        take_shape(&in, dimension, &arena, &shape_b) == GJK_OK &&
        take_pose(&in, dimension, &b.pose) == GJK_OK) {
        check_bounds(&a);
        query(&in, &a, &b);
    }
    gjk_arena_fini(&arena);
    return 0;
}
