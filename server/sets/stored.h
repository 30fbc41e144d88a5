#ifndef GJKD_SETS_STORED_H
#define GJKD_SETS_STORED_H

/*
 * The shapes of sets, shared by all versions and ticks in which they are the same. The definition
 * of a shape and its place are two objects: a shape that only moves gets a new place of a few words
 * and shares the definition with its past.
 */

#include "gjk/set.h"
#include "proto/edit.h"

struct gjkd_stored;

/* Retains and releases the bodies that the two functions below make. */
extern const gjk_body_callbacks gjkd_stored_callbacks;

/*
 * A shape with a definition of its own, copied. One reference, the caller's, to be given back to
 * gjkd_stored_callbacks.release. NULL: out of memory.
 */
const gjk_body *gjkd_stored_new(const char *id, const proto_shape *shape, uint32_t handle,
                                bool teleport);

/* Where the places of shapes come from that one write moves: blocks of a few. At first all zero. */
typedef struct gjkd_places {
    struct block *block; /* the newest */
    uint32_t left, made; /* places left in it, and places taken so far */
} gjkd_places;

/* The same shape at another place. One reference, likewise. NULL: out of memory. */
const gjk_body *gjkd_stored_move(const gjk_body *body, const proto_place *to, bool teleport,
                                 gjkd_places *places);

/* Gives back what no shape has come to need. */
void gjkd_places_close(gjkd_places *places);

/* The write that has last changed a shape, of which its entity tag tells. */
typedef struct gjkd_origin {
    uint64_t revision; /* 0: not known: of an earlier build, or a place of the log to come */
    uint32_t nonce;
    uint64_t tick_end; /* the tick that has moved it without another revision, plus one; 0: none */
} gjkd_origin;

gjkd_origin gjkd_stored_origin(const gjk_body *body);

/* Sets it, which is all zero before. Nobody else has seen the body yet. */
void gjkd_stored_set_origin(const gjk_body *body, gjkd_origin origin);

/* Returns true if the body shares the definition of `other`, so that at most its place differs. */
bool gjkd_stored_is_moved(const gjk_body *body, const gjk_body *other);

/* Returns what GET answers for it. A view that lives as long as the body. */
proto_stored gjkd_stored_view(const gjk_body *body);

/* The JSON of its meta, absent where it has none. A view, likewise. */
proto_text gjkd_stored_meta(const gjk_body *body);

/* Returns true if GET answers the same for two bodies of one handle. Shapes of many pieces are the
 * same only if they share them. */
bool gjkd_stored_is_same(const gjk_body *a, const gjk_body *b);

/*
 * The bytes that a body adds to a set that holds `beside`, of the same id (NULL: none), already: 0
 * if it is the same body, those of its place if they share the definition.
 */
uint64_t gjkd_stored_bytes(const gjk_body *body, const gjk_body *beside);

/* Memory of a place. */
extern const uint64_t gjkd_stored_place_bytes;

/* Releases the bodies of the edits, all made by gjkd_stored_new or NULL, and frees the array. */
void gjkd_edits_free(gjk_edit *edits, uint32_t count);

#endif
