/*
 * Who asks, and may they? Refusals tell nothing of what exists: 401 comes before whether there
 * is such a route, 403 before whether there is such a set. Which routes and methods there are is
 * no secret (/openapi.json is open to all), so 404 and 405 come before 403: what nobody can do
 * needs no scope.
 */

#include "guard.h"

#include "forwarded.h"

#include <string.h>

/* HTTP/1.0 clients without a Host field are no browsers, so there is nothing to rebind. With
 * tokens a page that reaches the daemon has none. */
void gjkd_guard_check_host(struct gjkd_job *job) {
    const struct gjkd_context *context = job->context;
    const char *host = job->head.host;
    if (context->keyring == NULL && host != NULL &&
        !gjkd_host_allowed(host, &context->config->allowed_hosts)) {
        gjkd_job_fail(job, PROTO_FORBIDDEN,
                      "the Host header is neither an IP address nor localhost nor a name that "
                      "--allowed-host lists");
    }
}

/* The row of the path, whatever the method; NULL: no such path. */
static const struct gjkd_operation *row_of(const struct gjkd_job *job) {
    return job->match.route == GJKD_ROUTE_NONE ? NULL : gjkd_operation_at(job->match.route);
}

static bool is_open(const struct gjkd_job *job) {
    const struct gjkd_operation *row = row_of(job);
    return gjkd_cors_is_preflight(&job->head) || (row != NULL && (row->flags & GJKD_OPEN) != 0);
}

/* Of an operation: reading and asking is GET and POST; all else changes sets. */
static gjkd_scope needed_scope(gjkd_method method) {
    return method == GJKD_GET || method == GJKD_POST ? GJKD_SCOPE_READ : GJKD_SCOPE_WRITE;
}

/* --- Rates --- */

/* Queries and writes are paid for; what only reads, or is refused by its path, is not. */
static bool is_charged(const struct gjkd_job *job) {
    if (job->match.operation == NULL) {
        return false;
    }
    switch (job->match.operation->cost) {
    case GJKD_COST_NONE:
    case GJKD_COST_READ:
    case GJKD_COST_LIST:
        return false;
    case GJKD_COST_WRITE:
    case GJKD_COST_DETECT:
    case GJKD_COST_DISTANCE:
    case GJKD_COST_RAYCAST:
    case GJKD_COST_CAST:
    case GJKD_COST_HIT:
    case GJKD_COST_BATCH:
        break;
    }
    return true;
}

static void refuse_rate(struct gjkd_job *job, const char *who, const char *what, uint64_t limit,
                        uint64_t wait_s) {
    proto_problem_set(&job->problem, PROTO_RATE_LIMITED, "%s %llu %s a second", who,
                      (unsigned long long)limit, what);
    proto_problem_limit(&job->problem, limit);
    gjkd_job_refuse(job);
    job->reply.retry_after_s = wait_s;
}

void gjkd_guard_check_address_rate(struct gjkd_job *job) {
    const struct gjkd_context *context = job->context;
    if (context->address_limiter == NULL || is_open(job)) {
        return;
    }
    gjkd_ip client = gjkd_forwarded_client(&job->peer, job->head.forwarded_for,
                                           &context->config->trusted_proxies);
    client = gjkd_ip_client(&client);
    job->client_key = gjkd_limiter_key_of(client.bytes);
    job->metered = is_charged(job);
    uint64_t wait_s =
        job->metered ? gjkd_limiter_take(context->address_limiter, &job->client_key, uv_hrtime())
                     : 0;
    if (wait_s > 0) {
        refuse_rate(job, "this address may ask for", "queries and writes",
                    context->config->rate_limit, wait_s);
    }
}

void gjkd_guard_check_token_rate(struct gjkd_job *job) {
    const struct gjkd_context *context = job->context;
    if (context->token_limiter == NULL || !job->has_token || !is_charged(job)) {
        return;
    }
    uint64_t wait_s = gjkd_limiter_take(context->token_limiter, &job->token_key, uv_hrtime());
    if (wait_s > 0) {
        refuse_rate(job, "this token may ask for", "queries and writes",
                    context->config->rate_limit_per_token, wait_s);
    }
}

/*
 * Guesses of tokens have an account of their own, so that they are slow even where the request
 * would cost nothing, and so that reading stays free for who has a token. An address that has
 * used it up is refused before its token is looked at.
 */
static bool may_guess(struct gjkd_job *job) {
    const struct gjkd_context *context = job->context;
    if (context->address_limiter == NULL || job->head.authorization == NULL) {
        return true;
    }
    gjkd_limiter_key guesses = gjkd_limiter_key_beside(&job->client_key);
    uint64_t wait_s = gjkd_limiter_wait_s(context->address_limiter, &guesses, uv_hrtime());
    if (wait_s > 0) {
        refuse_rate(job, "this address may send", "unknown tokens", context->config->rate_limit,
                    wait_s);
    }
    return wait_s == 0;
}

static void note_guess(const struct gjkd_job *job) {
    if (job->context->address_limiter != NULL) {
        gjkd_limiter_key guesses = gjkd_limiter_key_beside(&job->client_key);
        gjkd_limiter_charge(job->context->address_limiter, &guesses, 1, uv_hrtime());
    }
}

void gjkd_guard_settle(const struct gjkd_job *job) {
    const struct gjkd_context *context = job->context;
    uint64_t asked = job->asked > job->queries ? job->asked : job->queries;
    if (asked < 2) {
        return; /* one has been taken */
    }
    if (context->address_limiter != NULL && job->metered) {
        gjkd_limiter_charge(context->address_limiter, &job->client_key, asked - 1, uv_hrtime());
    }
    if (context->token_limiter != NULL && job->has_token) {
        gjkd_limiter_charge(context->token_limiter, &job->token_key, asked - 1, uv_hrtime());
    }
}

/* --- Tokens --- */

static void refuse_token(struct gjkd_job *job, gjkd_key_status status) {
    static const char *const details[] = {
        [GJKD_KEY_ABSENT] = "send Authorization: Bearer TOKEN",
        [GJKD_KEY_UNKNOWN] = "the token is not one that the daemon knows",
    };
    if (status == GJKD_KEY_NO_MEMORY) {
        gjkd_job_fail(job, PROTO_OUT_OF_MEMORY, "no memory to look at the token");
        return;
    }
    if (status == GJKD_KEY_UNKNOWN) {
        note_guess(job);
    }
    gjkd_job_fail(job, PROTO_UNAUTHENTICATED, "%s", details[status]);
    job->reply.challenge = status == GJKD_KEY_ABSENT
                               ? "Bearer realm=\"gjkd\""
                               : "Bearer realm=\"gjkd\", error=\"invalid_token\"";
}

static void refuse_scope(struct gjkd_job *job, gjkd_scope needed) {
    gjkd_job_refuse(job);
    job->reply.challenge =
        needed == GJKD_SCOPE_READ
            ? "Bearer realm=\"gjkd\", error=\"insufficient_scope\", scope=\"read\""
            : "Bearer realm=\"gjkd\", error=\"insufficient_scope\", scope=\"write\"";
}

void gjkd_guard_check_token(struct gjkd_job *job) {
    struct gjkd_keyring *keyring = job->context->keyring;
    if (keyring == NULL || is_open(job) || !may_guess(job)) {
        return;
    }
    gjkd_digest digest;
    gjkd_key_status status =
        gjkd_keyring_ask(keyring, job->head.authorization, &job->arena, &job->grant, &digest);
    if (status != GJKD_KEY_FITS) {
        refuse_token(job, status);
        return;
    }
    job->has_token = true;
    job->token_key = gjkd_limiter_key_of(digest.bytes);
}

void gjkd_guard_check_access(struct gjkd_job *job) {
    static const char set_path[] = "/v1/sets/{set}";
    const struct gjkd_operation *operation = job->match.operation;
    if (!job->has_token) {
        return;
    }
    gjkd_scope needed = needed_scope(operation->method);
    if (!gjkd_access_scope(&job->grant, needed, &job->problem)) {
        refuse_scope(job, needed);
        return;
    }
    bool names_set = strncmp(operation->path, set_path, sizeof set_path - 1) == 0;
    if (names_set && !gjkd_job_may_use_set(job, job->match.variable.text)) {
        gjkd_job_refuse(job);
    }
}
