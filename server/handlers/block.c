/* A block as a request's whole body: decoded, asked in chunks, printed. */

#include "handlers/block.h"

#include "request/context.h"
#include "sets/kept_ticks.h"
#include "sets/version.h"

#include <string.h>

static void fail_memory(struct gjkd_request *request) {
    gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the message");
}

/* Makes a block of the request's. NULL: refused. */
struct gjkd_block *gjkd_block_make(struct gjkd_request *request, struct gjkd_lists *lists,
                                   const struct gjkd_block_kind *kind) {
    struct gjkd_block *block = gjk_arena_alloc(&request->arena, kind->size);
    if (block == NULL) {
        fail_memory(request);
        return NULL;
    }
    memset(block, 0, kind->size);
    block->request = request;
    block->kind = kind;
    block->lists = lists;
    return block;
}

void gjkd_lists_init(struct gjkd_lists *lists) {
    lists->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; /* which needs no end */
    atomic_init(&lists->lines, 0);
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
        problem->code = PROTO_OK; /* it has the shapes of the newest one, moved */
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
    gjkd_request_refuse(block->request);
    return false;
}

/* --- Alone --- */

static void finish_alone(void *work, bool is_late) {
    struct gjkd_block *block = work;
    struct gjkd_request *request = block->request;
    struct proto_buffer out;
    proto_buffer_init_blocks(&out, &request->arena);
    if (is_late) {
        gjkd_request_fail_late(request);
    } else if (block->kind->print(block, &out)) {
        gjkd_request_count_queries(request, block->kind->counted, block->rows);
        gjkd_request_reply(request, 200, &out);
    }
}

void gjkd_block_answer(struct gjkd_request *request, const struct gjkd_block_kind *kind) {
    const proto_source source = {.body = gjkd_request_text(request),
                                 .set_dimension = request->version->dimension,
                                 .limits = &request->context->limits,
                                 .arena = &request->arena,
                                 .problem = &request->problem};
    struct gjkd_lists *lists = gjk_arena_alloc(&request->arena, sizeof *lists);
    if (lists == NULL) {
        fail_memory(request);
        return;
    }
    gjkd_lists_init(lists);
    struct gjkd_block *block = gjkd_block_make(request, lists, kind);
    if (block == NULL || !kind->decode(block, &source) || !kind->prepare(block)) {
        return;
    }
    gjkd_request_mark_decoded(request);
    gjkd_request_leave_chunks(request, block->rows, block->row_ns,
                              &(struct gjkd_chunks){.work = block,
                                                    .run = kind->run,
                                                    .finish = finish_alone});
}
