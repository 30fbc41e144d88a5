/*
 * Casts a ray at a shape of many pieces: down the tree, nearest boxes first. The triangles of a
 * leaf are first tested for a miss that is certain (triangle_misses.h); those that are left are
 * asked as convex shapes, so the answer is that of the piece alone, and a ray between two triangles
 * that share an edge hits at least one of them.
 */

#include "ray/pieces_ray.h"

#include "base/larger.h"
#include "pair/inside_mesh.h"
#include "ray/general.h"
#include "ray/triangle_misses.h"
#include "shape/pieces.h"
#include "shape/pieces_walk.h"

/* How many of its sizes a mesh reaches from its own origin before places in it take more digits. */
#define FAR_SIZES 4.0

/* A ray as the pieces see it. */
typedef struct piece_ray {
    const struct gjk_pieces *pieces;
    bool one_sided;   /* faces seen from behind are passed */
    gjk_miss_ray own; /* in the shape's own frame */
} piece_ray;

static bool has_triangles(const struct gjk_pieces *pieces) {
    return pieces->type == GJK_MESH || pieces->type == GJK_HEIGHTFIELD;
}

/* At least the length, and at most 1.8 times it. */
static double long_length(gjk_vec3 v) {
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

/* Does the ray come from behind a face that has one side only? An origin on the face is on no side. */
static bool comes_from_behind(const piece_ray *ray, const gjk_vec3 corners[3]) {
    const gjk_vec3 p = gjk_sub3(corners[1], corners[0]), q = gjk_sub3(corners[2], corners[1]);
    const double longest =
        gjk_larger(long_length(p), gjk_larger(long_length(q), long_length(gjk_add3(p, q))));
    const double near = 8.0 * gjk_larger(ray->own.tolerance * longest, ray->own.rounding);
    const gjk_vec3 normal = gjk_cross3(p, q);
    const double height = gjk_dot3(normal, gjk_sub3(corners[0], ray->own.origin));
    return gjk_dot3(normal, ray->own.direction) > 0.0 &&
           fabs(height) > 2.0 * (near + ray->pieces->rounding) * gjk_length3(normal);
}

/* Returns true if the ray is certain to miss the ball around a part of a compound. */
static bool misses_part(const piece_ray *ray, const gjk_placed *part, double bound) {
    const gjk_shape *shape = part->shape;
    const gjk_vec3 center = gjk_pose_apply(&part->pose, shape->center);
    const gjk_vec3 off = gjk_sub3(center, ray->own.origin);
    const double along = gjk_dot3(off, ray->own.direction);
    const gjk_vec3 beside = gjk_sub3(off, gjk_scale3(along, ray->own.direction));
    const double near = shape->bounding_radius +
                        8.0 * (ray->own.tolerance * shape->size + ray->own.rounding) +
                        0x1p-48 * fabs(along);
    return gjk_dot3(beside, beside) > near * near || along < -near || along - near > bound;
}

static uint32_t find_missed_parts(const piece_ray *ray, uint32_t first, uint32_t count,
                                  double bound) {
    const struct gjk_pieces *pieces = ray->pieces;
    uint32_t left_out = 0;
    for (uint32_t k = 0; k < count && pieces->type == GJK_COMPOUND; k++) {
        const gjk_placed *part = &pieces->compound.parts[pieces->tree.order[first + k]];
        left_out |= (uint32_t)misses_part(ray, part, bound) << k;
    }
    return left_out;
}

/* The bits of those of a leaf's pieces that need not be asked, for hits up to `bound`. */
static uint32_t find_left_out(const piece_ray *ray, uint32_t first, uint32_t count, double bound) {
    const struct gjk_pieces *pieces = ray->pieces;
    if (!has_triangles(pieces)) {
        return find_missed_parts(ray, first, count, bound);
    }
    gjk_vec3 corners[GJK_PIECES_LEAF][3];
    for (uint32_t k = 0; k < GJK_PIECES_LEAF; k++) {
        const uint32_t piece = pieces->tree.order[first + (k < count ? k : 0)];
        if (pieces->type == GJK_MESH) {
            gjk_mesh_triangle(&pieces->mesh, piece, corners[k]);
        } else {
            gjk_pieces_triangle(pieces, piece, corners[k]);
        }
    }
    uint32_t left_out = pieces->rounding == 0.0
                            ? gjk_triangle_misses(&ray->own, (const gjk_vec3(*)[3])corners, bound)
                            : 0;
    for (uint32_t k = 0; k < count && ray->one_sided; k++) {
        left_out |= (uint32_t)comes_from_behind(ray, corners[k]) << k;
    }
    return left_out;
}

/* Is the triangle that was hit seen from behind? */
static bool is_hit_from_behind(const piece_ray *ray, uint32_t piece) {
    gjk_vec3 corners[3];
    gjk_pieces_triangle(ray->pieces, piece, corners);
    const gjk_vec3 normal =
        gjk_cross3(gjk_sub3(corners[1], corners[0]), gjk_sub3(corners[2], corners[0]));
    return gjk_dot3(normal, ray->own.direction) > 0.0;
}

static piece_ray make_own(const gjk_placed *target, const gjk_ray *ray, double tolerance) {
    const gjk_mat3 *rotation = &target->pose.rotation;
    const gjk_vec3 off = gjk_sub3(ray->origin, target->pose.position);
    const gjk_vec3 origin = gjk_mul3_transposed(rotation, off);
    return (piece_ray){
        .pieces = target->shape->pieces,
        .one_sided = target->shape->pieces->one_sided,
        .own = {origin, gjk_mul3_transposed(rotation, ray->direction), tolerance,
                0x1p-48 * (long_length(origin) + target->shape->reach)},
    };
}

/* A triangle without rounding answers with its own normal, at its edges and corners too. */
static void take_face_normal(const gjk_placed *target, const gjk_ray *ray, gjk_ray_result *result) {
    const struct gjk_pieces *pieces = target->shape->pieces;
    if (!has_triangles(pieces) || pieces->rounding > 0.0 || !result->has_normal) {
        return;
    }
    gjk_vec3 corners[3];
    gjk_pieces_triangle(pieces, result->piece, corners);
    gjk_vec3 normal =
        gjk_cross3(gjk_sub3(corners[1], corners[0]), gjk_sub3(corners[2], corners[0]));
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

/* Returns true if the ray's origin is in the solid of a closed mesh. */
static bool starts_in_solid(const piece_ray *ray, const gjk_placed *target, gjk_vec3 origin,
                            gjk_budget *budget) {
    const gjk_shape *shape = target->shape;
    const gjk_vec3 off = gjk_sub3(ray->own.origin, shape->center), half = shape->half_extents;
    const double slack = ray->own.rounding;
    if (ray->pieces->type != GJK_MESH || !ray->pieces->closed || fabs(off.x) > half.x + slack ||
        fabs(off.y) > half.y + slack || fabs(off.z) > half.z + slack) {
        return false;
    }
    return shape->reach > FAR_SIZES * shape->size
               ? gjk_mesh_encloses_place(target, gjk_wide3_of(origin), ray->own.origin, budget)
               : gjk_mesh_encloses(ray->pieces, ray->own.origin, budget);
}

/* Inside comes first, then the nearest, then the least piece. */
static bool is_better(const gjk_ray_result *p, const gjk_ray_result *best) {
    if (!best->hit || p->inside != best->inside) {
        return !best->hit || p->inside;
    }
    return p->distance != best->distance ? p->distance < best->distance : p->piece < best->piece;
}

/* State of a search over the pieces. */
typedef struct piece_search {
    const gjk_placed *target;
    const gjk_ray *ray;
    const gjk_ray_settings *settings;
    const piece_ray *seen;
    gjk_pieces_walk walk;
    gjk_ray_result best;
} piece_search;

static void ask_piece(piece_search *search, uint32_t index) {
    gjk_piece piece;
    gjk_piece_make(search->target, index, &piece);
    gjk_ray_result result = gjk_raycast(&piece.placed, search->ray, search->settings);
    result.piece = index;
    const bool passes =
        search->seen->one_sided && !result.inside && is_hit_from_behind(search->seen, index);
    if (result.hit && !passes && is_better(&result, &search->best)) {
        search->best = result;
        search->walk.bound = result.distance;
    }
}

/* The first hit among the pieces, an origin in one of them included. */
static gjk_ray_result first_hit(const gjk_placed *target, const gjk_ray *ray,
                                const gjk_ray_settings *settings, const piece_ray *seen,
                                gjk_budget *budget) {
    const gjk_pieces_tree *tree = &seen->pieces->tree;
    const double slack = 8.0 * (settings->tolerance * target->shape->size + seen->own.rounding);
    const gjk_bounds point = {seen->own.origin, seen->own.origin};
    gjk_pieces_query query = gjk_pieces_query_make(tree, GJK_WALK_SWEEP, &point, slack);
    gjk_pieces_query_sweep(tree, seen->own.direction, &query);
    piece_search search;
    search.target = target;
    search.ray = ray;
    search.settings = settings;
    search.seen = seen;
    search.best = (gjk_ray_result){.piece = GJK_NO_PIECE};
    uint32_t first, count;
    gjk_pieces_walk_init(&search.walk, tree, &query, ray->max_distance, budget);
    while (gjk_pieces_walk_next(&search.walk, &first, &count)) {
        const uint32_t left_out = find_left_out(seen, first, count, search.walk.bound);
        for (uint32_t asked = ~left_out & ((1u << count) - 1); asked != 0; asked &= asked - 1) {
            ask_piece(&search, tree->order[first + (uint32_t)__builtin_ctz(asked)]);
        }
    }
    return search.best;
}

gjk_ray_result gjk_raycast_pieces(const gjk_placed *target, const gjk_ray *ray,
                                  const gjk_ray_settings *settings) {
    const piece_ray seen = make_own(target, ray, settings->tolerance);
    gjk_budget *budget = settings->budget;
    if (starts_in_solid(&seen, target, ray->origin, budget) && !gjk_budget_is_spent(budget)) {
        gjk_ray_result inside = gjk_ray_inside(ray, settings);
        inside.piece = GJK_NO_PIECE;
        return inside;
    }
    gjk_ray_settings solid = *settings;
    solid.solid = true;
    gjk_ray_result best = first_hit(target, ray, &solid, &seen, budget);
    if (gjk_budget_is_spent(budget)) {
        return (gjk_ray_result){.given_up = true, .piece = GJK_NO_PIECE};
    }
    if (best.inside && !settings->solid) {
        return (gjk_ray_result){.inside = true, .piece = GJK_NO_PIECE};
    }
    if (best.hit) {
        take_face_normal(target, ray, &best);
        best.has_material = gjk_piece_material(seen.pieces, best.piece, &best.material);
    }
    return best;
}
