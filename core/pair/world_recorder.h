#ifndef GJK_PAIR_WORLD_RECORDER_H
#define GJK_PAIR_WORLD_RECORDER_H

#include "gjk/pose.h"
#include "gjk/trace.h"

/* Carries the kernels' steps from the frame of a pair to the caller's recorder. */
typedef struct gjk_world_recorder {
    const gjk_recorder *recorder;
    const gjk_pose *pose; /* of a, whose frame it is */
    double unit;          /* frame length = unit * world length */
    double radius;        /* of both balls, in world lengths */
} gjk_world_recorder;

/* A record function; user is a gjk_world_recorder. */
void gjk_record_in_world(void *user, const gjk_trace_step *step);

#endif
