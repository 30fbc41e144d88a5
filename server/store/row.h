#ifndef GJKD_STORE_ROW_H
#define GJKD_STORE_ROW_H

/*
 * Encoding of a shape as a row with two blobs: its place, which ticks and moves change, and its
 * definition. Each blob ends with a checksum that is seeded with the row's key.
 *
 *   place   byte of flags; as doubles the position (2D: 2, 3D: 3) and the rotation (2D: the angle,
 *           3D: the quaternion), each if it was given; if known, the write that has last changed
 *           the shape: revision, nonce and tick (stored.h)
 *   shape   byte of format; definition as compact JSON: the members that GET returns, without the
 *           place
 */

#include "proto/reply.h"
#include "sets/stored.h"

/* Maximum size of an encoded place: flags, a pose of 7 doubles, an origin and a checksum. */
#define GJKD_PLACE_BYTES_MAX (1 + 7 * 8 + 20 + 8)

typedef struct gjkd_place_row {
    size_t length;
    unsigned char bytes[GJKD_PLACE_BYTES_MAX];
} gjkd_place_row;

/* Encodes the place of a shape. origin: the write that has last changed the shape; left out if its
 * revision is 0. */
void gjkd_place_encode(const gjk_body *body, uint32_t dimension, int64_t key, gjkd_origin origin,
                       gjkd_place_row *out);

/* Encodes a shape's definition in the arena. Its data is NULL if memory is exhausted. */
proto_text gjkd_shape_encode(const gjk_body *body, int64_t key, struct gjk_arena *arena);

/* Row to be decoded. */
typedef struct gjkd_row {
    int64_t key;
    uint32_t dimension;
    const char *id;
    proto_text place, shape;
    bool teleport; /* as in gjk_body: moved by a jump */
} gjkd_row;

/*
 * Decodes a body; the caller owns the reference *out. The arena is scratch memory. Returns false on
 * failure: the problem is INTERNAL for damage, or OUT_OF_MEMORY.
 */
bool gjkd_row_decode(const gjkd_row *row, const proto_limits *limits, struct gjk_arena *arena,
                     const gjk_body **out, struct proto_problem *problem) GJK_MUST_USE;

/* Decodes only the place and the shape's last write. Fails like gjkd_row_decode. */
bool gjkd_row_decode_place(const gjkd_row *row, proto_place *out, gjkd_origin *origin,
                           struct proto_problem *problem) GJK_MUST_USE;

/* Returns the key of a row: number of the set in the upper 32 bits, handle of the shape below. */
static inline int64_t gjkd_row_key(int64_t set, uint32_t handle) {
    return set << 32 | handle;
}

#endif
