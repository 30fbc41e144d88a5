#ifndef BENCH_PEERS_BULLET_H
#define BENCH_PEERS_BULLET_H

/* Our numbers as Bullet's. */

#include "gjk/pose.h"

#include <LinearMath/btTransform.h>

static inline btVector3 vector(gjk_vec3 v) {
    return btVector3(v.x, v.y, v.z);
}

static inline btTransform transform(const gjk_pose &pose) {
    const gjk_mat3 &r = pose.rotation;
    return btTransform(btMatrix3x3(r.r0.x, r.r0.y, r.r0.z, r.r1.x, r.r1.y, r.r1.z, r.r2.x, r.r2.y,
                                   r.r2.z),
                       vector(pose.position));
}

#endif
