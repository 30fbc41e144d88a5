#ifndef GJK_PAIR_ELLIPSE_POINT_H
#define GJK_PAIR_ELLIPSE_POINT_H

#include "pair/frame2.h"
#include "pair/frame3.h"
#include "pair/solution.h"

/*
 * The distance or the penetration of an ellipse or ellipsoid and a point, or of two around one
 * centre with parallel axes, to rounding. False when it does not serve this pair, or could not
 * bring the bounds together; then *solution says nothing.
 */
bool gjk_ellipse_point2(const gjk_frame2 *frame, const gjk_goal *goal, gjk_solution *solution);
bool gjk_ellipse_point3(const gjk_frame3 *frame, const gjk_goal *goal, gjk_solution *solution);

#endif
