/* Does every reply say what it should, with members in their order and null for what is not? */

#include <math.h>
#include <string.h>

#include "test_proto.h"

static struct gjk_arena arena;
static struct proto_buffer out;
static gjk_body bodies[2];
static const proto_stamp no_stamp;

static void set_up(void) {
    const proto_limits limits = proto_limits_default();
    struct proto_problem problem;
    proto_set decoded;

    gjk_arena_init(&arena, 0);
    proto_buffer_init(&out, &arena);
    ck_assert(proto_decode_set(test_text(&arena, "{'dimension':2,'shapes':{'a':{'type':'point'},"
                                                 "'b/2':{'type':'point','group':'g'}}}"),
                               "s", &limits, &arena, &decoded, &problem));
    for (uint32_t i = 0; i < 2; i++) {
        const proto_named_shape *named = &decoded.shapes[i];
        bodies[i] = (gjk_body){.id = named->id, .group = named->shape.group};
    }
}

static void tear_down(void) {
    gjk_arena_fini(&arena);
}

TEST_FIXTURE(set_up, tear_down)

static const gjk_detect_result overlapping = {
    .piece_a = GJK_NO_PIECE,
    .piece_b = GJK_NO_PIECE,
    .state = GJK_OVERLAPPING,
    .convergence = GJK_CONVERGED,
    .iterations = 4,
    .has_points = true,
    .depth = 0.5,
    .depth_lower_bound = 0.25,
    .normal = {0.6, 0.8, 0},
    .point_a = {1, 2, 0},
    .point_b = {-0.0, 1e-9, 0},
};

#define OVERLAPPING                                                                          \
    "'colliding':true,'state':'overlapping','depth':0.5,'normal':[0.6,0.8],'point_a':[1,2]," \
    "'point_b':[-0.0,1e-09],'depth_lower_bound':0.25,'status':'converged','iterations':4"

TEST(detect_overlapping) {
    const proto_stamp stamp = {.has_revision = true, .revision = 12, .has_tick = true, .tick = 1.5};

    proto_encode_detect(&out, 2, true, &overlapping, &stamp);
    test_wrote(&out, "{" OVERLAPPING ",'revision':12,'tick':1.5}");
}

TEST(detect_without_penetration) {
    proto_encode_detect(&out, 2, false, &overlapping, &no_stamp);
    test_wrote(&out, "{'colliding':true,'state':'overlapping','status':'converged',"
                     "'iterations':4}");
}

TEST(detect_separated_in_3d) {
    const gjk_detect_result separated = {
        .piece_a = GJK_NO_PIECE,
        .piece_b = GJK_NO_PIECE,
        .state = GJK_SEPARATED,
        .convergence = GJK_ITERATION_LIMIT,
        .iterations = 100,
        .normal = {0, 0, -1},
    };

    proto_encode_detect(&out, 3, true, &separated, &no_stamp);
    test_wrote(&out, "{'colliding':false,'state':'separated','depth':0,'normal':[0,0,-1],"
                     "'point_a':null,'point_b':null,'depth_lower_bound':0,"
                     "'status':'iteration_limit','iterations':100}");
}

static const gjk_distance_result apart = {
    .piece_a = GJK_NO_PIECE,
    .piece_b = GJK_NO_PIECE,
    .state = GJK_SEPARATED,
    .convergence = GJK_CONVERGED,
    .iterations = 3,
    .has_points = true,
    .distance = 2,
    .lower_bound = 1.9999999999999998,
    .normal = {1, 0, 0},
    .point_a = {0, 0, 0},
    .point_b = {2, 0, 0},
};

#define APART                                                                              \
    "'colliding':false,'state':'separated','distance':2,'lower_bound':1.9999999999999998," \
    "'normal':[1,0],'point_a':[0,0],'point_b':[2,0],'status':'converged','iterations':3"

TEST(distance_apart) {
    proto_encode_distance(&out, 2, &apart, &no_stamp);
    test_wrote(&out, "{" APART "}");
}

TEST(distance_overlapping) {
    const gjk_distance_result result = {.piece_a = GJK_NO_PIECE,
                                        .piece_b = GJK_NO_PIECE,
                                        .state = GJK_OVERLAPPING,
                                        .iterations = 1};

    proto_encode_distance(&out, 3, &result, &no_stamp);
    test_wrote(&out, "{'colliding':true,'state':'overlapping','distance':0,'lower_bound':0,"
                     "'normal':null,'point_a':null,'point_b':null,'status':'converged',"
                     "'iterations':1}");
}

TEST(distance_touching_collides) {
    gjk_distance_result result = apart;

    result.state = GJK_TOUCHING;
    proto_encode_distance(&out, 2, &result, &no_stamp);
    proto_text head = test_text(&arena, "{'colliding':true,'state':'touching',");
    ck_assert_mem_eq(out.data, head.data, head.length);
}

TEST(hits) {
    gjk_hit items[] = {{&bodies[0], overlapping}, {&bodies[1], overlapping}};
    const proto_stamp stamp = {.has_revision = true, .revision = 1};

    proto_encode_hits(&out, 2, true, &(gjk_hits){items, 2, true}, &stamp);
    test_wrote(&out, "{'hits':[{'id':'a','group':null," OVERLAPPING
                     "},{'id':'b/2','group':'g'," OVERLAPPING "}],'truncated':true,'revision':1}");
}

TEST(no_hits) {
    proto_encode_hits(&out, 2, true, &(gjk_hits){NULL, 0, false}, &no_stamp);
    test_wrote(&out, "{'hits':[]}");
}

TEST(pairs) {
    gjk_pair_hit items[] = {{&bodies[0], &bodies[1], overlapping}};
    const proto_stamp stamp = {.has_revision = true,
                               .revision = 1,
                               .has_against_revision = true,
                               .against_revision = 18446744073709551615U};

    proto_encode_pairs(&out, 2, true, &(gjk_pair_hits){items, 1, false}, &stamp);
    test_wrote(&out, "{'pairs':[{'a':'a','b':'b/2'," OVERLAPPING
                     "}],'revision':1,'against_revision':18446744073709551615}");
}

TEST(pairs_without_penetration) {
    gjk_pair_hit items[] = {{&bodies[0], &bodies[1], overlapping}};

    proto_encode_pairs(&out, 2, false, &(gjk_pair_hits){items, 1, false}, &no_stamp);
    test_wrote(&out, "{'pairs':[{'a':'a','b':'b/2','colliding':true,'state':'overlapping',"
                     "'status':'converged','iterations':4}]}");
}

TEST(nearest) {
    gjk_near items[] = {{&bodies[1], apart}};

    proto_encode_nearest(&out, 2, &(gjk_nears){items, 1, true}, &no_stamp);
    test_wrote(&out, "{'nearest':[{'id':'b/2','group':'g'," APART "}],'truncated':true}");
}

static const gjk_ray_result front = {
    .piece = GJK_NO_PIECE,
    .hit = true,
    .has_normal = true,
    .convergence = GJK_CONVERGED,
    .distance = 3.25,
    .point = {1, 2, 3},
    .normal = {0, 0, 1},
};
static const gjk_ray_result within = {.piece = GJK_NO_PIECE,
                                      .hit = true,
                                      .inside = true,
                                      .point = {1, 2, 3}};

TEST(ray_hits) {
    gjk_ray_hit items[] = {{&bodies[1], within}, {&bodies[0], front}};
    const proto_stamp stamp = {.has_revision = true, .revision = 3};

    proto_encode_ray_hits(&out, 2, &(gjk_ray_hits){items, 2, false}, NULL, &stamp);
    test_wrote(&out, "{'hits':[{'id':'b/2','group':'g','distance':0,'point':[1,2],'normal':null,"
                     "'inside':true,'status':'converged'},{'id':'a','group':null,'distance':3.25,"
                     "'point':[1,2],'normal':[0,0],'inside':false,'status':'converged'}],"
                     "'revision':3}");
}

TEST(ray_hit_of_an_inline_shape) {
    gjk_ray_hit items[] = {{NULL, front}};

    proto_encode_ray_hits(&out, 3, &(gjk_ray_hits){items, 1, false}, NULL, &no_stamp);
    test_wrote(&out, "{'hits':[{'id':null,'group':null,'distance':3.25,'point':[1,2,3],"
                     "'normal':[0,0,1],'inside':false,'status':'converged'}]}");
}

TEST(cast_hits) {
    const gjk_cast_result met = {
        .piece = GJK_NO_PIECE,
        .moving_piece = GJK_NO_PIECE,
        .hit = true,
        .has_normal = true,
        .convergence = GJK_ITERATION_LIMIT,
        .fraction = 0.1,
        .distance = 0.5,
        .point = {1, 2, 3},
        .normal = {0, -1, 0},
    };
    const gjk_cast_result inside = {.piece = GJK_NO_PIECE,
                                    .moving_piece = GJK_NO_PIECE,
                                    .hit = true,
                                    .inside = true,
                                    .point = {1, 2, 3}};
    gjk_cast_hit items[] = {{&bodies[1], inside}, {&bodies[0], met}};
    const proto_stamp stamp = {.has_revision = true, .revision = 3};

    proto_encode_cast_hits(&out, 2, &(gjk_cast_hits){items, 2, true}, &stamp);
    test_wrote(&out, "{'hits':[{'id':'b/2','group':'g','fraction':0,'distance':0,'point':[1,2],"
                     "'normal':null,'inside':true,'status':'converged'},{'id':'a','group':null,"
                     "'fraction':0.1,'distance':0.5,'point':[1,2],'normal':[0,-1],'inside':false,"
                     "'status':'iteration_limit'}],'truncated':true,'revision':3}");
}

TEST(cast_hit_of_an_inline_shape) {
    const gjk_cast_result met = {.piece = GJK_NO_PIECE,
                                 .moving_piece = GJK_NO_PIECE,
                                 .hit = true,
                                 .has_normal = true,
                                 .fraction = 1,
                                 .distance = 7,
                                 .normal = {0, 0, 1}};
    gjk_cast_hit items[] = {{NULL, met}};

    proto_encode_cast_hits(&out, 3, &(gjk_cast_hits){items, 1, false}, &no_stamp);
    test_wrote(&out, "{'hits':[{'id':null,'group':null,'fraction':1,'distance':7,'point':[0,0,0],"
                     "'normal':[0,0,1],'inside':false,'status':'converged'}]}");
}

TEST(no_cast_hits) {
    proto_encode_cast_hits(&out, 3, &(gjk_cast_hits){NULL, 0, false}, NULL);
    test_wrote(&out, "{'hits':[]}");
}

TEST(ray_any) {
    proto_encode_ray_any(&out, false, &no_stamp);
    test_wrote(&out, "{'hit':false}");
}

TEST(page_of_summaries) {
    const proto_summary summaries[] = {{"a", 2, 1, 0, 0, {0, 0, 0, false}},
                                       {"b.c", 3, 77, 12, 4096, {7, 11, 5, false}}};

    proto_encode_set_list(&out, summaries, 2, "b.c");
    test_wrote(&out,
               "{'sets':[{'name':'a','dimension':2,'revision':1,'tick':null,'shapes':0,"
               "'ticks':null,'bytes':0},{'name':'b.c','dimension':3,'revision':77,"
               "'tick':11,'shapes':12,'ticks':{'oldest':7,'newest':11,'count':5},'bytes':4096}"
               "],'next':'b.c'}");
}

TEST(empty_page) {
    proto_encode_set_list(&out, NULL, 0, NULL);
    test_wrote(&out, "{'sets':[],'next':null}");
}

TEST(about) {
    const proto_limits limits = proto_limits_default();
    proto_text head;

    proto_encode_about(&out, "1.2.3", "disk", NULL, &limits);
    head = test_text(
        &arena,
        "{'name':'gjkd','version':'1.2.3','durability':'disk','limits':{'body_bytes_max':16777216,"
        "'batch_queries_max':65536,'sets_max':10000,'shapes_per_set_max':"
        "1000000,'points_per_hull_max':65536,'pieces_per_shape_max':4194304,'"
        "history_ticks_max':4096,"
        "'id_bytes_max':128,'meta_bytes_max':4096,'answers_max':1000000,'watches_max':4096},"
        "'links':{");
    ck_assert_uint_gt(out.length, head.length);
    ck_assert_mem_eq(out.data, head.data, head.length);
    ck_assert_mem_eq(out.data + out.length - 2, "}}", 2);
}

TEST(probe) {
    proto_encode_status(&out, "draining", NULL);
    test_wrote(&out, "{'status':'draining'}");
}
