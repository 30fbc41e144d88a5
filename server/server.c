/*
 * Start and stop of the daemon. The main thread runs a small loop of its own for signals; loop
 * threads serve the connections. On SIGTERM or SIGINT:
 *
 *     at once          /readyz answers 503, and every answer closes its connection, so that clients
 *                      with busy connections move to another server; event streams end, and new
 *                      ones are refused
 *     after the delay  the loops stop listening and end idle connections; busy ones end after their
 *                      answer
 *     in the end       exit 0 once all loops have ended; exit at once if the drain timeout has
 *                      passed, or a second signal has come
 */

#include "server.h"

#include "http/acceptor.h"
#include "http/loop.h"
#include "request/context.h"
#include "security/sandbox.h"
#include "store/transfer.h"
#include "util/crash.h"
#include "util/log.h"
#include "util/process.h"
#include "work/memory.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* File descriptors besides connections. For each loop: its listener, its event queues and its
 * reserve; for the process: the standard streams, the main loop, files of a reload, and refused or
 * lingering connections for a short time. */
#define LOOP_FILES 12
#define OTHER_FILES 32

#define SIGNAL_COUNT 3

/* Interval at which a daemon that waits for its cluster checks for signals. */
#define JOIN_STEP_MS 20

/* Time that loops get to end idle connections, even with a drain timeout of 0. */
#define CLOSE_MS_MIN 50

#define DISK_LOOK_MS 1000
#define HEAP_LOOK_MS 100 /* while memory is tight */
#define HEAP_LOOK_IDLE_MS 1000

struct server {
    const struct gjkd_config *config;
    struct gjkd_context context;
    gjkd_address address;
    struct gjkd_loop *loops;
    unsigned loop_count;

    uv_loop_t uv; /* loop of the main thread */
    uv_signal_t signals[SIGNAL_COUNT];
    uv_async_t loop_ended;
    uv_timer_t timer;
    uv_timer_t disk_timer; /* checks whether the disk answers */
    uv_timer_t heap_timer; /* returns unused memory of malloc */
    atomic_uint running;
};

/* Loads the sets of --load that do not exist yet. */
static bool load_bodies(struct server *server, char error[GJKD_ERROR_MAX]) {
    struct gjkd_context *context = &server->context;
    const gjkd_write where = {.storage = context->storage};
    return server->config->load[0] == '\0' ||
           gjkd_load_bodies(&where, server->config->load, &context->limits, error);
}

/* --- Stopping --- */

/* Ends the process even if workers are busy, because they cannot be stopped. */
_Noreturn static void end_at_once(struct server *server, int code) {
    for (unsigned i = 0; i < server->loop_count; i++) {
        if (atomic_load(&server->loops[i].over)) {
            gjkd_loop_join(&server->loops[i]);
        }
    }
    _exit(code);
}

static void on_drain_timeout(uv_timer_t *timer) {
    struct server *server = timer->data;
    bool answered = true;
    for (unsigned i = 0; i < server->loop_count; i++) {
        answered = answered && atomic_load(&server->loops[i].answered);
    }
    gjkd_log(GJKD_LOG_WARNING, "the drain timeout is over: %s",
             answered ? "leaving work that nobody waits for" : "some requests are not answered");
    end_at_once(server, answered ? 0 : 1);
}

static uint64_t delay_ms(const struct server *server) {
    uint64_t half = server->config->drain_timeout_ms / 2;
    return half < server->config->drain_delay_ms ? half : server->config->drain_delay_ms;
}

static void on_delay_over(uv_timer_t *timer) {
    struct server *server = timer->data;
    uint64_t left_ms = server->config->drain_timeout_ms - delay_ms(server);
    uv_timer_start(timer, on_drain_timeout, left_ms > CLOSE_MS_MIN ? left_ms : CLOSE_MS_MIN, 0);
    for (unsigned i = 0; i < server->loop_count; i++) {
        gjkd_loop_close(&server->loops[i]);
    }
}

/* Makes the loops end connections and watches that are no longer allowed. */
static void recheck(struct server *server) {
    for (unsigned i = 0; i < server->loop_count; i++) {
        gjkd_loop_recheck(&server->loops[i]);
    }
}

static void on_signal(uv_signal_t *handle, int number) {
    struct server *server = handle->data;
    if (atomic_exchange(&server->context.draining, true)) {
        gjkd_log(GJKD_LOG_WARNING, "%s again: ending at once",
                 number == SIGTERM ? "SIGTERM" : "SIGINT");
        end_at_once(server, 1);
    }
    gjkd_log(GJKD_LOG_INFO, "%s: draining", number == SIGTERM ? "SIGTERM" : "SIGINT");
    gjkd_notify(GJKD_NOTICE_STOPPING);
    recheck(server);
    uv_timer_start(&server->timer, on_delay_over, delay_ms(server), 0);
}

static void on_disk_timer(uv_timer_t *timer) {
    struct server *server = timer->data;
    gjkd_disk_store_log_hang(server->context.disk);
}

static void on_heap_timer(uv_timer_t *timer) {
    uv_timer_start(timer, on_heap_timer, gjkd_heap_trim() ? HEAP_LOOK_MS : HEAP_LOOK_IDLE_MS, 0);
}

static void on_hangup(uv_signal_t *handle, int number) {
    struct server *server = handle->data;
    (void)number;
    gjkd_notify(GJKD_NOTICE_RELOADING);
    gjkd_security_reload(&server->context.security, server->config);
    if (!atomic_load(&server->context.draining)) {
        recheck(server);
    }
    char error[GJKD_ERROR_MAX];
    if (server->context.disk != NULL && gjkd_disk_store_measure(server->context.disk).is_hanging) {
        gjkd_log(GJKD_LOG_ERROR, "SIGHUP: nothing is loaded, because the disk does not answer");
    } else if (!load_bodies(server, error)) {
        gjkd_log(GJKD_LOG_ERROR, "SIGHUP: %s", error);
    } else if (server->config->load[0] != '\0') {
        gjkd_log(GJKD_LOG_INFO, "SIGHUP: every set of %s is there", server->config->load);
    }
    if (!atomic_load(&server->context.draining)) {
        gjkd_notify(GJKD_NOTICE_READY);
    }
}

static void close_handles(struct server *server) {
    for (int i = 0; i < SIGNAL_COUNT; i++) {
        uv_close((uv_handle_t *)&server->signals[i], NULL);
    }
    uv_close((uv_handle_t *)&server->loop_ended, NULL);
    uv_close((uv_handle_t *)&server->timer, NULL);
    uv_close((uv_handle_t *)&server->disk_timer, NULL);
    uv_close((uv_handle_t *)&server->heap_timer, NULL);
}

static void on_loop_ended(uv_async_t *async) {
    struct server *server = async->data;
    if (atomic_load(&server->running) == 0 && !uv_is_closing((uv_handle_t *)&server->loop_ended)) {
        close_handles(server);
    }
}

/* Notifies the main loop that a loop has ended. Called on the ended loop's thread. */
static void notify_loop_ended(void *owner) {
    struct server *server = owner;
    atomic_fetch_sub(&server->running, 1);
    uv_async_send(&server->loop_ended);
}

/* --- Starting --- */

/*
 * Raises the limit on open files, of which each connection is one, as far as the system permits,
 * and lowers --max-connections to the rest. Returns false if nothing is left for connections.
 */
static bool fit_connections_to_file_limit(struct gjkd_config *config) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return true;
    }
    if (limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &limit) != 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) {
            return true;
        }
    }
    uint64_t others = OTHER_FILES + LOOP_FILES * config->io_threads;
    if (limit.rlim_cur <= others) {
        gjkd_log(GJKD_LOG_ERROR,
                 "the system allows %llu open files, and %llu io threads need %llu and one for "
                 "each connection",
                 (unsigned long long)limit.rlim_cur, (unsigned long long)config->io_threads,
                 (unsigned long long)others);
        return false;
    }
    if (limit.rlim_cur - others < config->max_connections) {
        gjkd_log(GJKD_LOG_WARNING,
                 "the system allows %llu open files: max-connections is %llu instead of %llu",
                 (unsigned long long)limit.rlim_cur, (unsigned long long)(limit.rlim_cur - others),
                 (unsigned long long)config->max_connections);
        config->max_connections = limit.rlim_cur - others;
    }
    return true;
}

/* Joins the cluster and waits until this node has read its log to the end, serving signals
 * meanwhile. Returns false if the daemon has to end, or cannot join. */
static bool join_cluster(struct server *server, char error[GJKD_ERROR_MAX]) {
    struct gjkd_context *context = &server->context;
    snprintf(error, GJKD_ERROR_MAX, "ended before the cluster's log was there");
    if (context->config->cluster[0] == '\0') {
        return true;
    }
    if (!gjkd_context_join(context, error)) {
        return false;
    }
    while (!gjkd_cluster_wait_for_start(context->cluster, JOIN_STEP_MS)) {
        uv_run(&server->uv, UV_RUN_NOWAIT);
        if (gjkd_cluster_has_old_engine(context->cluster)) {
            return gjkd_refuse(error,
                               "NATS is older than 2.10, which loses writes: update nats-server");
        }
        if (atomic_load(&context->draining)) {
            return false;
        }
    }
    return true;
}

/* Loads the sets. Meanwhile /livez answers 200 and /readyz 503. */
static bool load_sets(struct server *server) {
    struct gjkd_context *context = &server->context;
    char error[GJKD_ERROR_MAX];
    if (!gjkd_context_load(context, error) || !join_cluster(server, error) ||
        !gjkd_context_fill_log(context, error) || !load_bodies(server, error) ||
        (server->config->demo &&
         !gjkd_seed_demo(&(gjkd_write){.storage = context->storage}, &context->limits, error))) {
        gjkd_log(GJKD_LOG_ERROR, "%s", error);
        return false;
    }
    if (context->disk != NULL) {
        uv_timer_start(&server->disk_timer, on_disk_timer, DISK_LOOK_MS, DISK_LOOK_MS);
    }
    atomic_store_explicit(&context->loading, false, memory_order_release);
    return true;
}

static bool init_main_loop(struct server *server) {
    if (uv_loop_init(&server->uv) != 0 ||
        uv_async_init(&server->uv, &server->loop_ended, on_loop_ended) != 0) {
        gjkd_log(GJKD_LOG_ERROR, "cannot make an event loop");
        return false;
    }
    uv_timer_init(&server->uv, &server->timer);
    uv_timer_init(&server->uv, &server->disk_timer);
    uv_timer_init(&server->uv, &server->heap_timer);
    uv_timer_start(&server->heap_timer, on_heap_timer, 0, 0);
    server->loop_ended.data = server->timer.data = server->disk_timer.data = server;
    static const int numbers[SIGNAL_COUNT] = {SIGTERM, SIGINT, SIGHUP};
    for (int i = 0; i < SIGNAL_COUNT; i++) {
        uv_signal_init(&server->uv, &server->signals[i]);
        server->signals[i].data = server;
        uv_signal_start(&server->signals[i], numbers[i] == SIGHUP ? on_hangup : on_signal,
                        numbers[i]);
    }
    return true;
}

/* Makes all loops, or none. */
static bool make_loops(struct server *server, int *sockets) {
    unsigned count = (unsigned)server->config->io_threads;
    for (unsigned i = 0; i < count; i++) {
        if (!gjkd_loop_init(&server->loops[i], &server->context, i, sockets[i], notify_loop_ended,
                            server)) {
            gjkd_log(GJKD_LOG_ERROR, "cannot start an HTTP daemon on the listening socket");
            while (i > 0) {
                gjkd_loop_fini(&server->loops[--i]);
            }
            return false;
        }
    }
    return true;
}

static bool open_loops(struct server *server) {
    int sockets[GJKD_IO_THREADS_MAX];
    char error[GJKD_LISTEN_ERROR_MAX];
    unsigned count = (unsigned)server->config->io_threads;
    if (!gjkd_listen_open(&server->address, sockets, count, error)) {
        gjkd_log(GJKD_LOG_ERROR, "%s", error);
        return false;
    }
    server->loops = calloc(count, sizeof *server->loops);
    if (server->loops == NULL || !make_loops(server, sockets)) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        if (!gjkd_loop_start(&server->loops[i])) {
            gjkd_log(GJKD_LOG_ERROR, "cannot start a thread");
            _exit(1); /* other threads run already */
        }
        atomic_fetch_add(&server->running, 1);
        server->loop_count++;
    }
    return true;
}

/* Logs the version, the address, and a warning if access is open beyond loopback. */
static void log_start(const struct server *server) {
    const struct gjkd_config *config = server->config;
    char address[GJKD_ADDRESS_TEXT_MAX];
    gjkd_address_format(&server->address, address);
    gjkd_log(GJKD_LOG_INFO, "gjkd %s on %s: %llu io threads, %llu workers", GJKD_VERSION_TEXT,
             address, (unsigned long long)config->io_threads, (unsigned long long)config->workers);
    if (server->context.security.keyring == NULL && !gjkd_address_is_loopback(&server->address)) {
        gjkd_log(GJKD_LOG_WARNING, "whoever reaches %s may read and change every set", address);
    }
}

static bool serve(struct server *server) {
    if (!open_loops(server)) {
        close_handles(server);
        return false;
    }
    if (!load_sets(server)) {
        const struct gjkd_cluster *cluster = server->context.cluster;
        _exit(cluster != NULL && gjkd_cluster_has_old_engine(cluster) ? 2
                                                                      : 1); /* loops run already */
    }
    log_start(server);
    char address[GJKD_ADDRESS_TEXT_MAX];
    gjkd_address_format(&server->address, address);
    printf("gjkd listening on %s://%s/\n", server->context.security.tls != NULL ? "https" : "http",
           address);
    fflush(stdout);
    gjkd_notify(GJKD_NOTICE_READY);
    uv_run(&server->uv, UV_RUN_DEFAULT);
    for (unsigned i = 0; i < server->loop_count; i++) {
        gjkd_loop_join(&server->loops[i]);
    }
    gjkd_log(GJKD_LOG_INFO, "every request is answered");
    return true;
}

int gjkd_serve(struct gjkd_config *config) {
    struct server *server = calloc(1, sizeof *server);
    if (server == NULL) {
        return 1;
    }
    server->config = config;
    server->address = config->listen;
    gjkd_log_setup(config->log_format, config->log_level);
    gjkd_crash_install();
    signal(SIGPIPE, SIG_IGN);
    if (!fit_connections_to_file_limit(config)) {
        free(server);
        return 1;
    }
    char error[GJKD_ERROR_MAX];
    if (config->data_dir[0] != '\0' && !gjkd_disk_store_make_directory(config->data_dir, error)) {
        gjkd_log(GJKD_LOG_ERROR, "%s", error);
        free(server);
        return 1;
    }
    gjkd_sandbox_enter(config);
    bool fine = gjkd_context_init(&server->context, config, error);
    if (!fine) {
        gjkd_log(GJKD_LOG_ERROR, "%s", error);
    }
    fine = fine && init_main_loop(server);
    if (fine) {
        fine = serve(server);
        uv_run(&server->uv, UV_RUN_DEFAULT);
        uv_loop_close(&server->uv);
    }
    gjkd_context_fini(&server->context);
    for (unsigned i = 0; i < server->loop_count; i++) {
        gjkd_completion_queue_fini(&server->loops[i].completions);
    }
    free(server->loops);
    free(server);
    uv_library_shutdown();
    return fine ? 0 : 1;
}
