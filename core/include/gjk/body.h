#ifndef GJK_BODY_H
#define GJK_BODY_H

/*
 * A shape with a name, a place and what filters look at: what sets are made of. A body never
 * changes once it is in a set; versions of a set share it.
 */

#include "gjk/shape.h"

/* A rotation as it was given: an angle in radians (2D), or a quaternion within 1e-3 of unit
 * length (3D). Kept because a matrix cannot tell how far a turn goes, which rewinding asks. */
typedef union gjk_rotation {
    double angle;
    gjk_quat orientation;
} gjk_rotation;

typedef struct gjk_body {
    const char *id;    /* NUL-terminated */
    const char *group; /* NULL: none */
    uint32_t handle;
    uint32_t category;
    uint32_t mask;
    bool teleport;     /* made by a jump: never interpolated from where it stood before */
    gjk_rotation turn; /* of placed.pose */
    gjk_placed placed;
} gjk_body;

/*
 * How bodies are shared: whoever keeps one calls retain, and release when done with it, from any
 * thread. A set made with NULL for a keeper borrows its bodies: they must outlive it.
 */
typedef struct gjk_keeper {
    void (*retain)(const gjk_body *body);
    void (*release)(const gjk_body *body);
} gjk_keeper;

#endif
