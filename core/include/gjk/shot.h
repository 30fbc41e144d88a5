#ifndef GJK_SHOT_H
#define GJK_SHOT_H

/*
 * Did a shot hit what the shooter says it hit? A judge looks at the scene as the shooter saw it,
 * at some moment of the past, and says how it comes to the verdict. A pure function of its
 * arguments.
 */

#include "gjk/history.h"
#include "gjk/set_query.h"

/* Every verdict and every reason: name and what the wire calls it. */
#define GJK_VERDICT_MAP(X)                                                            \
    X(CONFIRMED, "confirmed")       /* the claimed body was hit first */              \
    X(ADJUSTED, "adjusted")         /* another body of the claimed one's group was */ \
    X(DENIED, "denied")             /* neither: see the reason */                     \
    X(UNVERIFIABLE, "unverifiable") /* the moment cannot be looked at: see the reason */

#define GJK_REASON_MAP(X)                                                        \
    X(NONE, NULL)                   /* confirmed, adjusted */                    \
    X(NO_TARGET, "no-target")       /* the claimed one did not exist then */     \
    X(OTHER_TARGET, "other-target") /* something else was hit first */           \
    X(BLOCKED, "blocked")           /* an obstacle is no farther than the hit */ \
    X(MISS, "miss")                 /* nothing was hit */                        \
    X(TICK_EXPIRED, "tick-expired")                                              \
    X(TICK_IN_FUTURE, "tick-in-future")                                          \
    X(REWIND_LIMIT, "rewind-limit") /* longer ago than the policy allows */

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

/* Static storage. NULL for GJK_REASON_NONE. */
const char *gjk_verdict_text(gjk_verdict verdict);
const char *gjk_reason_text(gjk_reason reason);

/*
 * What is to be judged. Bodies of the shooter's group are not hit, and do not block. The filter
 * holds for what can be hit or nearly hit, not for obstacles nor for whether the claimed one
 * exists.
 */
typedef struct gjk_shot {
    const char *shooter; /* a group; NULL: nobody's */
    gjk_ray ray;
    double radius;                      /* of a ball that flies along the ray instead; 0: none */
    const char *claim_id, *claim_group; /* exactly one is not NULL */
    gjk_filter filter;
    double tolerance; /* as in gjk_ray_settings */
    uint32_t max_iterations;

    gjk_rewind rewind; /* what the history said of the moment; EXPIRED, FUTURE: it is not read */
    gjk_snapshot snapshot;
    double age_ticks;              /* how long ago it is; 0 where there is no rewinding */
    double max_rewind_ticks;       /* INFINITY: any */
    const gjk_snapshot *obstacles; /* NULL: none */
    double near_miss;              /* negative: near misses are not wanted */
    uint32_t near_miss_limit;
    const gjk_patience *patience; /* NULL: endless */
} gjk_shot;

/* A hit of a ball is told as one of a ray: distance is how far it flew. */
typedef struct gjk_judgement {
    gjk_verdict verdict;
    gjk_reason reason;
    bool has_hit, has_obstacle;
    gjk_ray_hit hit;       /* the first that the shot hits */
    gjk_ray_hit obstacle;  /* what blocked it; of obstacles->set */
    gjk_nears near_misses; /* of moment.set, other than the hit; in the arena */
} gjk_judgement;

/*
 * Decided in this order: expired, future; no-target; rewind-limit; miss; blocked; other-target,
 * adjusted or confirmed. Up to rewind-limit nothing is told of hits and near misses.
 * OUT_OF_MEMORY and what else set queries fail with. Cost: a ray or cast at the set, one at the
 * obstacles, and gjk_set_near_ray.
 */
gjk_status gjk_shot_judge(const gjk_shot *shot, struct gjk_arena *arena,
                          gjk_judgement *out) GJK_MUST_USE;

#endif
