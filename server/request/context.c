/* Makes what all requests share: limits, sets, counters, security, workers. */

#include "request/context.h"

#include "request/limits.h"
#include "request/telemetry.h"
#include "sets/registry.h"
#include "work/budget.h"

#include <stdio.h>

bool gjkd_context_init(struct gjkd_context *context, const struct gjkd_config *config,
                       char error[GJKD_CONFIG_ERROR_MAX]) {
    context->config = config;
    context->limits = proto_limits_default();
    context->limits.body_bytes_max = config->max_body_bytes;
    context->limits.batch_queries_max = config->max_batch_queries;
    context->registry = gjkd_registry_new(context->limits.sets_max);
    context->telemetry = gjkd_telemetry_new((unsigned)config->io_threads);
    atomic_init(&context->draining, false);
    atomic_init(&context->loading, true);
    if (context->registry == NULL || context->telemetry == NULL) {
        snprintf(error, GJKD_CONFIG_ERROR_MAX, "out of memory");
        return false;
    }
    gjkd_budget_limit(config->max_memory_bytes);
    gjkd_registry_limit(context->registry, gjkd_budget_ceiling(GJKD_CHARGE_LARGE));
    if (!gjkd_security_init(&context->security, config, error)) {
        return false;
    }
    if (!gjkd_pool_init(&context->pool, (unsigned)config->workers, (unsigned)config->max_jobs)) {
        snprintf(error, GJKD_CONFIG_ERROR_MAX, "cannot start %llu workers",
                 (unsigned long long)config->workers);
        return false;
    }
    return true;
}

void gjkd_context_fini(struct gjkd_context *context) {
    gjkd_pool_fini(&context->pool);
    gjkd_registry_free(context->registry);
    gjkd_telemetry_free(context->telemetry);
    gjkd_security_fini(&context->security);
}

bool gjkd_is_loading(const struct gjkd_context *context) {
    return atomic_load_explicit(&context->loading, memory_order_acquire);
}

bool gjkd_is_draining(const struct gjkd_context *context) {
    return atomic_load_explicit(&context->draining, memory_order_relaxed);
}
