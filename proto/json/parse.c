/*
 * Parses JSON (RFC 8259) by recursive descent. One stack holds the values of all open arrays and
 * objects. When one closes, its values move to a contiguous block, as in RapidJSON. Unlike
 * RapidJSON, numbers of arrays are packed, and strings without escapes point into the text.
 *
 * All packed numbers share one block of doubles. Its length is the number of commas plus one, which
 * suffices because a comma separates any two numbers.
 *
 * The parse ends at the first fault, which the problem gives as line and column.
 */

#include "json/parse.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gjk/base.h"
#include "gjk/sort.h"
#include "proto/limits.h"
#include "json/number.h"
#include "json/text.h"

#define COUNTED_BLOCK 255     /* bytes, so that a count of them fits into a byte */
#define STACK_IN_PLACE 64     /* values */
#define COLUMNS_MAX UINT8_MAX /* of packed rows */
#define UNIT_TEXT 6           /* bytes of "\uXXXX" */

struct parser {
    const char *at, *end;
    struct gjk_arena *arena;
    double *numbers; /* next free place for a packed number */
    proto_value *stack;
    size_t top, capacity;
    unsigned depth;
    const char *begin; /* start of the text, for lines and columns */
    struct proto_problem *problem;
    bool is_shallow; /* members keep the source text of their values */
};

/* --- Refusals --- */

/* Refuses the text at a place. Columns count characters, from 1. */
static bool refuse_at(struct parser *parser, const char *place, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

static bool refuse_at(struct parser *parser, const char *place, const char *format, ...) {
    char why[PROTO_DETAIL_MAX];
    size_t line = 1, column = 1;
    va_list arguments;

    for (const char *c = parser->begin; c < place; c++) {
        line += *c == '\n';
        column = *c == '\n' ? 1 : column + (((unsigned char)*c & 0xC0) != 0x80);
    }
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    return proto_problem_set(parser->problem, PROTO_MALFORMED_JSON, "line %zu, column %zu: %s",
                             line, column, why);
}

/* Refuses the text at the current place, where `expected` should be. */
__attribute__((cold)) static bool refuse_here(struct parser *parser, const char *expected) {
    if (parser->at == parser->end) {
        return refuse_at(parser, parser->at, "expected %s, but the text ends", expected);
    }
    const char c = *parser->at;
    return c > ' ' && c < 0x7F
               ? refuse_at(parser, parser->at, "expected %s, found '%c'", expected, c)
               : refuse_at(parser, parser->at, "expected %s", expected);
}

__attribute__((cold)) static bool refuse_memory(struct parser *parser) {
    return proto_problem_set(parser->problem, PROTO_OUT_OF_MEMORY,
                             "the body's JSON needs more memory than there is");
}

__attribute__((cold)) static bool refuse_deadline(struct parser *parser) {
    return proto_problem_set(parser->problem, PROTO_DEADLINE_EXCEEDED,
                             "time was up before all of it was read");
}

/* --- Strings --- */

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Returns the UTF-16 code unit of an escape "\uXXXX", or -1 if there is none. */
static long read_unit(const char *at, const char *end) {
    long unit = 0;

    if (end - at < UNIT_TEXT || at[0] != '\\' || at[1] != 'u') {
        return -1;
    }
    for (int i = 2; i < UNIT_TEXT; i++) {
        const int digit = hex_digit(at[i]);
        if (digit < 0) {
            return -1;
        }
        unit = unit << 4 | digit;
    }
    return unit;
}

static char *put_utf8(char *to, long c) {
    if (c < 0x80) {
        *to++ = (char)c;
        return to;
    }
    if (c < 0x800) {
        *to++ = (char)(0xC0 | c >> 6);
    } else {
        if (c < 0x10000) {
            *to++ = (char)(0xE0 | c >> 12);
        } else {
            *to++ = (char)(0xF0 | c >> 18);
            *to++ = (char)(0x80 | (c >> 12 & 0x3F));
        }
        *to++ = (char)(0x80 | (c >> 6 & 0x3F));
    }
    *to++ = (char)(0x80 | (c & 0x3F));
    return to;
}

/* Writes the character of an escape "\uXXXX", or of two that form a surrogate pair. Returns the end
 * of the output, or NULL for an invalid escape. */
static char *unescape_unit(const char **at, const char *end, char *to) {
    long c = read_unit(*at, end);

    if (c < 0 || (c >= 0xDC00 && c <= 0xDFFF)) {
        return NULL;
    }
    *at += UNIT_TEXT;
    if (c >= 0xD800 && c <= 0xDBFF) {
        const long low = read_unit(*at, end);
        if (low < 0xDC00 || low > 0xDFFF) {
            return NULL;
        }
        *at += UNIT_TEXT;
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
    }
    return put_utf8(to, c);
}

/* Writes the character of the escape at *at and advances *at past it. Returns the end of the
 * output, or NULL for an invalid escape. */
static char *unescape(const char **at, const char *end, char *to) {
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";

    if (end - *at < 2) {
        return NULL;
    }
    if ((*at)[1] == 'u') {
        return unescape_unit(at, end, to);
    }
    const char *letter = memchr(letters, (*at)[1], sizeof letters - 1);
    if (letter == NULL) {
        return NULL;
    }
    *at += 2;
    *to++ = meant[letter - letters];
    return to;
}

/* Returns true if a byte of a string is plain: ASCII but no backslash, quote or control
 * character. */
static inline bool is_plain(char c) {
    return (unsigned char)c >= 0x20 && (unsigned char)c < 0x80 && c != '"' && c != '\\';
}

/*
 * Sets the highest bit of the first byte that is not plain, and clears it in all bytes before
 * (Mycroft's test for a zero byte). Borrows can set it wrongly only in bytes after the first one.
 */
static inline uint64_t mark_special(uint64_t bytes) {
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    const uint64_t quote = bytes ^ '"' * ones, escape = bytes ^ '\\' * ones;

    return (bytes | ((bytes - 0x20 * ones) & ~bytes) | ((quote - ones) & ~quote) |
            ((escape - ones) & ~escape)) &
           tops;
}

static inline const char *skip_plain(const char *at, const char *end) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (uint64_t bytes; end - at >= 8; at += 8) {
        memcpy(&bytes, at, sizeof bytes);
        bytes = mark_special(bytes);
        if (bytes != 0) {
            return at + __builtin_ctzll(bytes) / 8;
        }
    }
#endif
    while (at < end && is_plain(*at)) {
        at++;
    }
    return at;
}

/* Returns the first byte of a string that is a quote, a backslash or invalid, or the text's end. */
static const char *skip_valid(const char *at, const char *end) {
    for (;;) {
        at = skip_plain(at, end);
        if (at == end || (unsigned char)*at < 0x80) {
            return at;
        }
        const size_t length = proto_utf8_sequence(at, (size_t)(end - at));
        if (length == 0) {
            return at;
        }
        at += length;
    }
}

/* Refuses an invalid byte of a string, or its missing end. */
__attribute__((cold)) static bool refuse_string(struct parser *parser, const char *at) {
    return refuse_at(parser, at, "%s",
                     at == parser->end            ? "the string does not end"
                     : (unsigned char)*at >= 0x80 ? "invalid UTF-8 in a string"
                                                  : "a control character in a string");
}

/*
 * Copies a string that starts at `start`, without its escapes, the first of which is at `escape`.
 * The copy is not longer than the source.
 */
__attribute__((noinline)) static bool copy_string(struct parser *parser, const char *start,
                                                  const char *escape, proto_value *out) {
    const char *const end = parser->end, *last = escape;

    while (last < end && *last != '"') {
        last += *last == '\\' && end - last > 1 ? 2 : 1;
    }
    char *const text = gjk_arena_alloc(parser->arena, (size_t)(last - start));
    char *to = text;
    if (text == NULL) {
        return refuse_memory(parser);
    }
    for (;;) {
        memcpy(to, start, (size_t)(escape - start));
        to += escape - start;
        if (escape == end || (*escape != '"' && *escape != '\\')) {
            return refuse_string(parser, escape);
        }
        if (*escape == '"') {
            break;
        }
        start = escape;
        to = unescape(&start, end, to);
        if (to == NULL) {
            return refuse_at(parser, escape, "not an escape of JSON");
        }
        escape = skip_valid(start, end);
    }
    parser->at = escape + 1;
    *out = (proto_value){.type = PROTO_STRING, .count = (uint32_t)(to - text), .text = text};
    return true;
}

/* Parses a string; parser->at is at its opening quote. */
static bool parse_string(struct parser *parser, proto_value *out) {
    const char *const start = parser->at + 1;
    const char *special = skip_valid(start, parser->end);

    if (special == parser->end || (*special != '"' && *special != '\\')) {
        return refuse_string(parser, special);
    }
    if (*special == '\\') {
        return copy_string(parser, start, special, out);
    }
    parser->at = special + 1;
    *out = (proto_value){.type = PROTO_STRING, .count = (uint32_t)(special - start), .text = start};
    return true;
}

/* --- Numbers --- */

/* Refuses the text at `start` that proto_parse_number rejected: a number too large, or no number
 * (parser->at is NULL). */
__attribute__((cold)) static bool refuse_number(struct parser *parser, const char *start) {
    const bool is_number = parser->at != NULL;

    parser->at = start;
    if (is_number) {
        return refuse_at(parser, start, "a number too large for a double");
    }
    return start < parser->end && (*start == '-' || (*start >= '0' && *start <= '9'))
               ? refuse_at(parser, start, "not a number of JSON")
               : refuse_here(parser, "a value");
}

static inline bool parse_number(struct parser *parser, double *out) {
    const char *const start = parser->at;

    return proto_parse_number(&parser->at, parser->end, out) || refuse_number(parser, start);
}

/* --- Values --- */

/* Counts in blocks, because compilers vectorize a loop with an 8-bit counter. */
static size_t count_commas(proto_text text) {
    size_t all = 0;

    for (size_t start = 0; start < text.length; start += COUNTED_BLOCK) {
        const size_t left = text.length - start;
        const size_t end = start + (left < COUNTED_BLOCK ? left : COUNTED_BLOCK);
        uint8_t commas = 0;
        for (size_t i = start; i < end; i++) {
            commas = (uint8_t)(commas + (text.data[i] == ','));
        }
        all += commas;
    }
    return all;
}

/* Skips white space. Returns the next byte, or 0 at the end of the text. */
static inline char peek(struct parser *parser) {
    while (parser->at < parser->end) {
        const char c = *parser->at;
        if (c > ' ' || (c != ' ' && c != '\n' && c != '\r' && c != '\t')) {
            return c;
        }
        parser->at++;
    }
    return '\0';
}

__attribute__((cold)) static bool grow_stack(struct parser *parser) {
    proto_value *larger =
        gjk_arena_alloc_array(parser->arena, 2 * parser->capacity, sizeof *larger);
    if (larger == NULL) {
        return refuse_memory(parser);
    }
    memcpy(larger, parser->stack, parser->top * sizeof *larger);
    parser->stack = larger;
    parser->capacity *= 2;
    return true;
}

static inline bool push(struct parser *parser, proto_value value) {
    if (parser->top == parser->capacity && !grow_stack(parser)) {
        return false;
    }
    parser->stack[parser->top++] = value;
    return true;
}

/* Moves the values from index base on from the stack to a block. Returns NULL if memory is
 * exhausted. */
static const proto_value *pop(struct parser *parser, size_t base) {
    const size_t count = parser->top - base;
    proto_value *block = gjk_arena_alloc_array(parser->arena, count, sizeof *block);

    if (block != NULL) {
        memcpy(block, parser->stack + base, count * sizeof *block);
        parser->top = base;
    }
    return block;
}

/* --- Names must be distinct within an object --- */

static bool are_equal(const proto_value *a, const proto_value *b) {
    return a->count == b->count && memcmp(a->text, b->text, a->count) == 0;
}

/* Refuses a duplicate name, at its place, or at the object's end if the name has escapes: then it
 * was copied, and its place in the text is unknown. */
__attribute__((cold)) static bool refuse_duplicate(struct parser *parser, const proto_value *name) {
    const bool is_in_text = name->text > parser->begin && name->text < parser->end;

    return refuse_at(parser, is_in_text ? name->text - 1 : parser->at,
                     "duplicate member: \"%.*s\" stands twice",
                     proto_shown(proto_text_of(*name), 128), name->text);
}

static bool check_small_object(struct parser *parser, proto_value object) {
    if ((uint32_t)__builtin_popcount(object.initials) == object.count) {
        return true; /* as many bits as names: no two names share a bit */
    }
    for (size_t i = 1; i < object.count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (are_equal(&object.items[2 * i], &object.items[2 * k])) {
                return refuse_duplicate(parser, &object.items[2 * i]);
            }
        }
    }
    return true;
}

/* Sort key of a name of a large object. */
struct name {
    uint64_t tail; /* last 8 bytes of the name, as a number */
    const proto_value *value;
};

/* Compares tails first, which decides for most pairs of names. */
static int compare_names(const void *a, const void *b) {
    const struct name *x = a, *y = b;

    return x->tail != y->tail ? (x->tail < y->tail ? -1 : 1)
           : x->value->count != y->value->count
               ? (x->value->count < y->value->count ? -1 : 1)
               : memcmp(x->value->text, y->value->text, x->value->count);
}

/* Refuses duplicate names of a large object. Sorts the names unless they are in order, as those of
 * stored shapes often are. */
static bool check_large_object(struct parser *parser, proto_value object) {
    const gjk_arena_mark mark = gjk_arena_here(parser->arena);
    struct name *names = gjk_arena_alloc_array(parser->arena, object.count, sizeof *names);
    const proto_value *second = NULL;
    bool is_ordered = true;

    if (names == NULL) {
        return refuse_memory(parser);
    }
    for (size_t i = 0; i < object.count; i++) {
        const proto_value *value = &object.items[2 * i];
        names[i] = (struct name){.value = value};
        for (uint32_t k = value->count > 8 ? value->count - 8 : 0; k < value->count; k++) {
            names[i].tail = names[i].tail << 8 | (unsigned char)value->text[k];
        }
        is_ordered = is_ordered && (i == 0 || compare_names(&names[i - 1], &names[i]) < 0);
    }
    const gjk_status status =
        is_ordered ? GJK_OK
                   : gjk_sort(parser->arena, names, object.count, sizeof *names, compare_names);
    if (status != GJK_OK) {
        return status == GJK_OUT_OF_MEMORY ? refuse_memory(parser) : refuse_deadline(parser);
    }
    for (size_t i = 1; !is_ordered && i < object.count; i++) {
        if (are_equal(names[i - 1].value, names[i].value) &&
            (second == NULL || names[i].value < second)) {
            second = names[i].value;
        }
    }
    gjk_arena_rewind(parser->arena, mark);
    return second == NULL || refuse_duplicate(parser, second);
}

/* --- Arrays --- */

/* An open array, in the most compact form that its items so far allow. */
struct list {
    proto_type form; /* NUMBERS, ROWS or ARRAY; ABSENT: no item yet */
    uint8_t columns;
    uint32_t count;
    const double *numbers;
    size_t base; /* index of its first value on the stack */
};

static bool fits_numbers(const struct list *list, proto_value value) {
    return (list->form == PROTO_NUMBERS || list->form == PROTO_ABSENT) &&
           (value.type == PROTO_NUMBER || value.type == PROTO_NULL);
}

static bool fits_rows(const struct list *list, proto_value value) {
    if (value.type != PROTO_NUMBERS || value.count > COLUMNS_MAX) {
        return false;
    }
    return list->form == PROTO_ABSENT ||
           (list->form == PROTO_ROWS && list->columns == value.count &&
            value.numbers == list->numbers + (size_t)list->count * list->columns);
}

/* Converts packed items to values on the stack, because the next item does not fit. */
static bool unpack(struct parser *parser, struct list *list) {
    const proto_value packed = {.type = (uint8_t)list->form,
                                .columns = list->columns,
                                .count = list->count,
                                .numbers = list->numbers};

    for (uint32_t i = 0; list->form != PROTO_ABSENT && i < list->count; i++) {
        if (!push(parser, proto_value_at(packed, i))) {
            return false;
        }
    }
    list->form = PROTO_ARRAY;
    return true;
}

static bool append(struct parser *parser, struct list *list, proto_value value) {
    if (fits_numbers(list, value)) {
        if (list->form == PROTO_ABSENT) {
            list->form = PROTO_NUMBERS;
            list->numbers = parser->numbers;
        }
        *parser->numbers++ = value.type == PROTO_NULL ? NAN : value.number;
    } else if (fits_rows(list, value)) {
        if (list->form == PROTO_ABSENT) {
            list->form = PROTO_ROWS;
            list->numbers = value.numbers;
            list->columns = (uint8_t)value.count;
        }
    } else {
        if ((list->form != PROTO_ARRAY && !unpack(parser, list)) || !push(parser, value)) {
            return false;
        }
    }
    list->count++;
    return true;
}

static bool close_array(struct parser *parser, const struct list *list, proto_value *out) {
    *out = (proto_value){.type = list->form == PROTO_ABSENT ? PROTO_ARRAY : (uint8_t)list->form,
                         .columns = list->columns,
                         .count = list->count};
    if (list->form != PROTO_ARRAY) {
        out->numbers = list->numbers;
        return true;
    }
    out->items = pop(parser, list->base);
    return out->items != NULL || refuse_memory(parser);
}

static bool parse_value(struct parser *parser, proto_value *out);

/* Parses a number directly into the packed block: a fast path, because most arrays are of
 * numbers. */
static inline bool parse_packed(struct parser *parser, struct list *list) {
    if (list->form == PROTO_ABSENT) {
        list->form = PROTO_NUMBERS;
        list->numbers = parser->numbers;
    }
    list->count++;
    return parse_number(parser, parser->numbers++);
}

static bool parse_array(struct parser *parser, proto_value *out) {
    struct list list = {.base = parser->top};
    proto_value item;

    parser->at++;
    if (peek(parser) == ']') {
        parser->at++;
        return close_array(parser, &list, out);
    }
    for (;;) {
        const char first = peek(parser);
        const bool is_packed = (list.form == PROTO_NUMBERS || list.form == PROTO_ABSENT) &&
                               (first == '-' || (first >= '0' && first <= '9'));
        if (is_packed ? !parse_packed(parser, &list)
                      : !parse_value(parser, &item) || !append(parser, &list, item)) {
            return false;
        }
        if (gjk_budget_spend(parser->arena->budget, 1)) {
            return refuse_deadline(parser);
        }
        const char c = peek(parser);
        if (c != ',' && c != ']') {
            return refuse_here(parser, "',' or ']'");
        }
        parser->at++;
        if (c == ']') {
            return close_array(parser, &list, out);
        }
    }
}

/* --- Objects --- */

/* Skips a string; parser->at is at its opening quote. Its bytes and escapes are not checked. */
static bool skip_string(struct parser *parser) {
    const char *at = skip_plain(parser->at + 1, parser->end);

    while (at < parser->end && *at != '"') {
        at += *at == '\\' && parser->end - at > 1 ? 2 : 1;
        at = skip_plain(at, parser->end);
    }
    if (at == parser->end) {
        return refuse_at(parser, at, "the string does not end");
    }
    parser->at = at + 1;
    return true;
}

/* Skips a value, checking only that brackets balance, and returns its text as a string in *out. */
static bool skip_value(struct parser *parser, proto_value *out) {
    unsigned depth = 0;
    char c = peek(parser);
    const char *const start = parser->at, *end = start;

    for (; c != '\0' && (depth > 0 || (c != ',' && c != '}' && c != ']')); c = peek(parser)) {
        if (c == '"' && !skip_string(parser)) {
            return false;
        }
        if (c != '"') {
            parser->at++;
            depth += c == '{' || c == '[';
            depth -= c == '}' || c == ']';
        }
        end = parser->at;
    }
    *out = (proto_value){.type = PROTO_STRING, .count = (uint32_t)(end - start), .text = start};
    return (depth == 0 && end > start) || refuse_here(parser, depth > 0 ? "a bracket" : "a value");
}

static bool parse_member(struct parser *parser) {
    proto_value name, value;

    if (peek(parser) != '"') {
        return refuse_here(parser, "a member's name in quotes");
    }
    const char *const text = parser->at + 1;
    if (!parse_string(parser, &name)) {
        return false;
    }
    if (name.text != text && memchr(name.text, '\0', name.count) != NULL) {
        return refuse_at(parser, text - 1, "a NUL byte in a member's name");
    }
    if (peek(parser) != ':') {
        return refuse_here(parser, "':'");
    }
    parser->at++;
    return push(parser, name) &&
           (parser->is_shallow ? skip_value(parser, &value) : parse_value(parser, &value)) &&
           push(parser, value);
}

static bool parse_object(struct parser *parser, proto_value *out) {
    const size_t base = parser->top;

    parser->at++;
    if (peek(parser) == '}') {
        parser->at++;
        *out = (proto_value){.type = PROTO_OBJECT};
        return true;
    }
    for (;;) {
        if (!parse_member(parser)) {
            return false;
        }
        if (gjk_budget_spend(parser->arena->budget, 1)) {
            return refuse_deadline(parser);
        }
        const char c = peek(parser);
        if (c != ',' && c != '}') {
            return refuse_here(parser, "',' or '}'");
        }
        parser->at++;
        if (c == '}') {
            break;
        }
    }
    const size_t count = (parser->top - base) / 2;
    const proto_value *pairs = pop(parser, base);
    if (pairs == NULL) {
        return refuse_memory(parser);
    }
    *out = proto_object_of(pairs, (uint32_t)count);
    return count <= PROTO_SMALL_OBJECT_MAX ? check_small_object(parser, *out)
                                           : check_large_object(parser, *out);
}

/* --- Any value --- */

static bool parse_word(struct parser *parser, const char *word, size_t length, proto_type type,
                       proto_value *out) {
    if ((size_t)(parser->end - parser->at) < length || memcmp(parser->at, word, length) != 0) {
        return refuse_here(parser, "a value");
    }
    parser->at += length;
    *out = (proto_value){.type = (uint8_t)type};
    return true;
}

static bool parse_container(struct parser *parser, char open, proto_value *out) {
    if (parser->depth == PROTO_DEPTH_MAX) {
        refuse_at(parser, parser->at, "nested deeper than %d levels", PROTO_DEPTH_MAX);
        return proto_problem_limit(parser->problem, PROTO_DEPTH_MAX);
    }
    parser->depth++;
    const bool is_fine = open == '[' ? parse_array(parser, out) : parse_object(parser, out);
    parser->depth--;
    return is_fine;
}

static bool parse_value(struct parser *parser, proto_value *out) {
    const char c = peek(parser);

    switch (c) {
    case '"':
        return parse_string(parser, out);
    case '[':
    case '{':
        return parse_container(parser, c, out);
    case 't':
        return parse_word(parser, "true", 4, PROTO_TRUE, out);
    case 'f':
        return parse_word(parser, "false", 5, PROTO_FALSE, out);
    case 'n':
        return parse_word(parser, "null", 4, PROTO_NULL, out);
    default:
        *out = (proto_value){.type = PROTO_NUMBER};
        return parse_number(parser, &out->number);
    }
}

/* Parses the whole text. Lines and columns of faults count from `begin`. */
static bool parse_text(proto_text text, const char *begin, struct gjk_arena *arena, bool is_shallow,
                       proto_value *out, struct proto_problem *problem) {
    proto_value in_place[STACK_IN_PLACE];
    struct parser parser = {
        .at = text.data,
        .end = text.data + text.length,
        .arena = arena,
        .stack = in_place,
        .capacity = STACK_IN_PLACE,
        .begin = begin,
        .problem = problem,
        .is_shallow = is_shallow,
    };

    if (text.length == 0) {
        return refuse_at(&parser, text.data, "the body is empty");
    }
    if (text.length > INT32_MAX) {
        return refuse_memory(&parser); /* counts have 32 bits, decimal exponents 31 */
    }
    if (is_shallow && peek(&parser) != '{') {
        return refuse_here(&parser, "an object");
    }
    if (!is_shallow) {
        parser.numbers = gjk_arena_alloc_array(arena, count_commas(text) + 1, sizeof(double));
        if (parser.numbers == NULL) {
            return refuse_memory(&parser);
        }
    }
    if (!parse_value(&parser, out)) {
        return false;
    }
    return (peek(&parser) == '\0' && parser.at == parser.end) ||
           refuse_here(&parser, "the end of the text");
}

bool proto_parse(proto_text text, struct gjk_arena *arena, proto_value *out,
                 struct proto_problem *problem) {
    return parse_text(text, text.data, arena, false, out, problem);
}

bool proto_parse_within(proto_text text, const char *begin, struct gjk_arena *arena,
                        proto_value *out, struct proto_problem *problem) {
    return parse_text(text, begin, arena, false, out, problem);
}

bool proto_parse_shallow(proto_text text, struct gjk_arena *arena, proto_value *out,
                         struct proto_problem *problem) {
    return parse_text(text, text.data, arena, true, out, problem);
}
