/*
 * Fixed tables of counters. Labels that never occurred are not printed, so the tables may be
 * generous.
 */

#include "request/telemetry.h"

#include "request/operations.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

static const int statuses[] = {101, 200, 201, 204, 304, 400, 401, 403, 404, 405, 406, 409, 410,
                               412, 413, 414, 415, 422, 429, 431, 500, 501, 503, 504, 507};
enum { STATUS_COUNT = sizeof statuses / sizeof statuses[0] };

static const double duration_bounds_s[] = {0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025,
                                           0.005,   0.01,   0.025,   0.05,   0.1,   0.25,
                                           0.5,     1.0,    2.5,     5.0,    10.0};
enum { DURATION_COUNT = sizeof duration_bounds_s / sizeof duration_bounds_s[0] };

static const uint32_t iteration_bounds[] = {0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
enum { ITERATION_COUNT = sizeof iteration_bounds / sizeof iteration_bounds[0] };

static const char *const rejection_names[GJKD_REJECTION_COUNT] = {"queue-full", "lag",
                                                                  "rate-limited",
                                                                  "deadline-exceeded",
                                                                  "out-of-memory"};

typedef _Atomic uint64_t counter;

struct gjkd_counters {
    _Alignas(64) counter requests[GJKD_ROUTE_COUNT][GJKD_METHOD_COUNT][STATUS_COUNT];
    counter route_ns[GJKD_ROUTE_COUNT];
    counter abandoned;
    counter bytes_in, bytes_out;
    counter opened, closed, turned_away; /* connections */
    counter longest_round_ns;
    counter watches_opened, watches_closed;
    counter events[GJKD_EVENT_KINDS];
    counter durations[DURATION_COUNT + 1];
    counter duration_sum_ns;
    counter queries[GJKD_COUNTED_OPS];
    counter iterations[ITERATION_COUNT + 1];
    counter iteration_sum;
    counter rejected[GJKD_REJECTION_COUNT];
};

struct gjkd_telemetry {
    unsigned loops;
    struct gjkd_counters *blocks;
};

struct gjkd_telemetry *gjkd_telemetry_new(unsigned loops) {
    struct gjkd_telemetry *telemetry = malloc(sizeof *telemetry);
    size_t size = loops * sizeof(struct gjkd_counters);
    struct gjkd_counters *blocks = aligned_alloc(64, size);
    if (telemetry == NULL || blocks == NULL) {
        free(telemetry);
        free(blocks);
        return NULL;
    }
    for (counter *at = (counter *)blocks; at < (counter *)(blocks + loops); at++) {
        atomic_init(at, 0);
    }
    *telemetry = (struct gjkd_telemetry){loops, blocks};
    return telemetry;
}

void gjkd_telemetry_free(struct gjkd_telemetry *telemetry) {
    if (telemetry != NULL) {
        free(telemetry->blocks);
        free(telemetry);
    }
}

struct gjkd_counters *gjkd_telemetry_counters(struct gjkd_telemetry *telemetry, unsigned loop) {
    return &telemetry->blocks[loop];
}

static void add(counter *at, uint64_t amount) {
    atomic_fetch_add_explicit(at, amount, memory_order_relaxed);
}

void gjkd_count_request(struct gjkd_counters *counters, unsigned route, gjkd_method method,
                        int status, uint64_t duration_ns) {
    if (status == 0) {
        add(&counters->abandoned, 1);
        return;
    }
    for (int i = 0; i < STATUS_COUNT; i++) {
        if (statuses[i] == status) {
            add(&counters->requests[route][method][i], 1);
            break;
        }
    }
    int bucket = 0;
    while (bucket < DURATION_COUNT && (double)duration_ns > duration_bounds_s[bucket] * 1e9) {
        bucket++;
    }
    add(&counters->route_ns[route], duration_ns);
    add(&counters->durations[bucket], 1);
    add(&counters->duration_sum_ns, duration_ns);
}

void gjkd_count_bytes(struct gjkd_counters *counters, uint64_t in, uint64_t out) {
    add(&counters->bytes_in, in);
    add(&counters->bytes_out, out);
}

void gjkd_count_connection(struct gjkd_counters *counters, bool opened) {
    add(opened ? &counters->opened : &counters->closed, 1);
}

void gjkd_count_round(struct gjkd_counters *counters, uint64_t took_ns) {
    if (took_ns > atomic_load_explicit(&counters->longest_round_ns, memory_order_relaxed)) {
        atomic_store_explicit(&counters->longest_round_ns, took_ns, memory_order_relaxed);
    }
}

void gjkd_count_turned_away(struct gjkd_counters *counters) {
    add(&counters->turned_away, 1);
}

void gjkd_count_watch(struct gjkd_counters *counters, bool opened) {
    add(opened ? &counters->watches_opened : &counters->watches_closed, 1);
}

void gjkd_count_event(struct gjkd_counters *counters, gjkd_event_kind kind) {
    add(&counters->events[kind], 1);
}

void gjkd_count_queries(struct gjkd_counters *counters, unsigned op, uint64_t count) {
    add(&counters->queries[op], count);
}

void gjkd_tally_add(gjkd_tally *tally, uint32_t iterations) {
    _Static_assert(GJKD_TALLY_BUCKETS == ITERATION_COUNT + 1, "one more for what is above all");
    int bucket = 0;
    while (bucket < ITERATION_COUNT && iterations > iteration_bounds[bucket]) {
        bucket++;
    }
    tally->buckets[bucket]++;
    tally->sum += iterations;
}

void gjkd_count_tally(struct gjkd_counters *counters, const gjkd_tally *tally) {
    for (int i = 0; i < GJKD_TALLY_BUCKETS; i++) {
        if (tally->buckets[i] > 0) {
            add(&counters->iterations[i], tally->buckets[i]);
        }
    }
    add(&counters->iteration_sum, tally->sum);
}

void gjkd_count_iterations(struct gjkd_counters *counters, uint32_t iterations) {
    gjkd_tally tally = {0};
    gjkd_tally_add(&tally, iterations);
    gjkd_count_tally(counters, &tally);
}

void gjkd_count_rejected(struct gjkd_counters *counters, gjkd_rejection reason) {
    add(&counters->rejected[reason], 1);
}

void gjkd_count_refusal(struct gjkd_counters *counters, proto_code code) {
    static const struct {
        proto_code code;
        gjkd_rejection reason;
    } rows[] = {
        {PROTO_RATE_LIMITED, GJKD_REJECTED_RATE},
        {PROTO_DEADLINE_EXCEEDED, GJKD_REJECTED_DEADLINE},
        {PROTO_OUT_OF_MEMORY, GJKD_REJECTED_MEMORY},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].code == code) {
            gjkd_count_rejected(counters, rows[i].reason);
        }
    }
}

/* Returns the sum of a counter over all loops. `at` is the counter in the first block. */
static uint64_t sum(const struct gjkd_telemetry *telemetry, const counter *at) {
    size_t offset = (size_t)((const char *)at - (const char *)telemetry->blocks);
    uint64_t total = 0;
    for (unsigned i = 0; i < telemetry->loops; i++) {
        const char *block = (const char *)&telemetry->blocks[i];
        total += atomic_load_explicit((const counter *)(const void *)(block + offset),
                                      memory_order_relaxed);
    }
    return total;
}

static void print_head(FILE *out, const char *name, const char *type, const char *help) {
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void print_route(const struct gjkd_telemetry *telemetry, unsigned route, gjkd_method method,
                        FILE *out) {
    for (int i = 0; i < STATUS_COUNT; i++) {
        uint64_t count = sum(telemetry, &telemetry->blocks->requests[route][method][i]);
        if (count > 0) {
            fprintf(out,
                    "gjkd_http_requests_total{route=\"%s\",method=\"%s\",code=\"%d\"} %" PRIu64
                    "\n",
                    gjkd_route_label(route), gjkd_method_text(method), statuses[i], count);
        }
    }
}

static void print_durations(const struct gjkd_telemetry *telemetry, FILE *out) {
    static const char name[] = "gjkd_http_request_duration_seconds";
    uint64_t total = 0;
    print_head(out, name, "histogram", "Time from a request's first line to its answer's end.");
    for (int i = 0; i < DURATION_COUNT; i++) {
        total += sum(telemetry, &telemetry->blocks->durations[i]);
        fprintf(out, "%s_bucket{le=\"%g\"} %" PRIu64 "\n", name, duration_bounds_s[i], total);
    }
    total += sum(telemetry, &telemetry->blocks->durations[DURATION_COUNT]);
    fprintf(out, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n", name, total);
    fprintf(out, "%s_sum %.9f\n%s_count %" PRIu64 "\n", name,
            (double)sum(telemetry, &telemetry->blocks->duration_sum_ns) * 1e-9, name, total);
}

static void print_iterations(const struct gjkd_telemetry *telemetry, FILE *out) {
    static const char name[] = "gjkd_gjk_iterations";
    uint64_t total = 0;
    print_head(out, name, "histogram", "Iterations that an answered pair or ray took.");
    for (int i = 0; i < ITERATION_COUNT; i++) {
        total += sum(telemetry, &telemetry->blocks->iterations[i]);
        fprintf(out, "%s_bucket{le=\"%" PRIu32 "\"} %" PRIu64 "\n", name, iteration_bounds[i],
                total);
    }
    total += sum(telemetry, &telemetry->blocks->iterations[ITERATION_COUNT]);
    fprintf(out, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n", name, total);
    fprintf(out, "%s_sum %" PRIu64 "\n%s_count %" PRIu64 "\n", name,
            sum(telemetry, &telemetry->blocks->iteration_sum), name, total);
}

static void print_one(FILE *out, const char *name, const char *type, const char *help,
                      uint64_t value) {
    print_head(out, name, type, help);
    fprintf(out, "%s %" PRIu64 "\n", name, value);
}

static void print_gauge(FILE *out, const char *name, const char *help, uint64_t value) {
    print_one(out, name, "gauge", help, value);
}

static void print_counter(FILE *out, const char *name, const char *help, uint64_t value) {
    print_one(out, name, "counter", help, value);
}

static void print_route_times(const struct gjkd_telemetry *telemetry, FILE *out) {
    static const char name[] = "gjkd_http_request_seconds_total";
    print_head(out, name, "counter", "Time that answered requests took, by route.");
    for (unsigned route = 0; route < GJKD_ROUTE_COUNT; route++) {
        uint64_t ns = sum(telemetry, &telemetry->blocks->route_ns[route]);
        if (ns > 0) {
            fprintf(out, "%s{route=\"%s\"} %.9f\n", name, gjkd_route_label(route),
                    (double)ns * 1e-9);
        }
    }
}

static void print_traffic(const struct gjkd_telemetry *telemetry, FILE *out) {
    const struct gjkd_counters *first = telemetry->blocks;
    print_route_times(telemetry, out);
    print_counter(out, "gjkd_http_requests_abandoned_total",
                  "Requests whose client was gone before an answer.",
                  sum(telemetry, &first->abandoned));
    print_counter(out, "gjkd_http_request_bytes_total", "Bytes of requests' bodies.",
                  sum(telemetry, &first->bytes_in));
    print_counter(out, "gjkd_http_response_bytes_total", "Bytes of answers' bodies.",
                  sum(telemetry, &first->bytes_out));
    uint64_t closed = sum(telemetry, &first->closed); /* first, so that there are never fewer */
    uint64_t opened = sum(telemetry, &first->opened);
    print_counter(out, "gjkd_http_connections_opened_total", "Connections accepted.", opened);
    print_counter(out, "gjkd_http_connections_refused_total",
                  "Of those, closed at once for there were too many.",
                  sum(telemetry, &first->turned_away));
    print_gauge(out, "gjkd_http_connections", "Connections that are open.",
                opened > closed ? opened - closed : 0);
}

static void print_rounds(const struct gjkd_telemetry *telemetry, FILE *out) {
    const char *name = "gjkd_loop_round_seconds_max";
    print_head(out, name, "gauge", "Most processor time that a loop has spent in one round.");
    for (unsigned loop = 0; loop < telemetry->loops; loop++) {
        const uint64_t ns = atomic_load(&telemetry->blocks[loop].longest_round_ns);
        fprintf(out, "%s{loop=\"%u\"} %.9f\n", name, loop, (double)ns * 1e-9);
    }
}

static void print_events(const struct gjkd_telemetry *telemetry, FILE *out) {
    const struct gjkd_counters *first = telemetry->blocks;
    const uint64_t closed = sum(telemetry, &first->watches_closed);
    const uint64_t opened = sum(telemetry, &first->watches_opened);
    print_gauge(out, "gjkd_watches", "Readers of events.", opened > closed ? opened - closed : 0);
    print_head(out, "gjkd_events_total", "counter", "Events sent, to each reader.");
    for (int i = 0; i < GJKD_EVENT_KINDS; i++) {
        fprintf(out, "gjkd_events_total{kind=\"%s\"} %" PRIu64 "\n",
                gjkd_event_name((gjkd_event_kind)i), sum(telemetry, &first->events[i]));
    }
}

static void print_cluster(FILE *out, const gjkd_cluster_measure *cluster) {
    print_gauge(out, "gjkd_cluster_degraded", "1 when the cluster's log cannot be written.",
                cluster->state == GJKD_CLUSTER_DEGRADED);
    print_gauge(out, "gjkd_cluster_revision_lag",
                "Changes of the cluster's log that this node does not show yet.", cluster->lag);
    print_gauge(out, "gjkd_cluster_revision", "The last change of the log that this node shows.",
                cluster->position);
    print_counter(out, "gjkd_cluster_published_total", "Groups of writes put into the log.",
                  cluster->published);
    print_counter(out, "gjkd_cluster_applied_total", "Groups of writes taken from the log.",
                  cluster->applied);
    print_counter(out, "gjkd_cluster_conflicts_total",
                  "Groups of writes that another node's came before.", cluster->conflicts);
    print_counter(out, "gjkd_cluster_stray_messages_total",
                  "Messages on the cluster's subjects that are none of gjkd's, passed over.",
                  cluster->strays);
    print_counter(out, "gjkd_cluster_rollups_total",
                  "Sets whose messages this node has rolled up into one.", cluster->rollups);
    print_counter(out, "gjkd_cluster_resets_total",
                  "Times that the log was read anew, because it did not go on from what was shown.",
                  cluster->resyncs);
    print_counter(out, "gjkd_cluster_ticks_published_total",
                  "Ticks that were told to the other nodes beside the log.", cluster->ticks_sent);
    print_counter(out, "gjkd_cluster_ticks_received_total",
                  "Ticks that were taken from other nodes beside the log.", cluster->ticks_taken);
    print_counter(out, "gjkd_cluster_ticks_dropped_total",
                  "Ticks of other nodes that came too late, or that nobody could read.",
                  cluster->ticks_late);
    print_counter(out, "gjkd_cluster_tick_gaps_total",
                  "Ticks of other nodes right before which this node may lack some.",
                  cluster->tick_gaps);
}

void gjkd_telemetry_print(struct gjkd_telemetry *telemetry, const gjkd_gauges *gauges, FILE *out) {
    print_head(out, "gjkd_http_requests_total", "counter", "Requests answered.");
    for (unsigned route = 0; route < GJKD_ROUTE_COUNT; route++) {
        for (int method = 0; method < GJKD_METHOD_COUNT; method++) {
            print_route(telemetry, route, (gjkd_method)method, out);
        }
    }
    print_durations(telemetry, out);
    print_traffic(telemetry, out);
    print_rounds(telemetry, out);
    print_events(telemetry, out);
    print_head(out, "gjkd_queries_total", "counter", "Queries answered.");
    for (int i = 0; i < GJKD_COUNTED_OPS; i++) {
        const char *name =
            i == GJKD_COUNTED_CONFIGURATIONS ? "configurations" : proto_op_name((proto_op)i);
        fprintf(out, "gjkd_queries_total{op=\"%s\"} %" PRIu64 "\n", name,
                sum(telemetry, &telemetry->blocks->queries[i]));
    }
    print_iterations(telemetry, out);
    print_gauge(out, "gjkd_streams", "Streams that are open.", gauges->streams);
    print_gauge(out, "gjkd_sets", "Sets stored.", gauges->sets);
    print_gauge(out, "gjkd_shapes", "Shapes of all sets.", gauges->shapes);
    print_gauge(out, "gjkd_set_bytes", "Memory of all sets.", gauges->set_bytes);
    print_gauge(out, "gjkd_memory_bytes", "Memory counted against --max-memory.",
                gauges->memory_bytes);
    print_gauge(out, "gjkd_packed_bytes", "Memory of packed bodies that are kept.",
                gauges->packed.bytes);
    print_counter(out, "gjkd_packed_made_total", "Bodies packed, of those that may be kept.",
                  gauges->packed.made);
    print_counter(out, "gjkd_packed_reused_total", "Answers whose packed body was kept.",
                  gauges->packed.reused);
    print_gauge(out, "gjkd_ready", "1 when new work is wanted, as /readyz says.", gauges->ready);
    print_counter(out, "gjkd_log_lines_dropped_total",
                  "Lines that standard error did not take at once.", gauges->log_dropped);
    print_gauge(out, "gjkd_store_changes_waiting", "Writes that wait for the disk.",
                gauges->store.waiting);
    print_counter(out, "gjkd_store_transactions_total", "Groups of writes that the disk has.",
                  gauges->store.transactions);
    print_counter(out, "gjkd_store_failures_total", "Writes that the disk has refused.",
                  gauges->store.failures);
    print_head(out, "gjkd_store_oldest_wait_seconds", "gauge",
               "How long the oldest write has waited for the disk.");
    fprintf(out, "gjkd_store_oldest_wait_seconds %.3f\n",
            (double)gauges->store.oldest_wait_ns / 1e9);
    if (gauges->cluster.name != NULL) {
        print_cluster(out, &gauges->cluster);
    }
    print_gauge(out, "gjkd_jobs_queued", "Requests that wait for a worker.", gauges->jobs_queued);
    print_head(out, "gjkd_jobs_rejected_total", "counter", "Requests refused for want of room.");
    for (int i = 0; i < GJKD_REJECTION_COUNT; i++) {
        fprintf(out, "gjkd_jobs_rejected_total{reason=\"%s\"} %" PRIu64 "\n", rejection_names[i],
                sum(telemetry, &telemetry->blocks->rejected[i]));
    }
    print_head(out, "gjkd_build_info", "gauge", "Always 1; the version is in the label.");
    fprintf(out, "gjkd_build_info{version=\"%s\"} 1\n", GJKD_VERSION_TEXT);
}
