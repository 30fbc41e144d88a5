#ifndef GJKD_HANDLERS_BATCH_H
#define GJKD_HANDLERS_BATCH_H

/* Batches of queries, alone or with a tick whose version answers them. */

#include "request/request.h"

struct gjkd_batch;

/* Decodes the request's body as a batch, for the dimension of request->version, or stateless if
 * that is NULL. Returns NULL if the request is refused. The caller answers or closes the batch. */
struct gjkd_batch *gjkd_batch_open(struct gjkd_request *request, bool beside_tick);

void gjkd_batch_close(struct gjkd_batch *batch);

/* Finds the pairs that begin or cease to overlap at a tick of request->version that came with the
 * batch, if the batch asks for them. `seen` is the version that the request retained before.
 * Returns false if memory or time is exhausted: the request is refused and the batch closed. */
bool gjkd_batch_compare(struct gjkd_batch *batch, const struct gjkd_version *seen, uint64_t tick);

/* Answers the batch from request->version, in chunks, and closes it. `status` is that of the reply:
 * 200, or 201 if a tick has made the version. */
void gjkd_batch_answer(struct gjkd_batch *batch, int status);

#endif
