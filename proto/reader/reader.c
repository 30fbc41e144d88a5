/*
 * Checked readers, one for each type. Whether a value may be absent is decided by its node, once
 * for all readers.
 */

#include "reader/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reader/document.h"
#include "reader/parse.h"

const proto_range proto_any_number = {-INFINITY, INFINITY, false};
const proto_range proto_coordinate = {-GJK_COORDINATE_MAX, GJK_COORDINATE_MAX, false};
const proto_range proto_length = {0.0, GJK_COORDINATE_MAX, false};
const proto_range proto_positive_length = {0.0, GJK_COORDINATE_MAX, true};

void proto_reader_init(struct proto_reader *reader, struct proto_document *document,
                       const proto_limits *limits, struct gjk_arena *arena,
                       struct proto_problem *problem) {
    *reader = (struct proto_reader){
        .limits = limits,
        .arena = arena,
        .scratch = &document->scratch,
        .problem = problem,
    };
    proto_buffer_init(&reader->text, &document->scratch);
}

bool proto_read_stored(struct proto_reader *reader, proto_text text, proto_value *out) {
    switch (proto_parse(text, reader->scratch, out)) {
    case PROTO_PARSE_DONE:
        return true;
    case PROTO_PARSE_LATE:
        return proto_refuse_late(reader);
    default:
        return proto_refuse_memory(reader);
    }
}

bool proto_read_object(struct proto_reader *reader, const proto_node *node) {
    if (!proto_is_given(node)) {
        return !node->is_required || proto_refuse_missing(reader, node);
    }
    return node->value.type == PROTO_OBJECT || proto_refuse_type(reader, node, "an object");
}

bool proto_read_array(struct proto_reader *reader, const proto_node *node) {
    if (!proto_is_given(node)) {
        return !node->is_required || proto_refuse_missing(reader, node);
    }
    return proto_is_array(node->value) || proto_refuse_type(reader, node, "an array");
}

bool proto_read_bool(struct proto_reader *reader, proto_node node, bool *out) {
    if (!proto_is_given(&node)) {
        return !node.is_required || proto_refuse_missing(reader, &node);
    }
    if (!proto_is_bool(node.value)) {
        return proto_refuse_type(reader, &node, "true or false");
    }
    *out = node.value.type == PROTO_TRUE;
    return true;
}

static bool refuse_range(struct proto_reader *reader, const proto_node *node, proto_range range,
                         double found) {
    char min[PROTO_NUMBER_MAX], max[PROTO_NUMBER_MAX], value[PROTO_NUMBER_MAX];
    const char *at_least = range.above_min ? "greater than" : "at least";

    proto_number_text(found, value);
    proto_number_text(range.min, min);
    if (isinf(range.max)) {
        return proto_refuse(reader, node, PROTO_OUT_OF_RANGE, "must be %s %s, found %s", at_least,
                            min, value);
    }
    proto_number_text(range.max, max);
    return proto_refuse(reader, node, PROTO_OUT_OF_RANGE, "must be %s %s and at most %s, found %s",
                        at_least, min, max, value);
}

static bool is_within(double value, proto_range range) {
    return value <= range.max && (range.above_min ? value > range.min : value >= range.min);
}

bool proto_read_number(struct proto_reader *reader, proto_node node, proto_range range,
                       double *out) {
    if (!proto_is_given(&node)) {
        return !node.is_required || proto_refuse_missing(reader, &node);
    }
    if (node.value.type != PROTO_NUMBER) {
        return proto_refuse_type(reader, &node, "a number");
    }
    const double value = node.value.number;
    if (!is_within(value, range)) {
        return refuse_range(reader, &node, range, value);
    }
    *out = value;
    return true;
}

bool proto_read_integer(struct proto_reader *reader, proto_node node, uint64_t min, uint64_t max,
                        uint64_t *out) {
    double value = 0.0;

    if (!proto_is_given(&node)) {
        return !node.is_required || proto_refuse_missing(reader, &node);
    }
    if (!proto_read_number(reader, node, proto_any_number, &value)) {
        return false;
    }
    if (floor(value) != value) {
        return proto_refuse_type(reader, &node, "an integer");
    }
    if (value < (double)min || value > (double)max) {
        return refuse_range(reader, &node, (proto_range){(double)min, (double)max, false}, value);
    }
    *out = (uint64_t)value;
    return true;
}

bool proto_read_u32(struct proto_reader *reader, proto_node node, uint32_t *out) {
    uint64_t value = *out;

    if (!proto_read_integer(reader, node, 0, UINT32_MAX, &value)) {
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

bool proto_read_choice(struct proto_reader *reader, proto_node node, const char *const *texts,
                       size_t *out) {
    if (!proto_is_given(&node) && !node.is_required) {
        return true;
    }
    if (!proto_is_given(&node)) {
        proto_refuse_missing(reader, &node);
        proto_suggest(reader->problem, "values", "", texts, NULL);
        return false;
    }
    if (node.value.type != PROTO_STRING) {
        return proto_refuse_type(reader, &node, "a string");
    }
    const proto_text found = proto_text_of(node.value);
    for (size_t i = 0; texts[i] != NULL; i++) {
        if (proto_text_equals(found, texts[i], strlen(texts[i]))) {
            *out = i;
            return true;
        }
    }
    proto_refuse(reader, &node, PROTO_OUT_OF_RANGE, "\"%.*s\" is not one of the values it may have",
                 proto_shown(found, 64), found.data);
    proto_suggest_near(reader, "values", found, texts, NULL);
    return false;
}

/* Reads an array of exactly count numbers within range. */
static bool read_numbers(struct proto_reader *reader, const proto_node *node, size_t count,
                         proto_range range, double *out) {
    bool is_fine = true;

    for (size_t i = 0; i < count; i++) {
        const proto_value value = proto_value_at(node->value, i);
        out[i] = value.type == PROTO_NUMBER ? value.number : 0.0;
        if (value.type != PROTO_NUMBER || !is_within(out[i], range)) {
            is_fine = proto_read_number(reader, proto_item(node, i), range, &out[i]) && is_fine;
        }
    }
    return is_fine;
}

static bool check_length(struct proto_reader *reader, const proto_node *node, size_t count) {
    size_t found = proto_array_size(node->value);

    return found == count ||
           proto_refuse(reader, node, PROTO_WRONG_TYPE,
                        "expected an array of %zu numbers, found %zu", count, found);
}

static bool are_within(const double *numbers, size_t count, proto_range range, bool may_be_null) {
    for (size_t i = 0; i < count; i++) {
        if (!is_within(numbers[i], range) && !(may_be_null && isnan(numbers[i]))) {
            return false; /* a NaN, which is a null, is not within */
        }
    }
    return true;
}

const double *proto_packed_numbers(proto_value array, proto_range range, bool may_be_null) {
    const bool are_packed =
        array.type == PROTO_NUMBERS && are_within(array.numbers, array.count, range, may_be_null);
    return are_packed ? array.numbers : NULL;
}

const double *proto_packed_rows(proto_value array, uint32_t columns, proto_range range) {
    const bool are_packed = array.type == PROTO_ROWS && array.columns == columns &&
                            are_within(array.numbers, (size_t)array.count * columns, range, false);
    return are_packed ? array.numbers : NULL;
}

bool proto_read_vector(struct proto_reader *reader, proto_node node, uint32_t dimension,
                       proto_range range, gjk_vec3 *out) {
    double numbers[3] = {0.0, 0.0, 0.0};

    if (!proto_is_array(node.value)) {
        return proto_read_array(reader, &node);
    }
    if (proto_array_size(node.value) == 5 - dimension) {
        return proto_refuse(reader, &node, PROTO_DIMENSION_MISMATCH,
                            "a vector has %u numbers in %uD, found %u", dimension, dimension,
                            5 - dimension);
    }
    if (!check_length(reader, &node, dimension) ||
        !read_numbers(reader, &node, dimension, range, numbers)) {
        return false;
    }
    *out = gjk_vec3_make(numbers[0], numbers[1], numbers[2]);
    return true;
}

bool proto_read_quaternion(struct proto_reader *reader, proto_node node, gjk_quat *out) {
    double numbers[4];

    if (!proto_is_array(node.value)) {
        return proto_read_array(reader, &node);
    }
    if (!check_length(reader, &node, 4) ||
        !read_numbers(reader, &node, 4, proto_any_number, numbers)) {
        return false;
    }
    *out = (gjk_quat){numbers[0], numbers[1], numbers[2], numbers[3]};
    return true;
}

bool proto_copy_id(struct proto_reader *reader, const proto_node *at, proto_text text,
                   const char **out) {
    if (!proto_is_id(text.data, text.length, reader->limits->id_bytes_max)) {
        proto_refuse(reader, at, PROTO_BAD_NAME, "\"%.*s\" is not an id or group",
                     proto_shown(text, 128), text.data);
        if (text.length > reader->limits->id_bytes_max) {
            proto_problem_limit(reader->problem, reader->limits->id_bytes_max);
        }
        return proto_problem_hint(reader->problem,
                                  "1 to %llu characters of [A-Za-z0-9._~:@/-], with no segment "
                                  "between slashes empty, \".\" or \"..\"",
                                  (unsigned long long)reader->limits->id_bytes_max);
    }
    *out = gjk_arena_copy_text(reader->arena, text.data, text.length);
    return *out != NULL || proto_refuse_memory(reader);
}

bool proto_read_id(struct proto_reader *reader, proto_node node, const char **out) {
    if (!proto_is_given(&node)) {
        return !node.is_required || proto_refuse_missing(reader, &node);
    }
    if (node.value.type != PROTO_STRING) {
        return proto_refuse_type(reader, &node, "a string");
    }
    return proto_copy_id(reader, &node, proto_text_of(node.value), out);
}
