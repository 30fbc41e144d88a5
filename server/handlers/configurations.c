/*
 * Configurations: rows of what-if poses of several shapes, in JSON or as columns. Ids or handles
 * and allowed pairs are found once; the rows are done in chunks, each with a hint of its own that
 * makes neighbouring rows cheap and shows in no answer. The lists of nearest pairs are kept in the
 * request's memory; answers_max is shared out evenly among the rows.
 */

#include "proto/configurations.h"
#include "gjk/sort.h"
#include "handlers/handlers.h"
#include "request/context.h"
#include "request/request.h"
#include "request/telemetry.h"
#include "sets/kept_ticks.h"
#include "sets/version.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Estimates of a row's cost for each of its shapes, for cutting. */
#define SHAPE_NS 1000
#define MOVING_SHAPE_NS 10000

/* One request under way. */
typedef struct configuration_rows {
    struct gjkd_request *request;
    proto_configurations asked;
    gjk_snapshot snapshot;
    bool pose_gap; /* a tick that it needs is lost */
    const gjk_body **moved;
    struct gjk_configurations *configurations;
    gjk_configuration *answers;
    uint32_t limit;          /* of the pairs of a row; 0: none are asked for */
    gjk_pair_nears *nearest; /* of each row */
    pthread_mutex_t lock;    /* of the request's arena, which keeps the lists of all rows */
    atomic_bool out_of_memory;
} configuration_rows;

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
    gjkd_request_refuse_at(request, pointer);
    return false;
}

/* Returns a stored shape; NULL: there is none. */
static const gjk_body *find_shape(const configuration_rows *rows, const char *id, uint32_t handle) {
    const struct gjk_set *set = rows->snapshot.set;
    return id != NULL ? gjk_set_find(set, id) : gjk_set_find_handle(set, handle);
}

/* Makes a body of an inline shape. Returns NULL if memory is exhausted. */
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

/* A shape and its place among those of the rows. */
typedef struct listed_shape {
    const gjk_body *body;
    uint32_t index;
} listed_shape;

static int compare_listed(const void *a, const void *b) {
    const listed_shape *p = a, *q = b;
    if (p->body != q->body) {
        return (uintptr_t)p->body < (uintptr_t)q->body ? -1 : 1;
    }
    return p->index < q->index ? -1 : p->index > q->index;
}

/* Checks that each shape stands there once. */
static bool check_once(const configuration_rows *rows, const char *list) {
    struct gjkd_request *request = rows->request;
    const uint32_t count = rows->asked.shape_count;
    listed_shape *sorted = gjk_arena_alloc_array(&request->arena, count, sizeof *sorted);
    gjk_status status = sorted != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
    uint32_t twice = UINT32_MAX;
    for (uint32_t i = 0; status == GJK_OK && i < count; i++) {
        sorted[i] = (listed_shape){rows->moved[i], i};
    }
    if (status == GJK_OK) {
        status = gjk_sort(&request->arena, sorted, count, sizeof *sorted, compare_listed);
    }
    if (status != GJK_OK) {
        gjkd_request_fail(request,
                          status == GJK_GIVEN_UP ? PROTO_DEADLINE_EXCEEDED : PROTO_OUT_OF_MEMORY,
                          "the shapes could not be looked through");
        return false;
    }
    for (uint32_t i = 1; i < count; i++) {
        if (sorted[i].body == sorted[i - 1].body && sorted[i].index < twice) {
            twice = sorted[i].index;
        }
    }
    if (twice != UINT32_MAX) {
        char pointer[64];
        snprintf(pointer, sizeof pointer, "/%s/%u", list, twice);
        proto_problem_set(&request->problem, PROTO_OUT_OF_RANGE, "the shape stands here twice");
        gjkd_request_refuse_at(request, pointer);
    }
    return twice == UINT32_MAX;
}

/* Finds the shapes of the rows. */
static bool find_shapes(configuration_rows *rows) {
    struct gjkd_request *request = rows->request;
    const proto_configurations *asked = &rows->asked;
    const char *list = asked->ids != NULL ? "shapes" : "shape";
    rows->moved = gjk_arena_alloc_array(&request->arena, asked->shape_count, sizeof(gjk_body *));
    if (rows->moved == NULL) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the shapes");
        return false;
    }
    for (uint32_t i = 0; i < asked->shape_count; i++) {
        const char *id = asked->ids != NULL ? asked->ids[i] : NULL;
        const uint32_t handle = asked->ids != NULL ? 0 : asked->handles[i];
        if (id != NULL && proto_inline_index(id) != UINT32_MAX) {
            rows->moved[i] = make_body(rows, i);
            if (rows->moved[i] == NULL) {
                gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the shapes");
                return false;
            }
            continue;
        }
        rows->moved[i] = find_shape(rows, id, handle);
        if (rows->moved[i] == NULL) {
            return refuse_shape(request, list, i, id, handle);
        }
    }
    return check_once(rows, list);
}

/* Returns a shape of an allowed pair; NULL: it is gone. */
static const gjk_body *find_allowed_shape(const configuration_rows *rows, uint32_t i) {
    const proto_configurations *asked = &rows->asked;
    if (asked->allowed_ids == NULL) {
        return find_shape(rows, NULL, asked->allowed_handles[i]);
    }
    const uint32_t index = proto_inline_index(asked->allowed_ids[i]);
    return index != UINT32_MAX ? rows->moved[index] : find_shape(rows, asked->allowed_ids[i], 0);
}

/* Finds those allowed pairs whose shapes are there. Returns NULL if refused. */
static gjk_allowed_pair *find_allowed(configuration_rows *rows, uint32_t *count) {
    struct gjkd_request *request = rows->request;
    const proto_configurations *asked = &rows->asked;
    gjk_allowed_pair *pairs =
        gjk_arena_alloc_array(&request->arena, asked->allowed_count, sizeof *pairs);
    *count = 0;
    for (uint32_t i = 0; pairs != NULL && i < asked->allowed_count; i++) {
        const gjk_body *a = find_allowed_shape(rows, 2 * i);
        const gjk_body *b = find_allowed_shape(rows, 2 * i + 1);
        if (a != NULL && b != NULL) {
            pairs[(*count)++] = (gjk_allowed_pair){a, b};
        }
    }
    if (pairs == NULL) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the allowed pairs");
    }
    return pairs;
}

/* Returns where a shape stands unless a row says otherwise. */
static gjk_pose own_pose(const configuration_rows *rows, uint32_t i) {
    const proto_configurations *asked = &rows->asked;
    const proto_operand *operand = asked->operands != NULL ? asked->operands[i] : NULL;
    if (operand != NULL && operand->kind == PROTO_OPERAND_INLINE) {
        return operand->pose;
    }
    gjk_pose pose = gjk_snapshot_place(&rows->snapshot, rows->moved[i]).pose;
    if (operand != NULL && operand->has_position) {
        pose.position = operand->pose.position;
    }
    if (operand != NULL && operand->has_rotation) {
        gjk_pose_turn_as(&pose, &operand->pose);
    }
    return pose;
}

/* Fills in what of the poses is not given. */
static void complete_poses(const configuration_rows *rows) {
    const proto_configurations *asked = &rows->asked;
    gjk_pose *poses = (gjk_pose *)(uintptr_t)asked->poses; /* the request's own, until now */
    const uint32_t all = PROTO_GIVEN_POSITION | PROTO_GIVEN_ROTATION;
    for (uint32_t i = 0; i < asked->shape_count; i++) {
        const gjk_pose own = own_pose(rows, i);
        for (uint32_t row = 0; row < asked->count; row++) {
            const size_t at = (size_t)row * asked->shape_count + i;
            const uint32_t given = asked->given != NULL ? asked->given[at] : asked->given_all;
            if (given == all) {
                continue;
            }
            if (!(given & PROTO_GIVEN_POSITION)) {
                poses[at].position = own.position;
            }
            if (!(given & PROTO_GIVEN_ROTATION)) {
                gjk_pose_turn_as(&poses[at], &own);
            }
        }
    }
}

/* Makes room for the lists of nearest pairs. Returns false if memory is exhausted. */
static bool make_lists(configuration_rows *rows) {
    struct gjkd_request *request = rows->request;
    const proto_configurations *asked = &rows->asked;
    const uint64_t share = request->context->limits.answers_max / asked->count;
    const uint64_t limit = asked->limit < share ? asked->limit : share;
    atomic_init(&rows->out_of_memory, false);
    if (asked->limit == 0) {
        return true;
    }
    rows->limit = limit == 0 ? 1 : limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
    rows->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; /* which needs no end */
    rows->nearest = gjk_arena_alloc_array(&request->arena, asked->count, sizeof *rows->nearest);
    return rows->nearest != NULL;
}

static bool prepare(configuration_rows *rows) {
    struct gjkd_request *request = rows->request;
    const proto_configurations *asked = &rows->asked;
    if (!find_shapes(rows)) {
        return false;
    }
    uint32_t allowed_count;
    const gjk_allowed_pair *allowed = find_allowed(rows, &allowed_count);
    if (allowed == NULL) {
        return false;
    }
    complete_poses(rows);
    const gjk_configuration_settings settings = {
        .moved = rows->moved,
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
    rows->answers = gjk_arena_alloc_array(&request->arena, asked->count, sizeof *rows->answers);
    if (rows->answers == NULL || !make_lists(rows) ||
        gjk_configurations_new(&rows->snapshot, &settings, &request->arena,
                               &rows->configurations) != GJK_OK) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the answers");
        return false;
    }
    return true;
}

/* Finds the nearest pairs of a row, and keeps them in memory that outlives the chunk. */
static gjk_status list_nearest(configuration_rows *rows, uint32_t row, const gjk_pose *poses,
                               struct gjk_arena *memory) {
    gjk_pair_nears *found = &rows->nearest[row];
    gjk_status status =
        gjk_configuration_nearest(rows->configurations, poses, rows->limit, memory, found);
    if (status == GJK_OK) {
        pthread_mutex_lock(&rows->lock);
        gjk_pair_near *kept =
            gjk_arena_alloc_array(&rows->request->arena, found->count, sizeof *kept);
        pthread_mutex_unlock(&rows->lock);
        if (kept == NULL) {
            return GJK_OUT_OF_MEMORY;
        }
        if (found->count > 0) {
            memcpy(kept, found->items, found->count * sizeof *kept);
        }
        found->items = kept;
    }
    return status;
}

/* The answer of a row that its nearest pairs tell. */
static gjk_configuration first_of(const gjk_pair_nears *nearest) {
    if (nearest->count == 0) {
        return (gjk_configuration){.fraction = 1.0};
    }
    const gjk_pair_near *first = &nearest->items[0];
    const bool colliding = first->result.state != GJK_SEPARATED;
    return (gjk_configuration){colliding, first->a, first->b, first->result, colliding ? 0.0 : 1.0};
}

static gjk_status answer_row(configuration_rows *rows, uint32_t row, struct gjk_arena *memory,
                             gjk_configuration_hint *hint) {
    const proto_configurations *asked = &rows->asked;
    const gjk_pose *poses = &asked->poses[(size_t)row * asked->shape_count];
    const bool starts = row == 0 || (asked->starts != NULL && asked->starts[row]);
    const gjk_pose *before = asked->continuous && !starts ? poses - asked->shape_count : NULL;
    if (rows->limit > 0) {
        const gjk_status status = list_nearest(rows, row, poses, memory);
        if (status != GJK_OK) {
            return status;
        }
        gjk_arena_reset(memory);
        if (before == NULL) {
            rows->answers[row] = first_of(&rows->nearest[row]);
            return GJK_OK;
        }
    }
    return gjk_configuration_ask(rows->configurations, poses, before, memory->budget, hint,
                                 &rows->answers[row]);
}

static void run_rows(gjkd_chunk *chunk) {
    configuration_rows *rows = chunk->work;
    gjk_configuration_hint hint = {NULL, NULL};
    for (uint32_t row; !atomic_load_explicit(&rows->out_of_memory, memory_order_relaxed) &&
                       gjkd_chunk_next(chunk, &row);) {
        const gjk_status status = answer_row(rows, row, chunk->memory, &hint);
        if (status != GJK_OK) {
            atomic_store(&rows->out_of_memory, status == GJK_OUT_OF_MEMORY);
            return;
        }
    }
}

static void finish_configurations(void *work, bool is_past) {
    const configuration_rows *rows = work;
    struct gjkd_request *request = rows->request;
    const proto_configurations *asked = &rows->asked;
    struct proto_buffer out;
    if (is_past) {
        gjkd_request_fail_late(request);
        return;
    }
    if (atomic_load(&rows->out_of_memory)) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the answers");
        return;
    }
    proto_buffer_init_blocks(&out, &request->arena);
    out.list_bytes_max = request->context->config->max_answer_bytes;
    if (request->columns_out != NULL) {
        proto_encode_configuration_columns(&out, asked, rows->answers, request->version->revision);
    } else {
        const proto_stamp stamp = {.has_revision = true,
                                   .revision = request->version->revision,
                                   .has_tick = asked->at.given,
                                   .tick = asked->at.tick,
                                   .pose_gap = rows->pose_gap,
                                   .meta_of = asked->include_meta ? gjkd_stored_meta : NULL};
        proto_encode_configurations(&out, asked, rows->answers, rows->nearest, &stamp);
    }
    gjkd_request_count_queries(request, GJKD_COUNTED_CONFIGURATIONS, asked->count);
    gjkd_request_reply(request, 200, &out);
}

/* Finds the state that is asked about. */
static bool find_state(configuration_rows *rows) {
    struct gjkd_request *request = rows->request;
    gjk_rewound rewound;
    rows->snapshot = gjk_snapshot_of(request->version->set);
    if (!rows->asked.at.given) {
        return true;
    }
    if (!gjkd_rewind(request->version, rows->asked.at.tick, &rewound, &request->problem)) {
        gjkd_request_refuse_at(request, rows->asked.at.pointer);
        return false;
    }
    rows->snapshot = rewound.snapshot;
    rows->pose_gap = rewound.is_gap;
    return true;
}

/* May the answer be printed in the form that the client asked for? */
static bool fits_form(const configuration_rows *rows) {
    const proto_configurations *asked = &rows->asked;
    bool fits = rows->request->columns_out == NULL || (!asked->include_meta && asked->limit == 0);
    for (uint32_t i = 0;
         rows->request->columns_out != NULL && asked->ids != NULL && fits && i < asked->shape_count;
         i++) {
        fits = proto_inline_index(asked->ids[i]) == UINT32_MAX;
    }
    return fits;
}

void gjkd_handle_configurations(struct gjkd_request *request) {
    if (!gjkd_request_may_ask(request)) {
        return;
    }
    configuration_rows *rows = gjk_arena_alloc(&request->arena, sizeof *rows);
    if (rows == NULL) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the rows");
        return;
    }
    memset(rows, 0, sizeof *rows);
    rows->request = request;
    const proto_limits *limits = &request->context->limits;
    const uint32_t dimension = request->version->dimension;
    const proto_text body = gjkd_request_text(request);
    const bool is_decoded =
        request->columns_in
            ? proto_decode_configuration_columns(body, dimension, limits, &request->arena,
                                                 &rows->asked, &request->problem)
            : proto_decode_configurations(body, dimension, limits, &request->arena, &rows->asked,
                                          &request->problem);
    if (!is_decoded) {
        gjkd_request_refuse(request);
        return;
    }
    gjkd_request_mark_decoded(request);
    if (!fits_form(rows)) {
        gjkd_request_fail(request, PROTO_NOT_ACCEPTABLE,
                          "columns have no place for meta and for inline shapes: leave them out, "
                          "or ask for JSON");
        return;
    }
    if (!find_state(rows) || !prepare(rows)) {
        return;
    }
    const uint64_t shape_ns = rows->asked.continuous ? MOVING_SHAPE_NS : SHAPE_NS;
    gjkd_request_leave_chunks(request, rows->asked.count, rows->asked.shape_count * shape_ns,
                              &(struct gjkd_chunks){.work = rows,
                                                    .run = run_rows,
                                                    .finish = finish_configurations});
}
