/*
 * Intersection of a line with a triangle in space, by Plucker coordinates: the line passes through
 * the triangle if the volumes that it spans with the three edges have the same sign; the point is
 * the intersection with the triangle's plane. The plane's normal is orthogonalised once more
 * against the longest edge, so that the plane of a sliver is inaccurate only across the sliver.
 */

#include "base/numbers.h"
#include "ray/closed/closed_forms.h"

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
