/*
 * Motions from row to row: pairs are advanced one by one up to the first contact so far
 * (ray/advance.c), with the box that a moved body may pass in place of its own.
 */

#include "gjk/budget.h"
#include "ray/advance.h"
#include "ray/turning.h"
#include "scene/configurations.h"
#include "shape/pieces.h"
#include "shape/pieces_walk.h"

/* Steps of the motion of one pair of convex parts. */
#define MOTION_STEPS 128

/* One of two bodies that meet. */
typedef struct traveller {
    gjk_placed from;
    gjk_rigid_motion motion;
    bool rests;
} traveller;

/* The first contact of two of them, piece by piece. */
typedef struct encounter {
    traveller a, b;
    gjk_cast_settings settings;
    gjk_budget *budget;
    double bound;
    bool hit;
} encounter;

static void meet_parts(encounter *e, const gjk_placed *part_a, const gjk_placed *part_b) {
    gjk_mover a, b;
    gjk_mover_make(&e->a.from.pose, part_a, &e->a.motion, &a);
    gjk_mover_make(&e->b.from.pose, part_b, &e->b.motion, &b);
    const gjk_meeting meeting = gjk_advance(&a, &b, e->bound, &e->settings);
    if (meeting.hit && (!e->hit || meeting.fraction < e->bound)) {
        e->hit = true;
        e->bound = meeting.fraction;
    }
}

/* A part of a and the pieces of b, which rests, that it may pass. */
static void meet_near(encounter *e, const gjk_placed *part_a) {
    const struct gjk_pieces *pieces = e->b.from.shape->pieces;
    gjk_mover mover;
    gjk_mover_make(&e->a.from.pose, part_a, &e->a.motion, &mover);
    const gjk_bounds box = gjk_swept_bounds(&mover, &e->b.from.pose);
    const double slack =
        gjk_swept_slack(&e->a.from, &e->b.from, e->a.motion.translation, e->settings.tolerance);
    const gjk_pieces_query query =
        gjk_pieces_query_make(&pieces->tree, GJK_WALK_OVERLAP, &box, slack);
    gjk_pieces_walk walk;
    uint32_t first, count;
    gjk_pieces_walk_init(&walk, &pieces->tree, &query, 0.0, e->budget);
    while (gjk_pieces_walk_next(&walk, &first, &count)) {
        for (uint32_t slot = first; slot < first + count; slot++) {
            gjk_piece piece;
            if (gjk_budget_spend(e->budget, MOTION_STEPS)) {
                return;
            }
            gjk_piece_make_own(pieces, pieces->tree.order[slot], &piece);
            meet_parts(e, part_a, &piece.placed);
        }
    }
}

static void meet_part(encounter *e, const gjk_placed *part_a) {
    const struct gjk_pieces *pieces = e->b.from.shape->pieces;
    const gjk_placed whole = {e->b.from.shape, gjk_pose_identity()};
    if (pieces == NULL) {
        meet_parts(e, part_a, &whole);
    } else if (e->b.rests) {
        meet_near(e, part_a);
    } else {
        for (uint32_t next = 0, i; gjk_pieces_next(pieces, e->budget, &next, &i);) {
            gjk_piece piece;
            gjk_piece_make_own(pieces, i, &piece);
            meet_parts(e, part_a, &piece.placed);
        }
    }
}

static bool bounds_meet(const gjk_bounds *p, const gjk_bounds *q) {
    return p->min.x <= q->max.x && q->min.x <= p->max.x && p->min.y <= q->max.y &&
           q->min.y <= p->max.y && p->min.z <= q->max.z && q->min.z <= p->max.z;
}

/* Can a piece of a, which moves, come near b, which rests? */
static bool may_meet(const encounter *e, const gjk_placed *part_a, const gjk_bounds *box_b) {
    const gjk_pose world = gjk_pose_identity();
    gjk_mover mover;
    gjk_mover_make(&e->a.from.pose, part_a, &e->a.motion, &mover);
    const gjk_bounds box = gjk_swept_bounds(&mover, &world);
    return !e->b.rests || bounds_meet(&box, box_b);
}

static void meet(encounter *e) {
    const struct gjk_pieces *pieces = e->a.from.shape->pieces;
    const gjk_placed whole = {e->a.from.shape, gjk_pose_identity()};
    if (pieces == NULL) {
        meet_part(e, &whole);
        return;
    }
    const double slack =
        gjk_swept_slack(&e->a.from, &e->b.from, e->a.motion.translation, e->settings.tolerance);
    const gjk_bounds box_b =
        gjk_box_widen(gjk_box_of(&e->b.from), e->b.from.shape->dimension, slack);
    for (uint32_t next = 0, i; gjk_pieces_next(pieces, e->budget, &next, &i);) {
        gjk_piece piece;
        gjk_piece_make_own(pieces, i, &piece);
        if (may_meet(e, &piece.placed, &box_b)) {
            meet_part(e, &piece.placed);
        }
    }
}

static traveller find_traveller(const gjk_asked_row *row, const gjk_body *body) {
    const uint32_t index = gjk_configuration_index(row->c, body);
    traveller found = {.rests = index == UINT32_MAX};
    if (found.rests) {
        found.from = gjk_snapshot_place(&row->c->snapshot, body);
        found.motion = gjk_rigid_motion_straight((gjk_vec3){0.0, 0.0, 0.0});
    } else {
        found.from = (gjk_placed){body->placed.shape, row->before[index]};
        found.motion = gjk_rigid_motion_between(body->placed.shape->dimension, &row->before[index],
                                                &row->poses[index]);
    }
    return found;
}

static bool ask_motion(gjk_asked_row *row, const gjk_participant *p, const gjk_participant *q) {
    const gjk_body *a = p->body, *b = q->body;
    gjk_configuration *out = row->out;
    const gjk_configuration_settings *s = &row->c->settings;
    if (gjk_budget_spend(row->walk.tree.budget, MOTION_STEPS)) {
        return false;
    }
    encounter e = {
        .a = find_traveller(row, a),
        .b = find_traveller(row, b),
        .settings = {.tolerance = s->tolerance,
                     .max_iterations = s->max_iterations,
                     .budget = row->walk.tree.budget},
        .budget = row->walk.tree.budget,
        .bound = out->colliding ? out->fraction : 1.0,
    };
    if (e.a.rests) { /* the other moves, and comes first: what rests is searched by its tree */
        const traveller rests = e.a;
        e.a = e.b;
        e.b = rests;
    }
    meet(&e);
    if (gjk_budget_is_spent(e.budget)) {
        return false;
    }
    if (e.hit && (!out->colliding || e.bound < out->fraction ||
                  (e.bound == out->fraction && gjk_row_is_less(row, a, b)))) {
        out->colliding = true;
        out->a = a;
        out->b = b;
        out->fraction = e.bound;
    }
    return true;
}

/* Everything that a moved body may pass. */
static gjk_bounds passed(const gjk_asked_row *row, uint32_t i, double tolerance) {
    const gjk_shape *shape = row->c->settings.moved[i]->placed.shape;
    const gjk_placed from = {shape, row->before[i]}, to = {shape, row->poses[i]};
    const gjk_rigid_motion motion =
        gjk_rigid_motion_between(shape->dimension, &from.pose, &to.pose);
    const gjk_query_bounds at_start = gjk_query_bounds_of_turning(&from, &motion, tolerance);
    const gjk_vec3 min = {at_start.min[0], at_start.min[1], at_start.min[2]};
    const gjk_vec3 max = {at_start.max[0], at_start.max[1], at_start.max[2]};
    const gjk_bounds first = {min, max};
    const gjk_bounds last = {gjk_add3(min, motion.translation), gjk_add3(max, motion.translation)};
    return gjk_box_widen(gjk_box_join(&first, &last), shape->dimension,
                         GJK_BOX_ROUNDING * gjk_largest3(motion.translation));
}

void gjk_row_find_contact(gjk_asked_row *row) {
    const struct gjk_configurations *c = row->c;
    const gjk_configuration_settings *s = &c->settings;
    for (uint32_t i = 0; i < s->count && row->status == GJK_OK; i++) {
        const gjk_placed placed = {s->moved[i]->placed.shape, row->poses[i]};
        const gjk_participant moved = {s->moved[i], &placed};
        gjk_query_bounds query = gjk_query_bounds_of(GJK_QUERY_OVERLAP, &placed, s->tolerance);
        const gjk_bounds box = passed(row, i, s->tolerance);
        gjk_query_bounds_put_box(&query, &box);
        gjk_set_walk_aim(&row->walk, &query, 0.0);
        gjk_row_test_found(row, &moved, ask_motion);
        for (uint32_t j = i + 1; s->self && j < s->count && row->status == GJK_OK; j++) {
            const gjk_bounds other = passed(row, j, s->tolerance);
            if (gjk_budget_spend(row->walk.tree.budget, 64)) {
                row->status = GJK_GIVEN_UP;
                return;
            }
            if (bounds_meet(&box, &other) &&
                !gjk_configuration_allows(c, s->moved[i], s->moved[j])) {
                const gjk_placed at = {s->moved[j]->placed.shape, row->poses[j]};
                const gjk_participant other_moved = {s->moved[j], &at};
                gjk_row_test(row, ask_motion, &moved, &other_moved);
            }
        }
    }
}
