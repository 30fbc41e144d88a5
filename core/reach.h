#ifndef GJK_REACH_H
#define GJK_REACH_H

#include "gjk/moment.h"

/* How far from a point everything of the moment ends, from above. Depends on the bodies
 * alone. O(n). */
double gjk_reach_from(const gjk_moment *moment, gjk_vec3 point);

#endif
