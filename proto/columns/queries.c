/*
 * Messages of queries and ticks: their tables, the conversion of columns to rays and poses, and
 * checks of single messages.
 */

#include "columns/columns.h"

#include <stdlib.h>

#include "gjk/sort.h"
#include "json/text.h"

#define COLUMN_AS(number, member, name, type, width, rule, values, otherwise) \
    {number, type, width, rule, values, otherwise, name},
#define COLUMN(number, name, ...) COLUMN_AS(number, name, #name, __VA_ARGS__)
#define TABLE(name, LIST, message)                                 \
    const proto_table proto_##name##_table =                       \
        {message, (const proto_column[]){LIST(COLUMN, COLUMN_AS)}, \
         sizeof((const proto_column[]){LIST(COLUMN, COLUMN_AS)}) / sizeof(proto_column)};

PROTO_COLUMNS_MAP(TABLE)
PROTO_ANSWERS_MAP(TABLE)
TABLE(block, PROTO_BLOCK, "Block")
TABLE(block_answer, PROTO_BLOCK, "BlockAnswer")

/* --- Rays and poses --- */

static bool make_rays(const proto_source *source, proto_rows *rows) {
    const proto_field *origin = proto_field_of(rows, "origin");
    const proto_field *direction = proto_field_of(rows, "direction");
    const proto_field *max_distance = proto_field_of(rows, "max_distance");
    gjk_ray *rays = gjk_arena_alloc_array(source->arena, rows->count, sizeof *rays);

    for (uint32_t i = 0; rays != NULL && i < rows->count; i++) {
        const gjk_status status = gjk_ray_make(proto_vector_at(origin, rows->dimension, i),
                                               proto_vector_at(direction, rows->dimension, i),
                                               proto_double_at(max_distance, i), &rays[i]);
        if (status !=
            GJK_OK) { /* single values are checked already: only a zero direction is left */
            return proto_refuse_row(source->problem, "direction", i, PROTO_ZERO_DIRECTION, "%s",
                                    gjk_status_text(GJK_ZERO_DIRECTION));
        }
    }
    rows->rays = rays;
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
                      const gjk_pose **poses) {
    const uint32_t dimension = rows->dimension;

    *poses = NULL;
    if (position->count == 0 && rotation->count == 0) {
        return true;
    }
    gjk_pose *made = gjk_arena_alloc_array(source->arena, rows->count, sizeof *made);
    if (made == NULL) {
        return proto_refuse_columns_status(source->problem, GJK_OUT_OF_MEMORY);
    }
    for (uint32_t i = 0; i < rows->count; i++) {
        const gjk_vec3 at = position->count > 0 ? proto_vector_at(position, dimension, i)
                                                : gjk_vec3_make(0.0, 0.0, 0.0);
        const gjk_rotation turn = turn_at(rotation, dimension, i);
        const gjk_status status = dimension == 2 ? gjk_pose_make2(gjk_xy(at), turn.angle, &made[i])
                                                 : gjk_pose_make3(at, turn.orientation, &made[i]);
        if (status != GJK_OK) {
            const char *name = rows->table->columns[rotation - rows->fields].name;
            return proto_refuse_row(source->problem, name, i, PROTO_BAD_ORIENTATION, "%s",
                                    gjk_status_text(status));
        }
    }
    *poses = made;
    return true;
}

/* --- Messages --- */

/* Checks that handles are distinct and that every handle in `teleport` is among them. */
static bool check_handles(const proto_source *source, const proto_pose_columns *out) {
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

/* Checks that rows without a shape, which ask about a point, have positions. */
static bool check_positions(const proto_source *source, const proto_nearest_columns *out) {
    for (uint32_t i = 0; i < out->shape.count && out->position.count == 0; i++) {
        if (out->shape.uints[i] == PROTO_NO_HANDLE) {
            return proto_refuse_row(source->problem, "position", PROTO_NO_ROW, PROTO_MISSING_MEMBER,
                                    "the shape of row %u is a point, which needs a position", i);
        }
    }
    return true;
}

static bool check_ups(const proto_source *source, const proto_move_columns *out) {
    for (uint32_t i = 0; i < out->up.count / out->rows.dimension; i++) {
        const gjk_vec3 up = proto_vector_at(&out->up, out->rows.dimension, i);
        if (up.x == 0.0 && up.y == 0.0 && up.z == 0.0) {
            return proto_refuse_row(source->problem, "up", i, PROTO_ZERO_DIRECTION, "%s",
                                    gjk_status_text(GJK_ZERO_DIRECTION));
        }
    }
    return true;
}

bool proto_decode_columns(const proto_source *source, const proto_table *table, proto_rows *rows,
                          proto_field *fields) {
    static const proto_field nowhere = {0};
    const bool are_pairs = table == &proto_pair_columns_table;
    const bool are_poses = table == &proto_pose_columns_table;
    const bool are_nearest = table == &proto_nearest_columns_table;
    const bool are_moves = table == &proto_move_columns_table;

    if (!proto_decode_rows(source, table,
                           are_poses ? source->limits->shapes_per_set_max
                                     : source->limits->batch_queries_max,
                           rows, fields) ||
        (are_poses && !check_handles(source, (const proto_pose_columns *)rows)) ||
        (are_nearest && !check_positions(source, (const proto_nearest_columns *)rows)) ||
        (are_moves && !check_ups(source, (const proto_move_columns *)rows))) {
        return false;
    }
    if (proto_column_called(table, "origin") < table->count) {
        return make_rays(source, rows);
    }
    return proto_make_poses(source, rows,
                            proto_field_of(rows, are_pairs ? "position_a" : "position"),
                            proto_field_of(rows, are_pairs ? "rotation_a" : "rotation"),
                            &rows->poses) &&
           proto_make_poses(source, rows, are_pairs ? proto_field_of(rows, "position_b") : &nowhere,
                            proto_field_of(rows, are_pairs ? "rotation_b" : "to_rotation"),
                            &rows->to_poses);
}

proto_move proto_move_at(const proto_move_columns *rows, uint32_t i) {
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
