#ifndef PROTO_JSON_VALUE_H
#define PROTO_JSON_VALUE_H

/*
 * JSON values, 16 bytes each, allocated by the parser in an arena. The values of an array or object
 * are contiguous. Arrays of numbers are packed, 8 bytes per number. Arrays of such arrays are
 * packed if all have the same length: a list of vectors or triangles is one block of doubles.
 * Strings without escapes point into the body.
 */

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "proto/buffer.h"

typedef enum proto_type {
    PROTO_ABSENT, /* no value at all */
    PROTO_NULL,
    PROTO_FALSE,
    PROTO_TRUE,
    PROTO_NUMBER,
    PROTO_STRING,
    PROTO_OBJECT,
    PROTO_ARRAY,   /* of any values */
    PROTO_NUMBERS, /* a packed array of numbers and nulls; a null is a NaN */
    PROTO_ROWS,    /* a packed array of arrays, each of `columns` numbers or nulls */
    /* A packed array of integers, or of arrays of `columns` integers. Made of column messages. */
    PROTO_INTEGERS,
} proto_type;

typedef struct proto_value {
    uint8_t type;
    uint8_t columns;
    uint16_t initials; /* of an object: union of proto_initial_of of its names */
    uint32_t count;    /* number of bytes of a string, items, members or rows */
    union {
        double number;
        const char *text;                /* UTF-8, not NUL-terminated */
        const struct proto_value *items; /* of an object: name, value, name, value, ... */
        const double *numbers;
        const uint32_t *integers;
    };
} proto_value;

_Static_assert(sizeof(proto_value) == 16, "values are small");

static inline bool proto_is_array(proto_value value) {
    return value.type >= PROTO_ARRAY;
}

static inline bool proto_is_bool(proto_value value) {
    return value.type == PROTO_FALSE || value.type == PROTO_TRUE;
}

/* Returns the number of items of an array, or 0 for any other value. */
static inline size_t proto_array_size(proto_value value) {
    return proto_is_array(value) ? value.count : 0;
}

/* Returns the number of members of an object, or 0 for any other value. */
static inline size_t proto_object_size(proto_value value) {
    return value.type == PROTO_OBJECT ? value.count : 0;
}

/* Returns the text of a string or of a member's name. */
static inline proto_text proto_text_of(proto_value value) {
    return (proto_text){value.text, value.count};
}

static inline bool proto_text_equals(proto_text text, const char *other, size_t length) {
    return text.length == length && memcmp(text.data, other, length) == 0;
}

/* Returns the precision with which "%.*s" prints the text, cut to `most` bytes. */
static inline int proto_shown(proto_text text, int most) {
    return text.length < (size_t)most ? (int)text.length : most;
}

static inline proto_value proto_number_value(double number) {
    return isnan(number) ? (proto_value){.type = PROTO_NULL}
                         : (proto_value){.type = PROTO_NUMBER, .number = number};
}

/* Returns item i of an array, i < proto_array_size(array). */
static inline proto_value proto_value_at(proto_value array, size_t i) {
    switch (array.type) {
    case PROTO_NUMBERS:
        return proto_number_value(array.numbers[i]);
    case PROTO_ROWS:
        return (proto_value){.type = PROTO_NUMBERS,
                             .count = array.columns,
                             .numbers = array.numbers + i * array.columns};
    case PROTO_INTEGERS:
        return array.columns == 0 ? proto_number_value(array.integers[i])
                                  : (proto_value){.type = PROTO_INTEGERS,
                                                  .count = array.columns,
                                                  .integers = array.integers + i * array.columns};
    default:
        return array.items[i];
    }
}

/* Return the name and the value of member i of an object. */
static inline proto_text proto_name_at(proto_value object, size_t i) {
    return proto_text_of(object.items[2 * i]);
}

static inline proto_value proto_member_value(proto_value object, size_t i) {
    return object.items[2 * i + 1];
}

/*
 * Returns one of 16 bits for a name: a Bloom filter that finds most absent members of an object
 * without a search.
 */
static inline uint16_t proto_initial_of(const char *name, size_t length) {
    return (uint16_t)(1U << (((unsigned char)name[0] + length) & 15));
}

/* Returns the value of the member with that name, or NULL if there is none. */
const proto_value *proto_find(proto_value object, const char *name, size_t length);

/*
 * Maximum number of members of objects with meaningful `initials`. Larger objects are maps of
 * shapes, whose members are rarely looked up by name.
 */
#define PROTO_SMALL_OBJECT_MAX 16

/*
 * Returns an object of count names and values in turns. They are not copied. Names must be distinct
 * strings.
 */
proto_value proto_object_of(const proto_value *pairs, uint32_t count);

/*
 * Computes MergePatch(target, patch) of RFC 7396. The target may be ABSENT. *out shares unchanged
 * values with both. Returns false if memory is exhausted.
 */
bool proto_merge(struct gjk_arena *arena, proto_value target, proto_value patch,
                 proto_value *out) GJK_MUST_USE;

/* Writes a JSON value in compact form, members in the order given. Recurses at most PROTO_DEPTH_MAX
 * levels. */
void proto_put_json(struct proto_buffer *out, proto_value value);

#endif
