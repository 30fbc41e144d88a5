#ifndef GJKD_SECURITY_SECURITY_H
#define GJKD_SECURITY_SECURITY_H

/* Access control as configured: limits, tokens and the certificate. */

#include "config/config.h"
#include "security/limiter.h"

struct gjkd_security {
    struct gjkd_quota connections;
    struct gjkd_limiter *address_limiter, *token_limiter; /* NULL: no limit */
    struct gjkd_keyring *keyring;                         /* NULL: no token is required */
    struct gjkd_tls *tls;                                 /* NULL: plain http */
};

/* Initialises *security, which is all zero. Returns false, with the reason in error, on failure;
 * call fini in either case. */
bool gjkd_security_init(struct gjkd_security *security, const struct gjkd_config *config,
                        char error[GJKD_ERROR_MAX]);
void gjkd_security_fini(struct gjkd_security *security);

/* Reads tokens and certificate again, and logs the result. On a failure the old ones stay in use.
 * The config is that of init. */
void gjkd_security_reload(struct gjkd_security *security, const struct gjkd_config *config);

#endif
