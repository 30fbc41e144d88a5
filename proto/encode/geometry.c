/*
 * Encodes the lists of a shape's geometry that its pieces keep, in the form in which they were given,
 * and the pieces themselves.
 */

#include <math.h>
#include <string.h>

#include "encode/encode.h"
#include "gjk/kinds.h"

static void put_vertex(struct proto_buffer *out, gjk_vec2 v) {
    proto_put_item(out);
    proto_put_vector(out, 2, (gjk_vec3){v.x, v.y, 0.0});
}

static void put_vertices(struct proto_buffer *out, const gjk_member_value *value) {
    for (uint32_t i = 0; i < value->vertices.count && !out->failed; i++) {
        if (value->vertices.in_2d != NULL) {
            put_vertex(out, value->vertices.in_2d[i]);
        } else {
            proto_put_item(out);
            proto_put_vector(out, 3, value->vertices.in_3d[i]);
        }
    }
}

static void put_uint(struct proto_buffer *out, uint32_t value) {
    proto_put_item(out);
    proto_put_integer(out, value);
}

static void put_triangles(struct proto_buffer *out, const gjk_member_value *value) {
    for (uint32_t i = 0; i < value->triangles.count && !out->failed; i++) {
        const uint32_t *corners = value->triangles.items[i];
        proto_put_item(out);
        proto_put_text(out, "[");
        put_uint(out, corners[0]);
        put_uint(out, corners[1]);
        put_uint(out, corners[2]);
        proto_put_text(out, "]");
    }
}

static void put_rings(struct proto_buffer *out, const gjk_region *rings) {
    const gjk_vec2 *vertex = rings->vertices;
    const uint32_t *ring = rings->ring_sizes;

    for (uint32_t i = 0; i < rings->polygon_count && !out->failed; i++) {
        proto_put_item(out);
        proto_put_text(out, "[");
        for (uint32_t k = 0; k < rings->polygon_sizes[i]; k++, ring++) {
            proto_put_item(out);
            proto_put_text(out, "[");
            for (uint32_t n = 0; n < *ring && !out->failed; n++) {
                put_vertex(out, *vertex++);
            }
            proto_put_text(out, "]");
        }
        proto_put_text(out, "]");
    }
}

static void put_heights(struct proto_buffer *out, const gjk_member_value *value) {
    for (uint32_t i = 0; i < value->heights.count && !out->failed; i++) {
        proto_put_item(out);
        if (isnan(value->heights.items[i])) {
            proto_put_text(out, "null");
        } else {
            proto_put_number(out, value->heights.items[i]);
        }
    }
}

static void put_materials(struct proto_buffer *out, const gjk_member_value *value) {
    for (uint32_t i = 0; i < value->materials.count && !out->failed; i++) {
        put_uint(out, value->materials.items[i]);
    }
}

static void put_list(struct proto_buffer *out, gjk_member_form form,
                     const gjk_member_value *value) {
    switch (form) {
    case GJK_MEMBER_VERTICES:
        put_vertices(out, value);
        break;
    case GJK_MEMBER_TRIANGLES:
        put_triangles(out, value);
        break;
    case GJK_MEMBER_RINGS:
        put_rings(out, &value->rings);
        break;
    case GJK_MEMBER_HEIGHTS:
        put_heights(out, value);
        break;
    default:
        put_materials(out, value);
        break;
    }
}

void proto_put_kept(struct proto_buffer *out, const gjk_shape *shape) {
    gjk_member_value values[GJK_MEMBERS_MAX];

    memset(values, 0, sizeof values);
    if (shape == NULL || shape->pieces == NULL) {
        return;
    }
    gjk_geometry_view(shape, values);
    const gjk_member *members = gjk_kinds[shape->type].members;
    for (size_t i = 0; members[i].name != NULL; i++) {
        bool is_absent =
            members[i].form == GJK_MEMBER_MATERIALS && values[i].materials.items == NULL;
        if (gjk_member_is_kept(&members[i]) && !is_absent) {
            proto_put_key(out, members[i].name);
            proto_put_text(out, "[");
            put_list(out, members[i].form, &values[i]);
            proto_put_text(out, "]");
        }
    }
}

bool proto_encode_pieces(struct proto_buffer *out, const gjk_shape *shape) {
    const gjk_placed whole = {shape, gjk_pose_identity()};
    gjk_piece piece;

    if (shape->pieces == NULL || shape->type == GJK_COMPOUND) {
        return false;
    }
    proto_put_text(out, "{\"pieces\":[");
    for (uint32_t i = 0; i < gjk_pieces_count(shape->pieces) && !out->failed; i++) {
        proto_put_item(out);
        if (!gjk_piece_exists(shape->pieces, i)) {
            proto_put_text(out, "null");
            continue;
        }
        gjk_piece_make(&whole, i, &piece);
        proto_put_text(out, "[");
        for (uint32_t k = 0; k < piece.placed.shape->count; k++) {
            proto_put_item(out);
            proto_put_vector(out, shape->dimension, gjk_shape_point(piece.placed.shape, k));
        }
        proto_put_text(out, "]");
    }
    proto_put_text(out, "]}");
    return true;
}
