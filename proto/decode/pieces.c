/*
 * The lists that shapes of many pieces are made of. They may hold millions of numbers, so values
 * of the right type and range are taken without a node; one that is wrong is read again with the
 * whole way to it, which refuses it. Everything lies in the document's memory: constructors copy
 * what they keep.
 */

#include <math.h>

#include "decode/decode.h"

static proto_range range_of(const gjk_member *member) {
    return (proto_range){member->min, member->max, member->above_min};
}

static bool check_count(struct proto_reader *reader, const proto_node *array, size_t count_min) {
    const size_t count = proto_array_size(array->value);

    return count >= count_min || proto_refuse(reader, array, PROTO_OUT_OF_RANGE,
                                              "at least %zu items, found %zu", count_min, count);
}

/* Room for a list of as many items as the array has, count_min or more. NULL: refused. */
static void *make_list(struct proto_reader *reader, const proto_node *array, size_t count_min,
                       size_t size) {
    if (!check_count(reader, array, count_min)) {
        return NULL;
    }
    void *list = gjk_arena_alloc_array(reader->scratch, proto_array_size(array->value), size);
    if (list == NULL) {
        proto_refuse_memory(reader);
    }
    return list;
}

/* --- Vertices --- */

static const void *copy_vertices(struct proto_reader *reader, const proto_node *array,
                                 uint32_t dimension, const gjk_member *member) {
    const size_t count = proto_array_size(array->value);
    const size_t size = dimension == 2 ? sizeof(gjk_vec2) : sizeof(gjk_vec3);
    void *list = make_list(reader, array, member->count_min, size);
    gjk_vec3 vertex = {0.0, 0.0, 0.0};
    bool is_fine = list != NULL;

    for (size_t i = 0; list != NULL && i < count && proto_may_go_on(reader); i++) {
        is_fine =
            proto_read_vector(reader, proto_item(array, i), dimension, range_of(member), &vertex) &&
            is_fine;
        if (dimension == 2) {
            ((gjk_vec2 *)list)[i] = gjk_xy(vertex);
        } else {
            ((gjk_vec3 *)list)[i] = vertex;
        }
    }
    return is_fine ? list : NULL;
}

/* Vertices that lie packed in the document stay there. */
static bool read_vertices(struct proto_reader *reader, const proto_node *array, uint32_t dimension,
                          const gjk_member *member, gjk_member_value *out) {
    const void *list = proto_packed_rows(array->value, dimension, range_of(member));

    out->vertices.count = (uint32_t)proto_array_size(array->value);
    if (list == NULL) {
        list = copy_vertices(reader, array, dimension, member);
    } else if (!check_count(reader, array, member->count_min)) {
        return false;
    }
    out->vertices.in_2d = dimension == 2 ? list : NULL;
    out->vertices.in_3d = dimension == 3 ? list : NULL;
    return list != NULL;
}

/* --- Integers --- */

static bool read_u32(struct proto_reader *reader, const proto_node *array, size_t i, uint32_t max,
                     uint32_t *out) {
    const proto_value item = proto_value_at(array->value, i);
    uint64_t value = 0;

    if (item.type == PROTO_NUMBER && item.number >= 0.0 && item.number <= max &&
        floor(item.number) == item.number) {
        *out = (uint32_t)item.number;
        return true;
    }
    return proto_read_integer(reader, proto_item(array, i), 0, max, &value);
}

static bool read_triangle(struct proto_reader *reader, const proto_node *corners, uint32_t max,
                          uint32_t out[3]) {
    const size_t found = proto_array_size(corners->value);
    bool is_fine = true;

    if (!proto_read_array(reader, corners)) {
        return false;
    }
    if (found != 3) {
        return proto_refuse(reader, corners, PROTO_WRONG_TYPE,
                            "expected an array of 3 indices, found %zu", found);
    }
    for (size_t i = 0; i < 3; i++) {
        is_fine = read_u32(reader, corners, i, max, &out[i]) && is_fine;
    }
    return is_fine;
}

/* `value` follows that of the vertices, which tells what indices there are. */
static bool read_triangles(struct proto_reader *reader, const proto_node *array,
                           const gjk_member *member, gjk_member_value *value) {
    const uint32_t vertices = value[-1].vertices.count;
    const size_t count = proto_array_size(array->value);
    uint32_t(*list)[3] = make_list(reader, array, member->count_min, sizeof *list);
    bool is_fine = list != NULL;

    for (size_t i = 0; list != NULL && i < count && proto_may_go_on(reader); i++) {
        const proto_node corners = proto_item(array, i);
        is_fine =
            read_triangle(reader, &corners, vertices > 0 ? vertices - 1 : UINT32_MAX, list[i]) &&
            is_fine;
    }
    value->triangles.items = (const uint32_t(*)[3])list;
    value->triangles.count = (uint32_t)count;
    return is_fine;
}

static bool read_materials(struct proto_reader *reader, const proto_node *array,
                           gjk_member_value *out) {
    const size_t count = proto_array_size(array->value);
    uint32_t *list = make_list(reader, array, 0, sizeof *list);
    bool is_fine = list != NULL;

    for (size_t i = 0; list != NULL && i < count && proto_may_go_on(reader); i++) {
        is_fine = read_u32(reader, array, i, UINT32_MAX, &list[i]) && is_fine;
    }
    out->materials.items = list;
    out->materials.count = (uint32_t)count;
    return is_fine;
}

/* --- Heights --- */

static const double *copy_heights(struct proto_reader *reader, const proto_node *array,
                                  const gjk_member *member) {
    const size_t count = proto_array_size(array->value);
    double *list = make_list(reader, array, 0, sizeof *list);
    bool is_fine = list != NULL;

    for (size_t i = 0; list != NULL && i < count && proto_may_go_on(reader); i++) {
        list[i] = NAN;
        if (proto_value_at(array->value, i).type != PROTO_NULL) {
            is_fine = proto_read_number(reader, proto_item(array, i), range_of(member), &list[i]) &&
                      is_fine;
        }
    }
    return is_fine ? list : NULL;
}

/* A hole is null in JSON and a NaN in what is packed, as it is in a field. */
static bool read_heights(struct proto_reader *reader, const proto_node *array,
                         const gjk_member *member, gjk_member_value *out) {
    const double *list = proto_packed_numbers(array->value, range_of(member), true);

    list = list != NULL ? list : copy_heights(reader, array, member);
    out->heights.items = list;
    out->heights.count = (uint32_t)proto_array_size(array->value);
    return list != NULL;
}

/* --- Rings --- */

/* How many polygons, rings and vertices there are. */
typedef struct ring_counts {
    size_t polygons, rings, vertices;
} ring_counts;

/* Checks that arrays stand where they must, and counts. */
static bool count_rings(struct proto_reader *reader, const proto_node *polygons,
                        ring_counts *counts) {
    bool is_fine = true;

    counts->polygons = proto_array_size(polygons->value);
    for (size_t i = 0; i < counts->polygons && proto_may_go_on(reader); i++) {
        const proto_node polygon = proto_item(polygons, i);
        const size_t rings = proto_array_size(polygon.value);
        is_fine = proto_read_array(reader, &polygon) && is_fine;
        counts->rings += rings;
        for (size_t k = 0; k < rings && proto_may_go_on(reader); k++) {
            const proto_node ring = proto_item(&polygon, k);
            is_fine = proto_read_array(reader, &ring) && is_fine;
            counts->vertices += proto_array_size(ring.value);
        }
    }
    return is_fine;
}

static bool read_ring(struct proto_reader *reader, const proto_node *ring, proto_range range,
                      gjk_vec2 *out) {
    const size_t count = proto_array_size(ring->value);
    bool is_fine = true;

    for (size_t i = 0; i < count && proto_may_go_on(reader); i++) {
        gjk_vec3 vertex = {0.0, 0.0, 0.0};
        is_fine = proto_read_vector(reader, proto_item(ring, i), 2, range, &vertex) && is_fine;
        out[i] = gjk_xy(vertex);
    }
    return is_fine;
}

static bool read_rings(struct proto_reader *reader, const proto_node *polygons,
                       const gjk_member *member, gjk_member_value *out) {
    ring_counts counts = {0};
    if (!count_rings(reader, polygons, &counts)) {
        return false;
    }
    gjk_vec2 *vertices = gjk_arena_alloc_array(reader->scratch, counts.vertices, sizeof *vertices);
    uint32_t *ring_sizes = gjk_arena_alloc_array(reader->scratch, counts.rings, sizeof *ring_sizes);
    uint32_t *polygon_sizes = make_list(reader, polygons, member->count_min, sizeof *polygon_sizes);
    bool is_fine = polygon_sizes != NULL;

    if (vertices == NULL || ring_sizes == NULL) {
        return proto_refuse_memory(reader);
    }
    out->rings = (gjk_region){vertices, ring_sizes, polygon_sizes, (uint32_t)counts.polygons};
    for (size_t i = 0; is_fine && i < counts.polygons; i++) {
        const proto_node polygon = proto_item(polygons, i);
        polygon_sizes[i] = (uint32_t)proto_array_size(polygon.value);
        for (size_t k = 0; k < polygon_sizes[i]; k++) {
            const proto_node ring = proto_item(&polygon, k);
            is_fine = read_ring(reader, &ring, range_of(member), vertices) && is_fine;
            *ring_sizes = (uint32_t)proto_array_size(ring.value);
            vertices += *ring_sizes++;
        }
    }
    return is_fine;
}

/* --- Any of them --- */

bool proto_read_kept(struct proto_reader *reader, const proto_node *node, const gjk_member *member,
                     uint32_t dimension, gjk_member_value *out) {
    if (!proto_read_array(reader, node)) {
        return false;
    }
    if (!proto_is_given(node)) {
        return true;
    }
    switch (member->form) {
    case GJK_MEMBER_VERTICES:
        return read_vertices(reader, node, dimension, member, out);
    case GJK_MEMBER_TRIANGLES:
        return read_triangles(reader, node, member, out);
    case GJK_MEMBER_RINGS:
        return read_rings(reader, node, member, out);
    case GJK_MEMBER_HEIGHTS:
        return read_heights(reader, node, member, out);
    default:
        return read_materials(reader, node, out);
    }
}

bool proto_read_parts(struct proto_reader *reader, const proto_node *node, uint32_t dimension,
                      double rounding, gjk_member_value *out) {
    const size_t count = proto_array_size(node->value);
    bool is_fine = true;

    if (!proto_read_array(reader, node)) {
        return false;
    }
    if (count > GJK_PARTS_MAX) {
        return proto_refuse_many(reader, node, "parts", count, GJK_PARTS_MAX);
    }
    gjk_placed *parts = make_list(reader, node, 1, sizeof *parts);
    gjk_shape *shapes = gjk_arena_alloc_array(reader->scratch, count, sizeof *shapes);
    if (parts == NULL || shapes == NULL) {
        return parts == NULL ? false : proto_refuse_memory(reader);
    }
    for (size_t i = 0; i < count && proto_may_go_on(reader); i++) {
        const proto_node part = proto_item(node, i);
        parts[i].shape = &shapes[i];
        is_fine =
            proto_decode_part(reader, &part, dimension, rounding, &shapes[i], &parts[i].pose) &&
            is_fine;
    }
    out->parts.items = parts;
    out->parts.count = (uint32_t)count;
    return is_fine;
}
