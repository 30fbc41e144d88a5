#ifndef PROTO_JSON_WRITER_H
#define PROTO_JSON_WRITER_H

#include "gjk/pose.h"
#include "proto/buffer.h"

/*
 * Append JSON text to a buffer. Commas are added where they are needed: a key or an item writes one
 * unless it is the first of its object or array. A buffer that ran out of memory is `failed` and
 * takes nothing more.
 */

/* Writes a text as it stands. */
void proto_put_text(struct proto_buffer *out, const char *text);

/* Writes the comma before an item of an array. */
void proto_put_item(struct proto_buffer *out);
/* Writes a member's name, which needs no escape, with the comma before and the colon behind it. */
void proto_put_key(struct proto_buffer *out, const char *name);

/* Writes a string in quotes, escaped; bytes that are not UTF-8 become U+FFFD. */
void proto_put_string(struct proto_buffer *out, const char *data, size_t length);
void proto_put_string_or_null(struct proto_buffer *out, const char *text);
void proto_put_number(struct proto_buffer *out, double value);
void proto_put_integer(struct proto_buffer *out, uint64_t value);
void proto_put_bool(struct proto_buffer *out, bool value);
void proto_put_vector(struct proto_buffer *out, uint32_t dimension, gjk_vec3 v);

/* Write a member: its name and a value. A text, or JSON as it stands, that is absent is null. */
void proto_put_named_number(struct proto_buffer *out, const char *key, double value);
void proto_put_named_integer(struct proto_buffer *out, const char *key, uint64_t value);
void proto_put_named_bool(struct proto_buffer *out, const char *key, bool value);
void proto_put_named_text(struct proto_buffer *out, const char *key, const char *text);
void proto_put_named_json(struct proto_buffer *out, const char *key, proto_text json);

/* Writes a member's name and the bracket that opens its value. */
void proto_put_open(struct proto_buffer *out, const char *key, const char *bracket);

/* Write a member, whose value is null unless it exists. */
void proto_put_number_if(struct proto_buffer *out, const char *key, bool exists, double value);
void proto_put_vector_if(struct proto_buffer *out, const char *key, bool exists, uint32_t dimension,
                         gjk_vec3 v);

/*
 * Returns true if a list may have one more entry: not once the text is as long as lists may make
 * it.
 */
bool proto_list_goes_on(struct proto_buffer *out);

#endif
