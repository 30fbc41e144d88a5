/*
 * Can any column message do harm, and is what is accepted what it claims to be? The first byte
 * chooses the message, the dimension and the limits, the rest is the body. No message may make
 * the decoder allocate out of proportion to its size.
 */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/columns.h"

/* Bytes of memory for a byte of the message, and beside that. */
#define GROWTH_MAX 128
#define GROWTH_BASE 16384

static void require(bool condition) {
    if (!condition)
        abort();
}

/* Every column is as long as its row of the table says, and can be read at every row. */
static void check_columns(const proto_rows *rows) {
    for (uint32_t i = 0; i < rows->table->count; i++) {
        const proto_column *column = &rows->table->columns[i];
        const proto_field *field = &rows->fields[i];
        const uint32_t n = rows->count;
        const bool is_full = field->count >= n && (n > 0 ? field->count % n : field->count) == 0;

        require(column->rule != PROTO_EACH || is_full);
        require(column->rule != PROTO_COUNTS || is_full);
        require(column->rule != PROTO_OPTIONAL || is_full || field->count == 0);
        require(column->rule != PROTO_SHARED || field->count == n || field->count == 1);
        require(column->rule != PROTO_ONE_OR_EACH || is_full || field->count <= 3);
        require(column->rule != PROTO_DEFAULTED || field->count == n || field->count <= 1);
        for (uint32_t k = 1; column->values == PROTO_HANDLES && k < field->count; k++)
            require(field->uints[k - 1] <= field->uints[k]);
        for (uint32_t k = 1; column->type == PROTO_TEXTS && k < field->count; k++)
            require(strcmp(field->texts[k - 1], field->texts[k]) <= 0);
        for (uint32_t k = 0; k < n && column->rule == PROTO_DEFAULTED; k++) {
            if (column->type == PROTO_UINTS)
                (void)proto_uint_at(field, k);
            else
                require(field->count == 0 || proto_double_at(field, k) >= 0.0);
        }
        for (uint32_t k = 0; k < field->count && column->values == PROTO_COORDINATE; k++) {
            double value;
            memcpy(&value, field->doubles + k * sizeof value, sizeof value);
            require(fabs(value) <= GJK_COORDINATE_MAX);
        }
    }
}

static void check_rays(const gjk_ray *rays, const proto_rows *rows) {
    for (uint32_t i = 0; i < rows->count; i++) {
        const gjk_ray *ray = &rays[i];
        require(fabs(gjk_length3(ray->direction) - 1.0) < 1e-9 && ray->max_distance >= 0.0);
        require(rows->dimension == 3 || (ray->origin.z == 0.0 && ray->direction.z == 0.0));
    }
}

static void check_moves(const proto_move_rows *moves) {
    for (uint32_t i = 0; i < moves->rows.count; i++) {
        const proto_move move = proto_move_at(moves, i);
        require(!move.has_up || move.up.x != 0.0 || move.up.y != 0.0 || move.up.z != 0.0);
        require(move.max_slope >= 0.0 && move.max_slope <= PROTO_SLOPE_MAX);
        require(move.slides >= 1 && move.slides <= 32);
        require(isnan(move.skin) || move.skin >= 0.0);
    }
}

static void check_poses(const gjk_pose *poses, uint32_t count) {
    for (uint32_t i = 0; poses != NULL && i < count; i++) {
        gjk_vec3 x = gjk_pose_apply(&poses[i], gjk_vec3_make(0, 0, 0));
        require(fabs(x.x) <= GJK_COORDINATE_MAX && fabs(x.y) <= GJK_COORDINATE_MAX);
    }
}

/* A row without a shape has a place. */
static void check_nearest(const proto_nearest_rows *nearest) {
    check_poses(nearest->poses, nearest->rows.count);
    for (uint32_t i = 0; i < nearest->rows.count; i++) {
        const bool is_point = proto_uint_at(&nearest->shape, i) == PROTO_NO_HANDLE;
        require(!is_point || (nearest->poses != NULL && nearest->position.count > 0));
    }
}

/* Writes the lists of refused rows, which are empty. */
static void put_nothing(proto_answers *answers, uint32_t row, size_t line, size_t leg) {
    require(row < answers->count && line == 0 && leg == 0);
}

/* What an answer to rays or casts of that mode needs. */
static uint32_t needs_of(const proto_field *mode, uint32_t needs) {
    require(mode->uint <= PROTO_RAY_ALL);
    return mode->uint == PROTO_RAY_ANY
               ? 0
               : needs | PROTO_NEEDS_PLACES | (mode->uint == PROTO_RAY_ALL ? PROTO_NEEDS_COUNT : 0);
}

/* An answer of as many rows, all refused, is a message. */
static void check_answer(const proto_table *table, const proto_rows *rows, uint32_t needs,
                         proto_put_lists *put_lists, struct gjk_arena *arena) {
    proto_slot slots[PROTO_COLUMNS_MAX];
    proto_answers answers = {.table = table,
                             .slots = slots,
                             .put_lists = put_lists,
                             .revision = 1,
                             .dimension = rows->dimension,
                             .count = rows->count,
                             .needs = needs};
    struct proto_buffer out;

    require(proto_answers_init(&answers, arena));
    for (uint32_t i = 0; i < rows->count; i++)
        proto_answers_refuse(&answers, i, PROTO_ROW_UNKNOWN_HANDLE);
    require(proto_answers_lines(&answers) == 0 && proto_answers_finish(&answers, arena));
    proto_buffer_init(&out, arena);
    proto_encode_answers_json(&out, &answers);
    require(!out.failed);
    proto_encode_answers(&out, &answers);
    require(!out.failed && out.length >= 2 && out.data[0] == 1 << 3);
}

static void check_problem(const struct proto_problem *problem) {
    require(problem->code > PROTO_OK && problem->code < PROTO_CODE_COUNT);
    require(problem->code != PROTO_INTERNAL && problem->code != PROTO_OUT_OF_MEMORY);
    require(problem->detail[0] != '\0');
    require(problem->pointer[0] == '\0' || problem->pointer[0] == '/');
}

/* Blocks, and poses beside them, lie within the message. */
static bool decode_blocks(const proto_source *source, bool is_tick) {
    const char *begin = source->body.data, *end = begin + source->body.length;
    proto_blocks blocks;
    if (!(is_tick ? proto_decode_tick_columns(source, &blocks)
                  : proto_decode_batch_columns(source, &blocks)))
        return false;
    require(blocks.count <= PROTO_BLOCKS_MAX && blocks.at_tick.count <= 1);
    require(blocks.at_tick.count == 0 || proto_double_at(&blocks.at_tick, 0) >= 0.0);
    for (uint32_t i = 0; i < blocks.count; i++) {
        const proto_text body = blocks.items[i].body;
        require(blocks.items[i].kind < proto_block_table.count);
        require(body.length == 0 || (body.data > begin && body.data + body.length <= end));
    }
    require(!is_tick || blocks.poses.length == 0 ||
            (blocks.poses.data > begin && blocks.poses.data + blocks.poses.length <= end));
    return true;
}

/* libFuzzer declares it nowhere. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    proto_limits limits = proto_limits_default();
    struct proto_problem problem = {0};
    struct gjk_arena arena;
    proto_ray_rows rays;
    proto_pair_rows pairs;
    proto_pose_rows poses;
    proto_cast_rows casts;
    proto_nearest_rows nearest;
    proto_overlap_rows overlaps;
    proto_move_rows moves;
    proto_hit_rows hits;
    const proto_rows *rows = NULL;
    const proto_table *answers = NULL;
    uint32_t needs = 0;
    bool is_taken, has_lists = false;

    if (size == 0)
        return 0;
    if (data[0] & 2)
        limits.batch_queries_max = limits.shapes_per_set_max = 3;
    gjk_arena_init(&arena, 0);
    const proto_source source = {.body = {(const char *)data + 1, size - 1},
                                 .set_dimension = data[0] & 1 ? 3 : 2,
                                 .limits = &limits,
                                 .arena = &arena,
                                 .problem = &problem};
    switch ((data[0] & 128) != 0 ? 8 : data[0] >> 2 & 7) {
    case 0:
        rows = &rays.rows;
        answers = &proto_raycast_answers_table;
        is_taken = proto_decode_ray_rows(&source, &rays);
        if (is_taken)
            check_rays(rays.rays, rows);
        needs = is_taken ? needs_of(&rays.mode, rays.exits.flag ? PROTO_NEEDS_EXITS : 0) : 0;
        break;
    case 1:
        rows = &pairs.rows;
        answers = &proto_pair_answers_table;
        is_taken = proto_decode_pair_rows(&source, &pairs);
        if (is_taken)
            check_poses(pairs.poses_a, rows->count);
        if (is_taken)
            check_poses(pairs.poses_b, rows->count);
        break;
    case 4:
        rows = &casts.rows;
        answers = &proto_cast_answers_table;
        is_taken = proto_decode_cast_rows(&source, &casts);
        if (is_taken)
            check_poses(casts.poses, rows->count);
        require(!is_taken || casts.at_start.uint <= GJK_AT_START_LEAVING);
        needs =
            is_taken ? needs_of(&casts.mode, casts.at_start.uint == 2 ? PROTO_NEEDS_DEPTH : 0) : 0;
        break;
    case 3:
        rows = &nearest.rows;
        answers = &proto_nearest_answers_table;
        is_taken = proto_decode_nearest_rows(&source, &nearest);
        if (is_taken)
            check_nearest(&nearest);
        has_lists = true;
        break;
    case 7:
        rows = &overlaps.rows;
        answers = &proto_overlap_answers_table;
        is_taken = proto_decode_overlap_rows(&source, &overlaps);
        if (is_taken)
            check_poses(overlaps.poses, rows->count);
        needs = is_taken && overlaps.penetration.uint > 0 ? PROTO_NEEDS_PENETRATION : 0;
        has_lists = true;
        break;
    case 6:
        rows = &moves.rows;
        answers = &proto_move_answers_table;
        is_taken = proto_decode_move_rows(&source, &moves);
        if (is_taken) {
            check_poses(moves.poses, rows->count);
            check_moves(&moves);
        }
        has_lists = true;
        break;
    case 5:
        rows = &hits.rows;
        answers = &proto_hit_answers_table;
        is_taken = proto_decode_hit_rows(&source, &hits);
        if (is_taken)
            check_rays(hits.rays, rows);
        needs = PROTO_NEEDS_OBSTACLES | PROTO_NEEDS_REWIND;
        break;
    case 8:
        is_taken = decode_blocks(&source, (data[0] & 64) != 0);
        break;
    default:
        rows = &poses.rows;
        is_taken = proto_decode_pose_rows(&source, &poses);
        if (is_taken)
            check_poses(poses.poses, rows->count);
        break;
    }
    require(arena.used_bytes <= GROWTH_BASE + GROWTH_MAX * size);
    if (is_taken) {
        if (rows != NULL)
            check_columns(rows);
        if (answers != NULL)
            check_answer(answers, rows, needs,
                         has_lists || (needs & PROTO_NEEDS_COUNT) ? put_nothing : NULL, &arena);
    } else {
        check_problem(&problem);
    }
    gjk_arena_fini(&arena);
    return 0;
}
