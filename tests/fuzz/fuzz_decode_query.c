/*
 * Can any body of a query do harm? The first byte selects operation and dimension, the rest is
 * the body. Whatever it is, it is refused with a complete problem or gives a query that keeps
 * what request.h promises; and the problem's own text is JSON.
 */

#include "fuzz.h"

#include <math.h>
#include <string.h>

#include "proto/reply.h"

/* The decoder itself is the judge: it must find an object, though one that it does not know. */
static void check_json_object(const struct proto_buffer *text, struct gjk_arena *arena) {
    const proto_limits limits = proto_limits_default();
    struct proto_problem problem;
    proto_query query;

    require(!text->failed);
    require(!proto_decode_query((proto_text){text->data, text->length}, PROTO_OP_DETECT, 2, &limits,
                                arena, &query, &problem));
    require(problem.code == PROTO_UNKNOWN_MEMBER);
}

static void check_refusal(const struct proto_problem *problem, struct gjk_arena *arena) {
    struct proto_buffer text;

    check_problem(problem);
    require(problem->code != PROTO_NOT_FINITE);
    proto_buffer_init(&text, arena);
    proto_encode_problem(&text, problem);
    check_json_object(&text, arena);
}

static void check_shape(const gjk_shape *shape, uint32_t dimension) {
    bool is_curve = shape->type >= GJK_ELLIPSE && shape->type <= GJK_CONE;

    require(shape->dimension == dimension && shape->type != GJK_CUSTOM);
    bool may_be_round = shape->type == GJK_ELLIPSE; /* and then it is a ball */
    require(shape->count == 0 ? is_curve : !is_curve || (may_be_round && shape->count == 1));
    require(isfinite(shape->size) && isfinite(shape->bounding_radius));
}

static void check_operand(const proto_operand *operand, uint32_t dimension, bool is_stateless) {
    if (operand->kind == PROTO_OPERAND_ABSENT)
        return;
    require(operand->member[0] != '\0');
    require(isfinite(operand->pose.position.x + operand->pose.position.y));
    if (operand->kind == PROTO_OPERAND_STORED)
        require(!is_stateless && proto_is_id(operand->id, strlen(operand->id), 128));
    else
        check_shape(&operand->shape, dimension);
}

static void check_cast(const proto_query *query, bool is_stateless) {
    gjk_vec3 way = query->translation;

    require(query->moving.kind != PROTO_OPERAND_ABSENT);
    require(fabs(way.x) <= GJK_COORDINATE_MAX && fabs(way.y) <= GJK_COORDINATE_MAX &&
            fabs(way.z) <= GJK_COORDINATE_MAX);
    require(query->dimension == 3 || way.z == 0.0);
    require(query->target.kind != PROTO_OPERAND_INLINE || is_stateless);
    require(is_stateless || !query->has_shapes);
}

static void check_move(const proto_query *query) {
    const proto_move *move = &query->move;
    const gjk_vec3 up = move->up;

    require(query->moving.kind != PROTO_OPERAND_ABSENT);
    require(!move->has_up || up.x != 0.0 || up.y != 0.0 || up.z != 0.0);
    require(move->max_slope >= 0.0 && move->max_slope <= PROTO_SLOPE_MAX);
    require(move->step >= 0.0 && move->snap >= 0.0);
    require(isnan(move->skin) || move->skin >= 0.0);
    require(isnan(move->depenetrate) || move->depenetrate >= 0.0);
    require(move->slides >= 1 && move->slides <= 32);
}

static void check_query(const proto_query *query, uint32_t set_dimension) {
    bool is_stateless = set_dimension == 0;

    require(query->dimension == (is_stateless ? query->dimension : set_dimension));
    require(query->dimension == 2 || query->dimension == 3);
    require(query->options.tolerance > 0 && query->options.tolerance <= GJK_TOLERANCE_MAX);
    require(query->options.max_iterations >= GJK_ITERATIONS_MIN &&
            query->options.max_iterations <= GJK_ITERATIONS_MAX);
    require(!query->has_limit || query->limit >= 1);
    require(query->max_distance >= 0);
    require(query->b.kind == PROTO_OPERAND_ABSENT || query->a.kind != PROTO_OPERAND_ABSENT);
    check_operand(&query->a, query->dimension, is_stateless);
    check_operand(&query->b, query->dimension, is_stateless);
    check_operand(&query->moving, query->dimension, is_stateless);
    check_operand(&query->target, query->dimension, is_stateless);
    require(!query->trace || query->b.kind != PROTO_OPERAND_ABSENT);
    for (uint32_t i = 0; i < query->shape_count; i++) {
        require(i == 0 || strcmp(query->shapes[i - 1].id, query->shapes[i].id) < 0);
        check_shape(&query->shapes[i].shape.shape, query->dimension);
    }
    if (query->op == PROTO_OP_RAYCAST)
        require(fabs(gjk_length3(query->ray.direction) - 1.0) < 1e-12);
    if (query->op == PROTO_OP_CAST)
        check_cast(query, is_stateless);
    if (query->op == PROTO_OP_MOVE)
        check_move(query);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint32_t dimensions[] = {0, 2, 3};
    const proto_limits limits = proto_limits_default();
    struct proto_problem problem = {0};
    struct gjk_arena arena;
    proto_query query;

    if (size == 0)
        return 0;
    const bool needs_set = data[0] >= 192;
    proto_op op = needs_set ? PROTO_OP_MOVE : (proto_op)(data[0] % 4);
    uint32_t set_dimension = needs_set ? 2u + data[0] % 2 : dimensions[data[0] / 4 % 3];
    gjk_arena_init(&arena, 0);
    if (proto_decode_query((proto_text){(const char *)data + 1, size - 1}, op, set_dimension,
                           &limits, &arena, &query, &problem))
        check_query(&query, set_dimension);
    else
        check_refusal(&problem, &arena);
    gjk_arena_fini(&arena);
    return 0;
}
