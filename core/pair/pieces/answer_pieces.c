/*
 * Detection and distance of shapes of many pieces: for separated or touching shapes the answer is
 * that of one pair of pieces, for overlapping ones that of the whole shapes.
 */

#include "base/numbers.h"
#include "pair/pieces/pieces.h"
#include "shape/pieces/pieces.h"

/* Solves the pair of pieces that gives the answer again, with the recorder. */
static gjk_pair_answer answer_again(gjk_question question, const gjk_placed *a, const gjk_placed *b,
                                    const gjk_pair_answer *of, const gjk_pair_settings *settings) {
    gjk_piece of_a, of_b;
    gjk_pair_settings alone = *settings;
    gjk_pair_answer answer;
    alone.cache = NULL;
    gjk_part_make(a, of->piece_a, &of_a);
    gjk_part_make(b, of->piece_b, &of_b);
    gjk_answer_into(question, &of_a.placed, &of_b.placed, &alone, &answer);
    answer.piece_a = of->piece_a;
    answer.piece_b = of->piece_b;
    return answer;
}

/* Answers for two overlapping shapes. `found` is the deepest pair of pieces, for a distance any
 * overlapping pair unless is_deepest; if no pieces overlap, a touching pair or none. */
static gjk_pair_answer answer_overlap(gjk_question question, const gjk_placed *a,
                                      const gjk_placed *b, gjk_pair_answer found, bool is_deepest,
                                      const gjk_pair_settings *settings) {
    const bool is_of_pieces = found.state == GJK_OVERLAPPING && !found.inside;
    found.state = GJK_OVERLAPPING;
    if (question == GJK_ASK_DISTANCE && is_of_pieces) {
        if (is_deepest) {
            return found;
        }
        gjk_pair_settings other = *settings;
        other.penetration = true;
        found = gjk_find_piece_pair(GJK_ASK_DETECT, a, b, &other);
        return found.given_up ? found : answer_again(question, a, b, &found, settings);
    }
    if (question == GJK_ASK_DISTANCE) {
        found.distance = found.lower_bound = 0.0;
        found.normal = found.point_a = found.point_b = (gjk_vec3){0, 0, 0};
        found.has_points = false;
        return found;
    }
    if (settings->recorder != NULL && settings->penetration && is_of_pieces) {
        found = answer_again(question, a, b, &found, settings);
    }
    return settings->penetration && !settings->of_pieces
               ? gjk_answer_whole_depth(a, b, &found, NULL, settings)
               : found;
}

gjk_pair_answer gjk_answer_pieces(gjk_question question, const gjk_placed *a, const gjk_placed *b,
                                  const gjk_pair_settings *settings, gjk_pair_answer *nearest) {
    if (gjk_shape_is_empty(a->shape) || gjk_shape_is_empty(b->shape)) {
        gjk_pair_answer apart = gjk_answer_without_pieces(false);
        apart.given_up = false;
        apart.distance = apart.lower_bound = apart.signed_distance = INFINITY;
        return *nearest = apart;
    }
    const bool is_detailed = question == GJK_ASK_DISTANCE || settings->penetration;
    const bool is_deepest = gjk_search_ball(question, a, b, settings, nearest);
    if (!is_deepest) {
        *nearest = gjk_search_pairs(question, a, b, settings);
    }
    gjk_pair_answer found = gjk_check_enclosure(nearest, a, b, settings->budget);
    const bool overlaps = found.state == GJK_OVERLAPPING ||
                          (found.state == GJK_TOUCHING && gjk_touch_is_inside(a, b, settings));
    if (found.given_up || gjk_budget_is_spent(settings->budget)) {
        return gjk_answer_without_pieces(false);
    }
    if (overlaps) {
        return answer_overlap(question, a, b, found, is_deepest, settings);
    }
    if (question == GJK_ASK_DETECT && found.state == GJK_SEPARATED && settings->penetration) {
        found = gjk_find_piece_pair(GJK_ASK_DISTANCE, a, b, settings);
        return found.given_up ? found : answer_again(question, a, b, &found, settings);
    }
    if (settings->recorder != NULL && is_detailed) {
        const double lower_bound = found.lower_bound;
        found = answer_again(question, a, b, &found, settings);
        found.lower_bound = question == GJK_ASK_DISTANCE
                                ? gjk_smaller(found.lower_bound, lower_bound)
                                : found.lower_bound;
    }
    return found;
}
