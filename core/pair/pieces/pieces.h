#ifndef GJK_PAIR_PIECES_PIECES_H
#define GJK_PAIR_PIECES_PIECES_H

/* Searches for the pair of pieces that gives the answer, for operands of which one or both have
 * pieces. */

#include "base/wide.h"
#include "gjk/budget.h"
#include "gjk/pieces.h"
#include "pair/answer.h"

/* Finds the pair of pieces that gives the answer, the deepest or the nearest. For a distance of
 * overlapping pieces it is any overlapping pair. */
gjk_pair_answer gjk_find_piece_pair(gjk_question question, const gjk_placed *a, const gjk_placed *b,
                                    const gjk_pair_settings *settings);

/* Finds it by the pieces alone, ignoring the inside of closed meshes. */
gjk_pair_answer gjk_search_pieces(gjk_question question, const gjk_placed *a, const gjk_placed *b,
                                  const gjk_pair_settings *settings);

/* The two ways to find it: for a ball at the triangles of a mesh or height field, by the nearest to
 * its center, and for all shapes, by a visitor. The first returns false if it cannot tell; for a
 * distance of overlapping pieces it takes the deepest pair. */
bool gjk_search_ball(gjk_question question, const gjk_placed *a, const gjk_placed *b,
                     const gjk_pair_settings *settings, gjk_pair_answer *best);
gjk_pair_answer gjk_search_pairs(gjk_question question, const gjk_placed *a, const gjk_placed *b,
                                 const gjk_pair_settings *settings);

/* Returns true if an answer comes before the best one so far: an overlapping pair before a touching
 * one, which comes before a separated one; then the deepest or nearest pair; then the least
 * indices. */
static inline bool gjk_pair_precedes(gjk_question question, const gjk_pair_answer *answer,
                                     const gjk_pair_answer *best) {
    const bool is_closer = question == GJK_ASK_DISTANCE ? answer->distance < best->distance
                                                        : answer->depth > best->depth;
    const bool has_less = answer->piece_a != best->piece_a ? answer->piece_a < best->piece_a
                                                           : answer->piece_b < best->piece_b;
    return answer->state > best->state ||
           (answer->state == best->state &&
            (is_closer || (answer->distance == best->distance && has_less)));
}

/* Returns *found, or an answer with `inside` if one shape encloses the other. */
gjk_pair_answer gjk_check_enclosure(const gjk_pair_answer *found, const gjk_placed *a,
                                    const gjk_placed *b, gjk_budget *budget);

/*
 * Calls visit for all pairs of pieces that may be nearer than `bound` (a length) and may overlap by
 * at least `depth`, nearest boxes first, until it returns false or the budget is spent. visit may
 * lower the bound and raise the depth. A convex operand is one piece with the index GJK_NO_PIECE.
 * No pair is visited twice. The order depends only on the two placed shapes.
 */
typedef struct gjk_piece_pair {
    const gjk_placed *a, *b; /* convex, in the world; valid during the call */
    uint32_t piece_a, piece_b;
} gjk_piece_pair;

typedef struct gjk_piece_visitor {
    bool (*visit)(struct gjk_piece_visitor *visitor, const gjk_piece_pair *pair);
    double bound;     /* pairs further apart may be skipped */
    double depth;     /* pairs that overlap by less may be skipped; 0: none */
    double tolerance; /* relative, as in the settings; boxes are widened by it */
    gjk_budget *budget;
} gjk_piece_visitor;

/* Returns a visitor of all pairs, with the tolerance and the budget of a query. */
static inline gjk_piece_visitor gjk_visitor_make(bool (*visit)(gjk_piece_visitor *visitor,
                                                               const gjk_piece_pair *pair),
                                                 const gjk_pair_settings *settings) {
    return (gjk_piece_visitor){.visit = visit,
                               .tolerance = settings->tolerance,
                               .budget = settings->budget};
}

void gjk_visit_piece_pairs(const gjk_placed *a, const gjk_placed *b, gjk_piece_visitor *visitor);

/* Returns the length by which the boxes of two shapes, or of their pieces, are widened for a search
 * within `radius`: touching pairs may be the tolerance apart, and poses are rounded. */
double gjk_slack_of_pieces(const gjk_placed *a, const gjk_placed *b, double radius,
                           double tolerance);

/* Answers a pair of which one or both have pieces, for gjk_detect and gjk_distance. *nearest is the
 * answer for their nearest or deepest pieces, before the test for a shape inside the other. */
gjk_pair_answer gjk_answer_pieces(gjk_question question, const gjk_placed *a, const gjk_placed *b,
                                  const gjk_pair_settings *settings, gjk_pair_answer *nearest);

/* Largest number of points of a convex shape that are searched for in a solid. */
#define GJK_INNER_POINTS 16

/* Sets points of a convex shape, without its radius: its centre, then corners. Returns their
 * number. */
uint32_t gjk_points_of_convex(const gjk_placed *placed, gjk_vec3 points[GJK_INNER_POINTS]);

/* Returns true if two shapes whose pieces at most touch nevertheless overlap: one has a point in
 * the solid of the other's closed mesh, or on a seam within the other's region. */
bool gjk_touch_is_inside(const gjk_placed *a, const gjk_placed *b,
                         const gjk_pair_settings *settings);

/*
 * Extends the answer for the deepest pair of pieces, or for one shape inside the other, to the
 * whole overlapping shapes. depth is the length of the shortest separating translation that was
 * found. depth_lower_bound comes from the deepest pair, from points inside a closed mesh, or, in
 * the plane, from a walk along all borders. The points and pieces are those that touch after the
 * translation. Takes three searches for a pair of pieces if one translation suffices, else tens or
 * hundreds. `nearest` is the nearest pair of pieces if one shape is inside the other, which saves
 * its search; NULL: unknown.
 */
gjk_pair_answer gjk_answer_whole_depth(const gjk_placed *a, const gjk_placed *b,
                                       const gjk_pair_answer *deepest,
                                       const gjk_pair_answer *nearest,
                                       const gjk_pair_settings *settings);

/* --- Points in closed meshes --- */

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
bool gjk_either_encloses(const gjk_placed *a, const gjk_placed *b, gjk_budget *budget);

#endif
