/* Single shapes. They are written as a change of their set, and with its ETag; only whether the
 * shape itself exists is asked of it alone. */

#include "handlers/change.h"
#include "handlers/columns.h"
#include "handlers/handlers.h"
#include "request/context.h"

/* /v1/sets/{set}/shapes/{id} */
#define ID_SEGMENT 4

static const char *id_of(const struct gjkd_request *request) {
    return request->path.segments[ID_SEGMENT].text;
}

static bool has_good_id(struct gjkd_request *request) {
    const gjkd_segment *id = &request->path.segments[ID_SEGMENT];
    uint64_t max = request->context->limits.id_bytes_max;
    if (proto_is_id(id->text, id->length, max)) {
        return true;
    }
    proto_problem_set(&request->problem, PROTO_BAD_NAME,
                      "an id has 1 to %llu characters of [A-Za-z0-9._~:@/-], with no segment "
                      "between slashes empty, \".\" or \"..\"",
                      (unsigned long long)max);
    if (id->length > max) {
        proto_problem_limit(&request->problem, max);
    }
    gjkd_request_refuse(request);
    return false;
}

static void reply_shape(struct gjkd_request *request, int status,
                        const struct gjkd_version *version, const gjk_body *body) {
    struct proto_buffer out;
    proto_stored stored = gjkd_stored_view(body);
    proto_buffer_init(&out, &request->arena);
    proto_encode_shape(&out, version->dimension, &stored, body->handle, version->revision);
    gjkd_version_etag(version, request->reply.etag);
    gjkd_request_reply(request, status, &out);
}

/* Answers what the shape is the union of. */
static void reply_pieces(struct gjkd_request *request, const gjk_body *body) {
    struct proto_buffer out;
    proto_buffer_init(&out, &request->arena);
    if (!proto_encode_pieces(&out, body->placed.shape)) {
        gjkd_request_fail(request, PROTO_BAD_REQUEST,
                          "fields=pieces is for a region, chain, mesh or heightfield");
        return;
    }
    gjkd_version_etag(request->version, request->reply.etag);
    gjkd_request_reply(request, 200, &out);
}

void gjkd_handle_get_shape(struct gjkd_request *request) {
    if (request->version == NULL) {
        gjkd_reply_no_set(request);
        return;
    }
    const gjk_body *body = gjk_set_find(request->version->set, id_of(request));
    if (body == NULL) {
        gjkd_request_fail(request, PROTO_SHAPE_NOT_FOUND, "there is no shape \"%.140s\" in the set",
                          id_of(request));
    } else if (gjkd_may_read(request) && request->params.pieces) {
        reply_pieces(request, body);
    } else if (request->reply.status == 0) {
        reply_shape(request, 200, request->version, body);
    }
}

static void write_shape(struct gjkd_request *request, proto_change_form form) {
    struct gjkd_version *version = NULL;
    bool was_there = false;
    if (has_good_id(request) && gjkd_change_make(request, form, id_of(request), NULL, &version,
                                                 &was_there) != GJKD_REFUSED) {
        reply_shape(request, was_there ? 200 : 201, version,
                    gjk_set_find(version->set, id_of(request)));
    }
    gjkd_version_release(version);
}

/* A shape that came as columns is not told again, but how many pieces it has. */
static void put_columns(struct gjkd_request *request) {
    struct gjkd_version *version = NULL;
    bool was_there = false;
    if (has_good_id(request) &&
        gjkd_columns_put_shape(request, id_of(request), &version, &was_there) != GJKD_REFUSED) {
        const gjk_body *body = gjk_set_find(version->set, id_of(request));
        struct proto_buffer out;
        proto_buffer_init(&out, &request->arena);
        proto_encode_stored(&out, body, version->revision);
        gjkd_version_etag(version, request->reply.etag);
        gjkd_request_reply(request, was_there ? 200 : 201, &out);
    }
    gjkd_version_release(version);
}

void gjkd_handle_put_shape(struct gjkd_request *request) {
    if (request->columns_in) {
        put_columns(request);
    } else {
        write_shape(request, PROTO_PUT_SHAPE);
    }
}

void gjkd_handle_patch_shape(struct gjkd_request *request) {
    write_shape(request, PROTO_PATCH_SHAPE);
}

/* --- DELETE --- */

static bool derive_removal(void *user, const struct gjkd_version *current, proto_edits *out,
                           struct proto_problem *problem) {
    proto_edit *removal = user;
    removal->self = gjk_set_find(current->set, removal->id);
    if (removal->self == NULL) {
        return proto_problem_set(problem, PROTO_SHAPE_NOT_FOUND,
                                 "there is no shape \"%.140s\" in the set", removal->id);
    }
    *out = (proto_edits){.items = removal, .count = 1};
    return true;
}

void gjkd_handle_delete_shape(struct gjkd_request *request) {
    proto_edit removal = {.id = id_of(request), .kind = PROTO_EDIT_REMOVE};
    const gjkd_deriver deriver = {derive_removal, &removal, false};
    gjkd_write write = gjkd_write_make(request);
    struct gjkd_version *version = NULL;
    write.refuses_missing = true;
    if (!gjkd_request_claim(request)) {
        return;
    }
    if (gjkd_commit_edit(&write, removal.id, &deriver, &version) == GJKD_REFUSED) {
        gjkd_request_refuse(request);
        return;
    }
    gjkd_version_etag(version, request->reply.etag);
    request->reply.status = 204;
    gjkd_version_release(version);
}
