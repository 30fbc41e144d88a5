/* What do patches make of what is stored? RFC 7396's own examples, and the rules for shapes. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "proto/edit.h"
#include "test_proto.h"

TEST_ARENA(arena)

/* --- A small store --- */

#define STORED_MAX 4

static struct {
    const char *id;
    proto_stored shape;
} store[STORED_MAX];
static proto_base base;

static bool find(const void *user, const char *id, proto_stored *out) {
    (void)user;
    for (uint32_t i = 0; i < base.shape_count; i++) {
        if (strcmp(store[i].id, id) == 0) {
            *out = store[i].shape;
            return true;
        }
    }
    return false;
}

/* Stores the shapes of a set's body. */
static void keep(const char *body) {
    proto_set set;

    test_set_accepted(&arena, body, &set);
    ck_assert_uint_le(set.shape_count, STORED_MAX);
    for (uint32_t i = 0; i < set.shape_count; i++) {
        store[i].id = set.shapes[i].id;
        store[i].shape = (proto_stored){set.shapes[i].shape.definition, set.shapes[i].shape.place,
                                        NULL, &set.shapes[i].shape.shape};
    }
    base = (proto_base){
        .dimension = set.dimension,
        .shape_count = set.shape_count,
        .has_history = set.has_history,
        .history_ticks = set.history_ticks,
        .meta = set.meta,
        .find = find,
    };
}

static struct proto_problem problem;

/* False: refused, with the problem. name: of a shape; NULL: the set is called "arena". */
static bool change(proto_change_form form, const char *name, const char *body,
                   const proto_limits *limits, proto_edits *out) {
    const proto_limits usual = proto_limits_default();
    const proto_change_request request = {
        .body = test_text(&arena, body),
        .form = form,
        .name = name != NULL ? name : "arena",
        .limits = limits != NULL ? limits : &usual,
        .arena = &arena,
    };
    struct proto_change *opened;

    problem = (struct proto_problem){0};
    if (!proto_change_open(&request, &opened, &problem))
        return false;
    bool applied = proto_change_apply(opened, &base, out, &problem);
    proto_change_close(opened);
    return applied;
}

static void accepted(proto_change_form form, const char *name, const char *body, proto_edits *out) {
    bool taken = change(form, name, body, NULL, out);
    ck_assert_msg(taken, "%s: %s: %s", body, problem.pointer, problem.detail);
}

static void refused(proto_change_form form, const char *name, const char *body, proto_code code,
                    const char *pointer) {
    proto_edits edits;

    ck_assert_msg(!change(form, name, body, NULL, &edits), "%s", body);
    ck_assert_msg(problem.code == code, "%s: %s", body, proto_code_text(problem.code));
    ck_assert_msg(strcmp(problem.pointer, pointer) == 0, "%s: %s", body, problem.pointer);
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
    keep(body);
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

#define BOX                                                                            \
    "{'type':'box','half_extents':[1,2],'rounding':0.5,'position':[3,-0.0],'angle':1," \
    "'group':'g','mask':7,'meta':{'hp':5}}"

static void keep_box(void) {
    keep("{'dimension':2,'shapes':{'box':" BOX ",'dot':{'type':'point'}}}");
}

TEST(a_move_keeps_the_rest) {
    proto_edits edits;

    keep_box();
    accepted(PROTO_PATCH_SET, NULL, "{'shapes':{'box':{'angle':2}}}", &edits);
    ck_assert_uint_eq(edits.count, 1);
    ck_assert_int_eq(edits.items[0].kind, PROTO_EDIT_MOVE);
    const proto_place *place = &edits.items[0].place;
    ck_assert(place->has_position && place->has_rotation);
    ck_assert_double_eq(place->pose.position.x, 3);
    ck_assert(signbit(place->pose.position.y));
    ck_assert_double_eq(place->turn.angle, 2);

    accepted(PROTO_PATCH_SHAPE, "box", "{'position':null,'handle':5}", &edits);
    ck_assert_int_eq(edits.items[0].kind, PROTO_EDIT_MOVE);
    ck_assert(!edits.items[0].place.has_position && edits.items[0].place.has_rotation);
    ck_assert_double_eq(edits.items[0].place.pose.position.x, 0);
    ck_assert_double_eq(edits.items[0].place.turn.angle, 1);
}

TEST(the_rest_keeps_the_place) {
    proto_edits edits;

    keep_box();
    accepted(PROTO_PATCH_SHAPE, "box", "{'half_extents':[9,9],'position':[8,8]}", &edits);
    ck_assert_int_eq(edits.items[0].kind, PROTO_EDIT_DEFINE);
    const proto_shape *shape = edits.items[0].shape;
    says(shape->definition, "{'type':'box','half_extents':[9,9],'rounding':0.5,'mask':7,"
                            "'group':'g','meta':{'hp':5}}");
    ck_assert_double_eq(shape->place.pose.position.x, 8);
    ck_assert_double_eq(shape->place.turn.angle, 1);
    ck_assert(shape->place.has_rotation);
    ck_assert_double_eq(shape->shape.half_extents.x, 9.5);
    ck_assert_str_eq(shape->group, "g");
}

TEST(a_type_drops_the_geometry) {
    proto_edits edits;

    keep_box();
    accepted(PROTO_PATCH_SET, NULL,
             "{'shapes':{'box':{'type':'capsule','a':[0,0],'b':[1,0],'radius':1}}}", &edits);
    says(edits.items[0].shape->definition,
         "{'type':'capsule','a':[0,0],'b':[1,0],'radius':1,'rounding':0.5,'mask':7,'group':'g',"
         "'meta':{'hp':5}}");
    refused(PROTO_PATCH_SET, NULL, "{'shapes':{'box':{'type':'box'}}}", PROTO_MISSING_MEMBER,
            "/shapes/box/half_extents");
    /* Without a type the geometry is merged like anything else. */
    refused(PROTO_PATCH_SET, NULL, "{'shapes':{'box':{'radius':1}}}", PROTO_UNKNOWN_MEMBER,
            "/shapes/box/radius");
}

TEST(edits_come_in_order) {
    static const char *const ids[] = {"Z", "a", "b", "box", "dot"};
    static const proto_edit_kind kinds[] = {PROTO_EDIT_DEFINE, PROTO_EDIT_DEFINE, PROTO_EDIT_DEFINE,
                                            PROTO_EDIT_MOVE, PROTO_EDIT_REMOVE};
    proto_edits edits;

    keep_box();
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

    keep_box();
    accepted(PROTO_PATCH_SET, NULL, bodies[_i], &edits);
    ck_assert_uint_eq(edits.count, 0);
    ck_assert(!edits.sets_history && !edits.sets_meta);
}

TEST(teleports) {
    proto_edits edits;

    keep_box();
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
    refused(PROTO_PUT_TICK, NULL, "{'shapes':{'box':{'teleport':'x'}}}", PROTO_WRONG_TYPE,
            "/shapes/box/teleport");
    refused(PROTO_PATCH_SET, NULL, "{'shapes':{'box':{'teleport':true}}}", PROTO_UNKNOWN_MEMBER,
            "/shapes/box/teleport");
}

TEST(hints_know_what_a_patch_may_hold) {
    static const struct {
        proto_change_form form;
        const char *name, *body, *hint;
    } rows[] = {
        {PROTO_PUT_TICK, NULL, "{'shapes':{'box':{'telport':true}}}", "teleport"},
        {PROTO_PUT_TICK, NULL, "{'shapes':{'box':{'telport':null}}}", "teleport"},
        {PROTO_PUT_TICK, NULL, "{'shapes':{'new':{'type':'point','teleprot':true}}}", "teleport"},
        {PROTO_PATCH_SET, NULL, "{'shapes':{'box':{'half_extent':null}}}", "half_extents"},
        {PROTO_PATCH_SHAPE, "box", "{'revison':7}", "revision"},
        {PROTO_PUT_SHAPE, "box", "{'tpye':'circle','radius':1}", "type"},
        {PROTO_PATCH_SET, NULL, "{'histroy':null}", "history"},
        {PROTO_PATCH_SET, NULL, "{'history':{'tick':1}}", "ticks"},
    };
    char hint[100];

    keep_box();
    for (int i = 0; i < COUNT_OF(rows); i++) {
        proto_edits edits;
        ck_assert(!change(rows[i].form, rows[i].name, rows[i].body, NULL, &edits));
        ck_assert_int_eq(problem.code, PROTO_UNKNOWN_MEMBER);
        snprintf(hint, sizeof hint, "did you mean \"%s\"?", rows[i].hint);
        ck_assert_msg(strcmp(problem.hint, hint) == 0, "%s: %s", rows[i].body, problem.hint);
    }
}

TEST(a_whole_shape_is_not_merged) {
    proto_edits edits;

    keep_box();
    accepted(PROTO_PUT_SHAPE, "box", "{'type':'point','position':[1,2],'revision':5}", &edits);
    ck_assert_uint_eq(edits.count, 1);
    ck_assert_str_eq(edits.items[0].id, "box");
    ck_assert_int_eq(edits.items[0].kind, PROTO_EDIT_DEFINE);
    says(edits.items[0].shape->definition, "{'type':'point'}");
    ck_assert(!edits.items[0].shape->place.has_rotation);
    refused(PROTO_PUT_SHAPE, "box", "{'angle':1}", PROTO_MISSING_MEMBER, "/type");
    refused(PROTO_PUT_SHAPE, "box", "null", PROTO_WRONG_TYPE, "");
}

TEST(history_is_merged) {
    proto_edits edits;

    keep("{'dimension':2,'history':{'ticks':5}}");
    accepted(PROTO_PATCH_SET, NULL, "{'history':{}}", &edits);
    ck_assert(edits.sets_history && edits.has_history && edits.history_ticks == 5);
    accepted(PROTO_PATCH_SET, NULL, "{'history':{'ticks':4096}}", &edits);
    ck_assert_uint_eq(edits.history_ticks, 4096);
    accepted(PROTO_PATCH_SET, NULL, "{'history':null}", &edits);
    ck_assert(edits.sets_history && !edits.has_history);
    refused(PROTO_PATCH_SET, NULL, "{'history':{'ticks':null}}", PROTO_MISSING_MEMBER,
            "/history/ticks");
    refused(PROTO_PATCH_SET, NULL, "{'history':{'ticks':4097}}", PROTO_OUT_OF_RANGE,
            "/history/ticks");
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

    keep_box();
    for (int i = 0; i < COUNT_OF(rows); i++) {
        for (uint64_t max = rows[i].count - 1; max <= rows[i].count + 1; max++) {
            limits.shapes_per_set_max = max;
            bool fits = max >= rows[i].count || rows[i].count <= base.shape_count;
            ck_assert_int_eq(change(PROTO_PATCH_SET, NULL, rows[i].body, &limits, &edits), fits);
            ck_assert(fits || (problem.code == PROTO_TOO_MANY && problem.limit == max));
            ck_assert(fits || strcmp(problem.pointer, "/shapes") == 0);
        }
    }
    limits.shapes_per_set_max = 2;
    ck_assert(!change(PROTO_PUT_SHAPE, "third", "{'type':'point'}", &limits, &edits));
    ck_assert(change(PROTO_PUT_SHAPE, "box", "{'type':'point'}", &limits, &edits));
}

TEST(running_out_of_memory) {
    const proto_limits limits = proto_limits_default();
    int refusals = 0;

    keep_box();
    proto_text body =
        test_text(&arena,
                  "{'meta':{'a':[1,2,3]},'history':{'ticks':2},'shapes':{'box':{'meta':{'b':{}}},"
                  "'new':{'type':'hull','points':[[1,2],[3,4],[5,0]]},'dot':{'angle':1}}}");
    for (size_t limit = 64;; limit += 64) {
        struct gjk_arena small;
        struct proto_change *opened;
        proto_edits edits;
        gjk_arena_init(&small, limit);
        const proto_change_request request = {body, PROTO_PATCH_SET, "arena", &limits, &small};
        problem = (struct proto_problem){0};
        bool done = proto_change_open(&request, &opened, &problem);
        if (done) {
            done = proto_change_apply(opened, &base, &edits, &problem);
            proto_change_close(opened);
        }
        gjk_arena_fini(&small);
        if (done)
            break;
        ck_assert_int_eq(problem.code, PROTO_OUT_OF_MEMORY);
        refusals++;
    }
    ck_assert_int_gt(refusals, 10);
}
