/* Is every shape of the wire made as it says, and are its limits kept? */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test_proto.h"

#define IN2(shape) "{'dimension':2,'shapes':{'s':" shape "}}"
#define IN3(shape) "{'dimension':3,'shapes':{'s':" shape "}}"

TEST_ARENA(arena)

static proto_shape decode(const char *body) {
    proto_set set;

    test_set_accepted(&arena, body, &set);
    ck_assert_uint_eq(set.shape_count, 1);
    ck_assert_str_eq(set.shapes[0].id, "s");
    return set.shapes[0].shape;
}

TEST_EACH(every_type_is_made, 0, 21) {
    static const struct {
        const char *body;
        gjk_shape_type type;
        uint32_t dimension, points;
        double radius, size;
    } rows[] = {
        {IN2("{'type':'point'}"), GJK_POINT, 2, 1, 0, 0},
        {IN3("{'type':'point','rounding':2}"), GJK_POINT, 3, 1, 2, 4},
        {IN2("{'type':'circle','radius':2}"), GJK_BALL, 2, 1, 2, 4},
        {IN3("{'type':'sphere','radius':2,'rounding':1}"), GJK_BALL, 3, 1, 3, 6},
        {IN2("{'type':'segment','a':[-1,0],'b':[3,0]}"), GJK_SEGMENT, 2, 2, 0, 4},
        {IN3("{'type':'segment','a':[1,1,1],'b':[1,1,1]}"), GJK_SEGMENT, 3, 2, 0, 0},
        {IN3("{'type':'capsule','a':[0,0,0],'b':[0,0,2],'radius':0.5}"), GJK_CAPSULE, 3, 2, 0.5, 3},
        {IN2("{'type':'box','half_extents':[1,2]}"), GJK_BOX, 2, 4, 0, 4},
        {IN3("{'type':'box','half_extents':[1,2,3]}"), GJK_BOX, 3, 8, 0, 6},
        {IN2("{'type':'polygon','vertices':[[0,0],[0,2],[1,0]]}"), GJK_POLYGON, 2, 3, 0, 2},
        {IN3("{'type':'triangle','a':[0,0,0],'b':[1,0,0],'c':[0,5,0]}"), GJK_TRIANGLE, 3, 3, 0, 5},
        {IN2("{'type':'hull','points':[[0,0],[0,2],[2,0],[2,2],[1,1]]}"), GJK_HULL, 2, 4, 0, 2},
        {IN3("{'type':'hull','points':[[0,0,0],[0,2,0],[2,0,0],[0,0,2]]}"), GJK_HULL, 3, 4, 0, 2},
        {IN2("{'type':'ellipse','radii':[1,2]}"), GJK_ELLIPSE, 2, 0, 0, 4},
        {IN3("{'type':'ellipsoid','radii':[3,2,1],'rounding':0.5}"), GJK_ELLIPSE, 3, 0, 0.5, 7},
        {IN2("{'type':'half_ellipse','width':1,'height':4}"), GJK_HALF_ELLIPSE, 2, 0, 0, 4},
        {IN2("{'type':'half_ellipse','width':6,'height':1,'rounding':1}"), GJK_HALF_ELLIPSE, 2, 0,
         1, 8},
        {IN2("{'type':'slice','radius':3,'theta':1e-3}"), GJK_SLICE, 2, 0, 0, 3},
        {IN2("{'type':'slice','radius':3,'theta':3.141592653589793,'rounding':0.25}"), GJK_SLICE, 2,
         0, 0.25, 6.5},
        {IN3("{'type':'cylinder','a':[0,0,0],'b':[0,5,0],'radius':1}"), GJK_CYLINDER, 3, 0, 0, 5},
        {IN3("{'type':'cone','a':[0,0,-1],'b':[0,0,1],'radius':2,'rounding':1}"), GJK_CONE, 3, 0, 1,
         6},
    };
    proto_shape shape = decode(rows[_i].body);

    ck_assert_int_eq(shape.shape.type, rows[_i].type);
    ck_assert_uint_eq(shape.shape.dimension, rows[_i].dimension);
    ck_assert_double_eq(shape.shape.radius, rows[_i].radius);
    ck_assert_double_eq(shape.shape.size, rows[_i].size);
    if (rows[_i].size > 0) /* coincident points may be kept once or twice */
        ck_assert_uint_eq(shape.shape.count, rows[_i].points);
}

/* That the numbers came to where they belong. */
TEST(curves_have_their_numbers) {
    const gjk_curve half = decode(IN2("{'type':'half_ellipse','width':6,'height':1}")).shape.curve;
    const gjk_curve slice =
        decode(IN2("{'type':'slice','radius':3,'theta':3.141592653589793}")).shape.curve;
    const gjk_curve flat = decode(IN2("{'type':'ellipse','radii':[4,5]}")).shape.curve;
    const gjk_curve round = decode(IN3("{'type':'ellipsoid','radii':[4,5,6]}")).shape.curve;
    const gjk_curve cone =
        decode(IN3("{'type':'cone','a':[1,2,3],'b':[4,5,6],'radius':7}")).shape.curve;

    ck_assert_double_eq(half.a.x, 3);
    ck_assert_double_eq(half.a.y, 1);
    ck_assert_double_eq(slice.radius, 3);
    ck_assert_double_eq(slice.a.y, 1); /* the sine of half the opening */
    ck_assert_double_eq(flat.a.x, 4);
    ck_assert_double_eq(flat.a.y, 5);
    ck_assert_double_eq(round.a.z, 6);
    ck_assert_double_eq(cone.a.y, 2);
    ck_assert_double_eq(cone.b.z, 6);
    ck_assert_double_eq(cone.radius, 7);
}

TEST(bounds_of_curves_are_included) {
    decode(IN2("{'type':'ellipse','radii':[1e150,1e-300]}"));
    decode(IN2("{'type':'slice','radius':1e150,'theta':1e-300}"));
    decode(IN2("{'type':'half_ellipse','width':1e150,'height':1e150,'rounding':1e150}"));
    decode(IN3("{'type':'cylinder','a':[-1e150,0,0],'b':[1e150,0,0],'radius':1e150}"));
    decode(IN3("{'type':'cone','a':[0,0,0],'b':[0,0,5e-324],'radius':1}"));
}

TEST(defaults) {
    proto_shape shape = decode(IN2("{'type':'point','position':null,'angle':null,'category':null,"
                                   "'mask':null,'group':null,'meta':null,'rounding':null}"));

    ck_assert_uint_eq(shape.category, 1);
    ck_assert_uint_eq(shape.mask, 4294967295);
    ck_assert_ptr_null(shape.group);
    ck_assert_double_eq(shape.place.pose.position.x, 0);
    ck_assert_double_eq(shape.place.pose.rotation.r0.x, 1);
    ck_assert_uint_eq(shape.definition.length, strlen("{'type':'point'}"));
}

TEST(labels_and_pose) {
    proto_shape shape = decode(IN3("{'type':'point','position':[1,-2,3.5],'category':4294967295,"
                                   "'orientation':[0,0,1,0],'mask':0,'group':'team/red'}"));

    ck_assert_uint_eq(shape.category, 4294967295);
    ck_assert_uint_eq(shape.mask, 0);
    ck_assert_str_eq(shape.group, "team/red");
    ck_assert_double_eq(shape.place.pose.position.z, 3.5);
    ck_assert_double_eq(shape.place.pose.rotation.r0.x, -1); /* half a turn about z */
    ck_assert_double_eq(shape.place.pose.rotation.r2.z, 1);
}

TEST(nearly_unit_quaternions_are_taken) {
    decode(IN3("{'type':'point','orientation':[0,0,0,1.0009]}"));
    decode(IN3("{'type':'point','orientation':[0,0,0,0.9991]}"));
}

TEST(largest_coordinates_are_taken) {
    decode(IN2("{'type':'circle','radius':1e-300,'position':[-1e150,1e150]}"));
    decode(IN3("{'type':'box','half_extents':[1e150,0,0]}"));
}

/* A set with one hull (or polygon) of that many points. */
static proto_text cloud(const char *type, const char *member, int count) {
    char *text = gjk_arena_alloc(&arena, (size_t)count * 32 + 200);
    int length =
        sprintf(text, "{\"dimension\":2,\"shapes\":{\"s\":{\"type\":\"%s\",\"%s\":[", type, member);

    for (int i = 0; i < count; i++) /* a parabola: convex, whatever the count */
        length += sprintf(text + length, "%s[%d,%lld]", i > 0 ? "," : "", i, (long long)i * i);
    length += sprintf(text + length, "]}}}");
    return (proto_text){text, (size_t)length};
}

static void check_points(const char *type, const char *member, int count, int limit) {
    proto_limits limits = proto_limits_default();
    struct proto_problem problem = {0};
    proto_set set;

    if (limit > 0)
        limits.points_per_hull_max = (uint64_t)limit;
    else
        limit = (int)limits.points_per_hull_max;
    bool is_decoded =
        proto_decode_set(cloud(type, member, count), "arena", &limits, &arena, &set, &problem);
    ck_assert_msg(is_decoded == (count <= limit), "%d %s: %s %s", count, member,
                  proto_code_text(problem.code), problem.detail);
    if (is_decoded)
        return;
    ck_assert_int_eq(problem.code, PROTO_TOO_MANY);
    ck_assert(problem.has_limit);
    ck_assert_int_eq((int)problem.limit, limit);
    ck_assert_ptr_nonnull(strstr(problem.pointer, member));
}

TEST(points_are_limited) {
    for (int count = 9; count <= 11; count++) {
        check_points("hull", "points", count, 10);
        check_points("polygon", "vertices", count, 10);
    }
    for (int count = 65535; count <= 65537; count++)
        check_points("hull", "points", count, 0);
}

static bool decode_meta(int length, const char *where, struct proto_problem *problem) {
    const proto_limits limits = proto_limits_default();
    char *text = gjk_arena_alloc(&arena, (size_t)length + 500);
    proto_set set;

    /* {"k":"xxx"} with white space and escapes that do not count, 8 bytes without the x */
    int head = sprintf(text, where, "{ \"k\" :\n\"\\u0078");
    memset(text + head, 'x', (size_t)length - 9);
    sprintf(text + head + length - 9, "\" }%s", strstr(where, "shapes") ? "}}}" : "}");
    return proto_decode_set((proto_text){text, strlen(text)}, "arena", &limits, &arena, &set,
                            problem);
}

TEST(meta_is_limited) {
    static const char *const in_shape =
        "{\"dimension\":2,\"shapes\":{\"s\":{\"type\":\"point\",\"meta\":%s";
    static const char *const in_set = "{\"dimension\":2,\"meta\":%s";
    struct proto_problem problem = {0};

    ck_assert(decode_meta(4095, in_shape, &problem) && decode_meta(4096, in_shape, &problem));
    ck_assert(!decode_meta(4097, in_shape, &problem));
    ck_assert_int_eq(problem.code, PROTO_TOO_MANY);
    ck_assert_str_eq(problem.pointer, "/shapes/s/meta");
    ck_assert_uint_eq(problem.limit, 4096);
    ck_assert(decode_meta(4095, in_set, &problem) && decode_meta(4096, in_set, &problem));
    ck_assert(!decode_meta(4097, in_set, &problem));
    ck_assert_int_eq(problem.code, PROTO_TOO_MANY);
    ck_assert_str_eq(problem.pointer, "/meta");
}

TEST(group_length_is_limited) {
    char body[400], name[130];

    for (int length = 127; length <= 129; length++) {
        memset(name, 'g', sizeof name);
        name[length] = '\0';
        snprintf(body, sizeof body, IN2("{'type':'point','group':'%s'}"), name);
        if (length <= 128)
            ck_assert_str_eq(decode(body).group, name);
        else
            test_refused(
                &(struct test_refusal){"set", 0, body, "bad-name", "/shapes/s/group", NULL});
    }
}

/* A pointer too long to be told whole names the object around it. */
TEST(long_member_names_are_cut) {
    char body[1000], name[500];

    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    snprintf(body, sizeof body, IN2("{'type':'point','%s':1}"), name);
    test_refused(&(struct test_refusal){"set", 0, body, "unknown-member", "/shapes/s", NULL});
    name[PROTO_POINTER_MAX - 1 - strlen("/shapes/s/")] = '\0'; /* just fits */
    snprintf(body, sizeof body, IN2("{'type':'point','%s':1}"), name);
    char pointer[PROTO_POINTER_MAX];
    snprintf(pointer, sizeof pointer, "/shapes/s/%.*s", (int)strlen(name), name);
    test_refused(&(struct test_refusal){"set", 0, body, "unknown-member", pointer, NULL});
}
