#ifndef GJK_BASE_REFERENCES_H
#define GJK_BASE_REFERENCES_H

/*
 * Atomic reference counts of shared immutable objects; all that the core knows of threads. The
 * release that drops the last reference happens after everything that other threads did with the
 * object. An object is passed as const because only its count changes: the cast stands here.
 */

#include <stdatomic.h>
#include <stdbool.h>

typedef atomic_uint gjk_references;

/* Begins with one reference, which is the maker's. */
static inline void gjk_references_init(gjk_references *references) {
    atomic_init(references, 1);
}

static inline void gjk_references_add(const gjk_references *references) {
    atomic_fetch_add_explicit((gjk_references *)references, 1, memory_order_relaxed);
}

/* Drops a reference. Returns true if it was the last one: the caller frees the object. */
static inline bool gjk_references_drop(const gjk_references *references) {
    return atomic_fetch_sub_explicit((gjk_references *)references, 1, memory_order_acq_rel) == 1;
}

/* Returns true if there is one reference only. Where others share the object this may change at any
 * time. */
static inline bool gjk_references_only(const gjk_references *references) {
    return atomic_load_explicit((gjk_references *)references, memory_order_relaxed) == 1;
}

#endif
