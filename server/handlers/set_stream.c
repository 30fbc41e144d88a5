/*
 * A shape is three spans: what is printed before its definition, the definition, and what is printed
 * after it. The length of the answer is known before the first byte is sent, because everything is
 * printed once on a worker, only to be measured.
 */

#include "handlers/set_stream.h"

#include "request/request.h"

#include <string.h>

/* Memory for what is printed of one shape; ids and numbers need less than a quarter of it. */
#define WINDOW_BYTES 8192

enum { SPANS = 3 };

struct stream {
    const struct gjkd_version *version;
    proto_text head;
    gjk_set_iterator bodies;
    bool is_at_end;
    proto_text spans[SPANS]; /* what is being sent */
    int span;                /* of them, and ... */
    size_t offset;           /* ... in it */
    bool is_cut;             /* memory was exhausted: the answer ends before its end */
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

/* Makes the spans of the next shape, or that of the end. Returns false if there is nothing more, no
 * memory, or the budget is spent. */
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
        proto_encode_set_end(&after);
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

/* The length of the answer, unless the budget is spent. */
static uint64_t measure(struct stream *stream, gjk_budget *budget) {
    uint64_t length = stream->head.length;
    rewind_to_head(stream, budget);
    while (advance(stream)) {
        for (int i = 0; i < SPANS; i++) {
            length += stream->spans[i].length;
        }
    }
    rewind_to_head(stream, NULL); /* the peer reads it when it likes */
    return length;
}

static void print_head(const struct gjkd_version *version, struct proto_buffer *out) {
    const proto_set_head head = {
        .summary = gjkd_version_summary(version),
        .has_history = version->has_history,
        .history_ticks = version->history_ticks,
        .meta = version->meta,
    };
    proto_encode_set_begin(out, &head);
}

static void free_window(void *window) {
    gjk_arena_fini(window);
}

void gjkd_set_stream_reply(struct gjkd_request *request) {
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
