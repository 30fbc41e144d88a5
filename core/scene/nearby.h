#ifndef GJK_SCENE_NEARBY_H
#define GJK_SCENE_NEARBY_H

/*
 * Cache of the bodies and pieces near a convex shape that is tested at many places close together.
 * The set is searched once; later, an item is skipped while a known plane separates it from the
 * shape.
 */

#include "gjk/pieces.h"
#include "gjk/set_query.h"
#include "shape/pieces/pieces.h"

/* Maximum number of items. */
#define GJK_NEARBY_MAX 64

/* A convex body, or a piece of one, with a separating plane: when the shape's position is `from`,
 * its distance along `normal` (unit, towards the shape) is at least `gap`. */
typedef struct gjk_nearby_item {
    const gjk_body *body;
    gjk_placed whole;
    uint32_t index; /* of the piece, or GJK_NO_PIECE */
    bool is_made;
    double slack; /* error margin, already subtracted from `gap` */
    gjk_vec3 normal, from;
    double gap;
    gjk_piece piece;
} gjk_nearby_item;

typedef struct gjk_nearby {
    gjk_vec3 ahead; /* planned motion of the shape; a search is centered on its middle */
    gjk_vec3 center;
    double radius; /* items within it of the shape at `center` are kept; negative: none */
    double most;   /* maximum length of motion per search, lowered if items overflow */
    double slack;  /* largest slack of all bodies found */
    uint32_t count;
    bool is_full;   /* too many items even around a single place */
    bool has_solid; /* a solid body of pieces may contain the shape without touching it */
    gjk_seen seen;  /* the shape at position `seen_at` in the frame of `seen_by` */
    gjk_vec3 seen_at;
    const gjk_body *seen_by;
    gjk_nearby_item items[GJK_NEARBY_MAX];
} gjk_nearby;

/* Initialises an empty cache. Does not write the items. */
void gjk_nearby_init(gjk_nearby *nearby);

/* Ensures that everything within `reach` of a placed convex shape is in the cache. Precondition:
 * all calls pass the same shape. Returns false if there are too many items. The items are
 * unspecified if the budget is spent. */
bool gjk_nearby_keep(gjk_nearby *nearby, const gjk_snapshot *snapshot, const gjk_placed *moving,
                     double reach, const gjk_selection *selection, double tolerance);

/* Returns item i as a convex shape if it may be within `reach` of the moving shape, else NULL. */
const gjk_placed *gjk_nearby_look(gjk_nearby *nearby, uint32_t i, const gjk_placed *moving,
                                  double reach);

/* Finds the first contact of the shape moving along `way`, by fraction, then by id, bit-identical
 * to gjk_set_cast. at_start: GJK_AT_START_IGNORE or LEAVING. If there is no contact,
 * out->result.hit is false. Returns false if the cache does not cover the whole way. */
bool gjk_nearby_cast(const gjk_nearby *nearby, const gjk_placed *moving, gjk_vec3 way,
                     const gjk_cast_settings *settings, gjk_cast_hit *out);

/* Returns true if separating planes prove that the shape overlaps nothing. False is
 * inconclusive. */
bool gjk_nearby_is_apart(gjk_nearby *nearby, const gjk_placed *moving);

/* Stores the separating plane that a distance query between item i and the shape has found. */
void gjk_nearby_note(gjk_nearby *nearby, uint32_t i, const gjk_placed *moving,
                     const gjk_distance_result *apart);

#endif
