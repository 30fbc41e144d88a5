#ifndef GJKD_SETS_COMMIT_H
#define GJKD_SETS_COMMIT_H

/* Writes to sets. Every new version becomes the current one through these functions. */

#include "sets/storage.h"

/* The parameters of every write. */
typedef struct gjkd_write {
    struct gjkd_storage *storage;
    const char *name;                     /* name of the set */
    const char *if_match, *if_none_match; /* values of the headers, or NULL */
    char *etag;                    /* buffer of GJKD_ETAG_MAX bytes: receives the current tag if a
                                      precondition fails, else ""; NULL: not wanted */
    struct proto_problem *problem; /* set if the write is refused */
    struct gjkd_change *change;    /* receives the durability, at once or when the storage settles
                                      it; NULL: not wanted, which storage on disk does not allow */
    gjk_budget *budget;            /* limits the work of building a version; NULL: unlimited */
    bool refuses_missing;          /* if the shape does not exist, a failed precondition is left to
                                      the deriver's refusal */
} gjkd_write;

typedef enum gjkd_outcome {
    GJKD_REFUSED, /* write->problem is set; nothing has changed */
    GJKD_CREATED, /* the set is new */
    GJKD_CHANGED,
    GJKD_REPEATED,  /* the tick exists and has the same digest; nothing has changed */
    GJKD_OVERTAKEN, /* cluster only: another write came first, and the deriver must not run twice;
                       nothing has changed; the caller starts again */
} gjkd_outcome;

/*
 * Creates or replaces the set with body if the preconditions hold for the current version. The
 * writer lock keeps other writers out between this check and the swap, so the call may block.
 * Unless refused, *out is the new version, retained for the caller.
 */
gjkd_outcome gjkd_commit_put(const gjkd_write *write, const proto_set *body,
                             struct gjkd_version **out) GJK_MUST_USE;

/* Deletes the set. Returns false if refused. */
bool gjkd_commit_delete(const gjkd_write *write) GJK_MUST_USE;

/*
 * Derives edits from the current version. derive is called under the writer lock, so that the edits
 * fit the version that they are applied to. Returns false, with a problem, to refuse the write.
 */
typedef struct gjkd_deriver {
    bool (*derive)(void *user, const struct gjkd_version *current, proto_edits *out,
                   struct proto_problem *problem);
    void *user;
    bool is_for_once; /* derive must not be called twice */
} gjkd_deriver;

/*
 * Edits the set. shape: id of the only shape that the edits write, to which the preconditions then
 * refer; NULL: they refer to the set. stamp: NULL, or the tick as which the new version is kept;
 * its number must be above the newest one. Otherwise, and if the set keeps no ticks, the problem is
 * TICK_CONFLICT. If a kept tick has this number and digest, the outcome is GJKD_REPEATED:
 * preconditions are not checked, nothing is derived, and *out is the current version.
 */
gjkd_outcome gjkd_commit_edit(const gjkd_write *write, const char *shape, const gjkd_stamp *stamp,
                              const gjkd_deriver *deriver, struct gjkd_version **out) GJK_MUST_USE;

#endif
