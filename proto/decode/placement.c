/*
 * Decodes the place of a shape: `position` with `angle` in 2D or `orientation` in 3D. Each may be
 * left out. The member that rotates in the other dimension is refused with the name of the right
 * one.
 */

#include "decode/decode.h"

static bool refuse_rotation(struct proto_reader *reader, const proto_node *object, const char *name,
                            uint32_t dimension) {
    proto_node node = proto_optional(object, name);

    proto_refuse(reader, &node, PROTO_DIMENSION_MISMATCH, "there is no \"%s\" in %uD", name,
                 dimension);
    return proto_problem_hint(reader->problem, "%s",
                              dimension == 2 ? "2D shapes turn by \"angle\", in radians"
                                             : "3D shapes turn by \"orientation\": [x, y, z, w]");
}

static bool decode2(struct proto_reader *reader, const proto_node *object, gjk_vec3 position,
                    proto_place *out) {
    proto_node node = proto_optional(object, "angle");
    double angle = 0.0;

    if (proto_has(object, "orientation")) {
        return refuse_rotation(reader, object, "orientation", 2);
    }
    if (!proto_read_number(reader, node, proto_any_number, &angle)) {
        return false;
    }
    out->has_rotation = proto_is_given(&node);
    out->turn.angle = angle;
    gjk_status status = gjk_pose_make2(gjk_xy(position), angle, &out->pose);
    return status == GJK_OK || proto_refuse_status(reader, object, status);
}

static bool decode3(struct proto_reader *reader, const proto_node *object, gjk_vec3 position,
                    proto_place *out) {
    proto_node node = proto_optional(object, "orientation");
    gjk_quat orientation = {0.0, 0.0, 0.0, 1.0};

    if (proto_has(object, "angle")) {
        return refuse_rotation(reader, object, "angle", 3);
    }
    if (!proto_read_quaternion(reader, node, &orientation)) {
        return false;
    }
    out->has_rotation = proto_is_given(&node);
    out->turn.orientation = orientation;
    gjk_status status = gjk_pose_make3(position, orientation, &out->pose);
    bool is_orientation = status == GJK_BAD_ORIENTATION;
    return status == GJK_OK || proto_refuse_status(reader, is_orientation ? &node : object, status);
}

bool proto_decode_place(struct proto_reader *reader, const proto_node *object, uint32_t dimension,
                        proto_place *out) {
    proto_node node = proto_optional(object, "position");
    gjk_vec3 position = {0.0, 0.0, 0.0};

    bool is_fine = proto_read_vector(reader, node, dimension, proto_coordinate, &position);
    out->has_position = proto_is_given(&node);
    return (dimension == 2 ? decode2(reader, object, position, out)
                           : decode3(reader, object, position, out)) &&
           is_fine;
}
