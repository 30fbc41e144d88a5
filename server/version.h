#ifndef GJKD_VERSION_H
#define GJKD_VERSION_H

/*
 * One immutable version of a set: the bodies, frozen for queries, and beside them what GET
 * answers. Whoever holds a reference reads it without a lock, on any thread; the last
 * release frees it. A writer builds the next version beside the current one.
 */

#include "etag.h"
#include "gjk/arena.h"
#include "gjk/set.h"
#include "proto/reply.h"
#include "proto/request.h"

#include <stdatomic.h>

struct gjkd_version {
    atomic_uint references;
    struct gjk_arena arena; /* owns everything below but set */
    const char *name;
    uint64_t incarnation; /* random, the same for all versions of a set's life */
    uint64_t revision;    /* 1, 2, ... */
    uint64_t next_handle; /* the smallest handle that no shape of this life has had */
    uint32_t dimension;
    bool has_history;
    uint32_t history_ticks;
    proto_text meta;
    struct gjk_set *set;           /* bodies in the order of ids */
    const proto_text *definitions; /* in the same order */
    uint32_t points_max;           /* of the largest shape's cloud */
    uint64_t bytes;                /* memory of the version; depends on its content alone */
};

/*
 * Builds the version that follows previous (NULL: the first of a new incarnation) from a
 * decoded body, copying all it needs. Ids that previous has keep their handles, new ones
 * get fresh ones in the order of ids. One reference, the caller's. O(shapes).
 * GJK_OUT_OF_MEMORY; GJK_OUT_OF_RANGE when the handles of the set's life are used up.
 */
gjk_status gjkd_version_new(const char *name, const proto_set *body,
                            const struct gjkd_version *previous,
                            struct gjkd_version **out) GJK_MUST_USE;

/* Returns its argument. */
struct gjkd_version *gjkd_version_retain(struct gjkd_version *version);
void gjkd_version_release(struct gjkd_version *version); /* NULL is allowed */

proto_summary gjkd_version_summary(const struct gjkd_version *version);
void gjkd_version_etag(const struct gjkd_version *version, char etag[GJKD_ETAG_MAX]);

#endif
