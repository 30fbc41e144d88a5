/* Encodes replies that are not about shapes: the service, its limits, problems, and calls over a
 * stream. */

#include "gjk/pieces.h"
#include "proto/call.h"
#include "proto/reply.h"
#include "json/writer.h"

/* --- The service --- */

proto_limits proto_limits_default(void) {
#define LIMIT(name, value) .name = (value),
    return (proto_limits){PROTO_LIMITS(LIMIT)};
#undef LIMIT
}

static void put_cluster(struct proto_buffer *out, const proto_cluster *cluster) {
    proto_put_named_text(out, "name", cluster->name);
    proto_put_named_text(out, "node", cluster->node);
    proto_put_named_text(out, "state", cluster->state);
}

void proto_encode_about(struct proto_buffer *out, const char *version, const char *durability,
                        const proto_cluster *cluster, const proto_limits *limits) {
    static const char *const links[][2] = {
        {"self", "/v1"},          {"openapi", "/openapi.json"}, {"sets", "/v1/sets"},
        {"detect", "/v1/detect"}, {"distance", "/v1/distance"}, {"raycast", "/v1/raycast"},
        {"cast", "/v1/cast"},     {"batch", "/v1/batch"},       {"live", "/livez"},
        {"ready", "/readyz"},     {"metrics", "/metrics"},
    };

    proto_put_text(out, "{\"name\":\"gjkd\"");
    proto_put_named_text(out, "version", version);
    proto_put_named_text(out, "durability", durability);
    if (cluster != NULL) {
        proto_put_open(out, "cluster", "{");
        put_cluster(out, cluster);
        proto_put_named_integer(out, "revision_lag", cluster->lag);
        proto_put_text(out, "}");
    }
    proto_put_open(out, "limits", "{");
#define LIMIT(name, value) proto_put_named_integer(out, #name, limits->name);
    PROTO_LIMITS(LIMIT)
#undef LIMIT
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
    put_cluster(out, cluster);
    if (log == NULL) {
        proto_put_named_text(out, "log", NULL);
    } else {
        proto_put_open(out, "log", "{");
        proto_put_named_text(out, "leader", log->leader[0] != '\0' ? log->leader : NULL);
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

static void put_code(struct proto_buffer *out, proto_code code, const char *detail) {
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

    put_code(out, problem->code, problem->detail);
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
    put_code(out, code, proto_code_explanation(code));
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
