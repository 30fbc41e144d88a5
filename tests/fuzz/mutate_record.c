/*
 * How do mutated records stay readable? Places and definitions of shapes end with checksums, and
 * what has a wrong one is refused before anything else of it is looked at. So mostly the checksums
 * are put right after libFuzzer has had its way, as far as the rest has the form of a record.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util/hash.h"

enum { FLAGS_BYTES = 1, DIGEST_BYTES = 32, NUMBERS_BYTES = 36 };
enum { STAMP_BYTES = 8 + DIGEST_BYTES + 1 };
enum { POSES_BYTES = 4 * 8 + 2 * 4 + 1 + DIGEST_BYTES }; /* up to the number of rows */
enum { GONE = 0, DEFINED = 2 };
enum { HAS_META = 2, HAS_STAMP = 4, HAS_POSES = 8, HAS_MARK = 32 };

/* libFuzzer declares neither. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t size_max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t size_max, unsigned seed);

/* What is not there yet; NULL once the end was passed. */
typedef struct cursor {
    uint8_t *at, *end;
} cursor;

static uint8_t *skip(cursor *rest, size_t length) {
    uint8_t *at = rest->at;
    const bool fine = at != NULL && (size_t)(rest->end - at) >= length;
    rest->at = fine ? at + length : NULL;
    return fine ? at : NULL;
}

static uint32_t skip8(cursor *rest) {
    const uint8_t *at = skip(rest, 1);
    return at != NULL ? *at : 0;
}

static uint32_t skip32(cursor *rest) {
    uint32_t value = 0;
    const uint8_t *at = skip(rest, sizeof value);
    if (at != NULL)
        memcpy(&value, at, sizeof value);
    return value;
}

static uint8_t *skip_blob(cursor *rest, size_t *length) {
    *length = skip32(rest);
    return skip(rest, *length);
}

static void seal(uint8_t *blob, size_t length, uint64_t seed) {
    if (blob == NULL || length < sizeof(uint64_t))
        return;
    length -= sizeof(uint64_t);
    const uint64_t sum = gjkd_checksum(blob, length, seed);
    memcpy(blob + length, &sum, sizeof sum);
}

static void seal_shape(cursor *rest) {
    size_t id_length, length;
    const uint32_t kind = skip8(rest);
    const uint8_t *id = skip_blob(rest, &id_length);
    if (kind == GONE || id == NULL || id_length == 0)
        return;
    (void)skip8(rest);
    const uint32_t handle = skip32(rest);
    uint8_t *place = skip_blob(rest, &length);
    seal(place, length, handle);
    if (kind == DEFINED) {
        uint8_t *shape = skip_blob(rest, &length);
        seal(shape, length, gjkd_checksum(id, id_length - 1, handle));
    }
}

static void seal_poses(cursor *rest) {
    (void)skip(rest, POSES_BYTES);
    const uint32_t count = skip32(rest);
    for (uint32_t i = 0; i < count && rest->at != NULL; i++) {
        const uint32_t handle = skip32(rest);
        (void)skip8(rest); /* flags */
        const uint32_t length = skip8(rest);
        seal(skip(rest, length), length, handle);
    }
}

static void seal_change(cursor *rest) {
    size_t length;
    const uint32_t kind = skip8(rest);
    (void)skip_blob(rest, &length); /* the name */
    if (kind == GONE)
        return;
    (void)skip(rest, NUMBERS_BYTES);
    const uint32_t flags = skip8(rest);
    (void)skip32(rest); /* ticks that are kept */
    if (flags & HAS_MARK)
        (void)skip32(rest);
    if (flags & HAS_META)
        (void)skip_blob(rest, &length);
    (void)skip(rest, sizeof(uint64_t)); /* the end of the ticks that the writer had */
    if (flags & HAS_STAMP)
        (void)skip(rest, STAMP_BYTES);
    if (flags & HAS_POSES)
        seal_poses(rest);
    const uint32_t count = skip32(rest);
    for (uint32_t i = 0; i < count && rest->at != NULL; i++)
        seal_shape(rest);
}

static void seal_all(uint8_t *data, size_t size) {
    cursor rest = {data, data + size};
    (void)skip(&rest, FLAGS_BYTES);
    while (rest.at != NULL && rest.at < rest.end)
        seal_change(&rest);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t size_max, unsigned seed) {
    size = LLVMFuzzerMutate(data, size, size_max);
    if (seed % 8 != 0)
        seal_all(data, size);
    return size;
}
