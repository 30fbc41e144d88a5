#ifndef GJK_SCENE_EXTENT_H
#define GJK_SCENE_EXTENT_H

#include "gjk/snapshot.h"

/* How far from a point everything of the moment ends, from above. Depends on the bodies
 * alone. O(n). */
double gjk_extent_from(const gjk_snapshot *snapshot, gjk_vec3 point);

#endif
