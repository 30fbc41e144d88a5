#ifndef GJKD_HTTP_LOOP_H
#define GJKD_HTTP_LOOP_H

/* One thread that serves connections: a uv loop that polls one HTTP daemon. */

#include "http/acceptor.h"
#include "http/http.h"
#include "work/task.h"

struct gjkd_loop {
    uv_loop_t uv;
    uv_thread_t thread;
    struct gjkd_acceptor acceptor;
    uv_poll_t poll;     /* the daemon's epoll descriptor */
    uv_timer_t timer;   /* the timeout that the daemon asked for */
    uv_idle_t again;    /* active while there is work, so that the poll does not wait */
    bool runs_again;    /* the daemon asked to run again at once */
    uv_timer_t sweeper; /* the next sweep */
    uv_async_t wake;    /* sent by another thread to close the loop */
    uv_async_t recheck; /* sent by another thread: tokens were read again, or the daemon drains */
    struct gjkd_completion_queue completions;
    uv_check_t check;     /* after each poll: serves streams and events */
    uv_prepare_t prepare; /* while closing: checks whether anything is left */
    struct gjkd_http http;
    uint64_t checked_ns;        /* processor time of the thread at the start of the round */
    atomic_bool answered;       /* the loop closes, and no client is left */
    atomic_bool over;           /* the thread is about to end */
    void (*ended)(void *owner); /* called on the loop's thread as the last thing */
    void *owner;
};

/* Makes loop number `index` and gives it the listening socket. Returns false if the event loop or
 * the HTTP daemon cannot be made; the process cannot go on. */
bool gjkd_loop_init(struct gjkd_loop *loop, struct gjkd_context *context, unsigned index,
                    int listen_fd, void (*ended)(void *owner), void *owner);

/* Starts the thread. Returns false if it cannot be created. */
bool gjkd_loop_start(struct gjkd_loop *loop);

/* Tells the loop to stop listening, close idle connections, answer the remaining requests, and end.
 * May be called from any thread. */
void gjkd_loop_close(struct gjkd_loop *loop);

/* Tells the loop to end connections and watches that are no longer allowed, because tokens were
 * read again or the daemon drains. May be called from any thread, until gjkd_loop_close. */
void gjkd_loop_recheck(struct gjkd_loop *loop);

/* Waits for the thread after gjkd_loop_close. */
void gjkd_loop_join(struct gjkd_loop *loop);

/* Frees a loop that was never started. */
void gjkd_loop_fini(struct gjkd_loop *loop);

#endif
