/*
 * Configurations: rows of hypothetical poses of several shapes, in JSON or as columns. Shapes and
 * allowed pairs are looked up once; the rows are answered in chunks, each with its own hint, which
 * makes similar rows cheap and does not change answers. If each row has its own tick, a chunk looks
 * up the shapes again whenever the tick changes. Lists of nearest pairs are kept in the request's
 * arena; each row may have an equal share of answers_max.
 */

#include "proto/configurations.h"
#include "gjk/sort.h"
#include "handlers/blocks.h"
#include "handlers/handlers.h"
#include "proto/columns.h"
#include "request/context.h"
#include "request/request.h"
#include "request/telemetry.h"
#include "sets/kept_ticks.h"
#include "sets/version.h"

#include <stdio.h>
#include <string.h>

/* Estimated time of a row for each of its shapes, which sets the size of chunks. */
#define SHAPE_NS 1000
#define MOVING_SHAPE_NS 10000

/* A state of the set that rows ask. */
typedef struct asked_state {
    gjk_snapshot snapshot;
    uint8_t lacking; /* PROTO_ROW_... if the state is not kept, else 0 */
} asked_state;

/* A message that is being answered. */
typedef struct configuration_rows {
    struct gjkd_block block; /* first: it is cast back */
    struct gjkd_request *request;
    proto_configurations asked;
    const asked_state *states; /* one for all rows, or one for each row */
    uint32_t state_count;
    bool pose_gap;                             /* a state is interpolated over a lost tick */
    const gjk_body **inlines;                  /* bodies of inline shapes; NULL for stored ones */
    struct gjk_configurations *configurations; /* prepared rows, if there is a single state */
    proto_configured answers;
    uint32_t limit; /* most nearest pairs of a row; 0: no lists */
} configuration_rows;

/* Returns the state that a row asks. */
static const asked_state *state_of(const configuration_rows *rows, uint32_t row) {
    return &rows->states[rows->state_count == 1 ? 0 : row];
}

static bool refuse_shape(struct gjkd_request *request, const char *list, uint32_t i, const char *id,
                         uint32_t handle) {
    char pointer[64];
    if (id != NULL) {
        proto_problem_set(&request->problem, PROTO_SHAPE_NOT_FOUND,
                          "there is no shape \"%.140s\" in the set", id);
    } else {
        proto_problem_set(&request->problem, PROTO_SHAPE_NOT_FOUND,
                          "no shape of the set has the handle %u", handle);
    }
    snprintf(pointer, sizeof pointer, "/%s/%u", list, i);
    return gjkd_request_refuse_at(request, pointer);
}

/* Returns a stored shape by its id or, if that is NULL, its handle. NULL if it is missing. */
static const gjk_body *find_shape(const gjk_snapshot *snapshot, const char *id, uint32_t handle) {
    const struct gjk_set *set = snapshot->set;
    return id != NULL ? gjk_set_find(set, id) : gjk_set_find_handle(set, handle);
}

/* Makes the body of inline shape `i`. Returns NULL if memory is exhausted. */
static const gjk_body *make_body(const configuration_rows *rows, uint32_t i) {
    const proto_operand *operand = rows->asked.operands[i];
    gjk_body *body = gjk_arena_alloc(&rows->request->arena, sizeof *body);
    if (body != NULL) {
        *body = (gjk_body){.id = rows->asked.ids[i],
                           .handle = PROTO_NO_HANDLE,
                           .category = UINT32_MAX,
                           .mask = UINT32_MAX,
                           .placed = {&operand->shape, operand->pose}};
    }
    return body;
}

/* Makes the bodies of all inline shapes. Returns false if memory is exhausted. */
static bool make_bodies(configuration_rows *rows) {
    const proto_configurations *asked = &rows->asked;
    const uint32_t count = asked->ids != NULL ? asked->shape_count : 0;
    rows->inlines =
        gjk_arena_alloc_array(&rows->request->arena, asked->shape_count, sizeof(gjk_body *));
    bool is_fine = rows->inlines != NULL;
    for (uint32_t i = 0; is_fine && i < asked->shape_count; i++) {
        rows->inlines[i] = NULL;
    }
    for (uint32_t i = 0; is_fine && i < count; i++) {
        if (proto_inline_index(asked->ids[i]) != UINT32_MAX) {
            rows->inlines[i] = make_body(rows, i);
            is_fine = rows->inlines[i] != NULL;
        }
    }
    return is_fine;
}

/* Returns shape `i` of the rows in a state, or NULL if it is missing. */
static const gjk_body *find_moved(const configuration_rows *rows, const gjk_snapshot *snapshot,
                                  uint32_t i) {
    const proto_configurations *asked = &rows->asked;
    if (rows->inlines[i] != NULL) {
        return rows->inlines[i];
    }
    return asked->ids != NULL ? find_shape(snapshot, asked->ids[i], 0)
                              : find_shape(snapshot, NULL, asked->handles[i]);
}

static bool refuse_missing(const configuration_rows *rows, const gjk_snapshot *snapshot) {
    const proto_configurations *asked = &rows->asked;
    const bool by_id = asked->ids != NULL;
    uint32_t i = 0;
    while (i + 1 < asked->shape_count && find_moved(rows, snapshot, i) != NULL) {
        i++;
    }
    return refuse_shape(rows->request, by_id ? "shapes" : "shape", i, by_id ? asked->ids[i] : NULL,
                        by_id ? 0 : asked->handles[i]);
}

/* A shape and its index among those of the rows. */
typedef struct listed_shape {
    const char *id; /* NULL if the shape is given by its handle */
    uint32_t handle, index;
} listed_shape;

static int compare_shapes(const listed_shape *p, const listed_shape *q) {
    return p->id != NULL            ? strcmp(p->id, q->id)
           : p->handle != q->handle ? (p->handle < q->handle ? -1 : 1)
                                    : 0;
}

static int compare_listed(const void *a, const void *b) {
    const listed_shape *p = a, *q = b;
    const int order = compare_shapes(p, q);
    return order != 0 ? order : p->index < q->index ? -1 : p->index > q->index;
}

/* Returns true if no shape is listed twice, else refuses the request. */
static bool check_duplicates(const configuration_rows *rows) {
    struct gjkd_request *request = rows->request;
    const proto_configurations *asked = &rows->asked;
    const uint32_t count = asked->shape_count;
    listed_shape *sorted = gjk_arena_alloc_array(&request->arena, count, sizeof *sorted);
    gjk_status status = sorted != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
    uint32_t twice = UINT32_MAX;
    for (uint32_t i = 0; status == GJK_OK && i < count; i++) {
        sorted[i] = (listed_shape){asked->ids != NULL ? asked->ids[i] : NULL,
                                   asked->ids != NULL ? 0 : asked->handles[i], i};
    }
    if (status == GJK_OK) {
        status = gjk_sort(&request->arena, sorted, count, sizeof *sorted, compare_listed);
    }
    if (status != GJK_OK) {
        return gjkd_request_fail(request,
                                 status == GJK_GIVEN_UP ? PROTO_DEADLINE_EXCEEDED
                                                        : PROTO_OUT_OF_MEMORY,
                                 "the shapes could not be looked through");
    }
    for (uint32_t i = 1; i < count; i++) {
        if (compare_shapes(&sorted[i], &sorted[i - 1]) == 0 && sorted[i].index < twice) {
            twice = sorted[i].index;
        }
    }
    if (twice != UINT32_MAX) {
        char pointer[64];
        snprintf(pointer, sizeof pointer, "/%s/%u", asked->ids != NULL ? "shapes" : "shape", twice);
        proto_problem_set(&request->problem, PROTO_OUT_OF_RANGE, "the shape stands here twice");
        gjkd_request_refuse_at(request, pointer);
    }
    return twice == UINT32_MAX;
}

/* Returns shape `i` of the allowed pairs, or NULL if it is missing. */
static const gjk_body *find_allowed_shape(const configuration_rows *rows,
                                          const gjk_snapshot *snapshot, uint32_t i) {
    const proto_configurations *asked = &rows->asked;
    if (asked->allowed_ids == NULL) {
        return find_shape(snapshot, NULL, asked->allowed_handles[i]);
    }
    const uint32_t index = proto_inline_index(asked->allowed_ids[i]);
    return index != UINT32_MAX ? rows->inlines[index]
                               : find_shape(snapshot, asked->allowed_ids[i], 0);
}

/* Prepares the rows of a state, in the arena. Sets *out to NULL if the state lacks a shape. */
static gjk_status prepare_state(const configuration_rows *rows, const gjk_snapshot *snapshot,
                                struct gjk_arena *arena, struct gjk_configurations **out) {
    const proto_configurations *asked = &rows->asked;
    const gjk_body **moved = gjk_arena_alloc_array(arena, asked->shape_count, sizeof(gjk_body *));
    gjk_allowed_pair *allowed = gjk_arena_alloc_array(arena, asked->allowed_count, sizeof *allowed);
    uint32_t allowed_count = 0;
    *out = NULL;
    if (moved == NULL || allowed == NULL) {
        return GJK_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < asked->shape_count; i++) {
        moved[i] = find_moved(rows, snapshot, i);
        if (moved[i] == NULL) {
            return GJK_OK;
        }
    }
    for (uint32_t i = 0; i < asked->allowed_count; i++) {
        const gjk_body *a = find_allowed_shape(rows, snapshot, 2 * i);
        const gjk_body *b = find_allowed_shape(rows, snapshot, 2 * i + 1);
        if (a != NULL && b != NULL) {
            allowed[allowed_count++] = (gjk_allowed_pair){a, b};
        }
    }
    const gjk_configuration_settings settings = {
        .moved = moved,
        .count = asked->shape_count,
        .self = asked->self,
        .allowed = allowed,
        .allowed_count = allowed_count,
        .filter = &asked->filter,
        .distance = asked->distance,
        .threshold = asked->threshold,
        .tolerance = asked->options.tolerance,
        .max_iterations = asked->options.max_iterations,
    };
    return gjk_configurations_new(snapshot, &settings, arena, out);
}

/* Finds the pose of shape `i` for rows that do not give one. Returns false if it is missing. */
static bool find_own_pose(const configuration_rows *rows, const gjk_snapshot *snapshot, uint32_t i,
                          gjk_pose *out) {
    const proto_configurations *asked = &rows->asked;
    const proto_operand *operand = asked->operands != NULL ? asked->operands[i] : NULL;
    if (operand != NULL && operand->kind == PROTO_OPERAND_INLINE) {
        *out = operand->pose;
        return true;
    }
    const gjk_body *body = find_moved(rows, snapshot, i);
    if (body == NULL) {
        return false;
    }
    *out = gjk_snapshot_place(snapshot, body).pose;
    if (operand != NULL && operand->has_position) {
        out->position = operand->pose.position;
    }
    if (operand != NULL && operand->has_rotation) {
        gjk_pose_turn_as(out, &operand->pose);
    }
    return true;
}

/* Completes poses of which only the position or the rotation, or neither, is given. */
static void complete_poses(const configuration_rows *rows) {
    const proto_configurations *asked = &rows->asked;
    gjk_pose *poses = (gjk_pose *)(uintptr_t)asked->poses; /* not const: in the request's arena */
    const uint32_t all = PROTO_GIVEN_POSITION | PROTO_GIVEN_ROTATION;
    for (uint32_t i = 0; i < asked->shape_count; i++) {
        gjk_pose own = gjk_pose_identity();
        bool is_found = false;
        for (uint32_t row = 0; row < asked->count; row++) {
            const size_t at = (size_t)row * asked->shape_count + i;
            const uint32_t given = asked->given != NULL ? asked->given[at] : asked->given_all;
            if (given == all) {
                continue;
            }
            const asked_state *state = state_of(rows, row);
            if (rows->state_count > 1 || !is_found) {
                is_found = state->lacking == 0 && find_own_pose(rows, &state->snapshot, i, &own);
            }
            if (is_found && !(given & PROTO_GIVEN_POSITION)) {
                poses[at].position = own.position;
            }
            if (is_found && !(given & PROTO_GIVEN_ROTATION)) {
                gjk_pose_turn_as(&poses[at], &own);
            }
        }
    }
}

/* Allocates the lists of nearest pairs. Returns false if memory is exhausted. */
static bool make_lists(configuration_rows *rows) {
    struct gjkd_request *request = rows->request;
    const proto_configurations *asked = &rows->asked;
    const uint64_t share = request->context->limits.answers_max / asked->count;
    const uint64_t limit = asked->limit < share ? asked->limit : share;
    if (asked->limit == 0) {
        return true;
    }
    rows->limit = limit == 0 ? 1 : limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
    rows->answers.nearest =
        gjk_arena_alloc_array(&request->arena, asked->count, sizeof *rows->answers.nearest);
    return rows->answers.nearest != NULL;
}

/* Allocates the answers and prepares the rows. Returns false if the request is refused. */
static bool prepare_rows(configuration_rows *rows) {
    struct gjkd_request *request = rows->request;
    const proto_configurations *asked = &rows->asked;
    proto_configured *answers = &rows->answers;
    answers->rows = gjk_arena_alloc_array(&request->arena, asked->count, sizeof *answers->rows);
    answers->refused = gjk_arena_alloc_array(&request->arena, asked->count, 1);
    gjk_status status = answers->rows != NULL && answers->refused != NULL && make_lists(rows)
                            ? GJK_OK
                            : GJK_OUT_OF_MEMORY;
    if (status == GJK_OK && rows->state_count == 1 && rows->states[0].lacking == 0) {
        const gjk_snapshot *snapshot = &rows->states[0].snapshot;
        status = prepare_state(rows, snapshot, &request->arena, &rows->configurations);
        if (status == GJK_OK && rows->configurations == NULL && !asked->partial) {
            return refuse_missing(rows, snapshot);
        }
    }
    if (status == GJK_GIVEN_UP) {
        gjkd_request_fail_late(request);
    } else if (status != GJK_OK) {
        gjkd_block_fail_memory(request);
    }
    if (status != GJK_OK) {
        return false;
    }
    complete_poses(rows);
    return true;
}

/* --- Rows --- */

/* The state for which the rows of a chunk are prepared now. */
typedef struct chunk_state {
    const asked_state *state;                        /* NULL before the first row */
    const struct gjk_configurations *configurations; /* NULL if a shape is missing */
    gjk_configuration_hint hint;
} chunk_state;

/* Prepares the chunk for the state of a row. Consecutive rows with the same tick share the
 * state. */
static gjk_status enter_state(configuration_rows *rows, uint32_t row, struct gjk_arena *memory,
                              chunk_state *now) {
    const asked_state *state = state_of(rows, row);
    const double *ticks = rows->asked.ticks;
    if (rows->state_count == 1) {
        now->configurations = rows->configurations;
        return GJK_OK;
    }
    if (now->state != NULL && ticks[now->state - rows->states] == ticks[row]) {
        return GJK_OK;
    }
    struct gjk_configurations *made;
    gjk_arena_reset(memory);
    now->hint = (gjk_configuration_hint){NULL, NULL};
    now->state = state;
    const gjk_status status = prepare_state(rows, &state->snapshot, memory, &made);
    now->configurations = made;
    return status;
}

/* Finds the nearest pairs of a row, and copies them to the request's arena. */
static gjk_status list_nearest(configuration_rows *rows, uint32_t row, const gjk_pose *poses,
                               struct gjk_arena *memory, const struct gjk_configurations *asked) {
    gjk_pair_nears *found = &rows->answers.nearest[row];
    const gjk_arena_mark mark = gjk_arena_here(memory);
    gjk_status status = gjk_configuration_nearest(asked, poses, rows->limit, memory, found);
    if (status == GJK_OK) {
        found->items =
            gjkd_block_keep(&rows->block, found->items, found->count, sizeof *found->items);
        status = found->items != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
    }
    gjk_arena_rewind(memory, mark);
    return status;
}

/* Returns the answer of a row that follows from its nearest pairs. */
static gjk_configuration first_of(const gjk_pair_nears *nearest) {
    if (nearest->count == 0) {
        return (gjk_configuration){.fraction = 1.0, .result.convergence = GJK_CONVERGED};
    }
    const gjk_pair_near *first = &nearest->items[0];
    const bool colliding = first->result.state != GJK_SEPARATED;
    return (gjk_configuration){colliding, first->a, first->b, first->result, colliding ? 0.0 : 1.0};
}

static gjk_status answer_row(configuration_rows *rows, uint32_t row, struct gjk_arena *memory,
                             chunk_state *now) {
    const proto_configurations *asked = &rows->asked;
    const gjk_pose *poses = &asked->poses[(size_t)row * asked->shape_count];
    const bool starts = row == 0 || (asked->starts != NULL && asked->starts[row]);
    const gjk_pose *before = asked->continuous && !starts ? poses - asked->shape_count : NULL;
    gjk_configuration *answer = &rows->answers.rows[row];
    if (rows->limit > 0) {
        const gjk_status status = list_nearest(rows, row, poses, memory, now->configurations);
        if (status != GJK_OK) {
            return status;
        }
        if (before == NULL) {
            *answer = first_of(&rows->answers.nearest[row]);
            return GJK_OK;
        }
    }
    return gjk_configuration_ask(now->configurations, poses, before, memory->budget, &now->hint,
                                 answer);
}

/* Notes why a row has no answer. Without `partial` the first such row refuses the message. */
static void refuse_row(configuration_rows *rows, uint32_t row, uint8_t why) {
    rows->answers.refused[row] = why;
    if (!rows->asked.partial) {
        gjkd_block_note_refused(&rows->block, row);
    }
}

static void run_rows(gjkd_chunk *chunk) {
    configuration_rows *rows = chunk->work;
    chunk_state now = {0};
    for (uint32_t row; !atomic_load_explicit(&rows->block.no_memory, memory_order_relaxed) &&
                       gjkd_chunk_next(chunk, &row);) {
        const uint8_t lacking = state_of(rows, row)->lacking;
        rows->answers.refused[row] = PROTO_ROW_CONVERGED;
        gjk_status status = GJK_OK;
        if (lacking == 0) {
            status = enter_state(rows, row, chunk->memory, &now);
        }
        if (status == GJK_OK && lacking != 0) {
            refuse_row(rows, row, lacking);
        } else if (status == GJK_OK && now.configurations == NULL) {
            refuse_row(rows, row, PROTO_ROW_UNKNOWN_HANDLE);
        } else if (status == GJK_OK) {
            status = answer_row(rows, row, chunk->memory, &now);
        }
        if (status != GJK_OK) {
            if (status == GJK_OUT_OF_MEMORY) {
                atomic_store(&rows->block.no_memory, true);
            }
            return;
        }
    }
}

/* --- Messages --- */

/* Refuses an answer in columns whose lists were cut, since columns cannot show that. Returns false
 * if the request is refused. */
static bool check_lists(const configuration_rows *rows) {
    struct gjkd_request *request = rows->request;
    const uint64_t max = request->context->limits.answers_max;
    bool is_cut = false;
    for (uint32_t row = 0; request->columns_out != NULL && rows->limit < rows->asked.limit &&
                           row < rows->asked.count && !is_cut;
         row++) {
        is_cut = rows->answers.refused[row] == PROTO_ROW_CONVERGED &&
                 rows->answers.nearest[row].truncated;
    }
    if (is_cut) {
        proto_problem_set(&request->problem, PROTO_TOO_MANY,
                          "the rows' pairs may come to more than %llu, and columns are not cut",
                          (unsigned long long)max);
        proto_problem_limit(&request->problem, max);
        proto_problem_hint(&request->problem, "give a lower limit, or send fewer rows at once");
        gjkd_request_refuse_at(request, "/limit");
    }
    return !is_cut;
}

static void print_answers(const configuration_rows *rows, struct proto_buffer *out) {
    struct gjkd_request *request = rows->request;
    const proto_configurations *asked = &rows->asked;
    out->list_bytes_max = request->context->config->max_answer_bytes;
    if (request->columns_out != NULL) {
        proto_encode_configuration_columns(out, asked, &rows->answers, request->version->revision);
    } else {
        const proto_stamp stamp = {.has_revision = true,
                                   .revision = request->version->revision,
                                   .has_tick = asked->tick_count == 1,
                                   .tick = asked->tick_count == 1 ? asked->ticks[0] : 0.0,
                                   .pose_gap = rows->pose_gap,
                                   .meta_of = asked->include_meta ? gjkd_stored_meta : NULL};
        proto_encode_configurations(out, asked, &rows->answers, &stamp);
    }
}

static bool print(struct gjkd_block *block, struct proto_buffer *out) {
    const configuration_rows *rows = (const configuration_rows *)block;
    const uint32_t refused = atomic_load(&block->refused);
    if (atomic_load(&rows->block.no_memory)) {
        return gjkd_block_fail_memory(rows->request);
    }
    if (refused != UINT32_MAX) {
        return refuse_missing(rows, &state_of(rows, refused)->snapshot);
    }
    if (!check_lists(rows)) {
        return false;
    }
    print_answers(rows, out);
    const bool has_lists = rows->asked.limit > 1 && rows->request->columns_out != NULL;
    const uint64_t max = rows->request->context->config->max_answer_bytes;
    return !has_lists || proto_buffer_length(out) <= max ||
           gjkd_block_refuse_lists(block, "bytes", max, true);
}

/* Finds the state of tick `i`. Returns false if it is not kept and the message is refused. */
static bool rewind_state(configuration_rows *rows, uint32_t i, asked_state *out) {
    const proto_configurations *asked = &rows->asked;
    gjk_rewound rewound = {.snapshot = out->snapshot};
    char pointer[64];
    snprintf(pointer, sizeof pointer, "%s/%u", asked->tick_pointer, i);
    const char *place = rows->request->columns_in ? pointer : asked->tick_pointer;
    if (!gjkd_block_rewind(&rows->block, asked->ticks[i], asked->partial ? NULL : place, &rewound,
                           &out->lacking)) {
        return false;
    }
    if (out->lacking == PROTO_ROW_CONVERGED) {
        out->snapshot = rewound.snapshot;
    }
    rows->pose_gap = rows->pose_gap || rewound.is_gap;
    return true;
}

/* Finds the states that rows ask. Returns false if the request is refused. */
static bool find_states(configuration_rows *rows) {
    struct gjkd_request *request = rows->request;
    const uint32_t count = rows->asked.tick_count > 0 ? rows->asked.tick_count : 1;
    asked_state *states = gjk_arena_alloc_array(&request->arena, count, sizeof *states);
    if (states == NULL || !make_bodies(rows)) {
        return gjkd_block_fail_memory(request);
    }
    for (uint32_t i = 0; i < count; i++) {
        states[i] = (asked_state){gjk_snapshot_of(request->version->set), 0};
        if (rows->asked.tick_count > 0 && !rewind_state(rows, i, &states[i])) {
            return false;
        }
    }
    rows->states = states;
    rows->state_count = count;
    return true;
}

/* Returns true if the client's form of the answer is possible, else refuses the request. */
static bool check_form(const configuration_rows *rows) {
    const proto_configurations *asked = &rows->asked;
    struct gjkd_request *request = rows->request;
    bool has_inline = false;
    for (uint32_t i = 0; asked->ids != NULL && i < asked->shape_count && !has_inline; i++) {
        has_inline = proto_inline_index(asked->ids[i]) != UINT32_MAX;
    }
    if (request->columns_out != NULL && (asked->include_meta || has_inline)) {
        return gjkd_request_fail(
            request, PROTO_NOT_ACCEPTABLE,
            "columns have no place for meta and for inline shapes: leave them out, "
            "or ask for JSON");
    }
    if (request->columns_out == NULL && asked->partial) {
        return gjkd_request_fail(
            request, PROTO_NOT_ACCEPTABLE,
            "JSON has no place for rows without an answer: leave partial out, or ask "
            "for columns");
    }
    return true;
}

static bool prepare(struct gjkd_block *block) {
    configuration_rows *rows = (configuration_rows *)block;
    const uint64_t shape_ns = rows->asked.continuous ? MOVING_SHAPE_NS : SHAPE_NS;
    block->row_ns = rows->asked.shape_count * shape_ns;
    if (block->in_part && block->request->columns_out != NULL) {
        rows->asked.partial = true;
    }
    return find_states(rows) && prepare_rows(rows);
}

/* Gives columns without a tick that of the enclosing batch. Returns false if memory is
 * exhausted. */
static bool inherit_tick(proto_configurations *asked, const proto_source *source) {
    if (source->at_tick == NULL || asked->tick_count > 0) {
        return true;
    }
    double *tick = gjk_arena_alloc(source->arena, sizeof *tick);
    if (tick == NULL) {
        return proto_problem_set(source->problem, PROTO_OUT_OF_MEMORY, "no memory for the rows");
    }
    *tick = proto_double_at(source->at_tick, 0);
    asked->ticks = tick;
    asked->tick_count = 1;
    asked->tick_pointer = "/at_tick";
    return true;
}

/* Decodes columns, or the JSON of a whole body. Returns false if the request is refused. */
static bool decode(struct gjkd_block *block, const proto_source *source) {
    configuration_rows *rows = (configuration_rows *)block;
    proto_configurations *asked = &rows->asked;
    const bool is_decoded =
        block->request->columns_in
            ? proto_decode_configuration_columns(source->body, source->set_dimension,
                                                 source->limits, source->arena, asked,
                                                 source->problem) &&
                  inherit_tick(asked, source)
            : proto_decode_configurations(source->body, source->set_dimension, source->limits,
                                          source->arena, asked, source->problem);
    rows->request = block->request;
    block->counted = GJKD_COUNTED_CONFIGURATIONS;
    block->rows = asked->count;
    if (!is_decoded) {
        gjkd_request_refuse(block->request);
    }
    return is_decoded && check_form(rows) && check_duplicates(rows);
}

/* Checks that the ticks and shapes of columns exist (see gjkd_block_kind). */
static bool check(struct gjkd_block *block, const struct gjkd_version *before, uint64_t tick,
                  struct proto_problem *problem) {
    const proto_configurations *asked = &((const configuration_rows *)block)->asked;
    const uint32_t states = asked->tick_count > 0 ? asked->tick_count : 1;
    const struct gjk_set *looked_at = NULL;
    char pointer[64];
    for (uint32_t i = 0; i < states && !asked->partial; i++) {
        const double *at = asked->tick_count > 0 ? &asked->ticks[i] : NULL;
        const struct gjk_set *set = gjkd_block_find_set(block, before, tick, at, problem);
        if (set == NULL) {
            snprintf(pointer, sizeof pointer, "/at_tick/%u", i);
            return proto_problem_point(problem, pointer);
        }
        for (uint32_t k = 0; k < asked->shape_count && set != looked_at; k++) {
            gjk_budget_spend(&block->request->budget, 1);
            if (gjk_set_find_handle(set, asked->handles[k]) == NULL) {
                snprintf(pointer, sizeof pointer, "/shape/%u", k);
                proto_problem_set(problem, PROTO_SHAPE_NOT_FOUND,
                                  "no shape of the set has the handle %u", asked->handles[k]);
                return proto_problem_point(problem, pointer);
            }
        }
        looked_at = set;
    }
    return true;
}

const struct gjkd_block_kind gjkd_configurations_block =
    {sizeof(configuration_rows), decode, check, prepare, run_rows, print};

void gjkd_handle_configurations(struct gjkd_request *request) {
    if (gjkd_request_check_if_match(request)) {
        gjkd_block_answer(request, PROTO_BLOCK_configurations);
    }
}
