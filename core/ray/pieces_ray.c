/*
 * What a ray hits of a shape of many pieces: down the tree, nearest boxes first. The triangles of a
 * leaf are first tested for a miss that is certain (the edge tests of Woop, Benthin, Wald, Watertight
 * Ray/Triangle Intersection, 2013, with a margin for rounding and tolerance); those that are left are
 * asked as convex shapes, so the answer is that of the piece alone, and a ray between two triangles
 * that share an edge hits at least one of them.
 */

#include "ray/pieces_ray.h"

#include "base/larger.h"
#include "pair/inside_mesh.h"
#include "ray/general.h"
#include "shape/pieces.h"
#include "shape/pieces_walk.h"

/* A ray as the pieces see it. */
typedef struct piece_ray {
    const struct gjk_pieces *pieces;
    gjk_vec3 origin, direction; /* in the shape's own frame */
    double tolerance;           /* of the settings */
    double rounding;            /* of the numbers above: a length */
} piece_ray;

/* A triangle as the ray's origin sees it. */
typedef struct ray_triangle {
    gjk_vec3 corners[3], edges[3];
    double near; /* a hit may lie this far beside, before or behind the triangle */
} ray_triangle;

/* At least the length, and at most 1.8 times it. */
static double long_length(gjk_vec3 v) {
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

static ray_triangle see_triangle(const piece_ray *ray, const gjk_vec3 corners[3]) {
    ray_triangle seen;
    double longest = 0.0;
    for (int i = 0; i < 3; i++) {
        seen.corners[i] = gjk_sub3(corners[i], ray->origin);
        seen.edges[i] = gjk_sub3(corners[(i + 1) % 3], corners[i]);
        longest = gjk_larger(longest, long_length(seen.edges[i]));
    }
    seen.near = 8.0 * gjk_larger(ray->tolerance * longest, ray->rounding);
    return seen;
}

/* Does all of the triangle lie behind what is looked for along the ray? */
static bool lies_behind(const piece_ray *ray, const ray_triangle *seen, double bound) {
    const gjk_vec3 d = ray->direction;
    return gjk_dot3(d, seen->corners[0]) - seen->near > bound &&
           gjk_dot3(d, seen->corners[1]) - seen->near > bound &&
           gjk_dot3(d, seen->corners[2]) - seen->near > bound;
}

/*
 * Whether the line passes the triangle by more than the margin within which the query on the triangle
 * alone might find a hit. Each edge test is the edge's length times how far the line passes beside it,
 * signed; the line meets the triangle where all have one sign.
 */
static bool surely_misses(const piece_ray *ray, const ray_triangle *seen) {
    bool positive = false, negative = false;
    for (int i = 0; i < 3; i++) {
        const gjk_vec3 from = seen->corners[i], edge = seen->edges[i];
        const double beside = gjk_dot3(ray->direction, gjk_cross3(from, edge));
        const double margin = long_length(edge) * (seen->near + 0x1p-48 * long_length(from));
        positive |= beside > margin;
        negative |= beside < -margin;
    }
    return positive & negative;
}

/* Does the ray come from behind a face that has one side only? An origin on the face is on no side. */
static bool comes_from_behind(const piece_ray *ray, const ray_triangle *seen) {
    const gjk_vec3 normal = gjk_cross3(seen->edges[0], seen->edges[1]);
    const double height = gjk_dot3(normal, seen->corners[0]);
    return gjk_dot3(normal, ray->direction) > 0.0 &&
           fabs(height) > 2.0 * (seen->near + ray->pieces->rounding) * gjk_length3(normal);
}

static bool is_left_out(const piece_ray *ray, uint32_t piece, double bound) {
    const struct gjk_pieces *pieces = ray->pieces;
    if (pieces->type != GJK_MESH && pieces->type != GJK_HEIGHTFIELD) {
        return false;
    }
    gjk_vec3 corners[3];
    gjk_pieces_triangle(pieces, piece, corners);
    const ray_triangle seen = see_triangle(ray, corners);
    return (pieces->rounding == 0.0 &&
            (surely_misses(ray, &seen) || lies_behind(ray, &seen, bound))) ||
           (pieces->one_sided && comes_from_behind(ray, &seen));
}

/* Is the triangle that was hit seen from behind? */
static bool is_hit_from_behind(const piece_ray *ray, uint32_t piece) {
    gjk_vec3 corners[3];
    gjk_pieces_triangle(ray->pieces, piece, corners);
    const gjk_vec3 normal =
        gjk_cross3(gjk_sub3(corners[1], corners[0]), gjk_sub3(corners[2], corners[0]));
    return gjk_dot3(normal, ray->direction) > 0.0;
}

static piece_ray make_own(const gjk_placed *target, const gjk_ray *ray, double tolerance) {
    const gjk_vec3 off = gjk_sub3(ray->origin, target->pose.position);
    piece_ray own = {
        .pieces = target->shape->pieces,
        .origin = gjk_mul3_transposed(&target->pose.rotation, off),
        .direction = gjk_mul3_transposed(&target->pose.rotation, ray->direction),
        .tolerance = tolerance,
    };
    const gjk_vec3 o = own.origin;
    own.rounding = 0x1p-48 * (fabs(o.x) + fabs(o.y) + fabs(o.z) + target->shape->reach);
    return own;
}

/* A triangle without rounding answers with its own normal, at its edges and corners too. */
static void take_face_normal(const gjk_placed *target, const gjk_ray *ray, gjk_ray_result *result) {
    const struct gjk_pieces *pieces = target->shape->pieces;
    if ((pieces->type != GJK_MESH && pieces->type != GJK_HEIGHTFIELD) || pieces->rounding > 0.0 ||
        !result->has_normal) {
        return;
    }
    gjk_vec3 corners[3];
    gjk_pieces_triangle(pieces, result->piece, corners);
    gjk_vec3 normal =
        gjk_cross3(gjk_sub3(corners[1], corners[0]), gjk_sub3(corners[2], corners[0]));
    const double length = gjk_length3(normal);
    if (!(length > 0.0) || !(length < INFINITY)) {
        return;
    }
    normal = gjk_mul3(&target->pose.rotation, gjk_scale3(1.0 / length, normal));
    if (gjk_dot3(normal, ray->direction) > 0.0) {
        normal = gjk_neg3(normal);
    }
    result->normal = gjk_no_minus_zero3(normal);
}

static bool starts_in_solid(const piece_ray *own, const gjk_shape *shape, gjk_meter *meter) {
    const gjk_vec3 off = gjk_sub3(own->origin, shape->center), half = shape->half_extents;
    return own->pieces->type == GJK_MESH && own->pieces->closed && fabs(off.x) <= half.x &&
           fabs(off.y) <= half.y && fabs(off.z) <= half.z &&
           gjk_mesh_encloses(own->pieces, own->origin, meter);
}

/* Inside comes first, then the nearest, then the least piece. */
static bool is_better(const gjk_ray_result *p, const gjk_ray_result *best) {
    if (!best->hit || p->inside != best->inside) {
        return !best->hit || p->inside;
    }
    return p->distance != best->distance ? p->distance < best->distance : p->piece < best->piece;
}

/* The first hit among the pieces, an origin in one of them included. */
static gjk_ray_result first_hit(const gjk_placed *target, const gjk_ray *ray,
                                const gjk_ray_settings *settings, const piece_ray *own,
                                gjk_meter *meter) {
    const struct gjk_pieces *pieces = own->pieces;
    const double slack = 8.0 * (settings->tolerance * target->shape->size + own->rounding);
    const gjk_bounds point = {own->origin, own->origin};
    gjk_pieces_query query = gjk_pieces_query_make(&pieces->tree, GJK_WALK_SWEEP, &point, slack);
    gjk_pieces_query_sweep(&pieces->tree, own->direction, &query);
    gjk_pieces_walk walk;
    gjk_ray_result best = {.piece = GJK_NO_PIECE};
    uint32_t first, count;
    gjk_pieces_walk_init(&walk, &pieces->tree, &query, ray->max_distance);
    while (gjk_pieces_walk_next(&walk, &first, &count)) {
        for (uint32_t slot = first; slot < first + count; slot++) {
            const uint32_t index = pieces->tree.order[slot];
            if (gjk_meter_spend(meter, 1)) {
                return best;
            }
            if (is_left_out(own, index, walk.bound)) {
                continue;
            }
            gjk_piece piece;
            gjk_piece_make(target, index, &piece);
            gjk_ray_result result = gjk_raycast(&piece.placed, ray, settings);
            result.piece = index;
            if (pieces->one_sided && !result.inside && is_hit_from_behind(own, index)) {
                continue;
            }
            if (result.hit && is_better(&result, &best)) {
                best = result;
                walk.bound = best.distance;
            }
        }
    }
    return best;
}

gjk_ray_result gjk_raycast_pieces(const gjk_placed *target, const gjk_ray *ray,
                                  const gjk_ray_settings *settings) {
    const piece_ray own = make_own(target, ray, settings->tolerance);
    gjk_meter meter = {.patience = settings->patience};
    if (starts_in_solid(&own, target->shape, &meter) && !meter.given_up) {
        gjk_ray_result inside = gjk_ray_inside(ray, settings);
        inside.piece = GJK_NO_PIECE;
        return inside;
    }
    gjk_ray_settings solid = *settings;
    solid.solid = true;
    gjk_ray_result best = first_hit(target, ray, &solid, &own, &meter);
    if (meter.given_up) {
        return (gjk_ray_result){.given_up = true, .piece = GJK_NO_PIECE};
    }
    if (best.inside && !settings->solid) {
        return (gjk_ray_result){.inside = true, .piece = GJK_NO_PIECE};
    }
    if (best.hit) {
        take_face_normal(target, ray, &best);
        best.has_material = gjk_piece_material(own.pieces, best.piece, &best.material);
    }
    return best;
}
