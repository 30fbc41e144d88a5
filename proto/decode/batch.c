/*
 * Batches of queries. The body is parsed once; each query is decoded when its turn comes, by the
 * thread that answers it, and its mistakes are its own.
 */

#include "decode/decode.h"

struct proto_batch {
    struct proto_reader reader; /* of the whole body */
    proto_scope scope;
    proto_node root, queries; /* the pointers to mistakes lead through both */
    proto_query common;       /* at, filter and options of the whole batch */
    uint32_t count;
};

uint32_t proto_batch_count(const struct proto_batch *batch) {
    return batch->count;
}

bool proto_batch_tick(const struct proto_batch *batch, double *tick) {
    *tick = batch->common.at.tick;
    return batch->common.at.given;
}

/* NOLINTNEXTLINE(readability-function-size): seven parameters are what a whole request is. */
bool proto_decode_batch(proto_text body, uint32_t set_dimension, bool beside_tick,
                        const proto_limits *limits, struct gjk_arena *arena,
                        struct proto_batch **out, struct proto_problem *problem) {
    struct proto_batch *batch = gjk_arena_alloc(arena, sizeof *batch);
    const uint64_t most = limits->batch_queries_max;
    proto_object root;

    if (batch == NULL) {
        return proto_problem_set(problem, PROTO_OUT_OF_MEMORY, "no memory for the queries");
    }
    struct proto_reader *reader = &batch->reader;
    if (!proto_reader_open(reader, body, limits, arena, problem)) {
        return false;
    }
    batch->scope = (proto_scope){.set_dimension = set_dimension, .is_batch = true};
    proto_query_init(&batch->common, PROTO_OP_DETECT);
    batch->root = proto_root(reader->root);
    if (proto_object_open(reader, &batch->root, &root)) {
        batch->queries = proto_required(&root, "queries");
        batch->queries.parent = &batch->root;
        proto_read_array(reader, &batch->queries);
        if (set_dimension == 0) {
            proto_read_u32(reader, proto_optional(&root, "dimension"), 2, 3,
                           &batch->scope.given_dimension);
        }
        const size_t count = proto_array_size(batch->queries.value);
        if (count > most) {
            proto_refuse_many(reader, &batch->queries, "queries", count, most);
        }
        batch->count = (uint32_t)count;
        if (beside_tick) {
            proto_optional(&root, "shapes");
        }
        proto_decode_scene(reader, &root, set_dimension != 0, &batch->common);
        proto_object_close(reader, &root);
    }
    if (!proto_reader_finish(reader, problem)) {
        proto_reader_close(reader);
        return false;
    }
    *out = batch;
    return true;
}

bool proto_batch_is_heavy(const struct proto_batch *batch) {
    for (uint32_t i = 0; batch->scope.set_dimension != 0 && i < batch->count; i++) {
        const proto_node query = proto_item(&batch->queries, i);
        if (proto_asks_for_all_pairs(&query)) {
            return true;
        }
    }
    return false;
}

bool proto_batch_query(const struct proto_batch *batch, uint32_t i, struct gjk_arena *arena,
                       proto_query *out, struct proto_problem *problem) {
    const proto_node node = proto_item(&batch->queries, i);
    struct proto_reader reader;
    proto_object query;
    proto_op op = PROTO_OP_DETECT;

    proto_reader_init(&reader, batch->reader.limits, arena);
    if (proto_object_open(&reader, &node, &query) &&
        proto_decode_op(&reader, proto_peek(&node, "op"), batch->scope.set_dimension == 0, &op)) {
        proto_query_init(out, op);
        out->at = batch->common.at;
        out->filter = batch->common.filter;
        out->options = batch->common.options;
        proto_decode_one(&reader, &query, &batch->scope, out);
    }
    return proto_reader_finish(&reader, problem);
}

void proto_batch_close(struct proto_batch *batch) {
    if (batch != NULL) {
        proto_reader_close(&batch->reader);
    }
}
