#ifndef GJKD_SETS_REWIND_H
#define GJKD_SETS_REWIND_H

/* A version as of a tick that it remembers, for queries and for reading. */

#include "sets/version.h"

/*
 * Decimals are allowed and nothing is clamped: TICK_EXPIRED where the tick is older than the
 * oldest or none is kept, TICK_IN_FUTURE where it is newer than the newest. The answer is a view:
 * it lives as long as the version.
 */
bool gjkd_rewind(const struct gjkd_version *version, double tick, gjk_rewound *out,
                 struct proto_problem *problem) GJK_MUST_USE;

#endif
