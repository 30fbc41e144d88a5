/* Is every step of a query told, and the Minkowski difference where it should be? */

#include <math.h>
#include <string.h>

#include "test_proto.h"

static struct gjk_arena arena;
static struct proto_buffer out;
static struct proto_trace trace;
static const gjk_detect_result touching = {.piece_a = GJK_NO_PIECE,
                                           .piece_b = GJK_NO_PIECE,
                                           .state = GJK_TOUCHING,
                                           .iterations = 2,
                                           .normal = {1, 0, 0}};

#define TOUCHING "'colliding':true,'state':'touching','status':'converged','iterations':2"

static void set_up(void) {
    gjk_arena_init(&arena, 0);
    proto_buffer_init(&out, &arena);
}

static void tear_down(void) {
    gjk_arena_fini(&arena);
}

TEST_FIXTURE(set_up, tear_down)

/* The operands of a stateless query. */
static struct {
    proto_query query;
    gjk_placed a, b;
} pair;

/* Begins the trace of that pair. */
static void begin(const char *body) {
    test_accepted(&arena, PROTO_OP_DETECT, 0, body, &pair.query);
    pair.a = (gjk_placed){&pair.query.a.shape, pair.query.a.pose};
    pair.b = (gjk_placed){&pair.query.b.shape, pair.query.b.pose};
    proto_trace_init(&trace, &arena, &pair.a, &pair.b);
    ck_assert(!trace.text.failed);
}

/* How often it stands in the text. */
static uint32_t count_of(const struct proto_buffer *text, const char *wanted) {
    const char *at = gjk_arena_copy_text(&arena, text->data, text->length);
    uint32_t count = 0;

    ck_assert_ptr_nonnull(at);
    for (; (at = strstr(at, wanted)) != NULL; at += strlen(wanted))
        count++;
    return count;
}

static void record(const gjk_trace_step *step) {
    trace.recorder.record(trace.recorder.user, step);
}

static const gjk_trace_step first = {
    .phase = GJK_PHASE_GJK,
    .direction = {1, 0, 0},
    .support_a = {1, 2, 3},
    .support_b = {4, 5, 6},
    .support_w = {-3, -3, -3},
    .lower_bound = -0.5,
    .upper_bound = INFINITY,
    .note = "a \"note\"",
};
static const gjk_trace_step second = {
    .phase = GJK_PHASE_EPA,
    .direction = {0, 1, 0},
    .support_w = {0.1, 0, 0},
    .simplex = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}},
    .simplex_count = 4,
    .closest = {0, 0, 1},
    .lower_bound = -1,
    .upper_bound = -0.25,
    .note = "done",
};

TEST(steps_in_3d) {
    const proto_stamp stamp = {.has_revision = true, .revision = 9, .trace = &trace};

    begin("{'a':{'type':'sphere','radius':1},'b':{'type':'point'}}");
    record(&first);
    record(&second);
    proto_encode_detect(&out, 3, false, &touching, &stamp);
    test_wrote(&out,
               "{" TOUCHING ",'trace':{'steps':[{'phase':'gjk','direction':[1,0,0],'support':"
               "{'a':[1,2,3],'b':[4,5,6],'w':[-3,-3,-3]},'simplex':[],'closest':null,"
               "'lower_bound':-0.5,'upper_bound':null,'note':'a \\'note\\''},"
               "{'phase':'epa','direction':[0,1,0],'support':{'a':[0,0,0],'b':[0,0,0],"
               "'w':[0.1,0,0]},'simplex':[[1,2,3],[4,5,6],[7,8,9],[10,11,12]],'closest':[0,0,1],"
               "'lower_bound':-1,'upper_bound':-0.25,'note':'done'}]},'revision':9}");
}

TEST(steps_in_2d) {
    const proto_stamp stamp = {.trace = &trace};
    const gjk_distance_result overlapping = {.piece_a = GJK_NO_PIECE,
                                             .piece_b = GJK_NO_PIECE,
                                             .state = GJK_OVERLAPPING,
                                             .iterations = 1};
    gjk_trace_step step = second;

    begin("{'a':{'type':'circle','radius':1},'b':{'type':'point'}}");
    step.simplex_count = 2;
    record(&step);
    proto_encode_distance(&out, 2, &overlapping, &stamp);
    test_wrote(&out, "{'colliding':true,'state':'overlapping','distance':0,'lower_bound':0,"
                     "'normal':null,'point_a':null,'point_b':null,'status':'converged',"
                     "'iterations':1,'trace':{'steps':[{'phase':'epa','direction':[0,1],'support':"
                     "{'a':[0,0],'b':[0,0],'w':[0.1,0]},'simplex':[[1,2],[4,5]],'closest':[0,0],"
                     "'lower_bound':-1,'upper_bound':-0.25,'note':'done'}]}}");
}

TEST(sums_of_polytopes) {
    const proto_stamp stamp = {.trace = &trace};

    /* Far away, yet to the last digit. */
    begin("{'a':{'type':'segment','a':[0,0],'b':[3,0],'position':[1e9,0]},"
          "'b':{'type':'segment','a':[0,0.1],'b':[0,2],'position':[1e9,-1]}}");
    proto_encode_detect(&out, 2, false, &touching, &stamp);
    test_wrote(&out, "{" TOUCHING ",'trace':{'minkowski':[[0,0.9],[0,-1],[3,0.9],[3,-1]],"
                     "'steps':[]}}");
}

TEST(sums_are_in_the_axes_of_the_world) {
    begin("{'a':{'type':'point','position':[5,7]},"
          "'b':{'type':'segment','a':[2,0],'b':[0,0],'angle':1.5707963267948966}}");
    ck_assert_uint_eq(count_of(&trace.text, ",5],[5,7]]"), 1);
}

static bool has_sums(const char *body) {
    begin(body);
    return count_of(&trace.text, "minkowski") > 0;
}

TEST(only_polytopes_have_sums) {
    ck_assert(has_sums("{'a':{'type':'point'},'b':{'type':'box','half_extents':[1,1]}}"));
    ck_assert(has_sums("{'a':{'type':'hull','points':[[0,0],[1,1],[0,1]]},'b':{'type':'polygon',"
                       "'vertices':[[0,0],[1,1],[0,1]]}}"));
    ck_assert(!has_sums("{'a':{'type':'point'},'b':{'type':'circle','radius':1}}"));
    ck_assert(!has_sums("{'a':{'type':'point','rounding':1},'b':{'type':'point'}}"));
    ck_assert(!has_sums("{'a':{'type':'point'},'b':{'type':'capsule','a':[0,0],'b':[1,0],"
                        "'radius':1}}"));
    ck_assert(!has_sums("{'a':{'type':'ellipse','radii':[1,2]},'b':{'type':'point'}}"));
    ck_assert(!has_sums("{'dimension':3,'a':{'type':'point'},'b':{'type':'point'}}"));
}

/* count points on a parabola */
static gjk_shape make_hull(uint32_t count) {
    gjk_vec3 points[64];
    gjk_shape shape;

    for (uint32_t i = 0; i < count; i++)
        points[i] = (gjk_vec3){i, i * i, 0};
    ck_assert_int_eq(gjk_shape_make_hull(&arena, 2, points, count, 0, &shape), GJK_OK);
    ck_assert_uint_eq(shape.count, count);
    return shape;
}

TEST_EACH(sums_are_limited, 0, 4) {
    static const struct {
        uint32_t a, b;
        bool is_told;
    } rows[] = {{31, 33, true}, {32, 32, true}, {41, 25, false}, {33, 32, false}};
    const gjk_shape a = make_hull(rows[_i].a), b = make_hull(rows[_i].b);
    const gjk_placed placed_a = {&a, gjk_pose_identity()}, placed_b = {&b, gjk_pose_identity()};

    proto_trace_init(&trace, &arena, &placed_a, &placed_b);
    ck_assert_uint_eq(count_of(&trace.text, "minkowski"), rows[_i].is_told);
    ck_assert_uint_eq(count_of(&trace.text, "]"),
                      rows[_i].is_told ? rows[_i].a * rows[_i].b + 1 : 0);
}

/* Every step of a real query, and no trace in the answer itself. */
TEST_EACH(a_query_is_traced, 0, 3) {
    static const char *const bodies[] = {
        "{'a':{'type':'box','half_extents':[1,1]},'b':{'type':'box','half_extents':[1,1],"
        "'position':[0.5,0.25],'angle':0.3}}",
        "{'a':{'type':'cone','a':[0,0,0],'b':[0,0,1],'radius':1},'b':{'type':'cylinder',"
        "'a':[0,0,0],'b':[1,1,1],'radius':0.5,'position':[0.5,0,0]}}",
        "{'a':{'type':'ellipse','radii':[2,1]},'b':{'type':'slice','radius':1,'theta':1,"
        "'position':[5,0]}}",
    };
    const proto_stamp stamp = {.trace = &trace};
    gjk_detect_settings settings = gjk_detect_settings_default();

    begin(bodies[_i]);
    gjk_detect_result plain = gjk_detect(&pair.a, &pair.b, &settings);
    settings.recorder = &trace.recorder;
    gjk_detect_result traced = gjk_detect(&pair.a, &pair.b, &settings);
    ck_assert_double_eq(traced.depth, plain.depth);
    ck_assert_uint_eq(traced.iterations, plain.iterations);
    proto_encode_detect(&out, pair.query.dimension, true, &traced, &stamp);
    ck_assert(!out.failed);
    ck_assert_uint_gt(count_of(&out, "\"phase\""), 0);
    ck_assert_mem_eq(out.data + out.length - 4, "}]}}", 4);
}

TEST(a_failed_trace_fails_the_reply) {
    const proto_stamp stamp = {.trace = &trace};
    struct gjk_arena little;

    begin("{'a':{'type':'point'},'b':{'type':'point'}}");
    gjk_arena_init(&little, 2048);
    proto_trace_init(&trace, &little, &pair.a, &pair.b);
    for (int i = 0; i < 20; i++)
        record(&second);
    proto_encode_detect(&out, 2, true, &touching, &stamp);
    ck_assert(trace.text.failed && out.failed);
    gjk_arena_fini(&little);
}
