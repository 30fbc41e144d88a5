/*
 * The geometry of a shape: its members are read as the table of kinds (gjk/kinds.h) describes
 * them, and the kind's constructor makes the shape of their values. The constructors check
 * everything again; lengths and coordinates are checked here already, where their places are
 * known.
 */

#include "decode/decode.h"

#include <string.h>

static bool is_among(const char *name, const char *const *names) {
    while (*names != NULL && strcmp(*names, name) != 0) {
        names++;
    }
    return *names != NULL;
}

void proto_geometry_names(const char *names[PROTO_GEOMETRY_NAMES_MAX]) {
    size_t count = 0;

    names[0] = NULL;
    for (size_t i = 0; i < GJK_KIND_COUNT; i++) {
        for (const gjk_member *member = gjk_kinds[i].members; member->name != NULL; member++) {
            if (!is_among(member->name, names)) {
                names[count++] = member->name;
                names[count] = NULL;
            }
        }
    }
}

bool proto_is_geometry(const char *member) {
    const char *names[PROTO_GEOMETRY_NAMES_MAX];

    proto_geometry_names(names);
    return is_among(member, names);
}

void proto_kind_names(uint32_t dimension, const char *names[PROTO_KIND_NAMES_MAX]) {
    size_t count = 0;

    for (size_t i = 0; i < GJK_KIND_COUNT; i++) {
        if (gjk_kinds[i].names[dimension - 2] != NULL) {
            names[count++] = gjk_kinds[i].names[dimension - 2];
        }
    }
    names[count] = NULL;
}

static bool check_count(struct proto_reader *reader, const proto_node *array, size_t min) {
    uint64_t limit = reader->limits->points_per_hull_max;
    size_t count = json_array_size(array->json);

    if (count < min) {
        return proto_refuse(reader, array, PROTO_OUT_OF_RANGE, "at least %zu points, found %zu",
                            min, count);
    }
    if (limit > GJK_POINTS_MAX) {
        limit = GJK_POINTS_MAX;
    }
    return count <= limit || proto_refuse_many(reader, array, "points", count, limit);
}

static proto_range range_of(const gjk_member *member) {
    return (proto_range){member->min, member->max, member->above_min};
}

/* The list is kept in the document's arena. */
static bool read_points(struct proto_reader *reader, const proto_node *node,
                        const gjk_member *member, uint32_t dimension, gjk_member_value *out) {
    if (!proto_read_array(reader, node) || !check_count(reader, node, member->count_min)) {
        return false;
    }
    size_t count = json_array_size(node->json);
    gjk_vec3 *points = gjk_arena_alloc_array(reader->scratch, count, sizeof *points);
    if (points == NULL) {
        return proto_refuse_memory(reader);
    }
    bool is_fine = true;
    for (size_t i = 0; i < count && proto_may_go_on(reader); i++) {
        is_fine = proto_read_vector(reader, proto_item(node, i), dimension, range_of(member),
                                    &points[i]) &&
                  is_fine;
    }
    out->list.points = points;
    out->list.count = (uint32_t)count;
    return is_fine;
}

/* A vector that must differ from the one before it: an axis has a direction only if its ends do. */
static bool check_differs(struct proto_reader *reader, const proto_node *object,
                          const gjk_member *member, const gjk_member_value *value) {
    const proto_node node = proto_required(object, member->name);
    const gjk_vec3 a = value[-1].vector, b = value[0].vector;

    if (a.x != b.x || a.y != b.y || a.z != b.z) {
        return true;
    }
    proto_refuse(reader, &node, PROTO_OUT_OF_RANGE, "\"%s\" and \"%s\" must differ",
                 member[-1].name, member->name);
    return proto_problem_hint(reader->problem, "without a length it has no axis; a \"sphere\" "
                                               "needs none");
}

static bool read_member(struct proto_reader *reader, const proto_node *object,
                        const gjk_member *member, uint32_t dimension, gjk_member_value *out) {
    proto_node node = proto_required(object, member->name);

    switch (member->form) {
    case GJK_MEMBER_NUMBER:
        return proto_read_number(reader, node, range_of(member), &out->number);
    case GJK_MEMBER_VECTOR:
        return proto_read_vector(reader, node, dimension, range_of(member), &out->vector);
    default:
        return read_points(reader, &node, member, dimension, out);
    }
}

static bool refuse_concave(struct proto_reader *reader, const proto_node *vertices,
                           uint32_t bad_vertex) {
    proto_node vertex = proto_item(vertices, bad_vertex);

    proto_refuse(reader, &vertex, PROTO_NOT_CONVEX, "%s", gjk_status_text(GJK_NOT_CONVEX));
    return proto_problem_hint(reader->problem,
                              "a shape of type \"hull\" takes any \"points\" and is their convex "
                              "hull");
}

bool proto_decode_geometry(struct proto_reader *reader, const proto_node *object,
                           const gjk_kind *kind, uint32_t dimension, double rounding,
                           gjk_shape *out) {
    gjk_geometry geometry = {reader->arena, dimension, rounding, .bad_point = 0};

    bool is_fine = true;
    for (size_t i = 0; kind->members[i].name != NULL && proto_may_go_on(reader); i++) {
        const gjk_member *member = &kind->members[i];
        gjk_member_value *value = &geometry.values[i];
        is_fine = read_member(reader, object, member, dimension, value) && is_fine;
        is_fine = is_fine && (!member->differs || check_differs(reader, object, member, value));
    }
    if (!is_fine || !proto_may_go_on(reader)) {
        return false;
    }
    gjk_status status = kind->make(&geometry, out);
    if (status == GJK_NOT_CONVEX) {
        proto_node list = proto_required(object, kind->members[0].name);
        return refuse_concave(reader, &list, geometry.bad_point);
    }
    return status == GJK_OK || proto_refuse_status(reader, object, status);
}
