#ifndef GJK_PAIR_PIECES_INSIDE_MESH_H
#define GJK_PAIR_PIECES_INSIDE_MESH_H

#include "base/wide.h"
#include "gjk/budget.h"
#include "gjk/pieces.h"

/*
 * Returns true if a point, in the mesh's own frame, lies in the solid that a closed mesh encloses.
 * For a point on the surface, which queries detect by the triangles, the result is arbitrary.
 * Exact: it counts signed crossings above the point by exact predicates and a symbolic shift of the
 * point, so that no edge or corner is counted twice or missed. O(log n + triangles above the
 * point). If the budget is spent, the result is invalid.
 */
bool gjk_mesh_encloses(const struct gjk_pieces *mesh, gjk_vec3 point, gjk_budget *budget);

/* Returns true if a mesh, which may be far from its own origin, encloses a position in the world,
 * without a loss of digits. `near` is the position in the mesh's own frame, within rounding
 * there. */
bool gjk_mesh_encloses_place(const gjk_placed *mesh, gjk_wide3 place, gjk_vec3 near,
                             gjk_budget *budget);

/* Returns true if the representative point of any connected part of a placed shape is in the closed
 * mesh. If the shape meets none of the mesh's triangles, this decides whether any of it is
 * inside. */
bool gjk_mesh_encloses_some(const gjk_placed *mesh, const gjk_placed *other, gjk_budget *budget);

/* Returns true if one of two shapes whose surfaces do not meet is a closed mesh around the
 * other. */
bool gjk_one_encloses(const gjk_placed *a, const gjk_placed *b, gjk_budget *budget);

#endif
