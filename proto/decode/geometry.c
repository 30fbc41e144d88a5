/*
 * Decodes the geometry of a shape. The table of kinds (gjk/kinds.h) describes its members; the
 * kind's constructor makes the shape from their values. Constructors check everything again.
 * Lengths and coordinates are checked here too, because here their places in the body are known.
 *
 * Lists may hold millions of numbers, so valid values are read without a proto_node. A wrong value
 * is read again with a node, which refuses it at its path. Lists may point into the parsed body:
 * constructors copy what they keep.
 */

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "decode/decode.h"

/* --- Names --- */

size_t proto_geometry_names(const char *names[PROTO_GEOMETRY_NAMES_MAX]) {
    size_t count = 0;

    for (size_t i = 0; i < GJK_KIND_COUNT; i++) {
        for (const gjk_member *member = gjk_kinds[i].members; member->name != NULL; member++) {
            size_t k = 0;
            while (k < count && strcmp(names[k], member->name) != 0) {
                k++;
            }
            if (k == count) {
                names[count++] = member->name;
            }
        }
    }
    names[count] = NULL;
    return count;
}

bool proto_is_geometry(proto_text member) {
    for (size_t i = 0; i < GJK_KIND_COUNT; i++) {
        for (const gjk_member *own = gjk_kinds[i].members; own->name != NULL; own++) {
            if (proto_text_equals(member, own->name, strlen(own->name))) {
                return true;
            }
        }
    }
    return false;
}

void proto_kind_names(uint32_t dimension, bool is_part, const char *names[PROTO_KIND_NAMES_MAX]) {
    size_t count = 0;

    for (size_t i = 0; i < GJK_KIND_COUNT; i++) {
        if (gjk_kinds[i].names[dimension - 2] != NULL && !(is_part && gjk_kinds[i].has_pieces)) {
            names[count++] = gjk_kinds[i].names[dimension - 2];
        }
    }
    names[count] = NULL;
}

/* --- Lists --- */

static proto_range range_of(const gjk_member *member) {
    return (proto_range){member->min, member->max, member->above_min};
}

/* Allocates a list with an item for each of the array. Returns NULL after a refusal if memory is
 * exhausted. */
static void *make_list(struct proto_reader *reader, const proto_node *array, size_t size) {
    void *list = gjk_arena_alloc_array(reader->scratch, proto_array_size(array->value), size);
    if (list == NULL) {
        proto_refuse_memory(reader);
    }
    return list;
}

/* Reads vectors into a list of gjk_vec2, or of gjk_vec3 if is_3d. Does nothing if list is NULL. */
static void read_vectors(struct proto_reader *reader, const proto_node *array, uint32_t dimension,
                         proto_range range, bool is_3d, void *list) {
    const size_t count = proto_array_size(array->value);
    gjk_vec3 vector = {0.0, 0.0, 0.0};

    for (size_t i = 0; list != NULL && i < count && proto_may_go_on(reader); i++) {
        proto_read_vector(reader, proto_item(array, i), dimension, range, &vector);
        if (is_3d) {
            ((gjk_vec3 *)list)[i] = vector;
        } else {
            ((gjk_vec2 *)list)[i] = gjk_xy(vector);
        }
    }
}

/* Reads points, at most points_per_hull_max. Packed 3D points are not copied. */
static void read_points(struct proto_reader *reader, const proto_node *node,
                        const gjk_member *member, uint32_t dimension, gjk_member_value *out) {
    const size_t count = proto_array_size(node->value);
    const uint64_t most = reader->limits->points_per_hull_max < GJK_POINTS_MAX
                              ? reader->limits->points_per_hull_max
                              : GJK_POINTS_MAX;

    if (count > most) {
        proto_refuse_many(reader, node, "points", count, most);
        return;
    }
    out->list.count = (uint32_t)count;
    out->list.points =
        dimension == 3 ? (const void *)proto_packed_rows(node->value, 3, range_of(member)) : NULL;
    if (out->list.points == NULL) {
        void *list = make_list(reader, node, sizeof(gjk_vec3));
        read_vectors(reader, node, dimension, range_of(member), true, list);
        out->list.points = list;
    }
}

/* Reads vertices. Packed ones are not copied. */
static void read_vertices(struct proto_reader *reader, const proto_node *array, uint32_t dimension,
                          const gjk_member *member, gjk_member_value *out) {
    const void *packed = proto_packed_rows(array->value, dimension, range_of(member));

    out->vertices.count = (uint32_t)proto_array_size(array->value);
    if (packed == NULL) {
        void *list = make_list(reader, array, dimension == 2 ? sizeof(gjk_vec2) : sizeof(gjk_vec3));
        read_vectors(reader, array, dimension, range_of(member), dimension == 3, list);
        packed = list;
    }
    out->vertices.in_2d = dimension == 2 ? packed : NULL;
    out->vertices.in_3d = dimension == 3 ? packed : NULL;
}

static void read_index(struct proto_reader *reader, const proto_node *array, size_t i, uint32_t max,
                       uint32_t *out) {
    const proto_value item = proto_value_at(array->value, i);

    if (item.type == PROTO_NUMBER && item.number >= 0.0 && item.number <= max &&
        floor(item.number) == item.number) {
        *out = (uint32_t)item.number;
    } else {
        proto_read_u32(reader, proto_item(array, i), 0, max, out);
    }
}

/* Reads triangles. value[-1] must be the vertices, whose number bounds the indices. */
static void read_triangles(struct proto_reader *reader, const proto_node *array,
                           gjk_member_value *value) {
    const uint32_t vertices = value[-1].vertices.count;
    const uint32_t max = vertices > 0 ? vertices - 1 : UINT32_MAX;
    const size_t count = proto_array_size(array->value);
    const void *packed = proto_packed_integers(array->value, 3, max);

    value->triangles.items = packed;
    value->triangles.count = (uint32_t)count;
    if (packed != NULL) {
        return;
    }
    uint32_t(*list)[3] = make_list(reader, array, sizeof *list);
    for (size_t i = 0; list != NULL && i < count && proto_may_go_on(reader); i++) {
        const proto_node corners = proto_item(array, i);
        const size_t found = proto_array_size(corners.value);
        if (found != 3) {
            if (proto_read_array(reader, &corners)) {
                proto_refuse(reader, &corners, PROTO_WRONG_TYPE,
                             "expected an array of 3 indices, found %zu", found);
            }
            continue;
        }
        for (size_t k = 0; k < 3; k++) {
            read_index(reader, &corners, k, max, &list[i][k]);
        }
    }
    value->triangles.items = (const uint32_t(*)[3])list;
}

static void read_materials(struct proto_reader *reader, const proto_node *array,
                           gjk_member_value *out) {
    const size_t count = proto_array_size(array->value);

    out->materials.items = proto_packed_integers(array->value, 0, UINT32_MAX);
    out->materials.count = (uint32_t)count;
    if (out->materials.items != NULL) {
        return;
    }
    uint32_t *list = make_list(reader, array, sizeof *list);
    for (size_t i = 0; list != NULL && i < count && proto_may_go_on(reader); i++) {
        read_index(reader, array, i, UINT32_MAX, &list[i]);
    }
    out->materials.items = list;
}

/* Reads heights or radii. A hole among heights is null in JSON, and a NaN in packed numbers and in
 * the height field. */
static void read_numbers(struct proto_reader *reader, const proto_node *array,
                         const gjk_member *member, gjk_member_value *out) {
    const bool may_be_null = member->form == GJK_MEMBER_HEIGHTS;
    const size_t count = proto_array_size(array->value);

    out->heights.items = proto_packed_numbers(array->value, range_of(member), may_be_null);
    out->heights.count = (uint32_t)count;
    if (out->heights.items != NULL) {
        return;
    }
    double *list = make_list(reader, array, sizeof *list);
    for (size_t i = 0; list != NULL && i < count && proto_may_go_on(reader); i++) {
        list[i] = NAN;
        if (!may_be_null || proto_value_at(array->value, i).type != PROTO_NULL) {
            proto_read_number(reader, proto_item(array, i), range_of(member), &list[i]);
        }
    }
    out->heights.items = list;
}

/* Returns polygon i of a list of polygons, or the list itself if it is flat: one polygon's
 * rings. */
static proto_node polygon_at(const proto_node *list, bool is_flat, size_t i) {
    return is_flat ? *list : proto_item(list, i);
}

/* Reads polygons of rings, in two passes: the first checks types and counts rings and vertices. */
static void read_rings(struct proto_reader *reader, const proto_node *polygons,
                       const gjk_member *member, gjk_member_value *out) {
    const bool is_flat = member->form == GJK_MEMBER_FLAT_RINGS;
    const size_t count = is_flat ? 1 : proto_array_size(polygons->value);
    const uint32_t refused = reader->refused;
    size_t ring_count = 0, vertex_count = 0;

    for (size_t i = 0; i < count && proto_may_go_on(reader); i++) {
        const proto_node polygon = polygon_at(polygons, is_flat, i);
        const size_t rings = proto_array_size(polygon.value);
        proto_read_array(reader, &polygon);
        ring_count += rings;
        for (size_t k = 0; k < rings && proto_may_go_on(reader); k++) {
            const proto_node ring = proto_item(&polygon, k);
            proto_read_array(reader, &ring);
            vertex_count += proto_array_size(ring.value);
        }
    }
    if (reader->refused != refused) {
        return;
    }
    gjk_vec2 *vertices = gjk_arena_alloc_array(reader->scratch, vertex_count, sizeof *vertices);
    uint32_t *ring_sizes = gjk_arena_alloc_array(reader->scratch, ring_count, sizeof *ring_sizes);
    uint32_t *polygon_sizes = make_list(reader, polygons, sizeof *polygon_sizes);
    if (vertices == NULL || ring_sizes == NULL) {
        proto_refuse_memory(reader);
        return;
    }
    out->rings = (gjk_region){.vertices = vertices,
                              .ring_sizes = ring_sizes,
                              .polygon_sizes = polygon_sizes,
                              .polygon_count = (uint32_t)count};
    for (size_t i = 0; polygon_sizes != NULL && i < count && reader->refused == refused; i++) {
        const proto_node polygon = polygon_at(polygons, is_flat, i);
        polygon_sizes[i] = (uint32_t)proto_array_size(polygon.value);
        for (size_t k = 0; k < polygon_sizes[i]; k++) {
            const proto_node ring = proto_item(&polygon, k);
            const double *packed = proto_packed_rows(ring.value, 2, range_of(member));
            *ring_sizes = (uint32_t)proto_array_size(ring.value);
            if (packed != NULL) {
                memcpy(vertices, packed, *ring_sizes * sizeof *vertices);
            } else {
                read_vectors(reader, &ring, 2, range_of(member), false, vertices);
            }
            vertices += *ring_sizes++;
        }
    }
}

/* Reads the parts of a compound. Adds the compound's rounding to theirs. */
static void read_parts(struct proto_reader *reader, const proto_node *node, uint32_t dimension,
                       double rounding, gjk_member_value *out) {
    const size_t count = proto_array_size(node->value);

    if (count > GJK_PARTS_MAX) {
        proto_refuse_many(reader, node, "parts", count, GJK_PARTS_MAX);
        return;
    }
    gjk_placed *parts = make_list(reader, node, sizeof *parts);
    gjk_shape *shapes = gjk_arena_alloc_array(reader->scratch, count, sizeof *shapes);
    if (parts == NULL || shapes == NULL) {
        if (parts != NULL) {
            proto_refuse_memory(reader);
        }
        return;
    }
    for (size_t i = 0; i < count && proto_may_go_on(reader); i++) {
        const proto_node part = proto_item(node, i);
        parts[i].shape = &shapes[i];
        proto_decode_part(reader, &part, dimension, rounding, &shapes[i], &parts[i].pose);
    }
    out->parts.items = parts;
    out->parts.count = (uint32_t)count;
}

/* --- Members --- */

static void read_member(struct proto_reader *reader, const proto_node *node,
                        const gjk_member *member, const gjk_geometry *geometry,
                        gjk_member_value *out) {
    const uint32_t dimension = geometry->dimension;
    size_t choice;

    switch (member->form) {
    case GJK_MEMBER_NUMBER:
        proto_read_number(reader, *node, range_of(member), &out->number);
        return;
    case GJK_MEMBER_VECTOR:
        proto_read_vector(reader, *node, dimension, range_of(member), &out->vector);
        return;
    case GJK_MEMBER_STEPS:
        proto_read_vector(reader, *node, 2, range_of(member), &out->vector);
        return;
    case GJK_MEMBER_FLAG:
        proto_read_bool(reader, *node, &out->flag);
        return;
    case GJK_MEMBER_COUNT:
        proto_read_u32(reader, *node, (uint32_t)member->min, (uint32_t)member->max, &out->integer);
        return;
    case GJK_MEMBER_CHOICE:
        if (proto_read_choice(reader, *node, member->choices, &choice) && proto_is_given(node)) {
            out->integer = (uint32_t)choice + 1;
        }
        return;
    default:
        break;
    }
    if (!proto_read_array(reader, node) || !proto_is_given(node)) {
        return;
    }
    const size_t count = proto_array_size(node->value);
    if (count < member->count_min) {
        proto_refuse(reader, node, PROTO_OUT_OF_RANGE, "at least %u %s, found %zu",
                     member->count_min, member->form == GJK_MEMBER_POINTS ? "points" : "items",
                     count);
        return;
    }
    switch (member->form) {
    case GJK_MEMBER_POINTS:
        read_points(reader, node, member, dimension, out);
        break;
    case GJK_MEMBER_PARTS:
        read_parts(reader, node, dimension, geometry->rounding, out);
        break;
    case GJK_MEMBER_VERTICES:
        read_vertices(reader, node, dimension, member, out);
        break;
    case GJK_MEMBER_TRIANGLES:
        read_triangles(reader, node, out);
        break;
    case GJK_MEMBER_RINGS:
    case GJK_MEMBER_FLAT_RINGS:
        read_rings(reader, node, member, out);
        break;
    case GJK_MEMBER_MATERIALS:
        read_materials(reader, node, out);
        break;
    default:
        read_numbers(reader, node, member, out);
        break;
    }
}

/* Checks that a vector differs from the one before it: the ends of an axis must be distinct. */
static void check_differs(struct proto_reader *reader, const proto_node *node,
                          const gjk_member *member, const gjk_member_value *value) {
    const gjk_vec3 a = value[-1].vector, b = value[0].vector;

    if (a.x == b.x && a.y == b.y && a.z == b.z) {
        proto_refuse(reader, node, PROTO_OUT_OF_RANGE, "\"%s\" and \"%s\" must differ",
                     member[-1].name, member->name);
        proto_hint(reader, "without a length it has no axis; a \"sphere\" needs none");
    }
}

/* Checks two alternative members: not both may be given, and one must be, unless the first is
 * optional. */
static void check_one_of(struct proto_reader *reader, const proto_node *first, bool has_first,
                         const proto_node *second, bool has_second, const gjk_member *member) {
    if (has_first && has_second) {
        proto_refuse(reader, second, PROTO_UNKNOWN_MEMBER,
                     "\"%s\" stands in the place of \"%s\", not beside it", member->name,
                     member[-1].name);
    } else if (!has_first && !has_second && !member[-1].is_optional) {
        proto_refuse_missing(reader, first);
    }
}

/* --- Refusals by constructors --- */

static void refuse_pieces(struct proto_reader *reader, const proto_node *at) {
    const uint64_t limit = reader->limits->pieces_per_shape_max;

    proto_refuse(reader, at, PROTO_TOO_MANY, "a shape may have %llu pieces",
                 (unsigned long long)limit);
    proto_hint_limit(reader, limit);
}

/* Refuses the geometry at the place of the constructor's fault. */
static void refuse_geometry(struct proto_reader *reader, const proto_node *object,
                            const gjk_kind *kind, const gjk_geometry *made, gjk_status status) {
    const gjk_geometry_fault *fault = &made->fault;
    proto_node nodes[4] = {proto_peek(object, kind->members[fault->member].name)};
    const proto_node *at = nodes;

    for (uint32_t i = 0; i < fault->place.depth; i++) {
        /* A list that comes from the stored shape is not in the body. */
        nodes[i + 1] = (proto_node){.parent = at, .index = fault->place.index[i]};
        if (proto_is_given(at)) {
            nodes[i + 1] = proto_item(at, fault->place.index[i]);
        }
        at++;
    }
    if (fault->is_count) {
        proto_refuse(reader, at, PROTO_OUT_OF_RANGE, "must have %llu items, found %llu",
                     (unsigned long long)fault->wanted, (unsigned long long)fault->found);
    } else if (status == GJK_TOO_MANY_POINTS) {
        refuse_pieces(reader, at);
    } else if (status == GJK_NOT_CLOSED) {
        proto_refuse(reader, at, PROTO_NOT_CLOSED,
                     "%u edges have not two triangles in opposite directions",
                     fault->place.open_edges);
        if (fault->place.weld_closes) {
            proto_hint(reader,
                       "with \"weld\": true, corners at one place are one, and it is closed");
        }
    } else if (fault->place.text != NULL) {
        proto_refuse(reader, at, proto_code_of(status), "%s", fault->place.text);
    } else {
        proto_refuse_status(reader, at, status);
    }
    if (status == GJK_NOT_CONVEX && !fault->is_count) {
        proto_hint(reader,
                   "a shape of type \"hull\" takes any \"points\" and is their convex hull");
    } else if (status == GJK_NOT_SIMPLE && made->values[2].integer == 0) {
        proto_hint(reader, "with \"fill\": \"nonzero\" or \"evenodd\" rings may cross");
    }
}

/* --- The whole --- */

static void release_pieces(void *pieces) {
    gjk_pieces_release(pieces);
}

/* Copies a stored shape and shares its pieces; the arena holds a reference to them. */
static void share_pieces(struct proto_reader *reader, const gjk_shape *shape, gjk_shape *out) {
    struct gjk_pieces *pieces = (struct gjk_pieces *)(uintptr_t)shape->pieces;

    gjk_pieces_retain(pieces);
    if (!gjk_arena_defer(reader->arena, release_pieces, pieces)) {
        gjk_pieces_release(pieces);
        proto_refuse_memory(reader);
        return;
    }
    *out = *shape;
}

void proto_decode_geometry(struct proto_reader *reader, proto_object *object, const gjk_kind *kind,
                           const proto_kept *kept, gjk_geometry *geometry, gjk_shape *out) {
    const uint32_t refused = reader->refused;
    proto_node first = {0}, before = {0};
    bool was_there = false;
    bool is_same = kept != NULL && !proto_has(kept->patch, "rounding"); /* geometry is unchanged */

    for (const gjk_member *member = kind->members; is_same && member->name != NULL; member++) {
        is_same = !proto_has(kept->patch, member->name);
    }
    if (kept != NULL) {
        gjk_geometry_view(kept->shape, geometry->values);
    }
    for (size_t i = 0; kind->members[i].name != NULL; i++) {
        const gjk_member *member = &kind->members[i];
        proto_node node = proto_optional(object, member->name);
        const bool is_kept =
            kept != NULL && gjk_member_is_kept(member) && !proto_has(kept->patch, member->name);
        const bool is_there =
            is_kept ? gjk_member_is_there(member, &geometry->values[i]) : proto_is_given(&node);
        node.is_required = !member->is_optional && !member[1].replaces;
        first = i == 0 ? node : first;
        if (member->replaces) {
            check_one_of(reader, &before, was_there, &node, is_there, member);
        }
        before = node;
        was_there = is_there;
        if (is_same || !proto_may_go_on(reader) || is_kept) {
            continue;
        }
        geometry->values[i] = (gjk_member_value){0};
        if (member->form == GJK_MEMBER_NUMBER && member->is_optional) {
            geometry->values[i].number = NAN;
        }
        read_member(reader, &node, member, geometry, &geometry->values[i]);
        if (member->differs && reader->refused == refused) {
            check_differs(reader, &node, member, &geometry->values[i]);
        }
    }
    if (is_same) {
        share_pieces(reader, kept->shape, out);
        return;
    }
    if (reader->refused != refused || !proto_may_go_on(reader)) {
        return;
    }
    const gjk_status status = kind->make(geometry, out);
    if (status != GJK_OK) {
        const bool has_place = status != GJK_OUT_OF_MEMORY && status != GJK_GIVEN_UP;
        if (has_place && (kind->has_pieces || status == GJK_NOT_CONVEX)) {
            refuse_geometry(reader, &object->node, kind, geometry, status);
        } else {
            proto_refuse_status(reader, &object->node, status);
        }
    } else if (kind->has_pieces &&
               gjk_pieces_count(out->pieces) > reader->limits->pieces_per_shape_max) {
        refuse_pieces(reader, &first);
    }
}
