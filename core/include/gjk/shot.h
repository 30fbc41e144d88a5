#ifndef GJK_SHOT_H
#define GJK_SHOT_H

/*
 * Verification of a shot: whether it hit what the shooter claims. The shot is tested in the scene
 * as the shooter saw it, at a tick of the past; the judgement includes the reasons for the verdict.
 * A pure function of its arguments.
 */

#include "gjk/history.h"
#include "gjk/set_query.h"

GJK_BEGIN

/* All verdicts and reasons: name and text in answers. */
#define GJK_VERDICT_MAP(X)                                                     \
    X(CONFIRMED, "confirmed")       /* the claimed body was hit first */       \
    X(ADJUSTED, "adjusted")         /* first hit: another body of its group */ \
    X(DENIED, "denied")             /* not confirmed: see the reason */        \
    X(UNVERIFIABLE, "unverifiable") /* there is no snapshot of the tick: see the reason */

#define GJK_REASON_MAP(X)                                                        \
    X(NONE, NULL)                   /* confirmed, adjusted */                    \
    X(NO_TARGET, "no-target")       /* the claimed body did not exist */         \
    X(OTHER_TARGET, "other-target") /* another body was hit first */             \
    X(BLOCKED, "blocked")           /* an obstacle is no farther than the hit */ \
    X(MISS, "miss")                 /* nothing was hit */                        \
    X(TICK_EXPIRED, "tick-expired")                                              \
    X(TICK_IN_FUTURE, "tick-in-future")                                          \
    X(REWIND_LIMIT, "rewind-limit") /* older than the policy allows */

typedef enum gjk_verdict {
#define X(name, text) GJK_VERDICT_##name,
    GJK_VERDICT_MAP(X)
#undef X
} gjk_verdict;

typedef enum gjk_reason {
#define X(name, text) GJK_REASON_##name,
    GJK_REASON_MAP(X)
#undef X
} gjk_reason;

/* Return the text; static storage. NULL for GJK_REASON_NONE. */
const char *gjk_verdict_text(gjk_verdict verdict);
const char *gjk_reason_text(gjk_reason reason);

/* Bodies of another set that can block the shot. */
typedef struct gjk_obstacles {
    gjk_snapshot snapshot;    /* valid only if rewind is OK */
    gjk_rewind rewind;        /* result of finding the tick in that set's history */
    const gjk_filter *filter; /* NULL: every body is an obstacle */
} gjk_obstacles;

/* A shot to verify. Bodies of the shooter's group are neither hit nor obstacles. The filter applies
 * to bodies that can be hit or nearly hit; it does not apply to obstacles, which have their own
 * filter, nor to the existence of the claimed body. */
typedef struct gjk_shot {
    const char *shooter; /* a group; NULL: none */
    gjk_ray ray;
    double radius;                      /* radius of a ball that flies along the ray; 0: a ray */
    const char *claim_id, *claim_group; /* at most one is not NULL; both NULL: any hit confirms */
    gjk_filter filter;
    double tolerance; /* as in gjk_ray_settings */
    uint32_t max_iterations;

    gjk_rewind rewind; /* result of finding the tick; snapshot is valid only if OK */
    gjk_snapshot snapshot;
    double age_ticks;               /* age of the snapshot; 0 if not rewound */
    double max_rewind_ticks;        /* INFINITY: no limit */
    const gjk_obstacles *obstacles; /* NULL: none */
    uint32_t obstacles_count;
    double near_miss;         /* a distance; negative: near misses are not searched */
    uint32_t near_miss_limit; /* >= 1 if near misses are searched */
    gjk_budget *budget;       /* NULL: no limit */
} gjk_shot;

/* Result of gjk_shot_judge. The hit of a ball is reported like that of a ray: distance is how far
 * it flew. */
typedef struct gjk_judgement {
    gjk_verdict verdict;
    gjk_reason reason;
    bool has_hit, has_obstacle;
    bool lacks_obstacles;  /* EXPIRED or FUTURE refers to the history of obstacle_set */
    gjk_ray_hit hit;       /* the first body that the shot hits */
    gjk_ray_hit obstacle;  /* the first obstacle, if no farther than the hit */
    uint32_t obstacle_set; /* first set with the nearest obstacle, or without the tick */
    gjk_nears near_misses; /* bodies of snapshot.set other than the hit; in the arena */
} gjk_judgement;

/*
 * Judges a shot. The checks run in this order: tick expired or in the future, for the shot's set,
 * then for the obstacles; no-target; rewind-limit; miss; blocked; other-target, adjusted or
 * confirmed. A verdict up to rewind-limit has no hit; only an unverifiable one has no near misses.
 * OUT_OF_MEMORY and the other failures of set queries. Cost: a ray or cast at the set, one at each
 * of the obstacle sets, and gjk_set_near_ray.
 */
gjk_status gjk_shot_judge(const gjk_shot *shot, struct gjk_arena *arena,
                          gjk_judgement *out) GJK_MUST_USE;

GJK_END

#endif
