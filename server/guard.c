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

static void refuse_token(struct gjkd_job *job, gjkd_key_status status) {
    static const char *const details[] = {
        [GJKD_KEY_ABSENT] = "send Authorization: Bearer TOKEN",
        [GJKD_KEY_UNKNOWN] = "the token is not one that the daemon knows",
    };
    if (status == GJKD_KEY_NO_MEMORY) {
        gjkd_job_fail(job, PROTO_OUT_OF_MEMORY, "no memory to look at the token");
        return;
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
    if (keyring == NULL || is_open(job)) {
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

/* --- Rates --- */

static void refuse_rate(struct gjkd_job *job, const char *whose, uint64_t limit, uint64_t wait_s) {
    proto_problem_set(&job->problem, PROTO_RATE_LIMITED, "this %s may ask %llu queries a second",
                      whose, (unsigned long long)limit);
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
    job->metered = true;
    uint64_t wait_s = gjkd_limiter_take(context->address_limiter, &job->client_key, uv_hrtime());
    if (wait_s > 0) {
        refuse_rate(job, "address", context->config->rate_limit, wait_s);
    }
}

void gjkd_guard_check_token_rate(struct gjkd_job *job) {
    const struct gjkd_context *context = job->context;
    if (context->token_limiter == NULL || !job->has_token) {
        return;
    }
    uint64_t wait_s = gjkd_limiter_take(context->token_limiter, &job->token_key, uv_hrtime());
    if (wait_s > 0) {
        refuse_rate(job, "token", context->config->rate_limit_per_token, wait_s);
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
