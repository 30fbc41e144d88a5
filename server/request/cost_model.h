#ifndef GJKD_REQUEST_COST_MODEL_H
#define GJKD_REQUEST_COST_MODEL_H

/*
 * Inline or worker? A hop to a worker costs about 10 us of processor time and halves the
 * rate of small requests; it pays from about 50 us of work. What stays inline holds up
 * every other connection of its loop. So the cost is estimated before decoding, from the
 * body's length, the form of the query and the size of the set. The answer never depends
 * on where it was computed.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gjkd_cost {
    GJKD_COST_NONE,     /* never leaves the loop: probes, metrics */
    GJKD_COST_WRITE,    /* always a worker: a writer may wait for another, a loop must not */
    GJKD_COST_READ,     /* prints every shape of the set */
    GJKD_COST_LIST,     /* prints up to so many summaries */
    GJKD_COST_DETECT,   /* a pair, one against the set, or all pairs */
    GJKD_COST_DISTANCE, /* a pair, or one against the set */
    GJKD_COST_RAYCAST,  /* one shape, or the set */
    GJKD_COST_CAST,     /* likewise */
    GJKD_COST_HIT,      /* a ray at the set, and what it passes near */
    GJKD_COST_BATCH,    /* always a worker: it is many, and may be anything */
} gjkd_cost;

typedef struct gjkd_work {
    gjkd_cost cost;
    const char *body; /* read only as far as its outermost members' names; NULL: not at all */
    size_t body_bytes;
    uint64_t items;  /* shapes of the set, or summaries of the list; 0: none */
    uint64_t points; /* of the largest shape of the set */
    uint64_t met;    /* what a question to the set looks at: gjk_set_crowding */
    uint64_t rows;   /* of a column message, estimated; 0: the body is JSON */
} gjkd_work;

/* Estimated nanoseconds, from above rather than from below. */
uint64_t gjkd_cost_model_ns(const gjkd_work *work);

/* Is a worker to do it? */
bool gjkd_cost_model_wants_worker(const gjkd_work *work);

/*
 * Does the JSON object in body have an outermost member of this name that is not null? No
 * more than a glance: the decoder judges the body later. On anything unusual (an escape in
 * the name, text that is no object) the answer is no.
 */
bool gjkd_cost_model_has_member(const char *body, size_t length, const char *name);

#endif
