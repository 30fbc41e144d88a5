/*
 * Casts of a moving shape b at a resting target a, by the GJK ray cast: a translation of b by t
 * moves a - b by -t, so the sweep is a ray from the origin at a - b, enlarged by the radii.
 */

#include "ray/casts/casts.h"

#include "base/numbers.h"
#include "gjk/pieces.h"
#include "ray/query_bounds.h"
#include "shape/box.h"

/* Factor for the bound of a search: exceeds 1 by more than rounding. */
#define BOUND_SLACK (1.0 + 0x1p-30)

/* Rounding error of a relative pose, relative to the coordinates from which it is computed. */
#define POSE_ROUNDING 0x1p-46

gjk_cast_settings gjk_cast_settings_default(void) {
    return (gjk_cast_settings){.tolerance = GJK_TOLERANCE_DEFAULT,
                               .max_iterations = GJK_ITERATIONS_DEFAULT};
}

double gjk_measure_way(gjk_vec3 v, gjk_vec3 *unit) {
    double most = gjk_largest3(v);
    if (most == 0.0) {
        *unit = v;
        return 0.0;
    }
    gjk_vec3 scaled = {v.x / most, v.y / most, v.z / most};
    double length = gjk_length3(scaled);
    *unit = (gjk_vec3){scaled.x / length, scaled.y / length, scaled.z / length};
    return most * length;
}

double gjk_swept_slack(const gjk_placed *moving, const gjk_placed *target, gjk_vec3 translation,
                       double tolerance) {
    const double far = gjk_largest3(moving->pose.position) + gjk_largest3(target->pose.position) +
                       gjk_largest3(translation) + moving->shape->reach + target->shape->reach;
    return 3.0 * POSE_ROUNDING * far +
           4.0 * tolerance * gjk_larger(moving->shape->size, target->shape->size);
}

/*
 * Returns the answer for shapes that are not separated at the start: an overlap is a hit with
 * `inside`, a contact is a hit if the path leads into the target. The normal of detection may be
 * any of a cone, and tilted near a rim by as much as the tolerance allows. For a flat target the
 * normal is that of its plane, which all triangles of a flat floor share.
 */
static gjk_cast_result at_start(const gjk_detect_result *start, const gjk_path *path) {
    const bool inside = start->state == GJK_OVERLAPPING;
    gjk_vec3 normal = start->normal;
    const bool leads_in = !inside && gjk_path_leads_in(path, normal);
    if (leads_in) {
        (void)gjk_path_flat_normal(path, &normal);
    }
    return (gjk_cast_result){
        .hit = inside || leads_in,
        .inside = inside,
        .has_normal = leads_in,
        .convergence = start->convergence,
        .iterations = start->iterations,
        .point = start->point_a,
        .normal = normal,
    };
}

/* Cast of one convex shape at another. */
typedef struct convex_cast {
    const gjk_placed *moving, *target;
    gjk_vec3 translation;
    const gjk_cast_settings *settings;
    bool is_apart; /* certainly apart at the start, by more than the tolerance */
    double bound;  /* fraction of the way beyond which contacts do not matter */
} convex_cast;

/* Returns the answer for shapes that are apart at the start, from the solution of the ray. `unit`
 * is the unit of the solution's lengths. */
static gjk_cast_result result_of(const convex_cast *cast, const gjk_path *path, double length,
                                 const gjk_ray_solution *solution, double unit) {
    const gjk_placed *moving = cast->moving, *target = cast->target;
    const gjk_vec3 normal = gjk_mul3(&target->pose.rotation, solution->normal);
    gjk_vec3 beside;
    /* Shapes whose projections along the path overlap by that much do not slide. */
    const bool meets = solution->inside > 2.0 * path->tolerance * unit;
    gjk_cast_result result = {
        .hit = solution->hit &&
               (solution->undecided || meets || !gjk_path_slides(path, normal, &beside)),
        .convergence = solution->undecided ? GJK_ITERATION_LIMIT : GJK_CONVERGED,
        .iterations = solution->iterations,
    };
    double at_least = 0.0; /* lower bound of the fraction */
    if (solution->undecided) {
        const gjk_sweep box = {*moving, cast->translation};
        const gjk_query_bounds query = gjk_query_bounds_of_sweep(&box, cast->settings->tolerance);
        at_least = gjk_query_bounds_sweep_key(&query, target, 1.0);
        result.hit = !isnan(at_least);
        result.convergence = result.hit ? GJK_ITERATION_LIMIT : GJK_CONVERGED;
    }
    if (result.hit) {
        gjk_vec3 on_a = gjk_scale3(1.0 / unit, solution->point_a);
        on_a = gjk_add3(on_a, gjk_scale3(target->shape->radius, solution->normal));
        result.has_normal = true;
        result.distance = gjk_smaller(solution->t / unit, length);
        result.fraction = gjk_larger(gjk_smaller(result.distance / length, 1.0), at_least);
        result.distance = gjk_larger(result.distance, gjk_smaller(at_least * length, length));
        result.point = gjk_pose_apply(&target->pose, on_a);
        result.normal = gjk_no_minus_zero3(normal);
        /* Also at the seams of a flat floor the normal is that of the floor, if the shape comes
         * from one side of it. */
        if (gjk_is_flat(target->shape)) {
            gjk_placed moved = *moving;
            gjk_path there = *path;
            moved.pose.position =
                gjk_add3(moved.pose.position, gjk_scale3(result.distance, path->direction));
            there.moving = &moved;
            (void)gjk_path_flat_normal(&there, &result.normal);
        }
    }
    return result;
}

/* Finds the contact in closed form or by the GJK ray cast. *unit is the unit of the solution. */
static gjk_ray_solution find_contact(const convex_cast *cast, const gjk_path *path,
                                     const gjk_ray_goal *goal, double *unit) {
    gjk_ray_solution solution;
    *unit = 1.0;
    return gjk_ray_direct(cast->target, cast->moving, goal, path->tolerance, &solution)
               ? solution
               : gjk_ray_at_pair(cast->target, cast->moving, goal, unit);
}

static gjk_cast_result cast_near(const convex_cast *cast) {
    const gjk_placed *moving = cast->moving, *target = cast->target;
    const gjk_cast_settings *settings = cast->settings;
    gjk_vec3 direction;
    const double length = gjk_measure_way(cast->translation, &direction);
    const double size = gjk_larger(target->shape->size, moving->shape->size);
    const gjk_vec3 between = gjk_sub3(target->pose.position, moving->pose.position);
    const double scale = gjk_length3(between) + target->shape->reach + moving->shape->reach;
    /* Twice the tolerance: a shape that touches one piece of a floor may overlap the next one by
     * slightly more. */
    const double near = 2.0 * settings->tolerance * size + 4.0 * GJK_ROUNDING * scale;
    const gjk_path path = {target, moving, direction, near};
    gjk_ray_goal goal = {
        .direction = direction,
        .reach = gjk_smaller(length, length * cast->bound * BOUND_SLACK),
        .radius = target->shape->radius + moving->shape->radius,
        .tolerance = settings->tolerance * size,
        .apart = cast->is_apart ? 0.0 : 2.0 * near,
        .max_iterations = settings->max_iterations,
        .budget = settings->budget,
    };
    double unit;
    gjk_ray_solution solution = {.unproven = true};
    if (length > 0.0) {
        solution = find_contact(cast, &path, &goal, &unit);
    }
    if (solution.unproven) {
        const gjk_detect_settings at_rest = gjk_cast_start_settings(settings);
        const gjk_detect_result start = gjk_detect(target, moving, &at_rest);
        if (start.state != GJK_SEPARATED) {
            return at_start(&start, &path);
        }
        if (length == 0.0) {
            return (gjk_cast_result){.iterations = start.iterations};
        }
        goal.apart = 0.0;
        solution = find_contact(cast, &path, &goal, &unit);
    }
    return result_of(cast, &path, length, &solution, unit);
}

void gjk_cast_resolve(const gjk_placed *moving, const gjk_placed *target,
                      const gjk_cast_settings *settings, gjk_cast_result *result) {
    const gjk_detect_settings at_rest = gjk_cast_start_settings(settings);
    const gjk_detect_result deep = gjk_detect(moving, target, &at_rest);
    result->is_resolved = true;
    result->given_up = deep.given_up;
    result->iterations += deep.iterations;
    if (deep.given_up) {
        return;
    }
    result->convergence = deep.convergence;
    result->has_depth = result->has_normal = true;
    result->depth = deep.depth;
    result->normal = gjk_no_minus_zero3(gjk_neg3(deep.normal));
    result->point_a = deep.point_a;
    result->point_b = result->point = deep.point_b;
    result->moving_piece = deep.piece_a;
    result->piece = deep.piece_b;
    result->has_material =
        deep.piece_b != GJK_NO_PIECE &&
        gjk_piece_material(target->shape->pieces, deep.piece_b, &result->material);
}

/* Casts a pair of convex shapes. If one is far from its own origin, uses a frame with the origin in
 * the target's middle. */
static gjk_cast_result cast_convex(const convex_cast *cast) {
    gjk_cast_result result;
    if (gjk_is_far(cast->moving) || gjk_is_far(cast->target)) {
        gjk_near_shape target, moving;
        convex_cast near = *cast;
        const gjk_wide3 at = gjk_near_pair(cast->target, cast->moving, &target, &moving);
        near.target = &target.placed;
        near.moving = &moving.placed;
        result = cast_near(&near);
        if (result.hit) {
            result.point = gjk_wide3_add(at, result.point);
        }
    } else {
        result = cast_near(cast);
    }
    result.piece = result.moving_piece = GJK_NO_PIECE;
    result.has_material = false;
    result.given_up = gjk_budget_is_spent(cast->settings->budget);
    return result;
}

gjk_cast_result gjk_cast_apart(const gjk_placed *moving, gjk_vec3 translation,
                               const gjk_placed *target, const gjk_cast_settings *settings,
                               double bound) {
    const convex_cast cast = {moving, target, translation, settings, true, bound};
    return cast_convex(&cast);
}

gjk_cast_result gjk_cast(const gjk_placed *moving, gjk_vec3 translation, const gjk_placed *target,
                         const gjk_cast_settings *settings) {
    if (moving->shape->pieces != NULL || target->shape->pieces != NULL) {
        return gjk_cast_pieces(moving, translation, target, settings);
    }
    const convex_cast cast = {moving, target, translation, settings, false, 1.0};
    const gjk_cast_result result = cast_convex(&cast);
    if (!result.inside || settings->at_start == GJK_AT_START_REPORT) {
        return result;
    }
    const gjk_rigid_motion straight = gjk_rigid_motion_straight(translation);
    gjk_piece_cast alone = gjk_piece_cast_make(moving, &straight, target, settings);
    gjk_piece_cast_offer(&alone, &result, GJK_NO_PIECE, GJK_NO_PIECE);
    return gjk_piece_cast_end(&alone);
}
