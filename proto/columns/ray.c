/* Column messages for many rays: decodes RaycastColumns and encodes RaycastAnswers. */

#include <math.h>
#include <string.h>

#include "columns/columns.h"
#include "text/text.h"

static bool check_lengths(struct proto_message *message, const proto_limits *limits) {
    return proto_column_rows(message, "origin", message->dimension, limits->batch_queries_max) &&
           proto_column_full(message, "direction", message->dimension) &&
           proto_column_shared(message, "max_distance") &&
           proto_column_shared(message, "at_tick") && proto_check_select_lengths(message);
}

bool proto_decode_ray_columns(proto_text body, uint32_t set_dimension, const proto_limits *limits,
                              struct gjk_arena *arena, proto_ray_columns *out,
                              struct proto_problem *problem) {
    static const proto_column_range since_start = {0.0, INFINITY};
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
    const proto_line_rows lines = {columns->origin, columns->direction, columns->max_distance,
                                   columns->n_max_distance};
    const proto_select_rows select = PROTO_SELECT_ROWS(columns);
    *out = (proto_ray_columns){
        .dimension = message.dimension,
        .count = message.count,
        .rays = proto_make_rays(&message, &lines),
        .at_tick = {columns->at_tick, (uint32_t)columns->n_at_tick},
        .solid = !columns->not_solid,
        .exits = columns->exits,
        .partial = columns->partial,
    };
    return out->rays != NULL &&
           proto_check_column(problem, "at_tick", columns->at_tick, columns->n_at_tick, 1,
                              since_start) &&
           proto_make_select(&message, &select, limits, &out->select);
}

/* --- Answers --- */

/* The columns of doubles in place, in the order of their field numbers. */
enum { DISTANCE, POINT, NORMAL };

bool proto_ray_answers_init(proto_ray_answers *answers, uint32_t dimension, uint32_t count,
                            bool exits, struct gjk_arena *arena) {
    const proto_answer_layout layout = {.uints = 1,
                                        .widths = {1, dimension, dimension},
                                        .more_uints = 4,
                                        .more_doubles = 1};
    uint32_t *uints = gjk_arena_alloc_array(arena, (size_t)count * 4, 4);
    atomic_bool *any_material = gjk_arena_alloc(arena, sizeof *any_material);

    *answers = (proto_ray_answers){
        .dimension = dimension,
        .count = count,
        .handle = uints,
        .status = uints + count,
        .piece = uints + 2 * (size_t)count,
        .material = uints + 3 * (size_t)count,
        .exit = exits ? gjk_arena_alloc_array(arena, count, sizeof(double)) : NULL,
        .any_material = any_material,
    };
    if (any_material != NULL) {
        atomic_init(any_material, false);
    }
    return uints != NULL && any_material != NULL && (answers->exit != NULL || !exits) &&
           proto_answer_init(&answers->message, count, &layout, arena);
}

static void set_row(const proto_ray_answers *answers, uint32_t i, uint32_t handle,
                    const gjk_ray_result *result) {
    unsigned char *const *columns = answers->message.doubles;

    answers->handle[i] = handle;
    answers->status[i] = result->convergence == GJK_CONVERGED ? 0 : 1;
    answers->piece[i] = result->piece;
    answers->material[i] = result->has_material ? result->material : 0;
    proto_set_double(columns[DISTANCE], i, result->distance);
    proto_set_row(columns[POINT], answers->dimension, i, &result->point);
    proto_set_row(columns[NORMAL], answers->dimension, i,
                  result->has_normal ? &result->normal : NULL);
}

void proto_ray_answers_set(const proto_ray_answers *answers, uint32_t i, const gjk_ray_hit *hit,
                           double exit) {
    static const gjk_ray_result none = {.convergence = GJK_CONVERGED, .piece = GJK_NO_PIECE};

    if (hit == NULL) {
        set_row(answers, i, PROTO_NO_HANDLE, &none);
    } else {
        set_row(answers, i, hit->body->handle, &hit->result);
    }
    if (hit != NULL && hit->result.has_material) {
        atomic_store_explicit(answers->any_material, true, memory_order_relaxed);
    }
    if (answers->exit != NULL) {
        answers->exit[i] = hit != NULL ? exit : 0.0;
    }
}

void proto_ray_answers_refuse(const proto_ray_answers *answers, uint32_t i, uint32_t status) {
    proto_ray_answers_set(answers, i, NULL, 0.0);
    answers->status[i] = status;
}

static const uint32_t *materials_if_any(const proto_ray_answers *answers) {
    return atomic_load(answers->any_material) ? answers->material : NULL;
}

/* Every hit has an exit. */
static const double *exits_if_any(const proto_ray_answers *answers) {
    const uint32_t *handles = answers->exit != NULL ? answers->handle : NULL;

    for (uint32_t i = 0; handles != NULL && i < answers->count; i++) {
        if (handles[i] != PROTO_NO_HANDLE) {
            return answers->exit;
        }
    }
    return NULL;
}

void proto_encode_ray_columns(struct proto_buffer *out, const proto_ray_answers *answers) {
    const uint32_t *const first[] = {answers->handle};
    const proto_answer_column last[PROTO_ANSWER_COLUMNS] = {
        {6, .uints = answers->status},
        {7, .uints = proto_pieces_if_any(answers->piece, answers->count)},
        {8, .doubles = exits_if_any(answers)},
        {9, .uints = materials_if_any(answers)},
        {10, .uints = answers->pose_gap},
    };
    proto_answer_put(&answers->message, answers->revision, first, last, out);
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
    proto_put_doubles_if(out, "exit", exits_if_any(answers), count);
    proto_put_uints(out, "material", materials_if_any(answers), count);
    proto_put_uints(out, "pose_gap", answers->pose_gap, count);
    proto_put_text(out, "}");
}
