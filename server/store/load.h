#ifndef GJKD_STORE_LOAD_H
#define GJKD_STORE_LOAD_H

#include "store/tables.h"

#include <stdatomic.h>

/* Progress of loading. Thread-safe. */
typedef struct gjkd_load_progress {
    _Atomic uint64_t sets, shapes;
} gjkd_load_progress;

typedef struct gjkd_load_setup {
    const proto_limits *limits;
    unsigned threads; /* number of decoding threads, at least 1 */
    gjkd_load_progress *progress;
    void (*take)(void *user, struct gjkd_version *version); /* called on the caller's thread */
    void *user;
} gjkd_load_setup;

/*
 * Reads all sets of the database and passes each one to `take`, which owns it then. Returns false
 * if the file is damaged or memory is exhausted: error says how.
 */
bool gjkd_load(struct gjkd_database *database, const gjkd_load_setup *setup,
               char error[GJKD_ERROR_MAX]) GJK_MUST_USE;

#endif
