#ifndef GJK_PAIR_H
#define GJK_PAIR_H

/*
 * Queries of two placed shapes: do they collide and how deep (gjk_detect), how far apart are they
 * and where (gjk_distance). Both run the same iteration in the same order, so they always agree on
 * the state.
 *
 * Signed distance s: the distance when apart, minus the penetration depth when not. The state is
 * touching when |s| <= tolerance * size, size being the larger of the two shapes' `size`. Every
 * answer carries bounds that enclose the truth even where the iteration limit ended it.
 */

#include "gjk/arena.h"
#include "gjk/budget.h"
#include "gjk/shape.h"
#include "gjk/trace.h"

GJK_BEGIN

#define GJK_TOLERANCE_DEFAULT 1e-10
#define GJK_TOLERANCE_MAX 0.01
#define GJK_ITERATIONS_DEFAULT 100
#define GJK_ITERATIONS_MIN 5
#define GJK_ITERATIONS_MAX 1000

typedef enum gjk_state { GJK_SEPARATED, GJK_TOUCHING, GJK_OVERLAPPING } gjk_state;

typedef enum gjk_convergence {
    GJK_CONVERGED,       /* the bounds are at most tolerance * size apart */
    GJK_ITERATION_LIMIT, /* they are further apart, but still hold */
} gjk_convergence;

/*
 * Chooses the penetration solver for overlapping cores. The expanding polytope algorithm
 * serves all pairs, after GJK. The direct solver needs neither for the pairs it serves: 2D
 * polytopes of at most GJK_EDGES_MAX points each, boxes, cylinders and cones with what has a
 * parallel axis, and an ellipse or ellipsoid with a point or ball; all others, and what it cannot
 * settle, are left to the former. Both prove the same bounds, within rounding.
 */
struct gjk_penetration_solver;
extern const struct gjk_penetration_solver gjk_penetration_epa, gjk_penetration_direct;

/*
 * Cache of a query for the next one about the same two shapes, which have moved a little:
 * a separating axis, or points of both that are nearest each other or enclose an overlap.
 * The caller keeps it, one for each pair and thread, and begins with gjk_cache_make(); it is
 * read and written by each query that is given it. A cache of other shapes (told by their
 * addresses) counts as empty; begin anew when what stands at an address has changed. It
 * makes 3D queries faster and never changes an answer beyond its tolerance, but in the last
 * digits; most 2D queries need no iteration and do without.
 */
typedef struct gjk_cache {
    const gjk_shape *a, *b;
    uint32_t count;            /* of points; 0: the axis */
    gjk_vec3 axis;             /* in the frame of a; 0: none */
    gjk_vec3 on_a[4], on_b[4]; /* in the own frames */
    bool has_indices;          /* of those points, of two clouds: */
    uint32_t at_a[4], at_b[4];
} gjk_cache;

gjk_cache gjk_cache_make(void);

/*
 * How a query is solved. tolerance in (0, GJK_TOLERANCE_MAX], relative to the size;
 * max_iterations in [GJK_ITERATIONS_MIN, GJK_ITERATIONS_MAX], for GJK and EPA each.
 * first_direction points from a towards b in world axes, of any length; zero means centre to
 * centre. Polytopes are solved to rounding whatever the tolerance; it ends the iteration only for
 * curved shapes. The pointers stand first, so that settings that were made just now are read in the
 * words in which they were cleared, which avoids a store-forwarding stall in each query.
 */
typedef struct gjk_pair_settings {
    const gjk_recorder *recorder;                /* NULL: none */
    const struct gjk_penetration_solver *solver; /* NULL: the direct one */
    gjk_cache *cache;                            /* NULL: none */
    gjk_budget *budget;                          /* of shapes of many pieces; NULL: endless */
    gjk_vec3 first_direction;
    double tolerance;
    uint32_t max_iterations;
    bool penetration; /* detect; false: stop as soon as the state is proven, fill nothing else */
    bool of_pieces;   /* the depth of shapes of many pieces is that of their deepest pair alone */
    bool is_signed;   /* distance: tells signed_distance too, with normal and points of overlaps */
} gjk_pair_settings;
typedef gjk_pair_settings gjk_detect_settings, gjk_distance_settings;

static inline gjk_detect_settings gjk_detect_settings_default(void) {
    gjk_detect_settings settings = GJK_ZERO;
    settings.tolerance = GJK_TOLERANCE_DEFAULT;
    settings.max_iterations = GJK_ITERATIONS_DEFAULT;
    settings.penetration = true;
    return settings;
}
static inline gjk_distance_settings gjk_distance_settings_default(void) {
    return gjk_detect_settings_default();
}

/*
 * The answer of a solver; the results of gjk_detect and gjk_distance are views of it. In the world
 * frame; z is 0 in 2D.
 *
 * gjk_detect: normal is a unit vector from a to b. Touching or overlapping: depth is max(-s, 0)
 * from above, depth_lower_bound from below; moving b by depth * normal leaves the two touching, and
 * point_a - point_b = depth * normal with point_a on a and point_b on b (has_points). Separated:
 * normal is a separating axis, the depths are 0 and there are no points.
 *
 * gjk_distance: distance is the best estimate of max(s, 0) from above, lower_bound the same from
 * below. Separated or touching: point_b - point_a = distance * normal within rounding (has_points).
 * Overlapping: distance 0, no points, no normal. With is_signed, the depth of a pair that touches
 * or overlaps is computed, too: signed_distance is -depth, normal and points are those of gjk_detect,
 * and point_b - point_a = signed_distance * normal.
 *
 * Shapes of many pieces that overlap: the truth is the distance from 0 to the limits of those
 * translations of b that leave the two separated, with no piece of the one touching a piece of the
 * other and neither within the solid of the other (a region, a closed mesh). depth is the length of
 * a translation along normal of which that was verified; the points and pieces are those that touch
 * after it. The bounds always enclose the truth. They meet in 2D for clouds, rounded or not, in 3D
 * where what parts the deepest pair of pieces parts all, for boxes, and for balls where few of them
 * are near, in a closed mesh for points, and for balls that its nearest point lets out. It takes tens
 * to thousands of searches for a pair of pieces where one translation does not do; of_pieces asks for
 * the deepest pair alone (-INFINITY is then the signed distance inside a closed mesh).
 */
typedef struct gjk_pair_answer {
    gjk_state state;
    gjk_convergence convergence;
    uint32_t iterations;
    bool has_points;
    union {
        double depth, distance;
    };
    union {
        double depth_lower_bound, lower_bound;
    };
    double signed_distance; /* if settings ask for it, else 0 */
    gjk_vec3 normal;
    gjk_vec3 point_a, point_b;
    uint32_t piece_a, piece_b; /* whose answer this is; GJK_NO_PIECE: that operand is convex */
    /* One lies in a closed mesh and meets none of its triangles. A distance then has no lengths,
     * normal, points, pieces, nor has the depth of_pieces. */
    bool inside;
    bool is_signed; /* signed_distance is told */
    bool given_up;  /* the budget is spent: nothing else is told */
} gjk_pair_answer;
typedef gjk_pair_answer gjk_detect_result, gjk_distance_result;

/*
 * Both: a and b of one dimension, from checked constructors; settings in range (asserted). Same
 * bits for the same arguments everywhere. No allocation, no globals, bounded loops:
 * O(max_iterations * (points of a + points of b)); the depth of shapes of many pieces takes up to
 * 256 KiB of stack. Error at most about 1e-15 * size on polytopes and balls of polytopes. Sources: Gilbert, Johnson, Keerthi 1988; van den Bergen 1999 and 2001.
 */
void gjk_detect_into(const gjk_placed *a, const gjk_placed *b, const gjk_detect_settings *settings,
                     gjk_detect_result *result);
void gjk_distance_into(const gjk_placed *a, const gjk_placed *b,
                       const gjk_distance_settings *settings, gjk_distance_result *result);

/* The same as values; inline, so that a caller who looks at a member or two copies no more. */
static inline gjk_detect_result gjk_detect(const gjk_placed *a, const gjk_placed *b,
                                           const gjk_detect_settings *settings) {
    gjk_detect_result result;
    gjk_detect_into(a, b, settings, &result);
    return result;
}
static inline gjk_distance_result gjk_distance(const gjk_placed *a, const gjk_placed *b,
                                               const gjk_distance_settings *settings) {
    gjk_distance_result result;
    gjk_distance_into(a, b, settings, &result);
    return result;
}

/* Most contacts that one query tells. */
#define GJK_CONTACTS_MAX 1024

typedef struct gjk_contacts {
    gjk_detect_result *items;
    uint32_t count;
    bool truncated; /* more pairs of pieces collide */
} gjk_contacts;

/*
 * The pairs of pieces of a and b that collide, each with what gjk_detect says of the two: the
 * deepest first, among equally deep ones by piece_a, then piece_b; the first `limit` of them, 1 to
 * GJK_CONTACTS_MAX (asserted). Two convex shapes have one such pair or none. A shape inside a
 * closed mesh that meets none of its triangles has none. settings as for gjk_detect, but recorder
 * and cache are not used and penetration counts as true. The items are allocated in the arena. Time
 * as gjk_detect for each pair of pieces whose boxes overlap, O(limit) of memory. OUT_OF_MEMORY;
 * GIVEN_UP where the budget is spent.
 */
gjk_status gjk_pair_contacts(const gjk_placed *a, const gjk_placed *b,
                             const gjk_detect_settings *settings, uint32_t limit,
                             struct gjk_arena *arena, gjk_contacts *out) GJK_MUST_USE;

GJK_END

#endif
