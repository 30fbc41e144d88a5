/*
 * Can any bytes on a connection do harm? One loop of the daemon runs on this thread, with a worker
 * beside it, and is handed one end of a socket pair for each input. The first four bytes say how
 * the rest is sent: whether the connection is shut after it or broken off, whether it becomes a
 * stream first, where it is cut into pieces, between which the daemon gets its turn, and how the
 * client reads meanwhile: at once, not before it has said all, a byte a turn, or not at all,
 * because it hangs up after the first piece. All else is what the client says, or the frames that
 * it sends (http_streams.h).
 *
 * Whatever it is: what comes back is HTTP and such as gjkd answers (http_answers.h), or frames, the
 * connection ends, and nothing of the request stays behind. Every input meets the same sets; a
 * question about one of them is asked again and again and has the same answer to the last byte.
 */

#define _GNU_SOURCE /* memmem */
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/acceptor.h"
#include "http/loop.h"
#include "http_answers.h"
#include "http_streams.h"
#include "request/context.h"
#include "store/transfer.h"
#include "util/log.h"

#define PREFIX_BYTES 4
#define CUTS_MASK 3 /* of the first byte: how many of the next three are cuts */
#define BREAKS_OFF 4
#define IS_STREAM 8
#define READER_SHIFT 4 /* two bits: a reader */
enum reader { READS_AT_ONCE, READS_LATE, READS_BYTES, HANGS_UP_EARLY };
/* The kernel's buffer for what a slow reader has not read, and turns without progress after which a
 * reader who is awaited reads on. */
#define NARROW_BYTES 4608
#define STUCK_TURNS 64
#define IDLE_TURNS 8
/* The daemon's turns after a piece; what a worker does in between is up to the clock. */
#define TURNS 2
#define HANG_NS UINT64_C(60000000000)
#define CONTROL_EVERY 64
#define SETS_MAX 64

static struct gjkd_config config;
static struct gjkd_context context;
static struct gjkd_loop loop;

/* Versions of the sets that every input meets. */
static struct gjkd_version *sets[SETS_MAX];
static size_t set_count;
static gjkd_registry_size registry_size;

/* The connection: the client's end, and what came back on it. */
static int client;
static bool is_closed;
static char *answers;
static size_t answers_bytes, answers_capacity;
static uint64_t began_ns;
static bool catches_up; /* the client reads what waits before it shuts its side */
static size_t read_max; /* bytes that it reads in a turn */

#define CONTROL_SET "control-3f9c2b71d04e4a6f"
static const char control_question[] =
    "POST /v1/sets/" CONTROL_SET "/detect HTTP/1.1\r\nHost: localhost\r\n"
    "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
static char *control_answer; /* its body */
static uint64_t inputs;

_Noreturn static void fail(const char *what) {
    (void)fprintf(stderr, "fuzz_http: %s\n", what);
    if (answers_bytes > 0)
        (void)fwrite(answers, 1, answers_bytes, stderr);
    abort();
}

static void require(bool condition, const char *what) {
    if (!condition)
        fail(what);
}

/* --- A connection --- */

static void receive(void) {
    size_t left = read_max;
    while (!is_closed && left > 0) {
        if (answers_capacity - answers_bytes < 65536) {
            answers_capacity = 2 * answers_capacity + 131072;
            answers = realloc(answers, answers_capacity);
            require(answers != NULL, "no memory");
        }
        const size_t room = answers_capacity - answers_bytes - 1;
        ssize_t got =
            recv(client, answers + answers_bytes, left < room ? left : room, MSG_DONTWAIT);
        if (got < 0 && errno == EAGAIN)
            return;
        is_closed = got <= 0;
        answers_bytes += got > 0 ? (size_t)got : 0;
        left -= got > 0 ? (size_t)got : 0;
        answers[answers_bytes] = '\0';
    }
}

static void turn(void) {
    uv_run(&loop.uv, !LIST_EMPTY(&loop.http.working) ? UV_RUN_ONCE : UV_RUN_NOWAIT);
    loop.http.swept_ns = 0; /* no pause */
    gjkd_http_sweep(&loop.http);
    receive();
    require(uv_hrtime() - began_ns < HANG_NS, "the daemon does not get on");
}

static void connect_client(enum reader reader) {
    const int narrow = NARROW_BYTES;
    gjkd_address peer = {.four = {.sin_family = AF_INET, .sin_port = 7},
                         .length = sizeof peer.four};
    int ends[2];
    peer.four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0,
            "no socket pair");
    if (reader != READS_AT_ONCE)
        require(setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &narrow, sizeof narrow) == 0, "no size");
    catches_up = reader != READS_AT_ONCE;
    read_max = reader == READS_AT_ONCE ? SIZE_MAX : reader == READS_BYTES ? 1 : 0;
    client = ends[0];
    is_closed = false;
    answers_bytes = 0;
    began_ns = uv_hrtime();
    gjkd_http_take_connection(&loop.http, ends[1], &peer);
    if (loop.http.connections.count == 0)
        turn(); /* where libmicrohttpd 1.0 begins it */
    require(loop.http.connections.count == 1, "the connection is not taken");
}

static void say(const char *data, size_t size) {
    int stuck = 0;
    while (size > 0 && !is_closed) {
        ssize_t sent = send(client, data, size, MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN)
            return; /* the daemon has hung up */
        data += sent > 0 ? sent : 0;
        size -= sent > 0 ? (size_t)sent : 0;
        stuck = sent > 0 ? 0 : stuck + 1;
        if (stuck > STUCK_TURNS)
            read_max = SIZE_MAX; /* the daemon reads on once it is read */
        if (size > 0)
            turn();
    }
    for (int i = 0; i < TURNS; i++)
        turn();
}

/* Reads what waits: a stream that the client shut before would end in the middle of a frame. */
static void catch_up(void) {
    size_t before = answers_bytes;
    read_max = SIZE_MAX;
    for (int idle = 0; idle < IDLE_TURNS && !is_closed;) {
        turn();
        idle = answers_bytes == before && LIST_EMPTY(&loop.http.working) ? idle + 1 : 0;
        before = answers_bytes;
    }
}

static void hang_up(bool breaks_off) {
    if (!breaks_off && catches_up)
        catch_up();
    read_max = SIZE_MAX;
    if (breaks_off) {
        close(client);
        is_closed = true;
    } else {
        shutdown(client, SHUT_WR);
    }
    while (gjkd_http_is_busy(&loop.http))
        turn();
    receive();
    require(is_closed, "the connection does not end");
    if (!breaks_off)
        close(client);
}

static void exchange(const char *request, size_t size) {
    connect_client(READS_AT_ONCE);
    say(request, size);
    hang_up(false);
}

/* The same until it is answered: a process that was kept from running for long is behind, or late,
 * and says so. */
static void insist(const char *request, size_t size) {
    do {
        exchange(request, size);
    } while (strncmp(answers, "HTTP/1.1 503 ", 13) == 0 ||
             strncmp(answers, "HTTP/1.1 504 ", 13) == 0);
}

/* --- The same beginning for every input --- */

static void store(const char *method, const char *path, const char *body) {
    char request[2048];
    int length = snprintf(request, sizeof request,
                          "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                          "Content-Length: %zu\r\n\r\n%s",
                          method, path, strlen(body), body);
    insist(request, (size_t)length);
    require(strncmp(answers, "HTTP/1.1 201 ", 13) == 0, "a set cannot be stored");
}

/* Something of every kind, in both dimensions and in the past. */
static void store_sets(void) {
    char error[GJKD_ERROR_MAX];
    require(gjkd_seed_demo(&(gjkd_write){.storage = context.storage}, &context.limits, error),
            "no demo sets");
    store(
        "PUT", "/v1/sets/t",
        "{\"dimension\":2,\"history\":{\"ticks\":3},\"shapes\":{"
        "\"a\":{\"type\":\"circle\",\"radius\":1},\"b\":{\"type\":\"box\",\"half_extents\":[1,1]},"
        "\"c/d\":{\"type\":\"slice\",\"radius\":2,\"theta\":1,\"position\":[3,4],"
        "\"group\":\"g\",\"meta\":{\"m\":[1,null]}}}}");
    store("PUT", "/v1/sets/t/ticks/1", "{\"shapes\":{\"a\":{\"position\":[1,0]}}}");
    store("PUT", "/v1/sets/t/ticks/2", "{\"shapes\":{\"a\":{\"position\":[2,0]},\"b\":null}}");
    store("PUT", "/v1/sets/t/ticks/3",
          "{\"shapes\":{\"a\":{\"position\":[3,0],\"teleport\":true}}}");
    store("PUT", "/v1/sets/" CONTROL_SET,
          "{\"dimension\":3,\"shapes\":{\"a\":{\"type\":\"sphere\",\"radius\":2},"
          "\"b\":{\"type\":\"cylinder\",\"a\":[0,0,0],\"b\":[1,2,3],\"radius\":0.5},"
          "\"c\":{\"type\":\"cone\",\"a\":[2,0,0],\"b\":[1,1,1],\"radius\":0.7}}}");
}

static size_t list_sets(struct gjkd_version **out) {
    bool more;
    return gjkd_registry_list(context.registry, "", NULL, NULL, SETS_MAX, out, &more);
}

static bool is_kept(const struct gjkd_version *version) {
    for (size_t i = 0; i < set_count; i++) {
        if (strcmp(sets[i]->name, version->name) == 0)
            return true;
    }
    return false;
}

/* Versions never change: whatever was made of them, the first ones are put back. */
static void restore_sets(void) {
    struct gjkd_version *now[SETS_MAX];
    size_t strange;
    do {
        size_t count = list_sets(now);
        strange = 0;
        for (size_t i = 0; i < count; i++) {
            if (!is_kept(now[i])) {
                strange++;
                gjkd_registry_set(context.registry, now[i]->name, NULL);
            }
            gjkd_version_release(now[i]);
        }
    } while (strange > 0);
    for (size_t i = 0; i < set_count; i++) {
        struct gjkd_version *version = gjkd_registry_get(context.registry, sets[i]->name);
        if (version != sets[i])
            require(gjkd_registry_put(context.registry, sets[i]) == GJKD_PUT_OK, "no way back");
        gjkd_version_release(version);
    }
}

static const char *body_of_answer(void) {
    const char *end = strstr(answers, "\r\n\r\n");
    require(strncmp(answers, "HTTP/1.1 200 ", 13) == 0 && end != NULL, "no answer to the control");
    return end + 4;
}

static void check_control(void) {
    insist(control_question, sizeof control_question - 1);
    require(strcmp(body_of_answer(), control_answer) == 0, "the control's answer has changed");
}

/* A judge who takes everything would find nothing. */
static void check_judge(void) {
#define FINE "HTTP/1.1 200 OK\r\nX-Request-Id: 1\r\nDate: x\r\n"
#define MISSING "HTTP/1.1 404 \r\nX-Request-Id: 1\r\nDate: x\r\nContent-Length: 2\r\n"
    static const char *const bad[] = {
        "x",
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX-Request-Id: 1\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 500 \r\n\r\n",
        FINE,
        FINE "\r\n",
        FINE "Content-Length: 1\r\n\r\n",
        FINE "Content-Length: -\r\n\r\n",
        FINE "Content-Length: 1\r\n\r\nx",
        FINE "Content-Length: 0\r\n\r\nx",
        FINE "Date: x\r\nContent-Length: 0\r\n\r\n",
        FINE "X-Other: 1\r\nContent-Length: 0\r\n\r\n",
        FINE "ETag: \t\r\nContent-Length: 0\r\n\r\n",
        FINE "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{]",
        MISSING "Content-Type: application/json\r\n\r\n{}",
        MISSING "Content-Type: application/problem+json\r\n\r\n{}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        require(http_answers_fault(bad[i], strlen(bad[i]), false) != NULL, bad[i]);
}

static void tell_ended(void *owner) {
    (void)owner;
}

static const char *nothing(const char *name) {
    (void)name;
    return NULL;
}

static void start(void) {
    static char *const arguments[] = {"gjkd",
                                      "--listen=127.0.0.1:0",
                                      "--io-threads=1",
                                      "--workers=1",
                                      "--log-level=error",
                                      "--max-body=64K",
                                      "--max-batch=64",
                                      "--max-memory=64M",
                                      "--cors-origin=http://page.example",
                                      "--request-timeout=2s"};
    char error[GJKD_ERROR_MAX];
    int sockets[1];
    require(gjkd_config_parse(&config, sizeof arguments / sizeof arguments[0], arguments, nothing,
                              error),
            "the configuration is wrong");
    gjkd_log_setup(config.log_format, config.log_level);
    (void)signal(SIGPIPE, SIG_IGN);
    require(gjkd_context_init(&context, &config, error), "no context");
    require(gjkd_listen_open(&config.listen, sockets, 1, error), "no socket to listen on");
    require(gjkd_loop_init(&loop, &context, 0, sockets[0], tell_ended, NULL), "no loop");
    atomic_store(&context.loading, false);
    check_judge();
    store_sets();
    set_count = list_sets(sets);
    for (size_t i = 0; i < set_count; i++)
        sets[i]->incarnation = i + 1; /* inputs can name an ETag */
    registry_size = gjkd_registry_measure(context.registry);
    insist(control_question, sizeof control_question - 1);
    control_answer = strdup(body_of_answer());
}

/* --- An input --- */

static bool has_text(const uint8_t *data, size_t size, const char *text) {
    return memmem(data, size, text, strlen(text)) != NULL;
}

/* All pieces, or the first one. */
static void send_pieces(const uint8_t *prefix, const char *request, size_t size, bool is_first) {
    size_t from = 0;
    for (int i = 0; i < (prefix[0] & CUTS_MASK); i++) {
        size_t to = size * prefix[1 + i] / 256;
        if (to > from) {
            say(request + from, to - from);
            from = to;
            if (is_first)
                return;
        }
    }
    say(request + from, size - from);
}

/* libFuzzer declares it nowhere. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (inputs++ == 0)
        start();
    if (size <= PREFIX_BYTES)
        return 0;
    const enum reader reader = (enum reader)(data[0] >> READER_SHIFT & 3);
    const bool is_stream = (data[0] & IS_STREAM) != 0;
    const bool breaks_off = (data[0] & BREAKS_OFF) != 0 || reader == HANGS_UP_EARLY;
    size_t length = size - PREFIX_BYTES;
    const uint8_t *said = data + PREFIX_BYTES;
    char *frames = is_stream ? http_streams_speak(said, length, &length) : NULL;
    require(!is_stream || frames != NULL, "no memory");
    connect_client(reader);
    catches_up = catches_up || is_stream;
    send_pieces(data, is_stream ? frames : (const char *)said, length, reader == HANGS_UP_EARLY);
    hang_up(breaks_off);
    require(atomic_load(&context.streams) == 0 && LIST_EMPTY(&loop.http.streams), "a stream stays");
    free(frames);
    if (!breaks_off) {
        const char *fault =
            is_stream ? http_streams_fault(answers, answers_bytes)
                      : http_answers_fault(answers, answers_bytes, has_text(data, size, "HEAD"));
        if (fault != NULL)
            fail(fault);
    }
    restore_sets();
    gjkd_registry_size measured = gjkd_registry_measure(context.registry);
    require(memcmp(&measured, &registry_size, sizeof measured) == 0, "sets stay behind");
    if (inputs % CONTROL_EVERY == 0)
        check_control();
    return 0;
}
