#ifndef GJKD_HANDLERS_COLUMNS_H
#define GJKD_HANDLERS_COLUMNS_H

/* Queries and ticks that come as column messages. */

#include "request/operations.h"
#include "sets/commit.h"

/* For queries of these kinds, where request->columns_in and the set is there. */
gjkd_handler gjkd_columns_raycast, gjkd_columns_detect, gjkd_columns_distance;

/* The request's body, a message of poses, as a tick: as gjkd_change_make does with JSON. */
gjkd_outcome gjkd_columns_put_tick(struct gjkd_request *request, const gjkd_stamp *stamp,
                                   struct gjkd_version **out) GJK_MUST_USE;

#endif
