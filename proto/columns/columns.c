/*
 * Decodes messages by their tables, in four steps:
 *
 *   1. The scan validates the bytes and counts the values of each column. It unpacks nothing, so
 *      neither a length beyond the end of the body nor a million empty fields costs memory.
 *   2. The lengths of columns are checked.
 *   3. The reader makes arrays of the counted lengths. A packed column of doubles in one piece is
 *      not copied.
 *   4. The values are checked.
 *
 * As the format demands, a column may come in pieces, packed or not, and of a repeated singular
 * field the last value counts. Stricter than the format, unknown fields are refused, as in JSON,
 * and so are too many fields that add nothing. Wire format:
 * https://protobuf.dev/programming-guides/encoding.
 */

#include "columns/columns.h"

#include <float.h>
#include <stdarg.h>
#include <stdio.h>

#include "gjk/move.h"
#include "gjk/sort.h"
#include "json/number.h"
#include "json/text.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are packed as they are here");

/* --- Refusals --- */

bool proto_refuse_row(struct proto_problem *problem, const char *column, uint32_t row,
                      proto_code code, const char *format, ...) {
    char pointer[64], detail[PROTO_DETAIL_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    const int end = snprintf(pointer, sizeof pointer, "/%s", column);
    if (row != PROTO_NO_ROW) {
        snprintf(pointer + end, sizeof pointer - (size_t)end, "/%u", row);
    }
    proto_problem_set(problem, code, "%s", detail);
    return proto_problem_point(problem, pointer);
}

bool proto_refuse_columns_status(struct proto_problem *problem, gjk_status status) {
    return status == GJK_GIVEN_UP
               ? proto_problem_set(problem, PROTO_DEADLINE_EXCEEDED,
                                   "time was up before all of it was read")
               : proto_problem_set(problem, PROTO_OUT_OF_MEMORY,
                                   "the request needs more memory than there is");
}

/* --- Fields --- */

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

/* A field of a message: a varint in `value`, or `bytes`. */
typedef struct wire_field {
    uint64_t number, value;
    unsigned wire;
    proto_cursor bytes;
} wire_field;

/* Reads the next field. Returns false if the bytes are not a valid field. */
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

/* Returns the wire type of one value of a column. */
static unsigned wire_of(const proto_column *column) {
    const bool is_double = column->type == PROTO_DOUBLES || column->type == PROTO_DOUBLE;
    const bool is_message = column->type == PROTO_MESSAGES || column->type == PROTO_MESSAGE;
    return is_double                       ? PROTO_WIRE_64BIT
           : column->type == PROTO_FLOATS  ? PROTO_WIRE_32BIT
           : is_text(column) || is_message ? PROTO_WIRE_BYTES
                                           : PROTO_WIRE_VARINT;
}

static bool is_utf8(proto_cursor bytes) {
    size_t size = (size_t)(bytes.end - bytes.at), step = 1;

    for (size_t i = 0; i < size && step > 0; i += step) {
        step = bytes.at[i] != 0 ? proto_utf8_sequence((const char *)bytes.at + i, size - i) : 0;
    }
    return step > 0;
}

/* Counts the numbers in a packed piece of a column. Returns false if the last one is incomplete. */
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

    if (field->wire != wire) { /* packed, or of a wrong type */
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

/* Checks the dimension, which is the first field of every message with columns. */
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

/* A column that is being read. */
typedef struct target {
    const proto_column *column;
    proto_field *field;
    union { /* memory of a column that is copied */
        void *array;
        double *doubles;
        uint32_t *uints;
        const char **texts;
        proto_text *messages;
    };
    uint64_t length;
} target;

/* Allocates the array of a column and sets its default. Doubles are allocated later, if at all. */
static bool make_arrays(struct gjk_arena *arena, target *to) {
    static const size_t sizes[] = {[PROTO_FLOATS] = sizeof(double),
                                   [PROTO_UINTS] = sizeof(uint32_t),
                                   [PROTO_TEXTS] = sizeof(const char *),
                                   [PROTO_MESSAGES] = sizeof(proto_text)};

    switch (to->column->type) {
    case PROTO_FLOATS:
    case PROTO_UINTS:
    case PROTO_TEXTS:
    case PROTO_MESSAGES:
        to->array = gjk_arena_alloc_array(arena, to->length + 1, sizes[to->column->type]);
        to->field->doubles = to->array; /* sets the union, whatever the type */
        if (to->array != NULL && to->column->type == PROTO_UINTS) {
            to->uints[0] = (uint32_t)to->column->otherwise;
        }
        return to->array != NULL;
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

/* Appends a piece of a column of doubles or floats. */
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

/* Appends an integer, truncated to 32 bits as the format demands. */
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
        GJK_ASSERT(in.at != NULL); /* the scan has checked the wire type */
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

/* --- Lengths --- */

uint32_t proto_width(const proto_column *column, uint32_t dimension, uint32_t shapes) {
    const uint32_t turn = dimension == 2 ? 1 : 4;

    return column->width == PROTO_VECTOR        ? dimension
           : column->width == PROTO_TURN        ? turn
           : column->width == PROTO_EACH_VECTOR ? dimension * shapes
           : column->width == PROTO_EACH_TURN   ? turn * shapes
                                                : column->width;
}

static bool refuse_length(const struct proto_message *message, const proto_column *column,
                          uint64_t found, uint64_t wanted) {
    if (found == 0) {
        return proto_refuse_row(message->problem, column->name, PROTO_NO_ROW, PROTO_MISSING_MEMBER,
                                "%s is empty, but there are %u rows", column->name, message->count);
    }
    return proto_refuse_row(message->problem, column->name, PROTO_NO_ROW, PROTO_WRONG_TYPE,
                            "%s holds %llu numbers; %u rows need %llu", column->name,
                            (unsigned long long)found, message->count, (unsigned long long)wanted);
}

static bool refuse_many(const struct proto_message *message, const proto_column *column,
                        const char *what, uint64_t found, uint64_t max) {
    proto_refuse_row(message->problem, column->name, PROTO_NO_ROW, PROTO_TOO_MANY,
                     "%llu %s, at most %llu are allowed", (unsigned long long)found, what,
                     (unsigned long long)max);
    return proto_problem_limit(message->problem, max);
}

bool proto_count_rows(struct proto_message *message, uint32_t i, uint64_t rows_max) {
    const proto_column *column = &message->table->columns[i];
    const uint64_t length = message->lengths[i];
    const uint64_t width = proto_width(column, message->dimension, message->shapes);
    GJK_ASSERT(width > 0);
    const uint64_t rows = (length + width - 1) / width;
    const uint64_t max = rows_max < UINT32_MAX / 4 ? rows_max : UINT32_MAX / 4;

    if (rows > max) {
        return refuse_many(message, column, "rows", rows, max);
    }
    message->count = (uint32_t)rows;
    return length == rows * width || refuse_length(message, column, length, rows * width);
}

/* Checks a column's length against its rule and the number of rows. */
static bool check_length(const struct proto_message *message, uint32_t i) {
    const proto_column *column = &message->table->columns[i];
    const uint8_t rule = column->rule;
    const uint64_t length = message->lengths[i], rows = message->count;
    const uint64_t one = proto_width(column, message->dimension, message->shapes);
    const bool may_serve_all =
        rule == PROTO_SHARED || rule == PROTO_DEFAULTED || rule == PROTO_ONE_OR_EACH;
    const bool may_be_absent =
        rule == PROTO_OPTIONAL || rule == PROTO_DEFAULTED || rule == PROTO_ONE_OR_EACH;

    if (rule == PROTO_ONE || rule == PROTO_COUNTS) {
        return true;
    }
    if (rule == PROTO_LIST) {
        const uint64_t max = column->otherwise > 0.0 ? (uint64_t)column->otherwise : rows;
        return length <= max || refuse_many(message, column, column->name, length, max);
    }
    return length == rows * one || (may_serve_all && length == one) ||
           (may_be_absent && length == 0) || refuse_length(message, column, length, rows * one);
}

/* Counts the rows of a message without a column of PROTO_COUNTS: by the first column with more than
 * one row's values, else 1 or 0. */
static bool count_longest(struct proto_message *message, uint64_t rows_max) {
    for (uint32_t i = 0; i < message->table->count; i++) {
        const proto_column *column = &message->table->columns[i];
        const bool has_rows = column->rule == PROTO_SHARED || column->rule == PROTO_OPTIONAL;
        if ((has_rows || column->rule == PROTO_DEFAULTED) &&
            message->lengths[i] > proto_width(column, message->dimension, message->shapes)) {
            return proto_count_rows(message, i, rows_max);
        }
        message->count = has_rows && message->lengths[i] > 0 ? 1 : message->count;
    }
    return true;
}

bool proto_check_lengths(struct proto_message *message, uint64_t rows_max) {
    const proto_table *table = message->table;
    uint32_t counts = 0;

    while (counts < table->count && table->columns[counts].rule != PROTO_COUNTS) {
        counts++;
    }
    bool is_fine = counts < table->count ? proto_count_rows(message, counts, rows_max)
                                         : count_longest(message, rows_max);
    for (uint32_t i = 0; i < table->count && is_fine; i++) {
        is_fine = check_length(message, i);
    }
    return is_fine;
}

/* --- Ranges of values --- */

struct range {
    double min, max; /* both finite */
};

static const struct range ranges[] = {
    [PROTO_FINITE] = {-DBL_MAX, DBL_MAX},
    [PROTO_COORDINATE] = {-GJK_COORDINATE_MAX, GJK_COORDINATE_MAX},
    [PROTO_LENGTH] = {0.0, GJK_COORDINATE_MAX},
    [PROTO_POSITIVE] = {0x1p-1074, GJK_COORDINATE_MAX},
    [PROTO_REACH] = {0.0, DBL_MAX},
    [PROTO_STARTS] = {0.0, 3.0},
    [PROTO_MODES] = {0.0, 2.0},
    [PROTO_TOLERANCE] = {0.0, GJK_TOLERANCE_MAX},
    [PROTO_SLOPE] = {0.0, PROTO_SLOPE_MAX},
    [PROTO_SLIDES] = {0.0, GJK_SLIDES_MAX},
};

static bool refuse_value(struct proto_problem *problem, const char *name, uint32_t row,
                         double value, const struct range *range) {
    char text[PROTO_NUMBER_MAX], min[PROTO_NUMBER_MAX], max[PROTO_NUMBER_MAX];

    if (!isfinite(value)) {
        return proto_refuse_row(problem, name, row, PROTO_NOT_FINITE, "a number is not finite");
    }
    proto_number_text(value, text);
    proto_number_text(range->min, min);
    proto_number_text(range->max, max);
    return proto_refuse_row(problem, name, row, PROTO_OUT_OF_RANGE,
                            "must be at least %s%s%s, found %s", min,
                            range->max == DBL_MAX ? "" : " and at most ",
                            range->max == DBL_MAX ? "" : max, text);
}

static bool check_doubles(struct proto_problem *problem, const proto_column *column,
                          const proto_field *field, uint32_t width) {
    enum {
        STRIDE = 64
    }; /* numbers checked without a branch, so that compilers vectorize the loop */
    const struct range *range = &ranges[column->values];
    bool is_fine = true;
    double value;

    for (uint32_t begin = 0; begin < field->count && is_fine; begin += STRIDE) {
        const uint32_t end = begin + STRIDE < field->count ? begin + STRIDE : field->count;
        for (uint32_t i = begin; i < end; i++) {
            memcpy(&value, field->doubles + i * sizeof value, sizeof value);
            is_fine &= (value >= range->min) & (value <= range->max);
        }
        for (uint32_t i = begin; i < end && !is_fine; i++) {
            memcpy(&value, field->doubles + i * sizeof value, sizeof value);
            if (!(value >= range->min && value <= range->max)) {
                return refuse_value(problem, column->name, i / width, value, range);
            }
        }
    }
    return true;
}

/* Checks names of sets: a list, or a single one, which may be empty. */
static bool check_sets(struct proto_problem *problem, const proto_column *column,
                       const proto_field *field) {
    const bool is_one = column->type == PROTO_TEXT;
    const uint32_t count = is_one ? field->text.length > 0 : field->count;

    for (uint32_t i = 0; i < count; i++) {
        const char *name = is_one ? field->text.data : field->texts[i];
        if (!proto_is_set_name(name, strlen(name))) {
            return proto_refuse_row(problem, column->name, is_one ? PROTO_NO_ROW : i,
                                    PROTO_BAD_NAME, "this is not the name of a set");
        }
    }
    return true;
}

int proto_compare_handles(const void *a, const void *b) {
    const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    return p < q ? -1 : p > q;
}

/* Checks names, and sorts names or handles in place: the reader has copied them. */
static bool sort_list(const struct proto_message *message, const proto_column *column,
                      const proto_field *field, uint64_t bytes_max) {
    const bool are_names = column->values == PROTO_NAMES;
    const void *items = are_names ? (const void *)field->texts : field->uints;

    for (uint32_t i = 0; are_names && i < field->count; i++) {
        const char *name = field->texts[i];
        if (!proto_is_id(name, strlen(name), bytes_max)) {
            return proto_refuse_row(message->problem, column->name, i, PROTO_BAD_NAME,
                                    "\"%.128s\" is not an id or group", name);
        }
    }
    const gjk_status status = gjk_sort(message->arena, (void *)(uintptr_t)items, field->count,
                                       are_names ? sizeof *field->texts : sizeof *field->uints,
                                       are_names ? proto_compare_texts : proto_compare_handles);
    return status == GJK_OK || proto_refuse_columns_status(message->problem, status);
}

bool proto_check_values(const struct proto_message *message, const proto_field *fields,
                        const proto_limits *limits) {
    bool is_fine = true;

    for (uint32_t i = 0; i < message->table->count && is_fine; i++) {
        const proto_column *column = &message->table->columns[i];
        const proto_field *field = &fields[i];
        const double value = column->type == PROTO_UINT ? field->uint : field->number;
        switch (column->values) {
        case PROTO_ANY:
        case PROTO_SHAPE:
            continue;
        case PROTO_NAMES:
        case PROTO_HANDLES:
            is_fine = sort_list(message, column, field, limits->id_bytes_max);
            continue;
        case PROTO_SETS:
            is_fine = check_sets(message->problem, column, field);
            continue;
        default:
            break;
        }
        if (column->type == PROTO_DOUBLES || column->type == PROTO_FLOATS) {
            is_fine = check_doubles(message->problem, column, field,
                                    proto_width(column, message->dimension, message->shapes));
        } else {
            const struct range *range = &ranges[column->values];
            is_fine = (value >= range->min && value <= range->max) ||
                      refuse_value(message->problem, column->name, PROTO_NO_ROW, value, range);
        }
    }
    return is_fine;
}

/* --- The whole --- */

bool proto_decode_rows(const proto_source *source, const proto_table *table, uint64_t rows_max,
                       proto_rows *rows, proto_field *fields) {
    struct proto_message message = {.table = table,
                                    .arena = source->arena,
                                    .problem = source->problem,
                                    .shapes = 1};

    if (!proto_message_scan(&message, source->body, source->set_dimension) ||
        !proto_check_lengths(&message, rows_max) ||
        !proto_message_read(&message, source->body, fields) ||
        !proto_check_values(&message, fields, source->limits)) {
        return false;
    }
    const uint32_t at_tick = proto_column_called(table, "at_tick");
    if (source->at_tick != NULL && at_tick < table->count && fields[at_tick].count == 0) {
        fields[at_tick] = *source->at_tick;
    }
    *rows = (proto_rows){.table = table,
                         .fields = fields,
                         .dimension = message.dimension,
                         .count = message.count};
    return true;
}

uint32_t proto_column_called(const proto_table *table, const char *name) {
    uint32_t i = 0;

    while (i < table->count && strcmp(table->columns[i].name, name) != 0) {
        i++;
    }
    return i;
}

const proto_field *proto_field_of(const proto_rows *rows, const char *name) {
    static const proto_field none = {0};
    const uint32_t i = proto_column_called(rows->table, name);

    return i < rows->table->count ? &rows->fields[i] : &none;
}
