#ifndef GJKD_REQUEST_QUERY_CONTEXT_H
#define GJKD_REQUEST_QUERY_CONTEXT_H

/*
 * Context of a query, alone or in a batch: the stored shapes that it names are found
 * in the one version that its request retained, and its answer is printed. One handler a kind of
 * query does the rest.
 */

#include "gjk/shot.h"
#include "proto/reply.h"

struct gjkd_request;
struct gjkd_version;

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

/* An operand, found. placed may point into it: it must stay where it is. */
struct gjkd_operand {
    gjk_shape shape;
    gjk_placed placed;
    const gjk_body *body; /* NULL: inline */
};

/* Sets the remaining members for a decoded query; request, arena, problem, query and room are set.
 * Returns false if the query is refused. */
bool gjkd_query_context_begin(struct gjkd_query_context *context);

/* Finds an operand, or refuses with shape-not-found at its place. */
bool gjkd_query_context_find(struct gjkd_query_context *context, const proto_operand *operand,
                             struct gjkd_operand *out);

/* Finds the operands a and b of a pair, likewise. */
bool gjkd_query_context_find_pair(struct gjkd_query_context *context, struct gjkd_operand *a,
                                  struct gjkd_operand *b);

/* Another set's version: the request's own when it is the same set, so that one request sees one
 * version. A view; NULL: refused, at that pointer within the query. */
const struct gjkd_version *gjkd_query_context_find_set(struct gjkd_query_context *context,
                                                       const char *name, const char *pointer);

/* Finds the snapshot of the query's `against`, at its tick if it has one; the answer tells its
 * revision. Returns false if refused. */
bool gjkd_query_context_find_against(struct gjkd_query_context *context, gjk_snapshot *out);

/* The recorder of the query's trace, which then stands in the answer; NULL when none is
 * wanted. trace is the caller's storage, in use until the answer is printed. */
const gjk_recorder *gjkd_query_context_start_trace(struct gjkd_query_context *context,
                                                   const struct gjkd_operand *a,
                                                   const struct gjkd_operand *b,
                                                   struct proto_trace *trace);

/* Bodies that pass the query's filter, other than `except`; at most limit answers. */
gjk_selection gjkd_query_context_select(struct gjkd_query_context *context, const gjk_body *except,
                                        uint32_t limit);

/* Counts the answers of a list, and empties it if no room is left. To be called with every list
 * before it is printed. */
void gjkd_query_context_limit_answers(struct gjkd_query_context *context, uint32_t *count,
                                      bool *truncated);

/* Makes a set of the stateless form's `shapes`, for this one query; to be released. NULL, and
 * refused, when memory runs out. */
struct gjk_set *gjkd_query_context_make_set(struct gjkd_query_context *context);

/* Returns true if the answer is whole. If the budget is spent, refuses the query and returns false.
 * To be called with every answer. */
bool gjkd_query_context_is_whole(struct gjkd_query_context *context);

/* Refuses for what a question to a set failed of, its deadline or want of memory. False. */
bool gjkd_query_context_fail(struct gjkd_query_context *context, gjk_status status);

/* Refuses with *context->problem at a place in the query, or for want of memory. False. */
bool gjkd_query_context_refuse_at(struct gjkd_query_context *context, const char *pointer);
bool gjkd_query_context_out_of_memory(struct gjkd_query_context *context);

#endif
