/*
 * What does GET say of sets? A summary, a page of summaries, or the whole set in the form that
 * PUT takes, with the read-only members beside it. A shape is told by its own definition.
 */

#include <string.h>

#include "buffer.h"

static void put_integer(struct proto_buffer *out, const char *key, uint64_t value) {
    proto_put_key(out, key);
    proto_put_integer(out, value);
}

static void put_null(struct proto_buffer *out, const char *key) {
    proto_put_key(out, key);
    proto_put_text(out, "null");
}

static void put_name(struct proto_buffer *out, const proto_summary *summary) {
    proto_put_key(out, "name");
    proto_put_string(out, summary->name, strlen(summary->name));
    put_integer(out, "dimension", summary->dimension);
    put_integer(out, "revision", summary->revision);
}

void proto_encode_summary(struct proto_buffer *out, const proto_summary *summary) {
    proto_put_text(out, "{");
    put_name(out, summary);
    put_null(out, "tick");
    put_integer(out, "shapes", summary->shapes);
    put_null(out, "ticks");
    put_integer(out, "bytes", summary->bytes);
    proto_put_text(out, "}");
}

void proto_encode_set_list(struct proto_buffer *out, const proto_summary *summaries, size_t count,
                           const char *next) {
    proto_put_text(out, "{\"sets\":[");
    for (size_t i = 0; i < count && !out->failed; i++) {
        proto_put_item(out);
        proto_encode_summary(out, &summaries[i]);
    }
    proto_put_text(out, "]");
    proto_put_key(out, "next");
    proto_put_string_or_null(out, next);
    proto_put_text(out, "}");
}

void proto_encode_set_begin(struct proto_buffer *out, const proto_set_head *head) {
    proto_put_text(out, "{");
    put_name(out, &head->summary);
    put_null(out, "tick");
    put_null(out, "ticks");
    if (head->has_history) {
        proto_put_key(out, "history");
        proto_put_text(out, "{");
        put_integer(out, "ticks", head->history_ticks);
        proto_put_text(out, "}");
    }
    if (head->meta.data != NULL) {
        proto_put_key(out, "meta");
        proto_put_bytes(out, head->meta.data, head->meta.length);
    }
    proto_put_key(out, "shapes");
    proto_put_text(out, "{");
}

/* first is for the reader of the call; the comma comes by itself. */
void proto_encode_set_shape(struct proto_buffer *out, bool first, const char *id,
                            proto_text definition, uint32_t handle) {
    (void)first;
    GJK_ASSERT(definition.length > 2 && definition.data[definition.length - 1] == '}');
    proto_put_key(out, id);
    proto_put_bytes(out, definition.data, definition.length - 1);
    put_integer(out, "handle", handle);
    proto_put_text(out, "}");
}

void proto_encode_set_end(struct proto_buffer *out) {
    proto_put_text(out, "}}");
}
