#ifndef GJKD_REQUEST_OPERATIONS_H
#define GJKD_REQUEST_OPERATIONS_H

/*
 * Operations: a handler for each method and path. One operation is one row of a table. Matching,
 * the Allow header, charges, the choice of loop or worker, and the route labels of metrics follow
 * from its row. The table and the handlers are in server/handlers.
 */

#include "proto/request.h"
#include "request/cost_model.h"
#include "util/head.h"
#include "util/path.h"

struct gjkd_request;

/* Fills request->reply, or leaves chunks of work for several workers. Runs on a loop, where
 * it never blocks, or on a worker, where a write waits for the writer lock and for the storage. */
typedef void gjkd_handler(struct gjkd_request *request);

/* Needs of an operation beyond its handler, as bits. */
enum {
    GJKD_TAKES_BODY = 1,        /* the body is JSON; its Content-Type is checked */
    GJKD_ANSWERS_ANY = 2,       /* Accept is ignored */
    GJKD_READS_SET = 4,         /* request->version is the current version of {set}, or NULL */
    GJKD_OPEN = 8,              /* no token is required */
    GJKD_TAKES_COLUMNS = 16,    /* the body may be a column message */
    GJKD_ANSWERS_COLUMNS = 32,  /* the answer may be a column message */
    GJKD_TAKES_PATCH = 64,      /* the body may be application/merge-patch+json */
    GJKD_PACKED = 256,          /* the answer is gzipped for every client that accepts gzip */
    GJKD_TOKEN_LATER = 2048,    /* the token may come as the stream's first message */
    GJKD_ANSWERS_EVENTS = 1024, /* the answer is a stream of events */
    GJKD_CHARGED = 128,         /* queries and writes: counted against the rate limits */
    GJKD_WRITES = 512,          /* changes sets */
    GJKD_TAKES_BLOCKS = 8192,   /* columns are blocks of several kinds; JSON gets JSON answers */
    GJKD_LINES = 4096,          /* NDJSON of any length, as the body if the operation takes one,
                                   else as the answer; not for calls on a stream */
};

struct gjkd_operation {
    gjkd_method method; /* GET serves HEAD too */
    const char *path;   /* a piece in braces matches any one segment; also the metrics' label */
    const char *id;     /* operationId in openapi.json, which describes the operation */
    unsigned flags;
    const gjkd_cost *cost;
    gjkd_handler *handler;
    proto_op op;                 /* kind of query */
    unsigned params;             /* allowed query parameters: GJKD_PARAM_... */
    const char *const *messages; /* names of the column messages that it takes, NULL-terminated; the
                                    first is the default */
};

/* The rows, frequent ones first. */
extern const struct gjkd_operation gjkd_operations[];
extern const unsigned gjkd_operation_count;

/* Upper bound of the number of rows. The number of a path is that of its first row;
 * GJKD_ROUTE_NONE is the number of targets that match no path. */
#define GJKD_OPERATIONS_MAX 48
#define GJKD_ROUTE_NONE GJKD_OPERATIONS_MAX
#define GJKD_ROUTE_COUNT (GJKD_OPERATIONS_MAX + 1)

/* Size of an Allow header: all methods and separators. */
#define GJKD_ALLOW_MAX 64

typedef struct gjkd_match {
    const struct gjkd_operation *operation; /* NULL if the path does not have this method */
    unsigned route;                         /* the path's number, or GJKD_ROUTE_NONE */
    gjkd_segment variable;                  /* the segment at the first piece in braces */
    char allow[GJKD_ALLOW_MAX]; /* the methods of the path if operation is NULL, else "" */
} gjkd_match;

/* Finds the operation for a method and path. HEAD finds that of GET. */
void gjkd_route_find(gjkd_method method, const gjkd_path *path, gjkd_match *out);

/* Returns the path of a route; "none" for GJKD_ROUTE_NONE. */
const char *gjkd_route_label(unsigned route);

#endif
