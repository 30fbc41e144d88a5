/*
 * Column messages of queries. The message is decoded and checked whole; then its rows are done in
 * chunks. Each row asks the core what the JSON query would, so its numbers are the same to the bit.
 * A row that names what does not exist refuses the message, of several the first one, unless the
 * message asks to be answered in part.
 */

#include "handlers/columns.h"

#include "request/context.h"
#include "request/request.h"
#include "sets/kept_ticks.h"
#include "sets/version.h"

#include <stdio.h>
#include <string.h>

const gjk_snapshot *gjkd_columns_snapshot(const struct gjkd_columns *columns, uint32_t row) {
    if (columns->then == NULL) {
        return &columns->newest;
    }
    return &columns->then[columns->at_tick.rows == 1 ? 0 : row];
}

/* --- What a row can get wrong --- */

bool gjkd_columns_has_tick(const struct gjkd_columns *columns, uint32_t row) {
    if (columns->lacking == NULL) {
        return true;
    }
    const uint32_t status = columns->lacking[columns->at_tick.rows == 1 ? 0 : row];
    if (status != PROTO_ROW_CONVERGED) {
        columns->kind->refuse_slot(columns, row, status);
    }
    return status == PROTO_ROW_CONVERGED;
}

bool gjkd_columns_note_refusal(struct gjkd_columns *columns, uint32_t row) {
    if (columns->partial) {
        columns->kind->refuse_slot(columns, row, PROTO_ROW_UNKNOWN_HANDLE);
        return true;
    }
    uint32_t first = atomic_load(&columns->refused);
    while (row < first && !atomic_compare_exchange_weak(&columns->refused, &first, row)) {
    }
    return false;
}

gjk_selection gjkd_columns_closest(const proto_select_columns *select, const gjkd_chunk *chunk,
                                   gjk_filter *filter) {
    *filter = gjk_filter_default();
    filter->ignore_groups = select->ignore_groups;
    filter->ignore_groups_count = select->ignore_groups_count;
    return (gjk_selection){.filter = filter,
                           .limit = 1,
                           .arena = chunk->memory,
                           .budget = chunk->memory->budget,
                           .rest_unasked = true};
}

bool gjkd_columns_select(const struct gjkd_columns *columns, const proto_select_columns *select,
                         uint32_t row, gjk_filter *filter) {
    const uint32_t handle = proto_uint_at(select->ignore_group_of, row, PROTO_NO_HANDLE);
    filter->mask = proto_uint_at(select->mask, row, UINT32_MAX);
    filter->category = proto_uint_at(select->category, row, UINT32_MAX);
    filter->ignore_group = NULL;
    if (handle == PROTO_NO_HANDLE) {
        return true;
    }
    const gjk_body *body = gjk_set_find_handle(gjkd_columns_snapshot(columns, row)->set, handle);
    filter->ignore_group = body != NULL ? body->group : NULL;
    return body != NULL;
}

void gjkd_columns_refuse_select(const struct gjkd_columns *columns,
                                const proto_select_columns *select, uint32_t row) {
    const proto_uints *handles = &select->ignore_group_of;
    (void)gjkd_columns_check_handle(columns, row, proto_uint_at(*handles, row, PROTO_NO_HANDLE),
                                    "ignore_group_of", handles->rows > 1 ? row : 0);
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

/* One of the states that rows ask about. False: it is not kept, and the request is refused. */
static bool rewind_row(struct gjkd_columns *columns, uint32_t i, gjk_snapshot *then,
                       uint8_t *lacking, bool *is_gap) {
    struct gjkd_request *request = columns->request;
    struct proto_problem problem = {0};
    gjk_rewound rewound;
    if (gjkd_rewind(request->version, columns->at_tick.values[i], &rewound, &problem)) {
        *then = rewound.snapshot;
        *lacking = PROTO_ROW_CONVERGED;
        *is_gap = rewound.is_gap;
        return true;
    }
    *lacking =
        problem.code == PROTO_TICK_EXPIRED ? PROTO_ROW_TICK_EXPIRED : PROTO_ROW_TICK_IN_FUTURE;
    *then = columns->newest; /* never asked */
    if (!columns->partial) {
        request->problem = problem;
        return refuse_at(request, "at_tick", i);
    }
    return true;
}

bool gjkd_columns_note_gap(struct gjkd_columns *columns, uint32_t row, uint32_t rows) {
    uint32_t *gaps = (uint32_t *)(uintptr_t)columns->pose_gap;
    if (gaps == NULL) {
        gaps = gjk_arena_alloc_array(&columns->request->arena, columns->count, sizeof *gaps);
        if (gaps == NULL) {
            return false;
        }
        memset(gaps, 0, columns->count * sizeof *gaps);
        columns->pose_gap = gaps;
    }
    for (uint32_t i = rows == 1 ? 0 : row; i < (rows == 1 ? columns->count : row + 1); i++) {
        gaps[i] = 1;
    }
    return true;
}

/* Finds the snapshots that rows ask about; false: one of them is not kept. */
static bool rewind_rows(struct gjkd_request *request, struct gjkd_columns *columns) {
    const uint32_t rows = columns->at_tick.rows;
    if (rows == 0) {
        return true;
    }
    gjk_snapshot *then = gjk_arena_alloc_array(&request->arena, rows, sizeof *then);
    uint8_t *lacking = gjk_arena_alloc_array(&request->arena, rows, sizeof *lacking);
    if (then == NULL || lacking == NULL) {
        fail_memory(request);
        return false;
    }
    for (uint32_t i = 0; i < rows; i++) {
        bool is_gap = false;
        if (!rewind_row(columns, i, &then[i], &lacking[i], &is_gap)) {
            return false;
        }
        if (is_gap && !gjkd_columns_note_gap(columns, i, rows)) {
            fail_memory(request);
            return false;
        }
    }
    columns->then = then;
    columns->lacking = columns->partial ? lacking : NULL;
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
