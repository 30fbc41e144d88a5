#ifndef GJK_SCENE_CONFIGURATIONS_H
#define GJK_SCENE_CONFIGURATIONS_H

/* Shared by the files about rows of configurations. */

#include "gjk/configuration.h"
#include "scene/scene.h"

typedef struct gjk_body_pair {
    const gjk_body *a, *b; /* by address, the lower one first */
} gjk_body_pair;

struct gjk_configurations {
    gjk_snapshot snapshot;
    gjk_configuration_settings settings;
    gjk_filter filter;
    gjk_detect_settings detect;
    gjk_distance_settings distance;
    const gjk_body **moved; /* sorted by address */
    uint32_t *indices;      /* which of the moved ones each of these is */
    uint32_t *order;        /* the moved ones by their ids */
    const char *least_id;   /* of the bodies that are not moved; NULL: there are none */
    gjk_body_pair *allowed; /* sorted */
};

/* A row keeps the boxes of its first so many moved bodies; that of any other is computed whenever
 * it is needed. */
#define GJK_ROW_BOXES 128

/* One row that is asked. Set member by member: it is large. */
typedef struct gjk_asked_row {
    const struct gjk_configurations *c;
    const gjk_pose *poses, *before;
    gjk_configuration *out;
    double bound; /* distances: signed */
    gjk_status status;
    gjk_selection selection;
    gjk_detect_settings detect; /* with the budget */
    gjk_distance_settings distance;
    gjk_set_walk walk;
    gjk_query_bounds boxes[GJK_ROW_BOXES]; /* of the moved bodies */
} gjk_asked_row;

/* A body that takes part, and where it stands in the row. */
typedef struct gjk_participant {
    const gjk_body *body;
    const gjk_placed *placed;
} gjk_participant;

/* Tests a pair, of which a comes first by id. Returns false if the budget is spent. */
typedef bool (*gjk_pair_test)(gjk_asked_row *row, const gjk_participant *a,
                              const gjk_participant *b);

/* The index of a moved body, or UINT32_MAX. */
uint32_t gjk_configuration_index(const struct gjk_configurations *c, const gjk_body *body);

bool gjk_configuration_allows(const struct gjk_configurations *c, const gjk_body *a,
                              const gjk_body *b);

/* Is the pair less, by its ids, than the row's? */
bool gjk_row_is_less(const gjk_asked_row *row, const gjk_body *a, const gjk_body *b);

/* Tests a pair, in the order of its ids. */
void gjk_row_test(gjk_asked_row *row, gjk_pair_test ask, const gjk_participant *p,
                  const gjk_participant *q);

/* Tests a moved body with those others that the walk, which is aimed, finds. */
void gjk_row_test_found(gjk_asked_row *row, const gjk_participant *moved, gjk_pair_test ask);

/* Finds the first contact of the motions from row->before to row->poses. */
void gjk_row_find_contact(gjk_asked_row *row);

#endif
