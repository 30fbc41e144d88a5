#ifndef GJKD_REQUEST_COST_MODEL_H
#define GJKD_REQUEST_COST_MODEL_H

/*
 * Inline or on a worker: a hop to a worker costs about 10 us of processor time and halves the
 * rate of small requests; it pays from about 50 us of work. What stays inline holds up every
 * other connection of its loop. So the cost is estimated before decoding, from the body's
 * length, the form of the query and the size of the set; a loop gives up what takes longer than
 * that (gjkd_request_try). The answer never depends on where it was computed.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gjkd_cost_kind {
    GJKD_COST_NONE,   /* never leaves the loop: probes, metrics */
    GJKD_COST_WORKER, /* always a worker: a writer may wait for another, a loop must not; a batch
                         is many, and may be anything */
    GJKD_COST_SHAPE,  /* prints one shape of the set */
    GJKD_COST_SHAPES, /* prints every shape of the set */
    GJKD_COST_SETS,   /* prints up to so many summaries of sets */
    GJKD_COST_QUERY,  /* a question to the set or to a single pair */
} gjkd_cost_kind;

/* Cost of an operation. The members below kind are those of a query. */
typedef struct gjkd_cost {
    gjkd_cost_kind kind;
    uint32_t met_ns;           /* for each shape that the question looks at */
    uint32_t rounds;           /* so many times is the set asked; 0: once */
    const char *pair_given[2]; /* with one of these members it is a single pair */
    const char *all_unless;    /* without this member, for all pairs of the set; NULL: never */
    bool row_asks_set;         /* a row of its first column message is a question to the set */
} gjkd_cost;

/* One request, as far as it is known before it is decoded. */
typedef struct gjkd_work {
    const gjkd_cost *cost;
    const char *body; /* read only as far as its outermost members' names; NULL: not at all */
    size_t body_bytes;
    uint64_t items;        /* shapes of the set, or summaries of the list; 0: none */
    uint64_t points;       /* of the largest shape of the set */
    uint64_t pieces;       /* of that with the most of them */
    uint64_t met;          /* what a question to the set looks at: gjk_set_crowding */
    uint64_t stored_bytes; /* of the set's definition */
    uint64_t rows;         /* of a column message, estimated; 0: the body is JSON */
    bool rows_ask_set;     /* each is a question to the set, not a pair */
} gjkd_work;

/* Returns true if a worker is to do the work. */
bool gjkd_cost_model_wants_worker(const gjkd_work *work);

/*
 * Returns true if the JSON object in body has an outermost member of this name that is not null. No
 * more than a glance: the decoder judges the body later. On anything unusual (an escape in
 * the name, text that is no object) the answer is no.
 */
bool gjkd_cost_model_has_member(const char *body, size_t length, const char *name);

#endif
