/*
 * Handlers of whole sets and single shapes. Bodies are decoded before the writer lock is taken;
 * sets/commit.c decides under the lock.
 */

#include "handlers/change.h"
#include "handlers/handlers.h"
#include "proto/columns.h"
#include "request/context.h"
#include "request/request.h"

#include <stdio.h>
#include <string.h>

/* Default number of summaries on one page. */
#define PAGE_DEFAULT 1000

/* Size of a set's definition above which its answer is printed while it is sent. */
#define STREAMED_BYTES ((uint64_t)1 << 20)

/* --- The answer to GET of a large set, printed while it is sent --- */

/*
 * A shape is printed as three spans: the text before its definition, the stored definition, and the
 * text after it. To know the length of the answer before it is sent, a worker prints everything
 * once and discards it.
 */

/* Memory for the first and last span of a shape, which need less than a quarter of it. */
#define WINDOW_BYTES 8192

enum { SPANS = 3 };

struct stream {
    const struct gjkd_version *version;
    proto_text head;
    gjk_set_iterator bodies;
    bool is_at_end;
    proto_text spans[SPANS]; /* spans of the current shape */
    int span;                /* current span; SPANS if all are sent */
    size_t offset;           /* bytes of the current span that are sent */
    bool is_cut;             /* memory was exhausted: the answer is incomplete */
    struct gjk_arena window;
    char memory[WINDOW_BYTES];
};

static void rewind_to_head(struct stream *stream, gjk_budget *budget) {
    stream->bodies = gjk_set_iterate(stream->version->set, budget);
    stream->is_at_end = false;
    stream->span = SPANS - 1;
    stream->spans[SPANS - 1] = stream->head;
    stream->offset = 0;
}

/* Makes the spans of the next shape, or of the end of the answer. Returns false after the end, or
 * if memory or the budget is exhausted. */
static bool advance(struct stream *stream) {
    const bool is_first = stream->bodies.next == 0;
    const gjk_body *body = gjk_set_next(&stream->bodies);
    if (stream->is_at_end || stream->is_cut || gjk_budget_is_spent(stream->bodies.budget)) {
        return false;
    }
    struct proto_buffer before, after;
    gjk_arena_reset(&stream->window);
    proto_buffer_init(&before, &stream->window);
    proto_buffer_init(&after, &stream->window);
    stream->spans[1] = (proto_text){NULL, 0};
    if (body != NULL) {
        const proto_stored stored = gjkd_stored_view(body);
        stream->spans[1] =
            proto_encode_set_shape_parts(&before, &after, body->id, is_first,
                                         stream->version->dimension, &stored, body->handle);
    } else {
        proto_encode_shapes_end(&after);
        stream->is_at_end = true;
    }
    if (before.failed || after.failed) {
        stream->is_cut = true;
        return false;
    }
    stream->spans[0] = (proto_text){before.data, before.length};
    stream->spans[2] = (proto_text){after.data, after.length};
    stream->span = 0;
    stream->offset = 0;
    return true;
}

static size_t read_stream(void *closure, char *to, size_t length) {
    struct stream *stream = closure;
    size_t done = 0;
    while (done < length) {
        if (stream->span == SPANS && !advance(stream)) {
            break;
        }
        const proto_text span = stream->spans[stream->span];
        const size_t left = span.length - stream->offset;
        const size_t count = left < length - done ? left : length - done;
        if (count > 0) {
            memcpy(to + done, span.data + stream->offset, count);
        }
        done += count;
        stream->offset += count;
        if (stream->offset == span.length) {
            stream->span++;
            stream->offset = 0;
        }
    }
    return done;
}

/* Returns the length of the answer. Incomplete if is_cut is set or the budget is spent. */
static uint64_t measure(struct stream *stream, gjk_budget *budget) {
    uint64_t length = stream->head.length;
    rewind_to_head(stream, budget);
    while (advance(stream)) {
        for (int i = 0; i < SPANS; i++) {
            length += stream->spans[i].length;
        }
    }
    rewind_to_head(stream, NULL); /* the deadline does not apply to sending */
    return length;
}

static void print_head(const struct gjkd_version *version, struct proto_buffer *out) {
    const proto_set_head head = gjkd_version_head(version);
    proto_encode_set_begin(out, &head);
}

static void free_window(void *window) {
    gjk_arena_fini(window);
}

/* Replies with the request's version, printed while it is sent and retained until then. */
static void stream_set(struct gjkd_request *request) {
    struct gjk_arena *arena = &request->arena;
    struct stream *stream = gjk_arena_alloc(arena, sizeof *stream);
    struct proto_buffer head;
    proto_buffer_init(&head, arena);
    print_head(request->version, &head);
    if (stream != NULL) {
        gjk_arena_init_in(&stream->window, 0, stream->memory, sizeof stream->memory);
        gjk_arena_charge(&stream->window, arena->account);
    }
    if (stream == NULL || head.failed || !gjk_arena_defer(arena, free_window, &stream->window)) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the answer");
        return;
    }
    stream->version = request->version;
    stream->head = (proto_text){head.data, head.length};
    stream->is_cut = false;
    const uint64_t length = measure(stream, &request->budget);
    if (stream->is_cut) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the answer");
    } else if (gjk_budget_is_spent(&request->budget)) {
        gjkd_request_fail_late(request);
    } else {
        gjkd_reply_set_stream(&request->reply, read_stream, stream, length);
    }
}

/* --- GET /v1/sets --- */

/* Lists the sets that the token allows, like gjkd_registry_list. */
static size_t list_sets(const struct gjkd_request *request, const char *after, size_t limit,
                        struct gjkd_version **out, bool *more) {
    const char *prefix = request->params.prefix != NULL ? request->params.prefix : "";
    return gjkd_registry_list(request->context->registry, prefix, &request->grant, after, limit,
                              out, more);
}

void gjkd_handle_list_sets(struct gjkd_request *request) {
    const gjkd_params *params = &request->params;
    const char *cursor = params->cursor;
    if (cursor != NULL && !proto_is_set_name(cursor, strlen(cursor))) {
        gjkd_request_fail(request, PROTO_BAD_REQUEST, "the cursor is not one that an answer gave");
        return;
    }
    uint64_t most = request->context->limits.sets_max; /* there are never more sets */
    uint64_t limit = params->limit > 0 ? params->limit : PAGE_DEFAULT;
    limit = limit < most ? limit : most;
    struct gjkd_version **page = gjk_arena_alloc_array(&request->arena, limit, sizeof *page);
    proto_summary *summaries = gjk_arena_alloc_array(&request->arena, limit, sizeof *summaries);
    if (page == NULL || summaries == NULL) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the list");
        return;
    }
    bool more = false;
    const size_t count = list_sets(request, cursor, limit, page, &more);
    for (size_t i = 0; i < count; i++) {
        summaries[i] = gjkd_version_summary(page[i]);
    }
    struct proto_buffer body;
    proto_buffer_init_blocks(&body, &request->arena);
    proto_encode_set_list(&body, summaries, count, more ? summaries[count - 1].name : NULL);
    for (size_t i = 0; i < count; i++) {
        gjkd_version_release(page[i]);
    }
    gjkd_request_reply(request, 200, &body);
}

/* --- GET /v1/export --- */

/* An export retains one version at a time, that of the current set, as request->version. The client
 * is charged for it once it is no longer the newest. */
struct export {
    struct gjkd_request *request;
    struct gjk_arena heads; /* memory for the head of the current set */
    struct stream stream;
    char name[PROTO_SET_NAME_BYTES_MAX + 1]; /* name of the current or last set, "" at first */
};

/* Begins the next set. Returns false if there is none, or memory is exhausted (stream.is_cut). */
static bool export_next(struct export *export) {
    struct gjkd_request *request = export->request;
    struct stream *stream = &export->stream;
    bool more;
    gjkd_version_release(request->version);
    request->version = NULL;
    (void)list_sets(request, export->name[0] != '\0' ? export->name : NULL, 1, &request->version,
                    &more);
    if (request->version == NULL) {
        return false;
    }
    struct proto_buffer head;
    snprintf(export->name, sizeof export->name, "%s", request->version->name);
    gjk_arena_reset(&export->heads);
    proto_buffer_init(&head, &export->heads);
    print_head(request->version, &head);
    stream->version = request->version;
    stream->head = (proto_text){head.data, head.length};
    stream->is_cut = head.failed;
    rewind_to_head(stream, NULL);
    return !head.failed;
}

static size_t read_export(void *closure, char *to, size_t length) {
    struct export *export = closure;
    size_t done = 0;
    while (done < length && export->request->version != NULL) {
        const size_t count = read_stream(&export->stream, to + done, length - done);
        done += count;
        if (done < length && !export->stream.is_cut) {
            to[done++] = '\n';
            (void)export_next(export);
        }
        if (export->stream.is_cut) {
            return SIZE_MAX;
        }
    }
    export->request->reply.length += done;
    return done;
}

void gjkd_handle_export(struct gjkd_request *request) {
    struct gjk_arena *arena = &request->arena;
    struct export *export = gjk_arena_alloc(arena, sizeof *export);
    if (export == NULL) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the answer");
        return;
    }
    export->request = request;
    export->name[0] = '\0';
    export->stream.is_cut = false;
    gjk_arena_init_in(&export->stream.window, 0, export->stream.memory,
                      sizeof export->stream.memory);
    gjk_arena_charge(&export->stream.window, arena->account);
    gjk_arena_init(&export->heads, 0);
    gjk_arena_charge(&export->heads, arena->account);
    if (!gjk_arena_defer(arena, free_window, &export->stream.window) ||
        !gjk_arena_defer(arena, free_window, &export->heads) ||
        (!export_next(export) && export->stream.is_cut)) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the answer");
        return;
    }
    gjkd_reply_set_stream(&request->reply, read_export, export, 0);
    request->reply.content_type = GJKD_TYPE_LINES;
    request->reply.is_open_ended = true;
}

/* --- GET /v1/sets/{set} --- */

static void reply_set(struct gjkd_request *request) {
    const struct gjkd_version *version = request->version;
    gjkd_version_etag(version, request->reply.etag);
    if (gjkd_request_reuse_packed(request)) {
        return;
    }
    if (version->body_bytes > STREAMED_BYTES) {
        stream_set(request);
        return;
    }
    struct proto_buffer body;
    proto_buffer_init_blocks(&body, &request->arena);
    print_head(version, &body);
    gjk_set_iterator bodies = gjk_set_iterate(version->set, &request->budget);
    for (const gjk_body *shape; (shape = gjk_set_next(&bodies)) != NULL;) {
        const proto_stored stored = gjkd_stored_view(shape);
        proto_encode_set_shape(&body, shape->id, version->dimension, &stored, shape->handle);
    }
    if (gjk_budget_is_spent(&request->budget)) {
        gjkd_request_fail_late(request);
        return;
    }
    proto_encode_shapes_end(&body);
    gjkd_request_reply(request, 200, &body);
}

void gjkd_handle_get_set(struct gjkd_request *request) {
    if (!gjkd_may_read(request)) {
        return;
    }
    if (request->params.summary) {
        gjkd_reply_summary(request, 200, request->version);
    } else {
        reply_set(request);
    }
}

/* --- PUT, PATCH and DELETE /v1/sets/{set} --- */

void gjkd_handle_put_set(struct gjkd_request *request) {
    const gjkd_write write = gjkd_write_make(request);
    proto_set set;
    if (!proto_is_set_name(request->match.variable.text, request->match.variable.length)) {
        gjkd_request_fail(request, PROTO_BAD_NAME,
                          "a set's name has the form [A-Za-z0-9][A-Za-z0-9._~-]{0,127}");
        return;
    }
    if (!gjkd_may_write(request, proto_decode_set(gjkd_request_text(request), write.name,
                                                  &request->context->limits, &request->arena, &set,
                                                  &request->problem))) {
        return;
    }
    struct gjkd_version *version = NULL;
    gjkd_outcome outcome = gjkd_commit_put(&write, &set, &version);
    if (outcome == GJKD_REFUSED) {
        gjkd_request_refuse(request);
        return;
    }
    gjkd_reply_summary(request, outcome == GJKD_CREATED ? 201 : 200, version);
    gjkd_version_release(version);
}

void gjkd_handle_patch_set(struct gjkd_request *request) {
    struct gjkd_version *version = NULL;
    if (gjkd_change_make(request, PROTO_PATCH_SET, NULL, NULL, &version, NULL) != GJKD_REFUSED) {
        gjkd_reply_summary(request, 200, version);
    }
    gjkd_version_release(version);
}

void gjkd_handle_delete_set(struct gjkd_request *request) {
    const gjkd_write write = gjkd_write_make(request);
    if (!gjkd_request_claim(request)) {
        return;
    }
    if (!gjkd_commit_delete(&write)) {
        gjkd_request_refuse(request);
        return;
    }
    request->reply.status = 204;
}

/* --- Single shapes --- */

/* A shape is written as a change of its set, and has its own ETag. */

/* /v1/sets/{set}/shapes/{id} */
#define ID_SEGMENT 4

static const char *id_of(const struct gjkd_request *request) {
    return request->path.segments[ID_SEGMENT].text;
}

static bool check_id(struct gjkd_request *request) {
    const gjkd_segment *id = &request->path.segments[ID_SEGMENT];
    uint64_t max = request->context->limits.id_bytes_max;
    if (proto_is_id(id->text, id->length, max)) {
        return true;
    }
    proto_problem_set(&request->problem, PROTO_BAD_NAME,
                      "an id has 1 to %llu characters of [A-Za-z0-9._~:@/-], with no segment "
                      "between slashes empty, \".\" or \"..\"",
                      (unsigned long long)max);
    if (id->length > max) {
        proto_problem_limit(&request->problem, max);
    }
    return gjkd_request_refuse(request);
}

static void reply_shape(struct gjkd_request *request, int status,
                        const struct gjkd_version *version, const gjk_body *body) {
    struct proto_buffer out;
    proto_stored stored = gjkd_stored_view(body);
    proto_buffer_init(&out, &request->arena);
    proto_encode_shape(&out, version->dimension, &stored, body->handle, version->revision);
    gjkd_shape_etag(version, body, request->reply.etag);
    gjkd_request_reply(request, status, &out);
}

/* Replies with the pieces whose union the shape is. */
static void reply_pieces(struct gjkd_request *request, const gjk_body *body) {
    struct proto_buffer out;
    proto_buffer_init(&out, &request->arena);
    if (!proto_encode_pieces(&out, body->placed.shape)) {
        gjkd_request_fail(request, PROTO_BAD_REQUEST,
                          "fields=pieces is for a region, chain, mesh or heightfield");
        return;
    }
    gjkd_shape_etag(request->version, body, request->reply.etag);
    gjkd_request_reply(request, 200, &out);
}

void gjkd_handle_get_shape(struct gjkd_request *request) {
    const gjk_body *body = gjk_set_find(request->version->set, id_of(request));
    if (body == NULL) {
        gjkd_request_fail(request, PROTO_SHAPE_NOT_FOUND, "there is no shape \"%.140s\" in the set",
                          id_of(request));
        return;
    }
    char etag[GJKD_ETAG_MAX];
    gjkd_shape_etag(request->version, body, etag);
    if (!gjkd_request_check_conditions(request, etag, body->id, true)) {
        return;
    }
    if (request->params.pieces) {
        reply_pieces(request, body);
    } else {
        reply_shape(request, 200, request->version, body);
    }
}

static void write_shape(struct gjkd_request *request, proto_change_form form) {
    struct gjkd_version *version = NULL;
    bool was_there = false;
    if (check_id(request) && gjkd_change_make(request, form, id_of(request), NULL, &version,
                                              &was_there) != GJKD_REFUSED) {
        reply_shape(request, was_there ? 200 : 201, version,
                    gjk_set_find(version->set, id_of(request)));
    }
    gjkd_version_release(version);
}

/* A shape from a column message, which PUT takes for shapes that are too large for JSON. */
struct definition {
    proto_shape shape;
    proto_edit edit;
    const proto_limits *limits;
};

static bool derive_shape(void *user, const struct gjkd_version *current, proto_edits *out,
                         struct proto_problem *problem) {
    struct definition *definition = user;
    const uint64_t limit = definition->limits->shapes_per_set_max;
    if (!gjkd_check_dimension(current, definition->shape.shape.dimension, "", problem)) {
        return false;
    }
    definition->edit.self = gjk_set_find(current->set, definition->edit.id);
    *out = (proto_edits){.items = &definition->edit, .count = 1};
    if (definition->edit.self != NULL || gjk_set_count(current->set) < limit) {
        return true;
    }
    proto_problem_set(problem, PROTO_TOO_MANY, "%u shapes, at most %llu are allowed",
                      gjk_set_count(current->set) + 1, (unsigned long long)limit);
    return proto_problem_limit(problem, limit);
}

/* Stores a shape from a column message. The answer has its number of pieces, not its definition. */
static void put_columns(struct gjkd_request *request) {
    const char *id = id_of(request);
    struct gjkd_version *version = NULL;
    struct definition definition = {.edit = {.id = id, .kind = PROTO_EDIT_DEFINE},
                                    .limits = &request->context->limits};
    definition.edit.shape = &definition.shape;
    if (!check_id(request) ||
        !gjkd_may_write(request, proto_decode_body_columns(gjkd_request_text(request),
                                                           definition.limits, &request->arena,
                                                           &definition.shape, &request->problem))) {
        return;
    }
    const gjkd_write write = gjkd_write_make(request);
    const gjkd_deriver deriver = {derive_shape, &definition, false};
    if (gjkd_commit_edit(&write, id, NULL, &deriver, &version) == GJKD_REFUSED) {
        gjkd_request_refuse(request);
        return;
    }
    const gjk_body *body = gjk_set_find(version->set, id);
    struct proto_buffer out;
    proto_buffer_init(&out, &request->arena);
    proto_encode_stored(&out, body, version->revision);
    gjkd_shape_etag(version, body, request->reply.etag);
    gjkd_request_reply(request, definition.edit.self != NULL ? 200 : 201, &out);
    gjkd_version_release(version);
}

void gjkd_handle_put_shape(struct gjkd_request *request) {
    if (request->columns_in) {
        put_columns(request);
    } else {
        write_shape(request, PROTO_PUT_SHAPE);
    }
}

void gjkd_handle_patch_shape(struct gjkd_request *request) {
    write_shape(request, PROTO_PATCH_SHAPE);
}

static bool derive_removal(void *user, const struct gjkd_version *current, proto_edits *out,
                           struct proto_problem *problem) {
    proto_edit *removal = user;
    removal->self = gjk_set_find(current->set, removal->id);
    if (removal->self == NULL) {
        return proto_problem_set(problem, PROTO_SHAPE_NOT_FOUND,
                                 "there is no shape \"%.140s\" in the set", removal->id);
    }
    *out = (proto_edits){.items = removal, .count = 1};
    return true;
}

void gjkd_handle_delete_shape(struct gjkd_request *request) {
    proto_edit removal = {.id = id_of(request), .kind = PROTO_EDIT_REMOVE};
    const gjkd_deriver deriver = {derive_removal, &removal, false};
    gjkd_write write = gjkd_write_make(request);
    struct gjkd_version *version = NULL;
    write.refuses_missing = true;
    if (!gjkd_request_claim(request)) {
        return;
    }
    if (gjkd_commit_edit(&write, removal.id, NULL, &deriver, &version) == GJKD_REFUSED) {
        gjkd_request_refuse(request);
        return;
    }
    gjkd_version_etag(version, request->reply.etag);
    gjkd_etag_add_handle(request->reply.etag, 0); /* handle 0: no shape has it */
    request->reply.status = 204;
    gjkd_version_release(version);
}
