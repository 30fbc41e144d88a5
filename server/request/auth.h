#ifndef GJKD_REQUEST_AUTH_H
#define GJKD_REQUEST_AUTH_H

/*
 * Authentication and authorisation: what a request's head says of the client, in the order in which
 * a request calls these; each refuses the request where the answer is no.
 */

#include "proto/problem.h"

#include <stdint.h>

struct gjkd_request;

/* Without tokens: is the Host one that no stranger can own (host.h)? */
void gjkd_auth_check_host(struct gjkd_request *request);

/* Refuses queries and writes of an address above its rate; reads go on. */
void gjkd_auth_check_address_rate(struct gjkd_request *request);

/* Refuses the request if there are tokens and the daemon does not know this one. To be called when
 * the route has been looked for, and before the answer reveals anything: some are open to all.
 * After the address's rate, whose limit holds for unknown tokens too. */
void gjkd_auth_check_token(struct gjkd_request *request);

/* Refuses the request if the token does not allow the operation or the set of the path. To be
 * called when there is such an operation, and before the answer reveals what is there. */
void gjkd_auth_check_access(struct gjkd_request *request);

/* Returns the WWW-Authenticate challenge for a token that was refused with that code. NULL: none. */
const char *gjkd_auth_challenge(proto_code code);

/* Has the token been used too much of late? */
void gjkd_auth_check_token_rate(struct gjkd_request *request);

/* Returns a hash of the client: of the token, or else the address. To be called after the
 * checks. */
uint64_t gjkd_auth_hash_client(const struct gjkd_request *request);

/* The request is over: what it asked, or worked, beyond one query is put to its client's
 * account. */
void gjkd_auth_settle(const struct gjkd_request *request);

#endif
