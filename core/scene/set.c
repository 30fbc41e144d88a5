/* Sets of bodies: two persistent maps, by id and by handle, one of the groups, and a tree. Versions
 * of a set share the unchanged parts. The map by id owns the bodies. */

#include "gjk/set.h"

#include "base/map.h"
#include "base/references.h"
#include "gjk/budget.h"
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

struct gjk_set {
    gjk_references references;
    uint32_t dimension;
    gjk_map by_id, by_handle;
    gjk_map groups;
    size_t group_bytes, group_added_bytes; /* bytes of the groups, without their map */
    struct gjk_tree *tree; /* over all bodies; NULL: no bodies, or descends from gjk_set_new */
};

static const void *id_of(const void *item) {
    return ((const gjk_body *)item)->id;
}

static const void *handle_of(const void *item) {
    return &((const gjk_body *)item)->handle;
}

/* Compares pointers first: a body that is moved keeps the text of its id. */
static int compare_id(const void *key, const void *item) {
    const char *id = ((const gjk_body *)item)->id;
    return key == id ? 0 : strcmp(key, id);
}

static int compare_handle(const void *key, const void *item) {
    uint32_t p = *(const uint32_t *)key, q = ((const gjk_body *)item)->handle;
    return p < q ? -1 : p > q;
}

static void retain_body(const void *callbacks, const void *body) {
    if (callbacks != NULL) {
        ((const gjk_body_callbacks *)callbacks)->retain(body);
    }
}

static void release_body(const void *callbacks, const void *body) {
    if (callbacks != NULL) {
        ((const gjk_body_callbacks *)callbacks)->release(body);
    }
}

static const gjk_map_kind map_by_id = {id_of, compare_id, retain_body, release_body};
static const gjk_map_kind map_by_handle = {.key = handle_of, .compare = compare_handle};

/* A group with its number of bodies: an immutable item of the map of groups. Versions share it if
 * no body enters or leaves the group. */
typedef struct gjk_group {
    gjk_references references;
    uint32_t bodies;
    char name[];
} gjk_group;

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

struct gjk_set *gjk_set_new_empty(uint32_t dimension, const gjk_body_callbacks *callbacks) {
    GJK_ASSERT(dimension == 2 || dimension == 3);
    struct gjk_set *set = malloc(sizeof *set);
    if (set != NULL) {
        gjk_references_init(&set->references);
        set->dimension = dimension;
        set->by_id = gjk_map_make(&map_by_id, callbacks);
        set->by_handle = gjk_map_make(&map_by_handle, NULL);
        set->groups = gjk_map_make(&map_by_name, NULL);
        set->group_bytes = set->group_added_bytes = 0;
        set->tree = NULL;
    }
    return set;
}

static int compare_edits(const void *a, const void *b) {
    return strcmp(((const gjk_edit *)a)->id, ((const gjk_edit *)b)->id);
}

/* Orders edits by handle; for one handle, removals come before insertions. */
static int compare_handles(const void *a, const void *b) {
    const gjk_map_edit *p = a, *q = b;
    uint32_t x = *(const uint32_t *)p->key, y = *(const uint32_t *)q->key;
    return x != y ? (x < y ? -1 : 1) : (p->item != NULL) - (q->item != NULL);
}

/* Writes the edits of the map by handle, in the order of handles. Returns their number, at most 2 *
 * count. */
static uint32_t edits_by_handle(const gjk_tree_change *changes, uint32_t count, gjk_map_edit *out) {
    uint32_t all = 0, kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const gjk_body *old = changes[i].from, *new = changes[i].to;
        if (old != NULL && (new == NULL || new->handle != old->handle)) {
            out[all++] = (gjk_map_edit){&old->handle, NULL};
        }
        if (new != NULL) {
            out[all++] = (gjk_map_edit){&new->handle, new};
        }
    }
    bool sorted = true; /* the usual case: handles are given in the order of ids */
    for (uint32_t i = 1; i < all && sorted; i++) {
        sorted = compare_handles(&out[i - 1], &out[i]) <= 0;
    }
    if (!sorted) {
        qsort(out, all, sizeof out[0], compare_handles);
    }
    for (uint32_t i = 0; i < all; i++) {
        bool again =
            kept > 0 && *(const uint32_t *)out[kept - 1].key == *(const uint32_t *)out[i].key;
        kept -= again; /* removed under one id, inserted under another */
        out[kept++] = out[i];
    }
    return kept;
}

/* A body that enters or leaves a group. */
typedef struct step {
    const char *name;
    bool leaves;
} step;

static int by_name(const void *a, const void *b) {
    return strcmp(((const step *)a)->name, ((const step *)b)->name);
}

/* Lists, by group name, the steps of all bodies whose group changes. Returns their number. */
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
    qsort(steps, found, sizeof *steps, by_name);
    return found;
}

/* Appends the edit that results from all steps of one group, unless its number of bodies stays the
 * same. Returns false if memory is exhausted. */
static bool add_group_edit(const struct gjk_set *set, const step *steps, uint32_t count,
                           gjk_map_edit *edits, uint32_t *edit_count, struct gjk_set *next) {
    const gjk_group *old = gjk_map_find(&set->groups, steps[0].name);
    const size_t bytes = sizeof *old + strlen(steps[0].name) + 1;
    const uint32_t before = old != NULL ? old->bodies : 0;
    uint32_t after = before;
    for (uint32_t i = 0; i < count; i++) {
        after += steps[i].leaves ? UINT32_MAX : 1; /* minus one, modulo 2^32 */
    }
    if (after == before) {
        return true;
    }
    gjk_group *new = after > 0 ? malloc(bytes) : NULL;
    if (new != NULL) {
        gjk_references_init(&new->references);
        new->bodies = after;
        memcpy(new->name, steps[0].name, bytes - sizeof *new);
        next->group_bytes += bytes;
        next->group_added_bytes += bytes;
    }
    next->group_bytes -= old != NULL ? bytes : 0;
    edits[*edit_count] = (gjk_map_edit){steps[0].name, new};
    *edit_count += after == 0 || new != NULL;
    return after == 0 || new != NULL;
}

static gjk_status edit_groups(const struct gjk_set *set, const gjk_tree_change *changes,
                              uint32_t count, struct gjk_set *next) {
    step *steps = malloc((2 * (size_t)count + 1) * sizeof *steps);
    const uint32_t step_count = steps != NULL ? list_steps(changes, count, steps) : 0;
    gjk_map_edit *edits = malloc((step_count + (size_t)1) * sizeof *edits);
    gjk_status status = steps != NULL && edits != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
    uint32_t made = 0;
    next->group_bytes = set->group_bytes;
    for (uint32_t i = 0, end; i < step_count && status == GJK_OK; i = end) {
        for (end = i + 1; end < step_count && by_name(&steps[i], &steps[end]) == 0; end++) {
        }
        const bool added = add_group_edit(set, &steps[i], end - i, edits, &made, next);
        status = added ? GJK_OK : GJK_OUT_OF_MEMORY;
    }
    if (status == GJK_OK) {
        status = gjk_map_edit_all(&set->groups, edits, made, &next->groups);
    }
    for (uint32_t i = 0; i < made; i++) { /* the map holds references of its own */
        if (edits[i].item != NULL) {
            release_group(NULL, edits[i].item);
        }
    }
    free(edits);
    free(steps);
    return status;
}

/* Edits the maps: `count` edits by id, and at most twice as many by handle. */
static gjk_status edit_maps(const struct gjk_set *set, const gjk_edit *edits,
                            const gjk_tree_change *changes, uint32_t count, struct gjk_set *next) {
    gjk_map_edit *by_id = malloc((3 * (size_t)count + 1) * sizeof by_id[0]);
    if (by_id == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        GJK_ASSERT(i == 0 || strcmp(edits[i - 1].id, edits[i].id) < 0);
        by_id[i] = (gjk_map_edit){edits[i].id, edits[i].body};
    }
    gjk_map_edit *by_handle = by_id + count;
    uint32_t handles = edits_by_handle(changes, count, by_handle);
    gjk_status status = gjk_map_edit_all(&set->by_id, by_id, count, &next->by_id);
    if (status == GJK_OK) {
        status = gjk_map_edit_all(&set->by_handle, by_handle, handles, &next->by_handle);
    }
    free(by_id);
    return status == GJK_OK ? edit_groups(set, changes, count, next) : status;
}

/* Steps charged for an edit of one body: it is looked up in three maps. */
#define EDIT_STEPS 64

static gjk_status edit_set(const struct gjk_set *set, const gjk_edit *edits, uint32_t count,
                           bool with_tree, gjk_budget *budget, struct gjk_set **out) {
    struct gjk_set *next = gjk_set_new_empty(set->dimension, set->by_id.context);
    gjk_tree_change *changes = malloc(((size_t)count + 1) * sizeof changes[0]);
    gjk_map_finger finger = {.leaf = NULL};
    gjk_status status = next != NULL && changes != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
    for (uint32_t i = 0; status == GJK_OK && i < count; i++) {
        const gjk_body *old = gjk_map_find_from(&set->by_id, &finger, edits[i].id);
        changes[i] = (gjk_tree_change){old, edits[i].body};
        status = gjk_budget_spend(budget, EDIT_STEPS) ? GJK_GIVEN_UP : GJK_OK;
    }
    status = status == GJK_OK ? edit_maps(set, edits, changes, count, next) : status;
    if (status == GJK_OK && with_tree && (set->tree != NULL || gjk_set_count(set) == 0)) {
        status = gjk_tree_edit(set->tree, set->dimension, changes, count, budget, &next->tree);
    }
    free(changes);
    if (status != GJK_OK) {
        gjk_set_release(next);
        return status;
    }
    GJK_ASSERT(gjk_map_count(&next->by_handle) == gjk_map_count(&next->by_id));
    *out = next;
    return GJK_OK;
}

gjk_status gjk_set_edit(const struct gjk_set *set, const gjk_edit *edits, uint32_t count,
                        struct gjk_set **out) {
    return edit_set(set, edits, count, true, NULL, out);
}

gjk_status gjk_set_edit_within(const struct gjk_set *set, const gjk_edit *edits, uint32_t count,
                               gjk_budget *budget, struct gjk_set **out) {
    return edit_set(set, edits, count, true, budget, out);
}

static gjk_status make_set(uint32_t dimension, const gjk_body *bodies, uint32_t count,
                           bool with_tree, struct gjk_set **out) {
    struct gjk_set *empty = gjk_set_new_empty(dimension, NULL);
    gjk_edit *edits = malloc((count + (size_t)1) * sizeof edits[0]);
    gjk_status status = empty != NULL && edits != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
    for (uint32_t i = 0; status == GJK_OK && i < count; i++) {
        edits[i] = (gjk_edit){bodies[i].id, &bodies[i]};
    }
    if (status == GJK_OK) {
        qsort(edits, count, sizeof edits[0], compare_edits);
    }
    for (uint32_t i = 1; status == GJK_OK && i < count; i++) {
        status = compare_edits(&edits[i - 1], &edits[i]) != 0 ? GJK_OK : GJK_DUPLICATE_ID;
    }
    status = status == GJK_OK ? edit_set(empty, edits, count, with_tree, NULL, out) : status;
    free(edits);
    gjk_set_release(empty);
    return status;
}

gjk_status gjk_set_new(uint32_t dimension, const gjk_body *bodies, uint32_t count,
                       struct gjk_set **out) {
    return make_set(dimension, bodies, count, false, out);
}

gjk_status gjk_set_new_indexed(uint32_t dimension, const gjk_body *bodies, uint32_t count,
                               struct gjk_set **out) {
    return make_set(dimension, bodies, count, true, out);
}

struct gjk_set *gjk_set_without_tree(const struct gjk_set *set) {
    struct gjk_set *bare = gjk_set_new_empty(set->dimension, set->by_id.context);
    if (bare != NULL) {
        bare->by_id = gjk_map_retain(&set->by_id);
        bare->by_handle = gjk_map_retain(&set->by_handle);
        bare->groups = gjk_map_retain(&set->groups);
        bare->group_bytes = set->group_bytes;
        bare->group_added_bytes = set->group_added_bytes;
    }
    return bare;
}

struct gjk_set *gjk_set_retain(const struct gjk_set *set) {
    struct gjk_set *shared = (struct gjk_set *)set;
    gjk_references_add(&shared->references);
    return shared;
}

void gjk_set_release(const struct gjk_set *set) {
    struct gjk_set *shared = (struct gjk_set *)set;
    if (shared == NULL || !gjk_references_drop(&shared->references)) {
        return;
    }
    gjk_map_release(&shared->by_handle);
    gjk_map_release(&shared->by_id);
    gjk_map_release(&shared->groups);
    gjk_tree_release(shared->tree);
    free(shared);
}

const struct gjk_tree *gjk_set_tree(const struct gjk_set *set) {
    return set->tree;
}

uint32_t gjk_set_dimension(const struct gjk_set *set) {
    return set->dimension;
}

uint32_t gjk_set_count(const struct gjk_set *set) {
    return gjk_map_count(&set->by_id);
}

/* Steps charged for a body with a short query on it. */
#define BODY_STEPS 16

gjk_set_iterator gjk_set_iterate(const struct gjk_set *set, gjk_budget *budget) {
    gjk_set_iterator bodies;
    bodies.set = set; /* the batch stays unset */
    bodies.budget = budget;
    bodies.next = 0;
    return bodies;
}

const gjk_body *gjk_set_next(gjk_set_iterator *bodies) {
    const gjk_map *by_id = &bodies->set->by_id;
    const uint32_t left = gjk_map_count(by_id) - bodies->next, at = bodies->next % GJK_SET_BATCH;
    if (left == 0 || gjk_budget_spend(bodies->budget, BODY_STEPS)) {
        return NULL;
    }
    if (at == 0) {
        gjk_map_list(by_id, bodies->next, left < GJK_SET_BATCH ? left : GJK_SET_BATCH,
                     (const void **)(void *)bodies->batch);
    }
    bodies->next++;
    return bodies->batch[at];
}

const gjk_body *gjk_set_find(const struct gjk_set *set, const char *id) {
    return gjk_map_find(&set->by_id, id);
}

const gjk_body *gjk_set_find_handle(const struct gjk_set *set, uint32_t handle) {
    return gjk_map_find(&set->by_handle, &handle);
}

void gjk_set_find_handles(const struct gjk_set *set, const uint32_t *handles, uint32_t count,
                          const gjk_body **out) {
    gjk_map_finger finger = {.leaf = NULL};
    for (uint32_t i = 0; i < count; i++) {
        out[i] = gjk_map_find_from(&set->by_handle, &finger, &handles[i]);
    }
}

bool gjk_set_has_group(const struct gjk_set *set, const char *group) {
    return gjk_map_find(&set->groups, group) != NULL;
}

/* Context of gjk_set_diff: the caller's visitor. */
typedef struct diff {
    gjk_set_visitor visit;
    void *user;
} diff;

static void visit_bodies(void *user, const void *from, const void *to) {
    const diff *caller = user;
    caller->visit(caller->user, from, to);
}

void gjk_set_diff(const struct gjk_set *from, const struct gjk_set *to, gjk_set_visitor visit,
                  void *user) {
    diff caller = {visit, user};
    gjk_map_diff(&from->by_handle, &to->by_handle, visit_bodies, &caller);
}

double gjk_set_crowding(const struct gjk_set *set) {
    return set->tree != NULL ? gjk_tree_boxes_met(set->tree) : (double)gjk_set_count(set);
}

size_t gjk_set_bytes(const struct gjk_set *set) {
    return sizeof *set + gjk_map_bytes(&set->by_id) + gjk_map_bytes(&set->by_handle) +
           gjk_map_bytes(&set->groups) + set->group_bytes + gjk_tree_bytes(set->tree);
}

size_t gjk_set_added_bytes(const struct gjk_set *set) {
    return sizeof *set + set->by_id.added_bytes + set->by_handle.added_bytes +
           set->groups.added_bytes + set->group_added_bytes + gjk_tree_added_bytes(set->tree);
}
