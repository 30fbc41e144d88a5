#ifndef GJK_MOVE_H
#define GJK_MOVE_H

/*
 * Kinematic character motion: a body is pushed out of overlaps, moves along its translation, slides
 * along obstacles, climbs steps and stays on the ground. It never turns.
 */

#include "gjk/set_query.h"

GJK_BEGIN

/* Largest number of changes of direction in one motion. */
#define GJK_SLIDES_MAX 32

/* The body and its intended translation. Lengths are at most GJK_COORDINATE_MAX. */
typedef struct gjk_move {
    gjk_placed moving;
    gjk_vec3 translation;
    bool has_up;
    gjk_vec3 up;        /* any length but zero; without `up` there are no floors */
    double max_slope;   /* in [0, pi / 2]: a contact whose normal is farther from up is a wall */
    double step;        /* greatest height of walls that are climbed, >= 0 */
    double snap;        /* greatest drop onto a floor at the end, >= 0 */
    double skin;        /* gap kept to obstacles, >= 0 */
    double depenetrate; /* greatest push out of overlaps at the start, >= 0 */
    uint32_t slides;    /* 1 to GJK_SLIDES_MAX */
    double tolerance;   /* as in gjk_cast_settings */
    uint32_t max_iterations;
} gjk_move;

/* Returns a move with the defaults: no `up`, a max_slope of pi / 4, no steps, no snap, a skin of
 * 1e-4 of the body's size (for a point: of the translation), depenetrate half the smallest side of
 * its box, 8 slides. */
gjk_move gjk_move_make(const gjk_placed *moving, gjk_vec3 translation);

typedef struct gjk_move_contact {
    const gjk_body *body; /* of snapshot->set */
    uint32_t piece;       /* GJK_NO_PIECE: the body is convex */
    bool has_material;
    uint32_t material;
    double fraction; /* part of the translation before the contact */
    gjk_vec3 point;  /* on the body */
    gjk_vec3 normal; /* unit, from the body to the moving body */
    bool step;       /* the body was climbed */
} gjk_move_contact;

/* Result: position = start + pushed + moved. `moved` is the sum of the legs, each a straight
 * translation; blocked = translation - moved. Lists are in the selection's arena. */
typedef struct gjk_move_result {
    gjk_vec3 position, moved, blocked, pushed;
    gjk_vec3 *legs;
    uint32_t leg_count;
    bool grounded;           /* a floor is within 2 * skin */
    gjk_move_contact ground; /* the contact with that floor; fraction 1 */
    gjk_move_contact *items;
    uint32_t count;
    bool truncated; /* there were more contacts than are kept */
    gjk_convergence convergence;
    uint32_t iterations;
} gjk_move_result;

/*
 * Moves a body of the snapshot's dimension among the selected bodies. selection->except is the body
 * itself; selection->limit is ignored.
 *
 * 1. Push out. A body that overlaps others is moved by depth * normal of gjk_detect, the deepest
 *    overlap first, until there is none. No push makes a new overlap; in all they are at most
 *    `depenetrate`. Remaining overlaps are treated as by GJK_AT_START_LEAVING.
 * 2. Collide and slide. The body moves until its gap to the first contact is `skin`, then in the
 *    direction nearest to the translation that points into none of the contacts there. A leg also
 *    ends where the contact that deflected it ends. The body never tunnels, however fast or thin:
 *    every overlap at the end is an overlap at the start.
 * 3. Slopes. Walls remove the upward part of a slide. On floors the horizontal part of the
 *    translation keeps its length along the floor, and the floor absorbs the rest. A wall no higher
 *    than `step` is climbed: up, forward as far as the body then comes down on a floor, down.
 * 4. Snap. If the translation does not lead up, the body drops onto a floor within `snap` below.
 *
 * The normal of a contact also separates the body from the other surfaces that it touches there, if
 * one normal can: at seams within a flat or convex surface, of one shape or several, it is never
 * the normal of an inner edge. A contact at a corner or an edge has many normals: if the chosen one
 * blocks the body, the body moves on if a cast in the direction allowed by the other contacts is
 * free.
 *
 *     gjk_move move = gjk_move_make(&body->placed, GJK_LITERAL(gjk_vec3){0.1, 0, -0.05});
 *     move.has_up = true;
 *     move.up = GJK_LITERAL(gjk_vec3){0, 0, 1};
 *     move.step = 0.3;
 *     gjk_move_result way;
 *     gjk_status status = gjk_set_move(&snapshot, &move, &selection, &way);
 *
 * Cost: one or more searches of the set for bodies around the way; among those, two casts and up to
 * fifteen proximity queries for each leg, and about ten casts for each step climbed. Stack: 64 KiB
 * beside that of gjk_detect. A body of many pieces searches the set each time. At most 64 legs
 * beside the slides. Models: Quake's PM_StepSlideMove, Jolt's CharacterVirtual, PhysX's capsule
 * controller, Godot's move_and_slide. OUT_OF_MEMORY; GIVEN_UP if the selection's budget is spent.
 */
gjk_status gjk_set_move(const gjk_snapshot *snapshot, const gjk_move *move,
                        const gjk_selection *selection, gjk_move_result *out) GJK_MUST_USE;

GJK_END

#endif
