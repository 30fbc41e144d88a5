#ifndef GJKD_REQUEST_CONTEXT_H
#define GJKD_REQUEST_CONTEXT_H

/* Shared by all requests, made as configured. */

#include "cluster/cluster.h"
#include "config/config.h"
#include "proto/request.h"
#include "security/security.h"
#include "store/store.h"
#include "watch/quota.h"
#include "work/pool.h"

struct gjkd_context {
    const struct gjkd_config *config;
    proto_limits limits;
    struct gjkd_security security;
    struct gjkd_registry *registry; /* what readers see */
    struct gjkd_registry *newest;   /* what writers build upon; without a store the same */
    struct gjkd_storage memory;     /* the storage of a daemon without disk and cluster */
    struct gjkd_storage *storage;   /* to commit to */
    struct gjkd_disk_store *disk;   /* NULL: none, as of the next */
    struct gjkd_cluster *cluster;
    gjkd_obstacle obstacle; /* to the cluster's log, also before the cluster is there */
    gjkd_load_progress progress;
    struct gjkd_telemetry *telemetry;
    struct gjkd_pool pool;
    struct gjkd_quota quota; /* of watches */
    uint64_t hash_seed;      /* of hashes of clients and sets; random */
    atomic_uint streams;     /* that are open or about to be, of --max-streams */
    atomic_bool draining;
    atomic_bool loading; /* the sets that the daemon starts with are not all there yet */
};

/*
 * Caller's storage, all zero; config lives as long as the context. No sets are there yet, and
 * `loading` says so. False: out of memory or of threads, or a file of the configuration cannot be
 * used; error says which. fini in either case.
 */
bool gjkd_context_init(struct gjkd_context *context, const struct gjkd_config *config,
                       char error[GJKD_CONFIG_ERROR_MAX]) GJK_MUST_USE;

/*
 * Loads the sets of --data-dir, if it is given; their store takes writes from then on. False: error
 * says why not.
 */
bool gjkd_context_load(struct gjkd_context *context, char error[GJKD_STORE_ERROR_MAX]) GJK_MUST_USE;

/* Begins to follow the cluster's log, if --cluster is given; its store takes writes from then on.
 * False: error says why not. */
bool gjkd_context_join(struct gjkd_context *context, char error[GJKD_STORE_ERROR_MAX]) GJK_MUST_USE;

/* The loops have ended. What is still at a worker is done first. */
void gjkd_context_fini(struct gjkd_context *context);

bool gjkd_is_loading(const struct gjkd_context *context);
bool gjkd_is_draining(const struct gjkd_context *context);

#endif
