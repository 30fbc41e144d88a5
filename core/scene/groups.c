/*
 * Each change takes a body from one group or brings one to another, or both. These steps are sorted
 * by name, and those of one name become one new item, an immutable count. Bodies that stay in their
 * group make no step.
 */

#include "scene/groups.h"

#include <stdlib.h>
#include <string.h>

typedef struct gjk_group {
    gjk_references references;
    uint32_t bodies;
    char name[];
} gjk_group;

static size_t bytes_of(const gjk_group *group) {
    return sizeof *group + strlen(group->name) + 1;
}

static const void *name_of(const void *item) {
    return ((const gjk_group *)item)->name;
}

static int compare_name(const void *key, const void *item) {
    return strcmp(key, ((const gjk_group *)item)->name);
}

static void retain_group(const void *context, const void *item) {
    (void)context;
    gjk_references_add(&((const gjk_group *)item)->references);
}

static void release_group(const void *context, const void *item) {
    (void)context;
    if (gjk_references_drop(&((const gjk_group *)item)->references)) {
        free((void *)item);
    }
}

static const gjk_map_kind map_by_name = {name_of, compare_name, retain_group, release_group};

gjk_groups gjk_groups_none(void) {
    return (gjk_groups){.by_name = gjk_map_make(&map_by_name, NULL)};
}

/* One body more or less. */
typedef struct step {
    const char *name;
    bool leaves;
} step;

static int by_name(const void *a, const void *b) {
    return strcmp(((const step *)a)->name, ((const step *)b)->name);
}

static uint32_t list_steps(const gjk_tree_change *changes, uint32_t count, step *steps) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        const gjk_body *old = changes[i].from, *new = changes[i].to;
        const char *from = old != NULL ? old->group : NULL, *to = new != NULL ? new->group : NULL;
        if (from == to || (from != NULL && to != NULL && strcmp(from, to) == 0)) {
            continue;
        }
        if (from != NULL) {
            steps[found++] = (step){from, true};
        }
        if (to != NULL) {
            steps[found++] = (step){to, false};
        }
    }
    return found;
}

static gjk_group *group_new(const char *name, uint32_t bodies) {
    const size_t length = strlen(name) + 1;
    gjk_group *group = malloc(sizeof *group + length);
    if (group != NULL) {
        gjk_references_init(&group->references);
        group->bodies = bodies;
        memcpy(group->name, name, length);
    }
    return group;
}

/* Makes one edit of the steps of one name, if they come to any change. False: out of memory. */
static bool add_edit(const gjk_groups *groups, const step *steps, uint32_t count,
                     gjk_map_edit *edits, uint32_t *edit_count, gjk_groups *out) {
    const gjk_group *old = gjk_map_find(&groups->by_name, steps[0].name);
    const uint32_t before = old != NULL ? old->bodies : 0;
    uint32_t after = before;
    for (uint32_t i = 0; i < count; i++) {
        after += steps[i].leaves ? UINT32_MAX : 1; /* minus one, modulo 2^32 */
    }
    if (after == before) {
        return true;
    }
    gjk_group *new = after > 0 ? group_new(steps[0].name, after) : NULL;
    if (after > 0 && new == NULL) {
        return false;
    }
    out->bytes += new != NULL ? bytes_of(new) : 0;
    out->bytes -= old != NULL ? bytes_of(old) : 0;
    out->added_bytes += new != NULL ? bytes_of(new) : 0;
    edits[(*edit_count)++] = (gjk_map_edit){steps[0].name, new};
    return true;
}

static gjk_status apply(const gjk_groups *groups, step *steps, uint32_t count, gjk_map_edit *edits,
                        gjk_groups *out) {
    uint32_t made = 0;
    gjk_status status = GJK_OK;
    *out = (gjk_groups){.bytes = groups->bytes};
    qsort(steps, count, sizeof *steps, by_name);
    for (uint32_t i = 0, end; i < count && status == GJK_OK; i = end) {
        for (end = i + 1; end < count && strcmp(steps[i].name, steps[end].name) == 0; end++) {
        }
        if (!add_edit(groups, &steps[i], end - i, edits, &made, out)) {
            status = GJK_OUT_OF_MEMORY;
        }
    }
    if (status == GJK_OK) {
        status = gjk_map_edit_all(&groups->by_name, edits, made, &out->by_name);
        out->added_bytes += status == GJK_OK ? out->by_name.added_bytes : 0;
    }
    for (uint32_t i = 0; i < made; i++) { /* the map has references of its own */
        if (edits[i].item != NULL) {
            release_group(NULL, edits[i].item);
        }
    }
    return status;
}

gjk_status gjk_groups_edit(const gjk_groups *groups, const gjk_tree_change *changes, uint32_t count,
                           gjk_groups *out) {
    step *steps = malloc((2 * (size_t)count + 1) * sizeof *steps);
    gjk_status status = steps != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
    const uint32_t step_count = status == GJK_OK ? list_steps(changes, count, steps) : 0;
    if (status == GJK_OK && step_count == 0) {
        *out = (gjk_groups){.by_name = gjk_map_retain(&groups->by_name), .bytes = groups->bytes};
    } else if (status == GJK_OK) {
        gjk_map_edit *made = malloc(step_count * sizeof *made);
        status = made != NULL ? apply(groups, steps, step_count, made, out) : GJK_OUT_OF_MEMORY;
        free(made);
    }
    free(steps);
    return status;
}

void gjk_groups_release(const gjk_groups *groups) {
    gjk_map_release(&groups->by_name);
}

bool gjk_groups_have(const gjk_groups *groups, const char *name) {
    return gjk_map_find(&groups->by_name, name) != NULL;
}

size_t gjk_groups_bytes(const gjk_groups *groups) {
    return groups->bytes + gjk_map_bytes(&groups->by_name);
}
