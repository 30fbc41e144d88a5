/* The table of kinds, made from GJK_KIND_MAP. Each constructor takes its arguments from the values
 * of the kind's members, in their order. */

#include "gjk/kinds.h"

#include <math.h>
#include <string.h>

#define PI 0x1.921fb54442d18p+1

/* Forms and ranges of members, as used in the rows of GJK_KIND_MAP. */
/* clang-format off */
#define MEMBER(text, what, least, most, ...) \
    {.name = (text), .form = GJK_MEMBER_##what, .min = (least), .max = (most), __VA_ARGS__}
/* clang-format on */
#define POSITIVE(text) MEMBER(text, NUMBER, 0.0, GJK_COORDINATE_MAX, .above_min = true)
#define HALF_TURN(text) MEMBER(text, NUMBER, 0.0, PI, .above_min = true)
#define LENGTHS(text) MEMBER(text, VECTOR, 0.0, GJK_COORDINATE_MAX, .above_min = false)
#define POSITIVES(text) MEMBER(text, VECTOR, 0.0, GJK_COORDINATE_MAX, .above_min = true)
#define PLACE(text) MEMBER(text, VECTOR, -GJK_COORDINATE_MAX, GJK_COORDINATE_MAX, .differs = false)
#define OTHER_PLACE(text) \
    MEMBER(text, VECTOR, -GJK_COORDINATE_MAX, GJK_COORDINATE_MAX, .differs = true)
#define PLACES(text, count) \
    MEMBER(text, POINTS, -GJK_COORDINATE_MAX, GJK_COORDINATE_MAX, .count_min = (count))
#define FLAG(text) MEMBER(text, FLAG, 0.0, 1.0, .is_optional = true)
#define COUNT(text, least) MEMBER(text, COUNT, least, UINT32_MAX, .above_min = false)
#define STEPS(text) MEMBER(text, STEPS, 0.0, GJK_COORDINATE_MAX, .above_min = true)
#define PARTS(text) MEMBER(text, PARTS, 0.0, 0.0, .count_min = 1)
#define VERTICES(text, count) \
    MEMBER(text, VERTICES, -GJK_COORDINATE_MAX, GJK_COORDINATE_MAX, .count_min = (count))
#define TRIANGLES(text) MEMBER(text, TRIANGLES, 0.0, UINT32_MAX, .count_min = 1)
#define RINGS(text) MEMBER(text, RINGS, -GJK_COORDINATE_MAX, GJK_COORDINATE_MAX, .count_min = 1)
#define FLAT_RINGS(text)                                                              \
    MEMBER(text, FLAT_RINGS, -GJK_COORDINATE_MAX, GJK_COORDINATE_MAX, .count_min = 1, \
           .is_optional = true, .replaces = true)
/* Choices are in the order of gjk_fill. */
#define FILL(text) \
    MEMBER(text, CHOICE, 0.0, 0.0, .is_optional = true, .choices = {"nonzero", "evenodd"})
#define HEIGHTS(text) MEMBER(text, HEIGHTS, -GJK_COORDINATE_MAX, GJK_COORDINATE_MAX, .count_min = 0)
#define HEIGHT(text) \
    MEMBER(text, NUMBER, -GJK_COORDINATE_MAX, GJK_COORDINATE_MAX, .is_optional = true)
#define LENGTH(text) MEMBER(text, NUMBER, 0.0, GJK_COORDINATE_MAX, .is_optional = true)
#define RADII(text) \
    MEMBER(text, RADII, 0.0, GJK_COORDINATE_MAX, .is_optional = true, .replaces = true)
#define MATERIALS(text) MEMBER(text, MATERIALS, 0.0, UINT32_MAX, .is_optional = true)

static gjk_status make_point(gjk_geometry *g, gjk_shape *out) {
    return gjk_shape_make_point(g->arena, g->dimension, g->rounding, out);
}

static gjk_status make_ball(gjk_geometry *g, gjk_shape *out) {
    return gjk_shape_make_ball(g->arena, g->dimension, g->values[0].number, g->rounding, out);
}

static gjk_status make_segment(gjk_geometry *g, gjk_shape *out) {
    return gjk_shape_make_segment(g->arena, g->dimension, g->values[0].vector, g->values[1].vector,
                                  g->rounding, out);
}

static gjk_status make_capsule(gjk_geometry *g, gjk_shape *out) {
    const gjk_vec3 ends[2] = {g->values[0].vector, g->values[1].vector};
    return gjk_shape_make_capsule(g->arena, g->dimension, ends, g->values[2].number, g->rounding,
                                  out);
}

static gjk_status make_box(gjk_geometry *g, gjk_shape *out) {
    return gjk_shape_make_box(g->arena, g->dimension, g->values[0].vector, g->rounding, out);
}

static gjk_status make_polygon(gjk_geometry *g, gjk_shape *out) {
    const uint32_t count = g->values[0].list.count;
    struct gjk_arena scratch;
    gjk_status status = GJK_OUT_OF_MEMORY;
    gjk_arena_init_beside(&scratch, g->arena);
    gjk_vec2 *vertices = gjk_arena_alloc_array(&scratch, count, sizeof *vertices);
    for (uint32_t i = 0; vertices != NULL && i < count; i++) {
        vertices[i] = gjk_xy(g->values[0].list.points[i]);
    }
    if (vertices != NULL) {
        g->fault.place.depth = 1;
        status = gjk_shape_make_polygon(g->arena, vertices, count, g->rounding,
                                        &g->fault.place.index[0], out);
    }
    gjk_arena_fini(&scratch);
    return status;
}

static gjk_status make_triangle(gjk_geometry *g, gjk_shape *out) {
    const gjk_vec3 corners[3] = {g->values[0].vector, g->values[1].vector, g->values[2].vector};
    return gjk_shape_make_triangle(g->arena, corners, g->rounding, out);
}

static gjk_status make_hull(gjk_geometry *g, gjk_shape *out) {
    return gjk_shape_make_hull(g->arena, g->dimension, g->values[0].list.points,
                               g->values[0].list.count, g->rounding, out);
}

static gjk_status make_ellipse(gjk_geometry *g, gjk_shape *out) {
    return gjk_shape_make_ellipse(g->dimension, g->values[0].vector, g->rounding, out);
}

static gjk_status make_half_ellipse(gjk_geometry *g, gjk_shape *out) {
    return gjk_shape_make_half_ellipse(g->values[0].number, g->values[1].number, g->rounding, out);
}

static gjk_status make_slice(gjk_geometry *g, gjk_shape *out) {
    return gjk_shape_make_slice(g->values[0].number, g->values[1].number, g->rounding, out);
}

static gjk_status make_cylinder(gjk_geometry *g, gjk_shape *out) {
    const gjk_vec3 ends[2] = {g->values[0].vector, g->values[1].vector};
    return gjk_shape_make_cylinder(ends, g->values[2].number, g->rounding, out);
}

static gjk_status make_cone(gjk_geometry *g, gjk_shape *out) {
    return gjk_shape_make_cone(g->values[0].vector, g->values[1].vector, g->values[2].number,
                               g->rounding, out);
}

/* --- Kinds of many pieces --- */

static gjk_status make_compound(gjk_geometry *g, gjk_shape *out) {
    return gjk_shape_make_compound(g->arena, g->dimension, g->values[0].parts.items,
                                   g->values[0].parts.count, out);
}

static gjk_status make_chain(gjk_geometry *g, gjk_shape *out) {
    return gjk_shape_make_chain(g->arena, g->values[0].vertices.in_2d, g->values[0].vertices.count,
                                g->values[1].flag, g->rounding, &g->fault.place, out);
}

static gjk_status make_region(gjk_geometry *g, gjk_shape *out) {
    enum { POLYGONS, RINGS, FILL };
    gjk_pieces_fault *place = &g->fault.place;
    const bool is_flat = g->values[RINGS].rings.polygon_count > 0;
    gjk_region region = g->values[is_flat ? RINGS : POLYGONS].rings;
    region.is_flat = is_flat;
    region.fill = (gjk_fill)g->values[FILL].integer;
    gjk_status status = gjk_shape_make_region(g->arena, &region, g->rounding, place, out);
    g->fault.member = is_flat ? RINGS : POLYGONS;
    if (is_flat && place->depth > 0) {
        place->index[0] = place->index[1];
        place->index[1] = place->index[2];
        place->depth--;
    }
    return status;
}

static gjk_status refuse_count(gjk_geometry *g, uint32_t member, uint64_t wanted, uint64_t found) {
    g->fault = (gjk_geometry_fault){
        .member = member,
        .is_count = true,
        .wanted = wanted,
        .found = found,
    };
    return GJK_OUT_OF_RANGE;
}

static gjk_status make_mesh(gjk_geometry *g, gjk_shape *out) {
    enum { VERTICES, TRIANGLES, CLOSED, ONE_SIDED, MATERIALS, WELD, FILL };
    const gjk_member_value *values = g->values;
    const gjk_mesh mesh = {
        .vertices = values[VERTICES].vertices.in_3d,
        .vertex_count = values[VERTICES].vertices.count,
        .triangles = values[TRIANGLES].triangles.items,
        .triangle_count = values[TRIANGLES].triangles.count,
        .materials = values[MATERIALS].materials.items,
        .closed = values[CLOSED].flag,
        .one_sided = values[ONE_SIDED].flag,
        .weld = values[WELD].flag,
        .fill = (gjk_fill)values[FILL].integer,
    };
    const uint32_t materials = values[MATERIALS].materials.count;
    if (mesh.materials != NULL && materials != mesh.triangle_count) {
        return refuse_count(g, MATERIALS, mesh.triangle_count, materials);
    }
    gjk_status status = gjk_shape_make_mesh(g->arena, &mesh, g->rounding, &g->fault.place, out);
    bool is_vertex = status == GJK_NOT_FINITE || status == GJK_OUT_OF_RANGE;
    g->fault.member = is_vertex ? VERTICES : TRIANGLES;
    return status;
}

static gjk_status make_heightfield(gjk_geometry *g, gjk_shape *out) {
    enum { COLUMNS, ROWS, SPACING, HEIGHTS, ONE_SIDED, MATERIALS, BASE };
    const gjk_member_value *values = g->values;
    const gjk_heightfield field = {
        .columns = values[COLUMNS].integer,
        .rows = values[ROWS].integer,
        .spacing = {values[SPACING].vector.x, values[SPACING].vector.y},
        .heights = values[HEIGHTS].heights.items,
        .materials = values[MATERIALS].materials.items,
        .one_sided = values[ONE_SIDED].flag,
        .has_base = !isnan(values[BASE].number),
        .base = values[BASE].number,
    };
    const uint64_t samples = (uint64_t)field.columns * field.rows;
    const uint64_t cells = (uint64_t)(field.columns - 1) * (field.rows - 1);
    const uint32_t heights = values[HEIGHTS].heights.count;
    const uint32_t materials = values[MATERIALS].materials.count;
    if (heights != samples) {
        return refuse_count(g, HEIGHTS, samples, heights);
    }
    if (field.materials != NULL && materials != cells) {
        return refuse_count(g, MATERIALS, cells, materials);
    }
    gjk_status status =
        gjk_shape_make_heightfield(g->arena, &field, g->rounding, &g->fault.place, out);
    bool is_height = g->fault.place.depth > 0 || status == GJK_TOO_FEW_POINTS;
    g->fault.member = is_height ? HEIGHTS : status == GJK_TOO_MANY_POINTS ? COLUMNS : SPACING;
    return status;
}

static gjk_status make_points(gjk_geometry *g, gjk_shape *out) {
    enum { POINTS, RADIUS, RADII };
    const gjk_member_value *values = g->values;
    const gjk_points points = {
        .in_2d = values[POINTS].vertices.in_2d,
        .in_3d = values[POINTS].vertices.in_3d,
        .count = values[POINTS].vertices.count,
        .radius = isnan(values[RADIUS].number) ? 0.0 : values[RADIUS].number,
        .radii = values[RADII].radii.items,
    };
    if (points.radii != NULL && values[RADII].radii.count != points.count) {
        return refuse_count(g, RADII, points.count, values[RADII].radii.count);
    }
    gjk_pieces_fault *place = &g->fault.place;
    gjk_status status =
        gjk_shape_make_points(g->arena, g->dimension, &points, g->rounding, place, out);
    g->fault.member = place->depth != 1 ? POINTS : points.radii != NULL ? RADII : RADIUS;
    place->depth = g->fault.member == RADIUS ? 0 : place->depth;
    return status;
}

void gjk_geometry_view(const gjk_shape *shape, gjk_member_value values[GJK_MEMBERS_MAX]) {
    gjk_heightfield field;
    gjk_mesh mesh;
    gjk_region region;
    gjk_points points;
    bool closed;
    switch (shape->type) {
    case GJK_CHAIN:
        values[0].vertices.in_2d =
            gjk_pieces_chain(shape->pieces, &values[0].vertices.count, &closed);
        break;
    case GJK_REGION:
        (void)gjk_pieces_region(shape->pieces, &region);
        values[region.is_flat ? 1 : 0].rings = region;
        break;
    case GJK_MESH:
        (void)gjk_pieces_mesh(shape->pieces, &mesh);
        values[0].vertices.in_3d = mesh.vertices;
        values[0].vertices.count = mesh.vertex_count;
        values[1].triangles.items = mesh.triangles;
        values[1].triangles.count = mesh.triangle_count;
        values[4].materials.items = mesh.materials;
        values[4].materials.count = mesh.materials != NULL ? mesh.triangle_count : 0;
        break;
    case GJK_POINTS:
        (void)gjk_pieces_points(shape->pieces, &points);
        values[0].vertices.in_2d = points.in_2d;
        values[0].vertices.in_3d = points.in_3d;
        values[0].vertices.count = points.count;
        values[2].radii.items = points.radii;
        values[2].radii.count = points.radii != NULL ? points.count : 0;
        break;
    case GJK_HEIGHTFIELD:
        (void)gjk_pieces_heightfield(shape->pieces, &field);
        values[3].heights.items = field.heights;
        values[3].heights.count = field.columns * field.rows;
        values[5].materials.items = field.materials;
        values[5].materials.count =
            field.materials != NULL ? (field.columns - 1) * (field.rows - 1) : 0;
        break;
    default:
        break;
    }
}

bool gjk_member_is_there(const gjk_member *member, const gjk_member_value *value) {
    switch (member->form) {
    case GJK_MEMBER_RINGS:
    case GJK_MEMBER_FLAT_RINGS:
        return value->rings.polygon_count > 0;
    case GJK_MEMBER_RADII:
        return value->radii.items != NULL;
    case GJK_MEMBER_MATERIALS:
        return value->materials.items != NULL;
    default:
        return true;
    }
}

/* --- The table --- */

#define X(type, function, in_2d, in_3d, elsewhere, ...)                                         \
    _Static_assert(sizeof((gjk_member[]){__VA_ARGS__}) <= GJK_MEMBERS_MAX * sizeof(gjk_member), \
                   "more members than GJK_MEMBERS_MAX");
GJK_KIND_MAP(X, X, X)
#undef X

const gjk_kind gjk_kinds[GJK_KIND_COUNT] = {
#define CONVEX(type, function, in_2d, in_3d, elsewhere, ...) \
    {{in_2d, in_3d}, elsewhere, false, {__VA_ARGS__}, make_##function},
#define PIECES(type, function, in_2d, in_3d, elsewhere, ...) \
    {{in_2d, in_3d}, elsewhere, true, {__VA_ARGS__}, make_##function},
    GJK_KIND_MAP(CONVEX, CONVEX, PIECES)
#undef CONVEX
#undef PIECES
};

static bool equals(const char *name, const char *text, size_t length) {
    return name != NULL && length > 0 && name[0] == text[0] && strlen(name) == length &&
           memcmp(name, text, length) == 0;
}

const gjk_kind *gjk_kind_find(const char *name, size_t length, uint32_t *dimension) {
    for (const gjk_kind *kind = gjk_kinds; kind < gjk_kinds + GJK_KIND_COUNT; kind++) {
        bool in_2d = equals(kind->names[0], name, length);
        bool in_3d = equals(kind->names[1], name, length);
        if (in_2d || in_3d) {
            *dimension = in_2d && in_3d ? 0 : in_2d ? 2 : 3;
            return kind;
        }
    }
    return NULL;
}
