#ifndef GJK_SET_QUERY_H
#define GJK_SET_QUERY_H

/*
 * Queries of a whole set as a snapshot shows it. Answers are in a total order: those of rays and
 * nearest by distance, those of casts by fraction, then by id; hits and pairs by id. What a set
 * query says of a body is, to the bit, what the pair query, ray or cast at that body alone says.
 * Answers are allocated in the caller's arena. OUT_OF_MEMORY; GIVEN_UP where the selection's
 * budget is spent.
 */

#include "gjk/arena.h"
#include "gjk/budget.h"
#include "gjk/cast.h"
#include "gjk/ray.h"
#include "gjk/snapshot.h"

GJK_BEGIN

/* Filter of bodies. A body passes when (body.category & mask) && (category & body.mask) and no list
 * excludes it. Lists of texts stand in the order of strcmp, so that each is searched in O(log n); a
 * text may stand there twice. */
typedef struct gjk_filter {
    uint32_t category, mask;
    const char *const *ignore; /* ids */
    uint32_t ignore_count;
    const uint32_t *ignore_handles; /* ascending */
    uint32_t ignore_handles_count;
    const char *const *ignore_groups;
    uint32_t ignore_groups_count;
    const char *ignore_group;       /* one more, as the shooter's own; NULL: none */
    const char *const *only_groups; /* count 0 with has_only_groups: no body passes */
    uint32_t only_groups_count;
    bool has_only_groups;
} gjk_filter;

gjk_filter gjk_filter_default(void); /* every body passes */
bool gjk_filter_passes(const gjk_filter *filter, const gjk_body *body);

/* Selection of the bodies that are tested, and of the answers that are kept: the first `limit` >= 1
 * of the order (UINT32_MAX: all), in memory of the arena; `truncated` tells that more exist. */
typedef struct gjk_selection {
    const gjk_filter *filter;
    const gjk_body *except; /* left out, whatever the filter says; NULL: none */
    uint32_t limit;
    struct gjk_arena *arena;
    gjk_budget *budget; /* NULL: endless */
    bool rest_unasked;  /* whether more exist is not asked: truncated is false */
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

/* Every selected body that collides with a. */
gjk_status gjk_set_detect(const gjk_snapshot *snapshot, const gjk_placed *a,
                          const gjk_selection *selection, const gjk_detect_settings *settings,
                          gjk_hits *out) GJK_MUST_USE;

/*
 * Every selected body that lies wholly within a, up to tolerance times the size of the two (closed:
 * what fills it lies within). The state of a hit is that of the pair; there is no depth.
 * Precondition: gjk_may_contain(a). Time as gjk_set_detect without penetration, and for each body
 * that meets a one support scan for each facet of a; memory for the bodies that meet it.
 */
gjk_status gjk_set_within(const gjk_snapshot *snapshot, const gjk_placed *a,
                          const gjk_selection *selection, const gjk_detect_settings *settings,
                          gjk_hits *out) GJK_MUST_USE;

/* Returns true if it is a polytope (box, polygon, hull, triangle or a compound of one) without
 * rounding. */
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

/* All colliding pairs of one set, a before b by id: both selected, each accepted by the category
 * and mask of the other, and not of the same group. */
gjk_status gjk_set_detect_pairs(const gjk_snapshot *snapshot, const gjk_selection *selection,
                                const gjk_detect_settings *settings,
                                gjk_pair_hits *out) GJK_MUST_USE;

/* Finds those of these pairs that the body is in, in the same order. The snapshot is of a set as
 * it stands, and the body is in it. O(log n + boxes met). Where there are more than the limit, any
 * of them. */
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
    gjk_overlap_pairs begin; /* of bodies of the set after */
    gjk_overlap_pairs end;   /* of bodies of the set before */
} gjk_overlap_changes;

/* Compares the pairs that gjk_set_detect_pairs finds in two states of a set. before NULL: all pairs
 * begin. A body that was removed and made again under its id is the same. Ignores limit and except.
 * O((m + k) log n) for n bodies, of which m differ and have k pairs in the two states together, if
 * one state was made from the other by edits. */
gjk_status gjk_set_detect_changes(const struct gjk_set *before, const struct gjk_set *after,
                                  const gjk_selection *selection,
                                  gjk_overlap_changes *out) GJK_MUST_USE;

/* All colliding pairs of a body of snapshot (a) with a body of other (b); groups are not compared,
 * and except is ignored. */
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

/* The nearest selected bodies within max_distance (inclusive; INFINITY: any), by signed distance
 * where settings ask for that. */
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

/* All pairs of one set within max_distance (inclusive; INFINITY: any), in the order of their ids;
 * which pairs count, and which comes first, is as in gjk_set_detect_pairs. Of an overlap the
 * distance is 0. Cost: a distance for each pair of bodies whose boxes are within max_distance. */
gjk_status gjk_set_near_pairs(const gjk_snapshot *snapshot, double max_distance,
                              const gjk_selection *selection, const gjk_distance_settings *settings,
                              gjk_pair_nears *out) GJK_MUST_USE;

/* All pairs of a body of snapshot (a) with a body of other (b) within max_distance, in the order of
 * the ids of a and b; which pairs count is as in gjk_set_detect_against. */
gjk_status gjk_set_near_pairs_against(const gjk_snapshot *snapshot, const gjk_snapshot *other,
                                      double max_distance, const gjk_selection *selection,
                                      const gjk_distance_settings *settings,
                                      gjk_pair_nears *out) GJK_MUST_USE;

/* The nearest pairs of a body of snapshot (a) with a body of other (b) within max_distance, by
 * distance, then by the ids of a and b; which pairs count is as in gjk_set_detect_against. */
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

/* The first selected bodies that the ray hits (closest: limit 1). */
gjk_status gjk_set_raycast(const gjk_snapshot *snapshot, const gjk_ray *ray,
                           const gjk_selection *selection, const gjk_ray_settings *settings,
                           gjk_ray_hits *out) GJK_MUST_USE;

/* Returns true if the ray hits any selected body; false, too, if the budget is spent. limit and
 * arena are ignored. */
bool gjk_set_raycast_any(const gjk_snapshot *snapshot, const gjk_ray *ray,
                         const gjk_selection *selection, const gjk_ray_settings *settings);

/* The selected bodies whose distance to the ray, from its origin to its max_distance, is at most
 * max_distance (inclusive). result: of the segment of the ray beside the body (a) and the body (b);
 * at distance 0 what the ray hits. Ordered as those of nearest. */
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

/* The first selected bodies that the moving shape, of their dimension, touches, as gjk_cast_turning
 * has it (closest: limit 1). */
gjk_status gjk_set_cast_turning(const gjk_snapshot *snapshot, const gjk_placed *moving,
                                const gjk_rigid_motion *motion, const gjk_selection *selection,
                                const gjk_cast_settings *settings, gjk_cast_hits *out) GJK_MUST_USE;

/* Returns true if it touches any selected body. limit and arena are ignored. False when the budget
 * is spent. */
bool gjk_set_cast_turning_any(const gjk_snapshot *snapshot, const gjk_placed *moving,
                              const gjk_rigid_motion *motion, const gjk_selection *selection,
                              const gjk_cast_settings *settings);

/* The same of one that does not turn. */
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
