#ifndef GJK_RAY_PIECES_H
#define GJK_RAY_PIECES_H

/* Rays and casts where shapes of many pieces take part: gjk_raycast and gjk_cast lead here. */

#include "gjk/budget.h"
#include "gjk/cast.h"
#include "gjk/ray.h"

void gjk_raycast_pieces(const gjk_placed *target, const gjk_ray *ray,
                        const gjk_ray_settings *settings, gjk_ray_result *result);

gjk_cast_result gjk_cast_pieces(const gjk_placed *moving, gjk_vec3 translation,
                                const gjk_placed *target, const gjk_cast_settings *settings);

/* The same where of the target's pieces only these can be met. moving: convex. */
gjk_cast_result gjk_cast_at_pieces(const gjk_placed *moving, gjk_vec3 translation,
                                   const gjk_placed *target, const gjk_cast_settings *settings,
                                   const uint32_t *only, uint32_t only_count);

/* Casts at a convex target, from which a convex shape is surely apart at the start by more than the
 * tolerance. The bits of gjk_cast if that is a contact up to a fraction of the way; beyond it a miss
 * may be the answer. translation: not zero. */
gjk_cast_result gjk_cast_apart(const gjk_placed *moving, gjk_vec3 translation,
                               const gjk_placed *target, const gjk_cast_settings *settings,
                               double bound);

/* The first contact among the pairs of pieces of two shapes, as far as it is known. */
typedef struct gjk_piece_cast {
    const gjk_placed *moving, *target;
    gjk_rigid_motion motion;
    gjk_cast_settings settings; /* of a pair of pieces: they report an overlap at the start */
    gjk_at_start at_start;      /* of the whole */
    bool has_passed_over;       /* a contact that is none by at_start, or one of a back */
    bool compares;              /* contacts with what has been passed over */
    const uint32_t *only;       /* no other pieces of the target can be met; NULL: any */
    uint32_t only_count;
    gjk_cast_result best;
} gjk_piece_cast;

gjk_piece_cast gjk_piece_cast_make(const gjk_placed *moving, const gjk_rigid_motion *motion,
                                   const gjk_placed *target, const gjk_cast_settings *settings);

/* Returns how far along the way contacts are of interest. */
static inline double gjk_piece_cast_bound(const gjk_piece_cast *cast) {
    return cast->best.hit ? cast->best.fraction : 1.0;
}

/* Takes the result of two pieces if it is better than the best (inside comes first, then the first
 * contact, then the least pieces) and at_start does not pass over it. */
void gjk_piece_cast_offer(gjk_piece_cast *cast, const gjk_cast_result *result,
                          uint32_t moving_piece, uint32_t piece);

/* The result of the whole: also where one of the two starts inside the other, a closed mesh, and
 * does not touch it, and with what GJK_AT_START_RESOLVE asks for. */
gjk_cast_result gjk_piece_cast_end(gjk_piece_cast *cast);

/* Tells how deep two that overlap at the start do, and which way out of the target the moving shape
 * is to go. */
void gjk_cast_resolve(const gjk_placed *moving, const gjk_placed *target,
                      const gjk_cast_settings *settings, gjk_cast_result *result);

#endif
