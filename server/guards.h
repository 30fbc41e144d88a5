#ifndef GJKD_GUARDS_H
#define GJKD_GUARDS_H

/* Limits, tokens and the certificate of a context, whose config is set. */

#include "job.h"

/* False: error says what is wrong; fini is allowed all the same. */
bool gjkd_guards_init(struct gjkd_context *context, char error[GJKD_CONFIG_ERROR_MAX]);
void gjkd_guards_fini(struct gjkd_context *context);

/* Reads tokens and certificate again, and logs what came of it. */
void gjkd_guards_reload(struct gjkd_context *context);

#endif
