#ifndef GJK_PAIR_RECORDING_H
#define GJK_PAIR_RECORDING_H

#include "pair/gjk/simplex.h"
#include "pair/solution.h"

/* Passes a step of a kernel to goal->recorder, which must not be NULL, in the frame of the pair.
 * `support` is the vertex found along `direction`; 2D kernels pass z = 0. */
void gjk_record_gjk(const gjk_goal *goal, const gjk_solution *solution, gjk_vec3 direction,
                    const gjk_simplex3 *simplex, const gjk_vertex3 *support, const char *note);

/* The face (2D: edge) that EPA expands, with its point nearest the origin. */
typedef struct gjk_traced_face {
    gjk_vec3 normal, nearest;
    gjk_vec3 corner[3];
    uint32_t count;
} gjk_traced_face;

void gjk_record_epa(const gjk_goal *goal, const gjk_solution *solution,
                    const gjk_traced_face *plane, const gjk_vertex3 *support, const char *note);

/* Forwards kernel steps from the frame of a pair to the caller's recorder. */
typedef struct gjk_world_recorder {
    const gjk_recorder *recorder;
    const gjk_pose *pose; /* pose of shape a */
    double unit;          /* frame length = unit * world length */
    double radius;        /* sum of both radii, in world lengths */
} gjk_world_recorder;

/* Records a step in the world, as gjk_recorder's function; `user` is a gjk_world_recorder. */
void gjk_record_in_world(void *user, const gjk_trace_step *step);

#endif
