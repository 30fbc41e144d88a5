/* Are casts understood in all their forms, and nothing else? */

#include <math.h>
#include <string.h>

#include "test_proto.h"

#define CAST PROTO_OP_CAST
#define CIRCLE "{'type':'circle','radius':1}"
#define SPHERE "{'type':'sphere','radius':1}"
#define SWEEP "'shape':" CIRCLE ",'translation':[3,4]"

static proto_query query;
TEST_ARENA(arena)

TEST(a_plain_cast) {
    test_accepted(&arena, CAST, 2, "{" SWEEP "}", &query);
    ck_assert_int_eq(query.moving.kind, PROTO_OPERAND_INLINE);
    ck_assert_str_eq(query.moving.member, "shape");
    ck_assert_double_eq(query.moving.shape.radius, 1);
    ck_assert_double_eq(query.translation.x, 3); /* as it was given, not of unit length */
    ck_assert_double_eq(query.translation.y, 4);
    ck_assert_double_eq(query.translation.z, 0);
    ck_assert_int_eq(query.mode, PROTO_RAY_CLOSEST);
    ck_assert(!query.has_limit && !query.has_shapes && !query.at.given && !query.trace);
    ck_assert_int_eq(query.target.kind, PROTO_OPERAND_ABSENT);
    ck_assert_int_eq(query.a.kind, PROTO_OPERAND_ABSENT);
    ck_assert_double_eq(query.options.tolerance, 1e-10);
    test_accepted(&arena, CAST, 2,
                  "{" SWEEP ",'mode':null,'limit':null,'target':null,'at':null,'filter':null,"
                  "'options':null}",
                  &query);
    ck_assert_int_eq(query.target.kind, PROTO_OPERAND_ABSENT);
}

TEST(a_full_cast) {
    test_accepted(&arena, CAST, 3,
                  "{'shape':{'id':'crate/1','position':[0,0,9]},'translation':[1e150,-1e150,0],"
                  "'mode':'all','limit':7,'target':'wall','at':{'tick':3.5},"
                  "'filter':{'only_groups':['g']},'options':{'max_iterations':9}}",
                  &query);
    ck_assert_int_eq(query.moving.kind, PROTO_OPERAND_STORED);
    ck_assert_str_eq(query.moving.id, "crate/1");
    ck_assert(query.moving.has_position && !query.moving.has_rotation);
    ck_assert_double_eq(query.moving.pose.position.z, 9);
    ck_assert_double_eq(query.translation.y, -1e150);
    ck_assert_int_eq(query.mode, PROTO_RAY_ALL);
    ck_assert_uint_eq(query.limit, 7);
    ck_assert_int_eq(query.target.kind, PROTO_OPERAND_STORED);
    ck_assert_str_eq(query.target.id, "wall");
    ck_assert_str_eq(query.target.member, "target");
    ck_assert_double_eq(query.at.tick, 3.5);
    ck_assert(query.filter.has_only_groups);
    ck_assert_uint_eq(query.options.max_iterations, 9);
    test_accepted(&arena, CAST, 2, "{'shape':'x','translation':[1,0],'mode':'any'}", &query);
    ck_assert_int_eq(query.mode, PROTO_RAY_ANY);
    ck_assert_str_eq(query.moving.id, "x");
}

TEST(a_translation_may_be_zero) {
    test_accepted(&arena, CAST, 2, "{'shape':'x','translation':[0,-0.0]}", &query);
    ck_assert_double_eq(query.translation.x, 0);
    test_accepted(&arena, CAST, 0,
                  "{'shape':" SPHERE ",'translation':[0,0,0],'against':" SPHERE "}", &query);
    ck_assert_double_eq(query.translation.z, 0);
}

TEST(a_cast_without_a_set) {
    test_accepted(&arena, CAST, 0,
                  "{'dimension':2," SWEEP ",'against':{'type':'slice','radius':1,'theta':2,"
                  "'position':[5,6]}}",
                  &query);
    ck_assert_uint_eq(query.dimension, 2);
    ck_assert_int_eq(query.moving.shape.type, GJK_BALL);
    ck_assert_int_eq(query.target.kind, PROTO_OPERAND_INLINE);
    ck_assert_int_eq(query.target.shape.type, GJK_SLICE);
    ck_assert_double_eq(query.target.pose.position.y, 6);
    ck_assert(!query.has_shapes);
    test_accepted(&arena, CAST, 0,
                  "{" SWEEP ",'filter':{'mask':2},'limit':3,'shapes':{'b':{'type':'point',"
                  "'category':2},'B':{'type':'ellipse','radii':[1,2]}}}",
                  &query);
    ck_assert(query.has_shapes);
    ck_assert_uint_eq(query.shape_count, 2);
    ck_assert_str_eq(query.shapes[0].id, "B"); /* bytewise */
    ck_assert_uint_eq(query.shapes[1].shape.category, 2);
    ck_assert_int_eq(query.target.kind, PROTO_OPERAND_ABSENT);
    test_accepted(&arena, CAST, 0, "{" SWEEP ",'shapes':{}}", &query);
    ck_assert(query.has_shapes);
    ck_assert_uint_eq(query.shape_count, 0);
}

TEST_EACH(dimension_without_a_set, 0, 4) {
    static const struct {
        const char *body;
        uint32_t dimension;
    } rows[] = {
        {"{'shape':{'type':'point'},'translation':[0,0],'against':{'type':'point'}}", 2},
        {"{'shape':{'type':'point'},'translation':[0,0,1],'against':{'type':'point'}}", 3},
        {"{'shape':{'type':'point'},'translation':[0,0,1],'shapes':{}}", 3},
        {"{'shape':{'type':'point'},'translation':[1,0,0],'against':{'type':'cylinder',"
         "'a':[0,0,0],'b':[1,0,0],'radius':1}}",
         3},
    };

    test_accepted(&arena, CAST, 0, rows[_i].body, &query);
    ck_assert_uint_eq(query.dimension, rows[_i].dimension);
    ck_assert_uint_eq(query.moving.shape.dimension, rows[_i].dimension);
}
