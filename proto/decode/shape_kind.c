/*
 * Which types of shapes are there? One row for each: its name, the dimension it has, the members
 * of its geometry and who makes it of them.
 */

#include <string.h>

#include "decode/shape_make.h"

#define MEMBERS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define NO_MEMBERS ((const char *const[]){NULL})

static const struct proto_shape_kind kinds[] = {
    {"point", 0, NULL, NO_MEMBERS, proto_make_point},
    {"circle", 2, "sphere", MEMBERS("radius"), proto_make_ball},
    {"sphere", 3, "circle", MEMBERS("radius"), proto_make_ball},
    {"segment", 0, NULL, MEMBERS("a", "b"), proto_make_segment},
    {"capsule", 0, NULL, MEMBERS("a", "b", "radius"), proto_make_capsule},
    {"box", 0, NULL, MEMBERS("half_extents"), proto_make_box},
    {"polygon", 2, "hull", MEMBERS("vertices"), proto_make_polygon},
    {"triangle", 3, "polygon", MEMBERS("a", "b", "c"), proto_make_triangle},
    {"hull", 0, NULL, MEMBERS("points"), proto_make_hull},
    {"ellipse", 2, "ellipsoid", MEMBERS("radii"), proto_make_ellipse},
    {"ellipsoid", 3, "ellipse", MEMBERS("radii"), proto_make_ellipse},
    {"half_ellipse", 2, NULL, MEMBERS("width", "height"), proto_make_half_ellipse},
    {"slice", 2, NULL, MEMBERS("radius", "theta"), proto_make_slice},
    {"cylinder", 3, "box", MEMBERS("a", "b", "radius"), proto_make_cylinder},
    {"cone", 3, "polygon", MEMBERS("a", "b", "radius"), proto_make_cone},
};

#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

static bool is_among(const char *name, const char *const *names) {
    while (*names != NULL && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

const struct proto_shape_kind *proto_shape_kind_find(const char *name, size_t length) {
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (strlen(kinds[i].name) == length && memcmp(kinds[i].name, name, length) == 0)
            return &kinds[i];
    }
    return NULL;
}

bool proto_is_geometry(const char *member) {
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (is_among(member, kinds[i].members))
            return true;
    }
    return false;
}

void proto_geometry_names(const char *names[PROTO_GEOMETRY_NAMES_MAX]) {
    size_t count = 0;

    names[0] = NULL;
    for (size_t i = 0; i < KIND_COUNT; i++) {
        for (const char *const *name = kinds[i].members; *name != NULL; name++) {
            if (is_among(*name, names))
                continue;
            GJK_ASSERT(count + 1 < PROTO_GEOMETRY_NAMES_MAX);
            names[count++] = *name;
            names[count] = NULL;
        }
    }
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
