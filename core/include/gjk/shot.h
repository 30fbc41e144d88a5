#ifndef GJK_SHOT_H
#define GJK_SHOT_H

/*
 * Verification of a shot: did it hit what the shooter claims? It is judged in the scene as the
 * shooter saw it, at some tick of the past; the judgement tells what the verdict follows from. A
 * pure function of its arguments.
 */

#include "gjk/history.h"
#include "gjk/set_query.h"

GJK_BEGIN

/* Every verdict and every reason: its name and its text in answers. */
#define GJK_VERDICT_MAP(X)                                                            \
    X(CONFIRMED, "confirmed")       /* the claimed body was hit first */              \
    X(ADJUSTED, "adjusted")         /* another body of the claimed one's group was */ \
    X(DENIED, "denied")             /* neither: see the reason */                     \
    X(UNVERIFIABLE, "unverifiable") /* there is no snapshot of that tick: see the reason */

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

/* Bodies of another set that are in the way. */
typedef struct gjk_obstacles {
    gjk_snapshot snapshot;    /* is read only where rewind is OK */
    gjk_rewind rewind;        /* of the tick, by the history of that set */
    const gjk_filter *filter; /* NULL: all of them are in the way */
} gjk_obstacles;

/* A shot to be judged. Bodies of the shooter's group are neither hit nor obstacles. The filter
 * applies to what can be hit or nearly hit, not to obstacles, which have their own, nor to whether
 * the claimed body exists. */
typedef struct gjk_shot {
    const char *shooter; /* a group; NULL: none */
    gjk_ray ray;
    double radius;                      /* of a ball that flies along the ray instead; 0: none */
    const char *claim_id, *claim_group; /* at most one is not NULL; none: any hit confirms */
    gjk_filter filter;
    double tolerance; /* as in gjk_ray_settings */
    uint32_t max_iterations;

    gjk_rewind rewind; /* of the tick, by the history; snapshot is read only where OK */
    gjk_snapshot snapshot;
    double age_ticks;               /* of the snapshot; 0 without rewinding */
    double max_rewind_ticks;        /* INFINITY: any */
    const gjk_obstacles *obstacles; /* NULL: none */
    uint32_t obstacles_count;
    double near_miss;         /* a distance; negative: near misses are not sought */
    uint32_t near_miss_limit; /* >= 1 where they are sought */
    gjk_budget *budget;       /* NULL: endless */
} gjk_shot;

/* The hit of a ball is reported as that of a ray: distance is how far it flew. */
typedef struct gjk_judgement {
    gjk_verdict verdict;
    gjk_reason reason;
    bool has_hit, has_obstacle;
    bool lacks_obstacles;  /* expired or future for the history of obstacle_set, not of the shot */
    gjk_ray_hit hit;       /* the first that the shot hits */
    gjk_ray_hit obstacle;  /* the first, if no farther than the hit */
    uint32_t obstacle_set; /* the first of the nearest obstacles, or of those that lack the tick */
    gjk_nears near_misses; /* of snapshot.set, other than the hit; in the arena */
} gjk_judgement;

/*
 * Decided in this order: expired, future, of the shot, then of the obstacles; no-target;
 * rewind-limit; miss; blocked; other-target, adjusted or confirmed. Up to rewind-limit the hit is
 * left out, near misses only where the shot is unverifiable. OUT_OF_MEMORY and what else set
 * queries fail with. Cost: a ray or cast at the set, one at each of the obstacles, and
 * gjk_set_near_ray.
 */
gjk_status gjk_shot_judge(const gjk_shot *shot, struct gjk_arena *arena,
                          gjk_judgement *out) GJK_MUST_USE;

GJK_END

#endif
