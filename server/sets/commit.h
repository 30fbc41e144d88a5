#ifndef GJKD_SETS_COMMIT_H
#define GJKD_SETS_COMMIT_H

/* Writes to a set: the only way in which a version becomes the current one. */

#include "sets/storage.h"

/* The parameters of every write. */
typedef struct gjkd_write {
    struct gjkd_storage *storage;
    const char *name;                     /* of the set */
    const char *if_match, *if_none_match; /* the headers' values, or NULL */
    char *etag;                    /* of GJKD_ETAG_MAX: gets the present tag where these do not
                                             hold, else ""; NULL: nobody asks */
    struct proto_problem *problem; /* why it was refused */
    struct gjkd_change *change;    /* of the write, settled or on its way to the storage; NULL
                                             where nobody asks and the storage is no disk */
    gjk_budget *budget;            /* until when a version may be built; NULL: endless */
    bool refuses_missing;          /* the deriver refuses a shape that is not there, whatever
                                             If-Match says */
} gjkd_write;

typedef enum gjkd_outcome {
    GJKD_REFUSED, /* with a problem; nothing has changed */
    GJKD_CREATED, /* the set is new */
    GJKD_CHANGED,
    GJKD_REPEATED,  /* the tick exists, made by the same body; nothing has changed */
    GJKD_OVERTAKEN, /* of a deriver that is for once, in a cluster: another write came before it, and
                       nothing has changed; begin again */
} gjkd_outcome;

/*
 * Makes body the set of the name if the preconditions hold for what is stored at that moment;
 * between that check and the swap nobody else writes the name. Unless refused, *out is the new
 * version, retained for the caller. May wait for another writer.
 */
gjkd_outcome gjkd_commit_put(const gjkd_write *write, const proto_set *body,
                             struct gjkd_version **out) GJK_MUST_USE;

/* Deletes the set. False: refused. */
bool gjkd_commit_delete(const gjkd_write *write) GJK_MUST_USE;

/*
 * Derives the edits from the current version; called under the writer lock, so that they fit it.
 * False: refused, with a problem.
 */
typedef struct gjkd_deriver {
    bool (*derive)(void *user, const struct gjkd_version *current, proto_edits *out,
                   struct proto_problem *problem);
    void *user;
    bool is_for_once; /* it may not be asked again */
} gjkd_deriver;

/* Edits the set. shape: the id of the only shape that is written, to whose existence * in If-Match
 * and If-None-Match refers; NULL: it refers to the set's. */
gjkd_outcome gjkd_commit_edit(const gjkd_write *write, const char *shape,
                              const gjkd_deriver *deriver, struct gjkd_version **out) GJK_MUST_USE;

/*
 * Edits the set and stamps the version with a tick, which must be above the newest; otherwise, and
 * if the set keeps no ticks, the problem is TICK_CONFLICT. If that tick is kept and has the same
 * digest, the outcome is GJKD_REPEATED whatever the preconditions are, nothing is derived, and *out
 * is the current version.
 */
gjkd_outcome gjkd_commit_tick(const gjkd_write *write, const gjkd_stamp *stamp,
                              const gjkd_deriver *deriver, struct gjkd_version **out) GJK_MUST_USE;

#endif
