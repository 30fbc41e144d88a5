/*
 * Blocks alone, in batches and in ticks. All blocks of a request are decoded and checked before any
 * row is answered. The rows of several blocks form one sequence of units of about UNIT_NS, which is
 * cut into chunks; a row of an expensive kind is several units. The answers are joined in the order
 * of the blocks, so they do not depend on scheduling.
 */

#include "handlers/blocks.h"

#include "handlers/change.h"
#include "handlers/pose_tick.h"
#include "request/context.h"
#include "sets/version.h"

#include <stdio.h>
#include <string.h>

#define UNIT_NS 1000
#define ROW_UNITS_MAX 100 /* units of a whole chunk */

/* State of one request with several blocks. */
struct blocks {
    struct gjkd_request *request;
    struct gjkd_lists lists;
    proto_blocks asked;
    struct gjkd_block **items;
    uint32_t *ends;               /* number of units of all blocks up to and including this one */
    const gjkd_stamp *stamp;      /* stamp of the tick; NULL for a batch */
    struct gjkd_pose_tick *poses; /* poses of the tick; NULL for a batch */
    proto_uints begin, end;       /* handles of pairs that begin or cease to overlap at the tick */
    int status;                   /* status of the reply */
};

bool gjkd_block_fail_memory(struct gjkd_request *request) {
    return gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the answer");
}

/* Makes a block of that kind of query, PROTO_BLOCK_.... Returns NULL if the request is refused. */
static struct gjkd_block *make_block(struct gjkd_request *request, struct gjkd_lists *lists,
                                     uint32_t query) {
    const struct gjkd_block_kind *kind =
        query == PROTO_BLOCK_configurations ? &gjkd_configurations_block : &gjkd_columns_block;
    struct gjkd_block *block = gjk_arena_alloc(&request->arena, kind->size);
    if (block == NULL) {
        gjkd_block_fail_memory(request);
        return NULL;
    }
    memset(block, 0, kind->size);
    block->request = request;
    block->kind = kind;
    block->lists = lists;
    block->query = query;
    atomic_init(&block->refused, UINT32_MAX);
    return block;
}

static void init_lists(struct gjkd_lists *lists) {
    lists->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; /* needs no destruction */
    atomic_init(&lists->lines, 0);
}

proto_source gjkd_block_source(struct gjkd_request *request, uint32_t set_dimension) {
    return (proto_source){.body = gjkd_request_text(request),
                          .set_dimension = set_dimension,
                          .limits = &request->context->limits,
                          .arena = &request->arena,
                          .problem = &request->problem};
}

void *gjkd_block_keep(struct gjkd_block *block, const void *items, uint32_t count, size_t size) {
    pthread_mutex_lock(&block->lists->lock);
    void *kept = gjk_arena_alloc_array(&block->request->arena, count, size);
    pthread_mutex_unlock(&block->lists->lock);
    if (kept != NULL && count > 0) {
        memcpy(kept, items, count * size);
    }
    return kept;
}

void gjkd_block_note_refused(struct gjkd_block *block, uint32_t row) {
    uint32_t first = atomic_load(&block->refused);
    while (row < first && !atomic_compare_exchange_weak(&block->refused, &first, row)) {
    }
}

bool gjkd_block_rewind(struct gjkd_block *block, double tick, const char *pointer, gjk_rewound *out,
                       uint8_t *lacking) {
    struct gjkd_request *request = block->request;
    struct proto_problem problem = {0};
    *lacking = PROTO_ROW_CONVERGED;
    if (gjkd_rewind(request->version, tick, out, &problem)) {
        return true;
    }
    out->is_gap = false;
    *lacking =
        problem.code == PROTO_TICK_EXPIRED ? PROTO_ROW_TICK_EXPIRED : PROTO_ROW_TICK_IN_FUTURE;
    if (pointer != NULL) {
        request->problem = problem;
        gjkd_request_refuse_at(request, pointer);
    }
    return pointer == NULL;
}

const struct gjk_set *gjkd_block_find_set(const struct gjkd_block *block,
                                          const struct gjkd_version *before, uint64_t tick,
                                          const double *asked, struct proto_problem *problem) {
    gjk_rewound rewound;
    if (gjk_budget_spend(&block->request->budget, 1)) {
        proto_problem_set(problem, PROTO_DEADLINE_EXCEEDED,
                          "time was up before the tick was made; nothing has changed");
        return NULL;
    }
    if (asked == NULL) {
        return before->set;
    }
    if (gjkd_rewind(before, *asked, &rewound, problem)) {
        return rewound.snapshot.set;
    }
    if (problem->code == PROTO_TICK_IN_FUTURE && *asked <= (double)tick) {
        problem->code = PROTO_OK; /* the new tick has the shapes of the newest state, moved */
        return before->set;
    }
    return NULL;
}

bool gjkd_block_refuse_lists(struct gjkd_block *block, const char *what, uint64_t max,
                             bool has_limit) {
    struct proto_problem *problem = &block->request->problem;
    proto_problem_set(problem, PROTO_TOO_MANY,
                      "the answer has more than %llu %s, and lists of columns are not cut",
                      (unsigned long long)max, what);
    proto_problem_limit(problem, max);
    proto_problem_hint(problem, "%ssend fewer rows at once", has_limit ? "give a limit, or " : "");
    if (has_limit) {
        proto_problem_point(problem, "/limit");
    }
    return gjkd_request_refuse(block->request);
}

/* --- A block alone --- */

static void finish_alone(void *work, bool is_late) {
    struct gjkd_block *block = work;
    struct gjkd_request *request = block->request;
    struct proto_buffer out;
    proto_buffer_init_blocks(&out, &request->arena);
    if (is_late) {
        gjkd_request_fail_late(request);
    } else if (block->kind->print(block, &out)) {
        gjkd_request_count_queries(request, block->counted, block->rows);
        gjkd_request_reply(request, 200, &out);
    }
}

void gjkd_block_answer(struct gjkd_request *request, uint32_t query) {
    const proto_source source = gjkd_block_source(request, request->version->dimension);
    struct gjkd_lists *lists = gjk_arena_alloc(&request->arena, sizeof *lists);
    if (lists == NULL) {
        gjkd_block_fail_memory(request);
        return;
    }
    init_lists(lists);
    struct gjkd_block *block = make_block(request, lists, query);
    if (block == NULL || !block->kind->decode(block, &source) || !block->kind->prepare(block)) {
        return;
    }
    gjkd_request_mark_decoded(request);
    gjkd_request_leave_chunks(request, block->rows, block->row_ns,
                              &(struct gjkd_chunks){.work = block,
                                                    .run = block->kind->run,
                                                    .finish = finish_alone});
}

/* --- Several blocks: queries --- */

/* Makes the pointers of problems relative to block `i`, until leave_block. */
static void enter_block(struct blocks *blocks, uint32_t i) {
    const char *name = proto_block_table.columns[blocks->asked.items[i].kind].name;
    snprintf(blocks->request->pointer_prefix, sizeof blocks->request->pointer_prefix,
             "/block/%u/%s", i, name);
}

static void leave_block(struct blocks *blocks) {
    blocks->request->pointer_prefix[0] = '\0';
}

/* Decodes all blocks. Returns false if the request is refused. */
static bool decode_blocks(struct blocks *blocks) {
    struct gjkd_request *request = blocks->request;
    const proto_blocks *asked = &blocks->asked;
    const uint64_t max = request->context->limits.batch_queries_max;
    uint64_t rows = 0;
    blocks->items = gjk_arena_alloc_array(&request->arena, asked->count, sizeof(void *));
    blocks->ends = gjk_arena_alloc_array(&request->arena, asked->count, sizeof *blocks->ends);
    if (blocks->items == NULL || blocks->ends == NULL) {
        return gjkd_block_fail_memory(request);
    }
    for (uint32_t i = 0; i < asked->count; i++) {
        proto_source source = gjkd_block_source(request, request->version->dimension);
        source.body = asked->items[i].body;
        source.at_tick = asked->at_tick.count > 0 ? &asked->at_tick : NULL;
        struct gjkd_block *block = make_block(request, &blocks->lists, asked->items[i].kind);
        blocks->items[i] = block;
        enter_block(blocks, i);
        if (block == NULL || !block->kind->decode(block, &source)) {
            return false;
        }
        rows += block->rows;
        if (rows > max) {
            proto_problem_set(&request->problem, PROTO_TOO_MANY,
                              "the blocks up to this one have %llu rows, at most %llu are allowed",
                              (unsigned long long)rows, (unsigned long long)max);
            proto_problem_limit(&request->problem, max);
            return gjkd_request_refuse(request);
        }
    }
    leave_block(blocks);
    return true;
}

/* --- Answers --- */

/* Writes the answers to all blocks. Returns false if the request is refused. */
static bool print_blocks(struct blocks *blocks, proto_text *texts, struct proto_buffer *out) {
    struct gjkd_request *request = blocks->request;
    const uint64_t bytes_max = request->context->config->max_answer_bytes;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < blocks->asked.count; i++) {
        struct gjkd_block *block = blocks->items[i];
        struct proto_buffer text;
        proto_buffer_init(&text, &request->arena);
        enter_block(blocks, i);
        if (!block->kind->print(block, &text)) {
            return false;
        }
        if (text.failed) {
            return gjkd_block_fail_memory(request);
        }
        texts[i] = (proto_text){text.data, text.length};
        bytes += text.length;
    }
    leave_block(blocks);
    if (bytes > bytes_max) {
        proto_problem_set(&request->problem, PROTO_TOO_MANY,
                          "the answers have more than %llu bytes, and columns are not cut",
                          (unsigned long long)bytes_max);
        proto_problem_limit(&request->problem, bytes_max);
        return gjkd_request_refuse(request);
    }
    proto_block_answers answers = {.revision = request->version->revision,
                                   .blocks = blocks->asked.items,
                                   .texts = texts,
                                   .count = blocks->asked.count,
                                   .begin = blocks->begin,
                                   .end = blocks->end};
    if (blocks->poses != NULL && blocks->poses->columns.partial.flag) {
        proto_uints *unknown = &answers.unknown;
        unknown->is_there = true;
        unknown->values = gjkd_pose_tick_unknown_rows(blocks->poses, blocks->stamp->tick,
                                                      request->version, &unknown->count);
        if (unknown->values == NULL) {
            return gjkd_block_fail_memory(request);
        }
    }
    proto_buffer_reserve(out, bytes + 256);
    (request->columns_out != NULL ? proto_encode_block_answers
                                  : proto_encode_block_answers_json)(out, &answers);
    return true;
}

static void finish_blocks(void *work, bool is_late) {
    struct blocks *blocks = work;
    struct gjkd_request *request = blocks->request;
    struct proto_buffer out;
    if (is_late) {
        gjkd_request_fail_late(request);
        return;
    }
    proto_text *texts = gjk_arena_alloc_array(&request->arena, blocks->asked.count, sizeof *texts);
    proto_buffer_init_blocks(&out, &request->arena);
    if (texts == NULL) {
        gjkd_block_fail_memory(request);
    } else if (print_blocks(blocks, texts, &out)) {
        for (uint32_t i = 0; i < blocks->asked.count; i++) {
            const struct gjkd_block *block = blocks->items[i];
            gjkd_request_count_queries(request, block->counted, block->rows);
        }
        gjkd_request_reply(request, blocks->status, &out);
    }
}

static uint32_t units_of(const struct gjkd_block *block) {
    const uint64_t units = block->row_ns / UNIT_NS;
    return units < 1 ? 1 : units < ROW_UNITS_MAX ? (uint32_t)units : ROW_UNITS_MAX;
}

/* Answers the rows whose first unit is in the chunk. */
static void run_units(gjkd_chunk *chunk) {
    const struct blocks *blocks = chunk->work;
    uint32_t begin = 0;
    for (uint32_t i = 0; i < blocks->asked.count && begin < chunk->end; begin = blocks->ends[i++]) {
        struct gjkd_block *block = blocks->items[i];
        const uint32_t units = units_of(block), end = blocks->ends[i];
        const uint32_t from = chunk->begin > begin ? chunk->begin - begin : 0;
        const uint32_t to = (chunk->end < end ? chunk->end : end) - begin;
        const uint32_t row = (from + units - 1) / units, row_end = (to + units - 1) / units;
        gjkd_chunk rows = {block, row, row_end, row, chunk->memory};
        if (row < row_end) {
            block->kind->run(&rows);
        }
        if (rows.next < row_end) {
            return; /* the request will be refused, or its deadline passed */
        }
    }
}

/* Answers all blocks from request->version, in chunks. */
static void ask_blocks(struct blocks *blocks) {
    struct gjkd_request *request = blocks->request;
    uint32_t units = 0, rows = 0;
    for (uint32_t i = 0; i < blocks->asked.count; i++) {
        struct gjkd_block *block = blocks->items[i];
        enter_block(blocks, i);
        if (!block->kind->prepare(block)) {
            return;
        }
        rows += block->rows;
        units += block->rows * units_of(block);
        blocks->ends[i] = units;
    }
    leave_block(blocks);
    gjkd_request_leave_chunks(request, units, UNIT_NS,
                              &(struct gjkd_chunks){.work = blocks,
                                                    .run = run_units,
                                                    .finish = finish_blocks});
    request->asked = rows;
}

/* Makes the state of a request with several blocks. Returns NULL if the request is refused. */
static struct blocks *open_blocks(struct gjkd_request *request) {
    struct blocks *blocks = gjk_arena_alloc(&request->arena, sizeof *blocks);
    if (blocks == NULL) {
        gjkd_block_fail_memory(request);
        return NULL;
    }
    memset(blocks, 0, sizeof *blocks);
    blocks->request = request;
    blocks->status = 200;
    init_lists(&blocks->lists);
    return blocks;
}

void gjkd_blocks_answer(struct gjkd_request *request) {
    const proto_source source = gjkd_block_source(request, request->version->dimension);
    struct blocks *blocks = open_blocks(request);
    if (blocks == NULL) {
        return;
    }
    if (!proto_decode_batch_columns(&source, &blocks->asked)) {
        gjkd_request_refuse(request);
    } else if (decode_blocks(blocks)) {
        gjkd_request_mark_decoded(request);
        ask_blocks(blocks);
    }
}

/* --- Ticks --- */

/* Returns false with *problem set if the set no longer has the dimension for which the blocks were
 * decoded. */
static bool check_dimension(const struct blocks *blocks, const struct gjkd_version *version,
                            struct proto_problem *problem) {
    return version->dimension == blocks->request->version->dimension ||
           proto_problem_set(problem, PROTO_DIMENSION_MISMATCH,
                             "the set has just become one of dimension %u", version->dimension);
}

/* Returns false with *problem set if a row names a shape or tick that will not exist once the tick
 * is made. */
static bool check_blocks(void *user, const struct gjkd_version *before,
                         struct proto_problem *problem) {
    struct blocks *blocks = user;
    if (!check_dimension(blocks, before, problem)) {
        return false;
    }
    for (uint32_t i = 0; i < blocks->asked.count; i++) {
        struct gjkd_block *block = blocks->items[i];
        enter_block(blocks, i);
        if (!block->kind->check(block, before, blocks->stamp->tick, problem)) {
            return false;
        }
    }
    leave_block(blocks);
    return true;
}

/* Decodes the tick's poses and its blocks. Returns false if the request is refused. */
static bool decode_tick(struct blocks *blocks) {
    struct gjkd_request *request = blocks->request;
    proto_source source = gjkd_block_source(request, 0);
    if (!proto_decode_tick_columns(&source, &blocks->asked)) {
        return gjkd_request_refuse(request);
    }
    snprintf(request->pointer_prefix, sizeof request->pointer_prefix, "/poses");
    source.body = blocks->asked.poses;
    if (!proto_decode_columns(&source, &proto_pose_columns_table, &blocks->poses->columns.rows,
                              blocks->poses->columns.fields)) {
        return gjkd_request_refuse(request);
    }
    leave_block(blocks);
    return decode_blocks(blocks);
}

static bool set_pairs(struct gjkd_request *request, const gjk_overlap_pairs *pairs,
                      proto_uints *out) {
    uint32_t *handles = gjk_arena_alloc_array(&request->arena, pairs->count, 2 * sizeof *handles);
    for (uint32_t i = 0; handles != NULL && i < pairs->count; i++) {
        handles[2 * (size_t)i] = pairs->items[i].a->handle;
        handles[2 * (size_t)i + 1] = pairs->items[i].b->handle;
    }
    *out = (proto_uints){true, handles, 2 * pairs->count};
    return handles != NULL || gjkd_block_fail_memory(request);
}

/* Finds the overlaps that changed at the tick, if the request asks for them. Returns false if the
 * request is refused; the tick is made all the same. */
static bool compare_ticks(struct blocks *blocks, const struct gjkd_version *seen) {
    struct gjkd_request *request = blocks->request;
    const proto_blocks *asked = &blocks->asked;
    const uint64_t max = request->context->limits.answers_max;
    gjk_filter filter = gjk_filter_default();
    gjk_overlap_changes changes;
    bool truncated = false;
    if (!asked->overlaps) {
        return true;
    }
    filter.mask = asked->overlap_mask;
    filter.category = asked->overlap_category;
    if (!gjkd_tick_overlaps(request, seen, blocks->stamp->tick, &filter, &changes, &truncated,
                            &request->problem)) {
        return gjkd_request_refuse(request);
    }
    if (truncated) {
        proto_problem_set(&request->problem, PROTO_TOO_MANY,
                          "more than %llu pairs begin or end to overlap, and columns are not cut",
                          (unsigned long long)max);
        proto_problem_limit(&request->problem, max);
        return gjkd_request_refuse_at(request, "/overlaps");
    }
    gjkd_request_count_queries(request, PROTO_OP_DETECT, 1);
    return set_pairs(request, &changes.begin, &blocks->begin) &&
           set_pairs(request, &changes.end, &blocks->end);
}

void gjkd_blocks_post_tick(struct gjkd_request *request, const gjkd_stamp *stamp) {
    struct gjkd_version *version = NULL;
    struct blocks *blocks = open_blocks(request);
    struct gjkd_pose_tick *poses = gjk_arena_alloc(&request->arena, sizeof *poses);
    gjkd_stamp *kept = gjk_arena_alloc(&request->arena, sizeof *kept);
    if (blocks == NULL || poses == NULL || kept == NULL) {
        gjkd_block_fail_memory(request);
        return;
    }
    *kept = *stamp;
    *poses = (struct gjkd_pose_tick){.pointer = "/poses",
                                     .check = check_blocks,
                                     .user = blocks,
                                     .request = request};
    blocks->poses = poses;
    blocks->stamp = kept;
    if (!decode_tick(blocks)) {
        return;
    }
    gjkd_request_mark_decoded(request);
    if (!gjkd_request_claim(request)) {
        return; /* the deadline was answered: change nothing */
    }
    const gjkd_outcome outcome = gjkd_pose_tick_make(poses, stamp, &version);
    if (outcome == GJKD_REFUSED) {
        gjkd_request_refuse(request);
        return;
    }
    struct gjkd_version *seen = request->version;
    const bool is_same = check_dimension(blocks, version, &request->problem);
    request->version = version;
    gjkd_version_etag(version, request->reply.etag);
    blocks->status = outcome == GJKD_REPEATED ? 200 : 201;
    for (uint32_t i = 0; i < blocks->asked.count; i++) {
        blocks->items[i]->in_part = true;
    }
    if (!is_same) { /* a repeated request for a set that was made again with another dimension */
        gjkd_request_refuse(request);
    } else if (compare_ticks(blocks, seen)) {
        ask_blocks(blocks);
    }
    gjkd_version_release(seen);
}
