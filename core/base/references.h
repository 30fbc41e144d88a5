#ifndef GJK_BASE_REFERENCES_H
#define GJK_BASE_REFERENCES_H

/*
 * Counting who shares an immutable object, from any thread. All that the core knows of threads:
 * the last release happens after everything that others did with the object.
 */

#include <stdatomic.h>
#include <stdbool.h>

typedef atomic_uint gjk_references;

/* One reference: the maker's. */
static inline void gjk_references_init(gjk_references *references) {
    atomic_init(references, 1);
}

static inline void gjk_references_add(gjk_references *references) {
    atomic_fetch_add_explicit(references, 1, memory_order_relaxed);
}

/* How many there are: of use only to whoever knows that nobody else adds or drops any. */
static inline unsigned gjk_references_count(const gjk_references *references) {
    return atomic_load_explicit((gjk_references *)references, memory_order_relaxed);
}

/* True for the last one, who frees the object. */
static inline bool gjk_references_drop(gjk_references *references) {
    return atomic_fetch_sub_explicit(references, 1, memory_order_acq_rel) == 1;
}

/* Whether there is one reference. What it says of an object that others share may be over at
 * once. */
static inline bool gjk_references_only(const gjk_references *references) {
    return atomic_load_explicit(references, memory_order_relaxed) == 1;
}

#endif
