/*
 * Encodes the answers to queries: about one pair of shapes; lists whose entries are a shape's id
 * and the answer about it; shots; rows of configurations. Lists keep the core's order.
 */

#include <math.h>

#include "gjk/pieces.h"
#include "proto/configurations.h"
#include "json/writer.h"

/* --- Traces --- */

/*
 * The recorder writes each step as JSON at once, so no list of steps is kept. The text becomes a
 * member of the reply.
 */

static void record(void *user, const gjk_trace_step *step) {
    struct proto_trace *trace = user;
    struct proto_buffer *out = &trace->text;
    const uint32_t dimension = trace->dimension;

    proto_put_item(out);
    proto_put_text(out, "{");
    proto_put_key(out, "phase");
    proto_put_text(out, step->phase == GJK_PHASE_GJK ? "\"gjk\"" : "\"epa\"");
    proto_put_vector_if(out, "direction", true, dimension, step->direction);
    proto_put_open(out, "support", "{");
    proto_put_vector_if(out, "a", true, dimension, step->support_a);
    proto_put_vector_if(out, "b", true, dimension, step->support_b);
    proto_put_vector_if(out, "w", true, dimension, step->support_w);
    proto_put_text(out, "}");
    proto_put_open(out, "simplex", "[");
    for (uint32_t i = 0; i < step->simplex_count; i++) {
        proto_put_item(out);
        proto_put_vector(out, dimension, step->simplex[i]);
    }
    proto_put_text(out, "]");
    proto_put_vector_if(out, "closest", step->simplex_count > 0, dimension, step->closest);
    proto_put_number_if(out, "lower_bound", isfinite(step->lower_bound), step->lower_bound);
    proto_put_number_if(out, "upper_bound", isfinite(step->upper_bound), step->upper_bound);
    proto_put_named_text(out, "note", step->note);
    proto_put_text(out, "}");
}

static bool is_polytope2(const gjk_shape *shape) {
    return shape->dimension == 2 && shape->count > 0 && shape->radius == 0.0;
}

/*
 * Rotates the points first and adds the difference of the positions last, so that no digits are
 * lost far from the origin.
 */
static void put_minkowski(struct proto_buffer *out, const gjk_placed *a, const gjk_placed *b) {
    gjk_vec3 apart = gjk_sub3(a->pose.position, b->pose.position);

    proto_put_open(out, "minkowski", "[");
    for (uint32_t i = 0; i < a->shape->count; i++) {
        gjk_vec3 on_a = gjk_mul3(&a->pose.rotation, gjk_shape_point(a->shape, i));
        for (uint32_t k = 0; k < b->shape->count; k++) {
            gjk_vec3 on_b = gjk_mul3(&b->pose.rotation, gjk_shape_point(b->shape, k));
            proto_put_item(out);
            proto_put_vector(out, 2, gjk_add3(gjk_sub3(on_a, on_b), apart));
        }
    }
    proto_put_text(out, "]");
}

void proto_trace_init(struct proto_trace *trace, struct gjk_arena *arena, const gjk_placed *a,
                      const gjk_placed *b) {
    uint64_t points = (uint64_t)a->shape->count * b->shape->count;

    *trace = (struct proto_trace){.recorder = {record, trace}, .dimension = a->shape->dimension};
    proto_buffer_init(&trace->text, arena);
    proto_put_text(&trace->text, "{");
    if (is_polytope2(a->shape) && is_polytope2(b->shape) && points <= PROTO_MINKOWSKI_POINTS_MAX) {
        put_minkowski(&trace->text, a, b);
    }
    proto_put_key(&trace->text, "steps");
    proto_put_text(&trace->text, "[");
}

/* --- One pair --- */

static void put_state(struct proto_buffer *out, gjk_state state) {
    static const char *const texts[] = {
        [GJK_SEPARATED] = "\"separated\"",
        [GJK_TOUCHING] = "\"touching\"",
        [GJK_OVERLAPPING] = "\"overlapping\"",
    };

    proto_put_named_bool(out, "colliding", state != GJK_SEPARATED);
    proto_put_key(out, "state");
    proto_put_text(out, texts[state]);
}

static void put_status(struct proto_buffer *out, gjk_convergence convergence) {
    proto_put_key(out, "status");
    proto_put_text(out, convergence == GJK_CONVERGED ? "\"converged\"" : "\"iteration_limit\"");
}

/* Writes the index of a piece: nothing for GJK_NO_PIECE, null for a part of a base. */
static void put_piece(struct proto_buffer *out, const char *key, uint32_t piece) {
    if (piece < GJK_PIECES_MAX) {
        proto_put_named_integer(out, key, piece);
    } else if (piece != GJK_NO_PIECE) {
        proto_put_named_text(out, key, NULL);
    }
}

/* Writes the pieces that the answer is about, for operands of many pieces. */
static void put_pieces(struct proto_buffer *out, uint32_t piece_a, uint32_t piece_b) {
    put_piece(out, "piece_a", piece_a);
    put_piece(out, "piece_b", piece_b);
}

static void put_detect(struct proto_buffer *out, uint32_t dimension, bool penetration,
                       const gjk_detect_result *result) {
    put_state(out, result->state);
    if (penetration) {
        const gjk_vec3 normal = result->normal;
        const bool is_there = normal.x != 0.0 || normal.y != 0.0 || normal.z != 0.0;
        proto_put_number_if(out, "depth", is_there, result->depth);
        proto_put_vector_if(out, "normal", is_there, dimension, normal);
        proto_put_vector_if(out, "point_a", result->has_points, dimension, result->point_a);
        proto_put_vector_if(out, "point_b", result->has_points, dimension, result->point_b);
        proto_put_number_if(out, "depth_lower_bound", is_there || result->inside,
                            result->depth_lower_bound);
        put_pieces(out, result->piece_a, result->piece_b);
        proto_put_flag(out, "inside", result->inside);
    }
    put_status(out, result->convergence);
    proto_put_named_integer(out, "iterations", result->iterations);
}

static void put_distance(struct proto_buffer *out, uint32_t dimension,
                         const gjk_distance_result *result) {
    bool has_points = result->has_points;

    put_state(out, result->state);
    const bool is_there = result->distance < INFINITY; /* else a shape has no pieces */
    proto_put_number_if(out, "distance", is_there, result->distance);
    proto_put_number_if(out, "lower_bound", is_there, result->lower_bound);
    if (result->is_signed) {
        proto_put_number_if(out, "signed_distance", is_there, result->signed_distance);
    }
    proto_put_vector_if(out, "normal", has_points, dimension, result->normal);
    proto_put_vector_if(out, "point_a", has_points, dimension, result->point_a);
    proto_put_vector_if(out, "point_b", has_points, dimension, result->point_b);
    put_pieces(out, result->piece_a, result->piece_b);
    proto_put_flag(out, "inside", result->inside);
    put_status(out, result->convergence);
    proto_put_named_integer(out, "iterations", result->iterations);
}

static void put_stamp(struct proto_buffer *out, const proto_stamp *stamp) {
    if (stamp == NULL) {
        return;
    }
    if (stamp->trace != NULL) {
        const struct proto_buffer *text = &stamp->trace->text;
        proto_put_key(out, "trace");
        proto_put_bytes(out, text->data, text->length);
        proto_put_text(out, "]}"); /* ends the list that proto_trace_init has begun */
        out->failed = out->failed || text->failed;
    }
    if (stamp->has_revision) {
        proto_put_named_integer(out, "revision", stamp->revision);
    }
    if (stamp->has_tick) {
        proto_put_named_number(out, "tick", stamp->tick);
    }
    proto_put_flag(out, "pose_gap", stamp->pose_gap);
    if (stamp->has_against_revision) {
        proto_put_named_integer(out, "against_revision", stamp->against_revision);
    }
}

static void put_contacts(struct proto_buffer *out, uint32_t dimension,
                         const gjk_contacts *contacts) {
    proto_put_open(out, "contacts", "[");
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
    proto_put_flag(out, "truncated", contacts->truncated);
}

/*
 * Writes the meta of a body, if the reply is to include it. An inline shape (NULL, or without an
 * id) has null.
 */
static void put_meta(struct proto_buffer *out, const char *key, const gjk_body *body,
                     const proto_stamp *stamp) {
    if (stamp != NULL && stamp->meta_of != NULL) {
        const bool is_stored = body != NULL && body->id != NULL;
        proto_put_named_json(out, key, is_stored ? stamp->meta_of(body) : (proto_text){NULL, 0});
    }
}

static void put_metas(struct proto_buffer *out, const proto_stamp *stamp) {
    if (stamp != NULL) {
        put_meta(out, "meta_a", stamp->pair_a, stamp);
        put_meta(out, "meta_b", stamp->pair_b, stamp);
    }
}

void proto_encode_detect(struct proto_buffer *out, uint32_t dimension, bool penetration,
                         const gjk_detect_result *result, const proto_stamp *stamp) {
    proto_put_text(out, "{");
    put_detect(out, dimension, penetration, result);
    if (stamp != NULL && stamp->contacts != NULL) {
        put_contacts(out, dimension, stamp->contacts);
    }
    put_metas(out, stamp);
    put_stamp(out, stamp);
    proto_put_text(out, "}");
}

void proto_encode_distance(struct proto_buffer *out, uint32_t dimension,
                           const gjk_distance_result *result, const proto_stamp *stamp) {
    proto_put_text(out, "{");
    put_distance(out, dimension, result);
    put_metas(out, stamp);
    put_stamp(out, stamp);
    proto_put_text(out, "}");
}

/* --- Lists --- */

static void begin_list(struct proto_buffer *out, const char *name) {
    proto_put_text(out, "{");
    proto_put_open(out, name, "[");
}

static void end_list(struct proto_buffer *out, bool truncated, const proto_stamp *stamp) {
    proto_put_text(out, "]");
    proto_put_flag(out, "truncated", truncated);
    put_stamp(out, stamp);
    proto_put_text(out, "}");
}

/* Ends the item before, and begins item i of a list. Returns false at the end of the list, or if it
 * is cut. */
static bool next_item(struct proto_buffer *out, uint32_t i, uint32_t count) {
    proto_put_text(out, i > 0 ? "}" : "");
    if (i == count || !proto_list_goes_on(out)) {
        return false;
    }
    proto_put_item(out);
    proto_put_text(out, "{");
    return true;
}

/* Writes id, group and meta of the body that was hit (NULL: an inline shape). */
static void put_body(struct proto_buffer *out, const gjk_body *body, const proto_stamp *stamp) {
    proto_put_named_text(out, "id", body != NULL ? body->id : NULL);
    proto_put_named_text(out, "group", body != NULL ? body->group : NULL);
    put_meta(out, "meta", body, stamp);
}

static void put_bodies(struct proto_buffer *out, const gjk_body *a, const gjk_body *b,
                       const proto_stamp *stamp) {
    proto_put_named_text(out, "a", a->id);
    proto_put_named_text(out, "b", b->id);
    put_meta(out, "meta_a", a, stamp);
    put_meta(out, "meta_b", b, stamp);
}

void proto_encode_hits(struct proto_buffer *out, uint32_t dimension, bool penetration,
                       const gjk_hits *hits, const proto_stamp *stamp) {
    begin_list(out, "hits");
    uint32_t i = 0;
    for (; next_item(out, i, hits->count); i++) {
        put_body(out, hits->items[i].body, stamp);
        put_detect(out, dimension, penetration, &hits->items[i].result);
    }
    end_list(out, hits->truncated || i < hits->count, stamp);
}

void proto_encode_pairs(struct proto_buffer *out, uint32_t dimension, bool penetration,
                        const gjk_pair_hits *pairs, const proto_stamp *stamp) {
    begin_list(out, "pairs");
    uint32_t i = 0;
    for (; next_item(out, i, pairs->count); i++) {
        put_bodies(out, pairs->items[i].a, pairs->items[i].b, stamp);
        put_detect(out, dimension, penetration, &pairs->items[i].result);
    }
    end_list(out, pairs->truncated || i < pairs->count, stamp);
}

void proto_encode_nearest(struct proto_buffer *out, uint32_t dimension, const gjk_nears *nears,
                          const proto_stamp *stamp) {
    begin_list(out, "nearest");
    uint32_t i = 0;
    for (; next_item(out, i, nears->count); i++) {
        put_body(out, nears->items[i].body, stamp);
        put_distance(out, dimension, &nears->items[i].result);
    }
    end_list(out, nears->truncated || i < nears->count, stamp);
}

void proto_encode_near_pairs(struct proto_buffer *out, uint32_t dimension,
                             const gjk_pair_nears *pairs, const proto_stamp *stamp) {
    begin_list(out, "pairs");
    uint32_t i = 0;
    for (; next_item(out, i, pairs->count); i++) {
        put_bodies(out, pairs->items[i].a, pairs->items[i].b, stamp);
        put_distance(out, dimension, &pairs->items[i].result);
    }
    end_list(out, pairs->truncated || i < pairs->count, stamp);
}

/* Writes the members that hits of rays and casts share. */
static void put_hit_point(struct proto_buffer *out, uint32_t dimension, gjk_vec3 point,
                          const gjk_vec3 *normal, bool inside) {
    proto_put_vector_if(out, "point", true, dimension, point);
    proto_put_vector_if(out, "normal", normal != NULL, dimension,
                        normal != NULL ? *normal : (gjk_vec3){0, 0, 0});
    proto_put_named_bool(out, "inside", inside);
}

/* Writes the piece that was hit, if any, and its material (NULL: none). */
static void put_hit_piece(struct proto_buffer *out, uint32_t piece, const uint32_t *material) {
    put_piece(out, "piece", piece);
    if (material != NULL) {
        proto_put_named_integer(out, "material", *material);
    }
}

/* Writes a ray's hit. exit: distance at which the ray leaves the shape, or NULL. */
static void put_ray_hit(struct proto_buffer *out, uint32_t dimension, const gjk_ray_hit *hit,
                        const double *exit, const proto_stamp *stamp) {
    const gjk_ray_result *result = &hit->result;

    put_body(out, hit->body, stamp);
    proto_put_named_number(out, "distance", result->distance);
    if (exit != NULL) {
        proto_put_named_number(out, "exit", *exit);
    }
    put_hit_point(out, dimension, result->point, result->has_normal ? &result->normal : NULL,
                  result->inside);
    put_hit_piece(out, result->piece, result->has_material ? &result->material : NULL);
    put_status(out, result->convergence);
}

void proto_encode_ray_hits(struct proto_buffer *out, uint32_t dimension, const gjk_ray_hits *hits,
                           const double *exits, const proto_stamp *stamp) {
    begin_list(out, "hits");
    uint32_t i = 0;
    for (; next_item(out, i, hits->count); i++) {
        put_ray_hit(out, dimension, &hits->items[i], exits != NULL ? &exits[i] : NULL, stamp);
    }
    end_list(out, hits->truncated || i < hits->count, stamp);
}

void proto_encode_cast_hits(struct proto_buffer *out, uint32_t dimension, const gjk_cast_hits *hits,
                            const proto_stamp *stamp) {
    begin_list(out, "hits");
    uint32_t i = 0;
    for (; next_item(out, i, hits->count); i++) {
        const gjk_cast_result *result = &hits->items[i].result;
        put_body(out, hits->items[i].body, stamp);
        proto_put_named_number(out, "fraction", result->fraction);
        proto_put_named_number(out, "distance", result->distance);
        put_hit_point(out, dimension, result->point, result->has_normal ? &result->normal : NULL,
                      result->inside);
        if (result->is_resolved) { /* the depth of an overlap at the start was asked for */
            proto_put_number_if(out, "depth", result->has_depth, result->depth);
            proto_put_vector_if(out, "point_a", result->has_depth, dimension, result->point_a);
            proto_put_vector_if(out, "point_b", result->has_depth, dimension, result->point_b);
        }
        put_hit_piece(out, result->piece, result->has_material ? &result->material : NULL);
        put_piece(out, "moving_piece", result->moving_piece);
        put_status(out, result->convergence);
    }
    end_list(out, hits->truncated || i < hits->count, stamp);
}

void proto_encode_ray_any(struct proto_buffer *out, bool hit, const proto_stamp *stamp) {
    proto_put_text(out, "{");
    proto_put_named_bool(out, "hit", hit);
    put_stamp(out, stamp);
    proto_put_text(out, "}");
}

/* --- Moves --- */

static void put_contact(struct proto_buffer *out, uint32_t dimension,
                        const gjk_move_contact *contact, const proto_stamp *stamp) {
    put_body(out, contact->body, stamp);
    put_hit_piece(out, contact->piece, contact->has_material ? &contact->material : NULL);
    proto_put_named_number(out, "fraction", contact->fraction);
    proto_put_vector_if(out, "point", true, dimension, contact->point);
    proto_put_vector_if(out, "normal", true, dimension, contact->normal);
    proto_put_named_bool(out, "step", contact->step);
}

void proto_encode_move(struct proto_buffer *out, uint32_t dimension, const gjk_move_result *result,
                       const proto_stamp *stamp) {
    proto_put_text(out, "{");
    proto_put_vector_if(out, "position", true, dimension, result->position);
    proto_put_vector_if(out, "moved", true, dimension, result->moved);
    proto_put_vector_if(out, "blocked", true, dimension, result->blocked);
    proto_put_vector_if(out, "pushed", true, dimension, result->pushed);
    proto_put_open(out, "legs", "[");
    for (uint32_t i = 0; i < result->leg_count; i++) {
        proto_put_item(out);
        proto_put_vector(out, dimension, result->legs[i]);
    }
    proto_put_text(out, "]");
    proto_put_named_bool(out, "grounded", result->grounded);
    if (result->grounded) {
        proto_put_open(out, "ground", "{");
        put_contact(out, dimension, &result->ground, stamp);
        proto_put_text(out, "}");
    } else {
        proto_put_named_text(out, "ground", NULL);
    }
    proto_put_open(out, "contacts", "[");
    for (uint32_t i = 0; i < result->count; i++) {
        proto_put_item(out);
        proto_put_text(out, "{");
        put_contact(out, dimension, &result->items[i], stamp);
        proto_put_text(out, "}");
    }
    proto_put_text(out, "]");
    proto_put_flag(out, "truncated", result->truncated);
    put_status(out, result->convergence);
    put_stamp(out, stamp);
    proto_put_text(out, "}");
}

/* --- Shots --- */

static void put_hit_if(struct proto_buffer *out, const char *key, bool exists, uint32_t dimension,
                       const gjk_ray_hit *hit, const char *set, const proto_stamp *stamp) {
    if (!exists) {
        proto_put_named_text(out, key, NULL);
        return;
    }
    proto_put_open(out, key, "{");
    if (set != NULL) {
        proto_put_named_text(out, "set", set);
    }
    put_ray_hit(out, dimension, hit, NULL, stamp);
    proto_put_text(out, "}");
}

static void put_near_misses(struct proto_buffer *out, const gjk_nears *nears,
                            const proto_stamp *stamp) {
    proto_put_open(out, "near_misses", "[");
    uint32_t i = 0;
    for (; next_item(out, i, nears->count); i++) {
        put_body(out, nears->items[i].body, stamp);
        proto_put_named_number(out, "distance", nears->items[i].result.distance);
    }
    proto_put_text(out, "]");
    proto_put_flag(out, "truncated", nears->truncated || i < nears->count);
}

static void put_rewind(struct proto_buffer *out, const proto_rewind *rewind) {
    if (rewind == NULL) {
        proto_put_named_text(out, "rewind", NULL);
        return;
    }
    proto_put_open(out, "rewind", "{");
    proto_put_number_if(out, "requested", true, rewind->requested);
    proto_put_number_if(out, "from", rewind->is_found, (double)rewind->from);
    proto_put_number_if(out, "to", rewind->is_found, (double)rewind->to);
    proto_put_number_if(out, "alpha", rewind->is_found, rewind->alpha);
    proto_put_number_if(out, "age_ticks", rewind->has_age, rewind->age_ticks);
    proto_put_text(out, "}");
}

void proto_encode_judgement(struct proto_buffer *out, uint32_t dimension,
                            const gjk_judgement *judgement, const char *obstacle_set,
                            const char *lacking, const proto_rewind *rewind,
                            const proto_stamp *stamp) {
    const bool lacks_tick = judgement->reason == GJK_REASON_TICK_EXPIRED ||
                            judgement->reason == GJK_REASON_TICK_IN_FUTURE;
    proto_put_text(out, "{");
    proto_put_named_text(out, "verdict", gjk_verdict_text(judgement->verdict));
    proto_put_named_text(out, "reason", gjk_reason_text(judgement->reason));
    if (lacks_tick) {
        proto_put_named_text(out, "set", lacking);
    }
    put_hit_if(out, "hit", judgement->has_hit, dimension, &judgement->hit, NULL, stamp);
    put_hit_if(out, "obstacle", judgement->has_obstacle, dimension, &judgement->obstacle,
               obstacle_set, stamp);
    put_near_misses(out, &judgement->near_misses, stamp);
    put_rewind(out, rewind);
    put_stamp(out, stamp);
    proto_put_text(out, "}");
}

/* --- Configurations --- */

/* Writes a stored shape as its id, an inline shape as its index. */
static void put_participant(struct proto_buffer *out, const gjk_body *body) {
    const uint32_t index = proto_inline_index(body->id);

    proto_put_item(out);
    if (index != UINT32_MAX) {
        proto_put_integer(out, index);
    } else {
        proto_put_string_or_null(out, body->id);
    }
}

static const gjk_body *stored(const gjk_body *body) {
    return body != NULL && proto_inline_index(body->id) == UINT32_MAX ? body : NULL;
}

static void put_pair(struct proto_buffer *out, const gjk_body *a, const gjk_body *b,
                     const proto_stamp *stamp) {
    if (a == NULL) {
        proto_put_named_text(out, "pair", NULL);
    } else {
        proto_put_open(out, "pair", "[");
        put_participant(out, a);
        put_participant(out, b);
        proto_put_text(out, "]");
    }
    put_meta(out, "meta_a", stored(a), stamp);
    put_meta(out, "meta_b", stored(b), stamp);
}

/* Writes the members of a distance. is_told: there is a pair; else they are null. */
static void put_pair_distance(struct proto_buffer *out, uint32_t dimension, bool is_told,
                              const gjk_distance_result *r) {
    const bool has_points = is_told && r->has_points;

    proto_put_number_if(out, "distance", is_told, r->signed_distance);
    proto_put_number_if(out, "lower_bound", is_told, r->lower_bound);
    proto_put_vector_if(out, "normal", has_points, dimension, r->normal);
    proto_put_vector_if(out, "point_a", has_points, dimension, r->point_a);
    proto_put_vector_if(out, "point_b", has_points, dimension, r->point_b);
    if (is_told) {
        put_pieces(out, r->piece_a, r->piece_b);
    }
    proto_put_flag(out, "inside", is_told && r->inside);
}

static void put_nearest_pairs(struct proto_buffer *out, uint32_t dimension,
                              const gjk_pair_nears *nearest, const proto_stamp *stamp) {
    uint32_t i = 0;

    proto_put_open(out, "pairs", "[");
    for (; next_item(out, i, nearest->count); i++) {
        const gjk_pair_near *near = &nearest->items[i];
        proto_put_named_bool(out, "colliding", near->result.state != GJK_SEPARATED);
        put_pair(out, near->a, near->b, stamp);
        put_pair_distance(out, dimension, true, &near->result);
    }
    proto_put_text(out, "]");
    proto_put_flag(out, "truncated", nearest->truncated || i < nearest->count);
}

void proto_encode_configurations(struct proto_buffer *out, const proto_configurations *asked,
                                 const proto_configured *answers, const proto_stamp *stamp) {
    proto_put_text(out, "{");
    proto_put_open(out, "results", "[");
    for (uint32_t i = 0; i < asked->count && !out->failed; i++) {
        const gjk_configuration *answer = &answers->rows[i];
        proto_put_item(out);
        proto_put_text(out, "{");
        proto_put_named_bool(out, "colliding", answer->colliding);
        put_pair(out, answer->a, answer->b, stamp);
        if (asked->continuous) {
            proto_put_number_if(out, "fraction", answer->colliding, answer->fraction);
        }
        if (asked->distance) {
            put_pair_distance(out, asked->dimension, answer->a != NULL, &answer->result);
        }
        if (asked->limit > 0) {
            put_nearest_pairs(out, asked->dimension, &answers->nearest[i], stamp);
        }
        proto_put_text(out, "}");
    }
    proto_put_text(out, "]");
    put_stamp(out, stamp);
    proto_put_text(out, "}");
}

/* --- Batches: replies in the order of queries, each the same as without a batch --- */

void proto_encode_batch_begin(struct proto_buffer *out, const proto_stamp *stamp) {
    proto_put_text(out, "{");
    put_stamp(out, stamp);
    proto_put_open(out, "results", "[");
}

void proto_encode_batch_reply(struct proto_buffer *out, proto_text reply) {
    proto_put_item(out);
    proto_put_bytes(out, reply.data, reply.length);
}

void proto_encode_batch_end(struct proto_buffer *out, proto_text overlaps) {
    proto_put_text(out, "]");
    if (overlaps.length > 0) {
        proto_put_named_json(out, "overlaps", overlaps);
    }
    proto_put_text(out, "}");
}
