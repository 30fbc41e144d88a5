/*
 * Turns the bodies of requests into writes. A body is parsed before the set's writer lock is taken
 * and merged under the lock, so that the lock is not held during parsing.
 */

#include "handlers/change.h"

#include "request/context.h"

#include <string.h>

gjkd_write gjkd_write_make(struct gjkd_request *request) {
    return (gjkd_write){
        .storage = request->context->storage,
        .change = &request->change,
        .name = request->match.variable.text,
        .if_match = request->head.if_match,
        .if_none_match = request->head.if_none_match,
        .etag = request->reply.etag,
        .problem = &request->problem,
        .budget = &request->budget,
    };
}

bool gjkd_may_write(struct gjkd_request *request, bool is_decoded) {
    gjkd_request_mark_decoded(request);
    return is_decoded ? gjkd_request_claim(request) : gjkd_request_refuse(request);
}

bool gjkd_check_dimension(const struct gjkd_version *current, uint32_t dimension,
                          const char *message, struct proto_problem *problem) {
    if (dimension == current->dimension) {
        return true;
    }
    proto_problem_set(problem, PROTO_DIMENSION_MISMATCH, "the set is %uD, the message %uD",
                      current->dimension, dimension);
    char pointer[32];
    snprintf(pointer, sizeof pointer, "%s/dimension", message);
    return proto_problem_point(problem, pointer);
}

/* --- Changes --- */

struct derivation {
    struct proto_change *change;
    const char *shape;
    uint32_t dimension; /* dimension that the set must have; 0: any */
    bool must_be_there;
    bool was_there;
};

static bool derive(void *user, const struct gjkd_version *current, proto_edits *out,
                   struct proto_problem *problem) {
    struct derivation *derivation = user;
    const proto_base base = gjkd_version_base(current);
    const char *shape = derivation->shape;
    derivation->was_there = shape != NULL && gjk_set_find(current->set, shape) != NULL;
    if (derivation->must_be_there && !derivation->was_there) {
        return proto_problem_set(problem, PROTO_SHAPE_NOT_FOUND,
                                 "there is no shape \"%.140s\" in the set", shape);
    }
    if (derivation->dimension != 0 && derivation->dimension != current->dimension) {
        return proto_problem_set(problem, PROTO_DIMENSION_MISMATCH,
                                 "the set has just become one of dimension %u", current->dimension);
    }
    return proto_change_apply(derivation->change, &base, out, problem);
}

gjkd_outcome gjkd_change_try(struct gjkd_request *request, proto_change_form form,
                             const char *shape, const gjkd_stamp *stamp, struct gjkd_version **out,
                             bool *was_there) {
    const proto_change_request change = {
        .body = gjkd_request_text(request),
        .form = form,
        .name = shape != NULL ? shape : request->match.variable.text,
        .limits = &request->context->limits,
        .arena = &request->arena,
    };
    struct derivation derivation = {
        .shape = shape,
        .dimension = form == PROTO_POST_TICK ? request->version->dimension : 0,
        .must_be_there = form == PROTO_PATCH_SHAPE,
    };
    gjkd_outcome outcome;
    bool is_claimed = false;
    do {
        if (!proto_change_open(&change, &derivation.change, &request->problem)) {
            return GJKD_REFUSED;
        }
        gjkd_request_mark_decoded(request);
        is_claimed = is_claimed || gjkd_request_claim(request);
        if (!is_claimed) {
            proto_change_close(derivation.change); /* the deadline was answered */
            return GJKD_REFUSED;
        }
        gjkd_write write = gjkd_write_make(request);
        write.refuses_missing = derivation.must_be_there;
        const gjkd_deriver deriver = {derive, &derivation, true};
        outcome = gjkd_commit_edit(&write, shape, stamp, &deriver, out);
        proto_change_close(derivation.change); /* before a refusal, which may free its memory */
    } while (outcome == GJKD_OVERTAKEN);
    if (was_there != NULL) {
        *was_there = derivation.was_there;
    }
    return outcome;
}

gjkd_outcome gjkd_change_make(struct gjkd_request *request, proto_change_form form,
                              const char *shape, const gjkd_stamp *stamp, struct gjkd_version **out,
                              bool *was_there) {
    gjkd_outcome outcome = gjkd_change_try(request, form, shape, stamp, out, was_there);
    if (outcome == GJKD_REFUSED && request->problem.code != PROTO_OK) {
        gjkd_request_refuse(request);
    }
    return outcome;
}

/* --- Replies --- */

/* Prints the summary with the handles of all shapes. Returns false if the budget is spent. */
static bool put_handles(struct proto_buffer *out, const proto_summary *summary,
                        const struct gjk_set *set, gjk_budget *budget) {
    gjk_set_iterator bodies = gjk_set_iterate(set, budget);
    proto_encode_handles_begin(out, summary);
    for (const gjk_body *body; !out->failed && (body = gjk_set_next(&bodies)) != NULL;) {
        proto_encode_handle(out, body);
    }
    proto_encode_shapes_end(out);
    return !gjk_budget_is_spent(budget);
}

void gjkd_reply_summary(struct gjkd_request *request, int status,
                        const struct gjkd_version *version) {
    proto_summary summary = gjkd_version_summary(version);
    struct proto_buffer body;
    proto_buffer_init_blocks(&body, &request->arena);
    const bool is_written = atomic_load(&request->fate) == GJKD_FATE_CLAIMED; /* no deadline */
    if (!request->params.handles) {
        proto_encode_summary(&body, &summary);
    } else if (!put_handles(&body, &summary, version->set, is_written ? NULL : &request->budget)) {
        gjkd_request_fail_late(request);
        return;
    }
    gjkd_version_etag(version, request->reply.etag);
    gjkd_request_reply(request, status, &body);
}

bool gjkd_may_read(struct gjkd_request *request) {
    char etag[GJKD_ETAG_MAX];
    gjkd_version_etag(request->version, etag);
    return gjkd_request_check_conditions(request, etag, NULL, true);
}
