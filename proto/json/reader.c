/*
 * Opens a body and reads it with checks. Every refusal has a code, a pointer, and a detail that says
 * what was expected and what was found. Decoding goes on after a mistake, so that a client learns of
 * all mistakes at once; what only follows from a mistake already told is left out.
 */

#include "json/reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "json/number.h"
#include "json/parse.h"
#include "json/text.h"

/* --- The body --- */

/* Memory that a document gets from its caller's arena, which is enough for most. */
#define DOCUMENT_BYTES_A_BYTE 8
#define DOCUMENT_LENT_MAX 65536

/* The bytes left of the caller's limit; 0 means no limit, as in gjk_arena_init. */
static size_t bytes_left(const struct gjk_arena *caller) {
    if (caller->limit_bytes == 0) {
        return 0;
    }
    return caller->limit_bytes > caller->used_bytes ? caller->limit_bytes - caller->used_bytes : 1;
}

/*
 * Takes the first block of a document from the caller's arena, whose memory is reused from one request
 * to the next.
 */
static void init_scratch(struct proto_document *document, size_t body_bytes,
                         struct gjk_arena *caller) {
    const size_t limit = bytes_left(caller);
    const size_t wanted = 128 + DOCUMENT_BYTES_A_BYTE * body_bytes;
    const size_t size = wanted < DOCUMENT_LENT_MAX ? wanted : DOCUMENT_LENT_MAX;
    void *block = gjk_arena_alloc(caller, size);

    if (block != NULL) {
        gjk_arena_init_in(&document->scratch, limit, block, size);
    } else {
        gjk_arena_init(&document->scratch, limit);
    }
    gjk_arena_charge(&document->scratch, caller->account);
    gjk_arena_set_budget(&document->scratch, caller->budget);
}

bool proto_document_open(struct proto_document *document, proto_text body, struct gjk_arena *caller,
                         struct proto_problem *problem) {
    init_scratch(document, body.length, caller);
    if (proto_parse(body, &document->scratch, &document->root, problem)) {
        return true;
    }
    proto_document_close(document);
    return false;
}

void proto_document_close(struct proto_document *document) {
    gjk_arena_fini(&document->scratch);
}

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
    struct proto_problem problem = {0};

    if (proto_parse(text, reader->scratch, out, &problem)) {
        return true;
    }
    return problem.code == PROTO_DEADLINE_EXCEEDED ? proto_refuse_late(reader)
                                                   : proto_refuse_memory(reader);
}

/* --- Nodes --- */

proto_node proto_root(proto_value value) {
    return (proto_node){.value = value, .is_required = true};
}

proto_node proto_member(const proto_node *object, size_t i) {
    const proto_text name = proto_name_at(object->value, i);

    return (proto_node){.parent = object,
                        .name = name.data,
                        .name_length = (uint32_t)name.length,
                        .value = proto_member_value(object->value, i),
                        .is_required = true};
}

proto_node proto_item(const proto_node *array, size_t index) {
    return (proto_node){.parent = array,
                        .index = (uint32_t)index,
                        .value = proto_value_at(array->value, index),
                        .is_required = true};
}

/* --- The JSON pointer (RFC 6901) of a node, with ~ written ~0 and / written ~1 --- */

struct pointer {
    char *text;
    size_t length, size;
    bool is_full; /* a step did not fit: nothing more may follow */
};

static void put_char(struct pointer *pointer, char c) {
    if (pointer->length + 1 >= pointer->size) {
        pointer->is_full = true;
    }
    if (!pointer->is_full) {
        pointer->text[pointer->length++] = c;
    }
}

static void put_step(struct pointer *pointer, const char *step, size_t length) {
    size_t start = pointer->length;

    if (start + length + 1 < pointer->size && memchr(step, '~', length) == NULL &&
        memchr(step, '/', length) == NULL) { /* nearly always */
        pointer->text[start] = '/';
        memcpy(pointer->text + start + 1, step, length);
        pointer->length += length + 1;
        return;
    }
    put_char(pointer, '/');
    for (const char *end = step + length; step < end; step++) {
        bool is_special = *step == '~' || *step == '/';
        put_char(pointer, is_special ? '~' : *step);
        if (is_special) {
            put_char(pointer, *step == '~' ? '0' : '1');
        }
    }
    if (pointer->is_full) {
        pointer->length = start;
    }
}

static void put_node(struct pointer *pointer, const proto_node *node) {
    char index[PROTO_NUMBER_MAX];

    if (node->parent == NULL) {
        return;
    }
    put_node(pointer, node->parent);
    if (pointer->is_full) {
        return;
    }
    if (node->name != NULL) {
        put_step(pointer, node->name, node->name_length);
    } else {
        put_step(pointer, index, proto_integer_text(node->index, index));
    }
}

void proto_pointer_text(const proto_node *node, char *text, size_t size) {
    struct pointer pointer = {.text = text, .size = size};

    put_node(&pointer, node);
    text[pointer.length] = '\0';
}

/* --- Refusals --- */

#define SUGGESTED_FOR_MAX 64 /* bytes of a name */

/* Steps of an item of a list. */
#define ITEM_STEPS 8

static bool looks_for_more(const struct proto_reader *reader) {
    return reader->error_count < PROTO_ERRORS_MAX;
}

bool proto_may_go_on(struct proto_reader *reader) {
    return gjk_budget_spend(reader->arena->budget, ITEM_STEPS) ? proto_refuse_late(reader)
                                                               : looks_for_more(reader);
}

/* The mistake with that number, from 0 on. */
static proto_error told(const struct proto_reader *reader, uint32_t i) {
    const struct proto_problem *problem = reader->problem;

    return i > 0 ? problem->more[i - 1]
                 : (proto_error){problem->code, problem->pointer, problem->detail};
}

static bool is_told(const struct proto_reader *reader, const char *pointer) {
    for (uint32_t i = 0; i < reader->error_count; i++) {
        if (strcmp(told(reader, i).pointer, pointer) == 0) {
            return true;
        }
    }
    return false;
}

/* Adds what was found to the problem that is there already. */
static bool add(struct proto_reader *reader, const struct proto_problem *found) {
    struct gjk_arena *arena = reader->arena;
    struct proto_problem *problem = reader->problem;

    problem->is_settled = true;
    if (is_told(reader, found->pointer)) {
        return false;
    }
    if (reader->more == NULL) {
        reader->more = gjk_arena_alloc_array(arena, PROTO_ERRORS_MAX - 1, sizeof *reader->more);
    }
    const char *pointer = gjk_arena_copy_text(arena, found->pointer, strlen(found->pointer));
    const char *detail = gjk_arena_copy_text(arena, found->detail, strlen(found->detail));
    if (reader->more == NULL || pointer == NULL || detail == NULL) {
        return proto_refuse_memory(reader);
    }
    reader->more[problem->more_count++] = (proto_error){found->code, pointer, detail};
    problem->more = reader->more;
    reader->error_count++;
    return false;
}

bool proto_refuse(struct proto_reader *reader, const proto_node *at, proto_code code,
                  const char *format, ...) {
    char pointer[PROTO_POINTER_MAX];
    char detail[PROTO_DETAIL_MAX];
    struct proto_problem found;
    va_list arguments;

    if (!looks_for_more(reader)) {
        return false;
    }
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    proto_problem_set(&found, code, "%s", detail);
    proto_pointer_text(at, pointer, sizeof pointer);
    proto_problem_point(&found, pointer);
    if (reader->error_count > 0) {
        return add(reader, &found);
    }
    *reader->problem = found;
    reader->error_count = 1;
    return false;
}

/* Describes the value in words, with the number itself where there is one. */
static void describe(proto_value value, char *text, size_t size) {
    static const char *const words[] = {
        [PROTO_ABSENT] = "nothing",   [PROTO_NULL] = "null",          [PROTO_FALSE] = "false",
        [PROTO_TRUE] = "true",        [PROTO_NUMBER] = "the number ", [PROTO_STRING] = "a string",
        [PROTO_OBJECT] = "an object", [PROTO_ARRAY] = "an array",     [PROTO_NUMBERS] = "an array",
        [PROTO_ROWS] = "an array",
    };
    char number[PROTO_NUMBER_MAX] = "";

    if (value.type == PROTO_NUMBER) {
        proto_number_text(value.number, number);
    }
    snprintf(text, size, "%s%s", words[value.type], number);
}

bool proto_refuse_type(struct proto_reader *reader, const proto_node *at, const char *expected) {
    char found[64];

    describe(at->value, found, sizeof found);
    return proto_refuse(reader, at, PROTO_WRONG_TYPE, "expected %s, found %s", expected, found);
}

/* Returns true if an unknown member with nearly the same name was refused in the same object. */
static bool is_misspelt(const struct proto_reader *reader, const proto_node *missing) {
    const char *const names[] = {missing->name, NULL};
    char parent[PROTO_POINTER_MAX];

    if (missing->parent == NULL) {
        return false;
    }
    proto_pointer_text(missing->parent, parent, sizeof parent);
    const size_t length = strlen(parent);
    for (uint32_t i = 0; i < reader->error_count; i++) {
        const proto_error error = told(reader, i);
        if (error.code == PROTO_UNKNOWN_MEMBER && strncmp(error.pointer, parent, length) == 0 &&
            strrchr(error.pointer, '/') == error.pointer + length &&
            proto_nearest_name(error.pointer + length + 1, names) != NULL) {
            return true;
        }
    }
    return false;
}

bool proto_refuse_missing(struct proto_reader *reader, const proto_node *at) {
    if (!looks_for_more(reader)) {
        return false;
    }
    if (is_misspelt(reader, at)) {
        reader->problem->is_settled = true;
        return false;
    }
    return proto_refuse(reader, at, PROTO_MISSING_MEMBER, "the member \"%s\" is required",
                        at->name != NULL ? at->name : "");
}

bool proto_refuse_memory(struct proto_reader *reader) {
    reader->error_count = PROTO_ERRORS_MAX;
    proto_problem_set(reader->problem, PROTO_OUT_OF_MEMORY,
                      "the request needs more memory than there is");
    reader->problem->is_settled = true;
    return false;
}

bool proto_refuse_late(struct proto_reader *reader) {
    reader->error_count = PROTO_ERRORS_MAX;
    proto_problem_set(reader->problem, PROTO_DEADLINE_EXCEEDED,
                      "time was up before all of it was read");
    reader->problem->is_settled = true;
    return false;
}

bool proto_refuse_many(struct proto_reader *reader, const proto_node *at, const char *what,
                       uint64_t found, uint64_t limit) {
    proto_refuse(reader, at, PROTO_TOO_MANY, "%llu %s, at most %llu are allowed",
                 (unsigned long long)found, what, (unsigned long long)limit);
    return proto_problem_limit(reader->problem, limit);
}

proto_code proto_code_of(gjk_status status) {
    switch (status) {
    case GJK_NOT_FINITE:
        return PROTO_NOT_FINITE;
    case GJK_TOO_MANY_POINTS:
        return PROTO_TOO_MANY;
    case GJK_NOT_CONVEX:
        return PROTO_NOT_CONVEX;
    case GJK_NOT_CLOSED:
        return PROTO_NOT_CLOSED;
    case GJK_NOT_SIMPLE:
        return PROTO_NOT_SIMPLE;
    case GJK_BAD_ORIENTATION:
        return PROTO_BAD_ORIENTATION;
    case GJK_ZERO_DIRECTION:
        return PROTO_ZERO_DIRECTION;
    case GJK_OUT_OF_RANGE:
    case GJK_BAD_INDEX:
    case GJK_TOO_FEW_POINTS:
        return PROTO_OUT_OF_RANGE;
    case GJK_OUT_OF_MEMORY:
        return PROTO_OUT_OF_MEMORY;
    case GJK_GIVEN_UP:
        return PROTO_DEADLINE_EXCEEDED;
    case GJK_OK:
    case GJK_DUPLICATE_ID:
        break;
    }
    return PROTO_INTERNAL;
}

bool proto_refuse_status(struct proto_reader *reader, const proto_node *at, gjk_status status) {
    if (status == GJK_OUT_OF_MEMORY) {
        return proto_refuse_memory(reader);
    }
    if (status == GJK_GIVEN_UP) {
        return proto_refuse_late(reader);
    }
    return proto_refuse(reader, at, proto_code_of(status), "%s", gjk_status_text(status));
}

void proto_suggest_near(struct proto_reader *reader, const char *what, proto_text name,
                        const char *const *known, const char *const *more) {
    char text[SUGGESTED_FOR_MAX + 1]; /* what is longer is near to nothing */

    snprintf(text, sizeof text, "%.*s", proto_shown(name, SUGGESTED_FOR_MAX), name.data);
    proto_suggest(reader->problem, what, text, known, more);
}

static bool is_listed(proto_text name, const char *const *list) {
    if (list == NULL || name.length == 0) {
        return false;
    }
    for (; *list != NULL; list++) {
        if (**list == *name.data && strncmp(*list, name.data, name.length) == 0 &&
            (*list)[name.length] == '\0') {
            return true;
        }
    }
    return false;
}

bool proto_check_members(struct proto_reader *reader, const proto_node *object,
                         const char *const *known, const char *const *more) {
    bool is_fine = true;

    for (size_t i = 0; i < proto_object_size(object->value); i++) {
        const proto_text name = proto_name_at(object->value, i);
        if (is_listed(name, known) || is_listed(name, more)) {
            continue;
        }
        const proto_node member = proto_member(object, i);
        is_fine = proto_refuse(reader, &member, PROTO_UNKNOWN_MEMBER,
                               "the member \"%.*s\" is not known here", proto_shown(name, 128),
                               name.data);
        proto_suggest_near(reader, "members", name, known, more);
        if (!proto_may_go_on(reader)) {
            break;
        }
    }
    return is_fine;
}

/* --- Readers, one for each type --- */

const proto_range proto_any_number = {-INFINITY, INFINITY, false};
const proto_range proto_coordinate = {-GJK_COORDINATE_MAX, GJK_COORDINATE_MAX, false};
const proto_range proto_length = {0.0, GJK_COORDINATE_MAX, false};
const proto_range proto_positive_length = {0.0, GJK_COORDINATE_MAX, true};

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
