/*
 * Casts of a shape that translates and rotates, by conservative advancement (advance.c). For shapes
 * of many pieces, finds the first contact among the pairs of pieces: for each piece of the moving
 * shape, which rotates about the origin of the whole, the target's tree is searched.
 */

#include "ray/casts/advance.h"

#include "base/numbers.h"
#include "ray/casts/casts.h"
#include "ray/query_bounds.h"
#include "shape/pieces/pieces.h"
#include "shape/pieces/walk.h"

gjk_query_bounds gjk_query_bounds_of_turning(const gjk_placed *moving,
                                             const gjk_rigid_motion *motion, double tolerance) {
    const gjk_sweep sweep = {*moving, motion->translation};
    gjk_query_bounds query = gjk_query_bounds_of_sweep(&sweep, tolerance);
    const gjk_shape *shape = moving->shape;
    if (motion->angle == 0.0) {
        return query;
    }
    /* For any rotation: for a shape of pieces only its reach is used. */
    const double reach = gjk_reach_from_origin(shape);
    gjk_bounds box = gjk_box_widen((gjk_bounds){moving->pose.position, moving->pose.position},
                                   shape->dimension, reach);
    if (shape->pieces == NULL) {
        const gjk_placed part = {shape, gjk_pose_identity()};
        gjk_mover mover;
        gjk_mover_make(&moving->pose, &part, motion, &mover);
        box = gjk_mover_bounds(&mover);
    }
    box = gjk_box_widen(box, shape->dimension,
                        gjk_box_slack(moving) + query.looseness * shape->size +
                            GJK_BOX_ROUNDING * reach);
    gjk_query_bounds_put_box(&query, &box);
    return query;
}

gjk_bounds gjk_swept_bounds(const gjk_mover *mover, const gjk_pose *frame) {
    const gjk_vec3 way = mover->motion.translation;
    const gjk_bounds from = gjk_mover_bounds(mover);
    const gjk_bounds to = {gjk_add3(from.min, way), gjk_add3(from.max, way)};
    const gjk_bounds all = gjk_box_join(&from, &to);
    const gjk_vec3 half = gjk_scale3(0.5, gjk_sub3(all.max, all.min));
    const gjk_vec3 middle = gjk_add3(all.min, half);
    const gjk_vec3 center =
        gjk_mul3_transposed(&frame->rotation, gjk_sub3(middle, frame->position));
    const gjk_mat3 *r = &frame->rotation;
    const gjk_vec3 reach = {
        fabs(r->r0.x) * half.x + fabs(r->r1.x) * half.y + fabs(r->r2.x) * half.z,
        fabs(r->r0.y) * half.x + fabs(r->r1.y) * half.y + fabs(r->r2.y) * half.z,
        fabs(r->r0.z) * half.x + fabs(r->r1.z) * half.y + fabs(r->r2.z) * half.z,
    };
    return (gjk_bounds){gjk_sub3(center, reach), gjk_add3(center, reach)};
}

static gjk_cast_result result_of(const gjk_meeting *meeting, const gjk_rigid_motion *motion) {
    gjk_cast_result result = {.hit = meeting->hit,
                              .inside = meeting->inside,
                              .convergence = meeting->convergence,
                              .iterations = meeting->iterations,
                              .piece = GJK_NO_PIECE,
                              .moving_piece = GJK_NO_PIECE};
    if (meeting->hit && !meeting->inside) {
        result.has_normal = true;
        result.fraction = meeting->fraction;
        gjk_vec3 unit;
        result.distance = meeting->fraction * gjk_measure_way(motion->translation, &unit);
        result.point = meeting->point;
        result.normal = gjk_no_minus_zero3(meeting->normal);
    }
    return result;
}

/* Casts one convex part of the moving shape at one of the target, up to the fraction `bound`. */
static gjk_cast_result cast_part(const gjk_piece_cast *cast, const gjk_placed *moving_part,
                                 const gjk_placed *target_part, double bound) {
    const gjk_rigid_motion rest = gjk_rigid_motion_straight((gjk_vec3){0.0, 0.0, 0.0});
    gjk_mover a, b;
    gjk_mover_make(&cast->target->pose, target_part, &rest, &a);
    gjk_mover_make(&cast->moving->pose, moving_part, &cast->motion, &b);
    const gjk_meeting meeting = gjk_advance(&a, &b, bound, bound, &cast->settings);
    gjk_cast_result result = result_of(&meeting, &cast->motion);
    if (result.inside) { /* gives the same result as a cast without rotation */
        gjk_piece at_a = {.placed = *target_part}, at_b = {.placed = *moving_part};
        gjk_piece_to_world(&cast->target->pose, &at_a);
        gjk_piece_to_world(&cast->moving->pose, &at_b);
        result = gjk_cast(&at_b.placed, rest.translation, &at_a.placed, &cast->settings);
    }
    return result;
}

/* --- Pieces --- */

static void cast_pair(gjk_piece_cast *cast, const gjk_placed *moving_part, uint32_t moving_piece,
                      const gjk_placed *target_part, uint32_t piece) {
    const double bound = gjk_piece_cast_bound(cast);
    const gjk_cast_result result = cast_part(cast, moving_part, target_part, bound);
    gjk_piece_cast_offer(cast, &result, moving_piece, piece);
}

/* Casts one convex part of the moving shape at the whole target. */
static void cast_at_target(gjk_piece_cast *cast, const gjk_placed *moving_part,
                           uint32_t moving_piece) {
    const struct gjk_pieces *pieces = cast->target->shape->pieces;
    if (pieces == NULL) {
        const gjk_placed whole = {cast->target->shape, gjk_pose_identity()};
        cast_pair(cast, moving_part, moving_piece, &whole, GJK_NO_PIECE);
        return;
    }
    gjk_mover mover;
    gjk_mover_make(&cast->moving->pose, moving_part, &cast->motion, &mover);
    const gjk_bounds box = gjk_swept_bounds(&mover, &cast->target->pose);
    const double slack = gjk_swept_slack(cast->moving, cast->target, cast->motion.translation,
                                         cast->settings.tolerance);
    gjk_pieces_walk walk;
    uint32_t first, count;
    gjk_pieces_walk_begin(&walk, &pieces->tree, GJK_WALK_OVERLAP, &box, slack, 0.0,
                          cast->settings.budget);
    while (gjk_pieces_walk_next(&walk, &first, &count)) {
        for (uint32_t slot = first; slot < first + count; slot++) {
            const uint32_t index = gjk_slot_piece(&pieces->tree, slot);
            gjk_piece piece;
            if (gjk_budget_spend(cast->settings.budget, 16 + moving_part->shape->count)) {
                return;
            }
            gjk_piece_make_own(pieces, index, &piece);
            cast_pair(cast, moving_part, moving_piece, &piece.placed, index);
        }
    }
}

/* --- Whole shapes --- */

/* Drops or delays a hit at the iteration limit to agree with a query of a set, which may skip the
 * target by its box. */
static void agree_with_boxes(const gjk_piece_cast *cast, gjk_cast_result *result) {
    const gjk_query_bounds query =
        gjk_query_bounds_of_turning(cast->moving, &cast->motion, cast->settings.tolerance);
    const double at_least = gjk_query_bounds_sweep_key(&query, cast->target, 1.0);
    if (isnan(at_least)) {
        *result = (gjk_cast_result){.iterations = result->iterations,
                                    .piece = GJK_NO_PIECE,
                                    .moving_piece = GJK_NO_PIECE};
    } else if (at_least > result->fraction) {
        result->fraction = at_least;
        gjk_vec3 unit;
        result->distance = at_least * gjk_measure_way(cast->motion.translation, &unit);
    }
}

gjk_cast_result gjk_cast_turning(const gjk_placed *moving, const gjk_rigid_motion *motion,
                                 const gjk_placed *target, const gjk_cast_settings *settings) {
    if (motion->angle == 0.0) {
        return gjk_cast(moving, motion->translation, target, settings);
    }
    gjk_piece_cast cast = gjk_piece_cast_make(moving, motion, target, settings);
    const struct gjk_pieces *pieces = moving->shape->pieces;
    if (pieces == NULL) {
        const gjk_placed whole = {moving->shape, gjk_pose_identity()};
        cast_at_target(&cast, &whole, GJK_NO_PIECE);
    } else {
        for (uint32_t next = 0, i; gjk_pieces_next(pieces, settings->budget, &next, &i);) {
            gjk_piece piece;
            gjk_piece_make_own(pieces, i, &piece);
            cast_at_target(&cast, &piece.placed, i);
        }
    }
    gjk_cast_result result = gjk_piece_cast_end(&cast);
    if (result.given_up) {
        return result;
    }
    if (result.hit && result.convergence == GJK_ITERATION_LIMIT && !result.inside) {
        agree_with_boxes(&cast, &result);
    }
    return result;
}
