/*
 * Can a packed body do harm? However it is cut, it is unpacked to the same bytes with the same
 * verdict, and never beyond what the sink takes. What is packed is unpacked to itself. The first
 * byte says where the body is cut.
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

/* Unpacks pieces of `step` bytes. */
static gjkd_unpack_status unpack(const char *data, size_t length, size_t step, struct sink *sink,
                                 bool *is_complete) {
    gjkd_unpack_status status = GJKD_UNPACKED;
    struct gjk_arena arena;

    gjk_arena_init(&arena, 0);
    struct gjkd_unpacker *unpacker = gjkd_unpacker_new(&arena);
    require(unpacker != NULL);
    sink->length = 0;
    for (size_t at = 0; at < length && status == GJKD_UNPACKED; at += step) {
        const size_t rest = length - at;
        status = gjkd_unpacker_add(unpacker, data + at, rest < step ? rest : step, take, sink);
    }
    *is_complete = gjkd_unpacker_is_complete(unpacker);
    gjk_arena_fini(&arena);
    return status;
}

/* What is to be packed, once. */
static const char *next_piece(void *user, size_t *length) {
    proto_text *text = user;
    const char *data = text->data;
    *length = text->length;
    text->length = 0;
    return data;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct sink whole, cut;
    bool is_complete, is_complete_cut;
    struct gjk_arena arena;
    struct proto_buffer packed;

    if (size == 0 || size > BYTES_MAX) {
        return 0;
    }
    const char *body = (const char *)data + 1;
    const gjkd_unpack_status one = unpack(body, size - 1, size, &whole, &is_complete);
    const gjkd_unpack_status two =
        unpack(body, size - 1, data[0] + (size_t)1, &cut, &is_complete_cut);
    require(one == two);
    if (one == GJKD_UNPACKED) {
        require(is_complete == is_complete_cut && whole.length == cut.length);
        require(memcmp(whole.bytes, cut.bytes, whole.length) == 0);
    }
    gjk_arena_init(&arena, 0);
    proto_buffer_init(&packed, &arena);
    proto_text text = {body, size - 1};
    require(gjkd_pack(size - 1, next_piece, &text, &packed));
    require(unpack(packed.data, packed.length, 7, &cut, &is_complete) == GJKD_UNPACKED);
    require(is_complete && cut.length == size - 1 && memcmp(cut.bytes, body, size - 1) == 0);
    gjk_arena_fini(&arena);
    return 0;
}
