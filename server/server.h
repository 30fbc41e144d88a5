#ifndef GJKD_SERVER_H
#define GJKD_SERVER_H

/* The daemon as a whole. */

#include "config/config.h"

/*
 * Listens, prints the ready line, serves until SIGTERM or SIGINT, drains, frees everything.
 * max_connections is lowered to what the limit on open files leaves. The exit code: 0 when every
 * request was answered, else 1. Errors are logged.
 */
int gjkd_serve(struct gjkd_config *config);

#endif
