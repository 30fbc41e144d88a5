/*
 * Finds the bodies that lie wholly within a convex polytope: those whose farthest point along the
 * normal of each of its facets is not beyond the facet. Support scans decide it for curved bodies
 * too; a shape of pieces lies within where each of its pieces does.
 */

#include "base/larger.h"
#include "base/rounding.h"
#include "gjk/budget.h"
#include "gjk/pieces.h"
#include "scene/scene.h"
#include "shape/facets.h"
#include "shape/near.h"
#include "shape/support.h"

typedef struct container {
    gjk_near_shape near; /* about its middle, with its facets */
    gjk_wide3 at;        /* where in the world that is */
    gjk_facets facets;
    double tolerance; /* of the settings */
    gjk_budget *budget;
} container;

/* The facet of the container as the plane normal . x <= offset in the body's own frame. */
static gjk_facet seen_from(const gjk_facet *facet, const gjk_pose *body) {
    return (gjk_facet){
        .normal = gjk_mul3_transposed(&body->rotation, facet->normal),
        .offset = facet->offset - gjk_dot3(facet->normal, body->position),
    };
}

/* shape: about its middle, as all is that is compared here. */
static bool is_beyond(const gjk_shape *shape, const gjk_facet *facet, double slack) {
    const gjk_vec3 n = facet->normal;
    gjk_vec3 farthest;
    if (gjk_dot3(n, shape->center) + shape->bounding_radius <= facet->offset) {
        return false;
    }
    if (shape->dimension == 2) {
        farthest = gjk_xy0(gjk_support_of2(shape, gjk_xy(n)));
    } else {
        gjk_support_of3(shape, n.x, n.y, n.z, &farthest);
    }
    return gjk_dot3(n, farthest) + shape->radius > facet->offset + slack;
}

static bool convex_lies_within(container *in, const gjk_placed *body) {
    gjk_near_shape near;
    const gjk_wide3 at = gjk_near_make(body, &near);
    near.placed.pose.position = gjk_wide3_sub(at, in->at);
    const gjk_pose pose = gjk_pose_relative(&in->near.placed.pose, &near.placed.pose);
    const gjk_shape *shape = near.placed.shape, *around = in->near.placed.shape;
    const double far = gjk_largest3(pose.position) + shape->reach + around->reach;
    const double slack =
        in->tolerance * gjk_larger(shape->size, around->size) + 8.0 * GJK_ROUNDING * far;
    for (uint32_t i = 0; i < in->facets.count; i++) {
        const gjk_facet facet = seen_from(&in->facets.items[i], &pose);
        if (is_beyond(shape, &facet, slack) || gjk_budget_spend(in->budget, 4 + shape->count / 4)) {
            return false;
        }
    }
    return true;
}

static bool lies_within(container *in, const gjk_placed *body) {
    const struct gjk_pieces *pieces = body->shape->pieces;
    if (pieces == NULL) {
        return convex_lies_within(in, body);
    }
    for (uint32_t next = 0, i; gjk_pieces_next(pieces, in->budget, &next, &i);) {
        gjk_piece piece;
        gjk_piece_make(body, i, &piece);
        if (!convex_lies_within(in, &piece.placed)) {
            return false;
        }
    }
    return true;
}

/* The convex shape that a container is, a compound's only part included; NULL: it is none. */
static const gjk_placed *only_piece(const gjk_placed *placed, gjk_piece *room) {
    const gjk_shape *shape = placed->shape;
    if (shape->type != GJK_COMPOUND) {
        return placed;
    }
    if (gjk_pieces_count(shape->pieces) != 1) {
        return NULL;
    }
    gjk_piece_make(placed, 0, room);
    return &room->placed;
}

static bool is_polytope(const gjk_shape *shape) {
    return (shape->type == GJK_BOX || shape->type == GJK_POLYGON || shape->type == GJK_HULL ||
            shape->type == GJK_TRIANGLE) &&
           shape->radius == 0.0;
}

bool gjk_may_contain(const gjk_placed *placed) {
    gjk_piece room;
    const gjk_placed *convex = only_piece(placed, &room);
    return convex != NULL && is_polytope(convex->shape);
}

gjk_status gjk_set_within(const gjk_snapshot *snapshot, const gjk_placed *a,
                          const gjk_selection *selection, const gjk_detect_settings *settings,
                          gjk_hits *out) {
    gjk_piece room;
    container in = {.tolerance = settings->tolerance, .budget = selection->budget};
    GJK_ASSERT(gjk_may_contain(a));
    in.at = gjk_near_make(only_piece(a, &room), &in.near);
    gjk_detect_settings state_only = *settings;
    state_only.penetration = false;
    gjk_selection all = *selection; /* that meet it: those within are among them */
    all.limit = UINT32_MAX;
    gjk_status status = gjk_facets_make(selection->arena, in.near.placed.shape, &in.facets);
    if (status == GJK_OK) {
        status = gjk_set_detect(snapshot, a, &all, &state_only, out);
    }
    uint32_t kept = 0, count = status == GJK_OK ? out->count : 0;
    for (uint32_t i = 0; i < count && kept <= selection->limit && !gjk_budget_is_spent(in.budget);
         i++) {
        const gjk_placed placed = gjk_snapshot_place(snapshot, out->items[i].body);
        if (lies_within(&in, &placed)) {
            out->items[kept++] = out->items[i];
        }
    }
    out->truncated = kept > selection->limit;
    out->count = out->truncated ? selection->limit : kept;
    return status == GJK_OK && gjk_budget_is_spent(in.budget) ? GJK_GIVEN_UP : status;
}
