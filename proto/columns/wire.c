/*
 * Walks messages by their tables. The scan validates the bytes and counts the entries of each
 * column. It unpacks nothing, so neither a length beyond the end of the body nor a million empty
 * fields costs memory. The reader makes arrays of the counted lengths, but leaves a column of
 * doubles that comes packed and in one piece where it is. As the format demands, a column may come
 * in pieces, packed or not, and the last one of a repeated singular field counts. Stricter than the
 * format, an unknown field is refused as in JSON, and so are too many fields that add nothing. Wire
 * format: https://protobuf.dev/programming-guides/encoding.
 */

#include "columns/columns.h"

#include "json/text.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are packed as they are here");

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

/* A field of a message: a varint, or bytes. */
typedef struct wire_field {
    uint64_t number, value;
    unsigned wire;
    proto_cursor bytes;
} wire_field;

/* Reads the next field. Returns false if the bytes are none. */
static bool next_field(proto_cursor *in, wire_field *out) {
    uint64_t tag, size = sizeof(double);

    if (!proto_read_varint(in, &tag) || tag >> 3 == 0 || tag > UINT32_MAX) {
        return false;
    }
    *out = (wire_field){.number = tag >> 3, .wire = (unsigned)(tag & 7)};
    switch (out->wire) {
    case PROTO_WIRE_VARINT:
        return proto_read_varint(in, &out->value);
    case PROTO_WIRE_64BIT:
        break;
    case PROTO_WIRE_32BIT:
        size = sizeof(float);
        break;
    case PROTO_WIRE_BYTES:
        if (!proto_read_varint(in, &size)) {
            return false;
        }
        break;
    default:
        return false;
    }
    if (size > (uint64_t)(in->end - in->at)) {
        return false;
    }
    out->bytes = (proto_cursor){in->at, in->at + size};
    in->at += size;
    return true;
}

uint32_t proto_column_of(const proto_table *table, uint64_t number) {
    uint32_t i = number < table->count ? (uint32_t)number : table->count;

    while (i > 0 && table->columns[i - 1].number > number) {
        i--;
    }
    return i > 0 && table->columns[i - 1].number == number ? i - 1 : table->count;
}

/* --- Scan --- */

static bool refuse_message(struct proto_message *message, const char *format, const char *name) {
    return proto_problem_set(message->problem, PROTO_MALFORMED_PROTOBUF, format, name);
}

static bool is_text(const proto_column *column) {
    return column->type == PROTO_TEXTS || column->type == PROTO_TEXT;
}

static bool is_message(const proto_column *column) {
    return column->type == PROTO_MESSAGES || column->type == PROTO_MESSAGE;
}

/* Returns the wire type of one number of a column. */
static unsigned wire_of(const proto_column *column) {
    const bool is_double = column->type == PROTO_DOUBLES || column->type == PROTO_DOUBLE;
    return is_double                      ? PROTO_WIRE_64BIT
           : column->type == PROTO_FLOATS ? PROTO_WIRE_32BIT
           : is_text(column)              ? PROTO_WIRE_BYTES
           : is_message(column)           ? PROTO_WIRE_BYTES
                                          : PROTO_WIRE_VARINT;
}

static bool is_utf8(proto_cursor bytes) {
    size_t size = (size_t)(bytes.end - bytes.at), step = 1;

    for (size_t i = 0; i < size && step > 0; i += step) {
        step = bytes.at[i] != 0 ? proto_utf8_sequence((const char *)bytes.at + i, size - i) : 0;
    }
    return step > 0;
}

/* Counts the numbers of a packed column. Returns false if the last one does not end within it. */
static bool count_packed(unsigned wire, proto_cursor bytes, uint64_t *count) {
    const size_t width = wire == PROTO_WIRE_64BIT ? sizeof(double) : sizeof(float);
    const uint64_t size = (uint64_t)(bytes.end - bytes.at);
    uint64_t value;

    if (wire != PROTO_WIRE_VARINT) {
        *count = size / width;
        return size % width == 0;
    }
    for (*count = 0; bytes.at < bytes.end; ++*count) {
        if (!proto_read_varint(&bytes, &value)) {
            return false;
        }
    }
    return true;
}

static bool scan_field(struct proto_message *message, uint32_t i, const wire_field *field) {
    const proto_column *column = &message->table->columns[i];
    const bool is_repeated = column->type <= PROTO_MESSAGES;
    const unsigned wire = wire_of(column);
    uint64_t count = 1;

    if (field->wire != wire) { /* packed, or wrong */
        if (!is_repeated || field->wire != PROTO_WIRE_BYTES) {
            return refuse_message(message, "%s is not of the type that the schema gives it",
                                  column->name);
        }
        if (!count_packed(wire, field->bytes, &count)) {
            return refuse_message(message, "%s does not hold whole numbers", column->name);
        }
    } else if (is_text(column) && !is_utf8(field->bytes)) {
        return refuse_message(message, "%s holds invalid UTF-8 or a NUL", column->name);
    }
    if (i == 0) {
        message->dimension = field->value <= UINT32_MAX ? (uint32_t)field->value : UINT32_MAX;
    }
    const bool is_idle = count == 0 || (!is_repeated && message->lengths[i] > 0);
    message->lengths[i] += count;
    if (is_idle && ++message->idle_count > PROTO_IDLE_FIELDS_MAX) {
        proto_problem_set(message->problem, PROTO_TOO_MANY,
                          "%s comes once more; at most %d fields may bring nothing new",
                          column->name, PROTO_IDLE_FIELDS_MAX);
        return proto_problem_limit(message->problem, PROTO_IDLE_FIELDS_MAX);
    }
    return true;
}

/* Every message that has columns has its dimension as its first field. */
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
    uint64_t unknown = 0;
    wire_field field;

    memset(message->lengths, 0, sizeof message->lengths);
    message->dimension = message->count = message->idle_count = 0;
    while (in.at < in.end) {
        if (!next_field(&in, &field)) {
            return refuse_message(message, "the bytes are no fields of %s", message->table->name);
        }
        const uint32_t i = proto_column_of(message->table, field.number);
        if (i == message->table->count) {
            unknown = field.number;
        } else if (!scan_field(message, i, &field)) {
            return false;
        }
    }
    if (unknown != 0) {
        proto_problem_set(message->problem, PROTO_UNKNOWN_MEMBER, "%s has no field %llu",
                          message->table->name, (unsigned long long)unknown);
        return proto_problem_hint(message->problem, "check the version of gjkd.proto");
    }
    return message->table->columns[0].type != PROTO_UINT || check_dimension(message, set_dimension);
}

/* --- Reader --- */

/* A column as it is read. */
typedef struct target {
    const proto_column *column;
    proto_field *field;
    double *doubles; /* of a column that does not stay in the message */
    uint32_t *uints;
    const char **texts;
    proto_text *messages;
    uint64_t length;
} target;

/* Makes arrays for a column; packed doubles are found later. */
static bool make_arrays(struct gjk_arena *arena, target *to) {
    switch (to->column->type) {
    case PROTO_FLOATS:
        to->doubles = gjk_arena_alloc_array(arena, to->length, sizeof *to->doubles);
        to->field->doubles = (unsigned char *)to->doubles;
        return to->doubles != NULL;
    case PROTO_UINTS:
        to->uints = gjk_arena_alloc_array(arena, to->length + 1, sizeof *to->uints);
        to->field->uints = to->uints;
        if (to->uints != NULL) {
            to->uints[0] = (uint32_t)to->column->otherwise;
        }
        return to->uints != NULL;
    case PROTO_TEXTS:
        to->texts = gjk_arena_alloc_array(arena, to->length, sizeof *to->texts);
        to->field->texts = to->texts;
        return to->texts != NULL;
    case PROTO_MESSAGES:
        to->messages = gjk_arena_alloc_array(arena, to->length, sizeof *to->messages);
        to->field->messages = to->messages;
        return to->messages != NULL;
    case PROTO_TEXT:
    case PROTO_MESSAGE:
        to->field->text = (proto_text){"", 0};
        return true;
    case PROTO_DOUBLES:
        to->field->doubles = (const unsigned char *)&to->column->otherwise;
        return true;
    default:
        return true;
    }
}

/* Adds the numbers of a piece of a column of doubles or floats. */
static bool add_reals(struct gjk_arena *arena, target *to, proto_cursor in) {
    const uint64_t bytes = (uint64_t)(in.end - in.at);
    proto_field *field = to->field;

    for (; to->column->type == PROTO_FLOATS && in.at < in.end; in.at += sizeof(float)) {
        float single;
        memcpy(&single, in.at, sizeof single);
        to->doubles[field->count++] = single;
    }
    if (to->column->type == PROTO_FLOATS || bytes == 0) {
        return true;
    }
    if (bytes == to->length * sizeof(double)) {
        field->doubles = in.at;
        field->count = (uint32_t)to->length;
        return true;
    }
    if (to->doubles == NULL) {
        to->doubles = gjk_arena_alloc_array(arena, to->length, sizeof *to->doubles);
        field->doubles = (unsigned char *)to->doubles;
    }
    if (to->doubles != NULL) {
        memcpy(&to->doubles[field->count], in.at, bytes);
        field->count += (uint32_t)(bytes / sizeof(double));
    }
    return to->doubles != NULL;
}

static bool add_text(struct gjk_arena *arena, target *to, proto_cursor in) {
    const size_t bytes = (size_t)(in.end - in.at);
    char *text = gjk_arena_copy_text(arena, (const char *)in.at, bytes);

    if (to->column->type == PROTO_TEXTS) {
        to->texts[to->field->count++] = text;
    } else {
        to->field->text = (proto_text){text, bytes};
        to->field->count = 1;
    }
    return text != NULL;
}

/* Adds an integer, of which the lowest 32 bits count, as the format has it. */
static void add_uint(target *to, uint64_t value) {
    switch (to->column->type) {
    case PROTO_UINTS:
        to->uints[to->field->count++] = (uint32_t)value;
        return;
    case PROTO_BOOL:
        to->field->flag = value != 0;
        break;
    default:
        to->field->uint = (uint32_t)value;
    }
    to->field->count = 1;
}

static proto_text text_of(proto_cursor in) {
    return (proto_text){(const char *)in.at, (size_t)(in.end - in.at)};
}

static bool add_field(struct gjk_arena *arena, target *to, const wire_field *field) {
    proto_cursor in = field->bytes;
    uint64_t value;

    switch (to->column->type) {
    case PROTO_DOUBLES:
    case PROTO_FLOATS:
        return add_reals(arena, to, in);
    case PROTO_TEXTS:
    case PROTO_TEXT:
        return add_text(arena, to, in);
    case PROTO_MESSAGES:
        to->messages[to->field->count++] = text_of(in);
        return true;
    case PROTO_MESSAGE:
        to->field->text = text_of(in);
        to->field->count++;
        return true;
    case PROTO_DOUBLE:
        GJK_ASSERT(in.at != NULL); /* as the scan has seen */
        memcpy(&to->field->number, in.at, sizeof to->field->number);
        to->field->count = 1;
        return true;
    default:
        if (field->wire == PROTO_WIRE_VARINT) {
            add_uint(to, field->value);
        }
        while (in.at < in.end && proto_read_varint(&in, &value)) {
            add_uint(to, value);
        }
        return true;
    }
}

bool proto_message_read(const struct proto_message *message, proto_text body, proto_field *fields) {
    const proto_table *table = message->table;
    proto_cursor in = {(const uint8_t *)body.data, (const uint8_t *)body.data + body.length};
    target targets[PROTO_COLUMNS_MAX];
    bool is_fine = true;
    wire_field field;

    memset(fields, 0, table->count * sizeof *fields);
    for (uint32_t i = 0; i < table->count && is_fine; i++) {
        targets[i] = (target){.column = &table->columns[i],
                              .field = &fields[i],
                              .length = message->lengths[i]};
        fields[i].step = message->lengths[i] > 1;
        is_fine = make_arrays(message->arena, &targets[i]);
    }
    while (is_fine && in.at < in.end && next_field(&in, &field)) {
        is_fine = add_field(message->arena, &targets[proto_column_of(table, field.number)], &field);
    }
    return is_fine || proto_refuse_columns_status(message->problem, GJK_OUT_OF_MEMORY);
}
