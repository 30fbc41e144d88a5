#ifndef GJK_SET_H
#define GJK_SET_H

/*
 * A scene: bodies in the total order of their ids (bytewise), built once, then
 * frozen. Bodies borrow their shapes and texts, which must outlive the set. A
 * frozen set may be read by any number of threads.
 */

#include "gjk/shape.h"

#define GJK_NO_BODY UINT32_MAX

typedef struct gjk_body {
    const char *id;    /* NUL-terminated */
    const char *group; /* NULL: none */
    uint32_t handle;
    uint32_t category;
    uint32_t mask;
    gjk_placed placed;
} gjk_body;

struct gjk_set;

/*
 * Copies count bodies, all of the given dimension, sorts them by id and freezes
 * them. DUPLICATE_ID, OUT_OF_MEMORY. On OK *out is to be freed by gjk_set_free.
 */
gjk_status gjk_set_new(uint32_t dimension, const gjk_body *bodies, uint32_t count,
                       struct gjk_set **out) GJK_MUST_USE;
void gjk_set_free(struct gjk_set *set); /* NULL is allowed */

uint32_t gjk_set_dimension(const struct gjk_set *set);
uint32_t gjk_set_count(const struct gjk_set *set);

/* Body i in the order of ids. i < count. View: lives as long as the set. */
const gjk_body *gjk_set_body(const struct gjk_set *set, uint32_t i);

/* The index of the body with that id, or GJK_NO_BODY. O(log n). */
uint32_t gjk_set_find(const struct gjk_set *set, const char *id);

#endif
