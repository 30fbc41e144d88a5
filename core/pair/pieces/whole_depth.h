#ifndef GJK_PAIR_PIECES_WHOLE_DEPTH_H
#define GJK_PAIR_PIECES_WHOLE_DEPTH_H

#include "pair/answer.h"

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
