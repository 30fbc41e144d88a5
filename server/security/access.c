/* A set outside the prefix is refused in the same way whether it exists or not, so that a refusal
 * reveals nothing about it. */

#include "security/access.h"

#include <string.h>

const char *gjkd_scope_text(gjkd_scope scope) {
    static const char *const texts[] = {"none", "read", "write", "admin"};
    return texts[scope];
}

gjkd_grant gjkd_grant_all(void) {
    return (gjkd_grant){GJKD_SCOPE_ADMIN, "", ""};
}

bool gjkd_grant_covers_set(const gjkd_grant *grant, const char *name) {
    return strncmp(name, grant->set_prefix, strlen(grant->set_prefix)) == 0;
}

bool gjkd_access_scope(const gjkd_grant *grant, gjkd_scope needed, struct proto_problem *problem) {
    return grant->scope >= needed ||
           proto_problem_set(problem, PROTO_FORBIDDEN,
                             "this needs the scope \"%s\"; the token has \"%s\"",
                             gjkd_scope_text(needed), gjkd_scope_text(grant->scope));
}

bool gjkd_access_set(const gjkd_grant *grant, const char *name, struct proto_problem *problem) {
    return gjkd_grant_covers_set(grant, name) ||
           proto_problem_set(problem, PROTO_FORBIDDEN,
                             "the token is for sets whose names begin with \"%s\"",
                             grant->set_prefix);
}
