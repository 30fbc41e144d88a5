#ifndef GJK_RAY_CLOSED_CLOSED_FORMS_H
#define GJK_RAY_CLOSED_CLOSED_FORMS_H

/* The first intersection of a line with a shape of one kind: one function for each closed form. */

#include "gjk/ray.h"
#include "ray/closed/line.h"

/* Casts a ray at a point or ball: a target whose shape is a cloud of one point. */
gjk_ray_result gjk_raycast_ball(const gjk_placed *target, const gjk_ray *ray,
                                const gjk_ray_settings *settings);

/* Applies the closed form for the shape's kind; UNSURE where there is none. The shape is of
 * ordinary size: products of four lengths neither overflow nor underflow. */
gjk_line_hit gjk_line_meet(const gjk_shape *shape, const gjk_line *line);

/* Any 2D cloud of at least two points, and the same with a radius. O(points). */
gjk_line_hit gjk_line_meet_polygon(const gjk_shape *shape, const gjk_line *line);

/* The capsule: all points within `radius` of the segment between two different points (3D). */
gjk_line_hit gjk_line_meet_capsule(const gjk_vec3 ends[2], double radius, const gjk_line *line);

/* A 3D box centred at the own origin, and the ball of `radius` around each point of it. */
gjk_line_hit gjk_line_meet_box(gjk_vec3 half_extents, double radius, const gjk_line *line);

/* The distance at which the line passes a box without radius, centred at `center`, to rounding;
 * negative or 0 when it intersects it. */
double gjk_line_clearance_of_box(gjk_vec3 center, gjk_vec3 half_extents, const gjk_line *line);

/* A triangle without radius, in space. */
gjk_line_hit gjk_line_meet_triangle(const gjk_vec3 corners[3], const gjk_line *line);

/* Casts a ray at a triangle of the shape `target`, without radius: the bits that gjk_raycast gives
 * for it alone. Returns false where it is no hit from outside beyond doubt, for gjk_raycast to
 * decide. */
bool gjk_raycast_triangle(const gjk_placed *target, const gjk_vec3 corners[3], const gjk_ray *ray,
                          double tolerance, gjk_ray_result *result);

/* One form for each kind of curve without radius. */
#define GJK_LINE_MEET(type, function, ...) \
    gjk_line_hit gjk_line_meet_##function(const gjk_shape *shape, const gjk_line *line);
GJK_CURVE_MAP(GJK_LINE_MEET)

#endif
