/* Encodes the description of the service: version, limits and links. */

#include <string.h>

#include "encode/encode.h"

static void put_limits(struct proto_buffer *out, const proto_limits *limits) {
    const struct {
        const char *name;
        uint64_t value;
    } rows[] = {
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

    proto_put_key(out, "limits");
    proto_put_text(out, "{");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        proto_put_key(out, rows[i].name);
        proto_put_integer(out, rows[i].value);
    }
    proto_put_text(out, "}");
}

static void put_links(struct proto_buffer *out) {
    static const char *const links[][2] = {
        {"self", "/v1"},          {"openapi", "/openapi.json"}, {"sets", "/v1/sets"},
        {"detect", "/v1/detect"}, {"distance", "/v1/distance"}, {"raycast", "/v1/raycast"},
        {"cast", "/v1/cast"},     {"batch", "/v1/batch"},       {"live", "/livez"},
        {"ready", "/readyz"},     {"metrics", "/metrics"},
    };

    proto_put_key(out, "links");
    proto_put_text(out, "{");
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        proto_put_key(out, links[i][0]);
        proto_put_string(out, links[i][1], strlen(links[i][1]));
    }
    proto_put_text(out, "}");
}

static void put_member(struct proto_buffer *out, const char *key, const char *text) {
    proto_put_key(out, key);
    proto_put_string(out, text, strlen(text));
}

static void put_cluster(struct proto_buffer *out, const proto_cluster *cluster) {
    proto_put_key(out, "cluster");
    proto_put_text(out, "{");
    put_member(out, "name", cluster->name);
    put_member(out, "node", cluster->node);
    put_member(out, "state", cluster->state);
    proto_put_key(out, "revision_lag");
    proto_put_integer(out, cluster->lag);
    proto_put_text(out, "}");
}

void proto_encode_about(struct proto_buffer *out, const char *version, const char *durability,
                        const proto_cluster *cluster, const proto_limits *limits) {
    proto_put_text(out, "{\"name\":\"gjkd\"");
    put_member(out, "version", version);
    put_member(out, "durability", durability);
    if (cluster != NULL) {
        put_cluster(out, cluster);
    }
    put_limits(out, limits);
    put_links(out);
    proto_put_text(out, "}");
}

void proto_encode_status(struct proto_buffer *out, const char *status, const char *detail) {
    proto_put_text(out, "{\"status\":");
    proto_put_string(out, status, strlen(status));
    if (detail != NULL) {
        proto_put_text(out, ",\"detail\":");
        proto_put_string(out, detail, strlen(detail));
    }
    proto_put_text(out, "}");
}
