/*
 * The way out of a shape. The ray begins anew where it hits, and places are taken relative to there
 * with twice the digits, so that the numbers are as small as the shape, wherever it stands. The
 * line is in a convex shape between what a ray of either direction hits first of it. Of a union of
 * pieces these intervals are joined: from where the union has been left so far, one walk down the
 * tree finds the piece that goes on farthest, and the first that begins later. In a closed mesh the
 * way to the latter is inside as a whole or not at all, as the point in the middle is.
 *
 * Each piece is gone on by once at most, and once to, so there are at most twice as many walks as
 * pieces.
 */

#include "base/larger.h"
#include "base/rounding.h"
#include "pair/inside_mesh.h"
#include "ray/pieces_ray.h"
#include "shape/near.h"
#include "shape/pieces.h"
#include "shape/pieces_walk.h"

/* The least cosine between ray and normal that an error is divided by: that of a ray which grazes a
 * curve within rounding. */
#define RATE_LEAST 0x1p-26

/* Steps of a budget for the rays at a convex shape, and one for each of its points. */
#define STEPS 24

/* A shape, and the ray from where it hits on. */
typedef struct way_out {
    const gjk_placed *target;
    gjk_wide3 start; /* in the world */
    gjk_vec3 direction;
    double reach; /* what is left of max_distance */
    gjk_ray_settings settings;
    gjk_vec3 own_start, own_direction; /* in the shape's own frame */
    /* Where what has been walked of the union ends so far, and of which piece. */
    double t, error;
    uint32_t piece;
} way_out;

/* One end of what a convex shape takes of the line. */
typedef struct line_end {
    double t, error; /* error: by what rounding may have moved it along the line */
    double rounding; /* of the numbers that it is computed from */
} line_end;

/* The part of the line that a convex shape takes; of a piece, which. */
typedef struct stay {
    line_end enter, leave;
    uint32_t piece;
} stay;

/* Component by component, from + t * direction. */
static gjk_double_double along(double high, double low, double t, double rate) {
    return gjk_dd_add((gjk_double_double){high, low}, gjk_two_product(t, rate));
}

static gjk_wide3 go(gjk_wide3 from, double t, gjk_vec3 direction) {
    const gjk_double_double x = along(from.high.x, from.low.x, t, direction.x),
                            y = along(from.high.y, from.low.y, t, direction.y),
                            z = along(from.high.z, from.low.z, t, direction.z);
    return (gjk_wide3){{x.high, y.high, z.high}, {x.low, y.low, z.low}};
}

static way_out make_way_out(const gjk_placed *target, const gjk_ray *ray, const gjk_ray_result *hit,
                            const gjk_ray_settings *settings) {
    way_out way = {
        .target = target,
        .start = go(gjk_wide3_of(ray->origin), hit->distance, ray->direction),
        .direction = ray->direction,
        .reach = ray->max_distance - hit->distance,
        .settings = *settings,
        .piece = hit->piece,
    };
    way.settings.solid = true;
    return way;
}

/* Where a line through the origin first meets a placed convex shape. False: nowhere. */
static bool meet(const way_out *way, const gjk_placed *placed, gjk_vec3 direction, line_end *out) {
    const gjk_shape *shape = placed->shape;
    const gjk_vec3 center = gjk_pose_apply(&placed->pose, shape->center);
    const double middle = gjk_dot3(center, direction);
    /* Two radii at least, as a power of two, which leaves round numbers round. */
    int exponent;
    (void)frexp(shape->bounding_radius > 0.0 ? shape->bounding_radius : middle, &exponent);
    const double from = middle - ldexp(2.0, exponent);
    const gjk_ray ray = {gjk_scale3(from, direction), direction, INFINITY};
    const gjk_ray_result hit = gjk_raycast(placed, &ray, &way->settings);
    const double rate = hit.has_normal ? -gjk_dot3(hit.normal, direction) : 1.0;
    const double numbers = gjk_largest3(placed->pose.position) + shape->reach + fabs(from);
    out->t = from + hit.distance;
    out->rounding = GJK_ROUNDING * numbers;
    out->error = 4.0 * out->rounding / gjk_larger(rate, RATE_LEAST);
    return hit.hit;
}

/* Places a convex shape relative to where the ray starts. */
static void bring_near(const way_out *way, const gjk_placed *convex, gjk_near_shape *near) {
    const gjk_wide3 at = gjk_near_make(convex, near);
    near->placed.pose.position = gjk_wide3_sub(at, way->start);
}

/* False: the line misses the shape. */
static bool find_leave(const way_out *way, const gjk_near_shape *near, line_end *out) {
    const bool leaves = meet(way, &near->placed, gjk_neg3(way->direction), out);
    out->t = -out->t;
    return leaves;
}

/* Of a shape that the line leaves. */
static void find_enter(const way_out *way, const gjk_near_shape *near, stay *out) {
    if (!meet(way, &near->placed, way->direction, &out->enter) || out->enter.t > out->leave.t) {
        out->enter.t = out->leave.t;
    }
}

static void go_to(way_out *way, const line_end *end, uint32_t piece) {
    way->t = gjk_larger(end->t, way->t);
    way->error = end->error;
    way->piece = piece;
}

/* Spends what the rays at a convex shape cost. Returns true if the work is to end. */
static bool spend(const way_out *way, const gjk_placed *convex) {
    return gjk_budget_spend(way->settings.budget, STEPS + convex->shape->count);
}

/* Goes to where the line leaves the convex shape that is hit. */
static void leave_hit(way_out *way, const gjk_placed *convex) {
    gjk_near_shape near;
    line_end out;
    bring_near(way, convex, &near);
    if (!spend(way, convex) && find_leave(way, &near, &out)) {
        go_to(way, &out, way->piece);
    }
}

/* Returns true if there is a gap between two pieces, by more than rounding. */
static bool are_apart(const way_out *way, uint32_t i, uint32_t j) {
    const struct gjk_pieces *pieces = way->target->shape->pieces;
    const gjk_distance_settings settings = gjk_distance_settings_default();
    gjk_piece a, b;
    gjk_piece_make_own(pieces, i, &a);
    gjk_piece_make_own(pieces, j, &b);
    (void)spend(way, &a.placed);
    (void)spend(way, &b.placed);
    const double size = gjk_larger(a.placed.shape->size, b.placed.shape->size);
    return gjk_distance(&a.placed, &b.placed, &settings).lower_bound > 4.0 * GJK_ROUNDING * size;
}

/* Returns true if a piece begins before the union has been left; where rounding hides that, whether
 * it touches the piece that ends there. */
static bool joins(const way_out *way, const stay *found) {
    const double doubt = way->error + found->enter.error;
    if (fabs(found->enter.t - way->t) > doubt) {
        return found->enter.t < way->t;
    }
    return way->piece == GJK_NO_PIECE || !are_apart(way, way->piece, found->piece);
}

static bool is_solid(const way_out *way) {
    const struct gjk_pieces *pieces = way->target->shape->pieces;
    return pieces->type == GJK_MESH && pieces->closed;
}

/* Looks from way->t on at pieces that are nearer than `bound`. */
static void start_walk(const way_out *way, double bound, gjk_pieces_walk *walk) {
    const gjk_shape *shape = way->target->shape;
    const gjk_pieces_tree *tree = &shape->pieces->tree;
    const gjk_vec3 at = gjk_add3(way->own_start, gjk_scale3(way->t, way->own_direction));
    const gjk_bounds point = {at, at};
    const double rounding = 0x1p-46 * (gjk_largest3(at) + way->t + shape->reach);
    gjk_pieces_query query = gjk_pieces_query_make(tree, GJK_WALK_SWEEP, &point, rounding);
    gjk_pieces_query_sweep(tree, way->own_direction, &query);
    gjk_pieces_walk_init(walk, tree, &query, bound, way->settings.budget);
}

/* Finds the piece that goes on farthest from way->t, and in a solid the first that begins later.
 * GJK_NO_PIECE: there is none. */
static void look_ahead(way_out *way, stay *farthest, stay *next) {
    const gjk_pieces_tree *tree = &way->target->shape->pieces->tree;
    const double doubt = 2.0 * way->error;
    gjk_near_shape near;
    gjk_pieces_walk walk;
    uint32_t first, count;
    *farthest = *next = (stay){.piece = GJK_NO_PIECE};
    /* In a solid also beyond the ray's end, which may lie on the way to what begins next. */
    start_walk(way, is_solid(way) ? INFINITY : doubt, &walk);
    while (gjk_pieces_walk_next(&walk, &first, &count)) {
        for (uint32_t slot = first; slot < first + count; slot++) {
            gjk_piece piece;
            stay found = {.piece = tree->order[slot]};
            gjk_piece_make(way->target, found.piece, &piece);
            if (spend(way, &piece.placed)) {
                return;
            }
            bring_near(way, &piece.placed, &near);
            if (!find_leave(way, &near, &found.leave) ||
                found.leave.t <= way->t + found.leave.rounding) {
                continue;
            }
            find_enter(way, &near, &found);
            if (joins(way, &found)) {
                const bool is_farther =
                    farthest->piece == GJK_NO_PIECE || found.leave.t > farthest->leave.t;
                *farthest = is_farther ? found : *farthest;
            } else if (next->piece == GJK_NO_PIECE || found.enter.t < next->enter.t) {
                *next = found;
                walk.bound = gjk_smaller(walk.bound, gjk_larger(doubt, found.enter.t - way->t +
                                                                           found.enter.error));
            }
        }
    }
}

/* Returns true if the way from way->t to the next piece is inside a closed mesh. */
static bool is_inside_until(way_out *way, const stay *next) {
    const double middle = 0.5 * (way->t + gjk_larger(next->enter.t, way->t));
    const gjk_vec3 near = gjk_add3(way->own_start, gjk_scale3(middle, way->own_direction));
    return gjk_mesh_encloses_place(way->target, go(way->start, middle, way->direction), near,
                                   way->settings.budget);
}

/* Goes on by a piece, or through the solid to the next. False: the union ends here. */
static bool go_on(way_out *way) {
    stay farthest, next;
    look_ahead(way, &farthest, &next);
    if (farthest.piece != GJK_NO_PIECE) {
        go_to(way, &farthest.leave, farthest.piece);
    } else if (is_solid(way) && next.piece != GJK_NO_PIECE && is_inside_until(way, &next)) {
        go_to(way, &next.enter, next.piece);
    } else {
        return false;
    }
    return way->t < way->reach && !gjk_budget_is_spent(way->settings.budget);
}

/* Walks the union from what is hit on. */
static void leave_pieces(way_out *way) {
    const gjk_pose *pose = &way->target->pose;
    const gjk_vec3 off = gjk_wide3_sub(way->start, gjk_wide3_of(pose->position));
    way->own_start = gjk_mul3_transposed(&pose->rotation, off);
    way->own_direction = gjk_mul3_transposed(&pose->rotation, way->direction);
    if (way->piece != GJK_NO_PIECE) {
        gjk_piece piece;
        gjk_piece_make(way->target, way->piece, &piece);
        leave_hit(way, &piece.placed);
    }
    bool goes_on = way->t < way->reach;
    while (goes_on) {
        goes_on = go_on(way);
    }
}

gjk_status gjk_ray_exit(const gjk_placed *target, const gjk_ray *ray, const gjk_ray_result *hit,
                        const gjk_ray_settings *settings, double *exit) {
    GJK_ASSERT(hit->hit);
    way_out way = make_way_out(target, ray, hit, settings);
    if (target->shape->pieces == NULL) {
        leave_hit(&way, target);
    } else {
        leave_pieces(&way);
    }
    /* A shape as thin as rounding has no thickness. */
    const double out = hit->distance + (way.t > way.error ? way.t : 0.0);
    *exit = gjk_smaller(out, ray->max_distance);
    return gjk_budget_is_spent(settings->budget) ? GJK_GIVEN_UP : GJK_OK;
}
