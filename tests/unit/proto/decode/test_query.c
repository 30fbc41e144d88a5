/* Are detect and distance understood in all their forms, and nothing else? */

#include <math.h>
#include <string.h>

#include "test_proto.h"

#define DETECT PROTO_OP_DETECT
#define DISTANCE PROTO_OP_DISTANCE
#define CIRCLE "{'type':'circle','radius':1}"
#define SPHERE "{'type':'sphere','radius':1}"

static struct gjk_arena arena;
static proto_query query;

static void set_up(void) {
    gjk_arena_init(&arena, 0);
}

static void tear_down(void) {
    gjk_arena_fini(&arena);
}

TEST_FIXTURE(set_up, tear_down)

static const struct query_refusal refusals[] = {
    /* members of each form */
    {DETECT, 2, "{'c':'x'}", PROTO_UNKNOWN_MEMBER, "/c"},
    {DETECT, 2, "{'dimension':2}", PROTO_UNKNOWN_MEMBER, "/dimension"},
    {DETECT, 2, "{'a':'x','max_distance':1}", PROTO_UNKNOWN_MEMBER, "/max_distance"},
    {DETECT, 0, "{'a':" CIRCLE ",'b':" CIRCLE ",'at':{'tick':1}}", PROTO_UNKNOWN_MEMBER, "/at"},
    {DETECT, 0, "{'against':'x'}", PROTO_UNKNOWN_MEMBER, "/against"},
    {DETECT, 0, "{'a':" CIRCLE ",'b':" CIRCLE ",'limit':1}", PROTO_UNKNOWN_MEMBER, "/limit"},
    {DISTANCE, 2, "{'a':'x','penetration':false}", PROTO_UNKNOWN_MEMBER, "/penetration"},
    {DISTANCE, 2, "{'a':'x','against':'y'}", PROTO_UNKNOWN_MEMBER, "/a"},
    {DISTANCE, 0, "{'a':" CIRCLE ",'b':" CIRCLE ",'against':'y'}", PROTO_UNKNOWN_MEMBER,
     "/against"},
    {DISTANCE, 2, "{'a':'x','against_at':{'tick':1}}", PROTO_UNKNOWN_MEMBER, "/against_at"},
    {DISTANCE, 2, "{'against':'y','against_at':{}}", PROTO_MISSING_MEMBER, "/against_at/tick"},
    {DISTANCE, 2, "{'a':'x','signed':1}", PROTO_WRONG_TYPE, "/signed"},
    {DETECT, 2, "{'relation':'within'}", PROTO_UNKNOWN_MEMBER, "/relation"},
    {DETECT, 2, "{'a':'x','relation':'near'}", PROTO_OUT_OF_RANGE, "/relation"},
    {DETECT, 2, "{'a':'x','include':['mega']}", PROTO_OUT_OF_RANGE, "/include/0"},
    {DISTANCE, 0, "{'a':" CIRCLE ",'b':" CIRCLE ",'max_distance':1}", PROTO_UNKNOWN_MEMBER,
     "/max_distance"},
    /* combinations */
    {DETECT, 2, "{'b':'x'}", PROTO_MISSING_MEMBER, "/a"},
    {DETECT, 2, "{'a':null,'b':'x'}", PROTO_MISSING_MEMBER, "/a"},
    {DETECT, 2, "{'a':'x','against':'y'}", PROTO_UNKNOWN_MEMBER, "/a"},
    {DETECT, 2, "{'b':'x','against':'y'}", PROTO_UNKNOWN_MEMBER, "/b"},
    {DETECT, 2, "{'a':'x','b':'y','limit':1}", PROTO_UNKNOWN_MEMBER, "/limit"},
    {DISTANCE, 2, "{}", PROTO_MISSING_MEMBER, "/a"},
    {DISTANCE, 2, "{'b':'x'}", PROTO_MISSING_MEMBER, "/a"},
    {DISTANCE, 2, "{'a':'x','b':'y','limit':1}", PROTO_UNKNOWN_MEMBER, "/limit"},
    {DISTANCE, 2, "{'a':'x','b':'y','max_distance':1}", PROTO_UNKNOWN_MEMBER, "/max_distance"},
    {DETECT, 0, "{}", PROTO_MISSING_MEMBER, "/a"},
    {DETECT, 0, "{'a':" CIRCLE "}", PROTO_MISSING_MEMBER, "/b"},
    {DISTANCE, 0, "{'b':" CIRCLE "}", PROTO_MISSING_MEMBER, "/a"},
    {DISTANCE, 0, "{'a':" CIRCLE "}", PROTO_MISSING_MEMBER, "/b"},
    /* operands */
    {DETECT, 2, "{'a':5}", PROTO_WRONG_TYPE, "/a"},
    {DETECT, 2, "{'a':['x']}", PROTO_WRONG_TYPE, "/a"},
    {DETECT, 2, "{'a':''}", PROTO_BAD_NAME, "/a"},
    {DETECT, 2, "{'a':'x/../y'}", PROTO_BAD_NAME, "/a"},
    {DETECT, 2, "{'a':{}}", PROTO_MISSING_MEMBER, "/a/type"},
    {DETECT, 2, "{'a':{'id':5}}", PROTO_WRONG_TYPE, "/a/id"},
    {DETECT, 2, "{'a':{'id':'a b'}}", PROTO_BAD_NAME, "/a/id"},
    {DETECT, 2, "{'a':{'id':null}}", PROTO_MISSING_MEMBER, "/a/id"},
    {DETECT, 2, "{'a':{'id':'x','type':'point'}}", PROTO_UNKNOWN_MEMBER, "/a/type"},
    {DETECT, 2, "{'a':{'id':'x','rounding':1}}", PROTO_UNKNOWN_MEMBER, "/a/rounding"},
    {DETECT, 2, "{'a':{'id':'x','position':[1,2,3]}}", PROTO_DIMENSION_MISMATCH, "/a/position"},
    {DETECT, 3, "{'a':{'id':'x','angle':1}}", PROTO_DIMENSION_MISMATCH, "/a/angle"},
    {DETECT, 3, "{'b':{'id':'x','orientation':[1,1,1,1]},'a':'y'}", PROTO_BAD_ORIENTATION,
     "/b/orientation"},
    {DETECT, 2, "{'a':{'type':'circle','radius':-1}}", PROTO_OUT_OF_RANGE, "/a/radius"},
    {DETECT, 2, "{'a':{'type':'circle','radius':1,'handle':7}}", PROTO_UNKNOWN_MEMBER, "/a/handle"},
    {DETECT, 2, "{'a':{'type':'circle','radius':1,'category':-1}}", PROTO_OUT_OF_RANGE,
     "/a/category"},
    {DISTANCE, 2, "{'a':'x','b':{'type':'polygon','vertices':[[0,0],[2,0],[1,0.5],[2,2]]}}",
     PROTO_NOT_CONVEX, "/b/vertices/2"},
    {DETECT, 0, "{'a':'x','b':" CIRCLE "}", PROTO_WRONG_TYPE, "/a"},
    {DETECT, 0, "{'a':" CIRCLE ",'b':{'id':'x'}}", PROTO_WRONG_TYPE, "/b"},
    /* values */
    {DETECT, 2, "{'against':5}", PROTO_WRONG_TYPE, "/against"},
    {DETECT, 2, "{'against':'.x'}", PROTO_BAD_NAME, "/against"},
    {DETECT, 2, "{'against':'x\\u0000'}", PROTO_BAD_NAME, "/against"},
    {DETECT, 2, "{'penetration':1}", PROTO_WRONG_TYPE, "/penetration"},
    {DETECT, 2, "{'limit':0}", PROTO_OUT_OF_RANGE, "/limit"},
    {DETECT, 2, "{'limit':-1}", PROTO_OUT_OF_RANGE, "/limit"},
    {DETECT, 2, "{'limit':1.5}", PROTO_WRONG_TYPE, "/limit"},
    {DETECT, 2, "{'limit':'1'}", PROTO_WRONG_TYPE, "/limit"},
    {DETECT, 2, "{'limit':9007199254740994}", PROTO_OUT_OF_RANGE, "/limit"},
    {DISTANCE, 2, "{'a':'x','max_distance':-1}", PROTO_OUT_OF_RANGE, "/max_distance"},
    {DISTANCE, 2, "{'a':'x','max_distance':'1'}", PROTO_WRONG_TYPE, "/max_distance"},
    {DETECT, 2, "{'trace':true}", PROTO_UNKNOWN_MEMBER, "/trace"},
    {DETECT, 2, "{'a':'x','trace':true}", PROTO_UNKNOWN_MEMBER, "/trace"},
    {DETECT, 2, "{'against':'x','trace':true}", PROTO_UNKNOWN_MEMBER, "/trace"},
    {DISTANCE, 2, "{'a':'x','limit':2,'trace':true}", PROTO_UNKNOWN_MEMBER, "/trace"},
    {DISTANCE, 2, "{'a':'x','b':'y','trace':1}", PROTO_WRONG_TYPE, "/trace"},
    {DETECT, 2, "{'trace':'no'}", PROTO_WRONG_TYPE, "/trace"},
    {DETECT, 2, "{'at':5}", PROTO_WRONG_TYPE, "/at"},
    {DETECT, 2, "{'at':{}}", PROTO_MISSING_MEMBER, "/at/tick"},
    {DETECT, 2, "{'at':{'tick':'1'}}", PROTO_WRONG_TYPE, "/at/tick"},
    {DETECT, 2, "{'at':{'tick':-0.5}}", PROTO_OUT_OF_RANGE, "/at/tick"},
    {DETECT, 2, "{'at':{'tock':1}}", PROTO_UNKNOWN_MEMBER, "/at/tock"},
    {DETECT, 2, "{'options':[]}", PROTO_WRONG_TYPE, "/options"},
    {DETECT, 2, "{'options':{'tol':1}}", PROTO_UNKNOWN_MEMBER, "/options/tol"},
    {DETECT, 2, "{'options':{'tolerance':0}}", PROTO_OUT_OF_RANGE, "/options/tolerance"},
    {DETECT, 2, "{'options':{'tolerance':-1e-12}}", PROTO_OUT_OF_RANGE, "/options/tolerance"},
    {DETECT, 2, "{'options':{'tolerance':0.010000000000000002}}", PROTO_OUT_OF_RANGE,
     "/options/tolerance"},
    {DETECT, 2, "{'options':{'max_iterations':4}}", PROTO_OUT_OF_RANGE, "/options/max_iterations"},
    {DETECT, 2, "{'options':{'max_iterations':1001}}", PROTO_OUT_OF_RANGE,
     "/options/max_iterations"},
    {DETECT, 2, "{'options':{'max_iterations':5.5}}", PROTO_WRONG_TYPE, "/options/max_iterations"},
    {DETECT, 2, "{'filter':'x'}", PROTO_WRONG_TYPE, "/filter"},
    {DETECT, 2, "{'filter':{'group':'x'}}", PROTO_UNKNOWN_MEMBER, "/filter/group"},
    {DETECT, 2, "{'filter':{'category':4294967296}}", PROTO_OUT_OF_RANGE, "/filter/category"},
    {DETECT, 2, "{'filter':{'mask':-1}}", PROTO_OUT_OF_RANGE, "/filter/mask"},
    {DETECT, 2, "{'filter':{'ignore':'x'}}", PROTO_WRONG_TYPE, "/filter/ignore"},
    {DETECT, 2, "{'filter':{'ignore':['x',5]}}", PROTO_WRONG_TYPE, "/filter/ignore/1"},
    {DETECT, 2, "{'filter':{'ignore':['x',null]}}", PROTO_WRONG_TYPE, "/filter/ignore/1"},
    {DETECT, 2, "{'filter':{'ignore_groups':['']}}", PROTO_BAD_NAME, "/filter/ignore_groups/0"},
    {DETECT, 2, "{'filter':{'only_groups':['..']}}", PROTO_BAD_NAME, "/filter/only_groups/0"},
    /* dimensions without a set */
    {DETECT, 0, "{'dimension':4,'a':" CIRCLE ",'b':" CIRCLE "}", PROTO_OUT_OF_RANGE, "/dimension"},
    {DETECT, 0, "{'dimension':1}", PROTO_OUT_OF_RANGE, "/dimension"},
    {DETECT, 0, "{'dimension':'2'}", PROTO_WRONG_TYPE, "/dimension"},
    {DETECT, 0, "{'dimension':2.5}", PROTO_WRONG_TYPE, "/dimension"},
    {DETECT, 0, "{'dimension':3,'a':" CIRCLE ",'b':" CIRCLE "}", PROTO_DIMENSION_MISMATCH,
     "/a/type"},
    {DETECT, 0, "{'a':" CIRCLE ",'b':" SPHERE "}", PROTO_DIMENSION_MISMATCH, "/b/type"},
    {DETECT, 0, "{'b':" CIRCLE ",'a':" SPHERE "}", PROTO_DIMENSION_MISMATCH, "/b/type"},
    {DETECT, 0, "{'a':" CIRCLE ",'b':{'type':'point','position':[1,2,3]}}",
     PROTO_DIMENSION_MISMATCH, "/b/position"},
    {DETECT, 0, "{'a':{'type':'hull','points':[[1,2,3],[1,2]]},'b':" SPHERE "}",
     PROTO_DIMENSION_MISMATCH, "/a/points/1"},
    {DETECT, 0,
     "{'a':{'type':'box','half_extents':[1,2]},'b':{'type':'box','half_extents':"
     "[1,2,3]}}",
     PROTO_DIMENSION_MISMATCH, "/b/half_extents"},
    {DETECT, 0, "{'a':{'type':'point'},'b':{'type':'point','orientation':[0,0,0,1]}}",
     PROTO_DIMENSION_MISMATCH, "/b/orientation"},
    {DETECT, 0, "{'a':" SPHERE ",'b':{'type':'slice','radius':1,'theta':1}}",
     PROTO_DIMENSION_MISMATCH, "/b/type"},
    {DETECT, 0, "{'a':" CIRCLE ",'b':{'type':'cone','a':[0,0,0],'b':[0,0,1],'radius':1}}",
     PROTO_DIMENSION_MISMATCH, "/b/type"},
    {DETECT, 0, "{'a':{'type':'point','position':[0,0]},'b':{'type':'torus','radii':[1,2,3]}}",
     PROTO_DIMENSION_MISMATCH, "/b/radii"},
    {DISTANCE, 2, "{'a':'x','b':{'type':'ellipse','radii':[1,0]}}", PROTO_OUT_OF_RANGE,
     "/b/radii/1"},
    {DISTANCE, 3, "{'a':{'type':'cone','a':[1,1,1],'b':[1,1,1],'radius':1},'b':'x'}",
     PROTO_OUT_OF_RANGE, "/a/b"},
};

TEST_EACH(faults_are_named, 0, COUNT_OF(refusals)) {
    test_refused(&refusals[_i], NULL);
}

TEST(hints_help) {
    const struct query_refusal toleranc = {DETECT, 2, "{'options':{'toleranc':1}}",
                                           PROTO_UNKNOWN_MEMBER, "/options/toleranc"};
    const struct query_refusal nothing_near = {DETECT, 2, "{'options':{'x':1}}",
                                               PROTO_UNKNOWN_MEMBER, "/options/x"};
    const struct query_refusal no_pair = {DETECT, 2, "{'a':'x','trace':true}", PROTO_UNKNOWN_MEMBER,
                                          "/trace"};
    const struct query_refusal no_set = {DETECT, 0, "{'a':'x','b':'y'}", PROTO_WRONG_TYPE, "/a"};

    test_refused(&toleranc, "did you mean \"tolerance\"?");
    test_refused(&nothing_near, "known members: tolerance, max_iterations");
    test_refused(&no_pair, "give \"a\" and \"b\" to have that pair traced");
    test_refused(&no_set, "give an object with \"type\", or ask /v1/sets/{set}/...");
}

/* A stored operand has an "id", an inline one a "type": which was meant, when neither is there? */
TEST(hints_know_both_forms_of_an_operand) {
    const struct query_refusal neither = {DETECT, 2, "{'a':{'position':[0,0]}}",
                                          PROTO_MISSING_MEMBER, "/a/type"};
    const struct query_refusal idd = {DETECT, 3, "{'a':{'idd':'x'}}", PROTO_UNKNOWN_MEMBER,
                                      "/a/idd"};
    const struct query_refusal typ = {DETECT, 0, "{'a':{'typ':'circle','radius':1}}",
                                      PROTO_UNKNOWN_MEMBER, "/a/typ"};
    const struct query_refusal no_set = {DETECT, 0, "{'a':{'idd':'x'}}", PROTO_UNKNOWN_MEMBER,
                                         "/a/idd"};

    test_refused(&neither, "an inline shape has \"type\", a stored one \"id\"");
    test_refused(&idd, "did you mean \"id\"?");
    test_refused(&typ, "did you mean \"type\"?");
    test_refused(&no_set,
                 "known members: type, rounding, position, angle, category, mask, group, "
                 "meta, radius, a, b, half_extents, vertices, c, points, radii, width, "
                 "height, theta, parts, closed, polygons, rings, fill, triangles, one_sided, "
                 "materials, weld, columns, rows, spacing, heights");
}

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
    ck_assert_str_eq(query.a.pointer, "/a");
    ck_assert(!query.a.has_position && !query.a.has_rotation);
    ck_assert_int_eq(query.b.kind, PROTO_OPERAND_STORED);
    ck_assert_str_eq(query.b.id, "crate/2");
    ck_assert_str_eq(query.b.pointer, "/b");
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
    ck_assert(query.has_limit && !query.penetration);
    ck_assert_uint_eq(query.limit, 3);
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
