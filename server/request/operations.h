#ifndef GJKD_REQUEST_OPERATIONS_H
#define GJKD_REQUEST_OPERATIONS_H

/*
 * The table of operations: which method on which path does what. Everything that must know
 * the routes follows from it: matching, the Allow header, the route labels of the metrics.
 */

#include "request/cost_model.h"
#include "util/head.h"
#include "util/path.h"

struct gjkd_request;

/* Fills job->reply. Runs on a loop or on a worker; blocks on nothing but a writer lock. */
typedef void (*gjkd_handler)(struct gjkd_request *request);

/* What an operation needs beyond its handler, as bits. */
enum {
    GJKD_TAKES_BODY = 1,       /* JSON; its Content-Type is checked */
    GJKD_ANSWERS_ANY = 2,      /* whatever Accept says */
    GJKD_READS_SET = 4,        /* job->version is the current one of {set}, if there is one */
    GJKD_OPEN = 8,             /* nobody is asked for a token */
    GJKD_TAKES_COLUMNS = 16,   /* the body may be a column message */
    GJKD_ANSWERS_COLUMNS = 32, /* and the answer too */
    GJKD_TAKES_PATCH = 64,     /* besides JSON, a JSON merge patch by that name */
};

struct gjkd_operation {
    gjkd_method method; /* GET serves HEAD too */
    const char *path;   /* pieces in braces match any one segment; also the metrics' label */
    const char *id;     /* operationId */
    const char *summary;
    gjkd_handler handler;
    unsigned flags;
    unsigned params; /* query parameters it takes */
    gjkd_cost cost;
};

/* Rows of the table, and one route more for everything that matches no path. */
#define GJKD_OPERATION_COUNT 32
#define GJKD_ROUTE_COUNT (GJKD_OPERATION_COUNT + 1)
#define GJKD_ROUTE_NONE GJKD_OPERATION_COUNT

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

/* Row i of the table, i < GJKD_OPERATION_COUNT. */
const struct gjkd_operation *gjkd_operation_at(unsigned i);

#endif
