/*
 * Can a stored row of any content do harm? With its checksums as they come, and made to fit, so
 * that what is behind them is reached too. A row that is taken is written as the store does, which
 * must be taken again and give the same bytes. The input: a byte whose bits choose the dimension
 * and the limits, one with the length of the place, the place, and the definition; each without its
 * checksum.
 */

#include "fuzz.h"

#include <math.h>
#include <string.h>

#include "store/row.h"
#include "util/hash.h"

#define ID "a/b"
#define KEY gjkd_row_key(3, 7)

/* The bytes with the checksum that they ought to have behind them. */
static proto_text sealed(const uint8_t *data, size_t length, uint64_t seed,
                         struct gjk_arena *arena) {
    char *bytes = gjk_arena_alloc(arena, length + sizeof(uint64_t));
    const uint64_t sum = gjkd_checksum(data, length, seed);
    require(bytes != NULL);
    memcpy(bytes, data, length);
    memcpy(bytes + length, &sum, sizeof sum);
    return (proto_text){bytes, length + sizeof sum};
}

static void check_body(const gjk_body *body, uint32_t dimension, const proto_limits *limits,
                       struct gjk_arena *arena) {
    struct proto_problem problem = {0};
    const gjk_body *again = NULL;
    gjkd_place_row place, second_place;

    require(strcmp(body->id, ID) == 0 && body->handle == 7);
    require(isfinite(body->placed.pose.position.x));
    gjkd_place_encode(body, dimension, KEY, gjkd_stored_origin(body), &place);
    const proto_text shape = gjkd_shape_encode(body, KEY, arena);
    const gjkd_row row = {.key = KEY,
                          .dimension = dimension,
                          .id = ID,
                          .place = {(const char *)place.bytes, place.length},
                          .shape = shape};
    require(gjkd_row_decode(&row, limits, arena, &again, &problem));
    gjkd_place_encode(again, dimension, KEY, gjkd_stored_origin(again), &second_place);
    const proto_text second = gjkd_shape_encode(again, KEY, arena);
    require(place.length == second_place.length && shape.length == second.length);
    require(memcmp(place.bytes, second_place.bytes, place.length) == 0);
    require(memcmp(shape.data, second.data, shape.length) == 0);
    gjkd_stored_callbacks.release(again);
}

static void check_row(const gjkd_row *row, const proto_limits *limits, struct gjk_arena *arena) {
    struct proto_problem problem = {0};
    const gjk_body *body = NULL;
    if (gjkd_row_decode(row, limits, arena, &body, &problem)) {
        check_body(body, row->dimension, limits, arena);
        gjkd_stored_callbacks.release(body);
    } else {
        require(problem.code > PROTO_OK && problem.code < PROTO_CODE_COUNT);
        require(problem.detail[0] != '\0');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    proto_limits limits = proto_limits_default();
    struct gjk_arena arena;
    gjkd_row row = {.key = KEY, .id = ID};

    if (size < 2 || size - 2 < data[1]) {
        return 0;
    }
    const uint8_t *place = data + 2, *shape = place + data[1];
    const size_t shape_length = size - 2 - data[1];
    row.dimension = data[0] & 1 ? 3 : 2;
    if (data[0] & 2) {
        limits.pieces_per_shape_max = 3;
    }
    row.place = (proto_text){(const char *)place, data[1]};
    row.shape = (proto_text){(const char *)shape, shape_length};
    gjk_arena_init(&arena, 0);
    check_row(&row, &limits, &arena);
    row.place = sealed(place, data[1], KEY, &arena);
    row.shape = sealed(shape, shape_length, gjkd_checksum(ID, strlen(ID), KEY), &arena);
    check_row(&row, &limits, &arena);
    gjk_arena_fini(&arena);
    return 0;
}
