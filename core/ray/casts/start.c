/*
 * Contacts that a cast skips because the shapes overlap at the start: those of overlapping pairs of
 * pieces, and of pieces that continue the surface of such a piece. A piece continues another one
 * that the moving shape overlaps at the contact, if the two pieces meet and one plane bounds both.
 * The other piece was met earlier, so by induction it was skipped, or ended the cast; no list of
 * pieces is kept. Also skipped are seams of a region, and faces of a closed mesh that are met from
 * inside.
 */

#include "ray/casts/casts.h"

#include "base/numbers.h"
#include "pair/pieces/pieces.h"
#include "shape/convex/cloud.h"
#include "shape/convex/support.h"
#include "shape/pieces/pieces.h"

/* Least component of a motion against the normal, relative to its length, that deepens an
 * overlap. */
#define INWARD 0x1p-30
/* Distance from a contact, in tolerances, of the point that shows what is on that side. */
#define ASIDE 64.0
/* Tilt of the normal, in radians, that selects one end of a flat side. */
#define TILT 0x1p-20

/* The two convex parts of a contact, at the time of the contact. */
typedef struct contact_parts {
    gjk_placed moving; /* the whole moving shape */
    gjk_piece a, b;    /* parts of the moving shape and of the target */
} contact_parts;

static void place_parts(const gjk_piece_cast *cast, const gjk_cast_result *found,
                        contact_parts *parts) {
    parts->moving = *cast->moving;
    parts->moving.pose = gjk_rigid_motion_pose(&cast->moving->pose, &cast->motion, found->fraction);
    gjk_part_make(&parts->moving, found->moving_piece, &parts->a);
    gjk_part_make(cast->target, found->piece, &parts->b);
}

/* Returns true if the velocity at the point is against the normal, which points from the target to
 * the moving shape. */
static bool drives_deeper(const gjk_piece_cast *cast, gjk_vec3 point, gjk_vec3 normal) {
    const gjk_rigid_motion *motion = &cast->motion;
    const gjk_vec3 arm = gjk_sub3(point, cast->moving->pose.position);
    const gjk_vec3 velocity =
        gjk_add3(motion->translation, gjk_cross3(gjk_scale3(motion->angle, motion->axis), arm));
    return gjk_dot3(velocity, normal) < -INWARD * gjk_length3(velocity);
}

/* Returns the length within which surfaces count as touching. A box may be wider without harm
 * (gjk_swept_slack), but surfaces farther apart than rounding are two. */
static double tolerance_of(const gjk_piece_cast *cast) {
    const gjk_placed *a = cast->moving, *b = cast->target;
    const double far = gjk_largest3(a->pose.position) + gjk_largest3(b->pose.position) +
                       gjk_largest3(cast->motion.translation) + a->shape->reach + b->shape->reach;
    return 0x1p-46 * far +
           4.0 * cast->settings.tolerance * gjk_larger(a->shape->size, b->shape->size);
}

/* --- Continued surfaces --- */

/* Search among the pieces of a whole for an overlapped piece whose surface `piece` continues. */
typedef struct neighbour_search {
    gjk_piece_visitor visitor; /* first: it is cast back */
    const gjk_piece_cast *cast;
    const gjk_placed *whole, *piece;
    uint32_t index;   /* index of `piece` */
    bool whole_moves; /* the whole is the moving shape */
    bool is_start;    /* at the start: overlaps that the motion deepens do not count */
    bool is_found;
    double tolerance;
} neighbour_search;

/* Returns true if the corners q are in the plane, or on the line, of the corners p. */
static bool is_coplanar(const gjk_vec3 p[3], const gjk_vec3 q[3], double tolerance) {
    const gjk_vec3 first = gjk_sub3(p[1], p[0]), second = gjk_sub3(p[2], p[0]);
    const gjk_vec3 normal = gjk_cross3(first, second);
    const double length = gjk_length3(normal), base = gjk_length3(first);
    for (int i = 0; i < 3; i++) {
        const gjk_vec3 off = gjk_sub3(q[i], p[0]);
        const double gap = length > 0.0 ? fabs(gjk_dot3(normal, off)) / length
                           : base > 0.0 ? gjk_length3(gjk_cross3(first, off)) / base
                                        : gjk_length3(off);
        if (gap > tolerance) {
            return false;
        }
    }
    return true;
}

/* Returns true if the piece continues the surface of another one, whose plane has that normal. */
static bool continues_surface(const neighbour_search *search, const gjk_piece_pair *other,
                              gjk_vec3 normal) {
    const struct gjk_pieces *pieces = search->whole->shape->pieces;
    const gjk_vec3 from = search->piece->pose.position;
    gjk_vec3 p[3], q[3];
    if (gjk_pieces_corners(pieces, other->piece_a, p)) {
        (void)gjk_pieces_corners(pieces, search->index, q);
        if (!is_coplanar(p, q, search->tolerance)) {
            return false;
        }
    } else if (fabs(gjk_reach_along(other->a, normal, from) -
                    gjk_reach_along(search->piece, normal, from)) > search->tolerance) {
        return false;
    }
    gjk_detect_settings settings = gjk_cast_start_settings(&search->cast->settings);
    settings.penetration = false;
    return gjk_detect(other->a, search->piece, &settings).state != GJK_SEPARATED;
}

static bool visit_neighbour(gjk_piece_visitor *visitor, const gjk_piece_pair *pair) {
    neighbour_search *search = (neighbour_search *)visitor;
    if (pair->piece_a == search->index) {
        return true;
    }
    const gjk_detect_settings settings = gjk_cast_start_settings(&search->cast->settings);
    const gjk_detect_result deep = gjk_detect(pair->a, pair->b, &settings);
    if (deep.state != GJK_OVERLAPPING) {
        return true;
    }
    const gjk_vec3 to_moving = search->whole_moves ? gjk_neg3(deep.normal) : deep.normal;
    if (search->is_start && drives_deeper(search->cast, deep.point_a, to_moving)) {
        return true;
    }
    search->is_found = continues_surface(search, pair, deep.normal);
    return !search->is_found;
}

/* Returns true if a piece of the whole continues the surface of a piece that `other`, which is
 * convex, overlaps. */
static bool continues_overlapped(const gjk_piece_cast *cast, const gjk_placed *whole,
                                 uint32_t index, const gjk_placed *piece, const gjk_placed *other,
                                 bool is_start) {
    if (index == GJK_NO_PIECE) {
        return false;
    }
    const gjk_detect_settings settings = gjk_cast_start_settings(&cast->settings);
    neighbour_search search = {
        .visitor = gjk_visitor_make(visit_neighbour, &settings),
        .cast = cast,
        .whole = whole,
        .piece = piece,
        .index = index,
        .whole_moves = whole != cast->target,
        .is_start = is_start,
        .tolerance = tolerance_of(cast),
    };
    gjk_visit_piece_pairs(whole, other, &search.visitor);
    return search.is_found;
}

/* Returns true if either part of a contact continues the surface of another piece of its whole that
 * the other part overlaps. */
static bool continues_any_overlapped(const gjk_piece_cast *cast, const gjk_cast_result *found,
                                     const contact_parts *parts, bool is_start) {
    const gjk_placed *a = &parts->a.placed, *b = &parts->b.placed;
    return continues_overlapped(cast, cast->target, found->piece, b, a, is_start) ||
           continues_overlapped(cast, &parts->moving, found->moving_piece, a, b, is_start);
}

/* --- Solids --- */

typedef struct point_search {
    gjk_piece_visitor visitor; /* first: it is cast back */
    gjk_detect_settings settings;
    uint32_t except;
    bool is_found;
} point_search;

static bool visit_piece_at_point(gjk_piece_visitor *visitor, const gjk_piece_pair *pair) {
    point_search *search = (point_search *)visitor;
    search->is_found = pair->piece_a != search->except &&
                       gjk_detect(pair->a, pair->b, &search->settings).state != GJK_SEPARATED;
    return !search->is_found;
}

static bool has_inside(const gjk_shape *shape) {
    return shape->type == GJK_REGION || gjk_shape_is_solid(shape);
}

/* Returns true if a point of the world is in another piece of the whole than `index`. */
static bool lies_in_another(const gjk_piece_cast *cast, const gjk_placed *whole, uint32_t index,
                            gjk_vec3 point) {
    gjk_piece ball;
    const gjk_detect_settings settings = gjk_cast_start_settings(&cast->settings);
    point_search search = {
        .visitor = gjk_visitor_make(visit_piece_at_point, &settings),
        .settings = settings,
        .except = index,
    };
    search.settings.penetration = false;
    gjk_piece_make_ball(2, point, tolerance_of(cast), &ball);
    gjk_visit_piece_pairs(whole, &ball.placed, &search.visitor);
    return search.is_found;
}

/* Returns true if `other` meets a piece of a region through a seam: both ends of its side at the
 * contact are in other pieces. The normal points from the piece to `other`. */
static bool comes_through_seam(const gjk_piece_cast *cast, const gjk_placed *whole, uint32_t index,
                               const gjk_placed *other, gjk_vec3 normal) {
    if (index == GJK_NO_PIECE || whole->shape->pieces->type != GJK_REGION) {
        return false;
    }
    for (int side = -1; side <= 1; side += 2) {
        const gjk_vec3 tilt = {-normal.y * TILT * side, normal.x * TILT * side, 0.0};
        const gjk_vec3 down = gjk_neg3(gjk_add3(normal, tilt));
        const gjk_vec3 own = gjk_mul3_transposed(&other->pose.rotation, down);
        const gjk_vec3 ball = gjk_scale3(other->shape->radius / gjk_length3(own), own);
        const gjk_vec3 core = gjk_add3(other->shape->offset, gjk_support_of(other->shape, own));
        const gjk_vec3 end = gjk_add3(core, ball);
        if (!lies_in_another(cast, whole, index, gjk_pose_apply(&other->pose, end))) {
            return false;
        }
    }
    return true;
}

/* Returns true if a closed mesh is met from inside: it encloses a point just off the contact, on
 * the side of the other shape. The normal points from the mesh to the other shape. */
static bool comes_from_inside(const gjk_piece_cast *cast, const gjk_placed *mesh, gjk_vec3 point,
                              gjk_vec3 normal) {
    if (!gjk_shape_is_solid(mesh->shape)) {
        return false;
    }
    const gjk_vec3 beside = gjk_add3(point, gjk_scale3(ASIDE * tolerance_of(cast), normal));
    const gjk_vec3 off = gjk_sub3(beside, mesh->pose.position);
    return gjk_mesh_encloses(mesh->shape->pieces, gjk_mul3_transposed(&mesh->pose.rotation, off),
                             cast->settings.budget);
}

/* --- Contacts --- */

/* Returns true if the cast skips two pieces that overlap at the start. */
static bool passes_over_overlap(const gjk_piece_cast *cast, gjk_cast_result *found) {
    contact_parts parts;
    if (cast->at_start == GJK_AT_START_IGNORE) {
        return true;
    }
    place_parts(cast, found, &parts);
    const gjk_detect_settings settings = gjk_cast_start_settings(&cast->settings);
    const gjk_detect_result deep = gjk_detect(&parts.b.placed, &parts.a.placed, &settings);
    if (!drives_deeper(cast, deep.point_a, deep.normal) ||
        continues_any_overlapped(cast, found, &parts, true)) {
        return true;
    }
    found->has_normal = true;
    found->normal = gjk_no_minus_zero3(deep.normal);
    found->point = deep.point_a;
    return false;
}

bool gjk_cast_passes_over(const gjk_piece_cast *cast, gjk_cast_result *found) {
    if (cast->at_start != GJK_AT_START_IGNORE && cast->at_start != GJK_AT_START_LEAVING) {
        return false;
    }
    if (found->inside) {
        return passes_over_overlap(cast, found);
    }
    if (found->fraction == 0.0 && found->piece == GJK_NO_PIECE &&
        found->moving_piece == GJK_NO_PIECE) {
        return false;
    }
    if (!cast->compares && !has_inside(cast->target->shape) && !has_inside(cast->moving->shape)) {
        return false;
    }
    contact_parts parts;
    place_parts(cast, found, &parts);
    const gjk_vec3 out = gjk_neg3(found->normal);
    return (cast->compares && continues_any_overlapped(cast, found, &parts, false)) ||
           comes_through_seam(cast, cast->target, found->piece, &parts.a.placed, found->normal) ||
           comes_through_seam(cast, &parts.moving, found->moving_piece, &parts.b.placed, out) ||
           comes_from_inside(cast, cast->target, found->point, found->normal) ||
           comes_from_inside(cast, &parts.moving, found->point, out);
}
