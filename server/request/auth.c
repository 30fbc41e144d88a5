/*
 * Authentication, authorisation and rate limits. Refusals tell nothing of what exists: 401 comes
 * before whether there is such a route, 403 before whether there is such a set. Which routes and
 * methods there are is no secret (/openapi.json is open to all), so 404 and 405 come before 403:
 * what nobody can do needs no scope.
 */

#include "request/auth.h"

#include "request/context.h"
#include "request/request.h"
#include "util/hash.h"
#include "util/host.h"
#include "util/network.h"

#include <stdio.h>
#include <string.h>
#include <uv.h>

/* HTTP/1.0 clients without a Host field are no browsers, so there is nothing to rebind. With
 * tokens a page that reaches the daemon has none. */
void gjkd_auth_check_host(struct gjkd_request *request) {
    const struct gjkd_context *context = request->context;
    const char *host = request->head.host;
    if (context->security.keyring == NULL && host != NULL &&
        !gjkd_host_allowed(host, &context->config->allowed_hosts)) {
        gjkd_request_fail(request, PROTO_FORBIDDEN,
                          "the Host header is neither an IP address nor localhost nor a name that "
                          "--allowed-host lists");
    }
}

static bool is_open(const struct gjkd_request *request) {
    const struct gjkd_operation *row = /* of the path, whatever the method */
        request->match.route == GJKD_ROUTE_NONE ? NULL : &gjkd_operations[request->match.route];
    return gjkd_cors_is_preflight(&request->head) ||
           (row != NULL && (row->flags & GJKD_OPEN) != 0) ||
           (row != NULL && (row->flags & GJKD_TOKEN_LATER) != 0 &&
            request->head.authorization == NULL);
}

/* --- Rates --- */

static bool is_charged(const struct gjkd_request *request) {
    const struct gjkd_operation *operation = request->match.operation;
    return operation != NULL && (operation->flags & GJKD_CHARGED) != 0;
}

static void refuse_rate(struct gjkd_request *request, const char *who, const char *what,
                        uint64_t limit, uint64_t wait_s) {
    proto_problem_set(&request->problem, PROTO_RATE_LIMITED, "%s %llu %s a second", who,
                      (unsigned long long)limit, what);
    proto_problem_limit(&request->problem, limit);
    gjkd_request_refuse(request);
    request->reply.retry_after_s = wait_s;
}

void gjkd_auth_check_address_rate(struct gjkd_request *request) {
    const struct gjkd_context *context = request->context;
    request->client = gjkd_forwarded_client(&request->peer, request->head.forwarded_for,
                                            &context->config->trusted_proxies);
    const gjkd_ip client = gjkd_ip_client(&request->client);
    request->client_key = gjkd_limiter_key_of(client.bytes);
    if (context->security.address_limiter == NULL || is_open(request)) {
        return;
    }
    request->metered = is_charged(request);
    uint64_t wait_s = request->metered ? gjkd_limiter_take(context->security.address_limiter,
                                                           &request->client_key, uv_hrtime())
                                       : 0;
    if (wait_s > 0) {
        refuse_rate(request, "this address may ask for", "queries and writes",
                    context->config->rate_limit, wait_s);
    }
}

void gjkd_auth_check_token_rate(struct gjkd_request *request) {
    const struct gjkd_context *context = request->context;
    if (context->security.token_limiter == NULL || !request->has_token || !is_charged(request)) {
        return;
    }
    uint64_t wait_s =
        gjkd_limiter_take(context->security.token_limiter, &request->token_key, uv_hrtime());
    if (wait_s > 0) {
        refuse_rate(request, "this token may ask for", "queries and writes",
                    context->config->rate_limit_per_token, wait_s);
    }
}

/*
 * Guesses of tokens have an account of their own, so that they are slow even where the request
 * would cost nothing, and so that reading stays free for clients with a token. An address that has
 * used it up is refused before its token is looked at.
 */
static bool may_guess(struct gjkd_request *request) {
    const struct gjkd_context *context = request->context;
    if (context->security.address_limiter == NULL || request->head.authorization == NULL) {
        return true;
    }
    gjkd_limiter_key guesses = gjkd_limiter_key_beside(&request->client_key);
    uint64_t wait_s = gjkd_limiter_wait_s(context->security.address_limiter, &guesses, uv_hrtime());
    if (wait_s > 0) {
        refuse_rate(request, "this address may send", "unknown tokens", context->config->rate_limit,
                    wait_s);
    }
    return wait_s == 0;
}

uint64_t gjkd_auth_hash_client(const struct gjkd_request *request) {
    const gjkd_limiter_key *key = request->has_token ? &request->token_key : &request->client_key;
    return gjkd_hash2(key->words, request->context->hash_seed);
}

void gjkd_auth_settle(const struct gjkd_request *request) {
    const struct gjkd_context *context = request->context;
    uint64_t asked = request->asked > request->queries ? request->asked : request->queries;
    const uint64_t worked = request->used_ns / GJKD_QUERY_NS;
    asked = asked > worked ? asked : worked;
    if (asked < 2) {
        return; /* one has been taken */
    }
    if (context->security.address_limiter != NULL && request->metered) {
        gjkd_limiter_charge(context->security.address_limiter, &request->client_key, asked - 1,
                            uv_hrtime());
    }
    if (context->security.token_limiter != NULL && request->has_token) {
        gjkd_limiter_charge(context->security.token_limiter, &request->token_key, asked - 1,
                            uv_hrtime());
    }
}

/* --- Tokens --- */

const char *gjkd_auth_challenge(proto_code code) {
    return code == PROTO_UNAUTHENTICATED ? "Bearer realm=\"gjkd\", error=\"invalid_token\"" : NULL;
}

static void refuse_token(struct gjkd_request *request, gjkd_key_status status) {
    static const char *const details[] = {
        [GJKD_KEY_ABSENT] = "send Authorization: Bearer TOKEN",
        [GJKD_KEY_UNKNOWN] = "the token is not one that the daemon knows",
    };
    if (status == GJKD_KEY_NO_MEMORY) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory to look at the token");
        return;
    }
    if (status == GJKD_KEY_UNKNOWN) {
        if (request->context->security.address_limiter != NULL) {
            gjkd_limiter_key guesses = gjkd_limiter_key_beside(&request->client_key);
            gjkd_limiter_charge(request->context->security.address_limiter, &guesses, 1,
                                uv_hrtime());
        }
    }
    gjkd_request_fail(request, PROTO_UNAUTHENTICATED, "%s", details[status]);
    request->reply.challenge = status == GJKD_KEY_ABSENT
                                   ? "Bearer realm=\"gjkd\""
                                   : gjkd_auth_challenge(PROTO_UNAUTHENTICATED);
}

void gjkd_auth_check_token(struct gjkd_request *request) {
    struct gjkd_keyring *keyring = request->context->security.keyring;
    if (keyring == NULL || is_open(request) || !may_guess(request)) {
        return;
    }
    gjkd_key_status status =
        gjkd_keyring_authenticate(keyring, request->head.authorization, &request->arena,
                                  &request->grant, &request->token);
    if (status != GJKD_KEY_VALID) {
        refuse_token(request, status);
        return;
    }
    snprintf(request->holder, sizeof request->holder, "%s", request->grant.holder);
    request->has_token = true;
    request->token_key = gjkd_limiter_key_of(request->token.bytes);
}

void gjkd_auth_check_access(struct gjkd_request *request) {
    const struct gjkd_operation *operation = request->match.operation;
    if (!request->has_token) {
        return;
    }
    /* GET and POST read and ask, unless they say that they write. */
    const bool reads = (operation->method == GJKD_GET || operation->method == GJKD_POST) &&
                       !(operation->flags & GJKD_WRITES);
    const gjkd_scope needed = reads ? GJKD_SCOPE_READ : GJKD_SCOPE_WRITE;
    if (!gjkd_access_scope(&request->grant, needed, &request->problem)) {
        gjkd_request_refuse(request);
        request->reply.challenge =
            needed == GJKD_SCOPE_READ
                ? "Bearer realm=\"gjkd\", error=\"insufficient_scope\", scope=\"read\""
                : "Bearer realm=\"gjkd\", error=\"insufficient_scope\", scope=\"write\"";
        return;
    }
    if (gjkd_request_names_set(request) &&
        !gjkd_request_may_use_set(request, needed, request->match.variable.text)) {
        gjkd_request_refuse(request);
    }
}
