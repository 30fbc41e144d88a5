/*
 * The geometry of a shape: its members are read as the table of kinds (gjk/kinds.h) describes
 * them, and the kind's constructor makes the shape of their values. The constructors check
 * everything again; lengths and coordinates are checked here already, where their places are
 * known.
 */

#include "decode/decode.h"

#include <stdint.h>
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

static bool check_count(struct proto_reader *reader, const proto_node *array, size_t min) {
    uint64_t limit = reader->limits->points_per_hull_max;
    size_t count = proto_array_size(array->value);

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

/* The list is kept in the document's arena, or in its place if it is packed there. */
static bool read_points(struct proto_reader *reader, const proto_node *node,
                        const gjk_member *member, uint32_t dimension, gjk_member_value *out) {
    if (!proto_read_array(reader, node) || !check_count(reader, node, member->count_min)) {
        return false;
    }
    const size_t count = proto_array_size(node->value);
    out->list.count = (uint32_t)count;
    out->list.points =
        dimension == 3 ? (const void *)proto_packed_rows(node->value, 3, range_of(member)) : NULL;
    if (out->list.points != NULL) {
        return true;
    }
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

static bool read_integer(struct proto_reader *reader, proto_node node, const gjk_member *member,
                         uint32_t *out) {
    uint64_t value = 0;

    if (!proto_read_integer(reader, node, (uint64_t)member->min, (uint64_t)member->max, &value)) {
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

static bool read_member(struct proto_reader *reader, const proto_node *object,
                        const gjk_member *member, const gjk_geometry *geometry,
                        gjk_member_value *out) {
    proto_node node = member->is_optional ? proto_optional(object, member->name)
                                          : proto_required(object, member->name);

    switch (member->form) {
    case GJK_MEMBER_NUMBER:
        return proto_read_number(reader, node, range_of(member), &out->number);
    case GJK_MEMBER_VECTOR:
        return proto_read_vector(reader, node, geometry->dimension, range_of(member), &out->vector);
    case GJK_MEMBER_POINTS:
        return read_points(reader, &node, member, geometry->dimension, out);
    case GJK_MEMBER_FLAG:
        return proto_read_bool(reader, node, &out->flag);
    case GJK_MEMBER_COUNT:
        return read_integer(reader, node, member, &out->integer);
    case GJK_MEMBER_STEPS:
        return proto_read_vector(reader, node, 2, range_of(member), &out->vector);
    case GJK_MEMBER_PARTS:
        return proto_read_parts(reader, &node, geometry->dimension, geometry->rounding, out);
    default:
        return proto_read_kept(reader, &node, member, geometry->dimension, out);
    }
}

static bool read_members(struct proto_reader *reader, const proto_node *object,
                         const gjk_kind *kind, const proto_kept *kept, gjk_geometry *geometry) {
    bool is_fine = true;

    if (kept != NULL) {
        gjk_geometry_view(kept->shape, geometry->values);
    }
    for (size_t i = 0; kind->members[i].name != NULL && proto_may_go_on(reader); i++) {
        const gjk_member *member = &kind->members[i];
        gjk_member_value *value = &geometry->values[i];
        if (kept != NULL && gjk_member_is_kept(member) && !proto_has(kept->patch, member->name)) {
            continue;
        }
        *value = (gjk_member_value){0};
        is_fine = read_member(reader, object, member, geometry, value) && is_fine;
        is_fine = is_fine && (!member->differs || check_differs(reader, object, member, value));
    }
    return is_fine && proto_may_go_on(reader);
}

/* --- What constructors refuse --- */

static bool refuse_pieces(struct proto_reader *reader, const proto_node *at) {
    const uint64_t limit = reader->limits->pieces_per_shape_max;

    proto_refuse(reader, at, PROTO_TOO_MANY, "a shape may have %llu pieces",
                 (unsigned long long)limit);
    return proto_problem_limit(reader->problem, limit);
}

static bool refuse_at(struct proto_reader *reader, const proto_node *at,
                      const gjk_geometry_fault *fault, gjk_status status) {
    if (fault->is_count) {
        return proto_refuse(reader, at, PROTO_OUT_OF_RANGE, "must have %llu items, found %llu",
                            (unsigned long long)fault->wanted, (unsigned long long)fault->found);
    }
    if (status == GJK_TOO_MANY_POINTS) {
        return refuse_pieces(reader, at);
    }
    proto_refuse_status(reader, at, status);
    if (status == GJK_NOT_CONVEX) {
        proto_problem_hint(
            reader->problem,
            "a shape of type \"hull\" takes any \"points\" and is their convex hull");
    }
    return false;
}

/* Refuses at the place in the geometry that the fault names. */
static bool refuse_geometry(struct proto_reader *reader, const proto_node *object,
                            const gjk_kind *kind, const gjk_geometry *made, gjk_status status) {
    const gjk_pieces_fault *place = &made->fault.place;
    proto_node nodes[4] = {proto_required(object, kind->members[made->fault.member].name)};

    for (uint32_t i = 0; i < place->depth; i++) {
        nodes[i + 1] = proto_item(&nodes[i], place->index[i]);
    }
    return refuse_at(reader, &nodes[place->depth], &made->fault, status);
}

/* Returns true if a patch leaves the stored pieces as they are. */
static bool is_same(const proto_kept *kept, const gjk_kind *kind) {
    bool is_named = proto_has(kept->patch, "rounding");

    for (const gjk_member *member = kind->members; member->name != NULL; member++) {
        is_named = is_named || proto_has(kept->patch, member->name);
    }
    return !is_named;
}

static void release_pieces(void *pieces) {
    gjk_pieces_release(pieces);
}

static bool share_pieces(struct proto_reader *reader, const gjk_shape *shape, gjk_shape *out) {
    struct gjk_pieces *pieces = (struct gjk_pieces *)(uintptr_t)shape->pieces;

    gjk_pieces_retain(pieces);
    if (!gjk_arena_defer(reader->arena, release_pieces, pieces)) {
        gjk_pieces_release(pieces);
        return proto_refuse_memory(reader);
    }
    *out = *shape;
    return true;
}

bool proto_decode_geometry(struct proto_reader *reader, const proto_node *object,
                           const gjk_kind *kind, const proto_kept *kept, gjk_geometry *geometry,
                           gjk_shape *out) {
    if (kept != NULL && is_same(kept, kind)) {
        return share_pieces(reader, kept->shape, out);
    }
    if (!read_members(reader, object, kind, kept, geometry)) {
        return false;
    }
    gjk_status status = kind->make(geometry, out);
    if (status != GJK_OK) {
        const bool has_place = status != GJK_OUT_OF_MEMORY && status != GJK_GIVEN_UP;
        return has_place && (kind->has_pieces || status == GJK_NOT_CONVEX)
                   ? refuse_geometry(reader, object, kind, geometry, status)
                   : proto_refuse_status(reader, object, status);
    }
    if (kind->has_pieces && gjk_pieces_count(out->pieces) > reader->limits->pieces_per_shape_max) {
        const proto_node first = proto_required(object, kind->members[0].name);
        return refuse_pieces(reader, &first);
    }
    return true;
}
