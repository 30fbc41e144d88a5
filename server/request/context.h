#ifndef GJKD_REQUEST_CONTEXT_H
#define GJKD_REQUEST_CONTEXT_H

/* Shared by all requests, made as configured. */

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

/* Bytes that a target (path and parameters) and all header fields together (as gjkd_head counts
 * them) may have. */
#define GJKD_TARGET_BYTES_MAX 4096
#define GJKD_FIELD_BYTES_MAX 8192
/* Parameters of a target, empty ones too: libmicrohttpd makes an entry of each. */
#define GJKD_PARAMETERS_MAX 32
/* How long a loop tries to answer a request before it leaves that to a worker, by the clock: with
 * the hop, which takes about 10 us, and the work that starts over, it comes to twice the work at
 * most. */
#define GJKD_TRIAL_NS ((uint64_t)50000)
/* Processor time of workers that counts as one query against the rate limits, if that makes more
 * queries than the request has. */
#define GJKD_QUERY_NS ((uint64_t)10000000)
/* Bytes that a client may send of a body that nobody will read, before its connection is closed. */
#define GJKD_DISCARD_BYTES_MAX ((uint64_t)64 << 20)
/* Bytes of a request's path that are logged. */
#define GJKD_LOGGED_PATH_BYTES_MAX 512

struct gjkd_context {
    const struct gjkd_config *config;
    proto_limits limits;
    struct gjkd_security security;
    struct gjkd_registry *registry;       /* what readers see */
    struct gjkd_registry *newest;         /* what writers build upon; without a store the same */
    struct gjkd_storage memory;           /* the storage of a daemon without disk and cluster */
    struct gjkd_storage *storage;         /* to commit to */
    struct gjkd_disk_store *disk;         /* NULL: none, as of the next */
    struct gjkd_cluster *_Atomic cluster; /* requests come before it is there */
    gjkd_obstacle obstacle; /* to the cluster's log, also before the cluster is there */
    gjkd_load_progress progress;
    struct gjkd_telemetry *telemetry;
    struct gjkd_pool pool;
    struct gjkd_quota quota;         /* of watches */
    struct gjkd_packed_cache packed; /* bodies of answers */
    uint64_t hash_seed;              /* of hashes of clients and sets; random */
    atomic_uint streams;             /* that are open or about to be, of --max-streams */
    atomic_bool draining;
    atomic_bool loading; /* the sets that the daemon starts with are not all there yet */
};

/*
 * Caller's storage, all zero; config lives as long as the context. No sets are there yet, and
 * `loading` says so. False: out of memory or of threads, or a file of the configuration cannot be
 * used; error says which. fini in either case.
 */
bool gjkd_context_init(struct gjkd_context *context, const struct gjkd_config *config,
                       char error[GJKD_ERROR_MAX]) GJK_MUST_USE;

/*
 * Loads the sets of --data-dir, if it is given; their store takes writes from then on. False: error
 * says why not.
 */
bool gjkd_context_load(struct gjkd_context *context, char error[GJKD_ERROR_MAX]) GJK_MUST_USE;

/* Begins to follow the cluster's log, if --cluster is given; its store takes writes from then on.
 * False: error says why not. */
bool gjkd_context_join(struct gjkd_context *context, char error[GJKD_ERROR_MAX]) GJK_MUST_USE;

/* Puts the sets of --data-dir into the log of a cluster that --cluster-init has made, where it has
 * none. False: error says why not. */
bool gjkd_context_fill_log(struct gjkd_context *context, char error[GJKD_ERROR_MAX]) GJK_MUST_USE;

/* The loops have ended. What is still at a worker is done first. */
void gjkd_context_fini(struct gjkd_context *context);

bool gjkd_is_loading(const struct gjkd_context *context);
bool gjkd_is_draining(const struct gjkd_context *context);

#endif
