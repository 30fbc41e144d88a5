#ifndef GJK_PAIR_PIECES_WAY_OUT_H
#define GJK_PAIR_PIECES_WAY_OUT_H

/*
 * Translations of b that part two shapes of many pieces. A translation is free if it leaves every
 * pair of pieces separated and neither shape inside the solid of the other; the depth of the two is
 * the length of the shortest limit of free translations.
 */

#include "gjk/pieces.h"
#include "pair/answer.h"

/* Planes of one least translation, at most. */
#define GJK_WAY_PLANES 16
/* Margins by which a border that is walked may lead to a shorter translation than the walk has
 * found. */
#define GJK_WAY_BAND 64.0
/* Sine, or triple product, of normals below which planes meet too far off to be told with a slack. */
#define GJK_WAY_OBLIQUE 0x1p-12
/* Steps of a walk, at most. */
#define GJK_WAY_STEPS 64

/* Translations t with t . normal >= least. */
typedef struct gjk_plane {
    gjk_vec3 normal;
    double least;
} gjk_plane;

typedef struct gjk_way_out {
    gjk_placed a, b; /* seen from the place of a */
    gjk_pair_settings settings;
    double margin;      /* by which a free translation parts more than the tolerance asks for */
    double close;       /* bounds that are no further apart have met */
    double lower_bound; /* of the depth */
    double length;      /* of the best translation; INFINITY: there is none yet */
    gjk_vec3 best;      /* a limit of free translations, where the two touch */
    double slack;       /* by which a limit near the best may be shorter */
    bool has_pair;      /* the best leaves these in touch, and nothing overlapping: */
    uint32_t piece_a, piece_b;
    gjk_vec3 parting; /* normal of a plane between these there */
    uint32_t looks;   /* that are left */
} gjk_way_out;

/* Returns the deepest pair of pieces after a translation, or that one shape is inside the other. */
gjk_pair_answer gjk_way_look(gjk_way_out *way, gjk_vec3 t);

/* The same, but of any pair that overlaps, else of any that touches: its pieces and state alone.
 * Cheaper. */
gjk_pair_answer gjk_way_look_for_state(gjk_way_out *way, gjk_vec3 t);

/* The same with its depth. */
gjk_pair_answer gjk_way_look_for_any(gjk_way_out *way, gjk_vec3 t);

/* Returns the nearest pair of pieces after a translation, inside a closed mesh, too. */
gjk_pair_answer gjk_way_nearest(gjk_way_out *way, gjk_vec3 t);

static inline bool gjk_way_is_free(const gjk_pair_answer *answer) {
    return answer->state == GJK_SEPARATED && !answer->given_up;
}

/* Returns true if the shapes touch wherever they are a margin away from a limit of free
 * translations. Far from their origins the margin is larger than that. */
static inline bool gjk_way_has_fine_margin(const gjk_way_out *way) {
    return 2.0 * way->margin <= way->close;
}

/* Keeps a limit of free translations if it is the best. slack: by how much limits nearby may be
 * shorter. */
void gjk_way_keep(gjk_way_out *way, gjk_vec3 move, double slack);

/* Returns true if the bounds have met, or the budget is spent. */
bool gjk_way_has_ended(const gjk_way_out *way);

/* Goes from a free translation to the shortest that it finds without crossing anything, and keeps
 * it if it is the best. */
void gjk_way_settle(gjk_way_out *way, gjk_vec3 free);

/* Goes on along a unit direction until a translation is free, past one pair after the other. */
void gjk_way_walk(gjk_way_out *way, gjk_vec3 direction);

/* Takes the least translation beyond the planes of pairs that it finds in its way (Kelley 1960). */
void gjk_way_descend(gjk_way_out *way, gjk_plane first);

/* Sets *t to the least translation that is beyond all planes by the margin, within the slack: of
 * the planes before the last, no lesser one was beyond the last. Returns false if there is none. */
bool gjk_way_least(const gjk_plane *planes, uint32_t count, double margin, double slack,
                   gjk_vec3 *t);

/* Returns the distance from 0 of the farthest place where the last plane meets one or two others that
 * hold it back. Every translation beyond all planes is at least as long. */
double gjk_way_farthest(const gjk_plane *planes, uint32_t count);

/* Convex pieces that an answer names, where they stand before the translation. */
typedef struct gjk_convex_pair {
    gjk_piece a, b;
} gjk_convex_pair;

void gjk_way_take(const gjk_way_out *way, const gjk_pair_answer *of, gjk_convex_pair *pair);

/* Returns a length by which these pieces, which overlap, are parted in any direction. */
double gjk_way_reach(const gjk_convex_pair *pair);

/* Sets *between to the plane that touches the first of two pieces, b moved by t, on the side of the
 * other. Returns false if they are not separated. */
bool gjk_way_plane_between(const gjk_way_out *way, const gjk_convex_pair *pair, gjk_vec3 t,
                           gjk_plane *between);

static inline gjk_placed gjk_moved_by(const gjk_placed *placed, gjk_vec3 move) {
    gjk_placed moved = *placed;
    moved.pose.position = gjk_add3(placed->pose.position, move);
    return moved;
}

/*
 * Walks all borders of Minkowski differences in the plane that are nearer than the best
 * translation, and keeps the shortest that is free. Returns true if there is no shorter one: all
 * pairs are of clouds, there are not too many, and no walk was cut short.
 */
bool gjk_walk_borders(gjk_way_out *way);

/* Raises the lower bound of a way in 3D. deepest: pair of pieces, which are boxes where the length is
 * not known. Where all pieces that matter are polyhedra, and they are few, the bounds meet. */
void gjk_way_bound(gjk_way_out *way, const gjk_pair_answer *deepest);

#endif
