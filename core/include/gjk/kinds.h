#ifndef GJK_KINDS_H
#define GJK_KINDS_H

/*
 * The table of kinds of shapes, from which decoders take their names,
 * their members and their constructors. Made from GJK_KIND_MAP; constant, so that any number of
 * threads may read it.
 */

#include "gjk/pieces.h"

GJK_BEGIN

#define GJK_CHOICES_MAX 2
#define GJK_MEMBERS_MAX 8 /* of one kind's geometry */

typedef enum gjk_member_form {
    GJK_MEMBER_NUMBER, /* NaN where it is absent */
    GJK_MEMBER_VECTOR, /* as many numbers as there are dimensions, each within the range */
    GJK_MEMBER_POINTS, /* a list of vectors */
    GJK_MEMBER_FLAG,   /* true or false; false where it is absent */
    GJK_MEMBER_COUNT,  /* an integer */
    GJK_MEMBER_STEPS,  /* two numbers in any dimension */
    GJK_MEMBER_CHOICE, /* index of a name in `choices`; 0 if absent */
    GJK_MEMBER_PARTS,  /* a list of convex shapes at places in the whole's frame */
    /* Lists that the pieces of a shape keep as they were given: */
    GJK_MEMBER_VERTICES,   /* vectors */
    GJK_MEMBER_TRIANGLES,  /* triples of indices of the vertices before them */
    GJK_MEMBER_RINGS,      /* lists (polygons) of lists (rings) of vectors */
    GJK_MEMBER_FLAT_RINGS, /* lists (rings of one polygon) of vectors, in the place of RINGS */
    GJK_MEMBER_HEIGHTS,    /* numbers, NaN where there is none */
    GJK_MEMBER_MATERIALS,  /* integers; may be absent */
    GJK_MEMBER_RADII,      /* lengths; may be absent */
} gjk_member_form;

typedef struct gjk_member {
    const char *name; /* NULL: no member */
    gjk_member_form form;
    double min, max;    /* of its numbers */
    bool above_min;     /* min itself is excluded */
    bool differs;       /* from the member before it */
    bool is_optional;   /* it may be absent */
    uint32_t count_min; /* of a list */
    /* Of a choice, from 1 on. */
    const char *choices[GJK_CHOICES_MAX + 1];
    bool replaces; /* given in the place of the member before it */
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
        const gjk_vec2 *in_2d; /* one of them, as the dimension says */
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
    } heights, radii; /* radii: NULL where they are absent */
    struct {
        const uint32_t *items; /* NULL: absent */
        uint32_t count;
    } materials;
} gjk_member_value;

/* A fault in the value of one member. */
typedef struct gjk_geometry_fault {
    uint32_t member;        /* its index */
    gjk_pieces_fault place; /* in its list; depth 0: the member as a whole */
    bool is_count;          /* OUT_OF_RANGE: its list must have `wanted` items */
    uint64_t wanted, found;
} gjk_geometry_fault;

/* Arguments of a shape's constructor. */
typedef struct gjk_geometry {
    struct gjk_arena *arena; /* where the shape keeps its points, or a reference to its pieces */
    uint32_t dimension;      /* one that the kind has */
    double rounding;
    gjk_member_value values[GJK_MEMBERS_MAX]; /* in the order of the kind's members */
    gjk_geometry_fault fault; /* valid where making the shape failed, not for want of memory */
} gjk_geometry;

typedef struct gjk_kind {
    const char *names[2];                    /* in 2D and in 3D; NULL: not in that dimension */
    const char *instead;                     /* the kind that serves there, or NULL */
    bool has_pieces;                         /* not convex, but a union of convex pieces */
    gjk_member members[GJK_MEMBERS_MAX + 1]; /* the last has no name */
    /* Makes the shape as the constructor of that name in gjk/shape.h or gjk/pieces.h does. Vertices
     * and parts of a kind with pieces are copied. */
    gjk_status (*make)(gjk_geometry *geometry, gjk_shape *out);
} gjk_kind;

/* Returns true if the pieces of a shape keep the member's value, so that gjk_geometry_view has
 * it. */
static inline bool gjk_member_is_kept(const gjk_member *member) {
    return member->form >= GJK_MEMBER_VERTICES;
}

/* Returns true if pieces have kept the member, or false if it was absent. */
bool gjk_member_is_there(const gjk_member *member, const gjk_member_value *value);

/* Fills the values of those members that the pieces of a shape keep, as views into them. */
void gjk_geometry_view(const gjk_shape *shape, gjk_member_value values[GJK_MEMBERS_MAX]);

extern const gjk_kind gjk_kinds[GJK_KIND_COUNT];

/* The kind of that name of `length` bytes, or NULL. *dimension: the one in which it has that name,
 * 0 for both. */
const gjk_kind *gjk_kind_find(const char *name, size_t length, uint32_t *dimension);

GJK_END

#endif
