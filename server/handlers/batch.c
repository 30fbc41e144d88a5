/*
 * Batches. The body is parsed once; then its queries are decoded, answered and printed in chunks,
 * by all workers, like single queries. Each chunk prints into its own memory; the texts are joined
 * in order. A query that fails has its error in the place of its answer.
 *
 * answers_max and --max-answer limit the whole reply, in the order of the queries. Chunks run out
 * of order and do not know the length of earlier lists, so each query may use all room that is not
 * known to be used. If the sum exceeds the limits, the queries past the limit are answered again
 * with the room that is really left (enforce_room).
 */

#include "handlers/batch.h"
#include "handlers/blocks.h"
#include "handlers/handlers.h"
#include "handlers/pose_tick.h"
#include "handlers/query.h"
#include "request/context.h"
#include "sets/version.h"

#include <string.h>

/* Estimated time of a query, which sets the size of chunks; a heavy query gets its own chunk. */
#define ROW_NS 8000
#define ROW_HEAVY_NS 1000000

/* Room for lists in the reply, left or used. */
typedef struct room {
    uint64_t answers, bytes;
} room;

/* Counts of a chunk that are not yet added to the totals of the batch. */
typedef struct tally {
    room used;
    uint32_t ops[PROTO_OP_COUNT];
} tally;

/* Answer to one query. */
typedef struct result {
    proto_text text;
    uint32_t answered; /* number of answers in its lists */
    bool is_cut;       /* with more room the lists might be longer */
} result;

/* The texts of a chunk; `end` is the row after its last one. */
typedef struct chunk_texts {
    struct gjk_arena arena;
    uint32_t end;
} chunk_texts;

/* A batch that is being answered. */
typedef struct gjkd_batch {
    struct gjkd_request *request;
    struct proto_batch *batch;
    result *results; /* one for each query */
    /* A chunk that begins with a row uses texts[row / step]. No chunk has fewer rows than `step`,
     * so no two chunks share one; those in between stay empty. */
    chunk_texts *texts;
    uint32_t step, chunks, rows;
    uint64_t row_ns;
    room max;              /* room of the whole reply */
    atomic_ulong answered; /* number of answers of finished chunks */
    atomic_ulong bytes;    /* bytes of their texts */
    atomic_ulong ops[PROTO_OP_COUNT];
    atomic_int failure; /* a proto_code that ends the batch, or PROTO_OK */
    bool has_tick;
    double tick;
    bool beside_tick;    /* with a tick: the reply begins with the summary of its version */
    int status;          /* status of the reply */
    proto_text overlaps; /* printed overlaps of the tick; empty if not asked for */
} work;

static void release_batch(work *batch) {
    for (uint32_t i = 0; i < batch->chunks; i++) {
        gjk_arena_fini(&batch->texts[i].arena);
    }
    proto_batch_close(batch->batch);
}

/* --- One query --- */

/* Answers query `row`, with the room `left`. Returns false with *context->problem if refused. */
static bool ask_query(const work *batch, uint32_t row, room left, tally *done,
                      struct gjkd_query_context *context) {
    context->request = batch->request;
    context->room = left.answers < UINT32_MAX ? (uint32_t)left.answers : UINT32_MAX;
    if (!proto_batch_query(batch->batch, row, context->arena, &context->query, context->problem) ||
        !gjkd_query_begin(context)) {
        return false;
    }
    context->stamp =
        (proto_stamp){.meta_of = context->stamp.meta_of, .pose_gap = context->stamp.pose_gap};
    context->out.list_bytes_max = left.bytes;
    if (!gjkd_query_answer(context)) {
        return false;
    }
    done->ops[context->query.op]++;
    return !context->out.failed || gjkd_query_out_of_memory(context);
}

/* Returns true if the problem ends the batch: memory or time is exhausted. Other problems concern
 * only their query. */
static bool ends_batch(proto_code code) {
    return code == PROTO_OUT_OF_MEMORY || code == PROTO_DEADLINE_EXCEEDED;
}

/* Makes the text for query `row` in scratch and copies it to texts. Returns a code other than
 * PROTO_OK if the batch must end. */
static proto_code answer_row(const work *batch, uint32_t row, room left, tally *done,
                             struct gjk_arena *scratch, struct gjk_arena *texts) {
    struct proto_problem problem; /* 1 KB, the context 3 KB: not cleared, to save time */
    struct gjkd_query_context context;
    struct proto_buffer *out = &context.out;
    problem.code = PROTO_OK;
    context.arena = scratch;
    context.problem = &problem;
    if (!ask_query(batch, row, left, done, &context)) {
        if (ends_batch(problem.code)) {
            return problem.code;
        }
        context.answered = 0;
        context.is_cut = false;
        proto_buffer_init(out, scratch);
        proto_encode_error(out, &problem);
    }
    char *text = out->failed ? NULL : gjk_arena_copy_text(texts, out->data, out->length);
    if (text == NULL) {
        return PROTO_OUT_OF_MEMORY;
    }
    batch->results[row] =
        (result){{text, out->length}, context.answered, context.is_cut || out->is_cut};
    return PROTO_OK;
}

/* --- In chunks --- */

static uint64_t rest_of(uint64_t max, uint64_t used) {
    return used < max ? max - used : 0;
}

static void count_work(work *batch, const tally *done) {
    atomic_fetch_add_explicit(&batch->answered, done->used.answers, memory_order_relaxed);
    atomic_fetch_add_explicit(&batch->bytes, done->used.bytes, memory_order_relaxed);
    for (int op = 0; op < PROTO_OP_COUNT; op++) {
        if (done->ops[op] > 0) {
            atomic_fetch_add_explicit(&batch->ops[op], done->ops[op], memory_order_relaxed);
        }
    }
}

static void run_queries(gjkd_chunk *chunk) {
    work *batch = chunk->work;
    chunk_texts *texts = &batch->texts[chunk->begin / batch->step];
    tally done = {0};
    texts->end = chunk->end;
    for (uint32_t row; atomic_load(&batch->failure) == PROTO_OK && gjkd_chunk_next(chunk, &row);) {
        /* Room left, without the queries of other chunks that are not finished. */
        const room left = {
            rest_of(batch->max.answers,
                    done.used.answers +
                        atomic_load_explicit(&batch->answered, memory_order_relaxed)),
            rest_of(batch->max.bytes,
                    done.used.bytes + atomic_load_explicit(&batch->bytes, memory_order_relaxed)),
        };
        proto_code code = answer_row(batch, row, left, &done, chunk->memory, &texts->arena);
        if (code != PROTO_OK) {
            atomic_store(&batch->failure, (int)code);
            break;
        }
        done.used.answers += batch->results[row].answered;
        done.used.bytes += batch->results[row].text.length;
        gjk_arena_reset(chunk->memory);
    }
    count_work(batch, &done);
}

/* Answers those queries again that listed more than there is room for, or were cut by a lower
 * estimate of the room. Returns a code other than PROTO_OK if the batch must end. */
static proto_code enforce_room(work *batch) {
    room left = batch->max;
    struct gjk_arena scratch;
    tally done = {0};
    proto_code code = PROTO_OK;
    chunk_texts *texts = batch->texts;
    gjk_arena_init_beside(&scratch, &batch->request->arena);
    for (uint32_t row = 0; row < batch->rows && code == PROTO_OK; row++) {
        const result *said = &batch->results[row];
        texts = row < texts->end ? texts : &batch->texts[row / batch->step];
        if (said->is_cut || said->answered > left.answers ||
            (said->answered > 0 && said->text.length > left.bytes)) {
            code = gjk_budget_spend(scratch.budget, GJKD_ROW_STEPS)
                       ? PROTO_DEADLINE_EXCEEDED
                       : answer_row(batch, row, left, &done, &scratch, &texts->arena);
            gjk_arena_reset(&scratch);
        }
        left.answers = rest_of(left.answers, said->answered);
        left.bytes = rest_of(left.bytes, said->text.length);
    }
    gjk_arena_fini(&scratch);
    count_work(batch, &done);
    return code;
}

/* --- Opening and printing --- */

static void print(const work *batch, struct proto_buffer *out) {
    const struct gjkd_version *version = batch->request->version;
    proto_stamp stamp = {.has_tick = batch->has_tick, .tick = batch->tick};
    size_t length = 256 + batch->overlaps.length; /* text around the results */
    for (uint32_t row = 0; row < batch->rows; row++) {
        length += batch->results[row].text.length + 1;
    }
    if (version != NULL) {
        gjk_rewound rewound;
        stamp.has_revision = true;
        stamp.revision = version->revision;
        stamp.pose_gap = batch->has_tick &&
                         gjk_history_at(version->history, batch->tick, &rewound) == GJK_REWIND_OK &&
                         rewound.is_gap;
    }
    chunk_texts *texts = batch->texts;
    proto_buffer_reserve(out, length);
    if (batch->beside_tick) {
        const proto_summary summary = gjkd_version_summary(version);
        proto_encode_tick_batch_begin(out, &summary);
    } else {
        proto_encode_batch_begin(out, &stamp);
    }
    for (uint32_t row = 0; row < batch->rows; row++) {
        proto_encode_batch_reply(out, batch->results[row].text);
        if (row + 1 == texts->end) {
            gjk_arena_fini(&texts->arena); /* avoids two copies of the whole answer */
            texts = &batch->texts[texts->end / batch->step];
        }
    }
    proto_encode_batch_end(out, batch->overlaps);
}

static void finish_batch(void *closure, bool is_late) {
    work *batch = closure;
    struct gjkd_request *request = batch->request;
    struct proto_buffer out;
    if (is_late) {
        release_batch(batch);
        gjkd_request_fail_late(request);
        return;
    }
    proto_code code = (proto_code)atomic_load(&batch->failure);
    code = code == PROTO_OK ? enforce_room(batch) : code;
    proto_buffer_init_blocks(&out, &request->arena);
    if (code == PROTO_OK) {
        print(batch, &out);
        for (int op = 0; op < PROTO_OP_COUNT; op++) {
            gjkd_request_count_queries(request, (proto_op)op, atomic_load(&batch->ops[op]));
        }
    }
    release_batch(batch);
    if (code == PROTO_OK) {
        gjkd_request_reply(request, batch->status, &out);
    } else {
        gjkd_request_fail(request, code, "%s",
                          code == PROTO_OUT_OF_MEMORY
                              ? "no memory for the answers"
                              : "time was up before all queries were answered");
    }
}

/* Allocates the results and texts. Returns false if memory is exhausted. */
static bool make_room(struct gjkd_request *request, work *batch) {
    uint64_t row_ns = ROW_NS;
    for (int op = 0; op < PROTO_OP_COUNT; op++) {
        /* A query for all pairs of a set may take far longer than a ray. */
        const char *unless = gjkd_query_kinds[op].cost.all_unless;
        if (unless != NULL && proto_batch_has_without(batch->batch, (proto_op)op, unless)) {
            row_ns = ROW_HEAVY_NS;
        }
    }
    batch->rows = proto_batch_count(batch->batch);
    batch->row_ns = row_ns;
    batch->step = gjkd_chunks_step_of(batch->rows, row_ns);
    batch->chunks = batch->rows > 0 ? (batch->rows + batch->step - 1) / batch->step : 0;
    batch->results = gjk_arena_alloc_array(&request->arena, batch->rows, sizeof batch->results[0]);
    batch->texts = gjk_arena_alloc_array(&request->arena, batch->chunks, sizeof batch->texts[0]);
    if (batch->results == NULL || batch->texts == NULL) {
        batch->chunks = 0;
        return false;
    }
    for (uint32_t i = 0; i < batch->chunks; i++) {
        gjk_arena_init(&batch->texts[i].arena, 0);
        gjk_arena_charge(&batch->texts[i].arena, &request->account->account);
        batch->texts[i].end = 0;
    }
    return true;
}

struct gjkd_batch *gjkd_batch_open(struct gjkd_request *request, bool beside_tick) {
    work *batch = gjk_arena_alloc(&request->arena, sizeof *batch);
    if (batch == NULL) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the batch");
        return NULL;
    }
    memset(batch, 0, sizeof *batch);
    batch->request = request;
    batch->beside_tick = beside_tick;
    atomic_init(&batch->failure, PROTO_OK);
    batch->max =
        (room){request->context->limits.answers_max, request->context->config->max_answer_bytes};
    if (!proto_decode_batch(gjkd_request_text(request),
                            request->version != NULL ? request->version->dimension : 0, beside_tick,
                            &request->context->limits, &request->arena, &batch->batch,
                            &request->problem)) {
        gjkd_request_refuse(request);
        return NULL;
    }
    batch->has_tick = proto_batch_tick(batch->batch, &batch->tick);
    return batch;
}

void gjkd_batch_close(struct gjkd_batch *batch) {
    release_batch(batch);
}

/* Prints the overlaps, or the problem, and subtracts them from the room of the queries. Returns
 * false if memory is exhausted. */
static bool put_overlaps(work *batch, const gjk_overlap_changes *changes, bool truncated,
                         const struct proto_problem *problem) {
    struct proto_buffer out;
    proto_buffer_init(&out, &batch->request->arena);
    out.list_bytes_max = batch->max.bytes;
    if (problem->code == PROTO_OK) {
        proto_encode_overlap_changes(&out, changes, truncated);
        batch->max.answers = rest_of(batch->max.answers, changes->begin.count + changes->end.count);
    } else {
        proto_encode_error(&out, problem);
    }
    batch->overlaps = (proto_text){out.data, out.length};
    batch->max.bytes = rest_of(batch->max.bytes, out.length);
    return !out.failed;
}

bool gjkd_batch_compare(struct gjkd_batch *batch, const struct gjkd_version *seen, uint64_t tick) {
    struct gjkd_request *request = batch->request;
    struct proto_problem problem = {.code = PROTO_OK};
    gjk_overlap_changes changes = {0};
    gjk_filter filter;
    bool truncated = false;
    if (!proto_batch_overlaps(batch->batch, &filter)) {
        return true;
    }
    if (gjkd_tick_overlaps(request, seen, tick, &filter, &changes, &truncated, &problem)) {
        gjkd_request_count_queries(request, PROTO_OP_DETECT, 1);
    }
    if (!ends_batch(problem.code) && !put_overlaps(batch, &changes, truncated, &problem)) {
        proto_problem_set(&problem, PROTO_OUT_OF_MEMORY, "no memory for the answers");
    }
    if (ends_batch(problem.code)) {
        release_batch(batch);
        request->problem = problem;
        return gjkd_request_refuse(request);
    }
    return true;
}

void gjkd_batch_answer(struct gjkd_batch *batch, int status) {
    struct gjkd_request *request = batch->request;
    batch->status = status;
    if (!make_room(request, batch)) {
        release_batch(batch);
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the answers");
        return;
    }
    gjkd_request_leave_chunks(request, batch->rows, batch->row_ns,
                              &(struct gjkd_chunks){.work = batch,
                                                    .never_shrinks = true, /* see texts */
                                                    .run = run_queries,
                                                    .finish = finish_batch});
}

void gjkd_handle_batch(struct gjkd_request *request) {
    if (!gjkd_request_check_if_match(request)) {
        return;
    }
    if (request->columns_in) {
        gjkd_blocks_answer(request);
        return;
    }
    work *batch = gjkd_batch_open(request, false);
    if (batch != NULL) {
        gjkd_request_mark_decoded(request);
        gjkd_batch_answer(batch, 200);
    }
}
