/* Column messages of rays: each at the whole set, for the closest hit. */

#include "handlers/columns.h"
#include "request/context.h"
#include "request/request.h"
#include "request/telemetry.h"

#include <string.h>

struct rays {
    struct gjkd_columns columns; /* first: it is cast back */
    proto_ray_columns rows;
    proto_ray_answers answers;
};

static bool decode(struct gjkd_columns *columns, proto_text body) {
    struct rays *rays = (struct rays *)columns;
    struct gjkd_request *request = columns->request;
    if (!proto_decode_ray_columns(body, request->version->dimension, &request->context->limits,
                                  &request->arena, &rays->rows, &request->problem)) {
        return false;
    }
    columns->count = rays->rows.count;
    columns->at_tick = rays->rows.at_tick;
    return true;
}

static bool make_slots(struct gjkd_columns *columns) {
    struct rays *rays = (struct rays *)columns;
    if (!proto_ray_answers_init(&rays->answers, rays->rows.dimension, columns->count,
                                &columns->request->arena)) {
        return false;
    }
    rays->answers.revision = columns->request->version->revision;
    return true;
}

/* The groups that a row ignores, the last one its own; false: no such shape. */
static bool ignore_own_group(const struct rays *rays, uint32_t row, const char **groups,
                             gjk_filter *filter) {
    uint32_t common = rays->rows.ignore_groups_count;
    uint32_t handle = proto_uint_at(rays->rows.ignore_group_of, row, PROTO_NO_HANDLE);
    filter->ignore_groups_count = common;
    if (handle == PROTO_NO_HANDLE) {
        return true;
    }
    const gjk_body *body =
        gjk_set_find_handle(gjkd_columns_snapshot(&rays->columns, row)->set, handle);
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

/* GIVEN_UP, OUT_OF_MEMORY. */
static gjk_status raycast_row(const struct rays *rays, uint32_t row, const gjk_selection *selection,
                              const gjk_ray_settings *settings, gjkd_tally *tally) {
    gjk_ray_hits hits;
    const gjk_status status = gjk_set_raycast(gjkd_columns_snapshot(&rays->columns, row),
                                              &rays->rows.rays[row], selection, settings, &hits);
    if (status != GJK_OK) {
        return status;
    }
    proto_ray_answers_set(&rays->answers, row, hits.count > 0 ? &hits.items[0] : NULL);
    if (hits.count > 0) {
        gjkd_tally_add(tally, hits.items[0].result.iterations);
    }
    return GJK_OK;
}

static void run(const gjkd_chunk *chunk) {
    struct rays *rays = chunk->work;
    struct gjk_arena groups_memory;
    gjkd_tally tally = {0};
    gjk_arena_init(&groups_memory, 0);
    gjk_arena_charge(&groups_memory, chunk->memory->account);
    const char **groups = copy_groups(&rays->rows, &groups_memory);
    gjk_filter filter = gjk_filter_default();
    filter.ignore_groups = groups;
    gjk_selection selection = {.filter = &filter,
                               .limit = 1,
                               .arena = chunk->memory,
                               .patience = &rays->columns.request->chunks.patience,
                               .rest_unasked = true};
    gjk_ray_settings settings = gjk_ray_settings_default();
    settings.solid = rays->rows.solid;
    gjk_status status = groups != NULL ? GJK_OK : GJK_OUT_OF_MEMORY;
    for (uint32_t row = chunk->begin; status == GJK_OK && row < chunk->end; row++) {
        filter.mask = proto_uint_at(rays->rows.mask, row, UINT32_MAX);
        filter.category = proto_uint_at(rays->rows.category, row, UINT32_MAX);
        if (!ignore_own_group(rays, row, groups, &filter)) {
            gjkd_columns_note_refusal(&rays->columns, row);
            break;
        }
        status = raycast_row(rays, row, &selection, &settings, &tally);
        gjk_arena_reset(chunk->memory);
    }
    if (status != GJK_OK) {
        gjkd_columns_note_failure(&rays->columns, status);
    }
    gjk_arena_fini(&groups_memory);
    gjkd_count_tally(rays->columns.request->counters, &tally);
}

static void refuse_row(const struct gjkd_columns *columns, uint32_t row) {
    const proto_uints *handles = &((const struct rays *)columns)->rows.ignore_group_of;
    (void)gjkd_columns_check_handle(columns, row, proto_uint_at(*handles, row, PROTO_NO_HANDLE),
                                    "ignore_group_of", handles->rows > 1 ? row : 0);
}

static void encode(const struct gjkd_columns *columns, bool is_message, struct proto_buffer *out) {
    (is_message ? proto_encode_ray_columns
                : proto_encode_ray_columns_json)(out, &((const struct rays *)columns)->answers);
}

void gjkd_columns_raycast(struct gjkd_request *request) {
    static const struct gjkd_columns_kind kind = {
        .op = PROTO_OP_RAYCAST,
        .size = sizeof(struct rays),
        .row_ns = 1000,
        .level_ns = 200,
        .decode = decode,
        .make_slots = make_slots,
        .run = run,
        .refuse_row = refuse_row,
        .encode = encode,
    };
    gjkd_columns_answer(request, &kind);
}
