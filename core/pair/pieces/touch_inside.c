/*
 * Shapes that touch while one is inside the other: the pieces of a closed mesh's surface at most
 * touch a shape in its solid, and the pieces of a region at most touch a point or segment on a seam
 * between them.
 */

#include "base/angle.h"
#include "base/numbers.h"
#include "pair/pieces/pieces.h"
#include "shape/convex/cloud.h"
#include "shape/convex/support.h"
#include "shape/pieces/pieces.h"

#include <math.h>

#define POINTS GJK_INNER_POINTS
#define DEEP 0x1p-20     /* of the size: how far from a contact the solid is looked for */
#define WHOLE_ANGLE 1e-6 /* angle that may be missing around a point in a region */
#define PI 3.14159265358979323846

/* --- Closed meshes --- */

uint32_t gjk_points_of_convex(const gjk_placed *placed, gjk_vec3 points[POINTS]) {
    const gjk_shape *shape = placed->shape;
    uint32_t count = 1;
    gjk_vec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < shape->count; i++) {
        const gjk_vec3 point = gjk_placed_point(placed, i);
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

/* Returns the distance from a surface at which a point is tested for being inside: more than the
 * gap or overlap of two shapes that count as touching, and more than rounding. */
static double inwards(const gjk_placed *a, const gjk_placed *b, const gjk_pair_settings *settings) {
    const double far = gjk_largest3(a->pose.position) + gjk_largest3(b->pose.position) +
                       a->shape->reach + b->shape->reach;
    return 8.0 * settings->tolerance * gjk_larger(a->shape->size, b->shape->size) + 0x1p-40 * far;
}

/* Returns true if a mesh is rounded by more than the tolerance of a touch. A shape that touches the
 * rounded surface from within then lies in the solid. */
static bool is_thick(const gjk_placed *mesh, const gjk_pair_settings *settings) {
    return mesh->shape->pieces->rounding > 2.0 * settings->tolerance * mesh->shape->size;
}

/* Returns true if the mesh encloses a point off its surface. Sets *is_off_surface to whether the
 * point is off the surface, apart from its rounding. */
static bool has_within(const gjk_placed *mesh, gjk_vec3 at, const gjk_pair_settings *settings,
                       bool *is_off_surface) {
    gjk_piece point;
    gjk_piece_make_ball(3, at, 0.0, &point);
    const gjk_pair_answer nearest =
        gjk_search_pieces(GJK_ASK_DETECT, mesh, &point.placed, settings);
    *is_off_surface = nearest.state == GJK_SEPARATED ||
                      (nearest.state == GJK_TOUCHING && is_thick(mesh, settings));
    return *is_off_surface && !nearest.given_up &&
           gjk_mesh_encloses_some(mesh, &point.placed, settings->budget);
}

/* Returns true if the mesh's solid lies all around a contact. */
static bool is_deep_in_solid(const gjk_placed *mesh, const gjk_pair_answer *touch, double step,
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

/* Returns true if the mesh contains a convex shape that meets at most its surface. Such a shape is
 * inside or outside as a whole, so one of its points off the surface decides. A single point on the
 * surface only touches it, unless that is thick or within the solid. */
static bool mesh_has_convex_within(const gjk_placed *mesh, const gjk_placed *convex,
                                   const gjk_pair_answer *touch,
                                   const gjk_pair_settings *settings) {
    gjk_vec3 points[POINTS];
    const bool is_point = convex->shape->count == 1 && convex->shape->radius == 0.0;
    const uint32_t count =
        is_point && !is_thick(mesh, settings) ? 0 : gjk_points_of_convex(convex, points);
    for (uint32_t i = 0; i < count; i++) {
        bool is_off_surface;
        const bool is_within = has_within(mesh, points[i], settings, &is_off_surface);
        if (is_off_surface) {
            return is_within;
        }
    }
    const double size = gjk_larger(mesh->shape->size, convex->shape->size);
    return touch != NULL && touch->has_points &&
           is_deep_in_solid(mesh, touch, is_point ? inwards(mesh, convex, settings) : size * DEEP,
                            settings);
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
        bool is_off_surface = false;
        if (has_seeds) {
            if (has_within(mesh, gjk_pose_apply(&other->pose, pieces->seeds[i]), settings,
                           &is_off_surface)) {
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

/* --- Regions --- */

typedef struct seam_search {
    gjk_piece_visitor visitor; /* first member: cast back by the visitor */
    const gjk_pair_settings *settings;
    const gjk_placed *region; /* shape a of the search if region_is_a, else b */
    bool region_is_a, found;
} seam_search;

/* Sets *middle to the middle of the part of a segment in a polygon, within a tolerance. Returns
 * false if there is no such part, or the middle is a corner. */
static bool middle_on(const gjk_placed *polygon, const gjk_placed *flat, double slack,
                      gjk_vec3 *middle) {
    const uint32_t count = polygon->shape->count, last = flat->shape->count - 1;
    const gjk_vec3 from = gjk_placed_point(flat, 0);
    const gjk_vec3 way = gjk_sub3(gjk_placed_point(flat, last), from);
    double first = 0.0, end = 1.0;
    for (uint32_t i = 0; i < count; i++) {
        const gjk_vec3 p = gjk_placed_point(polygon, i);
        const gjk_vec3 edge = gjk_sub3(gjk_placed_point(polygon, (i + 1) % count), p);
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
        if (gjk_length3(gjk_sub3(gjk_placed_point(polygon, i), *middle)) <= 4.0 * slack) {
            return false;
        }
    }
    return first <= end;
}

/* Returns the angle of a polygon at a point on its border, within a tolerance. */
static double angle_around(const gjk_placed *polygon, gjk_vec3 at, double slack) {
    const uint32_t count = polygon->shape->count;
    for (uint32_t i = 0; i < count; i++) {
        const gjk_vec3 corner = gjk_placed_point(polygon, i);
        if (gjk_length3(gjk_sub3(corner, at)) <= slack) {
            const gjk_vec3 next = gjk_placed_point(polygon, (i + 1) % count);
            const gjk_vec3 before = gjk_placed_point(polygon, (i + count - 1) % count);
            const gjk_vec2 on = gjk_xy(gjk_sub3(next, corner));
            const gjk_vec2 back = gjk_xy(gjk_sub3(before, corner));
            return gjk_atan2(on.x * back.y - on.y * back.x, gjk_dot2(on, back));
        }
    }
    return PI;
}

typedef struct angle_search {
    gjk_piece_visitor visitor; /* first member: cast back by the visitor */
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

/* Returns true if the region's pieces that touch a point cover the full angle around it. */
static bool is_surrounded(const gjk_placed *region, gjk_vec3 at, double slack,
                          const gjk_pair_settings *settings) {
    angle_search search = {.visitor = gjk_visitor_make(add_angle, settings),
                           .settings = settings,
                           .at = at,
                           .slack = slack};
    gjk_piece point;
    gjk_piece_make_ball(2, at, 0.0, &point);
    gjk_visit_piece_pairs(region, &point.placed, &search.visitor);
    return search.angle > 2.0 * PI - WHOLE_ANGLE;
}

/* Tests the point, or the middle of the part of the segment in the polygon. If that is a corner of
 * another polygon, a notch of the region may end there. */
static bool visit_seam(gjk_piece_visitor *visitor, const gjk_piece_pair *pair) {
    seam_search *search = (seam_search *)visitor;
    const gjk_placed *polygon = search->region_is_a ? pair->a : pair->b;
    const gjk_placed *flat = search->region_is_a ? pair->b : pair->a;
    const double slack = 2.0 * search->settings->tolerance * search->region->shape->size;
    if (flat->shape->count == 0 || flat->shape->count > 2 || flat->shape->radius > 0.0 ||
        gjk_detect(pair->a, pair->b, search->settings).state == GJK_SEPARATED) {
        return true;
    }
    gjk_vec3 at = gjk_placed_point(flat, 0);
    if (flat->shape->count == 2 && !middle_on(polygon, flat, slack, &at)) {
        return true;
    }
    search->found = is_surrounded(search->region, at, 4.0 * slack, search->settings);
    return !search->found;
}

/* Returns true if a point or segment of the other shape is on a seam of a region. */
static bool region_has_within(const gjk_placed *a, const gjk_placed *b, bool region_is_a,
                              const gjk_pair_settings *settings) {
    seam_search search = {.visitor = gjk_visitor_make(visit_seam, settings),
                          .settings = settings,
                          .region = region_is_a ? a : b,
                          .region_is_a = region_is_a};
    if (search.region->shape->pieces->rounding > 0.0) {
        return false;
    }
    gjk_visit_piece_pairs(a, b, &search.visitor);
    return search.found;
}

/* Returns true if two solids that touch share the inside next to one triangle of the first. Their
 * surfaces do not cross, so points on both sides of the triangle decide for its whole shell. */
static bool shares_inside(const gjk_placed *solid, uint32_t triangle, const gjk_placed *other,
                          double step, const gjk_pair_settings *settings) {
    gjk_piece piece;
    if (triangle == GJK_NO_PIECE) {
        return false; /* given up */
    }
    gjk_piece_make(solid, triangle, &piece);
    const gjk_vec3 p = gjk_placed_point(&piece.placed, 0);
    const gjk_vec3 to_q = gjk_sub3(gjk_placed_point(&piece.placed, 1), p);
    const gjk_vec3 to_r = gjk_sub3(gjk_placed_point(&piece.placed, 2), p);
    const double scale = 1.0 / gjk_larger(gjk_largest3(to_q), gjk_largest3(to_r));
    const gjk_vec3 middle = gjk_add3(p, gjk_scale3(1.0 / 3.0, gjk_add3(to_q, to_r)));
    const gjk_vec3 across = gjk_cross3(gjk_scale3(scale, to_q), gjk_scale3(scale, to_r));
    const double length = gjk_length3(across);
    for (int side = -1; side <= 1 && length > 0.0; side += 2) {
        gjk_piece point;
        gjk_piece_make_ball(3, gjk_add3(middle, gjk_scale3(side * step / length, across)), 0.0,
                            &point);
        if (gjk_mesh_encloses_some(solid, &point.placed, settings->budget) &&
            gjk_mesh_encloses_some(other, &point.placed, settings->budget)) {
            return true;
        }
    }
    return false;
}

/* Returns true if two solids that touch share the inside next to any shell of the first. Tests the
 * given triangle, then one triangle of each shell. */
static bool has_shell_within(const gjk_placed *solid, uint32_t triangle, const gjk_placed *other,
                             double step, const gjk_pair_settings *settings) {
    const struct gjk_pieces *pieces = solid->shape->pieces;
    bool found = shares_inside(solid, triangle, other, step, settings);
    for (uint32_t i = 0;
         i < pieces->seed_count && !found && !gjk_budget_spend(settings->budget, 16); i++) {
        gjk_piece seed;
        gjk_piece_make_ball(3, gjk_pose_apply(&solid->pose, pieces->seeds[i]), 0.0, &seed);
        const gjk_pair_answer at = gjk_search_pieces(GJK_ASK_DETECT, solid, &seed.placed, settings);
        found =
            at.state != GJK_SEPARATED && shares_inside(solid, at.piece_a, other, step, settings);
    }
    return found;
}

bool gjk_touch_is_inside(const gjk_placed *a, const gjk_placed *b,
                         const gjk_pair_settings *settings) {
    const bool mesh_is_a = gjk_shape_is_solid(a->shape), mesh_is_b = gjk_shape_is_solid(b->shape);
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
    const double step = inwards(a, b, &how);
    return (mesh_is_a && mesh_is_b &&
            (has_shell_within(a, touch.piece_a, b, step, &how) ||
             has_shell_within(b, touch.piece_b, a, step, &how))) ||
           (mesh_is_a && mesh_has_within(a, b, touch.piece_b, &touch, &how)) ||
           (mesh_is_b && mesh_has_within(b, a, touch.piece_a, &touch, &how)) ||
           (region_is_a && region_has_within(a, b, true, &how)) ||
           (region_is_b && region_has_within(a, b, false, &how));
}
