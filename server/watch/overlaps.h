#ifndef GJKD_WATCH_OVERLAPS_H
#define GJKD_WATCH_OVERLAPS_H

/* Overlapping pairs of a set as events: what `detect {}` lists at a version, or how that differs
 * from another version. Memory is charged to the client whose hash is given. */

#include "watch/event.h"

/* Processor time that one comparison may take. */
#define GJKD_OVERLAPS_STEP_S 10

/* Checks a filter, the JSON object of a query; "" is none. */
bool gjkd_overlaps_check_filter(const char *filter, uint32_t dimension, const proto_limits *limits,
                                struct gjk_arena *arena,
                                struct proto_problem *problem) GJK_MUST_USE;

/* Makes the event of what differs from one version to the next, NULL where nothing does; from NULL:
 * one that lists all pairs. False: out of memory or time. */
bool gjkd_overlaps_compare(const char *filter, const struct gjkd_version *from,
                           const struct gjkd_version *to, uint64_t client,
                           struct gjkd_event **event) GJK_MUST_USE;

#endif
