/* Encodes the answers to rows of configurations as JSON. */

#include "proto/configurations.h"

#include "encode/encode.h"

static void put_pair(struct proto_buffer *out, const gjk_configuration *answer,
                     const proto_stamp *stamp) {
    proto_put_key(out, "pair");
    if (answer->a == NULL) {
        proto_put_text(out, "null");
    } else {
        proto_put_text(out, "[");
        proto_put_item(out);
        proto_put_string_or_null(out, answer->a->id);
        proto_put_item(out);
        proto_put_string_or_null(out, answer->b->id);
        proto_put_text(out, "]");
    }
    proto_put_meta(out, "meta_a", answer->a, stamp);
    proto_put_meta(out, "meta_b", answer->b, stamp);
}

static void put_distance(struct proto_buffer *out, uint32_t dimension,
                         const gjk_configuration *answer) {
    const gjk_distance_result *r = &answer->result;
    const bool is_told = answer->a != NULL && !r->inside, has_points = is_told && r->has_points;

    proto_put_number_if(out, "distance", is_told, r->signed_distance);
    proto_put_number_if(out, "lower_bound", is_told, r->lower_bound);
    proto_put_vector_if(out, "normal", has_points, dimension, r->normal);
    proto_put_vector_if(out, "point_a", has_points, dimension, r->point_a);
    proto_put_vector_if(out, "point_b", has_points, dimension, r->point_b);
    if (answer->a != NULL && r->inside) {
        proto_put_key(out, "inside");
        proto_put_bool(out, true);
    }
}

void proto_encode_configurations(struct proto_buffer *out, const proto_configurations *asked,
                                 const gjk_configuration *answers, const proto_stamp *stamp) {
    proto_put_text(out, "{");
    proto_put_key(out, "results");
    proto_put_text(out, "[");
    for (uint32_t i = 0; i < asked->count && !out->failed; i++) {
        proto_put_item(out);
        proto_put_text(out, "{");
        proto_put_key(out, "colliding");
        proto_put_bool(out, answers[i].colliding);
        put_pair(out, &answers[i], stamp);
        if (asked->continuous) {
            proto_put_number_if(out, "fraction", answers[i].colliding, answers[i].fraction);
        }
        if (asked->distance) {
            put_distance(out, asked->dimension, &answers[i]);
        }
        proto_put_text(out, "}");
    }
    proto_put_text(out, "]");
    proto_put_stamp(out, stamp);
    proto_put_text(out, "}");
}
