#ifndef GJK_PAIR_INSIDE_MESH_H
#define GJK_PAIR_INSIDE_MESH_H

#include "gjk/budget.h"
#include "gjk/pieces.h"

/*
 * Whether a point, in the mesh's own frame, lies in the solid that a closed mesh encloses. Of a point
 * on the surface, which queries learn from the triangles, it tells either. Exact: by the parity of the crossings above the point, all of them decided by
 * exact predicates and a symbolic shift of the point, so that no edge or corner is ever met twice or
 * missed. O(log n + triangles above the point). Where the meter gives up, the answer means nothing.
 */
bool gjk_mesh_encloses(const struct gjk_pieces *mesh, gjk_vec3 point, gjk_budget *budget);

/*
 * Whether any connected part of a placed shape has its representative point in the closed mesh. Where
 * the shape meets none of the mesh's triangles, this tells whether any of it lies inside.
 */
bool gjk_mesh_encloses_some(const gjk_placed *mesh, const gjk_placed *other, gjk_budget *budget);

#endif
