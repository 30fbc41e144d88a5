#ifndef GJK_RAY_CASTS_CASTS_H
#define GJK_RAY_CASTS_CASTS_H

/* Casts of convex shapes, by a ray at their Minkowski difference, and casts between shapes of many
 * pieces. */

#include "gjk/budget.h"
#include "gjk/cast.h"
#include "ray/general/general.h"

/* --- Two convex shapes --- */

/* Returns the settings of a detection at the start of a cast, with penetration depth. */
static inline gjk_detect_settings gjk_cast_start_settings(const gjk_cast_settings *settings) {
    gjk_detect_settings at_rest = gjk_detect_settings_default();
    at_rest.tolerance = settings->tolerance;
    at_rest.max_iterations = settings->max_iterations;
    at_rest.budget = settings->budget;
    return at_rest;
}

/* Returns the length of v, without overflow, and sets *unit to its direction; zero if v is zero. */
double gjk_measure_way(gjk_vec3 v, gjk_vec3 *unit);

/* Returns the margin for the boxes of a cast that covers rounding errors of the relative pose and
 * the tolerance. */
double gjk_swept_slack(const gjk_placed *moving, const gjk_placed *target, gjk_vec3 translation,
                       double tolerance);

/*
 * Does the same as gjk_ray_at_pair in closed form: in 3D for two boxes, in 2D for two polygons or
 * segments, one of which may be a point. The pair's unit is 1. Two shapes whose projections along
 * the way overlap by no more than `near` slide along each other and do not meet. Returns false if
 * it does not serve the pair, or cannot decide.
 */
bool gjk_ray_direct(const gjk_placed *a, const gjk_placed *b, const gjk_ray_goal *goal, double near,
                    gjk_ray_solution *solution);

/* Two shapes and the straight path of one of them, in world axes. */
typedef struct gjk_path {
    const gjk_placed *target, *moving;
    gjk_vec3 direction; /* of unit length */
    double tolerance;   /* largest overlap that counts as touching, a length */
} gjk_path;

/* Returns true if a plane with the unit normal n, pointing away from the target, separates the
 * two. */
bool gjk_path_separates(const gjk_path *path, gjk_vec3 n);

/*
 * Returns true if the moving shape only slides along the target, however far it moves: a separating
 * normal perpendicular to the direction exists, *beside. Two flat shapes in one plane along the
 * path do not slide but meet. `normal` is that of any contact, from the target.
 */
bool gjk_path_slides(const gjk_path *path, gjk_vec3 normal, gjk_vec3 *beside);

/*
 * Returns true if the direction moves two touching shapes into each other: it points against the
 * normal of every separating plane; if not against one of them, the shapes slide or part. `normal`
 * is that of any separating plane. These normals form a convex cone: if the direction is against
 * one and not against another, a normal between them is perpendicular to it (gjk_path_slides),
 * unless the two are opposite, as for two flat shapes in one plane.
 */
bool gjk_path_leads_in(const gjk_path *path, gjk_vec3 normal);

/* Returns true if a shape has no thickness: a triangle in space, a segment in the plane. */
static inline bool gjk_is_flat(const gjk_shape *shape) {
    return !(shape->radius > 0.0) && shape->count == shape->dimension;
}

/* Sets *normal to that of a flat target, if the moving shape is on one side of its plane and moves
 * toward it. Returns false otherwise, with *normal unchanged. */
bool gjk_path_flat_normal(const gjk_path *path, gjk_vec3 *normal);

/* --- Pieces --- */

gjk_cast_result gjk_cast_pieces(const gjk_placed *moving, gjk_vec3 translation,
                                const gjk_placed *target, const gjk_cast_settings *settings);

/* Does the same if only the pieces `only` of the target can be met. `moving` is convex. */
gjk_cast_result gjk_cast_at_pieces(const gjk_placed *moving, gjk_vec3 translation,
                                   const gjk_placed *target, const gjk_cast_settings *settings,
                                   const uint32_t *only, uint32_t only_count);

/* Casts a convex shape at a convex target, if they are certainly apart by more than the tolerance
 * at the start. Returns the same bits as gjk_cast for a contact up to the fraction `bound`; for a
 * later contact it may return a miss. The translation is not zero. */
gjk_cast_result gjk_cast_apart(const gjk_placed *moving, gjk_vec3 translation,
                               const gjk_placed *target, const gjk_cast_settings *settings,
                               double bound);

/* Search for the first contact among the pairs of pieces of two shapes. */
typedef struct gjk_piece_cast {
    const gjk_placed *moving, *target;
    gjk_rigid_motion motion;
    gjk_cast_settings settings; /* settings for a pair of pieces, with GJK_AT_START_REPORT */
    gjk_at_start at_start;      /* setting of the whole cast */
    bool has_passed_over;       /* a contact was skipped, by at_start or as a back face */
    bool compares;              /* tests if contacts continue a skipped surface */
    const uint32_t *only;       /* the only pieces of the target that can be met; NULL: all */
    uint32_t only_count;
    gjk_cast_result best;
} gjk_piece_cast;

gjk_piece_cast gjk_piece_cast_make(const gjk_placed *moving, const gjk_rigid_motion *motion,
                                   const gjk_placed *target, const gjk_cast_settings *settings);

/* Returns the fraction of the way beyond which contacts do not matter. */
static inline double gjk_piece_cast_bound(const gjk_piece_cast *cast) {
    return cast->best.hit ? cast->best.fraction : 1.0;
}

/* Takes the result of two pieces if it is better than the best so far and at_start does not skip
 * it. `inside` is best, then the least fraction, then the least indices of pieces. */
void gjk_piece_cast_offer(gjk_piece_cast *cast, const gjk_cast_result *result,
                          uint32_t moving_piece, uint32_t piece);

/* Returns the result of the whole cast. Also detects a shape that starts inside a closed mesh
 * without touching it, and adds the depth for GJK_AT_START_RESOLVE. */
gjk_cast_result gjk_piece_cast_end(gjk_piece_cast *cast);

/* Adds to *result the penetration depth of two shapes that overlap at the start, and the normal
 * along which the moving shape leaves the target. */
void gjk_cast_resolve(const gjk_placed *moving, const gjk_placed *target,
                      const gjk_cast_settings *settings, gjk_cast_result *result);

/*
 * Returns true if GJK_AT_START_IGNORE or LEAVING, whichever the cast uses, skips a contact.
 * found->piece and found->moving_piece are its pieces. Sets the normal of an overlap that LEAVING
 * reports.
 */
bool gjk_cast_passes_over(const gjk_piece_cast *cast, gjk_cast_result *found);

#endif
