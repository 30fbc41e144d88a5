#ifndef GJKD_HANDLERS_QUERY_H
#define GJKD_HANDLERS_QUERY_H

/*
 * The kinds of queries, and the context in which a query is answered, alone or in a batch: the
 * stored shapes that it names are found in the one version that its request retained.
 */

#include "gjk/move.h"
#include "gjk/shot.h"
#include "proto/reply.h"
#include "request/cost_model.h"
#include "sets/version.h"

struct gjkd_request;

struct gjkd_query_context {
    struct gjkd_request *request;
    struct gjk_arena *arena;       /* of the answer */
    struct proto_problem *problem; /* where a refusal goes */
    proto_query query;
    gjk_snapshot snapshot; /* what the query sees; its set is NULL: stateless */
    gjk_rewound rewound;   /* the past state of `snapshot`, if the query asks for a tick ... */
    gjk_rewind rewind;     /* ... and if there is one; only `hit` gets to see that there is not */
    proto_stamp stamp;
    uint32_t room;     /* how many answers answers_max still allows */
    uint32_t limit;    /* the query's own, within room, but at least 1 */
    uint32_t answered; /* answers in lists so far */
    bool is_cut;       /* with more room the answer might be longer */
    struct proto_buffer out;
    gjk_budget *budget; /* of the arena: until the request's deadline */
};

/* A kind of query. */
struct gjkd_query_kind {
    /* Prints the answer into context->out. Returns false if *context->problem is set. */
    bool (*answer)(struct gjkd_query_context *context);
    gjkd_cost cost;
    uint32_t blocks[2]; /* PROTO_PLACE_... of each of the operation's column messages */
    /* Returns true if the answer to a JSON query has a form as columns. */
    bool (*fits_columns)(const proto_query *query);
};
extern const struct gjkd_query_kind gjkd_query_kinds[]; /* by proto_op */

/* Sets the remaining members for a decoded query; request, arena, problem, query and room are set.
 * Returns false if the query is refused. */
bool gjkd_query_begin(struct gjkd_query_context *context);

/* Answers a query that has begun, as a whole. Returns false if *context->problem is set. */
bool gjkd_query_answer(struct gjkd_query_context *context);

/* Refuses for want of memory. Returns false. */
bool gjkd_query_out_of_memory(struct gjkd_query_context *context);

/* Another set's version: the request's own when it is the same set, so that one request sees one
 * version. A view; NULL: refused, at that place in the query, a path like "against". */
const struct gjkd_version *gjkd_query_find_set(struct gjkd_query_context *context, const char *name,
                                               const char *place);

/* Rewinds a set to a tick. EXPIRED if it keeps none. */
gjk_rewind gjkd_query_rewind(const struct gjkd_version *version, double tick, gjk_rewound *out);

/* The move that a query, or a row of columns, asks for. */
gjk_move gjkd_query_move(const proto_move *asked, const gjk_placed *moving, gjk_vec3 translation,
                         const proto_options *options);

#endif
