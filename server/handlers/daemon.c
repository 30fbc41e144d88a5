/*
 * Routes about the daemon itself: probes, metrics, limits, explanations of problems, and embedded
 * files. All but /v1/cluster are answered on the loop, so that queries do not delay probes.
 */

#include "handlers/change.h"
#include "handlers/handlers.h"
#include "request/context.h"
#include "request/request.h"
#include "request/telemetry.h"
#include "sets/registry.h"
#include "util/files.h"
#include "util/head.h"
#include "util/log.h"
#include "util/process.h"

#include <stdlib.h>
#include <string.h>

#define METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

static void reply_status(struct gjkd_request *request, const char *status, const char *detail) {
    struct proto_buffer body;
    proto_buffer_init(&body, &request->arena);
    proto_encode_status(&body, status, detail);
    gjkd_request_reply(request, 200, &body);
}

void gjkd_handle_live(struct gjkd_request *request) {
    reply_status(request, "ok", NULL);
}

/* Replies with the state of a node. The status is 200, since reads work in any state. */
static void reply_state(struct gjkd_request *request) {
    const gjkd_cluster_measure measure = gjkd_cluster_measure_now(request->context->cluster);
    const char *detail =
        measure.state == GJKD_CLUSTER_DEGRADED ? atomic_load(&request->context->obstacle) : NULL;
    char age[80];
    if (detail == NULL && measure.is_stale) {
        snprintf(age, sizeof age, "what this node shows may be %llu ms old",
                 (unsigned long long)(measure.age_ns / 1000000));
        detail = age;
    }
    reply_status(request,
                 measure.state == GJKD_CLUSTER_READY ? "ok"
                                                     : gjkd_cluster_state_name(measure.state),
                 detail);
}

/* Replies with the state of the store. The status is 200, since reads work in any state. */
static void reply_store(struct gjkd_request *request) {
    const gjkd_store_measure measure = gjkd_disk_store_measure(request->context->disk);
    char detail[64];
    if (measure.is_hanging) {
        snprintf(detail, sizeof detail, "the disk has not answered for %llu s",
                 (unsigned long long)(measure.oldest_wait_ns / 1000000000));
        reply_status(request, "degraded", detail);
    } else if (measure.has_moved) {
        reply_status(request, "degraded",
                     "sets.db or its log was deleted or moved: writes are refused");
    } else {
        reply_status(request, "ok", NULL);
    }
}

static void fail_loading(struct gjkd_request *request) {
    gjkd_load_progress *progress = &request->context->progress;
    if (request->context->config->cluster[0] != '\0') {
        const char *obstacle = atomic_load(&request->context->obstacle);
        gjkd_request_fail(request, PROTO_NOT_READY, "the node is not ready: %s",
                          obstacle != NULL ? obstacle
                                           : "it is still taking the log of its cluster");
        return;
    }
    gjkd_request_fail(request, PROTO_NOT_READY,
                      "the daemon is still loading its sets: %llu with all their shapes and "
                      "%llu shapes so far",
                      (unsigned long long)atomic_load(&progress->sets),
                      (unsigned long long)atomic_load(&progress->shapes));
}

void gjkd_handle_ready(struct gjkd_request *request) {
    if (gjkd_is_draining(request->context)) {
        gjkd_request_fail(request, PROTO_DRAINING, "the daemon is shutting down");
    } else if (gjkd_is_loading(request->context)) {
        fail_loading(request);
    } else if (request->context->cluster != NULL) {
        reply_state(request);
    } else if (request->context->disk != NULL) {
        reply_store(request);
    } else {
        reply_status(request, "ok", NULL);
    }
}

void gjkd_handle_about(struct gjkd_request *request) {
    struct gjkd_context *context = request->context;
    struct proto_buffer body;
    const char *durability = context->config->cluster[0] != '\0'    ? "quorum"
                             : context->config->data_dir[0] != '\0' ? "disk"
                                                                    : "memory";
    const bool has_joined = !gjkd_is_loading(context) && context->cluster != NULL;
    proto_cluster cluster;
    if (has_joined) {
        const gjkd_cluster_measure measure = gjkd_cluster_measure_now(context->cluster);
        cluster = (proto_cluster){measure.name, measure.node,
                                  gjkd_cluster_state_name(measure.state), measure.lag};
    }
    proto_buffer_init(&body, &request->arena);
    proto_encode_about(&body, GJKD_VERSION_TEXT, durability, has_joined ? &cluster : NULL,
                       &context->limits);
    gjkd_request_reply(request, 200, &body);
}

void gjkd_handle_cluster(struct gjkd_request *request) {
    struct gjkd_cluster *cluster = request->context->cluster;
    proto_cluster_node nodes[GJKD_CLUSTER_MEMBERS_MAX];
    gjkd_cluster_overview overview;
    struct proto_buffer body;
    if (cluster == NULL) {
        gjkd_request_fail(request, PROTO_ROUTE_NOT_FOUND, "this daemon is in no cluster");
        return;
    }
    gjkd_cluster_look_over(cluster, &overview);
    const gjkd_cluster_measure measure = gjkd_cluster_measure_now(cluster);
    const proto_cluster about = {measure.name, measure.node, gjkd_cluster_state_name(measure.state),
                                 measure.lag};
    const proto_cluster_log log = {overview.leader, overview.servers, overview.bytes,
                                   overview.last};
    for (unsigned i = 0; i < overview.count; i++) {
        const gjkd_cluster_member *member = &overview.members[i];
        nodes[i] = (proto_cluster_node){member->node,   member->state, member->version,
                                        member->age_ms, member->last,  member->sets};
    }
    proto_buffer_init(&body, &request->arena);
    proto_encode_cluster(&body, &about, overview.is_seen ? &log : NULL, nodes, overview.count);
    gjkd_request_reply(request, 200, &body);
}

static void reply_file(struct gjkd_request *request, const struct gjkd_file *file,
                       const char *type) {
    if (gjkd_request_check_conditions(request, file->etag, NULL, true)) {
        gjkd_reply_set_body(&request->reply, type, (const char *)file->text, file->length);
        snprintf(request->reply.etag, sizeof request->reply.etag, "%s", file->etag);
    }
}

void gjkd_handle_openapi(struct gjkd_request *request) {
    reply_file(request, gjkd_file_find("openapi.json"), "application/json; charset=utf-8");
}

void gjkd_handle_schema(struct gjkd_request *request) {
    reply_file(request, gjkd_file_find("gjkd.proto"), "text/plain; charset=utf-8");
}

/* --- The playground --- */

/* Content-Security-Policy: pages load from and connect to the daemon only. `scripts` are further
 * sources of scripts. */
#define POLICY(scripts)                                                                        \
    "default-src 'none'; script-src 'self'" scripts "; style-src 'self'; connect-src 'self'; " \
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

void gjkd_handle_root(struct gjkd_request *request) {
    const char *accept = request->head.accept;
    if (gjkd_accept_weight(accept, "text/html") > gjkd_accept_weight(accept, GJKD_TYPE_JSON)) {
        reply_file(request, gjkd_file_find("playground/index.html"), "text/html; charset=utf-8");
    } else {
        gjkd_handle_about(request);
    }
    /* WebAssembly is allowed only if it is embedded. JSON gets the policy too, since Vary: Accept
     * is sent with it. */
    request->reply.policy =
        gjkd_file_find("playground/core.wasm") != NULL ? POLICY(" 'wasm-unsafe-eval'") : POLICY("");
}

/* Replies with an embedded file of a folder. A name without an ending is that of a page. */
static void reply_asset(struct gjkd_request *request, const char *folder, const char *asked) {
    const char *ending = strchr(asked, '.');
    const char *type = ending == NULL                 ? "text/html; charset=utf-8"
                       : strcmp(ending, ".js") == 0   ? "text/javascript; charset=utf-8"
                       : strcmp(ending, ".css") == 0  ? "text/css; charset=utf-8"
                       : strcmp(ending, ".png") == 0  ? "image/png"
                       : strcmp(ending, ".wasm") == 0 ? "application/wasm"
                                                      : NULL;
    char name[64];
    snprintf(name, sizeof name, "%s/%.40s%s", folder, asked, ending == NULL ? ".html" : "");
    const struct gjkd_file *file = gjkd_file_find(name);
    if (type == NULL || file == NULL) {
        gjkd_request_fail(request, PROTO_ROUTE_NOT_FOUND, "there is no such file");
        return;
    }
    reply_file(request, file, type);
    request->reply.policy = POLICY("");
}

void gjkd_handle_playground(struct gjkd_request *request) {
    reply_asset(request, "playground", request->match.variable.text);
}

void gjkd_handle_docs(struct gjkd_request *request) {
    const char *page = request->match.variable.text;
    reply_asset(request, "docs", page != NULL ? page : "index");
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
        .memory_bytes = gjkd_memory_used(),
        .jobs_queued = gjkd_pool_queued(&context->pool),
        .streams = atomic_load(&context->streams),
        .log_dropped = gjkd_log_dropped(),
        .packed = gjkd_packed_measure_now(&context->packed),
        .ready = !gjkd_is_draining(context) && !gjkd_is_loading(context),
    };
    if (context->disk != NULL && !gjkd_is_loading(context)) {
        gauges.store = gjkd_disk_store_measure(context->disk);
    }
    if (context->cluster != NULL && !gjkd_is_loading(context)) {
        gauges.cluster = gjkd_cluster_measure_now(context->cluster);
    }
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
