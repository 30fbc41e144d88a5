/*
 * Packs replies. What may be long and is read again and again (sets, shapes, files) is packed for
 * every client that asks for it, other answers only where they are large. A packed reply is another
 * representation, with an entity tag of its own (RFC 9110, section 8.8.3.3).
 */

#include "request/context.h"
#include "request/gzip.h"
#include "request/request.h"

#include <string.h>

/* Answers of at least so many bytes are packed, whatever they are. */
#define LARGE_BYTES 65536

/* A reply's body, piece by piece. */
typedef struct body_source {
    const gjkd_reply *reply;
    size_t given; /* texts, or 1 of a body in one piece */
    struct gjkd_request *request;
    uint64_t read_bytes; /* of one that is read */
    bool is_late;        /* nobody waits for the rest */
    char window[16384];
} body_source;

static const char *next_piece(void *user, size_t *length) {
    body_source *source = user;
    const gjkd_reply *reply = source->reply;
    *length = 0;
    source->is_late = gjkd_request_is_late(source->request) &&
                      atomic_load(&source->request->fate) != GJKD_FATE_CLAIMED;
    if (source->is_late) {
        return "";
    }
    if (reply->read != NULL) {
        *length = reply->read(reply->reader, source->window, sizeof source->window);
        source->read_bytes += *length;
        return source->window;
    }
    if (source->given == (reply->texts != NULL ? reply->text_count : 1)) {
        return "";
    }
    const size_t i = source->given++;
    *length = reply->texts != NULL ? reply->texts[i].length : reply->length;
    return reply->texts != NULL ? reply->texts[i].data : reply->data;
}

/* Puts the packed body in the place of the other. False: there is no memory for it. */
static bool pack_body(struct gjkd_request *request) {
    gjkd_reply *reply = &request->reply;
    body_source source = {.reply = reply, .request = request};
    struct proto_buffer out;
    proto_buffer_init_blocks(&out, &request->arena);
    if (!gjkd_pack(reply->length, next_piece, &source, &out)) {
        return false;
    }
    if (source.is_late) {
        gjkd_request_fail_late(request);
        return true;
    }
    if (reply->read != NULL && source.read_bytes < reply->length) {
        return false;
    }
    size_t count;
    const proto_text *texts = proto_buffer_texts(&out, &count);
    if (texts == NULL) {
        return false;
    }
    reply->texts = texts;
    reply->text_count = count;
    reply->read = NULL;
    reply->length = proto_buffer_length(&out);
    return true;
}

/* Is it packed for clients that take that? */
static bool is_packable(const struct gjkd_request *request) {
    const struct gjkd_operation *operation = request->match.operation;
    const gjkd_reply *reply = &request->reply;
    const bool is_kind = operation != NULL && (operation->flags & GJKD_PACKED) != 0 &&
                         (reply->status == 200 || reply->status == 304);
    return is_kind || (reply->status / 100 == 2 && reply->length >= LARGE_BYTES);
}

bool gjkd_request_is_to_be_packed(const struct gjkd_request *request) {
    return request->reply.length > 0 && is_packable(request) &&
           gjkd_accepts_gzip(request->head.accept_encoding);
}

/*
 * A 304 has the entity tag and the Vary of the answer that it stands for (RFC 9110, section 15.4.5). Of
 * answers that are packed where they are large, the client's own tag tells which form that would be.
 */
static void settle_not_modified(struct gjkd_request *request) {
    const char *known = request->head.if_none_match;
    char packed[GJKD_ETAG_MAX];
    memcpy(packed, request->reply.etag, sizeof packed);
    gjkd_etag_mark_gzip(packed);
    request->reply.varies_by_coding = true;
    if (known != NULL && strchr(known, '"') != NULL &&
        gjkd_accepts_gzip(request->head.accept_encoding) &&
        gjkd_precondition_check(NULL, known, packed, true) == GJKD_NOT_MODIFIED) {
        memcpy(request->reply.etag, packed, sizeof packed);
    }
}

void gjkd_request_pack(struct gjkd_request *request) {
    gjkd_reply *reply = &request->reply;
    if (!is_packable(request)) {
        if (reply->status == 304) {
            settle_not_modified(request);
        }
        return;
    }
    reply->varies_by_coding = true;
    if (!gjkd_accepts_gzip(request->head.accept_encoding)) {
        return;
    }
    const bool was_read = reply->read != NULL;
    if (reply->length > 0 && pack_body(request)) {
        reply->content_encoding = reply->status / 100 == 2 ? "gzip" : NULL;
    } else if (was_read) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "the answer does not fit into memory");
        return;
    } else if (reply->length > 0) {
        return; /* it is sent as it is */
    }
    gjkd_etag_mark_gzip(reply->etag);
}
