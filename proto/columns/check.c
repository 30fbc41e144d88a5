/* Checks a message that has passed the scan: lengths of its columns, and their values. */

#include "columns/columns.h"

#include <float.h>
#include <stdarg.h>
#include <stdio.h>

#include "gjk/move.h"
#include "gjk/sort.h"
#include "json/number.h"
#include "json/text.h"

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
    const uint64_t rows = (length + width - 1) / width;
    const uint64_t max = rows_max < UINT32_MAX / 4 ? rows_max : UINT32_MAX / 4;

    if (rows > max) {
        return refuse_many(message, column, "rows", rows, max);
    }
    message->count = (uint32_t)rows;
    return length == rows * width || refuse_length(message, column, length, rows * width);
}

/* Checks a column's length against the number of rows. */
static bool check_length(const struct proto_message *message, uint32_t i) {
    const proto_column *column = &message->table->columns[i];
    const uint64_t length = message->lengths[i], rows = message->count;
    const uint64_t full = rows * proto_width(column, message->dimension, message->shapes);
    const bool is_one = length == 1, is_none = length == 0;

    switch (column->rule) {
    case PROTO_EACH:
        return length == full || refuse_length(message, column, length, full);
    case PROTO_SHARED:
        return length == full || is_one || refuse_length(message, column, length, full);
    case PROTO_DEFAULTED:
        return length == full || is_one || is_none || refuse_length(message, column, length, full);
    case PROTO_OPTIONAL:
        return length == full || is_none || refuse_length(message, column, length, full);
    case PROTO_ONE_OR_EACH: {
        const bool serves_all = length == proto_width(column, message->dimension, message->shapes);
        return length == full || serves_all || is_none ||
               refuse_length(message, column, length, full);
    }
    case PROTO_LIST: {
        const double max = column->otherwise > 0.0 ? column->otherwise : (double)rows;
        return (double)length <= max ||
               refuse_many(message, column, column->name, length, (uint64_t)max);
    }
    default:
        return true;
    }
}

/* Counts the rows of a message whose columns may each serve all rows by the first that does not. */
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

/* --- What values may be --- */

struct range {
    double min, max; /* finite both */
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
    enum { STRIDE = 64 }; /* numbers that are looked at without a branch */
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

/* Checks names of sets: a list of them, or a single one, which may be empty. */
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

/* Checks names, and sorts names or handles, which the reader has copied to memory of the message. */
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
        fields[at_tick] = *source->at_tick; /* that of the message around it */
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
