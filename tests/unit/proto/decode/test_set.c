/* Is a set taken as it was given, and can what GET answered be PUT again as it stands? */

#include <stdio.h>
#include <string.h>

#include "test_proto.h"

TEST_ARENA(arena)

TEST_EACH(an_empty_set, 0, 3) {
    static const char *const bodies[] =
        {"{'dimension':3}", "{'dimension':3,'shapes':{}}",
         "{'dimension':3,'shapes':null,'history':null,'meta':null,'name':null}"};
    proto_set set;

    test_set_accepted(&arena, bodies[_i], &set);
    ck_assert_uint_eq(set.dimension, 3);
    ck_assert_uint_eq(set.shape_count, 0);
    ck_assert(!set.has_history);
    ck_assert_ptr_null(set.meta.data);
}

TEST(read_only_members_are_not_believed) {
    proto_set set;

    test_set_accepted(&arena,
                      "{'name':'arena','dimension':2,'revision':'x','tick':[],'ticks':{'a':1},"
                      "'shapes':{'s':{'type':'point','handle':-5}}}",
                      &set);
    ck_assert_uint_eq(set.shape_count, 1);
    ck_assert_uint_eq(set.shapes[0].shape.definition.length, strlen("{'type':'point'}"));
}

TEST_EACH(history_bounds, 0, 4) {
    static const uint32_t bounds[] = {0, 1, 4095, 4096};
    char body[100];
    proto_set set;

    snprintf(body, sizeof body, "{'dimension':2,'history':{'ticks':%u}}", bounds[_i]);
    test_set_accepted(&arena, body, &set);
    ck_assert(set.has_history);
    ck_assert_uint_eq(set.history_ticks, bounds[_i]);
}

TEST(shapes_are_sorted_and_limited) {
    const char *body = "{'dimension':2,'shapes':{'b':{'type':'point'},'a':{'type':'point'},"
                       "'Z':{'type':'point'},'a-':{'type':'point'},'a/b':{'type':'point'}}}";
    static const char *const order[] = {"Z", "a", "a-", "a/b", "b"};
    proto_limits limits = proto_limits_default();
    struct proto_problem problem = {0};
    proto_set set;

    test_set_accepted(&arena, body, &set);
    ck_assert_uint_eq(set.shape_count, 5);
    for (int i = 0; i < 5; i++)
        ck_assert_str_eq(set.shapes[i].id, order[i]);
    for (limits.shapes_per_set_max = 4; limits.shapes_per_set_max <= 6;
         limits.shapes_per_set_max++) {
        bool is_decoded =
            proto_decode_set(test_text(&arena, body), "arena", &limits, &arena, &set, &problem);
        ck_assert_int_eq(is_decoded, limits.shapes_per_set_max >= 5);
    }
    ck_assert_int_eq(problem.code, PROTO_TOO_MANY);
    ck_assert_str_eq(problem.pointer, "/shapes");
    ck_assert(problem.has_limit);
    ck_assert_uint_eq(problem.limit, 4);
}

TEST(ids_have_a_limit) {
    char body[400], id[130];
    proto_set set;

    for (int length = 127; length <= 129; length++) {
        memset(id, 'i', sizeof id);
        id[length] = '\0';
        snprintf(body, sizeof body, "{'dimension':2,'shapes':{'%s':{'type':'point'}}}", id);
        if (length <= 128) {
            test_set_accepted(&arena, body, &set);
            ck_assert_str_eq(set.shapes[0].id, id);
        } else {
            char pointer[PROTO_POINTER_MAX];
            snprintf(pointer, sizeof pointer, "/shapes/%s", id);
            test_refused(&(struct test_refusal){"set", 0, body, "bad-name", pointer, NULL});
        }
    }
}

static void check_definition(const char *shape, const char *expected) {
    char body[1000];
    proto_set set;

    snprintf(body, sizeof body, "{'dimension':2,'shapes':{'s':%s}}", shape);
    test_set_accepted(&arena, body, &set);
    proto_text definition = set.shapes[0].shape.definition;
    proto_text text = test_text(&arena, expected);
    ck_assert_msg(definition.length == text.length &&
                      memcmp(definition.data, text.data, text.length) == 0,
                  "%s, expected %s", definition.data, text.data);
}

TEST(definitions_are_what_was_given) {
    check_definition("{ 'type' : 'circle',\n 'radius': 5.0 }", "{'type':'circle','radius':5}");
    check_definition("{'radius':1e20,'handle':3,'group':null,'type':'circle'}",
                     "{'type':'circle','radius':1e+20}");
    check_definition("{'mask':4294967295,'type':'point','position':[-0,-0.0],'angle':0.1}",
                     "{'type':'point','mask':4294967295}");
    check_definition("{'type':'point','meta':{'b':null,'a':[true,false,{},[],-1.5e-7,'\\u00e4"
                     "\\u0000\\n/'],'handle':1}}",
                     "{'type':'point','meta':{'b':null,'a':[true,false,{},[],-1.5e-07,'\xC3\xA4"
                     "\\u0000\\n/'],'handle':1}}");
    check_definition("{'height':1e-5,'rounding':0,'type':'half_ellipse','width':2.50}",
                     "{'type':'half_ellipse','width':2.5,'height':1e-05,'rounding':0}");
    check_definition("{'type':'slice','theta':3.14159265358979323846,'radius':1}",
                     "{'type':'slice','radius':1,'theta':3.1415926535897931}");
    check_definition("{'type':'point','meta':'any JSON'}", "{'type':'point','meta':'any JSON'}");
}

/* The text that GET would answer. */
static struct proto_buffer encode(const proto_set *set) {
    proto_set_head head = {
        .summary = {"arena", set->dimension, 7, set->shape_count, 999, {0, 0, 0}},
        .has_history = set->has_history,
        .history_ticks = set->history_ticks,
        .meta = set->meta,
    };
    struct proto_buffer out;

    proto_buffer_init(&out, &arena);
    proto_encode_set_begin(&out, &head);
    for (uint32_t i = 0; i < set->shape_count; i++) {
        const proto_shape *shape = &set->shapes[i].shape;
        const proto_stored stored = {shape->definition, shape->place, NULL, &shape->shape};
        proto_encode_set_shape(&out, set->shapes[i].id, set->dimension, &stored, i + 1);
    }
    proto_encode_shapes_end(&out);
    return out;
}

TEST(what_get_answers_can_be_put) {
    const proto_limits limits = proto_limits_default();
    struct proto_problem problem = {0};
    proto_set set, again;

    test_set_accepted(&arena,
                      "{'dimension':2,'history':{'ticks':64},'meta':{'by':'\\u20ac','n':[1e300]},"
                      "'shapes':{'b':{'type':'box','half_extents':[0.1,2],'angle':3.3,'group':'g'},"
                      "'a':{'type':'hull','points':[[0,0],[1,1e-17]],'meta':{}}}}",
                      &set);
    struct proto_buffer first = encode(&set);
    test_wrote(&first,
               "{'name':'arena','dimension':2,'revision':7,'tick':null,'ticks':null,'history':"
               "{'ticks':64},'meta':{'by':'\xE2\x82\xAC','n':[1e+300]},'shapes':{'a':{'type':"
               "'hull','points':[[0,0],[1,1e-17]],'meta':{},'handle':1},'b':{'type':'box',"
               "'half_extents':[0.1,2],'group':'g','angle':3.3,'handle':2}}}");
    ck_assert(proto_decode_set((proto_text){first.data, first.length}, "arena", &limits, &arena,
                               &again, &problem));
    struct proto_buffer second = encode(&again);
    ck_assert_uint_eq(second.length, first.length);
    ck_assert_mem_eq(second.data, first.data, first.length);
}

TEST(an_empty_set_is_told) {
    proto_set set;

    test_set_accepted(&arena, "{'dimension':3}", &set);
    struct proto_buffer out = encode(&set);
    test_wrote(&out, "{'name':'arena','dimension':3,'revision':7,'tick':null,'ticks':null,"
                     "'shapes':{}}");
}
