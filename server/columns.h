#ifndef GJKD_COLUMNS_H
#define GJKD_COLUMNS_H

/* Queries by column message: one handler an operation, and answers of JSON queries as messages. */

#include "change.h"
#include "proto/columns.h"
#include "question.h"

/* The operation's handler where job->columns_in. */
void gjkd_columns_raycast(struct gjkd_job *job);
void gjkd_columns_detect(struct gjkd_job *job);
void gjkd_columns_distance(struct gjkd_job *job);

/* The job's body, a message of poses, as a tick: as gjkd_change_make does with JSON. */
gjkd_outcome gjkd_columns_put_tick(struct gjkd_job *job, const gjkd_stamp *stamp,
                                   struct gjkd_version **out) GJK_MUST_USE;

/*
 * A JSON query whose client wants a message (job->columns_out): the answer of one row. For
 * answers that have no such form: false, and refused with not-acceptable.
 */
bool gjkd_columns_print_hit(struct gjkd_question *question, const gjk_ray_hit *hit);
bool gjkd_columns_print_detect(struct gjkd_question *question, const gjk_detect_result *result);
bool gjkd_columns_print_distance(struct gjkd_question *question, const gjk_distance_result *result);
bool gjkd_columns_refuse(struct gjkd_question *question);

#endif
