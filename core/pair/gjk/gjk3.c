/*
 * GJK for the distance of two cores (Gilbert, Johnson, Keerthi 1988): support points move the
 * simplex towards the origin until the duality gap is closed (van den Bergen 1999), where |v| is an
 * upper bound of the distance and the support plane along v a lower bound. Deviations: the search
 * direction is the normal of the nearest feature, not v, which has no digits left near touching;
 * clouds are iterated until a support vertex repeats, so that their answers are exact to rounding
 * whatever the tolerance.
 */

#include "pair/kernels.h"

#include "pair/direct/round.h"
#include "pair/gjk/stopping.h"
#include "pair/recording.h"

/* Number of attempts at Newton's method for a pair, and steps between them. */
#define ATTEMPTS_MAX 4
#define ATTEMPTS_AFTER 4

static const char *const nearest_note[] = {"nearest is a corner", "nearest is on an edge",
                                           "nearest is in a face"};

static void record_step(const gjk_goal *goal, const gjk_solution *solution, gjk_vec3 normal,
                        const gjk_simplex3 *simplex, const gjk_vertex3 *vertex, const char *note) {
    if (goal->recorder != NULL) {
        gjk_record_gjk(goal, solution, normal, simplex, vertex, note);
    }
}

/* Starts with known points. Returns false if they contain the origin. *away is usable if upper
 * exceeds rounding. */
static bool start_from(gjk_simplex3 *simplex, gjk_solution *solution, gjk_vec3 *away) {
    gjk_feature3 feature;
    if (gjk_simplex3_find(simplex, &feature)) {
        solution->upper = 0.0;
        return false;
    }
    gjk_simplex3_keep(simplex, &feature);
    solution->upper = sqrt(feature.squared);
    *away = gjk_simplex3_heading(simplex, &feature);
    return true;
}

/* Schedule of Newton's method for a pair of cylinders, cones, segments and points. */
typedef struct attempts3 {
    uint32_t left, wait; /* wait: steps until the next attempt */
} attempts3;

/* Runs Newton's method from the points of the simplex. Returns true, with its nearest points in
 * *solution, if the bounds that they prove meet. */
static bool meets_round(attempts3 *attempts, const gjk_frame3 *frame, const gjk_goal *goal,
                        const gjk_simplex3 *simplex, gjk_vec3 away, gjk_progress *progress,
                        gjk_solution *solution) {
    gjk_round_contact contact;
    if (attempts->left == 0 || attempts->wait-- > 0) {
        return false;
    }
    attempts->left--;
    attempts->wait = ATTEMPTS_AFTER;
    const gjk_vec3 toward = gjk_scale3(-1.0 / gjk_length3(away), away);
    if (!gjk_round_meet(frame->round, simplex, toward, &contact)) {
        return false;
    }
    const gjk_vertex3 vertex = gjk_support3(frame, contact.normal);
    const double bound = -gjk_dot3(contact.normal, vertex.w);
    const double length = gjk_length3(gjk_sub3(contact.point[0], contact.point[1]));
    gjk_raise_lower(solution, contact.normal, bound, progress->rounding);
    if (!gjk_bounds_meet(progress, goal, bound, length)) {
        return false;
    }
    solution->normal = contact.normal;
    solution->lower = bound;
    solution->upper = length;
    solution->point_a = contact.point[0];
    solution->point_b = contact.point[1];
    solution->has_points = true;
    (void)gjk_goal_proven(goal, solution);
    record_step(goal, solution, contact.normal, simplex, &vertex,
                "Newton's method ends here: done");
    return true;
}

bool gjk_gjk3(const gjk_frame3 *frame, const gjk_goal *goal, gjk_simplex3 *simplex,
              gjk_solution *solution) {
    gjk_progress progress = gjk_progress_make(frame->curved, frame->scale, goal->tolerance);
    gjk_vec3 away;
    if (simplex->count == 0) {
        away = gjk_neg3(frame->toward);
    } else if (!start_from(simplex, solution, &away)) {
        return true;
    }
    attempts3 attempts;
    attempts.left = frame->round != NULL ? ATTEMPTS_MAX : 0;
    attempts.wait = simplex->count == 0 ? ATTEMPTS_AFTER : 0;
    double bound = -INFINITY;
    gjk_vec3 normal = {0, 0, 0}; /* belongs to `bound` */
    while (solution->upper > progress.rounding && gjk_count_step(&progress, goal, solution)) {
        GJK_CHECK(simplex->count < 4);
        if (meets_round(&attempts, frame, goal, simplex, away, &progress, solution)) {
            return gjk_set_final_bounds(&progress, goal, frame->curved, solution->normal,
                                        solution->lower, solution);
        }
        gjk_vertex3 *vertex = &simplex->vertex[simplex->count];
        const gjk_vec3 toward = gjk_neg3(away);
        gjk_support3_into(frame, &toward, vertex);
        const double length_of = gjk_length3(away); /* computed in parallel with the support */
        const double scale = length_of > 0.0 ? 1.0 / length_of : 0.0;
        normal = gjk_scale3(scale, toward);
        bound = scale * gjk_dot3(away, vertex->w);
        gjk_raise_lower(solution, normal, bound, progress.rounding);
        if (gjk_goal_proven(goal, solution)) {
            record_step(goal, solution, normal, simplex, vertex,
                        "the bounds prove the state: done");
            return false;
        }
        if (gjk_bounds_meet(&progress, goal, bound, solution->upper) ||
            gjk_simplex3_has(simplex, vertex)) {
            record_step(goal, solution, normal, simplex, vertex,
                        "no support point gets nearer: done");
            break;
        }
        simplex->count++;
        gjk_feature3 feature;
        if (gjk_simplex3_find(simplex, &feature)) {
            solution->upper = 0.0;
            record_step(goal, solution, normal, simplex, vertex, "the simplex holds the origin");
            return true;
        }
        double length = sqrt(feature.squared);
        if (gjk_is_stalled(&progress, solution->upper, length)) {
            simplex->count--;
            break;
        }
        gjk_simplex3_keep(simplex, &feature);
        solution->upper = gjk_smaller(solution->upper, length);
        record_step(goal, solution, normal, simplex, vertex, nearest_note[simplex->count - 1]);
        away = gjk_simplex3_heading(simplex, &feature);
    }
    gjk_simplex3_polish(simplex);
    gjk_set_witness3(simplex, solution);
    if (simplex->count == 3) { /* refined weights may bring v nearer */
        gjk_vec3 v = gjk_sub3(solution->point_a, solution->point_b);
        solution->upper = gjk_smaller(solution->upper, gjk_length3(v));
    }
    return gjk_set_final_bounds(&progress, goal, frame->curved, normal, bound, solution);
}
