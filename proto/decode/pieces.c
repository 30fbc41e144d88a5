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

/* Room for a list of `count` items, of which it needs count_min at least. NULL: refused. */
static void *make_list(struct proto_reader *reader, const proto_node *array, size_t count_min,
                       size_t size) {
    const size_t count = json_array_size(array->json);

    if (count < count_min || count > UINT32_MAX) {
        proto_refuse(reader, array, PROTO_OUT_OF_RANGE, "at least %zu items, found %zu", count_min,
                     count);
        return NULL;
    }
    void *list = gjk_arena_alloc_array(reader->scratch, count, size);
    if (list == NULL) {
        proto_refuse_memory(reader);
    }
    return list;
}

/* --- Vertices --- */

static bool read_vertices(struct proto_reader *reader, const proto_node *array, uint32_t dimension,
                          const gjk_member *member, gjk_member_value *out) {
    const size_t count = json_array_size(array->json);
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
    out->vertices.in_2d = dimension == 2 ? list : NULL;
    out->vertices.in_3d = dimension == 3 ? list : NULL;
    out->vertices.count = (uint32_t)count;
    return is_fine;
}

/* --- Integers --- */

static bool read_u32(struct proto_reader *reader, const proto_node *array, size_t i, uint32_t max,
                     uint32_t *out) {
    const json_t *json = json_array_get(array->json, i);
    const double number = json_number_value(json);
    uint64_t value = 0;

    if (json_is_number(json) && number >= 0.0 && number <= max && floor(number) == number) {
        *out = (uint32_t)number;
        return true;
    }
    return proto_read_integer(reader, proto_item(array, i), 0, max, &value);
}

static bool read_triangle(struct proto_reader *reader, const proto_node *corners, uint32_t max,
                          uint32_t out[3]) {
    const size_t found = json_array_size(corners->json);
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
    const size_t count = json_array_size(array->json);
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
    const size_t count = json_array_size(array->json);
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

static bool read_heights(struct proto_reader *reader, const proto_node *array,
                         const gjk_member *member, gjk_member_value *out) {
    const size_t count = json_array_size(array->json);
    double *list = make_list(reader, array, 0, sizeof *list);
    bool is_fine = list != NULL;

    for (size_t i = 0; list != NULL && i < count && proto_may_go_on(reader); i++) {
        list[i] = NAN;
        if (!json_is_null(json_array_get(array->json, i))) {
            is_fine = proto_read_number(reader, proto_item(array, i), range_of(member), &list[i]) &&
                      is_fine;
        }
    }
    out->heights.items = list;
    out->heights.count = (uint32_t)count;
    return is_fine;
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

    counts->polygons = json_array_size(polygons->json);
    for (size_t i = 0; i < counts->polygons && proto_may_go_on(reader); i++) {
        const proto_node polygon = proto_item(polygons, i);
        const size_t rings = json_array_size(polygon.json);
        is_fine = proto_read_array(reader, &polygon) && is_fine;
        counts->rings += rings;
        for (size_t k = 0; k < rings && proto_may_go_on(reader); k++) {
            const proto_node ring = proto_item(&polygon, k);
            is_fine = proto_read_array(reader, &ring) && is_fine;
            counts->vertices += json_array_size(ring.json);
        }
    }
    return is_fine;
}

static bool read_ring(struct proto_reader *reader, const proto_node *ring, proto_range range,
                      gjk_vec2 *out) {
    const size_t count = json_array_size(ring->json);
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
        polygon_sizes[i] = (uint32_t)json_array_size(polygon.json);
        for (size_t k = 0; k < polygon_sizes[i]; k++) {
            const proto_node ring = proto_item(&polygon, k);
            is_fine = read_ring(reader, &ring, range_of(member), vertices) && is_fine;
            *ring_sizes = (uint32_t)json_array_size(ring.json);
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
    if (node->json == NULL) {
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
    const size_t count = json_array_size(node->json);
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
