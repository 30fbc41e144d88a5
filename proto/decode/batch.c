/*
 * Batches of queries. The body is parsed once; each query is decoded when its turn comes, by the
 * thread that answers it, and its mistakes are its own.
 */

#include "decode/decode.h"
#include "json/reader.h"

struct proto_batch {
    struct proto_document document;
    const proto_limits *limits;
    proto_scope scope;
    proto_node root, queries; /* the pointers to mistakes lead through both */
    proto_query common;       /* at, filter and options of the whole batch */
    uint32_t count;
    bool beside_tick;
};

uint32_t proto_batch_count(const struct proto_batch *batch) {
    return batch->count;
}

bool proto_batch_tick(const struct proto_batch *batch, double *tick) {
    *tick = batch->common.at.tick;
    return batch->common.at.given;
}

static bool decode_batch(struct proto_reader *reader, struct proto_batch *batch) {
    static const char *const known[] = {"at", "filter", "options", "queries", NULL};
    static const char *const of_tick[] = {"shapes", NULL};
    static const char *const stateless[] = {"dimension", "filter", "options", "queries", NULL};
    const proto_node *root = &batch->root;
    bool is_stateless = batch->scope.set_dimension == 0;

    if (!proto_read_object(reader, root)) {
        return false;
    }
    bool is_fine = proto_check_members(reader, root, is_stateless ? stateless : known,
                                       batch->beside_tick ? of_tick : NULL);
    proto_node dimension = proto_optional(root, "dimension");
    uint64_t given = 0, most = reader->limits->batch_queries_max;
    batch->queries = proto_required(root, "queries");
    is_fine = proto_read_array(reader, &batch->queries) && is_fine;
    is_fine = proto_read_integer(reader, dimension, 2, 3, &given) && is_fine;
    size_t count = proto_array_size(batch->queries.value);
    if (count > most) {
        is_fine = proto_refuse_many(reader, &batch->queries, "queries", count, most);
    }
    batch->count = (uint32_t)count;
    batch->scope.given_dimension = (uint32_t)given;
    return proto_decode_scene(reader, root, &batch->common) && is_fine;
}

/* NOLINTNEXTLINE(readability-function-size): seven parameters are what a whole request is. */
bool proto_decode_batch(proto_text body, uint32_t set_dimension, bool beside_tick,
                        const proto_limits *limits, struct gjk_arena *arena,
                        struct proto_batch **out, struct proto_problem *problem) {
    struct proto_batch *batch = gjk_arena_alloc(arena, sizeof *batch);
    struct proto_reader reader;

    if (batch == NULL) {
        return proto_problem_set(problem, PROTO_OUT_OF_MEMORY, "no memory for the queries");
    }
    if (!proto_document_open(&batch->document, body, arena, problem)) {
        return false;
    }
    batch->limits = limits;
    batch->beside_tick = beside_tick;
    batch->scope = (proto_scope){.set_dimension = set_dimension, .is_batch = true};
    proto_query_init(&batch->common, PROTO_OP_DETECT);
    proto_reader_init(&reader, &batch->document, limits, arena, problem);
    batch->root = proto_root(batch->document.root);
    if (!decode_batch(&reader, batch)) {
        proto_document_close(&batch->document);
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
    struct proto_reader reader = {.limits = batch->limits,
                                  .arena = arena,
                                  .scratch = arena,
                                  .problem = problem};
    proto_node query = proto_item(&batch->queries, i);
    proto_op op = PROTO_OP_DETECT;

    proto_buffer_init(&reader.text, arena);
    if (!proto_read_object(&reader, &query) ||
        !proto_decode_op(&reader, proto_required(&query, "op"), batch->scope.set_dimension == 0,
                         &op)) {
        return false;
    }
    proto_query_init(out, op);
    out->at = batch->common.at;
    out->filter = batch->common.filter;
    out->options = batch->common.options;
    return proto_decode_one(&reader, &query, &batch->scope, out);
}

void proto_batch_close(struct proto_batch *batch) {
    if (batch != NULL) {
        proto_document_close(&batch->document);
    }
}
