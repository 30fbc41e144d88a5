/*
 * Which pairs do solvers get wrong? One generator each: see the table at the end.
 * Sources of the ideas: bug reports of other libraries about features that touch,
 * faces that are parallel, shapes that are thin, far, tiny, equal or degenerate.
 */

#include "families.h"

#include "gjk/pair.h"
#include "reference.h"

static const gjk_vec3 UNIT_CUBE = {1, 1, 1};

static test_body random_hull(test_rng *rng, uint32_t dimension, gjk_vec3 half) {
    uint32_t least = dimension + 1, more = dimension == 2 ? 8 : 5;
    return test_random_hull(rng, dimension, least + test_rng_below(rng, more), half);
}

static gjk_vec3 random_vec(test_rng *rng, uint32_t dimension, double reach) {
    return (gjk_vec3){test_rng_uniform(rng, -reach, reach), test_rng_uniform(rng, -reach, reach),
                      dimension == 3 ? test_rng_uniform(rng, -reach, reach) : 0.0};
}

static void turn_both(test_rng *rng, test_pair *p) {
    test_turn_randomly(rng, &p->a);
    test_turn_randomly(rng, &p->b);
}

static void any(test_rng *rng, uint32_t dimension, struct gjk_arena *arena, test_pair *p) {
    test_random_pair(rng, dimension, arena, p);
}

static void hulls(test_rng *rng, uint32_t dimension, struct gjk_arena *arena, test_pair *p) {
    (void)arena;
    p->a = random_hull(rng, dimension, UNIT_CUBE);
    p->b = random_hull(rng, dimension, UNIT_CUBE);
    turn_both(rng, p);
    p->b.position = random_vec(rng, dimension, 1.5);
}

/* More points than the other families have, so that EPA has something to expand. */
static void large_hulls(test_rng *rng, uint32_t dimension, struct gjk_arena *arena, test_pair *p) {
    (void)arena;
    uint32_t most = dimension == 2 ? 60 : 16;
    p->a = test_random_hull(rng, dimension, most, UNIT_CUBE);
    p->b = test_random_hull(rng, dimension, most - test_rng_below(rng, 8), UNIT_CUBE);
    turn_both(rng, p);
    p->b.position = random_vec(rng, dimension, 1.0);
}

void test_set_gap(test_pair *p, double gap) {
    test_truth truth = test_reference(&p->a, &p->b);
    quad3 step = quad3_scale((quad)gap - truth.signed_distance, truth.normal);
    p->b.position = quad3_round(quad3_add(quad3_of(p->b.position), step));
    test_body_place(&p->b);
}

/* A gap or an overlap of 1e-3 to 1e-14 of the size, along the exact normal. */
static void near_touching(test_rng *rng, uint32_t dimension, struct gjk_arena *arena,
                          test_pair *p) {
    hulls(rng, dimension, arena, p);
    if (test_rng_once_in(rng, 3)) {
        test_random_pair(rng, dimension, arena, p);
    }
    test_pair_build(p, arena);
    double gap = test_rng_magnitude(rng, -14, -3);
    test_set_gap(p, test_rng_once_in(rng, 2) ? gap : -gap);
}

/* Two boxes, or hulls with a common face direction, turned alike or by quarter turns. */
static void parallel_faces(test_rng *rng, uint32_t dimension, struct gjk_arena *arena,
                           test_pair *p) {
    (void)arena;
    gjk_vec3 h = random_vec(rng, dimension, 1), k = random_vec(rng, dimension, 1);
    p->a = test_body_box(dimension, (gjk_vec3){fabs(h.x), fabs(h.y), fabs(h.z)});
    p->b = test_body_box(dimension, (gjk_vec3){fabs(k.x), fabs(k.y), fabs(k.z)});
    test_turn_randomly(rng, &p->a);
    p->b.angle = p->a.angle;
    p->b.orientation = p->a.orientation;
    p->b.position = random_vec(rng, dimension, 2.0);
}

/* Axis-aligned boxes from few sizes at few places: exactly touching faces, edges, corners. */
static void equal_boxes(test_rng *rng, uint32_t dimension, struct gjk_arena *arena, test_pair *p) {
    (void)arena;
    double size = test_rng_once_in(rng, 2) ? 1.0 : 0.1;
    gjk_vec3 half = {size, size, size};
    p->a = test_body_box(dimension, half);
    p->b = test_body_box(dimension, half);
    gjk_vec3 at = {size * test_rng_integer(rng, -2, 2), size * test_rng_integer(rng, -2, 2),
                   dimension == 3 ? size * test_rng_integer(rng, -2, 2) : 0.0};
    p->b.position = at;
}

/* Points with small whole coordinates: collinear, coplanar, coincident, touching exactly. */
static test_body grid_body(test_rng *rng, uint32_t dimension, int reach) {
    gjk_vec3 points[10];
    uint32_t count = 1 + test_rng_below(rng, dimension == 2 ? 10 : 8);
    for (uint32_t i = 0; i < count; i++) {
        points[i] =
            (gjk_vec3){test_rng_integer(rng, -reach, reach), test_rng_integer(rng, -reach, reach),
                       dimension == 3 ? test_rng_integer(rng, -reach, reach) : 0.0};
    }
    return test_body_cloud(GJK_HULL, dimension, points, count);
}

static void grid(test_rng *rng, uint32_t dimension, struct gjk_arena *arena, test_pair *p) {
    (void)arena;
    int reach = test_rng_integer(rng, 1, 4);
    p->a = grid_body(rng, dimension, reach);
    p->b = grid_body(rng, dimension, reach);
    p->b.position =
        (gjk_vec3){test_rng_integer(rng, -reach, reach), test_rng_integer(rng, -reach, reach),
                   dimension == 3 ? test_rng_integer(rng, -reach, reach) : 0.0};
    if (test_rng_once_in(rng, 4)) { /* quarter turns keep the grid, up to sine and cosine */
        p->b.angle = 1.5707963267948966 * test_rng_integer(rng, -4, 4);
        p->b.orientation =
            test_rng_once_in(rng, 2) ? (gjk_quat){1, 0, 0, 0} : (gjk_quat){0.5, 0.5, 0.5, 0.5};
    }
}

/* The same shape twice, in one place, or moved so that it shares a vertex with itself. */
static void identical(test_rng *rng, uint32_t dimension, struct gjk_arena *arena, test_pair *p) {
    (void)arena;
    p->a = random_hull(rng, dimension, UNIT_CUBE);
    test_turn_randomly(rng, &p->a);
    p->b = p->a;
    if (test_rng_once_in(rng, 2)) {
        uint32_t i = test_rng_below(rng, p->a.count), k = test_rng_below(rng, p->a.count);
        p->b.position =
            quad3_round(quad3_sub(test_body_world_point(&p->a, i, (gjk_vec3){0, 0, 0}),
                                  test_body_world_point(&p->a, k, (gjk_vec3){0, 0, 0})));
    }
}

/* Different shapes that hold some points in common, exactly. */
static void shared_points(test_rng *rng, uint32_t dimension, struct gjk_arena *arena,
                          test_pair *p) {
    (void)arena;
    p->a = random_hull(rng, dimension, UNIT_CUBE);
    p->b = random_hull(rng, dimension, UNIT_CUBE);
    uint32_t shared = 1 + test_rng_below(rng, dimension);
    for (uint32_t i = 0; i < shared; i++) {
        p->b.point[i] = p->a.point[i];
    }
    if (test_rng_once_in(rng, 2)) {
        test_turn_randomly(rng, &p->a);
        p->b.angle = p->a.angle;
        p->b.orientation = p->a.orientation;
    }
}

/* Symmetric shapes about one centre. */
static void same_center(test_rng *rng, uint32_t dimension, struct gjk_arena *arena, test_pair *p) {
    (void)arena;
    gjk_vec3 h = random_vec(rng, dimension, 1), k = random_vec(rng, dimension, 1);
    p->a = test_body_box(dimension, (gjk_vec3){fabs(h.x), fabs(h.y), fabs(h.z)});
    p->b = test_body_box(dimension, (gjk_vec3){fabs(k.x), fabs(k.y), fabs(k.z)});
    if (test_rng_once_in(rng, 3)) {
        p->b = test_body_segment(dimension, k, gjk_neg3(k), 0.0);
    }
    if (!test_rng_once_in(rng, 3)) {
        turn_both(rng, p);
    }
}

/* Flat things in one plane (one line in 2D) or in parallel ones. */
static void flat(test_rng *rng, uint32_t dimension, struct gjk_arena *arena, test_pair *p) {
    (void)arena;
    const gjk_vec3 sheet = dimension == 3 ? (gjk_vec3){1, 1, 0} : (gjk_vec3){1, 0, 0};
    p->a = test_random_hull(rng, dimension, 2 + test_rng_below(rng, 4), sheet);
    p->b = test_random_hull(rng, dimension, 2 + test_rng_below(rng, 4), sheet);
    if (test_rng_once_in(rng, 2)) {
        test_turn_randomly(rng, &p->a);
        p->b.angle = p->a.angle;
        p->b.orientation = p->a.orientation;
    } else {
        p->b.position = (gjk_vec3){test_rng_uniform(rng, -1, 1),
                                   dimension == 3 ? test_rng_uniform(rng, -1, 1) : 0.0, 0};
        double off = test_rng_once_in(rng, 2) ? 0.0 : test_rng_magnitude(rng, -14, 0);
        *(dimension == 3 ? &p->b.position.z : &p->b.position.y) = off;
    }
}

/* Flat against full. */
static void flat_and_full(test_rng *rng, uint32_t dimension, struct gjk_arena *arena,
                          test_pair *p) {
    (void)arena;
    gjk_vec3 sheet = {1, test_rng_once_in(rng, 2) ? 0.0 : test_rng_magnitude(rng, -17, -10), 1};
    p->a = test_random_hull(rng, dimension, 2 + test_rng_below(rng, 4), sheet);
    p->b = random_hull(rng, dimension, UNIT_CUBE);
    turn_both(rng, p);
    p->b.position = random_vec(rng, dimension, 1.0);
}

static void segments(test_rng *rng, uint32_t dimension, struct gjk_arena *arena, test_pair *p) {
    (void)arena;
    gjk_vec3 d = test_rng_direction(rng, dimension);
    double t[4];
    for (int i = 0; i < 4; i++) {
        t[i] =
            test_rng_once_in(rng, 4) ? test_rng_integer(rng, -1, 1) : test_rng_uniform(rng, -2, 2);
    }
    p->a = test_body_segment(dimension, gjk_scale3(t[0], d), gjk_scale3(t[1], d), 0.0);
    p->b = test_body_segment(dimension, gjk_scale3(t[2], d), gjk_scale3(t[3], d),
                             test_rng_once_in(rng, 4) ? 0.1 : 0.0);
    if (test_rng_once_in(rng, 2)) {
        p->b.position =
            gjk_scale3(test_rng_magnitude(rng, -14, 0), test_rng_direction(rng, dimension));
    }
    if (test_rng_once_in(rng, 3)) {
        turn_both(rng, p);
    }
}

/* Needles: length 1, the rest down to 1e-7 of it. */
static void needles(test_rng *rng, uint32_t dimension, struct gjk_arena *arena, test_pair *p) {
    gjk_vec3 thin = {1, test_rng_magnitude(rng, -7, -2), test_rng_magnitude(rng, -7, -2)};
    gjk_vec3 other = {1, test_rng_magnitude(rng, -7, 0), test_rng_magnitude(rng, -7, -2)};
    p->a = random_hull(rng, dimension, thin);
    p->b = random_hull(rng, dimension, other);
    turn_both(rng, p);
    p->b.position = random_vec(rng, dimension, 0.5);
    if (test_rng_once_in(rng, 2)) {
        test_pair_build(p, arena);
        double gap = test_rng_magnitude(rng, -12, -3);
        test_set_gap(p, test_rng_once_in(rng, 2) ? gap : -gap);
    }
}

/* Thin triangles and nearly flat hulls, thickness 1e-16 to 1e-6. */
static void slivers(test_rng *rng, uint32_t dimension, struct gjk_arena *arena, test_pair *p) {
    hulls(rng, dimension, arena, p);
    double thickness = test_rng_magnitude(rng, -16, -6);
    for (uint32_t i = 0; i < p->a.count; i++) {
        *(dimension == 3 ? &p->a.point[i].z : &p->a.point[i].y) *= thickness;
    }
    if (test_rng_once_in(rng, 2)) {
        for (uint32_t i = 0; i < p->b.count; i++) {
            p->b.point[i].x *= thickness;
        }
    }
    if (test_rng_once_in(rng, 2)) {
        p->b.orientation = p->a.orientation;
        p->b.angle = p->a.angle;
    }
    p->b.position = random_vec(rng, dimension, 0.3);
}

static void size_ratio(test_rng *rng, uint32_t dimension, struct gjk_arena *arena, test_pair *p) {
    double small = test_rng_magnitude(rng, -6, -2);
    p->a = random_hull(rng, dimension, UNIT_CUBE);
    p->b = random_hull(rng, dimension, (gjk_vec3){small, small, small});
    turn_both(rng, p);
    p->b.position = random_vec(rng, dimension, 1.0);
    if (test_rng_once_in(rng, 2)) {
        test_pair_build(p, arena);
        test_set_gap(p, small * test_rng_uniform(rng, -1, 1));
    }
}

/* Points given twice, or twice but for the last bit. */
static void duplicates(test_rng *rng, uint32_t dimension, struct gjk_arena *arena, test_pair *p) {
    hulls(rng, dimension, arena, p);
    for (uint32_t i = 0; i + 1 < p->a.count; i += 2) {
        p->a.point[i + 1] = p->a.point[i];
        if (test_rng_once_in(rng, 2)) {
            p->a.point[i + 1].x = nextafter(p->a.point[i].x, 9);
        }
    }
    p->b.point[p->b.count - 1] = p->b.point[0];
}

/* Both far from the world's origin, near each other. */
static void far_away(test_rng *rng, uint32_t dimension, struct gjk_arena *arena, test_pair *p) {
    near_touching(rng, dimension, arena, p);
    if (test_rng_once_in(rng, 2)) {
        hulls(rng, dimension, arena, p);
    }
    double far = test_rng_magnitude(rng, 6, 9);
    gjk_vec3 offset = gjk_scale3(far, test_rng_direction(rng, dimension));
    gjk_vec3 between = gjk_sub3(p->b.position, p->a.position);
    p->a.position = offset;
    p->b.position = gjk_add3(offset, between);
}

/* Far from each other. */
static void far_apart(test_rng *rng, uint32_t dimension, struct gjk_arena *arena, test_pair *p) {
    hulls(rng, dimension, arena, p);
    double far = test_rng_magnitude(rng, 1, 9);
    p->b.position = gjk_scale3(far, test_rng_direction(rng, dimension));
}

/* Vertices far from the own origin, as when all poses are the identity. */
static void off_center(test_rng *rng, uint32_t dimension, struct gjk_arena *arena, test_pair *p) {
    hulls(rng, dimension, arena, p);
    double far = test_rng_magnitude(rng, 1, 7);
    gjk_vec3 offset = gjk_scale3(far, test_rng_direction(rng, dimension));
    for (uint32_t i = 0; i < p->a.count; i++) {
        p->a.point[i] = gjk_add3(p->a.point[i], offset);
    }
    for (uint32_t i = 0; i < p->b.count; i++) {
        p->b.point[i] = gjk_add3(p->b.point[i], gjk_add3(offset, p->b.position));
    }
    p->a.angle = p->b.angle = 0;
    p->a.orientation = p->b.orientation = (gjk_quat){0, 0, 0, 1};
    p->b.position = (gjk_vec3){0, 0, 0};
}

/* Moves the points of a body in its own frame, as far as their doubles tell, and poses it back. */
static void put_far_out(test_rng *rng, test_body *body, double far) {
    const gjk_vec3 offset = gjk_scale3(far, test_rng_direction(rng, body->dimension));
    for (uint32_t i = 0; i < body->count; i++) {
        body->point[i] = gjk_add3(body->point[i], offset);
    }
    const quad3 moved = body->dimension == 2 ? quad3_turn2(body->angle, offset)
                                             : quad3_turn3(body->orientation, offset);
    body->position = quad3_round(quad3_sub(quad3_of(body->position), moved));
}

static bool is_movable(const test_body *body) {
    return body->type != GJK_BOX && body->type != GJK_BALL && body->type != GJK_POINT;
}

/* Such a pair has no size, which errors could be measured by. */
static bool is_one_point(const test_body *body) {
    return body->count == 1 && test_body_radius(body) == 0.0;
}

/* Geometry 1 to 1e12 of its sizes from its own origin, posed back near the other shape, and nearly
 * touching it, or as far apart or deep as the tolerance where the other's place allows it. */
static void far_out(test_rng *rng, uint32_t dimension, struct gjk_arena *arena, test_pair *p) {
    do {
        any(rng, dimension, arena, p);
        turn_both(rng, p);
    } while (!is_movable(&p->a) || is_one_point(&p->a) || is_one_point(&p->b));
    if (test_rng_once_in(rng, 4)) {
        p->a.angle = 0;
        p->a.orientation = (gjk_quat){0, 0, 0, 1};
    }
    put_far_out(rng, &p->a, test_rng_magnitude(rng, 0, 12));
    if (test_rng_once_in(rng, 4) && is_movable(&p->b)) {
        put_far_out(rng, &p->b, test_rng_magnitude(rng, 0, 12));
    }
    test_pair_build(p, arena);
    if (test_rng_once_in(rng, 5)) {
        return;
    }
    const double size = fmax(p->a.shape.size, p->b.shape.size);
    const double edge = GJK_TOLERANCE_DEFAULT * size;
    const double gap = test_rng_once_in(rng, 3) ? edge : size * test_rng_magnitude(rng, -15, -3);
    test_set_gap(p, test_rng_once_in(rng, 2) ? gap : -gap);
}

/* Map coordinates: own frames that are the world's, with geometry far out in it. */
static void map(test_rng *rng, uint32_t dimension, struct gjk_arena *arena, test_pair *p) {
    do {
        any(rng, dimension, arena, p);
    } while (!is_movable(&p->a) || !is_movable(&p->b));
    const gjk_vec3 offset =
        gjk_scale3(test_rng_magnitude(rng, 0, 12), test_rng_direction(rng, dimension));
    for (uint32_t i = 0; i < p->a.count; i++) {
        p->a.point[i] = gjk_add3(p->a.point[i], offset);
    }
    for (uint32_t i = 0; i < p->b.count; i++) {
        p->b.point[i] = gjk_add3(p->b.point[i], gjk_add3(offset, p->b.position));
    }
    p->b.position = p->a.position = (gjk_vec3){0, 0, 0};
    p->b.angle = p->a.angle;
    p->b.orientation = p->a.orientation;
}

static void scale_body(test_body *body, double factor) {
    for (uint32_t i = 0; i < body->count; i++) {
        body->point[i] = gjk_scale3(factor, body->point[i]);
    }
    body->radius *= factor;
    body->rounding *= factor;
    body->position = gjk_scale3(factor, body->position);
}

/* Any of the ordinary and the grid pairs, in other units. */
static void rescaled(test_rng *rng, uint32_t dimension, struct gjk_arena *arena, test_pair *p,
                     double factor) {
    if (test_rng_once_in(rng, 3)) {
        grid(rng, dimension, arena, p);
    } else if (test_rng_once_in(rng, 2)) {
        near_touching(rng, dimension, arena, p);
    } else {
        any(rng, dimension, arena, p);
    }
    scale_body(&p->a, factor);
    scale_body(&p->b, factor);
}

static void tiny(test_rng *rng, uint32_t dimension, struct gjk_arena *arena, test_pair *p) {
    rescaled(rng, dimension, arena, p,
             test_rng_once_in(rng, 2) ? 1e-100 : test_rng_magnitude(rng, -200, -3));
}

static void huge(test_rng *rng, uint32_t dimension, struct gjk_arena *arena, test_pair *p) {
    rescaled(rng, dimension, arena, p,
             test_rng_once_in(rng, 2) ? 1e100 : test_rng_magnitude(rng, 3, 140));
}

const test_family test_families[] = {
    {"any", any, 3000},
    {"hulls", hulls, 2000},
    {"large hulls", large_hulls, 80},
    {"near touching", near_touching, 4000},
    {"parallel faces", parallel_faces, 1000},
    {"equal boxes", equal_boxes, 300},
    {"grid", grid, 4000},
    {"identical", identical, 1000},
    {"shared points", shared_points, 1500},
    {"same center", same_center, 1000},
    {"flat", flat, 1500},
    {"flat and full", flat_and_full, 1000},
    {"segments", segments, 1500},
    {"needles", needles, 1500},
    {"slivers", slivers, 1500},
    {"size ratio", size_ratio, 1500},
    {"duplicates", duplicates, 700},
    {"far away", far_away, 1500},
    {"far apart", far_apart, 700},
    {"off center", off_center, 700},
    {"far out", far_out, 4000},
    {"map", map, 1000},
    {"tiny", tiny, 1500},
    {"huge", huge, 1500},
};
const uint32_t test_family_count = sizeof test_families / sizeof test_families[0];
