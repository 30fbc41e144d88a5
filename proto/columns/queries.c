/*
 * Messages of queries and ticks: their tables, and what is made of their columns beside reading
 * them: rays of origins and directions, poses of positions and rotations.
 */

#include "columns/columns.h"

#include <stdlib.h>

#include "gjk/sort.h"
#include "json/text.h"

#define COLUMN_AS(number, member, name, type, width, rule, values, otherwise) \
    {number, type, width, rule, values, otherwise, name},
#define COLUMN(number, name, ...) COLUMN_AS(number, name, #name, __VA_ARGS__)
#define TABLE(name, LIST)                                                                  \
    {                                                                                      \
        name, (const proto_column[]){LIST(COLUMN, COLUMN_AS)},                             \
            sizeof((const proto_column[]){LIST(COLUMN, COLUMN_AS)}) / sizeof(proto_column) \
    }

const proto_table proto_raycast_columns_table = TABLE("RaycastColumns", PROTO_RAYCAST_COLUMNS);
const proto_table proto_raycast_answers_table = TABLE("RaycastAnswers", PROTO_RAYCAST_ANSWERS);
const proto_table proto_pair_columns_table = TABLE("PairColumns", PROTO_PAIR_COLUMNS);
const proto_table proto_pair_answers_table = TABLE("PairAnswers", PROTO_PAIR_ANSWERS);
const proto_table proto_cast_columns_table = TABLE("CastColumns", PROTO_CAST_COLUMNS);
const proto_table proto_cast_answers_table = TABLE("CastAnswers", PROTO_CAST_ANSWERS);
const proto_table proto_hit_columns_table = TABLE("HitColumns", PROTO_HIT_COLUMNS);
const proto_table proto_hit_answers_table = TABLE("HitAnswers", PROTO_HIT_ANSWERS);
const proto_table proto_nearest_columns_table = TABLE("NearestColumns", PROTO_NEAREST_COLUMNS);
const proto_table proto_nearest_answers_table = TABLE("NearestAnswers", PROTO_NEAREST_ANSWERS);
const proto_table proto_overlap_columns_table = TABLE("OverlapColumns", PROTO_OVERLAP_COLUMNS);
const proto_table proto_overlap_answers_table = TABLE("OverlapAnswers", PROTO_OVERLAP_ANSWERS);
const proto_table proto_move_columns_table = TABLE("MoveColumns", PROTO_MOVE_COLUMNS);
const proto_table proto_move_answers_table = TABLE("MoveAnswers", PROTO_MOVE_ANSWERS);
const proto_table proto_pose_columns_table = TABLE("PoseColumns", PROTO_POSE_COLUMNS);
const proto_table proto_body_columns_table = TABLE("BodyColumns", PROTO_BODY_COLUMNS);
const proto_table proto_configuration_columns_table =
    TABLE("ConfigurationColumns", PROTO_CONFIGURATION_COLUMNS);
const proto_table proto_configuration_answers_table =
    TABLE("ConfigurationAnswers", PROTO_CONFIGURATION_ANSWERS);
const proto_table proto_block_table = TABLE("Block", PROTO_BLOCK);
const proto_table proto_block_answer_table = TABLE("BlockAnswer", PROTO_BLOCK);
const proto_table proto_batch_columns_table = TABLE("BatchColumns", PROTO_BATCH_COLUMNS);
const proto_table proto_batch_answers_table = TABLE("BatchAnswers", PROTO_BATCH_ANSWERS);
const proto_table proto_tick_columns_table = TABLE("TickColumns", PROTO_TICK_COLUMNS);
const proto_table proto_tick_answers_table = TABLE("TickAnswers", PROTO_TICK_ANSWERS);

/* --- Rays and poses --- */

static bool make_rays(const proto_source *source, const proto_rows *rows, const proto_field *origin,
                      const proto_field *direction, const proto_field *max_distance,
                      const gjk_ray **out) {
    gjk_ray *rays = gjk_arena_alloc_array(source->arena, rows->count, sizeof *rays);

    for (uint32_t i = 0; rays != NULL && i < rows->count; i++) {
        const gjk_status status = gjk_ray_make(proto_vector_at(origin, rows->dimension, i),
                                               proto_vector_at(direction, rows->dimension, i),
                                               proto_double_at(max_distance, i), &rays[i]);
        if (status != GJK_OK) { /* the values are right, each for itself */
            return proto_refuse_row(source->problem, "direction", i, PROTO_ZERO_DIRECTION, "%s",
                                    gjk_status_text(GJK_ZERO_DIRECTION));
        }
    }
    *out = rays;
    return rays != NULL || proto_refuse_columns_status(source->problem, GJK_OUT_OF_MEMORY);
}

static gjk_rotation turn_at(const proto_field *rotation, uint32_t dimension, size_t i) {
    const size_t width = dimension == 2 ? 1 : 4;
    double q[4] = {0.0, 0.0, 0.0, dimension == 2 ? 0.0 : 1.0};
    gjk_rotation turn = {0};

    if (rotation->count > 0) {
        memcpy(q, rotation->doubles + i * width * sizeof *q, width * sizeof *q);
    }
    if (dimension == 2) {
        turn.angle = q[0];
    } else {
        turn.orientation = (gjk_quat){q[0], q[1], q[2], q[3]};
    }
    return turn;
}

bool proto_make_poses(const proto_source *source, const proto_rows *rows,
                      const proto_field *position, const proto_field *rotation,
                      const gjk_pose **poses, const gjk_rotation **turns) {
    const char *name = rows->table->columns[rotation - rows->fields].name;
    const uint32_t dimension = rows->dimension;

    *poses = NULL;
    if (turns != NULL) {
        *turns = NULL;
    }
    if (position->count == 0 && rotation->count == 0) {
        return true;
    }
    gjk_pose *made = gjk_arena_alloc_array(source->arena, rows->count, sizeof *made);
    gjk_rotation *given = NULL;
    const bool keeps_turns = turns != NULL && rotation->count > 0;
    if (keeps_turns) {
        *turns = given = gjk_arena_alloc_array(source->arena, rows->count, sizeof *given);
    }
    if (made == NULL || (keeps_turns && given == NULL)) {
        return proto_refuse_columns_status(source->problem, GJK_OUT_OF_MEMORY);
    }
    for (uint32_t i = 0; i < rows->count; i++) {
        const gjk_vec3 at = position->count > 0 ? proto_vector_at(position, dimension, i)
                                                : gjk_vec3_make(0.0, 0.0, 0.0);
        const gjk_rotation turn = turn_at(rotation, dimension, i);
        const gjk_status status = dimension == 2 ? gjk_pose_make2(gjk_xy(at), turn.angle, &made[i])
                                                 : gjk_pose_make3(at, turn.orientation, &made[i]);
        if (status != GJK_OK) {
            return proto_refuse_row(source->problem, name, i, PROTO_BAD_ORIENTATION, "%s",
                                    gjk_status_text(status));
        }
        if (given != NULL) {
            given[i] = turn;
        }
    }
    *poses = made;
    return true;
}

/* --- Queries --- */

bool proto_decode_ray_rows(const proto_source *source, proto_ray_rows *out) {
    return proto_decode_rows(source, &proto_raycast_columns_table,
                             source->limits->batch_queries_max, &out->rows, out->fields) &&
           make_rays(source, &out->rows, &out->origin, &out->direction, &out->max_distance,
                     &out->rays);
}

bool proto_decode_pair_rows(const proto_source *source, proto_pair_rows *out) {
    return proto_decode_rows(source, &proto_pair_columns_table, source->limits->batch_queries_max,
                             &out->rows, out->fields) &&
           proto_make_poses(source, &out->rows, &out->position_a, &out->rotation_a, &out->poses_a,
                            NULL) &&
           proto_make_poses(source, &out->rows, &out->position_b, &out->rotation_b, &out->poses_b,
                            NULL);
}

bool proto_decode_cast_rows(const proto_source *source, proto_cast_rows *out) {
    static const proto_field nowhere = {0};

    return proto_decode_rows(source, &proto_cast_columns_table, source->limits->batch_queries_max,
                             &out->rows, out->fields) &&
           proto_make_poses(source, &out->rows, &out->position, &out->rotation, &out->poses,
                            NULL) &&
           proto_make_poses(source, &out->rows, &nowhere, &out->to_rotation, &out->to_poses, NULL);
}

bool proto_decode_nearest_rows(const proto_source *source, proto_nearest_rows *out) {
    if (!proto_decode_rows(source, &proto_nearest_columns_table, source->limits->batch_queries_max,
                           &out->rows, out->fields) ||
        !proto_make_poses(source, &out->rows, &out->position, &out->rotation, &out->poses, NULL)) {
        return false;
    }
    for (uint32_t i = 0; i < out->shape.count && out->position.count == 0; i++) {
        if (out->shape.uints[i] == PROTO_NO_HANDLE) {
            return proto_refuse_row(source->problem, "position", PROTO_NO_ROW, PROTO_MISSING_MEMBER,
                                    "the shape of row %u is a point, which needs a position", i);
        }
    }
    return true;
}

bool proto_decode_overlap_rows(const proto_source *source, proto_overlap_rows *out) {
    return proto_decode_rows(source, &proto_overlap_columns_table,
                             source->limits->batch_queries_max, &out->rows, out->fields) &&
           proto_make_poses(source, &out->rows, &out->position, &out->rotation, &out->poses, NULL);
}

bool proto_decode_move_rows(const proto_source *source, proto_move_rows *out) {
    if (!proto_decode_rows(source, &proto_move_columns_table, source->limits->batch_queries_max,
                           &out->rows, out->fields) ||
        !proto_make_poses(source, &out->rows, &out->position, &out->rotation, &out->poses, NULL)) {
        return false;
    }
    for (uint32_t i = 0; i < out->up.count / out->rows.dimension; i++) {
        const gjk_vec3 up = proto_vector_at(&out->up, out->rows.dimension, i);
        if (up.x == 0.0 && up.y == 0.0 && up.z == 0.0) {
            return proto_refuse_row(source->problem, "up", i, PROTO_ZERO_DIRECTION, "%s",
                                    gjk_status_text(GJK_ZERO_DIRECTION));
        }
    }
    return true;
}

proto_move proto_move_at(const proto_move_rows *rows, uint32_t i) {
    const uint32_t dimension = rows->rows.dimension;
    proto_move move = {
        .has_up = rows->up.count > 0,
        .max_slope = proto_double_at(&rows->max_slope, i),
        .step = proto_double_at(&rows->step, i),
        .snap = proto_double_at(&rows->snap, i),
        .skin = proto_double_at(&rows->skin, i),
        .depenetrate = proto_double_at(&rows->depenetrate, i),
        .slides = rows->slides.uint > 0 ? rows->slides.uint : PROTO_SLIDES_DEFAULT,
    };
    if (move.has_up) {
        move.up = proto_vector_at(&rows->up, dimension, rows->up.count == dimension ? 0 : i);
    }
    return move;
}

bool proto_decode_hit_rows(const proto_source *source, proto_hit_rows *out) {
    if (!proto_decode_rows(source, &proto_hit_columns_table, source->limits->batch_queries_max,
                           &out->rows, out->fields) ||
        !make_rays(source, &out->rows, &out->origin, &out->direction, &out->max_distance,
                   &out->rays)) {
        return false;
    }
    for (uint32_t i = 0; i < out->more_obstacles.count; i++) {
        const char *more = out->more_obstacles.texts[i];
        if (!proto_is_set_name(more, strlen(more))) {
            return proto_refuse_row(source->problem, "more_obstacles", i, PROTO_BAD_NAME,
                                    "this is not the name of a set");
        }
    }
    const proto_text set = out->obstacles.text;
    return set.length == 0 || proto_is_set_name(set.data, set.length) ||
           proto_refuse_row(source->problem, "obstacles", PROTO_NO_ROW, PROTO_BAD_NAME,
                            "this is not the name of a set");
}

/* --- Ticks --- */

/* Checks that no handle stands twice and that every handle in `teleport` is one that is placed. */
static bool check_handles(const proto_source *source, const proto_pose_rows *out) {
    const uint32_t count = out->handle.count;
    uint32_t *sorted = gjk_arena_alloc_array(source->arena, count, sizeof *sorted);
    uint32_t twice = PROTO_NO_HANDLE;
    gjk_status status = sorted == NULL ? GJK_OUT_OF_MEMORY : GJK_OK;

    if (status == GJK_OK && count > 0) {
        memcpy(sorted, out->handle.uints, count * sizeof *sorted);
        status = gjk_sort(source->arena, sorted, count, sizeof *sorted, proto_compare_handles);
    }
    if (status != GJK_OK) {
        return proto_refuse_columns_status(source->problem, status);
    }
    for (uint32_t i = 1; i < count; i++) {
        twice = sorted[i] == sorted[i - 1] ? sorted[i] : twice;
    }
    for (uint32_t i = count; twice != PROTO_NO_HANDLE && i-- > 0;) {
        if (out->handle.uints[i] == twice) {
            return proto_refuse_row(source->problem, "handle", i, PROTO_OUT_OF_RANGE,
                                    "the handle %u stands twice", twice);
        }
    }
    for (uint32_t i = 0; i < out->teleport.count; i++) {
        const uint32_t *handle = &out->teleport.uints[i];
        if (bsearch(handle, sorted, count, sizeof *sorted, proto_compare_handles) == NULL) {
            return proto_refuse_row(source->problem, "teleport", i, PROTO_OUT_OF_RANGE,
                                    "%u is not among the handles of this message", *handle);
        }
    }
    return true;
}

bool proto_decode_pose_rows(const proto_source *source, proto_pose_rows *out) {
    return proto_decode_rows(source, &proto_pose_columns_table, source->limits->shapes_per_set_max,
                             &out->rows, out->fields) &&
           check_handles(source, out) &&
           proto_make_poses(source, &out->rows, &out->position, &out->rotation, &out->poses,
                            &out->turns);
}
