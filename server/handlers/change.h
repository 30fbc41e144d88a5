#ifndef GJKD_HANDLERS_CHANGE_H
#define GJKD_HANDLERS_CHANGE_H

/* Shared by the handlers of sets, shapes and ticks. */

#include "request/request.h"
#include "sets/commit.h"

/* Returns a write to the set in the path, with the request's preconditions and problem. */
gjkd_write gjkd_write_make(struct gjkd_request *request);

/* Claims a request for a write, or refuses it if its body is not decoded. Returns false if it is
 * refused or its deadline was answered: the caller must not change anything. */
bool gjkd_may_write(struct gjkd_request *request, bool is_decoded) GJK_MUST_USE;

/* Returns false with *problem set if a column message has another dimension than the set.
 * `message` points to the message in the body. */
bool gjkd_check_dimension(const struct gjkd_version *current, uint32_t dimension,
                          const char *message, struct proto_problem *problem) GJK_MUST_USE;

/*
 * Decodes the request's body as a change of that form, claims the request and commits the change.
 * `shape` is the id in the path, or NULL; `stamp` that of a tick, or NULL. For POST_TICK the
 * queries must be decoded for the dimension of request->version. On success *out is the version
 * with the change, which the caller releases. If refused, nothing has changed and the request
 * has its reply, or its deadline was answered. *was_there, unless NULL: the shape existed before.
 */
gjkd_outcome gjkd_change_make(struct gjkd_request *request, proto_change_form form,
                              const char *shape, const gjkd_stamp *stamp, struct gjkd_version **out,
                              bool *was_there) GJK_MUST_USE;

/* Does the same, but sets only request->problem if refused, and not even that if the deadline was
 * answered. For callers with memory that a refusal frees. */
gjkd_outcome gjkd_change_try(struct gjkd_request *request, proto_change_form form,
                             const char *shape, const gjkd_stamp *stamp, struct gjkd_version **out,
                             bool *was_there) GJK_MUST_USE;

/* Replies with the summary of a version. */
void gjkd_reply_summary(struct gjkd_request *request, int status,
                        const struct gjkd_version *version);

/* Returns true if the preconditions allow to read the request's version. Otherwise the reply is
 * 304, 412 or 400. */
bool gjkd_may_read(struct gjkd_request *request) GJK_MUST_USE;

#endif
