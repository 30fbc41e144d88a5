/*
 * Casts where the moving shape or the target has pieces: the first contact among their pairs of
 * pieces. The target's tree is walked with the box of what moves, swept along the way; where what
 * moves has pieces too, its own tree is walked first with the target's box, swept the other way.
 */

#include "base/numbers.h"
#include "pair/pieces/inside_mesh.h"
#include "ray/casts/start.h"
#include "shape/pieces/pieces.h"
#include "shape/pieces/walk.h"

#define POSE_ROUNDING 0x1p-46

gjk_piece_cast gjk_piece_cast_make(const gjk_placed *moving, const gjk_rigid_motion *motion,
                                   const gjk_placed *target, const gjk_cast_settings *settings) {
    gjk_piece_cast cast = {
        .moving = moving,
        .target = target,
        .motion = *motion,
        .settings = *settings,
        .at_start = settings->at_start,
        .best = {.piece = GJK_NO_PIECE, .moving_piece = GJK_NO_PIECE},
    };
    cast.settings.at_start = GJK_AT_START_REPORT;
    return cast;
}

static bool is_better_cast(const gjk_cast_result *p, const gjk_cast_result *best) {
    if (!best->hit || p->inside != best->inside) {
        return !best->hit || p->inside;
    }
    if (p->fraction != best->fraction) {
        return p->fraction < best->fraction;
    }
    return p->piece != best->piece ? p->piece < best->piece : p->moving_piece < best->moving_piece;
}

void gjk_piece_cast_offer(gjk_piece_cast *cast, const gjk_cast_result *result,
                          uint32_t moving_piece, uint32_t piece) {
    gjk_cast_result found = *result;
    found.piece = piece;
    found.moving_piece = moving_piece;
    if (found.hit && is_better_cast(&found, &cast->best) && !gjk_cast_passes_over(cast, &found)) {
        cast->best = found;
    }
}

gjk_cast_result gjk_piece_cast_end(gjk_piece_cast *cast) {
    gjk_cast_result result = cast->best;
    gjk_budget *budget = cast->settings.budget;
    const bool reports =
        cast->at_start == GJK_AT_START_REPORT || cast->at_start == GJK_AT_START_RESOLVE;
    if (reports && !(result.hit && result.inside) && !gjk_budget_is_spent(budget) &&
        gjk_one_encloses(cast->target, cast->moving, budget) && !gjk_budget_is_spent(budget)) {
        /* Of a point on a mesh's surface it is not known whether it counts as enclosed; but then
         * the two touch. */
        gjk_detect_settings at_rest = gjk_detect_settings_default();
        at_rest.tolerance = cast->settings.tolerance;
        at_rest.max_iterations = cast->settings.max_iterations;
        at_rest.penetration = false;
        at_rest.budget = budget;
        if (gjk_detect(cast->moving, cast->target, &at_rest).state != GJK_TOUCHING) {
            result = (gjk_cast_result){.hit = true,
                                       .inside = true,
                                       .piece = GJK_NO_PIECE,
                                       .moving_piece = GJK_NO_PIECE,
                                       .point = cast->moving->pose.position};
        }
    }
    if (gjk_budget_is_spent(budget)) {
        return (
            gjk_cast_result){.given_up = true, .piece = GJK_NO_PIECE, .moving_piece = GJK_NO_PIECE};
    }
    if (result.hit && result.piece != GJK_NO_PIECE) {
        result.has_material =
            gjk_piece_material(cast->target->shape->pieces, result.piece, &result.material);
    }
    if (result.hit && result.inside && cast->at_start == GJK_AT_START_RESOLVE) {
        gjk_cast_resolve(cast->moving, cast->target, &cast->settings, &result);
    }
    return result;
}

/* Steps of the advancement, at most. */
#define ADVANCES 8

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

/* Returns true if the way leads through a one-sided face from behind. */
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

static void cast_at_piece(gjk_piece_cast *cast, const gjk_placed *moving, uint32_t moving_piece,
                          const gjk_placed *target, uint32_t piece) {
    const gjk_cast_result result =
        gjk_cast(moving, cast->motion.translation, target, &cast->settings);
    if (!(result.hit && !result.inside && piece != GJK_NO_PIECE &&
          comes_from_behind(cast->target, piece, cast->motion.translation))) {
        gjk_piece_cast_offer(cast, &result, moving_piece, piece);
    }
}

/* Returns how much wider boxes must be than the pieces in them. */
static double slack_of_sweep(const gjk_placed *whole, const gjk_placed *other, double tolerance) {
    const gjk_vec3 p = whole->pose.position, q = other->pose.position;
    const double far = fabs(p.x) + fabs(p.y) + fabs(p.z) + fabs(q.x) + fabs(q.y) + fabs(q.z) +
                       whole->shape->reach + other->shape->reach;
    return POSE_ROUNDING * far +
           4.0 * tolerance * gjk_larger(whole->shape->size, other->shape->size);
}

/* Walks the tree of a whole with the box of `other`, which moves by `way` (in the world) against
 * it. */
static void start_walk(const gjk_placed *whole, const gjk_placed *other, gjk_vec3 way,
                       const gjk_piece_cast *cast, gjk_pieces_walk *walk) {
    const gjk_pieces_tree *tree = &whole->shape->pieces->tree;
    const double slack = slack_of_sweep(whole, other, cast->settings.tolerance);
    const gjk_placed seen = {other->shape, gjk_pose_relative(&whole->pose, &other->pose)};
    const gjk_bounds box = gjk_placed_bounds(&seen);
    gjk_pieces_query query = gjk_pieces_query_make(tree, GJK_WALK_SWEEP, &box, slack);
    gjk_pieces_query_sweep(tree, gjk_mul3_transposed(&whole->pose.rotation, way), &query);
    gjk_pieces_walk_init(walk, tree, &query, gjk_piece_cast_bound(cast), cast->settings.budget);
}

/* One convex piece of what moves against the whole target. */
static void cast_at_target(gjk_piece_cast *cast, const gjk_placed *moving, uint32_t moving_piece) {
    const gjk_placed *target = cast->target;
    const struct gjk_pieces *pieces = target->shape->pieces;
    if (pieces == NULL) {
        cast_at_piece(cast, moving, moving_piece, target, GJK_NO_PIECE);
        return;
    }
    gjk_pieces_walk walk;
    uint32_t first, count;
    const gjk_seen seen = gjk_seen_make(&target->pose, moving);
    const gjk_vec3 way = gjk_mul3_transposed(&target->pose.rotation, cast->motion.translation);
    const double slack = slack_of_sweep(target, moving, cast->settings.tolerance) +
                         POSE_ROUNDING * (fabs(way.x) + fabs(way.y) + fabs(way.z));
    start_walk(target, moving, cast->motion.translation, cast, &walk);
    while (gjk_pieces_walk_next(&walk, &first, &count)) {
        for (uint32_t slot = first; slot < first + count; slot++) {
            const uint32_t index = pieces->tree.order[slot];
            if (gjk_budget_spend(cast->settings.budget, 32)) {
                return;
            }
            if (surely_misses(pieces, index, &seen, way, gjk_piece_cast_bound(cast), slack)) {
                continue;
            }
            gjk_piece piece;
            gjk_piece_make(target, index, &piece);
            cast_at_piece(cast, moving, moving_piece, &piece.placed, index);
        }
        walk.bound = gjk_piece_cast_bound(cast);
    }
}

static void cast_pieces(gjk_piece_cast *cast) {
    const gjk_placed *moving = cast->moving, *target = cast->target;
    const struct gjk_pieces *pieces = moving->shape->pieces;
    gjk_pieces_walk walk;
    uint32_t first, count;
    start_walk(moving, target, gjk_neg3(cast->motion.translation), cast, &walk);
    while (gjk_pieces_walk_next(&walk, &first, &count)) {
        for (uint32_t slot = first; slot < first + count; slot++) {
            const uint32_t index = pieces->tree.order[slot];
            gjk_piece piece;
            gjk_piece_make(moving, index, &piece);
            if (gjk_budget_spend(cast->settings.budget, 32)) {
                return;
            }
            cast_at_target(cast, &piece.placed, index);
        }
        walk.bound = gjk_piece_cast_bound(cast);
    }
}

gjk_cast_result gjk_cast_pieces(const gjk_placed *moving, gjk_vec3 translation,
                                const gjk_placed *target, const gjk_cast_settings *settings) {
    const gjk_rigid_motion straight = gjk_rigid_motion_straight(translation);
    gjk_piece_cast cast = gjk_piece_cast_make(moving, &straight, target, settings);
    if (moving->shape->pieces == NULL) {
        cast_at_target(&cast, moving, GJK_NO_PIECE);
    } else {
        cast_pieces(&cast);
    }
    return gjk_piece_cast_end(&cast);
}
