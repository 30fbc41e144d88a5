#ifndef GJKD_REQUEST_CONTEXT_H
#define GJKD_REQUEST_CONTEXT_H

/* What all requests share, made as the configuration says. */

#include "request/request.h"

/*
 * Caller's storage, all zero; config lives as long as the context. No sets are there yet, and
 * `loading` says so. False: out of memory or of threads, or a file of the configuration cannot be
 * used; error says which. fini in either case.
 */
bool gjkd_context_init(struct gjkd_context *context, const struct gjkd_config *config,
                       char error[GJKD_CONFIG_ERROR_MAX]) GJK_MUST_USE;

/* The loops have ended. What is still at a worker is done first. */
void gjkd_context_fini(struct gjkd_context *context);

#endif
