#ifndef GJK_SCENE_TOUCHES_H
#define GJK_SCENE_TOUCHES_H

/* Contacts near a moving body, and the directions that they leave free. */

#include "scene/nearby.h"

/* Maximum number of touches at one place; the nearest are kept. */
#define GJK_TOUCHES_MAX 16

typedef struct gjk_touch {
    const gjk_body *body;
    uint32_t piece, moving_piece;
    double gap;      /* to the moving shape; negative: penetration depth */
    gjk_vec3 normal; /* unit, from the body to the moving shape */
    gjk_vec3 point;  /* on the body */
} gjk_touch;

typedef struct gjk_touches {
    gjk_touch items[GJK_TOUCHES_MAX];
    uint32_t count;
} gjk_touches;

/*
 * Finds the pieces within `reach` of a placed shape, nearest first. Drops a piece if the normal of
 * a nearer touch also separates it from the shape: a flat or convex surface of pieces gives one
 * touch, seams give none. The result does not depend on the order of bodies. Time and memory are
 * for all pieces within reach. nearby: cache from earlier calls for the same snapshot, selection
 * and shape. Returns OUT_OF_MEMORY, or GIVEN_UP if the budget is spent.
 */
gjk_status gjk_touches_find(const gjk_snapshot *snapshot, const gjk_placed *moving, double reach,
                            const gjk_selection *selection, const gjk_distance_settings *settings,
                            gjk_nearby *nearby, gjk_touches *out) GJK_MUST_USE;

/* Definition of a floor: a contact whose normal is close enough to up. */
typedef struct gjk_upright {
    uint32_t dimension;
    bool has_up;
    gjk_vec3 up;        /* unit */
    double least_floor; /* cosine of the steepest floor */
} gjk_upright;

bool gjk_is_floor(const gjk_upright *upright, gjk_vec3 normal);

/*
 * Returns the vector nearest to `wish` that points into none of the touches: the wish, its
 * projection onto a plane or onto the crease of two planes, or zero. If the wish leads into a
 * floor, the floor stops its part along up, and its horizontal part keeps its length along the
 * floor. Walls add nothing along up.
 */
gjk_vec3 gjk_touches_turn(const gjk_touches *touches, const gjk_upright *upright, gjk_vec3 wish);

#endif
