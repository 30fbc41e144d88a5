/*
 * A ball at a mesh or height field: a kernel finds the triangles that may be the nearest to its
 * center, and only these are queried exactly.
 */

#include "pair/pieces/nearest.h"

#include "base/lanes.h"
#include "base/numbers.h"
#include "pair/kernels/spatial.h"
#include "pair/pieces/pieces.h"

/* Budget steps of a pair of pieces. */
#define PAIR_STEPS 32

typedef struct ball_query {
    const gjk_placed *whole, *ball;
    bool whole_is_a;
    bool is_at_origin; /* the whole's own frame is the world's */
    const struct gjk_nearest_kernels *kernels;
    gjk_nearest_search search;
} ball_query;

/* Answers by the kernel of two clouds, as gjk_answer_into does, without making a piece. Returns
 * false if a pose has a rest, the corners are on a line, or the kernel does not decide. */
static bool answer_by_kernel(const ball_query *query, uint32_t piece, gjk_question question,
                             const gjk_pair_settings *settings, gjk_pair_answer *answer) {
    const bool whole_is_a = query->whole_is_a;
    const gjk_pose *pose = &query->whole->pose, *pose_of_ball = &query->ball->pose;
    gjk_near_triangle made;
    if (pose->form == GJK_POSE_REST || pose_of_ball->form == GJK_POSE_REST ||
        !query->kernels->make(query->whole->shape->pieces, piece, &made)) {
        return false;
    }
    /* A point has no rotation; if the triangle comes first, its frame is that of the answer. */
    const bool is_first = made.shape.size > query->ball->shape->size;
    gjk_placed ball = {query->ball->shape, {.position = pose_of_ball->position}};
    gjk_placed triangle = {&made.shape, {.position = pose->position, .rotation = pose->rotation}};
    gjk_placed *first = whole_is_a ? &triangle : &ball, *second = whole_is_a ? &ball : &triangle;
    const gjk_vec3 middle = made.offset, place = pose_of_ball->position;
    const gjk_vec3 of[2] = {whole_is_a ? middle : place, whole_is_a ? place : middle};
    gjk_wide3 at[2] = {0};
    gjk_walk3 walk;
    ball.pose.rotation = is_first ? pose->rotation : pose_of_ball->rotation;
    if (made.is_far) { /* as gjk_near_pair; double-double sums of two doubles are rounded once */
        first->pose.position = (gjk_vec3){0, 0, 0};
        second->pose.position = gjk_no_minus_zero3(gjk_sub3(of[1], of[0]));
        if (!query->is_at_origin) {
            at[!whole_is_a] = gjk_pose_apply_wide(pose, gjk_wide3_of(middle));
            at[whole_is_a] = gjk_wide3_of(place);
            second->pose.position = gjk_wide3_sub(at[1], at[0]);
        }
    }
    gjk_walk3_init(&walk);
    const bool is_decided = gjk_spatial_answer(question, first, second, settings, answer, &walk);
    gjk_vec3 *const points[2] = {&answer->point_a, &answer->point_b};
    for (int i = 0; i < 2 && is_decided && made.is_far && answer->has_points; i++) {
        *points[i] = query->is_at_origin ? gjk_no_minus_zero3(gjk_add3(of[0], *points[i]))
                                         : gjk_wide3_add(at[0], *points[i]);
    }
    return is_decided;
}

/* Answers for the ball and the n-th triangle found. */
static void answer_for(const ball_query *query, uint32_t n, gjk_question question,
                       const gjk_pair_settings *settings, gjk_pair_answer *answer) {
    const uint32_t index = query->search.piece[n];
    if (!answer_by_kernel(query, index, question, settings, answer)) {
        gjk_piece piece;
        gjk_piece_make(query->whole, index, &piece);
        gjk_answer_into(question, query->whole_is_a ? &piece.placed : query->ball,
                        query->whole_is_a ? query->ball : &piece.placed, settings, answer);
    }
    answer->piece_a = query->whole_is_a ? index : GJK_NO_PIECE;
    answer->piece_b = query->whole_is_a ? GJK_NO_PIECE : index;
}

/* Answers for the nearest or deepest of the triangles found. Returns its number. */
static uint32_t answer_best(const ball_query *query, gjk_question question,
                            const gjk_pair_settings *settings, gjk_pair_answer *best) {
    uint32_t chosen = 0;
    answer_for(query, 0, question, settings, best);
    double lower_bound = best->lower_bound;
    for (uint32_t i = 1; i < query->search.count; i++) {
        gjk_pair_answer answer;
        answer_for(query, i, question, settings, &answer);
        lower_bound = gjk_smaller(lower_bound, answer.lower_bound);
        if (gjk_pair_precedes(question, &answer, best)) {
            *best = answer;
            chosen = i;
        }
    }
    if (question == GJK_ASK_DISTANCE) {
        best->lower_bound = lower_bound;
    }
    return chosen;
}

/* Keeps the triangles whose gap may be the least. Returns true if all gaps are above `touch`. */
static bool keep_least(gjk_nearest_search *search, double touch) {
    uint32_t kept = 0;
    bool is_apart = true;
    for (uint32_t i = 0; i < search->count; i++) {
        search->piece[kept] = search->piece[i];
        kept += search->gap[i] <= search->bound + search->slack;
        is_apart = is_apart && search->gap[i] > touch;
    }
    search->count = kept;
    return is_apart;
}

bool gjk_search_ball(gjk_question question, const gjk_placed *a, const gjk_placed *b,
                     const gjk_pair_settings *settings, gjk_pair_answer *best) {
    ball_query query;
    query.whole_is_a = a->shape->pieces != NULL;
    query.whole = query.whole_is_a ? a : b;
    query.ball = query.whole_is_a ? b : a;
    const gjk_shape *whole = query.whole->shape, *ball = query.ball->shape;
    if (GJK_IS_SMALL || (whole->type != GJK_MESH && whole->type != GJK_HEIGHTFIELD) ||
        ball->count != 1 || gjk_largest3(ball->center) > 0.0 || settings->recorder != NULL) {
        return false;
    }
    const bool is_distance = question == GJK_ASK_DISTANCE;
    const bool is_state = !is_distance && !settings->penetration;
    const gjk_pose *pose = &query.whole->pose;
    query.is_at_origin = gjk_largest3(pose->position) == 0.0 && gjk_pose_is_unturned(pose);
    const gjk_vec3 between = gjk_sub3(query.ball->pose.position, pose->position);
    const double slack = gjk_slack_of_pieces(a, b, 0.0, settings->tolerance);
    const double touch = settings->tolerance * gjk_larger(whole->size, ball->size) + slack;
    gjk_nearest_search *search = &query.search;
    search->pieces = whole->pieces;
    search->center = gjk_mul3_transposed(&pose->rotation, between);
    search->radius = ball->radius;
    search->slack = slack;
    search->bound = is_distance ? INFINITY : touch;
    search->enough = is_state ? -touch : -INFINITY;
    search->budget = settings->budget;
    query.kernels = GJK_FASTEST(&gjk_nearest_plain, &gjk_nearest_avx2, &gjk_nearest_avx512);
    if (!query.kernels->search(search)) {
        return false;
    }
    const bool is_apart = keep_least(search, touch), overlaps = search->bound < -touch;
    const bool is_undecided = is_apart ? is_distance && search->count == 0 : !overlaps;
    if (is_undecided || gjk_budget_spend(settings->budget, search->count * PAIR_STEPS)) {
        return false;
    }
    gjk_pair_settings how = *settings;
    how.cache = NULL;
    how.penetration = !is_state;
    if (is_apart && !is_distance) {
        *best = (gjk_pair_answer){.piece_a = GJK_NO_PIECE, .piece_b = GJK_NO_PIECE};
    } else if (is_apart || !is_distance) {
        (void)answer_best(&query, question, &how, best);
    } else {
        const bool is_clear = search->count == 1;
        answer_for(&query, is_clear ? 0 : answer_best(&query, GJK_ASK_DETECT, &how, best), question,
                   &how, best);
    }
    return !gjk_budget_is_spent(settings->budget);
}
