#ifndef GJKD_REQUEST_OPERATIONS_H
#define GJKD_REQUEST_OPERATIONS_H

/*
 * Operations: which method on which path does what. One operation is one row of a table, and all
 * that must know of it follows from its row: matching, the Allow header, what is charged, where it
 * runs, the route labels of the metrics. The handlers stand a floor above, and so does the table.
 */

#include "proto/request.h"
#include "request/cost_model.h"
#include "util/head.h"
#include "util/path.h"

struct gjkd_request;

/* Fills request->reply, or leaves chunks to be done. Runs on a loop or on a worker; blocks on
 * nothing but a writer lock. */
typedef void gjkd_handler(struct gjkd_request *request);

/* Needs of an operation beyond its handler, as bits. */
enum {
    GJKD_TAKES_BODY = 1,        /* JSON; its Content-Type is checked */
    GJKD_ANSWERS_ANY = 2,       /* whatever Accept says */
    GJKD_READS_SET = 4,         /* request->version is the current one of {set}, if there is one */
    GJKD_OPEN = 8,              /* nobody is asked for a token */
    GJKD_TAKES_COLUMNS = 16,    /* the body may be a column message */
    GJKD_ANSWERS_COLUMNS = 32,  /* and the answer too */
    GJKD_TAKES_PATCH = 64,      /* besides JSON, a JSON merge patch by that name */
    GJKD_PACKED = 256,          /* the answer is packed for every client that takes gzip */
    GJKD_TOKEN_LATER = 2048,    /* who sends no token sends it as the stream's first message */
    GJKD_ANSWERS_EVENTS = 1024, /* the answer is a stream of events */
    GJKD_CHARGED = 128,         /* queries and writes: counted against the rate limits */
    GJKD_WRITES = 512,          /* changes sets */
    GJKD_TAKES_BLOCKS = 8192,   /* columns are of many kinds, which alone are answered by columns */
    GJKD_LINES = 4096,          /* the body that comes, or else the answer, is NDJSON of any length;
                                   not for calls on a stream */
};

struct gjkd_operation {
    gjkd_method method; /* GET serves HEAD too */
    const char *path;   /* pieces in braces match any one segment; also the metrics' label */
    const char *id;     /* operationId */
    const char *summary;
    unsigned flags;
    const gjkd_cost *cost;
    gjkd_handler *handler;
    proto_op op;                 /* of a query, its kind */
    unsigned params;             /* query parameters it takes */
    const char *const *messages; /* column messages that it takes, the last one NULL: the first is
                                    that of a Content-Type which names none */
};

/* The rows, hot ones first. */
extern const struct gjkd_operation gjkd_operations[];
extern const unsigned gjkd_operation_count;

/* More than there are rows. A path's number is that of its first row; one number more stands for
 * everything that matches no path. */
#define GJKD_OPERATIONS_MAX 48
#define GJKD_ROUTE_NONE GJKD_OPERATIONS_MAX
#define GJKD_ROUTE_COUNT (GJKD_OPERATIONS_MAX + 1)

/* GET, HEAD, PUT, POST, PATCH, DELETE and separators */
#define GJKD_ALLOW_MAX 64

typedef struct gjkd_match {
    const struct gjkd_operation *operation; /* NULL: none for this method */
    unsigned route;                         /* the path's number; GJKD_ROUTE_NONE: no such path */
    gjkd_segment variable;                  /* what stands at the first piece in braces */
    char allow[GJKD_ALLOW_MAX]; /* the methods of the path; "" unless operation is NULL */
} gjkd_match;

void gjkd_route_find(gjkd_method method, const gjkd_path *path, gjkd_match *out);

/* The path of a route, "none" for GJKD_ROUTE_NONE. */
const char *gjkd_route_label(unsigned route);

#endif
