#ifndef GJKD_UTIL_REFERENCES_H
#define GJKD_UTIL_REFERENCES_H

/*
 * A reference count for objects that threads share. Everything that threads do with the object
 * happens before the release of the last reference returns.
 */

#include <stdatomic.h>
#include <stdbool.h>

typedef atomic_uint gjkd_references;

/* Initialises the count to one reference, the caller's. */
static inline void gjkd_references_init(gjkd_references *references) {
    atomic_init(references, 1);
}

static inline void gjkd_references_retain(gjkd_references *references) {
    atomic_fetch_add_explicit(references, 1, memory_order_relaxed);
}

/* Drops a reference. Returns true if it was the last one: the caller frees the object. */
static inline bool gjkd_references_release(gjkd_references *references) {
    return atomic_fetch_sub_explicit(references, 1, memory_order_acq_rel) == 1;
}

#endif
