/*
 * Column messages of queries. The message is decoded and checked whole; then its rows are done in
 * chunks. Each row asks the core what the JSON query would, so its numbers are the same to the bit.
 * A row that names what does not exist refuses the message: of several the first one.
 */

#include "handlers/columns.h"

#include "request/context.h"
#include "request/request.h"
#include "sets/rewind.h"

#include <stdio.h>
#include <string.h>

const gjk_snapshot *gjkd_columns_snapshot(const struct gjkd_columns *columns, uint32_t row) {
    if (columns->then == NULL) {
        return &columns->newest;
    }
    return &columns->then[columns->at_tick.rows == 1 ? 0 : row];
}

/* --- What a row can get wrong --- */

void gjkd_columns_note_refusal(struct gjkd_columns *columns, uint32_t row) {
    uint32_t first = atomic_load(&columns->refused);
    while (row < first && !atomic_compare_exchange_weak(&columns->refused, &first, row)) {
    }
}

void gjkd_columns_note_failure(struct gjkd_columns *columns, gjk_status status) {
    atomic_store(status == GJK_GIVEN_UP ? &columns->request->chunks.late : &columns->no_memory,
                 true);
}

static bool refuse_at(struct gjkd_request *request, const char *column, uint32_t row) {
    char pointer[64];
    snprintf(pointer, sizeof pointer, "/%s/%u", column, row);
    gjkd_request_refuse_at(request, pointer);
    return false;
}

bool gjkd_columns_check_handle(const struct gjkd_columns *columns, uint32_t row, uint32_t handle,
                               const char *column, uint32_t place) {
    if (gjk_set_find_handle(gjkd_columns_snapshot(columns, row)->set, handle) != NULL) {
        return true;
    }
    proto_problem_set(&columns->request->problem, PROTO_SHAPE_NOT_FOUND,
                      "no shape of the set has the handle %u", handle);
    return refuse_at(columns->request, column, place);
}

/* --- Before and after --- */

static void fail_memory(struct gjkd_request *request) {
    gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the answer");
}

static void finish(void *work, bool is_late) {
    const struct gjkd_columns *columns = work;
    struct gjkd_request *request = columns->request;
    uint32_t refused = atomic_load(&columns->refused);
    if (is_late) {
        gjkd_request_fail_late(request);
    } else if (refused != UINT32_MAX) {
        columns->kind->refuse_row(columns, refused);
    } else if (atomic_load(&columns->no_memory)) {
        fail_memory(request);
    } else {
        struct proto_buffer out;
        proto_buffer_init(&out, &request->arena);
        columns->kind->encode(columns, request->columns_out != NULL, &out);
        gjkd_request_count_queries(request, columns->kind->op, columns->count);
        gjkd_request_reply(request, 200, &out);
    }
}

/* Finds the snapshots that rows ask about; false: one of them is not kept. */
static bool rewind_rows(struct gjkd_request *request, struct gjkd_columns *columns) {
    const proto_doubles *ticks = &columns->at_tick;
    if (ticks->rows == 0) {
        return true;
    }
    gjk_snapshot *then = gjk_arena_alloc_array(&request->arena, ticks->rows, sizeof *then);
    if (then == NULL) {
        fail_memory(request);
        return false;
    }
    for (uint32_t i = 0; i < ticks->rows; i++) {
        gjk_rewound rewound;
        if (!gjkd_rewind(request->version, ticks->values[i], &rewound, &request->problem)) {
            return refuse_at(request, "at_tick", i);
        }
        then[i] = rewound.snapshot;
    }
    columns->then = then;
    return true;
}

static uint64_t levels_of(const struct gjk_set *set) {
    uint64_t levels = 1;
    while (gjk_set_count(set) >> levels != 0) {
        levels++;
    }
    return levels;
}

void gjkd_columns_answer(struct gjkd_request *request, const struct gjkd_columns_kind *kind) {
    struct gjkd_columns *columns = gjk_arena_alloc(&request->arena, kind->size);
    if (columns == NULL) {
        fail_memory(request);
        return;
    }
    memset(columns, 0, kind->size);
    columns->request = request;
    columns->kind = kind;
    columns->newest = gjk_snapshot_of(request->version->set);
    atomic_init(&columns->refused, UINT32_MAX);
    if (!kind->decode(columns, gjkd_request_text(request))) {
        gjkd_request_refuse(request);
        return;
    }
    if (!rewind_rows(request, columns)) {
        return;
    }
    if (!kind->make_slots(columns)) {
        fail_memory(request);
        return;
    }
    gjkd_request_mark_decoded(request);
    gjkd_request_leave_chunks(request, columns->count,
                              kind->row_ns + kind->level_ns * levels_of(columns->newest.set),
                              &(struct gjkd_chunks){.work = columns,
                                                    .run = kind->run,
                                                    .finish = finish});
}
