/*
 * Encodes the answer about one pair of shapes: the same members in every reply that contains pairs.
 */

#include "encode/encode.h"

static void put_state(struct proto_buffer *out, gjk_state state) {
    static const char *const texts[] = {
        [GJK_SEPARATED] = "\"separated\"",
        [GJK_TOUCHING] = "\"touching\"",
        [GJK_OVERLAPPING] = "\"overlapping\"",
    };

    proto_put_key(out, "colliding");
    proto_put_bool(out, state != GJK_SEPARATED);
    proto_put_key(out, "state");
    proto_put_text(out, texts[state]);
}

void proto_put_status(struct proto_buffer *out, gjk_convergence convergence) {
    proto_put_key(out, "status");
    proto_put_text(out, convergence == GJK_CONVERGED ? "\"converged\"" : "\"iteration_limit\"");
}

static void put_iterations(struct proto_buffer *out, uint32_t iterations) {
    proto_put_key(out, "iterations");
    proto_put_integer(out, iterations);
}

/* Writes which pieces the answer is about, for those operands that have some. */
static void put_pieces(struct proto_buffer *out, uint32_t piece_a, uint32_t piece_b) {
    proto_put_piece(out, "piece_a", piece_a);
    proto_put_piece(out, "piece_b", piece_b);
}

/* Writes that one shape lies within the other, a closed mesh, and meets none of its triangles. */
static void put_inside(struct proto_buffer *out, bool inside) {
    if (inside) {
        proto_put_key(out, "inside");
        proto_put_bool(out, true);
    }
}

void proto_put_piece(struct proto_buffer *out, const char *key, uint32_t piece) {
    if (piece != GJK_NO_PIECE) {
        proto_put_key(out, key);
        proto_put_integer(out, piece);
    }
}

void proto_put_detect(struct proto_buffer *out, uint32_t dimension, bool penetration,
                      const gjk_detect_result *result) {
    put_state(out, result->state);
    if (penetration) {
        proto_put_number_if(out, "depth", !result->inside, result->depth);
        proto_put_vector_if(out, "normal", !result->inside, dimension, result->normal);
        proto_put_vector_if(out, "point_a", result->has_points, dimension, result->point_a);
        proto_put_vector_if(out, "point_b", result->has_points, dimension, result->point_b);
        proto_put_named_number(out, "depth_lower_bound", result->depth_lower_bound);
        put_pieces(out, result->piece_a, result->piece_b);
        put_inside(out, result->inside);
    }
    proto_put_status(out, result->convergence);
    put_iterations(out, result->iterations);
}

void proto_put_distance(struct proto_buffer *out, uint32_t dimension,
                        const gjk_distance_result *result) {
    bool has_points = result->has_points;

    put_state(out, result->state);
    proto_put_named_number(out, "distance", result->distance);
    proto_put_named_number(out, "lower_bound", result->lower_bound);
    if (result->is_signed) {
        proto_put_number_if(out, "signed_distance", !result->inside, result->signed_distance);
    }
    proto_put_vector_if(out, "normal", has_points, dimension, result->normal);
    proto_put_vector_if(out, "point_a", has_points, dimension, result->point_a);
    proto_put_vector_if(out, "point_b", has_points, dimension, result->point_b);
    put_pieces(out, result->piece_a, result->piece_b);
    put_inside(out, result->inside);
    proto_put_status(out, result->convergence);
    put_iterations(out, result->iterations);
}

void proto_put_stamp(struct proto_buffer *out, const proto_stamp *stamp) {
    if (stamp == NULL) {
        return;
    }
    if (stamp->trace != NULL) {
        proto_put_trace(out, stamp->trace);
    }
    if (stamp->has_revision) {
        proto_put_key(out, "revision");
        proto_put_integer(out, stamp->revision);
    }
    if (stamp->has_tick) {
        proto_put_named_number(out, "tick", stamp->tick);
    }
    if (stamp->pose_gap) {
        proto_put_key(out, "pose_gap");
        proto_put_text(out, "true");
    }
    if (stamp->has_against_revision) {
        proto_put_key(out, "against_revision");
        proto_put_integer(out, stamp->against_revision);
    }
}

static void put_contacts(struct proto_buffer *out, uint32_t dimension,
                         const gjk_contacts *contacts) {
    proto_put_key(out, "contacts");
    proto_put_text(out, "[");
    for (uint32_t i = 0; i < contacts->count && !out->failed; i++) {
        const gjk_detect_result *contact = &contacts->items[i];
        proto_put_item(out);
        proto_put_text(out, "{");
        put_pieces(out, contact->piece_a, contact->piece_b);
        proto_put_named_number(out, "depth", contact->depth);
        proto_put_vector_if(out, "normal", true, dimension, contact->normal);
        proto_put_vector_if(out, "point_a", contact->has_points, dimension, contact->point_a);
        proto_put_vector_if(out, "point_b", contact->has_points, dimension, contact->point_b);
        proto_put_text(out, "}");
    }
    proto_put_text(out, "]");
    if (contacts->truncated) {
        proto_put_key(out, "truncated");
        proto_put_bool(out, true);
    }
}

static void put_metas(struct proto_buffer *out, const proto_stamp *stamp) {
    if (stamp != NULL) {
        proto_put_meta(out, "meta_a", stamp->pair_a, stamp);
        proto_put_meta(out, "meta_b", stamp->pair_b, stamp);
    }
}

void proto_encode_detect(struct proto_buffer *out, uint32_t dimension, bool penetration,
                         const gjk_detect_result *result, const proto_stamp *stamp) {
    proto_put_text(out, "{");
    proto_put_detect(out, dimension, penetration, result);
    if (stamp != NULL && stamp->contacts != NULL) {
        put_contacts(out, dimension, stamp->contacts);
    }
    put_metas(out, stamp);
    proto_put_stamp(out, stamp);
    proto_put_text(out, "}");
}

void proto_encode_distance(struct proto_buffer *out, uint32_t dimension,
                           const gjk_distance_result *result, const proto_stamp *stamp) {
    proto_put_text(out, "{");
    proto_put_distance(out, dimension, result);
    put_metas(out, stamp);
    proto_put_stamp(out, stamp);
    proto_put_text(out, "}");
}
