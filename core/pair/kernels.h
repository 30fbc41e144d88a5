#ifndef GJK_PAIR_KERNELS_H
#define GJK_PAIR_KERNELS_H

/*
 * The methods that answer for the cores of a pair in the pair's frame: GJK and its boolean
 * form, EPA, the descent after it, and the direct solvers, which do not iterate. All of them
 * improve a *solution that begins empty (gjk_solution_init), but for what was proven before.
 */

#include "gjk/pair.h"
#include "pair/gjk/simplex.h"
#include "pair/solution.h"

/*
 * Penetration solvers have the last word about cores that overlap. A solver gets the pair's frame
 * and the simplex with which GJK ended, and improves the bounds, the normal and the witness points.
 * A direct one needs no simplex: it is called before GJK (with NULL), answers the distance of
 * separated cores as well, and returns false for a pair that it does not serve or cannot settle;
 * its solution then holds but is not final. NULL where a solver does not serve a dimension.
 */
struct gjk_penetration_solver {
    bool direct;
    bool (*solve2)(const gjk_frame2 *frame, const gjk_simplex2 *simplex, const gjk_goal *goal,
                   gjk_solution *solution);
    bool (*solve3)(const gjk_frame3 *frame, const gjk_simplex3 *simplex, const gjk_goal *goal,
                   gjk_solution *solution);
};

/*
 * Boolean GJK: whether two cores are separated or overlap. Returns true when what is proven
 * reaches the goal. *simplex begins empty or with points of a - b to start from, and ends with
 * points to continue from, in no order: four around the origin when upper is 0, else up to
 * four near it. direction: the first search direction, in the frame, of any length but 0; by
 * address, since a copy would wait for its numbers (a store-forwarding stall).
 */
bool gjk_boolean3(const gjk_frame3 *frame, const gjk_vec3 *direction, const gjk_goal *goal,
                  gjk_simplex3 *simplex, gjk_solution *solution);

/*
 * GJK for the distance of two cores. Returns true when the penetration solver must have the
 * last word: the last simplex contains the origin (upper = 0, no points), or nearly touches it
 * and no axis proves it separated (points and upper bound hold). Returns false when the
 * solution is final: separated, or ended by the goal or the limit. The simplex of gjk_gjk3
 * begins empty, or with points of a - b to start from.
 */
bool gjk_gjk2(const gjk_frame2 *frame, const gjk_goal *goal, gjk_simplex2 *simplex,
              gjk_solution *solution);
bool gjk_gjk3(const gjk_frame3 *frame, const gjk_goal *goal, gjk_simplex3 *simplex,
              gjk_solution *solution);

/*
 * EPA for the penetration of two cores whose difference contains or touches the origin, from
 * the last simplex of GJK. Adds its iterations to *solution and improves the bounds there:
 * -lower bounds the depth from above, -upper from below. A difference without area (3D:
 * volume) has depth 0 along a direction in which it has no width. A penetration solver: returns true.
 */
bool gjk_epa2(const gjk_frame2 *frame, const gjk_simplex2 *simplex, const gjk_goal *goal,
              gjk_solution *solution);
bool gjk_epa3(const gjk_frame3 *frame, const gjk_simplex3 *simplex, const gjk_goal *goal,
              gjk_solution *solution);

/*
 * Make point_a - point_b = depth * normal hold where the bounds have not met to all digits.
 * When the iteration limit ended EPA, the nearest face may not be that of the best axis: the
 * first takes the support points along the normal instead, if they are closer to it. The
 * second distributes the rest between both points.
 */
void gjk_prefer_support(const gjk_vertex3 *support, gjk_solution *solution);
void gjk_match_points(double rounding, gjk_solution *solution);

/* Set the witness points of the solution to those of the simplex. */
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
 * Separating axes for two small polygons, or one and a point: their distance or penetration
 * without iteration. Returns false for a pair that it does not serve, or when the bounds do
 * not meet: the bounds, the normal and what is proven hold nevertheless, and the general
 * method has the last word.
 */
bool gjk_separating_axis2(const gjk_frame2 *frame, const gjk_goal *goal, gjk_solution *solution);

/*
 * Separating axes for two boxes: whether they are separated, and their penetration, without
 * iteration. Returns false for a pair that it does not serve and for what it leaves open (the
 * distance of separated boxes always): what is proven holds nevertheless, and the normal, if
 * lower is finite, is a good first direction.
 */
bool gjk_separating_axis3(const gjk_frame3 *frame, const gjk_goal *goal, gjk_solution *solution);

/* How box b meets box a on a way. */
typedef struct gjk_entry3 {
    bool misses;
    double widest; /* gap between the two at the start */
    double t;      /* how far along the way they meet; rounding may be `slack` of it */
    double slack;
    double inside; /* seen along it, the sum of both holds a disc of this radius about it */
    gjk_vec3 normal, point_a;
} gjk_entry3;

/*
 * Casts box b without an end along a unit direction at box a, by their separating axes. radius: the sum
 * of the radii that both are rounded by. near: two that overlap by no more than this, seen along the
 * direction, only slide along each other. Returns false for a pair that is not of boxes or that rounding
 * leaves undecided.
 */
bool gjk_enter_boxes(const gjk_frame3 *frame, gjk_vec3 direction, double radius, double near,
                     gjk_entry3 *entry);

/*
 * The distance or the penetration of a cylinder or cone and a cylinder, cone, segment or point
 * with a parallel axis (every axis is parallel to a point), without iteration and to rounding.
 * Returns false for a pair that it does not serve, or when the bounds do not meet: the bounds
 * and what is proven hold nevertheless.
 */
bool gjk_coaxial3(const gjk_frame3 *frame, const gjk_goal *goal, gjk_solution *solution);

/* The distance or the penetration of an ellipse or ellipsoid and a point, or of two around one
 * centre with parallel axes, to rounding. Returns false for a pair that it does not serve, or when
 * the bounds do not meet; *solution is then unchanged. */
bool gjk_ellipse_point2(const gjk_frame2 *frame, const gjk_goal *goal, gjk_solution *solution);
bool gjk_ellipse_point3(const gjk_frame3 *frame, const gjk_goal *goal, gjk_solution *solution);

/* Warm start: sets *simplex (or leaves it empty) and *heading to what the cache holds of the same
 * two shapes. */
void gjk_cache_recall(const gjk_cache *cache, const gjk_frame3 *frame, gjk_simplex3 *simplex,
                      gjk_vec3 *heading);

/* Keeps the simplex with which a query ended, or the separating axis if there is one (else
 * NULL). */
void gjk_cache_keep(gjk_cache *cache, const gjk_frame3 *frame, const gjk_simplex3 *simplex,
                    const gjk_vec3 *axis);

#endif
