/*
 * Takes sets as NDJSON: a line is the body of a PUT with its `name`, as the export prints it. All
 * lines are decoded twice: once to find mistakes while nothing has changed, and once more to be
 * stored, so that no more than one decoded set is in memory at a time.
 */

#include "handlers/handlers.h"
#include "request/context.h"
#include "request/request.h"
#include "sets/commit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

/* A set of the body, and what became of it. */
struct line {
    size_t number; /* in the body, from 1 */
    proto_text text;
    const char *name;
    int status;
    uint64_t revision;
    struct gjkd_change change;
};

/* --- Lines --- */

/* Takes the next line that is not blank off the rest of the body. Returns false at the end. */
static bool next_line(proto_text *rest, size_t *number, proto_text *line) {
    while (rest->length > 0) {
        const char *end = memchr(rest->data, '\n', rest->length);
        const size_t length = end != NULL ? (size_t)(end - rest->data) + 1 : rest->length;
        *line = (proto_text){rest->data, length};
        *rest = (proto_text){rest->data + length, rest->length - length};
        ++*number;
        for (size_t i = 0; i < length; i++) {
            if (strchr(" \t\r\n", line->data[i]) == NULL || line->data[i] == '\0') {
                return true;
            }
        }
    }
    return false;
}

/* Puts the line's number before a pointer into the line. */
static void point(char *out, size_t size, size_t number, const char *pointer) {
    snprintf(out, size, "/%zu%.*s", number, (int)(size - 24), pointer);
}

/* Refuses the request for the problem of a line, and those that the decoder found beside it. */
static void refuse_line(struct gjkd_request *request, size_t number) {
    struct proto_problem *problem = &request->problem;
    char pointer[PROTO_POINTER_MAX];
    point(pointer, sizeof pointer, number, problem->pointer);
    memcpy(problem->pointer, pointer, sizeof pointer);
    proto_error *more =
        gjk_arena_alloc_array(&request->arena, problem->more_count, sizeof *problem->more);
    for (uint32_t i = 0; i < problem->more_count && more != NULL; i++) {
        point(pointer, sizeof pointer, number, problem->more[i].pointer);
        more[i] = problem->more[i];
        more[i].pointer = gjk_arena_copy_text(&request->arena, pointer, strlen(pointer));
        more = more[i].pointer != NULL ? more : NULL;
    }
    problem->more = more;
    problem->more_count = more != NULL ? problem->more_count : 0;
    gjkd_request_refuse(request);
}

static int compare_names(const void *a, const void *b) {
    const struct line *const *one = a, *const *other = b;
    const int order = strcmp((*one)->name, (*other)->name);
    return order != 0 ? order : (*one)->number < (*other)->number ? -1 : 1;
}

/* Refuses a name that stands in two lines. Returns false if the request is refused. */
static bool check_names(struct gjkd_request *request, struct line *lines, size_t count) {
    struct line **sorted = gjk_arena_alloc_array(&request->arena, count, sizeof(struct line *));
    if (sorted == NULL) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the sets' names");
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &lines[i];
    }
    qsort(sorted, count, sizeof(struct line *), compare_names);
    const struct line *twice = NULL;
    for (size_t i = 1; i < count; i++) {
        if (strcmp(sorted[i - 1]->name, sorted[i]->name) == 0 &&
            (twice == NULL || sorted[i]->number < twice->number)) {
            twice = sorted[i];
        }
    }
    if (twice != NULL) {
        proto_problem_set(&request->problem, PROTO_BAD_NAME,
                          "the set \"%.128s\" stands in a line before, too", twice->name);
        (void)proto_problem_point(&request->problem, "/name");
        refuse_line(request, twice->number);
    }
    return twice == NULL;
}

/* --- Both rounds --- */

/* Decodes one line into the arena, which is emptied. Returns false if the request has a problem. */
static bool decode_line(struct gjkd_request *request, const struct line *line,
                        struct gjk_arena *arena, proto_set *set) {
    gjk_arena_reset(arena);
    return proto_decode_set(line->text, NULL, &request->context->limits, arena, set,
                            &request->problem) &&
           (gjkd_request_may_use_set(request, set->name) ||
            proto_problem_point(&request->problem, "/name"));
}

/* Decodes every line and keeps its name. Returns false if the request is refused. */
static bool check_lines(struct gjkd_request *request, struct line *lines, size_t count,
                        struct gjk_arena *arena) {
    proto_set set;
    for (size_t i = 0; i < count; i++) {
        const bool is_decoded = decode_line(request, &lines[i], arena, &set);
        if (gjk_budget_is_spent(&request->budget)) {
            gjkd_request_fail_late(request);
            return false;
        }
        if (!is_decoded) {
            refuse_line(request, lines[i].number);
            return false;
        }
        lines[i].name = gjk_arena_copy_text(&request->arena, set.name, strlen(set.name));
        if (lines[i].name == NULL) {
            gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the sets' names");
            return false;
        }
    }
    return check_names(request, lines, count);
}

/* Lets other tasks run in the midst of an import, which has begun and is therefore not late. */
static bool pause_import(void *unused) {
    (void)unused;
    gjkd_pool_pause(uv_hrtime());
    return false;
}

/* Makes the set of a line the newest version of its name. Returns false if the request has a problem. */
static bool store_line(struct gjkd_request *request, struct line *line, struct gjk_arena *arena) {
    proto_set set;
    if (!decode_line(request, line, arena, &set)) {
        return false;
    }
    const gjkd_write write = {
        .storage = request->context->storage,
        .change = &line->change,
        .name = line->name,
        .if_none_match = request->params.replace ? NULL : "*",
        .problem = &request->problem,
        .budget = arena->budget,
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
    return true;
}

/*
 * Stores the sets in order and waits for the storage, which may put many into one transaction. Where
 * one is refused, those before it stay. The lines lie in the request's arena, which a refusal may
 * free: the storage must have let go of all changes by then.
 */
static bool store_lines(struct gjkd_request *request, struct line *lines, size_t count,
                        struct gjk_arena *arena) {
    size_t made = 0;
    while (made < count && store_line(request, &lines[made], arena)) {
        made++;
    }
    size_t bad = made;
    gjkd_pool_step_out();
    for (size_t i = 0; i < made; i++) {
        const gjkd_durability durability = gjkd_change_wait(&lines[i].change);
        if (durability == GJKD_NOT_STORED && bad == made) {
            bad = i;
            proto_problem_set(&request->problem, PROTO_NOT_STORED, "the disk refused this set");
        } else if (durability != GJKD_NO_WRITE) {
            request->change.durability = durability;
        }
    }
    if (bad < count) {
        request->change.durability = GJKD_NO_WRITE; /* the answer tells of none */
        refuse_line(request, lines[bad].number);
    }
    return bad == count;
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

void gjkd_handle_import(struct gjkd_request *request) {
    proto_text rest = gjkd_request_text(request), text;
    size_t number = 0, count = 0;
    while (next_line(&rest, &number, &text)) {
        count++;
    }
    const uint64_t count_max = request->context->limits.sets_max;
    if (count > count_max) {
        proto_problem_set(&request->problem, PROTO_TOO_MANY, "there may be %" PRIu64 " sets",
                          count_max);
        (void)proto_problem_limit(&request->problem, count_max);
        gjkd_request_refuse(request);
        return;
    }
    struct line *lines = gjk_arena_alloc_array(&request->arena, count + 1, sizeof *lines);
    if (lines == NULL) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the sets' names");
        return;
    }
    rest = gjkd_request_text(request);
    number = 0;
    for (size_t i = 0; next_line(&rest, &number, &text); i++) {
        lines[i] = (struct line){.number = number, .text = text};
    }
    request->asked = count;
    struct gjk_arena arena;
    gjk_arena_init(&arena, 0);
    gjk_arena_charge(&arena, &request->account->account);
    gjk_arena_set_budget(&arena, &request->budget);
    if (check_lines(request, lines, count, &arena)) {
        gjkd_request_mark_decoded(request);
        if (gjkd_request_claim(request)) {
            gjk_budget budget = gjk_budget_make(pause_import, NULL);
            gjk_arena_set_budget(&arena, &budget);
            if (store_lines(request, lines, count, &arena)) {
                reply_lines(request, lines, count);
            }
        }
    }
    gjk_arena_fini(&arena);
}
