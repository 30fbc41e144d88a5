/*
 * A shape as columns: what PUT of a shape takes where it is too large for JSON. The message is
 * decoded, and the shape made, before the set's writer lock is taken.
 */

#include "handlers/change.h"
#include "handlers/columns.h"
#include "proto/columns.h"
#include "request/context.h"

struct definition {
    proto_shape shape;
    proto_edit edit;
    const proto_limits *limits;
    bool was_there;
};

static bool check_count(const struct definition *definition, const struct gjkd_version *current,
                        struct proto_problem *problem) {
    const uint64_t limit = definition->limits->shapes_per_set_max;
    if (definition->was_there || gjk_set_count(current->set) < limit) {
        return true;
    }
    proto_problem_set(problem, PROTO_TOO_MANY, "%u shapes, at most %llu are allowed",
                      gjk_set_count(current->set) + 1, (unsigned long long)limit);
    return proto_problem_limit(problem, limit);
}

static bool derive(void *user, const struct gjkd_version *current, proto_edits *out,
                   struct proto_problem *problem) {
    struct definition *definition = user;
    if (definition->shape.shape.dimension != current->dimension) {
        proto_problem_set(problem, PROTO_DIMENSION_MISMATCH, "the set is %uD, the message %uD",
                          current->dimension, definition->shape.shape.dimension);
        return proto_problem_point(problem, "/dimension");
    }
    definition->edit.self = gjk_set_find(current->set, definition->edit.id);
    definition->was_there = definition->edit.self != NULL;
    *out = (proto_edits){.items = &definition->edit, .count = 1};
    return check_count(definition, current, problem);
}

gjkd_outcome gjkd_columns_put_shape(struct gjkd_request *request, const char *id,
                                    struct gjkd_version **out, bool *was_there) {
    struct definition definition = {
        .edit = {.id = id, .kind = PROTO_EDIT_DEFINE},
        .limits = &request->context->limits,
    };
    definition.edit.shape = &definition.shape;
    if (!proto_decode_body_columns(gjkd_request_text(request), definition.limits, &request->arena,
                                   &definition.shape, &request->problem)) {
        gjkd_request_refuse(request);
        return GJKD_REFUSED;
    }
    gjkd_request_mark_decoded(request);
    if (!gjkd_request_claim(request)) {
        return GJKD_REFUSED; /* the client has been told that time is up: change nothing */
    }
    const gjkd_write write = gjkd_write_make(request);
    const gjkd_deriver deriver = {derive, &definition, false};
    gjkd_outcome outcome = gjkd_commit_edit(&write, id, &deriver, out);
    if (outcome == GJKD_REFUSED) {
        gjkd_request_refuse(request);
    }
    *was_there = definition.was_there;
    return outcome;
}
