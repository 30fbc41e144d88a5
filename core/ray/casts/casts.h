#ifndef GJK_RAY_CASTS_CASTS_H
#define GJK_RAY_CASTS_CASTS_H

/* Casts: of two convex shapes, by a ray at their difference, and among the pieces of shapes that have
 * many. */

#include "gjk/budget.h"
#include "gjk/cast.h"
#include "ray/general/general.h"

/* --- Two convex shapes --- */

/* Returns how two shapes are asked about at rest, with a depth. */
static inline gjk_detect_settings gjk_cast_at_rest(const gjk_cast_settings *settings) {
    gjk_detect_settings at_rest = gjk_detect_settings_default();
    at_rest.tolerance = settings->tolerance;
    at_rest.max_iterations = settings->max_iterations;
    at_rest.budget = settings->budget;
    return at_rest;
}

/* Returns the length of v, without overflow, and sets *unit to the unit vector, zero for zero. */
double gjk_measure_way(gjk_vec3 v, gjk_vec3 *unit);

/* Returns by how much boxes are to be widened where two shapes with these origins are asked about, one
 * of which moves so far, to hold what roundings and the tolerance may add. */
double gjk_swept_slack(const gjk_placed *moving, const gjk_placed *target, gjk_vec3 translation,
                       double tolerance);

/*
 * The same as gjk_ray_at_pair without iteration: for two boxes in 3D, and in 2D for two polygons
 * with edges, segments among them, or one and a point. The pair's unit is 1 then. near: two whose
 * overlap, seen along the way, is no deeper than this only slide along each other, and do not meet.
 * Returns false for a pair that it does not serve or leaves undecided.
 */
bool gjk_ray_direct(const gjk_placed *a, const gjk_placed *b, const gjk_ray_goal *goal, double near,
                    gjk_ray_solution *solution);

/* Two shapes and the straight path of one of them, in the axes of the world. */
typedef struct gjk_path {
    const gjk_placed *target, *moving;
    gjk_vec3 direction; /* of unit length */
    double tolerance;   /* a length: what overlaps by no more only touches */
} gjk_path;

/* Returns true if the plane square to a unit vector from the target parts the two. */
bool gjk_path_parts(const gjk_path *path, gjk_vec3 n);

/*
 * Returns true if the moving shape only slides along the target, however far it moves: there is a
 * normal perpendicular to the direction along which the two never overlap, *beside. Two flat shapes
 * within one plane along the path do not slide but meet. normal: that of any contact, from the
 * target.
 */
bool gjk_path_slides(const gjk_path *path, gjk_vec3 normal, gjk_vec3 *beside);

/*
 * Returns true if the direction moves two touching shapes into each other: it points against the
 * normal of every plane that separates them. A direction along such a plane, or away from it, only
 * slides or parts them. normal: that of any separating plane. These normals form a convex cone. If
 * one is against the direction and another is not, one between them is perpendicular to it, unless
 * the two are opposite, as of two flat shapes in one plane.
 */
bool gjk_path_leads_in(const gjk_path *path, gjk_vec3 normal);

/* Returns true if a shape has no thickness: a triangle in space, a segment in the plane. */
static inline bool gjk_is_flat(const gjk_shape *shape) {
    return !(shape->radius > 0.0) && shape->count == shape->dimension;
}

/* The normal of a target without thickness when the moving shape lies on one side of it and comes
 * from there. False for other targets, and beyond their rims; *normal is not set then. */
bool gjk_path_flat_normal(const gjk_path *path, gjk_vec3 *normal);

/* --- Pieces --- */

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

/*
 * Returns true if a contact that a cast has found is none by GJK_AT_START_IGNORE or LEAVING,
 * whichever the cast has. found->piece and found->moving_piece name the two. Sets the normal of an
 * overlap that LEAVING reports.
 */
bool gjk_cast_passes_over(const gjk_piece_cast *cast, gjk_cast_result *found);

#endif
