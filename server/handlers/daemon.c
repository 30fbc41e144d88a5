/*
 * What the daemon tells of itself: probes, metrics, limits, and what its problems mean.
 * All of it is answered on the loop, so that no query ever holds a probe up.
 */

#include "handlers/handlers.h"
#include "request/context.h"
#include "request/request.h"
#include "request/telemetry.h"
#include "sets/registry.h"
#include "util/files.h"
#include "util/log.h"
#include "util/media.h"
#include "util/process.h"

#include <stdlib.h>
#include <string.h>

#define METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

static void reply_status(struct gjkd_request *request) {
    struct proto_buffer body;
    proto_buffer_init(&body, &request->arena);
    proto_encode_status(&body, "ok");
    gjkd_request_reply(request, 200, &body);
}

void gjkd_handle_live(struct gjkd_request *request) {
    reply_status(request);
}

static bool is_ready(const struct gjkd_context *context) {
    return !gjkd_is_draining(context) && !gjkd_is_loading(context);
}

void gjkd_handle_ready(struct gjkd_request *request) {
    if (gjkd_is_draining(request->context)) {
        gjkd_request_fail(request, PROTO_DRAINING, "the daemon is shutting down");
    } else if (gjkd_is_loading(request->context)) {
        gjkd_request_fail(request, PROTO_NOT_READY, "the daemon is still loading its sets");
    } else {
        reply_status(request);
    }
}

void gjkd_handle_about(struct gjkd_request *request) {
    struct proto_buffer body;
    proto_buffer_init(&body, &request->arena);
    proto_encode_about(&body, GJKD_VERSION_TEXT, &request->context->limits);
    gjkd_request_reply(request, 200, &body);
}

static void reply_file(struct gjkd_request *request, const struct gjkd_file *file,
                       const char *type) {
    gjkd_reply_set_body(&request->reply, type, (const char *)file->text, file->length);
}

void gjkd_handle_openapi(struct gjkd_request *request) {
    reply_file(request, gjkd_file_find("openapi.json"), "application/json; charset=utf-8");
}

void gjkd_handle_schema(struct gjkd_request *request) {
    reply_file(request, gjkd_file_find("gjkd.proto"), "text/plain; charset=utf-8");
}

/* --- The playground --- */

/* Its page loads nothing from elsewhere and talks to nobody else. */
#define POLICY                                                                              \
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src " \
    "data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

void gjkd_handle_root(struct gjkd_request *request) {
    const char *accept = request->head.accept;
    if (gjkd_accept_weight(accept, "text/html") > gjkd_accept_weight(accept, GJKD_TYPE_JSON)) {
        reply_file(request, gjkd_file_find("playground/index.html"), "text/html; charset=utf-8");
    } else {
        gjkd_handle_about(request);
    }
    request->reply.policy = POLICY; /* and with it Vary, which holds for both forms */
}

void gjkd_handle_playground(struct gjkd_request *request) {
    char name[64];
    snprintf(name, sizeof name, "playground/%.40s", request->match.variable.text);
    const struct gjkd_file *file = gjkd_file_find(name);
    const char *ending = strrchr(name, '.');
    if (file == NULL || ending == NULL || strcmp(ending, ".html") == 0) {
        gjkd_request_fail(request, PROTO_ROUTE_NOT_FOUND, "the playground has no such file");
        return;
    }
    reply_file(request, file,
               strcmp(ending, ".js") == 0 ? "text/javascript; charset=utf-8"
                                          : "text/css; charset=utf-8");
}

void gjkd_handle_problem(struct gjkd_request *request) {
    const gjkd_segment *text = &request->match.variable;
    proto_code code = proto_code_find(text->text, text->length);
    if (code == PROTO_OK) {
        gjkd_request_fail(request, PROTO_ROUTE_NOT_FOUND, "no problem has this code");
        return;
    }
    struct proto_buffer body;
    proto_buffer_init(&body, &request->arena);
    proto_encode_code(&body, code);
    gjkd_request_reply(request, 200, &body);
}

void gjkd_handle_metrics(struct gjkd_request *request) {
    struct gjkd_context *context = request->context;
    gjkd_registry_size size = gjkd_registry_measure(context->registry);
    gjkd_gauges gauges = {
        .sets = size.sets,
        .shapes = size.shapes,
        .set_bytes = size.bytes,
        .memory_bytes = gjkd_budget_used(),
        .jobs_queued = gjkd_pool_queued(&context->pool),
        .log_dropped = gjkd_log_dropped(),
        .ready = is_ready(context),
    };
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out != NULL) {
        gjkd_telemetry_print(context->telemetry, &gauges, out);
        gjkd_process_print(out);
    }
    const char *copy = NULL;
    if (out != NULL && fclose(out) == 0) {
        copy = gjk_arena_copy_text(&request->arena, text, length);
    }
    free(text);
    if (copy == NULL) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the metrics");
        return;
    }
    gjkd_reply_set_body(&request->reply, METRICS_TYPE, copy, length);
}
