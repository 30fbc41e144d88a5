/*
 * A ray at a triangle of a mesh, without making a shape of it. Each number of the answer is
 * computed as in gjk_raycast (cloud.c, box.c, ray.c, triangle.c), so that the bits are the same.
 * Vectors are rows of x, y and z; the triangle's edges are columns. Decisions leave a margin for
 * their own rounding: they may leave the answer to gjk_raycast, but never contradict it.
 */

#include "base/four_lanes.h"
#include "base/numbers.h"
#include "base/wide.h"
#include "pair/frame.h"
#include "ray/closed/closed_forms.h"
#include "ray/general/general.h"
#include "shape/convex/cloud.h"

/* Margin of decisions for rounding. */
#define MORE (1.0 + 0x1p-40)

/* Where the ray and the triangle are: relative to the triangle's offset, if it is far from the
 * shape's origin. */
typedef struct ray_place {
    lanes offset, center, between; /* center: of the triangle; between: the origin, in world axes */
    gjk_wide3 at;                  /* the offset in the world, if that is needed */
    double size;
    bool is_far, is_at_origin; /* is_at_origin: the shape's own frame is the world's */
} ray_place;

LANES_INLINE void place_ray(const gjk_placed *target, const lanes corner[3], const gjk_ray *ray,
                            ray_place *out) {
    const gjk_pose *pose = &target->pose;
    const lane_bits used = {-1, -1, -1, 0};
    lanes low = smaller(&corner[0], &corner[1]), high = larger(&corner[0], &corner[1]);
    low = smaller(&low, &corner[2]);
    high = larger(&high, &corner[2]);
    const lanes center = 0.5 * low + 0.5 * high + 0.0;
    const lanes above = high - center, below = center - low, half = larger(&above, &below);
    out->size = 2.0 * gjk_largest3(vector_of(&half));
    const lane_bits is_far =
        (absolute(&center) > all(GJK_FAR_SIZES * out->size)) & used; /* as gjk_offset_of */
    out->offset = (lanes)(is_far & (lane_bits)center);
    out->center = center - out->offset;
    out->is_far = bits_of(&is_far) != 0;
    out->is_at_origin = gjk_largest3(pose->position) == 0.0 && gjk_pose_is_unturned(pose);
    if (out->is_at_origin) { /* same as the double-double sums below */
        out->between = load_row(&ray->origin) - out->offset;
        return;
    }
    gjk_vec3 between[2] = {gjk_sub3(ray->origin, pose->position), {0, 0, 0}};
    if (out->is_far) {
        out->at = gjk_pose_apply_wide(pose, gjk_wide3_of(vector_of(&out->offset)));
        between[0] = gjk_wide3_sub(gjk_wide3_of(ray->origin), out->at);
    }
    out->between = load_row(between);
}

/* Finds where the line point + t * direction meets the triangle, as gjk_line_meet_triangle. corner:
 * relative to the point. Returns false unless it certainly does. */
LANES_INLINE bool meet(const lanes corner[3], const lanes edge[3], gjk_vec3 direction, double slack,
                       double *t, double *across) {
    const lanes3 corners = columns_of_rows(&corner[0], &corner[1], &corner[2], &corner[0]);
    const lanes3 edges = columns_of_rows(&edge[0], &edge[1], &edge[2], &edge[0]);
    const lanes3 turned = cross(&corners, &edges);
    const lanes turn = along(&turned, direction), square = dot(&edges, &edges);
    const lanes length = root(&square), margin = length * (slack * MORE), opposite = -margin;
    const lanes least = all(GJK_LINE_LENGTH_LEAST);
    const uint32_t left = find_above(&turn, &margin), right = find_above(&opposite, &turn);
    /* All four bits of one of them, and the longest edge, are found without branches that would
     * be mispredicted. */
    if (((left + 1) | (right + 1)) <= 0xf || find_above(&length, &least) != 0xf) {
        return false;
    }
    const int is_first = (length[0] >= length[1]) & (length[0] >= length[2]);
    const int i = (1 - is_first) * (2 - (length[1] >= length[2]));
    const gjk_vec3 longest = vector_of(&edge[i]), next = vector_of(&edge[(i + 1) % 3]);
    gjk_vec3 normal = gjk_cross3(longest, next);
    const double off = gjk_dot3(normal, longest) / gjk_dot3(longest, longest);
    normal = gjk_sub3(normal, gjk_scale3(off, longest));
    const double rate = gjk_dot3(normal, direction), size = gjk_length3(normal);
    *t = gjk_dot3(normal, vector_of(&corner[i])) / rate;
    *across = fabs(rate) / size;
    return size > GJK_LINE_LENGTH_LEAST;
}

/* Computes the normal of the face that the ray comes from, in world axes. */
LANES_INLINE bool find_face_normal(const gjk_pose *pose, const gjk_vec3 *const corners[3],
                                   const gjk_ray *ray, gjk_vec3 *out) {
    const gjk_vec3 p = gjk_sub3(*corners[1], *corners[0]), q = gjk_sub3(*corners[2], *corners[0]);
    const gjk_vec3 own = gjk_cross3(p, q);
    const double length = gjk_length3(own);
    const gjk_vec3 normal = gjk_mul3(&pose->rotation, gjk_scale3(1.0 / length, own));
    const bool is_along = lanes_unbranched(gjk_dot3(normal, ray->direction) > 0.0);
    const int64_t flip = -(int64_t)is_along & INT64_MIN;
    const lanes row = {normal.x, normal.y, normal.z, 0.0};
    const lanes flipped = (lanes)((lane_bits)row ^ (lane_bits){flip, flip, flip, flip}) + 0.0;
    *out = vector_of(&flipped);
    return length > 0.0 && length < INFINITY;
}

LANES_TARGET static bool raycast(const gjk_placed *target, const gjk_vec3 *const corners[3],
                                 const gjk_ray *ray, double tolerance, gjk_ray_result *result) {
    const gjk_pose *pose = &target->pose;
    const lanes given[3] = {load_row(corners[0]), load_row(corners[1]), load_row(corners[2])};
    ray_place place;
    place_ray(target, given, ray, &place);
    const double reach = gjk_largest3(vector_of(&place.center)) + place.size;
    const gjk_vec3 between = vector_of(&place.between);
    if (pose->form == GJK_POSE_REST || !gjk_unit_is_one(gjk_larger(gjk_largest3(between), reach))) {
        return false;
    }
    const lanes world_way = load_row(&ray->direction);
    const lanes origin =
        place.is_at_origin ? place.between : turned_back(&pose->rotation, &place.between);
    const lanes way = place.is_at_origin ? world_way : turned_back(&pose->rotation, &world_way);
    const gjk_vec3 direction = vector_of(&way);
    const double slack = 4.0 * GJK_ROUNDING * (gjk_largest3(vector_of(&origin)) + reach);
    const double near = 2.0 * gjk_larger(tolerance * place.size, slack);
    const lanes from = origin - place.center;
    const double foot = -gjk_dot3(vector_of(&from), direction);
    const lanes point = origin + foot * way;
    lanes corner[3], edge[3];
    for (int i = 0; i < 3; i++) {
        corner[i] = given[i] - place.offset;
    }
    for (int i = 0; i < 3; i++) {
        edge[i] = corner[(i + 1) % 3] - corner[i];
    }
    for (int i = 0; i < 3; i++) {
        corner[i] = corner[i] - point;
    }
    double t = 0.0, across = 0.0;
    gjk_vec3 normal;
    if (!meet(corner, edge, direction, slack, &t, &across)) {
        return false;
    }
    t += foot;
    if (t * across < -near * MORE) { /* behind the origin */
        const gjk_ray_result miss = gjk_ray_miss();
        gjk_ray_put(&miss, result);
        return true;
    }
    if (!(t > 0.0 && t <= ray->max_distance && t * across > near * MORE) ||
        !find_face_normal(pose, corners, ray, &normal)) {
        return false;
    }
    const gjk_vec3 start = place.is_far ? between : ray->origin;
    gjk_vec3 hit = gjk_add3(start, gjk_scale3(t, ray->direction));
    if (place.is_far) {
        hit = place.is_at_origin ? gjk_add3(vector_of(&place.offset), hit)
                                 : gjk_wide3_add(place.at, hit);
    }
    const gjk_ray_result answer = {.hit = true,
                                   .has_normal = true,
                                   .iterations = 1,
                                   .distance = t,
                                   .point = hit,
                                   .normal = normal};
    gjk_ray_put(&answer, result);
    return true;
}

gjk_ray_at_triangle *const LANES_FORM(gjk_ray_at_triangle) = raycast;
