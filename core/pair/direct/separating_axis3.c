/*
 * The separating-axis test for two boxes (Gottschalk, Lin, Manocha, OBBTree, 1996): the minimum
 * depth is along the normal of a face of one of them or the cross product of two edges, and so is
 * the distance if a corner is nearest a face or two edges are nearest each other. Deviations: a gap
 * between edges is divided by the length of their cross product, without a bias towards faces.
 * Nearly parallel edges, and witness points outside of their face or edge (parallel faces, or
 * nearest features of other kinds), are left to the general method. The best axis is unpredictable,
 * so nothing branches on it: all gaps are stored, then compared.
 */

#include "pair/kernels.h"

#include "base/numbers.h"

/* Squared sines between two edges: below the first their cross product is too inaccurate, below the
 * second they are parallel. */
#define EDGES_INACCURATE 1e-2
#define EDGES_PARALLEL 1e-28

/* Sine between a box's direction of motion and an edge below which the edge projects to a point. */
#define EDGES_ALONG 1e-10

/* Six axes of faces, nine of edges, and one more for an even number. */
#define FACES 6
#define AXES 16

typedef struct boxes3 {
    double half_a[3], half_b[3];
    double turn[3][3];      /* rotation of b relative to a: column j is axis j of b */
    double magnitude[3][3]; /* absolute values of the entries of `turn` */
    double between[3];      /* from centre to centre, along the axes of a */
    /* Gaps 0 to 2: faces of a; 3 to 5: faces of b; 6 + 3 i + j: edges i and j, times the sine
     * between them. */
    double gap[AXES];
    double squared_sine[AXES]; /* squared sine between the two edges */
    double sine[AXES];
    double widest;     /* the widest gap */
    double inaccurate; /* upper bound of the gaps along inaccurate axes */
    uint32_t axis;     /* axis of the widest gap */
} boxes3;

static const uint8_t next[3] = {1, 2, 0}, last[3] = {2, 0, 1};

static bool is_box(const gjk_shape *shape) {
    return shape->type == GJK_BOX && shape->count == 8;
}

static void set_half(const gjk_shape *box, double half[3]) {
    for (uint32_t i = 0; i < 3; i++) {
        half[i] = -box->columns[i * (size_t)box->stride]; /* the first corner is lowest */
    }
}

static void place_boxes(const gjk_frame3 *frame, boxes3 *s) {
    const gjk_vec3 row[3] = {frame->rotation.r0, frame->rotation.r1, frame->rotation.r2};
    const gjk_vec3 t = frame->translation;
    set_half(frame->a, s->half_a);
    set_half(frame->b, s->half_b);
    s->between[0] = t.x;
    s->between[1] = t.y;
    s->between[2] = t.z;
    for (int i = 0; i < 3; i++) {
        s->turn[i][0] = row[i].x;
        s->turn[i][1] = row[i].y;
        s->turn[i][2] = row[i].z;
        for (int j = 0; j < 3; j++) {
            s->magnitude[i][j] = fabs(s->turn[i][j]);
        }
    }
}

/* Returns the widest of the first `count` gaps. */
static inline double widest_of(const boxes3 *s, uint32_t count) {
    double most = s->gap[0];
    for (uint32_t i = 1; i < count; i++) {
        most = gjk_larger(s->gap[i], most);
    }
    return most;
}

/* Finds the widest gap and its axis, the first among equals. */
static inline void find_widest(boxes3 *s, uint32_t count) {
    uint32_t equal = 0;
    s->widest = widest_of(s, count);
    for (uint32_t i = 0; i < count; i++) {
        equal |= (uint32_t)(s->gap[i] == s->widest) << i;
    }
    s->axis = (uint32_t)__builtin_ctz(equal);
}

static void try_faces(boxes3 *s) {
    for (int i = 0; i < 3; i++) {
        double of_b = s->half_b[0] * s->magnitude[i][0] + s->half_b[1] * s->magnitude[i][1] +
                      s->half_b[2] * s->magnitude[i][2];
        s->gap[i] = fabs(s->between[i]) - (s->half_a[i] + of_b);
    }
    for (int j = 0; j < 3; j++) {
        double of_a = s->half_a[0] * s->magnitude[0][j] + s->half_a[1] * s->magnitude[1][j] +
                      s->half_a[2] * s->magnitude[2][j];
        double along_b = s->between[0] * s->turn[0][j] + s->between[1] * s->turn[1][j] +
                         s->between[2] * s->turn[2][j];
        s->gap[3 + j] = fabs(along_b) - (s->half_b[j] + of_a);
    }
}

/* Computes the gaps along the cross products of the edges of a and b. */
static void try_edges(boxes3 *s) {
    for (int i = 0; i < 3; i++) {
        const int k = next[i], l = last[i];
        for (int j = 0; j < 3; j++) {
            const int m = next[j], n = last[j];
            double apart = fabs(s->between[l] * s->turn[k][j] - s->between[k] * s->turn[l][j]);
            double reach = s->half_a[k] * s->magnitude[l][j] + s->half_a[l] * s->magnitude[k][j] +
                           s->half_b[m] * s->magnitude[i][n] + s->half_b[n] * s->magnitude[i][m];
            const double squared = s->turn[k][j] * s->turn[k][j] + s->turn[l][j] * s->turn[l][j];
            s->gap[FACES + 3 * i + j] = squared > EDGES_PARALLEL ? apart - reach : -INFINITY;
            s->squared_sine[FACES + 3 * i + j] = squared;
        }
    }
    s->gap[AXES - 1] = -INFINITY;
    s->squared_sine[AXES - 1] = 1.0;
}

/* Divides the gaps between edges by their sines; those with small sines only count in
 * `inaccurate`. */
static void normalise_edges(boxes3 *s, double error) {
    double inaccurate[AXES], most = -INFINITY;
    for (int i = FACES; i < AXES; i++) {
        const double squared = s->squared_sine[i], sine = s->sine[i] = sqrt(squared);
        const double gap = s->gap[i] / sine, bound = (s->gap[i] + error) / sine;
        s->gap[i] = squared < EDGES_INACCURATE ? -INFINITY : gap;
        inaccurate[i] = squared < EDGES_INACCURATE ? bound : -INFINITY;
    }
    for (int i = FACES; i < AXES; i++) {
        most = gjk_larger(inaccurate[i], most);
    }
    s->inaccurate = most;
}

static gjk_vec3 axis_of_b(const boxes3 *s, int j) {
    return (gjk_vec3){s->turn[0][j], s->turn[1][j], s->turn[2][j]};
}

static gjk_vec3 axis_of_a(int i) {
    return (gjk_vec3){i == 0, i == 1, i == 2};
}

/* Returns the unit normal from a to b of the axis with the widest gap. */
static gjk_vec3 normal_of(const boxes3 *s) {
    gjk_vec3 n, between = {s->between[0], s->between[1], s->between[2]};
    if (s->axis < 3) {
        n = axis_of_a((int)s->axis);
    } else {
        int j = (int)s->axis % 3;
        n = axis_of_b(s, j);
        if (s->axis >= 6) {
            n = gjk_cross3(axis_of_a((int)s->axis / 3 - 2), n);
        }
        n = gjk_scale3(1.0 / gjk_length3(n), n);
    }
    return gjk_dot3(n, between) < 0.0 ? gjk_neg3(n) : n;
}

/* Compute the support corners of a along n and of b along -n, each from its centre along its own
 * axes. */
static void corner_of_a(const boxes3 *s, gjk_vec3 n, double corner[3]) {
    corner[0] = n.x < 0.0 ? -s->half_a[0] : s->half_a[0];
    corner[1] = n.y < 0.0 ? -s->half_a[1] : s->half_a[1];
    corner[2] = n.z < 0.0 ? -s->half_a[2] : s->half_a[2];
}

static void corner_of_b(const boxes3 *s, gjk_vec3 n, double corner[3]) {
    for (int j = 0; j < 3; j++) {
        double along = gjk_dot3(n, axis_of_b(s, j));
        corner[j] = along < 0.0 ? s->half_b[j] : -s->half_b[j];
    }
}

static gjk_vec3 point_of_b(const gjk_frame3 *frame, const double own[3]) {
    return gjk_add3(gjk_mul3(&frame->rotation, (gjk_vec3){own[0], own[1], own[2]}),
                    frame->translation);
}

static bool is_within(double x, double half, double slack) {
    return fabs(x) <= half + slack;
}

/* Sets witness points on a face of a: a corner of b and its projection. */
static bool project_on_a(const gjk_frame3 *frame, const boxes3 *s, gjk_vec3 n, double slack,
                         gjk_solution *solution) {
    double own[3];
    int i = (int)s->axis, k = next[i], l = last[i];
    corner_of_b(s, n, own);
    solution->point_b = point_of_b(frame, own);
    double foot[3] = {solution->point_b.x, solution->point_b.y, solution->point_b.z};
    if (!is_within(foot[k], s->half_a[k], slack) || !is_within(foot[l], s->half_a[l], slack)) {
        return false;
    }
    foot[i] = gjk_dot3(n, axis_of_a(i)) < 0.0 ? -s->half_a[i] : s->half_a[i];
    solution->point_a = (gjk_vec3){foot[0], foot[1], foot[2]};
    return true;
}

/* Sets witness points on a face of b: a corner of a and its projection. */
static bool project_on_b(const gjk_frame3 *frame, const boxes3 *s, gjk_vec3 n, double slack,
                         gjk_solution *solution) {
    double corner[3];
    int j = (int)s->axis - 3, m = next[j], k = last[j];
    corner_of_a(s, n, corner);
    solution->point_a = (gjk_vec3){corner[0], corner[1], corner[2]};
    gjk_vec3 own =
        gjk_mul3_transposed(&frame->rotation, gjk_sub3(solution->point_a, frame->translation));
    double foot[3] = {own.x, own.y, own.z};
    if (!is_within(foot[m], s->half_b[m], slack) || !is_within(foot[k], s->half_b[k], slack)) {
        return false;
    }
    foot[j] = gjk_dot3(n, axis_of_b(s, j)) < 0.0 ? s->half_b[j] : -s->half_b[j];
    solution->point_b = point_of_b(frame, foot);
    return true;
}

/* Sets witness points on an edge of a and an edge of b: the nearest points of their lines (Ericson,
 * Real-Time Collision Detection, 5.1.8), which must lie on the edges. */
static bool meet_edges(const gjk_frame3 *frame, const boxes3 *s, gjk_vec3 n, double slack,
                       gjk_solution *solution) {
    double of_a[3], of_b[3];
    int i = (int)s->axis / 3 - 2, j = (int)s->axis % 3;
    corner_of_a(s, n, of_a);
    corner_of_b(s, n, of_b);
    of_a[i] = of_b[j] = 0.0;
    gjk_vec3 a = {of_a[0], of_a[1], of_a[2]}, b = point_of_b(frame, of_b);
    gjk_vec3 along = axis_of_b(s, j), between = gjk_sub3(b, a);
    double cosine = s->turn[i][j], sine = 1.0 - cosine * cosine;
    double on_a = gjk_dot3(between, axis_of_a(i)), on_b = gjk_dot3(between, along);
    double x = (on_a - cosine * on_b) / sine, y = (cosine * on_a - on_b) / sine;
    if (!is_within(x, s->half_a[i], slack) || !is_within(y, s->half_b[j], slack)) {
        return false;
    }
    solution->point_a = gjk_add3(a, gjk_scale3(x, axis_of_a(i)));
    solution->point_b = gjk_add3(b, gjk_scale3(y, along));
    return true;
}

/* Sets the witness points, and from them the depth, which avoids the lever arm of an error of the
 * normal. Returns false if the points miss their face or edge or do not match the depth. */
static bool find_witness(const gjk_frame3 *frame, const boxes3 *s, gjk_vec3 n,
                         gjk_solution *solution) {
    const double rounding = GJK_ROUNDING * frame->scale;
    bool met = s->axis < 3   ? project_on_a(frame, s, n, rounding, solution)
               : s->axis < 6 ? project_on_b(frame, s, n, rounding, solution)
                             : meet_edges(frame, s, n, rounding, solution);
    gjk_vec3 between = gjk_sub3(solution->point_b, solution->point_a);
    double gap = gjk_dot3(n, between);
    if (!met || fabs(gap - s->widest) > 8.0 * rounding) {
        return false;
    }
    solution->lower = solution->upper = gap;
    solution->has_points = true;
    return true;
}

/* Sets bounds and normal from the widest gap. Returns true if they reach the goal. */
static bool prove_widest(const boxes3 *s, double rounding, const gjk_goal *goal,
                         gjk_solution *solution) {
    const bool certain = s->widest < -rounding && s->inaccurate < s->widest;
    solution->normal = normal_of(s);
    solution->lower = s->widest;
    solution->upper = certain ? s->widest : INFINITY;
    return gjk_goal_proven(goal, solution);
}

/* Returns true if both boxes have the same axes. */
static bool is_aligned(const boxes3 *s) {
    return s->magnitude[0][1] + s->magnitude[0][2] + s->magnitude[1][0] + s->magnitude[1][2] +
               s->magnitude[2][0] + s->magnitude[2][1] ==
           0.0;
}

/* Decides by the gaps without sorting them, if only the state is asked: gaps of faces prove
 * separation, all gaps together prove overlap, since an edge's gap is multiplied by a sine of at
 * most 1, and a negative one does not grow by the division. */
static gjk_proof prove_quickly(boxes3 *s, double rounding, const gjk_goal *goal) {
    if (goal->stop_separated && widest_of(s, FACES) > goal->radius + goal->tolerance) {
        return GJK_PROVEN_SEPARATED;
    }
    const double limit = gjk_smaller(goal->radius - goal->tolerance, 0.0) - rounding;
    if (is_aligned(s) && widest_of(s, FACES) < limit) { /* edges give the gaps of faces */
        return GJK_PROVEN_OVERLAPPING;
    }
    try_edges(s);
    return widest_of(s, AXES) < limit ? GJK_PROVEN_OVERLAPPING : GJK_UNPROVEN;
}

bool gjk_separating_axis3(const gjk_frame3 *frame, const gjk_goal *goal, gjk_solution *solution) {
    const double rounding = 8.0 * GJK_ROUNDING * frame->scale;
    if (frame->unit != 1.0 || !is_box(frame->a) || !is_box(frame->b)) {
        return false;
    }
    boxes3 s;
    place_boxes(frame, &s);
    solution->iterations = 1;
    try_faces(&s);
    if (goal->stop_overlapping) {
        solution->proof = prove_quickly(&s, rounding, goal);
        if (solution->proof != GJK_UNPROVEN) {
            return true;
        }
    } else {
        find_widest(&s, FACES);
        s.inaccurate = INFINITY;
        if (goal->stop_separated && prove_widest(&s, rounding, goal, solution)) {
            return true;
        }
        try_edges(&s);
    }
    normalise_edges(&s, rounding);
    find_widest(&s, AXES - 1);
    if (prove_widest(&s, rounding, goal, solution)) {
        return true;
    }
    const bool overlap = solution->upper<INFINITY, is_apart = s.widest> goal->tolerance;
    return (overlap ? s.widest < -goal->tolerance : is_apart) &&
           find_witness(frame, &s, solution->normal, solution);
}

/*
 * The same axes for a moving box (Eberly, Intersection of Convex Objects: The Method of Separating
 * Axes, 2001): along each axis the boxes are separated until some time, and the latest of these is
 * the time of contact if they meet. They meet if no axis perpendicular to the motion separates
 * them: projected along the motion, the sum of the boxes is a polygon whose sides are parallel to
 * their edges.
 */

/* Computes the components of a vector along the axes, multiplied by the sines like the gaps. */
static void project(const boxes3 *s, const double v[3], double along[AXES]) {
    for (int i = 0; i < 3; i++) {
        const int k = next[i], l = last[i];
        along[i] = v[i];
        along[3 + i] = v[0] * s->turn[0][i] + v[1] * s->turn[1][i] + v[2] * s->turn[2][i];
        for (int j = 0; j < 3; j++) {
            along[FACES + 3 * i + j] = v[l] * s->turn[k][j] - v[k] * s->turn[l][j];
        }
    }
    along[AXES - 1] = 0.0;
}

/* Finds the axis along which the boxes are separated the longest. Returns false if the boxes miss
 * each other, or no axis separates them by more than rounding. */
static bool find_entry(boxes3 *s, const gjk_vec3 *d, double radius, double rounding,
                       gjk_entry3 *entry) {
    const double direction[3] = {d->x, d->y, d->z};
    double at[AXES], speed[AXES];
    project(s, s->between, at);
    project(s, direction, speed);
    entry->widest = entry->t = -INFINITY;
    for (uint32_t i = 0; i < AXES - 1; i++) {
        const double gap = s->gap[i] - radius;
        const double rate = (at[i] < 0.0 ? speed[i] : -speed[i]) / s->sine[i];
        entry->widest = gjk_larger(gap, entry->widest);
        if (gap > rounding && !(rate > 0.0)) {
            entry->misses = true;
        }
        if (gap > rounding && gap > entry->t * rate) {
            entry->t = gap / rate;
            entry->slack = rounding / rate;
            s->axis = i;
        }
    }
    return !entry->misses && entry->t > 0.0;
}

/* Sets how far inside the projected sum of the boxes the path is. Returns false if rounding could
 * reverse the decision. */
static bool find_inside(const boxes3 *s, gjk_vec3 d, double radius, double near, double rounding,
                        gjk_entry3 *entry) {
    const gjk_vec3 between = {s->between[0], s->between[1], s->between[2]};
    entry->inside = INFINITY;
    for (int k = 0; k < FACES; k++) {
        const gjk_vec3 n = gjk_cross3(d, k < 3 ? axis_of_a(k) : axis_of_b(s, k - 3));
        const double length = gjk_length3(n), across = fabs(gjk_dot3(n, between));
        const double reach = s->half_a[0] * fabs(n.x) + s->half_a[1] * fabs(n.y) +
                             s->half_a[2] * fabs(n.z) +
                             s->half_b[0] * fabs(gjk_dot3(n, axis_of_b(s, 0))) +
                             s->half_b[1] * fabs(gjk_dot3(n, axis_of_b(s, 1))) +
                             s->half_b[2] * fabs(gjk_dot3(n, axis_of_b(s, 2)));
        const double inside = (reach - across) / length + radius, error = rounding / length;
        if (length < EDGES_ALONG) {
            continue;
        }
        if (inside + error <= near && (reach + across) / length + radius > near + error) {
            entry->misses = true;
            return true;
        }
        if (inside - error <= near) {
            return false;
        }
        entry->inside = gjk_smaller(inside, entry->inside);
    }
    return true;
}

bool gjk_enter_boxes(const gjk_frame3 *frame, gjk_vec3 direction, double radius, double near,
                     gjk_entry3 *entry) {
    const double rounding = 8.0 * GJK_ROUNDING * (frame->scale + radius);
    boxes3 s;
    if (frame->unit != 1.0 || !is_box(frame->a) || !is_box(frame->b)) {
        return false;
    }
    place_boxes(frame, &s);
    try_faces(&s);
    try_edges(&s);
    for (int i = 0; i < FACES; i++) {
        s.sine[i] = 1.0;
    }
    normalise_edges(&s, rounding);
    *entry = (gjk_entry3){.misses = false};
    if (!find_entry(&s, &direction, radius, rounding, entry)) {
        return entry->misses;
    }
    if (!find_inside(&s, direction, radius, near, rounding, entry) || entry->misses) {
        return entry->misses;
    }
    gjk_frame3 there = *frame;
    gjk_solution contact;
    there.translation = gjk_add3(frame->translation, gjk_scale3(entry->t, direction));
    there.scale += radius;
    entry->normal = normal_of(&s); /* towards b's start */
    s.widest = radius;
    if (!find_witness(&there, &s, entry->normal, &contact)) {
        return false;
    }
    entry->point_a = contact.point_a;
    return true;
}
