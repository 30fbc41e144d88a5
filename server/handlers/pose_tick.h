#ifndef GJKD_HANDLERS_POSE_TICK_H
#define GJKD_HANDLERS_POSE_TICK_H

/* Ticks of columns of poses, and pairs that begin and end to overlap at a tick, for answers to the
 * request that makes it. */

#include "proto/columns.h"
#include "request/request.h"
#include "sets/commit.h"

/* Poses of which a tick is made. */
struct gjkd_pose_tick {
    proto_pose_columns columns;
    const char *place; /* of the poses in the body, for pointers */
    /* Called under the writer lock before the tick is made. Returns false if it refuses that, with
     * a problem. NULL: nothing does. */
    bool (*check)(void *user, const struct gjkd_version *before, struct proto_problem *problem);
    void *user;
    struct gjkd_request *request;
};

/* Makes the tick of decoded poses, once the request has been claimed. Unless refused, *out is the
 * version that has it, to be released; if refused, request->problem is set. */
gjkd_outcome gjkd_pose_tick_make(struct gjkd_pose_tick *poses, const gjkd_stamp *stamp,
                                 struct gjkd_version **out) GJK_MUST_USE;

/* Finds the rows of poses whose shape the tick has not. They are read from the tick itself, so that
 * a repeated request has the same answer. NULL: no memory. */
const uint32_t *gjkd_pose_tick_unknown_rows(const struct gjkd_pose_tick *poses, uint64_t tick,
                                            const struct gjkd_version *version, uint32_t *count);

/*
 * Finds what has changed at that tick of request->version since the tick before; at the first, all
 * pairs begin. `seen`: a version that the request saw earlier, for a set that keeps a single tick.
 * Keeps at most answers_max pairs; *truncated: there are more. In the request's arena and time; the
 * pairs are views that live as long as the versions. False: *problem is TICK_EXPIRED, OUT_OF_MEMORY
 * or DEADLINE_EXCEEDED.
 */
bool gjkd_tick_overlaps(struct gjkd_request *request, const struct gjkd_version *seen,
                        uint64_t tick, const gjk_filter *filter, gjk_overlap_changes *out,
                        bool *truncated, struct proto_problem *problem) GJK_MUST_USE;

#endif
