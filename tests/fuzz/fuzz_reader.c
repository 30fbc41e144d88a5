/*
 * Do the parser and jansson see the same in every text? They take the same texts, but for what ours
 * alone limits, and what both take has the same values to the bit. A refusal names a place that the
 * text has. And what is written of a value reads back as the same value.
 */

#include "fuzz.h"

#include <stdio.h>
#include <string.h>

#include "proto/limits.h"
#include "proto/problem.h"
#include "support/jansson_oracle.h"
#include "json/parse.h"
#include "json/writer.h"

static void check_place(proto_text text, const struct proto_problem *problem) {
    size_t line = 0, column = 0, lines = 1;

    require(problem->code == PROTO_MALFORMED_JSON && problem->pointer[0] == '\0');
    require(sscanf(problem->detail, "line %zu, column %zu: ", &line, &column) == 2);
    for (size_t i = 0; i < text.length; i++)
        lines += text.data[i] == '\n';
    require(line >= 1 && line <= lines && column >= 1 && column <= text.length + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const proto_text text = {(const char *)data, size};
    struct proto_problem problem = {0};
    struct proto_buffer out;
    struct gjk_arena arena;
    proto_value value, again;

    gjk_arena_init(&arena, 0);
    json_t *json = oracle_load(text);
    if (proto_parse(text, &arena, &value, &problem)) {
        require(json != NULL && oracle_equals(json, value));
        proto_buffer_init(&out, &arena);
        proto_put_json(&out, value);
        require(proto_parse((proto_text){out.data, out.length}, &arena, &again, &problem));
        require(oracle_equals(json, again));
    } else {
        check_place(text, &problem);
        /* jansson passes over a NUL behind a number. */
        require(json == NULL || oracle_depth(json) > PROTO_DEPTH_MAX ||
                memchr(text.data, '\0', text.length) != NULL);
    }
    json_decref(json);
    gjk_arena_fini(&arena);
    return 0;
}
