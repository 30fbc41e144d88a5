#ifndef PROTO_TEXT_BUFFER_H
#define PROTO_TEXT_BUFFER_H

/*
 * JSON text, piece by piece, into a struct proto_buffer. Commas come by themselves: a key or an
 * item puts one unless it is the first of its object or array. A buffer that ran out of memory
 * is `failed` and takes nothing more.
 */

#include "proto/reply.h"

void proto_put_bytes(struct proto_buffer *out, const char *data, size_t length);
void proto_put_text(struct proto_buffer *out, const char *text); /* as it stands */

void proto_put_item(struct proto_buffer *out);                  /* , unless first in an array */
void proto_put_key(struct proto_buffer *out, const char *name); /* , unless first; "name": */

/* A string in quotes, escaped; bytes that are not UTF-8 become U+FFFD. */
void proto_put_string(struct proto_buffer *out, const char *data, size_t length);
void proto_put_string_or_null(struct proto_buffer *out, const char *text);
void proto_put_number(struct proto_buffer *out, double value);
void proto_put_integer(struct proto_buffer *out, uint64_t value);
void proto_put_bool(struct proto_buffer *out, bool value);
void proto_put_vector(struct proto_buffer *out, uint32_t dimension, gjk_vec3 v);

#endif
