/*
 * Optimistic concurrency on immutable versions: under the writer lock of the name, check the
 * preconditions against the current version, build the next one from it, and swap. Writers of one
 * set are therefore serialised: revisions are consecutive, and each handle is given once.
 */

#include "sets/commit.h"

#include <inttypes.h>
#include <malloc.h>
#include <string.h>

/* A write that frees so much returns the memory to the system, which malloc does not do by itself
 * for small blocks. That takes some milliseconds for 100 MB. */
#define GIVE_BACK_BYTES (UINT64_C(16) << 20)

/* --- Refusals --- */

static bool refuse_missing(const gjkd_write *write) {
    return proto_problem_set(write->problem, PROTO_SET_NOT_FOUND, "there is no set \"%.160s\"",
                             write->name);
}

static bool refuse_dimension(const gjkd_write *write) {
    proto_problem_set(write->problem, PROTO_DIMENSION_MISMATCH,
                      "the set that is stored has another dimension; delete it first");
    return proto_problem_point(write->problem, "/dimension");
}

static bool refuse_build(const gjkd_write *write, gjk_status status) {
    if (status == GJK_OUT_OF_RANGE) {
        return proto_problem_set(write->problem, PROTO_TOO_MANY,
                                 "the set has given out every handle; delete it and make it again");
    }
    return proto_problem_set(write->problem, PROTO_OUT_OF_MEMORY,
                             "there is no memory for the set: see --max-memory");
}

static bool refuse_put(const gjkd_write *write, gjkd_put_status status) {
    switch (status) {
    case GJKD_PUT_FULL:
        proto_problem_set(write->problem, PROTO_TOO_MANY, "there are as many sets as there may be");
        return proto_problem_limit(write->problem, gjkd_registry_sets_max(write->registry));
    case GJKD_PUT_OVER_MEMORY:
        return proto_problem_set(
            write->problem, PROTO_OUT_OF_MEMORY,
            "all sets together would need more memory than --max-memory allows");
    default:
        return proto_problem_set(write->problem, PROTO_OUT_OF_MEMORY, "no memory for the set");
    }
}

/* --- Preconditions --- */

static bool is_any(const char *tags) {
    return tags != NULL && tags[strspn(tags, " \t")] == '*';
}

/*
 * Checks the preconditions against the current version (NULL: there is no set). A shape's entity
 * tag is that of its set; only * asks for the existence of the shape itself.
 */
static bool check(const gjkd_write *write, const struct gjkd_version *current, const char *shape) {
    char tag[GJKD_ETAG_MAX];
    const char *set = NULL, *resource = NULL;
    if (current != NULL) {
        gjkd_version_etag(current, tag);
        set = tag;
        resource = shape == NULL || gjk_set_find(current->set, shape) != NULL ? tag : NULL;
    }
    gjkd_precondition result =
        gjkd_precondition_check(write->if_match, NULL, is_any(write->if_match) ? resource : set,
                                false);
    if (result == GJKD_PROCEED) {
        result = gjkd_precondition_check(NULL, write->if_none_match,
                                         is_any(write->if_none_match) ? resource : set, false);
    }
    if (result == GJKD_PROCEED) {
        return true;
    }
    if (result == GJKD_PRECONDITION_UNCLEAR) {
        return proto_problem_set(write->problem, PROTO_BAD_REQUEST,
                                 "If-Match or If-None-Match holds no entity tags");
    }
    return proto_problem_set(write->problem, PROTO_REVISION_MISMATCH, "%s",
                             write->if_match != NULL ? "the set is not at the revision of If-Match"
                             : shape != NULL         ? "the shape exists already"
                                                     : "the set exists already");
}

/* --- Whole sets --- */

/* Releases the version that `next` (NULL: none) has replaced as the current one. */
static void retire(struct gjkd_version *current, const struct gjkd_version *next) {
    uint64_t before = current != NULL ? current->bytes : 0;
    uint64_t after = next != NULL ? next->bytes : 0;
    gjkd_version_release(current);
    if (before >= after + GIVE_BACK_BYTES) {
        malloc_trim(0);
    }
}

static gjkd_outcome swap(const gjkd_write *write, const struct gjkd_version *current,
                         struct gjkd_version *next, struct gjkd_version **out) {
    gjkd_put_status status = gjkd_registry_put(write->registry, next);
    if (status != GJKD_PUT_OK) {
        gjkd_version_release(next);
        (void)refuse_put(write, status);
        return GJKD_REFUSED;
    }
    *out = next;
    return current != NULL ? GJKD_CHANGED : GJKD_CREATED;
}

static gjkd_outcome put(const gjkd_write *write, const proto_set *body,
                        const struct gjkd_version *current, struct gjkd_version **out) {
    if (!check(write, current, NULL) ||
        (current != NULL && current->dimension != body->dimension && !refuse_dimension(write))) {
        return GJKD_REFUSED;
    }
    struct gjkd_version *next = NULL;
    gjk_status status = gjkd_version_new(write->name, body, current, &next);
    if (status != GJK_OK) {
        (void)refuse_build(write, status);
        return GJKD_REFUSED;
    }
    return swap(write, current, next, out);
}

gjkd_outcome gjkd_commit_put(const gjkd_write *write, const proto_set *body,
                             struct gjkd_version **out) {
    gjkd_registry_lock_writer(write->registry, write->name);
    struct gjkd_version *current = gjkd_registry_get(write->registry, write->name);
    gjkd_outcome outcome = put(write, body, current, out);
    gjkd_registry_unlock_writer(write->registry, write->name);
    retire(current, outcome == GJKD_REFUSED ? current : *out);
    return outcome;
}

bool gjkd_commit_delete(const gjkd_write *write) {
    gjkd_registry_lock_writer(write->registry, write->name);
    struct gjkd_version *current = gjkd_registry_get(write->registry, write->name);
    bool is_allowed = current != NULL ? check(write, current, NULL) : refuse_missing(write);
    if (is_allowed) {
        gjkd_registry_remove(write->registry, write->name);
    }
    gjkd_registry_unlock_writer(write->registry, write->name);
    retire(current, is_allowed ? NULL : current);
    return is_allowed;
}

/* --- Edits --- */

/* Replaces the current version by an edited one. The caller holds the writer lock. */
static gjkd_outcome edit(const gjkd_write *write, const struct gjkd_version *current,
                         const gjkd_stamp *stamp, const gjkd_deriver *deriver,
                         struct gjkd_version **out) {
    proto_edits edits;
    struct gjkd_version *next = NULL;
    if (!deriver->derive(deriver->user, current, &edits, write->problem)) {
        return GJKD_REFUSED;
    }
    gjk_status status = gjkd_version_edit(current, &edits, stamp, &next);
    if (status != GJK_OK) {
        (void)refuse_build(write, status);
        return GJKD_REFUSED;
    }
    return swap(write, current, next, out);
}

gjkd_outcome gjkd_commit_edit(const gjkd_write *write, const char *shape,
                              const gjkd_deriver *deriver, struct gjkd_version **out) {
    gjkd_outcome outcome = GJKD_REFUSED;
    gjkd_registry_lock_writer(write->registry, write->name);
    struct gjkd_version *current = gjkd_registry_get(write->registry, write->name);
    bool is_allowed = current != NULL ? check(write, current, shape) : refuse_missing(write);
    if (is_allowed) {
        outcome = edit(write, current, NULL, deriver, out);
    }
    gjkd_registry_unlock_writer(write->registry, write->name);
    retire(current, outcome == GJKD_REFUSED ? current : *out);
    return outcome;
}

/* --- Ticks --- */

static bool refuse_tick(const gjkd_write *write, const struct gjkd_version *current,
                        uint64_t tick) {
    if (current->history == NULL) {
        return proto_problem_set(write->problem, PROTO_TICK_CONFLICT,
                                 "the set keeps no ticks: give it a \"history\"");
    }
    return proto_problem_set(write->problem, PROTO_TICK_CONFLICT,
                             "tick %" PRIu64 " is not above the newest, %" PRIu64, tick,
                             gjk_history_newest(current->history));
}

static bool follows(const struct gjkd_version *current, uint64_t tick) {
    const struct gjk_history *history = current->history;
    return history != NULL &&
           (gjk_history_count(history) == 0 || tick > gjk_history_newest(history));
}

static bool is_repeated(const struct gjkd_version *current, const gjkd_stamp *stamp) {
    const gjkd_tick *kept = gjkd_tick_ring_find(&current->tick_ring, stamp->tick);
    return kept != NULL && memcmp(&kept->digest, &stamp->digest, sizeof stamp->digest) == 0;
}

gjkd_outcome gjkd_commit_tick(const gjkd_write *write, const gjkd_stamp *stamp,
                              const gjkd_deriver *deriver, struct gjkd_version **out) {
    gjkd_outcome outcome = GJKD_REFUSED;
    gjkd_registry_lock_writer(write->registry, write->name);
    struct gjkd_version *current = gjkd_registry_get(write->registry, write->name);
    if (current == NULL) {
        (void)refuse_missing(write);
    } else if (is_repeated(current, stamp)) {
        *out = gjkd_version_retain(current);
        outcome = GJKD_REPEATED;
    } else if (check(write, current, NULL) &&
               (follows(current, stamp->tick) || refuse_tick(write, current, stamp->tick))) {
        outcome = edit(write, current, stamp, deriver, out);
    }
    gjkd_registry_unlock_writer(write->registry, write->name);
    gjkd_version_release(current);
    return outcome;
}
