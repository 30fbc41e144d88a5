/* Column messages for many rays: decodes RaycastColumns and encodes RaycastAnswers. */

#include <math.h>
#include <string.h>

#include "columns/columns.h"
#include "text/text.h"

static bool check_lengths(struct proto_message *message, const proto_limits *limits) {
    return proto_column_rows(message, "origin", message->dimension, limits->batch_queries_max) &&
           proto_column_full(message, "direction", message->dimension) &&
           proto_column_shared(message, "max_distance") && proto_column_shared(message, "mask") &&
           proto_column_shared(message, "category") && proto_column_shared(message, "at_tick") &&
           proto_column_shared(message, "ignore_group_of") &&
           proto_column_most(message, "ignore_groups", PROTO_IGNORE_GROUPS_MAX);
}

static const proto_column_range coordinate = {-GJK_COORDINATE_MAX, GJK_COORDINATE_MAX};
static const proto_column_range reach = {0.0, INFINITY};

/* Checks the columns that are optional or may serve all rows with one value. */
static bool check_shared(const struct proto_message *message,
                         const Gjkd__V1__RaycastColumns *columns) {
    return proto_check_column(message->problem, "max_distance", columns->max_distance,
                              columns->n_max_distance, 1, reach) &&
           proto_check_column(message->problem, "at_tick", columns->at_tick, columns->n_at_tick, 1,
                              reach);
}

/*
 * Makes rays of the rows. Returns the first row that gives none or whose direction is longer than
 * the wire allows, or count when all are right.
 */
static uint32_t make_rays(const struct proto_message *message,
                          const Gjkd__V1__RaycastColumns *columns, gjk_ray *rays) {
    proto_doubles distance = {columns->max_distance, (uint32_t)columns->n_max_distance};
    uint32_t dimension = message->dimension, row = 0;

    for (; row < message->count; row++) {
        gjk_vec3 direction = proto_row_vector(columns->direction, dimension, row);
        bool within = fabs(direction.x) <= coordinate.max && fabs(direction.y) <= coordinate.max &&
                      fabs(direction.z) <= coordinate.max;
        if (!within ||
            gjk_ray_make(proto_row_vector(columns->origin, dimension, row), direction,
                         proto_double_at(distance, row, INFINITY), &rays[row]) != GJK_OK) {
            break;
        }
    }
    return row;
}

/* Finds out why a row gives no ray. Columns are judged one after the other, each as a whole. */
static bool refuse_rays(const struct proto_message *message,
                        const Gjkd__V1__RaycastColumns *columns, uint32_t row) {
    struct proto_problem *problem = message->problem;
    uint32_t dimension = message->dimension;

    return proto_check_column(problem, "origin", columns->origin, columns->n_origin, dimension,
                              coordinate) &&
           proto_check_column(problem, "direction", columns->direction, columns->n_direction,
                              dimension, coordinate) &&
           check_shared(message, columns) &&
           proto_refuse_row(problem, "direction", row, PROTO_ZERO_DIRECTION, "%s",
                            gjk_status_text(GJK_ZERO_DIRECTION));
}

static bool check_groups(struct proto_problem *problem, const Gjkd__V1__RaycastColumns *columns,
                         const proto_limits *limits) {
    for (size_t i = 0; i < columns->n_ignore_groups; i++) {
        const char *group = columns->ignore_groups[i];
        if (!proto_is_id(group, strlen(group), limits->id_bytes_max)) {
            return proto_refuse_row(problem, "ignore_groups", (uint32_t)i, PROTO_BAD_NAME,
                                    "\"%.128s\" is not an id or group", group);
        }
    }
    return true;
}

bool proto_decode_ray_columns(proto_text body, uint32_t set_dimension, const proto_limits *limits,
                              struct gjk_arena *arena, proto_ray_columns *out,
                              struct proto_problem *problem) {
    struct proto_message message =
        {&gjkd__v1__raycast_columns__descriptor, arena, problem, {0}, 0, 0, 0};

    if (!proto_message_scan(&message, body, set_dimension) || !check_lengths(&message, limits)) {
        return false;
    }
    const Gjkd__V1__RaycastColumns *columns =
        (const Gjkd__V1__RaycastColumns *)proto_message_unpack(&message, body);
    if (columns == NULL) {
        return false;
    }
    gjk_ray *rays = gjk_arena_alloc_array(arena, message.count, sizeof *rays);
    if (rays == NULL) {
        return proto_refuse_columns_memory(problem);
    }
    uint32_t made = make_rays(&message, columns, rays);
    if (made < message.count) {
        return refuse_rays(&message, columns, made);
    }
    if (!check_shared(&message, columns) || !check_groups(problem, columns, limits)) {
        return false;
    }
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
    return true;
}

/* --- Answers --- */

/* The columns of doubles in the order of their field numbers. */
enum { DISTANCE, POINT, NORMAL };

bool proto_ray_answers_init(proto_ray_answers *answers, uint32_t dimension, uint32_t count,
                            struct gjk_arena *arena) {
    uint32_t *uints = gjk_arena_alloc_array(arena, (size_t)count * 4, 4);
    atomic_bool *any_material = gjk_arena_alloc(arena, sizeof *any_material);

    *answers = (proto_ray_answers){
        .dimension = dimension,
        .count = count,
        .handle = uints,
        .status = uints + count,
        .piece = uints + 2 * (size_t)count,
        .material = uints + 3 * (size_t)count,
        .any_material = any_material,
    };
    if (any_material != NULL) {
        atomic_init(any_material, false);
    }
    return uints != NULL && any_material != NULL &&
           proto_answer_init(&answers->message, count,
                             (const uint32_t[]){1, dimension, dimension, 0}, arena);
}

void proto_ray_answers_set(const proto_ray_answers *answers, uint32_t i, const gjk_ray_hit *hit) {
    static const gjk_ray_result none = {.convergence = GJK_CONVERGED, .piece = GJK_NO_PIECE};
    const gjk_ray_result *result = hit != NULL ? &hit->result : &none;
    unsigned char *const *columns = answers->message.doubles;

    answers->handle[i] = hit != NULL ? hit->body->handle : PROTO_NO_HANDLE;
    answers->status[i] = result->convergence == GJK_CONVERGED ? 0 : 1;
    answers->piece[i] = result->piece;
    answers->material[i] = result->has_material ? result->material : 0;
    if (result->has_material) {
        atomic_store_explicit(answers->any_material, true, memory_order_relaxed);
    }
    proto_set_double(columns[DISTANCE], i, result->distance);
    proto_set_row(columns[POINT], answers->dimension, i, &result->point);
    proto_set_row(columns[NORMAL], answers->dimension, i,
                  result->has_normal ? &result->normal : NULL);
}

static const uint32_t *materials_if_any(const proto_ray_answers *answers) {
    return atomic_load(answers->any_material) ? answers->material : NULL;
}

void proto_encode_ray_columns(struct proto_buffer *out, const proto_ray_answers *answers) {
    const proto_uint_field last[PROTO_ANSWER_UINTS] = {
        {6, answers->status},
        {7, proto_pieces_if_any(answers->piece, answers->count)},
        {9, materials_if_any(answers)},
    };
    proto_answer_put(&answers->message, answers->revision, answers->handle, last, out);
}

void proto_encode_ray_columns_json(struct proto_buffer *out, const proto_ray_answers *answers) {
    uint32_t count = answers->count, vectors = count * answers->dimension;
    unsigned char *const *columns = answers->message.doubles;

    proto_put_text(out, "{");
    proto_put_key(out, "revision");
    proto_put_integer(out, answers->revision);
    proto_put_uints(out, "handle", answers->handle, count);
    proto_put_doubles(out, "distance", columns[DISTANCE], count);
    proto_put_doubles(out, "point", columns[POINT], vectors);
    proto_put_doubles(out, "normal", columns[NORMAL], vectors);
    proto_put_uints(out, "status", answers->status, count);
    proto_put_uints(out, "piece", proto_pieces_if_any(answers->piece, count), count);
    proto_put_uints(out, "material", materials_if_any(answers), count);
    proto_put_text(out, "}");
}
