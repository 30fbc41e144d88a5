#ifndef GJK_PAIR_KERNELS_H
#define GJK_PAIR_KERNELS_H

/*
 * The methods that solve a pair's cores in the pair's frame: GJK and its boolean form, EPA, the
 * descent after EPA, and the direct solvers, which do not iterate. All improve a *solution that
 * starts empty (gjk_solution_init) except for earlier proofs.
 */

#include "gjk/pair.h"
#include "pair/gjk/simplex.h"
#include "pair/solution.h"

/*
 * A penetration solver for overlapping cores. It takes the pair's frame and the last simplex of GJK
 * and improves the bounds, the normal and the witness points. A direct solver needs no simplex: it
 * is called before GJK (with NULL) and also solves the distance of separated cores. It returns
 * false for a pair that it does not support or cannot decide; its solution is then valid but not
 * final. NULL if a solver does not support a dimension.
 */
struct gjk_penetration_solver {
    bool direct;
    bool (*solve2)(const gjk_frame2 *frame, const gjk_simplex2 *simplex, const gjk_goal *goal,
                   gjk_solution *solution);
    bool (*solve3)(const gjk_frame3 *frame, const gjk_simplex3 *simplex, const gjk_goal *goal,
                   gjk_solution *solution);
};

/*
 * Decides by boolean GJK whether two cores are separated or overlap. Returns true if the proof
 * reaches the goal. *simplex starts empty or with points of a - b, and ends with points from which
 * to continue, in no order: four around the origin if upper is 0, else up to four near it.
 * `direction`: the first search direction, in the frame, of any length but 0; passed by address,
 * since a copy would be a store-forwarding stall.
 */
bool gjk_boolean3(const gjk_frame3 *frame, const gjk_vec3 *direction, const gjk_goal *goal,
                  gjk_simplex3 *simplex, gjk_solution *solution);

/*
 * Run GJK for the distance of two cores. Return true if the penetration solver must decide: the
 * last simplex contains the origin (upper = 0, no points), or nearly touches it and no axis proves
 * separation (points and upper bound are valid). Return false if the solution is final: separated,
 * or ended by the goal or the limit. The simplex of gjk_gjk3 starts empty or with points of a - b.
 */
bool gjk_gjk2(const gjk_frame2 *frame, const gjk_goal *goal, gjk_simplex2 *simplex,
              gjk_solution *solution);
bool gjk_gjk3(const gjk_frame3 *frame, const gjk_goal *goal, gjk_simplex3 *simplex,
              gjk_solution *solution);

/*
 * Run EPA for the penetration of two cores whose difference contains or touches the origin,
 * starting from the last simplex of GJK. Add its iterations to *solution and improve its bounds:
 * -lower is an upper bound of the depth, -upper a lower one. A difference without area (3D: volume)
 * has depth 0 along a direction in which it has no width. Always return true.
 */
bool gjk_epa2(const gjk_frame2 *frame, const gjk_simplex2 *simplex, const gjk_goal *goal,
              gjk_solution *solution);
bool gjk_epa3(const gjk_frame3 *frame, const gjk_simplex3 *simplex, const gjk_goal *goal,
              gjk_solution *solution);

/*
 * Make point_a - point_b = depth * normal hold if the bounds have not met to all digits. If the
 * iteration limit ended EPA, the nearest face may not belong to the best axis: gjk_prefer_support
 * then takes the support points along the normal if they fit better. gjk_match_points distributes
 * the remaining error between both points.
 */
void gjk_prefer_support(const gjk_vertex3 *support, gjk_solution *solution);
void gjk_match_points(double rounding, gjk_solution *solution);

/* Set the solution's witness points to those of the simplex. */
static inline void gjk_set_witness2(const gjk_simplex2 *simplex, gjk_solution *solution) {
    gjk_vec2 point_a, point_b;
    gjk_simplex2_points(simplex, &point_a, &point_b);
    solution->point_a = gjk_xy0(point_a);
    solution->point_b = gjk_xy0(point_b);
    solution->has_points = true;
}
static inline void gjk_set_witness3(const gjk_simplex3 *simplex, gjk_solution *solution) {
    gjk_simplex3_points(simplex, &solution->point_a, &solution->point_b);
    solution->has_points = true;
}

/*
 * Separating-axis test of two small polygons, or one and a point: distance or penetration without
 * iteration. Returns false if the pair is not supported or the bounds do not meet. Bounds, normal
 * and proof are valid in any case; on false the general method must finish.
 */
bool gjk_separating_axis2(const gjk_frame2 *frame, const gjk_goal *goal, gjk_solution *solution);

/*
 * Separating-axis test of two boxes: whether they are separated, and their penetration, without
 * iteration. Returns false if the pair is not supported or undecided (always for the distance of
 * separated boxes). The proof is valid in any case, and if lower is finite the normal is a good
 * first direction.
 */
bool gjk_separating_axis3(const gjk_frame3 *frame, const gjk_goal *goal, gjk_solution *solution);

/* Contact of box b, moving along a direction, with box a. */
typedef struct gjk_entry3 {
    bool misses;
    double widest; /* gap between the two at the start */
    double t;      /* distance along the direction to the contact, within slack */
    double slack;
    double inside; /* radius of a disc about the contact within the sum of both, seen along it */
    gjk_vec3 normal, point_a;
} gjk_entry3;

/*
 * Casts box b along a unit direction, without end, at box a, by their separating axes. `radius` is
 * the sum of both rounding radii. Boxes that overlap by at most `near`, seen along the direction,
 * only slide along each other. Returns false if the pair is not two boxes or rounding leaves it
 * undecided.
 */
bool gjk_enter_boxes(const gjk_frame3 *frame, gjk_vec3 direction, double radius, double near,
                     gjk_entry3 *entry);

/*
 * Computes distance or penetration of a cylinder or cone and a cylinder, cone, segment or point
 * with a parallel axis (a point is parallel to every axis), without iteration and to rounding.
 * Returns false if the pair is not supported or the bounds do not meet; bounds and proof are valid
 * in any case.
 */
bool gjk_coaxial3(const gjk_frame3 *frame, const gjk_goal *goal, gjk_solution *solution);

/* Compute distance or penetration of an ellipse or ellipsoid and a point, or of two concentric ones
 * with parallel axes, to rounding. Return false if the pair is not supported or the bounds do not
 * meet; *solution is then unchanged. */
bool gjk_ellipse_point2(const gjk_frame2 *frame, const gjk_goal *goal, gjk_solution *solution);
bool gjk_ellipse_point3(const gjk_frame3 *frame, const gjk_goal *goal, gjk_solution *solution);

/* Sets *simplex (or leaves it empty) and *heading from the cache, for a warm start, if the cache is
 * for the same two shapes. */
void gjk_cache_recall(const gjk_cache *cache, const gjk_frame3 *frame, gjk_simplex3 *simplex,
                      gjk_vec3 *heading);

/* Stores the simplex with which a query ended, or the separating axis if there is one (else
 * NULL). */
void gjk_cache_keep(gjk_cache *cache, const gjk_frame3 *frame, const gjk_simplex3 *simplex,
                    const gjk_vec3 *axis);

#endif
