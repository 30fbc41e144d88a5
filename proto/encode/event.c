/* Encodes the events of a set, each one a JSON object on one line. */

#include <string.h>

#include "encode/encode.h"

static void begin_event(struct proto_buffer *out, const proto_event *event) {
    proto_put_text(out, "{");
    proto_put_key(out, "kind");
    proto_put_string_or_null(out, event->kind);
    proto_put_key(out, "revision");
    proto_put_integer(out, event->revision);
    proto_put_tick(out, &event->ticks);
}

void proto_encode_event(struct proto_buffer *out, const proto_event *event) {
    begin_event(out, event);
    proto_put_text(out, "}");
}

static void put_history(struct proto_buffer *out, const proto_change_head *head) {
    proto_put_key(out, "history");
    if (head->has_history) {
        proto_put_text(out, "{");
        proto_put_key(out, "ticks");
        proto_put_integer(out, head->history_ticks);
        proto_put_text(out, "}");
    } else {
        proto_put_text(out, "null");
    }
}

static void put_meta(struct proto_buffer *out, proto_text meta) {
    proto_put_key(out, "meta");
    if (meta.data != NULL) {
        proto_put_bytes(out, meta.data, meta.length);
    } else {
        proto_put_text(out, "null");
    }
}

void proto_encode_change_begin(struct proto_buffer *out, const proto_change_head *head) {
    begin_event(out, &head->event);
    proto_put_ticks(out, &head->event.ticks);
    if (head->tells_history) {
        put_history(out, head);
    }
    if (head->tells_meta) {
        put_meta(out, head->meta);
    }
    proto_put_key(out, "shapes");
    proto_put_text(out, "{");
}

void proto_encode_gone(struct proto_buffer *out, const char *id) {
    proto_put_key(out, id);
    proto_put_text(out, "null");
}

static void put_pairs(struct proto_buffer *out, const char *key, const proto_id_pair *pairs,
                      size_t count) {
    proto_put_key(out, key);
    proto_put_text(out, "[");
    for (size_t i = 0; i < count && !out->failed; i++) {
        proto_put_item(out);
        proto_put_text(out, "[");
        proto_put_string(out, pairs[i].a, strlen(pairs[i].a));
        proto_put_text(out, ",");
        proto_put_string(out, pairs[i].b, strlen(pairs[i].b));
        proto_put_text(out, "]");
    }
    proto_put_text(out, "]");
}

void proto_encode_overlap(struct proto_buffer *out, const proto_overlap *overlap) {
    begin_event(out, &overlap->event);
    if (overlap->is_all) {
        proto_put_key(out, "all");
        proto_put_text(out, "true");
    }
    put_pairs(out, "begin", overlap->begin, overlap->begin_count);
    put_pairs(out, "end", overlap->end, overlap->end_count);
    proto_put_text(out, "}");
}
