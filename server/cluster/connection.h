#ifndef GJKD_CLUSTER_CONNECTION_H
#define GJKD_CLUSTER_CONNECTION_H

/*
 * A connection to the servers of NATS. cnats makes a lost one again by itself, but gives it up for
 * good when a server has refused its credentials twice, and says nothing of why the first one
 * cannot be had. So it is made here, one try after the other, and again where it was given up: with
 * credentials that are set right meanwhile the node goes on. Thread-safe.
 */

#include <nats/nats.h>
#include <stdbool.h>

#define GJKD_CONNECTION_ERROR_MAX 512

struct gjkd_connection;

typedef struct gjkd_connection_setup {
    const char *urls;       /* separated by commas */
    const char *node;       /* as the servers show it to their operator */
    const char *creds, *ca; /* files; "": none */
    /* There is a new one, before it is used: its subscriptions. False: it is made again. */
    bool (*on_made)(void *user, natsConnection *made);
    void (*on_change)(void *user, bool is_up); /* on any thread; more than once for one change */
    void *user;
} gjkd_connection_setup;

/* Checks the settings, whose texts live as long as it, and connects to nobody yet. NULL: error says
 * what is wrong with them. */
struct gjkd_connection *gjkd_connection_new(const gjkd_connection_setup *setup,
                                            char error[GJKD_CONNECTION_ERROR_MAX]);

/* Closes the connection: calls fail from now on. */
void gjkd_connection_close(struct gjkd_connection *connection);

/* Lets it go, once nobody uses it. Threads of cnats may still call what they were given until they
 * have ended, so all ends before anything is freed. NULL is allowed. */
void gjkd_connection_end(struct gjkd_connection *connection);
void gjkd_connection_free(struct gjkd_connection *connection);

/* Makes it, if there is none or cnats has given it up; for one thread. Waits for the servers: about
 * two seconds for each. */
void gjkd_connection_mend(struct gjkd_connection *connection);

bool gjkd_connection_is_up(const struct gjkd_connection *connection);

/* Tells why the connection is not up. Returns a constant text for clients, NULL if it has not been
 * tried yet; detail gets the text for the log, with the remedy. */
const char *gjkd_connection_trouble(struct gjkd_connection *connection,
                                    char detail[GJKD_CONNECTION_ERROR_MAX]);

/* Return the newest connection, and the context for calls of its streams; NULL: there is none yet. Both stay
 * valid until gjkd_connection_end. */
natsConnection *gjkd_connection_nats(struct gjkd_connection *connection);
jsCtx *gjkd_connection_streams(struct gjkd_connection *connection);

#endif
