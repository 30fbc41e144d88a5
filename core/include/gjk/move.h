#ifndef GJK_MOVE_H
#define GJK_MOVE_H

/*
 * Moving a body about a scene: pushed out of what it overlaps, it goes where it wants to go, slides
 * along what it meets, climbs steps and stays on the ground. It never turns.
 */

#include "gjk/set_query.h"

GJK_BEGIN

/* Most times that a body turns on its way. */
#define GJK_SLIDES_MAX 32

/* The body and where it wants to go. Lengths are at most GJK_COORDINATE_MAX. */
typedef struct gjk_move {
    gjk_placed moving;
    gjk_vec3 translation;
    bool has_up;
    gjk_vec3 up;        /* not zero, of any length; without it nothing is a floor */
    double max_slope;   /* in [0, pi / 2]: contacts whose normal is farther from up are walls */
    double step;        /* height of walls that are climbed, >= 0 */
    double snap;        /* how far below at most it is put down on a floor at the end, >= 0 */
    double skin;        /* gap that it keeps, >= 0 */
    double depenetrate; /* how far at most it is pushed out at the start, >= 0 */
    uint32_t slides;    /* 1 to GJK_SLIDES_MAX */
    double tolerance;   /* as in gjk_cast_settings */
    uint32_t max_iterations;
} gjk_move;

/* Defaults: no up, a slope of pi / 4, no steps, no snap, a skin of 1e-4 of the body's size (of a
 * point: of the translation), half the smallest side of its box to be pushed out, 8 slides. */
gjk_move gjk_move_make(const gjk_placed *moving, gjk_vec3 translation);

typedef struct gjk_move_contact {
    const gjk_body *body; /* of snapshot->set */
    uint32_t piece;       /* GJK_NO_PIECE: the body is convex */
    bool has_material;
    uint32_t material;
    double fraction; /* of the translation, when it was met */
    gjk_vec3 point;  /* on the body */
    gjk_vec3 normal; /* unit, from the body to what moves */
    bool step;       /* it was climbed */
} gjk_move_contact;

/* position = start + pushed + moved; moved is the sum of the legs, which are straight; blocked =
 * translation - moved. Lists are in the selection's arena. */
typedef struct gjk_move_result {
    gjk_vec3 position, moved, blocked, pushed;
    gjk_vec3 *legs;
    uint32_t leg_count;
    bool grounded;           /* a floor is within 2 * skin */
    gjk_move_contact ground; /* ... which one; its fraction is 1 */
    gjk_move_contact *items;
    uint32_t count;
    bool truncated; /* more contacts than are kept */
    gjk_convergence convergence;
    uint32_t iterations;
} gjk_move_result;

/*
 * Moves a body of the snapshot's dimension among the selected bodies; selection->except is the body
 * itself, its limit is ignored.
 *
 * 1. Push out. A body that overlaps others is moved by depth * normal of gjk_detect, the deepest first,
 *    until it overlaps none; each time no farther than to what it did not overlap, in all no farther than
 *    `depenetrate`. What is left is passed over as GJK_AT_START_LEAVING does.
 * 2. Collide and slide. It goes on until its gap to the first contact is `skin`, then in the direction
 *    nearest to the translation that points into none of the contacts there. A leg ends where the contact
 *    that has turned it ends. It crosses nothing, however fast or thin: what it overlaps at the end it
 *    overlapped at the start.
 * 3. Slopes. Walls take away what of a slide leads up; on floors the horizontal part of the translation
 *    goes along them with all its length, and the rest of it is what the floor holds. A wall that ends
 *    within `step` above is climbed: up, along as far as it then comes down on a floor, down.
 * 4. Snap. If the translation does not lead up, the body is put down on a floor within `snap` below.
 *
 * The normal of a contact parts the body from what else it touches there, where any does: at seams
 * within a flat or convex surface, of one shape or of several, it is never that of an inner edge. A
 * corner or an edge that touches has many normals: if the one chosen leaves no way, the body goes on
 * where a cast along the way that the other contacts leave is free.
 *
 *     gjk_move move = gjk_move_make(&body->placed, GJK_LITERAL(gjk_vec3){0.1, 0, -0.05});
 *     move.has_up = true;
 *     move.up = GJK_LITERAL(gjk_vec3){0, 0, 1};
 *     move.step = 0.3;
 *     gjk_move_result way;
 *     gjk_status status = gjk_set_move(&snapshot, &move, &selection, &way);
 *
 * Cost: a search of the set for what is around the way, or parts of it; among that two casts and up to
 * fifteen looks at what is within the skin for each leg; a step some ten casts. 64 KiB of stack, and what
 * gjk_detect takes. A body of many pieces searches the set each time.
 * Bounded: at most 64 legs beside the slides. Models: Quake's PM_StepSlideMove, Jolt's CharacterVirtual,
 * PhysX's capsule controller, Godot's move_and_slide. OUT_OF_MEMORY; GIVEN_UP where the selection's
 * budget is spent.
 */
gjk_status gjk_set_move(const gjk_snapshot *snapshot, const gjk_move *move,
                        const gjk_selection *selection, gjk_move_result *out) GJK_MUST_USE;

GJK_END

#endif
