/*
 * The table of kinds, made from GJK_KIND_MAP. Each constructor takes its arguments from the values
 * of the kind's members, in their order.
 */

#include "gjk/kinds.h"

#include <string.h>

#define PI 0x1.921fb54442d18p+1

/* The forms and ranges that rows give their members. */
#define MEMBER(text, what, least, most, ...) \
    { .name = (text), .form = GJK_MEMBER_##what, .min = (least), .max = (most), __VA_ARGS__ }
#define POSITIVE(text) MEMBER(text, NUMBER, 0.0, GJK_COORDINATE_MAX, .above_min = true)
#define HALF_TURN(text) MEMBER(text, NUMBER, 0.0, PI, .above_min = true)
#define LENGTHS(text) MEMBER(text, VECTOR, 0.0, GJK_COORDINATE_MAX, .above_min = false)
#define POSITIVES(text) MEMBER(text, VECTOR, 0.0, GJK_COORDINATE_MAX, .above_min = true)
#define PLACE(text) MEMBER(text, VECTOR, -GJK_COORDINATE_MAX, GJK_COORDINATE_MAX, .differs = false)
#define OTHER_PLACE(text) \
    MEMBER(text, VECTOR, -GJK_COORDINATE_MAX, GJK_COORDINATE_MAX, .differs = true)
#define PLACES(text, count) \
    MEMBER(text, POINTS, -GJK_COORDINATE_MAX, GJK_COORDINATE_MAX, .count_min = (count))

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
    gjk_arena_init(&scratch, 0);
    gjk_vec2 *vertices = gjk_arena_alloc_array(&scratch, count, sizeof *vertices);
    for (uint32_t i = 0; vertices != NULL && i < count; i++) {
        vertices[i] = gjk_xy(g->values[0].list.points[i]);
    }
    if (vertices != NULL) {
        status = gjk_shape_make_polygon(g->arena, vertices, count, g->rounding, &g->bad_point, out);
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

#define X(type, function, in_2d, in_3d, elsewhere, ...)                                         \
    _Static_assert(sizeof((gjk_member[]){__VA_ARGS__}) <= GJK_MEMBERS_MAX * sizeof(gjk_member), \
                   "more members than GJK_MEMBERS_MAX");
GJK_KIND_MAP(X, X)
#undef X

const gjk_kind gjk_kinds[GJK_KIND_COUNT] = {
#define X(type, function, in_2d, in_3d, elsewhere, ...) \
    {{in_2d, in_3d}, elsewhere, {__VA_ARGS__}, make_##function},
    GJK_KIND_MAP(X, X)
#undef X
};

static bool equals(const char *name, const char *text, size_t length) {
    return name != NULL && strlen(name) == length && memcmp(name, text, length) == 0;
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
