/*
 * Checks of a request's head, in an order that reveals nothing to a client before it is
 * authenticated: framing, host, route, rate, token, and only then whether the operation accepts the
 * request. The first check that refuses ends the request.
 */

#include "request/context.h"
#include "request/request.h"
#include "util/hash.h"
#include "util/head.h"
#include "util/host.h"
#include "util/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

static void check_framing(struct gjkd_request *request) {
    if (request->head.out_of_memory) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the header fields");
        request->reply.close = true;
    } else if (request->head.fault != NULL) {
        gjkd_request_fail(request, PROTO_BAD_REQUEST, "%s", request->head.fault);
        request->reply.close = true;
    }
}

/* Returns true if the target has too many query parameters. */
static bool has_many_parameters(const char *target) {
    const char *at = strchr(target, '?');
    int count = 1;
    for (; at != NULL && count <= GJKD_PARAMETERS_MAX; count++) {
        at = strchr(at + 1, '&');
    }
    return at != NULL;
}

bool gjkd_request_is_flooded(const struct gjkd_request *request) {
    const char *target = request->target;
    return strchr(target, '?') != NULL &&
           (strlen(target) > GJKD_TARGET_BYTES_MAX || has_many_parameters(target));
}

static void check_sizes(struct gjkd_request *request) {
    if (strlen(request->target) > GJKD_TARGET_BYTES_MAX) {
        gjkd_request_fail(request, PROTO_URI_TOO_LONG,
                          "path and parameters have more than %d bytes", GJKD_TARGET_BYTES_MAX);
    } else if (has_many_parameters(request->target)) {
        gjkd_request_fail(request, PROTO_BAD_REQUEST, "there are more than %d parameters",
                          GJKD_PARAMETERS_MAX);
    } else if (request->head.field_bytes > GJKD_FIELD_BYTES_MAX) {
        gjkd_request_fail(request, PROTO_HEADERS_TOO_LARGE,
                          "the header fields have more than %d bytes, %d counted for each besides "
                          "its text",
                          GJKD_FIELD_BYTES_MAX, GJKD_FIELD_OVERHEAD_BYTES);
    }
}

/* Splits the host off an absolute target (http://host/path); it replaces the Host field. */
static void split_authority(struct gjkd_request *request) {
    bool plain = strncmp(request->target, "http://", 7) == 0;
    if (!plain && strncmp(request->target, "https://", 8) != 0) {
        return;
    }
    char *authority = request->target + (plain ? 7 : 8);
    size_t length = strcspn(authority, "/?");
    const char *host = gjk_arena_copy_text(&request->arena, authority, length);
    if (host == NULL) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the host's name");
        return;
    }
    request->head.host = host;
    request->target = authority + length;
}

static void find_route(struct gjkd_request *request) {
    request->query = strchr(request->target, '?');
    if (request->query != NULL) {
        *request->query++ = '\0';
    }
    gjkd_path_status status = gjkd_path_parse(request->target, &request->path);
    if (status == GJKD_PATH_MALFORMED) {
        gjkd_request_fail(request, PROTO_BAD_REQUEST, "the path is not well-formed");
        return;
    }
    if (status == GJKD_PATH_OK) {
        gjkd_route_find(request->head.method, &request->path, &request->match);
    }
}

static void check_route(struct gjkd_request *request) {
    if (request->match.route == GJKD_ROUTE_NONE) {
        proto_problem_set(&request->problem, PROTO_ROUTE_NOT_FOUND, "no operation has this path");
        const gjkd_path *path = &request->path;
        if (path->count > 5 && strcmp(path->segments[3].text, "shapes") == 0) {
            proto_problem_hint(&request->problem, "a \"/\" in a shape's id is written %%2F");
        }
        gjkd_request_refuse(request);
    } else if (request->match.operation == NULL) {
        gjkd_request_fail(request, PROTO_METHOD_NOT_ALLOWED, "this path takes %s",
                          request->match.allow);
        request->reply.allow = request->match.allow;
    }
}

static void answer_preflight(struct gjkd_request *request) {
    bool asked = request->context->config->cors_origins.count > 0;
    if (asked && gjkd_cors_is_preflight(&request->head) &&
        request->match.route != GJKD_ROUTE_NONE) {
        request->reply.status = 204;
    }
}

/* --- Authentication, authorisation and rate limits --- */

/*
 * Refusals do not reveal what exists: 401 comes before the check of the route, 403 before the
 * look-up of the set. Routes and methods are no secret (/openapi.json is open to all), so 404 and
 * 405 come before 403.
 */

/* Protects against DNS rebinding: refuses unknown Host fields. HTTP/1.0 clients without a Host
 * field are not browsers. If there are tokens, a foreign page has none, so the check is
 * unnecessary. */
static void check_host(struct gjkd_request *request) {
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
    const struct gjkd_operation *row = /* first row of the path, for any method */
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

static void check_token_rate(struct gjkd_request *request) {
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
 * Returns true if the client's address may present another token, else refuses the request. Unknown
 * tokens have their own rate, so that guessing is slow even by requests that are not charged, and
 * reads stay free for clients with a token. The rate is checked before the token is.
 */
static bool may_try_token(struct gjkd_request *request) {
    const struct gjkd_context *context = request->context;
    if (context->security.address_limiter == NULL || request->head.authorization == NULL) {
        return true;
    }
    gjkd_limiter_key guesses = gjkd_limiter_second_key(&request->client_key);
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

void gjkd_auth_charge_rates(const struct gjkd_request *request) {
    const struct gjkd_context *context = request->context;
    uint64_t asked = request->asked > request->queries ? request->asked : request->queries;
    const uint64_t worked = request->used_ns / GJKD_QUERY_NS;
    asked = asked > worked ? asked : worked;
    if (asked < 2) {
        return; /* begin has charged one query */
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
            gjkd_limiter_key guesses = gjkd_limiter_second_key(&request->client_key);
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
    if (keyring == NULL || is_open(request) || !may_try_token(request)) {
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

static void check_access(struct gjkd_request *request) {
    const struct gjkd_operation *operation = request->match.operation;
    if (!request->has_token) {
        return;
    }
    const gjkd_scope needed =
        (operation->flags & GJKD_WRITES) != 0 ? GJKD_SCOPE_WRITE : GJKD_SCOPE_READ;
    if (!gjkd_access_scope(&request->grant, needed, &request->problem)) {
        gjkd_request_refuse(request);
        request->reply.challenge =
            needed == GJKD_SCOPE_READ
                ? "Bearer realm=\"gjkd\", error=\"insufficient_scope\", scope=\"read\""
                : "Bearer realm=\"gjkd\", error=\"insufficient_scope\", scope=\"write\"";
        return;
    }
    if (gjkd_request_names_set(request) &&
        !gjkd_access_set(&request->grant, needed, request->match.variable.text,
                         &request->problem)) {
        gjkd_request_refuse(request);
    }
}

/* --- Parameters, media types and fields --- */

static void check_params(struct gjkd_request *request) {
    char error[GJKD_ERROR_MAX];
    if (!gjkd_params_parse(request->query, request->match.operation->params, &request->params,
                           error)) {
        gjkd_request_fail(request, PROTO_BAD_REQUEST, "%s", error);
    }
}

/* Chooses JSON or columns for the answer: the form of the body, unless Accept prefers the other.
 * Returns false if Accept allows no possible form. */
static bool choose_form(struct gjkd_request *request) {
    const char *accept = request->head.accept;
    if (request->match.operation->flags & GJKD_ANSWERS_EVENTS) {
        return gjkd_accept_weight(accept, GJKD_EVENT_STREAM_TYPE) > 0;
    }
    if ((request->match.operation->flags & (GJKD_LINES | GJKD_TAKES_BODY)) == GJKD_LINES) {
        return gjkd_accept_weight(accept, GJKD_TYPE_LINES) > 0;
    }
    int json = gjkd_accept_weight(accept, GJKD_TYPE_JSON);
    int short_name = gjkd_accept_weight(accept, GJKD_TYPE_PROTOBUF);
    int long_name = gjkd_accept_weight(accept, GJKD_TYPE_X_PROTOBUF);
    int columns = short_name > long_name ? short_name : long_name;
    const unsigned flags = request->match.operation->flags;
    if (!(flags & GJKD_ANSWERS_COLUMNS) || ((flags & GJKD_TAKES_BLOCKS) && !request->columns_in)) {
        /* The answer is JSON. For a tick in columns, Accept may name columns all the same. */
        return json > 0 || (request->columns_in && columns > 0);
    }
    if (columns > json || (columns == json && request->columns_in)) {
        bool is_short = short_name > long_name ||
                        (short_name == long_name && gjkd_is_short_name(request->head.content_type));
        request->columns_out = is_short ? GJKD_TYPE_PROTOBUF : GJKD_TYPE_X_PROTOBUF;
    }
    return columns > 0 || json > 0;
}

/* Finds the message that the Content-Type names, or refuses the request. */
static void choose_message(struct gjkd_request *request) {
    const char *const *messages = request->match.operation->messages;
    size_t length;
    const char *name = gjkd_type_parameter(request->head.content_type, "message", &length);
    char list[128] = "";
    if (name == NULL || messages == NULL) {
        return;
    }
    for (uint32_t i = 0; messages[i] != NULL; i++) {
        if (strlen(messages[i]) == length && memcmp(messages[i], name, length) == 0) {
            request->message = i;
            return;
        }
        const size_t end = strlen(list);
        snprintf(list + end, sizeof list - end, "%s%s", i > 0 ? " or " : "", messages[i]);
    }
    proto_problem_set(&request->problem, PROTO_UNSUPPORTED_MEDIA_TYPE,
                      "the Content-Type names a message that this route does not take: it takes %s",
                      list);
    proto_problem_hint(&request->problem, "Content-Type: %s; message=%s", GJKD_TYPE_X_PROTOBUF,
                       messages[0]);
    gjkd_request_refuse(request);
}

static void check_media(struct gjkd_request *request) {
    unsigned flags = request->match.operation->flags;
    const char *type = request->head.content_type;
    bool has_body = (flags & GJKD_TAKES_BODY) && gjkd_head_has_body(&request->head);
    bool may_be_columns = (flags & GJKD_TAKES_COLUMNS) != 0;
    bool is_text = gjkd_is_text_type(type, GJKD_TYPE_JSON) ||
                   ((flags & GJKD_TAKES_PATCH) && gjkd_is_text_type(type, GJKD_TYPE_MERGE_PATCH)) ||
                   ((flags & GJKD_LINES) && gjkd_is_text_type(type, GJKD_TYPE_LINES));
    request->columns_in = may_be_columns && gjkd_is_columns_type(type);
    if (!(flags & GJKD_ANSWERS_ANY) && !choose_form(request)) {
        const char *answer = (flags & GJKD_ANSWERS_EVENTS) ? GJKD_EVENT_STREAM_TYPE
                             : (flags & GJKD_LINES)        ? GJKD_TYPE_LINES
                                                           : GJKD_TYPE_JSON;
        gjkd_request_fail(request, PROTO_NOT_ACCEPTABLE, "the answer is %s%s",
                          (flags & GJKD_TAKES_BODY) && (flags & GJKD_LINES) ? GJKD_TYPE_JSON
                                                                            : answer,
                          (flags & GJKD_ANSWERS_COLUMNS) ? " or application/x-protobuf" : "");
    } else if (has_body && !request->columns_in && !is_text) {
        gjkd_request_fail(request, PROTO_UNSUPPORTED_MEDIA_TYPE,
                          "send the body with Content-Type: %s%s",
                          (flags & GJKD_LINES) ? GJKD_TYPE_LINES : GJKD_TYPE_JSON,
                          may_be_columns ? " or application/x-protobuf" : "");
    } else if (has_body && request->head.encoded) {
        gjkd_request_fail(request, PROTO_UNSUPPORTED_MEDIA_TYPE,
                          "send the body as it is, or with Content-Encoding: gzip");
    } else if (request->columns_in) {
        choose_message(request);
    }
}

/* Reads a number of at most `most` decimal digits. Returns false if the text is anything else. */
static bool read_digits(const char *text, size_t most, uint64_t *out) {
    const size_t digits = strspn(text, "0123456789");
    *out = strtoull(text, NULL, 10); /* UINT64_MAX if the number is larger */
    return digits > 0 && digits <= most && text[digits] == '\0';
}

static void check_timeout(struct gjkd_request *request) {
    uint64_t timeout_ms;
    if (request->head.timeout_ms == NULL) {
        return;
    }
    if (!read_digits(request->head.timeout_ms, SIZE_MAX, &timeout_ms)) {
        gjkd_request_fail(request, PROTO_BAD_REQUEST,
                          "Gjkd-Timeout-Ms is a whole number of milliseconds");
    } else if (timeout_ms < request->context->config->request_timeout_ms) {
        request->deadline_ns = request->timing.started_ns + timeout_ms * 1000000;
    }
}

static void check_min_revision(struct gjkd_request *request) {
    const char *text = request->head.min_revision;
    if (text != NULL && !read_digits(text, 18, &request->min_revision)) {
        gjkd_request_fail(request, PROTO_BAD_REQUEST, "Gjkd-Min-Revision is a revision");
    }
}

static void check_consistency(struct gjkd_request *request) {
    const char *text = request->head.consistency;
    if (text != NULL && strcmp(text, "linearizable") != 0) {
        gjkd_request_fail(request, PROTO_BAD_REQUEST,
                          "Gjkd-Consistency is \"linearizable\", or absent");
        return;
    }
    request->is_linearizable = text != NULL;
}

/* Refuses with 503 while sets are being loaded, since a missing set may still be loaded. */
static void check_loading(struct gjkd_request *request) {
    if (!(request->match.operation->flags & GJKD_ANSWERS_ANY) &&
        gjkd_is_loading(request->context)) {
        gjkd_request_fail(request, PROTO_NOT_READY, "the daemon is still loading its sets");
    }
}

static void check_length(struct gjkd_request *request) {
    if (gjkd_request_is_too_long(request)) {
        gjkd_request_refuse_length(request);
    }
}

void gjkd_request_begin(struct gjkd_request *request) {
    static void (*const checks[])(struct gjkd_request *) = {
        check_framing,
        check_sizes,
        split_authority,
        check_host,
        find_route,
        answer_preflight,
        gjkd_auth_check_address_rate,
        gjkd_auth_check_token,
        check_route,
        check_access,
        check_token_rate,
        check_params,
        check_media,
        check_timeout,
        check_min_revision,
        check_consistency,
        check_length,
        check_loading,
    };
    const char *given = request->head.request_id;
    gjkd_request_note_age(request);
    if (given != NULL && gjkd_is_request_id(given)) {
        memcpy(request->request_id, given, strlen(given) + 1);
    } else {
        gjkd_request_id_make(request->request_id);
    }
    if (request->context->config->access_log) { /* else set only where rates need it */
        request->client = gjkd_forwarded_client(&request->peer, request->head.forwarded_for,
                                                &request->context->config->trusted_proxies);
    }
    request->cors = gjkd_cors_make(&request->context->config->cors_origins, &request->head);
    for (size_t i = 0; i < sizeof checks / sizeof checks[0] && request->reply.status == 0; i++) {
        checks[i](request);
    }
    gjkd_account_assign(request->account, gjkd_auth_hash_client(request));
    if (request->reply.status != 0 && gjkd_request_is_too_long(request)) {
        request->reply.close = true; /* rather than discard a body of that length */
    }
}
