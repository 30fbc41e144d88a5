/*
 * Where does a shape stand, and where does that put a point of it?
 *
 * The rotation is kept as a matrix. That of a quaternion q is built with the factor
 * 2 / (q . q), which makes the normalisation part of the formula: no square root and
 * no separately rounded unit quaternion.
 */

#include "gjk/pose.h"

#include "number.h"

/* How far from 1 the length of a quaternion may be, and what its computation may add. */
#define QUATERNION_SLACK 1e-3
#define QUATERNION_ROUNDING 1e-15

gjk_pose gjk_pose_identity(void) {
    return (gjk_pose){{0, 0, 0}, gjk_mat3_identity()};
}

static gjk_status check_position(gjk_vec3 position) {
    const double values[3] = {position.x, position.y, position.z};
    for (int i = 0; i < 3; i++) {
        gjk_status status = gjk_check_coordinate(values[i]);
        if (status != GJK_OK) {
            return status;
        }
    }
    return GJK_OK;
}

gjk_status gjk_pose_make2(gjk_vec2 position, double angle, gjk_pose *out) {
    gjk_status status = check_position(gjk_xy0(position));
    if (status != GJK_OK) {
        return status;
    }
    if (!isfinite(angle)) {
        return GJK_NOT_FINITE;
    }
    double s, c;
    gjk_sincos(angle, &s, &c);
    *out = (gjk_pose){gjk_xy0(position), {{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
    return GJK_OK;
}

gjk_status gjk_pose_make3(gjk_vec3 position, gjk_quat orientation, gjk_pose *out) {
    const gjk_quat q = orientation;
    gjk_status status = check_position(position);
    if (status != GJK_OK) {
        return status;
    }
    if (!isfinite(q.x) || !isfinite(q.y) || !isfinite(q.z) || !isfinite(q.w)) {
        return GJK_NOT_FINITE;
    }
    double square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    if (!(fabs(sqrt(square) - 1.0) <= QUATERNION_SLACK + QUATERNION_ROUNDING)) {
        return GJK_BAD_ORIENTATION;
    }
    double f = 2.0 / square;
    double x = f * q.x, y = f * q.y, z = f * q.z;
    out->position = position;
    out->rotation.r0 = (gjk_vec3){1.0 - (y * q.y + z * q.z), x * q.y - z * q.w, x * q.z + y * q.w};
    out->rotation.r1 = (gjk_vec3){x * q.y + z * q.w, 1.0 - (x * q.x + z * q.z), y * q.z - x * q.w};
    out->rotation.r2 = (gjk_vec3){x * q.z - y * q.w, y * q.z + x * q.w, 1.0 - (x * q.x + y * q.y)};
    return GJK_OK;
}

gjk_vec3 gjk_pose_apply(const gjk_pose *pose, gjk_vec3 point) {
    return gjk_add3(gjk_mul3(&pose->rotation, point), pose->position);
}
