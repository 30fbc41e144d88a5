#include "cluster/pieces.h"

#include <stdlib.h>
#include <string.h>

#define WAIT_MS 2000

void gjkd_cutter_init(gjkd_cutter *cutter, struct gjkd_engine *engine) {
    *cutter = (gjkd_cutter){.engine = engine, .rest = malloc(GJKD_PIECE_BYTES)};
    cutter->failed = cutter->rest == NULL;
}

void gjkd_cutter_fini(gjkd_cutter *cutter) {
    free(cutter->names);
    free(cutter->rest);
}

static bool grow(gjkd_cutter *cutter) {
    if (cutter->count < cutter->capacity) {
        return true;
    }
    const uint32_t capacity = cutter->capacity > 0 ? 2 * cutter->capacity : 32;
    gjkd_digest *names = realloc(cutter->names, capacity * sizeof *names);
    if (names == NULL || cutter->count == GJKD_PIECES_MAX) {
        cutter->names = names != NULL ? names : cutter->names;
        return false;
    }
    cutter->names = names;
    cutter->capacity = capacity;
    return true;
}

static void publish_rest(gjkd_cutter *cutter) {
    cutter->failed =
        !grow(cutter) ||
        !gjkd_digest_make(cutter->rest, cutter->rest_bytes, &cutter->names[cutter->count]) ||
        !gjkd_engine_put_piece(cutter->engine, &cutter->names[cutter->count], cutter->rest,
                               cutter->rest_bytes, WAIT_MS);
    cutter->count += !cutter->failed;
    cutter->rest_bytes = 0;
}

void gjkd_cutter_add(gjkd_cutter *cutter, const char *data, size_t length) {
    while (length > 0 && !cutter->failed) {
        const size_t room = GJKD_PIECE_BYTES - cutter->rest_bytes;
        const size_t some = length < room ? length : room;
        memcpy(cutter->rest + cutter->rest_bytes, data, some);
        cutter->rest_bytes += some;
        cutter->bytes += some;
        data += some;
        length -= some;
        if (cutter->rest_bytes == GJKD_PIECE_BYTES) {
            publish_rest(cutter);
        }
    }
}

bool gjkd_cutter_end(gjkd_cutter *cutter) {
    if (cutter->rest_bytes > 0 && !cutter->failed) {
        publish_rest(cutter);
    }
    return !cutter->failed;
}

static bool is_piece(void *user, const gjkd_engine_message *message) {
    gjkd_digest found;
    return gjkd_digest_make(message->data, message->length, &found) &&
           memcmp(&found, user, sizeof found) == 0;
}

static bool get_piece(struct gjkd_engine *engine, const char *digest, char *out, uint64_t room,
                      size_t *length) {
    gjkd_digest name;
    gjkd_engine_message piece;
    memcpy(name.bytes, digest, sizeof name.bytes);
    if (!gjkd_engine_get_piece(engine, &name, is_piece, &name, &piece)) {
        return false;
    }
    const bool fine = piece.length <= room;
    if (fine) {
        memcpy(out, piece.data, piece.length);
        *length = piece.length;
    }
    gjkd_engine_release(&piece);
    return fine;
}

char *gjkd_pieces_get(struct gjkd_engine *engine, const gjkd_message *message) {
    if (message->bytes > (uint64_t)message->piece_count * GJKD_PIECE_BYTES) {
        return NULL;
    }
    char *out = malloc(message->bytes + 1);
    uint64_t at = 0;
    bool fine = out != NULL;
    for (uint32_t i = 0; i < message->piece_count && fine; i++) {
        size_t length = 0;
        fine = get_piece(engine, message->pieces + (size_t)i * GJKD_DIGEST_BYTES, out + at,
                         message->bytes - at, &length);
        at += length;
    }
    if (!fine || at != message->bytes) {
        free(out);
        return NULL;
    }
    return out;
}
