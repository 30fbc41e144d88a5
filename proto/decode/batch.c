/*
 * Batches of queries. The body is parsed once; each query is decoded when its turn comes, by the
 * thread that answers it, and its mistakes are its own.
 */

#include "decode/decode.h"
#include "reader/document.h"

struct proto_batch {
    struct proto_document document;
    const proto_limits *limits;
    proto_scope scope;
    proto_query common; /* at, filter and options of the whole batch */
    uint32_t count;
};

uint32_t proto_batch_count(const struct proto_batch *batch) {
    return batch->count;
}

bool proto_batch_tick(const struct proto_batch *batch, double *tick) {
    *tick = batch->common.at_tick;
    return batch->common.has_at;
}

static bool decode_batch(struct proto_reader *reader, const proto_node *root,
                         struct proto_batch *batch) {
    static const char *const known[] = {"at", "filter", "options", "queries", NULL};
    static const char *const stateless[] = {"dimension", "filter", "options", "queries", NULL};
    bool is_stateless = batch->scope.set_dimension == 0;

    if (!proto_read_object(reader, root)) {
        return false;
    }
    bool is_fine = proto_check_members(reader, root, is_stateless ? stateless : known, NULL);
    proto_node queries = proto_required(root, "queries"),
               dimension = proto_optional(root, "dimension");
    uint64_t given = 0, most = reader->limits->batch_queries_max;
    is_fine = proto_read_array(reader, &queries) && is_fine;
    is_fine = proto_read_integer(reader, dimension, 2, 3, &given) && is_fine;
    size_t count = json_array_size(queries.json);
    if (count > most) {
        is_fine = proto_refuse_many(reader, &queries, "queries", count, most);
    }
    batch->count = (uint32_t)count;
    batch->scope.given_dimension = (uint32_t)given;
    return proto_decode_scene(reader, root, &batch->common) && is_fine;
}

bool proto_decode_batch(proto_text body, uint32_t set_dimension, const proto_limits *limits,
                        struct gjk_arena *arena, struct proto_batch **out,
                        struct proto_problem *problem) {
    struct proto_batch *batch = gjk_arena_alloc(arena, sizeof *batch);
    struct proto_reader reader;

    if (batch == NULL) {
        return proto_problem_set(problem, PROTO_OUT_OF_MEMORY, "no memory for the queries");
    }
    if (!proto_document_open(&batch->document, body, arena, problem)) {
        return false;
    }
    batch->limits = limits;
    batch->scope = (proto_scope){.set_dimension = set_dimension, .is_batch = true};
    batch->common = proto_query_default(PROTO_OP_DETECT);
    proto_reader_init(&reader, &batch->document, limits, arena, problem);
    proto_node root = proto_root(batch->document.root);
    if (!decode_batch(&reader, &root, batch)) {
        proto_document_close(&batch->document);
        return false;
    }
    *out = batch;
    return true;
}

bool proto_batch_is_heavy(const struct proto_batch *batch) {
    json_t *queries = json_object_get(batch->document.root, "queries");

    for (uint32_t i = 0; batch->scope.set_dimension != 0 && i < batch->count; i++) {
        if (proto_asks_for_all_pairs(json_array_get(queries, i))) {
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
    proto_node root = proto_root(batch->document.root);
    proto_node queries = proto_required(&root, "queries");
    proto_node query = proto_item(&queries, i);
    proto_op op = PROTO_OP_DETECT;

    proto_buffer_init(&reader.text, arena);
    if (!proto_read_object(&reader, &query) ||
        !proto_decode_op(&reader, proto_required(&query, "op"), batch->scope.set_dimension == 0,
                         &op)) {
        return false;
    }
    *out = proto_query_default(op);
    out->has_at = batch->common.has_at;
    out->at_tick = batch->common.at_tick;
    out->at_pointer = batch->common.at_pointer;
    out->filter = batch->common.filter;
    out->options = batch->common.options;
    return proto_decode_one(&reader, &query, &batch->scope, out);
}

void proto_batch_close(struct proto_batch *batch) {
    if (batch != NULL) {
        proto_document_close(&batch->document);
    }
}
