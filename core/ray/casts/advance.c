/*
 * Conservative advancement with certificates of second order. At a fraction t of the motion the
 * distance query of the pair gives a direction n along which the shapes are apart. Their gap along
 * this fixed n can be bounded in advance: a point r of a rotating shape moves by d (w x r) and, by
 * Taylor's theorem, along n by at most d^2 w^2 |n x w/|w|| s / 2 more, where s is the distance of
 * the farthest point from the axis. The least of n.r + d n.(w x r) = (n + d (n x w)).r over all
 * points is one exact search for a support point, so
 *
 *     L(d) = n.(q + d v) + min over b - max over a - d^2 K / 2 - radii
 *
 * bounds the gap from below for every d. L is concave (a minimum of linear functions, minus a
 * square), so L(0) > 0 and L(d) > 0 exclude contact in the whole interval between, however fast the
 * shapes rotate. The largest such d is found by Newton's method from outside and the chord from
 * inside. Each step approaches a contact like Newton's method, and passes a near miss in steps
 * proportional to the square root of the gap. For shapes that make many turns, the solids of
 * revolution that contain them give a second bound, which is linear and independent of the
 * rotation.
 *
 * All positions are relative to a, so that shapes far from the world's origin lose no precision.
 */

#include "ray/casts/advance.h"

#include "base/lanes.h"
#include "base/numbers.h"
#include "pair/frame.h"
#include "ray/casts/casts.h"
#include "shape/box.h"
#include "shape/convex/support.h"
#include "shape/pieces/pieces.h"

#define SLACK 0x1p-47       /* rounding error of a gap, relative to the lengths in it */
#define LOOKED_AHEAD 64     /* range for rotating planes, relative to the result of a resting one */
#define CLOSE 0x1p-7        /* gap that counts as contact, in tolerances of at most 1e-10 */
#define STEPS_EACH 10       /* most steps of the advancement, for each of max_iterations */
#define SHORTENED 0x1p-16   /* part of a chord that is cut off */
#define NORMALS_TRIED 6     /* most separating normals tried for shapes that touch */
#define SEARCH_STEPS 16     /* most steps of the search for the largest certain d */
#define SEARCH_CLOSE 0x1p-7 /* the relative error that ends it is the square of this */

/* Moves a shape that is far from its own origin to its middle, as the search for support points
 * requires. Without rotation the frame's origin is arbitrary: it is moved to the part, by a
 * double-double position. */
static void bring_near(gjk_mover *mover) {
    const bool turns = mover->motion.angle != 0.0;
    if (mover->is_whole && !mover->part.shape->is_far && mover->start.form != GJK_POSE_REST) {
        return;
    }
    gjk_piece piece = {.placed = mover->part};
    gjk_near_shape near;
    if (!turns) {
        gjk_piece_to_world(&mover->start, &piece);
    } else if (!gjk_is_far(&piece.placed)) {
        return;
    }
    const gjk_wide3 at = gjk_near_make(&piece.placed, &near);
    mover->near = *near.placed.shape;
    mover->part = (gjk_placed){&mover->near, near.placed.pose};
    mover->part.pose.position = at.high;
    mover->is_whole = !turns;
    if (!turns) {
        mover->start = mover->part.pose;
        mover->rest = at.low;
        mover->part.pose = gjk_pose_identity();
    }
}

/* Sets the extent of the core about the axis: spread, low, high. */
static void measure_turns(gjk_mover *mover) {
    const gjk_shape *shape = mover->part.shape;
    const gjk_pose *pose = &mover->part.pose;
    const gjk_vec3 axis = gjk_mul3_transposed(&mover->start.rotation, mover->motion.axis);
    if (shape->count == 0) {
        const gjk_vec3 center = gjk_pose_apply(pose, shape->center);
        const double along = gjk_dot3(axis, center);
        mover->spread =
            gjk_length3(gjk_sub3(center, gjk_scale3(along, axis))) + shape->bounding_radius;
        mover->low = along - shape->bounding_radius;
        mover->high = along + shape->bounding_radius;
        return;
    }
    double square = 0.0;
    mover->low = INFINITY;
    mover->high = -INFINITY;
    for (uint32_t i = 0; i < shape->count; i++) {
        const gjk_vec3 own = gjk_shape_point(shape, i);
        const gjk_vec3 point = mover->is_whole ? own : gjk_pose_apply(pose, own);
        const double along = gjk_dot3(axis, point);
        const gjk_vec3 off = gjk_sub3(point, gjk_scale3(along, axis));
        square = gjk_larger(square, gjk_dot3(off, off));
        mover->low = gjk_smaller(mover->low, along);
        mover->high = gjk_larger(mover->high, along);
    }
    mover->spread = sqrt(square) * (1.0 + 0x1p-50);
}

void gjk_mover_make(const gjk_pose *start, const gjk_placed *part, const gjk_rigid_motion *motion,
                    gjk_mover *out) {
    const gjk_pose identity = gjk_pose_identity();
    out->start = *start; /* `near` is not cleared: it is large and seldom used */
    out->part = *part;
    out->motion = *motion;
    out->rest = (gjk_vec3){0.0, 0.0, 0.0};
    out->spread = out->low = out->high = 0.0;
    out->is_whole = gjk_largest3(part->pose.position) == 0.0 &&
                    gjk_same_rotation(&part->pose.rotation, &identity.rotation);
    bring_near(out);
    if (motion->angle != 0.0) {
        measure_turns(out);
    }
}

/* Returns the farthest extent of the core along a unit vector, over all rotations. */
static double envelope(const gjk_mover *mover, gjk_vec3 n) {
    const double along = gjk_dot3(n, mover->motion.axis);
    return gjk_larger(along * mover->low, along * mover->high) +
           gjk_length3(gjk_cross3(n, mover->motion.axis)) * mover->spread;
}

gjk_bounds gjk_mover_bounds(const gjk_mover *mover) {
    static const gjk_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const gjk_shape *shape = mover->part.shape;
    if (mover->motion.angle == 0.0) {
        const gjk_placed placed = {shape, gjk_pose_compose(&mover->start, &mover->part.pose)};
        return gjk_placed_bounds(&placed);
    }
    double high[3], low[3];
    for (int i = 0; i < 3; i++) {
        high[i] = envelope(mover, axes[i]) + shape->radius;
        low[i] = -envelope(mover, gjk_neg3(axes[i])) - shape->radius;
    }
    if (shape->dimension == 2) {
        high[2] = low[2] = 0.0;
    }
    const gjk_vec3 p = mover->start.position;
    return (gjk_bounds){gjk_add3(p, (gjk_vec3){low[0], low[1], low[2]}),
                        gjk_add3(p, (gjk_vec3){high[0], high[1], high[2]})};
}

/* Both shapes at one fraction of their motions, relative to the origin of a's frame, and a
 * direction along which their gap is bounded. */
typedef struct look_ahead {
    const gjk_mover *a, *b;
    gjk_placed at_a, at_b;
    gjk_vec3 at_start; /* origin of b's frame at the start */
    gjk_vec3 apart;    /* origin of b's frame now */
    gjk_vec3 way;      /* translation of that origin, relative to a's */
    gjk_vec3 n;        /* unit vector from a to b, set by aim */
    gjk_vec3 on_a;     /* the point of a farthest along n */
    gjk_vec3 on_b;     /* the point of b farthest against n */
    gjk_budget *budget;
    double least; /* gaps up to this are not certain */
} look_ahead;

/* Change of the gap along n, for a separating plane that rests or rotates. */
typedef struct plane {
    double speed;              /* derivative of the gap of the origins */
    gjk_vec3 swing_a, swing_b; /* derivative of a point's height is its dot product with this */
    double curve;              /* bound of the second derivative of the gap */
} plane;

/* Returns the point of a core farthest along d, relative to the origin of its frame. */
static gjk_vec3 farthest_point(const gjk_placed *placed, gjk_vec3 origin, gjk_vec3 d) {
    const gjk_vec3 own = gjk_mul3_transposed(&placed->pose.rotation, d);
    return gjk_add3(gjk_mul3(&placed->pose.rotation, gjk_support_of(placed->shape, own)),
                    gjk_sub3(placed->pose.position, origin));
}

static gjk_vec3 farthest_of_a(const look_ahead *ahead, gjk_vec3 d) {
    return farthest_point(&ahead->at_a, (gjk_vec3){0.0, 0.0, 0.0}, d);
}

static gjk_vec3 farthest_of_b(const look_ahead *ahead, gjk_vec3 d) {
    return farthest_point(&ahead->at_b, ahead->apart, d);
}

static void aim(look_ahead *ahead, gjk_vec3 n) {
    ahead->n = n;
    ahead->on_a = farthest_of_a(ahead, n);
    ahead->on_b = farthest_of_b(ahead, gjk_neg3(n));
}

/* Returns n x w: its dot product with a point is the derivative of the point's height along n. */
static gjk_vec3 swing_of(const gjk_mover *mover, gjk_vec3 n) {
    return gjk_scale3(mover->motion.angle, gjk_cross3(n, mover->motion.axis));
}

static double curve_of(const gjk_mover *mover, gjk_vec3 n) {
    const double angle = mover->motion.angle;
    return angle * angle * mover->spread * gjk_length3(gjk_cross3(n, mover->motion.axis));
}

/* Returns a bound of the distance of a part's points from the origin of its frame. */
static double reach_of(const gjk_mover *mover) {
    return gjk_length3(mover->part.pose.position) + gjk_reach_from_origin(mover->part.shape);
}

/* Returns the change of the gap for a plane that does not rotate. */
static plane resting_plane(const look_ahead *ahead) {
    return (plane){
        .speed = gjk_dot3(ahead->n, ahead->way),
        .swing_a = swing_of(ahead->a, ahead->n),
        .swing_b = swing_of(ahead->b, ahead->n),
        .curve = (curve_of(ahead->a, ahead->n) + curve_of(ahead->b, ahead->n)) * (1.0 + 0x1p-48),
    };
}

/* Returns the change of the gap for a plane that rotates with one of the two, about the origin of
 * its frame. In that frame a point w of the other shape has the acceleration w_f x (w_f x w) - 2
 * w_f x w' + w'', which is bounded for the next `rest` of the motion. */
static plane turning_plane(const look_ahead *ahead, bool with_b, double rest) {
    const gjk_mover *with = with_b ? ahead->b : ahead->a, *other = with_b ? ahead->a : ahead->b;
    const gjk_vec3 swing = swing_of(with, ahead->n), none = {0.0, 0.0, 0.0};
    const gjk_vec3 against = gjk_sub3(swing_of(other, ahead->n), swing);
    const double w = fabs(with->motion.angle), u = fabs(other->motion.angle);
    const double way = gjk_length3(ahead->way);
    const double far = gjk_length3(ahead->apart) + reach_of(other) + way * rest;
    return (plane){
        .speed = gjk_dot3(ahead->n, ahead->way) - gjk_dot3(swing, ahead->apart),
        .swing_a = with_b ? against : none,
        .swing_b = with_b ? none : against,
        .curve = (w * w * far + 2.0 * w * (way + u * other->spread) + u * u * other->spread) *
                 (1.0 + 0x1p-48),
    };
}

static bool is_zero(gjk_vec3 v) {
    return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

/* Returns L(d) and its slope. If the direction does not change, the support points are known. */
static double bound_gap(const look_ahead *ahead, const plane *by, double d, double *slope) {
    const gjk_vec3 da = gjk_add3(ahead->n, gjk_scale3(d, by->swing_a));
    const gjk_vec3 db = gjk_add3(ahead->n, gjk_scale3(d, by->swing_b));
    (void)gjk_budget_spend(ahead->budget, gjk_pair_steps(ahead->at_a.shape, ahead->at_b.shape));
    const bool rests_a = d == 0.0 || is_zero(by->swing_a);
    const bool rests_b = d == 0.0 || is_zero(by->swing_b);
    const gjk_vec3 on_a = rests_a ? ahead->on_a : farthest_of_a(ahead, da);
    const gjk_vec3 on_b = rests_b ? ahead->on_b : farthest_of_b(ahead, gjk_neg3(db));
    const double radii = ahead->at_a.shape->radius + ahead->at_b.shape->radius;
    *slope = by->speed + gjk_dot3(by->swing_b, on_b) - gjk_dot3(by->swing_a, on_a) - by->curve * d;
    return gjk_dot3(ahead->n, ahead->apart) + d * by->speed + gjk_dot3(db, on_b) -
           gjk_dot3(da, on_a) - radii - 0.5 * by->curve * d * d - ahead->least;
}

/* Returns an upper bound of the zero of a concave function with the value p > 0 and that slope at
 * 0, and a second derivative of at most -curve. */
static double last_zero(double p, double slope, double curve) {
    const double root = sqrt(slope * slope + 2.0 * curve * p);
    if (slope < 0.0) { /* a form without cancellation for a small curve */
        return 2.0 * p / (root - slope);
    }
    return curve > 0.0 ? (slope + root) / curve : INFINITY;
}

/* Does the same as certain_by if the plane rotates relative to only one of the two, which is a
 * cloud: the height of each point above the plane is a quadratic function of d; returns its first
 * zero. */
static double certain_by_points(const look_ahead *ahead, const plane *by, bool of_b) {
    const gjk_placed *at = of_b ? &ahead->at_b : &ahead->at_a;
    const double sign = of_b ? 1.0 : -1.0;
    const gjk_vec3 up = gjk_scale3(sign, ahead->n);
    const gjk_vec3 swing = gjk_scale3(sign, of_b ? by->swing_b : by->swing_a);
    const gjk_vec3 apart = of_b ? ahead->apart : (gjk_vec3){0.0, 0.0, 0.0};
    const gjk_vec3 from = gjk_sub3(at->pose.position, apart);
    const double radii = ahead->at_a.shape->radius + ahead->at_b.shape->radius;
    const double other = of_b ? -gjk_dot3(ahead->n, ahead->on_a) : gjk_dot3(ahead->n, ahead->on_b);
    const gjk_swinging heights = {
        .up = gjk_mul3_transposed(&at->pose.rotation, up),
        .swing = gjk_mul3_transposed(&at->pose.rotation, swing),
        .start =
            gjk_dot3(ahead->n, ahead->apart) + other + gjk_dot3(up, from) - radii - ahead->least,
        .rate = by->speed + gjk_dot3(swing, from),
        .curve = by->curve,
    };
    (void)gjk_budget_spend(ahead->budget, gjk_pair_steps(ahead->at_a.shape, ahead->at_b.shape));
    return GJK_FASTEST(gjk_first_zero_plain, gjk_first_zero_avx2, gjk_first_zero_avx512)(at->shape,
                                                                                         &heights) *
           (1.0 - 0x1p-50);
}

/* Returns a d, at most `rest`, up to which the plane certainly separates the shapes. */
static double certain_by(const look_ahead *ahead, const plane *by, double rest) {
    const bool of_b = is_zero(by->swing_a), of_one = of_b || is_zero(by->swing_b);
    if (of_one && (of_b ? ahead->at_b : ahead->at_a).shape->count > 0) {
        return gjk_smaller(rest, certain_by_points(ahead, by, of_b));
    }
    double slope, low = 0.0, at_low = bound_gap(ahead, by, 0.0, &slope);
    if (!(at_low > 0.0)) {
        return 0.0;
    }
    double high = gjk_smaller(rest, last_zero(at_low, slope, by->curve));
    for (int i = 0; i < SEARCH_STEPS; i++) {
        const double at_high = bound_gap(ahead, by, high, &slope);
        if (at_high >= 0.0) {
            return high;
        }
        /* shortened, so that rounding does not put its end beyond the zero */
        const double part = at_low / (at_low - at_high) * (1.0 - SHORTENED);
        const double chord = low + (high - low) * part;
        double unused;
        const double at_chord = bound_gap(ahead, by, chord, &unused);
        if (!(at_chord > 0.0)) { /* rounding exceeds the part cut off: try half of the chord */
            high = 0.5 * (low + chord);
            continue;
        }
        if (chord > low) {
            low = chord;
            at_low = at_chord;
        }
        const double newton = slope < 0.0 ? high - at_high / slope : high;
        high = newton > low && newton < high ? newton : 0.5 * (low + high);
        if (high - low <= SEARCH_CLOSE * SEARCH_CLOSE * high) {
            break;
        }
    }
    return low;
}

/* Returns the same for the best of three planes: at rest, and rotating with either shape. */
static double certain_turning(const look_ahead *ahead, double rest) {
    const plane resting = resting_plane(ahead);
    double best = certain_by(ahead, &resting, rest);
    for (int with_b = 0; with_b < 2; with_b++) {
        const gjk_mover *with = with_b ? ahead->b : ahead->a;
        const double until = gjk_smaller(rest, LOOKED_AHEAD * best);
        if (with->motion.angle != 0.0 && until > best) {
            const plane turning = turning_plane(ahead, with_b != 0, until);
            best = gjk_larger(best, certain_by(ahead, &turning, until));
        }
    }
    return best;
}

/* Returns the same by the solids of revolution that contain rotating shapes; a shape that does not
 * rotate is used as it is. */
static double certain_spinning(const look_ahead *ahead, double rest) {
    const gjk_vec3 n = ahead->n;
    const double high_a =
        ahead->a->motion.angle == 0.0 ? gjk_dot3(n, ahead->on_a) : envelope(ahead->a, n);
    const double low_b =
        ahead->b->motion.angle == 0.0 ? gjk_dot3(n, ahead->on_b) : -envelope(ahead->b, gjk_neg3(n));
    const double radii = ahead->at_a.shape->radius + ahead->at_b.shape->radius;
    const double gap = gjk_dot3(n, ahead->apart) + low_b - high_a - radii - ahead->least;
    const double speed = gjk_dot3(n, ahead->way);
    if (!(gap > 0.0)) {
        return 0.0;
    }
    return speed < 0.0 ? gjk_smaller(rest, gap / -speed) : rest;
}

/* Places the part of a mover at a fraction of its motion, with the origin of its frame at `at`. */
static void place_part(const gjk_mover *mover, double t, gjk_vec3 at, gjk_placed *out) {
    out->shape = mover->part.shape;
    out->pose = gjk_rigid_motion_pose(&mover->start, &mover->motion, t);
    out->pose.position = at;
    if (!mover->is_whole) {
        out->pose = gjk_pose_compose(&out->pose, &mover->part.pose);
    }
}

/* Places a, whose frame is at the origin, with its rotation at a fraction of its motion. */
static void place_first(look_ahead *ahead, double t) {
    place_part(ahead->a, t, (gjk_vec3){0.0, 0.0, 0.0}, &ahead->at_a);
}

/* Places both at a fraction of their motions. */
static void move_to(look_ahead *ahead, double t) {
    if (ahead->a->motion.angle != 0.0) { /* else a is already placed */
        place_first(ahead, t);
    }
    ahead->apart = gjk_add3(ahead->at_start, gjk_scale3(t, ahead->way));
    place_part(ahead->b, t, ahead->apart, &ahead->at_b);
}

static look_ahead begin_look_ahead(const gjk_mover *a, const gjk_mover *b) {
    look_ahead ahead = {.a = a, .b = b};
    ahead.way = gjk_sub3(b->motion.translation, a->motion.translation);
    ahead.at_start = gjk_wide3_sub((gjk_wide3){b->start.position, b->rest},
                                   (gjk_wide3){a->start.position, a->rest});
    ahead.least =
        SLACK * (gjk_length3(ahead.at_start) + gjk_length3(ahead.way) + reach_of(a) + reach_of(b));
    place_first(&ahead, 0.0);
    return ahead;
}

/* Returns a first step, without a distance query: the direction between the centres of the bounding
 * balls is used. 0 if the balls overlap. */
static double first_step(look_ahead *ahead, double until) {
    const gjk_vec3 off = gjk_sub3(gjk_pose_apply(&ahead->at_b.pose, ahead->at_b.shape->center),
                                  gjk_pose_apply(&ahead->at_a.pose, ahead->at_a.shape->center));
    const double length = gjk_length3(off);
    if (!(length > ahead->at_a.shape->bounding_radius + ahead->at_b.shape->bounding_radius)) {
        return 0.0;
    }
    aim(ahead, gjk_scale3(1.0 / length, off));
    return gjk_larger(certain_spinning(ahead, until), certain_turning(ahead, until));
}

/* Returns the point of a that determines the bound of the gap at d. */
static gjk_vec3 critical_point(const look_ahead *ahead, double d) {
    const plane by = resting_plane(ahead);
    return farthest_of_a(ahead, gjk_add3(ahead->n, gjk_scale3(d, by.swing_a)));
}

/* Finds a separating normal that is not against the relative velocity at a point. Returns false if
 * there is none, or the current normal is one. */
static bool find_beside(const look_ahead *ahead, gjk_vec3 point, double tolerance, gjk_vec3 *out) {
    const gjk_rigid_motion *a = &ahead->a->motion, *b = &ahead->b->motion;
    const gjk_vec3 of_a = gjk_cross3(gjk_scale3(a->angle, a->axis), point);
    const gjk_vec3 of_b = gjk_cross3(gjk_scale3(b->angle, b->axis), gjk_sub3(point, ahead->apart));
    const gjk_vec3 velocity = gjk_add3(ahead->way, gjk_sub3(of_b, of_a));
    const double speed = gjk_length3(velocity);
    if (!(speed > 0.0) || gjk_dot3(ahead->n, velocity) >= 0.0) {
        return false;
    }
    const gjk_path path = {&ahead->at_a, &ahead->at_b, gjk_scale3(1.0 / speed, velocity),
                           tolerance};
    *out = gjk_neg3(ahead->n);
    return gjk_path_separates(&path, *out) || gjk_path_slides(&path, *out, out);
}

/*
 * Returns a d, at most `rest`, up to which two touching shapes certainly do not get deeper. A
 * motion along or away from any separating plane suffices, and the distance query returned only one
 * normal of a cone. So other separating normals are tried: each is not against the velocity of the
 * point at which the last one fails.
 */
static double certain_touching(look_ahead *ahead, gjk_vec3 point, double tolerance, double rest) {
    double best = certain_turning(ahead, rest);
    for (int i = 0; i < NORMALS_TRIED && best < rest; i++) {
        const gjk_vec3 before = ahead->n;
        gjk_vec3 beside;
        if (!find_beside(ahead, i == 0 ? point : critical_point(ahead, best), tolerance, &beside)) {
            continue;
        }
        aim(ahead, beside);
        const double found = certain_turning(ahead, rest);
        if (found <= best) {
            aim(ahead, before);
            break;
        }
        best = found;
    }
    return best;
}

/* Returns the fraction of a contact at t. If the shapes have touched since the start, a relative
 * motion that is too small to part them does not count. The fraction grows with t, and is least if
 * they rest. */
static double contact_fraction(const look_ahead *ahead, double t, bool rests, double tolerance) {
    const gjk_mover *a = ahead->a, *b = ahead->b;
    /* Upper bound of the relative motion up to t. */
    const double moved = t * (gjk_length3(ahead->way) + fabs(a->motion.angle) * a->spread +
                              fabs(b->motion.angle) * b->spread);
    return rests && moved <= 8.0 * tolerance ? 0.0 : t;
}

gjk_meeting gjk_advance(const gjk_mover *a, const gjk_mover *b, double until, double bound,
                        const gjk_cast_settings *settings) {
    look_ahead ahead = begin_look_ahead(a, b);
    const double rounding = ahead.least;
    const double size = gjk_larger(a->part.shape->size, b->part.shape->size);
    const double tolerance = settings->tolerance * size;
    const double close = CLOSE * gjk_smaller(tolerance, GJK_TOLERANCE_DEFAULT * size);
    gjk_distance_settings how = gjk_distance_settings_default();
    gjk_cache cache = gjk_cache_make();
    gjk_meeting meeting = {.convergence = GJK_CONVERGED};
    how.tolerance = settings->tolerance;
    how.max_iterations = settings->max_iterations;
    how.cache = &cache;
    how.budget = ahead.budget = settings->budget;
    bool rests = false; /* they touch, and have touched since the start */
    move_to(&ahead, 0.0);
    double t = first_step(&ahead, until);
    if (t >= until || t > bound) {
        return meeting;
    }
    move_to(&ahead, t);
    for (;; meeting.iterations++) {
        const gjk_distance_result apart = gjk_distance(&ahead.at_a, &ahead.at_b, &how);
        if (apart.state == GJK_OVERLAPPING) {
            meeting.inside = t == 0.0;
            break;
        }
        meeting.normal = apart.normal;
        meeting.point = gjk_add3(apart.point_a,
                                 gjk_add3(a->start.position, gjk_scale3(t, a->motion.translation)));
        rests = apart.state == GJK_TOUCHING && (rests || t == 0.0);
        ahead.least = rests ? rounding - 2.0 * tolerance : rounding;
        aim(&ahead, apart.normal);
        const double rest = until - t;
        const double turning =
            rests ? certain_touching(&ahead, apart.point_a, tolerance + rounding, rest)
                  : certain_turning(&ahead, rest);
        const double ahead_by = gjk_larger(turning, certain_spinning(&ahead, rest));
        if (ahead_by >= rest) {
            return meeting;
        }
        if (!(t + ahead_by > t) || (apart.distance <= close && !rests)) {
            meeting.convergence = apart.convergence;
            break; /* a smaller gap cannot be distinguished from contact */
        }
        if (meeting.iterations >= STEPS_EACH * settings->max_iterations ||
            gjk_budget_is_spent(ahead.budget)) {
            meeting.convergence = GJK_ITERATION_LIMIT;
            break;
        }
        t += ahead_by;
        if (contact_fraction(&ahead, t, rests, tolerance) > bound) {
            return meeting;
        }
        move_to(&ahead, t);
    }
    meeting.hit = true;
    meeting.fraction = contact_fraction(&ahead, t, rests, tolerance);
    return meeting;
}
