/*
 * Casts of shapes of many pieces: finds the first contact among their pairs of pieces. The target's
 * tree is walked with the box of the moving piece, swept along the way. If the moving shape has
 * pieces, its own tree is walked first, with the target's box swept the other way.
 */

#include "ray/casts/casts.h"

#include "base/lanes.h"
#include "base/numbers.h"
#include "pair/pieces/pieces.h"
#include "ray/misses.h"
#include "shape/pieces/pieces.h"
#include "shape/pieces/walk.h"

gjk_piece_cast gjk_piece_cast_make(const gjk_placed *moving, const gjk_rigid_motion *motion,
                                   const gjk_placed *target, const gjk_cast_settings *settings) {
    gjk_piece_cast cast = {
        .moving = moving,
        .target = target,
        .motion = *motion,
        .settings = *settings,
        .at_start = settings->at_start,
        .compares = true,
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
    if (!found.hit || !is_better_cast(&found, &cast->best)) {
        return;
    }
    if (gjk_cast_passes_over(cast, &found)) {
        cast->has_passed_over = true;
    } else {
        cast->best = found;
    }
}

gjk_cast_result gjk_piece_cast_end(gjk_piece_cast *cast) {
    gjk_cast_result result = cast->best;
    gjk_budget *budget = cast->settings.budget;
    const bool reports =
        cast->at_start == GJK_AT_START_REPORT || cast->at_start == GJK_AT_START_RESOLVE;
    if (reports && !(result.hit && result.inside) && !gjk_budget_is_spent(budget) &&
        gjk_either_encloses(cast->target, cast->moving, budget) && !gjk_budget_is_spent(budget)) {
        /* A point on a mesh's surface may count as enclosed or not; but then the two touch. */
        gjk_detect_settings at_rest = gjk_cast_start_settings(&cast->settings);
        at_rest.penetration = false;
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

/* Most steps of the advancement in free_way. */
#define ADVANCES 3

/* A convex piece of the moving shape in the target's frame. */
typedef struct seen_cast {
    gjk_piece_cast *cast;
    const gjk_placed *moving;
    uint32_t moving_piece;
    const struct gjk_pieces *pieces; /* the target's pieces */
    gjk_seen seen;
    gjk_swept swept;
    double slack;
} seen_cast;

/* Returns a sum of segments and a ball that contains the shape. */
static gjk_swept swept_of(const gjk_seen *seen, gjk_vec3 way, double slack) {
    const gjk_shape *shape = seen->placed.shape;
    const gjk_mat3 *rotation = &seen->placed.pose.rotation;
    gjk_swept swept = {.center = seen->center, .radius = slack, .way = way};
    if (shape->count == 1 || shape->count == 2) {
        swept.radius += shape->radius;
        swept.half_count = shape->count - 1;
        swept.half[0] = seen->half;
        return swept;
    }
    const gjk_vec3 half = shape->half_extents;
    swept.half_count = 3;
    swept.half[0] = gjk_mul3(rotation, (gjk_vec3){half.x, 0.0, 0.0});
    swept.half[1] = gjk_mul3(rotation, (gjk_vec3){0.0, half.y, 0.0});
    swept.half[2] = gjk_mul3(rotation, (gjk_vec3){0.0, 0.0, half.z});
    return swept;
}

/* Returns a bit for each piece of a leaf that the moving piece certainly does not meet. */
static uint32_t find_left_out(const seen_cast *from, uint32_t first, uint32_t count) {
    gjk_leaf_corners leaf;
    if (from->pieces->dimension == 2 || !gjk_pieces_leaf(from->pieces, first, count, &leaf)) {
        return 0;
    }
    return GJK_FASTEST(gjk_sweep_misses_plain, gjk_sweep_misses_avx2,
                       gjk_sweep_misses_avx512)(&from->swept, leaf.at,
                                                gjk_piece_cast_bound(from->cast));
}

/* Returns a fraction of the way up to which the shape certainly does not meet the piece; INFINITY
 * if it does not before the bound. Conservative advancement (Mirtich 1996): a gap along a direction
 * closes no faster than the shape moves along it. */
static double free_way(const seen_cast *from, uint32_t piece, double bound) {
    const gjk_vec3 way = from->swept.way;
    double t = 0.0;
    for (int i = 0; i < ADVANCES; i++) {
        const gjk_gap gap = gjk_piece_gap(from->pieces, piece, &from->seen, gjk_scale3(t, way));
        const double apart = gap.length - from->slack, speed = -gjk_dot3(gap.direction, way);
        if (!(apart > 0.0)) {
            return t;
        }
        if (speed <= 0.0) {
            return INFINITY;
        }
        t += apart / speed;
        if (t > bound) {
            return INFINITY;
        }
    }
    return t;
}

/* Returns true if the way passes through a one-sided face from behind. */
static bool comes_from_behind(const gjk_placed *target, uint32_t piece, gjk_vec3 translation) {
    const struct gjk_pieces *pieces = target->shape->pieces;
    if (pieces == NULL || !pieces->one_sided) {
        return false;
    }
    const gjk_vec3 normal = gjk_pieces_normal(pieces, piece);
    return gjk_dot3(gjk_mul3(&target->pose.rotation, normal), translation) > 0.0;
}

/* Casts a convex piece at another. is_apart: they are certainly apart at the start. */
static void cast_at_piece(gjk_piece_cast *cast, const gjk_placed *moving, uint32_t moving_piece,
                          const gjk_placed *target, uint32_t piece, bool is_apart) {
    const gjk_vec3 way = cast->motion.translation;
    const gjk_cast_result result =
        is_apart ? gjk_cast_apart(moving, way, target, &cast->settings, gjk_piece_cast_bound(cast))
                 : gjk_cast(moving, way, target, &cast->settings);
    if (result.hit && !result.inside && piece != GJK_NO_PIECE &&
        comes_from_behind(cast->target, piece, way)) {
        cast->has_passed_over = true;
    } else {
        gjk_piece_cast_offer(cast, &result, moving_piece, piece);
    }
}

/* Begins a walk of the tree of a whole with the box of `other`, which moves by `way`, in world
 * axes. */
static void start_walk(const gjk_placed *whole, const gjk_placed *other, gjk_vec3 way,
                       const gjk_piece_cast *cast, gjk_pieces_walk *walk) {
    const gjk_pieces_tree *tree = &whole->shape->pieces->tree;
    const double slack = gjk_swept_slack(other, whole, way, cast->settings.tolerance);
    const gjk_placed seen = {other->shape, gjk_pose_relative(&whole->pose, &other->pose)};
    const gjk_bounds box = gjk_placed_bounds(&seen);
    gjk_pieces_walk_begin(walk, tree, GJK_WALK_SWEEP, &box, slack, gjk_piece_cast_bound(cast),
                          cast->settings.budget);
    gjk_pieces_walk_along(walk, gjk_mul3_transposed(&whole->pose.rotation, way));
}

/* Casts at a piece of the target, unless it is certainly not met. */
static void cast_at_index(const seen_cast *from, uint32_t index) {
    gjk_piece_cast *cast = from->cast;
    const double way = free_way(from, index, gjk_piece_cast_bound(cast));
    if (way < INFINITY) {
        gjk_piece piece;
        gjk_piece_make(cast->target, index, &piece);
        cast_at_piece(cast, from->moving, from->moving_piece, &piece.placed, index, way > 0.0);
    }
}

/* Casts at the pieces of a leaf that may be met. Returns false if the budget is spent. */
static bool cast_at_leaf(const seen_cast *from, uint32_t first, uint32_t count) {
    gjk_piece_cast *cast = from->cast;
    if (gjk_budget_spend(cast->settings.budget, 32 * count)) {
        return false;
    }
    const uint32_t left_out = find_left_out(from, first, count);
    for (uint32_t asked = ~left_out & ((1u << count) - 1); asked != 0; asked &= asked - 1) {
        const uint32_t slot = first + (uint32_t)__builtin_ctz(asked);
        cast_at_index(from, gjk_slot_piece(&from->pieces->tree, slot));
    }
    return true;
}

/* Casts one convex piece of the moving shape at the whole target. */
static void cast_at_target(gjk_piece_cast *cast, const gjk_placed *moving, uint32_t moving_piece) {
    const gjk_placed *target = cast->target;
    const struct gjk_pieces *pieces = target->shape->pieces;
    if (pieces == NULL) {
        cast_at_piece(cast, moving, moving_piece, target, GJK_NO_PIECE, false);
        return;
    }
    gjk_pieces_walk walk;
    uint32_t first, count;
    const gjk_vec3 way = gjk_mul3_transposed(&target->pose.rotation, cast->motion.translation);
    seen_cast from = {
        .cast = cast,
        .moving = moving,
        .moving_piece = moving_piece,
        .pieces = pieces,
        .seen = gjk_seen_make(&target->pose, moving),
        .slack = gjk_swept_slack(moving, target, way, cast->settings.tolerance),
    };
    from.swept = swept_of(&from.seen, way, from.slack + pieces->rounding);
    for (uint32_t i = 0; i < cast->only_count && !gjk_budget_spend(cast->settings.budget, 32);
         i++) {
        cast_at_index(&from, cast->only[i]);
    }
    if (cast->only != NULL) {
        return;
    }
    start_walk(target, moving, cast->motion.translation, cast, &walk);
    while (gjk_pieces_walk_next(&walk, &first, &count) && cast_at_leaf(&from, first, count)) {
        walk.bound = gjk_piece_cast_bound(cast);
    }
}

static void cast_all(gjk_piece_cast *cast) {
    const gjk_placed *moving = cast->moving, *target = cast->target;
    const struct gjk_pieces *pieces = moving->shape->pieces;
    gjk_pieces_walk walk;
    uint32_t first, count;
    if (pieces == NULL) {
        cast_at_target(cast, moving, GJK_NO_PIECE);
        return;
    }
    start_walk(moving, target, gjk_neg3(cast->motion.translation), cast, &walk);
    while (gjk_pieces_walk_next(&walk, &first, &count)) {
        for (uint32_t slot = first; slot < first + count; slot++) {
            const uint32_t index = gjk_slot_piece(&pieces->tree, slot);
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

/* Most casts skip no contact, so that no contact can continue a skipped surface. Only if one was
 * skipped, a second walk compares contacts with skipped ones. */
gjk_cast_result gjk_cast_at_pieces(const gjk_placed *moving, gjk_vec3 translation,
                                   const gjk_placed *target, const gjk_cast_settings *settings,
                                   const uint32_t *only, uint32_t only_count) {
    const gjk_rigid_motion straight = gjk_rigid_motion_straight(translation);
    gjk_piece_cast first = gjk_piece_cast_make(moving, &straight, target, settings);
    first.only = only;
    first.only_count = only_count;
    gjk_piece_cast cast = first;
    cast.compares = false;
    cast_all(&cast);
    if (cast.has_passed_over) {
        cast = first;
        cast_all(&cast);
    }
    return gjk_piece_cast_end(&cast);
}

gjk_cast_result gjk_cast_pieces(const gjk_placed *moving, gjk_vec3 translation,
                                const gjk_placed *target, const gjk_cast_settings *settings) {
    return gjk_cast_at_pieces(moving, translation, target, settings, NULL, 0);
}
