#ifndef GJKD_HANDLERS_SET_STREAM_H
#define GJKD_HANDLERS_SET_STREAM_H

/*
 * The answer to GET of a large set, printed while it is sent: shape by shape from the version, whose
 * definitions are sent from where they lie. It holds a few KiB, and the request its version.
 */

struct gjkd_request;

/* Are so large a set's texts better not printed as a whole? */
#define GJKD_STREAMED_BYTES ((uint64_t)1 << 20)

/* Replies with the request's version, which has shapes and is kept until the request is reset. */
void gjkd_set_stream_reply(struct gjkd_request *request);

#endif
