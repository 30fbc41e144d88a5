#ifndef GJKD_HANDLERS_ANSWERS_H
#define GJKD_HANDLERS_ANSWERS_H

/*
 * The one place that prints the answers of queries, as JSON or, where the client wants that, as a
 * column message of one row. Lists are cut to the room that there is; iterations are counted. All
 * return true, or false with *context->problem set: status, where it is given, is what the core
 * said and may be a failure.
 */

#include "gjk/move.h"
#include "gjk/shot.h"
#include "request/query_context.h"

bool gjkd_answer_print_detect(struct gjkd_query_context *context, const gjk_detect_result *result);
bool gjkd_answer_print_distance(struct gjkd_query_context *context,
                                const gjk_distance_result *result);
bool gjkd_answer_print_hits(struct gjkd_query_context *context, gjk_status status, gjk_hits *hits);
bool gjkd_answer_print_pairs(struct gjkd_query_context *context, gjk_status status,
                             gjk_pair_hits *pairs);
bool gjkd_answer_print_nearest(struct gjkd_query_context *context, gjk_status status,
                               gjk_nears *nears);
bool gjkd_answer_print_near_pairs(struct gjkd_query_context *context, gjk_status status,
                                  gjk_pair_nears *pairs);
/* Mode `any` says only whether there is a hit. exits: where the ray leaves each of them, or
 * NULL. */
bool gjkd_answer_print_ray_hits(struct gjkd_query_context *context, gjk_status status,
                                gjk_ray_hits *hits, const double *exits);
bool gjkd_answer_print_cast_hits(struct gjkd_query_context *context, gjk_status status,
                                 gjk_cast_hits *hits);
/* Prints the answer of a query of a set in mode `any`. */
bool gjkd_answer_print_any(struct gjkd_query_context *context, bool hit);
bool gjkd_answer_print_move(struct gjkd_query_context *context, gjk_status status,
                            gjk_move_result *result);
/* rewind NULL: the set as it is. */
bool gjkd_answer_print_judgement(struct gjkd_query_context *context, gjk_status status,
                                 gjk_judgement *judgement, const proto_rewind *rewind);

/* Returns true if the answer of that query has a form as columns. Single pairs without a trace
 * have one, the closest hit of a ray or cast among stored shapes, shots without near misses,
 * and moves. */
bool gjkd_answer_fits_pair_columns(const proto_query *query);
bool gjkd_answer_fits_ray_columns(const proto_query *query);
bool gjkd_answer_fits_cast_columns(const proto_query *query);
bool gjkd_answer_fits_columns(const proto_query *query); /* of shots and moves */

#endif
