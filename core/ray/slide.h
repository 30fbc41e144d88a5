#ifndef GJK_RAY_SLIDE_H
#define GJK_RAY_SLIDE_H

#include "gjk/shape.h"

/* Two shapes and the straight path of one of them, in the axes of the world. */
typedef struct gjk_path {
    const gjk_placed *target, *moving;
    gjk_vec3 direction; /* of unit length */
    double tolerance;   /* a length: what overlaps by no more only touches */
} gjk_path;

/*
 * Whether the moving shape only slides along the target, however far it moves: whether there is a
 * normal perpendicular to the direction along which the two never overlap. Two flat shapes within
 * one plane along the path do not slide but meet. normal: that of any contact, from the target.
 */
bool gjk_path_slides(const gjk_path *path, gjk_vec3 normal);

/*
 * The normal of a target without thickness (a triangle in space, a segment in the plane) when the
 * moving shape lies on one side of it. Returns false for other targets, and beyond their rims.
 */
bool gjk_path_flat_normal(const gjk_path *path, gjk_vec3 *normal);

#endif
