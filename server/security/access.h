#ifndef GJKD_SECURITY_ACCESS_H
#define GJKD_SECURITY_ACCESS_H

/*
 * Rights of a request: the scope and the sets that its token grants. Independent of how tokens
 * are stored. Without a token file everybody may do everything.
 */

#include "proto/problem.h"

/* Each includes the ones before. */
typedef enum gjkd_scope {
    GJKD_SCOPE_NONE,  /* public: health probes, descriptions of problems */
    GJKD_SCOPE_READ,  /* queries, and reading sets */
    GJKD_SCOPE_WRITE, /* changing sets */
    GJKD_SCOPE_ADMIN, /* administering the daemon */
} gjkd_scope;

const char *gjkd_scope_text(gjkd_scope scope); /* "read", "write", "admin"; "none" */

/* The texts are borrowed for the life of the request. set_prefix "": all sets; holder: the name of
 * the token, "" where no token is required. */
typedef struct gjkd_grant {
    gjkd_scope scope;
    const char *set_prefix;
    const char *holder;
} gjkd_grant;

/* Everything. */
gjkd_grant gjkd_grant_all(void);

/* Returns true if the name begins, bytewise, with the grant's prefix; the set need not exist. */
bool gjkd_grant_covers_set(const gjkd_grant *grant, const char *name);

/* Check that the scope, or the set, is granted. False: *problem is `forbidden` and names what is
 * missing, never the set. */
bool gjkd_access_scope(const gjkd_grant *grant, gjkd_scope needed, struct proto_problem *problem);
bool gjkd_access_set(const gjkd_grant *grant, const char *name, struct proto_problem *problem);

#endif
