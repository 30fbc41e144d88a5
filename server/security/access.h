#ifndef GJKD_SECURITY_ACCESS_H
#define GJKD_SECURITY_ACCESS_H

/*
 * What a request may do: the scope and the sets that its token grants. Nothing here knows
 * how tokens are kept. Without a token file everybody may do everything.
 */

#include "proto/problem.h"

/* Each includes the ones before. */
typedef enum gjkd_scope {
    GJKD_SCOPE_NONE,  /* what everybody may see: probes, the meaning of problems */
    GJKD_SCOPE_READ,  /* queries and reads */
    GJKD_SCOPE_WRITE, /* sets */
    GJKD_SCOPE_ADMIN, /* what administers the daemon */
} gjkd_scope;

const char *gjkd_scope_text(gjkd_scope scope); /* "read", "write", "admin"; "none" */

/* The texts are borrowed, for as long as the request lives. Prefix "": all sets; holder, the
 * token's name, "": nobody was asked. */
typedef struct gjkd_grant {
    gjkd_scope scope;
    const char *set_prefix;
    const char *holder;
} gjkd_grant;

/* Everything. */
gjkd_grant gjkd_grant_all(void);

/* Does the grant hold for the set of that name? Bytewise; whether it exists does not matter. */
bool gjkd_grant_covers_set(const gjkd_grant *grant, const char *name);

/* Is the scope, or the set, granted? If not, false and *problem is `forbidden`, naming what is
 * missing and never the set. */
bool gjkd_access_scope(const gjkd_grant *grant, gjkd_scope needed, struct proto_problem *problem);
bool gjkd_access_set(const gjkd_grant *grant, const char *name, struct proto_problem *problem);

#endif
