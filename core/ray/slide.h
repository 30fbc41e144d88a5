#ifndef GJK_RAY_SLIDE_H
#define GJK_RAY_SLIDE_H

#include "gjk/shape.h"

/* Two shapes and the way of one of them past the other, in the axes of the world. */
typedef struct gjk_way {
    const gjk_placed *target, *moving;
    gjk_vec3 direction; /* of unit length */
    double tolerance;   /* a length: what is no deeper only touches */
} gjk_way;

/*
 * Does the way only slide along the target, however far it leads: is there a normal square to the
 * direction along which the two never overlap? Shapes that are both flat within one plane along
 * the way do not slide but meet. normal: any of a contact, from the target.
 */
bool gjk_way_slides(const gjk_way *way, gjk_vec3 normal);

/*
 * The normal of a target without thickness (a triangle in space, a segment in the plane) when the
 * moving shape lies on one side of it. False for other targets, and beyond their rims.
 */
bool gjk_way_flat_normal(const gjk_way *way, gjk_vec3 *normal);

#endif
