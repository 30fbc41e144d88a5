/*
 * Checked readers, one for each type. Whether a value may be absent is decided by its node, once
 * for all readers.
 */

#include "reader/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reader/document.h"

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

bool proto_read_object(struct proto_reader *reader, const proto_node *node) {
    if (node->json == NULL) {
        return !node->is_required || proto_refuse_missing(reader, node);
    }
    return json_is_object(node->json) || proto_refuse_type(reader, node, "an object");
}

bool proto_read_array(struct proto_reader *reader, const proto_node *node) {
    if (node->json == NULL) {
        return !node->is_required || proto_refuse_missing(reader, node);
    }
    return json_is_array(node->json) || proto_refuse_type(reader, node, "an array");
}

bool proto_read_bool(struct proto_reader *reader, proto_node node, bool *out) {
    if (node.json == NULL) {
        return !node.is_required || proto_refuse_missing(reader, &node);
    }
    if (!json_is_boolean(node.json)) {
        return proto_refuse_type(reader, &node, "true or false");
    }
    *out = json_is_true(node.json);
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
    if (node.json == NULL) {
        return !node.is_required || proto_refuse_missing(reader, &node);
    }
    if (!json_is_number(node.json)) {
        return proto_refuse_type(reader, &node, "a number");
    }
    double value = json_number_value(node.json);
    if (!is_within(value, range)) {
        return refuse_range(reader, &node, range, value);
    }
    *out = value;
    return true;
}

bool proto_read_integer(struct proto_reader *reader, proto_node node, uint64_t min, uint64_t max,
                        uint64_t *out) {
    double value = 0.0;

    if (node.json == NULL) {
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
    if (node.json == NULL && !node.is_required) {
        return true;
    }
    if (node.json == NULL) {
        proto_refuse_missing(reader, &node);
        proto_suggest(reader->problem, "values", "", texts, NULL);
        return false;
    }
    if (!json_is_string(node.json)) {
        return proto_refuse_type(reader, &node, "a string");
    }
    const char *found = json_string_value(node.json);
    for (size_t i = 0; texts[i] != NULL; i++) {
        if (strlen(texts[i]) == json_string_length(node.json) && strcmp(found, texts[i]) == 0) {
            *out = i;
            return true;
        }
    }
    proto_refuse(reader, &node, PROTO_OUT_OF_RANGE,
                 "\"%.64s\" is not one of the values it may have", found);
    proto_suggest(reader->problem, "values", found, texts, NULL);
    return false;
}

/* Reads an array of exactly count numbers within range. */
static bool read_numbers(struct proto_reader *reader, const proto_node *node, size_t count,
                         proto_range range, double *out) {
    bool is_fine = true;

    for (size_t i = 0; i < count; i++) {
        const json_t *json = json_array_get(node->json, i);
        out[i] = json_number_value(json); /* 0 where it is none */
        if (!json_is_number(json) || !is_within(out[i], range)) {
            is_fine = proto_read_number(reader, proto_item(node, i), range, &out[i]) && is_fine;
        }
    }
    return is_fine;
}

static bool check_length(struct proto_reader *reader, const proto_node *node, size_t count) {
    size_t found = json_array_size(node->json);

    return found == count ||
           proto_refuse(reader, node, PROTO_WRONG_TYPE,
                        "expected an array of %zu numbers, found %zu", count, found);
}

bool proto_read_vector(struct proto_reader *reader, proto_node node, uint32_t dimension,
                       proto_range range, gjk_vec3 *out) {
    double numbers[3] = {0.0, 0.0, 0.0};

    if (node.json == NULL || !json_is_array(node.json)) {
        return proto_read_array(reader, &node);
    }
    if (json_array_size(node.json) == 5 - dimension) {
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

    if (node.json == NULL || !json_is_array(node.json)) {
        return proto_read_array(reader, &node);
    }
    if (!check_length(reader, &node, 4) ||
        !read_numbers(reader, &node, 4, proto_any_number, numbers)) {
        return false;
    }
    *out = (gjk_quat){numbers[0], numbers[1], numbers[2], numbers[3]};
    return true;
}

bool proto_copy_id(struct proto_reader *reader, const proto_node *at, const char *text,
                   size_t length, const char **out) {
    if (!proto_is_id(text, length, reader->limits->id_bytes_max)) {
        proto_refuse(reader, at, PROTO_BAD_NAME, "\"%.128s\" is not an id or group", text);
        if (length > reader->limits->id_bytes_max) {
            proto_problem_limit(reader->problem, reader->limits->id_bytes_max);
        }
        return proto_problem_hint(reader->problem,
                                  "1 to %llu characters of [A-Za-z0-9._~:@/-], with no segment "
                                  "between slashes empty, \".\" or \"..\"",
                                  (unsigned long long)reader->limits->id_bytes_max);
    }
    *out = gjk_arena_copy_text(reader->arena, text, length);
    return *out != NULL || proto_refuse_memory(reader);
}

bool proto_read_id(struct proto_reader *reader, proto_node node, const char **out) {
    if (node.json == NULL) {
        return !node.is_required || proto_refuse_missing(reader, &node);
    }
    if (!json_is_string(node.json)) {
        return proto_refuse_type(reader, &node, "a string");
    }
    return proto_copy_id(reader, &node, json_string_value(node.json), json_string_length(node.json),
                         out);
}
