/*
 * Can a packed body do harm? It is never unpacked beyond what the sink takes. What is packed has the
 * same bytes however it is cut, and is unpacked to itself. The first byte says where it is cut.
 */

#include "fuzz.h"

#include <string.h>

#include "request/request_body.h"

/* Most bytes that the sink takes. */
#define BYTES_MAX 65536

struct sink {
    char bytes[BYTES_MAX];
    size_t length;
};

static bool take(void *user, const char *data, size_t length) {
    struct sink *sink = user;

    require(length > 0 && sink->length <= BYTES_MAX);
    if (length > BYTES_MAX - sink->length) {
        return false;
    }
    memcpy(sink->bytes + sink->length, data, length);
    sink->length += length;
    return true;
}

static gjkd_unpack_status unpack(const char *data, size_t length, struct sink *sink) {
    struct gjk_arena arena;

    gjk_arena_init(&arena, 0);
    sink->length = 0;
    const gjkd_unpack_status status = gjkd_unpack((proto_text){data, length}, &arena, take, sink);
    gjk_arena_fini(&arena);
    return status;
}

/* The rest of what is to be packed, of which a piece has so many bytes. */
struct rest {
    proto_text text;
    size_t step;
};

static const char *next_piece(void *user, size_t *length) {
    struct rest *rest = user;
    const char *data = rest->text.data;
    *length = rest->text.length < rest->step ? rest->text.length : rest->step;
    rest->text.data += *length;
    rest->text.length -= *length;
    return data;
}

static void pack(proto_text text, size_t step, struct gjk_arena *arena, struct proto_buffer *out) {
    struct rest rest = {text, step};

    proto_buffer_init(out, arena);
    require(gjkd_pack(text.length, next_piece, &rest, out));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct sink sink;
    struct gjk_arena arena;
    struct proto_buffer whole, cut;

    if (size == 0 || size > BYTES_MAX) {
        return 0;
    }
    const proto_text body = {(const char *)data + 1, size - 1};
    (void)unpack(body.data, body.length, &sink);
    gjk_arena_init(&arena, 0);
    pack(body, size, &arena, &whole);
    pack(body, data[0] + (size_t)1, &arena, &cut);
    require(whole.length == cut.length && memcmp(whole.data, cut.data, cut.length) == 0);
    require(unpack(cut.data, cut.length, &sink) == GJKD_UNPACKED);
    require(sink.length == body.length && memcmp(sink.bytes, body.data, body.length) == 0);
    gjk_arena_fini(&arena);
    return 0;
}
