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

static void check_lines(const gjk_ray *rays, uint32_t dimension, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const gjk_ray *ray = &rays[i];
        double length = gjk_length3(ray->direction);
        require(fabs(length - 1.0) < 1e-9 && ray->max_distance >= 0.0);
        require(fabs(ray->origin.x) <= GJK_COORDINATE_MAX);
        require(dimension == 3 || (ray->origin.z == 0.0 && ray->direction.z == 0.0));
    }
}

/* Reads what each row selects; the groups stand in order. */
static void check_select(const proto_select_columns *select, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        (void)proto_uint_at(select->mask, i, 0);
        (void)proto_uint_at(select->category, i, 0);
        (void)proto_uint_at(select->ignore_group_of, i, 0);
    }
    for (uint32_t i = 1; i < select->ignore_groups_count; i++)
        require(strcmp(select->ignore_groups[i - 1], select->ignore_groups[i]) <= 0);
}

static void check_ticks(proto_doubles ticks, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        require(proto_double_at(ticks, i, 0.0) >= 0.0);
}

static void check_rays(const proto_ray_columns *columns, struct gjk_arena *arena) {
    proto_ray_answers answers;
    struct proto_buffer out;

    check_lines(columns->rays, columns->dimension, columns->count);
    check_select(&columns->select, columns->count);
    check_ticks(columns->at_tick, columns->count);
    require(proto_ray_answers_init(&answers, columns->dimension, columns->count, columns->exits,
                                   arena));
    for (uint32_t i = 0; i < columns->count; i++)
        proto_ray_answers_set(&answers, i, NULL, 0.0);
    proto_buffer_init(&out, arena);
    proto_encode_ray_columns(&out, &answers);
    require(!out.failed);
}

static void check_poses(const gjk_pose *poses, uint32_t count) {
    for (uint32_t i = 0; poses != NULL && i < count; i++) {
        gjk_vec3 x = gjk_pose_apply(&poses[i], gjk_vec3_make(0, 0, 0));
        require(fabs(x.x) <= GJK_COORDINATE_MAX && fabs(x.y) <= GJK_COORDINATE_MAX);
    }
}

static void check_pairs(const proto_pair_columns *columns, struct gjk_arena *arena) {
    proto_pair_answers answers;
    struct proto_buffer out;
    gjk_distance_result result = {0};

    check_poses(columns->pose_a.poses, columns->count);
    check_poses(columns->pose_b.poses, columns->count);
    require(proto_pair_answers_init(&answers, columns->dimension, columns->count, arena));
    for (uint32_t i = 0; i < columns->count; i++)
        proto_pair_answers_set_distance(&answers, i, &result);
    proto_buffer_init(&out, arena);
    proto_encode_pair_columns(&out, &answers);
    require(!out.failed);
}

static void check_casts(const proto_cast_columns *columns, struct gjk_arena *arena) {
    proto_cast_answers answers;
    struct proto_buffer out;

    check_poses(columns->from.poses, columns->count);
    check_poses(columns->to.poses, columns->count);
    check_select(&columns->select, columns->count);
    check_ticks(columns->at_tick, columns->count);
    require(columns->at_start <= GJK_AT_START_RESOLVE);
    require(proto_cast_answers_init(&answers, columns->dimension, columns->count, columns->at_start,
                                    arena));
    for (uint32_t i = 0; i < columns->count; i++) {
        require(fabs(columns->translation[i].x) <= GJK_COORDINATE_MAX);
        require(columns->shape.rows > 0);
        (void)proto_uint_at(columns->shape, i, 0);
        proto_cast_answers_set(&answers, i, NULL);
    }
    proto_buffer_init(&out, arena);
    proto_encode_cast_columns(&out, &answers);
    require(!out.failed);
}

static void check_hits(const proto_hit_columns *columns, struct gjk_arena *arena) {
    const gjk_judgement missed = {.verdict = GJK_VERDICT_DENIED, .reason = GJK_REASON_MISS};
    proto_hit_answers answers;
    struct proto_buffer out;

    check_lines(columns->rays, columns->dimension, columns->count);
    check_ticks(columns->at_tick, columns->count);
    require(columns->max_rewind_ticks > 0.0);
    require(columns->obstacles == NULL || columns->obstacles[0] != '\0');
    require(columns->claim.rows == 0 || columns->claim.rows == columns->count);
    require(proto_hit_answers_init(&answers, columns->dimension, columns->count, arena));
    for (uint32_t i = 0; i < columns->count; i++) {
        require(proto_double_at(columns->radius, i, 0.0) >= 0.0);
        (void)proto_uint_at(columns->shooter_of, i, 0);
        if (columns->partial)
            proto_hit_answers_refuse(&answers, i, PROTO_ROW_UNKNOWN_HANDLE);
        else
            proto_hit_answers_set(&answers, i, &missed);
    }
    proto_buffer_init(&out, arena);
    proto_encode_hit_columns(&out, &answers);
    require(!out.failed);
}

static void check_problem(const struct proto_problem *problem) {
    require(problem->code > PROTO_OK && problem->code < PROTO_CODE_COUNT);
    require(problem->code != PROTO_INTERNAL && problem->code != PROTO_OUT_OF_MEMORY);
    require(problem->detail[0] != '\0');
    require(problem->pointer[0] == '\0' || problem->pointer[0] == '/');
}

/* libFuzzer declares it nowhere. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    proto_limits limits = proto_limits_default();
    struct proto_problem problem = {0};
    struct gjk_arena arena;
    proto_ray_columns rays;
    proto_pair_columns pairs;
    proto_pose_columns poses;
    proto_cast_columns casts;
    proto_hit_columns hits;

    if (size == 0)
        return 0;
    uint32_t dimension = data[0] & 1 ? 3 : 2;
    if (data[0] & 2)
        limits.batch_queries_max = limits.shapes_per_set_max = 3;
    proto_text body = {(const char *)data + 1, size - 1};
    gjk_arena_init(&arena, 0);
    bool is_taken;
    switch (data[0] >> 2 & 7) {
    case 0:
        is_taken = proto_decode_ray_columns(body, dimension, &limits, &arena, &rays, &problem);
        require(arena.used_bytes <= GROWTH_BASE + GROWTH_MAX * size);
        if (is_taken)
            check_rays(&rays, &arena);
        break;
    case 1:
        is_taken = proto_decode_pair_columns(body, dimension, &limits, &arena, &pairs, &problem);
        require(arena.used_bytes <= GROWTH_BASE + GROWTH_MAX * size);
        if (is_taken)
            check_pairs(&pairs, &arena);
        break;
    case 4:
        is_taken = proto_decode_cast_columns(body, dimension, &limits, &arena, &casts, &problem);
        require(arena.used_bytes <= GROWTH_BASE + GROWTH_MAX * size);
        if (is_taken)
            check_casts(&casts, &arena);
        break;
    case 5:
        is_taken = proto_decode_hit_columns(body, dimension, &limits, &arena, &hits, &problem);
        require(arena.used_bytes <= GROWTH_BASE + GROWTH_MAX * size);
        if (is_taken)
            check_hits(&hits, &arena);
        break;
    default:
        is_taken = proto_decode_pose_columns(body, dimension, &limits, &arena, &poses, &problem);
        require(arena.used_bytes <= GROWTH_BASE + GROWTH_MAX * size);
        if (is_taken)
            check_poses(poses.poses, poses.count);
        break;
    }
    if (!is_taken)
        check_problem(&problem);
    gjk_arena_fini(&arena);
    return 0;
}
