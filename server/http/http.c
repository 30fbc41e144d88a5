/*
 * libmicrohttpd calls back for the target, the head, each piece of the body and the end of a
 * request. Replies are queued at the end, except for early refusals, because libmicrohttpd closes
 * the connection after an earlier reply. A reply is sent from the request's arena; the exchange is
 * reused once libmicrohttpd reports that the request is completed.
 */

#include "http/http.h"

#include "http/event_stream.h"
#include "http/exchange.h"
#include "http/response.h"
#include "http/stream.h"
#include "request/context.h"
#include "request/telemetry.h"
#include "security/limiter.h"
#include "security/tls.h"
#include "security/token.h"
#include "util/log.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * Memory of a connection for the request line, the header fields and the reply's head. It is no
 * more than the limits need, because libmicrohttpd clears it after every request, and the memory of
 * 64 connections should fit in a processor's cache.
 */
#define CONNECTION_BYTES 16384

/* Longest head that leaves libmicrohttpd enough memory for the head of a reply. A longer head is
 * refused. */
#define HEAD_BYTES_MAX (CONNECTION_BYTES * 3 / 4)
_Static_assert(GJKD_TARGET_BYTES_MAX + GJKD_FIELD_BYTES_MAX <= HEAD_BYTES_MAX,
               "a head that is over a limit must fit, so that it can be refused");

/* Measured memory of a connection in all: CONNECTION_BYTES, its entry, the state of libmicrohttpd,
 * and the state and buffers of GnuTLS. */
#define PLAIN_BYTES ((uint64_t)17100)
#define TLS_BYTES ((uint64_t)40500)

/* The shortest time between two sweeps of all connections. */
#define SWEEP_PAUSE_NS UINT64_C(500000000)

/* libmicrohttpd's timeout for a connection that is being ended. */
#define ENDED_TIMEOUT_S 1U

/* Returns the exchange of a callback's context. If it has a replacement, that becomes the context
 * and is returned. */
static struct gjkd_exchange *exchange_of(void **context) {
    struct gjkd_exchange *exchange = *context;
    if (exchange != NULL && exchange->replacement != NULL) {
        *context = exchange->replacement;
        exchange->replacement = NULL;
    }
    return *context;
}

/* --- The daemon's callbacks --- */

/* Returns the key by which connections of the client's address are counted, stored in *hash. NULL
 * if they are not counted: there is no limit, or the peer is a trusted proxy. */
static const uint64_t *quota_key_of(const struct gjkd_http *http, const gjkd_ip *ip,
                                    uint64_t *hash) {
    const struct gjkd_config *config = http->context->config;
    const gjkd_ip client = gjkd_ip_client(ip);
    *hash = gjkd_ip_hash(&client, http->context->hash_seed);
    const bool is_counted = config->max_connections_per_address > 0 &&
                            !gjkd_networks_contain(&config->trusted_proxies, ip);
    return is_counted ? hash : NULL;
}

static uint64_t connection_bytes(const struct gjkd_http *http) {
    return http->context->security.tls != NULL ? TLS_BYTES : PLAIN_BYTES;
}

/* Counts a connection against --max-connections and the limit of its address, and charges its
 * memory. Returns false if one of them is exhausted; nothing is counted. */
static bool admit(const struct gjkd_http *http, const gjkd_ip *ip) {
    uint64_t hash;
    if (!gjkd_memory_take(GJKD_CHARGE_SMALL, connection_bytes(http))) {
        return false;
    }
    if (gjkd_quota_take(&http->context->security.connections, quota_key_of(http, ip, &hash)) ==
        GJKD_QUOTA_TAKEN) {
        return true;
    }
    gjkd_memory_give(GJKD_CHARGE_SMALL, connection_bytes(http));
    return false;
}

static void end_admission(const struct gjkd_http *http, const gjkd_ip *ip) {
    uint64_t hash;
    gjkd_memory_give(GJKD_CHARGE_SMALL, connection_bytes(http));
    gjkd_quota_give(&http->context->security.connections, quota_key_of(http, ip, &hash));
}

/*
 * Makes the entry of a connection that has begun: within MHD_add_connection or, since libmicrohttpd
 * 1.0, at the next MHD_run. The entry owns what `admit` has counted. Returns NULL if memory is
 * exhausted; the admission is ended.
 */
static void *begin_connection(struct gjkd_http *http, struct MHD_Connection *connection) {
    const struct sockaddr *peer =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
    const gjkd_ip ip = gjkd_ip_of(peer);
    struct gjkd_connection *entry =
        gjkd_connections_add(&http->connections, gjkd_fd_of(connection));
    http->is_arriving = false;
    if (entry == NULL) {
        end_admission(http, &ip);
        return NULL;
    }
    entry->ip = ip;
    entry->overdue_ns = uv_hrtime() + http->context->config->request_timeout_ms * 1000000;
    return entry;
}

void gjkd_http_refuse_connection(struct gjkd_http *http, int fd) {
    close(fd);
    gjkd_count(http->counters, GJKD_COUNT_CONNECTIONS_OPENED, 1);
    gjkd_count(http->counters, GJKD_COUNT_CONNECTIONS_REFUSED, 1);
    gjkd_count(http->counters, GJKD_COUNT_CONNECTIONS_CLOSED, 1);
}

void gjkd_http_take_connection(struct gjkd_http *http, int fd, const gjkd_address *peer) {
    gjkd_ip ip = gjkd_ip_of(&peer->any);
    if (!admit(http, &ip)) {
        gjkd_http_refuse_connection(http, fd);
        return;
    }
    http->is_arriving = true;
    if (MHD_add_connection(http->daemon, fd, &peer->any, peer->length) != MHD_YES &&
        http->is_arriving) {
        end_admission(http, &ip); /* libmicrohttpd had no memory for the connection */
    }
}

static gjkd_address peer_of(struct MHD_Connection *connection) {
    const struct sockaddr *name =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
    gjkd_address peer = {.length = name->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6)
                                                               : sizeof(struct sockaddr_in)};
    memcpy(&peer.storage, name, peer.length);
    return peer;
}

static void end_request(struct gjkd_exchange *exchange, struct MHD_Connection *connection,
                        uint64_t now_ns) {
    gjkd_late_body_forget(exchange);
    const gjkd_address peer = peer_of(connection);
    gjkd_exchange_note_end(exchange, &peer, now_ns);
    gjkd_event_stream_close(exchange);
    if (exchange->needs_lingering_close) {
        gjkd_lingering_close_start(&exchange->http->lingering_closes, gjkd_fd_of(connection));
    }
    gjkd_exchange_give_back(exchange);
}

static void on_connection(void *closure, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode code) {
    struct gjkd_http *http = closure;
    http->callbacks++;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        *context = begin_connection(http, connection);
        gjkd_count(http->counters, GJKD_COUNT_CONNECTIONS_OPENED, 1);
        return;
    }
    gjkd_count(http->counters, GJKD_COUNT_CONNECTIONS_CLOSED, 1);
    const struct gjkd_connection *entry = *context;
    if (entry != NULL && entry->exchange != NULL) {
        /* libmicrohttpd does not report the end of a request if it has no memory for a refusal of
         * its own. */
        end_request(entry->exchange, connection, uv_hrtime());
    }
    if (entry != NULL) {
        end_admission(http, &entry->ip);
    }
    gjkd_connections_remove(&http->connections, *context);
}

/* Called when the request line is complete. Returns the request's context, its exchange. NULL if
 * memory is exhausted. */
static void *on_target(void *closure, const char *target, struct MHD_Connection *connection) {
    struct gjkd_http *http = closure;
    struct gjkd_connection *entry = gjkd_connection_of(connection);
    http->callbacks++;
    if (entry == NULL) {
        return NULL; /* out of memory */
    }
    struct gjkd_exchange *exchange = gjkd_exchange_take(http);
    if (exchange == NULL ||
        !gjkd_request_set_target(&exchange->request, target != NULL ? target : "")) {
        if (exchange != NULL) {
            gjkd_exchange_give_back(exchange);
        }
        return NULL;
    }
    exchange->connection = connection;
    exchange->request.peer = entry->ip;
    entry->exchange = exchange;
    entry->overdue_ns = exchange->request.deadline_ns;
    gjkd_exchange_set_progress(exchange, GJKD_HEAD_DUE);
    if (gjkd_request_is_flooded(&exchange->request)) {
        /* Answers before libmicrohttpd parses the parameters. Without memory for them it would
         * close the connection without an answer, or leave it open. The method is not known
         * here. */
        exchange->request.head = gjkd_head_make(GJKD_GET);
        gjkd_request_begin(&exchange->request);
        gjkd_exchange_cut_off(exchange, SHUT_RDWR);
    }
    return exchange;
}

/*
 * Returns true if the value follows its name and a colon in the connection's buffer. If a header
 * line is folded it does not: libmicrohttpd before 1.0 joins the lines in another place.
 */
static bool is_one_line(const char *name, const char *value) {
    const char *at = name + strlen(name) + 1;
    if ((uintptr_t)value < (uintptr_t)at ||
        (uintptr_t)value - (uintptr_t)at > GJKD_FIELD_BYTES_MAX) {
        return false;
    }
    while (at < value && (*at == ' ' || *at == '\t')) {
        at++;
    }
    return at == value;
}

static enum MHD_Result on_field(void *closure, enum MHD_ValueKind kind, const char *name,
                                const char *value) {
    struct gjkd_exchange *exchange = closure;
    struct gjkd_request *request = &exchange->request;
    (void)kind;
    gjkd_head_add(&request->head, &request->arena, name, value != NULL ? value : "");
    if (exchange->http->merges_folds && value != NULL && !is_one_line(name, value)) {
        request->head.fault = "a header's line is folded";
    }
    return MHD_YES;
}

/* Refuses work if the loop lags. The request was ready when the current round began, and has waited
 * since. */
static void check_lag(struct gjkd_exchange *exchange) {
    struct gjkd_request *request = &exchange->request;
    const struct gjkd_http *http = exchange->http;
    bool is_work =
        request->reply.status == 0 && request->match.operation->cost->kind != GJKD_COST_NONE;
    if (is_work &&
        gjkd_exchange_recent_ns(exchange) - http->round_ns > GJKD_LAG_MAX_MS * UINT64_C(1000000)) {
        gjkd_count(http->counters, GJKD_COUNT_REJECTED + GJKD_REJECTED_LAG, 1);
        gjkd_request_fail(request, PROTO_OVERLOADED, "the daemon is more than %d ms behind",
                          GJKD_LAG_MAX_MS);
    }
}

static enum MHD_Result take_head(struct gjkd_exchange *exchange, const char *method) {
    struct gjkd_request *request = &exchange->request;
    request->head = gjkd_head_make(gjkd_method_find(method));
    MHD_get_connection_values(exchange->connection, MHD_HEADER_KIND, on_field, exchange);
    const bool is_over = strlen(request->target) + request->head.field_bytes > HEAD_BYTES_MAX;
    gjkd_request_begin(request);
    struct gjkd_connection *entry = gjkd_connection_of(exchange->connection);
    if (exchange->request.has_token && entry != NULL) {
        entry->has_token = true;
        entry->token = exchange->request.token;
    }
    check_lag(exchange);
    exchange->stage = GJKD_STAGE_BODY;
    gjkd_exchange_set_progress(exchange, GJKD_BODY_DUE);
    if (request->reply.status != 0 && is_over) {
        /* The head has left libmicrohttpd no memory for a reply. */
        exchange->stage = GJKD_STAGE_DONE;
        exchange->needs_lingering_close = true;
        (void)gjkd_direct_reply_send(exchange);
        return MHD_NO;
    }
    bool body_follows = gjkd_head_has_body(&request->head) || request->head.fault != NULL;
    if (request->reply.status != 0 && body_follows &&
        (request->reply.close || request->head.wants_continue)) {
        exchange->stage = GJKD_STAGE_DONE;
        exchange->needs_lingering_close = true;
        gjkd_exchange_set_progress(exchange, GJKD_ANSWERING);
        request->reply.close = true;
        return gjkd_exchange_queue_reply(exchange);
    }
    if (body_follows) {
        gjkd_late_body_await(exchange);
    }
    return MHD_YES;
}

static enum MHD_Result take_body(struct gjkd_exchange *exchange, const char *data, size_t *size) {
    if (!gjkd_request_take_body(&exchange->request, data, *size)) {
        exchange->needs_lingering_close = true;
        return MHD_NO;
    }
    *size = 0;
    return MHD_YES;
}

/* NOLINTNEXTLINE(readability-function-size): the parameters are libmicrohttpd's choice */
static void on_upgraded(void *closure, struct MHD_Connection *connection, void *context,
                        const char *early, size_t early_bytes, MHD_socket fd,
                        struct MHD_UpgradeResponseHandle *upgraded) {
    const gjkd_address peer = peer_of(connection);
    const gjkd_upgrade upgrade = {
        .exchange = closure,
        .upgraded = upgraded,
        .peer = &peer,
        .fd = fd,
        .early = {early, early_bytes},
    };
    (void)context;
    gjkd_stream_begin(&upgrade);
}

/* Answers 101, after which the connection is a stream. */
static enum MHD_Result upgrade(struct gjkd_exchange *exchange) {
    struct MHD_Response *response = MHD_create_response_for_upgrade(on_upgraded, exchange);
    if (response == NULL) {
        return MHD_NO;
    }
    gjkd_response_add_fields(&exchange->request, response);
    enum MHD_Result result =
        MHD_queue_response(exchange->connection, MHD_HTTP_SWITCHING_PROTOCOLS, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result reply(struct gjkd_exchange *exchange) {
    exchange->stage = GJKD_STAGE_DONE;
    if (exchange->request.reply.watch != NULL) {
        gjkd_event_stream_begin(exchange);
    }
    return exchange->request.reply.accept_key != NULL ? upgrade(exchange)
                                                      : gjkd_exchange_queue_reply(exchange);
}

static enum MHD_Result take_end(struct gjkd_exchange *exchange) {
    gjkd_late_body_forget(exchange);
    gjkd_exchange_set_progress(exchange, GJKD_ANSWERING);
    if (!gjkd_exchange_try(exchange)) {
        exchange->stage = GJKD_STAGE_READY;
        return MHD_YES;
    }
    return reply(exchange);
}

/* NOLINTNEXTLINE(readability-function-size): the parameters are libmicrohttpd's choice */
static enum MHD_Result on_request(void *closure, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *size, void **context) {
    struct gjkd_exchange *exchange = exchange_of(context);
    (void)connection, (void)url, (void)version;
    ((struct gjkd_http *)closure)->callbacks++;
    if (exchange == NULL) {
        return MHD_NO; /* memory for an exchange was exhausted */
    }
    switch (exchange->stage) {
    case GJKD_STAGE_HEAD:
        return take_head(exchange, method);
    case GJKD_STAGE_BODY:
        return *size > 0 ? take_body(exchange, data, size) : take_end(exchange);
    case GJKD_STAGE_READY:
        /*
         * libmicrohttpd calls again, as the end of the request brought no reply. Only now does it
         * know that there is nothing to read. If the connection were suspended earlier, it would
         * take a client that has shut its sending side for a disconnected one.
         */
        return gjkd_exchange_hand_off(exchange) ? MHD_YES : reply(exchange);
    case GJKD_STAGE_WORKING:
        return MHD_YES;
    case GJKD_STAGE_DONE:
        return reply(exchange);
    case GJKD_STAGE_CUT_OFF:
        return *size > 0 ? take_body(exchange, data, size) : MHD_NO;
    }
    return MHD_NO;
}

static void on_completed(void *closure, struct MHD_Connection *connection, void **context,
                         enum MHD_RequestTerminationCode code) {
    struct gjkd_http *http = closure;
    struct gjkd_exchange *exchange = exchange_of(context);
    (void)code;
    *context = NULL;
    const uint64_t now_ns = exchange != NULL ? gjkd_exchange_recent_ns(exchange) : uv_hrtime();
    struct gjkd_connection *entry = gjkd_connection_of(connection);
    if (entry != NULL) {
        entry->exchange = NULL;
        entry->overdue_ns = now_ns + GJKD_IDLE_TIMEOUT_S * UINT64_C(1000000000);
    }
    gjkd_connections_set_progress(&http->connections, entry, GJKD_IDLE);
    if (exchange == NULL) {
        return;
    }
    end_request(exchange, connection, now_ns);
}

/* Does not unescape the target: the path is unescaped segment by segment after it is split. */
static size_t leave_escaped(void *closure, struct MHD_Connection *connection, char *text) {
    (void)closure, (void)connection;
    return strlen(text);
}

/*
 * Ends a stream or an event stream, and gives other connections a short timeout. If libmicrohttpd
 * has no memory for a refusal and the previous request of the connection was suspended, it forgets
 * to close the connection, and no epoll event follows; a timeout of its own is checked in each run.
 */
static void expire_soon(struct gjkd_connection *entry) {
    if (entry->progress == GJKD_STREAMING) {
        if (entry->revoked) {
            gjkd_stream_revoke(entry->stream);
        } else {
            gjkd_stream_drain(entry->stream);
        }
        return;
    }
    if (entry->progress == GJKD_WATCHING) {
        gjkd_event_stream_end(entry->exchange);
        return;
    }
    if (entry->exchange != NULL && entry->exchange->connection != NULL) {
        MHD_set_connection_option(entry->exchange->connection, MHD_CONNECTION_OPTION_TIMEOUT,
                                  ENDED_TIMEOUT_S);
    }
}

/* --- Starting and stopping --- */

/* Strictest parsing that does not break ordinary clients. From level 1 on, libmicrohttpd 1.0
 * refuses folded header lines; with older versions on_field refuses them. */
#if MHD_VERSION >= 0x01000000
#define STRICT_OPTION MHD_OPTION_CLIENT_DISCIPLINE_LVL
#else
#define STRICT_OPTION MHD_OPTION_STRICT_FOR_CLIENT
#endif

bool gjkd_http_start(struct gjkd_http *http) {
    struct MHD_OptionItem tls[3] = {{MHD_OPTION_END, 0, NULL}};
    unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET;
    if (http->context->security.tls != NULL) {
        gnutls_certificate_retrieve_function3 *callback = gjkd_tls_on_handshake;
        tls[0] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_PRIORITIES, 0,
                                         (void *)(uintptr_t)GJKD_TLS_PRIORITIES};
        tls[1] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_CERT_CALLBACK2, 0, NULL};
        memcpy(&tls[1].ptr_value, &callback, sizeof callback);
        tls[2] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};
        flags |= MHD_USE_TLS;
    } else {
        flags |= MHD_ALLOW_UPGRADE;
    }
    http->merges_folds = MHD_get_version()[0] == '0';
    http->lingering_closes.uv = http->uv;
    gjkd_event_streams_init(http);
    http->connections.ended = expire_soon;
    http->daemon =
        MHD_start_daemon(flags, 0, NULL, NULL, on_request, http, MHD_OPTION_ARRAY, tls,
                         MHD_OPTION_CONNECTION_LIMIT,
                         (unsigned)http->context->config->max_connections,
                         MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)GJKD_IDLE_TIMEOUT_S,
                         MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
                         MHD_OPTION_NOTIFY_CONNECTION, on_connection, http,
                         MHD_OPTION_URI_LOG_CALLBACK, on_target, http, MHD_OPTION_NOTIFY_COMPLETED,
                         on_completed, http, MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped, http,
                         STRICT_OPTION, 1, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
    return http->daemon != NULL;
}

uint64_t gjkd_http_sweep(struct gjkd_http *http) {
    uint64_t body_ms = gjkd_late_bodies_sweep(http);
    uint64_t work_ms = gjkd_exchanges_sweep(http);
    uint64_t now_ns = uv_hrtime();
    const bool ends_reading = gjkd_exchanges_sweep_reading(http);
    if (ends_reading || http->connections.closing || now_ns - http->swept_ns > SWEEP_PAUSE_NS) {
        http->swept_ns = now_ns;
        gjkd_hub_send_comments(&http->hub, now_ns);
        gjkd_streams_sweep(http);
        if (gjkd_connections_sweep(&http->connections, now_ns) > 0) {
            http->request_run(http);
        }
    }
    return body_ms < work_ms ? body_ms : work_ms;
}

void gjkd_http_end_revoked(struct gjkd_http *http) {
    struct gjkd_keyring *keyring = http->context->security.keyring;
    struct gjkd_connection *at;
    LIST_FOREACH (at, &http->connections.list, link) {
        at->revoked = at->has_token && !gjkd_keyring_has(keyring, &at->token);
    }
    if (gjkd_connections_sweep(&http->connections, uv_hrtime()) > 0) {
        http->request_run(http);
    }
    gjkd_hub_check_tokens(&http->hub);
}

void gjkd_http_end_event_streams(struct gjkd_http *http) {
    struct gjkd_connection *at;
    LIST_FOREACH (at, &http->connections.list, link) {
        if (at->progress == GJKD_WATCHING) {
            gjkd_event_stream_end(at->exchange);
        }
    }
}

void gjkd_http_close(struct gjkd_http *http) {
    http->connections.closing = true;
    gjkd_http_sweep(http);
}

bool gjkd_http_has_handshakes(const struct gjkd_http *http) {
    return http->context->security.tls != NULL && http->connections.fresh > 0;
}

bool gjkd_http_has_clients(const struct gjkd_http *http) {
    return http->connections.count > 0 || http->lingering_closes.count > 0;
}

bool gjkd_http_is_busy(const struct gjkd_http *http) {
    return gjkd_http_has_clients(http) || !LIST_EMPTY(&http->working) ||
           gjkd_hub_is_busy(&http->hub);
}

void gjkd_http_stop(struct gjkd_http *http) {
    gjkd_hub_stop(&http->hub);
    MHD_stop_daemon(http->daemon);
    http->daemon = NULL;
    gjkd_exchanges_free(http);
}
