/* GJK for the distance of two cores in 2D: the twin of gjk3.c, which describes the method and its
 * sources. */

#include "pair/kernels.h"

#include "pair/gjk/stopping.h"
#include "pair/recording.h"

static const char *const nearest_note[] = {"nearest is a corner", "nearest is on an edge"};

static void record_step(const gjk_goal *goal, const gjk_solution *solution, gjk_vec2 away,
                        const gjk_simplex2 *simplex, const gjk_vertex2 *vertex, const char *note) {
    if (goal->recorder == NULL) {
        return;
    }
    const gjk_vertex3 support = gjk_vertex2_lift(vertex);
    gjk_simplex3 lifted = {.count = simplex->count};
    for (uint32_t i = 0; i < simplex->count; i++) {
        lifted.vertex[i] = gjk_vertex2_lift(&simplex->vertex[i]);
        lifted.weight[i] = simplex->weight[i];
    }
    gjk_record_gjk(goal, solution, gjk_xy0(gjk_neg2(away)), &lifted, &support, note);
}

bool gjk_gjk2(const gjk_frame2 *frame, const gjk_goal *goal, gjk_simplex2 *simplex,
              gjk_solution *solution) {
    gjk_progress progress = gjk_progress_make(frame->curved, frame->scale, goal->tolerance);
    gjk_vec2 away = gjk_neg2(frame->toward);
    simplex->count = 0;
    double bound = -INFINITY;
    while (solution->upper > progress.rounding && gjk_count_step(&progress, goal, solution)) {
        gjk_vertex2 vertex = gjk_support2(frame, gjk_neg2(away));
        bound = gjk_dot2(away, vertex.w);
        gjk_raise_lower(solution, gjk_xy0(gjk_neg2(away)), bound, progress.rounding);
        if (gjk_goal_proven(goal, solution)) {
            record_step(goal, solution, away, simplex, &vertex, "the bounds prove the state: done");
            return false;
        }
        if (gjk_bounds_meet(&progress, goal, bound, solution->upper) ||
            gjk_simplex2_has(simplex, &vertex)) {
            record_step(goal, solution, away, simplex, &vertex,
                        "no support point gets nearer: done");
            break;
        }
        GJK_CHECK(simplex->count < 3);
        simplex->vertex[simplex->count++] = vertex;
        gjk_feature2 feature;
        if (gjk_simplex2_find(simplex, &feature)) {
            solution->upper = 0.0;
            record_step(goal, solution, away, simplex, &vertex, "the simplex holds the origin");
            return true;
        }
        double length = sqrt(feature.squared);
        if (gjk_is_stalled(&progress, solution->upper, length)) {
            simplex->count--;
            break;
        }
        gjk_simplex2_keep(simplex, &feature);
        solution->upper = gjk_smaller(solution->upper, length);
        record_step(goal, solution, away, simplex, &vertex, nearest_note[simplex->count - 1]);
        away = gjk_simplex2_direction(simplex, feature.nearest);
    }
    gjk_set_witness2(simplex, solution);
    return gjk_set_final_bounds(&progress, goal, frame->curved, gjk_xy0(gjk_neg2(away)), bound,
                                solution);
}
