#ifndef GJK_PATIENCE_H
#define GJK_PATIENCE_H

/*
 * A caller's deadline for long work: a callback that is asked now and then whether to give up.
 */

#include <stdbool.h>

/* A search asks once in so many steps; a step looks at one body or one node of a tree, a query on a
 * body is several. */
#define GJK_PATIENCE_STEPS 64

typedef struct gjk_patience {
    bool (*is_over)(void *user);
    void *user;
} gjk_patience;

#endif
