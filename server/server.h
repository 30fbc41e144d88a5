#ifndef GJKD_SERVER_H
#define GJKD_SERVER_H

/* The daemon as a whole. */

#include "config/config.h"

/*
 * Runs the daemon: listens, prints the ready line, serves until SIGTERM or SIGINT, drains, frees
 * everything. Lowers max_connections to what the limit on open files permits. Returns the exit
 * code: 0 if every request was answered, else 1. Errors are logged.
 */
int gjkd_serve(struct gjkd_config *config);

#endif
