#ifndef GJK_RAY_CASTS_START_H
#define GJK_RAY_CASTS_START_H

#include "ray/pieces.h"

/*
 * Returns true if a contact that a cast has found is none by GJK_AT_START_IGNORE or LEAVING,
 * whichever the cast has. found->piece and found->moving_piece name the two. Sets the normal of an
 * overlap that LEAVING reports.
 */
bool gjk_cast_passes_over(const gjk_piece_cast *cast, gjk_cast_result *found);

#endif
