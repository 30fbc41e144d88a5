#ifndef GJK_SCENE_GROUPS_H
#define GJK_SCENE_GROUPS_H

/*
 * The groups of a set and how many bodies each has: a persistent map by name, which versions share
 * where no body enters or leaves a group. So it costs a tick that moves bodies nothing but a look
 * at whether their groups are the same.
 */

#include "base/map.h"
#include "tree/tree.h"

typedef struct gjk_groups {
    gjk_map by_name;
    size_t bytes;       /* of the names and counts; the map knows its own */
    size_t added_bytes; /* as gjk_map's, names and counts included */
} gjk_groups;

gjk_groups gjk_groups_none(void);

/* The groups after bodies (from NULL: new ones) were replaced, or removed (to NULL). *out is the
 * caller's, to be released. O(changes * log n). OUT_OF_MEMORY: nothing has changed. */
gjk_status gjk_groups_edit(const gjk_groups *groups, const gjk_tree_change *changes, uint32_t count,
                           gjk_groups *out) GJK_MUST_USE;
void gjk_groups_release(const gjk_groups *groups);

bool gjk_groups_have(const gjk_groups *groups, const char *name); /* O(log n) */

/* The memory of all, shared or not. O(1). */
size_t gjk_groups_bytes(const gjk_groups *groups);

#endif
