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
    uv_idle_t again;    /* active while there is something to do at once */
    bool runs_again;    /* the daemon wants to run */
    uv_timer_t sweeper; /* the next sweep */
    uv_async_t wake;    /* sent by another thread to close the loop */
    uv_async_t
        recheck; /* sent by another thread when tokens were read again, or the daemon drains */
    struct gjkd_completion_queue completions;
    uv_check_t check;     /* after each round: sends what streams have to say */
    uv_prepare_t prepare; /* while closing: checks whether anything is left */
    struct gjkd_http http;
    uint64_t checked_ns;        /* processor time of the thread when the current round began */
    atomic_bool answered;       /* closing, and no client waits any more */
    atomic_bool over;           /* the thread is about to end */
    void (*ended)(void *owner); /* called on the loop's thread as the last thing */
    void *owner;
};

/* Makes loop number `index` on the listening socket, which it owns then. False: the event
 * loop or the HTTP daemon cannot be made, and the process cannot go on. */
bool gjkd_loop_init(struct gjkd_loop *loop, struct gjkd_context *context, unsigned index,
                    int listen_fd, void (*ended)(void *owner), void *owner);

/* Starts the thread. False: no thread. */
bool gjkd_loop_start(struct gjkd_loop *loop);

/* Has the loop stop listening, close idle connections, answer requests under way, and end. From any
 * thread. */
void gjkd_loop_close(struct gjkd_loop *loop);

/* Tokens were read again, or the daemon has begun to drain: ends what is not allowed any more. From
 * any thread, until gjkd_loop_close. */
void gjkd_loop_recheck(struct gjkd_loop *loop);

/* Waits for the thread after gjkd_loop_close. */
void gjkd_loop_join(struct gjkd_loop *loop);

/* Frees a loop that was never started. */
void gjkd_loop_fini(struct gjkd_loop *loop);

#endif
