#ifndef GJKD_HANDLERS_HANDLERS_H
#define GJKD_HANDLERS_HANDLERS_H

/* The handlers that the table of operations names. All have the form of gjkd_handler. */

#include <stdbool.h>

struct gjkd_request;
struct gjkd_query_context;

/* handle_ops.c: what the daemon tells of itself */
void gjkd_handle_about(struct gjkd_request *request);
void gjkd_handle_openapi(struct gjkd_request *request);
void gjkd_handle_root(struct gjkd_request *request);
void gjkd_handle_playground(struct gjkd_request *request);
void gjkd_handle_live(struct gjkd_request *request);
void gjkd_handle_ready(struct gjkd_request *request);
void gjkd_handle_metrics(struct gjkd_request *request);
void gjkd_handle_problem(struct gjkd_request *request);

/* handle_set.c: whole sets */
void gjkd_handle_list_sets(struct gjkd_request *request);
void gjkd_handle_put_set(struct gjkd_request *request);
void gjkd_handle_get_set(struct gjkd_request *request);
void gjkd_handle_patch_set(struct gjkd_request *request);
void gjkd_handle_delete_set(struct gjkd_request *request);

/* handle_shape.c: single shapes */
void gjkd_handle_get_shape(struct gjkd_request *request);
void gjkd_handle_put_shape(struct gjkd_request *request);
void gjkd_handle_patch_shape(struct gjkd_request *request);
void gjkd_handle_delete_shape(struct gjkd_request *request);

/* handle_tick.c: what a set remembers */
void gjkd_handle_get_ticks(struct gjkd_request *request);
void gjkd_handle_get_tick(struct gjkd_request *request);
void gjkd_handle_put_tick(struct gjkd_request *request);

/* handle_detect.c, handle_distance.c ...: questions, with a set or without, alone ... */
void gjkd_handle_detect(struct gjkd_request *request);
void gjkd_handle_distance(struct gjkd_request *request);
void gjkd_handle_raycast(struct gjkd_request *request);
void gjkd_handle_cast(struct gjkd_request *request);
void gjkd_handle_hit(struct gjkd_request *request);

/* ... and as what a batch is made of: all have the form of gjkd_answer */
bool gjkd_answer_detect(struct gjkd_query_context *context);
bool gjkd_answer_distance(struct gjkd_query_context *context);
bool gjkd_answer_raycast(struct gjkd_query_context *context);
bool gjkd_answer_cast(struct gjkd_query_context *context);
bool gjkd_answer_hit(struct gjkd_query_context *context);
void gjkd_handle_batch(struct gjkd_request *request);

#endif
