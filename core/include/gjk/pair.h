#ifndef GJK_PAIR_H
#define GJK_PAIR_H

/*
 * Queries about two placed shapes: whether they collide and how deep (gjk_detect), how far apart
 * they are and where (gjk_distance). Both run the same iteration in the same order, so they always
 * agree on the state.
 *
 * The signed distance s is the distance of separated shapes, and minus the penetration depth of
 * others. The state is touching if |s| <= tolerance * size, where size is the larger of the two
 * shapes' `size`. Every answer carries bounds that enclose the exact value, even if the iteration
 * limit was reached.
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
    GJK_CONVERGED,       /* the bounds differ by at most tolerance * size */
    GJK_ITERATION_LIMIT, /* the bounds differ by more, but are still valid */
} gjk_convergence;

/*
 * Chooses the penetration solver for overlapping cores. gjk_penetration_epa runs the expanding
 * polytope algorithm after GJK, for every pair. gjk_penetration_direct needs neither for the pairs
 * that it supports: 2D polytopes of at most GJK_EDGES_MAX points each; boxes, cylinders and cones
 * with shapes that have a parallel axis; an ellipse or ellipsoid with a point or ball. It leaves
 * other pairs, and those it cannot decide, to EPA. Both prove the same bounds, within rounding.
 */
struct gjk_penetration_solver;
extern const struct gjk_penetration_solver gjk_penetration_epa, gjk_penetration_direct;

/*
 * Cache from one query to the next about the same two shapes after a small motion: a separating
 * axis, or points of both shapes that are nearest to each other or enclose an overlap. The caller
 * keeps one for each pair and thread and initialises it by gjk_cache_make(); each query reads and
 * updates it. A cache for other shapes (compared by address) counts as empty; reinitialise it if
 * the shape at an address changes. A cache makes 3D queries faster and changes answers only within
 * the tolerance, in the last digits; most 2D queries need no iteration and ignore it.
 */
typedef struct gjk_cache {
    const gjk_shape *a, *b;
    uint32_t count;            /* number of points; 0: only the axis */
    gjk_vec3 axis;             /* in the frame of a; 0: no axis */
    gjk_vec3 on_a[4], on_b[4]; /* each in its own shape's frame */
    bool has_indices;          /* at_a and at_b are the points' indices in two clouds */
    uint32_t at_a[4], at_b[4];
} gjk_cache;

gjk_cache gjk_cache_make(void);

/*
 * Settings of a query. `tolerance` is in (0, GJK_TOLERANCE_MAX], relative to the size;
 * max_iterations in [GJK_ITERATIONS_MIN, GJK_ITERATIONS_MAX], for GJK and EPA each.
 * `first_direction` points from a towards b in world axes, with any length; zero means from centre
 * to centre. Polytopes are solved to rounding whatever the tolerance; it ends the iteration for
 * curved shapes only. The pointers come first: settings that have just been cleared are then read
 * in the same word sizes in which they were written, which avoids a store-forwarding stall in each
 * query.
 */
typedef struct gjk_pair_settings {
    const gjk_recorder *recorder;                /* NULL: none */
    const struct gjk_penetration_solver *solver; /* NULL: gjk_penetration_direct */
    gjk_cache *cache;                            /* NULL: none */
    gjk_budget *budget;                          /* for shapes of many pieces; NULL: no limit */
    gjk_vec3 first_direction;
    double tolerance;
    uint32_t max_iterations;
    bool penetration; /* gjk_detect; false: stop once the state is proven and fill nothing else */
    bool of_pieces;   /* shapes of many pieces: the depth of their deepest pair of pieces alone */
    bool is_signed; /* gjk_distance: also fill signed_distance, and in overlaps normal and points */
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
 * Answer of a pair query; the results of gjk_detect and gjk_distance are views of it. World frame;
 * z is 0 in 2D.
 *
 * gjk_detect: normal is a unit vector from a to b. Touching or overlapping: depth is an upper bound
 * of max(-s, 0), depth_lower_bound a lower bound; moving b by depth * normal leaves the two
 * touching, and point_a - point_b = depth * normal with point_a on a and point_b on b (has_points).
 * Separated: normal is a separating axis, the depths are 0 and there are no points.
 *
 * gjk_distance: distance is the least upper bound of max(s, 0) that was found, lower_bound a lower
 * bound. Separated or touching: point_b - point_a = distance * normal within rounding (has_points).
 * Overlapping: distance 0, no points, no normal. With is_signed the depth of a pair that touches or
 * overlaps is computed, too: signed_distance is -depth, normal and points are those of gjk_detect,
 * and point_b - point_a = signed_distance * normal.
 *
 * Shapes of many pieces that overlap: the exact depth is the distance from 0 to the boundary of the
 * set of translations of b that separate the shapes, where no piece of one touches a piece of the
 * other and neither lies within the other's solid (a region, a closed mesh). `depth` is the length
 * of a verified translation along normal; the points and pieces are those that touch after it. The
 * bounds always enclose the exact depth. They meet in 2D for clouds, rounded or not; in 3D if one
 * translation that separates the deepest pair of pieces separates all, for boxes, and for balls
 * with few balls nearby; in a closed mesh for points, and for balls that the translation to its
 * nearest point frees. If one translation does not suffice, the query takes tens to thousands of
 * times the search for one pair of pieces; of_pieces returns the depth of the deepest pair alone
 * (signed distance -INFINITY inside a closed mesh).
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
    double signed_distance; /* valid if is_signed, else 0 */
    gjk_vec3 normal;
    gjk_vec3 point_a, point_b;
    uint32_t piece_a, piece_b; /* the pieces that the answer is about; GJK_NO_PIECE: convex */
    /* One shape lies in a closed mesh and meets none of its triangles. A distance then has no
     * lengths, normal, points or pieces, nor has the depth with of_pieces. */
    bool inside;
    bool is_signed; /* signed_distance is valid */
    bool given_up;  /* the budget is spent: nothing else is valid */
} gjk_pair_answer;
typedef gjk_pair_answer gjk_detect_result, gjk_distance_result;

/*
 * Solve a pair of shapes. Preconditions: a and b have one dimension and come from checked
 * constructors; settings are in range (asserted). The same arguments give the same bits on every
 * platform. No allocation, no globals, bounded loops: O(max_iterations * (points of a + points of
 * b)). The depth of shapes of many pieces takes up to 256 KiB of stack. Error at most about 1e-15 *
 * size for polytopes and balls of polytopes. Sources: Gilbert, Johnson, Keerthi 1988; van den
 * Bergen 1999 and 2001.
 */
void gjk_detect_into(const gjk_placed *a, const gjk_placed *b, const gjk_detect_settings *settings,
                     gjk_detect_result *result);
void gjk_distance_into(const gjk_placed *a, const gjk_placed *b,
                       const gjk_distance_settings *settings, gjk_distance_result *result);

/* Return the same by value; inline, so that callers that read one or two members copy no more. */
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

/* Largest number of contacts in one answer. */
#define GJK_CONTACTS_MAX 1024

typedef struct gjk_contacts {
    gjk_detect_result *items;
    uint32_t count;
    bool truncated; /* there are more colliding pairs of pieces */
} gjk_contacts;

/*
 * Finds the colliding pairs of pieces of a and b, each with the answer of gjk_detect for the two,
 * the deepest first, equal depths in the order of piece_a, then piece_b; at most `limit` of them, 1
 * to GJK_CONTACTS_MAX (asserted). Two convex shapes have one pair or none. A shape inside a closed
 * mesh that meets none of its triangles has none. settings as for gjk_detect, but recorder and
 * cache are ignored and penetration counts as true. Items are allocated in the arena. Time:
 * gjk_detect for each pair of pieces whose boxes overlap; memory: O(limit). OUT_OF_MEMORY; GIVEN_UP
 * if the budget is spent.
 */
gjk_status gjk_pair_contacts(const gjk_placed *a, const gjk_placed *b,
                             const gjk_detect_settings *settings, uint32_t limit,
                             struct gjk_arena *arena, gjk_contacts *out) GJK_MUST_USE;

GJK_END

#endif
