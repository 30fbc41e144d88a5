#ifndef GJK_PAIR_PIECES_PIECES_H
#define GJK_PAIR_PIECES_PIECES_H

/* Searches for the pair of pieces that answers, where one operand has pieces or both have. */

#include "gjk/budget.h"
#include "pair/answer.h"

/* Finds the pair of pieces that answers, the deepest or the nearest. Of a distance where pieces
 * overlap it is any such pair. */
gjk_pair_answer gjk_find_piece_pair(gjk_question question, const gjk_placed *a, const gjk_placed *b,
                                    const gjk_pair_settings *settings);

/* The same by the pieces alone, whatever is inside of a closed mesh. */
gjk_pair_answer gjk_search_pieces(gjk_question question, const gjk_placed *a, const gjk_placed *b,
                                  const gjk_pair_settings *settings);

/* Returns what gjk_search_pieces has found, or that one shape is inside the other. */
gjk_pair_answer gjk_unless_inside(const gjk_pair_answer *found, const gjk_placed *a,
                                  const gjk_placed *b, gjk_budget *budget);

/*
 * Calls visit for pairs of pieces that may be nearer to each other than `bound` (a length) and may
 * overlap by `depth` at least, the nearest boxes first, until it returns false or the budget is
 * spent. visit may lower the bound and raise the depth. A convex operand is one piece with the
 * index GJK_NO_PIECE. Never names a pair twice. The order depends on the two placed shapes alone.
 */
typedef struct gjk_piece_pair {
    const gjk_placed *a, *b; /* convex, in the world; lent for the call */
    uint32_t piece_a, piece_b;
} gjk_piece_pair;

typedef struct gjk_piece_visitor {
    bool (*visit)(struct gjk_piece_visitor *visitor, const gjk_piece_pair *pair);
    double bound;     /* pairs of pieces that are further apart do not matter */
    double depth;     /* nor do those that overlap by less; 0: all that are near enough do */
    double tolerance; /* relative, as in the settings: boxes are widened by it */
    gjk_budget *budget;
} gjk_piece_visitor;

void gjk_visit_piece_pairs(const gjk_placed *a, const gjk_placed *b, gjk_piece_visitor *visitor);

#endif
