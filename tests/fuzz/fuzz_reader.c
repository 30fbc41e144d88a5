/*
 * Do the parser and its judge, jansson, see the same in every text? What both take has the same
 * values to the bit. What the parser refuses, the judge refuses, but for the forms that are left to
 * it, which a short text has not. And a set that is decoded from the judge's values comes to the
 * same end, with the same problem or the same text, as from the parser's, which are packed.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/reply.h"
#include "reader/judge.h"
#include "reader/parse.h"

#define NAME "fuzz"
#define SHORT_BYTES 512 /* no number is longer than the parser takes, no names collide too often */
#define ZEROS 600       /* which make a number longer than that */

static void require(bool condition) {
    if (!condition)
        abort();
}

static void check_same(proto_value a, proto_value b) {
    require(proto_is_array(a) == proto_is_array(b));
    if (proto_is_array(a)) {
        require(a.count == b.count);
        for (size_t i = 0; i < a.count; i++)
            check_same(proto_value_at(a, i), proto_value_at(b, i));
        return;
    }
    require(a.type == b.type);
    if (a.type == PROTO_OBJECT) {
        require(a.count == b.count);
        for (size_t i = 0; i < a.count; i++) {
            const proto_text name = proto_name_at(a, i), other = proto_name_at(b, i);
            require(proto_text_equals(name, other.data, other.length));
            require(proto_find(a, name.data, name.length) == &a.items[2 * i + 1]);
            check_same(proto_member_value(a, i), proto_member_value(b, i));
        }
    }
    if (a.type == PROTO_STRING)
        require(proto_text_equals(proto_text_of(a), b.text, b.count));
    if (a.type == PROTO_NUMBER)
        require(memcmp(&a.number, &b.number, sizeof a.number) == 0);
}

/* Whether the text is JSON. */
static bool check_values(proto_text text, struct gjk_arena *arena) {
    struct proto_problem problem = {0};
    proto_value parsed, judged;

    const proto_parsed outcome = proto_parse(text, arena, &parsed);
    const bool is_json = proto_judge(text, arena, &judged, &problem);
    require(outcome != PROTO_PARSE_NO_MEMORY);
    if (outcome == PROTO_PARSE_DONE) {
        require(is_json);
        check_same(parsed, judged);
    } else {
        /* jansson passes over a NUL behind a number. */
        require(!is_json || text.length >= SHORT_BYTES ||
                memchr(text.data, '\0', text.length) != NULL);
    }
    return is_json;
}

/* Where a number of the text, which is JSON, can be made longer. 0: nowhere. */
static size_t find_number(proto_text text) {
    for (size_t i = 0; i < text.length; i++) {
        if (text.data[i] == '"')
            for (i++; text.data[i] != '"'; i++)
                i += text.data[i] == '\\';
        if (text.data[i] >= '0' && text.data[i] <= '9') {
            while (i < text.length && memchr("0123456789.", text.data[i], 11) != NULL)
                i++;
            return i;
        }
    }
    return 0;
}

/* The same text with a number that only the judge takes, of the same value. */
static proto_text lengthen(proto_text text, struct gjk_arena *arena) {
    const size_t at = find_number(text);
    char *longer = gjk_arena_alloc(arena, text.length + 1 + ZEROS);
    size_t i = at, length = at;

    if (at == 0)
        return text;
    memcpy(longer, text.data, at);
    while (i > 0 && text.data[i - 1] != '.' && text.data[i - 1] >= '0' && text.data[i - 1] <= '9')
        i--;
    if (i == 0 || text.data[i - 1] != '.')
        longer[length++] = '.';
    memset(longer + length, '0', ZEROS);
    length += ZEROS;
    memcpy(longer + length, text.data + at, text.length - at);
    return (proto_text){longer, length + text.length - at};
}

static struct proto_buffer describe(proto_text text, struct gjk_arena *arena) {
    const proto_limits limits = proto_limits_default();
    struct proto_problem problem = {0};
    struct proto_buffer out;
    proto_set set;

    proto_buffer_init(&out, arena);
    if (!proto_decode_set(text, NAME, &limits, arena, &set, &problem)) {
        proto_encode_problem(&out, &problem);
        return out;
    }
    proto_set_head head =
        {.summary = {NAME, set.dimension, 1, set.shape_count, 0, {0, 0, 0, false}},
         .has_history = set.has_history,
         .history_ticks = set.history_ticks,
         .meta = set.meta};
    proto_encode_set_begin(&out, &head);
    for (uint32_t i = 0; i < set.shape_count; i++) {
        const proto_shape *shape = &set.shapes[i].shape;
        const proto_stored stored = {shape->definition, shape->place, NULL, &shape->shape};
        proto_encode_set_shape(&out, set.shapes[i].id, set.dimension, &stored, i);
    }
    proto_encode_set_end(&out);
    return out;
}

/* libFuzzer declares it nowhere. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const proto_text text = {(const char *)data, size};
    struct gjk_arena arena;

    gjk_arena_init(&arena, 0);
    if (size > 0 && check_values(text, &arena)) {
        const struct proto_buffer parsed = describe(text, &arena);
        const struct proto_buffer judged = describe(lengthen(text, &arena), &arena);
        require(parsed.length == judged.length);
        require(memcmp(parsed.data, judged.data, parsed.length) == 0);
    }
    gjk_arena_fini(&arena);
    return 0;
}
