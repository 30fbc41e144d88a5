#ifndef GJK_PAIR_PIECES_ANSWER_PIECES_H
#define GJK_PAIR_PIECES_ANSWER_PIECES_H

#include "pair/answer.h"

/* Answers a pair of which one has pieces, or both have: gjk_detect and gjk_distance lead here.
 * *nearest: the answer for their nearest or deepest pieces, before a shape inside the other is seen. */
gjk_pair_answer gjk_answer_pieces(gjk_question question, const gjk_placed *a, const gjk_placed *b,
                                  const gjk_pair_settings *settings, gjk_pair_answer *nearest);

#endif
