#ifndef GJKD_HANDLERS_BATCH_H
#define GJKD_HANDLERS_BATCH_H

/* Batches of queries, alone or beside a tick whose version answers them. */

#include "request/request.h"

struct gjkd_batch;

/* Reads the request's body as a batch for the dimension of request->version (NULL: stateless).
 * NULL: refused. To be answered or closed. */
struct gjkd_batch *gjkd_batch_open(struct gjkd_request *request, bool beside_tick);

void gjkd_batch_close(struct gjkd_batch *batch);

/* Finds the pairs that begin and end to overlap at the tick of request->version that came with the
 * batch, if it asks for them; `seen` is a version that the request saw earlier. Returns false if
 * the request is refused for want of memory or time; then the batch is closed. */
bool gjkd_batch_compare(struct gjkd_batch *batch, const struct gjkd_version *seen, uint64_t tick);

/* Answers the batch from request->version, in chunks. status: of the reply, 200 unless it begins
 * with the summary of a version that a tick has made. */
void gjkd_batch_answer(struct gjkd_batch *batch, int status);

#endif
