/*
 * Intersection of a line with a triangle in space, by Plucker coordinates: the line passes through
 * the triangle if the volumes that it spans with the three edges have the same sign; the point is
 * the intersection with the triangle's plane. The plane's normal is orthogonalised once more
 * against the longest edge, so that the plane of a sliver is inaccurate only across the sliver.
 */

#include "base/numbers.h"
#include "base/wide.h"
#include "pair/frame.h"
#include "ray/closed/closed_forms.h"
#include "ray/general/general.h"
#include "shape/convex/cloud.h"

static gjk_line_hit hit_plane(gjk_vec3 corner, const gjk_vec3 edges[2], gjk_vec3 direction) {
    gjk_vec3 normal = gjk_cross3(edges[0], edges[1]);
    double off = gjk_dot3(normal, edges[0]) / gjk_dot3(edges[0], edges[0]);
    normal = gjk_sub3(normal, gjk_scale3(off, edges[0]));
    double across = gjk_dot3(normal, direction);
    if (!(gjk_length3(normal) > GJK_LINE_LENGTH_LEAST)) {
        return gjk_line_unsure();
    }
    return gjk_line_hits(gjk_dot3(normal, corner) / across,
                         across < 0.0 ? normal : gjk_neg3(normal));
}

gjk_line_hit gjk_line_meet_triangle(const gjk_vec3 corners[3], const gjk_line *line) {
    gjk_vec3 corner[3], edge[3];
    double turn[3], length[3], least = INFINITY;
    for (uint32_t i = 0; i < 3; i++) {
        gjk_vec3 from = corners[i], to = corners[(i + 1) % 3];
        corner[i] = gjk_sub3(from, line->point);
        edge[i] = gjk_sub3(to, from);
        length[i] = gjk_length3(edge[i]);
        if (!(length[i] > GJK_LINE_LENGTH_LEAST)) {
            return gjk_line_unsure();
        }
        turn[i] = gjk_dot3(line->direction, gjk_cross3(corner[i], edge[i]));
    }
    /* The sign of the triangle's area, projected along the line. */
    double sign = turn[0] + turn[1] + turn[2] < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 3; i++) {
        least = gjk_smaller(least, sign * turn[i] / length[i]);
    }
    if (least < line->slack) {
        return gjk_line_passes(-least, line->slack);
    }
    int i = length[0] >= length[1] && length[0] >= length[2] ? 0 : length[1] >= length[2] ? 1 : 2;
    const gjk_vec3 edges[2] = {edge[i], edge[(i + 1) % 3]};
    return hit_plane(corner[i], edges, line->direction);
}

/*
 * A ray at a triangle of a mesh, without making a shape of it. Each number is computed as in
 * gjk_raycast (cloud.c, box.c, ray.c), so that the bits are the same.
 */

static inline void measure(double a, double b, double c, double *center, double *half) {
    const double low = gjk_smaller(gjk_smaller(a, b), c), high = gjk_larger(gjk_larger(a, b), c);
    *center = 0.5 * low + 0.5 * high + 0.0;
    *half = gjk_larger(high - *center, *center - low);
}

bool gjk_raycast_triangle(const gjk_placed *target, bool is_at_origin, const gjk_vec3 c[3],
                          const gjk_ray *ray, double tolerance, gjk_ray_result *result) {
    const gjk_mat3 *rotation = &target->pose.rotation;
    gjk_vec3 center, half, between = gjk_sub3(ray->origin, target->pose.position);
    gjk_wide3 at = gjk_wide3_of((gjk_vec3){0, 0, 0});
    measure(c[0].x, c[1].x, c[2].x, &center.x, &half.x);
    measure(c[0].y, c[1].y, c[2].y, &center.y, &half.y);
    measure(c[0].z, c[1].z, c[2].z, &center.z, &half.z);
    const double size = 2.0 * gjk_largest3(half);
    const gjk_vec3 offset = gjk_offset_of(center, size);
    const bool is_far = gjk_largest3(offset) > 0.0;
    if (is_at_origin) { /* same as the double-double sums below */
        between = gjk_sub3(ray->origin, offset);
    } else if (is_far) {
        at = gjk_pose_apply_wide(&target->pose, gjk_wide3_of(offset));
        between = gjk_wide3_sub(gjk_wide3_of(ray->origin), at);
    }
    center = gjk_sub3(center, offset);
    const double reach = gjk_largest3(center) + size;
    if (target->pose.form == GJK_POSE_REST ||
        !gjk_unit_is_one(gjk_larger(gjk_largest3(between), reach))) {
        return false;
    }
    const gjk_vec3 corners[3] = {gjk_no_minus_zero3(gjk_sub3(c[0], offset)),
                                 gjk_no_minus_zero3(gjk_sub3(c[1], offset)),
                                 gjk_no_minus_zero3(gjk_sub3(c[2], offset))};
    const gjk_vec3 origin = gjk_mul3_transposed(rotation, between);
    const gjk_vec3 direction = gjk_mul3_transposed(rotation, ray->direction);
    const double slack = 4.0 * GJK_ROUNDING * (gjk_largest3(origin) + reach);
    const double near = 2.0 * gjk_larger(tolerance * size, slack);
    const double foot = -gjk_dot3(gjk_sub3(origin, center), direction);
    const gjk_line line = {gjk_add3(origin, gjk_scale3(foot, direction)), direction, slack};
    const gjk_line_hit hit = gjk_line_meet_triangle(corners, &line);
    const double t = foot + hit.t, height = -t * gjk_dot3(hit.normal, direction);
    if (hit.verdict != GJK_LINE_HITS || !(t > 0.0 && t <= ray->max_distance && height > near)) {
        return false;
    }
    const gjk_ray from = {is_far ? between : ray->origin, ray->direction, ray->max_distance};
    const gjk_ray_result answer = gjk_ray_hit_at(&from, t, gjk_mul3(rotation, hit.normal));
    gjk_ray_put(&answer, result);
    if (is_far) {
        result->point =
            is_at_origin ? gjk_add3(offset, answer.point) : gjk_wide3_add(at, answer.point);
    }
    return true;
}
