#ifndef GJKD_SETS_REWIND_H
#define GJKD_SETS_REWIND_H

/* A version as of a tick in its history, for queries and reads. */

#include "sets/version.h"

/*
 * Looks the tick up, which may be fractional. False: TICK_EXPIRED if it is older than the oldest
 * one or none is kept, TICK_IN_FUTURE if it is newer than the newest. *out is a view that lives as
 * long as the version.
 */
bool gjkd_rewind(const struct gjkd_version *version, double tick, gjk_rewound *out,
                 struct proto_problem *problem) GJK_MUST_USE;

#endif
