/*
 * What does a row of a column message cost beside the geometry in it? The same rays against the
 * same set, in turns: in a bare loop in this process, and as one message a request at a daemon
 * with one worker, over kept connections, each with one request on its way.
 *   bench_rows PORT PID SET_NAME SET.json RAYS.bin CONNECTIONS
 * Prints one JSON object: nanoseconds a row of both (medians), and the median of their ratios;
 * the same of processor time, the loop's beside all of the daemon's, which holds even when
 * something else keeps the processors busy.
 */

#define _GNU_SOURCE /* strcasestr */
#include "bare.h"

#include <arpa/inet.h>
#include <err.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 101
#define REPLY_BYTES_MAX (1 << 24)
#define PASSES 8 /* of each, in a round */
#define CONNECTIONS_MAX 8

/* Every ray once; the sum of the distances keeps it honest. */
static double compute(const struct gjk_set *set, const proto_raycast_columns *columns,
                      struct gjk_arena *memory) {
    gjk_snapshot snapshot = gjk_snapshot_of(set);
    gjk_filter filter = gjk_filter_default();
    gjk_ray_settings settings = gjk_ray_settings_default();
    gjk_selection selection = {.filter = &filter,
                               .limit = 1,
                               .arena = memory,
                               .rest_unasked = true};
    double sum = 0.0;
    for (uint32_t i = 0; i < columns->rows.count; i++) {
        gjk_ray_hits hits;
        if (gjk_set_raycast(&snapshot, &columns->rows.rays[i], &selection, &settings, &hits) !=
            GJK_OK) {
            errx(1, "no memory");
        }
        sum += hits.count > 0 ? hits.items[0].result.distance : 0.0;
        gjk_arena_reset(memory);
    }
    return sum;
}

struct connections {
    int fd[CONNECTIONS_MAX];
    int count;
};

static int open_socket(uint16_t port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    int on = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        err(1, "connect");
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

static void send_request(int fd, proto_text request) {
    for (size_t sent = 0; sent < request.length;) {
        ssize_t step = send(fd, request.data + sent, request.length - sent, MSG_NOSIGNAL);
        if (step <= 0) {
            err(1, "send");
        }
        sent += (size_t)step;
    }
}

static void read_reply(int fd) {
    static char reply[REPLY_BYTES_MAX];
    size_t got = 0, wanted = REPLY_BYTES_MAX;
    while (got < wanted) {
        ssize_t step = recv(fd, reply + got, REPLY_BYTES_MAX - 1 - got, 0);
        if (step <= 0) {
            err(1, "recv");
        }
        got += (size_t)step;
        reply[got] = '\0';
        const char *end = wanted == REPLY_BYTES_MAX ? strstr(reply, "\r\n\r\n") : NULL;
        if (end != NULL) {
            wanted = (size_t)(end + 4 - reply) + (size_t)atoll(strcasestr(reply, "length:") + 7);
        }
    }
    if (strncmp(reply, "HTTP/1.1 200", 12) != 0) {
        errx(1, "%.300s", reply);
    }
}

/* The request so many times, over all connections in turns. */
static void ask(const struct connections *all, proto_text request, int passes) {
    for (int pass = 0; pass < passes + all->count; pass++) {
        int fd = all->fd[pass % all->count];
        if (pass >= all->count) {
            read_reply(fd);
        }
        if (pass < passes) {
            send_request(fd, request);
        }
    }
}

static int compare(const void *a, const void *b) {
    double p = *(const double *)a, q = *(const double *)b;
    return p < q ? -1 : p > q;
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

/* The two sides of one measure. */
struct measure {
    double bare[ROUNDS], served[ROUNDS], ratio[ROUNDS];
};

static void print(const char *name, struct measure *measure) {
    printf("\"%s\": {\"bare_ns\": %.1f, \"served_ns\": %.1f, \"ratio\": %.4f}", name,
           median(measure->bare, ROUNDS), median(measure->served, ROUNDS),
           median(measure->ratio, ROUNDS));
}

static void note(struct measure *measure, int round, double bare, double served, double rows) {
    int at = round < 0 ? 0 : round; /* the first ones warm up */
    measure->bare[at] = bare / rows;
    measure->served[at] = served / rows;
    measure->ratio[at] = bare / served;
}

static proto_text make_request(const char *set, proto_text rays) {
    char *request = malloc(rays.length + 512);
    size_t head = (size_t)snprintf(request, 512,
                                   "POST /v1/sets/%s/raycast HTTP/1.1\r\nHost: localhost\r\n"
                                   "Content-Type: application/x-protobuf\r\n"
                                   "Content-Length: %zu\r\n\r\n",
                                   set, rays.length);
    memcpy(request + head, rays.data, rays.length);
    return (proto_text){request, head + rays.length};
}

int main(int argc, char **argv) {
    static struct measure wall, processor;
    struct gjk_arena arena, memory;
    struct proto_problem problem;
    proto_limits limits = proto_limits_default();
    proto_raycast_columns columns;
    clockid_t daemon;
    struct connections all = {.count = argc == 7 ? atoi(argv[6]) : 0};
    if (all.count < 1 || all.count > CONNECTIONS_MAX ||
        clock_getcpuclockid(atoi(argv[2]), &daemon) != 0) {
        errx(2, "usage: bench_rows PORT PID SET_NAME SET.json RAYS.bin CONNECTIONS");
    }
    gjk_arena_init(&arena, 0);
    gjk_arena_init(&memory, 0);
    struct gjk_set *set = bench_load_set(bench_read_file(argv[4]), &arena);
    proto_text rays = bench_read_file(argv[5]);
    const proto_source source = {.body = rays,
                                 .set_dimension = gjk_set_dimension(set),
                                 .limits = &limits,
                                 .arena = &arena,
                                 .problem = &problem};
    if (!proto_decode_columns(&source, &proto_raycast_columns_table, &columns.rows,
                              columns.fields)) {
        errx(1, "%s: %s", problem.pointer, problem.detail);
    }
    proto_text request = make_request(argv[3], rays);
    for (int i = 0; i < all.count; i++) {
        all.fd[i] = open_socket((uint16_t)atoi(argv[1]));
    }
    double sum = 0.0, rows = (double)columns.rows.count * PASSES;
    for (int round = -3; round < ROUNDS; round++) {
        double start = bench_read_ns(CLOCK_MONOTONIC), own = bench_read_ns(CLOCK_THREAD_CPUTIME_ID);
        for (int pass = 0; pass < PASSES; pass++) {
            sum += compute(set, &columns, &memory);
        }
        own = bench_read_ns(CLOCK_THREAD_CPUTIME_ID) - own;
        double middle = bench_read_ns(CLOCK_MONOTONIC), its = bench_read_ns(daemon);
        ask(&all, request, PASSES);
        double end = bench_read_ns(CLOCK_MONOTONIC);
        note(&processor, round, own, bench_read_ns(daemon) - its, rows);
        note(&wall, round, middle - start, end - middle, rows);
    }
    printf("{\"rows\": %u, \"sum\": %.17g, ", columns.rows.count, sum);
    print("wall", &wall);
    printf(", ");
    print("processor", &processor);
    printf("}\n");
    return 0;
}
