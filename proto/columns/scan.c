/*
 * Validates a protobuf message field by field against its table, and counts the entries of each
 * column. Nothing is unpacked, so neither a length beyond the
 * end of the body nor a million empty fields costs memory. As the format demands, a column may come
 * in pieces, packed or not, and the last one of a repeated singular field counts. Stricter than the
 * format, an unknown field is refused as in JSON, and so are too many fields that add nothing.
 * Wire format: https://protobuf.dev/programming-guides/encoding.
 */

#include "columns/columns.h"

#include <string.h>

#include "json/text.h"

static bool refuse(struct proto_message *message, const char *format, const char *name) {
    return proto_problem_set(message->problem, PROTO_MALFORMED_PROTOBUF, format, name);
}

bool proto_read_varint(proto_cursor *in, uint64_t *out) {
    *out = 0;
    for (unsigned shift = 0; shift < 64 && in->at < in->end; shift += 7) {
        uint8_t byte = *in->at++;
        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return shift < 63 || byte <= 1;
        }
    }
    return false;
}

uint32_t proto_column_of(const proto_table *table, uint64_t number) {
    uint32_t i = number < table->count ? (uint32_t)number : table->count;

    while (i > 0 && table->columns[i - 1].number > number) {
        i--;
    }
    return i > 0 && table->columns[i - 1].number == number ? i - 1 : table->count;
}

/* Returns the bytes of one number of a column; 0: varints. */
static size_t bytes_of(const proto_column *column) {
    const bool is_double = column->type == PROTO_DOUBLES || column->type == PROTO_DOUBLE;
    return is_double ? sizeof(double) : column->type == PROTO_FLOATS ? sizeof(float) : 0;
}

static bool is_repeated(const proto_column *column) {
    return column->type <= PROTO_TEXTS;
}

static bool is_a_text(const proto_column *column) {
    return column->type == PROTO_TEXT || column->type == PROTO_TEXTS;
}

static uint64_t *length_of(struct proto_message *message, const proto_column *column) {
    return &message->lengths[column - message->table->columns];
}

static bool is_utf8(proto_cursor bytes) {
    size_t size = (size_t)(bytes.end - bytes.at), step = 1;

    for (size_t i = 0; i < size && step > 0; i += step) {
        step = bytes.at[i] != 0 ? proto_utf8_sequence((const char *)bytes.at + i, size - i) : 0;
    }
    return step > 0;
}

/*
 * Counts an empty piece of a column or a repeated singular field. They are harmless, but
 * a million of them would take time for nothing.
 */
static bool note_idle(struct proto_message *message, const proto_column *column) {
    if (++message->idle_count <= PROTO_IDLE_FIELDS_MAX) {
        return true;
    }
    proto_problem_set(message->problem, PROTO_TOO_MANY,
                      "%s comes once more; at most %d fields may bring nothing new", column->name,
                      PROTO_IDLE_FIELDS_MAX);
    return proto_problem_limit(message->problem, PROTO_IDLE_FIELDS_MAX);
}

/* Counts the varints of a packed field. Returns false when the last one does not end within it. */
static bool count_varints(proto_cursor in, uint64_t *count) {
    uint64_t value;

    while (in.at < in.end) {
        if (!proto_read_varint(&in, &value)) {
            return false;
        }
        ++*count;
    }
    return true;
}

static bool scan_bytes(struct proto_message *message, const proto_column *column,
                       proto_cursor bytes) {
    uint64_t *length = length_of(message, column);
    size_t size = (size_t)(bytes.end - bytes.at);

    if (is_a_text(column)) {
        ++*length;
        if (!is_utf8(bytes)) {
            return refuse(message, "%s holds invalid UTF-8 or a NUL", column->name);
        }
        return is_repeated(column) || *length == 1 || note_idle(message, column);
    }
    if (!is_repeated(column)) {
        return refuse(message, "%s is not of the type that the schema gives it", column->name);
    }
    if (size == 0) {
        return note_idle(message, column);
    }
    const size_t width = bytes_of(column);
    if (width > 0) {
        *length += size / width;
        return size % width == 0 ||
               refuse(message,
                      width == sizeof(double) ? "%s does not hold whole numbers of 8 bytes"
                                              : "%s does not hold whole numbers of 4 bytes",
                      column->name);
    }
    return count_varints(bytes, length) ||
           refuse(message, "%s does not hold whole varints", column->name);
}

/* Reads one unpacked number, of a singular or of a repeated field. */
static bool scan_number(struct proto_message *message, const proto_column *column, size_t width) {
    bool is_fit = !is_a_text(column) && width == bytes_of(column);

    if (!is_fit) {
        return refuse(message, "%s is not of the type that the schema gives it", column->name);
    }
    const uint64_t length = ++*length_of(message, column);
    return is_repeated(column) || length == 1 || note_idle(message, column);
}

static bool scan_value(struct proto_message *message, const proto_column *column, unsigned wire,
                       proto_cursor *in) {
    uint64_t value;

    switch (wire) {
    case PROTO_WIRE_VARINT:
        if (!proto_read_varint(in, &value)) {
            return refuse(message, "%s ends in the middle of a varint", column->name);
        }
        if (column->number == 1) {
            message->dimension = value <= UINT32_MAX ? (uint32_t)value : UINT32_MAX;
        }
        return scan_number(message, column, 0);
    case PROTO_WIRE_64BIT:
    case PROTO_WIRE_32BIT:
        value = wire == PROTO_WIRE_64BIT ? sizeof(double) : sizeof(float);
        if ((uint64_t)(in->end - in->at) < value) {
            return refuse(message, "%s ends in the middle of a number", column->name);
        }
        in->at += value;
        return scan_number(message, column, value);
    case PROTO_WIRE_BYTES:
        if (!proto_read_varint(in, &value) || value > (uint64_t)(in->end - in->at)) {
            return refuse(message, "%s is longer than the body", column->name);
        }
        in->at += value;
        return scan_bytes(message, column, (proto_cursor){in->at - value, in->at});
    default:
        return refuse(message, "%s is not of the type that the schema gives it", column->name);
    }
}

/* Skips a field that the message does not have. It must be well-formed all the same. */
static bool skip_value(struct proto_message *message, unsigned wire, proto_cursor *in) {
    uint64_t value = wire == PROTO_WIRE_64BIT ? 8 : 4;

    if (wire == PROTO_WIRE_VARINT) {
        return proto_read_varint(in, &value) || refuse(message, "%s", "a varint does not end");
    }
    if (wire != PROTO_WIRE_64BIT && wire != PROTO_WIRE_BYTES && wire != PROTO_WIRE_32BIT) {
        return refuse(message, "the bytes are no fields of %s", message->table->name);
    }
    if ((wire == PROTO_WIRE_BYTES && !proto_read_varint(in, &value)) ||
        value > (uint64_t)(in->end - in->at)) {
        return refuse(message, "%s", "a field is longer than the body");
    }
    in->at += value;
    return true;
}

static bool refuse_field(struct proto_message *message, uint64_t number) {
    proto_problem_set(message->problem, PROTO_UNKNOWN_MEMBER, "%s has no field %llu",
                      message->table->name, (unsigned long long)number);
    return proto_problem_hint(message->problem, "check the version of gjkd.proto");
}

/* Every message has its dimension as its first field. */
static bool check_dimension(struct proto_message *message, uint32_t set_dimension) {
    uint32_t found = message->dimension;

    if (message->lengths[0] == 0 || found == 0) {
        proto_problem_set(message->problem, PROTO_MISSING_MEMBER, "dimension is required: 2 or 3");
    } else if (found != 2 && found != 3) {
        proto_problem_set(message->problem, PROTO_OUT_OF_RANGE, "a dimension is 2 or 3, not %u",
                          found);
    } else if (set_dimension != 0 && found != set_dimension) {
        proto_problem_set(message->problem, PROTO_DIMENSION_MISMATCH,
                          "the set is %uD, the message %uD", set_dimension, found);
    } else {
        return true;
    }
    return proto_problem_point(message->problem, "/dimension");
}

bool proto_message_scan(struct proto_message *message, proto_text body, uint32_t set_dimension) {
    proto_cursor in = {(const uint8_t *)body.data, (const uint8_t *)body.data + body.length};
    const proto_table *table = message->table;
    uint64_t tag, unknown = 0;

    memset(message->lengths, 0, sizeof message->lengths);
    message->dimension = message->count = message->idle_count = 0;
    while (in.at < in.end) {
        if (!proto_read_varint(&in, &tag) || tag >> 3 == 0 || tag > UINT32_MAX) {
            return refuse(message, "the bytes are no fields of %s", table->name);
        }
        const uint32_t i = proto_column_of(table, tag >> 3);
        const bool is_known = i < table->count;
        if (!is_known) {
            unknown = tag >> 3;
        }
        if (is_known ? !scan_value(message, &table->columns[i], (unsigned)(tag & 7), &in)
                     : !skip_value(message, (unsigned)(tag & 7), &in)) {
            return false;
        }
    }
    if (unknown != 0) {
        return refuse_field(message, unknown);
    }
    return check_dimension(message, set_dimension);
}
