#ifndef GJKD_SETS_STORED_H
#define GJKD_SETS_STORED_H

/*
 * Shapes as sets keep them, shared by all versions and ticks in which they are the same. What a
 * shape is (its definition) and where it is are two objects: a shape that only moves gets a new
 * place of a few words and shares the definition with its past.
 */

#include "gjk/set.h"
#include "proto/edit.h"

struct gjkd_stored;

/* Keeps bodies that come from the two functions below; they count their references. */
extern const gjk_keeper gjkd_stored_keeper;

/*
 * A shape with a definition of its own, copied. One reference, the caller's, to be given back to
 * gjkd_stored_keeper.release. NULL: out of memory.
 */
const gjk_body *gjkd_stored_new(const char *id, const proto_shape *shape, uint32_t handle,
                                bool teleport);

/* The same shape at another place. Likewise. */
const gjk_body *gjkd_stored_move(const gjk_body *body, const proto_place *to, bool teleport);

/* What GET answers of it. View: lives as long as the body. */
proto_stored gjkd_stored_view(const gjk_body *body);

/*
 * What a body adds to the memory of a set that keeps `beside` already, which has the same id
 * (NULL: none): nothing if it is the same one, its place only if they share the definition. In
 * bytes.
 */
uint64_t gjkd_stored_bytes(const gjk_body *body, const gjk_body *beside);

#endif
