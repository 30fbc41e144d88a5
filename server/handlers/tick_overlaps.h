#ifndef GJKD_HANDLERS_TICK_OVERLAPS_H
#define GJKD_HANDLERS_TICK_OVERLAPS_H

/* Pairs that begin and end to overlap at a tick, for answers to the request that makes it. */

#include "request/request.h"

/*
 * Finds what has changed at that tick of `made` since the tick before; at the first, all pairs
 * begin. `seen`: a version that the request saw earlier, for a set that keeps a single tick. Keeps
 * at most answers_max pairs; *truncated: there are more. In the request's arena and time; the pairs
 * are views that live as long as the versions. False: *problem is TICK_EXPIRED, OUT_OF_MEMORY or
 * DEADLINE_EXCEEDED.
 */
bool gjkd_tick_overlaps(struct gjkd_request *request, const struct gjkd_version *seen,
                        const struct gjkd_version *made, uint64_t tick, const gjk_filter *filter,
                        gjk_overlap_changes *out, bool *truncated,
                        struct proto_problem *problem) GJK_MUST_USE;

#endif
