/*
 * Receives bodies. The pieces are stored in the request's arena, which is charged to its account,
 * up to the limit of a body. A gzipped body is unpacked by a worker, as it may grow a thousandfold.
 * The body of a refused request is discarded, up to a limit, so that a client that goes on sending
 * gets its answer.
 */

#include "request/request_body.h"

#include "request/context.h"
#include "request/request.h"
#include "util/head.h"
#include "work/memory.h"

#include <string.h>
#include <zlib.h>

/* First size of the buffer for a body of unknown length. */
#define BODY_START_BYTES 4096

/* Bytes of an unlimited body that extend the request's deadline by a second. */
#define LINES_BYTES_PER_S 65536

void gjkd_request_refuse_length(struct gjkd_request *request) {
    uint64_t max = request->context->limits.body_bytes_max;
    proto_problem_set(&request->problem, PROTO_BODY_TOO_LARGE, "a body may have %llu bytes",
                      (unsigned long long)max);
    proto_problem_limit(&request->problem, max);
    proto_problem_hint(&request->problem, "store a large set in pieces: PUT a part of its shapes, "
                                          "then PATCH the others in; PUT a large mesh, height "
                                          "field or region as columns, application/x-protobuf: "
                                          "a million triangles with floats are 15 MB");
    gjkd_request_refuse(request);
    request->reply.close = true;
}

/* Returns true if the body may have any length. The client's share of memory still bounds it. */
static bool is_unlimited(const struct gjkd_request *request) {
    return request->match.operation != NULL && (request->match.operation->flags & GJKD_LINES) != 0;
}

bool gjkd_request_is_too_long(const struct gjkd_request *request) {
    return request->head.has_length && !is_unlimited(request) &&
           request->head.body_bytes > request->context->limits.body_bytes_max;
}

/* Makes room for `length` more bytes. An announced length is allocated at once. Returns false if
 * memory is exhausted. */
static bool reserve_body(struct gjkd_request *request, size_t length) {
    if (request->body_capacity - request->body_bytes >= length) {
        return true;
    }
    size_t capacity =
        request->head.has_length ? (size_t)request->head.body_bytes : BODY_START_BYTES;
    while (capacity < request->body_bytes + length) {
        capacity *= 2;
    }
    char *grown = gjk_arena_alloc_gradual(&request->arena, capacity);
    if (grown == NULL) {
        return false;
    }
    if (request->body_bytes > 0) {
        memcpy(grown, request->body, request->body_bytes);
    }
    request->body = grown;
    request->body_capacity = capacity;
    return true;
}

bool gjkd_request_keep(struct gjkd_request *request, const char *data, size_t length) {
    if (is_unlimited(request) && request->head.timeout_ms == NULL) {
        request->deadline_ns += length * (UINT64_C(1000000000) / LINES_BYTES_PER_S);
    } else if (!is_unlimited(request) &&
               request->body_bytes + length > request->context->limits.body_bytes_max) {
        gjkd_request_refuse_length(request);
        return false;
    }
    if (!reserve_body(request, length)) {
        return gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the body");
    }
    memcpy(request->body + request->body_bytes, data, length);
    request->body_bytes += length;
    return true;
}

static bool keep_unpacked(void *user, const char *data, size_t length) {
    struct gjkd_request *request = user;
    if (gjkd_request_check_time(request)) {
        return gjkd_request_fail_late(request);
    }
    return gjkd_request_keep(request, data, length);
}

/* Unpacks `packed` into the sink. Refuses the request if it is malformed or truncated. */
static void unpack(struct gjkd_request *request, proto_text packed, gjkd_unpack_sink *sink,
                   void *user) {
    switch (gjkd_unpack(packed, &request->arena, sink, user)) {
    case GJKD_UNPACKED:
    case GJKD_UNPACK_STOPPED:
        break;
    case GJKD_UNPACK_CORRUPT:
        gjkd_request_fail(request, PROTO_BAD_REQUEST, "the body is not well-formed gzip: %s",
                          "its bytes or its checksum are wrong");
        break;
    case GJKD_UNPACK_CUT:
        gjkd_request_fail(request, PROTO_BAD_REQUEST, "the body is not well-formed gzip: %s",
                          "it ends too early");
        break;
    case GJKD_UNPACK_NO_MEMORY:
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory to unpack the body");
        break;
    }
}

void gjkd_request_unpack_body(struct gjkd_request *request) {
    const proto_text packed = gjkd_request_text(request);
    if (!request->head.gzipped || packed.length == 0 || is_unlimited(request)) {
        return;
    }
    request->body = NULL;
    request->body_bytes = request->body_capacity = 0;
    request->head.has_length = false; /* the length is that of the gzipped body */
    unpack(request, packed, keep_unpacked, request);
}

bool gjkd_request_read_body(struct gjkd_request *request, gjkd_unpack_sink *sink, void *user) {
    const proto_text body = gjkd_request_text(request);
    if (body.length > 0 && request->head.gzipped) {
        unpack(request, body, sink, user);
    } else if (body.length > 0) {
        (void)sink(user, body.data, body.length);
    }
    return request->reply.status == 0;
}

bool gjkd_request_take_body(struct gjkd_request *request, const char *data, size_t length) {
    if (request->reply.status == 0 && (request->match.operation->flags & GJKD_TAKES_BODY)) {
        (void)gjkd_request_keep(request, data, length);
    }
    if (request->reply.status != 0 || !(request->match.operation->flags & GJKD_TAKES_BODY)) {
        request->discarded_bytes += length;
    }
    return request->discarded_bytes <= GJKD_DISCARD_BYTES_MAX;
}

/*
 * Compression by zlib, with memory of the request's arena. As RFC 1952 allows, a body may consist
 * of several members in a row, and nothing else may follow a member.
 */

/* Flag for zlib's window bits that selects the gzip format. */
#define GZIP_FORMAT 16
#define WINDOW_BITS_MAX 15

/* Largest piece that the sink is given. */
#define PIECE_BYTES 16384

/* Longest reply that is compressed with a small window, which takes less memory to clear. */
#define SMALL_BYTES 8192
#define SMALL_WINDOW_BITS 12
#define SMALL_MEMORY_LEVEL 5
#define MEMORY_LEVEL 8

static void *allocate(void *arena, unsigned items, unsigned size) {
    return gjk_arena_alloc_array(arena, items, size);
}

static void forget(void *arena, void *block) {
    (void)arena, (void)block; /* freed with the arena */
}

gjkd_unpack_status gjkd_unpack(proto_text packed, struct gjk_arena *arena, gjkd_unpack_sink *sink,
                               void *user) {
    char piece[PIECE_BYTES];
    bool is_complete = false; /* the last member has ended */
    z_stream stream = {.zalloc = allocate, .zfree = forget, .opaque = arena};
    if (inflateInit2(&stream, GZIP_FORMAT + WINDOW_BITS_MAX) != Z_OK) {
        return GJKD_UNPACK_NO_MEMORY;
    }
    stream.next_in = (unsigned char *)(uintptr_t)packed.data;
    stream.avail_in = (unsigned)packed.length;
    do {
        if (is_complete) {
            (void)inflateReset(&stream);
        }
        stream.next_out = (unsigned char *)piece;
        stream.avail_out = sizeof piece;
        const int status = inflate(&stream, Z_NO_FLUSH);
        if (status == Z_MEM_ERROR) { /* zlib allocates the window only now */
            return GJKD_UNPACK_NO_MEMORY;
        }
        const size_t made = sizeof piece - stream.avail_out; /* also before an error */
        if (made > 0 && !sink(user, piece, made)) {
            return GJKD_UNPACK_STOPPED;
        }
        if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
            return GJKD_UNPACK_CORRUPT;
        }
        is_complete = status == Z_STREAM_END;
    } while (stream.avail_in > 0 || (stream.avail_out == 0 && !is_complete));
    return is_complete ? GJKD_UNPACKED : GJKD_UNPACK_CUT;
}

/* Compresses the stream's input into `out`; flush is Z_FINISH at the end. Returns false if memory
 * is exhausted. */
static bool deflate_into(z_stream *stream, int flush, struct proto_buffer *out) {
    char piece[PIECE_BYTES];
    do {
        stream->next_out = (unsigned char *)piece;
        stream->avail_out = sizeof piece;
        if (deflate(stream, flush) == Z_STREAM_ERROR) {
            return false;
        }
        proto_put_bytes(out, piece, sizeof piece - stream->avail_out);
    } while (stream->avail_out == 0);
    return !out->failed;
}

bool gjkd_pack(uint64_t length, gjkd_pack_source *source, void *user, struct proto_buffer *out) {
    const bool is_small = length <= SMALL_BYTES;
    z_stream stream = {.zalloc = allocate, .zfree = forget, .opaque = out->arena};
    if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED,
                     GZIP_FORMAT + (is_small ? SMALL_WINDOW_BITS : WINDOW_BITS_MAX),
                     is_small ? SMALL_MEMORY_LEVEL : MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
        return false;
    }
    size_t count;
    const char *piece;
    while ((piece = source(user, &count)) != NULL && count > 0) {
        stream.next_in = (unsigned char *)(uintptr_t)piece;
        stream.avail_in = (unsigned)count;
        if (!deflate_into(&stream, Z_NO_FLUSH, out)) {
            return false;
        }
    }
    return deflate_into(&stream, Z_FINISH, out);
}

/* Returns true if Accept-Encoding (or NULL) accepts gzip, by name or by *, with a weight above 0
 * and not below that of identity (RFC 9110, section 12.5.3). */
static bool accepts_gzip(const char *accept_encoding) {
    int weight = gjkd_coding_weight(accept_encoding, "gzip");
    return weight > 0 && weight >= gjkd_coding_weight(accept_encoding, "identity");
}

/*
 * Compression of replies. Answers that are read repeatedly (sets, shapes, files: GJKD_PACKED) are
 * compressed for every client that accepts gzip, other answers only if they are large. A gzipped
 * reply is another representation, with its own entity tag (RFC 9110, section 8.8.3.3).
 */

/* Least length of an answer of any operation that is compressed. */
#define LARGE_BYTES 65536

/* A reply's body, piece by piece. */
typedef struct body_source {
    const gjkd_reply *reply;
    size_t given; /* number of pieces returned so far; a body in `data` is one piece */
    struct gjkd_request *request;
    uint64_t read_bytes; /* bytes that reply->read has given so far */
    bool is_late;        /* the deadline passed: compression stops */
    char window[16384];
} body_source;

static const char *next_piece(void *user, size_t *length) {
    body_source *source = user;
    const gjkd_reply *reply = source->reply;
    *length = 0;
    source->is_late = gjkd_request_check_time(source->request) &&
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

/* Bytes of an open-ended body after which a loop sends what zlib has compressed. */
#define AT_ONCE_BYTES 131072

/* An open-ended body that is compressed while it is sent. */
struct packed_reading {
    z_stream stream;
    gjkd_reply_reader read; /* gives the uncompressed body */
    void *reader;
    int flush; /* zlib's flush mode for the last piece; Z_FINISH at the end of the body */
    char window[PIECE_BYTES];
};

/* Reads compressed bytes (a gjkd_reply_reader). zlib only emits a block after about 16 Ki symbols,
 * which may represent 4 MiB; therefore it is flushed after AT_ONCE_BYTES. */
static size_t read_packed(void *closure, char *to, size_t length) {
    struct packed_reading *reading = closure;
    z_stream *stream = &reading->stream;
    size_t taken = 0;
    stream->next_out = (unsigned char *)to;
    stream->avail_out = (unsigned)length;
    int status = Z_OK;
    while (status == Z_OK && stream->avail_out == length) {
        if (stream->avail_in == 0 && reading->flush != Z_FINISH) {
            const size_t count =
                reading->read(reading->reader, reading->window, sizeof reading->window);
            if (count == SIZE_MAX) {
                return SIZE_MAX;
            }
            stream->next_in = (unsigned char *)reading->window;
            stream->avail_in = (unsigned)count;
            taken += count;
            reading->flush = count == 0              ? Z_FINISH
                             : taken < AT_ONCE_BYTES ? Z_NO_FLUSH
                                                     : Z_SYNC_FLUSH;
        }
        status = deflate(stream, reading->flush);
    }
    return status == Z_OK || status == Z_STREAM_END ? length - stream->avail_out : SIZE_MAX;
}

/* Compresses an open-ended body while it is sent. If memory is exhausted, it stays uncompressed. */
static void pack_while_sent(struct gjkd_request *request) {
    gjkd_reply *reply = &request->reply;
    struct packed_reading *reading = gjk_arena_alloc(&request->arena, sizeof *reading);
    if (reading == NULL) {
        return;
    }
    reading->stream = (z_stream){.zalloc = allocate, .zfree = forget, .opaque = &request->arena};
    reading->read = reply->read;
    reading->reader = reply->reader;
    reading->flush = Z_NO_FLUSH;
    if (deflateInit2(&reading->stream, Z_BEST_SPEED, Z_DEFLATED, GZIP_FORMAT + WINDOW_BITS_MAX,
                     MEMORY_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK) {
        reply->read = read_packed;
        reply->reader = reading;
        reply->content_encoding = "gzip";
    }
}

/* Replaces the reply's body by its gzipped form, or by a refusal if the deadline passed. Returns
 * false if memory is exhausted. */
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

/* Returns true if answers of the operation are compressed whatever their length. Their entity tag
 * and the parameters identify the body. */
static bool is_packed_operation(const struct gjkd_request *request) {
    const struct gjkd_operation *operation = request->match.operation;
    return operation != NULL && (operation->flags & GJKD_PACKED) != 0;
}

/* Returns true if the reply is compressed for clients that accept gzip. */
static bool is_packable(const struct gjkd_request *request) {
    const gjkd_reply *reply = &request->reply;
    const bool is_kind =
        is_packed_operation(request) && (reply->status == 200 || reply->status == 304);
    return is_kind ||
           (reply->status / 100 == 2 && (reply->length >= LARGE_BYTES || reply->is_open_ended));
}

bool gjkd_request_is_to_be_packed(const struct gjkd_request *request) {
    return request->reply.length > 0 && request->reply.content_encoding == NULL &&
           is_packable(request) && accepts_gzip(request->head.accept_encoding);
}

/*
 * Gives a 304 the entity tag and the Vary of the answer that it replaces (RFC 9110, section
 * 15.4.5). For answers that are compressed only if they are large, the client's own tag tells the
 * form.
 */
static void settle_not_modified(struct gjkd_request *request) {
    const char *known = request->head.if_none_match;
    char packed[GJKD_ETAG_MAX];
    memcpy(packed, request->reply.etag, sizeof packed);
    gjkd_etag_mark_gzip(packed);
    request->reply.varies_by_coding = true;
    if (known != NULL && strchr(known, '"') != NULL &&
        accepts_gzip(request->head.accept_encoding) &&
        gjkd_precondition_check(NULL, known, packed, true) == GJKD_NOT_MODIFIED) {
        memcpy(request->reply.etag, packed, sizeof packed);
    }
}

/* Writes the key of the reply for the cache of gzipped bodies. Returns false if it is not
 * cached. */
static bool write_key(const struct gjkd_request *request, char key[GJKD_PACKED_KEY_MAX]) {
    const gjkd_params *params = &request->params;
    snprintf(key, GJKD_PACKED_KEY_MAX, "%s%s%s", request->reply.etag,
             params->summary ? " summary" : "", params->pieces ? " pieces" : "");
    return is_packed_operation(request) && request->reply.etag[0] != '\0';
}

bool gjkd_request_reuse_packed(struct gjkd_request *request) {
    gjkd_reply *reply = &request->reply;
    const size_t length_max = request->trial_ns != 0 ? GJKD_SMALL_BYTES : SIZE_MAX;
    char key[GJKD_PACKED_KEY_MAX];
    proto_text body;
    if (!accepts_gzip(request->head.accept_encoding) || !write_key(request, key) ||
        !gjkd_packed_find(&request->context->packed, key, length_max, &request->arena, &body)) {
        return false;
    }
    gjkd_reply_set_body(reply, reply->content_type != NULL ? reply->content_type : GJKD_JSON_TYPE,
                        body.data, body.length);
    reply->texts = NULL;
    reply->read = NULL;
    reply->content_encoding = "gzip";
    reply->varies_by_coding = true;
    gjkd_etag_mark_gzip(reply->etag);
    return true;
}

void gjkd_request_pack(struct gjkd_request *request) {
    gjkd_reply *reply = &request->reply;
    char key[GJKD_PACKED_KEY_MAX];
    if (reply->content_encoding != NULL) {
        return; /* the body is from the cache */
    }
    if (!is_packable(request)) {
        if (reply->status == 304) {
            settle_not_modified(request);
        }
        return;
    }
    reply->varies_by_coding = true;
    if (!accepts_gzip(request->head.accept_encoding)) {
        return;
    }
    if (reply->is_open_ended) {
        pack_while_sent(request);
        return;
    }
    if (reply->status == 200 && gjkd_request_reuse_packed(request)) {
        return;
    }
    const bool was_read = reply->read != NULL;
    const bool is_kept = write_key(request, key) && reply->length >= GJKD_PACKED_LENGTH_MIN;
    if (reply->length > 0 && pack_body(request)) {
        reply->content_encoding = reply->status / 100 == 2 ? "gzip" : NULL;
        if (is_kept && reply->status == 200) {
            gjkd_packed_keep(&request->context->packed, key, reply->texts, reply->text_count);
        }
    } else if (was_read) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "the answer does not fit into memory");
        return;
    } else if (reply->length > 0) {
        return; /* no memory: the reply stays uncompressed */
    }
    gjkd_etag_mark_gzip(reply->etag);
}
