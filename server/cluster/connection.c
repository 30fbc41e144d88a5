/*
 * Callers hold a lock for readers. The thread that reconnects takes the lock for writers only to
 * replace the old connection. Calls on an abandoned connection fail at once, so it need not wait
 * for them.
 */

#include "cluster/connection.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define SERVERS_MAX 16

#define WAIT_MS 2000
#define RECONNECT_MS 100
#define PING_MS 1000
#define PINGS_OUT 2

/* Servers that refuse the node's credentials are not asked more often. */
#define REFUSED_PAUSE_NS UINT64_C(2000000000)

/* Texts for clients, without what only the operator should know. */
#define NO_SERVER "waiting for NATS: no server of it answers"
#define NO_CREDENTIALS "NATS refuses the credentials of this node"
#define NO_TLS "TLS with NATS fails"
#define NO_CONNECTION "no connection to NATS can be made"

struct gjkd_connection {
    gjkd_connection_setup setup;
    natsOptions *options;
    pthread_rwlock_t lock; /* of the next two */
    natsConnection *nats;
    jsCtx *streams;
    atomic_bool is_up, is_closed;
    uint64_t refused_ns; /* when the credentials were refused the last time; 0: they were not */
    pthread_mutex_t trouble_lock; /* of what follows */
    const char *trouble;
    char detail[GJKD_CONNECTION_ERROR_MAX];
};

/* --- Settings --- */

/* The URLs one by one, in a copy of their text. */
static natsStatus set_servers(natsOptions *options, const char *urls) {
    const char *servers[SERVERS_MAX];
    int count = 0;
    char *copy = strdup(urls), *rest = NULL;
    if (copy == NULL) {
        return NATS_NO_MEMORY;
    }
    for (char *at = strtok_r(copy, ", ", &rest); at != NULL && count < SERVERS_MAX;
         at = strtok_r(NULL, ", ", &rest)) {
        servers[count++] = at;
    }
    const natsStatus status =
        count > 0 ? natsOptions_SetServers(options, servers, count) : NATS_INVALID_ARG;
    free(copy);
    return status;
}

static natsStatus set_security(natsOptions *options, const gjkd_connection_setup *setup) {
    natsStatus status = NATS_OK;
    if (setup->ca[0] != '\0') {
        status = natsOptions_SetSecure(options, true);
        status =
            status == NATS_OK ? natsOptions_LoadCATrustedCertificates(options, setup->ca) : status;
    }
    if (status == NATS_OK && setup->creds[0] != '\0') {
        status = natsOptions_SetUserCredentialsFromFiles(options, setup->creds, NULL);
    }
    return status;
}

/* Reads the state as it is now: callbacks come on another thread, and may be of an earlier
 * connection. */
static void note(struct gjkd_connection *connection) {
    pthread_rwlock_rdlock(&connection->lock);
    const bool is_up = connection->nats != NULL &&
                       natsConnection_Status(connection->nats) == NATS_CONN_STATUS_CONNECTED;
    atomic_store(&connection->is_up, is_up);
    pthread_rwlock_unlock(&connection->lock);
    connection->setup.on_change(connection->setup.user, is_up);
}

static void on_change(natsConnection *nats, void *closure) {
    (void)nats;
    note(closure);
}

/* Ignores errors: the calls that they belong to return them. */
static void on_error(natsConnection *nats, natsSubscription *subscription, natsStatus error,
                     void *closure) {
    (void)nats;
    (void)subscription;
    (void)error;
    (void)closure;
}

static natsStatus set_options(struct gjkd_connection *connection) {
    natsOptions *o = connection->options;
    const natsStatus all[] = {
        set_servers(o, connection->setup.urls),
        set_security(o, &connection->setup),
        natsOptions_SetName(o, connection->setup.node),
        natsOptions_SetTimeout(o, WAIT_MS),
        natsOptions_SetMaxReconnect(o, -1),
        natsOptions_SetReconnectWait(o, RECONNECT_MS),
        natsOptions_SetReconnectJitter(o, RECONNECT_MS, RECONNECT_MS),
        natsOptions_SetPingInterval(o, PING_MS),
        natsOptions_SetMaxPingsOut(o, PINGS_OUT),
        natsOptions_SetSendAsap(o, true),
        natsOptions_SetFailRequestsOnDisconnect(o, true),
        natsOptions_SetNoEcho(o, true), /* of ticks */
        natsOptions_SetWriteDeadline(o, WAIT_MS),
        natsOptions_SetErrorHandler(o, on_error, NULL),
        natsOptions_SetDisconnectedCB(o, on_change, connection),
        natsOptions_SetClosedCB(o, on_change, connection),
        natsOptions_SetReconnectedCB(o, on_change, connection),
    };
    natsStatus status = NATS_OK;
    for (size_t i = 0; i < sizeof all / sizeof all[0] && status == NATS_OK; i++) {
        status = all[i];
    }
    return status;
}

/* --- Trouble --- */

static void note_trouble(struct gjkd_connection *connection, const char *what, const char *why,
                         const char *remedy) {
    pthread_mutex_lock(&connection->trouble_lock);
    connection->trouble = what;
    snprintf(connection->detail, sizeof connection->detail, "%s%s%.300s%s%s", what,
             why[0] != '\0' ? ": " : "", why, remedy[0] != '\0' ? ": " : "", remedy);
    pthread_mutex_unlock(&connection->trouble_lock);
}

static void forget_trouble(struct gjkd_connection *connection) {
    pthread_mutex_lock(&connection->trouble_lock);
    connection->trouble = NULL;
    pthread_mutex_unlock(&connection->trouble_lock);
}

static void explain(struct gjkd_connection *connection, natsStatus status, const char *why) {
    const char *reason = why != NULL && why[0] != '\0' ? why : natsStatus_GetText(status);
    const char *behind_place = reason[0] == '(' ? strstr(reason, "): ") : NULL; /* in cnats */
    reason = behind_place != NULL ? behind_place + strlen("): ") : reason;
    switch (status) {
    case NATS_NO_SERVER:
    case NATS_TIMEOUT:
    case NATS_OK:
        note_trouble(connection, NO_SERVER, "", "");
        break;
    case NATS_CONNECTION_AUTH_FAILED:
    case NATS_NOT_PERMITTED:
        note_trouble(connection, NO_CREDENTIALS, reason,
                     "set right those in the URLs of --nats, or the file of --nats-creds");
        break;
    case NATS_SSL_ERROR:
    case NATS_SECURE_CONNECTION_WANTED:
    case NATS_SECURE_CONNECTION_REQUIRED:
        note_trouble(connection, NO_TLS, reason,
                     "--nats-ca is to be the file of the authority that has signed theirs");
        break;
    default:
        note_trouble(connection, NO_CONNECTION, reason,
                     connection->setup.creds[0] != '\0' ? "see --nats-creds" : "see --nats");
        break;
    }
}

const char *gjkd_connection_trouble(struct gjkd_connection *connection,
                                    char detail[GJKD_CONNECTION_ERROR_MAX]) {
    pthread_mutex_lock(&connection->trouble_lock);
    const char *what = connection->trouble;
    snprintf(detail, GJKD_CONNECTION_ERROR_MAX, "%s", connection->detail);
    pthread_mutex_unlock(&connection->trouble_lock);
    return what;
}

/* --- Making it --- */

static natsStatus make(struct gjkd_connection *connection, natsConnection **nats, jsCtx **streams) {
    jsOptions options;
    natsStatus status = natsConnection_Connect(nats, connection->options);
    if (status != NATS_OK) {
        return status;
    }
    jsOptions_Init(&options);
    options.Wait = WAIT_MS;
    status = natsConnection_JetStream(streams, *nats, &options);
    const gjkd_connection_setup *setup = &connection->setup;
    return status == NATS_OK && !setup->on_made(setup->user, *nats) ? NATS_ERR : status;
}

static void release(natsConnection *nats, jsCtx *streams) {
    jsCtx_Destroy(streams);
    natsConnection_Destroy(nats);
}

/* Puts the new one in the place of the old. */
static void replace(struct gjkd_connection *connection, natsConnection *nats, jsCtx *streams) {
    pthread_rwlock_wrlock(&connection->lock);
    natsConnection *const old = connection->nats;
    jsCtx *const old_streams = connection->streams;
    connection->nats = nats;
    connection->streams = streams;
    forget_trouble(connection);
    if (atomic_load(&connection->is_closed)) {
        natsConnection_Close(nats);
    }
    pthread_rwlock_unlock(&connection->lock);
    release(old, old_streams);
    note(connection);
}

/* Returns true if cnats still keeps the connection. */
static bool is_kept(struct gjkd_connection *connection) {
    const char *why = "";
    pthread_rwlock_rdlock(&connection->lock);
    const bool is_kept = connection->nats != NULL && !natsConnection_IsClosed(connection->nats);
    if (is_kept && !atomic_load(&connection->is_up)) {
        const natsStatus status = natsConnection_GetLastError(connection->nats, &why);
        explain(connection, status, NULL);
    }
    pthread_rwlock_unlock(&connection->lock);
    return is_kept;
}

void gjkd_connection_mend(struct gjkd_connection *connection) {
    natsConnection *nats = NULL;
    jsCtx *streams = NULL;
    if (atomic_load(&connection->is_closed) || is_kept(connection) ||
        (connection->refused_ns != 0 && uv_hrtime() - connection->refused_ns < REFUSED_PAUSE_NS)) {
        return;
    }
    const natsStatus status = make(connection, &nats, &streams);
    connection->refused_ns = status == NATS_CONNECTION_AUTH_FAILED ? uv_hrtime() : 0;
    if (status == NATS_OK) {
        replace(connection, nats, streams);
    } else {
        explain(connection, status, nats_GetLastError(NULL));
        release(nats, streams);
    }
}

/* --- Use --- */

bool gjkd_connection_is_up(const struct gjkd_connection *connection) {
    return atomic_load(&connection->is_up);
}

natsConnection *gjkd_connection_hold(struct gjkd_connection *connection) {
    pthread_rwlock_rdlock(&connection->lock);
    return connection->nats;
}

jsCtx *gjkd_connection_hold_streams(struct gjkd_connection *connection) {
    pthread_rwlock_rdlock(&connection->lock);
    return connection->streams;
}

void gjkd_connection_let_go(struct gjkd_connection *connection) {
    pthread_rwlock_unlock(&connection->lock);
}

/* --- Life --- */

struct gjkd_connection *gjkd_connection_new(const gjkd_connection_setup *setup,
                                            char error[GJKD_CONNECTION_ERROR_MAX]) {
    struct gjkd_connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL) {
        snprintf(error, GJKD_CONNECTION_ERROR_MAX, "--nats: out of memory");
        return NULL;
    }
    connection->setup = *setup;
    pthread_rwlock_init(&connection->lock, NULL);
    pthread_mutex_init(&connection->trouble_lock, NULL);
    natsStatus status = natsOptions_Create(&connection->options);
    status = status == NATS_OK ? set_options(connection) : status;
    if (status != NATS_OK) {
        snprintf(error, GJKD_CONNECTION_ERROR_MAX, "--nats: %.120s", natsStatus_GetText(status));
        gjkd_connection_free(connection);
        return NULL;
    }
    return connection;
}

void gjkd_connection_close(struct gjkd_connection *connection) {
    atomic_store(&connection->is_closed, true);
    pthread_rwlock_rdlock(&connection->lock);
    natsConnection_Close(connection->nats);
    pthread_rwlock_unlock(&connection->lock);
}

void gjkd_connection_end(struct gjkd_connection *connection) {
    if (connection == NULL) {
        return;
    }
    pthread_rwlock_wrlock(&connection->lock); /* a thread of cnats may look at its state */
    natsConnection *const nats = connection->nats;
    jsCtx *const streams = connection->streams;
    connection->nats = NULL;
    connection->streams = NULL;
    pthread_rwlock_unlock(&connection->lock);
    release(nats, streams);
}

void gjkd_connection_free(struct gjkd_connection *connection) {
    if (connection == NULL) {
        return;
    }
    natsOptions_Destroy(connection->options);
    pthread_mutex_destroy(&connection->trouble_lock);
    pthread_rwlock_destroy(&connection->lock);
    free(connection);
}
