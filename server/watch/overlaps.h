#ifndef GJKD_WATCH_OVERLAPS_H
#define GJKD_WATCH_OVERLAPS_H

/* Events of a set's overlapping pairs: those that `detect {}` lists for a version, or the
 * differences between two versions. Memory is charged to the client whose hash is given. */

#include "watch/event.h"

/* Maximum processor time of a comparison. */
#define GJKD_OVERLAPS_STEP_S 10

/* Decodes a filter, which is the JSON object of a query, or "" for none. */
bool gjkd_overlaps_decode_filter(const char *filter, uint32_t dimension, const proto_limits *limits,
                                 struct gjk_arena *arena, gjk_filter *out,
                                 struct proto_problem *problem) GJK_MUST_USE;

/* Creates the event with the differences between two versions, NULL if there are none. If from is
 * NULL, the event lists all pairs. Returns false if memory or time is exhausted. */
bool gjkd_overlaps_compare(const char *filter, const struct gjkd_version *from,
                           const struct gjkd_version *to, uint64_t client,
                           struct gjkd_event **event) GJK_MUST_USE;

#endif
