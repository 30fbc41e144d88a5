/*
 * Which types of shapes are there, and how is each made of its members? One row for each type;
 * proto_geometry carries what all of them share. The core's constructors check geometry; lengths
 * and coordinates are checked here already, because here their places are known.
 */

#include <string.h>

#include "decode.h"

static bool is_made(struct proto_reader *reader, const proto_geometry *geometry,
                    gjk_status status) {
    return status == GJK_OK || proto_refuse_status(reader, geometry->object, status);
}

static bool read_corner(struct proto_reader *reader, const proto_geometry *geometry,
                        const char *name, gjk_vec3 *out) {
    return proto_read_vector(reader, proto_required(geometry->object, name), geometry->dimension,
                             proto_coordinate, out);
}

static bool read_radius(struct proto_reader *reader, const proto_geometry *geometry, double *out) {
    return proto_read_number(reader, proto_required(geometry->object, "radius"),
                             proto_positive_length, out);
}

static bool make_point(struct proto_reader *reader, const proto_geometry *geometry,
                       gjk_shape *out) {
    return is_made(reader, geometry,
                   gjk_shape_make_point(reader->arena, geometry->dimension, geometry->rounding,
                                        out));
}

static bool make_ball(struct proto_reader *reader, const proto_geometry *geometry, gjk_shape *out) {
    double radius = 0.0;

    return read_radius(reader, geometry, &radius) &&
           is_made(reader, geometry,
                   gjk_shape_make_ball(reader->arena, geometry->dimension, radius,
                                       geometry->rounding, out));
}

static bool make_segment(struct proto_reader *reader, const proto_geometry *geometry,
                         gjk_shape *out) {
    gjk_vec3 a, b;

    return read_corner(reader, geometry, "a", &a) && read_corner(reader, geometry, "b", &b) &&
           is_made(reader, geometry,
                   gjk_shape_make_segment(reader->arena, geometry->dimension, a, b,
                                          geometry->rounding, out));
}

static bool make_capsule(struct proto_reader *reader, const proto_geometry *geometry,
                         gjk_shape *out) {
    gjk_vec3 ends[2];
    double radius = 0.0;

    return read_corner(reader, geometry, "a", &ends[0]) &&
           read_corner(reader, geometry, "b", &ends[1]) && read_radius(reader, geometry, &radius) &&
           is_made(reader, geometry,
                   gjk_shape_make_capsule(reader->arena, geometry->dimension, ends, radius,
                                          geometry->rounding, out));
}

static bool make_box(struct proto_reader *reader, const proto_geometry *geometry, gjk_shape *out) {
    gjk_vec3 half_extents;

    return proto_read_vector(reader, proto_required(geometry->object, "half_extents"),
                             geometry->dimension, proto_length, &half_extents) &&
           is_made(reader, geometry,
                   gjk_shape_make_box(reader->arena, geometry->dimension, half_extents,
                                      geometry->rounding, out));
}

static bool make_triangle(struct proto_reader *reader, const proto_geometry *geometry,
                          gjk_shape *out) {
    gjk_vec3 corners[3];

    return read_corner(reader, geometry, "a", &corners[0]) &&
           read_corner(reader, geometry, "b", &corners[1]) &&
           read_corner(reader, geometry, "c", &corners[2]) &&
           is_made(reader, geometry,
                   gjk_shape_make_triangle(reader->arena, corners, geometry->rounding, out));
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

static bool make_hull(struct proto_reader *reader, const proto_geometry *geometry, gjk_shape *out) {
    proto_node node = proto_required(geometry->object, "points");
    const gjk_vec3 *points = read_points(reader, &node, geometry->dimension, 1);

    return points != NULL && is_made(reader, geometry,
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

static bool make_polygon(struct proto_reader *reader, const proto_geometry *geometry,
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
    return is_made(reader, geometry, status);
}

#define MEMBERS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define NO_MEMBERS ((const char *const[]){NULL})

static const struct proto_shape_kind kinds[] = {
    {"point", 0, NULL, NO_MEMBERS, make_point},
    {"circle", 2, "sphere", MEMBERS("radius"), make_ball},
    {"sphere", 3, "circle", MEMBERS("radius"), make_ball},
    {"segment", 0, NULL, MEMBERS("a", "b"), make_segment},
    {"capsule", 0, NULL, MEMBERS("a", "b", "radius"), make_capsule},
    {"box", 0, NULL, MEMBERS("half_extents"), make_box},
    {"polygon", 2, "hull", MEMBERS("vertices"), make_polygon},
    {"triangle", 3, "polygon", MEMBERS("a", "b", "c"), make_triangle},
    {"hull", 0, NULL, MEMBERS("points"), make_hull},
};

#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

const struct proto_shape_kind *proto_shape_kind_find(const char *name, size_t length) {
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (strlen(kinds[i].name) == length && memcmp(kinds[i].name, name, length) == 0)
            return &kinds[i];
    }
    return NULL;
}

void proto_shape_kind_names(uint32_t dimension, const char *names[PROTO_SHAPE_KIND_NAMES_MAX]) {
    size_t count = 0;

    _Static_assert(KIND_COUNT < PROTO_SHAPE_KIND_NAMES_MAX, "room for the NULL at the end");
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (kinds[i].dimension == 0 || kinds[i].dimension == dimension)
            names[count++] = kinds[i].name;
    }
    names[count] = NULL;
}
