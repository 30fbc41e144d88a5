/* Shapes of many convex pieces: their shared memory, their pieces as convex shapes, and the box of
 * the whole. The constructors are in other files. */

#include "shape/pieces/pieces.h"

#include "base/lanes.h"
#include "base/numbers.h"
#include "base/wide.h"
#include "gjk/budget.h"
#include "shape/box.h"
#include "shape/convex/cloud.h"
#include "shape/convex/support.h"

#include <stdlib.h>
#include <string.h>

/* Distance of a part from the whole's origin, in its sizes, above which its position is composed in
 * double-double. */
#define PART_FAR 1.5
/* Lower bound, with a wide margin, of half extents whose inverse is finite. */
#define LEAST_EXTENT 0x1p-1000
/* Distance of a part from the world's origin, in its sizes, above which the rounded-off rest is
 * kept. */
#define WORLD_FAR 1.0

/* --- Memory --- */

void gjk_pieces_retain(const struct gjk_pieces *pieces) {
    gjk_references_add(&((struct gjk_pieces *)pieces)->references);
}

void gjk_pieces_release(const struct gjk_pieces *pieces) {
    struct gjk_pieces *own = (struct gjk_pieces *)pieces;
    if (own == NULL || !gjk_references_drop(&own->references)) {
        return;
    }
    gjk_arena_fini(&own->memory);
    free(own);
}

static void release_later(void *pieces) {
    gjk_pieces_release(pieces);
}

struct gjk_pieces *gjk_pieces_new(struct gjk_arena *arena, gjk_shape_type type,
                                  uint32_t dimension) {
    struct gjk_pieces *pieces = calloc(1, sizeof *pieces);
    if (pieces == NULL) {
        return NULL;
    }
    gjk_references_init(&pieces->references);
    gjk_arena_init(&pieces->memory, 0);
    gjk_arena_set_budget(&pieces->memory, arena->budget); /* until it is finished */
    if (arena->account != NULL) {
        gjk_arena_charge(&pieces->memory, arena->account->lasting);
    }
    pieces->type = type;
    pieces->dimension = dimension;
    if (!gjk_arena_defer(arena, release_later, pieces)) {
        gjk_pieces_release(pieces);
        return NULL;
    }
    return pieces;
}

void *gjk_pieces_copy(struct gjk_pieces *pieces, const void *items, size_t count, size_t size) {
    void *copy = items != NULL ? gjk_arena_alloc_array(&pieces->memory, count, size) : NULL;
    if (copy != NULL && count > 0) {
        memcpy(copy, items, count * size);
    }
    pieces->lacks_memory = pieces->lacks_memory || (copy == NULL && items != NULL);
    return copy;
}

uint32_t gjk_pieces_count(const struct gjk_pieces *pieces) {
    return pieces->count;
}

size_t gjk_pieces_bytes(const struct gjk_pieces *pieces) {
    return sizeof *pieces + pieces->memory.used_bytes;
}

/* --- Pieces --- */

static gjk_vec3 grid_point(const gjk_heightfield *field, uint32_t column, uint32_t row) {
    return (gjk_vec3){column * field->spacing[0], row * field->spacing[1],
                      field->heights[(size_t)row * field->columns + column]};
}

/* Returns the n-th sample along the border of a field, counter-clockwise seen from above. */
static gjk_vec3 border_sample(const gjk_heightfield *field, uint32_t n) {
    const uint32_t columns = field->columns - 1, rows = field->rows - 1;
    if (n < columns) {
        return grid_point(field, n, 0);
    }
    n -= columns;
    if (n < rows) {
        return grid_point(field, columns, n);
    }
    n -= rows;
    if (n < columns) {
        return grid_point(field, columns - n, rows);
    }
    n -= columns;
    return n < rows ? grid_point(field, 0, rows - n) : grid_point(field, 0, 0);
}

/* Computes triangle i of a base, whose normal points outwards: first two for the bottom, then two
 * for each edge of the border. */
static void base_triangle(const gjk_heightfield *field, uint32_t i, gjk_vec3 corners[3]) {
    if (i < 2) {
        const uint32_t columns = field->columns - 1, rows = field->rows - 1;
        corners[0] = grid_point(field, 0, 0);
        corners[1] = i == 0 ? grid_point(field, columns, rows) : grid_point(field, 0, rows);
        corners[2] = i == 0 ? grid_point(field, columns, 0) : grid_point(field, columns, rows);
        corners[0].z = corners[1].z = corners[2].z = field->base;
        return;
    }
    const gjk_vec3 from = border_sample(field, i / 2 - 1), to = border_sample(field, i / 2);
    corners[0] = (gjk_vec3){from.x, from.y, field->base};
    corners[1] = i % 2 == 0 ? (gjk_vec3){to.x, to.y, field->base} : to;
    corners[2] = i % 2 == 0 ? to : from;
}

/* Computes the corners of a cell, counter-clockwise seen from above. The cell's triangles are (0,
 * 1, 2) and (0, 2, 3). */
static void cell_corners(const gjk_heightfield *field, uint32_t cell, gjk_vec3 corners[4]) {
    const uint32_t column = cell % (field->columns - 1), row = cell / (field->columns - 1);
    corners[0] = grid_point(field, column, row);
    corners[1] = grid_point(field, column + 1, row);
    corners[2] = grid_point(field, column + 1, row + 1);
    corners[3] = grid_point(field, column, row + 1);
}

void gjk_pieces_triangle(const struct gjk_pieces *pieces, uint32_t i, gjk_vec3 corners[3]) {
    if (pieces->type == GJK_MESH) {
        gjk_mesh_triangle(&pieces->mesh, i, corners);
        return;
    }
    if (i >= GJK_PIECES_MAX) {
        base_triangle(&pieces->heightfield, i - GJK_PIECES_MAX, corners);
        return;
    }
    const gjk_heightfield *field = &pieces->heightfield;
    const uint32_t cells = field->columns - 1, row = i / 2 / cells, column = i / 2 - row * cells;
    corners[0] = grid_point(field, column, row);
    corners[1] = grid_point(field, column + 1, row + i % 2);
    corners[2] = grid_point(field, column + 1 - i % 2, row + 1);
}

/* Finds the indices of the samples of a height field's piece. Returns false if a corner of its cell
 * is a hole. */
static bool find_samples(const gjk_heightfield *field, uint32_t piece, uint32_t indices[3]) {
    const uint32_t cell = piece / 2, columns = field->columns;
    const uint32_t first = cell / (columns - 1) * columns + cell % (columns - 1);
    const uint32_t corners[4] = {first, first + 1, first + columns + 1, first + columns};
    for (int i = 0; i < 4; i++) {
        if (isnan(field->heights[corners[i]])) {
            return false;
        }
    }
    indices[0] = corners[0];
    indices[1] = piece % 2 == 0 ? corners[1] : corners[2];
    indices[2] = piece % 2 == 0 ? corners[2] : corners[3];
    return true;
}

bool gjk_piece_exists(const struct gjk_pieces *pieces, uint32_t i) {
    uint32_t samples[3];
    return pieces->type != GJK_HEIGHTFIELD || i >= GJK_PIECES_MAX ||
           find_samples(&pieces->heightfield, i, samples);
}

/* Steps charged per visited piece. */
#define PIECE_STEPS 16

bool gjk_pieces_next(const struct gjk_pieces *pieces, gjk_budget *budget, uint32_t *next,
                     uint32_t *index) {
    const uint32_t end = pieces->count + pieces->base_count;
    while (*next < end && !gjk_budget_spend(budget, PIECE_STEPS)) {
        *index = gjk_pieces_index(pieces, (*next)++);
        if (gjk_piece_exists(pieces, *index)) {
            return true;
        }
    }
    return false;
}

/* Computes the two ends of piece i of a chain. */
static void chain_segment(const struct gjk_pieces *pieces, uint32_t i, gjk_vec3 ends[2]) {
    const gjk_vec2 *vertices = pieces->chain.vertices;
    ends[0] = gjk_xy0(vertices[i]);
    ends[1] = gjk_xy0(vertices[i + 1 < pieces->chain.count ? i + 1 : 0]);
}

bool gjk_pieces_corners(const struct gjk_pieces *pieces, uint32_t i, gjk_vec3 corners[3]) {
    switch (pieces->type) {
    case GJK_MESH:
    case GJK_HEIGHTFIELD:
        gjk_pieces_triangle(pieces, i, corners);
        return true;
    case GJK_CHAIN:
        chain_segment(pieces, i, corners);
        corners[2] = corners[1];
        return true;
    default:
        return false;
    }
}

bool gjk_pieces_leaf(const struct gjk_pieces *pieces, uint32_t first, uint32_t count,
                     gjk_leaf_corners *out) {
    if (pieces->type == GJK_MESH) {
        const uint32_t *order = pieces->tree.order + first;
        for (uint32_t k = 0; k < GJK_PIECES_LEAF; k++) {
            const uint32_t *t = pieces->mesh.triangles[order[k < count ? k : 0]];
            for (uint32_t i = 0; i < 3; i++) {
                out->at[k][i] = &pieces->mesh.vertices[t[i]];
            }
        }
        return true;
    }
    if (first < pieces->tree.cell_count) {
        for (uint32_t k = 0; k < GJK_PIECES_LEAF; k += 2) { /* both triangles of a cell */
            gjk_vec3 *corners = out->made + 2 * (size_t)k;
            cell_corners(&pieces->heightfield, (k < count ? first + k : first) / 2, corners);
            for (uint32_t i = 0; i < 3; i++) {
                out->at[k][i] = &corners[i];
                out->at[k + 1][i] = &corners[i > 0 ? i + 1 : 0];
            }
        }
        out->made[(size_t)2 * GJK_PIECES_LEAF] = (gjk_vec3){0, 0, 0};
        return true;
    }
    for (uint32_t k = 0; k < GJK_PIECES_LEAF; k++) {
        gjk_vec3 *corners = out->made + 3 * (size_t)k;
        const uint32_t piece = gjk_slot_piece(&pieces->tree, k < count ? first + k : first);
        if (!gjk_pieces_corners(pieces, piece, corners)) {
            return false;
        }
        for (uint32_t i = 0; i < 3; i++) {
            out->at[k][i] = &corners[i];
        }
    }
    out->made[(size_t)3 * GJK_PIECES_LEAF] = (gjk_vec3){0, 0, 0};
    return true;
}

static void make_ball(const struct gjk_pieces *pieces, uint32_t i, gjk_piece *out) {
    const gjk_points *points = &pieces->points;
    const double radius = points->radii != NULL ? points->radii[i] : points->radius;
    const gjk_vec3 at = pieces->dimension == 3 ? points->in_3d[i] : gjk_xy0(points->in_2d[i]);
    const gjk_vec3 ends[2] = {at, at};
    gjk_shape_fill_segment(pieces->dimension, ends, radius + pieces->rounding, out->columns,
                           &out->shape);
}

void gjk_piece_make_ball(uint32_t dimension, gjk_vec3 at, double radius, gjk_piece *out) {
    const gjk_vec3 ends[2] = {{0, 0, 0}, {0, 0, 0}};
    gjk_shape_fill_segment(dimension, ends, radius, out->columns, &out->shape);
    out->placed = (gjk_placed){&out->shape, gjk_pose_identity()};
    out->placed.pose.position = at;
}

void gjk_piece_make_own(const struct gjk_pieces *pieces, uint32_t i, gjk_piece *out) {
    GJK_ASSERT(i < (i < GJK_PIECES_MAX ? pieces->count : GJK_PIECES_MAX + pieces->base_count));
    gjk_vec3 corners[3];
    switch (pieces->type) {
    case GJK_COMPOUND:
        out->placed = pieces->compound.parts[i];
        return;
    case GJK_REGION:
        out->placed = (gjk_placed){&pieces->region.polygons[i], gjk_pose_identity()};
        return;
    case GJK_CHAIN:
        chain_segment(pieces, i, corners);
        gjk_shape_fill_segment(2, corners, pieces->rounding, out->columns, &out->shape);
        break;
    case GJK_POINTS:
        make_ball(pieces, i, out);
        break;
    default:
        gjk_pieces_triangle(pieces, i, corners);
        gjk_shape_fill_triangle(corners, pieces->rounding, out->columns, &out->shape);
        break;
    }
    out->placed = (gjk_placed){&out->shape, gjk_pose_identity()};
}

void gjk_piece_to_world(const gjk_pose *whole, gjk_piece *piece) {
    const gjk_placed part = piece->placed;
    const double size = part.shape->size;
    const double far = gjk_largest3(part.pose.position);
    gjk_pose *pose = &piece->placed.pose;
    gjk_wide3 middle;
    *pose = gjk_pose_compose(whole, &part.pose);
    if (whole->form == GJK_POSE_ANGLE && part.pose.form == GJK_POSE_ANGLE) {
        const gjk_double_double angle = gjk_two_sum(whole->turn.angle, part.pose.turn.angle);
        double s, c;
        gjk_sincos(angle.high, &s, &c);
        const double sine = s + angle.low * c, cosine = c - angle.low * s;
        pose->rotation = (gjk_mat3){{cosine, -sine, 0.0}, {sine, cosine, 0.0}, {0.0, 0.0, 1.0}};
    }
    if (far > PART_FAR * size || part.shape->is_far) {
        middle = gjk_wide3_of(part.pose.position);
        if (part.shape->is_far) {
            middle = gjk_pose_apply_wide(&part.pose, gjk_wide3_of(part.shape->offset));
        }
        middle = gjk_pose_apply_wide(whole, middle);
    } else if (gjk_largest3(pose->position) > WORLD_FAR * size) {
        /* The sum of the turned position and the whole's, with its rounding error. */
        const gjk_vec3 turned = gjk_mul3(&whole->rotation, part.pose.position);
        const gjk_double_double x = gjk_two_sum(turned.x, whole->position.x),
                                y = gjk_two_sum(turned.y, whole->position.y),
                                z = gjk_two_sum(turned.z, whole->position.z);
        middle = (gjk_wide3){{x.high, y.high, z.high}, {x.low, y.low, z.low}};
    } else {
        return;
    }
    pose->position = middle.high;
    if (gjk_largest3(middle.low) > 0.0) {
        pose->rest = middle.low;
        pose->form = GJK_POSE_REST;
    }
    if (part.shape->is_far) {
        gjk_shape_about_offset(part.shape, &piece->shape);
        piece->placed.shape = &piece->shape;
    }
}

void gjk_piece_make(const gjk_placed *whole, uint32_t i, gjk_piece *out) {
    const struct gjk_pieces *pieces = whole->shape->pieces;
    gjk_piece_make_own(pieces, i, out);
    if (pieces->type == GJK_COMPOUND) {
        gjk_piece_to_world(&whole->pose, out);
    } else {
        out->placed.pose = whole->pose;
    }
}

bool gjk_piece_material(const struct gjk_pieces *pieces, uint32_t i, uint32_t *material) {
    const bool has_material = pieces->materials != NULL && i < GJK_PIECES_MAX;
    if (has_material) {
        *material = pieces->materials[gjk_pieces_material_index(pieces, i)];
    }
    return has_material;
}

/* --- The whole --- */

static gjk_bounds bounds_of_points(const gjk_vec3 *points, uint32_t count, uint32_t dimension,
                                   double radius) {
    const double depth = dimension == 3 ? radius : 0.0;
    gjk_bounds box = {points[0], points[0]};
    for (uint32_t i = 1; i < count; i++) {
        const gjk_bounds point = {points[i], points[i]};
        box = gjk_box_join(&box, &point);
    }
    return (gjk_bounds){{box.min.x - radius, box.min.y - radius, box.min.z - depth},
                        {box.max.x + radius, box.max.y + radius, box.max.z + depth}};
}

/* Returns the box of a piece in the whole's own frame, up to rounding. */
static gjk_bounds bounds_of(const struct gjk_pieces *pieces, uint32_t i) {
    gjk_vec3 corners[3];
    gjk_piece piece;
    if (gjk_pieces_corners(pieces, i, corners)) {
        return bounds_of_points(corners, 3, pieces->dimension, pieces->rounding);
    }
    gjk_piece_make_own(pieces, i, &piece);
    return gjk_placed_bounds(&piece.placed);
}

static void measure_whole(const struct gjk_pieces *pieces, const gjk_bounds *bounds,
                          gjk_shape *out) {
    const gjk_vec3 low = bounds->min, high = bounds->max;
    *out = (gjk_shape){.type = pieces->type, .dimension = pieces->dimension, .pieces = pieces};
    out->center = (gjk_vec3){0.5 * low.x + 0.5 * high.x, 0.5 * low.y + 0.5 * high.y,
                             0.5 * low.z + 0.5 * high.z};
    out->half_extents = (gjk_vec3){gjk_larger(high.x - out->center.x, out->center.x - low.x),
                                   gjk_larger(high.y - out->center.y, out->center.y - low.y),
                                   gjk_larger(high.z - out->center.z, out->center.z - low.z)};
    const gjk_vec3 half = out->half_extents, center = out->center;
    const double longest = gjk_larger(half.x, gjk_larger(half.y, half.z));
    out->size = 2.0 * longest;
    out->bounding_radius =
        longest > LEAST_EXTENT
            ? longest * gjk_length3(gjk_scale3(1.0 / longest, half)) * (1.0 + 0x1p-50)
            : 2.0 * longest;
    out->reach = gjk_larger(fabs(center.x), gjk_larger(fabs(center.y), fabs(center.z))) + out->size;
}

/* Measures the pieces and builds the tree over their boxes; the tree of a height field computes the
 * boxes of its cells itself. */
static gjk_status build(struct gjk_pieces *pieces, struct gjk_arena *scratch, gjk_bounds *whole) {
    gjk_budget *budget = scratch->budget;
    const bool is_grid = pieces->type == GJK_HEIGHTFIELD;
    const uint32_t begin = is_grid ? pieces->count : 0, end = pieces->count + pieces->base_count;
    const uint32_t count = end - begin;
    gjk_piece_box *boxes = gjk_arena_alloc_array(scratch, (size_t)count + 1, sizeof *boxes);
    if (boxes == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    *whole = gjk_box_empty();
    if (is_grid) {
        (void)gjk_grid_measure(pieces, budget, whole);
    }
    for (uint32_t n = begin; n < end && !gjk_budget_spend(budget, 4); n++) {
        gjk_bounds own = bounds_of(pieces, gjk_pieces_index(pieces, n));
        *whole = gjk_box_join(whole, &own);
    }
    if (whole->min.x > whole->max.x) { /* no piece at all: the boxes of sets must stay finite */
        *whole = (gjk_bounds){{0, 0, 0}, {0, 0, 0}};
    }
    gjk_pieces_tree_set_unit(&pieces->tree, whole);
    for (uint32_t n = begin; n < end && !gjk_budget_spend(budget, 4); n++) {
        const uint32_t i = gjk_pieces_index(pieces, n);
        gjk_bounds own = bounds_of(pieces, i);
        boxes[n - begin] = gjk_pieces_tree_box(&pieces->tree, &own, i);
    }
    if (gjk_budget_is_spent(budget)) {
        return GJK_GIVEN_UP;
    }
    return is_grid ? gjk_grid_build(pieces, scratch, boxes, count)
                   : gjk_pieces_tree_build(&pieces->tree, &pieces->memory, scratch, boxes, count);
}

gjk_status gjk_pieces_finish(struct gjk_pieces *pieces, const struct gjk_arena *arena,
                             gjk_shape *out) {
    struct gjk_arena scratch;
    gjk_bounds whole;
    if (pieces->lacks_memory) {
        return GJK_OUT_OF_MEMORY;
    }
    gjk_arena_set_budget(&pieces->memory, NULL);
    gjk_arena_init_beside(&scratch, arena);
    gjk_status status = build(pieces, &scratch, &whole);
    gjk_arena_fini(&scratch);
    if (status == GJK_OK) {
        measure_whole(pieces, &whole, out);
    }
    return status;
}

/* --- Access to the input --- */

bool gjk_pieces_mesh(const struct gjk_pieces *pieces, gjk_mesh *out) {
    *out = pieces->mesh;
    return pieces->type == GJK_MESH;
}

bool gjk_pieces_points(const struct gjk_pieces *pieces, gjk_points *out) {
    *out = pieces->points;
    return pieces->type == GJK_POINTS;
}

bool gjk_pieces_heightfield(const struct gjk_pieces *pieces, gjk_heightfield *out) {
    *out = pieces->heightfield;
    return pieces->type == GJK_HEIGHTFIELD;
}

bool gjk_pieces_region(const struct gjk_pieces *pieces, gjk_region *out) {
    *out = pieces->region.rings;
    return pieces->type == GJK_REGION;
}

uint32_t gjk_pieces_polygon(const struct gjk_pieces *pieces, uint32_t i,
                            const gjk_vec2 **vertices) {
    GJK_ASSERT(pieces->type == GJK_REGION && i < pieces->count);
    const uint32_t *starts = pieces->region.outline_starts;
    *vertices = pieces->region.outlines + starts[i];
    return starts[i + 1] - starts[i];
}

const gjk_vec2 *gjk_pieces_chain(const struct gjk_pieces *pieces, uint32_t *count, bool *closed) {
    *count = pieces->chain.count;
    *closed = pieces->closed;
    return pieces->type == GJK_CHAIN ? pieces->chain.vertices : NULL;
}

/*
 * The gap between a piece and a convex shape along one direction: the difference of their support
 * values. The direction is from the point of the piece nearest to the shape's center to that center
 * (point on triangle after Ericson, Real-Time Collision Detection, 2005, 5.1.5). For a capsule, it
 * is computed again from the point of its axis nearest to the first result. Any unit direction
 * gives a valid bound, so rounding of the nearest point does no harm.
 */

gjk_seen gjk_seen_make(const gjk_pose *frame, const gjk_placed *placed) {
    const gjk_shape *shape = placed->shape;
    gjk_seen seen = {.placed = {shape, gjk_pose_relative(frame, &placed->pose)}};
    seen.center = gjk_pose_apply(&seen.placed.pose, shape->center);
    if (shape->count == 2) {
        const gjk_vec3 axis = gjk_sub3(gjk_shape_point(shape, 1), gjk_shape_point(shape, 0));
        seen.half = gjk_mul3(&seen.placed.pose.rotation, gjk_scale3(0.5, axis));
    }
    return seen;
}

/* Returns a + s (b - a), with s in [0, 1] from the numerators of s and 1 - s. */
static gjk_vec3 point_between(gjk_vec3 a, gjk_vec3 b, double of_b, double of_a) {
    return gjk_add3(a, gjk_scale3(of_b / (of_b + of_a), gjk_sub3(b, a)));
}

static gjk_vec3 nearest_on_triangle(const gjk_vec3 corners[3], gjk_vec3 p) {
    const gjk_vec3 a = corners[0], b = corners[1], c = corners[2];
    const gjk_vec3 ab = gjk_sub3(b, a), ac = gjk_sub3(c, a);
    const gjk_vec3 ap = gjk_sub3(p, a), bp = gjk_sub3(p, b), cp = gjk_sub3(p, c);
    const double d1 = gjk_dot3(ab, ap), d2 = gjk_dot3(ac, ap);
    if (d1 <= 0.0 && d2 <= 0.0) {
        return a;
    }
    const double d3 = gjk_dot3(ab, bp), d4 = gjk_dot3(ac, bp);
    if (d3 >= 0.0 && d4 <= d3) {
        return b;
    }
    const double of_c = d1 * d4 - d3 * d2;
    if (of_c <= 0.0 && d1 >= 0.0 && d3 <= 0.0) {
        return point_between(a, b, d1, -d3);
    }
    const double d5 = gjk_dot3(ab, cp), d6 = gjk_dot3(ac, cp);
    if (d6 >= 0.0 && d5 <= d6) {
        return c;
    }
    const double of_b = d5 * d2 - d1 * d6;
    if (of_b <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
        return point_between(a, c, d2, -d6);
    }
    const double of_a = d3 * d6 - d5 * d4;
    if (of_a <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
        return point_between(b, c, d4 - d3, d5 - d6);
    }
    const double whole = of_a + of_b + of_c;
    return gjk_add3(a, gjk_add3(gjk_scale3(of_b / whole, ab), gjk_scale3(of_c / whole, ac)));
}

/* Returns the minimum of direction . x over a placed shape. */
static double least_along(const gjk_placed *placed, gjk_vec3 direction) {
    const gjk_shape *shape = placed->shape;
    const gjk_vec3 d = gjk_neg3(gjk_mul3_transposed(&placed->pose.rotation, direction));
    const gjk_vec3 point = gjk_add3(gjk_support_of(shape, d), shape->offset);
    return gjk_dot3(direction, placed->pose.position) - gjk_dot3(d, point) - shape->radius;
}

/* Scales v to unit length. Returns false if v is too short to have a direction. */
static bool normalise(gjk_vec3 *v) {
    const double square = gjk_dot3(*v, *v);
    if (!(square > 0x1p-900) || !(square < INFINITY)) {
        return false;
    }
    *v = gjk_scale3(1.0 / sqrt(square), *v);
    return true;
}

static const gjk_gap no_gap = {{0, 0, 0}, -INFINITY};

static gjk_gap thin_gap(const struct gjk_pieces *pieces, const gjk_vec3 corners[3],
                        const gjk_seen *seen, gjk_vec3 shift) {
    const gjk_vec3 center = gjk_add3(seen->center, shift);
    gjk_vec3 from = center, to = nearest_on_triangle(corners, center);
    const double square = gjk_dot3(seen->half, seen->half);
    if (square > 0.0) {
        const double part = gjk_dot3(gjk_sub3(to, center), seen->half) / square;
        from = gjk_add3(center, gjk_scale3(gjk_larger(-1.0, gjk_smaller(part, 1.0)), seen->half));
        to = nearest_on_triangle(corners, from);
    }
    gjk_vec3 direction = gjk_sub3(from, to);
    if (!normalise(&direction)) {
        return no_gap;
    }
    const double most =
        gjk_larger(gjk_dot3(direction, corners[0]),
                   gjk_larger(gjk_dot3(direction, corners[1]), gjk_dot3(direction, corners[2])));
    const double least = least_along(&seen->placed, direction) + gjk_dot3(direction, shift);
    return (gjk_gap){direction, least - most - pieces->rounding};
}

gjk_gap gjk_piece_gap(const struct gjk_pieces *pieces, uint32_t i, const gjk_seen *seen,
                      gjk_vec3 shift) {
    gjk_vec3 corners[3];
    if (gjk_pieces_corners(pieces, i, corners)) {
        return thin_gap(pieces, corners, seen, shift);
    }
    gjk_piece piece;
    gjk_piece_make_own(pieces, i, &piece);
    const gjk_vec3 from = gjk_pose_apply(&piece.placed.pose, piece.placed.shape->center);
    gjk_vec3 direction = gjk_sub3(gjk_add3(seen->center, shift), from);
    if (!normalise(&direction)) {
        return no_gap;
    }
    const double most = -least_along(&piece.placed, gjk_neg3(direction));
    const double least = least_along(&seen->placed, direction) + gjk_dot3(direction, shift);
    return (gjk_gap){direction, least - most};
}

void gjk_leaf_gap_lengths(const struct gjk_pieces *pieces, uint32_t first, uint32_t count,
                          const gjk_seen *seen, double lengths[GJK_PIECES_LEAF]) {
    gjk_leaf_corners corners;
    gjk_leaf_gaps gaps;
    if (GJK_IS_SMALL || !gjk_pieces_leaf(pieces, first, count, &corners)) {
        for (uint32_t k = 0; k < count; k++) {
            const uint32_t piece = gjk_slot_piece(&pieces->tree, first + k);
            lengths[k] = gjk_piece_gap(pieces, piece, seen, (gjk_vec3){0, 0, 0}).length;
        }
        return;
    }
    GJK_FASTEST(gjk_find_gaps_plain, gjk_find_gaps_avx2, gjk_find_gaps_avx512)
    (corners.at, seen->center, &gaps);
    for (uint32_t k = 0; k < count; k++) {
        const gjk_vec3 direction = {gaps.x[k], gaps.y[k], gaps.z[k]};
        const double least = least_along(&seen->placed, direction);
        lengths[k] = least - gaps.most[k] - pieces->rounding;
    }
}

/* Seeds: one point of each connected component of triangles, found by union-find over the vertices
 * that they share (Tarjan 1975, with path halving; the root is the least vertex of a component). */

static uint32_t find_root(uint32_t *parents, uint32_t v) {
    while (parents[v] != v) {
        parents[v] = parents[parents[v]];
        v = parents[v];
    }
    return v;
}

static void link(uint32_t *parents, uint32_t v, uint32_t w) {
    const uint32_t a = find_root(parents, v), b = find_root(parents, w);
    parents[a > b ? a : b] = a > b ? b : a;
}

/* Finds the vertex indices of triangle i. Returns false if it is in a hole of a height field. */
static bool vertices_of(const struct gjk_pieces *pieces, uint32_t i, uint32_t indices[3]) {
    if (pieces->type == GJK_HEIGHTFIELD) {
        return find_samples(&pieces->heightfield, i, indices);
    }
    memcpy(indices, pieces->mesh.triangles[i], 3 * sizeof indices[0]);
    return true;
}

/* Links the vertices of each triangle and marks the roots of components with triangles. Returns the
 * number of these components. */
static uint32_t link_triangles(const struct gjk_pieces *pieces, uint32_t vertex_count,
                               const uint32_t *welded, uint32_t *parents, bool *is_seed) {
    uint32_t indices[3], count = 0;
    for (uint32_t v = 0; v < vertex_count; v++) {
        parents[v] = v;
    }
    for (uint32_t v = 0; welded != NULL && v < vertex_count; v++) {
        link(parents, v, welded[v]);
    }
    for (uint32_t i = 0; i < pieces->count; i++) {
        if (vertices_of(pieces, i, indices)) {
            link(parents, indices[0], indices[1]);
            link(parents, indices[0], indices[2]);
        }
    }
    for (uint32_t i = 0; i < pieces->count; i++) {
        if (vertices_of(pieces, i, indices)) {
            const uint32_t root = find_root(parents, indices[0]);
            count += !is_seed[root];
            is_seed[root] = true;
        }
    }
    return count;
}

gjk_status gjk_pieces_find_seeds(struct gjk_pieces *pieces, const uint32_t *welded) {
    const gjk_heightfield *field = &pieces->heightfield;
    const bool is_grid = pieces->type == GJK_HEIGHTFIELD;
    const uint32_t vertices = is_grid ? field->columns * field->rows : pieces->mesh.vertex_count;
    uint32_t *parents = malloc(vertices * sizeof *parents);
    bool *is_seed = calloc(vertices, sizeof *is_seed);
    gjk_vec3 *seeds = NULL;
    if (parents != NULL && is_seed != NULL) {
        const uint32_t count = link_triangles(pieces, vertices, welded, parents, is_seed);
        seeds = gjk_arena_alloc_array(&pieces->memory, count, sizeof *seeds);
    }
    for (uint32_t v = 0; seeds != NULL && v < vertices; v++) {
        if (is_seed[v]) {
            seeds[pieces->seed_count++] =
                is_grid ? grid_point(field, v % field->columns, v / field->columns)
                        : pieces->mesh.vertices[v];
        }
    }
    free(parents);
    free(is_seed);
    pieces->seeds = seeds;
    return seeds != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
}
