#ifndef GJK_DIRECT_ELLIPSE_H
#define GJK_DIRECT_ELLIPSE_H

#include "frame2.h"
#include "frame3.h"
#include "solution.h"

/*
 * The distance or the penetration of an ellipse or ellipsoid and a point, or of two around one
 * centre with parallel axes, to rounding. False when it does not serve this pair, or could not
 * bring the bounds together; then *solution says nothing.
 */
bool gjk_direct_ellipse2(const gjk_frame2 *frame, const gjk_goal *goal, gjk_solution *solution);
bool gjk_direct_ellipse3(const gjk_frame3 *frame, const gjk_goal *goal, gjk_solution *solution);

#endif
