/*
 * Can any column message do harm, and is what is accepted what it claims to be? The first byte
 * chooses the message, the dimension and the limits, the rest is the body. No message may make
 * the decoder allocate out of proportion to its size.
 */

#include "fuzz.h"

#include <math.h>
#include <string.h>

#include "proto/columns.h"

/* Bytes of memory for a byte of the message, and beside that. */
#define GROWTH_MAX 128
#define GROWTH_BASE 16384

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
        for (uint32_t k = 1; column->values == PROTO_NAMES && k < field->count; k++)
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

static void check_moves(const proto_move_columns *moves) {
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
static void check_nearest(const proto_nearest_columns *nearest) {
    for (uint32_t i = 0; i < nearest->rows.count; i++) {
        const bool is_point = proto_uint_at(&nearest->shape, i) == PROTO_NO_HANDLE;
        require(!is_point || (nearest->rows.poses != NULL && nearest->position.count > 0));
    }
}

/* What an answer to rays or casts of that mode needs. */
static uint32_t needs_of(const proto_field *mode, uint32_t needs) {
    require(mode->uint <= PROTO_RAY_ALL);
    return mode->uint == PROTO_RAY_ANY
               ? 0
               : needs | PROTO_NEEDS_HITS | (mode->uint == PROTO_RAY_ALL ? PROTO_NEEDS_COUNT : 0);
}

/* An answer of as many rows, all refused, is a message. */
static void check_answer(const proto_table *table, const proto_rows *rows, uint32_t needs,
                         struct gjk_arena *arena) {
    proto_any_answers out;
    out.answers = (proto_answers){.table = table,
                                  .slots = out.slots,
                                  .revision = 1,
                                  .dimension = rows->dimension,
                                  .count = rows->count,
                                  .needs = needs};
    struct proto_buffer text;

    require(proto_answers_init(&out.answers, arena));
    for (uint32_t i = 0; i < rows->count; i++)
        proto_answers_refuse(&out.answers, i, PROTO_ROW_UNKNOWN_HANDLE);
    require(proto_answers_finish(&out.answers, arena));
    require(out.answers.line_count == 0 && out.answers.leg_count == 0);
    proto_buffer_init(&text, arena);
    proto_encode_answers_json(&text, &out.answers);
    require(!text.failed);
    proto_encode_answers(&text, &out.answers);
    require(!text.failed && text.length >= 2 && text.data[0] == 1 << 3);
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

/* Messages by the number that an input begins with. */
static const struct {
    const proto_table *asked, *told;
} kinds[] = {
    {&proto_raycast_columns_table, &proto_raycast_answers_table},
    {&proto_pair_columns_table, &proto_pair_answers_table},
    {&proto_pose_columns_table, NULL},
    {&proto_nearest_columns_table, &proto_nearest_answers_table},
    {&proto_cast_columns_table, &proto_cast_answers_table},
    {&proto_hit_columns_table, &proto_hit_answers_table},
    {&proto_move_columns_table, &proto_move_answers_table},
    {&proto_overlap_columns_table, &proto_overlap_answers_table},
};

/* A decoded message of any of these kinds. */
union message {
    struct {
        proto_rows rows;
        proto_field fields[PROTO_COLUMNS_MAX];
    };
    proto_raycast_columns rays;
    proto_cast_columns casts;
    proto_nearest_columns nearest;
    proto_overlap_columns overlaps;
    proto_move_columns moves;
};

/* Checks what is made of a message beside its columns. Returns what its answer needs. */
static uint32_t check_message(const union message *message) {
    const proto_rows *rows = &message->rows;

    if (rows->rays != NULL)
        check_rays(rows->rays, rows);
    check_poses(rows->poses, rows->count);
    check_poses(rows->to_poses, rows->count);
    if (rows->table == &proto_raycast_columns_table)
        return needs_of(&message->rays.mode, message->rays.exits.flag ? PROTO_NEEDS_EXITS : 0);
    if (rows->table == &proto_cast_columns_table) {
        require(message->casts.at_start.uint <= GJK_AT_START_LEAVING);
        return needs_of(&message->casts.mode,
                        message->casts.at_start.uint == 2 ? PROTO_NEEDS_DEPTH : 0);
    }
    if (rows->table == &proto_nearest_columns_table)
        check_nearest(&message->nearest);
    if (rows->table == &proto_move_columns_table)
        check_moves(&message->moves);
    if (rows->table == &proto_overlap_columns_table)
        return message->overlaps.penetration.uint > 0 ? PROTO_NEEDS_PENETRATION : 0;
    return rows->table == &proto_hit_columns_table ? PROTO_NEEDS_OBSTACLES | PROTO_NEEDS_REWIND : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    proto_limits limits = proto_limits_default();
    struct proto_problem problem = {0};
    struct gjk_arena arena;
    union message message;

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
    const bool are_blocks = (data[0] & 128) != 0;
    const uint8_t kind = data[0] >> 2 & 7;
    const bool is_taken = are_blocks ? decode_blocks(&source, (data[0] & 64) != 0)
                                     : proto_decode_columns(&source, kinds[kind].asked,
                                                            &message.rows, message.fields);
    require(arena.used_bytes <= GROWTH_BASE + GROWTH_MAX * size);
    if (!is_taken) {
        check_problem(&problem);
        require(problem.code != PROTO_OUT_OF_MEMORY);
    } else if (!are_blocks) {
        const uint32_t needs = check_message(&message);
        check_columns(&message.rows);
        if (kinds[kind].told != NULL)
            check_answer(kinds[kind].told, &message.rows, needs, &arena);
    }
    gjk_arena_fini(&arena);
    return 0;
}
