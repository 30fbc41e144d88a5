/* Makes the state that all requests share. */

#include "request/context.h"

#include "request/telemetry.h"
#include "sets/registry.h"
#include "util/log.h"
#include "work/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool gjkd_context_init(struct gjkd_context *context, const struct gjkd_config *config,
                       char error[GJKD_ERROR_MAX]) {
    context->config = config;
    context->limits = proto_limits_default();
    context->limits.body_bytes_max = config->max_body_bytes;
    context->limits.batch_queries_max = config->max_batch_queries;
    context->limits.watches_max = config->max_watches;
    gjkd_quota_init(&context->quota, UINT64_MAX, config->max_watches);
    gjkd_packed_init(&context->packed);
    context->registry = gjkd_registry_new(context->limits.sets_max);
    const bool is_on_disk = config->data_dir[0] != '\0' && config->cluster[0] == '\0';
    context->newest = is_on_disk ? gjkd_registry_new(context->limits.sets_max) : context->registry;
    context->memory = gjkd_memory_storage(context->registry);
    context->storage = &context->memory;
    context->telemetry = gjkd_telemetry_new((unsigned)config->io_threads);
    if (uv_random(NULL, NULL, &context->hash_seed, sizeof context->hash_seed, 0, NULL) != 0) {
        context->hash_seed = uv_hrtime();
    }
    atomic_init(&context->streams, 0);
    atomic_init(&context->draining, false);
    atomic_init(&context->loading, true);
    if (context->registry == NULL || context->newest == NULL || context->telemetry == NULL) {
        return gjkd_refuse(error, "out of memory");
    }
    gjkd_memory_set_limit(config->max_memory_bytes);
    gjkd_registry_limit(context->newest, gjkd_memory_ceiling(GJKD_CHARGE_LARGE));
    if (!gjkd_security_init(&context->security, config, error)) {
        return false;
    }
    if (!gjkd_pool_init(&context->pool, (unsigned)config->workers, (unsigned)config->max_jobs,
                        config->cluster[0] != '\0')) {
        return gjkd_refuse(error, "cannot start %llu workers", (unsigned long long)config->workers);
    }
    return true;
}

/* Opens the store of --data-dir, and loads its sets into both registries. */
static struct gjkd_disk_store *open_store(struct gjkd_context *context, struct gjkd_registry *shown,
                                          struct gjkd_registry *newest,
                                          char error[GJKD_ERROR_MAX]) {
    const gjkd_store_setup setup = {
        .directory = context->config->data_dir,
        .checkpoint_ms = context->config->pose_checkpoint_ms,
        .limits = &context->limits,
        .threads = (unsigned)context->config->workers,
        .shown = shown,
        .newest = newest,
    };
    return gjkd_disk_store_open(&setup, &context->progress, error);
}

bool gjkd_context_load(struct gjkd_context *context, char error[GJKD_ERROR_MAX]) {
    if (context->newest == context->registry) {
        return true;
    }
    context->disk = open_store(context, context->registry, context->newest, error);
    if (context->disk == NULL) {
        return false;
    }
    context->storage = gjkd_disk_store_storage(context->disk);
    if (!gjkd_disk_store_start(context->disk)) {
        return gjkd_refuse(error, "cannot start the thread that stores sets");
    }
    return true;
}

bool gjkd_context_join(struct gjkd_context *context, char error[GJKD_ERROR_MAX]) {
    const gjkd_cluster_setup setup = {context->config, &context->limits, context->registry,
                                      &context->obstacle};
    if (context->config->cluster[0] == '\0') {
        return true;
    }
    context->cluster = gjkd_cluster_open(&setup, error);
    if (context->cluster == NULL) {
        return false;
    }
    context->storage = gjkd_cluster_storage(context->cluster);
    return true;
}

/* Commits each set as a new one, which is safe as no other thread has seen these versions. Returns
 * false on failure; `error` says why. */
static bool commit_all(struct gjkd_context *context, struct gjkd_registry *sets,
                       char error[GJKD_ERROR_MAX]) {
    const uint64_t most = gjkd_registry_measure(sets).sets;
    struct gjkd_version **versions = calloc(most + 1, sizeof(struct gjkd_version *));
    bool more = false, fine = versions != NULL;
    const size_t count = fine ? gjkd_registry_list(sets, "", NULL, NULL, most, versions, &more) : 0;
    for (size_t i = 0; i < count; i++) {
        const gjkd_proposal proposal = {.name = versions[i]->name,
                                        .to = versions[i],
                                        .is_whole = true};
        struct proto_problem problem = {.detail = "out of memory"};
        if (fine && context->storage->commit(context->storage, &proposal, NULL, &problem) !=
                        GJKD_ACCEPTED) {
            fine = gjkd_refuse(error, "the set %.140s cannot be put into the log: %.150s",
                               versions[i]->name, problem.detail);
        }
        gjkd_version_release(versions[i]);
    }
    free(versions);
    return fine;
}

bool gjkd_context_fill_log(struct gjkd_context *context, char error[GJKD_ERROR_MAX]) {
    const struct gjkd_config *config = context->config;
    if (config->cluster[0] == '\0' || !config->cluster_init || config->data_dir[0] == '\0' ||
        gjkd_registry_measure(context->registry).sets > 0) {
        return true;
    }
    struct gjkd_registry *shown = gjkd_registry_new(context->limits.sets_max);
    struct gjkd_registry *newest = gjkd_registry_new(context->limits.sets_max);
    struct gjkd_disk_store *disk = open_store(context, shown, newest, error);
    const bool fine = disk != NULL && commit_all(context, shown, error);
    gjkd_disk_store_close(disk);
    gjkd_registry_free(newest);
    gjkd_registry_free(shown);
    return fine;
}

void gjkd_context_fini(struct gjkd_context *context) {
    gjkd_pool_fini(&context->pool);
    gjkd_cluster_close(context->cluster);
    if (!gjkd_disk_store_stop(context->disk, context->config->drain_timeout_ms * 1000000)) {
        gjkd_log(GJKD_LOG_ERROR,
                 "the disk does not answer: ending without the last poses of ticks");
        _exit(1); /* the store's thread cannot be ended */
    }
    gjkd_disk_store_close(context->disk);
    if (context->newest != context->registry) {
        gjkd_registry_free(context->newest);
    }
    gjkd_registry_free(context->registry);
    gjkd_telemetry_free(context->telemetry);
    gjkd_security_fini(&context->security);
    gjkd_quota_fini(&context->quota);
    gjkd_packed_fini(&context->packed);
}

bool gjkd_is_loading(const struct gjkd_context *context) {
    return atomic_load_explicit(&context->loading, memory_order_acquire);
}

bool gjkd_is_draining(const struct gjkd_context *context) {
    return atomic_load_explicit(&context->draining, memory_order_relaxed);
}
