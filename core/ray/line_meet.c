/*
 * Dispatches a line to the closed form for a shape. There is none for hulls in 3D, whose faces
 * are not kept, for curves with a radius and for custom shapes; a line that misses the bounding
 * box of a hull misses the hull.
 */

#include "ray/closed_forms.h"

static gjk_line_hit meet_hull(const gjk_shape *shape, const gjk_line *line) {
    double clearance = gjk_line_clearance_of_box(shape->center, shape->half_extents, line);
    return clearance > line->slack ? gjk_line_misses(clearance) : gjk_line_unsure();
}

static gjk_line_hit meet_cloud3(const gjk_shape *shape, const gjk_line *line) {
    if (shape->count == 2) {
        const gjk_vec3 ends[2] = {gjk_shape_point(shape, 0), gjk_shape_point(shape, 1)};
        return gjk_line_meet_capsule(ends, shape->radius, line);
    }
    if (shape->count == 3 && shape->radius == 0.0) {
        return gjk_line_meet_triangle(shape, line);
    }
    if (shape->type == GJK_BOX && shape->count == 8) {
        gjk_vec3 corner = gjk_shape_point(shape, 0);
        gjk_vec3 half = {fabs(corner.x), fabs(corner.y), fabs(corner.z)};
        return gjk_line_meet_box(half, shape->radius, line);
    }
    return meet_hull(shape, line);
}

gjk_line_hit gjk_line_meet(const gjk_shape *shape, const gjk_line *line) {
    if (shape->count > 0) {
        return shape->dimension == 2 ? gjk_line_meet_polygon(shape, line)
                                     : meet_cloud3(shape, line);
    }
    if (shape->radius > 0.0) {
        return gjk_line_unsure();
    }
    switch (shape->type) {
#define CASE(type, function, ...) \
    case GJK_##type:              \
        return gjk_line_meet_##function(shape, line);
        GJK_CURVE_MAP(CASE)
#undef CASE
    default:
        return gjk_line_unsure();
    }
}
