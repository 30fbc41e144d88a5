#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

/* Shared by the programs of libFuzzer. */

#include "proto/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* libFuzzer declares it nowhere. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(bool condition) {
    if (!condition) {
        abort();
    }
}

/* Checks a problem that a client is told. */
static inline void check_problem(const struct proto_problem *problem) {
    require(problem->code > PROTO_OK && problem->code < PROTO_CODE_COUNT);
    require(problem->code != PROTO_INTERNAL);
    require(problem->detail[0] != '\0');
    require(problem->pointer[0] == '\0' || problem->pointer[0] == '/');
}

#endif
