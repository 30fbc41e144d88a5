/* Do the constructors make the shapes they promise, and refuse the rest unharmed? */

#include "gjk/shape.h"

#include <stdlib.h>
#include <string.h>

#include "failing_malloc.h"
#include "support/rng.h"
#include "support/test.h"

#define MAX GJK_COORDINATE_MAX

TEST_ARENA(arena)

/* One call of a constructor; what it does not use is ignored. */
typedef struct recipe {
    gjk_shape_type type;
    uint32_t dimension;
    double radius, rounding;
    uint32_t count;
    gjk_vec3 points[5]; /* segment, capsule: 2; triangle: 3; box: the half extents */
} recipe;

static gjk_status make_in(struct gjk_arena *a, const recipe *r, gjk_shape *out) {
    gjk_vec2 flat[5];
    uint32_t bad = 99;
    for (int i = 0; i < 5; i++) {
        flat[i] = gjk_xy(r->points[i]);
    }
    switch (r->type) {
    case GJK_POINT:
        return gjk_shape_make_point(a, r->dimension, r->rounding, out);
    case GJK_BALL:
        return gjk_shape_make_ball(a, r->dimension, r->radius, r->rounding, out);
    case GJK_SEGMENT:
        return gjk_shape_make_segment(a, r->dimension, r->points[0], r->points[1], r->rounding,
                                      out);
    case GJK_CAPSULE:
        return gjk_shape_make_capsule(a, r->dimension, r->points, r->radius, r->rounding, out);
    case GJK_BOX:
        return gjk_shape_make_box(a, r->dimension, r->points[0], r->rounding, out);
    case GJK_POLYGON:
        return gjk_shape_make_polygon(a, flat, r->count, r->rounding, &bad, out);
    case GJK_TRIANGLE:
        return gjk_shape_make_triangle(a, r->points, r->rounding, out);
    default:
        return gjk_shape_make_hull(a, r->dimension, r->points, r->count, r->rounding, out);
    }
}

static gjk_shape make(const recipe *r) {
    gjk_shape shape;
    gjk_status status = make_in(&arena, r, &shape);
    ck_assert_msg(status == GJK_OK, "%s", gjk_status_text(status));
    return shape;
}

/* One of every kind and dimension, all good. */
static const recipe good[] = {
    {GJK_POINT, 2, 0, 0.5, 0, {{0, 0, 0}}},
    {GJK_POINT, 3, 0, 0, 0, {{0, 0, 0}}},
    {GJK_BALL, 2, 2, 0.25, 0, {{0, 0, 0}}},
    {GJK_BALL, 3, 2, 0.25, 0, {{0, 0, 0}}},
    {GJK_SEGMENT, 2, 0, 0.5, 0, {{1, 2, 0}, {-3, 5, 0}}},
    {GJK_SEGMENT, 3, 0, 0.5, 0, {{1, 2, 3}, {-3, 5, 9}}},
    {GJK_CAPSULE, 2, 1, 0.5, 0, {{1, 2, 0}, {-3, 5, 0}}},
    {GJK_CAPSULE, 3, 1, 0.5, 0, {{1, 2, 3}, {-3, 5, 9}}},
    {GJK_BOX, 2, 0, 0.125, 0, {{1, 2, 0}}},
    {GJK_BOX, 3, 0, 0.125, 0, {{1, 2, 3}}},
    {GJK_POLYGON, 2, 0, 0.5, 4, {{0, 0, 0}, {2, 0, 0}, {2, 3, 0}, {0, 3, 0}}},
    {GJK_TRIANGLE, 3, 0, 0.5, 0, {{0, 0, 0}, {2, 0, 1}, {2, 3, 5}}},
    {GJK_HULL, 2, 0, 0.5, 5, {{0, 0, 0}, {2, 0, 0}, {2, 3, 0}, {0, 3, 0}, {1, 1, 0}}},
    {GJK_HULL, 3, 0, 0.5, 5, {{0, 0, 0}, {2, 0, 0}, {2, 3, 0}, {0, 3, 7}, {1, 1, 1}}},
};
#define GOOD (sizeof good / sizeof good[0])

/* What shape.h says of every shape. */
static void check_invariants(const gjk_shape *s) {
    double reach = 0;
    gjk_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};

    ck_assert_uint_ge(s->count, 1);
    ck_assert_uint_eq(s->stride % GJK_LANES, 0);
    ck_assert(s->stride >= s->count && s->stride < s->count + GJK_LANES);
    ck_assert_uint_eq((uintptr_t)s->columns % 64, 0);
    for (uint32_t i = 0; i < s->stride; i++) {
        gjk_vec3 p = gjk_shape_point(s, i), first = gjk_shape_point(s, 0);
        ck_assert(!signbit(p.x) || p.x < 0);
        ck_assert(i < s->count || (p.x == first.x && p.y == first.y && p.z == first.z));
        low = (gjk_vec3){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
        high = (gjk_vec3){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
        gjk_vec3 d = gjk_sub3(p, s->center);
        reach = fmax(reach, gjk_length3(d));
    }
    const double slack = 0x1p-48 * (gjk_length3(s->center) + s->size);
    const gjk_vec3 h = s->half_extents, c = s->center;
    double r = s->radius, rz = s->dimension == 3 ? r : 0;
    ck_assert(fabs(c.x - (low.x + high.x) / 2) <= slack &&
              fabs(c.y - (low.y + high.y) / 2) <= slack);
    ck_assert(fabs(c.z - (low.z + high.z) / 2) <= slack);
    ck_assert(fabs(h.x - r - (high.x - low.x) / 2) <= slack);
    ck_assert(fabs(h.y - r - (high.y - low.y) / 2) <= slack);
    ck_assert(fabs(h.z - rz - (high.z - low.z) / 2) <= slack);
    ck_assert(s->size == 2 * fmax(h.x, fmax(h.y, h.z)));
    ck_assert(s->bounding_radius >= reach + r && s->bounding_radius <= reach + r + slack);
}

TEST_EACH(every_shape_keeps_what_the_header_promises, 0, GOOD) {
    gjk_shape s = make(&good[_i]);
    ck_assert_int_eq(s.type, good[_i].type);
    ck_assert_uint_eq(s.dimension, good[_i].dimension);
    ck_assert(s.radius == good[_i].radius + good[_i].rounding);
    check_invariants(&s);
}

TEST(sizes_of_known_shapes) {
    gjk_shape ball = make(&good[3]), box = make(&good[9]), capsule = make(&good[7]);
    ck_assert(ball.size == 4.5 && ball.bounding_radius == 2.25 && ball.half_extents.z == 2.25);
    ck_assert(box.count == 8 && box.size == 6.25 && box.half_extents.x == 1.125);
    ck_assert(box.center.x == 0 && box.center.y == 0 && box.center.z == 0);
    ck_assert(capsule.count == 2 && capsule.size == 9 && capsule.center.z == 6);
    gjk_shape flat = make(&good[2]);
    ck_assert(flat.half_extents.x == 2.25 && flat.half_extents.z == 0);
}

TEST(flat_boxes_and_coincident_points_are_freed_of_copies) {
    static const struct {
        recipe recipe;
        uint32_t count;
    } rows[] = {
        {{GJK_BOX, 2, 0, 0, 0, {{0, 2, 9}}}, 2},
        {{GJK_BOX, 2, 0, 0, 0, {{1, 0, 9}}}, 2},
        {{GJK_BOX, 2, 0, 0, 0, {{0, -0.0, 9}}}, 1},
        {{GJK_BOX, 3, 0, 0, 0, {{0, 2, 3}}}, 4},
        {{GJK_BOX, 3, 0, 0, 0, {{1, 0, 3}}}, 4},
        {{GJK_BOX, 3, 0, 0, 0, {{1, 2, 0}}}, 4},
        {{GJK_BOX, 3, 0, 0, 0, {{0, 0, 3}}}, 2},
        {{GJK_BOX, 3, 0, 1, 0, {{0, 0, 0}}}, 1},
        {{GJK_SEGMENT, 2, 0, 0, 0, {{1, 2, 3}, {1, 2, 4}}}, 1}, /* z is ignored */
        {{GJK_SEGMENT, 3, 0, 0, 0, {{1, 2, 3}, {1, 2, 4}}}, 2},
        {{GJK_SEGMENT, 3, 0, 0, 0, {{1, 2, 3}, {1, 2, 3}}}, 1},
        {{GJK_CAPSULE, 3, 1, 0, 0, {{0, 2, 3}, {-0.0, 2, 3}}}, 1},
        {{GJK_TRIANGLE, 3, 0, 0, 0, {{1, 2, 3}, {1, 2, 3}, {4, 5, 6}}}, 2},
        {{GJK_TRIANGLE, 3, 0, 0, 0, {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}}, 1},
        {{GJK_TRIANGLE, 3, 0, 0, 0, {{1, 2, 3}, {3, 6, 9}, {2, 4, 6}}}, 2},
        {{GJK_TRIANGLE, 3, 0, 0, 0, {{1, 2, 3}, {3, 6, 9}, {2, 4, 6.000001}}}, 3},
        {{GJK_HULL, 2, 0, 0, 4, {{1, 2, 3}, {1, 2, 4}, {1, 2, 5}, {1, 2, 6}}}, 1},
        {{GJK_HULL, 2, 0, 0, 4, {{1, 2, 0}, {3, 4, 0}, {2, 3, 0}, {1, 2, 0}}}, 2},
        {{GJK_HULL, 3, 0, 0, 1, {{1, 2, 3}}}, 1},
        {{GJK_HULL, 3, 0, 0, 4, {{1, 2, 3}, {2, 4, 6}, {3, 6, 9}, {0, 0, 0}}}, 2},
        {{GJK_HULL, 3, 0, 0, 5, {{0, 0, 3}, {2, 0, 3}, {2, 2, 3}, {0, 2, 3}, {1, 1, 3}}}, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gjk_shape s = make(&rows[i].recipe);
        ck_assert_msg(s.count == rows[i].count, "row %zu: %u points", i, s.count);
        ck_assert_int_eq(s.type, rows[i].recipe.type);
        check_invariants(&s);
    }
}

static bool is_counter_clockwise(const gjk_shape *s) {
    for (uint32_t i = 0; i < s->count; i++) {
        gjk_vec2 a = gjk_xy(gjk_shape_point(s, i));
        gjk_vec2 b = gjk_xy(gjk_shape_point(s, (i + 1) % s->count));
        gjk_vec2 c = gjk_xy(gjk_shape_point(s, (i + 2) % s->count));
        if (gjk_cross2(gjk_sub2(b, a), gjk_sub2(c, b)) <= 0) {
            return false;
        }
    }
    return true;
}

TEST(flat_shapes_run_counter_clockwise) {
    gjk_shape box = make(&good[8]), polygon = make(&good[10]), hull = make(&good[12]);
    ck_assert(is_counter_clockwise(&box));
    ck_assert(is_counter_clockwise(&polygon));
    ck_assert(is_counter_clockwise(&hull));
    ck_assert_uint_eq(hull.count, 4);
}

static const struct {
    double value;
    gjk_status status;
} coordinates[] = {
    {MAX, GJK_OK},
    {-MAX, GJK_OK},
    {MAX * 1.0000001, GJK_OUT_OF_RANGE},
    {1e300, GJK_OUT_OF_RANGE},
    {-1e300, GJK_OUT_OF_RANGE},
    {INFINITY, GJK_NOT_FINITE},
    {-INFINITY, GJK_NOT_FINITE},
    {(double)NAN, GJK_NOT_FINITE},
    {0x1p-1074, GJK_OK},
};
#define COORDINATES (sizeof coordinates / sizeof coordinates[0])

/* Each coordinate in turn takes each value; the flat shapes do not look at z. */
TEST_EACH(coordinates_are_checked, 0, GOOD) {
    const recipe *base = &good[_i];
    uint32_t points = base->type == GJK_TRIANGLE                               ? 3
                      : base->type == GJK_SEGMENT || base->type == GJK_CAPSULE ? 2
                                                                               : base->count;
    for (uint32_t p = 0; p < points; p++) {
        for (uint32_t axis = 0; axis < 3; axis++) {
            for (size_t v = 0; v < COORDINATES; v++) {
                recipe r = *base;
                gjk_vec3 *q = &r.points[p];
                *(axis == 0 ? &q->x : axis == 1 ? &q->y : &q->z) = coordinates[v].value;
                gjk_shape s = {.count = 77};
                gjk_status status = make_in(&arena, &r, &s);
                bool ignored = axis == 2 && base->dimension == 2;
                gjk_status expected = ignored ? GJK_OK : coordinates[v].status;
                if (base->type == GJK_POLYGON && expected == GJK_OK) {
                    continue; /* may well be concave now */
                }
                ck_assert_msg(status == expected, "point %u axis %u value %a: %s", p, axis,
                              coordinates[v].value, gjk_status_text(status));
                ck_assert_int_eq(s.count == 77, status != GJK_OK);
            }
        }
    }
}

TEST_EACH(lengths_are_checked, 0, GOOD) {
    static const struct {
        double radius, rounding;
        gjk_status status, without_radius; /* of shapes that have no radius of their own */
    } rows[] = {
        {1, 0, GJK_OK, GJK_OK},
        {0x1p-1074, 0, GJK_OK, GJK_OK},
        {0, 1, GJK_OUT_OF_RANGE, GJK_OK},
        {-1, 3, GJK_OUT_OF_RANGE, GJK_OK},
        {1, -0.5, GJK_OUT_OF_RANGE, GJK_OUT_OF_RANGE},
        {1, -0x1p-1074, GJK_OUT_OF_RANGE, GJK_OUT_OF_RANGE},
        {MAX, 0, GJK_OK, GJK_OK},
        {MAX, MAX, GJK_OUT_OF_RANGE, GJK_OK},
        {MAX * 1.0000001, 0, GJK_OUT_OF_RANGE, GJK_OK},
        {1, MAX * 1.0000001, GJK_OUT_OF_RANGE, GJK_OUT_OF_RANGE},
        {INFINITY, 0, GJK_NOT_FINITE, GJK_OK},
        {(double)NAN, 0, GJK_NOT_FINITE, GJK_OK},
        {1, INFINITY, GJK_NOT_FINITE, GJK_NOT_FINITE},
        {1, (double)NAN, GJK_NOT_FINITE, GJK_NOT_FINITE},
    };
    recipe r = good[_i];
    bool has_radius = r.type == GJK_BALL || r.type == GJK_CAPSULE;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        r.radius = rows[i].radius;
        r.rounding = rows[i].rounding;
        gjk_shape s = {.count = 77};
        gjk_status expected = has_radius ? rows[i].status : rows[i].without_radius;
        ck_assert_int_eq(make_in(&arena, &r, &s), expected);
        ck_assert_int_eq(s.count == 77, expected != GJK_OK);
    }
}

TEST(half_extents_are_checked) {
    static const struct {
        double value;
        gjk_status status;
    } rows[] = {{0, GJK_OK},
                {MAX, GJK_OK},
                {-0x1p-1074, GJK_OUT_OF_RANGE},
                {-1, GJK_OUT_OF_RANGE},
                {MAX * 1.0000001, GJK_OUT_OF_RANGE},
                {-INFINITY, GJK_NOT_FINITE},
                {(double)NAN, GJK_NOT_FINITE}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double v = rows[i].value;
        gjk_shape s;
        const gjk_vec3 halves[] = {{v, 1, 1}, {1, v, 1}, {1, 1, v}};
        for (int k = 0; k < 3; k++) {
            ck_assert_int_eq(gjk_shape_make_box(&arena, 3, halves[k], 0, &s), rows[i].status);
            ck_assert_int_eq(gjk_shape_make_box(&arena, 2, halves[k], 0, &s),
                             k == 2 ? GJK_OK : rows[i].status);
        }
    }
}

/* Extremes of the range: extents neither overflow nor vanish. */
TEST(huge_and_tiny_shapes_are_measured_right) {
    static const double units[] = {MAX, 1e-150, 1e-300, 0x1p-1060};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        double u = units[i];
        gjk_shape s;
        ck_assert_int_eq(gjk_shape_make_box(&arena, 3, (gjk_vec3){u, u / 2, u / 4}, 0, &s), GJK_OK);
        ck_assert(s.size == 2 * u && s.half_extents.x == u);
        ck_assert(s.bounding_radius >= u * 1.1456439237389600 &&
                  s.bounding_radius <= u * 1.1456439237389620 + 0x1p-1073);
        const gjk_vec3 ends[2] = {{u, u, u}, {-u, -u, -u}};
        ck_assert_int_eq(gjk_shape_make_capsule(&arena, 3, ends, u, 0, &s), GJK_OK);
        ck_assert(s.size == 4 * u && isfinite(s.bounding_radius));
    }
}

/* With more bits than the library has: no point may stick out of the ball. */
TEST(the_ball_contains_every_point) {
    test_rng rng = test_rng_make(20);
    for (int i = 0; i < 5000; i++) {
        gjk_shape s;
        gjk_vec3 p[8];
        gjk_vec3 away = gjk_scale3(test_rng_magnitude(&rng, -2, 3), test_rng_direction(&rng, 3));
        for (int k = 0; k < 8; k++) {
            p[k] = gjk_add3(away, test_rng_direction(&rng, 3));
        }
        double rounding = i % 2 == 0 ? 0 : test_rng_magnitude(&rng, -5, 2);
        ck_assert_int_eq(gjk_shape_make_hull(&arena, 3, p, 8, rounding, &s), GJK_OK);
        long double reach = 0;
        for (uint32_t k = 0; k < s.count; k++) {
            gjk_vec3 q = gjk_shape_point(&s, k);
            long double x = (long double)q.x - s.center.x, y = (long double)q.y - s.center.y;
            long double z = (long double)q.z - s.center.z;
            reach = fmaxl(reach, sqrtl(x * x + y * y + z * z));
        }
        ck_assert(s.bounding_radius >= reach + rounding);
        gjk_arena_reset(&arena);
    }
}

/* The most points that a shape may have, one less and one more. */
TEST(the_number_of_points_is_bounded) {
    const uint32_t max = GJK_POINTS_MAX;
    gjk_vec3 *p = calloc(max + 1, sizeof *p);
    gjk_vec2 *flat = calloc(max + 1, sizeof *flat);
    ck_assert(p != NULL && flat != NULL);
    for (uint32_t i = 0; i <= max; i++) { /* a convex arc, exactly */
        flat[i] = (gjk_vec2){i, (double)i * i};
        p[i] = (gjk_vec3){i, (double)i * i, 0};
    }
    for (uint32_t n = max - 1; n <= max + 1; n++) {
        gjk_status expected = n <= max ? GJK_OK : GJK_TOO_MANY_POINTS;
        uint32_t bad = 7;
        gjk_shape hull = {.count = n}, polygon = {.count = n}, solid;
        ck_assert_int_eq(gjk_shape_make_hull(&arena, 2, p, n, 0, &hull), expected);
        ck_assert_int_eq(gjk_shape_make_hull(&arena, 3, p, n, 0, &solid), expected);
        ck_assert_int_eq(gjk_shape_make_polygon(&arena, flat, n, 0, &bad, &polygon), expected);
        ck_assert(bad == 7 && hull.count == n && polygon.count == n);
    }
    free(p);
    free(flat);
}

TEST(too_few_points) {
    uint32_t bad = 7;
    gjk_shape s;
    const gjk_vec2 p[3] = {{0, 0}, {1, 0}, {0, 1}};
    for (uint32_t n = 0; n < 3; n++) {
        ck_assert_int_eq(gjk_shape_make_polygon(&arena, p, n, 0, &bad, &s), GJK_TOO_FEW_POINTS);
    }
    ck_assert_int_eq(gjk_shape_make_polygon(&arena, p, 3, 0, &bad, &s), GJK_OK);
    ck_assert_int_eq(gjk_shape_make_hull(&arena, 2, NULL, 0, 0, &s), GJK_TOO_FEW_POINTS);
    ck_assert_int_eq(gjk_shape_make_hull(&arena, 3, NULL, 0, 0, &s), GJK_TOO_FEW_POINTS);
    ck_assert_uint_eq(bad, 7);
}

/* Each allocation fails in turn, of the arena's chunks and of the scratch memory. */
TEST_EACH(every_failing_malloc_is_noticed, 0, GOOD) {
    bool succeeded = false;
    for (unsigned n = 0; !succeeded; n++) {
        struct gjk_arena small;
        gjk_shape s = {.count = 77};
        gjk_arena_init(&small, 0);
        test_malloc_fail(n);
        gjk_status status = make_in(&small, &good[_i], &s);
        bool failed = test_malloc_restore();
        ck_assert_int_eq(status, failed ? GJK_OUT_OF_MEMORY : GJK_OK);
        ck_assert_int_eq(s.count == 77, failed);
        gjk_arena_fini(&small);
        succeeded = !failed;
        ck_assert_uint_lt(n, 50);
        ck_assert(n > 0 || failed || s.columns == gjk_origin_columns);
    }
}

TEST_EACH(the_limit_of_the_arena_is_noticed, 0, GOOD) {
    bool succeeded = false;
    for (size_t limit = 16; !succeeded; limit += 16) {
        struct gjk_arena small;
        gjk_shape s = {.count = 77};
        gjk_arena_init(&small, limit);
        gjk_status status = make_in(&small, &good[_i], &s);
        succeeded = status == GJK_OK;
        ck_assert(succeeded || status == GJK_OUT_OF_MEMORY);
        ck_assert_int_eq(s.count == 77, !succeeded);
        /* Nothing but the columns stays in the caller's arena. */
        const size_t kept =
            s.columns == gjk_origin_columns ? 0 : s.column_count * s.stride * sizeof(double);
        ck_assert(!succeeded || small.used_bytes == kept);
        gjk_arena_fini(&small);
        ck_assert_uint_lt(limit, 1000);
    }
}

static gjk_pose random_pose(test_rng *rng, uint32_t dimension, double distance) {
    gjk_pose pose;
    gjk_vec3 position = gjk_scale3(distance, test_rng_direction(rng, dimension));
    gjk_status status = dimension == 2
                            ? gjk_pose_make2(gjk_xy(position), test_rng_uniform(rng, -4, 4), &pose)
                            : gjk_pose_make3(position, test_rng_rotation(rng), &pose);
    ck_assert_int_eq(status, GJK_OK);
    return pose;
}

/* Contains every point pushed out by the radius, and hardly more. */
static void check_bounds(const gjk_shape *s, const gjk_pose *pose, double distance) {
    const gjk_placed placed = {s, *pose};
    gjk_bounds b = gjk_placed_bounds(&placed);
    long double low[3] = {INFINITY, INFINITY, INFINITY}, high[3];
    const gjk_vec3 rows[3] = {pose->rotation.r0, pose->rotation.r1, pose->rotation.r2};
    const double offset[3] = {pose->position.x, pose->position.y, pose->position.z};
    const double min[3] = {b.min.x, b.min.y, b.min.z}, max[3] = {b.max.x, b.max.y, b.max.z};
    const double slack = 1e-14 * (distance + s->size + gjk_length3(s->center)) + 1e-300;

    for (uint32_t axis = 0; axis < s->dimension; axis++) {
        high[axis] = -INFINITY;
        for (uint32_t i = 0; i < s->count; i++) {
            gjk_vec3 p = gjk_shape_point(s, i);
            long double x = (long double)rows[axis].x * p.x + (long double)rows[axis].y * p.y +
                            (long double)rows[axis].z * p.z + offset[axis];
            low[axis] = fminl(low[axis], x - s->radius);
            high[axis] = fmaxl(high[axis], x + s->radius);
        }
        ck_assert(min[axis] <= low[axis] && max[axis] >= high[axis]);
        ck_assert(min[axis] >= low[axis] - slack && max[axis] <= high[axis] + slack);
    }
    if (s->dimension == 2) {
        ck_assert(b.min.z == 0 && b.max.z == 0);
    }
}

TEST_EACH(placed_bounds_contain_the_shape_tightly, 0, GOOD) {
    test_rng rng = test_rng_make(17 + (uint64_t)_i);
    gjk_shape s = make(&good[_i]);
    for (int i = 0; i < 300; i++) {
        double distance = i % 3 == 0 ? 0 : test_rng_magnitude(&rng, -3, 12);
        gjk_pose pose = random_pose(&rng, s.dimension, distance);
        check_bounds(&s, &pose, distance);
    }
}
