#ifndef GJKD_EXCHANGE_H
#define GJKD_EXCHANGE_H

/*
 * One request on a connection of libmicrohttpd's, and what can be done with it: answer it, hand
 * it to the workers, give up waiting for them. All on the thread of the loop that owns it.
 *
 * A request at a worker is suspended, so the daemon touches neither it nor its memory. When
 * its deadline passes there, another exchange stands in for it on the connection with the
 * answer 504, and the first one is recycled when its worker is done with it.
 */

#include "crew.h"
#include "http.h"

#include <microhttpd.h>

enum gjkd_stage {
    GJKD_STAGE_HEAD,    /* the target is known */
    GJKD_STAGE_BODY,    /* the head is known */
    GJKD_STAGE_PAUSED,  /* complete, and a worker is to run it */
    GJKD_STAGE_WORKING, /* at a worker */
    GJKD_STAGE_DONE,    /* the reply is there */
};

/* One request on a connection. */
struct gjkd_exchange {
    struct gjkd_crew crew; /* first: crews are cast back */
    struct gjkd_job job;
    struct gjkd_http *http;
    struct MHD_Connection *connection;     /* NULL: another one stands in for it */
    struct gjkd_exchange *stand_in;        /* to take its place at the next callback */
    struct gjkd_exchange *next, *previous; /* among the spare or the working ones */
    enum gjkd_stage stage;
    bool lingers; /* bytes of the body may still come when the connection ends */
};

/* One for a request that begins, without a connection yet; NULL: out of memory. */
struct gjkd_exchange *gjkd_exchange_take(struct gjkd_http *http);

/* The request is over: its memory is kept for another one, or freed. */
void gjkd_exchange_give_back(struct gjkd_exchange *exchange);

/* Frees those that are kept. */
void gjkd_exchanges_free(struct gjkd_http *http);

void gjkd_exchange_set_progress(const struct gjkd_exchange *exchange, gjkd_progress progress);

/* Sends the job's reply. */
enum MHD_Result gjkd_exchange_queue_reply(struct gjkd_exchange *exchange);

/* To the workers; the connection is suspended. False: the queue is full, and the job is refused. */
bool gjkd_exchange_hand_off(struct gjkd_exchange *exchange);

/* Answers 504 where time is up for a request at a worker, and ends the work for clients that are
 * gone. Returns in how many milliseconds it wants to be called again, at the latest. */
uint64_t gjkd_exchanges_sweep(struct gjkd_http *http);

/* The socket, and the entry among the loop's connections (NULL: there was no memory for one). */
int gjkd_fd_of(struct MHD_Connection *connection);
struct gjkd_connection *gjkd_connection_of(struct MHD_Connection *connection);

#endif
