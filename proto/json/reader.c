/*
 * Checked reading of a body. Every refusal has a code, a pointer, and a detail that says what was
 * expected and what was found. Decoding continues after a mistake, so that the client gets all
 * mistakes at once, except for those that only follow from others.
 */

#include "json/reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "json/number.h"
#include "json/parse.h"

/* --- The body --- */

/* Size of the first block of the reader's own arena, taken from the caller's: 8 bytes per byte of
 * the body, at most 64 KiB. It suffices for most bodies. */
#define BYTES_A_BYTE 8
#define LENT_BYTES_MAX 65536

void proto_reader_init(struct proto_reader *reader, const proto_limits *limits,
                       struct gjk_arena *arena) {
    *reader = (struct proto_reader){.limits = limits, .arena = arena, .scratch = arena};
    proto_buffer_init(&reader->text, arena);
}

bool proto_reader_open(struct proto_reader *reader, proto_text body, const proto_limits *limits,
                       struct gjk_arena *arena, struct proto_problem *problem) {
    /* Bytes left of the arena's limit; 0 means no limit, as in gjk_arena_init. */
    const size_t left = arena->limit_bytes == 0 ? 0
                        : arena->limit_bytes > arena->used_bytes
                            ? arena->limit_bytes - arena->used_bytes
                            : 1;
    const size_t wanted = 128 + BYTES_A_BYTE * body.length;
    const size_t size = wanted < LENT_BYTES_MAX ? wanted : LENT_BYTES_MAX;
    void *block = gjk_arena_alloc(arena, size);

    proto_reader_init(reader, limits, arena);
    if (block != NULL) {
        gjk_arena_init_in(&reader->own, left, block, size);
    } else {
        gjk_arena_init(&reader->own, left);
    }
    gjk_arena_charge(&reader->own, arena->account);
    gjk_arena_set_budget(&reader->own, arena->budget);
    reader->scratch = reader->text.arena = &reader->own;
    if (proto_parse(body, &reader->own, &reader->root, problem)) {
        return true;
    }
    proto_reader_close(reader);
    return false;
}

void proto_reader_close(struct proto_reader *reader) {
    gjk_arena_fini(&reader->own);
}

static bool finish_fatally(proto_code code, struct proto_problem *problem) {
    return proto_problem_set(problem, code, "%s",
                             code == PROTO_OUT_OF_MEMORY
                                 ? "the request needs more memory than there is"
                                 : "time was up before all of it was read");
}

bool proto_reader_finish(const struct proto_reader *reader, struct proto_problem *problem) {
    const proto_mistake *first = reader->mistakes;

    if (reader->fatal != PROTO_OK || reader->mistake_count == 0) {
        return reader->fatal == PROTO_OK || finish_fatally(reader->fatal, problem);
    }
    proto_error *more = gjk_arena_alloc_array(reader->arena, reader->mistake_count, sizeof *more);
    if (more == NULL) {
        return finish_fatally(PROTO_OUT_OF_MEMORY, problem);
    }
    proto_problem_set(problem, first->code, "%s", first->detail);
    proto_problem_point(problem, first->pointer);
    proto_problem_hint(problem, "%s", first->hint);
    if (first->has_limit) {
        proto_problem_limit(problem, first->limit);
    }
    for (uint32_t i = 1; i < reader->mistake_count; i++) {
        const proto_mistake *mistake = &reader->mistakes[i];
        more[i - 1] = (proto_error){mistake->code, mistake->pointer, mistake->detail};
    }
    problem->more = more;
    problem->more_count = reader->mistake_count - 1;
    return false;
}

static bool refuse_fatally(struct proto_reader *reader, proto_code code) {
    reader->refused++;
    reader->last = NULL;
    reader->fatal = code;
    return false;
}

bool proto_refuse_memory(struct proto_reader *reader) {
    return refuse_fatally(reader, PROTO_OUT_OF_MEMORY);
}

static bool refuse_deadline(struct proto_reader *reader) {
    return refuse_fatally(reader, PROTO_DEADLINE_EXCEEDED);
}

bool proto_read_stored(struct proto_reader *reader, proto_text text, proto_value *out) {
    struct proto_problem problem = {0};

    if (proto_parse(text, reader->scratch, out, &problem)) {
        return true;
    }
    return problem.code == PROTO_DEADLINE_EXCEEDED ? refuse_deadline(reader)
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
    bool is_full; /* a segment did not fit; the following ones are dropped too */
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
    const size_t start = pointer->length;

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

bool proto_copy_pointer(struct proto_reader *reader, const proto_node *node, const char **out) {
    char text[PROTO_POINTER_MAX];

    proto_pointer_text(node, text, sizeof text);
    *out = gjk_arena_copy_text(reader->arena, text, strlen(text));
    return *out != NULL || proto_refuse_memory(reader);
}

/* --- Refusals --- */

#define ITEM_STEPS 8         /* charge of a list's item to the budget */
#define SUGGESTED_FOR_MAX 64 /* bytes of a name; longer ones resemble no known name */

static bool may_keep_more(const struct proto_reader *reader) {
    return reader->fatal == PROTO_OK && reader->mistake_count < PROTO_ERRORS_MAX;
}

bool proto_may_go_on(struct proto_reader *reader) {
    return gjk_budget_spend(reader->arena->budget, ITEM_STEPS) ? refuse_deadline(reader)
                                                               : may_keep_more(reader);
}

/* Inserts a mistake at that index of the list; a full list loses its last one. Drops a mistake
 * at a place that has one already. Returns false. */
static bool insert_mistake(struct proto_reader *reader, uint32_t index, const proto_node *at,
                           proto_code code, const char *detail) {
    proto_mistake mistake = {.code = code, .hint = ""};
    struct proto_problem clean; /* proto_problem_set truncates the detail at a character boundary */

    if (reader->mistakes == NULL) {
        reader->mistakes =
            gjk_arena_alloc_array(reader->arena, PROTO_ERRORS_MAX, sizeof *reader->mistakes);
    }
    proto_problem_set(&clean, code, "%s", detail);
    mistake.detail = gjk_arena_copy_text(reader->arena, clean.detail, strlen(clean.detail));
    if (!proto_copy_pointer(reader, at, &mistake.pointer) || reader->mistakes == NULL ||
        mistake.detail == NULL) {
        return proto_refuse_memory(reader);
    }
    for (uint32_t i = 0; i < reader->mistake_count; i++) {
        if (strcmp(reader->mistakes[i].pointer, mistake.pointer) == 0) {
            return false;
        }
    }
    if (reader->mistake_count < PROTO_ERRORS_MAX) {
        reader->mistake_count++;
    }
    reader->last = &reader->mistakes[index];
    memmove(reader->last + 1, reader->last,
            (reader->mistake_count - 1 - index) * sizeof *reader->mistakes);
    *reader->last = mistake;
    return false;
}

bool proto_refuse(struct proto_reader *reader, const proto_node *at, proto_code code,
                  const char *format, ...) {
    char detail[PROTO_DETAIL_MAX];
    va_list arguments;

    reader->refused++;
    reader->last = NULL;
    if (reader->is_muted || !may_keep_more(reader)) {
        return false;
    }
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    return insert_mistake(reader, reader->mistake_count, at, code, detail);
}

bool proto_refuse_type(struct proto_reader *reader, const proto_node *at, const char *expected) {
    static const char *const words[] = {
        [PROTO_ABSENT] = "nothing",   [PROTO_NULL] = "null",          [PROTO_FALSE] = "false",
        [PROTO_TRUE] = "true",        [PROTO_NUMBER] = "the number ", [PROTO_STRING] = "a string",
        [PROTO_OBJECT] = "an object", [PROTO_ARRAY] = "an array",     [PROTO_NUMBERS] = "an array",
        [PROTO_ROWS] = "an array",    [PROTO_INTEGERS] = "an array",
    };
    char number[PROTO_NUMBER_MAX] = "";

    if (at->value.type == PROTO_NUMBER) {
        proto_number_text(at->value.number, number);
    }
    return proto_refuse(reader, at, PROTO_WRONG_TYPE, "expected %s, found %s%s", expected,
                        words[at->value.type], number);
}

bool proto_refuse_missing(struct proto_reader *reader, const proto_node *at) {
    return proto_refuse(reader, at, PROTO_MISSING_MEMBER, "the member \"%s\" is required",
                        at->name != NULL ? at->name : "");
}

bool proto_refuse_many(struct proto_reader *reader, const proto_node *at, const char *what,
                       uint64_t found, uint64_t limit) {
    proto_refuse(reader, at, PROTO_TOO_MANY, "%llu %s, at most %llu are allowed",
                 (unsigned long long)found, what, (unsigned long long)limit);
    return proto_hint_limit(reader, limit);
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
    const proto_code code = proto_code_of(status);

    return status == GJK_OUT_OF_MEMORY || status == GJK_GIVEN_UP
               ? refuse_fatally(reader, code)
               : proto_refuse(reader, at, code, "%s", gjk_status_text(status));
}

bool proto_hint(struct proto_reader *reader, const char *format, ...) {
    char hint[PROTO_HINT_MAX];
    va_list arguments;

    if (reader->last == NULL) {
        return false;
    }
    va_start(arguments, format);
    vsnprintf(hint, sizeof hint, format, arguments);
    va_end(arguments);
    reader->last->hint = gjk_arena_copy_text(reader->arena, hint, strlen(hint));
    return reader->last->hint != NULL ? false : proto_refuse_memory(reader);
}

bool proto_hint_limit(struct proto_reader *reader, uint64_t limit) {
    if (reader->last != NULL) {
        reader->last->limit = limit;
        reader->last->has_limit = true;
    }
    return false;
}

bool proto_hint_names(struct proto_reader *reader, const char *what, proto_text name,
                      const char *const *known) {
    struct proto_problem problem = {0};
    char text[SUGGESTED_FOR_MAX + 1];

    if (reader->last == NULL) {
        return false;
    }
    snprintf(text, sizeof text, "%.*s", proto_shown(name, SUGGESTED_FOR_MAX), name.data);
    proto_suggest(&problem, what, text, known);
    return proto_hint(reader, "%s", problem.hint);
}

/* --- Objects --- */

bool proto_object_open(struct proto_reader *reader, const proto_node *node, proto_object *object) {
    if (!proto_read_object(reader, node) || !proto_is_given(node)) {
        return false;
    }
    object->node = *node;
    object->read = 0;
    object->asked_count = 0;
    object->mistake_count = reader->mistake_count;
    return true;
}

static bool is_asked(const proto_object *object, proto_text name) {
    for (uint32_t i = 0; i < object->asked_count; i++) {
        if (proto_text_equals(name, object->asked[i], strlen(object->asked[i]))) {
            return true;
        }
    }
    return false;
}

/* Drops mistakes, from index `from` on, about missing members of the object of which the unknown
 * member `name` is probably a misspelling. */
static void drop_missing(struct proto_reader *reader, const proto_node *object, uint32_t from,
                         const char *name) {
    char parent[PROTO_POINTER_MAX];

    proto_pointer_text(object, parent, sizeof parent);
    const size_t length = strlen(parent);
    for (uint32_t i = from; i < reader->mistake_count; i++) {
        proto_mistake *mistake = &reader->mistakes[i];
        const char *const names[] = {mistake->pointer + length + 1, NULL};
        if (mistake->code == PROTO_MISSING_MEMBER &&
            strncmp(mistake->pointer, parent, length) == 0 &&
            strrchr(mistake->pointer, '/') == mistake->pointer + length &&
            proto_nearest_name(name, names) != NULL) {
            reader->mistake_count--;
            memmove(mistake, mistake + 1, (reader->mistake_count - i) * sizeof *mistake);
            i--;
        }
    }
}

void proto_object_close(struct proto_reader *reader, proto_object *object) {
    const size_t count = object->node.value.count;
    uint32_t index = object->mistake_count;

    if ((count <= 64 && object->read == (count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1)) ||
        reader->is_muted) {
        return;
    }
    uint32_t asked = 0; /* number of distinct names */
    for (uint32_t i = 0, k; i < object->asked_count; i++) {
        for (k = 0; k < asked && strcmp(object->asked[k], object->asked[i]) != 0; k++) {
        }
        object->asked[asked] = object->asked[i];
        asked += k == asked;
    }
    object->asked_count = asked;
    object->asked[asked] = NULL;
    for (size_t i = 0; i < count && index < PROTO_ERRORS_MAX && reader->fatal == PROTO_OK; i++) {
        const proto_node member = proto_member(&object->node, i);
        const proto_text name = {member.name, member.name_length};
        char detail[PROTO_DETAIL_MAX], copy[SUGGESTED_FOR_MAX + 1];
        if (is_asked(object, name)) {
            continue;
        }
        reader->refused++;
        reader->last = NULL;
        snprintf(detail, sizeof detail, "the member \"%.*s\" is not known here",
                 proto_shown(name, 128), name.data);
        insert_mistake(reader, index, &member, PROTO_UNKNOWN_MEMBER, detail);
        if (reader->last != NULL) {
            index++;
            proto_hint_names(reader, "members", name, object->asked);
            snprintf(copy, sizeof copy, "%.*s", proto_shown(name, SUGGESTED_FOR_MAX), name.data);
            drop_missing(reader, &object->node, index, copy);
        }
    }
    reader->last = NULL;
}

/* --- Readers, one for each type --- */

const proto_range proto_any_number = {-INFINITY, INFINITY, false};
const proto_range proto_not_negative = {0.0, INFINITY, false};
const proto_range proto_coordinate = {-GJK_COORDINATE_MAX, GJK_COORDINATE_MAX, false};
const proto_range proto_length = {0.0, GJK_COORDINATE_MAX, false};
const proto_range proto_positive_length = {0.0, GJK_COORDINATE_MAX, true};

bool proto_check_type(struct proto_reader *reader, const proto_node *node, bool is_right,
                      const char *expected) {
    if (!proto_is_given(node)) {
        return !node->is_required || proto_refuse_missing(reader, node);
    }
    return is_right || proto_refuse_type(reader, node, expected);
}

bool proto_read_object(struct proto_reader *reader, const proto_node *node) {
    return proto_check_type(reader, node, node->value.type == PROTO_OBJECT, "an object");
}

bool proto_read_array(struct proto_reader *reader, const proto_node *node) {
    return proto_check_type(reader, node, proto_is_array(node->value), "an array");
}

bool proto_read_bool(struct proto_reader *reader, proto_node node, bool *out) {
    if (!proto_check_type(reader, &node, proto_is_bool(node.value), "true or false")) {
        return false;
    }
    *out = proto_is_given(&node) ? node.value.type == PROTO_TRUE : *out;
    return true;
}

static bool refuse_range(struct proto_reader *reader, const proto_node *node, proto_range range,
                         double found) {
    char min[PROTO_NUMBER_MAX], max[PROTO_NUMBER_MAX], value[PROTO_NUMBER_MAX];
    const char *at_least = range.above_min ? "greater than" : "at least";

    if (!isfinite(found)) { /* from a column message; JSON has no such number */
        return proto_refuse(reader, node, PROTO_NOT_FINITE, "a number is not finite");
    }
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
    if (node.value.type != PROTO_NUMBER) {
        return proto_check_type(reader, &node, false, "a number");
    }
    if (!is_within(node.value.number, range)) {
        return refuse_range(reader, &node, range, node.value.number);
    }
    *out = node.value.number;
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

bool proto_read_u32(struct proto_reader *reader, proto_node node, uint32_t min, uint32_t max,
                    uint32_t *out) {
    uint64_t value = *out;

    if (!proto_read_integer(reader, node, min, max, &value)) {
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
        return proto_hint_names(reader, "values", (proto_text){"", 0}, texts);
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
    return proto_hint_names(reader, "values", found, texts);
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
            return false; /* a null is a NaN, which no range contains */
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

const uint32_t *proto_packed_integers(proto_value array, uint32_t columns, uint32_t max) {
    const size_t count = (size_t)array.count * (columns > 0 ? columns : 1);
    bool are_packed = array.type == PROTO_INTEGERS && array.columns == columns;

    for (size_t i = 0; are_packed && i < count; i++) {
        are_packed = array.integers[i] <= max;
    }
    return are_packed ? array.integers : NULL;
}

bool proto_read_vector(struct proto_reader *reader, proto_node node, uint32_t dimension,
                       proto_range range, gjk_vec3 *out) {
    const double *const packed = node.value.numbers;
    double numbers[3] = {0.0, 0.0, 0.0};

    if (node.value.type == PROTO_NUMBERS && node.value.count == dimension &&
        are_within(packed, dimension, range, false)) {
        *out = gjk_vec3_make(packed[0], packed[1], dimension == 3 ? packed[2] : 0.0);
        return true;
    }
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
            proto_hint_limit(reader, reader->limits->id_bytes_max);
        }
        return proto_hint(reader,
                          "1 to %llu characters of [A-Za-z0-9._~:@/-], with no segment "
                          "between slashes empty, \".\" or \"..\"",
                          (unsigned long long)reader->limits->id_bytes_max);
    }
    *out = gjk_arena_copy_text(reader->arena, text.data, text.length);
    return *out != NULL || proto_refuse_memory(reader);
}

bool proto_read_id(struct proto_reader *reader, proto_node node, const char **out) {
    if (node.value.type != PROTO_STRING) {
        return proto_check_type(reader, &node, false, "a string");
    }
    return proto_copy_id(reader, &node, proto_text_of(node.value), out);
}

bool proto_read_ids(struct proto_reader *reader, const proto_node *node, const char *const **out,
                    uint32_t *count) {
    const uint32_t refused = reader->refused;

    if (!proto_read_array(reader, node)) {
        return false;
    }
    const size_t size = proto_array_size(node->value); /* 0 if absent */
    const char **ids = gjk_arena_alloc_array(reader->arena, size, sizeof *ids);
    if (ids == NULL) {
        return proto_refuse_memory(reader);
    }
    for (size_t i = 0; i < size; i++) {
        ids[i] = "";
        if (!proto_may_go_on(reader)) {
            return false;
        }
        proto_read_id(reader, proto_item(node, i), &ids[i]);
    }
    *out = ids;
    *count = (uint32_t)size;
    return reader->refused == refused;
}
