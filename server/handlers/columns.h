#ifndef GJKD_HANDLERS_COLUMNS_H
#define GJKD_HANDLERS_COLUMNS_H

/* Queries by column message: one handler an operation, and answers of JSON queries as messages. */

#include "handlers/change.h"
#include "proto/columns.h"
#include "request/query_context.h"

/* The operation's handler where job->columns_in. */
void gjkd_columns_raycast(struct gjkd_request *request);
void gjkd_columns_detect(struct gjkd_request *request);
void gjkd_columns_distance(struct gjkd_request *request);

/* The job's body, a message of poses, as a tick: as gjkd_change_make does with JSON. */
gjkd_outcome gjkd_columns_put_tick(struct gjkd_request *request, const gjkd_stamp *stamp,
                                   struct gjkd_version **out) GJK_MUST_USE;

/*
 * A JSON query whose client wants a message (job->columns_out): the answer of one row. For
 * answers that have no such form: false, and refused with not-acceptable.
 */
bool gjkd_columns_print_hit(struct gjkd_query_context *context, const gjk_ray_hit *hit);
bool gjkd_columns_print_detect(struct gjkd_query_context *context, const gjk_detect_result *result);
bool gjkd_columns_print_distance(struct gjkd_query_context *context,
                                 const gjk_distance_result *result);
bool gjkd_columns_refuse(struct gjkd_query_context *context);

#endif
