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

static void check_rays(const proto_ray_columns *columns, struct gjk_arena *arena) {
    proto_ray_answers answers;
    struct proto_buffer out;

    for (uint32_t i = 0; i < columns->count; i++) {
        const gjk_ray *ray = &columns->rays[i];
        double length = gjk_length3(ray->direction);
        require(fabs(length - 1.0) < 1e-9 && ray->max_distance >= 0.0);
        require(fabs(ray->origin.x) <= GJK_COORDINATE_MAX);
        require(columns->dimension == 3 || (ray->origin.z == 0.0 && ray->direction.z == 0.0));
        (void)proto_uint_at(columns->mask, i, 0);
        (void)proto_uint_at(columns->category, i, 0);
        (void)proto_uint_at(columns->ignore_group_of, i, 0);
        require(proto_double_at(columns->at_tick, i, 0.0) >= 0.0);
    }
    require(proto_ray_answers_init(&answers, columns->dimension, columns->count, arena));
    for (uint32_t i = 0; i < columns->count; i++)
        proto_ray_answers_set(&answers, i, NULL);
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

    if (size == 0)
        return 0;
    uint32_t dimension = data[0] & 1 ? 3 : 2;
    if (data[0] & 2)
        limits.batch_queries_max = limits.shapes_per_set_max = 3;
    proto_text body = {(const char *)data + 1, size - 1};
    gjk_arena_init(&arena, 0);
    bool is_taken;
    switch (data[0] >> 2 & 3) {
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
