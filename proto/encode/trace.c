/*
 * Encodes the trace of a pair query. The recorder writes every step as JSON when it is taken, so no
 * list of steps is kept; the text becomes a member of the reply.
 */

#include "encode/encode.h"

#include <math.h>

static void put_support(struct proto_buffer *out, uint32_t dimension, const gjk_trace_step *step) {
    proto_put_open(out, "support", "{");
    proto_put_vector_if(out, "a", true, dimension, step->support_a);
    proto_put_vector_if(out, "b", true, dimension, step->support_b);
    proto_put_vector_if(out, "w", true, dimension, step->support_w);
    proto_put_text(out, "}");
}

static void put_simplex(struct proto_buffer *out, uint32_t dimension, const gjk_trace_step *step) {
    proto_put_open(out, "simplex", "[");
    for (uint32_t i = 0; i < step->simplex_count; i++) {
        proto_put_item(out);
        proto_put_vector(out, dimension, step->simplex[i]);
    }
    proto_put_text(out, "]");
    proto_put_vector_if(out, "closest", step->simplex_count > 0, dimension, step->closest);
}

static void record(void *user, const gjk_trace_step *step) {
    struct proto_trace *trace = user;
    struct proto_buffer *out = &trace->text;

    proto_put_item(out);
    proto_put_text(out, "{");
    proto_put_key(out, "phase");
    proto_put_text(out, step->phase == GJK_PHASE_GJK ? "\"gjk\"" : "\"epa\"");
    proto_put_vector_if(out, "direction", true, trace->dimension, step->direction);
    put_support(out, trace->dimension, step);
    put_simplex(out, trace->dimension, step);
    proto_put_number_if(out, "lower_bound", isfinite(step->lower_bound), step->lower_bound);
    proto_put_number_if(out, "upper_bound", isfinite(step->upper_bound), step->upper_bound);
    proto_put_named_text(out, "note", step->note);
    proto_put_text(out, "}");
}

static bool is_polytope2(const gjk_shape *shape) {
    return shape->dimension == 2 && shape->count > 0 && shape->radius == 0.0;
}

/*
 * Rotates the points first and adds the difference of the positions last, which loses no digits far
 * from the origin.
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

void proto_put_trace(struct proto_buffer *out, const struct proto_trace *trace) {
    proto_put_key(out, "trace");
    proto_put_bytes(out, trace->text.data, trace->text.length);
    proto_put_text(out, "]}");
    out->failed = out->failed || trace->text.failed;
}
