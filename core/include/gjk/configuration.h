#ifndef GJK_CONFIGURATION_H
#define GJK_CONFIGURATION_H

/* Configurations: tests m bodies of a set at m given poses, with all other bodies where they are. A
 * motion planner asks this many times, row by row, for the links of a robot. */

#include "gjk/motion.h"
#include "gjk/set_query.h"

GJK_BEGIN

/* Two bodies of the set that may touch: the pair is not tested. */
typedef struct gjk_allowed_pair {
    const gjk_body *a, *b;
} gjk_allowed_pair;

/*
 * Settings shared by all rows. A tested pair is a moved body with another body of the set that
 * passes the filter, or, with `self`, two moved bodies, unless the pair is in `allowed`. The filter
 * does not apply to moved bodies, and their groups, categories and masks are not compared.
 */
typedef struct gjk_configuration_settings {
    const gjk_body *const *moved; /* from snapshot->set, each once, or with other ids */
    uint32_t count;
    bool self;
    const gjk_allowed_pair *allowed;
    uint32_t allowed_count;
    const gjk_filter *filter;
    bool distance;    /* find the nearest pair, not only whether any pair collides */
    double threshold; /* largest distance of a reported pair; INFINITY: no limit */
    double tolerance; /* as in gjk_detect_settings */
    uint32_t max_iterations;
} gjk_configuration_settings;

/* Settings prepared for many rows. */
struct gjk_configurations;

/* Prepares the settings in the arena. Borrows everything the arguments point to for as long as *out
 * is used. Any number of threads may ask rows at the same time. OUT_OF_MEMORY, GIVEN_UP. O((m +
 * allowed) log). */
gjk_status gjk_configurations_new(const gjk_snapshot *snapshot,
                                  const gjk_configuration_settings *settings,
                                  struct gjk_arena *arena,
                                  struct gjk_configurations **out) GJK_MUST_USE;

/*
 * Answer of one row. `colliding` is true if any pair collides. Without `distance`, a and b (a
 * before b by id) are the first colliding pair by ids, or NULL. With `distance`, they are the
 * nearest pair within the threshold by signed distance, ties in the order of ids, or NULL; `result`
 * is the signed answer of gjk_distance for the two, and in an overlap its lower_bound is
 * signed_distance. The normal points from the moved body to the other one, whichever is a; between
 * two moved bodies, from a to b. In a row with motion (`before`) that has a contact on the way, the
 * pair is the one that touches first.
 */
typedef struct gjk_configuration {
    bool colliding;
    const gjk_body *a, *b;
    gjk_distance_result result; /* with `distance`: of that pair, or only its convergence */
    double fraction; /* part of the motion at which the pair touches; 1 if nothing collides */
} gjk_configuration;

/* Hint from one row to the next, which saves time and changes no answer. Initially all zero; used
 * by one thread at a time. */
typedef struct gjk_configuration_hint {
    const gjk_body *a, *b;
} gjk_configuration_hint;

/*
 * Answers one row, with moved body i at poses[i]. `before` is NULL or holds the poses where the
 * motion starts: the row then covers the whole motion, in which each body moves straight and turns
 * by the shortest arc as in gjk_cast_turning, and a contact at any time counts as a collision. The
 * result has the same bits as gjk_detect and gjk_distance for each pair alone. GIVEN_UP if the
 * budget (NULL: no limit), which belongs to the calling thread, is spent. Cost: for each moved body
 * a walk down the set's tree and a query for each pair whose boxes meet (with `distance`: whose
 * boxes are closer than the nearest pair so far); no memory.
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
 * Finds the nearest pairs of a row within the threshold, at most limit >= 1, each once, ordered by
 * signed distance, then by ids, allocated in the arena. Results are as in gjk_configuration.
 * `truncated` is true if there are more pairs. Precondition: the settings have `distance`.
 * OUT_OF_MEMORY; GIVEN_UP if the arena's budget is spent. Cost: as gjk_configuration_ask, where the
 * farthest kept pair takes the place of the nearest pair.
 */
gjk_status gjk_configuration_nearest(const struct gjk_configurations *configurations,
                                     const gjk_pose *poses, uint32_t limit, struct gjk_arena *arena,
                                     gjk_pair_nears *out) GJK_MUST_USE;

GJK_END

#endif
