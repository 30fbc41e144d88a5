#ifndef GJKD_HTTP_OUTPUT_H
#define GJKD_HTTP_OUTPUT_H

/*
 * Bytes that are queued for one peer, in the order in which its socket is to take them, and the
 * memory of what was received from it and not looked at. Both are charged to the peer's client
 * before they are allocated. Independent of sockets and of the protocol. Not thread-safe: an output
 * belongs to its loop; outputs of several loops may belong to one client.
 */

#include "work/memory.h"

#include <stddef.h>

/* Bytes that one output queues, and bytes of one piece that is read. Together they make a small
 * account, so that large bodies of others do not keep streams from going on. */
#define GJKD_OUTPUT_BYTES ((size_t)32768)
#define GJKD_INPUT_BYTES ((size_t)32768)

/* The longest control frame (RFC 6455, section 5.5). */
#define GJKD_CONTROL_BYTES_MAX 127

struct gjkd_output {
    struct gjkd_account account;
    char *bytes; /* NULL: none */
    size_t at, end;
    char *input; /* bytes that were received; NULL: none */
    size_t input_at, input_end;
    uint64_t sent_bytes;                   /* that the socket has taken */
    bool has_control;                      /* some of the queued bytes are a control frame's */
    char last[GJKD_CONTROL_BYTES_MAX + 1]; /* place for a frame that there is no other memory for */
};

/* An empty output of that client, in the caller's storage. fini drops what is queued. */
void gjkd_output_init(struct gjkd_output *output, uint64_t client_hash);
void gjkd_output_fini(struct gjkd_output *output);

/* Makes sure of a buffer. Returns false if the client's share or memory is exhausted; nothing has
 * changed. */
bool gjkd_output_reserve(struct gjkd_output *output) GJK_MUST_USE;

/* The same for a buffer to receive into, of GJKD_INPUT_BYTES. Needs an empty input. */
bool gjkd_output_reserve_input(struct gjkd_output *output) GJK_MUST_USE;

/* Bytes that may still be queued. 0 without a buffer. */
size_t gjkd_output_room(const struct gjkd_output *output);

/* Queues bytes. Returns false if there is no room for all of them; then none is queued. */
bool gjkd_output_put(struct gjkd_output *output, const char *data, size_t length) GJK_MUST_USE;

/* The same for one control frame, for which there is room without a buffer, too. */
bool gjkd_output_put_control(struct gjkd_output *output, const char *frame,
                             size_t length) GJK_MUST_USE;

/* The socket has taken that many of the bytes from bytes + at. */
void gjkd_output_note_sent(struct gjkd_output *output, size_t count);

bool gjkd_output_is_empty(const struct gjkd_output *output);

/* Free the buffer if it is empty, and the input if all of it was looked at. */
void gjkd_output_free_idle(struct gjkd_output *output);
void gjkd_output_free_input(struct gjkd_output *output);

#endif
