#ifndef GJK_SCENE_TOUCHES_H
#define GJK_SCENE_TOUCHES_H

/* Contacts near a body that moves, and the directions that they leave it. */

#include "scene/nearby.h"

/* Most touches that are kept of one place, the nearest ones. */
#define GJK_TOUCHES_MAX 16

typedef struct gjk_touch {
    const gjk_body *body;
    uint32_t piece, moving_piece;
    double gap;      /* to the moving shape; negative: they overlap by that */
    gjk_vec3 normal; /* unit, from the body to the moving shape */
    gjk_vec3 point;  /* on the body */
} gjk_touch;

typedef struct gjk_touches {
    gjk_touch items[GJK_TOUCHES_MAX];
    uint32_t count;
} gjk_touches;

/*
 * Finds the pieces within `reach` of a placed shape, nearest first, but none that another's normal
 * parts from the shape as well: of the pieces of a flat or convex surface the one that it touches,
 * of seams none. Time and memory for all pieces within reach. Does not depend on the order of
 * bodies. nearby: what earlier calls for the same snapshot, selection and shape have kept.
 * OUT_OF_MEMORY; GIVEN_UP.
 */
gjk_status gjk_touches_find(const gjk_snapshot *snapshot, const gjk_placed *moving, double reach,
                            const gjk_selection *selection, const gjk_distance_settings *settings,
                            gjk_nearby *nearby, gjk_touches *out) GJK_MUST_USE;

/* Contacts that are floors: those whose normal is near enough to up. */
typedef struct gjk_upright {
    uint32_t dimension;
    bool has_up;
    gjk_vec3 up;        /* unit */
    double least_floor; /* cosine of the steepest floor */
} gjk_upright;

bool gjk_is_floor(const gjk_upright *upright, gjk_vec3 normal);

/*
 * Returns the vector nearest to a wish that points into none of the touches: the wish, its
 * projection to a plane, to the crease of two, or zero. Where the wish leads into a floor, its part
 * along up is held by the floor, and its horizontal part keeps its length along it. Walls add
 * nothing along up.
 */
gjk_vec3 gjk_touches_turn(const gjk_touches *touches, const gjk_upright *upright, gjk_vec3 wish);

#endif
