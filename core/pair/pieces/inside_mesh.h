#ifndef GJK_PAIR_PIECES_INSIDE_MESH_H
#define GJK_PAIR_PIECES_INSIDE_MESH_H

#include "base/wide.h"
#include "gjk/budget.h"
#include "gjk/pieces.h"

/*
 * Returns true if a point, in the mesh's own frame, lies in the solid that a closed mesh encloses.
 * Of a point on the surface, which queries learn from the triangles, it tells either. Exact: by the
 * signed crossings above the point, all of them decided by exact predicates and a symbolic
 * shift of the point, so that no edge or corner is ever met twice or missed. O(log n + triangles
 * above the point). Where the budget is spent, the answer means nothing.
 */
bool gjk_mesh_encloses(const struct gjk_pieces *mesh, gjk_vec3 point, gjk_budget *budget);

/* The same of a place in the world and a mesh that may be far from its own origin: no digits are
 * lost. near: the place in the mesh's own frame, within rounding of the numbers there. */
bool gjk_mesh_encloses_place(const gjk_placed *mesh, gjk_wide3 place, gjk_vec3 near,
                             gjk_budget *budget);

/* Returns true if any connected part of a placed shape has its representative point in the closed
 * mesh. Where the shape meets none of the mesh's triangles, this tells whether any of it lies
 * inside. */
bool gjk_mesh_encloses_some(const gjk_placed *mesh, const gjk_placed *other, gjk_budget *budget);

/* Returns true if one of two shapes whose surfaces do not meet is a closed mesh around the
 * other. */
bool gjk_one_encloses(const gjk_placed *a, const gjk_placed *b, gjk_budget *budget);

#endif
