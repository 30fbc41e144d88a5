/* Fills the rows of answers from what the core has found. */

#include "proto/columns.h"

static uint32_t status_of(gjk_convergence convergence) {
    return convergence == GJK_CONVERGED ? PROTO_ROW_CONVERGED : PROTO_ROW_ITERATION_LIMIT;
}

/* Writes the index of a piece, if there is one. */
static void set_piece(proto_slot *slot, uint32_t i, uint32_t piece) {
    if (piece != GJK_NO_PIECE) {
        proto_set_some(slot, i, piece);
    }
}

void proto_ray_answers_set(proto_ray_answers *answers, uint32_t i, const gjk_ray_hit *hit,
                           const double *exit) {
    static const gjk_ray_result none = {.convergence = GJK_CONVERGED, .piece = GJK_NO_PIECE};
    const gjk_ray_result *result = hit != NULL ? &hit->result : &none;
    const uint32_t dimension = answers->answers.dimension;

    answers->handle.uints[i] = hit != NULL ? hit->body->handle : PROTO_NO_HANDLE;
    answers->status.uints[i] = status_of(result->convergence);
    proto_set_double(&answers->distance, i, result->distance);
    proto_set_vector(&answers->point, dimension, i, &result->point);
    proto_set_vector(&answers->normal, dimension, i, result->has_normal ? &result->normal : NULL);
    set_piece(&answers->piece, i, result->piece);
    if (result->has_material) {
        proto_set_some(&answers->material, i, result->material);
    }
    if (exit != NULL) {
        proto_set_double(&answers->exit, i, *exit);
        proto_note_some(&answers->exit);
    }
}

/* --- Pairs --- */

static void set_pair(proto_pair_answers *answers, uint32_t i, gjk_state state,
                     gjk_convergence convergence, uint32_t iterations) {
    static const uint32_t states[] =
        {[GJK_SEPARATED] = 0, [GJK_TOUCHING] = 1, [GJK_OVERLAPPING] = 2};

    answers->state.uints[i] = states[state];
    answers->status.uints[i] = status_of(convergence);
    answers->iterations.uints[i] = iterations;
}

static void set_vectors(proto_pair_answers *answers, uint32_t i, const gjk_vec3 *normal,
                        const gjk_vec3 *point_a, const gjk_vec3 *point_b) {
    const uint32_t dimension = answers->answers.dimension;

    proto_set_vector(&answers->normal, dimension, i, normal);
    proto_set_vector(&answers->point_a, dimension, i, point_a);
    proto_set_vector(&answers->point_b, dimension, i, point_b);
}

void proto_pair_answers_set_detect(proto_pair_answers *answers, uint32_t i,
                                   const gjk_detect_result *result, bool penetration) {
    const bool has_points = penetration && result->has_points;

    set_pair(answers, i, result->state, result->convergence, result->iterations);
    proto_set_double(&answers->value, i, penetration ? result->depth : 0.0);
    proto_set_double(&answers->lower_bound, i, penetration ? result->depth_lower_bound : 0.0);
    set_vectors(answers, i, penetration ? &result->normal : NULL,
                has_points ? &result->point_a : NULL, has_points ? &result->point_b : NULL);
    set_piece(&answers->piece_a, i, penetration ? result->piece_a : GJK_NO_PIECE);
    set_piece(&answers->piece_b, i, penetration ? result->piece_b : GJK_NO_PIECE);
}

void proto_pair_answers_set_distance(proto_pair_answers *answers, uint32_t i,
                                     const gjk_distance_result *result) {
    const bool has_points = result->has_points;

    set_pair(answers, i, result->state, result->convergence, result->iterations);
    proto_set_double(&answers->value, i,
                     result->is_signed ? result->signed_distance : result->distance);
    proto_set_double(&answers->lower_bound, i, result->lower_bound);
    set_vectors(answers, i, has_points ? &result->normal : NULL,
                has_points ? &result->point_a : NULL, has_points ? &result->point_b : NULL);
    set_piece(&answers->piece_a, i, result->piece_a);
    set_piece(&answers->piece_b, i, result->piece_b);
}

/* --- Casts and shots --- */

void proto_cast_answers_set(proto_cast_answers *answers, uint32_t i, const gjk_cast_hit *hit) {
    static const gjk_cast_result none = {.convergence = GJK_CONVERGED,
                                         .fraction = 1.0,
                                         .piece = GJK_NO_PIECE,
                                         .moving_piece = GJK_NO_PIECE};
    const gjk_cast_result *result = hit != NULL ? &hit->result : &none;
    const uint32_t dimension = answers->answers.dimension;

    answers->handle.uints[i] = hit != NULL ? hit->body->handle : PROTO_NO_HANDLE;
    answers->inside.uints[i] = result->inside;
    answers->status.uints[i] = status_of(result->convergence);
    proto_set_double(&answers->fraction, i, result->fraction);
    proto_set_vector(&answers->point, dimension, i, &result->point);
    proto_set_vector(&answers->normal, dimension, i, result->has_normal ? &result->normal : NULL);
    if (answers->depth.doubles != NULL) {
        proto_set_double(&answers->depth, i, result->has_depth ? result->depth : 0.0);
    }
    set_piece(&answers->piece, i, result->piece);
    set_piece(&answers->moving_piece, i, result->moving_piece);
    if (result->has_material) {
        proto_set_some(&answers->material, i, result->material);
    }
}

/* Returns why there is no verdict, or whether the answers that it follows from converged. */
static uint32_t status_of_shot(const gjk_judgement *judgement) {
    if (judgement->reason == GJK_REASON_TICK_EXPIRED) {
        return PROTO_ROW_TICK_EXPIRED;
    }
    if (judgement->reason == GJK_REASON_TICK_IN_FUTURE) {
        return PROTO_ROW_TICK_IN_FUTURE;
    }
    const bool has_converged =
        (!judgement->has_hit || judgement->hit.result.convergence == GJK_CONVERGED) &&
        (!judgement->has_obstacle || judgement->obstacle.result.convergence == GJK_CONVERGED);
    return status_of(has_converged ? GJK_CONVERGED : GJK_ITERATION_LIMIT);
}

/* All four columns come or none. */
static void set_obstacle(proto_hit_answers *answers, uint32_t i, const gjk_ray_hit *obstacle) {
    const gjk_ray_result *result = &obstacle->result;

    proto_set_double(&answers->obstacle_distance, i, result->distance);
    proto_set_some(&answers->obstacle_set, i, 0);
    proto_set_some(&answers->obstacle, i, obstacle->body->handle);
    proto_set_some(&answers->obstacle_piece, i, result->piece);
    proto_set_some(&answers->obstacle_material, i, result->has_material ? result->material : 0);
}

void proto_hit_answers_set(proto_hit_answers *answers, uint32_t i, const gjk_judgement *judgement,
                           const proto_rewind *rewind) {
    static const uint32_t verdicts[] = {[GJK_VERDICT_CONFIRMED] = 0,
                                        [GJK_VERDICT_ADJUSTED] = 1,
                                        [GJK_VERDICT_DENIED] = 2,
                                        [GJK_VERDICT_UNVERIFIABLE] = 3};
    static const uint32_t reasons[] = {
        [GJK_REASON_NONE] = 0,           [GJK_REASON_OTHER_TARGET] = 1,
        [GJK_REASON_BLOCKED] = 2,        [GJK_REASON_MISS] = 3,
        [GJK_REASON_NO_TARGET] = 4,      [GJK_REASON_TICK_EXPIRED] = 5,
        [GJK_REASON_TICK_IN_FUTURE] = 6, [GJK_REASON_REWIND_LIMIT] = 7,
    };
    static const gjk_ray_result none = {.piece = GJK_NO_PIECE};
    const gjk_ray_result *hit = judgement->has_hit ? &judgement->hit.result : &none;
    const uint32_t dimension = answers->answers.dimension;

    answers->verdict.uints[i] = verdicts[judgement->verdict];
    answers->reason.uints[i] = reasons[judgement->reason];
    answers->handle.uints[i] = judgement->has_hit ? judgement->hit.body->handle : PROTO_NO_HANDLE;
    answers->status.uints[i] = status_of_shot(judgement);
    proto_set_double(&answers->distance, i, hit->distance);
    proto_set_vector(&answers->point, dimension, i, &hit->point);
    proto_set_vector(&answers->normal, dimension, i, hit->has_normal ? &hit->normal : NULL);
    proto_set_double(&answers->obstacle_distance, i, -1.0);
    set_piece(&answers->piece, i, hit->piece);
    if (hit->has_material) {
        proto_set_some(&answers->material, i, hit->material);
    }
    if (judgement->has_obstacle) {
        set_obstacle(answers, i, &judgement->obstacle);
    }
    if (rewind != NULL && rewind->is_found) {
        const size_t at = 3 * (size_t)i;
        proto_set_double(&answers->rewind, at, (double)rewind->from);
        proto_set_double(&answers->rewind, at + 1, (double)rewind->to);
        proto_set_double(&answers->rewind, at + 2, rewind->alpha);
        proto_note_some(&answers->rewind);
    }
}
