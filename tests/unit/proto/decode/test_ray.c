/* Are rays understood in all their forms, and nothing else? */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test_proto.h"

#define RAY PROTO_OP_RAYCAST
#define LINE "'origin':[1,2],'direction':[3,4]"

static proto_query query;
TEST_ARENA(arena)

TEST(a_plain_ray) {
    test_accepted(&arena, RAY, 2, "{" LINE "}", &query);
    ck_assert_double_eq(query.ray.origin.y, 2);
    ck_assert_double_eq_tol(query.ray.direction.x, 0.6, 1e-15);
    ck_assert_double_eq_tol(query.ray.direction.y, 0.8, 1e-15);
    ck_assert(isinf(query.ray.max_distance));
    ck_assert_int_eq(query.mode, PROTO_RAY_CLOSEST);
    ck_assert(query.solid && !query.has_limit && !query.has_shapes);
    ck_assert_int_eq(query.target.kind, PROTO_OPERAND_ABSENT);
    test_accepted(&arena, RAY, 2,
                  "{" LINE ",'max_distance':null,'mode':null,'solid':null,'limit':null,"
                  "'shape':null,'target':null,'at':null,'filter':null,'options':null}",
                  &query);
    ck_assert(query.solid && isinf(query.ray.max_distance));
}

TEST(a_full_ray) {
    test_accepted(&arena, RAY, 3,
                  "{'origin':[0,0,0],'direction':[0,0,-1e-200],'max_distance':0,'mode':'all',"
                  "'solid':false,'limit':7,'at':{'tick':3},'filter':{'only_groups':['g']},"
                  "'options':{'max_iterations':9},'shape':{'type':'point'}}",
                  &query);
    ck_assert_double_eq(query.ray.direction.z, -1);
    ck_assert_double_eq(query.ray.max_distance, 0);
    ck_assert_int_eq(query.mode, PROTO_RAY_ALL);
    ck_assert(!query.solid);
    ck_assert_uint_eq(query.limit, 7);
    ck_assert(query.filter.has_only_groups);
    ck_assert_uint_eq(query.options.max_iterations, 9);
    ck_assert_int_eq(query.target.kind, PROTO_OPERAND_INLINE);
    ck_assert_uint_eq(query.target.shape.dimension, 3);
    test_accepted(&arena, RAY, 2, "{" LINE ",'mode':'any'}", &query);
    ck_assert_int_eq(query.mode, PROTO_RAY_ANY);
}

TEST_EACH(a_ray_at_a_stored_shape, 0, 3) {
    static const char *const bodies[] = {"{" LINE ",'target':'x'}", "{" LINE ",'shape':'x'}",
                                         "{" LINE ",'shape':{'id':'x','angle':1}}"};
    static const char *const members[] = {"target", "shape", "shape"};

    test_accepted(&arena, RAY, 2, bodies[_i], &query);
    ck_assert_int_eq(query.target.kind, PROTO_OPERAND_STORED);
    ck_assert_str_eq(query.target.id, "x");
    ck_assert_str_eq(query.target.member, members[_i]);
    ck_assert_int_eq(query.target.has_rotation, _i == 2);
}

TEST(a_ray_without_a_set) {
    test_accepted(&arena, RAY, 0, "{" LINE ",'shape':{'type':'point'}}", &query);
    ck_assert_uint_eq(query.dimension, 2);
    ck_assert_int_eq(query.target.kind, PROTO_OPERAND_INLINE);
    ck_assert(!query.has_shapes);
    test_accepted(&arena, RAY, 0,
                  "{'origin':[0,0,0],'direction':[0,0,1],'filter':{'mask':2},'shapes':{'b':"
                  "{'type':'point','category':2,'group':'g'},'B':{'type':'point'},'a/b':"
                  "{'type':'point'},'a':{'type':'sphere','radius':1}}}",
                  &query);
    ck_assert_uint_eq(query.dimension, 3);
    ck_assert(query.has_shapes);
    ck_assert_uint_eq(query.shape_count, 4);
    ck_assert_str_eq(query.shapes[0].id, "B"); /* bytewise */
    ck_assert_str_eq(query.shapes[1].id, "a");
    ck_assert_str_eq(query.shapes[2].id, "a/b");
    ck_assert_str_eq(query.shapes[3].id, "b");
    ck_assert_uint_eq(query.shapes[3].shape.category, 2);
    ck_assert_str_eq(query.shapes[3].shape.group, "g");
    ck_assert_uint_eq(query.shapes[1].shape.shape.dimension, 3);
    test_accepted(&arena, RAY, 0, "{" LINE ",'shapes':{}}", &query);
    ck_assert(query.has_shapes);
    ck_assert_uint_eq(query.shape_count, 0);
}

/* Members are found in small objects and in large ones. */
TEST(a_ray_at_many_shapes) {
    for (int count = 1; count <= 40; count++) {
        char text[4096] = "{'origin':[0,0,0],'direction':[0,0,1],'shapes':{";
        for (int i = 0; i < count; i++) {
            size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "%s'%c%d':{'type':'%s','radius':1}",
                     i > 0 ? "," : "", 'a' + i % 3, i, i < 39 ? "sphere" : "circle");
        }
        strcat(text, "}}");
        if (count < 40) {
            test_accepted(&arena, RAY, 0, text, &query);
            ck_assert_int_eq((int)query.shape_count, count);
            ck_assert_uint_eq(query.dimension, 3);
        } else {
            test_refused(&(struct test_refusal){"raycast", 0, text, "dimension-mismatch",
                                                "/shapes/a39/type", NULL});
        }
    }
}
