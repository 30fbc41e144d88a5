#ifndef GJKD_HTTP_OUTPUT_H
#define GJKD_HTTP_OUTPUT_H

/*
 * Buffers of one stream: bytes queued for the peer in order of sending, and received bytes that are
 * not processed yet. Both are charged to the peer's client before they are allocated. Independent
 * of sockets and of the protocol. Not thread-safe: an output belongs to its loop; outputs of
 * several loops may belong to one client.
 */

#include "work/memory.h"

#include <stddef.h>

/* Sizes of the buffers for sending and receiving. Together they fit a small account, so that large
 * bodies of other requests do not starve streams of memory. */
#define GJKD_OUTPUT_BYTES ((size_t)32768)
#define GJKD_INPUT_BYTES ((size_t)32768)

/* The longest control frame (RFC 6455, section 5.5). */
#define GJKD_CONTROL_BYTES_MAX 127

struct gjkd_output {
    struct gjkd_account account;
    char *bytes;                           /* buffer for sending, or NULL */
    size_t at, end;                        /* queued bytes in it */
    char *input;                           /* buffer for receiving, or NULL */
    size_t input_at, input_end;            /* unprocessed bytes in it */
    uint64_t sent_bytes;                   /* number of bytes that the socket has taken so far */
    bool has_control;                      /* a control frame is among the queued bytes */
    char last[GJKD_CONTROL_BYTES_MAX + 1]; /* buffer for one control frame without memory */
};

/* Makes an empty output of the client, in the caller's storage. fini drops queued bytes. */
void gjkd_output_init(struct gjkd_output *output, uint64_t client_hash);
void gjkd_output_fini(struct gjkd_output *output);

/* Allocates the buffer for sending, unless it exists. Returns false if the client's share or memory
 * is exhausted; nothing has changed. */
bool gjkd_output_reserve(struct gjkd_output *output) GJK_MUST_USE;

/* Does the same for the buffer for receiving. Its bytes must all be processed. */
bool gjkd_output_reserve_input(struct gjkd_output *output) GJK_MUST_USE;

/* Returns the number of bytes that can be queued now; 0 without a buffer. */
size_t gjkd_output_room(const struct gjkd_output *output);

/* Queues bytes. Returns false if there is no room for all of them; none is queued. */
bool gjkd_output_put(struct gjkd_output *output, const char *data, size_t length) GJK_MUST_USE;

/* Queues one control frame. Without memory for a buffer it goes into `last`. Returns false if there
 * is no room; nothing is queued. */
bool gjkd_output_put_control(struct gjkd_output *output, const char *frame,
                             size_t length) GJK_MUST_USE;

/* Removes the first `count` queued bytes, which the socket has taken. */
void gjkd_output_note_sent(struct gjkd_output *output, size_t count);

bool gjkd_output_is_empty(const struct gjkd_output *output);

/* Free the buffer for sending if it is empty, and the one for receiving if all of it is
 * processed. */
void gjkd_output_free_idle(struct gjkd_output *output);
void gjkd_output_free_input(struct gjkd_output *output);

#endif
