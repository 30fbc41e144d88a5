/*
 * The depth of shapes of many pieces. The normal of the deepest pair is tried first; if it does not
 * separate everything, other deep pairs, points inside closed meshes, directions all around, and in
 * the plane all borders of Minkowski differences. The bounds are valid in any case.
 */

#include "base/angle.h"
#include "base/numbers.h"
#include "pair/pieces/pieces.h"
#include "pair/pieces/way_out.h"
#include "shape/convex/cloud.h"
#include "shape/convex/support.h"
#include "shape/pieces/pieces.h"

#include <math.h>

#define DESCENTS 8              /* limit of descents from overlapping pairs */
#define QUERIES_MAX 512         /* limit of queries in 3D */
#define NEAR 0x1p-6             /* relative gap of the bounds that ends the search in 3D */
#define DIRECTIONS (2 * 27)     /* all around */
#define POINTS GJK_INNER_POINTS /* of a shape, searched for in a closed mesh */
#define FINEST 0x1p-46          /* relative to the size: resolution of translations */

/* --- Points in closed meshes --- */

/* Sets up to POINTS points of any shape, without its radius: the centres of parts, or for shapes
 * made of vertices one vertex of each connected component. */
static uint32_t points_of(const gjk_placed *placed, gjk_vec3 points[POINTS]) {
    const struct gjk_pieces *pieces = placed->shape->pieces;
    if (pieces == NULL) {
        return gjk_points_of_convex(placed, points);
    }
    const bool has_seeds = pieces->seed_count > 0;
    const uint32_t all = has_seeds ? pieces->seed_count : pieces->count;
    uint32_t count = 0;
    for (; count < all && count < POINTS; count++) {
        gjk_vec3 of_piece[POINTS];
        gjk_piece piece;
        if (has_seeds) {
            points[count] = gjk_pose_apply(&placed->pose, pieces->seeds[count]);
        } else {
            gjk_piece_make(placed, count, &piece);
            (void)gjk_points_of_convex(&piece.placed, of_piece);
            points[count] = of_piece[0];
        }
    }
    return count;
}

/* Returns the radius that is certainly around each point of points_of. */
static double radius_of(const gjk_shape *shape) {
    const struct gjk_pieces *pieces = shape->pieces;
    if (pieces == NULL) {
        return shape->radius;
    }
    return pieces->type == GJK_COMPOUND || pieces->type == GJK_POINTS ? 0.0 : pieces->rounding;
}

/* Raises the lower bound by points of the other shape inside a closed mesh: each must leave it with
 * its surroundings. Sets *plane to the plane of the point with the longest way (least 0: no point
 * is inside), and, for a convex other shape, the pair of pieces that then touches. `ball` is the
 * nearest pair of pieces if the other shape is a ball inside the mesh, else NULL. */
static void raise_by_inside(gjk_way_out *way, bool mesh_is_a, const gjk_pair_answer *ball,
                            gjk_plane *plane) {
    const gjk_placed *mesh = mesh_is_a ? &way->a : &way->b;
    const gjk_placed *other = mesh_is_a ? &way->b : &way->a;
    const double radii = radius_of(other->shape) + 2.0 * mesh->shape->pieces->rounding;
    gjk_vec3 points[POINTS];
    const uint32_t count = points_of(other, points);
    const bool takes_ball = ball != NULL && ball->state == GJK_SEPARATED;
    for (uint32_t i = 0; i < count && !gjk_budget_is_spent(way->settings.budget); i++) {
        gjk_piece point;
        gjk_piece_make_ball(3, points[i], 0.0, &point);
        if (ball == NULL && !gjk_mesh_encloses_some(mesh, &point.placed, way->settings.budget)) {
            continue;
        }
        const gjk_placed *first = mesh_is_a ? mesh : &point.placed;
        const gjk_placed *second = mesh_is_a ? &point.placed : mesh;
        gjk_pair_answer nearest =
            takes_ball ? *ball : gjk_search_pieces(GJK_ASK_DISTANCE, first, second, &way->settings);
        double distance = nearest.distance, lower_bound = nearest.lower_bound;
        if (nearest.state != GJK_SEPARATED) { /* within the rounding of the surface */
            nearest = gjk_search_pieces(GJK_ASK_DETECT, first, second, &way->settings);
            distance = -nearest.depth_lower_bound;
            lower_bound = -nearest.depth;
        }
        const double farther = radii + (takes_ball ? other->shape->radius : 0.0);
        if (nearest.given_up || !(farther + distance > 0.0)) {
            continue;
        }
        way->lower_bound = gjk_larger(way->lower_bound, lower_bound + farther);
        if (distance + farther > plane->least) {
            *plane = (gjk_plane){gjk_neg3(nearest.normal), distance + farther};
            way->piece_a = nearest.piece_a;
            way->piece_b = nearest.piece_b;
            way->parting = plane->normal;
        }
    }
}

/* --- Descents from deep pairs --- */

typedef struct deep_pairs {
    gjk_piece_visitor visitor; /* first member: cast back by the visitor */
    const gjk_way_out *way;
    uint32_t count;
    gjk_plane planes[DESCENTS]; /* deepest first */
} deep_pairs;

static bool visit_deep(gjk_piece_visitor *visitor, const gjk_piece_pair *pair) {
    deep_pairs *deep = (deep_pairs *)visitor;
    const gjk_detect_result answer = gjk_detect(pair->a, pair->b, &deep->way->settings);
    if (answer.state != GJK_OVERLAPPING ||
        (deep->count == DESCENTS && answer.depth <= deep->planes[DESCENTS - 1].least)) {
        return !answer.given_up;
    }
    uint32_t at = deep->count < DESCENTS ? deep->count++ : DESCENTS - 1;
    for (; at > 0 && deep->planes[at - 1].least < answer.depth; at--) {
        deep->planes[at] = deep->planes[at - 1];
    }
    deep->planes[at] = (gjk_plane){answer.normal, answer.depth};
    if (deep->count == DESCENTS) {
        visitor->depth = deep->planes[DESCENTS - 1].least;
    }
    return true;
}

static bool descend_from_pairs(gjk_way_out *way) {
    deep_pairs deep = {.visitor = gjk_visitor_make(visit_deep, &way->settings), .way = way};
    if (gjk_way_has_ended(way)) {
        return false;
    }
    gjk_visit_piece_pairs(&way->a, &way->b, &deep.visitor);
    for (uint32_t i = 0; i < deep.count && !gjk_way_has_ended(way); i++) {
        gjk_way_descend(way, deep.planes[i]);
    }
    return true;
}

/* Returns true if the translation of the deepest pair separates everything: none can be shorter. */
static bool try_deepest(gjk_way_out *way, const gjk_pair_answer *deepest) {
    const double beyond = deepest->depth + 2.0 * way->margin;
    const gjk_pair_answer answer = gjk_way_query_state(way, gjk_scale3(beyond, deepest->normal));
    return gjk_way_is_free(&answer);
}

/* Returns true if all planes of the difference of the deepest pair can be known. */
static bool are_boxes(const gjk_way_out *way, const gjk_pair_answer *deepest) {
    gjk_convex_pair pair;
    gjk_way_take(way, deepest, &pair);
    return gjk_difference_is_of_boxes(&pair.a.placed, &pair.b.placed);
}

/* Walks towards the faces, edges and corners of a cube in the frames of both shapes. */
static void walk_all_around(gjk_way_out *way) {
    const gjk_mat3 *turns[2] = {&way->a.pose.rotation, &way->b.pose.rotation};
    for (int i = 0; i < DIRECTIONS && !gjk_way_has_ended(way); i++) {
        const int x = i / 2 % 3 - 1, y = i / 6 % 3 - 1, z = i / 18 - 1;
        const gjk_vec3 own = {x, y, z};
        const double length = gjk_length3(own);
        if (length > 0.0 && (own.z == 0.0 || way->a.shape->dimension == 3)) {
            gjk_way_walk(way, gjk_mul3(turns[i % 2], gjk_scale3(1.0 / length, own)));
        }
    }
}

/* Uses the translation that separates the bounding balls of both shapes if nothing better was
 * found. */
static void part_balls(gjk_way_out *way) {
    const gjk_vec3 from = gjk_pose_apply(&way->a.pose, way->a.shape->center);
    const gjk_vec3 to = gjk_pose_apply(&way->b.pose, way->b.shape->center);
    gjk_vec3 direction = gjk_sub3(to, from);
    const double length = gjk_length3(direction);
    direction = length > 0.0 ? gjk_scale3(1.0 / length, direction) : (gjk_vec3){1, 0, 0};
    gjk_way_settle(way, gjk_scale3(way->most - 2.0 * length, direction));
}

/* Finds the shortest translation along an axis of a's frame that separates the bounding boxes of
 * both shapes in that frame, and moves back from there until they touch. */
static void part_boxes(gjk_way_out *way) {
    const gjk_placed first = {way->a.shape, gjk_pose_identity()};
    const gjk_placed second = {way->b.shape, gjk_pose_relative(&way->a.pose, &way->b.pose)};
    const gjk_bounds a = gjk_placed_bounds(&first), b = gjk_placed_bounds(&second);
    const gjk_vec3 up = gjk_sub3(a.max, b.min), down = gjk_sub3(a.min, b.max);
    const gjk_vec3 ways[6] = {{up.x, 0, 0},   {0, up.y, 0},   {0, 0, up.z},
                              {down.x, 0, 0}, {0, down.y, 0}, {0, 0, down.z}};
    gjk_vec3 least = ways[0];
    for (int i = 1; i < 6; i++) {
        least = gjk_largest3(ways[i]) < gjk_largest3(least) ? ways[i] : least;
    }
    const double length = gjk_largest3(least);
    if (!(length > 0.0)) {
        return;
    }
    const gjk_vec3 direction = gjk_mul3(&way->a.pose.rotation, gjk_scale3(1.0 / length, least));
    const gjk_vec3 free = gjk_scale3(length * (1.0 + 0x1p-20) + 2.0 * way->margin, direction);
    const gjk_pair_answer there = gjk_way_query_state(way, free);
    if (gjk_way_is_free(&there)) {
        gjk_way_settle(way, free);
    }
}

/* --- Answers --- */

/* Returns the answer for the pair that touches after the best translation. Solved with the pieces
 * moved apart along a plane between them, which has the same nearest points and is faster. */
static gjk_pair_answer touch_of_pair(const gjk_way_out *way, const gjk_placed *a,
                                     const gjk_placed *moved) {
    gjk_piece of_a, of_b;
    gjk_part_make(a, way->piece_a, &of_a);
    gjk_part_make(moved, way->piece_b, &of_b);
    const double size = gjk_larger(of_a.placed.shape->size, of_b.placed.shape->size);
    const gjk_placed apart = gjk_moved_by(&of_b.placed, gjk_scale3(0.5 * size, way->parting));
    gjk_pair_answer answer = gjk_distance(&of_a.placed, &apart, &way->settings);
    if (fabs(answer.distance - 0.5 * size) > way->settings.tolerance * size) {
        answer = gjk_distance(&of_a.placed, &of_b.placed, &way->settings);
    }
    answer.piece_a = way->piece_a;
    answer.piece_b = way->piece_b;
    return answer;
}

/* Corrects a translation that leaves an overlap because of rounding. Adds the separating plane of
 * the deepest pair that still overlaps to the planes found so far, and sets *t to the least
 * translation that is beyond all of them by the margin. To lengthen *t in its own direction is not
 * enough: at a corner between two pieces that may lead deeper into one of them. */
static void move_beyond(const gjk_placed *a, const gjk_placed *b, const gjk_pair_settings *settings,
                        double margin, gjk_plane planes[GJK_WAY_PLANES], uint32_t count,
                        gjk_vec3 *t) {
    const gjk_placed moved = gjk_moved_by(b, *t);
    const gjk_pair_answer left = gjk_search_pieces(GJK_ASK_DETECT, a, &moved, settings);
    const bool is_plane = left.state == GJK_OVERLAPPING && !left.given_up && !left.inside;
    const gjk_vec3 normal = is_plane ? left.normal : planes[0].normal;
    planes[count] = (gjk_plane){normal, gjk_dot3(normal, *t) + (is_plane ? left.depth : 0.0)};
    if (!gjk_way_least(planes, count + 1, margin, 0.0, t)) {
        *t = gjk_add3(*t, gjk_scale3((is_plane ? left.depth : 0.0) + margin, normal));
    }
}

/* Returns the answer for what touches after the best translation, changed a little if rounding has
 * left an overlap. */
static gjk_pair_answer answer_of(const gjk_way_out *way, const gjk_placed *a, const gjk_placed *b,
                                 const gjk_pair_answer *deepest) {
    /* At length 0 the shapes touch in place, and any direction is valid. */
    gjk_vec3 normal =
        way->length > 0.0 ? gjk_scale3(1.0 / way->length, way->best) : (gjk_vec3){1.0, 0.0, 0.0};
    const double size = gjk_larger(a->shape->size, b->shape->size);
    const double far = gjk_largest3(a->pose.position) + gjk_largest3(b->pose.position) + size;
    double depth = way->length, nudge = 0.25 * GJK_ROUNDING * far;
    gjk_plane planes[GJK_WAY_PLANES] = {{normal, depth}};
    gjk_pair_answer answer = {.state = GJK_OVERLAPPING};
    for (uint32_t i = 0; answer.state == GJK_OVERLAPPING && i + 1 < GJK_WAY_PLANES; i++) {
        gjk_vec3 t = gjk_scale3(depth, normal);
        const gjk_placed moved = gjk_moved_by(b, t);
        answer = way->has_pair && i == 0
                     ? touch_of_pair(way, a, &moved)
                     : gjk_search_pieces(GJK_ASK_DISTANCE, a, &moved, &way->settings);
        if (answer.state == GJK_OVERLAPPING && !answer.given_up) {
            move_beyond(a, b, &way->settings, nudge, planes, i + 1, &t);
            depth = gjk_length3(t);
            normal = gjk_scale3(1.0 / depth, t);
            nudge *= 2.0;
        }
    }
    if (answer.given_up) {
        return answer;
    }
    answer.state = GJK_OVERLAPPING;
    answer.inside = deepest->inside;
    answer.convergence =
        depth - way->lower_bound <= way->close ? GJK_CONVERGED : GJK_ITERATION_LIMIT;
    answer.iterations = deepest->iterations;
    answer.normal = gjk_no_minus_zero3(normal);
    answer.depth = depth;
    answer.depth_lower_bound = gjk_smaller(way->lower_bound, depth);
    answer.point_b = gjk_sub3(answer.point_a, gjk_scale3(depth, normal));
    return answer;
}

static bool is_same(gjk_vec3 p, gjk_vec3 q) {
    return p.x == q.x && p.y == q.y && p.z == q.z;
}

/* Returns the answer of the deepest pair, whose translation separates everything. */
static gjk_pair_answer answer_of_deepest(const gjk_way_out *way, const gjk_pair_answer *deepest) {
    gjk_pair_answer answer = *deepest;
    answer.convergence =
        answer.depth - answer.depth_lower_bound <= way->close ? GJK_CONVERGED : GJK_ITERATION_LIMIT;
    return answer;
}

static gjk_way_out begin(const gjk_placed *a, const gjk_placed *b, const gjk_pair_answer *deepest,
                         const gjk_pair_settings *settings) {
    const double size = gjk_larger(a->shape->size, b->shape->size);
    gjk_way_out way = {.a = *a,
                       .b = *b,
                       .settings = *settings,
                       .close = settings->tolerance * size,
                       .lower_bound = deepest->depth_lower_bound,
                       .length = INFINITY,
                       .queries_left = a->shape->dimension == 3 ? QUERIES_MAX : UINT32_MAX};
    const gjk_vec3 between = gjk_sub3(b->pose.position, a->pose.position);
    if (is_same(gjk_add3(a->pose.position, between), b->pose.position) &&
        is_same(gjk_sub3(b->pose.position, between), a->pose.position)) { /* exactly */
        way.b.pose.position = between;
        way.a.pose.position = (gjk_vec3){0, 0, 0};
    }
    way.settings.recorder = NULL;
    way.settings.cache = NULL;
    way.settings.penetration = true;
    way.settings.is_signed = false;
    way.settings.tolerance =
        gjk_larger(gjk_smaller(settings->tolerance, GJK_TOLERANCE_DEFAULT) * 0x1p-10, FINEST);
    const gjk_vec3 centers = gjk_sub3(gjk_pose_apply(&way.b.pose, b->shape->center),
                                      gjk_pose_apply(&way.a.pose, a->shape->center));
    const double radii = a->shape->bounding_radius + b->shape->bounding_radius;
    /* Corners and translations are rounded at their positions. */
    const double far = a->shape->reach + b->shape->reach + gjk_largest3(way.a.pose.position) +
                       gjk_largest3(way.b.pose.position);
    way.margin = gjk_larger(4.0 * way.settings.tolerance * size, 8.0 * GJK_ROUNDING * far);
    way.most = (gjk_length3(centers) + radii) * (1.0 + 0x1p-20) + 4.0 * way.margin;
    return way;
}

gjk_pair_answer gjk_answer_whole_depth(const gjk_placed *a, const gjk_placed *b,
                                       const gjk_pair_answer *deepest,
                                       const gjk_pair_answer *nearest,
                                       const gjk_pair_settings *settings) {
    gjk_way_out way = begin(a, b, deepest, settings);
    gjk_plane out = {.least = 0.0};
    bool has_bounded = false;
    const bool has_ball = deepest->inside && (a->shape->count == 1 || b->shape->count == 1);
    gjk_pair_answer found;
    if (has_ball && nearest == NULL) {
        found = gjk_search_pieces(GJK_ASK_DISTANCE, a, b, settings);
        nearest = &found;
    }
    const gjk_pair_answer *ball = has_ball ? nearest : NULL;
    if (gjk_shape_is_solid(a->shape)) {
        raise_by_inside(&way, true, ball, &out);
    }
    if (gjk_shape_is_solid(b->shape)) {
        raise_by_inside(&way, false, ball, &out);
    }
    if (gjk_shape_is_solid(a->shape) && gjk_shape_is_solid(b->shape) &&
        deepest->depth <= way.close && !(out.least > 0.0)) {
        /* Surfaces that only touch mostly do so all over: each query would look at all of them. */
        part_boxes(&way);
        if (way.length < INFINITY && !gjk_budget_is_spent(settings->budget)) {
            return answer_of(&way, a, b, deepest);
        }
    }
    if (out.least > 0.0) {
        const bool is_convex = a->shape->pieces == NULL || b->shape->pieces == NULL;
        gjk_way_descend(&way, out);
        way.has_pair = is_convex && gjk_way_has_fine_margin(&way) &&
                       is_same(way.best, gjk_scale3(out.least, out.normal));
    } else if (deepest->depth > 0.0) {
        if (try_deepest(&way, deepest)) {
            if (gjk_way_has_fine_margin(&way)) {
                return answer_of_deepest(&way, deepest);
            }
            gjk_way_keep(&way, gjk_scale3(deepest->depth, deepest->normal), 0.0);
        }
        if (a->shape->dimension == 3 && way.length == INFINITY && are_boxes(&way, deepest)) {
            gjk_way_bound(&way, deepest);
            has_bounded = way.length < INFINITY;
        }
    }
    if (deepest->depth > 0.0 && !gjk_way_has_ended(&way)) {
        gjk_way_descend(&way, (gjk_plane){deepest->normal, deepest->depth});
    }
    bool has_descended = false, is_near = false;
    if (way.length == INFINITY && deepest->depth > 0.0) {
        has_descended = descend_from_pairs(&way);
    }
    if (a->shape->dimension == 3 && way.length < INFINITY && !gjk_way_has_ended(&way)) {
        if (!has_bounded) {
            gjk_way_bound(&way, deepest);
        }
        is_near = way.length - way.lower_bound <= NEAR * way.length;
    }
    if (!is_near && !has_descended && deepest->depth > 0.0) {
        (void)descend_from_pairs(&way);
    }
    if (!is_near) {
        walk_all_around(&way);
    }
    if (way.length == INFINITY) {
        part_balls(&way);
    }
    if (!gjk_way_has_ended(&way) && a->shape->dimension == 2 && gjk_walk_borders(&way)) {
        const double slack = gjk_larger(way.slack, GJK_WAY_BAND * way.margin);
        way.lower_bound = gjk_larger(way.lower_bound, way.length - slack);
    }
    if (gjk_budget_is_spent(settings->budget) || way.length == INFINITY) {
        return gjk_answer_without_pieces(false);
    }
    return answer_of(&way, a, b, deepest);
}
