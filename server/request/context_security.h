#ifndef GJKD_REQUEST_CONTEXT_SECURITY_H
#define GJKD_REQUEST_CONTEXT_SECURITY_H

/* Limits, tokens and the certificate of a context, whose config is set. */

#include "request/request.h"

/* False: error says what is wrong; fini is allowed all the same. */
bool gjkd_context_security_init(struct gjkd_context *context, char error[GJKD_CONFIG_ERROR_MAX]);
void gjkd_context_security_fini(struct gjkd_context *context);

/* Reads tokens and certificate again, and logs what came of it. */
void gjkd_context_security_reload(struct gjkd_context *context);

#endif
