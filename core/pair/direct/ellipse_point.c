/*
 * The point of an ellipse or ellipsoid nearest a point, inside or outside (Eberly, Distance from a
 * Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid, 2013): its normal passes through the
 * point p, so x_i = r_i^2 p_i / (t + r_i^2), where t is the only root greater than -r_least^2 of
 * sum (x_i / r_i)^2 = 1. Deviation: the equation is solved as 1 / |v| = 1 with v_i = x_i / r_i
 * (More, Sorensen, Computing a Trust Region Step, 1983), which is concave and nearly linear, so
 * that Newton's method from below never overshoots and takes few steps. One function serves two
 * axes and three.
 *
 * The depth of two concentric ellipsoids with parallel axes is least along an axis: the depth along
 * n, sqrt(sum a_i^2 n_i^2) + sqrt(sum b_i^2 n_i^2), is concave in the n_i^2.
 */

#include "pair/kernels.h"

#include "base/numbers.h"

#define STEPS_MAX 40

/* The nearest point, in the ellipsoid's own frame. */
typedef struct foot3 {
    gjk_vec3 point, normal; /* the outward normal there */
    double s;               /* signed distance */
} foot3;

typedef struct axes {
    double radius[3], place[3]; /* place: of the point, >= 0 */
    double beyond[3];           /* r_i^2 - r_least^2 */
    double lever[3];            /* r_i p_i */
    double v[3];
    uint32_t count, least;
} axes;

static axes make_axes(gjk_vec3 radii, gjk_vec3 p, uint32_t dimension) {
    axes s = {.radius = {radii.x, radii.y, radii.z}, .place = {fabs(p.x), fabs(p.y), fabs(p.z)}};
    s.count = dimension;
    for (uint32_t i = 1; i < s.count; i++) {
        s.least = s.radius[i] < s.radius[s.least] ? i : s.least;
    }
    const double least = s.radius[s.least];
    for (uint32_t i = 0; i < s.count; i++) {
        s.beyond[i] = (s.radius[i] - least) * (s.radius[i] + least);
        s.lever[i] = s.radius[i] * s.place[i];
    }
    return s;
}

/* Sets v for q = t + r_least^2 and returns its length. *growth is the derivative of 1 / |v|. */
static double set_v(axes *s, double q, double *growth) {
    double squared = 0.0, slope = 0.0;
    for (uint32_t i = 0; i < s->count; i++) {
        s->v[i] = s->lever[i] > 0.0 ? s->lever[i] / (q + s->beyond[i]) : 0.0;
        squared += s->v[i] * s->v[i];
        slope += s->lever[i] > 0.0 ? s->v[i] * s->v[i] / (q + s->beyond[i]) : 0.0;
    }
    double length = sqrt(squared);
    *growth = slope / (squared * length);
    return length;
}

/* Finds the unit vector v. No term of the sum exceeds 1, so q is at least r_i p_i - (r_i^2 -
 * r_least^2) for each i. Without a root the point is in the plane of symmetry, so deep that the
 * points above and below it are equally near. */
static bool solve_axes(axes *s) {
    double q = 0.0, growth;
    for (uint32_t i = 0; i < s->count; i++) {
        q = gjk_larger(q, s->lever[i] - s->beyond[i]);
    }
    double length = set_v(s, q, &growth);
    for (int step = 0; step < STEPS_MAX && length > 1.0; step++) {
        double next = q + (1.0 - 1.0 / length) / growth;
        if (!(next > q)) {
            break;
        }
        q = next;
        length = set_v(s, q, &growth);
    }
    if (q == 0.0) {
        double rest = 1.0 - length * length;
        s->v[s->least] = sqrt(gjk_larger(rest, 0.0));
        length = 1.0;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        s->v[i] /= length;
    }
    return length > 0.5 && length < 2.0;
}

static bool find_foot(gjk_vec3 radii, gjk_vec3 p, uint32_t dimension, foot3 *foot) {
    axes s = make_axes(radii, p, dimension);
    if (!solve_axes(&s)) {
        return false;
    }
    double x[3] = {0}, n[3] = {0};
    for (uint32_t i = 0; i < s.count;
         i++) { /* scaled by the least radius, so that no quotient overflows */
        x[i] = s.radius[i] * s.v[i];
        n[i] = s.v[i] * (s.radius[s.least] / s.radius[i]);
    }
    gjk_vec3 along = {copysign(n[0], p.x), copysign(n[1], p.y), copysign(n[2], p.z)};
    foot->point = (gjk_vec3){copysign(x[0], p.x), copysign(x[1], p.y), copysign(x[2], p.z)};
    foot->normal = gjk_scale3(1.0 / gjk_length3(along), along);
    foot->s = gjk_dot3(foot->normal, gjk_sub3(p, foot->point));
    return true;
}

/* Sets the solution from the nearest point if it is consistent. point and foot are in the frame. */
static bool conclude(const foot3 *foot, gjk_vec3 point, bool of_b, double scale,
                     const gjk_goal *goal, gjk_solution *solution) {
    gjk_vec3 way = gjk_sub3(point, foot->point);
    gjk_vec3 off = gjk_sub3(way, gjk_scale3(foot->s, foot->normal));
    if (!(gjk_length3(off) <= 4.0 * GJK_ROUNDING * scale)) {
        return false;
    }
    solution->iterations = 1;
    solution->lower = solution->upper = foot->s;
    solution->normal = of_b ? gjk_neg3(foot->normal) : foot->normal;
    solution->point_a = of_b ? point : foot->point;
    solution->point_b = of_b ? foot->point : point;
    solution->has_points = true;
    (void)gjk_goal_proven(goal, solution);
    return true;
}

static bool is_ellipse(const gjk_shape *shape) {
    return shape->type == GJK_ELLIPSE && shape->count == 0;
}

static gjk_vec3 out_of_b(const gjk_mat3 *rotation, double unit, gjk_vec3 own) {
    return gjk_scale3(1.0 / unit, gjk_mul3(rotation, own));
}

static bool solve_concentric(const gjk_frame3 *frame, const gjk_goal *goal,
                             gjk_solution *solution) {
    const gjk_vec3 a = gjk_scale3(frame->unit, frame->a->curve.a);
    const gjk_vec3 b = gjk_scale3(frame->unit, frame->b->curve.a);
    const gjk_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1}, sum = gjk_add3(a, b);
    gjk_vec3 n = sum.x <= sum.y ? x : y;
    n = frame->a->dimension == 3 && sum.z < gjk_dot3(n, sum) ? z : n;
    foot3 foot = {gjk_scale3(gjk_dot3(n, a), n), n, -gjk_dot3(n, sum)};
    return conclude(&foot, gjk_scale3(-gjk_dot3(n, b), n), false, frame->scale, goal, solution);
}

bool gjk_ellipse_point3(const gjk_frame3 *frame, const gjk_goal *goal, gjk_solution *solution) {
    const gjk_shape *a = frame->a, *b = frame->b;
    const double unit = frame->unit;
    foot3 foot;
    if (is_ellipse(a) && is_ellipse(b)) {
        const gjk_vec3 t = frame->translation, x = frame->rotation.r0, y = frame->rotation.r1;
        const bool is_concentric = t.x == 0.0 && t.y == 0.0 && t.z == 0.0 && x.x == frame->unit &&
                                   y.y == frame->unit; /* and the axes are parallel */
        return is_concentric && solve_concentric(frame, goal, solution);
    }
    if (is_ellipse(a) && b->count == 1) {
        gjk_vec3 p = gjk_mul3(&frame->rotation, gjk_shape_point(b, 0));
        p = gjk_add3(p, frame->translation);
        return find_foot(gjk_scale3(unit, a->curve.a), p, a->dimension, &foot) &&
               conclude(&foot, p, false, frame->scale, goal, solution);
    }
    if (is_ellipse(b) && a->count == 1) {
        gjk_vec3 p = gjk_scale3(unit, gjk_shape_point(a, 0));
        gjk_vec3 from_b = gjk_mul3_transposed(&frame->rotation, gjk_sub3(p, frame->translation));
        gjk_vec3 own = gjk_scale3(1.0 / unit, from_b);
        if (!find_foot(gjk_scale3(unit, b->curve.a), own, a->dimension, &foot)) {
            return false;
        }
        foot.point = gjk_add3(out_of_b(&frame->rotation, unit, foot.point), frame->translation);
        foot.normal = out_of_b(&frame->rotation, unit, foot.normal);
        return conclude(&foot, p, true, frame->scale, goal, solution);
    }
    return false;
}

/* Solves in 3D, in the plane z = 0. */
bool gjk_ellipse_point2(const gjk_frame2 *frame, const gjk_goal *goal, gjk_solution *solution) {
    const gjk_frame3 raised = {
        .a = frame->a,
        .b = frame->b,
        .rotation = {{frame->row0.x, frame->row0.y, 0},
                     {frame->row1.x, frame->row1.y, 0},
                     {0, 0, frame->unit}},
        .translation = gjk_xy0(frame->translation),
        .unit = frame->unit,
        .scale = frame->scale,
    };
    return gjk_ellipse_point3(&raised, goal, solution);
}
