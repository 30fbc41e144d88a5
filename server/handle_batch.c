/*
 * Many questions at once. The body is parsed; then its queries are decoded, asked and printed in
 * parts, by as many workers as there are, as they would be alone. Each part keeps its texts in
 * memory of its own; they are put together in order. What goes wrong with a query stands in its
 * place.
 *
 * answers_max holds for the whole reply, query by query in their order. Parts do not know what
 * the queries before them will list, so they list what may be due at most; where that comes to
 * more in all, the queries at and behind the border are asked again with what is really left.
 */

#include "handle.h"
#include "question.h"

#include <string.h>

/* Estimates of a query's cost, for cutting; of a heavy one, to have it in a part by itself. */
#define ROW_NS 8000
#define ROW_HEAVY_NS 1000000

#define OP_COUNT (PROTO_OP_HIT + 1)

static const gjkd_answer answerers[OP_COUNT] = {
    [PROTO_OP_DETECT] = gjkd_answer_detect,   [PROTO_OP_DISTANCE] = gjkd_answer_distance,
    [PROTO_OP_RAYCAST] = gjkd_answer_raycast, [PROTO_OP_CAST] = gjkd_answer_cast,
    [PROTO_OP_HIT] = gjkd_answer_hit,
};

/* What is said to one query. */
typedef struct result {
    proto_text text;
    uint32_t answered; /* in its lists */
    bool is_cut;       /* with more room there might be more */
} result;

/* One batch under way. */
typedef struct work {
    struct proto_batch *batch;
    result *results;         /* one a query */
    struct gjk_arena *texts; /* one a part */
    uint32_t step, parts, rows;
    uint64_t row_ns;
    uint64_t answers_max;
    atomic_ulong answered; /* by queries that are done */
    atomic_ulong ops[OP_COUNT];
    atomic_int failure; /* a proto_code that ends the batch */
    bool has_tick;
    double tick;
} work;

static void release(struct gjkd_job *job, void *closure) {
    work *batch = closure;
    (void)job;
    for (uint32_t i = 0; i < batch->parts; i++) {
        gjk_arena_fini(&batch->texts[i]);
    }
    proto_batch_close(batch->batch);
}

/* --- One query --- */

/* Asks query `row` with so much room; false: *problem says why not. */
static bool ask(struct gjkd_job *job, work *batch, uint32_t row, uint32_t room,
                struct gjkd_question *question) {
    question->job = job;
    question->room = room;
    if (!proto_batch_query(batch->batch, row, question->arena, &question->query,
                           question->problem) ||
        !gjkd_question_prepare(question)) {
        return false;
    }
    question->stamp = (proto_stamp){0};
    const proto_op op = question->query.op;
    if (!answerers[op](question)) {
        return false;
    }
    atomic_fetch_add_explicit(&batch->ops[op], 1, memory_order_relaxed);
    return !question->out.failed || gjkd_question_out_of_memory(question);
}

/* What is wrong with a query does not disturb the others; want of memory or of time does. */
static bool ends_batch(proto_code code) {
    return code == PROTO_OUT_OF_MEMORY || code == PROTO_DEADLINE_EXCEEDED;
}

/* The text for query `row`, made in scratch and kept in texts. */
static proto_code answer_row(struct gjkd_job *job, work *batch, uint32_t row, uint32_t room,
                             struct gjk_arena *scratch, struct gjk_arena *texts) {
    struct proto_problem problem = {.code = PROTO_OK};
    struct gjkd_question question = {.arena = scratch, .problem = &problem};
    struct proto_buffer *out = &question.out;
    if (!ask(job, batch, row, room, &question)) {
        if (ends_batch(problem.code)) {
            return problem.code;
        }
        question.answered = 0;
        question.is_cut = false;
        proto_buffer_init(out, scratch);
        proto_encode_error(out, &problem);
    }
    char *text = out->failed ? NULL : gjk_arena_copy_text(texts, out->data, out->length);
    if (text == NULL) {
        return PROTO_OUT_OF_MEMORY;
    }
    batch->results[row] = (result){{text, out->length}, question.answered, question.is_cut};
    return PROTO_OK;
}

/* --- In parts --- */

/* What is left of answers_max, as far as anybody knows yet. */
static uint32_t room_now(work *batch) {
    uint64_t answered = atomic_load_explicit(&batch->answered, memory_order_relaxed);
    uint64_t room = answered < batch->answers_max ? batch->answers_max - answered : 0;
    return room < UINT32_MAX ? (uint32_t)room : UINT32_MAX;
}

static void run(struct gjkd_job *job, const gjkd_part *part) {
    work *batch = part->work;
    struct gjk_arena *texts = &batch->texts[part->begin / batch->step];
    for (uint32_t row = part->begin; row < part->end; row++) {
        if (atomic_load(&batch->failure) != PROTO_OK) {
            return;
        }
        proto_code code = answer_row(job, batch, row, room_now(batch), part->memory, texts);
        if (code != PROTO_OK) {
            atomic_store(&batch->failure, (int)code);
            return;
        }
        atomic_fetch_add(&batch->answered, batch->results[row].answered);
        gjk_arena_reset(part->memory);
    }
}

/* Asks those queries again that listed more than there is room for, or might have listed more. */
static proto_code settle_room(struct gjkd_job *job, work *batch) {
    uint64_t room = batch->answers_max;
    struct gjk_arena scratch;
    proto_code code = PROTO_OK;
    gjk_arena_init(&scratch, GJKD_JOB_BYTES_MAX);
    for (uint32_t row = 0; row < batch->rows && code == PROTO_OK; row++) {
        const result *said = &batch->results[row];
        if (said->is_cut || said->answered > room) {
            code = gjkd_job_is_late(job) ? PROTO_DEADLINE_EXCEEDED
                                         : answer_row(job, batch, row, (uint32_t)room, &scratch,
                                                      &batch->texts[row / batch->step]);
            gjk_arena_reset(&scratch);
        }
        room -= code == PROTO_OK ? said->answered : 0;
    }
    gjk_arena_fini(&scratch);
    return code;
}

/* --- Before and after --- */

static void print(struct gjkd_job *job, const work *batch, struct proto_buffer *out) {
    proto_stamp stamp = {.has_tick = batch->has_tick, .tick = batch->tick};
    size_t length = 256; /* of what is around the results */
    for (uint32_t row = 0; row < batch->rows; row++) {
        length += batch->results[row].text.length + 1;
    }
    if (job->version != NULL) {
        stamp.has_revision = true;
        stamp.revision = job->version->revision;
    }
    proto_buffer_reserve(out, length);
    proto_encode_batch_begin(out, &stamp);
    for (uint32_t row = 0; row < batch->rows; row++) {
        proto_encode_batch_reply(out, batch->results[row].text);
    }
    proto_encode_batch_end(out);
}

static void finish(struct gjkd_job *job, void *closure) {
    work *batch = closure;
    struct proto_buffer out;
    proto_code code = (proto_code)atomic_load(&batch->failure);
    code = code == PROTO_OK ? settle_room(job, batch) : code;
    proto_buffer_init(&out, &job->arena);
    if (code == PROTO_OK) {
        print(job, batch, &out);
        for (int op = 0; op < OP_COUNT; op++) {
            gjkd_job_note_queries(job, (proto_op)op, atomic_load(&batch->ops[op]));
        }
    }
    release(job, batch);
    if (code == PROTO_OK) {
        gjkd_job_reply(job, 200, &out);
    } else {
        gjkd_job_fail(job, code, "%s",
                      code == PROTO_OUT_OF_MEMORY ? "no memory for the answers"
                                                  : "time was up before all queries were answered");
    }
}

/* False: out of memory. */
static bool make_room(struct gjkd_job *job, work *batch) {
    uint64_t row_ns = proto_batch_is_heavy(batch->batch) ? ROW_HEAVY_NS : ROW_NS;
    batch->rows = proto_batch_count(batch->batch);
    batch->row_ns = row_ns;
    batch->step = gjkd_parts_step_of(batch->rows, row_ns);
    batch->parts = batch->rows > 0 ? (batch->rows + batch->step - 1) / batch->step : 0;
    batch->results = gjk_arena_alloc_array(&job->arena, batch->rows, sizeof batch->results[0]);
    batch->texts = gjk_arena_alloc_array(&job->arena, batch->parts, sizeof batch->texts[0]);
    if (batch->results == NULL || batch->texts == NULL) {
        batch->parts = 0;
        return false;
    }
    for (uint32_t i = 0; i < batch->parts; i++) {
        gjk_arena_init(&batch->texts[i], GJKD_JOB_BYTES_MAX);
    }
    return true;
}

void gjkd_handle_batch(struct gjkd_job *job) {
    proto_text body = {job->body != NULL ? job->body : "", job->body_bytes};
    if (!gjkd_job_has_set(job)) {
        return;
    }
    work *batch = gjk_arena_alloc(&job->arena, sizeof *batch);
    if (batch == NULL) {
        gjkd_job_fail(job, PROTO_OUT_OF_MEMORY, "no memory for the batch");
        return;
    }
    memset(batch, 0, sizeof *batch);
    atomic_init(&batch->failure, PROTO_OK);
    batch->answers_max = job->context->limits.answers_max;
    if (!proto_decode_batch(body, job->version != NULL ? job->version->dimension : 0,
                            &job->context->limits, &job->arena, &batch->batch, &job->problem)) {
        gjkd_job_refuse(job);
        return;
    }
    gjkd_job_note_decoded(job);
    batch->has_tick = proto_batch_tick(batch->batch, &batch->tick);
    if (!make_room(job, batch)) {
        release(job, batch);
        gjkd_job_fail(job, PROTO_OUT_OF_MEMORY, "no memory for the answers");
        return;
    }
    gjkd_parts_leave(job, batch->rows, batch->row_ns,
                     &(struct gjkd_parts){.work = batch,
                                          .is_fixed = true, /* each has its texts */
                                          .run = run,
                                          .finish = finish,
                                          .drop = release});
}
