#ifndef GJK_PAIR_PIECES_BRANCH_BOUND_H
#define GJK_PAIR_PIECES_BRANCH_BOUND_H

#include "pair/pieces/way_out.h"

/* Raises the lower bound of a way in 3D. deepest: pair of pieces, which are boxes where the length is
 * not known. Where all pieces that matter are polyhedra, and they are few, the bounds meet. */
void gjk_way_bound(gjk_way_out *way, const gjk_pair_answer *deepest);

#endif
