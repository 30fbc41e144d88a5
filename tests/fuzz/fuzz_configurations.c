/*
 * Can any body of rows of configurations do harm, and is what is accepted what it claims to be? The
 * first byte chooses the form and the dimension, the rest is the body.
 */

#include "fuzz.h"

#include <math.h>

#include "proto/configurations.h"

static void check_asked(const proto_configurations *asked, uint32_t dimension,
                        struct gjk_arena *arena) {
    struct proto_buffer out;

    require(asked->dimension == dimension && asked->shape_count >= 1);
    require(asked->count >= 1 && asked->count <= PROTO_CONFIGURATIONS_MAX);
    require(asked->threshold >= 0.0 && (asked->ids != NULL) != (asked->handles != NULL));
    for (uint32_t i = 0; asked->ids != NULL && i < asked->shape_count; i++) {
        const proto_operand *operand = asked->operands[i];
        require(asked->ids[i][0] != '\0');
        require((operand != NULL && operand->kind == PROTO_OPERAND_INLINE) ==
                (proto_inline_index(asked->ids[i]) == i));
    }
    for (uint32_t i = 0; i < 2 * asked->allowed_count; i++)
        require(asked->allowed_ids == NULL || asked->allowed_ids[i][0] != '\0');
    for (size_t i = 0; i < (size_t)asked->count * asked->shape_count; i++) {
        const gjk_vec3 at = asked->poses[i].position;
        require(fabs(at.x) <= GJK_COORDINATE_MAX && fabs(at.y) <= GJK_COORDINATE_MAX);
        require(dimension == 3 ? fabs(at.z) <= GJK_COORDINATE_MAX : at.z == 0.0);
    }
    const proto_configured answers = {
        .rows = gjk_arena_alloc_array(arena, asked->count, sizeof *answers.rows),
        .nearest = gjk_arena_alloc_array(arena, asked->count, sizeof *answers.nearest),
        .refused = gjk_arena_alloc_array(arena, asked->count, sizeof *answers.refused),
    };
    require(answers.rows != NULL && answers.nearest != NULL && answers.refused != NULL);
    require(asked->tick_count <= 1 || asked->tick_count == asked->count);
    require(asked->limit == 0 || asked->distance);
    for (uint32_t i = 0; i < asked->count; i++) {
        answers.rows[i] = (gjk_configuration){.fraction = 1.0};
        answers.nearest[i] = (gjk_pair_nears){NULL, 0, false};
        answers.refused[i] = i % 2 == 0 ? 0 : 4;
    }
    proto_buffer_init(&out, arena);
    proto_encode_configurations(&out, asked, &answers, NULL);
    proto_encode_configuration_columns(&out, asked, &answers, 7);
    require(!out.failed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const proto_limits limits = proto_limits_default();
    struct proto_problem problem = {0};
    proto_configurations asked;
    struct gjk_arena arena;

    if (size == 0)
        return 0;
    const uint32_t dimension = data[0] % 2 == 0 ? 2 : 3;
    const proto_text body = {(const char *)data + 1, size - 1};
    gjk_arena_init(&arena, 0);
    const bool is_decoded =
        data[0] / 2 % 2 == 0
            ? proto_decode_configurations(body, dimension, &limits, &arena, &asked, &problem)
            : proto_decode_configuration_columns(body, dimension, &limits, &arena, &asked,
                                                 &problem);
    if (is_decoded)
        check_asked(&asked, dimension, &arena);
    else
        check_problem(&problem);
    require(problem.code != PROTO_OUT_OF_MEMORY);
    gjk_arena_fini(&arena);
    return 0;
}
