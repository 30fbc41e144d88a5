/*
 * Imports sets from NDJSON. A line is the body of a PUT with its `name`, as the export prints it.
 * All lines are decoded twice: first to find errors before anything changes, then to be stored. So
 * only one decoded set is in memory at a time. A gzipped body is unpacked again in each pass, so
 * only one of its lines is in memory.
 */

#define _GNU_SOURCE /* for tdestroy */
#include "handlers/handlers.h"
#include "request/context.h"
#include "request/request.h"
#include "request/request_body.h"
#include "sets/commit.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

/* A line of the body, and the outcome for its set. */
struct line {
    size_t number; /* line number in the body, from 1 */
    const char *name;
    int status;
    uint64_t revision;
    struct gjkd_change change;
};

struct import;

/* Takes a line that is not blank. Returns false if the request has a problem. */
typedef bool line_taker(struct import *import, struct line *line, proto_text text);

struct import {
    struct gjkd_request *request;
    struct gjk_arena arena; /* memory of one decoded set */
    void *names;            /* names of the lines checked so far, a tree of <search.h> */
    uint64_t names_bytes;   /* charged for its nodes */
    struct line *lines;
    size_t count;           /* number of lines that are not blank */
    size_t longest;         /* bytes of the longest line, blank or not */
    char *text;             /* buffer for a line in pieces; NULL while lines are counted */
    uint64_t line_until_ns; /* deadline of the line that is being stored */
    /* State of a pass over the body: */
    line_taker *take; /* called for each line; NULL: lines are counted */
    size_t done;      /* number of lines taken, without blank ones */
    size_t number;    /* number of the current line */
    size_t length;    /* bytes of the current line so far */
    bool is_blank;    /* the current line is blank so far */
    bool has_stopped; /* `take` returned false */
};

/* --- Lines --- */

/* Bytes that are unpacked and scanned for each step of the budget. */
#define BYTES_PER_STEP 16

static bool is_blank(const char *data, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (strchr(" \t\r\n", data[i]) == NULL || data[i] == '\0') {
            return false;
        }
    }
    return true;
}

/* Counts or takes the current line, unless it is blank. Returns false if it was not taken. */
static bool end_line(struct import *import, proto_text text) {
    if (import->take == NULL) {
        import->count += !import->is_blank;
        import->longest = text.length > import->longest ? text.length : import->longest;
    } else if (!import->is_blank) {
        struct line *line = &import->lines[import->done];
        line->number = import->number;
        import->has_stopped = !import->take(import, line, text);
        import->done += !import->has_stopped;
    }
    import->number++;
    import->length = 0;
    import->is_blank = true;
    return !import->has_stopped;
}

/* Splits a piece of the body into lines. Copies a line only if it spans several pieces. */
static bool read_piece(void *user, const char *data, size_t length) {
    struct import *import = user;
    struct gjkd_request *request = import->request;
    if (request->head.gzipped &&
        gjk_budget_spend(import->arena.budget, (uint32_t)(length / BYTES_PER_STEP) + 1)) {
        return gjkd_request_fail_late(request);
    }
    while (length > 0) {
        const char *end = memchr(data, '\n', length);
        const size_t part = end != NULL ? (size_t)(end - data) + 1 : length;
        const bool is_whole = import->length == 0 && (end != NULL || !request->head.gzipped);
        import->is_blank = import->is_blank && is_blank(data, part);
        if (!is_whole && import->text != NULL) {
            memcpy(import->text + import->length, data, part);
        }
        import->length += part;
        if ((is_whole || end != NULL) &&
            !end_line(import, (proto_text){is_whole ? data : import->text, import->length})) {
            return false;
        }
        data += part;
        length -= part;
    }
    return true;
}

/* Reads all lines, or counts them. Returns false if one was not taken or the request is refused. */
static bool read_lines(struct import *import, line_taker *take) {
    import->take = take;
    import->done = import->length = 0;
    import->number = 1;
    import->is_blank = true;
    import->has_stopped = false;
    return gjkd_request_read_body(import->request, read_piece, import) && !import->has_stopped &&
           (import->length == 0 || end_line(import, (proto_text){import->text, import->length}));
}

/* Prepends the line's number to a pointer into the line. */
static void point_into_line(char *out, size_t size, size_t number, const char *pointer) {
    snprintf(out, size, "/%zu%.*s", number, (int)(size - 24), pointer);
}

/*
 * Refuses the request for the problems of a line. Their pointers get the line's number; the detail
 * of a syntax error, "line 1 ..." for the parser, gets the number of the line in the body.
 */
static bool refuse_line(struct gjkd_request *request, size_t number) {
    struct proto_problem *problem = &request->problem;
    char pointer[PROTO_POINTER_MAX];
    if (problem->code == PROTO_MALFORMED_JSON) {
        char behind[PROTO_DETAIL_MAX - 24];
        snprintf(behind, sizeof behind, "%s", problem->detail + strlen("line 1"));
        snprintf(problem->detail, sizeof problem->detail, "line %zu%s", number, behind);
    }
    point_into_line(pointer, sizeof pointer, number, problem->pointer);
    memcpy(problem->pointer, pointer, sizeof pointer);
    proto_error *more =
        gjk_arena_alloc_array(&request->arena, problem->more_count, sizeof *problem->more);
    for (uint32_t i = 0; i < problem->more_count && more != NULL; i++) {
        point_into_line(pointer, sizeof pointer, number, problem->more[i].pointer);
        more[i] = problem->more[i];
        more[i].pointer = gjk_arena_copy_text(&request->arena, pointer, strlen(pointer));
        more = more[i].pointer != NULL ? more : NULL;
    }
    problem->more = more;
    problem->more_count = more != NULL ? problem->more_count : 0;
    return gjkd_request_refuse(request);
}

/* --- Both passes --- */

static int compare_names(const void *a, const void *b) {
    return strcmp(a, b);
}

/* Resets import->arena and decodes a line into it. Returns false if the request has a problem. */
static bool decode_line(struct import *import, proto_text text, proto_set *set) {
    struct gjkd_request *request = import->request;
    gjk_arena_reset(&import->arena);
    return proto_decode_set(text, NULL, &request->context->limits, &import->arena, set,
                            &request->problem) &&
           (gjkd_access_set(&request->grant, GJKD_SCOPE_WRITE, set->name, &request->problem) ||
            proto_problem_point(&request->problem, "/name"));
}

/* Decodes a line and keeps its name, which no line before may have. */
static bool check_line(struct import *import, struct line *line, proto_text text) {
    struct gjkd_request *request = import->request;
    proto_set set;
    const bool is_decoded = decode_line(import, text, &set);
    if (gjk_budget_is_spent(&request->budget)) {
        return gjkd_request_fail_late(request);
    }
    if (!is_decoded) {
        return refuse_line(request, line->number);
    }
    char *name = gjk_arena_copy_text(&request->arena, set.name, strlen(set.name));
    char *const *found = name != NULL ? tsearch(name, &import->names, compare_names) : NULL;
    if (found == NULL) {
        return gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the sets' names");
    }
    line->name = name;
    if (*found == name) {
        return true;
    }
    proto_problem_set(&request->problem, PROTO_BAD_NAME,
                      "the set \"%.128s\" stands in a line before, too", name);
    (void)proto_problem_point(&request->problem, "/name");
    return refuse_line(request, line->number);
}

/* Returns true if the deadline of the line has passed; in a cluster, whose log may be unavailable,
 * each line has the timeout of a request. Lets other tasks run meanwhile. */
static bool is_line_late(void *user) {
    const struct import *import = user;
    const uint64_t now_ns = uv_hrtime();
    gjkd_pool_pause(now_ns);
    return now_ns > import->line_until_ns;
}

/* Makes the set of a line the newest version of its name. */
static bool store_line(struct import *import, struct line *line, proto_text text) {
    struct gjkd_request *request = import->request;
    proto_set set;
    if (request->context->storage->is_remote) {
        import->line_until_ns = uv_hrtime() + request->deadline_ns - request->timing.started_ns;
    }
    if (!decode_line(import, text, &set)) {
        return false;
    }
    const gjkd_write write = {
        .storage = request->context->storage,
        .change = &line->change,
        .name = line->name,
        .if_none_match = request->params.replace ? NULL : "*",
        .problem = &request->problem,
        .budget = import->arena.budget,
    };
    struct gjkd_version *version = NULL;
    const gjkd_outcome outcome = gjkd_commit_put(&write, &set, &version);
    line->status = outcome == GJKD_CREATED ? 201 : 200;
    if (outcome == GJKD_REFUSED) {
        if (request->problem.code != PROTO_REVISION_MISMATCH) {
            return false;
        }
        request->problem.code = PROTO_OK;
        line->status = 412;
        version = gjkd_registry_get(request->context->registry, line->name);
    }
    line->revision = version != NULL ? version->revision : 0;
    gjkd_version_release(version);
    import->line_until_ns = UINT64_MAX;
    return true;
}

/*
 * Stores the sets in order and waits for the storage, which may put many into one transaction. If
 * one is refused, the sets before it stay. Waits for all changes before a refusal, which may free
 * the request's arena with the lines. Returns false if the request is refused.
 */
static bool store_lines(struct import *import) {
    struct gjkd_request *request = import->request;
    const bool are_made = read_lines(import, store_line);
    const size_t made = import->done;
    size_t bad = made;
    gjkd_pool_enter_blocking();
    for (size_t i = 0; i < made; i++) {
        const gjkd_durability durability = gjkd_change_wait(&import->lines[i].change);
        if (durability == GJKD_NOT_STORED && bad == made) {
            bad = i;
            proto_problem_set(&request->problem, PROTO_NOT_STORED, "the disk refused this set");
        } else if (durability != GJKD_NO_WRITE) {
            request->change.durability = durability;
        }
    }
    if (are_made && bad == made) {
        return true;
    }
    request->change.durability = GJKD_NO_WRITE; /* the refusal has no Gjkd-Durability */
    if (bad < made || import->has_stopped) {
        refuse_line(request, import->lines[bad].number);
    }
    return false;
}

static void reply_lines(struct gjkd_request *request, const struct line *lines, size_t count) {
    struct proto_buffer body;
    proto_buffer_init_blocks(&body, &request->arena);
    proto_put_bytes(&body, "{\"sets\":[", 9);
    for (size_t i = 0; i < count; i++) {
        char text[PROTO_SET_NAME_BYTES_MAX + 96];
        const int length =
            snprintf(text, sizeof text,
                     "%s{\"name\":\"%s\",\"status\":%d,\"revision\":%" PRIu64 "}", i > 0 ? "," : "",
                     lines[i].name, lines[i].status, lines[i].revision);
        proto_put_bytes(&body, text, (size_t)length);
    }
    proto_put_bytes(&body, "]}", 2);
    gjkd_request_reply(request, 200, &body);
}

/* Counts the lines and allocates their state. Returns false if the request is refused. */
static bool prepare_lines(struct import *import) {
    struct gjkd_request *request = import->request;
    const uint64_t count_max = request->context->limits.sets_max;
    if (!read_lines(import, NULL)) {
        return false;
    }
    if (import->count > count_max) {
        proto_problem_set(&request->problem, PROTO_TOO_MANY, "there may be %" PRIu64 " sets",
                          count_max);
        (void)proto_problem_limit(&request->problem, count_max);
        return gjkd_request_refuse(request);
    }
    const uint64_t names_bytes = import->count * GJKD_TREE_NODE_BYTES;
    import->names_bytes = gjkd_account_take(request->account, names_bytes) ? names_bytes : 0;
    request->asked = import->count;
    import->lines = gjk_arena_alloc_array(&request->arena, import->count + 1, sizeof(struct line));
    if (request->head.gzipped && import->lines != NULL) {
        import->text = gjk_arena_alloc(&request->arena, import->longest);
    }
    if (import->names_bytes < names_bytes || import->lines == NULL ||
        (request->head.gzipped && import->text == NULL)) {
        return gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the lines");
    }
    memset(import->lines, 0, import->count * sizeof(struct line));
    return true;
}

static void keep_name(void *name) {
    (void)name; /* in the request's arena */
}

void gjkd_handle_import(struct gjkd_request *request) {
    struct import import = {.request = request, .line_until_ns = UINT64_MAX};
    gjk_arena_init(&import.arena, 0);
    gjk_arena_charge(&import.arena, &request->account->account);
    gjk_arena_set_budget(&import.arena, &request->budget);
    if (prepare_lines(&import) && read_lines(&import, check_line)) {
        gjkd_request_mark_decoded(request);
        if (gjkd_request_claim(request)) {
            gjk_budget budget = gjk_budget_make(is_line_late, &import);
            gjk_arena_set_budget(&import.arena, &budget);
            if (store_lines(&import)) {
                reply_lines(request, import.lines, import.count);
            }
        }
    }
    gjk_arena_fini(&import.arena);
    tdestroy(import.names, keep_name);
    gjkd_account_give(request->account, import.names_bytes);
}
