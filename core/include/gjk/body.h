#ifndef GJK_BODY_H
#define GJK_BODY_H

/* A body: a placed shape with an id, a handle and the fields that filters test. Sets consist of
 * bodies. A body in a set never changes, and versions of the set share it. */

#include "gjk/shape.h"

GJK_BEGIN

typedef struct gjk_body {
    const char *id;    /* NUL-terminated */
    const char *group; /* NULL: no group */
    uint32_t handle;
    uint32_t category;
    uint32_t mask;
    bool teleport; /* the body jumped here: its pose is never interpolated from the previous one */
    gjk_placed placed;
} gjk_body;

/* Callbacks by which sets share the ownership of bodies. A set may call them on any thread. A set
 * without callbacks (NULL) borrows its bodies, which must outlive it. */
typedef struct gjk_body_callbacks {
    void (*retain)(const gjk_body *body);
    void (*release)(const gjk_body *body);
} gjk_body_callbacks;

GJK_END

#endif
