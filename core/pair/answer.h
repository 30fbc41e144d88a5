#ifndef GJK_PAIR_ANSWER_H
#define GJK_PAIR_ANSWER_H

/* The questions that solvers answer, and helpers common to all solvers. */

#include "gjk/pair.h"

typedef enum gjk_question { GJK_ASK_DETECT, GJK_ASK_DISTANCE } gjk_question;

/* Sets all members except lengths and vectors. */
static inline void gjk_answer_begin(gjk_state state, uint32_t iterations, gjk_pair_answer *answer) {
    answer->state = state;
    answer->convergence = GJK_CONVERGED;
    answer->iterations = iterations;
    answer->has_points = false;
    answer->signed_distance = 0.0;
    answer->piece_a = answer->piece_b = GJK_NO_PIECE;
    answer->inside = answer->is_signed = answer->given_up = false;
}

/* Returns an answer without pieces: one shape lies inside the other, or the budget is spent. */
static inline gjk_pair_answer gjk_answer_without_pieces(bool inside) {
    return (gjk_pair_answer){.state = inside ? GJK_OVERLAPPING : GJK_SEPARATED,
                             .inside = inside,
                             .given_up = !inside,
                             .piece_a = GJK_NO_PIECE,
                             .piece_b = GJK_NO_PIECE};
}

/* Returns max(x, 0). Not by fmax, which leaves the sign of a zero to the compiler. */
static inline __attribute__((always_inline)) double gjk_positive_part(double x) {
    return x > 0.0 ? x : 0.0;
}

static inline void gjk_answer_into(gjk_question question, const gjk_placed *a, const gjk_placed *b,
                                   const gjk_pair_settings *settings, gjk_pair_answer *answer) {
    if (question == GJK_ASK_DETECT) {
        gjk_detect_into(a, b, settings, answer);
    } else {
        gjk_distance_into(a, b, settings, answer);
    }
}

/* Answers any pair under any settings by pair/kernels, or else by the general method, which reports
 * to a recorder. Returns true if pair/kernels decided the pair. */
bool gjk_answer_general(gjk_question question, const gjk_placed *a, const gjk_placed *b,
                        const gjk_pair_settings *settings, gjk_pair_answer *answer);

/* Returns true if a comes first of two shapes of the same size. */
bool gjk_comes_first_of_equal_size(const gjk_placed *a, const gjk_placed *b);

/* Chooses the shape in whose frame a query is solved from the shapes themselves, so that no answer
 * depends on the order in which the caller names them. Returns true if it is a, also if the two are
 * indistinguishable. */
static inline bool gjk_comes_first(const gjk_placed *a, const gjk_placed *b) {
    const uint8_t flat_a = a->shape->flat, flat_b = b->shape->flat;
    if (flat_a + flat_b == GJK_FLAT_POINT + GJK_FLAT_POLYGON) { /* avoids rotating the edges */
        return flat_a == GJK_FLAT_POLYGON;
    }
    const double of_a = a->shape->size, of_b = b->shape->size;
    return __builtin_expect(of_a != of_b, 1) ? of_a > of_b : gjk_comes_first_of_equal_size(a, b);
}

#endif
