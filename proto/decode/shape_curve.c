/*
 * How are curved shapes made of their members? As in shape_cloud.c, ranges are checked here, where
 * the places of the numbers are known.
 */

#include "decode/shape_make.h"

bool proto_make_ellipse(struct proto_reader *reader, const proto_geometry *geometry,
                        gjk_shape *out) {
    gjk_vec3 radii;

    return proto_read_vector(reader, proto_required(geometry->object, "radii"), geometry->dimension,
                             proto_positive_length, &radii) &&
           proto_shape_made(reader, geometry,
                            gjk_shape_make_ellipse(geometry->dimension, radii, geometry->rounding,
                                                   out));
}

bool proto_make_half_ellipse(struct proto_reader *reader, const proto_geometry *geometry,
                             gjk_shape *out) {
    double width = 0.0, height = 0.0;

    return proto_read_number(reader, proto_required(geometry->object, "width"),
                             proto_positive_length, &width) &&
           proto_read_number(reader, proto_required(geometry->object, "height"),
                             proto_positive_length, &height) &&
           proto_shape_made(reader, geometry,
                            gjk_shape_make_half_ellipse(width, height, geometry->rounding, out));
}

bool proto_make_slice(struct proto_reader *reader, const proto_geometry *geometry, gjk_shape *out) {
    static const proto_range half_turn = {0.0, 0x1.921fb54442d18p+1, true}; /* the double pi */
    double radius = 0.0, theta = 0.0;

    return proto_read_own_radius(reader, geometry, &radius) &&
           proto_read_number(reader, proto_required(geometry->object, "theta"), half_turn,
                             &theta) &&
           proto_shape_made(reader, geometry,
                            gjk_shape_make_slice(radius, theta, geometry->rounding, out));
}

/* The two ends of an axis, which must differ: only then is there a direction to be round about. */
static bool read_axis(struct proto_reader *reader, const proto_geometry *geometry,
                      gjk_vec3 ends[2]) {
    proto_node b = proto_required(geometry->object, "b");

    if (!proto_read_corner(reader, geometry, "a", &ends[0]) ||
        !proto_read_corner(reader, geometry, "b", &ends[1]))
        return false;
    if (ends[0].x != ends[1].x || ends[0].y != ends[1].y || ends[0].z != ends[1].z)
        return true;
    proto_refuse(reader, &b, PROTO_OUT_OF_RANGE, "\"a\" and \"b\" must differ");
    return proto_problem_hint(reader->problem, "without a length it has no axis; a \"sphere\" "
                                               "needs none");
}

bool proto_make_cylinder(struct proto_reader *reader, const proto_geometry *geometry,
                         gjk_shape *out) {
    gjk_vec3 ends[2];
    double radius = 0.0;

    return read_axis(reader, geometry, ends) && proto_read_own_radius(reader, geometry, &radius) &&
           proto_shape_made(reader, geometry,
                            gjk_shape_make_cylinder(ends, radius, geometry->rounding, out));
}

bool proto_make_cone(struct proto_reader *reader, const proto_geometry *geometry, gjk_shape *out) {
    gjk_vec3 ends[2];
    double radius = 0.0;

    return read_axis(reader, geometry, ends) && proto_read_own_radius(reader, geometry, &radius) &&
           proto_shape_made(reader, geometry,
                            gjk_shape_make_cone(ends[0], ends[1], radius, geometry->rounding, out));
}
