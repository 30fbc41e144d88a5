/* Signed distance: the distance of a pair, or less than nothing by its penetration depth. */

#include "pair/signed.h"

static gjk_detect_result find_depth(const gjk_placed *a, const gjk_placed *b,
                                    const gjk_distance_settings *settings) {
    gjk_detect_settings how = gjk_detect_settings_default();
    how.tolerance = settings->tolerance;
    how.max_iterations = settings->max_iterations;
    how.first_direction = settings->first_direction;
    how.recorder = settings->recorder;
    how.solver = settings->solver;
    how.cache = settings->cache;
    how.budget = settings->budget;
    return gjk_detect(a, b, &how);
}

gjk_distance_result gjk_distance_signed(const gjk_placed *a, const gjk_placed *b,
                                        const gjk_distance_settings *settings) {
    gjk_distance_settings plain = *settings;
    plain.is_signed = false;
    gjk_distance_result result = gjk_distance(a, b, &plain);
    result.is_signed = true;
    result.signed_distance = result.distance;
    if (result.distance > 0.0 || result.given_up) {
        return result;
    }
    const gjk_detect_result deep = find_depth(a, b, settings);
    result.given_up = deep.given_up;
    result.convergence = deep.convergence;
    result.iterations += deep.iterations;
    result.signed_distance = deep.inside ? -INFINITY : 0.0 - deep.depth;
    result.inside = deep.inside;
    result.piece_a = deep.piece_a;
    result.piece_b = deep.piece_b;
    result.has_points = deep.has_points;
    result.normal = deep.normal;
    result.point_a = deep.point_a;
    result.point_b = deep.point_b;
    return result;
}
