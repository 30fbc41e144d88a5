/*
 * Can any body of a batch do harm, or of a hit, which stands in one? The first byte selects the
 * set's dimension, the rest is the body. Whatever it is, it is refused whole, or each query of it
 * is refused or understood by itself, the same every time, with pointers into the batch.
 */

#include "fuzz.h"

#include <math.h>
#include <string.h>

#include "proto/reply.h"

#define QUERIES_MAX 50

static void check_hit(const proto_query *query) {
    require(query->claim_id == NULL || query->claim_group == NULL);
    require(query->radius >= 0 && query->max_rewind_ticks >= 0);
    require(query->ray.max_distance >= 0 && !isnan(query->ray.max_distance));
    require(fabs(gjk_length3(query->ray.direction) - 1) < 1e-12);
    require(query->obstacles_count <= PROTO_OBSTACLES_MAX);
    for (uint32_t i = 0; i < query->obstacles_count; i++) {
        const proto_obstacles *obstacles = &query->obstacles[i];
        require(proto_is_set_name(obstacles->set, strlen(obstacles->set)));
        require(strncmp(obstacles->pointer, "policy/", strlen("policy/")) == 0);
    }
}

static void check_query(const proto_query *query, uint32_t set_dimension) {
    require(query->op < PROTO_OP_COUNT);
    require(set_dimension == 0 ? query->dimension == 2 || query->dimension == 3
                               : query->dimension == set_dimension);
    require(!query->trace && query->pointer[0] == '/');
    require(query->options.tolerance > 0 && query->options.tolerance <= GJK_TOLERANCE_MAX);
    require(!query->at.given || query->at.tick >= 0);
    require(set_dimension != 0 || (!query->at.given && query->op != PROTO_OP_HIT));
    if (query->op == PROTO_OP_HIT)
        check_hit(query);
}

static void check_batch(const struct proto_batch *batch, uint32_t set_dimension,
                        struct gjk_arena *arena) {
    uint32_t count = proto_batch_count(batch);

    require(count <= QUERIES_MAX);
    (void)proto_batch_has_without(batch, PROTO_OP_DETECT, "a");
    for (uint32_t i = 0; i < count; i++) {
        struct proto_problem problem = {0}, again = {0};
        proto_query query, other;
        bool is_decoded = proto_batch_query(batch, i, arena, &query, &problem);
        require(proto_batch_query(batch, i, arena, &other, &again) == is_decoded);
        require(problem.code == again.code);
        if (is_decoded)
            check_query(&query, set_dimension);
        else
            check_problem(&problem);
        require(problem.code != PROTO_NOT_FINITE);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint32_t dimensions[] = {0, 2, 3};
    proto_limits limits = proto_limits_default();
    struct proto_problem problem = {0};
    struct proto_batch *batch;
    struct gjk_arena arena;

    if (size == 0)
        return 0;
    uint32_t set_dimension = dimensions[data[0] % 3];
    limits.batch_queries_max = QUERIES_MAX;
    gjk_arena_init(&arena, 0);
    if (proto_decode_batch((proto_text){(const char *)data + 1, size - 1}, set_dimension,
                           data[0] / 3 % 2 == 1, &limits, &arena, &batch, &problem)) {
        check_batch(batch, set_dimension, &arena);
        proto_batch_close(batch);
    } else {
        check_problem(&problem);
        require(problem.code != PROTO_NOT_FINITE);
    }
    gjk_arena_fini(&arena);
    return 0;
}
