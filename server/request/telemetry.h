#ifndef GJKD_REQUEST_TELEMETRY_H
#define GJKD_REQUEST_TELEMETRY_H

/*
 * Counters. Every loop counts in a block of its own (its workers
 * too), with relaxed atomics: no lock and no line of memory shared between loops. Reading
 * adds the blocks up.
 */

#include "cluster/cluster.h"
#include "proto/request.h"
#include "request/packed.h"
#include "store/store.h"
#include "util/head.h"
#include "watch/event.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct gjkd_counters;
struct gjkd_telemetry;

typedef enum gjkd_rejection {
    GJKD_REJECTED_QUEUE_FULL, /* --max-jobs requests wait for a worker */
    GJKD_REJECTED_LAG,        /* the loop is behind */
    GJKD_REJECTED_RATE,       /* an address or a token asks too much */
    GJKD_REJECTED_DEADLINE,   /* time was up */
    GJKD_REJECTED_MEMORY,     /* none is left, or none that is allowed */
} gjkd_rejection;
#define GJKD_REJECTION_COUNT 5

/* One block for each of so many loops. NULL: out of memory. */
struct gjkd_telemetry *gjkd_telemetry_new(unsigned loops);
void gjkd_telemetry_free(struct gjkd_telemetry *telemetry); /* NULL is allowed */

struct gjkd_counters *gjkd_telemetry_counters(struct gjkd_telemetry *telemetry, unsigned loop);

/* A request is over. route as gjkd_route_find gave it; status 0: its client was gone before an
 * answer. */
void gjkd_count_request(struct gjkd_counters *counters, unsigned route, gjkd_method method,
                        int status, uint64_t duration_ns);
/* Its body and its answer's. */
void gjkd_count_bytes(struct gjkd_counters *counters, uint64_t in, uint64_t out);
void gjkd_count_connection(struct gjkd_counters *counters, bool opened); /* or closed */
/* A loop has done all that was ready, by its own thread alone, in so much processor time. */
void gjkd_count_round(struct gjkd_counters *counters, uint64_t took_ns);
void gjkd_count_turned_away(struct gjkd_counters *counters);        /* one that was opened, too */
void gjkd_count_watch(struct gjkd_counters *counters, bool opened); /* or closed */
void gjkd_count_event(struct gjkd_counters *counters, gjkd_event_kind kind);
/* Kinds that are counted as queries: each kind of proto_op, and rows of configurations. */
enum { GJKD_COUNTED_CONFIGURATIONS = PROTO_OP_COUNT, GJKD_COUNTED_OPS };
void gjkd_count_queries(struct gjkd_counters *counters, unsigned op, uint64_t count);
void gjkd_count_iterations(struct gjkd_counters *counters, uint32_t iterations);

/* Iterations of many queries, counted on the side and added at once. Starts as {0}. */
#define GJKD_TALLY_BUCKETS 13
typedef struct gjkd_tally {
    uint64_t buckets[GJKD_TALLY_BUCKETS], sum;
} gjkd_tally;
void gjkd_tally_add(gjkd_tally *tally, uint32_t iterations);
void gjkd_count_tally(struct gjkd_counters *counters, const gjkd_tally *tally);

void gjkd_count_rejected(struct gjkd_counters *counters, gjkd_rejection reason);
/* Counts a refused request at its end: the last three reasons follow from its code; others do not
 * count. */
void gjkd_count_refusal(struct gjkd_counters *counters, proto_code code);

/* Numbers that others keep. */
typedef struct gjkd_gauges {
    uint64_t sets, shapes, set_bytes, memory_bytes, jobs_queued, log_dropped, streams;
    bool ready;
    gjkd_packed_measure packed;
    gjkd_store_measure store;     /* all zero without one */
    gjkd_cluster_measure cluster; /* name NULL: none */
} gjkd_gauges;

/* Everything in the text format of Prometheus, version 0.0.4. */
void gjkd_telemetry_print(struct gjkd_telemetry *telemetry, const gjkd_gauges *gauges, FILE *out);

#endif
