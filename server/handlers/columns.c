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

/* Returns the snapshot that a row is asked of. */
static const gjk_snapshot *snapshot_of(const struct gjkd_columns *columns, uint32_t row) {
    return columns->then == NULL ? &columns->newest
                                 : &columns->then[columns->at_tick->step == 0 ? 0 : row];
}

static void fail_memory(struct gjkd_request *request) {
    gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the answer");
}

/* --- Rows --- */

/* Completes the filter by the row's own part, if it has one. Returns false if ignore_group_of is no
 * shape. */
static bool select_row(const struct gjkd_columns *columns, struct gjkd_columns_row *row) {
    if (columns->ignore_group_of->uints == NULL) {
        return true;
    }
    const uint32_t handle = proto_uint_at(columns->ignore_group_of, row->index);
    row->filter.mask = proto_uint_at(columns->mask, row->index);
    row->filter.category = proto_uint_at(columns->category, row->index);
    row->filter.ignore_group = NULL;
    if (handle == PROTO_NO_HANDLE) {
        return true;
    }
    const gjk_body *body = gjk_set_find_handle(row->snapshot->set, handle);
    row->filter.ignore_group = body != NULL ? body->group : NULL;
    return body != NULL;
}

/* Places a shape that the row names as the row has it. Returns false if there is none. */
static bool place(const struct gjkd_columns *columns, const struct gjkd_columns_row *row,
                  const struct gjkd_columns_operand *operand, const gjk_body **body,
                  gjk_placed *out) {
    const uint32_t handle = proto_uint_at(operand->handle, row->index);
    if (columns->point != NULL && handle == PROTO_NO_HANDLE) {
        *body = NULL;
        *out = (gjk_placed){columns->point, operand->poses[row->index]};
        return true;
    }
    *body = gjk_set_find_handle(row->snapshot->set, handle);
    if (*body == NULL) {
        return false;
    }
    *out = gjk_snapshot_place(row->snapshot, *body);
    if (operand->position->count > 0) {
        out->pose.position = operand->poses[row->index].position;
    }
    if (operand->rotation->count > 0) {
        gjk_pose_turn_as(&out->pose, &operand->poses[row->index]);
    }
    return true;
}

static bool place_shapes(const struct gjkd_columns *columns, struct gjkd_columns_row *row) {
    const gjk_body *b;
    return (columns->a.handle->uints == NULL ||
            place(columns, row, &columns->a, &row->selection.except, &row->a)) &&
           (columns->b.handle->uints == NULL || place(columns, row, &columns->b, &b, &row->b));
}

/* Returns how many lines a row may have: one more than all may have, if its limit is not less. 0:
 * the rows done so far have too many already, so that the others need no answer. */
static uint32_t line_limit(const struct gjkd_columns *columns) {
    const uint64_t max = columns->block.request->context->limits.answers_max;
    const uint64_t wanted = columns->limit > 0 ? columns->limit : UINT32_MAX;
    if (!columns->out.answers.has_lists) {
        return 1;
    }
    if (atomic_load_explicit(&columns->block.lists->lines, memory_order_relaxed) > max) {
        return 0;
    }
    return (uint32_t)(wanted <= max ? wanted : max + 1 < UINT32_MAX ? max + 1 : UINT32_MAX);
}

/* Notes that a row names a shape that is not there. Returns false if that refuses the message. */
static bool note_refusal(struct gjkd_columns *columns, uint32_t row) {
    if (columns->partial) {
        proto_answers_refuse(&columns->out.answers, row, PROTO_ROW_UNKNOWN_HANDLE);
        return true;
    }
    uint32_t first = atomic_load(&columns->refused);
    while (row < first && !atomic_compare_exchange_weak(&columns->refused, &first, row)) {
    }
    return false;
}

/* Answers one row. Returns false if the rest is left undone. */
static bool run_row(struct gjkd_columns *columns, struct gjkd_columns_row *row) {
    const struct gjkd_columns_kind *kind = columns->kind;
    gjk_status status = GJK_OK;
    if (columns->lacking != NULL) {
        const uint32_t lack = columns->lacking[columns->at_tick->step == 0 ? 0 : row->index];
        if (lack != PROTO_ROW_CONVERGED) {
            proto_answers_refuse(&columns->out.answers, row->index, lack);
            return true;
        }
    }
    row->snapshot = snapshot_of(columns, row->index);
    row->is_unknown = !select_row(columns, row) || !place_shapes(columns, row);
    row->selection.limit = line_limit(columns);
    if (!row->is_unknown && (row->selection.limit > 0 || kind->find_states != NULL)) {
        status = kind->answer(columns, row); /* also shots that may name an unknown shooter */
    }
    if (row->is_unknown) {
        return note_refusal(columns, row->index);
    }
    if (status != GJK_OK) {
        atomic_bool *late = &columns->block.request->chunks.late;
        atomic_store(status == GJK_GIVEN_UP ? late : &columns->no_memory, true);
    }
    if (row->memory->used_bytes > 0) {
        gjk_arena_reset(row->memory);
    }
    return status == GJK_OK;
}

void gjkd_columns_run(gjkd_chunk *chunk) {
    struct gjkd_columns *columns = chunk->work;
    struct gjkd_columns_row row = {.filter = columns->filter, .memory = chunk->memory};
    row.selection = (gjk_selection){.filter = &row.filter,
                                    .arena = chunk->memory,
                                    .budget = chunk->memory->budget,
                                    .rest_unasked = true};
    while (gjkd_chunk_next(chunk, &row.index) && run_row(columns, &row)) {
    }
    gjkd_count_tally(columns->block.request->counters, &row.tally);
}

/* --- Lists of rows --- */

void *gjkd_columns_keep(struct gjkd_columns *columns, const void *items, uint32_t count,
                        size_t size) {
    struct gjkd_lists *lists = columns->block.lists;
    pthread_mutex_lock(&lists->lock);
    void *kept = gjk_arena_alloc_array(&columns->block.request->arena, count, size);
    pthread_mutex_unlock(&lists->lock);
    if (kept != NULL && count > 0) {
        memcpy(kept, items, count * size);
    }
    return kept;
}

void *gjkd_columns_keep_lines(struct gjkd_columns *columns, const void *items, uint32_t *count,
                              size_t size) {
    const uint64_t before = atomic_fetch_add(&columns->block.lists->lines, *count);
    if (before + *count > columns->block.request->context->limits.answers_max) {
        *count = 0;
    }
    return gjkd_columns_keep(columns, items, *count, size);
}

gjk_status gjkd_columns_tell(struct gjkd_columns *columns, struct gjkd_columns_row *row,
                             const void *items, uint32_t count) {
    const proto_line *line = columns->kind->line;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t iterations;
        memcpy(&iterations, (const char *)items + i * line->size + line->iterations,
               sizeof iterations);
        gjkd_tally_add(&row->tally, iterations);
    }
    if (columns->out.answers.has_lists) {
        items = gjkd_columns_keep_lines(columns, items, &count, line->size);
        if (items == NULL) {
            return GJK_OUT_OF_MEMORY;
        }
    }
    proto_answers_set(&columns->out.answers, row->index, items, count);
    return GJK_OK;
}

/* --- Before and after --- */

/* Points a problem at a row of a column. Returns false. */
static bool point_at(struct proto_problem *problem, const char *column, uint32_t row) {
    char pointer[64];
    snprintf(pointer, sizeof pointer, "/%s/%u", column, row);
    return proto_problem_point(problem, pointer);
}

/* Returns the first column of the row that names a shape which the set has not, by its place; the
 * count of columns: there is none. */
static uint32_t find_missing(const struct gjkd_columns *columns, const struct gjk_set *set,
                             uint32_t row) {
    const proto_table *table = columns->rows.table;
    uint32_t i = 0;
    for (; i < table->count; i++) {
        if (table->columns[i].values == PROTO_SHAPE) {
            const uint32_t handle = proto_uint_at(&columns->rows.fields[i], row);
            const bool is_none =
                handle == PROTO_NO_HANDLE && table->columns[i].otherwise == PROTO_NO_HANDLE;
            if (!is_none && gjk_set_find_handle(set, handle) == NULL) {
                break;
            }
        }
    }
    return i;
}

/* Sets a problem for what find_missing has found. Returns false. */
static bool refuse_missing(const struct gjkd_columns *columns, uint32_t column, uint32_t row,
                           struct proto_problem *problem) {
    const proto_field *field = &columns->rows.fields[column];
    proto_problem_set(problem, PROTO_SHAPE_NOT_FOUND, "no shape of the set has the handle %u",
                      proto_uint_at(field, row));
    return point_at(problem, columns->rows.table->columns[column].name, row * field->step);
}

/* Refuses the request at the first column of the row that names a shape which is not there. */
static void refuse_row(const struct gjkd_columns *columns, uint32_t row) {
    const uint32_t column = find_missing(columns, snapshot_of(columns, row)->set, row);
    if (column < columns->rows.table->count) {
        (void)refuse_missing(columns, column, row, &columns->block.request->problem);
        gjkd_request_refuse(columns->block.request);
    }
}

bool gjkd_columns_print(struct gjkd_block *block, struct proto_buffer *out) {
    struct gjkd_columns *columns = (struct gjkd_columns *)block;
    struct gjkd_request *request = columns->block.request;
    const uint64_t lines_max = request->context->limits.answers_max;
    const uint64_t bytes_max = request->context->config->max_answer_bytes;
    const uint32_t refused = atomic_load(&columns->refused);
    const bool has_lists = columns->out.answers.has_lists;
    const proto_table *table = columns->rows.table;
    const bool has_limit = proto_column_called(table, "limit") < table->count;
    if (refused != UINT32_MAX) {
        refuse_row(columns, refused);
        return false;
    }
    if (has_lists && !atomic_load(&columns->no_memory) &&
        atomic_load(&block->lists->lines) > lines_max) {
        return gjkd_block_refuse_lists(block, "lines", lines_max, has_limit);
    }
    if (atomic_load(&columns->no_memory) ||
        !proto_answers_finish(&columns->out.answers, &request->arena)) {
        fail_memory(request);
        return false;
    }
    (request->columns_out != NULL ? proto_encode_answers
                                  : proto_encode_answers_json)(out, &columns->out.answers);
    if (has_lists && proto_buffer_length(out) > bytes_max) {
        return gjkd_block_refuse_lists(block, "bytes", bytes_max, has_limit);
    }
    return true;
}

void gjkd_columns_note_gap(struct gjkd_columns *columns, uint32_t row) {
    const bool serves_all = columns->at_tick->step == 0;
    for (uint32_t i = row; i < (serves_all ? columns->rows.count : row + 1); i++) {
        proto_set_some(columns->out.answers.pose_gap, i, 1);
    }
}

/* Finds the snapshots that rows ask about. Returns false if one is not kept and refuses the
 * message. */
static bool rewind_rows(struct gjkd_request *request, struct gjkd_columns *columns) {
    const uint32_t count = columns->at_tick->count;
    gjk_snapshot *then = gjk_arena_alloc_array(&request->arena, count, sizeof *then);
    uint8_t *lacking = gjk_arena_alloc_array(&request->arena, count, sizeof *lacking);
    if (then == NULL || lacking == NULL) {
        fail_memory(request);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct proto_problem problem = {0};
        gjk_rewound rewound = {.snapshot = columns->newest};
        lacking[i] = PROTO_ROW_CONVERGED;
        if (!gjkd_rewind(request->version, proto_double_at(columns->at_tick, i), &rewound,
                         &problem)) {
            if (!columns->partial) {
                request->problem = problem;
                (void)point_at(&request->problem, "at_tick", i);
                gjkd_request_refuse(request);
                return false;
            }
            const bool is_past = problem.code == PROTO_TICK_EXPIRED;
            lacking[i] = is_past ? PROTO_ROW_TICK_EXPIRED : PROTO_ROW_TICK_IN_FUTURE;
        } else if (rewound.is_gap) {
            gjkd_columns_note_gap(columns, i);
        }
        then[i] = rewound.snapshot;
    }
    columns->then = count > 0 ? then : NULL;
    columns->lacking = count > 0 && columns->partial ? lacking : NULL;
    return true;
}

bool gjkd_columns_decode(struct gjkd_block *block, const proto_source *source) {
    struct gjkd_columns *columns = (struct gjkd_columns *)block;
    const struct gjkd_columns_kind *kind = (const struct gjkd_columns_kind *)block->kind;
    proto_rows *rows = &columns->rows;
    columns->kind = kind;
    atomic_init(&columns->refused, UINT32_MAX);
    if (!proto_decode_columns(source, kind->asked, rows, columns->fields)) {
        gjkd_request_refuse(block->request);
        return false;
    }
    const bool are_pairs = kind->asked == &proto_pair_columns_table;
    const proto_field *ignored = proto_field_of(rows, "ignore_groups");
    const proto_field *ignored_handles = proto_field_of(rows, "ignore");
    block->rows = rows->count;
    columns->at_tick = proto_field_of(rows, "at_tick");
    columns->mask = proto_field_of(rows, "mask");
    columns->category = proto_field_of(rows, "category");
    columns->ignore_group_of = proto_field_of(rows, "ignore_group_of");
    columns->a =
        (struct gjkd_columns_operand){proto_field_of(rows, are_pairs ? "a" : "shape"),
                                      proto_field_of(rows, are_pairs ? "position_a" : "position"),
                                      proto_field_of(rows, are_pairs ? "rotation_a" : "rotation"),
                                      rows->poses};
    columns->b =
        (struct gjkd_columns_operand){proto_field_of(rows, "b"), proto_field_of(rows, "position_b"),
                                      proto_field_of(rows, "rotation_b"), rows->to_poses};
    columns->filter = gjk_filter_default();
    columns->filter.ignore_groups = ignored->texts;
    columns->filter.ignore_groups_count = ignored->count;
    columns->filter.ignore_handles = ignored_handles->uints;
    columns->filter.ignore_handles_count = ignored_handles->count;
    columns->limit = proto_field_of(rows, "limit")->uint;
    columns->partial = proto_field_of(rows, "partial")->flag;
    if (kind->lay_out != NULL && !kind->lay_out(columns, source)) {
        gjkd_request_refuse(block->request);
        return false;
    }
    return true;
}

bool gjkd_columns_check(struct gjkd_block *block, const struct gjkd_version *before, uint64_t tick,
                        struct proto_problem *problem) {
    const struct gjkd_columns *columns = (const struct gjkd_columns *)block;
    const bool has_ticks = columns->at_tick->count > 0;
    const bool judges_ticks = columns->kind->find_states != NULL && has_ticks;
    for (uint32_t row = 0; row < block->rows && !columns->partial; row++) {
        const double asked = has_ticks ? proto_double_at(columns->at_tick, row) : 0.0;
        const struct gjk_set *set =
            gjkd_block_find_set(block, before, tick, has_ticks ? &asked : NULL, problem);
        if (set == NULL && judges_ticks && problem->code != PROTO_DEADLINE_EXCEEDED) {
            problem->code = PROTO_OK;
            continue;
        }
        if (set == NULL) {
            return point_at(problem, "at_tick", row * columns->at_tick->step);
        }
        uint32_t column = find_missing(columns, set, row);
        if (column < columns->rows.table->count && judges_ticks) {
            column = find_missing(columns, before->set, row); /* it may be newer than its shot */
        }
        if (column < columns->rows.table->count) {
            return refuse_missing(columns, column, row, problem);
        }
    }
    return true;
}

bool gjkd_columns_prepare(struct gjkd_block *block) {
    struct gjkd_columns *columns = (struct gjkd_columns *)block;
    struct gjkd_request *request = block->request;
    const struct gjkd_columns_kind *kind = columns->kind;
    proto_answers *answers = &columns->out.answers;
    uint64_t levels = 1; /* of the tree */
    columns->newest = gjk_snapshot_of(request->version->set);
    columns->partial = columns->partial || block->in_part;
    answers->table = kind->told;
    answers->slots = columns->out.slots;
    answers->line = kind->line;
    answers->revision = request->version->revision;
    answers->dimension = columns->rows.dimension;
    answers->count = columns->rows.count;
    while (gjk_set_count(columns->newest.set) >> levels != 0) {
        levels++;
    }
    block->row_ns = kind->row_ns + kind->level_ns * levels;
    if (!proto_answers_init(answers, &request->arena)) {
        fail_memory(request);
        return false;
    }
    return kind->find_states != NULL ? kind->find_states(columns) : rewind_rows(request, columns);
}
