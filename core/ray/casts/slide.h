#ifndef GJK_RAY_CASTS_SLIDE_H
#define GJK_RAY_CASTS_SLIDE_H

#include "gjk/shape.h"

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

#endif
