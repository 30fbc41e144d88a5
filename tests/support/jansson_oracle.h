#ifndef JANSSON_ORACLE_H
#define JANSSON_ORACLE_H

/* Compares what the parser leaves of a text with what jansson does: the oracle of its tests. */

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

#include "json/value.h"

/* NULL: jansson refuses the text. Its own limit of depth is larger than ours. */
static inline json_t *oracle_load(proto_text text) {
    return json_loadb(text.data, text.length,
                      JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL |
                          JSON_ALLOW_NUL,
                      NULL);
}

/* Levels of arrays and objects. */
static inline size_t oracle_depth(json_t *json) {
    const char *name;
    size_t i, deepest = 0;
    json_t *item;

    json_array_foreach(json, i, item) {
        const size_t depth = oracle_depth(item);
        deepest = depth > deepest ? depth : deepest;
    }
    json_object_foreach(json, name, item) {
        const size_t depth = oracle_depth(item);
        deepest = depth > deepest ? depth : deepest;
    }
    return json_is_array(json) || json_is_object(json) ? deepest + 1 : 0;
}

/* Returns true if both are the same value: numbers to the bit, members in the same order. */
static inline bool oracle_equals(json_t *json, proto_value value) {
    switch (json_typeof(json)) {
    case JSON_ARRAY:
        if (!proto_is_array(value) || value.count != json_array_size(json))
            return false;
        for (size_t i = 0; i < value.count; i++) {
            if (!oracle_equals(json_array_get(json, i), proto_value_at(value, i)))
                return false;
        }
        return true;
    case JSON_OBJECT: {
        const char *name;
        json_t *member;
        size_t i = 0;
        if (value.type != PROTO_OBJECT || value.count != json_object_size(json))
            return false;
        json_object_foreach(json, name, member) {
            if (!proto_text_equals(proto_name_at(value, i), name, strlen(name)) ||
                proto_find(value, name, strlen(name)) != &value.items[2 * i + 1] ||
                !oracle_equals(member, proto_member_value(value, i)))
                return false;
            i++;
        }
        return true;
    }
    case JSON_STRING:
        return value.type == PROTO_STRING &&
               proto_text_equals(proto_text_of(value), json_string_value(json),
                                 json_string_length(json));
    case JSON_INTEGER:
    case JSON_REAL: {
        const double number = json_number_value(json);
        return value.type == PROTO_NUMBER && memcmp(&number, &value.number, sizeof number) == 0;
    }
    default:
        return value.type == (json_is_null(json)   ? PROTO_NULL
                              : json_is_true(json) ? PROTO_TRUE
                                                   : PROTO_FALSE);
    }
}

#endif
