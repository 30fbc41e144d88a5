/*
 * A connection that cnats has given up is closed but kept until the end: calls that still use it
 * fail, and nobody needs a lock to use the newest one. There is one for each time that the
 * credentials failed.
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

/* Minimum time between attempts after the servers have refused the credentials. */
#define REFUSED_PAUSE_NS UINT64_C(2000000000)

/* Texts for clients, without details that are only for the operator. */
#define NO_SERVER "waiting for NATS: no server of it answers"
#define NO_CREDENTIALS "NATS refuses the credentials of this node"
#define NO_TLS "TLS with NATS fails"
#define NO_CONNECTION "no connection to NATS can be made"

struct made {
    struct made *before; /* next older connection */
    natsConnection *nats;
    jsCtx *streams;
};

struct gjkd_connection {
    gjkd_connection_setup setup;
    natsOptions *options;
    struct made *_Atomic newest;
    atomic_bool is_up, is_closed;
    uint64_t refused_ns; /* time of the last attempt if its credentials were refused; else 0 */
    pthread_mutex_t trouble_lock; /* guards the following fields */
    const char *trouble;
    char detail[GJKD_CONNECTION_ERROR_MAX];
};

/* --- Settings --- */

/* Sets the URLs, which are separated in a copy of their text. */
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

/* Reads the current state, since callbacks come late and on another thread. Callbacks of an earlier
 * connection are ignored. */
static void on_change(natsConnection *nats, void *closure) {
    struct gjkd_connection *connection = closure;
    if (nats == gjkd_connection_nats(connection)) {
        const bool is_up = natsConnection_Status(nats) == NATS_CONN_STATUS_CONNECTED;
        atomic_store(&connection->is_up, is_up);
        connection->setup.on_change(connection->setup.user, is_up);
    }
}

/* Ignores errors, since the calls that cause them return them, too. */
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
        natsOptions_SetNoEcho(o, true), /* a node does not receive its own ticks */
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

static void note_failure(struct gjkd_connection *connection, natsStatus status, const char *why) {
    const char *reason = why != NULL && why[0] != '\0' ? why : natsStatus_GetText(status);
    const char *behind_place = reason[0] == '(' ? strstr(reason, "): ") : NULL; /* of cnats */
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

/* --- Connecting --- */

static natsStatus connect_once(struct gjkd_connection *connection, struct made *made) {
    jsOptions options;
    natsStatus status = natsConnection_Connect(&made->nats, connection->options);
    if (status != NATS_OK) {
        return status;
    }
    jsOptions_Init(&options);
    options.Wait = WAIT_MS;
    status = natsConnection_JetStream(&made->streams, made->nats, &options);
    const gjkd_connection_setup *setup = &connection->setup;
    return status == NATS_OK && !setup->on_made(setup->user, made->nats) ? NATS_ERR : status;
}

static void free_made(struct made *made) {
    jsCtx_Destroy(made->streams);
    natsConnection_Destroy(made->nats);
    free(made);
}

/* Returns true if cnats has not given up the connection. */
static bool is_still_open(struct gjkd_connection *connection) {
    const char *why = "";
    natsConnection *nats = gjkd_connection_nats(connection);
    const bool is_kept = nats != NULL && !natsConnection_IsClosed(nats);
    const bool is_up = is_kept && natsConnection_Status(nats) == NATS_CONN_STATUS_CONNECTED;
    if (is_kept && !is_up) {
        note_failure(connection, natsConnection_GetLastError(nats, &why), NULL);
    }
    if (is_kept && is_up != atomic_load(&connection->is_up)) {
        on_change(nats, connection); /* callbacks of two changes came in the wrong order */
    }
    return is_kept;
}

void gjkd_connection_mend(struct gjkd_connection *connection) {
    if (atomic_load(&connection->is_closed) || is_still_open(connection) ||
        (connection->refused_ns != 0 && uv_hrtime() - connection->refused_ns < REFUSED_PAUSE_NS)) {
        return;
    }
    struct made *made = calloc(1, sizeof *made);
    const natsStatus status = made != NULL ? connect_once(connection, made) : NATS_NO_MEMORY;
    connection->refused_ns = status == NATS_CONNECTION_AUTH_FAILED ? uv_hrtime() : 0;
    if (status == NATS_OK) {
        made->before = atomic_load(&connection->newest);
        atomic_store(&connection->newest, made);
        forget_trouble(connection);
        if (atomic_load(&connection->is_closed)) {
            natsConnection_Close(made->nats);
        }
        on_change(made->nats, connection);
    } else {
        note_failure(connection, status, nats_GetLastError(NULL));
        if (made != NULL) {
            free_made(made);
        }
    }
}

/* --- Use --- */

bool gjkd_connection_is_up(const struct gjkd_connection *connection) {
    return atomic_load(&connection->is_up);
}

natsConnection *gjkd_connection_nats(struct gjkd_connection *connection) {
    const struct made *made = atomic_load(&connection->newest);
    return made != NULL ? made->nats : NULL;
}

jsCtx *gjkd_connection_streams(struct gjkd_connection *connection) {
    const struct made *made = atomic_load(&connection->newest);
    return made != NULL ? made->streams : NULL;
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
    natsConnection_Close(gjkd_connection_nats(connection));
}

void gjkd_connection_end(struct gjkd_connection *connection) {
    struct made *made = connection != NULL ? atomic_exchange(&connection->newest, NULL) : NULL;
    while (made != NULL) {
        struct made *before = made->before;
        free_made(made);
        made = before;
    }
}

void gjkd_connection_free(struct gjkd_connection *connection) {
    if (connection == NULL) {
        return;
    }
    natsOptions_Destroy(connection->options);
    pthread_mutex_destroy(&connection->trouble_lock);
    free(connection);
}
