#ifndef GJKD_HTTP_EXCHANGE_H
#define GJKD_HTTP_EXCHANGE_H

/*
 * One request on a connection of libmicrohttpd's, and what can be done with it: answer it, hand
 * it to the workers, give up waiting for them. All on the thread of the loop that owns it.
 *
 * A request at a worker is suspended, so the daemon touches neither it nor its memory. When
 * its deadline passes there, another exchange stands in for it on the connection with the
 * answer 504, and the first one is recycled when its worker is done with it.
 *
 * When it passes before the body is there, the daemon takes no reply: it wants the body first. The
 * answer is then written past it, and what still comes of the body is thrown away.
 */

#include "http/http.h"
#include "work/task_group.h"

#include <microhttpd.h>

enum gjkd_stage {
    GJKD_STAGE_HEAD,    /* the target is known */
    GJKD_STAGE_BODY,    /* the head is known */
    GJKD_STAGE_PAUSED,  /* complete, and a worker is to run it */
    GJKD_STAGE_WORKING, /* at a worker */
    GJKD_STAGE_DONE,    /* the reply is there */
    GJKD_STAGE_CUT,     /* the reply is sent, though the body is not there */
};

/* One request on a connection. */
struct gjkd_exchange {
    struct gjkd_task_group group; /* first: crews are cast back */
    struct gjkd_request request;
    struct gjkd_http *http;
    struct MHD_Connection *connection;     /* NULL: another one stands in for it */
    struct gjkd_exchange *stand_in;        /* to take its place at the next callback */
    struct gjkd_exchange *next, *previous; /* among the spare, the due or the working ones */
    struct gjkd_exchange **list;           /* which of the last two; NULL: neither */
    enum gjkd_stage stage;
    bool is_late; /* the body is, and the daemon has one more turn */
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

/* The head is there and a body is to follow: by the deadline. */
void gjkd_exchange_await_body(struct gjkd_exchange *exchange);

/* It is there, or never will be. */
void gjkd_exchange_stop_waiting(struct gjkd_exchange *exchange);

/* To the workers; the connection is suspended. False: the queue is full, and the job is refused. */
bool gjkd_exchange_hand_off(struct gjkd_exchange *exchange);

/* Answers 504 where time is up for a request at a worker or for a body, and ends the work for clients
 * that are gone. Returns in how many milliseconds it wants to be called again, at the latest. */
uint64_t gjkd_exchanges_sweep(struct gjkd_http *http);

/* The socket, and the entry among the loop's connections (NULL: there was no memory for one, and
 * requests on it are not taken). */
int gjkd_fd_of(struct MHD_Connection *connection);
struct gjkd_connection *gjkd_connection_of(struct MHD_Connection *connection);

#endif
