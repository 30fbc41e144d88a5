/*
 * How does a write happen at once or not at all? Under the name's writer lock: look at the
 * current version, check, build the next one, swap. Two writers of one set thus build on
 * each other, so that revisions count up by one and handles are given once.
 */

#include "commit.h"

/* What the headers say about the current version (NULL: there is none). */
static gjkd_precondition check(const struct gjkd_version *current, const char *if_match,
                               const char *if_none_match) {
    char etag[GJKD_ETAG_MAX];
    if (current != NULL) {
        gjkd_version_etag(current, etag);
    }
    return gjkd_precondition_check(if_match, if_none_match, current != NULL ? etag : NULL, false);
}

static gjkd_commit_status put_next(struct gjkd_registry *registry, const char *name,
                                   const proto_set *body, const struct gjkd_version *current,
                                   struct gjkd_version **out) {
    struct gjkd_version *next = NULL;
    gjk_status status = gjkd_version_new(name, body, current, &next);
    if (status != GJK_OK) {
        return status == GJK_OUT_OF_RANGE ? GJKD_COMMIT_HANDLES_USED_UP : GJKD_COMMIT_OUT_OF_MEMORY;
    }
    gjkd_put_status put = gjkd_registry_put(registry, next);
    if (put != GJKD_PUT_OK) {
        gjkd_version_release(next);
        return put == GJKD_PUT_FULL ? GJKD_COMMIT_TOO_MANY_SETS : GJKD_COMMIT_OUT_OF_MEMORY;
    }
    *out = next;
    return current != NULL ? GJKD_COMMIT_REPLACED : GJKD_COMMIT_CREATED;
}

gjkd_commit_status gjkd_commit_put(struct gjkd_registry *registry, const char *name,
                                   const proto_set *body, const char *if_match,
                                   const char *if_none_match, struct gjkd_version **out) {
    gjkd_commit_status result;
    gjkd_registry_lock_writer(registry, name);
    struct gjkd_version *current = gjkd_registry_get(registry, name);
    gjkd_precondition precondition = check(current, if_match, if_none_match);
    if (precondition == GJKD_PRECONDITION_UNCLEAR) {
        result = GJKD_COMMIT_PRECONDITION_UNCLEAR;
    } else if (precondition != GJKD_PROCEED) {
        result = GJKD_COMMIT_PRECONDITION_FAILED;
    } else if (current != NULL && current->dimension != body->dimension) {
        result = GJKD_COMMIT_DIMENSION_MISMATCH;
    } else {
        result = put_next(registry, name, body, current, out);
    }
    gjkd_registry_unlock_writer(registry, name);
    gjkd_version_release(current);
    return result;
}

gjkd_commit_status gjkd_commit_delete(struct gjkd_registry *registry, const char *name,
                                      const char *if_match, const char *if_none_match) {
    gjkd_commit_status result = GJKD_COMMIT_NOT_FOUND;
    gjkd_registry_lock_writer(registry, name);
    struct gjkd_version *current = gjkd_registry_get(registry, name);
    if (current != NULL) {
        gjkd_precondition precondition = check(current, if_match, if_none_match);
        if (precondition == GJKD_PRECONDITION_UNCLEAR) {
            result = GJKD_COMMIT_PRECONDITION_UNCLEAR;
        } else if (precondition != GJKD_PROCEED) {
            result = GJKD_COMMIT_PRECONDITION_FAILED;
        } else {
            gjkd_registry_remove(registry, name);
            result = GJKD_COMMIT_DELETED;
        }
    }
    gjkd_registry_unlock_writer(registry, name);
    gjkd_version_release(current);
    return result;
}
