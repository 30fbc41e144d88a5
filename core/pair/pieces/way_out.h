#ifndef GJK_PAIR_PIECES_WAY_OUT_H
#define GJK_PAIR_PIECES_WAY_OUT_H

/*
 * Separating translations of b for two shapes of many pieces. A translation is free if it leaves
 * every pair of pieces separated and neither shape inside the solid of the other. The depth of the
 * two shapes is the length of the shortest limit of free translations.
 */

#include "gjk/pieces.h"
#include "pair/answer.h"
#include "shape/convex/scan.h"

/* Largest number of planes for one least translation. */
#define GJK_WAY_PLANES 16
/* Margins past the best length up to which borders are walked; the resulting bound is as coarse. */
#define GJK_WAY_BAND 64.0
/* Sine, or triple product, of normals below which planes meet too far away for a slack to be
 * meaningful. */
#define GJK_WAY_OBLIQUE 0x1p-12
/* Largest number of steps of a walk. */
#define GJK_WAY_STEPS 64

/* Translations t with t . normal >= least. */
typedef struct gjk_plane {
    gjk_vec3 normal;
    double least;
} gjk_plane;

typedef struct gjk_way_out {
    gjk_placed a, b; /* relative to the position of a */
    gjk_pair_settings settings;
    double margin;      /* separation of a free translation beyond the tolerance */
    double close;       /* bounds at most this far apart have met */
    double most;        /* a translation of this length parts the bounding balls */
    double lower_bound; /* lower bound of the depth */
    double length;      /* length of the best translation; INFINITY: none yet */
    gjk_vec3 best;      /* a limit of free translations, at which the shapes touch */
    double slack;       /* a nearby limit may be shorter by this */
    bool has_pair;      /* after `best` the following pieces touch and none overlap */
    uint32_t piece_a, piece_b;
    gjk_vec3 parting; /* normal of a plane between these pieces there */
    uint32_t queries_left;
} gjk_way_out;

/* Returns the deepest pair of pieces after a translation, or that one shape is inside the other. */
gjk_pair_answer gjk_way_query(gjk_way_out *way, gjk_vec3 t);

/* Returns only the pieces and state of any overlapping pair after a translation, else of any
 * touching pair. Cheaper. */
gjk_pair_answer gjk_way_query_state(gjk_way_out *way, gjk_vec3 t);

/* Returns such a pair with its depth. */
gjk_pair_answer gjk_way_query_any(gjk_way_out *way, gjk_vec3 t);

/* Returns the nearest pair of pieces after a translation, also inside a closed mesh. */
gjk_pair_answer gjk_way_nearest(gjk_way_out *way, gjk_vec3 t);

static inline bool gjk_way_is_free(const gjk_pair_answer *answer) {
    return answer->state == GJK_SEPARATED && !answer->given_up;
}

/* Returns true if the shapes count as touching up to a margin away from a limit of free
 * translations. Far from their origins the margin is larger. */
static inline bool gjk_way_has_fine_margin(const gjk_way_out *way) {
    return 2.0 * way->margin <= way->close;
}

/* Stores a limit of free translations if it is the best. Nearby limits may be shorter by
 * `slack`. */
void gjk_way_keep(gjk_way_out *way, gjk_vec3 move, double slack);

/* Returns true if the bounds have met, or the budget or the queries are spent. */
bool gjk_way_has_ended(const gjk_way_out *way);

/* Moves from a free translation to the shortest that it reaches without crossing anything, and
 * stores it if it is the best. */
void gjk_way_settle(gjk_way_out *way, gjk_vec3 free);

/* Moves along a unit direction, past one pair after the other, until a translation is free. */
void gjk_way_walk(gjk_way_out *way, gjk_vec3 direction);

/* Descends to the least translation beyond the planes of the pairs that block it (Kelley 1960). */
void gjk_way_descend(gjk_way_out *way, gjk_plane first);

/* Sets *t to the least translation that is beyond all planes by the margin, within the slack.
 * Precondition: the least translation beyond the planes before the last is not beyond the last.
 * Returns false if there is none. */
bool gjk_way_least(const gjk_plane *planes, uint32_t count, double margin, double slack,
                   gjk_vec3 *t);

/* Returns the distance from 0 of the farthest point where the last plane meets one or two others
 * that hold it back. Every translation beyond all planes is at least as long. */
double gjk_way_farthest(const gjk_plane *planes, uint32_t count);

/* The convex pieces that an answer names, at their positions before the translation. */
typedef struct gjk_convex_pair {
    gjk_piece a, b;
} gjk_convex_pair;

void gjk_way_take(const gjk_way_out *way, const gjk_pair_answer *of, gjk_convex_pair *pair);

/* Returns a length that separates these overlapping pieces in any direction. */
double gjk_way_reach(const gjk_convex_pair *pair);

/* Sets *between to the plane that touches the first of two pieces, with b moved by t, on the side
 * of the other. Returns false if they are not separated. */
bool gjk_way_plane_between(const gjk_way_out *way, const gjk_convex_pair *pair, gjk_vec3 t,
                           gjk_plane *between);

static inline gjk_placed gjk_moved_by(const gjk_placed *placed, gjk_vec3 move) {
    gjk_placed moved = *placed;
    moved.pose.position = gjk_add3(placed->pose.position, move);
    return moved;
}

/*
 * Walks all borders of Minkowski differences in the plane that are nearer than the best
 * translation, and stores the shortest free translation. Returns true if there is no shorter one:
 * all pairs are of clouds, there are not too many, and no walk was cut short.
 */
bool gjk_walk_borders(gjk_way_out *way);

/* Raises the lower bound of a way out in 3D. `deepest` is a pair of pieces, which must be boxes if
 * no translation is known. If all relevant pieces are few polyhedra, the bounds meet. */
void gjk_way_bound(gjk_way_out *way, const gjk_pair_answer *deepest);

/* --- Differences of convex pieces, as planes --- */

/* Largest number of planes of all differences of one search. */
#define GJK_DIFFERENCE_PLANES 1536

/* Planes in columns, as gjk_scans reads them. */
typedef struct gjk_difference_planes {
    uint32_t count;
    _Alignas(64) double x[GJK_DIFFERENCE_PLANES], y[GJK_DIFFERENCE_PLANES];
    double z[GJK_DIFFERENCE_PLANES], least[GJK_DIFFERENCE_PLANES];
} gjk_difference_planes;

/* The planes around the Minkowski difference of a pair, up to a length of translations. A
 * translation no longer than that is in the difference if it is beyond none of them. */
typedef struct gjk_difference {
    uint32_t piece_a, piece_b;
    uint32_t first, end; /* multiples of GJK_LANES, padded with planes that are never reached */
    bool is_of_boxes;
    bool is_exact; /* within rounding; else the planes may omit a little of the difference */
} gjk_difference;

/* Returns true if all planes of the difference are known at once, as for two boxes. */
bool gjk_difference_is_of_boxes(const gjk_placed *a, const gjk_placed *b);

/* Computes the planes of the difference of two pieces, up to way->length (for boxes all planes).
 * Returns false if the difference is flat, has too many planes, or cannot be computed that far. */
bool gjk_difference_find(const gjk_way_out *way, const gjk_placed *a, const gjk_placed *b,
                         gjk_difference_planes *all, gjk_difference *of);

static inline gjk_plane gjk_difference_plane(const gjk_difference_planes *all, uint32_t i) {
    return (gjk_plane){{all->x[i], all->y[i], all->z[i]}, all->least[i]};
}

/* Sets `inner`, 64-byte aligned, to the distance of a translation inside each plane, and returns
 * the least: the translation is in the difference if it is above 0. */
static inline double gjk_difference_depth(const gjk_difference_planes *all,
                                          const gjk_difference *of, gjk_vec3 t,
                                          double inner[GJK_DIFFERENCE_PLANES]) {
    return gjk_scans_fastest()->inner(all->x + of->first, GJK_DIFFERENCE_PLANES,
                                      of->end - of->first, &t, inner);
}

/* --- Differences of balls --- */

#define GJK_BALLS 32 /* limit, since all intersections of two or three are tried */

/* Minkowski difference of two balls: the translations that do not separate them. */
typedef struct gjk_ball {
    gjk_vec3 center;
    double radius;
} gjk_ball;

typedef struct gjk_balls {
    gjk_budget *budget; /* for searches; NULL: no limit */
    uint32_t count;
    gjk_ball of[GJK_BALLS];
} gjk_balls;

/* Adds a ball. Returns false if there is no room, or a ball with nearly the same centre exists. */
bool gjk_balls_add(gjk_balls *balls, gjk_ball new);

/* Extends *t, the least translation beyond the planes alone, to the least translation that is also
 * outside of all balls, by the margin within the slack, and returns its length, or `most` if there
 * is no shorter one. *t may be inside a ball if its position is inaccurate. If the budget is spent,
 * the result is invalid. `count` is at most 32. */
double gjk_balls_least(const gjk_balls *balls, const gjk_plane *planes, uint32_t count,
                       double margin, double slack, double most, gjk_vec3 *t);

#endif
