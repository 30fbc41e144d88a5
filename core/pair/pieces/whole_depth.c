/*
 * The depth of shapes of many pieces. The normal of the deepest pair is tried first; where that
 * does not part everything, other deep pairs, points inside closed meshes, directions all around,
 * and in the plane all borders of Minkowski differences. Bounds hold whatever is found.
 */

#include "pair/pieces/whole_depth.h"

#include "base/angle.h"
#include "base/numbers.h"
#include "pair/pieces/borders.h"
#include "pair/pieces/inside_mesh.h"
#include "pair/pieces/pieces.h"
#include "pair/pieces/way_out.h"
#include "shape/convex/cloud.h"
#include "shape/convex/support.h"
#include "shape/pieces/pieces.h"

#include <math.h>

#define DESCENTS 8          /* that begin with a pair that overlaps */
#define LOOKS 512           /* in space */
#define DIRECTIONS (2 * 27) /* all around */
#define POINTS 16           /* of a shape, that are looked for in a closed mesh */
#define NUDGES 8            /* of a depth that rounding has made too small */
#define WHOLE_ANGLE 1e-6    /* that may be missing around a point in a region */
#define PI 3.14159265358979323846
#define FINEST 0x1p-46 /* relative to the size: what translations are told apart by */

/* --- Points in closed meshes --- */

/* Sets up to POINTS points of a convex shape, without its radius: its middle, then corners. Returns
 * how many. */
static uint32_t points_of_convex(const gjk_placed *placed, gjk_vec3 points[POINTS]) {
    const gjk_shape *shape = placed->shape;
    uint32_t count = 1;
    gjk_vec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < shape->count; i++) {
        const gjk_vec3 point = gjk_pose_apply(&placed->pose, gjk_shape_point(shape, i));
        sum = gjk_add3(sum, point);
        if (count < POINTS && shape->count > 1) {
            points[count++] = point;
        }
    }
    if (shape->count == 0) {
        gjk_vec3 p, q;
        gjk_curve_support(shape, 1.0, 0.0, 0.0, &p);
        gjk_curve_support(shape, -1.0, 0.0, 0.0, &q);
        sum = gjk_add3(gjk_scale3(0.5, gjk_add3(p, q)), shape->offset);
        points[0] = gjk_pose_apply(&placed->pose, sum);
    } else {
        points[0] = gjk_scale3(1.0 / shape->count, sum);
    }
    return count;
}

/* The same of any shape: of parts the middles, of what is made of vertices one of each connected
 * component. */
static uint32_t points_of(const gjk_placed *placed, gjk_vec3 points[POINTS]) {
    const struct gjk_pieces *pieces = placed->shape->pieces;
    if (pieces == NULL) {
        return points_of_convex(placed, points);
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
            (void)points_of_convex(&piece.placed, of_piece);
            points[count] = of_piece[0];
        }
    }
    return count;
}

/* Returns the least radius around the points of points_of. */
static double radius_of(const gjk_shape *shape) {
    const struct gjk_pieces *pieces = shape->pieces;
    if (pieces == NULL) {
        return shape->radius;
    }
    return pieces->type == GJK_COMPOUND || pieces->type == GJK_POINTS ? 0.0 : pieces->rounding;
}

/* Raises the lower bound by points of the other shape that are inside a closed mesh: each has to
 * leave it, with what lies around it. Sets *plane to that of the one that has to go farthest; least
 * 0: none is inside. */
static void raise_by_inside(gjk_way_out *way, bool mesh_is_a, gjk_plane *plane) {
    const gjk_placed *mesh = mesh_is_a ? &way->a : &way->b;
    const gjk_placed *other = mesh_is_a ? &way->b : &way->a;
    const double radii = radius_of(other->shape) + 2.0 * mesh->shape->pieces->rounding;
    gjk_vec3 points[POINTS];
    const uint32_t count = points_of(other, points);
    for (uint32_t i = 0; i < count && !gjk_budget_is_spent(way->settings.budget); i++) {
        gjk_piece point;
        gjk_piece_make_ball(3, points[i], 0.0, &point);
        if (!gjk_mesh_encloses_some(mesh, &point.placed, way->settings.budget)) {
            continue;
        }
        const gjk_pair_answer nearest =
            gjk_search_pieces(GJK_ASK_DISTANCE, mesh, &point.placed, &way->settings);
        if (nearest.given_up || nearest.state != GJK_SEPARATED) {
            continue;
        }
        way->lower_bound = gjk_larger(way->lower_bound, nearest.lower_bound + radii);
        if (nearest.distance + radii > plane->least) {
            *plane = (gjk_plane){gjk_scale3(mesh_is_a ? -1.0 : 1.0, nearest.normal),
                                 nearest.distance + radii};
        }
    }
}

/* --- Touching, but inside --- */

static bool is_solid(const gjk_shape *shape) {
    return shape->pieces != NULL && gjk_pieces_are_solid(shape->pieces);
}

/* Returns true if the mesh encloses a point that is not on its surface, or if the point is on it
 * with the solid on both sides. Sets *is_told where the point is not on it. */
static bool has_within(const gjk_placed *mesh, gjk_vec3 at, const gjk_pair_settings *settings,
                       bool *is_told) {
    gjk_piece point;
    gjk_piece_make_ball(3, at, 0.0, &point);
    const gjk_pair_answer nearest =
        gjk_search_pieces(GJK_ASK_DETECT, mesh, &point.placed, settings);
    *is_told = nearest.state == GJK_SEPARATED;
    return *is_told && !nearest.given_up &&
           gjk_mesh_encloses_some(mesh, &point.placed, settings->budget);
}

/* Returns true if the mesh's solid lies all around the place of a touch. */
static bool is_amid(const gjk_placed *mesh, const gjk_pair_answer *touch, double step,
                    const gjk_pair_settings *settings) {
    for (int i = 0; i < 27; i++) {
        const int x = i % 3 - 1, y = i / 3 % 3 - 1, z = i / 9 - 1;
        const gjk_vec3 own = {x, y, z};
        const gjk_vec3 off = gjk_scale3(step, gjk_mul3(&mesh->pose.rotation, own));
        gjk_piece point;
        gjk_piece_make_ball(3, gjk_add3(touch->point_a, off), 0.0, &point);
        if (i != 13 && !gjk_mesh_encloses_some(mesh, &point.placed, settings->budget)) {
            return false;
        }
    }
    return true;
}

static bool is_point(const gjk_shape *shape) {
    return shape->count == 1 && shape->radius == 0.0;
}

/* A convex shape that meets no more than the surface is inside or outside as a whole, so that one
 * of its points that is not on the surface tells. A point on the surface touches it. */
static bool mesh_has_convex_within(const gjk_placed *mesh, const gjk_placed *convex,
                                   const gjk_pair_answer *touch,
                                   const gjk_pair_settings *settings) {
    gjk_vec3 points[POINTS];
    const uint32_t count = is_point(convex->shape) ? 0 : points_of_convex(convex, points);
    for (uint32_t i = 0; i < count; i++) {
        bool is_told;
        const bool is_within = has_within(mesh, points[i], settings, &is_told);
        if (is_told) {
            return is_within;
        }
    }
    const double size = gjk_larger(mesh->shape->size, convex->shape->size);
    return count > 0 && touch != NULL && touch->has_points &&
           is_amid(mesh, touch, size * 0x1p-20, settings);
}

static bool mesh_has_within(const gjk_placed *mesh, const gjk_placed *other, uint32_t piece,
                            const gjk_pair_answer *touch, const gjk_pair_settings *settings) {
    const struct gjk_pieces *pieces = other->shape->pieces;
    if (pieces == NULL) {
        return mesh_has_convex_within(mesh, other, touch, settings);
    }
    gjk_piece of_other;
    if (piece != GJK_NO_PIECE) {
        gjk_piece_make(other, piece, &of_other);
        if (mesh_has_convex_within(mesh, &of_other.placed, touch, settings)) {
            return true;
        }
    }
    const bool has_seeds = pieces->seed_count > 0;
    const uint32_t count = has_seeds ? pieces->seed_count : pieces->count;
    for (uint32_t i = 0; i < count && !gjk_budget_spend(settings->budget, 16); i++) {
        bool is_told = false;
        if (has_seeds) {
            if (has_within(mesh, gjk_pose_apply(&other->pose, pieces->seeds[i]), settings,
                           &is_told)) {
                return true;
            }
            continue;
        }
        gjk_piece_make(other, i, &of_other);
        if (mesh_has_convex_within(mesh, &of_other.placed, NULL, settings)) {
            return true;
        }
    }
    return false;
}

typedef struct seam_search {
    gjk_piece_visitor visitor; /* first: it is cast back */
    const gjk_pair_settings *settings;
    const gjk_placed *region; /* that has the pieces a of a pair, else b */
    bool region_is_a, found;
} seam_search;

/* Sets *middle to the middle of what a polygon has of a segment, within a tolerance. Returns false
 * if that is none, or if it is a corner. */
static bool middle_on(const gjk_placed *polygon, const gjk_placed *flat, double slack,
                      gjk_vec3 *middle) {
    const uint32_t count = polygon->shape->count, last = flat->shape->count - 1;
    const gjk_vec3 from = gjk_pose_apply(&flat->pose, gjk_shape_point(flat->shape, 0));
    const gjk_vec3 way =
        gjk_sub3(gjk_pose_apply(&flat->pose, gjk_shape_point(flat->shape, last)), from);
    double first = 0.0, end = 1.0;
    for (uint32_t i = 0; i < count; i++) {
        const gjk_vec3 p = gjk_pose_apply(&polygon->pose, gjk_shape_point(polygon->shape, i));
        const gjk_vec3 q =
            gjk_pose_apply(&polygon->pose, gjk_shape_point(polygon->shape, (i + 1) % count));
        const gjk_vec3 edge = gjk_sub3(q, p);
        const double length = gjk_length3(edge);
        const gjk_vec2 in = gjk_vec2_make(-edge.y / length, edge.x / length);
        const double at = gjk_dot2(in, gjk_xy(gjk_sub3(from, p))) + slack;
        const double rate = gjk_dot2(in, gjk_xy(way));
        if (fabs(rate) <= slack) {
            first = at < 0.0 ? 2.0 : first;
        } else if (rate > 0.0) {
            first = gjk_larger(first, -at / rate);
        } else {
            end = gjk_smaller(end, -at / rate);
        }
    }
    *middle = gjk_add3(from, gjk_scale3(0.5 * (first + end), way));
    for (uint32_t i = 0; i < count; i++) {
        const gjk_vec3 corner = gjk_pose_apply(&polygon->pose, gjk_shape_point(polygon->shape, i));
        if (gjk_length3(gjk_sub3(corner, *middle)) <= 4.0 * slack) {
            return false;
        }
    }
    return first <= end;
}

/* Returns the angle that a polygon takes around a point on its border, within a tolerance. */
static double angle_around(const gjk_placed *polygon, gjk_vec3 at, double slack) {
    const uint32_t count = polygon->shape->count;
    for (uint32_t i = 0; i < count; i++) {
        const gjk_vec3 corner = gjk_pose_apply(&polygon->pose, gjk_shape_point(polygon->shape, i));
        if (gjk_length3(gjk_sub3(corner, at)) <= slack) {
            const gjk_vec3 next =
                gjk_pose_apply(&polygon->pose, gjk_shape_point(polygon->shape, (i + 1) % count));
            const gjk_vec3 before =
                gjk_pose_apply(&polygon->pose,
                               gjk_shape_point(polygon->shape, (i + count - 1) % count));
            const gjk_vec2 on = gjk_xy(gjk_sub3(next, corner));
            const gjk_vec2 back = gjk_xy(gjk_sub3(before, corner));
            return gjk_atan2(on.x * back.y - on.y * back.x, gjk_dot2(on, back));
        }
    }
    return PI;
}

typedef struct angle_search {
    gjk_piece_visitor visitor; /* first: it is cast back */
    const gjk_pair_settings *settings;
    gjk_vec3 at;
    double slack, angle;
} angle_search;

static bool add_angle(gjk_piece_visitor *visitor, const gjk_piece_pair *pair) {
    angle_search *search = (angle_search *)visitor;
    if (gjk_detect(pair->a, pair->b, search->settings).state != GJK_SEPARATED) {
        search->angle += angle_around(pair->a, search->at, search->slack);
    }
    return true;
}

/* Returns true if the pieces of a region that touch a point leave no angle around it. */
static bool is_surrounded(const gjk_placed *region, gjk_vec3 at, double slack,
                          const gjk_pair_settings *settings) {
    angle_search search = {.visitor = {.visit = add_angle,
                                       .tolerance = settings->tolerance,
                                       .budget = settings->budget},
                           .settings = settings,
                           .at = at,
                           .slack = slack};
    gjk_piece point;
    gjk_piece_make_ball(2, at, 0.0, &point);
    gjk_visit_piece_pairs(region, &point.placed, &search.visitor);
    return search.angle > 2.0 * PI - WHOLE_ANGLE;
}

/* Corners of pieces are corners of rings, so that the region lies on both sides of a seam between
 * them, and nowhere else on both sides of a side. */
static bool visit_seam(gjk_piece_visitor *visitor, const gjk_piece_pair *pair) {
    seam_search *search = (seam_search *)visitor;
    const gjk_placed *polygon = search->region_is_a ? pair->a : pair->b;
    const gjk_placed *flat = search->region_is_a ? pair->b : pair->a;
    const double slack = 2.0 * search->settings->tolerance * search->region->shape->size;
    gjk_vec3 middle;
    if (flat->shape->count == 0 || flat->shape->count > 2 || flat->shape->radius > 0.0 ||
        gjk_detect(pair->a, pair->b, search->settings).state == GJK_SEPARATED) {
        return true;
    }
    if (flat->shape->count == 1) {
        const gjk_vec3 at = gjk_pose_apply(&flat->pose, gjk_shape_point(flat->shape, 0));
        search->found = is_surrounded(search->region, at, 4.0 * slack, search->settings);
        return !search->found;
    }
    if (!middle_on(polygon, flat, slack, &middle)) {
        return true;
    }
    const gjk_vec3 normal = gjk_detect(pair->a, pair->b, search->settings).normal;
    search->found = true;
    for (int i = -1; i <= 1; i += 2) {
        gjk_piece point;
        gjk_piece_make_ball(2, gjk_add3(middle, gjk_scale3(4.0 * i * slack, normal)), 0.0, &point);
        search->found = search->found && gjk_search_pieces(GJK_ASK_DETECT, search->region,
                                                           &point.placed, search->settings)
                                                 .state != GJK_SEPARATED;
    }
    return !search->found;
}

/* Returns true if a point or segment of the other shape is on a seam of a region. */
static bool region_has_within(const gjk_placed *a, const gjk_placed *b, bool region_is_a,
                              const gjk_pair_settings *settings) {
    seam_search search = {.visitor = {.visit = visit_seam,
                                      .tolerance = settings->tolerance,
                                      .budget = settings->budget},
                          .settings = settings,
                          .region = region_is_a ? a : b,
                          .region_is_a = region_is_a};
    if (search.region->shape->pieces->rounding > 0.0) {
        return false;
    }
    gjk_visit_piece_pairs(a, b, &search.visitor);
    return search.found;
}

bool gjk_touch_is_inside(const gjk_placed *a, const gjk_placed *b,
                         const gjk_pair_settings *settings) {
    const bool mesh_is_a = is_solid(a->shape), mesh_is_b = is_solid(b->shape);
    const bool region_is_a = a->shape->type == GJK_REGION,
               region_is_b = b->shape->type == GJK_REGION;
    if (!mesh_is_a && !mesh_is_b && !region_is_a && !region_is_b) {
        return false;
    }
    gjk_pair_settings how = *settings;
    how.recorder = NULL;
    how.cache = NULL;
    how.penetration = true;
    how.is_signed = false;
    const gjk_pair_answer touch = gjk_search_pieces(GJK_ASK_DETECT, a, b, &how);
    return (mesh_is_a && mesh_has_within(a, b, touch.piece_b, &touch, &how)) ||
           (mesh_is_b && mesh_has_within(b, a, touch.piece_a, &touch, &how)) ||
           (region_is_a && region_has_within(a, b, true, &how)) ||
           (region_is_b && region_has_within(a, b, false, &how));
}

/* --- The pairs to begin with --- */

typedef struct deep_pairs {
    gjk_piece_visitor visitor; /* first: it is cast back */
    const gjk_way_out *way;
    uint32_t count;
    gjk_plane planes[DESCENTS]; /* the deepest first */
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

static void descend_from_pairs(gjk_way_out *way) {
    deep_pairs deep = {.visitor = {.visit = visit_deep,
                                   .tolerance = way->settings.tolerance,
                                   .budget = way->settings.budget},
                       .way = way};
    gjk_visit_piece_pairs(&way->a, &way->b, &deep.visitor);
    for (uint32_t i = 0; i < deep.count && !gjk_way_has_ended(way); i++) {
        gjk_way_descend(way, deep.planes[i]);
    }
}

/* Takes the way out of the deepest pair, where that parts everything: no other can be shorter. */
static void try_deepest(gjk_way_out *way, const gjk_pair_answer *deepest) {
    const double beyond = deepest->depth + 2.0 * way->margin;
    const gjk_pair_answer answer = gjk_way_look(way, gjk_scale3(beyond, deepest->normal));
    if (gjk_way_is_free(&answer)) {
        way->length = deepest->depth;
        way->best = gjk_scale3(deepest->depth, deepest->normal);
    }
}

/* Walks to the faces, edges and corners of a cube in the frames of both shapes. */
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

/* Takes the translation that parts the balls around both shapes, where nothing better was found. */
static void part_balls(gjk_way_out *way) {
    const gjk_vec3 from = gjk_pose_apply(&way->a.pose, way->a.shape->center);
    const gjk_vec3 to = gjk_pose_apply(&way->b.pose, way->b.shape->center);
    const double apart = way->a.shape->bounding_radius + way->b.shape->bounding_radius;
    gjk_vec3 direction = gjk_sub3(to, from);
    const double length = gjk_length3(direction);
    direction = length > 0.0 ? gjk_scale3(1.0 / length, direction) : (gjk_vec3){1, 0, 0};
    gjk_way_settle(way,
                   gjk_scale3((apart - length) * (1.0 + 0x1p-20) + 2.0 * way->margin, direction));
}

/* --- Answers --- */

/* Returns what touches after the best translation. Where rounding has left an overlap, goes on a
 * little. */
static gjk_pair_answer answer_of(const gjk_way_out *way, const gjk_placed *a, const gjk_placed *b,
                                 const gjk_pair_answer *deepest) {
    /* Without a length the two touch as they stand, and any direction does. */
    const gjk_vec3 normal =
        way->length > 0.0 ? gjk_scale3(1.0 / way->length, way->best) : (gjk_vec3){1.0, 0.0, 0.0};
    const double size = gjk_larger(a->shape->size, b->shape->size);
    const double far = gjk_largest3(a->pose.position) + gjk_largest3(b->pose.position) + size;
    gjk_pair_settings settings = way->settings;
    double depth = way->length, nudge = 0.25 * GJK_ROUNDING * far;
    gjk_pair_answer answer;
    for (int i = 0; i < NUDGES; i++) {
        const gjk_placed moved = gjk_moved_by(b, gjk_scale3(depth, normal));
        answer = gjk_search_pieces(GJK_ASK_DISTANCE, a, &moved, &settings);
        if (answer.given_up || answer.state != GJK_OVERLAPPING) {
            break;
        }
        depth = way->length + nudge;
        nudge *= 2.0;
    }
    if (answer.given_up) {
        return answer;
    }
    const bool is_met = depth - way->lower_bound <= way->close + nudge;
    answer.state = GJK_OVERLAPPING;
    answer.inside = deepest->inside;
    answer.convergence = is_met ? GJK_CONVERGED : GJK_ITERATION_LIMIT;
    answer.iterations = deepest->iterations;
    answer.normal = gjk_no_minus_zero3(normal);
    answer.depth = depth;
    answer.depth_lower_bound = gjk_smaller(way->lower_bound, depth);
    answer.point_b = gjk_sub3(answer.point_a, gjk_scale3(depth, normal));
    return answer;
}

static bool is_difference(gjk_vec3 a, gjk_vec3 b, gjk_vec3 difference) {
    const gjk_vec3 sum = gjk_add3(b, difference), rest = gjk_sub3(a, difference);
    return sum.x == a.x && sum.y == a.y && sum.z == a.z && rest.x == b.x && rest.y == b.y &&
           rest.z == b.z;
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
                       .looks = a->shape->dimension == 3 ? LOOKS : UINT32_MAX};
    const gjk_vec3 between = gjk_sub3(b->pose.position, a->pose.position);
    if (is_difference(b->pose.position, a->pose.position, between)) {
        way.b.pose.position = between;
        way.a.pose.position = (gjk_vec3){0, 0, 0};
    }
    way.settings.recorder = NULL;
    way.settings.cache = NULL;
    way.settings.penetration = true;
    way.settings.is_signed = false;
    way.settings.tolerance =
        gjk_larger(gjk_smaller(settings->tolerance, GJK_TOLERANCE_DEFAULT) * 0x1p-10, FINEST);
    /* Corners and translations are rounded where they stand. */
    const double far = a->shape->reach + b->shape->reach + gjk_largest3(way.a.pose.position) +
                       gjk_largest3(way.b.pose.position);
    way.margin = gjk_larger(4.0 * way.settings.tolerance * size, 8.0 * GJK_ROUNDING * far);
    return way;
}

gjk_pair_answer gjk_answer_whole_depth(const gjk_placed *a, const gjk_placed *b,
                                       const gjk_pair_answer *deepest,
                                       const gjk_pair_settings *settings) {
    gjk_way_out way = begin(a, b, deepest, settings);
    gjk_plane out = {.least = 0.0};
    if (is_solid(a->shape)) {
        raise_by_inside(&way, true, &out);
    }
    if (is_solid(b->shape)) {
        raise_by_inside(&way, false, &out);
    }
    if (out.least > 0.0) {
        gjk_way_descend(&way, out);
    } else if (deepest->depth > 0.0) {
        try_deepest(&way, deepest);
    }
    if (deepest->depth > 0.0 && !gjk_way_has_ended(&way)) {
        gjk_way_descend(&way, (gjk_plane){deepest->normal, deepest->depth});
    }
    if (deepest->depth > 0.0 && !gjk_way_has_ended(&way)) {
        descend_from_pairs(&way);
    }
    if (!gjk_way_has_ended(&way)) {
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
