/* Encodes replies that are not about shapes: the service, its limits, problems, and calls over a
 * stream. */

#include "gjk/pieces.h"
#include "proto/call.h"
#include "proto/reply.h"
#include "json/writer.h"

/* --- The service --- */

proto_limits proto_limits_default(void) {
    return (proto_limits){
        .body_bytes_max = 16777216,
        .batch_queries_max = 65536,
        .sets_max = 10000,
        .shapes_per_set_max = 1000000,
        .points_per_hull_max = GJK_POINTS_MAX,
        .pieces_per_shape_max = GJK_PIECES_MAX,
        .history_ticks_max = 4096,
        .id_bytes_max = 128,
        .meta_bytes_max = 4096,
        .answers_max = 1000000,
        .watches_max = 4096,
    };
}

void proto_encode_about(struct proto_buffer *out, const char *version, const char *durability,
                        const proto_cluster *cluster, const proto_limits *limits) {
    static const char *const links[][2] = {
        {"self", "/v1"},          {"openapi", "/openapi.json"}, {"sets", "/v1/sets"},
        {"detect", "/v1/detect"}, {"distance", "/v1/distance"}, {"raycast", "/v1/raycast"},
        {"cast", "/v1/cast"},     {"batch", "/v1/batch"},       {"live", "/livez"},
        {"ready", "/readyz"},     {"metrics", "/metrics"},
    };
    const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {
        {"body_bytes_max", limits->body_bytes_max},
        {"batch_queries_max", limits->batch_queries_max},
        {"sets_max", limits->sets_max},
        {"shapes_per_set_max", limits->shapes_per_set_max},
        {"points_per_hull_max", limits->points_per_hull_max},
        {"pieces_per_shape_max", limits->pieces_per_shape_max},
        {"history_ticks_max", limits->history_ticks_max},
        {"id_bytes_max", limits->id_bytes_max},
        {"meta_bytes_max", limits->meta_bytes_max},
        {"answers_max", limits->answers_max},
        {"watches_max", limits->watches_max},
    };

    proto_put_text(out, "{\"name\":\"gjkd\"");
    proto_put_named_text(out, "version", version);
    proto_put_named_text(out, "durability", durability);
    if (cluster != NULL) {
        proto_put_open(out, "cluster", "{");
        proto_put_named_text(out, "name", cluster->name);
        proto_put_named_text(out, "node", cluster->node);
        proto_put_named_text(out, "state", cluster->state);
        proto_put_named_integer(out, "revision_lag", cluster->lag);
        proto_put_text(out, "}");
    }
    proto_put_open(out, "limits", "{");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        proto_put_named_integer(out, numbers[i].name, numbers[i].value);
    }
    proto_put_text(out, "}");
    proto_put_open(out, "links", "{");
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        proto_put_named_text(out, links[i][0], links[i][1]);
    }
    proto_put_text(out, "}}");
}

void proto_encode_cluster(struct proto_buffer *out, const proto_cluster *cluster,
                          const proto_cluster_log *log, const proto_cluster_node *nodes,
                          size_t count) {
    proto_put_text(out, "{");
    proto_put_named_text(out, "name", cluster->name);
    proto_put_named_text(out, "node", cluster->node);
    proto_put_named_text(out, "state", cluster->state);
    if (log == NULL) {
        proto_put_text(out, ",\"log\":null");
    } else {
        proto_put_open(out, "log", "{");
        if (log->leader[0] != '\0') {
            proto_put_named_text(out, "leader", log->leader);
        } else {
            proto_put_text(out, "\"leader\":null");
        }
        proto_put_named_integer(out, "servers", log->servers);
        proto_put_named_integer(out, "bytes", log->bytes);
        proto_put_named_integer(out, "last", log->last);
        proto_put_text(out, "}");
    }
    proto_put_open(out, "nodes", "[");
    for (size_t i = 0; i < count; i++) {
        proto_put_text(out, i > 0 ? ",{" : "{");
        proto_put_named_text(out, "node", nodes[i].node);
        proto_put_named_text(out, "state", nodes[i].state);
        proto_put_named_integer(out, "age_ms", nodes[i].age_ms);
        proto_put_named_integer(out, "last", nodes[i].last);
        proto_put_named_integer(out, "sets", nodes[i].sets);
        proto_put_named_text(out, "version", nodes[i].version);
        proto_put_text(out, "}");
    }
    proto_put_text(out, "]}");
}

void proto_encode_status(struct proto_buffer *out, const char *status, const char *detail) {
    proto_put_text(out, "{");
    proto_put_named_text(out, "status", status);
    if (detail != NULL) {
        proto_put_named_text(out, "detail", detail);
    }
    proto_put_text(out, "}");
}

/* --- Problems: application/problem+json (RFC 9457) --- */

static void put_head(struct proto_buffer *out, proto_code code, const char *detail) {
    proto_put_text(out, "{\"type\":\"/problems/");
    proto_put_text(out, proto_code_text(code));
    proto_put_text(out, "\"");
    proto_put_named_text(out, "title", proto_code_title(code));
    proto_put_named_integer(out, "status", (uint64_t)proto_code_status(code));
    proto_put_named_text(out, "detail", detail);
    proto_put_named_text(out, "code", proto_code_text(code));
}

/*
 * `errors` lists the mistakes and their places in the body. It is present with status 422 (a
 * mistake in the body), and with any other status if a place is known.
 */
void proto_encode_problem(struct proto_buffer *out, const struct proto_problem *problem) {
    const proto_error first = {problem->code, problem->pointer, problem->detail};

    put_head(out, problem->code, problem->detail);
    if (problem->hint[0] != '\0') {
        proto_put_named_text(out, "hint", problem->hint);
    }
    if (problem->has_limit) {
        proto_put_named_integer(out, "limit", problem->limit);
    }
    if (problem->revision != 0) {
        proto_put_named_integer(out, "revision", problem->revision);
    }
    if (proto_code_status(problem->code) == 422 || problem->pointer[0] != '\0') {
        proto_put_open(out, "errors", "[");
        for (uint32_t i = 0; i <= problem->more_count; i++) {
            const proto_error *error = i == 0 ? &first : &problem->more[i - 1];
            proto_put_item(out);
            proto_put_text(out, "{");
            proto_put_named_text(out, "pointer", error->pointer);
            proto_put_named_text(out, "code", proto_code_text(error->code));
            proto_put_named_text(out, "detail", error->detail);
            proto_put_text(out, "}");
        }
        proto_put_text(out, "]");
    }
    proto_put_text(out, "}");
}

void proto_encode_code(struct proto_buffer *out, proto_code code) {
    put_head(out, code, proto_code_explanation(code));
    proto_put_text(out, "}");
}

void proto_encode_error(struct proto_buffer *out, const struct proto_problem *problem) {
    proto_put_text(out, "{\"error\":");
    proto_encode_problem(out, problem);
    proto_put_text(out, "}");
}

/* --- Calls over a stream --- */

void proto_encode_answer_begin(struct proto_buffer *out, const proto_call_answer *answer) {
    proto_put_text(out, "{");
    proto_put_named_integer(out, "id", answer->id);
    proto_put_named_integer(out, "status", answer->status);
    if (answer->header_count > 0) {
        proto_put_open(out, "headers", "{");
        for (uint32_t i = 0; i < answer->header_count; i++) {
            proto_put_named_text(out, answer->headers[i].name, answer->headers[i].value);
        }
        proto_put_text(out, "}");
    }
    if (answer->content_type != NULL) {
        proto_put_key(out, "body");
    }
}

void proto_encode_event_begin(struct proto_buffer *out, uint64_t id) {
    proto_put_text(out, "{");
    proto_put_named_integer(out, "id", id);
    proto_put_key(out, "event");
}

void proto_encode_event_id(struct proto_buffer *out, proto_text id) {
    proto_put_text(out, "{");
    proto_put_key(out, "id");
    proto_encode_text(out, id);
    proto_put_text(out, ",");
}

void proto_encode_text(struct proto_buffer *out, proto_text text) {
    proto_put_string(out, text.data, text.length);
}
