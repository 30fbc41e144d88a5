/*
 * What keeps strangers out? Limits, tokens and the certificate, made as the configuration says,
 * and read again while the daemon runs: what cannot be read stays as it was.
 */

#include "request/context_security.h"

#include "util/log.h"

#include <stdio.h>

/* NULL: no limit, or no memory. */
static struct gjkd_limiter *limiter_of(uint64_t per_second) {
    return per_second > 0 ? gjkd_limiter_new(per_second) : NULL;
}

bool gjkd_context_security_init(struct gjkd_context *context, char error[GJKD_CONFIG_ERROR_MAX]) {
    const struct gjkd_config *config = context->config;
    context->connection_limiter =
        gjkd_connection_limiter_new(config->max_connections, config->max_connections_per_address);
    context->address_limiter = limiter_of(config->rate_limit);
    context->token_limiter = limiter_of(config->rate_limit_per_token);
    snprintf(error, GJKD_CONFIG_ERROR_MAX, "out of memory");
    if (context->connection_limiter == NULL ||
        (config->rate_limit > 0 && context->address_limiter == NULL) ||
        (config->rate_limit_per_token > 0 && context->token_limiter == NULL)) {
        return false;
    }
    if (config->token_file[0] != '\0') {
        context->keyring = gjkd_keyring_new(config->token_file, error);
        if (context->keyring == NULL) {
            return false;
        }
    }
    if (config->tls_cert[0] != '\0') {
        context->tls = gjkd_tls_new(config->tls_cert, config->tls_key, error);
        return context->tls != NULL;
    }
    return true;
}

void gjkd_context_security_fini(struct gjkd_context *context) {
    gjkd_connection_limiter_free(context->connection_limiter);
    gjkd_limiter_free(context->address_limiter);
    gjkd_limiter_free(context->token_limiter);
    gjkd_keyring_free(context->keyring);
    gjkd_tls_free(context->tls);
}

void gjkd_context_security_reload(struct gjkd_context *context) {
    const struct gjkd_config *config = context->config;
    char error[GJKD_CONFIG_ERROR_MAX];
    if (context->keyring != NULL && gjkd_keyring_reload(context->keyring, error)) {
        gjkd_log(GJKD_LOG_INFO, "SIGHUP: %u tokens from %s", gjkd_keyring_count(context->keyring),
                 config->token_file);
    } else if (context->keyring != NULL) {
        gjkd_log(GJKD_LOG_ERROR, "SIGHUP: keeping the tokens from before: %s", error);
    }
    if (context->tls != NULL && gjkd_tls_reload(context->tls, error)) {
        gjkd_log(GJKD_LOG_INFO, "SIGHUP: the certificate is that of %s", config->tls_cert);
    } else if (context->tls != NULL) {
        gjkd_log(GJKD_LOG_ERROR, "SIGHUP: keeping the certificate from before: %s", error);
    }
    if (context->keyring == NULL && context->tls == NULL) {
        gjkd_log(GJKD_LOG_INFO, "SIGHUP: there are neither tokens nor a certificate to read");
    }
}
