/*
 * Depths of shapes of many pieces, compared with references that are found in other ways. In 2D the
 * union of all Minkowski differences is made by GEOS, where it is installed; in 3D the ways out of
 * balls, and of boxes in one frame, are enumerated. GJKD_FACTOR: how many times as many; 50 makes
 * more than 100,000.
 */

#include "gjk/pair.h"
#include "gjk/pieces.h"
#include "support/rng.h"
#include "support/test.h"

#include <math.h>
#ifdef TEST_GEOS
#include <geos_c.h>
#endif

#define PARTS 8
#define CASES(count) (int)(TEST_CASES(count) * test_factor())

TEST_ARENA(arena)

/* --- What must hold --- */

typedef struct depth_tally {
    int overlapping, converged;
} depth_tally;

/* The truth is between these. */
typedef struct truth {
    double least, most;
} truth;

static gjk_detect_result detect_after(const gjk_placed *a, const gjk_placed *b, gjk_vec3 move) {
    const gjk_detect_settings settings = gjk_detect_settings_default();
    gjk_placed moved = *b;
    moved.pose.position = gjk_add3(b->pose.position, move);
    return gjk_detect(a, &moved, &settings);
}

static void check_depth(const gjk_placed *a, const gjk_placed *b, truth way_out,
                        depth_tally *tally) {
    const double size = fmax(a->shape->size, b->shape->size), slack = 1e-9 * size;
    const gjk_detect_result deep = detect_after(a, b, (gjk_vec3){0, 0, 0});
    if (way_out.least <= slack) {
        return; /* they are apart, or nearly so */
    }
    ck_assert_int_eq(deep.state, GJK_OVERLAPPING);
    ck_assert_double_le(deep.depth_lower_bound, way_out.most + slack);
    ck_assert_double_ge(deep.depth, way_out.least - slack);
    if (deep.convergence == GJK_CONVERGED) {
        ck_assert_double_le(deep.depth, way_out.most + slack);
    }
    ck_assert_int_eq(detect_after(a, b, gjk_scale3(deep.depth, deep.normal)).state, GJK_TOUCHING);
    tally->overlapping++;
    tally->converged += deep.convergence == GJK_CONVERGED;
}

static void make_compound(uint32_t dimension, const gjk_shape *shapes, const gjk_vec3 *places,
                          uint32_t count, gjk_shape *out) {
    gjk_placed parts[PARTS];
    for (uint32_t i = 0; i < count; i++) {
        parts[i] = (gjk_placed){&shapes[i], gjk_pose_identity()};
        parts[i].pose.position = places[i];
    }
    ck_assert_int_eq(gjk_shape_make_compound(&arena, dimension, parts, count, out), GJK_OK);
}

/* Both shapes at one pose. */
static void place_both(test_rng *rng, const gjk_shape *first, const gjk_shape *second,
                       gjk_placed *a, gjk_placed *b) {
    const gjk_vec3 at = {test_rng_uniform(rng, -3, 3), test_rng_uniform(rng, -3, 3),
                         test_rng_uniform(rng, -3, 3)};
    const gjk_quat turn =
        test_rng_once_in(rng, 2) ? test_rng_rotation(rng) : (gjk_quat){0, 0, 0, 1};
    *a = (gjk_placed){.shape = first};
    *b = (gjk_placed){.shape = second};
    ck_assert_int_eq(gjk_pose_make3(at, turn, &a->pose), GJK_OK);
    b->pose = a->pose;
}

static gjk_vec3 anywhere(test_rng *rng, double far) {
    return (gjk_vec3){test_rng_uniform(rng, -far, far), test_rng_uniform(rng, -far, far),
                      test_rng_uniform(rng, -far, far)};
}

/* --- Balls --- */

#define ROUNDING 1e-11 /* of a place where spheres meet */

typedef struct ball {
    gjk_vec3 center;
    double radius;
} ball;

static bool is_out_of(const ball *balls, uint32_t count, gjk_vec3 t, double slack) {
    for (uint32_t i = 0; i < count; i++) {
        if (gjk_length3(gjk_sub3(t, balls[i].center)) < balls[i].radius - slack) {
            return false;
        }
    }
    return true;
}

/* Shortens *least to a translation that is out of all balls. */
static void offer(const ball *balls, uint32_t count, gjk_vec3 t, double slack, double *least) {
    if (gjk_length3(t) < *least && is_out_of(balls, count, t, slack)) {
        *least = gjk_length3(t);
    }
}

/* Offers the point nearest to 0 of the circle where two spheres meet, and where a third meets it. */
static void offer_circle(const ball *balls, uint32_t count, uint32_t i, uint32_t k, double slack,
                         double *least) {
    const ball *p = &balls[i], *q = &balls[k];
    const gjk_vec3 between = gjk_sub3(q->center, p->center);
    const double apart = gjk_length3(between);
    const gjk_vec3 axis = gjk_scale3(1.0 / apart, between);
    const double along =
        (apart * apart + p->radius * p->radius - q->radius * q->radius) / (2.0 * apart);
    const double square = p->radius * p->radius - along * along;
    if (!(square > 0.0)) {
        return;
    }
    const double radius = sqrt(square);
    const gjk_vec3 middle = gjk_add3(p->center, gjk_scale3(along, axis));
    const gjk_vec3 back = gjk_neg3(middle);
    const gjk_vec3 in_plane = gjk_sub3(back, gjk_scale3(gjk_dot3(back, axis), axis));
    const gjk_vec3 x = gjk_scale3(1.0 / gjk_length3(in_plane), in_plane);
    const gjk_vec3 y = gjk_cross3(axis, x);
    offer(balls, count, gjk_add3(middle, gjk_scale3(radius, x)), slack, least);
    for (uint32_t m = 0; m < i; m++) {
        /* |middle + radius (cos x + sin y) - center| = radius of the third */
        const gjk_vec3 off = gjk_sub3(middle, balls[m].center);
        const double of_x = 2.0 * radius * gjk_dot3(off, x), of_y = 2.0 * radius * gjk_dot3(off, y);
        const double rest = balls[m].radius * balls[m].radius - gjk_dot3(off, off) - square;
        const double most = hypot(of_x, of_y), turn = atan2(of_y, of_x);
        for (int side = -1; fabs(rest) <= most && side <= 1; side += 2) {
            const double angle = turn + side * acos(rest / most);
            const gjk_vec3 on =
                gjk_add3(gjk_scale3(radius * cos(angle), x), gjk_scale3(radius * sin(angle), y));
            offer(balls, count, gjk_add3(middle, on), slack, least);
        }
    }
}

/* Returns the length of the shortest translation that is out of all balls, but for a slack. */
static double way_out_of_balls(const ball *balls, uint32_t count, double slack) {
    double least = INFINITY;
    offer(balls, count, (gjk_vec3){0, 0, 0}, slack, &least);
    for (uint32_t i = 0; i < count; i++) {
        const double far = gjk_length3(balls[i].center);
        offer(balls, count, gjk_scale3(1.0 - balls[i].radius / far, balls[i].center), slack,
              &least);
        for (uint32_t k = 0; k < count; k++) {
            if (k > i || k < i) {
                offer_circle(balls, count, i, k, slack, &least);
            }
        }
    }
    return least;
}

static uint32_t make_balls(test_rng *rng, uint32_t most, double far, ball *balls, gjk_shape *out) {
    gjk_shape shapes[PARTS];
    gjk_vec3 places[PARTS];
    const uint32_t count = 1 + test_rng_below(rng, most);
    for (uint32_t i = 0; i < count; i++) {
        balls[i] = (ball){anywhere(rng, far), test_rng_uniform(rng, 0.2, 1.0)};
        places[i] = balls[i].center;
        ck_assert_int_eq(gjk_shape_make_ball(&arena, 3, balls[i].radius, 0, &shapes[i]), GJK_OK);
    }
    make_compound(3, shapes, places, count, out);
    return count;
}

TEST(balls_part_as_their_spheres_say) {
    test_rng rng = test_rng_make(20280601);
    depth_tally tally = {0};
    for (int i = 0; i < CASES(1000); i++) {
        ball of_a[PARTS], of_b[PARTS], differences[PARTS * PARTS], wider[PARTS * PARTS];
        gjk_shape first, second;
        gjk_placed a, b;
        uint32_t count = 0;
        const uint32_t count_a = make_balls(&rng, PARTS, 1.0, of_a, &first);
        const uint32_t count_b = make_balls(&rng, 2, 0.5, of_b, &second);
        for (uint32_t k = 0; k < count_a * count_b; k++) {
            const ball *p = &of_a[k / count_b], *q = &of_b[k % count_b];
            differences[count] = (ball){gjk_sub3(p->center, q->center), p->radius + q->radius};
            wider[count] = differences[count];
            wider[count++].radius += 2.0 * ROUNDING;
        }
        place_both(&rng, &first, &second, &a, &b);
        check_depth(&a, &b,
                    (truth){way_out_of_balls(differences, count, ROUNDING),
                            way_out_of_balls(wider, count, ROUNDING)},
                    &tally);
        gjk_arena_reset(&arena);
    }
    ck_assert_int_ge(tally.overlapping, CASES(700));
    ck_assert_int_ge(1000 * tally.converged, 995 * tally.overlapping);
}

/* --- Boxes in one frame --- */

typedef struct box {
    double least[3], most[3];
} box;

static bool is_out_of_boxes(const box *boxes, uint32_t count, const double t[3]) {
    for (uint32_t i = 0; i < count; i++) {
        bool is_in = true;
        for (int axis = 0; axis < 3; axis++) {
            is_in &= t[axis] > boxes[i].least[axis] && t[axis] < boxes[i].most[axis];
        }
        if (is_in) {
            return false;
        }
    }
    return true;
}

/* Each coordinate of the shortest way out is 0 or that of a face. */
static double way_out_of_boxes(const box *boxes, uint32_t count) {
    double best = INFINITY, places[3][2 * PARTS * PARTS + 1];
    const uint32_t places_count = 2 * count + 1;
    for (int axis = 0; axis < 3; axis++) {
        places[axis][0] = 0.0;
        for (uint32_t i = 0; i < count; i++) {
            places[axis][2 * i + 1] = boxes[i].least[axis];
            places[axis][2 * i + 2] = boxes[i].most[axis];
        }
    }
    for (uint32_t i = 0; i < places_count * places_count * places_count; i++) {
        const double t[3] = {places[0][i % places_count],
                             places[1][i / places_count % places_count],
                             places[2][i / places_count / places_count]};
        const double length = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
        best = length < best && is_out_of_boxes(boxes, count, t) ? length : best;
    }
    return best;
}

static uint32_t make_boxes(test_rng *rng, uint32_t most, double far, box *boxes, gjk_shape *out) {
    gjk_shape shapes[PARTS];
    gjk_vec3 places[PARTS];
    const uint32_t count = 1 + test_rng_below(rng, most);
    for (uint32_t i = 0; i < count; i++) {
        const gjk_vec3 half = gjk_add3((gjk_vec3){0.6, 0.6, 0.6}, anywhere(rng, 0.4));
        const gjk_vec3 at = places[i] = anywhere(rng, far);
        boxes[i] = (box){{at.x - half.x, at.y - half.y, at.z - half.z},
                         {at.x + half.x, at.y + half.y, at.z + half.z}};
        ck_assert_int_eq(gjk_shape_make_box(&arena, 3, half, 0, &shapes[i]), GJK_OK);
    }
    make_compound(3, shapes, places, count, out);
    return count;
}

TEST(boxes_part_as_their_faces_say) {
    test_rng rng = test_rng_make(20280701);
    depth_tally tally = {0};
    for (int i = 0; i < CASES(1000); i++) {
        box of_a[PARTS], of_b[PARTS], differences[PARTS * PARTS];
        gjk_shape first, second;
        gjk_placed a, b;
        const uint32_t count_a = make_boxes(&rng, PARTS, 1.5, of_a, &first);
        const uint32_t count_b = make_boxes(&rng, 2, 0.5, of_b, &second);
        for (uint32_t k = 0; k < count_a * count_b; k++) {
            const box *p = &of_a[k / count_b], *q = &of_b[k % count_b];
            for (int axis = 0; axis < 3; axis++) {
                differences[k].least[axis] = p->least[axis] - q->most[axis];
                differences[k].most[axis] = p->most[axis] - q->least[axis];
            }
        }
        place_both(&rng, &first, &second, &a, &b);
        const double length = way_out_of_boxes(differences, count_a * count_b);
        check_depth(&a, &b, (truth){length, length}, &tally);
        gjk_arena_reset(&arena);
    }
    ck_assert_int_ge(tally.overlapping, CASES(600));
    ck_assert_int_ge(1000 * tally.converged, 999 * tally.overlapping);
}

/* --- In the plane --- */

#ifdef TEST_GEOS
#define CORNERS 5
#define QUARTER 64 /* sides of a quarter of a circle; a side may be half as long again */
#define WIDER (1.0 / cos(M_PI / (2 * QUARTER)))

typedef struct part {
    gjk_vec3 corners[CORNERS];
    uint32_t count;
    double radius;
} part;

static uint32_t make_parts(test_rng *rng, uint32_t most, double far, part *parts, gjk_shape *out) {
    gjk_shape shapes[PARTS];
    gjk_vec3 places[PARTS] = {{0, 0, 0}};
    const uint32_t count = 1 + test_rng_below(rng, most);
    for (uint32_t i = 0; i < count; i++) {
        const gjk_vec3 middle = anywhere(rng, far);
        parts[i].count = 1 + test_rng_below(rng, CORNERS);
        parts[i].radius = test_rng_once_in(rng, 3) ? test_rng_uniform(rng, 0.1, 0.5) : 0.0;
        for (uint32_t k = 0; k < parts[i].count; k++) {
            parts[i].corners[k] = gjk_add3(middle, anywhere(rng, 1.0));
            parts[i].corners[k].z = 0;
        }
        ck_assert_int_eq(gjk_shape_make_hull(&arena, 2, parts[i].corners, parts[i].count,
                                             parts[i].radius, &shapes[i]),
                         GJK_OK);
    }
    make_compound(2, shapes, places, count, out);
    return count;
}

/* The hull of all differences of corners, and what is around it; NULL: it is flat. wider: by as much
 * as the sides of a circle are within it, or 1. */
static GEOSGeometry *difference_of(GEOSContextHandle_t geos, const part *p, const part *q,
                                   double wider) {
    GEOSGeometry *points[CORNERS * CORNERS];
    for (uint32_t i = 0; i < p->count * q->count; i++) {
        const gjk_vec3 d = gjk_sub3(p->corners[i / q->count], q->corners[i % q->count]);
        points[i] = GEOSGeom_createPointFromXY_r(geos, d.x, d.y);
    }
    GEOSGeometry *all =
        GEOSGeom_createCollection_r(geos, GEOS_MULTIPOINT, points, p->count * q->count);
    GEOSGeometry *hull = GEOSConvexHull_r(geos, all);
    GEOSGeom_destroy_r(geos, all);
    const double radius = (p->radius + q->radius) * wider;
    if (radius > 0.0) {
        GEOSGeometry *round = GEOSBuffer_r(geos, hull, radius, QUARTER);
        GEOSGeom_destroy_r(geos, hull);
        return round;
    }
    if (GEOSGeomTypeId_r(geos, hull) != GEOS_POLYGON) {
        GEOSGeom_destroy_r(geos, hull);
        return NULL;
    }
    return hull;
}

/* Returns how far 0 is from the border of the union of all differences, in which it is; else 0. */
static double way_out_of_union(GEOSContextHandle_t geos, const part *of_a, uint32_t count_a,
                               const part *of_b, uint32_t count_b, double wider) {
    GEOSGeometry *differences[PARTS * PARTS];
    uint32_t count = 0;
    for (uint32_t k = 0; k < count_a * count_b; k++) {
        differences[count] = difference_of(geos, &of_a[k / count_b], &of_b[k % count_b], wider);
        count += differences[count] != NULL;
    }
    GEOSGeometry *all =
        GEOSGeom_createCollection_r(geos, GEOS_GEOMETRYCOLLECTION, differences, count);
    GEOSGeometry *whole = GEOSUnaryUnion_r(geos, all), *border = GEOSBoundary_r(geos, whole);
    GEOSGeometry *zero = GEOSGeom_createPointFromXY_r(geos, 0, 0);
    double length = 0.0;
    if (GEOSContains_r(geos, whole, zero) == 1) {
        ck_assert_int_eq(GEOSDistance_r(geos, border, zero, &length), 1);
    }
    GEOSGeom_destroy_r(geos, all);
    GEOSGeom_destroy_r(geos, whole);
    GEOSGeom_destroy_r(geos, border);
    GEOSGeom_destroy_r(geos, zero);
    return length;
}

TEST(parts_in_the_plane_part_as_their_union_says) {
    test_rng rng = test_rng_make(20280801);
    depth_tally tally = {0};
    GEOSContextHandle_t geos = GEOS_init_r();
    for (int i = 0; i < CASES(1000); i++) {
        part of_a[PARTS], of_b[PARTS];
        gjk_shape first, second;
        const uint32_t count_a = make_parts(&rng, PARTS, 1.5, of_a, &first);
        const uint32_t count_b = make_parts(&rng, 4, 0.75, of_b, &second);
        const gjk_placed a = {&first, gjk_pose_identity()}, b = {&second, gjk_pose_identity()};
        check_depth(&a, &b,
                    (truth){way_out_of_union(geos, of_a, count_a, of_b, count_b, 1.0),
                            way_out_of_union(geos, of_a, count_a, of_b, count_b, WIDER)},
                    &tally);
        gjk_arena_reset(&arena);
    }
    GEOS_finish_r(geos);
    ck_assert_int_ge(tally.overlapping, CASES(700));
    ck_assert_int_ge(1000 * tally.converged, 999 * tally.overlapping);
}
#endif
