/*
 * Casts where the moving shape or the target has pieces: the first contact among their pairs of
 * pieces. The target's tree is walked with the box of what moves, swept along the way; where what
 * moves has pieces too, its own tree is walked first with the target's box, swept the other way.
 */

#include "base/numbers.h"
#include "pair/pieces/inside_mesh.h"
#include "ray/pieces.h"
#include "shape/pieces/pieces.h"
#include "shape/pieces/walk.h"

#define POSE_ROUNDING 0x1p-46

typedef struct piece_cast {
    gjk_vec3 translation; /* of the moving shape, in the world */
    const gjk_cast_settings *settings;
    gjk_budget *budget;
    gjk_cast_result best;
} piece_cast;

/* Steps of the advancement, at most. */
#define ADVANCES 8

/* How far along the way contacts are of interest. */
static double bound_of(const piece_cast *cast) {
    return cast->best.hit ? cast->best.fraction : 1.0;
}

/* Returns true if a convex shape that moves along `way`, both in the whole's frame, cannot meet the
 * piece before the bound. By conservative advancement (Mirtich 1996): a gap along some direction
 * closes no faster than the shape moves along it. */
static bool surely_misses(const struct gjk_pieces *pieces, uint32_t piece, const gjk_seen *moving,
                          gjk_vec3 way, double bound, double slack) {
    double t = 0.0;
    for (int i = 0; i < ADVANCES; i++) {
        const gjk_gap gap = gjk_piece_gap(pieces, piece, moving, gjk_scale3(t, way));
        const double apart = gap.length - slack, speed = -gjk_dot3(gap.direction, way);
        if (!(apart > 0.0)) {
            return false;
        }
        if (speed <= 0.0) {
            return true;
        }
        t += apart / speed;
        if (t > bound) {
            return true;
        }
    }
    return false;
}

static bool is_better(const gjk_cast_result *p, const gjk_cast_result *best) {
    if (!best->hit || p->inside != best->inside) {
        return !best->hit || p->inside;
    }
    if (p->fraction != best->fraction) {
        return p->fraction < best->fraction;
    }
    return p->piece != best->piece ? p->piece < best->piece : p->moving_piece < best->moving_piece;
}

/* Does the way lead through a face that has one side only, from behind? */
static bool comes_from_behind(const gjk_placed *target, uint32_t piece, gjk_vec3 translation) {
    const struct gjk_pieces *pieces = target->shape->pieces;
    if (pieces == NULL || !pieces->one_sided) {
        return false;
    }
    gjk_vec3 corners[3];
    gjk_pieces_triangle(pieces, piece, corners);
    const gjk_vec3 normal =
        gjk_cross3(gjk_sub3(corners[1], corners[0]), gjk_sub3(corners[2], corners[0]));
    return gjk_dot3(gjk_mul3(&target->pose.rotation, normal), translation) > 0.0;
}

static void cast_at_piece(piece_cast *cast, const gjk_placed *moving, uint32_t moving_piece,
                          const gjk_placed *target, uint32_t piece, const gjk_placed *whole) {
    gjk_cast_result result = gjk_cast(moving, cast->translation, target, cast->settings);
    result.piece = piece;
    result.moving_piece = moving_piece;
    if (result.hit && !result.inside && piece != GJK_NO_PIECE &&
        comes_from_behind(whole, piece, cast->translation)) {
        return;
    }
    if (result.hit && is_better(&result, &cast->best)) {
        cast->best = result;
    }
}

static gjk_bounds box_in_frame(const gjk_pose *frame, const gjk_placed *placed) {
    const gjk_placed seen = {placed->shape, gjk_pose_relative(frame, &placed->pose)};
    return gjk_placed_bounds(&seen);
}

/* How much wider boxes must be than the pieces in them. */
static double slack_of(const gjk_placed *whole, const gjk_placed *other, double tolerance) {
    const gjk_vec3 p = whole->pose.position, q = other->pose.position;
    const double far = fabs(p.x) + fabs(p.y) + fabs(p.z) + fabs(q.x) + fabs(q.y) + fabs(q.z) +
                       whole->shape->reach + other->shape->reach;
    return POSE_ROUNDING * far +
           4.0 * tolerance * gjk_larger(whole->shape->size, other->shape->size);
}

/* Walks the tree of a whole with the box of `other`, which moves by `way` (in the world) against
 * it. */
static void start_walk(const gjk_placed *whole, const gjk_placed *other, gjk_vec3 way,
                       const piece_cast *cast, gjk_pieces_walk *walk) {
    const gjk_pieces_tree *tree = &whole->shape->pieces->tree;
    const double slack = slack_of(whole, other, cast->settings->tolerance);
    const gjk_bounds box = box_in_frame(&whole->pose, other);
    gjk_pieces_query query = gjk_pieces_query_make(tree, GJK_WALK_SWEEP, &box, slack);
    gjk_pieces_query_sweep(tree, gjk_mul3_transposed(&whole->pose.rotation, way), &query);
    gjk_pieces_walk_init(walk, tree, &query, bound_of(cast), cast->budget);
}

/* One convex piece of what moves against the whole target. */
static void cast_at_target(piece_cast *cast, const gjk_placed *moving, uint32_t moving_piece,
                           const gjk_placed *target) {
    const struct gjk_pieces *pieces = target->shape->pieces;
    if (pieces == NULL) {
        cast_at_piece(cast, moving, moving_piece, target, GJK_NO_PIECE, target);
        return;
    }
    gjk_pieces_walk walk;
    uint32_t first, count;
    const gjk_seen seen = gjk_seen_make(&target->pose, moving);
    const gjk_vec3 way = gjk_mul3_transposed(&target->pose.rotation, cast->translation);
    const double slack = slack_of(target, moving, cast->settings->tolerance) +
                         POSE_ROUNDING * (fabs(way.x) + fabs(way.y) + fabs(way.z));
    start_walk(target, moving, cast->translation, cast, &walk);
    while (gjk_pieces_walk_next(&walk, &first, &count)) {
        for (uint32_t slot = first; slot < first + count; slot++) {
            const uint32_t index = pieces->tree.order[slot];
            if (gjk_budget_spend(cast->budget, 32)) {
                return;
            }
            if (surely_misses(pieces, index, &seen, way, bound_of(cast), slack)) {
                continue;
            }
            gjk_piece piece;
            gjk_piece_make(target, index, &piece);
            cast_at_piece(cast, moving, moving_piece, &piece.placed, index, target);
        }
        walk.bound = bound_of(cast);
    }
}

static void cast_pieces(piece_cast *cast, const gjk_placed *moving, const gjk_placed *target) {
    const struct gjk_pieces *pieces = moving->shape->pieces;
    gjk_pieces_walk walk;
    uint32_t first, count;
    start_walk(moving, target, gjk_neg3(cast->translation), cast, &walk);
    while (gjk_pieces_walk_next(&walk, &first, &count)) {
        for (uint32_t slot = first; slot < first + count; slot++) {
            const uint32_t index = pieces->tree.order[slot];
            gjk_piece piece;
            gjk_piece_make(moving, index, &piece);
            if (gjk_budget_spend(cast->budget, 32)) {
                return;
            }
            cast_at_target(cast, &piece.placed, index, target);
        }
        walk.bound = bound_of(cast);
    }
}

static bool starts_inside(const gjk_placed *moving, const gjk_placed *target, gjk_budget *budget) {
    const struct gjk_pieces *of_target = target->shape->pieces, *of_moving = moving->shape->pieces;
    return (of_target != NULL && of_target->type == GJK_MESH && of_target->closed &&
            gjk_mesh_encloses_some(target, moving, budget)) ||
           (of_moving != NULL && of_moving->type == GJK_MESH && of_moving->closed &&
            gjk_mesh_encloses_some(moving, target, budget));
}

/* Of a point on a mesh's surface it is not known whether it counts as enclosed; but then the two
 * touch. */
static bool touches(const gjk_placed *moving, const gjk_placed *target,
                    const gjk_cast_settings *settings) {
    gjk_detect_settings at_rest = gjk_detect_settings_default();
    at_rest.tolerance = settings->tolerance;
    at_rest.max_iterations = settings->max_iterations;
    at_rest.penetration = false;
    at_rest.budget = settings->budget;
    const gjk_detect_result start = gjk_detect(moving, target, &at_rest);
    return start.state == GJK_TOUCHING;
}

void gjk_cast_starts_inside(const gjk_placed *moving, const gjk_placed *target,
                            const gjk_cast_settings *settings, gjk_budget *budget,
                            gjk_cast_result *result) {
    if (starts_inside(moving, target, budget) && !gjk_budget_is_spent(budget) &&
        !touches(moving, target, settings) && !gjk_budget_is_spent(budget)) {
        *result = (gjk_cast_result){.hit = true,
                                    .inside = true,
                                    .piece = GJK_NO_PIECE,
                                    .moving_piece = GJK_NO_PIECE,
                                    .point = moving->pose.position};
    }
}

gjk_cast_result gjk_cast_pieces(const gjk_placed *moving, gjk_vec3 translation,
                                const gjk_placed *target, const gjk_cast_settings *settings) {
    gjk_cast_settings of_pieces = *settings;
    of_pieces.at_start = GJK_AT_START_REPORT;
    piece_cast cast = {
        .translation = translation,
        .settings = &of_pieces,
        .budget = settings->budget,
        .best = {.piece = GJK_NO_PIECE, .moving_piece = GJK_NO_PIECE},
    };
    if (moving->shape->pieces == NULL) {
        cast_at_target(&cast, moving, GJK_NO_PIECE, target);
    } else {
        cast_pieces(&cast, moving, target);
    }
    gjk_cast_result *best = &cast.best;
    if (!(best->hit && best->inside) && !gjk_budget_is_spent(cast.budget)) {
        gjk_cast_starts_inside(moving, target, settings, cast.budget, best);
    }
    if (gjk_budget_is_spent(cast.budget)) {
        return (
            gjk_cast_result){.given_up = true, .piece = GJK_NO_PIECE, .moving_piece = GJK_NO_PIECE};
    }
    if (best->hit && best->piece != GJK_NO_PIECE) {
        best->has_material =
            gjk_piece_material(target->shape->pieces, best->piece, &best->material);
    }
    return *best;
}
