#ifndef GJK_RAY_PIECES_H
#define GJK_RAY_PIECES_H

/* Rays and casts where shapes of many pieces take part: gjk_raycast and gjk_cast lead here. */

#include "gjk/budget.h"
#include "gjk/cast.h"
#include "gjk/ray.h"

gjk_ray_result gjk_raycast_pieces(const gjk_placed *target, const gjk_ray *ray,
                                  const gjk_ray_settings *settings);

/* settings->at_start is the caller's to regard. */
gjk_cast_result gjk_cast_pieces(const gjk_placed *moving, gjk_vec3 translation,
                                const gjk_placed *target, const gjk_cast_settings *settings);

/* Where one of the two starts inside the other, a closed mesh, and does not touch it, that is the
 * result. Of shapes whose surfaces do not overlap at the start. */
void gjk_cast_starts_inside(const gjk_placed *moving, const gjk_placed *target,
                            const gjk_cast_settings *settings, gjk_budget *budget,
                            gjk_cast_result *result);

/* Makes of a result that reports an overlap at the start what settings->at_start asks for. */
void gjk_cast_settle_start(const gjk_placed *moving, const gjk_placed *target,
                           const gjk_cast_settings *settings, gjk_cast_result *result);

#endif
