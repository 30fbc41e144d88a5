/* Which rays does a column message bring, and what did they hit? */

#include <math.h>
#include <string.h>

#include "buffer.h"
#include "columns.h"

static bool check_lengths(struct proto_message *message, const proto_limits *limits) {
    return proto_column_rows(message, "origin", message->dimension, limits->batch_queries_max) &&
           proto_column_full(message, "direction", message->dimension) &&
           proto_column_shared(message, "max_distance") && proto_column_shared(message, "mask") &&
           proto_column_shared(message, "category") && proto_column_shared(message, "at_tick") &&
           proto_column_shared(message, "ignore_group_of") &&
           proto_column_most(message, "ignore_groups", PROTO_IGNORE_GROUPS_MAX);
}

static bool check_values(const struct proto_message *message,
                         const Gjkd__V1__RaycastColumns *columns) {
    static const proto_column_range coordinate = {-GJK_COORDINATE_MAX, GJK_COORDINATE_MAX};
    static const proto_column_range reach = {0.0, INFINITY};
    struct proto_problem *problem = message->problem;
    uint32_t dimension = message->dimension;

    return proto_check_column(problem, "origin", columns->origin, columns->n_origin, dimension,
                              coordinate) &&
           proto_check_column(problem, "direction", columns->direction, columns->n_direction,
                              dimension, coordinate) &&
           proto_check_column(problem, "max_distance", columns->max_distance,
                              columns->n_max_distance, 1, reach) &&
           proto_check_column(problem, "at_tick", columns->at_tick, columns->n_at_tick, 1, reach);
}

static const gjk_ray *make_rays(const struct proto_message *message,
                                const Gjkd__V1__RaycastColumns *columns) {
    proto_doubles reach = {columns->max_distance, (uint32_t)columns->n_max_distance};
    gjk_ray *rays = gjk_arena_alloc_array(message->arena, message->count, sizeof *rays);

    if (rays == NULL) {
        proto_refuse_columns_memory(message->problem);
        return NULL;
    }
    for (uint32_t i = 0; i < message->count; i++) {
        gjk_status status =
            gjk_ray_make(proto_row_vector(columns->origin, message->dimension, i),
                         proto_row_vector(columns->direction, message->dimension, i),
                         proto_double_at(reach, i, INFINITY), &rays[i]);
        if (status != GJK_OK) {
            proto_refuse_row(message->problem, "direction", i, PROTO_ZERO_DIRECTION, "%s",
                             gjk_status_text(status));
            return NULL;
        }
    }
    return rays;
}

static bool check_groups(struct proto_problem *problem, const Gjkd__V1__RaycastColumns *columns,
                         const proto_limits *limits) {
    for (size_t i = 0; i < columns->n_ignore_groups; i++) {
        const char *group = columns->ignore_groups[i];
        if (!proto_is_id(group, strlen(group), limits->id_bytes_max))
            return proto_refuse_row(problem, "ignore_groups", (uint32_t)i, PROTO_BAD_NAME,
                                    "\"%.128s\" is not an id or group", group);
    }
    return true;
}

bool proto_decode_ray_columns(proto_text body, uint32_t set_dimension, const proto_limits *limits,
                              struct gjk_arena *arena, proto_ray_columns *out,
                              struct proto_problem *problem) {
    struct proto_message message =
        {&gjkd__v1__raycast_columns__descriptor, arena, problem, {0}, 0, 0, 0};

    if (!proto_message_scan(&message, body, set_dimension) || !check_lengths(&message, limits))
        return false;
    const Gjkd__V1__RaycastColumns *columns =
        (const Gjkd__V1__RaycastColumns *)proto_message_unpack(&message, body);
    if (columns == NULL || !check_values(&message, columns) ||
        !check_groups(problem, columns, limits))
        return false;
    const gjk_ray *rays = make_rays(&message, columns);
    *out = (proto_ray_columns){
        .dimension = message.dimension,
        .count = message.count,
        .rays = rays,
        .mask = {columns->mask, (uint32_t)columns->n_mask},
        .category = {columns->category, (uint32_t)columns->n_category},
        .ignore_group_of = {columns->ignore_group_of, (uint32_t)columns->n_ignore_group_of},
        .at_tick = {columns->at_tick, (uint32_t)columns->n_at_tick},
        .ignore_groups = (const char *const *)columns->ignore_groups,
        .ignore_groups_count = (uint32_t)columns->n_ignore_groups,
        .solid = !columns->not_solid,
    };
    return rays != NULL;
}

/* --- Answers --- */

bool proto_ray_answers_init(proto_ray_answers *answers, uint32_t dimension, uint32_t count,
                            struct gjk_arena *arena) {
    double *doubles = gjk_arena_alloc_array(arena, (size_t)count * (1 + 2 * dimension), 8);
    uint32_t *uints = gjk_arena_alloc_array(arena, (size_t)count * 2, 4);

    *answers = (proto_ray_answers){
        .dimension = dimension,
        .count = count,
        .handle = uints,
        .status = uints + count,
        .distance = doubles,
        .point = doubles + count,
        .normal = doubles + (size_t)count * (1 + dimension),
    };
    return doubles != NULL && uints != NULL;
}

void proto_ray_answers_set(const proto_ray_answers *answers, uint32_t i, const gjk_ray_hit *hit) {
    static const gjk_ray_result none = {.convergence = GJK_CONVERGED};
    const gjk_ray_result *result = hit != NULL ? &hit->result : &none;

    answers->handle[i] = hit != NULL ? hit->body->handle : PROTO_NO_HANDLE;
    answers->status[i] = result->convergence == GJK_CONVERGED ? 0 : 1;
    answers->distance[i] = result->distance;
    proto_set_row(answers->point, answers->dimension, i, &result->point);
    proto_set_row(answers->normal, answers->dimension, i,
                  result->has_normal ? &result->normal : NULL);
}

void proto_encode_ray_columns(struct proto_buffer *out, const proto_ray_answers *answers) {
    Gjkd__V1__RaycastAnswers message = GJKD__V1__RAYCAST_ANSWERS__INIT;
    size_t vectors = (size_t)answers->count * answers->dimension;

    message.revision = answers->revision;
    message.n_handle = message.n_status = message.n_distance = answers->count;
    message.n_point = message.n_normal = vectors;
    message.handle = answers->handle;
    message.status = answers->status;
    message.distance = answers->distance;
    message.point = answers->point;
    message.normal = answers->normal;
    proto_put_message(out, &message.base);
}

void proto_encode_ray_columns_json(struct proto_buffer *out, const proto_ray_answers *answers) {
    uint32_t count = answers->count, vectors = count * answers->dimension;

    proto_put_text(out, "{");
    proto_put_key(out, "revision");
    proto_put_integer(out, answers->revision);
    proto_put_uints(out, "handle", answers->handle, count);
    proto_put_doubles(out, "distance", answers->distance, count);
    proto_put_doubles(out, "point", answers->point, vectors);
    proto_put_doubles(out, "normal", answers->normal, vectors);
    proto_put_uints(out, "status", answers->status, count);
    proto_put_text(out, "}");
}
