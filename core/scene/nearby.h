#ifndef GJK_SCENE_NEARBY_H
#define GJK_SCENE_NEARBY_H

/*
 * Bodies and pieces near a convex shape that is looked at in many places close together: they are
 * found in the set once, and then passed over while a known plane keeps the shape off them.
 */

#include "gjk/pieces.h"
#include "gjk/set_query.h"
#include "shape/pieces/pieces.h"

/* More than that near one place are not kept. */
#define GJK_NEARBY_MAX 64

/* A convex body, or a piece of one. The plane across `normal` (unit, towards the shape) keeps a
 * shape that stands at `from` off it by `gap` at least. */
typedef struct gjk_nearby_item {
    const gjk_body *body;
    gjk_placed whole;
    uint32_t index; /* of the piece; GJK_NO_PIECE */
    bool is_made;
    double slack; /* of a gap */
    gjk_vec3 normal, from;
    double gap;
    gjk_piece piece;
} gjk_nearby_item;

typedef struct gjk_nearby {
    gjk_vec3 ahead; /* where the shape is about to go: it is searched around the middle of that */
    gjk_vec3 center;
    double radius; /* all that is within that of the shape at `center` is kept; negative: nothing */
    double most;   /* around longer ways there is too much */
    double slack;  /* the largest of the items, and of what has none */
    uint32_t count;
    bool is_full;   /* there is too much even at one place */
    bool has_solid; /* a body may hold the shape though no piece of it is met */
    gjk_seen seen;  /* the shape at `seen_at`, as `seen_by` sees it */
    gjk_vec3 seen_at;
    const gjk_body *seen_by;
    gjk_nearby_item items[GJK_NEARBY_MAX];
} gjk_nearby;

/* Begins with nothing kept. Leaves the items as they are. */
void gjk_nearby_init(gjk_nearby *nearby);

/* Keeps all that is within `reach` of a placed convex shape, always the same one. Returns false if
 * that is too much. What it keeps means nothing where the budget is spent. */
bool gjk_nearby_keep(gjk_nearby *nearby, const gjk_snapshot *snapshot, const gjk_placed *moving,
                     double reach, const gjk_selection *selection, double tolerance);

/* Returns the item as a convex shape if it may be within `reach` of the shape; NULL: it is not. */
const gjk_placed *gjk_nearby_look(gjk_nearby *nearby, uint32_t i, const gjk_placed *moving,
                                  double reach);

/* Finds the first contact of the shape along a way, by fraction and id, with the bits of
 * gjk_set_cast. at_start: GJK_AT_START_IGNORE or LEAVING. *out is no hit where there is none. Returns
 * false if not all is kept that it may meet. */
bool gjk_nearby_cast(const gjk_nearby *nearby, const gjk_placed *moving, gjk_vec3 way,
                     const gjk_cast_settings *settings, gjk_cast_hit *out);

/* Returns true if the shape overlaps nothing, as far as planes tell: false tells nothing. */
bool gjk_nearby_is_apart(gjk_nearby *nearby, const gjk_placed *moving);

/* Notes how far the item is from the shape. */
void gjk_nearby_note(gjk_nearby *nearby, uint32_t i, const gjk_placed *moving,
                     const gjk_distance_result *apart);

#endif
