/*
 * zlib does the work, with memory of the request's arena. A body may be several members in a row, as
 * the format has it; what follows the last one must be another member.
 */

#include "request/gzip.h"

#include "util/media.h"

#include <string.h>
#include <zlib.h>

/* zlib: the gzip format, beside the logarithm of the window. */
#define GZIP_FORMAT 16
#define WINDOW_BITS_MAX 15

/* Largest piece that the sink is given. */
#define PIECE_BYTES 16384

/* Replies up to so many bytes are packed with little memory, which need not be cleared. */
#define SMALL_BYTES 8192
#define SMALL_WINDOW_BITS 12
#define SMALL_MEMORY_LEVEL 5
#define MEMORY_LEVEL 8

struct gjkd_unpacker {
    z_stream stream;
    bool is_complete; /* the last member has ended */
};

static void *allocate(void *arena, unsigned items, unsigned size) {
    return gjk_arena_alloc_array(arena, items, size);
}

static void forget(void *arena, void *block) {
    (void)arena, (void)block; /* it goes with the arena */
}

struct gjkd_unpacker *gjkd_unpacker_new(struct gjk_arena *arena) {
    struct gjkd_unpacker *unpacker = gjk_arena_alloc(arena, sizeof *unpacker);
    if (unpacker == NULL) {
        return NULL;
    }
    *unpacker = (struct gjkd_unpacker){
        .stream = {.zalloc = allocate, .zfree = forget, .opaque = arena},
    };
    return inflateInit2(&unpacker->stream, GZIP_FORMAT + WINDOW_BITS_MAX) == Z_OK ? unpacker : NULL;
}

gjkd_unpack_status gjkd_unpacker_add(struct gjkd_unpacker *unpacker, const char *data,
                                     size_t length, gjkd_unpack_sink *sink, void *user) {
    char piece[PIECE_BYTES];
    z_stream *stream = &unpacker->stream;
    stream->next_in = (unsigned char *)(uintptr_t)data;
    stream->avail_in = (unsigned)length;
    do {
        if (unpacker->is_complete && stream->avail_in > 0) {
            unpacker->is_complete = false;
            (void)inflateReset(stream);
        }
        stream->next_out = (unsigned char *)piece;
        stream->avail_out = sizeof piece;
        int status = unpacker->is_complete ? Z_BUF_ERROR : inflate(stream, Z_NO_FLUSH);
        if (status == Z_MEM_ERROR) { /* for the window, which it makes late */
            return GJKD_UNPACK_NO_MEMORY;
        }
        if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
            return GJKD_UNPACK_CORRUPT;
        }
        unpacker->is_complete = unpacker->is_complete || status == Z_STREAM_END;
        size_t made = sizeof piece - stream->avail_out;
        if (made > 0 && !sink(user, piece, made)) {
            return GJKD_UNPACK_STOPPED;
        }
    } while (stream->avail_in > 0 || stream->avail_out == 0);
    return GJKD_UNPACKED;
}

bool gjkd_unpacker_is_complete(const struct gjkd_unpacker *unpacker) {
    return unpacker->is_complete;
}

/* Packs what the stream has been given; at the end with Z_FINISH. */
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

bool gjkd_accepts_gzip(const char *accept_encoding) {
    int weight = gjkd_coding_weight(accept_encoding, "gzip");
    return weight > 0 && weight >= gjkd_coding_weight(accept_encoding, "identity");
}
