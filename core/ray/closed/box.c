/*
 * First intersection of a line with a 3D box. The separating axes, cross products of the line's
 * direction and the box's axes, decide if they intersect; the last entry into a slab is the point.
 * For a rounded box the slabs are enlarged by the radius; a line that enters the enlarged box
 * beyond a face can only hit the edge there, or the three edges of the corner (Ericson, Real-Time
 * Collision Detection, 2005, 5.5.7).
 */

#include "ray/closed/closed_forms.h"

#include "base/numbers.h"

typedef struct view {
    double half[3], point[3], direction[3];
} view;

static view see_line(gjk_vec3 center, gjk_vec3 half, const gjk_line *line) {
    gjk_vec3 p = gjk_sub3(line->point, center), d = line->direction;
    return (view){{half.x, half.y, half.z}, {p.x, p.y, p.z}, {d.x, d.y, d.z}};
}

/* Returns the gap between the line and the box, enlarged by `radius`, along the cross product of
 * the line's direction and axis i. */
static double gap_along(const view *v, int i, double radius) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    double dj = fabs(v->direction[j]), dk = fabs(v->direction[k]);
    double off = fabs(v->point[j] * v->direction[k] - v->point[k] * v->direction[j]);
    double length = sqrt(dj * dj + dk * dk);
    double gap = off - ((v->half[j] + radius) * dk + (v->half[k] + radius) * dj);
    return length > 0.0 ? gap / length : -INFINITY; /* parallel to axis i: other axes decide */
}

static double widest_gap(const view *v, double radius) {
    double x = gap_along(v, 0, radius), y = gap_along(v, 1, radius), z = gap_along(v, 2, radius);
    return gjk_larger(x, gjk_larger(y, z));
}

double gjk_line_clearance_of_box(gjk_vec3 center, gjk_vec3 half_extents, const gjk_line *line) {
    view v = see_line(center, half_extents, line);
    return widest_gap(&v, 0.0);
}

/* Returns the parameter of the last entry into a slab, and the slab's axis. */
static double enter(const view *v, double radius, int *axis) {
    double last = -INFINITY;
    for (int i = 0; i < 3; i++) {
        double toward = v->direction[i] < 0.0 ? v->point[i] : -v->point[i];
        double t = (toward - (v->half[i] + radius)) / fabs(v->direction[i]);
        if (t > last) {
            last = t;
            *axis = i;
        }
    }
    return last;
}

/* Intersects the capsule around the edge that runs along axis i through the corner. */
static gjk_line_hit meet_edge(const double corner[3], int i, double radius, const gjk_line *line) {
    double other[3] = {corner[0], corner[1], corner[2]};
    other[i] = -other[i];
    const gjk_vec3 ends[2] = {{corner[0], corner[1], corner[2]}, {other[0], other[1], other[2]}};
    return gjk_line_meet_capsule(ends, radius, line);
}

/* Clamps a normal that rounding turned beyond the normal of an adjacent face. */
static gjk_line_hit clamp_normal(gjk_line_hit hit, const double corner[3]) {
    if (hit.verdict == GJK_LINE_HITS) {
        gjk_vec3 n = hit.normal;
        n.x = n.x * corner[0] < 0.0 ? 0.0 : n.x;
        n.y = n.y * corner[1] < 0.0 ? 0.0 : n.y;
        n.z = n.z * corner[2] < 0.0 ? 0.0 : n.z;
        hit = gjk_line_hits(hit.t, n);
    }
    return hit;
}

/* Intersects the rounded edges where the line enters the enlarged box beyond a face. */
static gjk_line_hit meet_rounded_edges(const view *v, const double at[3], double radius,
                                       const gjk_line *line) {
    double corner[3];
    gjk_line_hit first = gjk_line_misses(0.0);
    int inner = -1, inside = 0;
    for (int i = 0; i < 3; i++) {
        corner[i] = at[i] < 0.0 ? -v->half[i] : v->half[i];
        if (fabs(at[i]) <= v->half[i]) {
            inner = i;
            inside++;
        }
    }
    if (inside > 0) {
        return clamp_normal(meet_edge(corner, inner, radius, line), corner);
    }
    for (int i = 0; i < 3; i++) {
        gjk_line_hit hit = meet_edge(corner, i, radius, line);
        if (hit.verdict == GJK_LINE_UNSURE) {
            return hit;
        }
        bool nearer = first.verdict != GJK_LINE_HITS || hit.t < first.t;
        first = hit.verdict == GJK_LINE_HITS && nearer ? hit : first;
    }
    return clamp_normal(first, corner);
}

gjk_line_hit gjk_line_meet_box(gjk_vec3 half_extents, double radius, const gjk_line *line) {
    view v = see_line((gjk_vec3){0, 0, 0}, half_extents, line);
    double clearance = widest_gap(&v, radius);
    if (clearance > -line->slack) {
        return gjk_line_passes(clearance, line->slack);
    }
    int axis = 0, beyond = 0;
    double t = enter(&v, radius, &axis), at[3];
    for (int i = 0; i < 3; i++) {
        at[i] = v.point[i] + t * v.direction[i];
        beyond += i != axis && fabs(at[i]) > v.half[i];
    }
    if (radius > 0.0 && beyond > 0) {
        gjk_line_hit hit = meet_rounded_edges(&v, at, radius, line);
        return hit.verdict == GJK_LINE_MISSES ? gjk_line_misses(0.0) : hit;
    }
    double side = v.direction[axis] < 0.0 ? 1.0 : -1.0;
    gjk_vec3 normal = {axis == 0 ? side : 0.0, axis == 1 ? side : 0.0, axis == 2 ? side : 0.0};
    return gjk_line_hits(t, normal);
}
