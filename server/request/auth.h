#ifndef GJKD_REQUEST_AUTH_H
#define GJKD_REQUEST_AUTH_H

/*
 * Authentication and authorisation: what a request's head says of who asks, in the order in which
 * a request calls these; each refuses the request where the answer is no.
 */

#include "proto/problem.h"

#include <stdint.h>

struct gjkd_request;

/* Without tokens: is the Host one that no stranger can own (host.h)? */
void gjkd_auth_check_host(struct gjkd_request *request);

/* Has the client's address asked too much of late? Only what is paid for (queries and writes) is
 * refused then. */
void gjkd_auth_check_address_rate(struct gjkd_request *request);

/* Is the token, if there are tokens, one that the daemon knows? To be called when the route has
 * been looked for, and before anything is told of it: some are open to all. After the address's
 * rate, whose limit holds for unknown tokens too. */
void gjkd_auth_check_token(struct gjkd_request *request);

/* Does the token allow the operation and the set of the path? To be called when there is such
 * an operation, and before anything is told of what is there. */
void gjkd_auth_check_access(struct gjkd_request *request);

/* The challenge of a refusal with that code, of what a token allows no more. NULL: none. */
const char *gjkd_auth_challenge(proto_code code);

/* Has the token been used too much of late? */
void gjkd_auth_check_token_rate(struct gjkd_request *request);

/* A hash of who asks: the token, or else the address. After the checks. */
uint64_t gjkd_auth_hash_client(const struct gjkd_request *request);

/* The request is over: what it asked, or worked, beyond one query is put to its client's account. */
void gjkd_auth_settle(const struct gjkd_request *request);

#endif
