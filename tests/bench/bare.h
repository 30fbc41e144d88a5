#ifndef BENCH_BARE_H
#define BENCH_BARE_H

/* What a bare loop over the core needs, which is measured beside a daemon that has the same set. */

#include "proto/columns.h"

#include <time.h>

double bench_read_ns(clockid_t clock);

/* All of a file. Ends the program where that is not possible. */
proto_text bench_read_file(const char *path);

/* The set that a body of PUT stores, made as the daemon makes it: by edits, in the order of ids,
 * whose handles count from 1. */
struct gjk_set *bench_load_set(proto_text text, struct gjk_arena *arena);

#endif
