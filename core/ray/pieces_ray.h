#ifndef GJK_RAY_PIECES_RAY_H
#define GJK_RAY_PIECES_RAY_H

/* Rays and casts where shapes of many pieces take part: gjk_raycast and gjk_cast lead here. */

#include "gjk/cast.h"
#include "gjk/ray.h"

gjk_ray_result gjk_raycast_pieces(const gjk_placed *target, const gjk_ray *ray,
                                  const gjk_ray_settings *settings);

gjk_cast_result gjk_cast_pieces(const gjk_placed *moving, gjk_vec3 translation,
                                const gjk_placed *target, const gjk_cast_settings *settings);

#endif
