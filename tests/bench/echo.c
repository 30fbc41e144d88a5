/*
 * What does the form of the server cost by itself? A loop thread as gjkd has them (a uv
 * loop, a libmicrohttpd daemon in external epoll mode, a SO_REUSEPORT listener of its own)
 * that reads a body, looks at none of it and answers with one fixed text: the ceiling for
 * whatever answers a question in this form. With --parse it has jansson parse the body first, as
 * cheaply as that can be done: the ceiling for whatever has to understand the question, too.
 *   bench_echo [--parse] IO_THREADS REPLY_FILE
 * Prints `echo listening on http://127.0.0.1:PORT/` and runs until a signal ends it.
 */

#include <arpa/inet.h>
#include <err.h>
#include <jansson.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#define BODY_BYTES_MAX 4096
#define REPLY_BYTES_MAX 65536
#define IO_THREADS_MAX 64
#define CONNECTIONS_MAX 1024 /* of one loop */
#define IDLE_TIMEOUT_S 60
#define BACKLOG 1024
#define TREE_BYTES_MAX 65536 /* of a body's JSON */
#define TREE_ALIGNMENT 16

struct loop {
    uv_loop_t uv;
    uv_poll_t poll;
    uv_timer_t timer;
    struct MHD_Daemon *daemon;
};

/* A request on its way in. */
struct body {
    size_t length;
    char bytes[BODY_BYTES_MAX];
};

static struct {
    size_t length;
    char bytes[REPLY_BYTES_MAX];
} reply;

static bool parses;

/* jansson's memory, filled from the front and forgotten as a whole. */
static _Thread_local struct {
    size_t used;
    _Alignas(TREE_ALIGNMENT) char bytes[TREE_BYTES_MAX];
} tree;

static void *tree_alloc(size_t size) {
    size_t padded = (size + TREE_ALIGNMENT - 1) / TREE_ALIGNMENT * TREE_ALIGNMENT;
    if (padded > TREE_BYTES_MAX - tree.used) {
        return NULL;
    }
    tree.used += padded;
    return tree.bytes + tree.used - padded;
}

static void tree_free(void *block) {
    (void)block;
}

/* With the options that a daemon has to have which takes every number and no member twice. */
static bool parse(const struct body *body) {
    tree.used = 0;
    return json_loadb(body->bytes, body->length,
                      JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL |
                          JSON_ALLOW_NUL,
                      NULL) != NULL;
}

static enum MHD_Result answer(struct MHD_Connection *connection) {
    struct MHD_Response *response =
        MHD_create_response_from_buffer(reply.length, reply.bytes, MHD_RESPMEM_PERSISTENT);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE,
                            "application/json; charset=utf-8");
    enum MHD_Result result = MHD_queue_response(connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return result;
}

/* NOLINTNEXTLINE(readability-function-size): the parameters are libmicrohttpd's. */
static enum MHD_Result on_access(void *closure, struct MHD_Connection *connection, const char *url,
                                 const char *method, const char *version, const char *upload,
                                 size_t *upload_bytes, void **request) {
    (void)closure, (void)url, (void)method, (void)version;
    struct body *body = *request;
    if (body == NULL) {
        *request = body = malloc(sizeof *body);
        if (body == NULL) {
            return MHD_NO;
        }
        body->length = 0;
        return MHD_YES;
    }
    if (*upload_bytes == 0) {
        return parses && !parse(body) ? MHD_NO : answer(connection);
    }
    if (*upload_bytes > BODY_BYTES_MAX - body->length) {
        return MHD_NO;
    }
    memcpy(body->bytes + body->length, upload, *upload_bytes);
    body->length += *upload_bytes;
    *upload_bytes = 0;
    return MHD_YES;
}

static void on_completed(void *closure, struct MHD_Connection *connection, void **request,
                         enum MHD_RequestTerminationCode how) {
    (void)closure, (void)connection, (void)how;
    free(*request);
    *request = NULL;
}

static void on_timer(uv_timer_t *timer);

static void turn(struct loop *loop) {
    MHD_run(loop->daemon);
    MHD_UNSIGNED_LONG_LONG timeout_ms;
    if (MHD_get_timeout(loop->daemon, &timeout_ms) == MHD_YES) {
        uv_timer_start(&loop->timer, on_timer, timeout_ms, 0);
    } else {
        uv_timer_stop(&loop->timer);
    }
}

static void on_timer(uv_timer_t *timer) {
    turn(timer->data);
}

static void on_poll(uv_poll_t *poll, int status, int events) {
    (void)status, (void)events;
    turn(poll->data);
}

/* A listener on 127.0.0.1 that shares its port; *port 0 picks one and tells which. */
static int listen_shared(uint16_t *port) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(*port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) != 0 ||
        bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, BACKLOG) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &length) != 0) {
        err(1, "listen");
    }
    *port = ntohs(address.sin_port);
    return fd;
}

static void loop_init(struct loop *loop, int listener) {
    loop->daemon =
        MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, on_access, NULL, MHD_OPTION_LISTEN_SOCKET,
                         listener, MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL,
                         MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
                         MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_TIMEOUT_S, MHD_OPTION_END);
    if (loop->daemon == NULL) {
        errx(1, "libmicrohttpd does not start");
    }
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(loop->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    uv_loop_init(&loop->uv);
    uv_timer_init(&loop->uv, &loop->timer);
    uv_poll_init(&loop->uv, &loop->poll, info->epoll_fd);
    loop->timer.data = loop->poll.data = loop;
    uv_poll_start(&loop->poll, UV_READABLE, on_poll);
}

static void *run(void *argument) {
    struct loop *loop = argument;
    uv_run(&loop->uv, UV_RUN_DEFAULT);
    return NULL;
}

static void read_reply(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        err(1, "%s", path);
    }
    reply.length = fread(reply.bytes, 1, sizeof reply.bytes, file);
    fclose(file);
}

int main(int argc, char **argv) {
    parses = argc > 1 && strcmp(argv[1], "--parse") == 0;
    argv += parses;
    argc -= parses;
    int threads = argc == 3 ? atoi(argv[1]) : 0;
    if (threads < 1 || threads > IO_THREADS_MAX) {
        errx(2, "usage: bench_echo [--parse] IO_THREADS REPLY_FILE");
    }
    json_set_alloc_funcs(tree_alloc, tree_free);
    read_reply(argv[2]);
    static struct loop loops[IO_THREADS_MAX];
    uint16_t port = 0;
    for (int i = 0; i < threads; i++) {
        loop_init(&loops[i], listen_shared(&port));
    }
    printf("echo listening on http://127.0.0.1:%d/\n", port);
    fflush(stdout);
    for (int i = 1; i < threads; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, run, &loops[i]) != 0) {
            errx(1, "no thread");
        }
    }
    run(&loops[0]);
    return 0;
}
