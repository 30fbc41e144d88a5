/*
 * Writes a JSON value without white space. Numbers and strings take the form that replies give
 * them, which reads back as the same value; all else stays as it was given.
 */

#include "reader/document.h"

static void put_array(struct proto_buffer *out, const json_t *array) {
    proto_put_text(out, "[");
    for (size_t i = 0; i < json_array_size(array); i++) {
        proto_put_item(out);
        proto_put_json(out, json_array_get(array, i));
    }
    proto_put_text(out, "]");
}

static void put_object(struct proto_buffer *out, json_t *object) {
    const char *key;
    json_t *value;

    proto_put_text(out, "{");
    json_object_foreach(object, key, value) {
        proto_put_key(out, key);
        proto_put_json(out, value);
    }
    proto_put_text(out, "}");
}

void proto_put_json(struct proto_buffer *out, json_t *json) {
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        put_object(out, json);
        break;
    case JSON_ARRAY:
        put_array(out, json);
        break;
    case JSON_STRING:
        proto_put_string(out, json_string_value(json), json_string_length(json));
        break;
    case JSON_INTEGER:
    case JSON_REAL:
        proto_put_number(out, json_number_value(json));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        proto_put_bool(out, json_is_true(json));
        break;
    case JSON_NULL:
        proto_put_text(out, "null");
        break;
    }
}
