#ifndef PROTO_JSON_VALUE_H
#define PROTO_JSON_VALUE_H

/*
 * Values of JSON, 16 bytes each, as the parser leaves them in an arena. The values of an array or
 * object lie side by side. Arrays of numbers are packed, 8 bytes a number, and so are the rows of
 * an array of such arrays when all have the same length: a list of vectors or triangles is one
 * block of doubles. Texts without escapes stay where they are in the body.
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
    PROTO_NUMBERS, /* an array of numbers and nulls; a null is a NaN, which JSON has not */
    PROTO_ROWS,    /* an array of arrays of `columns` numbers or nulls each, one behind the other */
    /* An array of integers, or of arrays of `columns` of them. The parser makes none. */
    PROTO_INTEGERS,
} proto_type;

typedef struct proto_value {
    uint8_t type;
    uint8_t columns;
    uint16_t initials; /* of an object: which proto_initial_of its names have */
    uint32_t count;    /* bytes of a string; items; members; rows */
    union {
        double number;
        const char *text;                /* UTF-8, which no NUL ends */
        const struct proto_value *items; /* of an object: name and value in turns */
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

/* Items of an array, 0 of anything else. */
static inline size_t proto_array_size(proto_value value) {
    return proto_is_array(value) ? value.count : 0;
}

/* Members of an object, 0 of anything else. */
static inline size_t proto_object_size(proto_value value) {
    return value.type == PROTO_OBJECT ? value.count : 0;
}

/* Returns the text of a string, or of the name of a member. */
static inline proto_text proto_text_of(proto_value value) {
    return (proto_text){value.text, value.count};
}

static inline bool proto_text_equals(proto_text text, const char *other, size_t length) {
    return text.length == length && memcmp(text.data, other, length) == 0;
}

/* Returns how many bytes of the text "%.*s" may show, at most `most`; it stops at a NUL itself. */
static inline int proto_shown(proto_text text, int most) {
    return text.length < (size_t)most ? (int)text.length : most;
}

static inline proto_value proto_number_value(double number) {
    return isnan(number) ? (proto_value){.type = PROTO_NULL}
                         : (proto_value){.type = PROTO_NUMBER, .number = number};
}

/* Returns item i of an array that has it. */
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

/* Return name and value of member i of an object. */
static inline proto_text proto_name_at(proto_value object, size_t i) {
    return proto_text_of(object.items[2 * i]);
}

static inline proto_value proto_member_value(proto_value object, size_t i) {
    return object.items[2 * i + 1];
}

/*
 * Returns one of 16 bits for a name. Most optional members are absent; if no name of an object has
 * the same bit, this is known without looking.
 */
static inline uint16_t proto_initial_of(const char *name, size_t length) {
    return (uint16_t)(1U << (((unsigned char)name[0] + length) & 15));
}

/* Finds a member's value. Returns NULL if there is none. */
const proto_value *proto_find(proto_value object, const char *name, size_t length);

/*
 * Members of an object whose `initials` tell something. Larger ones are maps of shapes, of which
 * nobody asks for a member by its name often.
 */
#define PROTO_SMALL_OBJECT_MAX 16

/*
 * Makes an object of count pairs of names and values, which stay where they are and have to be
 * strings, no two alike.
 */
proto_value proto_object_of(const proto_value *pairs, uint32_t count);

/*
 * Applies a merge patch: MergePatch(target, patch) of RFC 7396. The target may be ABSENT. Unchanged
 * values are shared with both. Returns false if memory is exhausted.
 */
bool proto_merge(struct gjk_arena *arena, proto_value target, proto_value patch,
                 proto_value *out) GJK_MUST_USE;

/* Writes a JSON value in compact form, members in the order given. Depth: PROTO_DEPTH_MAX. */
void proto_put_json(struct proto_buffer *out, proto_value value);

#endif
