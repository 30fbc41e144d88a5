/* Rows of pieces and where a ray leaves them: see exit_scene.h. */

#include "exit_scene.h"

#include "support/checks.h"

#include <stdio.h>

/* What is below this, of numbers about as large as the scene, is 0. */
#define NOTHING ((quad)1e-25)

/* --- Where a line is in a cell --- */

typedef struct own_ray {
    quad3 origin, direction;
} own_ray;

/* on_face: the line runs in the boundary. */
typedef struct part {
    quad from, to;
    bool on_face;
} part;

static quad magnitude(quad x) {
    return x < 0 ? -x : x;
}

/* Cuts the part to where gap + t * rate <= 0. False: nothing is left. */
static bool cut(part *p, quad gap, quad rate) {
    if (magnitude(rate) < NOTHING) {
        p->on_face = p->on_face || magnitude(gap) <= NOTHING;
        return gap <= NOTHING;
    }
    const quad t = -gap / rate;
    p->from = rate < 0 && t > p->from ? t : p->from;
    p->to = rate > 0 && t < p->to ? t : p->to;
    return p->from <= p->to + NOTHING;
}

static part whole_line(void) {
    return (part){-(quad)1e300, (quad)1e300, false};
}

static bool cross_box(const test_exit_cell *cell, uint32_t dimension, const own_ray *ray,
                      part *out) {
    const quad3 low = quad3_sub(ray->origin, quad3_of(cell->points[0]));
    const quad3 high = quad3_sub(ray->origin, quad3_of(cell->points[1])), d = ray->direction;
    *out = whole_line();
    return cut(out, -low.x, -d.x) && cut(out, high.x, d.x) && cut(out, -low.y, -d.y) &&
           cut(out, high.y, d.y) &&
           (dimension == 2 || (cut(out, -low.z, -d.z) && cut(out, high.z, d.z)));
}

/* A ball about the origin, for a direction of any length. */
static bool cross_round(quad3 origin, quad3 direction, quad radius, part *out) {
    const quad speed = quad3_dot(direction, direction);
    if (speed < NOTHING) {
        *out = whole_line();
        return quad3_dot(origin, origin) <= radius * radius;
    }
    const quad nearest = -quad3_dot(origin, direction) / speed;
    const quad3 foot = quad3_add(origin, quad3_scale(nearest, direction));
    const quad square = radius * radius - quad3_dot(foot, foot);
    if (square < 0) {
        return false;
    }
    const quad chord = quad_sqrt(square / speed);
    *out = (part){nearest - chord, nearest + chord, false};
    return true;
}

static void join(part *whole, bool *some, const part *one) {
    if (!*some) {
        *whole = *one;
    }
    *some = true;
    whole->from = one->from < whole->from ? one->from : whole->from;
    whole->to = one->to > whole->to ? one->to : whole->to;
}

static bool cross_capsule(const test_exit_cell *cell, const own_ray *ray, part *out) {
    const quad3 a = quad3_sub(ray->origin, quad3_of(cell->points[0]));
    const quad3 b = quad3_sub(ray->origin, quad3_of(cell->points[1]));
    const quad3 axis = quad3_sub(a, b), d = ray->direction;
    const quad square = quad3_dot(axis, axis);
    part one;
    bool some = false;
    if (cross_round(a, d, cell->radius, &one)) {
        join(out, &some, &one);
    }
    if (cross_round(b, d, cell->radius, &one)) {
        join(out, &some, &one);
    }
    if (square < NOTHING) {
        return some;
    }
    const quad3 off = quad3_sub(a, quad3_scale(quad3_dot(a, axis) / square, axis));
    const quad3 across = quad3_sub(d, quad3_scale(quad3_dot(d, axis) / square, axis));
    if (cross_round(off, across, cell->radius, &one) &&
        cut(&one, -quad3_dot(a, axis), -quad3_dot(d, axis)) &&
        cut(&one, quad3_dot(b, axis), quad3_dot(d, axis))) {
        join(out, &some, &one);
    }
    return some;
}

/* Of a flat polygon in its plane: to the left of all edges, seen along the normal. */
static bool cross_edges(const test_exit_cell *cell, quad3 normal, const own_ray *ray, part *out) {
    for (uint32_t i = 0; i < cell->count; i++) {
        const quad3 from = quad3_of(cell->points[i]);
        const quad3 edge = quad3_sub(quad3_of(cell->points[(i + 1) % cell->count]), from);
        const quad3 outward = quad3_cross(edge, normal);
        if (!cut(out, quad3_dot(outward, quad3_sub(ray->origin, from)),
                 quad3_dot(outward, ray->direction))) {
            return false;
        }
    }
    return true;
}

/* What the plane of that normal leaves of a flat cell. */
static bool cross_plane(const test_exit_cell *cell, quad3 normal, const own_ray *ray, part *out) {
    const quad gap = quad3_dot(normal, quad3_sub(ray->origin, quad3_of(cell->points[0])));
    const quad rate = quad3_dot(normal, ray->direction);
    *out = whole_line();
    if (magnitude(rate) < NOTHING) {
        return magnitude(gap) <= NOTHING;
    }
    out->from = out->to = -gap / rate;
    return true;
}

static bool cross_segment(const test_exit_cell *cell, const own_ray *ray, part *out) {
    const quad3 edge = quad3_sub(quad3_of(cell->points[1]), quad3_of(cell->points[0]));
    const quad3 normal = {-edge.y, edge.x, 0};
    return cross_plane(cell, normal, ray, out) &&
           cut(out, quad3_dot(edge, quad3_sub(ray->origin, quad3_of(cell->points[1]))),
               quad3_dot(edge, ray->direction)) &&
           cut(out, -quad3_dot(edge, quad3_sub(ray->origin, quad3_of(cell->points[0]))),
               -quad3_dot(edge, ray->direction));
}

static bool cross_cell(const test_exit_cell *cell, uint32_t dimension, const own_ray *ray,
                       part *out) {
    switch (cell->type) {
    case CELL_BOX:
        return cross_box(cell, dimension, ray, out);
    case CELL_CAPSULE:
        return cross_capsule(cell, ray, out);
    case CELL_POLYGON:
        *out = whole_line();
        return cell->count == 2 ? cross_segment(cell, ray, out)
                                : cross_edges(cell, (quad3){0, 0, 1}, ray, out);
    default: {
        const quad3 a = quad3_of(cell->points[0]);
        const quad3 normal = quad3_cross(quad3_sub(quad3_of(cell->points[1]), a),
                                         quad3_sub(quad3_of(cell->points[2]), a));
        return cross_plane(cell, normal, ray, out) && cross_edges(cell, normal, ray, out);
    }
    }
}

/* --- The way out of all cells --- */

/* Turns back by a rotation: its images of the axes are the rows of the inverse. */
static quad3 turn_back(uint32_t dimension, double angle, gjk_quat orientation, quad3 v) {
    quad3 axis[3];
    for (int i = 0; i < 3; i++) {
        const gjk_vec3 e = {i == 0, i == 1, i == 2};
        axis[i] = dimension == 2 ? quad3_turn2(angle, e) : quad3_turn3(orientation, e);
    }
    return (quad3){quad3_dot(axis[0], v), quad3_dot(axis[1], v), quad3_dot(axis[2], v)};
}

static own_ray ray_in_scene(const test_exit_scene *s, gjk_vec3 aside) {
    const quad3 from = quad3_sub(quad3_of(s->ray.origin), quad3_of(s->position));
    const quad3 origin =
        quad3_sub(turn_back(s->dimension, s->angle, s->orientation, from), quad3_of(s->offset));
    const quad3 direction =
        turn_back(s->dimension, s->angle, s->orientation, quad3_of(s->direction));
    return (own_ray){quad3_add(origin, quad3_of(aside)), quad3_unit(direction)};
}

static uint32_t find_parts(const test_exit_scene *s, const own_ray *ray, part *parts) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const test_exit_cell *cell = &s->cells[i];
        const quad3 off = quad3_sub(ray->origin, quad3_of(cell->position));
        const own_ray own = {turn_back(s->dimension, cell->angle, cell->orientation, off),
                             turn_back(s->dimension, cell->angle, cell->orientation,
                                       ray->direction)};
        count += cross_cell(cell, s->dimension, &own, &parts[count]);
    }
    return count;
}

/* Between two neighbouring ends. */
static bool is_covered(const test_exit_scene *s, const part *parts, uint32_t count, quad t) {
    bool within = false, on_face = false;
    for (uint32_t i = 0; i < count; i++) {
        const bool is_in = parts[i].from < t && t < parts[i].to;
        on_face |= is_in && parts[i].on_face;
        within =
            s->kind == TEST_EXIT_SOLID ? within ^ (is_in && !parts[i].on_face) : within || is_in;
    }
    return within || on_face;
}

static uint32_t sort_ends(const part *parts, uint32_t count, quad *ends) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < 2 * count; i++) {
        const quad end = i % 2 == 0 ? parts[i / 2].from : parts[i / 2].to;
        uint32_t at = n++;
        for (; at > 0 && ends[at - 1] > end; at--) {
            ends[at] = ends[at - 1];
        }
        ends[at] = end;
    }
    return n;
}

bool test_exit_truth(const test_exit_scene *s, gjk_vec3 aside, quad *enter, quad *leave) {
    const own_ray ray = ray_in_scene(s, aside);
    part parts[TEST_EXIT_CELLS];
    quad ends[2 * TEST_EXIT_CELLS];
    const uint32_t count = find_parts(s, &ray, parts), n = sort_ends(parts, count, ends);
    uint32_t i = 0;
    while (i < n && ends[i] < 0) {
        i++;
    }
    if (i == n) {
        return false;
    }
    const bool starts_inside =
        i > 0 && ends[i] > NOTHING && is_covered(s, parts, count, ends[i] / 2);
    *enter = starts_inside ? 0 : ends[i];
    for (; i + 1 < n && (ends[i + 1] - ends[i] < NOTHING ||
                         is_covered(s, parts, count, (ends[i] + ends[i + 1]) / 2));
         i++) {
    }
    *leave = ends[i];
    return true;
}

/* --- Rows --- */

/* A power of two, or nothing: how far a piece begins after the end of the one before it. */
static double random_gap(test_rng *rng, int least_exponent) {
    const double gap = ldexp(1.0, -test_rng_integer(rng, 2, least_exponent));
    return test_rng_once_in(rng, 3) ? 0.0 : test_rng_once_in(rng, 2) ? gap : -gap;
}

static double eighths(test_rng *rng, int low, int high) {
    return 0.125 * test_rng_integer(rng, low, high);
}

static test_exit_cell *add_cell(test_exit_scene *s) {
    ck_assert_uint_lt(s->count, TEST_EXIT_CELLS);
    test_exit_cell *cell = &s->cells[s->count++];
    *cell = (test_exit_cell){.orientation = {0, 0, 0, 1}};
    return cell;
}

static void add_box(test_exit_scene *s, gjk_vec3 low, gjk_vec3 high) {
    test_exit_cell *cell = add_cell(s);
    cell->type = CELL_BOX;
    cell->count = 2;
    cell->points[0] = low;
    cell->points[1] = high;
}

static void add_points(test_exit_scene *s, int type, uint32_t count, const gjk_vec3 *points) {
    test_exit_cell *cell = add_cell(s);
    cell->type = type;
    cell->count = count;
    for (uint32_t i = 0; i < count; i++) {
        cell->points[i] = points[i];
    }
}

/* Boxes about the x axis, the row's ends and gaps in x. */
static void add_row(test_rng *rng, int least_exponent, test_exit_scene *s) {
    double x = eighths(rng, -8, 8);
    for (int i = test_rng_integer(rng, 1, 6); i > 0; i--) {
        const double length = eighths(rng, 2, 16);
        const double depth = s->dimension == 3 ? 1.0 : 0.0;
        add_box(s, (gjk_vec3){x, -eighths(rng, 1, 8), -eighths(rng, 1, 8) * depth},
                (gjk_vec3){x + length, eighths(rng, 1, 8), eighths(rng, 1, 8) * depth});
        x += length + random_gap(rng, least_exponent);
    }
}

/* --- Shapes of a row --- */

static gjk_vec3 moved(const test_exit_scene *s, gjk_vec3 point) {
    return gjk_add3(point, s->offset);
}

static gjk_vec2 moved2(const test_exit_scene *s, double x, double y) {
    return (gjk_vec2){x + s->offset.x, y + s->offset.y};
}

static void make_compound(test_rng *rng, struct gjk_arena *arena, test_exit_scene *s) {
    gjk_shape shapes[TEST_EXIT_CELLS];
    gjk_placed parts[TEST_EXIT_CELLS];
    for (uint32_t i = 0; i < s->count; i++) {
        test_exit_cell *cell = &s->cells[i];
        const gjk_vec3 low = cell->points[0], high = cell->points[1];
        const gjk_vec3 half = gjk_scale3(0.5, gjk_sub3(high, low));
        cell->position = gjk_scale3(0.5, gjk_add3(low, high));
        cell->points[0] = gjk_neg3(half);
        cell->points[1] = half;
        gjk_status status = GJK_OK;
        if (test_rng_once_in(rng, 3)) {
            cell->type = CELL_CAPSULE;
            cell->radius = 0.5 * fmin(half.x, half.y);
            cell->points[0] = (gjk_vec3){cell->radius - half.x, 0, 0};
            cell->points[1] = gjk_neg3(cell->points[0]);
            status = gjk_shape_make_capsule(arena, s->dimension, cell->points, cell->radius, 0.0,
                                            &shapes[i]);
        } else {
            status = gjk_shape_make_box(arena, s->dimension, half, 0.0, &shapes[i]);
        }
        ck_assert_int_eq(status, GJK_OK);
        if (!s->is_round && test_rng_once_in(rng, 2)) {
            cell->angle = test_rng_uniform(rng, -0.5, 0.5);
            cell->orientation = test_rng_rotation(rng);
        }
        parts[i].shape = &shapes[i];
        const gjk_vec3 at = moved(s, cell->position);
        status = s->dimension == 2 ? gjk_pose_make2(gjk_xy(at), cell->angle, &parts[i].pose)
                                   : gjk_pose_make3(at, cell->orientation, &parts[i].pose);
        ck_assert_int_eq(status, GJK_OK);
    }
    ck_assert_int_eq(gjk_shape_make_compound(arena, s->dimension, parts, s->count, &s->shape),
                     GJK_OK);
}

/* Along the row's axis, with a way up and down again from each piece to the next, unless they
 * touch. */
static void make_chain(test_rng *rng, struct gjk_arena *arena, test_exit_scene *s) {
    gjk_vec3 points[4 * TEST_EXIT_CELLS];
    gjk_vec2 vertices[4 * TEST_EXIT_CELLS];
    const double radius = test_rng_once_in(rng, 2) ? eighths(rng, 1, 3) : 0.0;
    const uint32_t row = s->count;
    uint32_t count = 0;
    for (uint32_t i = 0; i < row; i++) {
        const double from = s->cells[i].points[0].x, to = s->cells[i].points[1].x;
        if (count > 0 && points[count - 1].x != from) {
            const double height = eighths(rng, 8, 16), last = points[count - 1].x;
            points[count++] = (gjk_vec3){last, height, 0};
            points[count++] = (gjk_vec3){from, height, 0};
        }
        if (count == 0 || points[count - 1].x != from || points[count - 1].y != 0.0) {
            points[count++] = (gjk_vec3){from, 0, 0};
        }
        points[count++] = (gjk_vec3){to, 0, 0};
    }
    s->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        vertices[i] = moved2(s, points[i].x, points[i].y);
        if (i + 1 < count) {
            add_points(s, radius > 0.0 ? CELL_CAPSULE : CELL_POLYGON, 2, &points[i]);
            s->cells[s->count - 1].radius = radius;
        }
    }
    gjk_pieces_fault fault;
    ck_assert_int_eq(gjk_shape_make_chain(arena, vertices, count, false, radius, &fault, &s->shape),
                     GJK_OK);
}

/* A polygon for each run of pieces that touch; those that overlap touch. */
static void make_region(struct gjk_arena *arena, test_exit_scene *s) {
    gjk_vec2 vertices[8 * TEST_EXIT_CELLS];
    uint32_t rings[TEST_EXIT_CELLS], polygons[TEST_EXIT_CELLS], count = 0, runs = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        gjk_vec3 *low = &s->cells[i].points[0], *high = &s->cells[i].points[1];
        const bool goes_on = i > 0 && low->x <= s->cells[i - 1].points[1].x;
        low->y = -1.0;
        if (goes_on) {
            low->x = s->cells[i - 1].points[1].x;
            high->x = fmax(high->x, low->x + 0.5);
        }
    }
    for (uint32_t i = 0, end; i < s->count; i = end) {
        const uint32_t first = count;
        for (end = i + 1;
             end < s->count && s->cells[end].points[0].x == s->cells[end - 1].points[1].x; end++) {
        }
        vertices[count++] = moved2(s, s->cells[i].points[0].x, -1.0);
        vertices[count++] = moved2(s, s->cells[end - 1].points[1].x, -1.0);
        for (uint32_t k = end; k > i; k--) {
            const gjk_vec3 low = s->cells[k - 1].points[0], high = s->cells[k - 1].points[1];
            vertices[count++] = moved2(s, high.x, high.y);
            vertices[count++] = moved2(s, low.x, high.y);
        }
        rings[runs] = count - first;
        polygons[runs++] = 1;
    }
    const gjk_region region = {.vertices = vertices,
                               .ring_sizes = rings,
                               .polygon_sizes = polygons,
                               .polygon_count = runs};
    gjk_pieces_fault fault;
    ck_assert_int_eq(gjk_shape_make_region(arena, &region, 0.0, &fault, &s->shape), GJK_OK);
}

/* Boxes with shells of their own, some in others. */
static void make_solid(test_rng *rng, struct gjk_arena *arena, test_exit_scene *s) {
    static const uint32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                          {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                          {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    gjk_vec3 vertices[8 * TEST_EXIT_CELLS];
    uint32_t triangles[12 * TEST_EXIT_CELLS][3];
    for (uint32_t i = 0, row = s->count; i < row; i++) {
        if (test_rng_once_in(rng, 3)) { /* a cavity */
            const gjk_vec3 in = {0.125 * 0.5, 0.125 * 0.5, 0.125 * 0.5};
            add_box(s, gjk_add3(s->cells[i].points[0], in), gjk_sub3(s->cells[i].points[1], in));
        }
    }
    for (uint32_t i = 0; i < s->count; i++) {
        const gjk_vec3 low = s->cells[i].points[0], high = s->cells[i].points[1];
        for (uint32_t k = 0; k < 8; k++) {
            vertices[8 * i + k] =
                moved(s, (gjk_vec3){k % 2 ? high.x : low.x, k / 2 % 2 ? high.y : low.y,
                                    k / 4 ? high.z : low.z});
        }
        for (uint32_t k = 0; k < 12; k++) {
            for (uint32_t c = 0; c < 3; c++) {
                triangles[12 * i + k][c] = 8 * i + faces[k][c];
            }
        }
    }
    const gjk_mesh mesh = {.vertices = vertices,
                           .vertex_count = 8 * s->count,
                           .triangles = (const uint32_t(*)[3])triangles,
                           .triangle_count = 12 * s->count,
                           .closed = true,
                           .one_sided = test_rng_once_in(rng, 3),
                           .fill = GJK_FILL_EVENODD};
    gjk_pieces_fault fault;
    ck_assert_int_eq(gjk_shape_make_mesh(arena, &mesh, 0.0, &fault, &s->shape), GJK_OK);
}

/* Two triangles for each piece, in the plane z = 0, and walls across. */
static void make_mesh(test_rng *rng, struct gjk_arena *arena, test_exit_scene *s) {
    gjk_vec3 vertices[3 * TEST_EXIT_CELLS];
    uint32_t triangles[TEST_EXIT_CELLS][3];
    const test_exit_scene row = *s;
    s->count = 0;
    for (uint32_t i = 0; i < row.count; i++) {
        const gjk_vec3 low = row.cells[i].points[0], high = row.cells[i].points[1];
        const gjk_vec3 corner[4] = {{low.x, low.y, 0},
                                    {high.x, low.y, 0},
                                    {high.x, high.y, 0},
                                    {low.x, high.y, 0}};
        const uint32_t k = test_rng_below(rng, 4);
        for (uint32_t side = 0; side < 2; side++) {
            const uint32_t a = k + 2 * side;
            const gjk_vec3 three[3] = {corner[a % 4], corner[(a + 1) % 4], corner[(a + 2) % 4]};
            add_points(s, CELL_TRIANGLE, 3, three);
        }
        if (test_rng_once_in(rng, 3)) {
            const gjk_vec3 wall[3] = {{low.x, -1, -1},
                                      {low.x, 1, -1},
                                      {low.x + eighths(rng, -1, 1), 0, 1}};
            add_points(s, CELL_TRIANGLE, 3, wall);
        }
    }
    for (uint32_t i = 0; i < 3 * s->count; i++) {
        vertices[i] = moved(s, s->cells[i / 3].points[i % 3]);
        triangles[i / 3][i % 3] = i;
    }
    const gjk_mesh mesh = {.vertices = vertices,
                           .vertex_count = 3 * s->count,
                           .triangles = (const uint32_t(*)[3])triangles,
                           .triangle_count = s->count};
    gjk_pieces_fault fault;
    ck_assert_int_eq(gjk_shape_make_mesh(arena, &mesh, 0.0, &fault, &s->shape), GJK_OK);
}

/* A terrace at height 0 with holes and steps. */
static void make_heightfield(test_rng *rng, struct gjk_arena *arena, test_exit_scene *s) {
    enum { COLUMNS = 7, ROWS = 3 };
    double heights[COLUMNS * ROWS];
    const double spacing[2] = {eighths(rng, 2, 8), eighths(rng, 2, 8)};
    s->count = 0;
    s->offset.x = s->offset.y = 0.0;
    for (uint32_t i = 0; i < COLUMNS * ROWS; i++) {
        const bool is_step = test_rng_once_in(rng, 9), is_hole = i > 0 && test_rng_once_in(rng, 15);
        heights[i] = is_hole ? NAN : is_step ? eighths(rng, -3, 3) : 0.0;
    }
    heights[0] = heights[1] = heights[COLUMNS] = heights[COLUMNS + 1] = 0.0;
    for (uint32_t i = 0; i < (COLUMNS - 1) * (ROWS - 1); i++) {
        const uint32_t column = i % (COLUMNS - 1), row = i / (COLUMNS - 1);
        gjk_vec3 corner[4];
        bool has_hole = false;
        for (uint32_t k = 0; k < 4; k++) {
            const uint32_t x = column + k % 2, y = row + k / 2;
            corner[k] = (gjk_vec3){x * spacing[0], y * spacing[1], heights[y * COLUMNS + x]};
            has_hole |= isnan(corner[k].z);
        }
        if (!has_hole) {
            add_points(s, CELL_TRIANGLE, 3, (const gjk_vec3[]){corner[0], corner[1], corner[3]});
            add_points(s, CELL_TRIANGLE, 3, (const gjk_vec3[]){corner[0], corner[3], corner[2]});
        }
    }
    for (uint32_t i = 0; i < COLUMNS * ROWS; i++) {
        heights[i] += s->offset.z;
    }
    const gjk_heightfield field = {.columns = COLUMNS,
                                   .rows = ROWS,
                                   .spacing = {spacing[0], spacing[1]},
                                   .heights = heights};
    gjk_pieces_fault fault;
    ck_assert_int_eq(gjk_shape_make_heightfield(arena, &field, 0.0, &fault, &s->shape), GJK_OK);
}

/* --- Places and rays --- */

static gjk_vec3 random_offset(test_rng *rng, uint32_t dimension, int exponent) {
    const double far = ldexp(1.0, exponent);
    return (gjk_vec3){far * test_rng_integer(rng, -1, 1), far * test_rng_integer(rng, -1, 1),
                      dimension == 3 ? far * test_rng_integer(rng, -1, 1) : 0.0};
}

static gjk_vec3 flat_if(uint32_t dimension, gjk_vec3 v) {
    return (gjk_vec3){v.x, v.y, dimension == 3 ? v.z : 0.0};
}

/* A ray in the scene's frame less the offset. */
static void aim(test_rng *rng, test_exit_scene *s, gjk_vec3 *from, gjk_vec3 *direction) {
    const test_exit_cell *cell = &s->cells[test_rng_below(rng, s->count)];
    const bool in_plane = s->kind == TEST_EXIT_MESH || s->kind == TEST_EXIT_HEIGHTFIELD;
    if (s->is_round) {
        const double y = s->kind == TEST_EXIT_CHAIN ? 0.0 : eighths(rng, -4, 8);
        const double z = in_plane || s->dimension == 2 ? 0.0 : eighths(rng, -4, 8);
        const double away = test_rng_once_in(rng, 4) ? ldexp(1.0, test_rng_integer(rng, 4, 30))
                                                     : eighths(rng, -16, 32);
        const double sign = test_rng_once_in(rng, 2) ? 1.0 : -1.0;
        *from = (gjk_vec3){(sign > 0.0 ? -2.0 : 12.0) - sign * away, y, z};
        *direction = (gjk_vec3){sign, 0, 0};
        if (test_rng_once_in(rng, 3) && away < 4.0) { /* slantwise, in the plane */
            *direction = (gjk_vec3){sign * 16, test_rng_integer(rng, -2, 2), 0};
        }
        return;
    }
    const gjk_vec3 at =
        gjk_add3(gjk_add3(cell->position, cell->points[0]),
                 flat_if(s->dimension, gjk_scale3(0.5, test_rng_direction(rng, s->dimension))));
    const gjk_vec3 along = {test_rng_once_in(rng, 2) ? 1 : -1, test_rng_uniform(rng, -0.3, 0.3),
                            s->dimension == 3 ? test_rng_uniform(rng, -0.3, 0.3) : 0.0};
    *direction = test_rng_once_in(rng, 3) ? test_rng_direction(rng, s->dimension) : along;
    *from = gjk_sub3(at, gjk_scale3(test_rng_uniform(rng, -1, 8), *direction));
}

/* Out of the scene's frame, rounded once. */
static gjk_vec3 into_world(const test_exit_scene *s, quad3 v, bool is_place) {
    const quad3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    quad3 moved_to = is_place ? quad3_of(s->position) : (quad3){0, 0, 0};
    const quad parts[3] = {v.x, v.y, v.z};
    for (int i = 0; i < 3; i++) {
        const gjk_vec3 axis = quad3_round(axes[i]);
        const quad3 image =
            s->dimension == 2 ? quad3_turn2(s->angle, axis) : quad3_turn3(s->orientation, axis);
        moved_to = quad3_add(moved_to, quad3_scale(parts[i], image));
    }
    return quad3_round(moved_to);
}

static void place(test_rng *rng, int exponent, test_exit_scene *s) {
    s->position =
        test_rng_once_in(rng, 2) ? gjk_neg3(s->offset) : random_offset(rng, s->dimension, exponent);
    if (!s->is_round) {
        s->angle = test_rng_uniform(rng, -4, 4);
        s->orientation = test_rng_rotation(rng);
        s->position = gjk_add3(s->position, flat_if(s->dimension, test_rng_direction(rng, 3)));
    }
    gjk_pose pose;
    ck_assert_int_eq(s->dimension == 2 ? gjk_pose_make2(gjk_xy(s->position), s->angle, &pose)
                                       : gjk_pose_make3(s->position, s->orientation, &pose),
                     GJK_OK);
    s->placed = (gjk_placed){&s->shape, pose};
    gjk_vec3 from, direction;
    aim(rng, s, &from, &direction);
    s->direction = into_world(s, quad3_of(direction), false);
    const quad3 start = quad3_add(quad3_of(from), quad3_of(s->offset));
    ck_assert_int_eq(gjk_ray_make(into_world(s, start, true), s->direction, INFINITY, &s->ray),
                     GJK_OK);
    s->scale = 16.0 + gjk_length3(from);
}

void test_exit_scene_make(test_rng *rng, test_exit_kind kind, uint32_t dimension,
                          struct gjk_arena *arena, test_exit_scene *out) {
    const int exponent = test_rng_once_in(rng, 3) ? 0 : test_rng_integer(rng, 0, 30);
    *out = (test_exit_scene){.kind = kind,
                             .dimension = dimension,
                             .is_round = test_rng_once_in(rng, 2),
                             .orientation = {0, 0, 0, 1}};
    add_row(rng, exponent > 6 ? 46 - exponent : 40, out);
    out->offset = random_offset(rng, dimension, exponent);
    switch (kind) {
    case TEST_EXIT_COMPOUND:
        make_compound(rng, arena, out);
        break;
    case TEST_EXIT_CHAIN:
        make_chain(rng, arena, out);
        break;
    case TEST_EXIT_REGION:
        make_region(arena, out);
        break;
    case TEST_EXIT_SOLID:
        make_solid(rng, arena, out);
        break;
    case TEST_EXIT_MESH:
        make_mesh(rng, arena, out);
        break;
    default:
        make_heightfield(rng, arena, out);
        break;
    }
    place(rng, exponent, out);
}

void test_exit_scene_print(const test_exit_scene *s) {
    const gjk_vec3 p = s->position, o = s->offset, f = s->ray.origin, d = s->direction;
    const gjk_quat q = s->orientation;
    fprintf(stderr, "kind %d in %uD, round %d, offset %.17g %.17g %.17g\n", (int)s->kind,
            s->dimension, s->is_round, o.x, o.y, o.z);
    fprintf(stderr, "at %.17g %.17g %.17g turned %.17g, %.17g %.17g %.17g %.17g\n", p.x, p.y, p.z,
            s->angle, q.x, q.y, q.z, q.w);
    fprintf(stderr, "ray from %.17g %.17g %.17g along %.17g %.17g %.17g\n", f.x, f.y, f.z, d.x, d.y,
            d.z);
    for (uint32_t i = 0; i < s->count; i++) {
        const test_exit_cell *cell = &s->cells[i];
        fprintf(stderr, "  %d radius %.17g turned %.17g at %.17g %.17g %.17g:", (int)cell->type,
                cell->radius, cell->angle, cell->position.x, cell->position.y, cell->position.z);
        for (uint32_t k = 0; k < cell->count; k++) {
            fprintf(stderr, " (%.17g %.17g %.17g)", cell->points[k].x, cell->points[k].y,
                    cell->points[k].z);
        }
        fprintf(stderr, "\n");
    }
}
