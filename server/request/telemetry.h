#ifndef GJKD_REQUEST_TELEMETRY_H
#define GJKD_REQUEST_TELEMETRY_H

/*
 * Counters. Each loop has a block of counters, which its requests use on workers too, with relaxed
 * atomics: loops share no lock and no cache line. Reading adds up the blocks.
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
    GJKD_REJECTED_LAG,        /* the loop lags */
    GJKD_REJECTED_RATE,       /* an address or a token exceeded its rate */
    GJKD_REJECTED_DEADLINE,   /* the deadline passed */
    GJKD_REJECTED_MEMORY,     /* memory, or the client's share of it, is exhausted */
    GJKD_REJECTION_COUNT,
} gjkd_rejection;

/* Kinds that are counted as queries: each kind of proto_op, and rows of configurations. */
enum { GJKD_COUNTED_CONFIGURATIONS = PROTO_OP_COUNT, GJKD_COUNTED_OPS };

/* Simple counters. The last three are families, to which a kind is added. */
typedef enum gjkd_counter {
    GJKD_COUNT_BYTES_IN, /* of requests' bodies */
    GJKD_COUNT_BYTES_OUT,
    GJKD_COUNT_CONNECTIONS_OPENED, /* also counted as closed at the end */
    GJKD_COUNT_CONNECTIONS_CLOSED,
    GJKD_COUNT_CONNECTIONS_REFUSED, /* also counted as opened and closed */
    GJKD_COUNT_WATCHES_OPENED,
    GJKD_COUNT_WATCHES_CLOSED,
    GJKD_COUNT_EVENTS,                                           /* a gjkd_event_kind */
    GJKD_COUNT_QUERIES = GJKD_COUNT_EVENTS + GJKD_EVENT_KINDS,   /* of GJKD_COUNTED_OPS */
    GJKD_COUNT_REJECTED = GJKD_COUNT_QUERIES + GJKD_COUNTED_OPS, /* a gjkd_rejection */
    GJKD_COUNTER_COUNT = GJKD_COUNT_REJECTED + GJKD_REJECTION_COUNT,
} gjkd_counter;

/* Makes one block of counters for each loop. Returns NULL if memory is exhausted. */
struct gjkd_telemetry *gjkd_telemetry_new(unsigned loops);
void gjkd_telemetry_free(struct gjkd_telemetry *telemetry); /* NULL is allowed */

struct gjkd_counters *gjkd_telemetry_counters(struct gjkd_telemetry *telemetry, unsigned loop);

void gjkd_count(struct gjkd_counters *counters, gjkd_counter kind, uint64_t amount);
/* Counts a finished request. `route` is that of gjkd_route_find; status 0: the client was gone
 * before an answer. */
void gjkd_count_request(struct gjkd_counters *counters, unsigned route, gjkd_method method,
                        int status, uint64_t duration_ns);
/* Counts a refused request at its end, if its code is that of one of the last three reasons. */
void gjkd_count_refusal(struct gjkd_counters *counters, proto_code code);
/* Notes the processor time of the loop's thread in one round. */
void gjkd_count_round(struct gjkd_counters *counters, uint64_t took_ns);

/* Histogram of the iterations of many queries, added to the counters at once. Starts as {0}. */
#define GJKD_TALLY_BUCKETS 13
typedef struct gjkd_tally {
    uint64_t buckets[GJKD_TALLY_BUCKETS], sum;
} gjkd_tally;
void gjkd_tally_add(gjkd_tally *tally, uint32_t iterations);
void gjkd_count_tally(struct gjkd_counters *counters, const gjkd_tally *tally);
void gjkd_count_iterations(struct gjkd_counters *counters, uint32_t iterations);

/* Values of metrics that other modules keep. */
typedef struct gjkd_gauges {
    uint64_t sets, shapes, set_bytes, memory_bytes, jobs_queued, log_dropped, streams;
    bool ready;
    gjkd_packed_measure packed;
    gjkd_store_measure store;     /* all zero without a store */
    gjkd_cluster_measure cluster; /* name is NULL without a cluster */
} gjkd_gauges;

/* Prints all metrics in the text format of Prometheus, version 0.0.4. */
void gjkd_telemetry_print(struct gjkd_telemetry *telemetry, const gjkd_gauges *gauges, FILE *out);

#endif
