#ifndef PROTO_JSON_WRITER_H
#define PROTO_JSON_WRITER_H

#include "gjk/pose.h"
#include "proto/buffer.h"

/*
 * Functions that append JSON text to a buffer. proto_put_key and proto_put_item add the comma
 * before all but the first member or item. A failed buffer ignores writes.
 */

/* Writes a text without escaping it. */
void proto_put_text(struct proto_buffer *out, const char *text);

/* Begins an item of an array: writes the comma before it. */
void proto_put_item(struct proto_buffer *out);
/* Begins a member: writes the comma, the name and the colon. The name must not need escapes. */
void proto_put_key(struct proto_buffer *out, const char *name);

/* Writes a string in quotes, escaped; bytes that are not UTF-8 become U+FFFD. */
void proto_put_string(struct proto_buffer *out, const char *data, size_t length);
void proto_put_string_or_null(struct proto_buffer *out, const char *text);
void proto_put_number(struct proto_buffer *out, double value);
void proto_put_integer(struct proto_buffer *out, uint64_t value);
void proto_put_bool(struct proto_buffer *out, bool value);
void proto_put_vector(struct proto_buffer *out, uint32_t dimension, gjk_vec3 v);

/* Write a member: its name and a value. An absent text, or absent JSON text, is written as null. */
void proto_put_named_number(struct proto_buffer *out, const char *key, double value);
void proto_put_named_integer(struct proto_buffer *out, const char *key, uint64_t value);
void proto_put_named_bool(struct proto_buffer *out, const char *key, bool value);
void proto_put_named_text(struct proto_buffer *out, const char *key, const char *text);
void proto_put_named_json(struct proto_buffer *out, const char *key, proto_text json);

/* Writes a member's name and the opening bracket of its value, "[" or "{". */
void proto_put_open(struct proto_buffer *out, const char *key, const char *bracket);

/* Writes a member that is true, or nothing if `value` is false. */
void proto_put_flag(struct proto_buffer *out, const char *key, bool value);

/* Write a member with a value, or with null if `exists` is false. */
void proto_put_integer_if(struct proto_buffer *out, const char *key, bool exists, uint64_t value);
void proto_put_number_if(struct proto_buffer *out, const char *key, bool exists, double value);
void proto_put_vector_if(struct proto_buffer *out, const char *key, bool exists, uint32_t dimension,
                         gjk_vec3 v);

/*
 * Returns true if a list may have one more entry. Returns false, and marks the text as cut, if that
 * could exceed list_bytes_max.
 */
bool proto_list_goes_on(struct proto_buffer *out);

#endif
