/*
 * How are shapes made of their members whose core is a cloud of points? The core's constructors
 * check geometry; lengths and coordinates are checked here already, where their places are known.
 */

#include "decode/shape_make.h"

bool proto_shape_made(struct proto_reader *reader, const proto_geometry *geometry,
                      gjk_status status) {
    return status == GJK_OK || proto_refuse_status(reader, geometry->object, status);
}

bool proto_read_corner(struct proto_reader *reader, const proto_geometry *geometry,
                       const char *name, gjk_vec3 *out) {
    return proto_read_vector(reader, proto_required(geometry->object, name), geometry->dimension,
                             proto_coordinate, out);
}

bool proto_read_own_radius(struct proto_reader *reader, const proto_geometry *geometry,
                           double *out) {
    return proto_read_number(reader, proto_required(geometry->object, "radius"),
                             proto_positive_length, out);
}

bool proto_make_point(struct proto_reader *reader, const proto_geometry *geometry, gjk_shape *out) {
    return proto_shape_made(reader, geometry,
                            gjk_shape_make_point(reader->arena, geometry->dimension,
                                                 geometry->rounding, out));
}

bool proto_make_ball(struct proto_reader *reader, const proto_geometry *geometry, gjk_shape *out) {
    double radius = 0.0;

    return proto_read_own_radius(reader, geometry, &radius) &&
           proto_shape_made(reader, geometry,
                            gjk_shape_make_ball(reader->arena, geometry->dimension, radius,
                                                geometry->rounding, out));
}

bool proto_make_segment(struct proto_reader *reader, const proto_geometry *geometry,
                        gjk_shape *out) {
    gjk_vec3 a, b;

    return proto_read_corner(reader, geometry, "a", &a) &&
           proto_read_corner(reader, geometry, "b", &b) &&
           proto_shape_made(reader, geometry,
                            gjk_shape_make_segment(reader->arena, geometry->dimension, a, b,
                                                   geometry->rounding, out));
}

bool proto_make_capsule(struct proto_reader *reader, const proto_geometry *geometry,
                        gjk_shape *out) {
    gjk_vec3 ends[2];
    double radius = 0.0;

    return proto_read_corner(reader, geometry, "a", &ends[0]) &&
           proto_read_corner(reader, geometry, "b", &ends[1]) &&
           proto_read_own_radius(reader, geometry, &radius) &&
           proto_shape_made(reader, geometry,
                            gjk_shape_make_capsule(reader->arena, geometry->dimension, ends, radius,
                                                   geometry->rounding, out));
}

bool proto_make_box(struct proto_reader *reader, const proto_geometry *geometry, gjk_shape *out) {
    gjk_vec3 half_extents;

    return proto_read_vector(reader, proto_required(geometry->object, "half_extents"),
                             geometry->dimension, proto_length, &half_extents) &&
           proto_shape_made(reader, geometry,
                            gjk_shape_make_box(reader->arena, geometry->dimension, half_extents,
                                               geometry->rounding, out));
}

bool proto_make_triangle(struct proto_reader *reader, const proto_geometry *geometry,
                         gjk_shape *out) {
    gjk_vec3 corners[3];

    return proto_read_corner(reader, geometry, "a", &corners[0]) &&
           proto_read_corner(reader, geometry, "b", &corners[1]) &&
           proto_read_corner(reader, geometry, "c", &corners[2]) &&
           proto_shape_made(reader, geometry,
                            gjk_shape_make_triangle(reader->arena, corners, geometry->rounding,
                                                    out));
}

static bool check_count(struct proto_reader *reader, const proto_node *array, size_t min) {
    uint64_t limit = reader->limits->points_per_hull_max;
    size_t count = json_array_size(array->json);

    if (count < min)
        return proto_refuse(reader, array, PROTO_OUT_OF_RANGE, "at least %zu points, found %zu",
                            min, count);
    if (limit > GJK_POINTS_MAX)
        limit = GJK_POINTS_MAX;
    return count <= limit || proto_refuse_many(reader, array, "points", count, limit);
}

/* min points or more, in the document's arena; NULL after having set the problem. */
static gjk_vec3 *read_points(struct proto_reader *reader, const proto_node *node,
                             uint32_t dimension, size_t min) {
    if (!proto_read_array(reader, node) || !check_count(reader, node, min))
        return NULL;
    size_t count = json_array_size(node->json);
    gjk_vec3 *points = gjk_arena_alloc_array(reader->scratch, count, sizeof *points);
    if (points == NULL) {
        proto_refuse_memory(reader);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if (!proto_read_vector(reader, proto_item(node, i), dimension, proto_coordinate,
                               &points[i]))
            return NULL;
    }
    return points;
}

bool proto_make_hull(struct proto_reader *reader, const proto_geometry *geometry, gjk_shape *out) {
    proto_node node = proto_required(geometry->object, "points");
    const gjk_vec3 *points = read_points(reader, &node, geometry->dimension, 1);

    return points != NULL &&
           proto_shape_made(reader, geometry,
                            gjk_shape_make_hull(reader->arena, geometry->dimension, points,
                                                (uint32_t)json_array_size(node.json),
                                                geometry->rounding, out));
}

static bool refuse_polygon(struct proto_reader *reader, const proto_node *vertices,
                           uint32_t bad_vertex) {
    proto_node vertex = proto_item(vertices, bad_vertex);

    proto_refuse(reader, &vertex, PROTO_NOT_CONVEX, "%s", gjk_status_text(GJK_NOT_CONVEX));
    return proto_problem_hint(reader->problem,
                              "a shape of type \"hull\" takes any \"points\" and is their convex "
                              "hull");
}

bool proto_make_polygon(struct proto_reader *reader, const proto_geometry *geometry,
                        gjk_shape *out) {
    proto_node node = proto_required(geometry->object, "vertices");
    const gjk_vec3 *points = read_points(reader, &node, geometry->dimension, 3);
    uint32_t bad_vertex = 0;

    if (points == NULL)
        return false;
    uint32_t count = (uint32_t)json_array_size(node.json);
    gjk_vec2 *vertices = gjk_arena_alloc_array(reader->scratch, count, sizeof *vertices);
    if (vertices == NULL)
        return proto_refuse_memory(reader);
    for (uint32_t i = 0; i < count; i++)
        vertices[i] = gjk_xy(points[i]);
    gjk_status status = gjk_shape_make_polygon(reader->arena, vertices, count, geometry->rounding,
                                               &bad_vertex, out);
    if (status == GJK_NOT_CONVEX)
        return refuse_polygon(reader, &node, bad_vertex);
    return proto_shape_made(reader, geometry, status);
}
