/*
 * A recursive-descent parser of JSON (RFC 8259). The values of arrays and objects that are still
 * open lie on one stack; when one closes, its values move to a block of their own, so that any item
 * is found in one step. That is RapidJSON's way; that numbers are packed and strings stay in the
 * text is ours.
 *
 * Numbers of arrays go to one row of doubles, which is as long as the commas in the text allow: in
 * JSON, all values but the first and the containers have a comma of their own before them.
 */

#include "reader/parse.h"

#include "gjk/base.h"
#include "proto/limits.h"

#define COUNTED_BLOCK 255     /* bytes, so that their counts fit into one */
#define STACK_IN_PLACE 64     /* values */
#define COLUMNS_MAX UINT8_MAX /* of packed rows */

struct parser {
    const char *at, *end;
    struct gjk_arena *arena;
    double *numbers; /* the next one free */
    proto_value *stack;
    size_t top, capacity;
    unsigned depth;
};

/* An array that is still open, in the narrowest form that its items so far allow. */
struct list {
    proto_type form; /* NUMBERS, ROWS or ARRAY; ABSENT: no item yet */
    uint8_t columns;
    uint32_t count;
    const double *numbers;
    size_t base; /* of its values on the stack */
};

/* By blocks, because a loop with a small counter is turned into vector instructions. */
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

/* The next byte that is not white space, or 0. */
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

static proto_parsed push(struct parser *parser, proto_value value) {
    if (parser->top == parser->capacity) {
        proto_value *larger =
            gjk_arena_alloc_array(parser->arena, 2 * parser->capacity, sizeof *larger);
        if (larger == NULL) {
            return PROTO_PARSE_NO_MEMORY;
        }
        memcpy(larger, parser->stack, parser->top * sizeof *larger);
        parser->stack = larger;
        parser->capacity *= 2;
    }
    parser->stack[parser->top++] = value;
    return PROTO_PARSE_DONE;
}

/* Takes the values from base on off the stack, to a block of their own. */
static const proto_value *pop(struct parser *parser, size_t base) {
    const size_t count = parser->top - base;
    proto_value *block = gjk_arena_alloc_array(parser->arena, count, sizeof *block);

    if (block != NULL) {
        memcpy(block, parser->stack + base, count * sizeof *block);
        parser->top = base;
    }
    return block;
}

/* --- Arrays --- */

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

/* Turns packed items to values of their own, because of one that is different. */
static proto_parsed unpack(struct parser *parser, struct list *list) {
    const proto_value packed = {.type = (uint8_t)list->form,
                                .columns = list->columns,
                                .count = list->count,
                                .numbers = list->numbers};

    for (uint32_t i = 0; list->form != PROTO_ABSENT && i < list->count; i++) {
        if (push(parser, proto_value_at(packed, i)) != PROTO_PARSE_DONE) {
            return PROTO_PARSE_NO_MEMORY;
        }
    }
    list->form = PROTO_ARRAY;
    return PROTO_PARSE_DONE;
}

static proto_parsed append(struct parser *parser, struct list *list, proto_value value) {
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
        if (list->form != PROTO_ARRAY && unpack(parser, list) != PROTO_PARSE_DONE) {
            return PROTO_PARSE_NO_MEMORY;
        }
        if (push(parser, value) != PROTO_PARSE_DONE) {
            return PROTO_PARSE_NO_MEMORY;
        }
    }
    list->count++;
    return PROTO_PARSE_DONE;
}

static proto_parsed close_array(struct parser *parser, const struct list *list, proto_value *out) {
    *out = (proto_value){.type = list->form == PROTO_ABSENT ? PROTO_ARRAY : (uint8_t)list->form,
                         .columns = list->columns,
                         .count = list->count};
    if (list->form != PROTO_ARRAY) {
        out->numbers = list->numbers;
        return PROTO_PARSE_DONE;
    }
    out->items = pop(parser, list->base);
    return out->items != NULL ? PROTO_PARSE_DONE : PROTO_PARSE_NO_MEMORY;
}

static proto_parsed parse_value(struct parser *parser, proto_value *out);

/* Most arrays are of numbers: these need not be values before they are packed. */
static inline bool parse_packed(struct parser *parser, struct list *list) {
    if (list->form == PROTO_ABSENT) {
        list->form = PROTO_NUMBERS;
        list->numbers = parser->numbers;
    }
    list->count++;
    return proto_parse_number(&parser->at, parser->end, parser->numbers++);
}

static proto_parsed parse_item(struct parser *parser, struct list *list) {
    proto_value item;

    const proto_parsed parsed = parse_value(parser, &item);
    return parsed == PROTO_PARSE_DONE ? append(parser, list, item) : parsed;
}

static proto_parsed parse_items(struct parser *parser, struct list *list) {
    for (;;) {
        const char first = peek(parser);
        const bool is_packed = (list->form == PROTO_NUMBERS || list->form == PROTO_ABSENT) &&
                               (first == '-' || (first >= '0' && first <= '9'));
        const proto_parsed parsed = !is_packed                   ? parse_item(parser, list)
                                    : parse_packed(parser, list) ? PROTO_PARSE_DONE
                                                                 : PROTO_PARSE_REFUSED;
        if (parsed != PROTO_PARSE_DONE) {
            return parsed;
        }
        if (gjk_budget_spend(parser->arena->budget, 1)) {
            return PROTO_PARSE_LATE;
        }
        const char c = peek(parser);
        if (c != ',') {
            return c == ']' ? PROTO_PARSE_DONE : PROTO_PARSE_REFUSED;
        }
        parser->at++;
    }
}

static proto_parsed parse_array(struct parser *parser, proto_value *out) {
    struct list list = {.base = parser->top};
    proto_parsed parsed = PROTO_PARSE_DONE;

    parser->at++;
    if (peek(parser) != ']') {
        parsed = parse_items(parser, &list);
    }
    if (parsed != PROTO_PARSE_DONE) {
        return parsed;
    }
    parser->at++;
    return close_array(parser, &list, out);
}

/* --- Objects --- */

static proto_parsed parse_member(struct parser *parser) {
    proto_value name, value;

    if (peek(parser) != '"') {
        return PROTO_PARSE_REFUSED;
    }
    const char *const text = parser->at + 1;
    proto_parsed parsed = proto_parse_string(&parser->at, parser->end, parser->arena, &name);
    if (parsed != PROTO_PARSE_DONE) {
        return parsed;
    }
    const bool has_nul = name.text != text && memchr(name.text, '\0', name.count) != NULL;
    if (has_nul || peek(parser) != ':') {
        return PROTO_PARSE_REFUSED;
    }
    parser->at++;
    parsed = push(parser, name);
    if (parsed == PROTO_PARSE_DONE) {
        parsed = parse_value(parser, &value);
    }
    return parsed == PROTO_PARSE_DONE ? push(parser, value) : parsed;
}

static proto_parsed close_object(struct parser *parser, size_t base, proto_value *out) {
    const size_t count = (parser->top - base) / 2;
    const proto_value *pairs = pop(parser, base);

    if (pairs == NULL) {
        return PROTO_PARSE_NO_MEMORY;
    }
    *out = proto_object_of(pairs, (uint32_t)count);
    return proto_check_names(pairs, count, parser->arena);
}

static proto_parsed parse_object(struct parser *parser, proto_value *out) {
    const size_t base = parser->top;

    parser->at++;
    if (peek(parser) == '}') {
        parser->at++;
        *out = (proto_value){.type = PROTO_OBJECT};
        return PROTO_PARSE_DONE;
    }
    for (;;) {
        const proto_parsed parsed = parse_member(parser);
        if (parsed != PROTO_PARSE_DONE) {
            return parsed;
        }
        if (gjk_budget_spend(parser->arena->budget, 1)) {
            return PROTO_PARSE_LATE;
        }
        const char c = peek(parser);
        if (c != ',' && c != '}') {
            return PROTO_PARSE_REFUSED;
        }
        parser->at++;
        if (c == '}') {
            return close_object(parser, base, out);
        }
    }
}

/* --- Any value --- */

static proto_parsed parse_word(struct parser *parser, const char *word, size_t length,
                               proto_type type, proto_value *out) {
    if ((size_t)(parser->end - parser->at) < length || memcmp(parser->at, word, length) != 0) {
        return PROTO_PARSE_REFUSED;
    }
    parser->at += length;
    *out = (proto_value){.type = (uint8_t)type};
    return PROTO_PARSE_DONE;
}

static proto_parsed parse_container(struct parser *parser, char open, proto_value *out) {
    if (parser->depth == PROTO_DEPTH_MAX) {
        return PROTO_PARSE_REFUSED;
    }
    parser->depth++;
    const proto_parsed parsed = open == '[' ? parse_array(parser, out) : parse_object(parser, out);
    parser->depth--;
    return parsed;
}

static proto_parsed parse_value(struct parser *parser, proto_value *out) {
    const char c = peek(parser);

    switch (c) {
    case '"':
        return proto_parse_string(&parser->at, parser->end, parser->arena, out);
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
        return proto_parse_number(&parser->at, parser->end, &out->number) ? PROTO_PARSE_DONE
                                                                          : PROTO_PARSE_REFUSED;
    }
}

proto_parsed proto_parse(proto_text text, struct gjk_arena *arena, proto_value *out) {
    proto_value in_place[STACK_IN_PLACE];
    struct parser parser = {
        .at = text.data,
        .end = text.data + text.length,
        .arena = arena,
        .stack = in_place,
        .capacity = STACK_IN_PLACE,
    };

    if (text.length > INT32_MAX) {
        return PROTO_PARSE_REFUSED; /* counts have 32 bits, exponents 31 */
    }
    parser.numbers = gjk_arena_alloc_array(arena, count_commas(text) + 1, sizeof(double));
    if (parser.numbers == NULL) {
        return PROTO_PARSE_NO_MEMORY;
    }
    const proto_parsed parsed = parse_value(&parser, out);
    if (parsed == PROTO_PARSE_DONE && (peek(&parser) != '\0' || parser.at != parser.end)) {
        return PROTO_PARSE_REFUSED;
    }
    return parsed;
}
