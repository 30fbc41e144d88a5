/*
 * Encodes replies about many shapes: lists whose entries name a shape and then have the members of
 * a reply about one pair, ray or cast. The core decides the order.
 */

#include "encode/encode.h"

static void begin(struct proto_buffer *out, const char *name) {
    proto_put_text(out, "{");
    proto_put_key(out, name);
    proto_put_text(out, "[");
}

static void end(struct proto_buffer *out, bool truncated, const proto_stamp *stamp) {
    proto_put_text(out, "]");
    if (truncated) {
        proto_put_key(out, "truncated");
        proto_put_bool(out, true);
    }
    proto_put_stamp(out, stamp);
    proto_put_text(out, "}");
}

static void begin_item(struct proto_buffer *out) {
    proto_put_item(out);
    proto_put_text(out, "{");
}

static void put_id(struct proto_buffer *out, const char *key, const char *id) {
    proto_put_key(out, key);
    proto_put_string_or_null(out, id);
}

void proto_put_meta(struct proto_buffer *out, const char *key, const gjk_body *body,
                    const proto_stamp *stamp) {
    if (stamp == NULL || stamp->meta_of == NULL) {
        return;
    }
    const bool is_stored = body != NULL && body->id != NULL;
    const proto_text meta = is_stored ? stamp->meta_of(body) : (proto_text){NULL, 0};
    proto_put_key(out, key);
    if (meta.data != NULL) {
        proto_put_bytes(out, meta.data, meta.length);
    } else {
        proto_put_text(out, "null");
    }
}

void proto_put_body(struct proto_buffer *out, const gjk_body *body, const proto_stamp *stamp) {
    put_id(out, "id", body != NULL ? body->id : NULL);
    put_id(out, "group", body != NULL ? body->group : NULL);
    proto_put_meta(out, "meta", body, stamp);
}

static void put_pair(struct proto_buffer *out, const gjk_body *a, const gjk_body *b,
                     const proto_stamp *stamp) {
    put_id(out, "a", a->id);
    put_id(out, "b", b->id);
    proto_put_meta(out, "meta_a", a, stamp);
    proto_put_meta(out, "meta_b", b, stamp);
}

void proto_encode_hits(struct proto_buffer *out, uint32_t dimension, bool penetration,
                       const gjk_hits *hits, const proto_stamp *stamp) {
    begin(out, "hits");
    uint32_t i = 0;
    for (; i < hits->count && proto_list_goes_on(out); i++) {
        begin_item(out);
        proto_put_body(out, hits->items[i].body, stamp);
        proto_put_detect(out, dimension, penetration, &hits->items[i].result);
        proto_put_text(out, "}");
    }
    end(out, hits->truncated || i < hits->count, stamp);
}

void proto_encode_pairs(struct proto_buffer *out, uint32_t dimension, bool penetration,
                        const gjk_pair_hits *pairs, const proto_stamp *stamp) {
    begin(out, "pairs");
    uint32_t i = 0;
    for (; i < pairs->count && proto_list_goes_on(out); i++) {
        begin_item(out);
        put_pair(out, pairs->items[i].a, pairs->items[i].b, stamp);
        proto_put_detect(out, dimension, penetration, &pairs->items[i].result);
        proto_put_text(out, "}");
    }
    end(out, pairs->truncated || i < pairs->count, stamp);
}

void proto_encode_nearest(struct proto_buffer *out, uint32_t dimension, const gjk_nears *nears,
                          const proto_stamp *stamp) {
    begin(out, "nearest");
    uint32_t i = 0;
    for (; i < nears->count && proto_list_goes_on(out); i++) {
        begin_item(out);
        proto_put_body(out, nears->items[i].body, stamp);
        proto_put_distance(out, dimension, &nears->items[i].result);
        proto_put_text(out, "}");
    }
    end(out, nears->truncated || i < nears->count, stamp);
}

void proto_encode_near_pairs(struct proto_buffer *out, uint32_t dimension,
                             const gjk_pair_nears *pairs, const proto_stamp *stamp) {
    begin(out, "pairs");
    uint32_t i = 0;
    for (; i < pairs->count && proto_list_goes_on(out); i++) {
        begin_item(out);
        put_pair(out, pairs->items[i].a, pairs->items[i].b, stamp);
        proto_put_distance(out, dimension, &pairs->items[i].result);
        proto_put_text(out, "}");
    }
    end(out, pairs->truncated || i < pairs->count, stamp);
}

/* Writes the members that hits of rays and casts share. */
static void put_place(struct proto_buffer *out, uint32_t dimension, gjk_vec3 point,
                      const gjk_vec3 *normal, bool inside) {
    proto_put_vector_if(out, "point", true, dimension, point);
    proto_put_vector_if(out, "normal", normal != NULL, dimension,
                        normal != NULL ? *normal : (gjk_vec3){0, 0, 0});
    proto_put_key(out, "inside");
    proto_put_bool(out, inside);
}

/* Writes the piece that is hit and its material (NULL: it has none), where there are pieces. */
static void put_piece(struct proto_buffer *out, uint32_t piece, const uint32_t *material) {
    proto_put_piece(out, "piece", piece);
    if (material != NULL) {
        proto_put_key(out, "material");
        proto_put_integer(out, *material);
    }
}

void proto_put_ray_hit(struct proto_buffer *out, uint32_t dimension, const gjk_ray_hit *hit,
                       const double *exit, const proto_stamp *stamp) {
    const gjk_ray_result *result = &hit->result;

    proto_put_body(out, hit->body, stamp);
    proto_put_named_number(out, "distance", result->distance);
    if (exit != NULL) {
        proto_put_named_number(out, "exit", *exit);
    }
    put_place(out, dimension, result->point, result->has_normal ? &result->normal : NULL,
              result->inside);
    put_piece(out, result->piece, result->has_material ? &result->material : NULL);
    proto_put_status(out, result->convergence);
}

void proto_encode_ray_hits(struct proto_buffer *out, uint32_t dimension, const gjk_ray_hits *hits,
                           const double *exits, const proto_stamp *stamp) {
    begin(out, "hits");
    uint32_t i = 0;
    for (; i < hits->count && proto_list_goes_on(out); i++) {
        begin_item(out);
        proto_put_ray_hit(out, dimension, &hits->items[i], exits != NULL ? &exits[i] : NULL, stamp);
        proto_put_text(out, "}");
    }
    end(out, hits->truncated || i < hits->count, stamp);
}

/* Writes how deep an overlap at the start is, where that was asked. */
static void put_depth(struct proto_buffer *out, uint32_t dimension, const gjk_cast_result *result) {
    if (result->is_resolved) {
        proto_put_number_if(out, "depth", result->has_depth, result->depth);
        proto_put_vector_if(out, "point_a", result->has_depth, dimension, result->point_a);
        proto_put_vector_if(out, "point_b", result->has_depth, dimension, result->point_b);
    }
}

void proto_encode_cast_hits(struct proto_buffer *out, uint32_t dimension, const gjk_cast_hits *hits,
                            const proto_stamp *stamp) {
    begin(out, "hits");
    uint32_t i = 0;
    for (; i < hits->count && proto_list_goes_on(out); i++) {
        const gjk_cast_result *result = &hits->items[i].result;
        begin_item(out);
        proto_put_body(out, hits->items[i].body, stamp);
        proto_put_named_number(out, "fraction", result->fraction);
        proto_put_named_number(out, "distance", result->distance);
        put_place(out, dimension, result->point, result->has_normal ? &result->normal : NULL,
                  result->inside);
        put_depth(out, dimension, result);
        put_piece(out, result->piece, result->has_material ? &result->material : NULL);
        proto_put_piece(out, "moving_piece", result->moving_piece);
        proto_put_status(out, result->convergence);
        proto_put_text(out, "}");
    }
    end(out, hits->truncated || i < hits->count, stamp);
}

void proto_encode_ray_any(struct proto_buffer *out, bool hit, const proto_stamp *stamp) {
    proto_put_text(out, "{");
    proto_put_key(out, "hit");
    proto_put_bool(out, hit);
    proto_put_stamp(out, stamp);
    proto_put_text(out, "}");
}
