#ifndef GJK_SET_QUERY_H
#define GJK_SET_QUERY_H

/*
 * Queries of a whole set in a snapshot. Answers are in a total order: rays and nearest by distance,
 * then id; casts by fraction, then id; hits and pairs by id. The answer for each body has the same
 * bits as the pair query, ray or cast of that body alone. Answers are allocated in the selection's
 * arena. OUT_OF_MEMORY; GIVEN_UP if the selection's budget is spent.
 */

#include "gjk/arena.h"
#include "gjk/budget.h"
#include "gjk/cast.h"
#include "gjk/ray.h"
#include "gjk/snapshot.h"

GJK_BEGIN

/* Filter of bodies. A body passes if (body.category & mask) && (category & body.mask) and no list
 * excludes it. Lists of strings are sorted by strcmp, so that a search takes O(log n); they may
 * contain duplicates. */
typedef struct gjk_filter {
    uint32_t category, mask;
    const char *const *ignore; /* ids */
    uint32_t ignore_count;
    const uint32_t *ignore_handles; /* ascending */
    uint32_t ignore_handles_count;
    const char *const *ignore_groups;
    uint32_t ignore_groups_count;
    const char *ignore_group;       /* one more ignored group, e.g. the shooter's; NULL: none */
    const char *const *only_groups; /* if has_only_groups; count 0: no body passes */
    uint32_t only_groups_count;
    bool has_only_groups;
} gjk_filter;

gjk_filter gjk_filter_default(void); /* every body passes */
bool gjk_filter_passes(const gjk_filter *filter, const gjk_body *body);

/* Selection of bodies and answers: the first `limit` >= 1 answers in order are kept (UINT32_MAX:
 * all), in the arena; `truncated` is true if there are more. */
typedef struct gjk_selection {
    const gjk_filter *filter;
    const gjk_body *except; /* always left out; NULL: none */
    uint32_t limit;
    struct gjk_arena *arena;
    gjk_budget *budget; /* NULL: no limit */
    bool rest_unasked;  /* do not look for more answers than the limit: truncated is false */
} gjk_selection;

typedef struct gjk_hit {
    const gjk_body *body; /* of snapshot->set */
    gjk_detect_result result;
} gjk_hit;
typedef struct gjk_hits {
    gjk_hit *items;
    uint32_t count;
    bool truncated;
} gjk_hits;

/* Finds every selected body that collides with a. */
gjk_status gjk_set_detect(const gjk_snapshot *snapshot, const gjk_placed *a,
                          const gjk_selection *selection, const gjk_detect_settings *settings,
                          gjk_hits *out) GJK_MUST_USE;

/*
 * Finds every selected body that lies wholly within a, up to tolerance times the size of the two
 * (closed: a body that fills a lies within). The state of a hit is that of the pair; no depth.
 * Precondition: gjk_may_contain(a). Time: gjk_set_detect without penetration, and for each body
 * that meets a one support scan for each facet of a. Memory for the bodies that meet a.
 */
gjk_status gjk_set_within(const gjk_snapshot *snapshot, const gjk_placed *a,
                          const gjk_selection *selection, const gjk_detect_settings *settings,
                          gjk_hits *out) GJK_MUST_USE;

/* Returns true if the shape is a polytope (box, polygon, hull, triangle or a compound of one)
 * without rounding. */
bool gjk_may_contain(const gjk_placed *placed);

typedef struct gjk_pair_hit {
    const gjk_body *a, *b;
    gjk_detect_result result;
} gjk_pair_hit;
typedef struct gjk_pair_hits {
    gjk_pair_hit *items;
    uint32_t count;
    bool truncated;
} gjk_pair_hits;

/* Finds all colliding pairs of one set, a before b by id: both selected, each accepted by the
 * category and mask of the other, and not of the same group. */
gjk_status gjk_set_detect_pairs(const gjk_snapshot *snapshot, const gjk_selection *selection,
                                const gjk_detect_settings *settings,
                                gjk_pair_hits *out) GJK_MUST_USE;

/* Finds the pairs of gjk_set_detect_pairs that include `body`, in the same order. Preconditions:
 * the snapshot is a set as it stands and contains the body. If there are more than the limit, any
 * of them are kept. O(log n + boxes met). */
gjk_status gjk_set_detect_pairs_of(const gjk_snapshot *snapshot, const gjk_body *body,
                                   const gjk_selection *selection,
                                   const gjk_detect_settings *settings,
                                   gjk_pair_hits *out) GJK_MUST_USE;

typedef struct gjk_overlap_pair {
    const gjk_body *a, *b;
} gjk_overlap_pair;
typedef struct gjk_overlap_pairs {
    gjk_overlap_pair *items;
    uint32_t count;
} gjk_overlap_pairs;

/* Pairs that collide only after, and only before a change, by their ids. */
typedef struct gjk_overlap_changes {
    gjk_overlap_pairs begin; /* bodies of the set after the change */
    gjk_overlap_pairs end;   /* bodies of the set before the change */
} gjk_overlap_changes;

/* Compares the pairs that gjk_set_detect_pairs finds in two states of a set. If `before` is NULL,
 * all pairs begin. A body that was removed and added again with its id is the same body. Ignores
 * limit and except. O((m + k) log n) for n bodies of which m differ and have k pairs in the two
 * states together, if one state was made from the other by edits. */
gjk_status gjk_set_detect_changes(const struct gjk_set *before, const struct gjk_set *after,
                                  const gjk_selection *selection,
                                  gjk_overlap_changes *out) GJK_MUST_USE;

/* Finds all colliding pairs of a body of snapshot (a) and a body of other (b). Groups are not
 * compared, and except is ignored. */
gjk_status gjk_set_detect_against(const gjk_snapshot *snapshot, const gjk_snapshot *other,
                                  const gjk_selection *selection,
                                  const gjk_detect_settings *settings,
                                  gjk_pair_hits *out) GJK_MUST_USE;

typedef struct gjk_near {
    const gjk_body *body; /* of snapshot->set */
    gjk_distance_result result;
} gjk_near;
typedef struct gjk_nears {
    gjk_near *items;
    uint32_t count;
    bool truncated;
} gjk_nears;

/* Finds the nearest selected bodies within max_distance (inclusive; INFINITY: any), by signed
 * distance if settings have is_signed. */
gjk_status gjk_set_nearest(const gjk_snapshot *snapshot, const gjk_placed *a, double max_distance,
                           const gjk_selection *selection, const gjk_distance_settings *settings,
                           gjk_nears *out) GJK_MUST_USE;

typedef struct gjk_pair_near {
    const gjk_body *a, *b;
    gjk_distance_result result;
} gjk_pair_near;
typedef struct gjk_pair_nears {
    gjk_pair_near *items;
    uint32_t count;
    bool truncated;
} gjk_pair_nears;

/* Finds all pairs of one set within max_distance (inclusive; INFINITY: any), in the order of their
 * ids. Pairs and their order are as in gjk_set_detect_pairs. Overlapping pairs have distance 0.
 * Cost: one distance for each pair of bodies whose boxes are within max_distance. */
gjk_status gjk_set_near_pairs(const gjk_snapshot *snapshot, double max_distance,
                              const gjk_selection *selection, const gjk_distance_settings *settings,
                              gjk_pair_nears *out) GJK_MUST_USE;

/* Finds all pairs of a body of snapshot (a) and a body of other (b) within max_distance, in the
 * order of the ids of a and b. Pairs count as in gjk_set_detect_against. */
gjk_status gjk_set_near_pairs_against(const gjk_snapshot *snapshot, const gjk_snapshot *other,
                                      double max_distance, const gjk_selection *selection,
                                      const gjk_distance_settings *settings,
                                      gjk_pair_nears *out) GJK_MUST_USE;

/* Finds the nearest pairs of a body of snapshot (a) and a body of other (b) within max_distance, by
 * distance, then by the ids of a and b. Pairs count as in gjk_set_detect_against. */
gjk_status gjk_set_nearest_against(const gjk_snapshot *snapshot, const gjk_snapshot *other,
                                   double max_distance, const gjk_selection *selection,
                                   const gjk_distance_settings *settings,
                                   gjk_pair_nears *out) GJK_MUST_USE;

typedef struct gjk_ray_hit {
    const gjk_body *body; /* of snapshot->set */
    gjk_ray_result result;
} gjk_ray_hit;
typedef struct gjk_ray_hits {
    gjk_ray_hit *items;
    uint32_t count;
    bool truncated;
} gjk_ray_hits;

/* Finds the first selected bodies that the ray hits (closest: limit 1). */
gjk_status gjk_set_raycast(const gjk_snapshot *snapshot, const gjk_ray *ray,
                           const gjk_selection *selection, const gjk_ray_settings *settings,
                           gjk_ray_hits *out) GJK_MUST_USE;

/* Returns true if the ray hits any selected body; false also if the budget is spent. limit and
 * arena are ignored. */
bool gjk_set_raycast_any(const gjk_snapshot *snapshot, const gjk_ray *ray,
                         const gjk_selection *selection, const gjk_ray_settings *settings);

/* Finds the selected bodies whose distance to the ray, from its origin to its max_distance, is at
 * most max_distance (inclusive). result is for the segment of the ray beside the body (a) and the
 * body (b); at distance 0 it is what the ray hits. Ordered as in gjk_set_nearest. */
gjk_status gjk_set_near_ray(const gjk_snapshot *snapshot, const gjk_ray *ray, double max_distance,
                            const gjk_selection *selection, const gjk_distance_settings *settings,
                            gjk_nears *out) GJK_MUST_USE;

typedef struct gjk_cast_hit {
    const gjk_body *body; /* of snapshot->set */
    gjk_cast_result result;
} gjk_cast_hit;
typedef struct gjk_cast_hits {
    gjk_cast_hit *items;
    uint32_t count;
    bool truncated;
} gjk_cast_hits;

/* Finds the first selected bodies that the moving shape, of their dimension, touches, as by
 * gjk_cast_turning (closest: limit 1). */
gjk_status gjk_set_cast_turning(const gjk_snapshot *snapshot, const gjk_placed *moving,
                                const gjk_rigid_motion *motion, const gjk_selection *selection,
                                const gjk_cast_settings *settings, gjk_cast_hits *out) GJK_MUST_USE;

/* Returns true if the moving shape touches any selected body; false also if the budget is spent.
 * limit and arena are ignored. */
bool gjk_set_cast_turning_any(const gjk_snapshot *snapshot, const gjk_placed *moving,
                              const gjk_rigid_motion *motion, const gjk_selection *selection,
                              const gjk_cast_settings *settings);

/* Casts along a motion without rotation, as gjk_set_cast_turning does. */
GJK_MUST_USE static inline gjk_status gjk_set_cast(const gjk_snapshot *snapshot,
                                                   const gjk_sweep *sweep,
                                                   const gjk_selection *selection,
                                                   const gjk_cast_settings *settings,
                                                   gjk_cast_hits *out) {
    const gjk_rigid_motion straight = gjk_rigid_motion_straight(sweep->translation);
    return gjk_set_cast_turning(snapshot, &sweep->moving, &straight, selection, settings, out);
}

GJK_END

#endif
