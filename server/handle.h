#ifndef GJKD_HANDLE_H
#define GJKD_HANDLE_H

/* The handlers that the table of operations names. All have the form of gjkd_handler. */

#include <stdbool.h>

struct gjkd_job;
struct gjkd_question;

/* handle_ops.c: what the daemon tells of itself */
void gjkd_handle_about(struct gjkd_job *job);
void gjkd_handle_openapi(struct gjkd_job *job);
void gjkd_handle_root(struct gjkd_job *job);
void gjkd_handle_playground(struct gjkd_job *job);
void gjkd_handle_live(struct gjkd_job *job);
void gjkd_handle_ready(struct gjkd_job *job);
void gjkd_handle_metrics(struct gjkd_job *job);
void gjkd_handle_problem(struct gjkd_job *job);

/* handle_set.c: whole sets */
void gjkd_handle_list_sets(struct gjkd_job *job);
void gjkd_handle_put_set(struct gjkd_job *job);
void gjkd_handle_get_set(struct gjkd_job *job);
void gjkd_handle_patch_set(struct gjkd_job *job);
void gjkd_handle_delete_set(struct gjkd_job *job);

/* handle_shape.c: single shapes */
void gjkd_handle_get_shape(struct gjkd_job *job);
void gjkd_handle_put_shape(struct gjkd_job *job);
void gjkd_handle_patch_shape(struct gjkd_job *job);
void gjkd_handle_delete_shape(struct gjkd_job *job);

/* handle_tick.c: what a set remembers */
void gjkd_handle_get_ticks(struct gjkd_job *job);
void gjkd_handle_get_tick(struct gjkd_job *job);
void gjkd_handle_put_tick(struct gjkd_job *job);

/* handle_detect.c, handle_distance.c ...: questions, with a set or without, alone ... */
void gjkd_handle_detect(struct gjkd_job *job);
void gjkd_handle_distance(struct gjkd_job *job);
void gjkd_handle_raycast(struct gjkd_job *job);
void gjkd_handle_cast(struct gjkd_job *job);
void gjkd_handle_hit(struct gjkd_job *job);

/* ... and as what a batch is made of: all have the form of gjkd_answer */
bool gjkd_answer_detect(struct gjkd_question *question);
bool gjkd_answer_distance(struct gjkd_question *question);
bool gjkd_answer_raycast(struct gjkd_question *question);
bool gjkd_answer_cast(struct gjkd_question *question);
bool gjkd_answer_hit(struct gjkd_question *question);
void gjkd_handle_batch(struct gjkd_job *job);

#endif
