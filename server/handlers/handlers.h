#ifndef GJKD_HANDLERS_HANDLERS_H
#define GJKD_HANDLERS_HANDLERS_H

/* The handlers that the table of operations names. */

#include "request/operations.h"

/* query.c, batch.c: single queries of every kind, and batches. */
gjkd_handler gjkd_handle_query, gjkd_handle_batch;

/* configurations.c: rows of hypothetical poses. */
gjkd_handler gjkd_handle_configurations;

/* daemon.c: routes about the daemon itself. */
gjkd_handler gjkd_handle_about, gjkd_handle_cluster, gjkd_handle_openapi, gjkd_handle_schema,
    gjkd_handle_root, gjkd_handle_playground, gjkd_handle_docs, gjkd_handle_live, gjkd_handle_ready,
    gjkd_handle_metrics, gjkd_handle_problem;

/* set.c, import.c: whole sets and single shapes. */
gjkd_handler gjkd_handle_list_sets, gjkd_handle_export, gjkd_handle_import, gjkd_handle_put_set,
    gjkd_handle_get_set, gjkd_handle_patch_set, gjkd_handle_delete_set;
gjkd_handler gjkd_handle_get_shape, gjkd_handle_put_shape, gjkd_handle_patch_shape,
    gjkd_handle_delete_shape;

/* events.c: the events of a set, and the handshake of a stream. */
gjkd_handler gjkd_handle_events, gjkd_handle_stream;

/* tick.c: the ticks of a set. */
gjkd_handler gjkd_handle_get_ticks, gjkd_handle_get_tick, gjkd_handle_put_tick,
    gjkd_handle_post_tick;

#endif
