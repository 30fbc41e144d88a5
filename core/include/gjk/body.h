#ifndef GJK_BODY_H
#define GJK_BODY_H

/* A body: a placed shape with an id, a handle and what filters test. Sets are made of bodies. A
 * body never changes once it is in a set; versions of a set share it. */

#include "gjk/shape.h"

GJK_BEGIN

typedef struct gjk_body {
    const char *id;    /* NUL-terminated */
    const char *group; /* NULL: none */
    uint32_t handle;
    uint32_t category;
    uint32_t mask;
    bool teleport; /* made by a jump: never interpolated from where it stood before */
    gjk_placed
        placed; /* in a history the pose has a turn: gjk_pose_make2 or gjk_pose_make3 made it */
} gjk_body;

/* Callbacks by which sets share the ownership of bodies. A set calls them on any thread. A set made
 * with NULL borrows its bodies: they must outlive it. */
typedef struct gjk_body_callbacks {
    void (*retain)(const gjk_body *body);
    void (*release)(const gjk_body *body);
} gjk_body_callbacks;

GJK_END

#endif
