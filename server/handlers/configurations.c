/*
 * Configurations: rows of what-if poses of several shapes, in JSON or as columns. Ids or handles
 * and allowed pairs are found once; the rows are done in chunks, each with a hint of its own that
 * makes neighbouring rows cheap and shows in no answer.
 */

#include "proto/configurations.h"
#include "gjk/sort.h"
#include "handlers/handlers.h"
#include "request/context.h"
#include "request/request.h"
#include "request/telemetry.h"
#include "sets/kept_ticks.h"
#include "sets/version.h"

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
} configuration_rows;

static bool refuse_shape(struct gjkd_request *request, const char *list, uint32_t i, int32_t side,
                         const char *id, uint32_t handle) {
    char pointer[64];
    if (id != NULL) {
        proto_problem_set(&request->problem, PROTO_SHAPE_NOT_FOUND,
                          "there is no shape \"%.140s\" in the set", id);
    } else {
        proto_problem_set(&request->problem, PROTO_SHAPE_NOT_FOUND,
                          "no shape of the set has the handle %u", handle);
    }
    if (side >= 0 && id != NULL) {
        snprintf(pointer, sizeof pointer, "/%s/%u/%d", list, i, side);
    } else {
        snprintf(pointer, sizeof pointer, "/%s/%u", list, side >= 0 ? 2 * i + (uint32_t)side : i);
    }
    gjkd_request_refuse_at(request, pointer);
    return false;
}

static const gjk_body *find_shape(const configuration_rows *rows, const char *id, uint32_t handle) {
    const struct gjk_set *set = rows->snapshot.set;
    return id != NULL ? gjk_set_find(set, id) : gjk_set_find_handle(set, handle);
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
        rows->moved[i] = find_shape(rows, id, handle);
        if (rows->moved[i] == NULL) {
            return refuse_shape(request, list, i, -1, id, handle);
        }
    }
    return check_once(rows, list);
}

/* Finds the allowed pairs. Returns NULL if refused. */
static gjk_allowed_pair *find_allowed(configuration_rows *rows) {
    struct gjkd_request *request = rows->request;
    const proto_configurations *asked = &rows->asked;
    gjk_allowed_pair *pairs =
        gjk_arena_alloc_array(&request->arena, asked->allowed_count, sizeof *pairs);
    for (uint32_t i = 0; pairs != NULL && i < asked->allowed_count; i++) {
        const gjk_body *bodies[2];
        for (uint32_t side = 0; side < 2; side++) {
            const bool by_id = asked->allowed_ids != NULL;
            const char *id = by_id ? asked->allowed_ids[2 * i + side] : NULL;
            const uint32_t handle = by_id ? 0 : asked->allowed_handles[2 * i + side];
            bodies[side] = find_shape(rows, id, handle);
            if (bodies[side] == NULL) {
                refuse_shape(request, "allowed", i, (int32_t)side, id, handle);
                return NULL;
            }
        }
        pairs[i] = (gjk_allowed_pair){bodies[0], bodies[1]};
    }
    if (pairs == NULL) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the allowed pairs");
    }
    return pairs;
}

/* Fills in what of the poses is not given. */
static void complete_poses(const configuration_rows *rows) {
    const proto_configurations *asked = &rows->asked;
    gjk_pose *poses = (gjk_pose *)(uintptr_t)asked->poses; /* the request's own, until now */
    const uint32_t all = PROTO_GIVEN_POSITION | PROTO_GIVEN_ROTATION;
    for (uint32_t i = 0; i < asked->shape_count; i++) {
        const gjk_pose stored = gjk_snapshot_place(&rows->snapshot, rows->moved[i]).pose;
        for (uint32_t row = 0; row < asked->count; row++) {
            const size_t at = (size_t)row * asked->shape_count + i;
            const uint32_t given = asked->given != NULL ? asked->given[at] : asked->given_all;
            if (given == all) {
                continue;
            }
            if (!(given & PROTO_GIVEN_POSITION)) {
                poses[at].position = stored.position;
            }
            if (!(given & PROTO_GIVEN_ROTATION)) {
                poses[at].rotation = stored.rotation;
            }
        }
    }
}

static bool prepare(configuration_rows *rows) {
    struct gjkd_request *request = rows->request;
    const proto_configurations *asked = &rows->asked;
    if (!find_shapes(rows)) {
        return false;
    }
    const gjk_allowed_pair *allowed = find_allowed(rows);
    if (allowed == NULL) {
        return false;
    }
    complete_poses(rows);
    const gjk_configuration_settings settings = {
        .moved = rows->moved,
        .count = asked->shape_count,
        .self = asked->self,
        .allowed = allowed,
        .allowed_count = asked->allowed_count,
        .filter = &asked->filter,
        .distance = asked->distance,
        .threshold = asked->threshold,
        .tolerance = asked->options.tolerance,
        .max_iterations = asked->options.max_iterations,
    };
    rows->answers = gjk_arena_alloc_array(&request->arena, asked->count, sizeof *rows->answers);
    if (rows->answers == NULL || gjk_configurations_new(&rows->snapshot, &settings, &request->arena,
                                                        &rows->configurations) != GJK_OK) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the answers");
        return false;
    }
    return true;
}

static void run_rows(gjkd_chunk *chunk) {
    configuration_rows *rows = chunk->work;
    const uint32_t shapes = rows->asked.shape_count;
    gjk_configuration_hint hint = {NULL, NULL};
    for (uint32_t row; gjkd_chunk_next(chunk, &row);) {
        const gjk_pose *poses = &rows->asked.poses[(size_t)row * shapes];
        const gjk_pose *before = rows->asked.continuous && row > 0 ? poses - shapes : NULL;
        if (gjk_configuration_ask(rows->configurations, poses, before, chunk->memory->budget, &hint,
                                  &rows->answers[row]) != GJK_OK) {
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
    proto_buffer_init_blocks(&out, &request->arena);
    if (request->columns_out != NULL) {
        proto_encode_configuration_columns(&out, asked, rows->answers, request->version->revision);
    } else {
        const proto_stamp stamp = {.has_revision = true,
                                   .revision = request->version->revision,
                                   .has_tick = asked->at.given,
                                   .tick = asked->at.tick,
                                   .pose_gap = rows->pose_gap,
                                   .meta_of = asked->include_meta ? gjkd_stored_meta : NULL};
        proto_encode_configurations(&out, asked, rows->answers, &stamp);
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
    if (rows->asked.include_meta && request->columns_out != NULL) {
        gjkd_request_fail(request, PROTO_NOT_ACCEPTABLE,
                          "columns have no place for meta: leave \"include\" out, or ask for JSON");
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
