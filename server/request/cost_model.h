#ifndef GJKD_REQUEST_COST_MODEL_H
#define GJKD_REQUEST_COST_MODEL_H

/*
 * Decides whether a request runs on the loop or on a worker. A hop to a worker costs about 10 us of
 * processor time and halves the rate of small requests; it pays from about 50 us of work. A request
 * on the loop delays every other connection of that loop. So the cost is estimated before decoding,
 * from the body's length, the form of the query and the size of the set; if the work takes longer,
 * the loop gives it up (gjkd_request_try). The answer never depends on where it was computed.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gjkd_cost_kind {
    GJKD_COST_NONE,   /* always on the loop: probes, metrics */
    GJKD_COST_WORKER, /* always on a worker: writes, which may wait for each other, and batches,
                         whose cost is not known before decoding */
    GJKD_COST_SHAPE,  /* prints one shape of the set */
    GJKD_COST_SHAPES, /* prints every shape of the set */
    GJKD_COST_SETS,   /* prints summaries of sets */
    GJKD_COST_QUERY,  /* a query of the set or of a single pair */
} gjkd_cost_kind;

/* Cost of an operation. The members below kind are those of a query. */
typedef struct gjkd_cost {
    gjkd_cost_kind kind;
    uint32_t met_ns;           /* time for each shape that the query visits */
    uint32_t rounds;           /* number of times that the set is searched; 0: once */
    const char *pair_given[2]; /* members that make it a query of a single pair, or NULL */
    const char *all_unless;    /* member without which it is a query of all pairs, or NULL */
    bool row_asks_set;         /* a row of its first column message searches the set */
} gjkd_cost;

/* Properties of one request that are known before it is decoded. */
typedef struct gjkd_work {
    const gjkd_cost *cost;
    const char *body; /* JSON whose outermost members' names may be searched; NULL: not allowed */
    size_t body_bytes;
    uint64_t items;        /* number of shapes of the set, or of sets in the list */
    uint64_t points;       /* largest number of points of a shape of the set */
    uint64_t pieces;       /* largest number of pieces of a shape of the set */
    uint64_t met;          /* number of shapes that a query visits: gjk_set_crowding */
    uint64_t stored_bytes; /* size of the set's definition */
    uint64_t rows;         /* estimated number of rows of a column message; 0 for JSON */
    bool rows_ask_set;     /* each row searches the set, instead of asking a pair */
} gjkd_work;

/* Returns true if a worker should do the work. */
bool gjkd_cost_model_wants_worker(const gjkd_work *work);

/*
 * Returns true if the JSON object in body has an outermost member of this name that is not null. It
 * does not validate: the decoder checks the body later. Returns false for a name with escapes, and
 * for a text that is not an object.
 */
bool gjkd_cost_model_has_member(const char *body, size_t length, const char *name);

#endif
