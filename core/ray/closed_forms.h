#ifndef GJK_RAY_CLOSED_FORMS_H
#define GJK_RAY_CLOSED_FORMS_H

#include "ray/line.h"

/* Where a line first meets a shape of one kind: one function for each closed form. */

/* Any 2D cloud of at least two points, and the same with a radius. O(points). */
gjk_line_hit gjk_line_meet_polygon(const gjk_shape *shape, const gjk_line *line);

/* What is within `radius` of the segment between two different points (3D). */
gjk_line_hit gjk_line_meet_capsule(const gjk_vec3 ends[2], double radius, const gjk_line *line);

/* A 3D box centred at the own origin, and the ball of `radius` around each point of it. */
gjk_line_hit gjk_line_meet_box(gjk_vec3 half_extents, double radius, const gjk_line *line);

/* How far beside that box, centred at `center`, the line passes (as good as exact without
 * radius, at most as far with); negative or 0 when it meets it. */
double gjk_line_clearance_of_box(gjk_vec3 center, gjk_vec3 half_extents, const gjk_line *line);

/* A 3D cloud of three points without radius. */
gjk_line_hit gjk_line_meet_triangle(const gjk_shape *shape, const gjk_line *line);

/* For each kind of curve one form, for shapes without rounding. */
#define GJK_LINE_MEET(type, function, ...) \
    gjk_line_hit gjk_line_meet_##function(const gjk_shape *shape, const gjk_line *line);
GJK_CURVE_MAP(GJK_LINE_MEET)

#endif
