/* Verdict on a shot. Checks, in this order: is there a snapshot of the tick; did the target exist;
 * what was hit first; was an obstacle before it; does the hit match the claim. */

#include "gjk/shot.h"

#include "scene/scene.h"

#include <string.h>

const char *gjk_verdict_text(gjk_verdict verdict) {
    static const char *const texts[] = {
#define X(name, text) text,
        GJK_VERDICT_MAP(X)
#undef X
    };
    return texts[verdict];
}

const char *gjk_reason_text(gjk_reason reason) {
    static const char *const texts[] = {
#define X(name, text) text,
        GJK_REASON_MAP(X)
#undef X
    };
    return texts[reason];
}

static gjk_status decide(gjk_judgement *out, gjk_verdict verdict, gjk_reason reason) {
    out->verdict = verdict;
    out->reason = reason;
    return GJK_OK;
}

/* Returns the reason why there is no snapshot, or GJK_REASON_NONE. */
static gjk_reason unverifiable(gjk_rewind rewind) {
    switch (rewind) {
    case GJK_REWIND_EXPIRED:
        return GJK_REASON_TICK_EXPIRED;
    case GJK_REWIND_FUTURE:
        return GJK_REASON_TICK_IN_FUTURE;
    case GJK_REWIND_OK:
        break;
    }
    return GJK_REASON_NONE;
}

static bool same_text(const char *a, const char *b) {
    return a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* Returns true if there is no claim, or if the claimed body or a body of the claimed group exists.
 * target: the body with the claimed id, or NULL. */
static bool target_existed(const gjk_shot *shot, const gjk_body *target,
                           const gjk_judgement *so_far) {
    if (shot->claim_id != NULL || shot->claim_group == NULL) {
        return shot->claim_id == NULL || target != NULL;
    }
    if (so_far->has_hit && same_text(so_far->hit.body->group, shot->claim_group)) {
        return true; /* saves the look-up */
    }
    return gjk_set_has_group(shot->snapshot.set, shot->claim_group);
}

static gjk_status first_of_ball(const gjk_shot *shot, const gjk_snapshot *snapshot,
                                const gjk_selection *selection, gjk_ray_hits *out) {
    const gjk_cast_settings settings = {.tolerance = shot->tolerance,
                                        .max_iterations = shot->max_iterations};
    double length =
        gjk_snapshot_extent(snapshot, shot->ray.origin, shot->budget) + 2.0 * shot->radius;
    length = fmin(fmin(length, shot->ray.max_distance), GJK_COORDINATE_MAX);
    gjk_shape ball;
    gjk_sweep sweep = {{&ball, gjk_pose_identity()}, gjk_scale3(length, shot->ray.direction)};
    sweep.moving.pose.position = shot->ray.origin;
    gjk_cast_hits hits;
    gjk_status status = gjk_shape_make_ball(selection->arena, gjk_set_dimension(snapshot->set),
                                            shot->radius, 0.0, &ball);
    if (status == GJK_OK) {
        status = gjk_set_cast(snapshot, &sweep, selection, &settings, &hits);
    }
    if (status != GJK_OK) {
        return status;
    }
    out->count = hits.count;
    if (hits.count > 0) {
        const gjk_cast_result *r = &hits.items[0].result;
        out->items[0] = (gjk_ray_hit){
            .body = hits.items[0].body,
            .result = {.convergence = r->convergence,
                       .iterations = r->iterations,
                       .hit = r->hit,
                       .inside = r->inside,
                       .has_normal = r->has_normal,
                       .has_material = r->has_material,
                       .given_up = r->given_up,
                       .piece = r->piece,
                       .material = r->material,
                       .distance = r->distance,
                       .point = r->point,
                       .normal = r->normal},
        };
    }
    return GJK_OK;
}

/* Finds the first body of a snapshot that the shot hits. */
static gjk_status first_hit(const gjk_shot *shot, const gjk_snapshot *snapshot,
                            const gjk_selection *selection, bool *has_hit, gjk_ray_hit *hit) {
    gjk_ray_hits hits = {hit, 0, false};
    const gjk_ray_settings settings = {.tolerance = shot->tolerance,
                                       .max_iterations = shot->max_iterations,
                                       .solid = true};
    gjk_status status = shot->radius > 0.0
                            ? first_of_ball(shot, snapshot, selection, &hits)
                            : gjk_set_raycast(snapshot, &shot->ray, selection, &settings, &hits);
    *has_hit = status == GJK_OK && hits.count > 0;
    if (*has_hit) {
        *hit = hits.items[0];
    }
    return status;
}

/* Selects the first body that passes the filter and is not of the shooter's group. */
static gjk_selection select_first(const gjk_shot *shot, struct gjk_arena *arena,
                                  gjk_filter *filter) {
    filter->ignore_group = shot->shooter;
    return (gjk_selection){.filter = filter,
                           .limit = 1,
                           .arena = arena,
                           .budget = shot->budget,
                           .rest_unasked = true};
}

static gjk_status find_near_misses(const gjk_shot *shot, gjk_selection selection,
                                   gjk_judgement *out) {
    const gjk_distance_settings settings = {.tolerance = shot->tolerance,
                                            .max_iterations = shot->max_iterations};
    if (!(shot->near_miss >= 0.0)) {
        return GJK_OK;
    }
    selection.except = out->has_hit ? out->hit.body : NULL;
    selection.limit = shot->near_miss_limit;
    selection.rest_unasked = false;
    return gjk_set_near_ray(&shot->snapshot, &shot->ray, shot->near_miss, &selection, &settings,
                            &out->near_misses);
}

/* Finds the first obstacle of one set. */
static gjk_status first_obstacle(const gjk_shot *shot, const gjk_obstacles *obstacles,
                                 struct gjk_arena *arena, bool *found, gjk_ray_hit *out) {
    gjk_filter filter = obstacles->filter != NULL ? *obstacles->filter : gjk_filter_default();
    const gjk_selection selection = select_first(shot, arena, &filter);
    return first_hit(shot, &obstacles->snapshot, &selection, found, out);
}

/* Finds the first obstacle that is no farther than the hit, if there is one. */
static gjk_status find_obstacle(const gjk_shot *shot, struct gjk_arena *arena, gjk_judgement *out) {
    double nearest = out->has_hit ? out->hit.result.distance : INFINITY;
    for (uint32_t i = 0; i < shot->obstacles_count; i++) {
        gjk_ray_hit hit;
        bool found;
        const gjk_status status = first_obstacle(shot, &shot->obstacles[i], arena, &found, &hit);
        if (status != GJK_OK) {
            return status;
        }
        const double distance = found ? hit.result.distance : INFINITY;
        if (found && (out->has_obstacle ? distance < nearest : distance <= nearest)) {
            out->has_obstacle = true;
            out->obstacle = hit;
            out->obstacle_set = i;
            nearest = distance;
        }
    }
    return GJK_OK;
}

static gjk_status compare_with_claim(const gjk_shot *shot, const gjk_body *target,
                                     gjk_judgement *out) {
    const gjk_body *hit = out->hit.body;
    if (shot->claim_id == NULL && shot->claim_group == NULL) {
        return decide(out, GJK_VERDICT_CONFIRMED, GJK_REASON_NONE);
    }
    if (target != NULL ? hit == target : same_text(hit->group, shot->claim_group)) {
        return decide(out, GJK_VERDICT_CONFIRMED, GJK_REASON_NONE);
    }
    if (target != NULL && same_text(hit->group, target->group)) {
        return decide(out, GJK_VERDICT_ADJUSTED, GJK_REASON_NONE);
    }
    return decide(out, GJK_VERDICT_DENIED, GJK_REASON_OTHER_TARGET);
}

/* Judges a shot whose target existed by what it hit. */
static gjk_status judge_hit(const gjk_shot *shot, struct gjk_arena *arena, const gjk_body *target,
                            gjk_judgement *out) {
    gjk_status status = find_obstacle(shot, arena, out);
    if (status != GJK_OK) {
        return status;
    }
    if (!out->has_hit) {
        return decide(out, GJK_VERDICT_DENIED, GJK_REASON_MISS);
    }
    if (out->has_obstacle) {
        return decide(out, GJK_VERDICT_DENIED, GJK_REASON_BLOCKED);
    }
    return compare_with_claim(shot, target, out);
}

/* Judges a shot whose snapshots exist. A target that did not exist takes precedence over other
 * reasons. */
static gjk_status judge(const gjk_shot *shot, struct gjk_arena *arena, gjk_judgement *out) {
    const gjk_body *target =
        shot->claim_id != NULL ? gjk_set_find(shot->snapshot.set, shot->claim_id) : NULL;
    gjk_filter filter = shot->filter;
    const gjk_selection selection = select_first(shot, arena, &filter);
    gjk_status status = first_hit(shot, &shot->snapshot, &selection, &out->has_hit, &out->hit);
    if (status != GJK_OK) {
        return status;
    }
    const bool existed = target_existed(shot, target, out);
    if (existed && shot->age_ticks > shot->max_rewind_ticks) {
        *out = (gjk_judgement){0};
        return decide(out, GJK_VERDICT_UNVERIFIABLE, GJK_REASON_REWIND_LIMIT);
    }
    out->has_hit = out->has_hit && existed;
    status = find_near_misses(shot, selection, out);
    if (status != GJK_OK || existed) {
        return status == GJK_OK ? judge_hit(shot, arena, target, out) : status;
    }
    return decide(out, GJK_VERDICT_DENIED, GJK_REASON_NO_TARGET);
}

gjk_status gjk_shot_judge(const gjk_shot *shot, struct gjk_arena *arena, gjk_judgement *out) {
    GJK_ASSERT(shot->claim_id == NULL || shot->claim_group == NULL);
    *out = (gjk_judgement){0};
    gjk_reason reason = unverifiable(shot->rewind);
    for (uint32_t i = 0; reason == GJK_REASON_NONE && i < shot->obstacles_count; i++) {
        reason = unverifiable(shot->obstacles[i].rewind);
        out->lacks_obstacles = reason != GJK_REASON_NONE;
        out->obstacle_set = out->lacks_obstacles ? i : 0;
    }
    return reason != GJK_REASON_NONE ? decide(out, GJK_VERDICT_UNVERIFIABLE, reason)
                                     : judge(shot, arena, out);
}
