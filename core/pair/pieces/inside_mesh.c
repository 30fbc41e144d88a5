/*
 * Exact test of a point in a closed mesh or a height field with a base. The winding number is the
 * number of crossings of a vertical ray upwards from the point from inside to outside, minus those
 * from outside to inside. The point is shifted symbolically by an infinitesimal amount in y and a
 * far smaller one in x: it then lies over no edge, and both triangles at an edge see it on the same
 * side (Edelsbrunner, Muecke 1990, Simulation of Simplicity). Orientation predicates are exact, so
 * the count is.
 */

#include "pair/pieces/pieces.h"

#include "base/predicate.h"
#include "base/wide.h"
#include "shape/convex/support.h"
#include "shape/pieces/pieces.h"
#include "shape/pieces/walk.h"

/* Relative error of a point's position after a change of frame. */
#define ROUNDING 0x1p-48

/* Returns true if the edge spans the y of the shifted point and the point is to its left. */
static bool is_left_of(gjk_vec3 from, gjk_vec3 to, gjk_vec3 point) {
    const bool starts_above = from.y > point.y, ends_above = to.y > point.y;
    if (starts_above == ends_above) {
        return false;
    }
    const gjk_vec3 low = starts_above ? to : from, high = starts_above ? from : to;
    return gjk_orient2_sign(gjk_xy(low), gjk_xy(high), gjk_xy(point)) > 0;
}

/* Returns the crossing of the upward ray from the shifted point with the triangle: 1 along its face
 * normal, -1 against it, 0 if there is none. */
static int crossing_of(const gjk_vec3 corners[3], gjk_vec3 point) {
    bool covers = false;
    for (int i = 0; i < 3; i++) {
        covers ^= is_left_of(corners[i], corners[(i + 1) % 3], point);
    }
    if (!covers) {
        return 0;
    }
    const gjk_vec3 a = corners[0], b = corners[1], c = corners[2];
    const int upwards = gjk_orient2_sign(gjk_xy(a), gjk_xy(b), gjk_xy(c));
    return gjk_orient3_sign(a, b, c, point) * upwards < 0 ? upwards : 0;
}

/* Returns true if the mesh encloses about + point. Coordinates are relative to `about`; each vertex
 * is rounded in one way for all its triangles, so the mesh stays closed. */
static bool encloses_about(const struct gjk_pieces *mesh, gjk_vec3 about, gjk_vec3 point,
                           gjk_budget *budget) {
    const gjk_vec3 at = gjk_add3(about, point);
    const gjk_bounds column = {at, {at.x, at.y, INFINITY}};
    /* Corners far from `about` are rounded by the subtraction. */
    const double rounding = gjk_largest3(about) > 0.0 ? 0x1p-50 / mesh->tree.unit : 0.0;
    gjk_pieces_walk walk;
    uint32_t first, count;
    int winding = 0;
    gjk_pieces_walk_begin(&walk, &mesh->tree, GJK_WALK_OVERLAP, &column, rounding, 0.0, budget);
    while (gjk_pieces_walk_next(&walk, &first, &count)) {
        for (uint32_t slot = first; slot < first + count; slot++) {
            gjk_vec3 corners[3];
            gjk_pieces_triangle(mesh, gjk_slot_piece(&mesh->tree, slot), corners);
            for (int i = 0; i < 3; i++) {
                corners[i] = gjk_sub3(corners[i], about);
            }
            winding += crossing_of(corners, point);
        }
    }
    const bool is_evenodd = mesh->type == GJK_MESH && mesh->mesh.fill == GJK_FILL_EVENODD;
    return is_evenodd ? winding % 2 != 0 : winding != 0;
}

bool gjk_mesh_encloses(const struct gjk_pieces *mesh, gjk_vec3 point, gjk_budget *budget) {
    return encloses_about(mesh, (gjk_vec3){0, 0, 0}, point, budget);
}

bool gjk_mesh_encloses_place(const gjk_placed *mesh, gjk_wide3 place, gjk_vec3 near,
                             gjk_budget *budget) {
    const gjk_wide3 about = gjk_pose_apply_wide(&mesh->pose, gjk_wide3_of(near));
    const gjk_vec3 rest = gjk_wide3_sub(place, about);
    return encloses_about(mesh->shape->pieces, near,
                          gjk_mul3_transposed(&mesh->pose.rotation, rest), budget);
}

/* Returns true if the mesh encloses a point given in the frame of that pose. */
static bool encloses(const gjk_placed *mesh, const gjk_pose *pose, gjk_vec3 point,
                     gjk_budget *budget) {
    const gjk_vec3 off = gjk_sub3(pose->position, mesh->pose.position);
    const gjk_vec3 turned = gjk_mul3(&pose->rotation, point);
    const gjk_vec3 roughly = gjk_mul3_transposed(&mesh->pose.rotation, gjk_add3(turned, off));
    const double slack = ROUNDING * (gjk_largest3(point) + gjk_largest3(off) + mesh->shape->reach);
    const gjk_vec3 from = gjk_sub3(roughly, mesh->shape->center), half = mesh->shape->half_extents;
    if (fabs(from.x) > half.x + slack || fabs(from.y) > half.y + slack ||
        fabs(from.z) > half.z + slack) {
        return false;
    }
    const gjk_wide3 place = gjk_pose_apply_wide(pose, gjk_wide3_of(point));
    return gjk_mesh_encloses_place(mesh, place, roughly, budget);
}

static bool encloses_convex(const gjk_placed *mesh, const gjk_placed *other, gjk_budget *budget) {
    return encloses(mesh, &other->pose, gjk_shape_any_point(other->shape), budget);
}

bool gjk_mesh_encloses_some(const gjk_placed *mesh, const gjk_placed *other, gjk_budget *budget) {
    const struct gjk_pieces *pieces = other->shape->pieces;
    if (pieces == NULL) {
        return encloses_convex(mesh, other, budget);
    }
    const bool is_compound = pieces->type == GJK_COMPOUND;
    const uint32_t count = is_compound ? pieces->count : pieces->seed_count;
    for (uint32_t i = 0; i < count && !gjk_budget_spend(budget, 16); i++) {
        gjk_piece piece;
        if (!is_compound && encloses(mesh, &other->pose, pieces->seeds[i], budget)) {
            return true;
        }
        if (is_compound) {
            gjk_piece_make(other, i, &piece);
            if (encloses_convex(mesh, &piece.placed, budget)) {
                return true;
            }
        }
    }
    return false;
}

bool gjk_either_encloses(const gjk_placed *a, const gjk_placed *b, gjk_budget *budget) {
    return (gjk_shape_is_solid(a->shape) && gjk_mesh_encloses_some(a, b, budget)) ||
           (gjk_shape_is_solid(b->shape) && gjk_mesh_encloses_some(b, a, budget));
}
