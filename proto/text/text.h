#ifndef PROTO_TEXT_TEXT_H
#define PROTO_TEXT_TEXT_H

/* Building and checking texts: JSON, numbers, UTF-8 and suggestions of names. */

#include <stddef.h>
#include <stdint.h>

#include "gjk/pose.h"
#include "proto/buffer.h"
#include "proto/problem.h"

/*
 * Append JSON text to a struct proto_buffer. Commas are added where they are needed: a key or an
 * item writes one unless it is the first of its object or array. A buffer that ran out of memory is
 * `failed` and takes nothing more.
 */
void proto_put_text(struct proto_buffer *out, const char *text); /* as it stands */

void proto_put_item(struct proto_buffer *out); /* , unless first in an array */
/* , unless first; "name": with a name that needs no escape */
void proto_put_key(struct proto_buffer *out, const char *name);

/* A string in quotes, escaped; bytes that are not UTF-8 become U+FFFD. */
void proto_put_string(struct proto_buffer *out, const char *data, size_t length);
void proto_put_string_or_null(struct proto_buffer *out, const char *text);
void proto_put_number(struct proto_buffer *out, double value);
void proto_put_named_number(struct proto_buffer *out, const char *key, double value);
/* "key": value, or null where there is none */
void proto_put_number_if(struct proto_buffer *out, const char *key, bool exists, double value);
void proto_put_integer(struct proto_buffer *out, uint64_t value);
void proto_put_bool(struct proto_buffer *out, bool value);
void proto_put_vector(struct proto_buffer *out, uint32_t dimension, gjk_vec3 v);
/* "key": v, or null where there is none */
void proto_put_vector_if(struct proto_buffer *out, const char *key, bool exists, uint32_t dimension,
                         gjk_vec3 v);

/* Returns true if a list may have one more entry: not once the text is as long as lists may make
 * it. */
bool proto_list_goes_on(struct proto_buffer *out);

/* A gjk_sort_order for arrays of texts: that of strcmp. */
int proto_compare_texts(const void *a, const void *b);

/* Room for any number's text and its NUL. */
#define PROTO_NUMBER_MAX 32

/*
 * Writes a finite double as a JSON number that parses back to exactly the same double, negative
 * zero included, and returns its length. Integers below 2^53 look like integers. Whole numbers
 * cost about 20 ns, others from 1.5e-11 up 40 ns, what is smaller or above 2^53 300 ns and more.
 */
size_t proto_number_text(double value, char text[PROTO_NUMBER_MAX]);

/* The decimal digits of value and a NUL; text has room for 21 bytes. */
size_t proto_integer_text(uint64_t value, char *text);

/*
 * Writes a double that is no whole number as "%.17g" does, or as "%.15g" or "%.16g" if one of
 * these (in this order) reads back as the same double. Returns the text's length, or 0 and
 * writes nothing when the value is too small for the method: below 2^-36 (1.5e-11). Exact; about
 * 40 ns; no memory of its own, any thread.
 */
size_t proto_decimal_text(double value, char text[PROTO_NUMBER_MAX]);

/*
 * The double next to digits 10^exponent, ties to even, for exponents of at most
 * PROTO_POWER_OF_FIVE_MAX in size; false for others. Exact; 2 to 15 ns; any thread.
 */
bool proto_decimal_value(uint64_t digits, int exponent, double *out);

#define PROTO_POWER_OF_FIVE_MAX 27 /* 5^27 is the last that has 63 bits */
extern const uint64_t proto_powers_of_five[PROTO_POWER_OF_FIVE_MAX + 1];

/*
 * The length in bytes, 1 to 4, of the valid UTF-8 sequence that text begins with, or 0 where it
 * begins with none (RFC 3629: no overlong forms, no surrogates, nothing past U+10FFFF). Reads at
 * most length bytes; length >= 1.
 */
size_t proto_utf8_sequence(const char *text, size_t length);

/*
 * Gives the problem a hint about an unknown name: `did you mean "radius"?` when a known one is
 * near, or else `known <what>: ...`. Both lists end with NULL; more may be NULL.
 */
void proto_suggest(struct proto_problem *problem, const char *what, const char *name,
                   const char *const *known, const char *const *more);

#endif
