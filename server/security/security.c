/* Makes, reloads and frees the limits, the tokens and the certificate together. */

#include "security/security.h"

#include "security/tls.h"
#include "security/token.h"
#include "util/log.h"

#include <stdio.h>

/* Makes a limiter. Returns NULL if there is no limit or memory is exhausted. */
static struct gjkd_limiter *limiter_of(uint64_t per_second) {
    return per_second > 0 ? gjkd_limiter_new(per_second) : NULL;
}

bool gjkd_security_init(struct gjkd_security *security, const struct gjkd_config *config,
                        char error[GJKD_ERROR_MAX]) {
    gjkd_quota_init(&security->connections, config->max_connections,
                    config->max_connections_per_address);
    security->address_limiter = limiter_of(config->rate_limit);
    security->token_limiter = limiter_of(config->rate_limit_per_token);
    snprintf(error, GJKD_ERROR_MAX, "out of memory");
    if ((config->rate_limit > 0 && security->address_limiter == NULL) ||
        (config->rate_limit_per_token > 0 && security->token_limiter == NULL)) {
        return false;
    }
    if (config->token_file[0] != '\0') {
        security->keyring = gjkd_keyring_new(config->token_file, error);
        if (security->keyring == NULL) {
            return false;
        }
    }
    if (config->tls_cert[0] != '\0') {
        security->tls = gjkd_tls_new(config->tls_cert, config->tls_key, error);
        return security->tls != NULL;
    }
    return true;
}

void gjkd_security_fini(struct gjkd_security *security) {
    gjkd_quota_fini(&security->connections);
    gjkd_limiter_free(security->address_limiter);
    gjkd_limiter_free(security->token_limiter);
    gjkd_keyring_free(security->keyring);
    gjkd_tls_free(security->tls);
}

void gjkd_security_reload(struct gjkd_security *security, const struct gjkd_config *config) {
    char error[GJKD_ERROR_MAX];
    unsigned count;
    if (security->keyring != NULL && gjkd_keyring_reload(security->keyring, &count, error)) {
        gjkd_log(GJKD_LOG_INFO, "SIGHUP: %u tokens from %s", count, config->token_file);
    } else if (security->keyring != NULL) {
        gjkd_log(GJKD_LOG_ERROR, "SIGHUP: keeping the tokens from before: %s", error);
    }
    if (security->tls != NULL && gjkd_tls_reload(security->tls, error)) {
        gjkd_log(GJKD_LOG_INFO, "SIGHUP: the certificate is that of %s", config->tls_cert);
    } else if (security->tls != NULL) {
        gjkd_log(GJKD_LOG_ERROR, "SIGHUP: keeping the certificate from before: %s", error);
    }
    if (security->keyring == NULL && security->tls == NULL && config->load[0] == '\0') {
        gjkd_log(GJKD_LOG_INFO, "SIGHUP: there are no tokens, certificate or sets to read");
    }
}
