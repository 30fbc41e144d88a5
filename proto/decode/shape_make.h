#ifndef PROTO_DECODE_SHAPE_MAKE_H
#define PROTO_DECODE_SHAPE_MAKE_H

/* The makers of shapes, one for each kind of geometry, and what several of them read. */

#include "decode/decode.h"

typedef bool proto_shape_maker(struct proto_reader *reader, const proto_geometry *geometry,
                               gjk_shape *out);

proto_shape_maker proto_make_point, proto_make_ball, proto_make_segment, proto_make_capsule,
    proto_make_box, proto_make_triangle, proto_make_polygon, proto_make_hull;
proto_shape_maker proto_make_ellipse, proto_make_half_ellipse, proto_make_slice,
    proto_make_cylinder, proto_make_cone;

bool proto_read_corner(struct proto_reader *reader, const proto_geometry *geometry,
                       const char *name, gjk_vec3 *out);
/* "radius", > 0 */
bool proto_read_own_radius(struct proto_reader *reader, const proto_geometry *geometry,
                           double *out);

/* Whether the status is OK; otherwise blames the whole shape for it. */
bool proto_shape_made(struct proto_reader *reader, const proto_geometry *geometry,
                      gjk_status status);

#endif
