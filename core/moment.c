/*
 * Where do the bodies of a set stand at a moment?
 */

#include "gjk/moment.h"

gjk_moment gjk_moment_of(const struct gjk_set *set) {
    return (gjk_moment){.set = set};
}

gjk_pose gjk_moment_pose(const gjk_moment *moment, const gjk_body *body, gjk_turn *turn) {
    (void)moment;
    *turn = body->turn;
    return body->placed.pose;
}

gjk_placed gjk_moment_place(const gjk_moment *moment, const gjk_body *body) {
    gjk_turn turn;
    return (gjk_placed){body->placed.shape, gjk_moment_pose(moment, body, &turn)};
}
