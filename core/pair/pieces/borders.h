#ifndef GJK_PAIR_PIECES_BORDERS_H
#define GJK_PAIR_PIECES_BORDERS_H

#include "pair/pieces/way_out.h"

/*
 * Walks all borders of Minkowski differences in the plane that are nearer than the best
 * translation, and keeps the shortest that is free. Returns true if there is no shorter one: all
 * pairs are of clouds, there are not too many, and no walk was cut short.
 */
bool gjk_walk_borders(gjk_way_out *way);

#endif
