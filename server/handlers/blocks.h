#ifndef GJKD_HANDLERS_BLOCKS_H
#define GJKD_HANDLERS_BLOCKS_H

/* Batches and ticks of blocks. */

#include "request/request.h"
#include "sets/commit.h"

/* Answers the request's body, BatchColumns. */
void gjkd_blocks_answer(struct gjkd_request *request);

/* Makes a tick from the request's body, TickColumns, and answers its blocks from it. */
void gjkd_blocks_post_tick(struct gjkd_request *request, const gjkd_stamp *stamp);

#endif
