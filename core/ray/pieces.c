/*
 * Rays at shapes of many pieces: the first hit, and the exit from a shape.
 *
 * The first hit is found by a walk of the tree, nearest boxes first. The triangles of a leaf first
 * undergo a rejection test (misses.h); the others are cast at as convex shapes, so the answer is
 * that of the piece alone, and a ray through an edge that two triangles share hits at least one of
 * them.
 */

#include "ray/general/general.h"

#include "base/lanes.h"
#include "base/numbers.h"
#include "pair/pieces/pieces.h"
#include "ray/closed/closed_forms.h"
#include "ray/search.h"
#include "shape/box.h"
#include "shape/pieces/pieces.h"
#include "shape/pieces/walk.h"

/* Reach of a mesh, in units of its size, above which points in it need double-double. */
#define FAR_SIZES 4.0

static bool has_triangles(const struct gjk_pieces *pieces) {
    return pieces->type == GJK_MESH || pieces->type == GJK_HEIGHTFIELD;
}

/* Returns at least the length of v, and at most 1.8 times it. */
static double long_length(gjk_vec3 v) {
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

/* Returns true if the ray comes from behind a face. False for an origin on the face. */
static bool comes_from_behind(const gjk_ray_search *search, const gjk_vec3 corners[3]) {
    const double tolerance = search->settings->tolerance;
    const gjk_vec3 p = gjk_sub3(corners[1], corners[0]), q = gjk_sub3(corners[2], corners[1]);
    const double longest =
        gjk_larger(long_length(p), gjk_larger(long_length(q), long_length(gjk_add3(p, q))));
    const double near = 8.0 * gjk_larger(tolerance * longest, search->rounding) +
                        search->target->shape->pieces->rounding;
    const gjk_vec3 normal = gjk_cross3(p, q);
    const double height = gjk_dot3(normal, gjk_sub3(corners[0], search->origin));
    return gjk_dot3(normal, search->direction) > 0.0 &&
           fabs(height) > 2.0 * near * gjk_length3(normal);
}

/* Returns true if the ray certainly misses the bounding ball of a part of a compound. */
static bool misses_part(const gjk_ray_search *search, const gjk_placed *part) {
    const gjk_shape *shape = part->shape;
    const gjk_vec3 center = gjk_pose_apply(&part->pose, shape->center);
    const gjk_vec3 off = gjk_sub3(center, search->origin);
    const double along = gjk_dot3(off, search->direction);
    const gjk_vec3 beside = gjk_sub3(off, gjk_scale3(along, search->direction));
    const double near = shape->bounding_radius +
                        8.0 * (search->settings->tolerance * shape->size + search->rounding) +
                        0x1p-48 * fabs(along);
    return gjk_dot3(beside, beside) > near * near || along < -near || along - near > search->bound;
}

/* Sets the normal of a hit to that of the triangle, also at its edges and corners, if the triangles
 * are not rounded. */
static void use_face_normal(const gjk_placed *target, const gjk_ray *ray, gjk_ray_result *result) {
    const struct gjk_pieces *pieces = target->shape->pieces;
    if (!has_triangles(pieces) || pieces->rounding > 0.0 || !result->has_normal) {
        return;
    }
    gjk_vec3 normal = gjk_pieces_normal(pieces, result->piece);
    const double length = gjk_length3(normal);
    if (!(length > 0.0) || !(length < INFINITY)) {
        return;
    }
    normal = gjk_mul3(&target->pose.rotation, gjk_scale3(1.0 / length, normal));
    if (gjk_dot3(normal, ray->direction) > 0.0) {
        normal = gjk_neg3(normal);
    }
    result->normal = gjk_no_minus_zero3(normal);
}

/* Returns true if the ray's origin is inside a closed mesh. */
static bool starts_in_solid(const gjk_placed *target, gjk_vec3 origin, gjk_budget *budget) {
    const gjk_shape *shape = target->shape;
    const gjk_pose *pose = &target->pose;
    if (!gjk_shape_is_solid(shape)) {
        return false;
    }
    const gjk_vec3 own = gjk_mul3_transposed(&pose->rotation, gjk_sub3(origin, pose->position));
    const gjk_vec3 off = gjk_sub3(own, shape->center), half = shape->half_extents;
    const double slack = 0x1p-48 * (long_length(own) + shape->reach);
    if (fabs(off.x) > half.x + slack || fabs(off.y) > half.y + slack ||
        fabs(off.z) > half.z + slack) {
        return false;
    }
    return shape->reach > FAR_SIZES * shape->size
               ? gjk_mesh_encloses_place(target, gjk_wide3_of(origin), own, budget)
               : gjk_mesh_encloses(shape->pieces, own, budget);
}

/* Inside comes first, then the nearest, then the least piece. */
static bool is_better_hit(const gjk_ray_result *p, const gjk_ray_result *best) {
    if (p->inside != best->inside) {
        return p->inside;
    }
    return p->distance != best->distance ? p->distance < best->distance : p->piece < best->piece;
}

/* Casts the ray at one piece. For a triangle without rounding no shape is made, unless the hit is
 * doubtful. */
static void cast_at_piece(const gjk_ray_search *search, uint32_t index, gjk_ray_result *result) {
    const gjk_placed *target = search->target;
    const struct gjk_pieces *pieces = target->shape->pieces;
    gjk_vec3 made[4];
    if (has_triangles(pieces) && pieces->rounding == 0.0) {
        const gjk_vec3 *corners[3] = {&made[0], &made[1], &made[2]};
        if (pieces->type == GJK_MESH) {
            for (int k = 0; k < 3; k++) {
                corners[k] = &pieces->mesh.vertices[pieces->mesh.triangles[index][k]];
            }
        } else {
            gjk_pieces_triangle(pieces, index, made);
            made[3] = made[0]; /* one more number is read */
        }
        if (GJK_FASTEST(gjk_ray_at_triangle_plain, gjk_ray_at_triangle_avx2,
                        gjk_ray_at_triangle_avx512)(target, corners, search->ray,
                                                    search->settings->tolerance, result)) {
            result->piece = index;
            return;
        }
    }
    gjk_ray_settings solid = *search->settings;
    gjk_piece piece;
    solid.solid = true;
    gjk_piece_make(target, index, &piece);
    gjk_raycast_into(&piece.placed, search->ray, &solid, result);
    result->piece = index;
    if (result->hit) {
        use_face_normal(target, search->ray, result);
    }
}

/* Returns true if the ray passes through the piece without a hit being possible. */
static bool passes_piece(const gjk_ray_search *search, uint32_t index) {
    const struct gjk_pieces *pieces = search->target->shape->pieces;
    gjk_vec3 corners[3];
    if (pieces->type == GJK_COMPOUND) {
        return misses_part(search, &pieces->compound.parts[index]);
    }
    if (pieces->one_sided) {
        gjk_pieces_triangle(pieces, index, corners);
        return comes_from_behind(search, corners);
    }
    return false;
}

static void try_piece(gjk_ray_search *search, uint32_t index) {
    const struct gjk_pieces *pieces = search->target->shape->pieces;
    gjk_ray_result other, *result = search->found ? &other : search->result;
    cast_at_piece(search, index, result);
    const bool passes = pieces->one_sided && !result->inside &&
                        gjk_dot3(gjk_pieces_normal(pieces, index), search->direction) > 0.0;
    if (!result->hit || passes || (search->found && !is_better_hit(result, search->result))) {
        return;
    }
    if (search->found) {
        gjk_ray_put(&other, search->result);
    }
    search->found = true;
    search->bound = result->distance;
}

void gjk_ray_search_leaf(gjk_ray_search *search, uint32_t first, uint32_t asked) {
    const gjk_pieces_tree *tree = &search->target->shape->pieces->tree;
    for (; asked != 0; asked &= asked - 1) {
        const uint32_t index = gjk_slot_piece(tree, first + (uint32_t)__builtin_ctz(asked));
        if (!passes_piece(search, index)) {
            try_piece(search, index);
        }
    }
}

/* An origin inside a piece is a hit. */
void gjk_raycast_pieces(const gjk_placed *target, const gjk_ray *ray,
                        const gjk_ray_settings *settings, gjk_ray_result *result) {
    gjk_budget *budget = settings->budget;
    if (starts_in_solid(target, ray->origin, budget) && !gjk_budget_is_spent(budget)) {
        *result = gjk_ray_inside(ray, settings);
        result->piece = GJK_NO_PIECE;
        return;
    }
    gjk_ray_search search;
    search.target = target;
    search.ray = ray;
    search.settings = settings;
    search.result = result;
    search.takes_any = settings->any && settings->solid; /* else the origin may be in any piece */
    GJK_FASTEST(gjk_ray_search_plain, gjk_ray_search_avx2, gjk_ray_search_avx512)(&search);
    if (gjk_budget_is_spent(budget)) {
        *result = (gjk_ray_result){.given_up = true, .piece = GJK_NO_PIECE};
    } else if (!search.found || search.takes_any) {
        *result = (gjk_ray_result){.hit = search.found, .piece = GJK_NO_PIECE};
    } else if (result->inside && !settings->solid) {
        *result = (gjk_ray_result){.inside = true, .piece = GJK_NO_PIECE};
    } else {
        result->has_material =
            gjk_piece_material(target->shape->pieces, result->piece, &result->material);
    }
}

/*
 * The exit from a shape. Positions are relative to the hit, in double-double, so that the numbers
 * are as small as the shape, wherever it is. A convex shape contains the part of the line between
 * the first hits of two rays of opposite directions. For a union of pieces these intervals are
 * joined: from the end of the union so far, a walk of the tree finds the piece that extends it
 * farthest, and the first piece that begins later. In a closed mesh the gap up to the latter is
 * entirely inside or outside; the point in its middle decides.
 *
 * Each piece extends the union at most once, and ends a gap at most once, so there are at most
 * twice as many walks as pieces.
 */

/* Least cosine between ray and normal by which an error is divided: that of a ray that grazes a
 * curve within rounding. */
#define RATE_LEAST 0x1p-26

/* Steps of the budget for the rays at a convex shape, besides one for each of its points. */
#define STEPS 24

/* A shape, and the ray from the hit on. */
typedef struct way_out {
    const gjk_placed *target;
    gjk_wide3 start; /* the hit, in world axes */
    gjk_vec3 direction;
    double reach; /* remaining part of max_distance */
    gjk_ray_settings settings;
    gjk_vec3 own_start, own_direction; /* in the shape's own frame */
    double t, error;                   /* end of the union so far, and its error */
    uint32_t piece;                    /* the piece that ends there */
} way_out;

/* One end of the interval of the line inside a convex shape. */
typedef struct line_end {
    double t, error; /* error: bound of the displacement of t by rounding */
    double rounding; /* rounding error of the numbers from which t is computed */
} line_end;

/* The interval of the line inside a piece, and the index of the piece. */
typedef struct stay {
    line_end enter, leave;
    uint32_t piece;
} stay;

/* Returns one component of from + t * direction. */
static gjk_double_double at_length(double high, double low, double t, double rate) {
    return gjk_dd_add((gjk_double_double){high, low}, gjk_two_product(t, rate));
}

static gjk_wide3 move_on(gjk_wide3 from, double t, gjk_vec3 direction) {
    const gjk_double_double x = at_length(from.high.x, from.low.x, t, direction.x),
                            y = at_length(from.high.y, from.low.y, t, direction.y),
                            z = at_length(from.high.z, from.low.z, t, direction.z);
    return (gjk_wide3){{x.high, y.high, z.high}, {x.low, y.low, z.low}};
}

static way_out make_way_out(const gjk_placed *target, const gjk_ray *ray, const gjk_ray_result *hit,
                            const gjk_ray_settings *settings) {
    way_out way = {
        .target = target,
        .start = move_on(gjk_wide3_of(ray->origin), hit->distance, ray->direction),
        .direction = ray->direction,
        .reach = ray->max_distance - hit->distance,
        .settings = *settings,
        .piece = hit->piece,
    };
    way.settings.solid = true;
    return way;
}

/* Finds the first point at which a line through the origin meets a convex shape. Returns false if
 * it misses. */
static bool meet_piece(const way_out *way, const gjk_placed *placed, gjk_vec3 direction,
                       line_end *out) {
    const gjk_shape *shape = placed->shape;
    const gjk_vec3 center = gjk_pose_apply(&placed->pose, shape->center);
    const double middle = gjk_dot3(center, direction);
    /* Starts at least two radii before the middle; a power of two keeps round numbers exact. */
    int exponent;
    (void)frexp(shape->bounding_radius > 0.0 ? shape->bounding_radius : middle, &exponent);
    const double from = middle - ldexp(2.0, exponent);
    const gjk_ray ray = {gjk_scale3(from, direction), direction, INFINITY};
    const gjk_ray_result hit = gjk_raycast(placed, &ray, &way->settings);
    const double rate = hit.has_normal ? -gjk_dot3(hit.normal, direction) : 1.0;
    const double numbers = gjk_largest3(placed->pose.position) + shape->reach + fabs(from);
    out->t = from + hit.distance;
    out->rounding = GJK_ROUNDING * numbers;
    out->error = 4.0 * out->rounding / gjk_larger(rate, RATE_LEAST);
    return hit.hit;
}

/* Places a convex shape relative to way->start. */
static void bring_near_way(const way_out *way, const gjk_placed *convex, gjk_near_shape *near) {
    const gjk_wide3 at = gjk_near_make(convex, near);
    near->placed.pose.position = gjk_wide3_sub(at, way->start);
}

/* Finds the exit of the line from a convex shape. Returns false if it misses. */
static bool find_leave(const way_out *way, const gjk_near_shape *near, line_end *out) {
    const bool leaves = meet_piece(way, &near->placed, gjk_neg3(way->direction), out);
    out->t = -out->t;
    return leaves;
}

static void advance_to(way_out *way, const line_end *end, uint32_t piece) {
    way->t = gjk_larger(end->t, way->t);
    way->error = end->error;
    way->piece = piece;
}

/* Spends the steps for the rays at a convex shape. Returns true if the budget is exhausted. */
static bool spend(const way_out *way, const gjk_placed *convex) {
    return gjk_budget_spend(way->settings.budget, STEPS + convex->shape->count);
}

/* Advances to the exit from the convex shape that was hit. */
static void leave_hit(way_out *way, const gjk_placed *convex) {
    gjk_near_shape near;
    line_end out;
    bring_near_way(way, convex, &near);
    if (!spend(way, convex) && find_leave(way, &near, &out)) {
        advance_to(way, &out, way->piece);
    }
}

/* Returns true if there is a gap of more than rounding between two pieces. */
static bool are_apart(const way_out *way, uint32_t i, uint32_t j) {
    const struct gjk_pieces *pieces = way->target->shape->pieces;
    const gjk_distance_settings settings = gjk_distance_settings_default();
    gjk_piece a, b;
    gjk_piece_make_own(pieces, i, &a);
    gjk_piece_make_own(pieces, j, &b);
    (void)spend(way, &a.placed);
    (void)spend(way, &b.placed);
    const double size = gjk_larger(a.placed.shape->size, b.placed.shape->size);
    return gjk_distance(&a.placed, &b.placed, &settings).lower_bound > 4.0 * GJK_ROUNDING * size;
}

/* Returns true if a piece begins before the union so far ends. If that is within rounding, returns
 * true if the piece touches the one that ends there. */
static bool joins(const way_out *way, const stay *found) {
    const double doubt = way->error + found->enter.error;
    if (fabs(found->enter.t - way->t) > doubt) {
        return found->enter.t < way->t;
    }
    return way->piece == GJK_NO_PIECE || !are_apart(way, way->piece, found->piece);
}

/* Begins a walk from way->t on over pieces within the distance `bound`. */
static void start_walk(const way_out *way, double bound, gjk_pieces_walk *walk) {
    const gjk_shape *shape = way->target->shape;
    const gjk_pieces_tree *tree = &shape->pieces->tree;
    const gjk_vec3 at = gjk_add3(way->own_start, gjk_scale3(way->t, way->own_direction));
    const gjk_bounds point = {at, at};
    const double rounding = 0x1p-46 * (gjk_largest3(at) + way->t + shape->reach);
    gjk_pieces_walk_begin(walk, tree, GJK_WALK_SWEEP, &point, rounding, bound,
                          way->settings.budget);
    gjk_pieces_walk_along(walk, way->own_direction);
}

/* Finds the piece that extends the union farthest beyond way->t and, in a solid, the first piece
 * that begins later. Their index is GJK_NO_PIECE if there is none. */
static void look_ahead(way_out *way, stay *farthest, stay *next) {
    const gjk_pieces_tree *tree = &way->target->shape->pieces->tree;
    const double doubt = 2.0 * way->error;
    gjk_near_shape near;
    gjk_pieces_walk walk;
    uint32_t first, count;
    *farthest = *next = (stay){.piece = GJK_NO_PIECE};
    /* In a solid the walk continues past the ray's end, which may be in the gap before a piece. */
    start_walk(way, gjk_shape_is_solid(way->target->shape) ? INFINITY : doubt, &walk);
    while (gjk_pieces_walk_next(&walk, &first, &count)) {
        for (uint32_t slot = first; slot < first + count; slot++) {
            gjk_piece piece;
            stay found = {.piece = gjk_slot_piece(tree, slot)};
            gjk_piece_make(way->target, found.piece, &piece);
            if (spend(way, &piece.placed)) {
                return;
            }
            bring_near_way(way, &piece.placed, &near);
            if (!find_leave(way, &near, &found.leave) ||
                found.leave.t <= way->t + found.leave.rounding) {
                continue;
            }
            if (!meet_piece(way, &near.placed, way->direction, &found.enter) ||
                found.enter.t > found.leave.t) {
                found.enter.t = found.leave.t;
            }
            if (joins(way, &found)) {
                const bool is_farther =
                    farthest->piece == GJK_NO_PIECE || found.leave.t > farthest->leave.t;
                *farthest = is_farther ? found : *farthest;
            } else if (next->piece == GJK_NO_PIECE || found.enter.t < next->enter.t) {
                *next = found;
                walk.bound = gjk_smaller(walk.bound, gjk_larger(doubt, found.enter.t - way->t +
                                                                           found.enter.error));
            }
        }
    }
}

/* Returns true if the gap from way->t to the next piece is inside a closed mesh. */
static bool is_inside_until(way_out *way, const stay *next) {
    const double middle = 0.5 * (way->t + gjk_larger(next->enter.t, way->t));
    const gjk_vec3 near = gjk_add3(way->own_start, gjk_scale3(middle, way->own_direction));
    return gjk_mesh_encloses_place(way->target, move_on(way->start, middle, way->direction), near,
                                   way->settings.budget);
}

/* Extends the union by a piece, or through the solid to the next piece. Returns false at the
 * exit. */
static bool extend_union(way_out *way) {
    stay farthest, next;
    look_ahead(way, &farthest, &next);
    if (farthest.piece != GJK_NO_PIECE) {
        advance_to(way, &farthest.leave, farthest.piece);
    } else if (gjk_shape_is_solid(way->target->shape) && next.piece != GJK_NO_PIECE &&
               is_inside_until(way, &next)) {
        advance_to(way, &next.enter, next.piece);
    } else {
        return false;
    }
    return way->t < way->reach && !gjk_budget_is_spent(way->settings.budget);
}

/* Advances to the exit from the union of all pieces. */
static void leave_pieces(way_out *way) {
    const gjk_pose *pose = &way->target->pose;
    const gjk_vec3 off = gjk_wide3_sub(way->start, gjk_wide3_of(pose->position));
    way->own_start = gjk_mul3_transposed(&pose->rotation, off);
    way->own_direction = gjk_mul3_transposed(&pose->rotation, way->direction);
    if (way->piece != GJK_NO_PIECE) {
        gjk_piece piece;
        gjk_piece_make(way->target, way->piece, &piece);
        leave_hit(way, &piece.placed);
    }
    bool goes_on = way->t < way->reach;
    while (goes_on) {
        goes_on = extend_union(way);
    }
}

gjk_status gjk_ray_exit(const gjk_placed *target, const gjk_ray *ray, const gjk_ray_result *hit,
                        const gjk_ray_settings *settings, double *exit) {
    GJK_ASSERT(hit->hit);
    way_out way = make_way_out(target, ray, hit, settings);
    if (target->shape->pieces == NULL) {
        leave_hit(&way, target);
    } else {
        leave_pieces(&way);
    }
    /* A shape whose thickness is within rounding counts as having none. */
    const double out = hit->distance + (way.t > way.error ? way.t : 0.0);
    *exit = gjk_smaller(out, ray->max_distance);
    return gjk_budget_is_spent(settings->budget) ? GJK_GIVEN_UP : GJK_OK;
}
