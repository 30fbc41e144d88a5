/* Are detect and distance understood in all their forms, and nothing else? */

#include <math.h>
#include <string.h>

#include "test_proto.h"

#define DETECT PROTO_OP_DETECT
#define DISTANCE PROTO_OP_DISTANCE
#define CIRCLE "{'type':'circle','radius':1}"
#define SPHERE "{'type':'sphere','radius':1}"

static proto_query query;
TEST_ARENA(arena)

TEST(an_empty_query_has_the_defaults) {
    test_accepted(&arena, DETECT, 3, "{}", &query);
    ck_assert_uint_eq(query.dimension, 3);
    ck_assert(!query.at.given && !query.has_limit && !query.trace && query.penetration);
    ck_assert_int_eq(query.a.kind, PROTO_OPERAND_ABSENT);
    ck_assert_int_eq(query.b.kind, PROTO_OPERAND_ABSENT);
    ck_assert_ptr_null(query.against);
    ck_assert_uint_eq(query.filter.category, 4294967295);
    ck_assert_uint_eq(query.filter.mask, 4294967295);
    ck_assert(!query.filter.has_only_groups);
    ck_assert_uint_eq(query.filter.ignore_count, 0);
    ck_assert_double_eq(query.options.tolerance, 1e-10);
    ck_assert_uint_eq(query.options.max_iterations, 100);
    ck_assert(isinf(query.max_distance));
}

TEST(nulls_are_absent) {
    test_accepted(&arena, DETECT, 2,
                  "{'a':null,'b':null,'against':null,'penetration':null,'limit':null,'at':null,"
                  "'filter':null,'options':null,'trace':null}",
                  &query);
    ck_assert(!query.at.given && !query.has_limit && !query.trace && query.penetration);
    ck_assert_int_eq(query.a.kind, PROTO_OPERAND_ABSENT);
    test_accepted(&arena, DETECT, 2,
                  "{'filter':{'category':null,'mask':null,'ignore':null,'ignore_groups':null,"
                  "'only_groups':null},'options':{'tolerance':null,'max_iterations':null}}",
                  &query);
    ck_assert(!query.filter.has_only_groups);
    ck_assert_double_eq(query.options.tolerance, 1e-10);
}

TEST(stored_operands) {
    test_accepted(&arena, DISTANCE, 2,
                  "{'a':'crate-1','b':{'id':'crate/2','position':[3,4],'angle':0}}", &query);
    ck_assert_int_eq(query.a.kind, PROTO_OPERAND_STORED);
    ck_assert_str_eq(query.a.id, "crate-1");
    ck_assert_str_eq(query.a.member, "a");
    ck_assert(!query.a.has_position && !query.a.has_rotation);
    ck_assert_int_eq(query.b.kind, PROTO_OPERAND_STORED);
    ck_assert_str_eq(query.b.id, "crate/2");
    ck_assert_str_eq(query.b.member, "b");
    ck_assert(query.b.has_position && query.b.has_rotation);
    ck_assert_double_eq(query.b.pose.position.y, 4);
    test_accepted(&arena, DISTANCE, 3, "{'a':{'id':'x','orientation':[1,0,0,0]}}", &query);
    ck_assert(!query.a.has_position && query.a.has_rotation);
    ck_assert_double_eq(query.a.pose.rotation.r1.y, -1);
    test_accepted(&arena, DISTANCE, 3, "{'a':{'id':'x','position':[0,0,1],'orientation':null}}",
                  &query);
    ck_assert(query.a.has_position && !query.a.has_rotation);
}

TEST(inline_operands) {
    test_accepted(&arena, DETECT, 2,
                  "{'a':{'type':'circle','radius':2,'position':[5,6],'group':'g','category':2,"
                  "'mask':3,'meta':{'x':[null]}},'b':'y'}",
                  &query);
    ck_assert_int_eq(query.a.kind, PROTO_OPERAND_INLINE);
    ck_assert_double_eq(query.a.shape.radius, 2);
    ck_assert_double_eq(query.a.pose.position.x, 5);
    ck_assert_int_eq(query.b.kind, PROTO_OPERAND_STORED);
}

TEST(forms_of_detect) {
    test_accepted(&arena, DETECT, 2, "{'against':'other.set','limit':3,'penetration':false}",
                  &query);
    ck_assert_str_eq(query.against, "other.set");
    ck_assert(query.has_limit && !query.penetration && !query.of_pieces);
    ck_assert_uint_eq(query.limit, 3);
    test_accepted(&arena, DETECT, 2, "{'a':'x','penetration':'pieces'}", &query);
    ck_assert(query.penetration && query.of_pieces);
    test_accepted(&arena, DETECT, 2, "{'a':'x','limit':9007199254740992}", &query);
    ck_assert_uint_eq(query.limit, UINT64_C(1) << 53);
    test_accepted(&arena, DETECT, 2, "{'a':'x','b':'x','trace':false}", &query);
    ck_assert(!query.trace);
    test_accepted(&arena, DISTANCE, 2, "{'a':'x','limit':1,'max_distance':0}", &query);
    ck_assert_double_eq(query.max_distance, 0);
}

TEST(pairs_can_be_traced) {
    test_accepted(&arena, DETECT, 2, "{'a':'x','b':'x','trace':true}", &query);
    ck_assert(query.trace);
    test_accepted(&arena, DISTANCE, 0, "{'a':" CIRCLE ",'b':" CIRCLE ",'trace':true}", &query);
    ck_assert(query.trace);
    test_accepted(&arena, DETECT, 2, "{'trace':false}", &query);
    ck_assert(!query.trace);
}

TEST(filters) {
    test_accepted(&arena, DETECT, 2,
                  "{'filter':{'category':0,'mask':4294967295,'ignore':['b/c','a'],"
                  "'ignore_groups':['g'],'only_groups':[]}}",
                  &query); /* lists come out in order */
    ck_assert_uint_eq(query.filter.category, 0);
    ck_assert_uint_eq(query.filter.mask, 4294967295);
    ck_assert_uint_eq(query.filter.ignore_count, 2);
    ck_assert_str_eq(query.filter.ignore[1], "b/c");
    ck_assert_uint_eq(query.filter.ignore_groups_count, 1);
    ck_assert_str_eq(query.filter.ignore_groups[0], "g");
    ck_assert(query.filter.has_only_groups);
    ck_assert_uint_eq(query.filter.only_groups_count, 0);
}

TEST(bounds_of_options_are_included) {
    test_accepted(&arena, DETECT, 2, "{'options':{'tolerance':0.01,'max_iterations':5}}", &query);
    ck_assert_double_eq(query.options.tolerance, 0.01);
    ck_assert_uint_eq(query.options.max_iterations, 5);
    test_accepted(&arena, DETECT, 2, "{'options':{'tolerance':5e-324,'max_iterations':1000}}",
                  &query);
    ck_assert_double_gt(query.options.tolerance, 0);
    ck_assert_uint_eq(query.options.max_iterations, 1000);
}

TEST(ticks_have_decimals) {
    test_accepted(&arena, DETECT, 2, "{'at':{'tick':12.5}}", &query);
    ck_assert(query.at.given);
    ck_assert_double_eq(query.at.tick, 12.5);
    test_accepted(&arena, DETECT, 2, "{'at':{'tick':0}}", &query);
    ck_assert(query.at.given);
}

TEST(dimension_without_a_set) {
    static const struct {
        const char *body;
        uint32_t dimension;
    } rows[] = {
        {"{'a':{'type':'point'},'b':{'type':'point'}}", 2},
        {"{'dimension':3,'a':{'type':'point'},'b':{'type':'point'}}", 3},
        {"{'dimension':null,'a':{'type':'point'},'b':{'type':'point'}}", 2},
        {"{'a':" SPHERE ",'b':{'type':'point'}}", 3},
        {"{'a':{'type':'point'},'b':" CIRCLE "}", 2},
        {"{'a':{'type':'point'},'b':{'type':'point','position':[1,2,3]}}", 3},
        {"{'a':{'type':'point'},'b':{'type':'segment','a':[0,0,0],'b':[0,0,1]}}", 3},
        {"{'a':{'type':'hull','points':[[0,0,0]]},'b':{'type':'point'}}", 3},
        {"{'a':{'type':'box','half_extents':[1,1]},'b':{'type':'point'}}", 2},
        {"{'a':{'type':'ellipse','radii':[1,2]},'b':{'type':'point'}}", 2},
        {"{'a':{'type':'point'},'b':{'type':'half_ellipse','width':1,'height':1}}", 2},
        {"{'a':{'type':'point'},'b':{'type':'slice','radius':1,'theta':1}}", 2},
        {"{'a':{'type':'point'},'b':{'type':'ellipsoid','radii':[1,2,3]}}", 3},
        {"{'a':{'type':'cylinder','a':[0,0,0],'b':[0,0,1],'radius':1},'b':{'type':'point'}}", 3},
        {"{'a':{'type':'point'},'b':{'type':'cone','a':[0,0,0],'b':[0,0,1],'radius':1}}", 3},
    };

    for (int i = 0; i < COUNT_OF(rows); i++) {
        test_accepted(&arena, DISTANCE, 0, rows[i].body, &query);
        ck_assert_uint_eq(query.dimension, rows[i].dimension);
        ck_assert_uint_eq(query.a.shape.dimension, rows[i].dimension);
        ck_assert_uint_eq(query.b.shape.dimension, rows[i].dimension);
    }
}
