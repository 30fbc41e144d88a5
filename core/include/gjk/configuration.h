#ifndef GJK_CONFIGURATION_H
#define GJK_CONFIGURATION_H

/* Configurations: what if m bodies of a set stood at these m poses, and all others where they are?
 * A planner of motions asks that many times, row by row, of the links of a robot. */

#include "gjk/motion.h"
#include "gjk/set_query.h"

GJK_BEGIN

/* Two bodies of the set that may touch. */
typedef struct gjk_allowed_pair {
    const gjk_body *a, *b;
} gjk_allowed_pair;

/*
 * The question, but for the poses. A pair is one of the moved bodies with another body of the set
 * that the filter passes, or, with `self`, two of the moved bodies, other than those allowed. The
 * filter says nothing of the moved bodies; groups, categories and masks of them are not compared.
 */
typedef struct gjk_configuration_settings {
    const gjk_body *const *moved; /* of snapshot->set, each once, or others with ids of their own */
    uint32_t count;
    bool self;
    const gjk_allowed_pair *allowed;
    uint32_t allowed_count;
    const gjk_filter *filter;
    bool distance;    /* the nearest pair is asked for, not only whether any collides */
    double threshold; /* how far apart pairs are of interest; INFINITY: any */
    double tolerance; /* as in gjk_detect_settings */
    uint32_t max_iterations;
} gjk_configuration_settings;

/* The settings made ready for many rows. */
struct gjk_configurations;

/* Prepares rows, in the arena. Borrows all that the arguments point to while it is used. Any number
 * of threads may ask rows at once. OUT_OF_MEMORY, GIVEN_UP. O((m + allowed) log). */
gjk_status gjk_configurations_new(const gjk_snapshot *snapshot,
                                  const gjk_configuration_settings *settings,
                                  struct gjk_arena *arena,
                                  struct gjk_configurations **out) GJK_MUST_USE;

/*
 * Answer of one row. colliding: some pair does. Without `distance`, a and b (a before b by id) are
 * the least such pair by its ids, or NULL. With it, the nearest pair by signed distance within the
 * threshold, the least by ids among equals, or NULL, and result is what gjk_distance says of the
 * two, signed; of an overlap lower_bound is signed_distance. The normal points from the moved body
 * to the other, whichever is a; of two that move, from a to b. Of a continuous row that touches on
 * its way, the pair is the one that touches first.
 */
typedef struct gjk_configuration {
    bool colliding;
    const gjk_body *a, *b;
    gjk_distance_result result; /* with `distance`, where there is a pair; else its convergence */
    double fraction; /* of the motion, where the pair touches; 1 where nothing collides */
} gjk_configuration;

/* Hint of one row for the next, which makes that faster and changes no answer. All zero at first;
 * of one thread at a time. */
typedef struct gjk_configuration_hint {
    const gjk_body *a, *b;
} gjk_configuration_hint;

/*
 * Asks with moved body i at poses[i]. `before`: NULL, or the poses that the bodies come from; then
 * the row covers the motion from there too, each body moving straight while it turns by the
 * shortest arc, as gjk_cast_turning has it: what touches at any time collides. The same bits as
 * gjk_detect and gjk_distance of the pairs alone. GIVEN_UP where the budget (NULL: endless), which
 * is the thread's own, is spent. Cost: for each moved body a walk down the set's tree and a query
 * for each pair whose boxes meet (distances: that are nearer than the nearest pair so far); no
 * memory.
 *
 *     struct gjk_configurations *rows;
 *     gjk_configuration_hint hint = {0};
 *     status = gjk_configurations_new(&snapshot, &settings, &arena, &rows);
 *     for (uint32_t row = 0; status == GJK_OK && row < n; row++)
 *         status = gjk_configuration_ask(rows, &poses[row * m], NULL, NULL, &hint, &answers[row]);
 */
gjk_status gjk_configuration_ask(const struct gjk_configurations *configurations,
                                 const gjk_pose *poses, const gjk_pose *before, gjk_budget *budget,
                                 gjk_configuration_hint *hint, gjk_configuration *out) GJK_MUST_USE;

/*
 * The nearest pairs of a row, at most limit >= 1, each once: within the threshold, by signed
 * distance, then by ids, in memory of the arena; results are as in gjk_configuration. `truncated`
 * tells that more exist. Precondition: the settings ask for distances. OUT_OF_MEMORY; GIVEN_UP
 * where the arena's budget is spent. Cost: as above, with the farthest pair that is kept in place
 * of the nearest.
 */
gjk_status gjk_configuration_nearest(const struct gjk_configurations *configurations,
                                     const gjk_pose *poses, uint32_t limit, struct gjk_arena *arena,
                                     gjk_pair_nears *out) GJK_MUST_USE;

GJK_END

#endif
