/*
 * Moving shapes at a set: a ranked search by the fraction of the motion at first contact.
 */

#include "ray/turning.h"
#include "scene/scene.h"

typedef struct gjk_cast_question {
    gjk_query_bounds bounds;
    const gjk_placed *moving;
    const gjk_rigid_motion *motion;
    gjk_cast_settings settings;
} gjk_cast_question;

static double fraction_of(const void *item) {
    return ((const gjk_cast_hit *)item)->result.fraction;
}

static int by_fraction(const void *a, const void *b) {
    return gjk_ranking_compare(a, b, fraction_of);
}

static gjk_status measure(const void *question, const gjk_body *body, const gjk_placed *placed,
                          void *item, bool *counts) {
    const gjk_cast_question *q = question;
    gjk_cast_hit *hit = item;
    hit->body = body;
    hit->result = gjk_cast_turning(q->moving, q->motion, placed, &q->settings);
    *counts = hit->result.hit;
    return hit->result.given_up ? GJK_GIVEN_UP : GJK_OK;
}

static gjk_cast_question ask(const gjk_placed *moving, const gjk_rigid_motion *motion,
                             const gjk_selection *selection, const gjk_cast_settings *settings) {
    gjk_cast_question question = {
        .bounds = gjk_query_bounds_of_turning(moving, motion, settings->tolerance),
        .moving = moving,
        .motion = motion,
        .settings = *settings,
    };
    question.settings.budget = selection->budget;
    return question;
}

static gjk_ranking rank_hits(const gjk_cast_question *question) {
    return (gjk_ranking){
        .query = &question->bounds,
        .distance = 1.0,
        .question = question,
        .measure = measure,
        .order = by_fraction,
        .rank = fraction_of,
        .item_size = sizeof(gjk_cast_hit),
    };
}

gjk_status gjk_set_cast_turning(const gjk_snapshot *snapshot, const gjk_placed *moving,
                                const gjk_rigid_motion *motion, const gjk_selection *selection,
                                const gjk_cast_settings *settings, gjk_cast_hits *out) {
    const gjk_cast_question question = ask(moving, motion, selection, settings);
    const gjk_ranking ranking = rank_hits(&question);
    gjk_list found;
    gjk_status status = gjk_ranking_find(&ranking, snapshot, selection, &found);
    *out = (gjk_cast_hits){(gjk_cast_hit *)(void *)found.items, found.count, found.truncated};
    return status;
}

bool gjk_set_cast_turning_any(const gjk_snapshot *snapshot, const gjk_placed *moving,
                              const gjk_rigid_motion *motion, const gjk_selection *selection,
                              const gjk_cast_settings *settings) {
    const gjk_cast_question question = ask(moving, motion, selection, settings);
    const gjk_ranking ranking = rank_hits(&question);
    return gjk_ranking_any(&ranking, snapshot, selection);
}

gjk_status gjk_set_cast(const gjk_snapshot *snapshot, const gjk_sweep *sweep,
                        const gjk_selection *selection, const gjk_cast_settings *settings,
                        gjk_cast_hits *out) {
    const gjk_rigid_motion straight = gjk_rigid_motion_straight(sweep->translation);
    return gjk_set_cast_turning(snapshot, &sweep->moving, &straight, selection, settings, out);
}

bool gjk_set_cast_any(const gjk_snapshot *snapshot, const gjk_sweep *sweep,
                      const gjk_selection *selection, const gjk_cast_settings *settings) {
    const gjk_rigid_motion straight = gjk_rigid_motion_straight(sweep->translation);
    return gjk_set_cast_turning_any(snapshot, &sweep->moving, &straight, selection, settings);
}
