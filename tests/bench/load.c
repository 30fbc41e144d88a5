/*
 * How long do answers take when requests come by the clock, whether or not the ones before have
 * been answered? An open loop: request k of a stream is due at its place in a fixed schedule and
 * its latency counts from then, so that a server that stalls is charged for all that waited
 * (the opposite is Tene's "coordinated omission"). A stream without a rate is a closed loop: the
 * next request follows the answer. One thread, one epoll.
 *   bench_load PORT SECONDS NAME:RATE:CONNECTIONS:FILE...
 * FILE holds one whole HTTP request; ten @ in it are replaced by the request's number from 1.
 * Prints one JSON object a stream: counts, and latencies in microseconds by status class.
 */

#define _GNU_SOURCE /* strcasestr */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define STREAMS_MAX 16
#define REPLY_HEAD_MAX 4096
#define SPIN_NS 200000 /* nearer than this the next request is waited for without sleeping */
#define DRAIN_NS UINT64_C(10000000000)

/* --- Latencies: 64 buckets an octave, so within 1.6 % --- */

#define SUB 64
#define BUCKETS 4096

struct histogram {
    uint64_t counts[BUCKETS], total, max_ns;
};

static unsigned bucket_of(uint64_t ns) {
    unsigned shift = 0;
    while (ns >> shift >= UINT64_C(2) * SUB) {
        shift++;
    }
    return shift * SUB + (unsigned)(ns >> shift);
}

static uint64_t value_of(unsigned bucket) {
    unsigned shift = bucket < 2 * SUB ? 0 : bucket / SUB - 1;
    return (uint64_t)(bucket - shift * SUB) << shift;
}

static void note(struct histogram *histogram, uint64_t ns) {
    histogram->counts[bucket_of(ns)]++;
    histogram->total++;
    histogram->max_ns = ns > histogram->max_ns ? ns : histogram->max_ns;
}

static double quantile_us(const struct histogram *histogram, double q) {
    uint64_t rank = (uint64_t)(q * (double)histogram->total), seen = 0;
    for (unsigned i = 0; i < BUCKETS; i++) {
        seen += histogram->counts[i];
        if (seen > rank) {
            return (double)value_of(i) / 1000.0;
        }
    }
    return (double)histogram->max_ns / 1000.0;
}

/* --- Streams --- */

struct stream;

struct connection {
    struct stream *stream;
    struct connection *next_idle;
    int fd;
    bool is_busy;
    uint64_t due_ns;
    char *request; /* the connection's own copy */
    size_t sent;
    char head[REPLY_HEAD_MAX]; /* of the answer */
    size_t head_bytes;
    int64_t body_left; /* -1: the head is not whole yet */
    int status;
};

struct stream {
    const char *name;
    double rate; /* a second; 0: closed loop */
    int connection_count;
    char *request;
    size_t request_bytes;
    char *number; /* where it stands in request; NULL: it has none */
    struct connection *connections, *idle;
    uint64_t issued; /* sent, or waiting for a connection */
    uint64_t numbered, failed;
    struct histogram accepted, refused, server_refused;
    uint64_t other;
};

static uint64_t now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int poller;
static uint16_t port;
static uint64_t start_ns, end_ns;
static unsigned busy;

static void read_request(struct stream *stream, const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        err(1, "%s", path);
    }
    fseek(file, 0, SEEK_END);
    stream->request_bytes = (size_t)ftell(file);
    rewind(file);
    stream->request = malloc(stream->request_bytes + 1);
    if (stream->request == NULL ||
        fread(stream->request, 1, stream->request_bytes, file) != stream->request_bytes) {
        errx(1, "%s", path);
    }
    stream->request[stream->request_bytes] = '\0';
    stream->number = strstr(stream->request, "@@@@@@@@@@");
    fclose(file);
}

static void open_connection(struct connection *connection) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = connection};
    int on = 1;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connection->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection->fd < 0 ||
        connect(connection->fd, (struct sockaddr *)&address, sizeof address) != 0) {
        err(1, "connect");
    }
    setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    epoll_ctl(poller, EPOLL_CTL_ADD, connection->fd, &event);
}

/* NAME:RATE:CONNECTIONS:FILE, taken apart in place. */
static void open_stream(struct stream *stream, char *text) {
    char *rest = text;
    stream->name = strsep(&rest, ":");
    const char *rate = strsep(&rest, ":"), *count = strsep(&rest, ":");
    if (rest == NULL) {
        errx(2, "a stream is NAME:RATE:CONNECTIONS:FILE");
    }
    stream->rate = atof(rate);
    stream->connection_count = atoi(count);
    read_request(stream, rest);
    stream->connections = calloc((size_t)stream->connection_count, sizeof *stream->connections);
    for (int i = 0; i < stream->connection_count; i++) {
        struct connection *connection = &stream->connections[i];
        connection->stream = stream;
        connection->request = malloc(stream->request_bytes);
        memcpy(connection->request, stream->request, stream->request_bytes);
        open_connection(connection);
        connection->next_idle = stream->idle;
        stream->idle = connection;
    }
}

/* --- One exchange --- */

static void go_on_sending(struct connection *connection) {
    while (connection->sent < connection->stream->request_bytes) {
        ssize_t sent =
            send(connection->fd, connection->request + connection->sent,
                 connection->stream->request_bytes - connection->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent <= 0) {
            return;
        }
        connection->sent += (size_t)sent;
    }
}

static void begin(struct connection *connection, uint64_t due_ns) {
    struct stream *stream = connection->stream;
    connection->due_ns = due_ns;
    connection->sent = connection->head_bytes = 0;
    connection->body_left = -1;
    connection->is_busy = true;
    busy++;
    if (stream->number != NULL) {
        char digits[24];
        snprintf(digits, sizeof digits, "%010llu", (unsigned long long)++stream->numbered);
        memcpy(connection->request + (stream->number - stream->request), digits, 10);
    }
    go_on_sending(connection);
}

static double server_ms(const char *head) {
    const char *total = strstr(head, "total;dur=");
    return total != NULL ? atof(total + strlen("total;dur=")) : 0.0;
}

static void end(struct connection *connection) {
    struct stream *stream = connection->stream;
    uint64_t took_ns = now_ns() - connection->due_ns;
    if (connection->status >= 200 && connection->status < 300) {
        note(&stream->accepted, took_ns);
    } else if (connection->status == 503) {
        note(&stream->refused, took_ns);
        note(&stream->server_refused, (uint64_t)(server_ms(connection->head) * 1e6));
    } else {
        stream->other++;
    }
    connection->is_busy = false;
    busy--;
    connection->next_idle = stream->idle;
    stream->idle = connection;
}

static void fail(struct connection *connection) {
    connection->stream->failed++;
    close(connection->fd);
    open_connection(connection);
    connection->status = 0;
    if (connection->is_busy) {
        connection->is_busy = false;
        busy--;
        connection->next_idle = connection->stream->idle;
        connection->stream->idle = connection;
    }
}

/* The head is whole: what of the body has come with it, and what is missing? */
static bool take_head(struct connection *connection) {
    connection->head[connection->head_bytes] = '\0';
    char *blank = strstr(connection->head, "\r\n\r\n");
    if (blank == NULL) {
        return connection->head_bytes < REPLY_HEAD_MAX - 1;
    }
    blank[2] = '\0';
    const char *length = strcasestr(connection->head, "\r\ncontent-length:");
    connection->status = atoi(connection->head + strlen("HTTP/1.1 "));
    size_t came = connection->head_bytes - (size_t)(blank + 4 - connection->head);
    connection->body_left =
        (length != NULL ? atoll(length + strlen("\r\ncontent-length:")) : 0) - (int64_t)came;
    return connection->body_left >= 0;
}

/* False: the connection is of no more use. */
static bool receive(struct connection *connection) {
    static char rest[1 << 18];
    while (connection->is_busy) {
        bool in_head = connection->body_left < 0;
        char *into = in_head ? connection->head + connection->head_bytes : rest;
        size_t room = in_head ? REPLY_HEAD_MAX - 1 - connection->head_bytes : sizeof rest;
        if (!in_head && (int64_t)room > connection->body_left) {
            room = (size_t)connection->body_left;
        }
        ssize_t got = recv(connection->fd, into, room, MSG_DONTWAIT);
        if (got <= 0) {
            return got < 0 && (errno == EAGAIN || errno == EINTR);
        }
        if (in_head) {
            connection->head_bytes += (size_t)got;
            if (!take_head(connection)) {
                return false;
            }
        } else {
            connection->body_left -= got;
        }
        if (connection->body_left == 0) {
            end(connection);
        }
    }
    return true;
}

/* --- The schedule --- */

static uint64_t due_at(const struct stream *stream) {
    return start_ns + (uint64_t)((double)stream->issued * 1e9 / stream->rate);
}

/* Sends what is due and has a connection; returns when the next is due. */
static uint64_t issue(struct stream *stream, uint64_t now) {
    while (stream->idle != NULL) {
        uint64_t due = stream->rate > 0.0 ? due_at(stream) : now;
        if (due > now || due >= end_ns) {
            return due;
        }
        struct connection *connection = stream->idle;
        stream->idle = connection->next_idle;
        stream->issued++;
        begin(connection, due);
    }
    return UINT64_MAX; /* when a connection comes back */
}

/* The server ends connections that were idle for long; nothing was lost with one. */
static void renew_if_closed(struct connection *connection) {
    char byte;
    if (recv(connection->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) {
        close(connection->fd);
        open_connection(connection);
    }
}

static void turn(struct stream *streams, int count) {
    struct epoll_event events[256];
    uint64_t now = now_ns(), next = end_ns;
    for (int i = 0; i < count && now < end_ns; i++) {
        uint64_t due = issue(&streams[i], now);
        next = due < next ? due : next;
    }
    int wait_ms = now >= end_ns ? 10 : next < now + SPIN_NS ? 0 : (int)((next - now) / 1000000);
    int ready = epoll_wait(poller, events, 256, wait_ms);
    for (int i = 0; i < ready; i++) {
        struct connection *connection = events[i].data.ptr;
        if (!connection->is_busy) {
            renew_if_closed(connection);
            continue;
        }
        go_on_sending(connection);
        if (!receive(connection)) {
            fail(connection);
        }
    }
}

static void print(const struct stream *stream) {
    const struct histogram *histogram = &stream->accepted;
    double seconds = (double)(end_ns - start_ns) / 1e9;
    printf("{\"stream\": \"%s\", \"issued\": %llu, \"accepted\": %llu, \"refused\": %llu, "
           "\"other\": %llu, \"failed\": %llu, \"accepted_per_s\": %.1f",
           stream->name, (unsigned long long)stream->issued, (unsigned long long)histogram->total,
           (unsigned long long)stream->refused.total, (unsigned long long)stream->other,
           (unsigned long long)stream->failed, (double)histogram->total / seconds);
    printf(", \"p50\": %.1f, \"p90\": %.1f, \"p99\": %.1f, \"p999\": %.1f, \"max\": %.1f",
           quantile_us(histogram, 0.5), quantile_us(histogram, 0.9), quantile_us(histogram, 0.99),
           quantile_us(histogram, 0.999), (double)histogram->max_ns / 1000.0);
    printf(", \"refused_p50\": %.1f, \"refused_server_p99\": %.1f}\n",
           quantile_us(&stream->refused, 0.5), quantile_us(&stream->server_refused, 0.99));
}

int main(int argc, char **argv) {
    static struct stream streams[STREAMS_MAX];
    int count = argc - 3;
    if (count < 1 || count > STREAMS_MAX) {
        errx(2, "usage: bench_load PORT SECONDS NAME:RATE:CONNECTIONS:FILE...");
    }
    port = (uint16_t)atoi(argv[1]);
    poller = epoll_create1(EPOLL_CLOEXEC);
    for (int i = 0; i < count; i++) {
        open_stream(&streams[i], argv[3 + i]);
    }
    start_ns = now_ns();
    end_ns = start_ns + (uint64_t)(atof(argv[2]) * 1e9);
    while (now_ns() < end_ns || (busy > 0 && now_ns() < end_ns + DRAIN_NS)) {
        turn(streams, count);
    }
    for (int i = 0; i < count; i++) {
        print(&streams[i]);
    }
    return 0;
}
