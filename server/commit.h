#ifndef GJKD_COMMIT_H
#define GJKD_COMMIT_H

/* Writing a set: the one way by which a version becomes the current one. */

#include "registry.h"

typedef enum gjkd_commit_status {
    GJKD_COMMIT_CREATED,
    GJKD_COMMIT_REPLACED,
    GJKD_COMMIT_PRECONDITION_FAILED,
    GJKD_COMMIT_PRECONDITION_UNCLEAR,
    GJKD_COMMIT_DIMENSION_MISMATCH,
    GJKD_COMMIT_TOO_MANY_SETS,
    GJKD_COMMIT_HANDLES_USED_UP,
    GJKD_COMMIT_OUT_OF_MEMORY,
    GJKD_COMMIT_DELETED,
    GJKD_COMMIT_NOT_FOUND,
} gjkd_commit_status;

/*
 * Stores body under name if the preconditions (headers' values or NULL) hold for what is
 * stored at that moment; between that check and the swap nobody else writes the name. On
 * CREATED and REPLACED *out is the new version, retained for the caller. May wait for
 * another writer.
 */
gjkd_commit_status gjkd_commit_put(struct gjkd_registry *registry, const char *name,
                                   const proto_set *body, const char *if_match,
                                   const char *if_none_match, struct gjkd_version **out);

/* The same for deleting: DELETED or NOT_FOUND, or what the preconditions say. */
gjkd_commit_status gjkd_commit_delete(struct gjkd_registry *registry, const char *name,
                                      const char *if_match, const char *if_none_match);

#endif
