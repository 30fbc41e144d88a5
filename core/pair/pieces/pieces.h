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

/* Answers a pair of which one has pieces, or both have: gjk_detect and gjk_distance lead here.
 * *nearest: the answer for their nearest or deepest pieces, before a shape inside the other is seen. */
gjk_pair_answer gjk_answer_pieces(gjk_question question, const gjk_placed *a, const gjk_placed *b,
                                  const gjk_pair_settings *settings, gjk_pair_answer *nearest);

/* Points of a convex shape, at most, that are looked for in a solid. */
#define GJK_INNER_POINTS 16

/* Sets points of a convex shape, without its radius: its middle, then corners. Returns how many. */
uint32_t gjk_points_of_convex(const gjk_placed *placed, gjk_vec3 points[GJK_INNER_POINTS]);

/* Returns true if two shapes whose pieces at most touch overlap all the same: one has a point in
 * the solid of the other's closed mesh, or on a seam within the other's region. */
bool gjk_touch_is_inside(const gjk_placed *a, const gjk_placed *b,
                         const gjk_pair_settings *settings);

/*
 * Turns the answer of the deepest pair of pieces, or that one shape is inside the other, into that
 * of the whole shapes, which overlap: depth is the length of the shortest translation found of
 * those that part the two, depth_lower_bound is from the deepest pair, from points inside a closed
 * mesh, or, in the plane, from a walk along all borders. The points and pieces are those that touch
 * after it. Takes three searches for a pair of pieces where one translation does, else tens or
 * hundreds. nearest: the nearest pair of pieces of shapes one of which is inside the other, which
 * spares the search for it; NULL: not known.
 */
gjk_pair_answer gjk_answer_whole_depth(const gjk_placed *a, const gjk_placed *b,
                                       const gjk_pair_answer *deepest,
                                       const gjk_pair_answer *nearest,
                                       const gjk_pair_settings *settings);

#endif
