/*
 * Reads the fields of a message that has passed the scan into arrays whose lengths the scan has
 * counted. protobuf-c would hold the unpacked message besides; here a column of millions of numbers
 * costs its array alone.
 */

#include "columns/columns.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are packed as they are here");

static bool is_real(const ProtobufCFieldDescriptor *field) {
    return field->type == PROTOBUF_C_TYPE_DOUBLE || field->type == PROTOBUF_C_TYPE_FLOAT;
}

static bool make_array(const struct proto_message *message, const ProtobufCFieldDescriptor *field,
                       proto_field *out) {
    const uint64_t count = message->lengths[field->id];

    if (count == 0 || field->type == PROTOBUF_C_TYPE_STRING) {
        return true;
    }
    if (is_real(field)) {
        out->doubles = gjk_arena_alloc_array(message->arena, count, sizeof *out->doubles);
    } else {
        out->uints = gjk_arena_alloc_array(message->arena, count, sizeof *out->uints);
    }
    return out->doubles != NULL || out->uints != NULL;
}

/* Where the next number goes: the only place of a singular field, whose last value counts. */
static uint64_t next_of(const ProtobufCFieldDescriptor *field, proto_field *out) {
    if (field->label == PROTOBUF_C_LABEL_REPEATED) {
        return out->count++;
    }
    out->count = 1;
    return 0;
}

static void add_reals(const ProtobufCFieldDescriptor *field, proto_cursor *in, const uint8_t *end,
                      proto_field *out) {
    const bool is_float = field->type == PROTOBUF_C_TYPE_FLOAT;

    while (in->at < end) {
        double *to = &out->doubles[next_of(field, out)];
        float single;
        if (is_float) {
            memcpy(&single, in->at, sizeof single);
            *to = single;
        } else {
            memcpy(to, in->at, sizeof *to);
        }
        in->at += is_float ? sizeof single : sizeof *to;
    }
}

/* The lowest 32 bits count, as the format has it; a bool is any but 0. */
static void add_uint(const ProtobufCFieldDescriptor *field, uint64_t value, proto_field *out) {
    out->uints[next_of(field, out)] =
        field->type == PROTOBUF_C_TYPE_BOOL ? value != 0 : (uint32_t)value;
}

static void add_bytes(const ProtobufCFieldDescriptor *field, proto_cursor *in, uint64_t size,
                      proto_field *out) {
    const uint8_t *end = in->at + size;
    uint64_t value;

    if (field->type == PROTOBUF_C_TYPE_STRING) {
        out->text = (proto_text){(const char *)in->at, size};
        out->count = 1;
        in->at = end;
    } else if (is_real(field)) {
        add_reals(field, in, end, out);
    } else {
        while (in->at < end && proto_read_varint(in, &value)) {
            add_uint(field, value, out);
        }
    }
}

static void add_field(const ProtobufCFieldDescriptor *field, unsigned wire, proto_cursor *in,
                      proto_field *out) {
    uint64_t value = 0;

    if (wire == PROTO_WIRE_64BIT || wire == PROTO_WIRE_32BIT) {
        add_reals(field, in, in->at + 1, out);
    } else if (proto_read_varint(in, &value) && wire == PROTO_WIRE_BYTES) {
        add_bytes(field, in, value, out);
    } else {
        add_uint(field, value, out);
    }
}

bool proto_message_read(const struct proto_message *message, proto_text body,
                        proto_field fields[PROTO_FIELDS_MAX]) {
    const ProtobufCMessageDescriptor *descriptor = message->descriptor;
    proto_cursor in = {(const uint8_t *)body.data, (const uint8_t *)body.data + body.length};
    uint64_t tag;

    memset(fields, 0, PROTO_FIELDS_MAX * sizeof *fields);
    for (unsigned i = 0; i < descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &descriptor->fields[i];
        if (!make_array(message, field, &fields[field->id])) {
            return proto_refuse_columns_memory(message->problem);
        }
    }
    while (in.at < in.end && proto_read_varint(&in, &tag)) {
        const ProtobufCFieldDescriptor *field =
            protobuf_c_message_descriptor_get_field(descriptor, (unsigned)(tag >> 3));
        add_field(field, (unsigned)(tag & 7), &in, &fields[field->id]);
    }
    return true;
}
