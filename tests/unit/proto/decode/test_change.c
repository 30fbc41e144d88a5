/* What do patches make of what is stored? RFC 7396's own examples, and the rules for shapes. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test_proto.h"

TEST_ARENA(arena)

static struct proto_problem problem;

static void accepted(proto_change_form form, const char *name, const char *body, proto_edits *out) {
    bool taken = test_change(&arena, form, name, test_text(&arena, body), NULL, out, &problem);
    ck_assert_msg(taken, "%s: %s: %s", body, problem.pointer, problem.detail);
}

static void says(proto_text text, const char *expected) {
    proto_text wanted = test_text(&arena, expected);
    ck_assert_msg(text.length == wanted.length && memcmp(text.data, wanted.data, text.length) == 0,
                  "%.*s, expected %s", (int)text.length, text.data, expected);
}

/* --- RFC 7396, appendix A --- */

/* Each as the meta of a set, which may be any value. A result of null is no meta. */
static const struct {
    const char *original, *patch, *result;
} examples[] = {
    {"{'a':'b'}", "{'a':'c'}", "{'a':'c'}"},
    {"{'a':'b'}", "{'b':'c'}", "{'a':'b','b':'c'}"},
    {"{'a':'b'}", "{'a':null}", "{}"},
    {"{'a':'b','b':'c'}", "{'a':null}", "{'b':'c'}"},
    {"{'a':['b']}", "{'a':'c'}", "{'a':'c'}"},
    {"{'a':'c'}", "{'a':['b']}", "{'a':['b']}"},
    {"{'a':{'b':'c'}}", "{'a':{'b':'d','c':null}}", "{'a':{'b':'d'}}"},
    {"{'a':[{'b':'c'}]}", "{'a':[1]}", "{'a':[1]}"},
    {"['a','b']", "['c','d']", "['c','d']"},
    {"{'a':'b'}", "['c']", "['c']"},
    {"{'a':'foo'}", "null", NULL},
    {"{'a':'foo'}", "'bar'", "'bar'"},
    {"{'e':null}", "{'a':1}", "{'e':null,'a':1}"},
    {"[1,2]", "{'a':'b','c':null}", "{'a':'b'}"},
    {"{}", "{'a':{'bb':{'ccc':null}}}", "{'a':{'bb':{}}}"},
    /* section 1 */
    {"{'a':'b','c':{'d':'e','f':'g'}}", "{'a':'z','c':{'f':null}}", "{'a':'z','c':{'d':'e'}}"},
    /* section 3 */
    {"{'title':'Goodbye!','author':{'givenName':'John','familyName':'Doe'},'tags':['example',"
     "'sample'],'content':'This will be unchanged'}",
     "{'title':'Hello!','phoneNumber':'+01-123-456-7890','author':{'familyName':null},'tags':["
     "'example']}",
     "{'title':'Hello!','author':{'givenName':'John'},'tags':['example'],'content':'This will be "
     "unchanged','phoneNumber':'+01-123-456-7890'}"},
};

TEST_EACH(examples_of_the_standard, 0, COUNT_OF(examples)) {
    char body[1000];
    proto_edits edits;

    snprintf(body, sizeof body, "{'dimension':2,'meta':%s}", examples[_i].original);
    test_keep(&arena, body);
    snprintf(body, sizeof body, "{'meta':%s}", examples[_i].patch);
    accepted(PROTO_PATCH_SET, NULL, body, &edits);
    ck_assert(edits.sets_meta && !edits.sets_history);
    ck_assert_uint_eq(edits.count, 0);
    if (examples[_i].result == NULL)
        ck_assert_ptr_null(edits.meta.data);
    else
        says(edits.meta, examples[_i].result);
}

/* --- Shapes --- */

TEST(a_move_keeps_the_rest) {
    proto_edits edits;

    test_keep_box(&arena);
    accepted(PROTO_PATCH_SET, NULL, "{'shapes':{'box':{'angle':2}}}", &edits);
    ck_assert_uint_eq(edits.count, 1);
    ck_assert_int_eq(edits.items[0].kind, PROTO_EDIT_MOVE);
    const proto_place *place = &edits.items[0].place;
    ck_assert(place->has_position && place->has_rotation);
    ck_assert_double_eq(place->pose.position.x, 3);
    ck_assert(signbit(place->pose.position.y));
    ck_assert_double_eq(place->pose.turn.angle, 2);

    accepted(PROTO_PATCH_SHAPE, "box", "{'position':null,'handle':5}", &edits);
    ck_assert_int_eq(edits.items[0].kind, PROTO_EDIT_MOVE);
    ck_assert(!edits.items[0].place.has_position && edits.items[0].place.has_rotation);
    ck_assert_double_eq(edits.items[0].place.pose.position.x, 0);
    ck_assert_double_eq(edits.items[0].place.pose.turn.angle, 1);
}

TEST(the_rest_keeps_the_place) {
    proto_edits edits;

    test_keep_box(&arena);
    accepted(PROTO_PATCH_SHAPE, "box", "{'half_extents':[9,9],'position':[8,8]}", &edits);
    ck_assert_int_eq(edits.items[0].kind, PROTO_EDIT_DEFINE);
    const proto_shape *shape = edits.items[0].shape;
    says(shape->definition, "{'type':'box','half_extents':[9,9],'rounding':0.5,'mask':7,"
                            "'group':'g','meta':{'hp':5}}");
    ck_assert_double_eq(shape->place.pose.position.x, 8);
    ck_assert_double_eq(shape->place.pose.turn.angle, 1);
    ck_assert(shape->place.has_rotation);
    ck_assert_double_eq(shape->shape.half_extents.x, 9.5);
    ck_assert_str_eq(shape->group, "g");
}

TEST(a_type_drops_the_geometry) {
    proto_edits edits;

    test_keep_box(&arena);
    accepted(PROTO_PATCH_SET, NULL,
             "{'shapes':{'box':{'type':'capsule','a':[0,0],'b':[1,0],'radius':1}}}", &edits);
    says(edits.items[0].shape->definition,
         "{'type':'capsule','a':[0,0],'b':[1,0],'radius':1,'rounding':0.5,'mask':7,'group':'g',"
         "'meta':{'hp':5}}");
}

TEST(edits_come_in_order) {
    static const char *const ids[] = {"Z", "a", "b", "box", "dot"};
    static const proto_edit_kind kinds[] = {PROTO_EDIT_DEFINE, PROTO_EDIT_DEFINE, PROTO_EDIT_DEFINE,
                                            PROTO_EDIT_MOVE, PROTO_EDIT_REMOVE};
    proto_edits edits;

    test_keep_box(&arena);
    accepted(PROTO_PATCH_SET, NULL,
             "{'shapes':{'dot':null,'b':{'type':'point'},'nobody':null,'a':{'type':'point'},"
             "'box':{'angle':1},'Z':{'type':'point','meta':{'x':null}}}}",
             &edits);
    ck_assert_uint_eq(edits.count, 5);
    for (int i = 0; i < 5; i++) {
        ck_assert_str_eq(edits.items[i].id, ids[i]);
        ck_assert_int_eq(edits.items[i].kind, kinds[i]);
    }
    says(edits.items[0].shape->definition, "{'type':'point','meta':{}}");
}

TEST_EACH(nothing_said_nothing_done, 0, 4) {
    static const char *const bodies[] = {"{}", "{'shapes':{}}", "{'shapes':{'box':{}}}",
                                         "{'dimension':2,'name':'arena','tick':5}"};
    proto_edits edits;

    test_keep_box(&arena);
    accepted(PROTO_PATCH_SET, NULL, bodies[_i], &edits);
    ck_assert_uint_eq(edits.count, 0);
    ck_assert(!edits.sets_history && !edits.sets_meta);
}

TEST(teleports) {
    proto_edits edits;

    test_keep_box(&arena);
    accepted(PROTO_PUT_TICK, NULL,
             "{'shapes':{'box':{'teleport':true},'dot':{'teleport':false,'position':[1,1]},"
             "'new':{'type':'point','teleport':true}}}",
             &edits);
    ck_assert_uint_eq(edits.count, 3);
    ck_assert(edits.items[0].teleport && edits.items[0].kind == PROTO_EDIT_MOVE);
    ck_assert_double_eq(edits.items[0].place.pose.position.x, 3);
    ck_assert(!edits.items[1].teleport && edits.items[1].kind == PROTO_EDIT_MOVE);
    ck_assert(edits.items[2].teleport && edits.items[2].kind == PROTO_EDIT_DEFINE);
    says(edits.items[2].shape->definition, "{'type':'point'}");
}

TEST(a_whole_shape_is_not_merged) {
    proto_edits edits;

    test_keep_box(&arena);
    accepted(PROTO_PUT_SHAPE, "box", "{'type':'point','position':[1,2],'revision':5}", &edits);
    ck_assert_uint_eq(edits.count, 1);
    ck_assert_str_eq(edits.items[0].id, "box");
    ck_assert_int_eq(edits.items[0].kind, PROTO_EDIT_DEFINE);
    says(edits.items[0].shape->definition, "{'type':'point'}");
    ck_assert(!edits.items[0].shape->place.has_rotation);
}

TEST(history_is_merged) {
    proto_edits edits;

    test_keep(&arena, "{'dimension':2,'history':{'ticks':5}}");
    accepted(PROTO_PATCH_SET, NULL, "{'history':{}}", &edits);
    ck_assert(edits.sets_history && edits.has_history && edits.history_ticks == 5);
    accepted(PROTO_PATCH_SET, NULL, "{'history':{'ticks':4096}}", &edits);
    ck_assert_uint_eq(edits.history_ticks, 4096);
    accepted(PROTO_PATCH_SET, NULL, "{'history':null}", &edits);
    ck_assert(edits.sets_history && !edits.has_history);
}

TEST(shapes_are_counted_as_they_become) {
    static const struct {
        const char *body;
        uint64_t count;
    } rows[] = {
        {"{'shapes':{'a':{'type':'point'}}}", 3},
        {"{'shapes':{'a':{'type':'point'},'dot':null,'none':null}}", 2},
        {"{'shapes':{'a':{'type':'point'},'b':{'type':'point'},'box':{'angle':1}}}", 4},
    };
    proto_limits limits = proto_limits_default();
    proto_edits edits;

    test_keep_box(&arena);
    for (int i = 0; i < COUNT_OF(rows); i++) {
        for (uint64_t max = rows[i].count - 1; max <= rows[i].count + 1; max++) {
            limits.shapes_per_set_max = max;
            bool fits = max >= rows[i].count || rows[i].count <= 2;
            bool is_taken = test_change(&arena, PROTO_PATCH_SET, NULL,
                                        test_text(&arena, rows[i].body), &limits, &edits, &problem);
            ck_assert_int_eq(is_taken, fits);
            ck_assert(fits || (problem.code == PROTO_TOO_MANY && problem.limit == max));
            ck_assert(fits || strcmp(problem.pointer, "/shapes") == 0);
        }
    }
    limits.shapes_per_set_max = 2;
    proto_text dot = test_text(&arena, "{'type':'point'}");
    ck_assert(!test_change(&arena, PROTO_PUT_SHAPE, "third", dot, &limits, &edits, &problem));
    ck_assert(test_change(&arena, PROTO_PUT_SHAPE, "box", dot, &limits, &edits, &problem));
}

TEST(running_out_of_memory) {
    int refusals = 0;

    test_keep_box(&arena);
    proto_text body =
        test_text(&arena,
                  "{'meta':{'a':[1,2,3]},'history':{'ticks':2},'shapes':{'box':{'meta':{'b':{}}},"
                  "'new':{'type':'hull','points':[[1,2],[3,4],[5,0]]},'dot':{'angle':1}}}");
    for (size_t limit = 64;; limit += 64) {
        struct gjk_arena small;
        proto_edits edits;
        gjk_arena_init(&small, limit);
        bool done = test_change(&small, PROTO_PATCH_SET, NULL, body, NULL, &edits, &problem);
        gjk_arena_fini(&small);
        if (done)
            break;
        ck_assert_int_eq(problem.code, PROTO_OUT_OF_MEMORY);
        refusals++;
    }
    ck_assert_int_gt(refusals, 10);
}
