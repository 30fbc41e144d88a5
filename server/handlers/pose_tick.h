#ifndef GJKD_HANDLERS_POSE_TICK_H
#define GJKD_HANDLERS_POSE_TICK_H

/* Ticks made from columns of poses, and the pairs that begin or cease to overlap at a tick, for the
 * answer to the request that makes it. */

#include "proto/columns.h"
#include "request/request.h"
#include "sets/commit.h"

/* Poses from which a tick is made. */
struct gjkd_pose_tick {
    proto_pose_columns columns;
    const char *pointer; /* to the poses in the body */
    /* Called under the writer lock before the tick is made, unless NULL. Returns false with
     * *problem set if the tick must not be made. */
    bool (*check)(void *user, const struct gjkd_version *before, struct proto_problem *problem);
    void *user;
    struct gjkd_request *request;
};

/* Makes a tick from decoded poses. The request must be claimed. On success *out is the version with
 * the tick, which the caller releases; if refused, request->problem is set. */
gjkd_outcome gjkd_pose_tick_make(struct gjkd_pose_tick *poses, const gjkd_stamp *stamp,
                                 struct gjkd_version **out) GJK_MUST_USE;

/* Returns the rows of poses whose shape does not exist at the tick, found in the tick itself, so
 * that a repeated request has the same answer. Returns NULL if memory is exhausted. */
const uint32_t *gjkd_pose_tick_unknown_rows(const struct gjkd_pose_tick *poses, uint64_t tick,
                                            const struct gjkd_version *version, uint32_t *count);

/*
 * Finds the pairs that begin or cease to overlap between the previous tick and `tick` of
 * request->version; at the first tick, all pairs begin. `seen` is the version that the request
 * retained before, used if the set keeps a single tick. Keeps at most answers_max pairs; sets
 * *truncated if there are more. Uses the request's arena and deadline; the pairs live as long as
 * the versions. Returns false with *problem TICK_EXPIRED, OUT_OF_MEMORY or DEADLINE_EXCEEDED.
 */
bool gjkd_tick_overlaps(struct gjkd_request *request, const struct gjkd_version *seen,
                        uint64_t tick, const gjk_filter *filter, gjk_overlap_changes *out,
                        bool *truncated, struct proto_problem *problem) GJK_MUST_USE;

#endif
