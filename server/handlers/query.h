#ifndef GJKD_HANDLERS_QUERY_H
#define GJKD_HANDLERS_QUERY_H

/*
 * The kinds of queries, and the context in which a query is answered, alone or in a batch. Stored
 * shapes are found in the version that the request retained.
 */

#include "gjk/move.h"
#include "gjk/shot.h"
#include "proto/reply.h"
#include "request/cost_model.h"
#include "sets/version.h"

struct gjkd_request;

struct gjkd_query_context {
    struct gjkd_request *request;
    struct gjk_arena *arena;       /* memory of the answer */
    struct proto_problem *problem; /* set if the query is refused */
    proto_query query;
    gjk_snapshot snapshot; /* state that the query asks; its set is NULL for stateless queries */
    gjk_rewound rewound;   /* past state of `snapshot`, if the query asks for a tick */
    gjk_rewind rewind;     /* whether that tick is kept; if not, only `hit` is answered */
    proto_stamp stamp;
    uint32_t room;     /* number of answers that answers_max still allows */
    uint32_t limit;    /* limit of the query, at most `room`, but at least 1 */
    uint32_t answered; /* number of answers in lists so far */
    bool is_cut;       /* with more room the answer might be longer */
    struct proto_buffer out;
    gjk_budget *budget; /* that of the arena: until the request's deadline */
};

/* A kind of query. */
struct gjkd_query_kind {
    /* Prints the answer into context->out. Returns false with *context->problem set if refused. */
    bool (*answer)(struct gjkd_query_context *context);
    gjkd_cost cost;
    uint32_t blocks[2]; /* PROTO_BLOCK_... for each column message of the operation */
    /* Returns true if the answer to a JSON query can be a column message. */
    bool (*fits_columns)(const proto_query *query);
};
extern const struct gjkd_query_kind gjkd_query_kinds[]; /* by proto_op */

/* Sets the remaining members for a decoded query; the caller has set request, arena, problem, query
 * and room. Returns false if the query is refused. */
bool gjkd_query_begin(struct gjkd_query_context *context);

/* Answers a query after gjkd_query_begin. Returns false with *context->problem set if refused. */
bool gjkd_query_answer(struct gjkd_query_context *context);

/* Refuses the query because memory is exhausted. Returns false. */
bool gjkd_query_out_of_memory(struct gjkd_query_context *context);

/* Returns the version of another set that the query names, not owned by the caller; one request
 * sees one version of each set. NULL if the query is refused, at `path`, like "against". */
const struct gjkd_version *gjkd_query_find_set(struct gjkd_query_context *context, const char *name,
                                               const char *path);

/* Returns the move that a query, or a row of columns, asks for. */
gjk_move gjkd_query_move(const proto_move *asked, const gjk_placed *moving, gjk_vec3 translation,
                         const proto_options *options);

#endif
