#ifndef GJKD_STORE_ROW_H
#define GJKD_STORE_ROW_H

/*
 * A shape as a row: where it stands, which ticks and moves change, and what it is, apart from each
 * other. Each blob ends with its checksum, seeded with the row's key.
 *
 *   place   a byte of flags, then as doubles position (2D: 2, 3D: 3) and rotation (2D: the angle,
 *           3D: the quaternion), each if it was given, then the write that has last changed the
 *           shape, if it is known: revision and nonce, and a tick (stored.h)
 *   shape   a byte of format, then the definition as compact JSON: the members that GET answers,
 *           without the place
 */

#include "proto/reply.h"
#include "sets/stored.h"

/* Most bytes of a place as it is stored: flags, a pose of 7 doubles, an origin and a checksum. */
#define GJKD_PLACE_BYTES_MAX (1 + 7 * 8 + 20 + 8)

typedef struct gjkd_place_row {
    size_t length;
    unsigned char bytes[GJKD_PLACE_BYTES_MAX];
} gjkd_place_row;

/* origin: the write that has last changed the shape; revision 0: it is left out. */
void gjkd_place_encode(const gjk_body *body, uint32_t dimension, int64_t key, gjkd_origin origin,
                       gjkd_place_row *out);

/* The shape's blob, in the arena. data NULL: out of memory. */
proto_text gjkd_shape_encode(const gjk_body *body, int64_t key, struct gjk_arena *arena);

/* A row as it was read. */
typedef struct gjkd_row {
    int64_t key;
    uint32_t dimension;
    const char *id;
    proto_text place, shape;
    bool teleport; /* of a tick: it was not on the way there */
} gjkd_row;

/*
 * Makes the body again, of which the caller has one reference. The arena is scratch. False: the
 * problem says what is wrong: INTERNAL for damage, OUT_OF_MEMORY.
 */
bool gjkd_row_decode(const gjkd_row *row, const proto_limits *limits, struct gjk_arena *arena,
                     const gjk_body **out, struct proto_problem *problem) GJK_MUST_USE;

/* Its place alone, and the write that has last changed the shape. */
bool gjkd_row_decode_place(const gjkd_row *row, proto_place *out, gjkd_origin *origin,
                           struct proto_problem *problem) GJK_MUST_USE;

/* A row's key holds the number of its set and the handle of the shape. */
static inline int64_t gjkd_key(int64_t set, uint32_t handle) {
    return set << 32 | handle;
}

#endif
