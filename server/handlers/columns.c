/*
 * Column messages of rays and pairs. The message is decoded and checked whole; then its rows are
 * done in chunks. Each row asks the core what the JSON query
 * would, so its numbers are the same to the bit. A row that names what does not exist refuses the
 * message: of several the first one.
 */

#include "handlers/columns.h"

#include "proto/columns.h"
#include "request/context.h"
#include "request/request.h"
#include "request/telemetry.h"
#include "sets/rewind.h"

#include <string.h>

/* Estimates of a row's cost, for cutting: a pair, and a level of the tree that a ray goes down. */
#define ROW_NS 1000
#define ROW_LEVEL_NS 200

/* One column message under way. */
struct work {
    struct gjkd_request *request;
    gjk_snapshot newest;
    const gjk_snapshot *then; /* of every row that has a tick, or of all; NULL: newest */
    proto_op op;
    union {
        proto_ray_columns rays;
        proto_pair_columns pairs;
    };
    union {
        proto_ray_answers hits;
        proto_pair_answers results;
    };
    atomic_uint refused; /* the first row that names what is not there; UINT32_MAX: none */
    atomic_bool no_memory;
};

static const proto_doubles *ticks_of(const struct work *work) {
    return work->op == PROTO_OP_RAYCAST ? &work->rays.at_tick : &work->pairs.at_tick;
}

/* What a row is asked of. */
static const gjk_snapshot *snapshot_of(const struct work *work, uint32_t row) {
    if (work->then == NULL) {
        return &work->newest;
    }
    return &work->then[ticks_of(work)->rows == 1 ? 0 : row];
}

/* --- What a row can get wrong --- */

static void note_refusal(struct work *work, uint32_t row) {
    uint32_t first = atomic_load(&work->refused);
    while (row < first && !atomic_compare_exchange_weak(&work->refused, &first, row)) {
    }
}

static bool refuse_at(struct gjkd_request *request, const char *column, uint32_t row) {
    char pointer[64];
    snprintf(pointer, sizeof pointer, "/%s/%u", column, row);
    gjkd_request_refuse_at(request, pointer);
    return false;
}

/* row: whose snapshot counts; its handle stands at place in the column. */
static bool check_handle(const struct work *work, uint32_t row, const char *column, uint32_t place,
                         uint32_t handle) {
    if (gjk_set_find_handle(snapshot_of(work, row)->set, handle) != NULL) {
        return true;
    }
    proto_problem_set(&work->request->problem, PROTO_SHAPE_NOT_FOUND,
                      "no shape of the set has the handle %u", handle);
    return refuse_at(work->request, column, place);
}

/* Says what is wrong with a row. */
static void refuse_row(const struct work *work, uint32_t row) {
    if (work->op == PROTO_OP_RAYCAST) {
        uint32_t handle = proto_uint_at(work->rays.ignore_group_of, row, PROTO_NO_HANDLE);
        uint32_t place = work->rays.ignore_group_of.rows > 1 ? row : 0;
        (void)check_handle(work, row, "ignore_group_of", place, handle);
    } else if (check_handle(work, row, "a", row, work->pairs.a[row])) {
        (void)check_handle(work, row, "b", row, work->pairs.b[row]);
    }
}

/* --- Rays --- */

/* The groups that a row ignores, the last one its own; false: no such shape. */
static bool ignore_own_group(const struct work *work, uint32_t row, const char **groups,
                             gjk_filter *filter) {
    uint32_t common = work->rays.ignore_groups_count;
    uint32_t handle = proto_uint_at(work->rays.ignore_group_of, row, PROTO_NO_HANDLE);
    filter->ignore_groups_count = common;
    if (handle == PROTO_NO_HANDLE) {
        return true;
    }
    const gjk_body *body = gjk_set_find_handle(snapshot_of(work, row)->set, handle);
    if (body != NULL && body->group != NULL) {
        groups[common] = body->group;
        filter->ignore_groups_count = common + 1;
    }
    return body != NULL;
}

/* The chunk's own list of groups to ignore, with room for one more. NULL: out of memory. */
static const char **copy_groups(const proto_ray_columns *rays, struct gjk_arena *memory) {
    uint32_t count = rays->ignore_groups_count;
    const char **groups = gjk_arena_alloc_array(memory, (size_t)count + 1, sizeof *groups);
    if (groups != NULL && count > 0) {
        memcpy(groups, rays->ignore_groups, count * sizeof *groups);
    }
    return groups;
}

static bool raycast_row(const struct work *work, uint32_t row, const gjk_selection *selection,
                        const gjk_ray_settings *settings, gjkd_tally *tally) {
    gjk_ray_hits hits;
    if (gjk_set_raycast(snapshot_of(work, row), &work->rays.rays[row], selection, settings,
                        &hits) != GJK_OK) {
        return false;
    }
    proto_ray_answers_set(&work->hits, row, hits.count > 0 ? &hits.items[0] : NULL);
    if (hits.count > 0) {
        gjkd_tally_add(tally, hits.items[0].result.iterations);
    }
    return true;
}

static void run_rays(const gjkd_chunk *chunk) {
    struct work *work = chunk->work;
    struct gjk_arena groups_memory;
    gjkd_tally tally = {0};
    gjk_arena_init(&groups_memory, GJKD_REQUEST_BYTES_MAX);
    const char **groups = copy_groups(&work->rays, &groups_memory);
    gjk_filter filter = gjk_filter_default();
    filter.ignore_groups = groups;
    gjk_selection selection = {.filter = &filter,
                               .limit = 1,
                               .arena = chunk->memory,
                               .rest_unasked = true};
    gjk_ray_settings settings = gjk_ray_settings_default();
    settings.solid = work->rays.solid;
    bool fine = groups != NULL;
    for (uint32_t row = chunk->begin; fine && row < chunk->end; row++) {
        filter.mask = proto_uint_at(work->rays.mask, row, UINT32_MAX);
        filter.category = proto_uint_at(work->rays.category, row, UINT32_MAX);
        if (!ignore_own_group(work, row, groups, &filter)) {
            note_refusal(work, row);
            break;
        }
        fine = raycast_row(work, row, &selection, &settings, &tally);
        gjk_arena_reset(chunk->memory);
    }
    if (!fine) {
        atomic_store(&work->no_memory, true);
    }
    gjk_arena_fini(&groups_memory);
    gjkd_count_tally(work->request->counters, &tally);
}

/* --- Pairs --- */

static bool place(const struct work *work, uint32_t handle, const proto_pose_column *column,
                  uint32_t row, gjk_placed *out) {
    const gjk_body *body = gjk_set_find_handle(snapshot_of(work, row)->set, handle);
    if (body == NULL) {
        return false;
    }
    *out = gjk_snapshot_place(snapshot_of(work, row), body);
    if (column->has_position) {
        out->pose.position = column->poses[row].position;
    }
    if (column->has_rotation) {
        out->pose.rotation = column->poses[row].rotation;
    }
    return true;
}

static void detect_row(const struct work *work, uint32_t row, const gjk_placed *a,
                       const gjk_placed *b, gjkd_tally *tally) {
    gjk_detect_settings settings = gjk_detect_settings_default();
    settings.penetration = work->pairs.penetration;
    gjk_detect_result result = gjk_detect(a, b, &settings);
    proto_pair_answers_set_detect(&work->results, row, &result, work->pairs.penetration);
    gjkd_tally_add(tally, result.iterations);
}

static void distance_row(const struct work *work, uint32_t row, const gjk_placed *a,
                         const gjk_placed *b, gjkd_tally *tally) {
    gjk_distance_settings settings = gjk_distance_settings_default();
    gjk_distance_result result = gjk_distance(a, b, &settings);
    proto_pair_answers_set_distance(&work->results, row, &result);
    gjkd_tally_add(tally, result.iterations);
}

static void run_pairs(const gjkd_chunk *chunk) {
    struct work *work = chunk->work;
    gjkd_tally tally = {0};
    for (uint32_t row = chunk->begin; row < chunk->end; row++) {
        gjk_placed a, b;
        if (!place(work, work->pairs.a[row], &work->pairs.pose_a, row, &a) ||
            !place(work, work->pairs.b[row], &work->pairs.pose_b, row, &b)) {
            note_refusal(work, row);
            break;
        }
        (work->op == PROTO_OP_DETECT ? detect_row : distance_row)(work, row, &a, &b, &tally);
    }
    gjkd_count_tally(work->request->counters, &tally);
}

/* --- Before and after --- */

static void encode(const struct work *work, struct proto_buffer *out) {
    bool is_message = work->request->columns_out != NULL;
    if (work->op == PROTO_OP_RAYCAST) {
        (is_message ? proto_encode_ray_columns : proto_encode_ray_columns_json)(out, &work->hits);
    } else {
        (is_message ? proto_encode_pair_columns : proto_encode_pair_columns_json)(out,
                                                                                  &work->results);
    }
}

static void finish(void *closure, bool is_late) {
    const struct work *work = closure;
    struct gjkd_request *request = work->request;
    uint32_t refused = atomic_load(&work->refused);
    if (is_late) {
        gjkd_request_fail_late(request);
    } else if (refused != UINT32_MAX) {
        refuse_row(work, refused);
    } else if (atomic_load(&work->no_memory)) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the answer");
    } else {
        struct proto_buffer out;
        proto_buffer_init(&out, &request->arena);
        encode(work, &out);
        gjkd_request_count_queries(request, work->op,
                                   work->op == PROTO_OP_RAYCAST ? work->rays.count
                                                                : work->pairs.count);
        gjkd_request_reply(request, 200, &out);
    }
}

/* The snapshots that rows ask about; false: one of them is not kept. */
static bool rewind_rows(struct gjkd_request *request, struct work *work) {
    const proto_doubles *ticks = ticks_of(work);
    if (ticks->rows == 0) {
        return true;
    }
    gjk_snapshot *then = gjk_arena_alloc_array(&request->arena, ticks->rows, sizeof *then);
    if (then == NULL) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the answer");
        return false;
    }
    for (uint32_t i = 0; i < ticks->rows; i++) {
        gjk_rewound rewound;
        if (!gjkd_rewind(request->version, ticks->values[i], &rewound, &request->problem)) {
            return refuse_at(request, "at_tick", i);
        }
        then[i] = rewound.snapshot;
    }
    work->then = then;
    return true;
}

static bool decode(struct gjkd_request *request, struct work *work) {
    const struct gjkd_version *version = request->version;
    const proto_limits *limits = &request->context->limits;
    proto_text body = gjkd_request_text(request);
    bool fine = work->op == PROTO_OP_RAYCAST
                    ? proto_decode_ray_columns(body, version->dimension, limits, &request->arena,
                                               &work->rays, &request->problem)
                    : proto_decode_pair_columns(body, version->dimension, limits, &request->arena,
                                                &work->pairs, &request->problem);
    if (!fine) {
        gjkd_request_refuse(request);
        return false;
    }
    return rewind_rows(request, work);
}

static bool make_slots(struct gjkd_request *request, struct work *work) {
    if (work->op == PROTO_OP_RAYCAST) {
        return proto_ray_answers_init(&work->hits, work->rays.dimension, work->rays.count,
                                      &request->arena);
    }
    return proto_pair_answers_init(&work->results, work->pairs.dimension, work->pairs.count,
                                   &request->arena);
}

static uint64_t levels_of(const struct gjk_set *set) {
    uint64_t levels = 1;
    while (gjk_set_count(set) >> levels != 0) {
        levels++;
    }
    return levels;
}

static void ask(struct gjkd_request *request, proto_op op) {
    struct work *work = gjk_arena_alloc(&request->arena, sizeof *work);
    if (work == NULL) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the answer");
        return;
    }
    memset(work, 0, sizeof *work);
    work->request = request;
    work->op = op;
    work->newest = gjk_snapshot_of(request->version->set);
    atomic_init(&work->refused, UINT32_MAX);
    if (!decode(request, work)) {
        return;
    }
    if (!make_slots(request, work)) {
        gjkd_request_fail(request, PROTO_OUT_OF_MEMORY, "no memory for the answer");
        return;
    }
    gjkd_request_mark_decoded(request);
    bool rays = op == PROTO_OP_RAYCAST;
    (rays ? &work->hits.revision : &work->results.revision)[0] = request->version->revision;
    uint64_t row_ns = ROW_NS + (rays ? ROW_LEVEL_NS * levels_of(work->newest.set) : 0);
    gjkd_request_leave_chunks(request, rays ? work->rays.count : work->pairs.count, row_ns,
                              &(struct gjkd_chunks){.work = work,
                                                    .run = rays ? run_rays : run_pairs,
                                                    .finish = finish});
}

void gjkd_columns_raycast(struct gjkd_request *request) {
    ask(request, PROTO_OP_RAYCAST);
}

void gjkd_columns_detect(struct gjkd_request *request) {
    ask(request, PROTO_OP_DETECT);
}

void gjkd_columns_distance(struct gjkd_request *request) {
    ask(request, PROTO_OP_DISTANCE);
}
