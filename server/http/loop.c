/*
 * libmicrohttpd keeps its connections in its own epoll set; the uv loop polls the descriptor of
 * that set. In this mode the daemon runs only when MHD_run is called; after each run a timer is
 * armed with the timeout that the daemon asks for.
 */

#include "http/loop.h"

#include "http/event_stream.h"
#include "http/stream.h"
#include "request/context.h"
#include "request/telemetry.h"
#include "util/process.h"
#include "util/timing.h"
#include "work/memory.h"
#include "work/pool.h"

#include <microhttpd.h>
#include <unistd.h>

/* Most consecutive runs of the daemon, and their longest time, before the loop's other handles get
 * a turn: completions of workers, new connections. */
#define RUNS_MAX 8
#define RUNS_MAX_NS UINT64_C(500000)

/* Pause before the next run if only stalled TLS handshakes are pending. */
#define STALLED_MS 2

/* Interval of sweeps while the loop closes. */
#define SWEEP_CLOSING_MS 100

static void on_timer(uv_timer_t *timer);

static void on_again(uv_idle_t *again);

/*
 * Runs the daemon until it has nothing to do, within RUNS_MAX and RUNS_MAX_NS. During a TLS
 * handshake libmicrohttpd always reports that there is something to read. Therefore, if a run made
 * no callback, the next run comes with the client's next bytes, or after STALLED_MS.
 */
static void run_http(struct gjkd_loop *loop) {
    MHD_UNSIGNED_LONG_LONG wait_ms = 0;
    bool waits = true, stalled = false, goes_on = true;
    uint64_t until_ns = UINT64_MAX;
    for (int i = 0; i < RUNS_MAX && goes_on; i++) {
        uint64_t before = loop->http.callbacks;
        loop->http.round_ns = uv_hrtime();
        until_ns = i == 0 ? loop->http.round_ns + RUNS_MAX_NS : until_ns;
        MHD_run(loop->http.daemon);
        waits = MHD_get_timeout(loop->http.daemon, &wait_ms) == MHD_YES;
        stalled = gjkd_http_has_handshakes(&loop->http) && loop->http.callbacks == before;
        goes_on = waits && wait_ms == 0 && !stalled && loop->http.round_ns < until_ns;
    }
    if (waits && wait_ms == 0 && !stalled) {
        loop->runs_again = true; /* a timer of 0 ms would starve all other handles */
        uv_idle_start(&loop->again, on_again);
    } else if (waits) {
        wait_ms = wait_ms > 0 ? wait_ms : STALLED_MS;
        if (!uv_is_active((uv_handle_t *)&loop->timer) ||
            uv_timer_get_due_in(&loop->timer) > wait_ms) { /* an earlier timer does no harm */
            uv_timer_start(&loop->timer, on_timer, wait_ms, 0);
        }
    }
}

/* Keeps the next poll from waiting if streams, watches or resumed connections have work: they are
 * served after the poll (on_check). */
static void serve_soon(struct gjkd_loop *loop) {
    const struct gjkd_http *http = &loop->http;
    if (http->stream_turns.active_count > 0 || http->resumed > 0 || gjkd_hub_has_news(&http->hub)) {
        uv_idle_start(&loop->again, on_again);
    }
}

static void on_again(uv_idle_t *again) {
    struct gjkd_loop *loop = again->data;
    uv_idle_stop(again);
    if (loop->runs_again) {
        loop->runs_again = false;
        run_http(loop);
    }
    serve_soon(loop);
}

static void on_timer(uv_timer_t *timer) {
    run_http(timer->data);
    serve_soon(timer->data);
}

static void on_poll(uv_poll_t *poll, int status, int events) {
    (void)status, (void)events;
    run_http(poll->data);
}

static void on_request_run(struct gjkd_http *http) {
    run_http(http->uv->data);
}

static void on_sweep(uv_timer_t *sweeper);

static void sweep_within(struct gjkd_loop *loop, uint64_t wait_ms) {
    if (!uv_is_active((uv_handle_t *)&loop->sweeper) ||
        uv_timer_get_due_in(&loop->sweeper) > wait_ms) {
        uv_timer_start(&loop->sweeper, on_sweep, wait_ms, 0);
    }
}

static void on_sweep(uv_timer_t *sweeper) {
    struct gjkd_loop *loop = sweeper->data;
    uint64_t wait_ms = gjkd_http_sweep(&loop->http);
    bool soon = loop->http.connections.closing && wait_ms > SWEEP_CLOSING_MS;
    sweep_within(loop, soon ? SWEEP_CLOSING_MS : wait_ms);
    serve_soon(loop);
}

static void on_request_sweep(struct gjkd_http *http, uint64_t wait_ms) {
    sweep_within(http->uv->data, wait_ms);
}

static void close_handles(struct gjkd_loop *loop) {
    uv_close((uv_handle_t *)&loop->sweeper, NULL);
    uv_close((uv_handle_t *)&loop->poll, NULL);
    uv_close((uv_handle_t *)&loop->timer, NULL);
    uv_close((uv_handle_t *)&loop->again, NULL);
    uv_close((uv_handle_t *)&loop->wake, NULL);
    uv_close((uv_handle_t *)&loop->recheck, NULL);
    uv_close((uv_handle_t *)&loop->prepare, NULL);
    uv_close((uv_handle_t *)&loop->check, NULL);
    gjkd_completion_queue_close(&loop->completions);
}

static void on_prepare(uv_prepare_t *prepare) {
    struct gjkd_loop *loop = prepare->data;
    atomic_store(&loop->answered, !gjkd_http_has_clients(&loop->http));
    if (!gjkd_http_is_busy(&loop->http)) {
        uv_poll_stop(&loop->poll);
        gjkd_http_stop(&loop->http);
        close_handles(loop); /* without handles the loop ends */
    }
}

static void on_check(uv_check_t *check) {
    struct gjkd_loop *loop = check->data;
    gjkd_http_run_resumed(&loop->http);
    gjkd_event_streams_serve(&loop->http);
    gjkd_streams_serve(&loop->http);
    serve_soon(loop);
    const uint64_t now_ns = (uint64_t)gjkd_timing_thread_ns();
    gjkd_count_round(loop->http.counters, now_ns - loop->checked_ns);
    loop->checked_ns = now_ns;
}

static void on_wake(uv_async_t *wake) {
    struct gjkd_loop *loop = wake->data;
    if (loop->http.connections.closing) {
        return;
    }
    gjkd_acceptor_close(&loop->acceptor);
    run_http(loop); /* reads the requests of the last connections */
    gjkd_http_close(&loop->http);
    run_http(loop);
    uv_prepare_start(&loop->prepare, on_prepare);
    sweep_within(loop, SWEEP_CLOSING_MS);
}

static void on_recheck(uv_async_t *recheck) {
    struct gjkd_loop *loop = recheck->data;
    gjkd_http_end_revoked(&loop->http);
    if (gjkd_is_draining(loop->http.context)) {
        gjkd_http_end_event_streams(&loop->http);
    }
}

bool gjkd_loop_init(struct gjkd_loop *loop, struct gjkd_context *context, unsigned index,
                    int listen_fd, void (*ended)(void *owner), void *owner) {
    if (uv_loop_init(&loop->uv) != 0) {
        close(listen_fd);
        return false;
    }
    loop->uv.data = loop->poll.data = loop->timer.data = loop->wake.data = loop->recheck.data =
        loop->prepare.data = loop->check.data = loop->sweeper.data = loop->again.data = loop;
    loop->ended = ended;
    loop->owner = owner;
    loop->http = (struct gjkd_http){
        .context = context,
        .counters = gjkd_telemetry_counters(context->telemetry, index),
        .uv = &loop->uv,
        .completions = &loop->completions,
        .request_run = on_request_run,
        .request_sweep = on_request_sweep,
    };
    if (!gjkd_acceptor_init(&loop->acceptor, &loop->http, listen_fd)) {
        uv_loop_close(&loop->uv);
        return false;
    }
    if (!gjkd_http_start(&loop->http)) {
        gjkd_acceptor_close(&loop->acceptor);
        uv_run(&loop->uv, UV_RUN_DEFAULT);
        uv_loop_close(&loop->uv);
        return false;
    }
    int epoll_fd = MHD_get_daemon_info(loop->http.daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    uv_timer_init(&loop->uv, &loop->timer);
    uv_idle_init(&loop->uv, &loop->again);
    uv_timer_init(&loop->uv, &loop->sweeper);
    uv_prepare_init(&loop->uv, &loop->prepare);
    uv_check_init(&loop->uv, &loop->check);
    if (uv_async_init(&loop->uv, &loop->wake, on_wake) != 0 ||
        uv_async_init(&loop->uv, &loop->recheck, on_recheck) != 0 ||
        uv_poll_init(&loop->uv, &loop->poll, epoll_fd) != 0 ||
        !gjkd_completion_queue_init(&loop->completions, &loop->uv)) {
        gjkd_http_stop(&loop->http);
        return false;
    }
    uv_poll_start(&loop->poll, UV_READABLE, on_poll);
    uv_check_start(&loop->check, on_check);
    on_sweep(&loop->sweeper);
    run_http(loop);
    return true;
}

static void serve(void *closure) {
    struct gjkd_loop *loop = closure;
    gjkd_thread_priority_set_loop();
    gjkd_deferred_free_begin(&loop->http.context->pool);
    uv_run(&loop->uv, UV_RUN_DEFAULT);
    gjkd_deferred_free_end();
    uv_loop_close(&loop->uv);
    atomic_store(&loop->over, true);
    loop->ended(loop->owner);
}

bool gjkd_loop_start(struct gjkd_loop *loop) {
    return uv_thread_create(&loop->thread, serve, loop) == 0;
}

void gjkd_loop_recheck(struct gjkd_loop *loop) {
    uv_async_send(&loop->recheck);
}

void gjkd_loop_close(struct gjkd_loop *loop) {
    uv_async_send(&loop->wake);
}

void gjkd_loop_join(struct gjkd_loop *loop) {
    uv_thread_join(&loop->thread);
}

void gjkd_loop_fini(struct gjkd_loop *loop) {
    uv_poll_stop(&loop->poll);
    gjkd_acceptor_close(&loop->acceptor);
    gjkd_http_stop(&loop->http);
    close_handles(loop);
    uv_run(&loop->uv, UV_RUN_DEFAULT);
    uv_loop_close(&loop->uv);
    gjkd_completion_queue_fini(&loop->completions);
}
