#ifndef GJKD_SETS_COMMIT_H
#define GJKD_SETS_COMMIT_H

/* Writing a set: the one way by which a version becomes the current one. */

#include "sets/registry.h"

/* What all writes have in common. */
typedef struct gjkd_write {
    struct gjkd_registry *registry;
    const char *name;                     /* of the set */
    const char *if_match, *if_none_match; /* the headers' values, or NULL */
    struct proto_problem *problem;        /* why it was refused */
} gjkd_write;

typedef enum gjkd_outcome {
    GJKD_REFUSED, /* with a problem; nothing has changed */
    GJKD_CREATED, /* the set is new */
    GJKD_CHANGED,
    GJKD_REPEATED, /* a tick that the same bytes made before; nothing has changed */
} gjkd_outcome;

/*
 * Stores body under the name if the preconditions hold for what is stored at that moment;
 * between that check and the swap nobody else writes the name. Unless refused, *out is the new
 * version, retained for the caller. May wait for another writer.
 */
gjkd_outcome gjkd_commit_put(const gjkd_write *write, const proto_set *body,
                             struct gjkd_version **out) GJK_MUST_USE;

/* Deletes the set. False: refused. */
bool gjkd_commit_delete(const gjkd_write *write) GJK_MUST_USE;

/*
 * What edits is the set to undergo? Asked while nobody else writes it, so that the answer fits
 * the version that is current then. False: refused, with a problem.
 */
typedef struct gjkd_deriver {
    bool (*derive)(void *user, const struct gjkd_version *current, proto_edits *out,
                   struct proto_problem *problem);
    void *user;
} gjkd_deriver;

/* Edits the set. shape: the id of the one shape that the write is about, whose existence If-Match
 * and If-None-Match with * mean then; NULL: the set's. */
gjkd_outcome gjkd_commit_edit(const gjkd_write *write, const char *shape,
                              const gjkd_deriver *deriver, struct gjkd_version **out) GJK_MUST_USE;

/*
 * Edits the set and stamps the version with a tick, which must be above the newest; TICK_CONFLICT
 * otherwise, and where the set keeps none. The same digest as made that tick, while it is kept, is
 * REPEATED, whatever the preconditions say, and nothing is derived; *out is the current version.
 */
gjkd_outcome gjkd_commit_tick(const gjkd_write *write, const gjkd_stamp *stamp,
                              const gjkd_deriver *deriver, struct gjkd_version **out) GJK_MUST_USE;

#endif
