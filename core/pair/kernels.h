#ifndef GJK_PAIR_KERNELS_H
#define GJK_PAIR_KERNELS_H

/*
 * The methods that answer for the cores of a pair, seen from the pair's frame: the boolean form
 * of GJK, GJK, EPA, the descent after it, and the direct solvers, which do not iterate.
 */

#include "pair/simplex2.h"
#include "pair/simplex3.h"
#include "pair/solution.h"

/*
 * Are two cores apart, or do they overlap, beyond doubt? True when what is proven reaches
 * the goal. *simplex begins empty or with points of a - b to start from, and then holds
 * points to go on with: when upper is 0 four around the origin, else up to four near it, in
 * no order. direction: to start along when the simplex is empty, from a towards b, in the
 * frame, of any length but 0.
 */
bool gjk_boolean3(const gjk_frame3 *frame, gjk_vec3 direction, const gjk_goal *goal,
                  gjk_simplex3 *simplex, gjk_solution *solution);

/*
 * The distance of two cores in 2D. Returns true when the penetration solver must
 * have the last word: the last simplex holds the origin (upper = 0, no points), or
 * all but touches it and no axis proves it apart (points and upper bound stand).
 * Returns false when the solution is final: apart, or ended by the goal or the limit.
 * *solution begins empty (gjk_no_solution), but for what was proven before.
 */
bool gjk_gjk2(const gjk_frame2 *frame, const gjk_goal *goal, gjk_simplex2 *simplex,
              gjk_solution *solution);

/*
 * The distance of two cores in 3D. Returns true when the penetration solver must
 * have the last word: the last simplex holds the origin (upper = 0, no points), or
 * all but touches it and no axis proves it apart (points and upper bound stand).
 * Returns false when the solution is final: apart, or ended by the goal or the limit.
 * *simplex begins empty, or with points of a - b to start from; *solution begins empty
 * (gjk_no_solution), but for what was proven before.
 */
bool gjk_gjk3(const gjk_frame3 *frame, const gjk_goal *goal, gjk_simplex3 *simplex,
              gjk_solution *solution);

/*
 * The penetration of two cores in 2D whose difference holds or touches the
 * origin, from the last simplex of gjk_gjk2. Adds its iterations to *solution and
 * improves the bounds that stand there: lower = -depth from above, upper = -depth from below. A
 * difference without area has depth 0 along a direction in which it has no width.
 */
void gjk_epa2(const gjk_frame2 *frame, const gjk_simplex2 *simplex, const gjk_goal *goal,
              gjk_solution *solution);

/*
 * The penetration of two cores in 3D whose difference holds or touches the
 * origin, from the last simplex of gjk_gjk3. Adds its iterations to *solution and
 * improves the bounds that stand there: lower = -depth from above, upper = -depth from below. A
 * difference without volume has depth 0 along a direction in which it has no width.
 */
void gjk_epa3(const gjk_frame3 *frame, const gjk_simplex3 *simplex, const gjk_goal *goal,
              gjk_solution *solution);

/*
 * From a direction along which two cores that overlap are nearly least deep in each other
 * (*solution: normal; lower = -depth along it) to one near it along which they are least deep: a
 * local minimum, in most cases to the tolerance. The depth does not grow. Leaves points of both
 * with point_a - point_b = depth * normal, as near as a direction of that depth can tell.
 */
void gjk_descend2(const gjk_frame2 *frame, const gjk_goal *goal, gjk_solution *solution);

/*
 * From a direction along which two cores that overlap are nearly least deep in each other
 * (*solution: normal; lower = -depth along it) to one near it along which they are least deep: a
 * local minimum, in most cases to the tolerance. The depth does not grow. Leaves points of both
 * with point_a - point_b = depth * normal, as near as a direction of that depth can tell.
 */
void gjk_descend3(const gjk_frame3 *frame, const gjk_goal *goal, gjk_solution *solution);

/*
 * The distance or the penetration of two cores in 2D that are small polygons, or one of
 * them and a point, without iteration. False when it does not serve this pair, or could not
 * bring the bounds together: then what *solution says of the bounds, of the normal and of
 * what is proven holds all the same, and the general method has the last word.
 */
bool gjk_separating_axis2(const gjk_frame2 *frame, const gjk_goal *goal, gjk_solution *solution);

/*
 * Whether two boxes with thickness are apart, and their penetration, without iteration.
 * False when it does not serve this pair or the question is left open (the distance of what
 * is apart always is): then what *solution says is proven holds, and the normal, if lower is
 * finite, is a good direction to start along.
 */
bool gjk_separating_axis3(const gjk_frame3 *frame, const gjk_goal *goal, gjk_solution *solution);

/*
 * The distance or the penetration of a cylinder or a cone and another of them, a segment or a
 * point, whose axes are parallel (to a point any axis is), without iteration and to rounding.
 * False when it does not serve this pair, or could not bring the bounds together: then what
 * *solution says of the bounds and of what is proven holds all the same.
 */
bool gjk_coaxial3(const gjk_frame3 *frame, const gjk_goal *goal, gjk_solution *solution);

/*
 * The distance or the penetration of an ellipse or ellipsoid and a point, or of two around one
 * centre with parallel axes, to rounding. False when it does not serve this pair, or could not
 * bring the bounds together; then *solution says nothing.
 */
bool gjk_ellipse_point2(const gjk_frame2 *frame, const gjk_goal *goal, gjk_solution *solution);
bool gjk_ellipse_point3(const gjk_frame3 *frame, const gjk_goal *goal, gjk_solution *solution);

#endif
