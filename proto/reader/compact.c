/*
 * Writes a JSON value without white space. Numbers and strings take the form that replies give
 * them, which reads back as the same value; all else stays as it was given.
 */

#include "reader/document.h"

static void put_array(struct proto_buffer *out, proto_value array) {
    proto_put_text(out, "[");
    for (size_t i = 0; i < array.count; i++) {
        proto_put_item(out);
        proto_put_json(out, proto_value_at(array, i));
    }
    proto_put_text(out, "]");
}

static void put_object(struct proto_buffer *out, proto_value object) {
    proto_put_text(out, "{");
    for (size_t i = 0; i < object.count; i++) {
        const proto_text name = proto_name_at(object, i);
        proto_put_text(out, i > 0 ? "," : "");
        proto_put_string(out, name.data, name.length);
        proto_put_text(out, ":");
        proto_put_json(out, proto_member_value(object, i));
    }
    proto_put_text(out, "}");
}

void proto_put_json(struct proto_buffer *out, proto_value value) {
    switch ((proto_type)value.type) {
    case PROTO_OBJECT:
        put_object(out, value);
        break;
    case PROTO_ARRAY:
    case PROTO_NUMBERS:
    case PROTO_ROWS:
        put_array(out, value);
        break;
    case PROTO_STRING:
        proto_put_string(out, value.text, value.count);
        break;
    case PROTO_NUMBER:
        proto_put_number(out, value.number);
        break;
    case PROTO_TRUE:
    case PROTO_FALSE:
        proto_put_bool(out, value.type == PROTO_TRUE);
        break;
    case PROTO_NULL:
    case PROTO_ABSENT:
        proto_put_text(out, "null");
        break;
    }
}
