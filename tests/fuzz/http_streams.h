#ifndef HTTP_STREAMS_H
#define HTTP_STREAMS_H

/* Inputs that are spoken over a stream, and what may come back on one. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the client of a stream sends: a handshake, and frames made of the input, record by record.
 * The first byte of a record holds the opcode (4 bits), whether the frame is the last of its
 * message, whether it is masked as it must be, whether a reserved bit is set, and whether its
 * payload stands for itself or for bytes that are sent as they are; the next is the length of the
 * payload, which follows. *length bytes, to be freed. NULL: out of memory.
 */
char *http_streams_speak(const uint8_t *data, size_t size, size_t *length);

/* data: all that was received. NULL when it is the head of a stream and whole frames of a server,
 * of which texts are JSON; else what is wrong with it. */
const char *http_streams_fault(const char *data, size_t size);

#endif
