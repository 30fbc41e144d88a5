#ifndef GJK_KINDS_H
#define GJK_KINDS_H

/*
 * The table of shape kinds: decoders take names, members and constructors from it. Generated from
 * GJK_KIND_MAP; constant, so any number of threads may read it.
 */

#include "gjk/pieces.h"

GJK_BEGIN

#define GJK_CHOICES_MAX 2
#define GJK_MEMBERS_MAX 8 /* largest number of members of one kind's geometry */

typedef enum gjk_member_form {
    GJK_MEMBER_NUMBER, /* a number; NaN if absent */
    GJK_MEMBER_VECTOR, /* one number for each dimension, each within the member's range */
    GJK_MEMBER_POINTS, /* a list of vectors */
    GJK_MEMBER_FLAG,   /* true or false; false if absent */
    GJK_MEMBER_COUNT,  /* an integer */
    GJK_MEMBER_STEPS,  /* two numbers, in 2D and 3D alike */
    GJK_MEMBER_CHOICE, /* the index of a name in `choices`; 0 if absent */
    GJK_MEMBER_PARTS,  /* a list of convex shapes at poses in the whole's frame */
    /* Lists that the pieces of a shape keep as given: */
    GJK_MEMBER_VERTICES,   /* vectors */
    GJK_MEMBER_TRIANGLES,  /* triples of vertex indices */
    GJK_MEMBER_RINGS,      /* lists (polygons) of lists (rings) of vectors */
    GJK_MEMBER_FLAT_RINGS, /* lists (rings of one polygon) of vectors, instead of RINGS */
    GJK_MEMBER_HEIGHTS,    /* numbers; NaN is a hole */
    GJK_MEMBER_MATERIALS,  /* integers; may be absent */
    GJK_MEMBER_RADII,      /* lengths; may be absent */
} gjk_member_form;

typedef struct gjk_member {
    const char *name; /* NULL: end of the list */
    gjk_member_form form;
    double min, max;    /* range of each number */
    bool above_min;     /* min itself is excluded */
    bool differs;       /* must differ from the member before it */
    bool is_optional;   /* may be absent */
    uint32_t count_min; /* smallest length of a list */
    /* Names of a choice, from index 1 on. */
    const char *choices[GJK_CHOICES_MAX + 1];
    bool replaces; /* may be given instead of the member before it */
} gjk_member;

typedef union gjk_member_value {
    double number;
    gjk_vec3 vector; /* z is 0 in 2D and for steps */
    struct {
        const gjk_vec3 *points;
        uint32_t count;
    } list;
    bool flag;
    uint32_t integer;
    struct {
        const gjk_placed *items;
        uint32_t count;
    } parts;
    struct {
        const gjk_vec2 *in_2d; /* one of the two, by dimension */
        const gjk_vec3 *in_3d;
        uint32_t count;
    } vertices;
    struct {
        const uint32_t (*items)[3];
        uint32_t count;
    } triangles;
    gjk_region rings;
    struct {
        const double *items;
        uint32_t count;
    } heights, radii; /* radii: NULL if absent */
    struct {
        const uint32_t *items; /* NULL if absent */
        uint32_t count;
    } materials;
} gjk_member_value;

/* A fault in the value of one member. */
typedef struct gjk_geometry_fault {
    uint32_t member;        /* index of the member */
    gjk_pieces_fault place; /* position in its list; depth 0: the member as a whole */
    bool is_count;          /* OUT_OF_RANGE: the list must have `wanted` items */
    uint64_t wanted, found;
} gjk_geometry_fault;

/* Arguments of a shape's constructor. */
typedef struct gjk_geometry {
    struct gjk_arena *arena; /* holds the shape's points, or a reference to its pieces */
    uint32_t dimension;      /* a dimension that the kind has */
    double rounding;
    gjk_member_value values[GJK_MEMBERS_MAX]; /* in the order of the kind's members */
    gjk_geometry_fault fault; /* valid if making the shape failed, except for lack of memory */
} gjk_geometry;

typedef struct gjk_kind {
    const char *names[2]; /* in 2D and 3D; NULL: does not exist in that dimension */
    const char *instead;  /* the kind to use in the other dimension, or NULL */
    bool has_pieces;      /* a union of convex pieces, not convex itself */
    gjk_member members[GJK_MEMBERS_MAX + 1]; /* ends with a member without a name */
    /* Makes the shape as the constructor of that name in gjk/shape.h or gjk/pieces.h does. Vertices
     * and parts of a kind with pieces are copied. */
    gjk_status (*make)(gjk_geometry *geometry, gjk_shape *out);
} gjk_kind;

/* Returns true if the pieces of a shape keep the member's value, so that gjk_geometry_view can
 * return it. */
static inline bool gjk_member_is_kept(const gjk_member *member) {
    return member->form >= GJK_MEMBER_VERTICES;
}

/* Returns true if the kept member was present when the shape was made. */
bool gjk_member_is_there(const gjk_member *member, const gjk_member_value *value);

/* Fills the values of the kept members with views into the shape's pieces. */
void gjk_geometry_view(const gjk_shape *shape, gjk_member_value values[GJK_MEMBERS_MAX]);

extern const gjk_kind gjk_kinds[GJK_KIND_COUNT];

/* Returns the kind whose name is the `length` bytes at `name`, or NULL. Sets *dimension to the
 * dimension in which the kind has that name, 0 for both. */
const gjk_kind *gjk_kind_find(const char *name, size_t length, uint32_t *dimension);

GJK_END

#endif
