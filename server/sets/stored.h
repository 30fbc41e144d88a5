#ifndef GJKD_SETS_STORED_H
#define GJKD_SETS_STORED_H

/*
 * Shapes as sets store them. All versions and ticks in which a shape is the same share it. Its
 * definition and its place are two objects: a shape that only moves gets a new place of a few words
 * and shares the definition with its past.
 */

#include "gjk/set.h"
#include "proto/edit.h"

struct gjkd_stored;

/* Retains and releases the bodies that the two functions below make. */
extern const gjk_body_callbacks gjkd_stored_callbacks;

/*
 * Makes a body from a copy of the shape. One reference, the caller's, which
 * gjkd_stored_callbacks.release drops. Returns NULL if memory is exhausted.
 */
const gjk_body *gjkd_stored_new(const char *id, const proto_shape *shape, uint32_t handle,
                                bool teleport);

/* Allocates the places of the shapes that one write moves, in small blocks. Initially all zero. */
typedef struct gjkd_places {
    struct block *block; /* the newest */
    uint32_t left, made; /* unused places of the block, and places handed out so far */
} gjkd_places;

/* Makes a body with the same definition at another place. One reference, the caller's. Returns NULL
 * if memory is exhausted. */
const gjk_body *gjkd_stored_move(const gjk_body *body, const proto_place *to, bool teleport,
                                 gjkd_places *places);

/* Releases the places that were not used. */
void gjkd_places_close(gjkd_places *places);

/* The last write that changed a shape, from which the shape's entity tag is made. */
typedef struct gjkd_origin {
    uint64_t revision; /* 0: unknown, because an earlier build stored it, or its position in the log
                          is not assigned yet */
    uint32_t nonce;
    uint64_t tick_end; /* the tick that moved it without raising the revision, plus one; 0: none */
} gjkd_origin;

gjkd_origin gjkd_stored_origin(const gjk_body *body);

/* Sets the origin of a body that no other thread has seen yet. */
void gjkd_stored_set_origin(const gjk_body *body, gjkd_origin origin);

/* Returns true if the body shares the definition of `other`, so that at most its place differs. */
bool gjkd_stored_is_moved(const gjk_body *body, const gjk_body *other);

/* Returns the representation of the body for GET. A view that lives as long as the body. */
proto_stored gjkd_stored_view(const gjk_body *body);

/* Returns the JSON of the body's meta, a view that lives as long as the body; absent: none. */
proto_text gjkd_stored_meta(const gjk_body *body);

/* Returns true if GET answers the same for two bodies with one handle. Shapes of many pieces count
 * as the same only if they share the pieces. */
bool gjkd_stored_is_same(const gjk_body *a, const gjk_body *b);

/*
 * Returns the bytes that a body adds to a set that already holds `beside`, a body of the same id
 * (NULL: none): 0 if both are one body, only the bytes of the place if they share the definition.
 */
uint64_t gjkd_stored_bytes(const gjk_body *body, const gjk_body *beside);

/* Size of a place, in bytes. */
extern const uint64_t gjkd_stored_place_bytes;

/* Releases the bodies of the edits, all made by gjkd_stored_new or NULL, and frees the array. */
void gjkd_edits_free(gjk_edit *edits, uint32_t count);

#endif
