#ifndef GJKD_WATCH_OVERLAPS_H
#define GJKD_WATCH_OVERLAPS_H

/*
 * The overlapping pairs of a set, followed from version to version: what `detect {}` lists, at each
 * of them. Only pairs of shapes that have changed are asked again. Used by one thread at a time;
 * its memory is charged to the client whose hash is given.
 */

#include "watch/event.h"

struct gjkd_overlaps;

/* Most pairs that are followed. */
#define GJKD_OVERLAPS_MAX 1000000

/* Processor time that one step may take. */
#define GJKD_OVERLAPS_STEP_S 10

/* Checks a filter, the JSON object of a query; "" is none. */
bool gjkd_overlaps_check_filter(const char *filter, uint32_t dimension, const proto_limits *limits,
                                struct gjk_arena *arena,
                                struct proto_problem *problem) GJK_MUST_USE;

/*
 * Goes from one version to another; *overlaps NULL: begins at `to`. *event is the difference, or
 * NULL where there is none to tell, as at the beginning. False, and *overlaps is NULL: out of
 * memory or time, or too many pairs.
 */
bool gjkd_overlaps_step(struct gjkd_overlaps **overlaps, const char *filter,
                        const struct gjkd_version *from, const struct gjkd_version *to,
                        uint64_t client, struct gjkd_event **event) GJK_MUST_USE;

/* All pairs, as an event that begins a list. NULL: out of memory. */
struct gjkd_event *gjkd_overlaps_all(const struct gjkd_overlaps *overlaps,
                                     const struct gjkd_version *version, uint64_t client);

void gjkd_overlaps_free(struct gjkd_overlaps *overlaps); /* NULL is allowed */

#endif
