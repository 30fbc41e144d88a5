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

static const double iteration_bounds[] = {0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
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
    counter longest_round_ns;
    counter durations[DURATION_COUNT + 1];
    counter duration_sum_ns;
    counter iterations[ITERATION_COUNT + 1];
    counter iteration_sum;
    counter simple[GJKD_COUNTER_COUNT];
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

void gjkd_count(struct gjkd_counters *counters, gjkd_counter kind, uint64_t amount) {
    add(&counters->simple[kind], amount);
}

/* Returns the index of the first bound that is not below the value; `count` if all are. */
static int bucket_of(const double *bounds, int count, double value) {
    int bucket = 0;
    while (bucket < count && value > bounds[bucket]) {
        bucket++;
    }
    return bucket;
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
    const int bucket = bucket_of(duration_bounds_s, DURATION_COUNT, (double)duration_ns * 1e-9);
    add(&counters->route_ns[route], duration_ns);
    add(&counters->durations[bucket], 1);
    add(&counters->duration_sum_ns, duration_ns);
}

void gjkd_count_round(struct gjkd_counters *counters, uint64_t took_ns) {
    if (took_ns > atomic_load_explicit(&counters->longest_round_ns, memory_order_relaxed)) {
        atomic_store_explicit(&counters->longest_round_ns, took_ns, memory_order_relaxed);
    }
}

void gjkd_tally_add(gjkd_tally *tally, uint32_t iterations) {
    _Static_assert(GJKD_TALLY_BUCKETS == ITERATION_COUNT + 1, "one more for what is above all");
    tally->buckets[bucket_of(iteration_bounds, ITERATION_COUNT, iterations)]++;
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

void gjkd_count_refusal(struct gjkd_counters *counters, proto_code code) {
    const gjkd_rejection reason = code == PROTO_RATE_LIMITED        ? GJKD_REJECTED_RATE
                                  : code == PROTO_DEADLINE_EXCEEDED ? GJKD_REJECTED_DEADLINE
                                  : code == PROTO_OUT_OF_MEMORY     ? GJKD_REJECTED_MEMORY
                                                                    : GJKD_REJECTION_COUNT;
    if (reason < GJKD_REJECTION_COUNT) {
        gjkd_count(counters, GJKD_COUNT_REJECTED + reason, 1);
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

static uint64_t sum_simple(const struct gjkd_telemetry *telemetry, gjkd_counter kind) {
    return sum(telemetry, &telemetry->blocks->simple[kind]);
}

/* Returns the number of objects that are open, given counters of those opened and closed. */
static uint64_t open_now(const struct gjkd_telemetry *telemetry, gjkd_counter opened,
                         gjkd_counter closed) {
    const uint64_t ended = sum_simple(telemetry, closed); /* first, so that there are never fewer */
    const uint64_t begun = sum_simple(telemetry, opened);
    return begun > ended ? begun - ended : 0;
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

/* Prints the buckets of a histogram, of which `counters` has one more than there are bounds, and the
 * text of its sum. */
static void print_histogram(const struct gjkd_telemetry *telemetry, const char *name,
                            const double *bounds, int count, const counter *counters,
                            const char *sum_text, FILE *out) {
    uint64_t total = 0;
    for (int i = 0; i < count; i++) {
        total += sum(telemetry, &counters[i]);
        fprintf(out, "%s_bucket{le=\"%g\"} %" PRIu64 "\n", name, bounds[i], total);
    }
    total += sum(telemetry, &counters[count]);
    fprintf(out, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n%s_sum %s\n%s_count %" PRIu64 "\n", name,
            total, name, sum_text, name, total);
}

static void print_histograms(const struct gjkd_telemetry *telemetry, FILE *out) {
    static const char duration[] = "gjkd_http_request_duration_seconds";
    static const char iterations[] = "gjkd_gjk_iterations";
    const struct gjkd_counters *first = telemetry->blocks;
    char text[40];
    print_head(out, duration, "histogram", "Time from a request's first line to its answer's end.");
    snprintf(text, sizeof text, "%.9f", (double)sum(telemetry, &first->duration_sum_ns) * 1e-9);
    print_histogram(telemetry, duration, duration_bounds_s, DURATION_COUNT, first->durations, text,
                    out);
    print_head(out, iterations, "histogram", "Iterations that an answered pair or ray took.");
    snprintf(text, sizeof text, "%" PRIu64, sum(telemetry, &first->iteration_sum));
    print_histogram(telemetry, iterations, iteration_bounds, ITERATION_COUNT, first->iterations,
                    text, out);
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
    print_route_times(telemetry, out);
    print_counter(out, "gjkd_http_requests_abandoned_total",
                  "Requests whose client was gone before an answer.",
                  sum(telemetry, &telemetry->blocks->abandoned));
    print_counter(out, "gjkd_http_request_bytes_total", "Bytes of requests' bodies.",
                  sum_simple(telemetry, GJKD_COUNT_BYTES_IN));
    print_counter(out, "gjkd_http_response_bytes_total", "Bytes of answers' bodies.",
                  sum_simple(telemetry, GJKD_COUNT_BYTES_OUT));
    print_counter(out, "gjkd_http_connections_opened_total", "Connections accepted.",
                  sum_simple(telemetry, GJKD_COUNT_CONNECTIONS_OPENED));
    print_counter(out, "gjkd_http_connections_refused_total",
                  "Of those, closed at once for there were too many.",
                  sum_simple(telemetry, GJKD_COUNT_CONNECTIONS_REFUSED));
    print_gauge(out, "gjkd_http_connections", "Connections that are open.",
                open_now(telemetry, GJKD_COUNT_CONNECTIONS_OPENED, GJKD_COUNT_CONNECTIONS_CLOSED));
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
    print_gauge(out, "gjkd_watches", "Readers of events.",
                open_now(telemetry, GJKD_COUNT_WATCHES_OPENED, GJKD_COUNT_WATCHES_CLOSED));
    print_head(out, "gjkd_events_total", "counter", "Events sent, to each reader.");
    for (int i = 0; i < GJKD_EVENT_KINDS; i++) {
        fprintf(out, "gjkd_events_total{kind=\"%s\"} %" PRIu64 "\n",
                gjkd_event_name((gjkd_event_kind)i),
                sum_simple(telemetry, GJKD_COUNT_EVENTS + (gjkd_counter)i));
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
    print_histograms(telemetry, out);
    print_traffic(telemetry, out);
    print_rounds(telemetry, out);
    print_events(telemetry, out);
    print_head(out, "gjkd_queries_total", "counter", "Queries answered.");
    for (int i = 0; i < GJKD_COUNTED_OPS; i++) {
        const char *name =
            i == GJKD_COUNTED_CONFIGURATIONS ? "configurations" : proto_op_name((proto_op)i);
        fprintf(out, "gjkd_queries_total{op=\"%s\"} %" PRIu64 "\n", name,
                sum_simple(telemetry, GJKD_COUNT_QUERIES + (gjkd_counter)i));
    }
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
                sum_simple(telemetry, GJKD_COUNT_REJECTED + (gjkd_counter)i));
    }
    print_head(out, "gjkd_build_info", "gauge", "Always 1; the version is in the label.");
    fprintf(out, "gjkd_build_info{version=\"%s\"} 1\n", GJKD_VERSION_TEXT);
}
