#ifndef GJK_KINDS_H
#define GJK_KINDS_H

/*
 * The table of kinds of shapes, from which whoever reads shapes off a wire takes their names,
 * their members and their constructors. Made from GJK_KIND_MAP; constant, so that any number of
 * threads may read it.
 */

#include "gjk/shape.h"

#define GJK_MEMBERS_MAX 3 /* of one kind's geometry */

typedef enum gjk_member_form {
    GJK_MEMBER_NUMBER,
    GJK_MEMBER_VECTOR, /* as many numbers as there are dimensions, each within the range */
    GJK_MEMBER_POINTS, /* a list of vectors */
} gjk_member_form;

typedef struct gjk_member {
    const char *name; /* NULL: no member */
    gjk_member_form form;
    double min, max;    /* of its numbers */
    bool above_min;     /* min itself is excluded */
    bool differs;       /* from the member before it */
    uint32_t count_min; /* of a list */
} gjk_member;

typedef union gjk_member_value {
    double number;
    gjk_vec3 vector; /* z is 0 in 2D */
    struct {
        const gjk_vec3 *points;
        uint32_t count;
    } list;
} gjk_member_value;

/* What a shape is made of. */
typedef struct gjk_geometry {
    struct gjk_arena *arena; /* where the shape keeps its points */
    uint32_t dimension;      /* one that the kind has */
    double rounding;
    gjk_member_value values[GJK_MEMBERS_MAX]; /* in the order of the kind's members */
    uint32_t bad_point;                       /* NOT_CONVEX: an index in the list */
} gjk_geometry;

typedef struct gjk_kind {
    const char *names[2];                    /* in 2D and in 3D; NULL: not in that dimension */
    const char *instead;                     /* the kind that serves there, or NULL */
    gjk_member members[GJK_MEMBERS_MAX + 1]; /* the last has no name */
    /* Makes the shape as the constructor of that name in gjk/shape.h does. */
    gjk_status (*make)(gjk_geometry *geometry, gjk_shape *out);
} gjk_kind;

extern const gjk_kind gjk_kinds[GJK_KIND_COUNT];

/* The kind of that name of `length` bytes, or NULL. *dimension: the one in which it has that
 * name, 0 for both. */
const gjk_kind *gjk_kind_find(const char *name, size_t length, uint32_t *dimension);

#endif
