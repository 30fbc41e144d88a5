#ifndef GJK_BASE_REFERENCES_H
#define GJK_BASE_REFERENCES_H

/*
 * Atomic reference counts of shared immutable objects, the core's only thread synchronisation. The
 * release of the last reference happens after everything that other threads did with the object.
 * Objects are passed as const because only the count changes; the functions cast it away.
 */

#include <stdatomic.h>
#include <stdbool.h>

typedef atomic_uint gjk_references;

/* Initialises the count with one reference, owned by the caller. */
static inline void gjk_references_init(gjk_references *references) {
    atomic_init(references, 1);
}

static inline void gjk_references_add(const gjk_references *references) {
    atomic_fetch_add_explicit((gjk_references *)references, 1, memory_order_relaxed);
}

/* Drops a reference. Returns true if it was the last: the caller then frees the object. */
static inline bool gjk_references_drop(const gjk_references *references) {
    return atomic_fetch_sub_explicit((gjk_references *)references, 1, memory_order_acq_rel) == 1;
}

/* Returns true if there is exactly one reference. If other threads share the object, this may
 * change at any time. */
static inline bool gjk_references_only(const gjk_references *references) {
    return atomic_load_explicit((gjk_references *)references, memory_order_relaxed) == 1;
}

#endif
