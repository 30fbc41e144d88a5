/*
 * Merges a JSON merge patch into a value: RFC 7396, section 2, to the letter. An object is merged
 * member by member, null removes a member, any other value replaces the old one as a whole. Members
 * of the target keep their order, and new ones follow.
 */

#include <stdlib.h>

#include "reader/document.h"

/* The names of a target, sorted, so that a patch with many members finds each soon. */
struct named {
    proto_text name;
    size_t place; /* of the member in the target */
};

/* Shorter names first: it is only for finding them. */
static int compare_names(const void *a, const void *b) {
    const proto_text x = ((const struct named *)a)->name, y = ((const struct named *)b)->name;

    if (x.length != y.length) {
        return x.length < y.length ? -1 : 1;
    }
    return memcmp(x.data, y.data, x.length);
}

static struct named *sort_names(struct gjk_arena *arena, proto_value target) {
    const size_t count = proto_object_size(target);
    struct named *all = gjk_arena_alloc_array(arena, count, sizeof *all);

    for (size_t i = 0; all != NULL && i < count; i++) {
        all[i] = (struct named){proto_name_at(target, i), i};
    }
    if (count > 1 && all != NULL) {
        qsort(all, count, sizeof *all, compare_names);
    }
    return all;
}

/* The place in the target of the patch's member, or the target's size. */
static size_t find_place(const struct named *all, size_t count, proto_text name) {
    const struct named key = {name, 0};
    const struct named *found =
        count > 0 ? bsearch(&key, all, count, sizeof *all, compare_names) : NULL;

    return found != NULL ? found->place : count;
}

/* Removes the members that have become ABSENT. Returns how many are left. */
static size_t close_ranks(proto_value *pairs, size_t count) {
    size_t left = 0;

    for (size_t i = 0; i < count; i++) {
        if (pairs[2 * i + 1].type != PROTO_ABSENT) {
            pairs[2 * left] = pairs[2 * i];
            pairs[2 * left + 1] = pairs[2 * i + 1];
            left++;
        }
    }
    return left;
}

static bool merge_objects(struct gjk_arena *arena, proto_value target, proto_value patch,
                          proto_value *out) {
    const size_t old = proto_object_size(target);
    struct named *names = sort_names(arena, target);
    proto_value *pairs = gjk_arena_alloc_array(arena, 2 * (old + patch.count), sizeof *pairs);
    size_t count = old;

    if (names == NULL || pairs == NULL) {
        return false;
    }
    if (old > 0) {
        memcpy(pairs, target.items, 2 * old * sizeof *pairs);
    }
    for (size_t i = 0; i < patch.count; i++) {
        const proto_value value = proto_member_value(patch, i);
        const size_t at = find_place(names, old, proto_name_at(patch, i));
        proto_value *pair = &pairs[2 * (at < old ? at : count)];
        if (at == old) {
            pair[0] = patch.items[2 * i];
            pair[1] = (proto_value){.type = PROTO_ABSENT};
            count++;
        }
        if (value.type == PROTO_NULL) {
            pair[1] = (proto_value){.type = PROTO_ABSENT};
        } else if (!proto_merge(arena, pair[1], value, &pair[1])) {
            return false;
        }
    }
    *out = proto_object_of(pairs, (uint32_t)close_ranks(pairs, count));
    return true;
}

bool proto_merge(struct gjk_arena *arena, proto_value target, proto_value patch, proto_value *out) {
    if (patch.type != PROTO_OBJECT) {
        *out = patch;
        return true;
    }
    return merge_objects(arena, target, patch, out);
}
