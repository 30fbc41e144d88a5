#ifndef GJKD_REQUEST_CONTEXT_H
#define GJKD_REQUEST_CONTEXT_H

/* State shared by all requests: limits, sets, storage, counters, security, workers. */

#include "cluster/cluster.h"
#include "config/config.h"
#include "proto/request.h"
#include "request/packed.h"
#include "security/limiter.h"
#include "security/security.h"
#include "store/store.h"
#include "work/pool.h"

#include <stddef.h>
#include <stdint.h>

/* Limits of one request, and of all together. */

/* Most bytes of a target (path and parameters), and of all header fields together, as gjkd_head
 * counts them. */
#define GJKD_TARGET_BYTES_MAX 4096
#define GJKD_FIELD_BYTES_MAX 8192
/* Most parameters of a target, including empty ones: libmicrohttpd makes an entry of each. */
#define GJKD_PARAMETERS_MAX 32
/* Wall time after which a loop gives up a trial and a worker starts the request again. With the hop
 * of about 10 us, a trial at most doubles the work. */
#define GJKD_TRIAL_NS ((uint64_t)50000)
/* Processor time of workers that is charged as one query. A request is charged for its queries or
 * for its processor time, whichever is more. */
#define GJKD_QUERY_NS ((uint64_t)10000000)
/* Most bytes of a body that are discarded before the connection is closed. */
#define GJKD_DISCARD_BYTES_MAX ((uint64_t)64 << 20)
/* Most bytes of a request's path that are logged. */
#define GJKD_LOGGED_PATH_BYTES_MAX 512

struct gjkd_context {
    const struct gjkd_config *config;
    proto_limits limits;
    struct gjkd_security security;
    struct gjkd_registry *registry;       /* versions that readers see */
    struct gjkd_registry *newest;         /* versions that writers change; same without a disk */
    struct gjkd_storage memory;           /* the storage without a disk or cluster */
    struct gjkd_storage *storage;         /* the storage that writes are committed to */
    struct gjkd_disk_store *disk;         /* NULL before sets are loaded, or without a disk */
    struct gjkd_cluster *_Atomic cluster; /* NULL without --cluster, or before it is joined */
    gjkd_obstacle obstacle; /* why the cluster's log is unavailable, also before it is joined */
    gjkd_load_progress progress;
    struct gjkd_telemetry *telemetry;
    struct gjkd_pool pool;
    struct gjkd_quota quota;         /* numbers of watches */
    struct gjkd_packed_cache packed; /* gzipped bodies of answers */
    uint64_t hash_seed;              /* random seed for hashes of clients and sets */
    atomic_uint streams;             /* number of streams and handshakes, up to --max-streams */
    atomic_bool draining;
    atomic_bool loading; /* the stored sets are not loaded yet */
};

/*
 * Initializes a context in the caller's storage, which is all zero; config must outlive it. The
 * context has no sets and is `loading`. Returns false if memory or threads are exhausted, or a file
 * of the configuration cannot be used; `error` says which. Call fini in either case.
 */
bool gjkd_context_init(struct gjkd_context *context, const struct gjkd_config *config,
                       char error[GJKD_ERROR_MAX]) GJK_MUST_USE;

/*
 * Loads the sets of --data-dir, if it is given; from then on their store takes writes. Returns
 * false on failure; `error` says why.
 */
bool gjkd_context_load(struct gjkd_context *context, char error[GJKD_ERROR_MAX]) GJK_MUST_USE;

/* Begins to follow the cluster's log, if --cluster is given; from then on the cluster takes writes.
 * Returns false on failure; `error` says why. */
bool gjkd_context_join(struct gjkd_context *context, char error[GJKD_ERROR_MAX]) GJK_MUST_USE;

/* Writes the sets of --data-dir to the cluster's log, with --cluster-init and if the log has no
 * sets. Returns false on failure; `error` says why. */
bool gjkd_context_fill_log(struct gjkd_context *context, char error[GJKD_ERROR_MAX]) GJK_MUST_USE;

/* Frees everything, after workers have finished their requests. The loops must have ended. */
void gjkd_context_fini(struct gjkd_context *context);

bool gjkd_is_loading(const struct gjkd_context *context);
bool gjkd_is_draining(const struct gjkd_context *context);

#endif
