#ifndef GJKD_CLUSTER_CONNECTION_H
#define GJKD_CLUSTER_CONNECTION_H

/*
 * Connection to the NATS servers. cnats restores a lost connection, but gives up for good once a
 * server has refused the credentials twice, and does not say why a first connection fails. So this
 * module makes the first connection itself, in repeated attempts, and a new one whenever cnats has
 * given up: a node recovers after its credentials are corrected. Thread-safe.
 */

#include <nats/nats.h>
#include <stdbool.h>

#define GJKD_CONNECTION_ERROR_MAX 512

struct gjkd_connection;

typedef struct gjkd_connection_setup {
    const char *urls;       /* separated by commas */
    const char *node;       /* name that the servers show to their operator */
    const char *creds, *ca; /* files; "": none */
    /* Called with a new connection before its first use, to make subscriptions. If it returns
     * false, the connection is dropped and tried again. */
    bool (*on_made)(void *user, natsConnection *made);
    void (*on_change)(void *user, bool is_up); /* on any thread; may repeat the same state */
    void *user;
} gjkd_connection_setup;

/* Checks the settings without connecting. The texts of the setup must outlive the connection.
 * Returns NULL if the settings are wrong: error says why. */
struct gjkd_connection *gjkd_connection_new(const gjkd_connection_setup *setup,
                                            char error[GJKD_CONNECTION_ERROR_MAX]);

/* Closes the connection: later calls fail. */
void gjkd_connection_close(struct gjkd_connection *connection);

/* Release the connection once nobody uses it. Threads of cnats may call back until they have ended,
 * so call _end, wait for these threads, then call _free. NULL is allowed. */
void gjkd_connection_end(struct gjkd_connection *connection);
void gjkd_connection_free(struct gjkd_connection *connection);

/* Connects if there is no connection or cnats has given up. To be called by one thread only. Waits
 * up to about two seconds for each server. */
void gjkd_connection_mend(struct gjkd_connection *connection);

bool gjkd_connection_is_up(const struct gjkd_connection *connection);

/* Explains why the connection is down. Returns a constant text for clients, NULL if nothing has
 * failed so far; detail receives the text for the log, with the remedy. */
const char *gjkd_connection_trouble(struct gjkd_connection *connection,
                                    char detail[GJKD_CONNECTION_ERROR_MAX]);

/* Return the newest connection and its JetStream context, or NULL if there is none yet. Both stay
 * valid until gjkd_connection_end. */
natsConnection *gjkd_connection_nats(struct gjkd_connection *connection);
jsCtx *gjkd_connection_streams(struct gjkd_connection *connection);

#endif
