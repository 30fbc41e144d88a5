#ifndef GJKD_HANDLERS_CHANGE_H
#define GJKD_HANDLERS_CHANGE_H

/* Shared by the handlers of sets, shapes and ticks. */

#include "request/request.h"
#include "sets/commit.h"

/* Of the set in the request's path, with the request's preconditions and its problem. */
gjkd_write gjkd_write_make(struct gjkd_request *request);

/* Refuses a body that is not decoded. Returns false also if time is up, as was answered: nothing may
 * change then. */
bool gjkd_may_write(struct gjkd_request *request, bool is_decoded) GJK_MUST_USE;

/* Refuses a column message of another dimension than the set's, whose columns stand at that place.
 * Returns false then, with the problem set. */
bool gjkd_check_dimension(const struct gjkd_version *current, uint32_t dimension, const char *place,
                          struct proto_problem *problem) GJK_MUST_USE;

/*
 * Takes the request's body as a change of that form and makes it, once the request has been
 * claimed. shape: its id in the path, or NULL; stamp: that of a tick, or NULL. POST_TICK: the
 * queries beside it have been read for the dimension of request->version. Unless refused, *out is
 * the version that has it, to be released; if refused, it has its reply (or its time was up and
 * nothing was done). *was_there, if not NULL: whether the shape existed before.
 */
gjkd_outcome gjkd_change_make(struct gjkd_request *request, proto_change_form form,
                              const char *shape, const gjkd_stamp *stamp, struct gjkd_version **out,
                              bool *was_there) GJK_MUST_USE;

/* The same without a reply to what is refused, for whoever holds memory that a refusal clears:
 * request->problem is set, unless time was up. */
gjkd_outcome gjkd_change_try(struct gjkd_request *request, proto_change_form form,
                             const char *shape, const gjkd_stamp *stamp, struct gjkd_version **out,
                             bool *was_there) GJK_MUST_USE;

/* Replies. */
void gjkd_reply_summary(struct gjkd_request *request, int status,
                        const struct gjkd_version *version);
void gjkd_reply_no_set(struct gjkd_request *request);

/* May the request's version be read, as far as the preconditions say? False: 304, 412 or 400 is the
 * reply. */
bool gjkd_may_read(struct gjkd_request *request) GJK_MUST_USE;

#endif
