#ifndef GJKD_HANDLERS_HANDLERS_H
#define GJKD_HANDLERS_HANDLERS_H

/* The handlers that the table of operations names, and the kinds of queries. */

#include "gjk/move.h"
#include "request/operations.h"

struct gjkd_query_context;
struct gjkd_block_kind;

/* Answers a query into context->out; false when *context->problem is set. */
typedef bool gjkd_query_answerer(struct gjkd_query_context *context);

/* A kind of query. */
struct gjkd_query_kind {
    gjkd_query_answerer *answer;
    gjkd_cost cost;
    /* Operations whose flags say so take columns, and answer them: */
    const struct gjkd_block_kind *columns[2];       /* each of the operation's messages */
    bool (*fits_columns)(const proto_query *query); /* may a JSON query's answer be a row of one? */
};
extern const struct gjkd_query_kind gjkd_query_kinds[]; /* by proto_op */

gjkd_query_answerer gjkd_answer_detect, gjkd_answer_distance, gjkd_answer_raycast, gjkd_answer_cast,
    gjkd_answer_move, gjkd_answer_hit;

/* The move that a query, or a row of columns, asks for. */
gjk_move gjkd_move_of(const proto_move *asked, const gjk_placed *moving, gjk_vec3 translation,
                      const proto_options *options);

/* Queries alone, of every kind, and in batches. */
gjkd_handler gjkd_handle_query, gjkd_handle_batch;

/* configurations.c: rows of what-if poses. */
gjkd_handler gjkd_handle_configurations;
extern const struct gjkd_block_kind gjkd_configurations_block; /* as columns */

/* daemon.c: what the daemon tells of itself. */
gjkd_handler gjkd_handle_about, gjkd_handle_cluster, gjkd_handle_openapi, gjkd_handle_schema,
    gjkd_handle_root, gjkd_handle_playground, gjkd_handle_docs, gjkd_handle_live, gjkd_handle_ready,
    gjkd_handle_metrics, gjkd_handle_problem;

/* set.c, and import.c: whole sets and single shapes. */
gjkd_handler gjkd_handle_list_sets, gjkd_handle_export, gjkd_handle_import, gjkd_handle_put_set,
    gjkd_handle_get_set, gjkd_handle_patch_set, gjkd_handle_delete_set;
gjkd_handler gjkd_handle_get_shape, gjkd_handle_put_shape, gjkd_handle_patch_shape,
    gjkd_handle_delete_shape;

/* events.c: the events of a set, and the handshake of a stream. */
gjkd_handler gjkd_handle_events, gjkd_handle_stream;

/* tick.c: what a set remembers. */
gjkd_handler gjkd_handle_get_ticks, gjkd_handle_get_tick, gjkd_handle_put_tick,
    gjkd_handle_post_tick;

#endif
