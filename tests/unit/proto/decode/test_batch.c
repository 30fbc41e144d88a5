/* Is a batch taken apart into the queries that it holds, and a hit into what it asks? */

#include <math.h>
#include <string.h>

#include "test_proto.h"

static struct gjk_arena arena;
static proto_limits limits;
static struct proto_problem problem;

static void set_up(void) {
    gjk_arena_init(&arena, 0);
    limits = proto_limits_default();
    problem = (struct proto_problem){0};
}

static void tear_down(void) {
    gjk_arena_fini(&arena);
}

TEST_FIXTURE(set_up, tear_down)

static struct proto_batch *open_batch(const char *body, uint32_t dimension) {
    struct proto_batch *batch = NULL;
    ck_assert_msg(proto_decode_batch(test_text(&arena, body), dimension, false, &limits, &arena,
                                     &batch, &problem),
                  "%s: %s", body, problem.detail);
    return batch;
}

TEST(queries_by_themselves) {
    struct proto_batch *batch =
        open_batch("{'queries': [{'op': 'detect', 'a': 'x'}, {'op': 'fly'},"
                   " {'op': 'raycast', 'origin': [1, 2], 'direction': [0, 3]}]}",
                   2);
    proto_query query;
    double tick;
    ck_assert_uint_eq(proto_batch_count(batch), 3);
    ck_assert(!proto_batch_tick(batch, &tick));
    ck_assert(proto_batch_query(batch, 2, &arena, &query, &problem));
    ck_assert(query.op == PROTO_OP_RAYCAST && query.ray.origin.y == 2 && query.dimension == 2);
    ck_assert_str_eq(query.pointer, "/queries/2");
    ck_assert(proto_batch_query(batch, 0, &arena, &query, &problem));
    ck_assert(query.op == PROTO_OP_DETECT && strcmp(query.a.member, "a") == 0);
    ck_assert(!proto_batch_query(batch, 1, &arena, &query, &problem));
    ck_assert(problem.code == PROTO_OUT_OF_RANGE);
    ck_assert_str_eq(problem.pointer, "/queries/1/op");
    proto_batch_close(batch);
    proto_batch_close(NULL);
}

TEST(hints_know_what_a_batch_holds) {
    static const struct {
        const char *body;
        uint32_t dimension;
        const char *pointer, *hint;
    } rows[] = {
        {"{'queries': [{}]}", 2, "/queries/0/op",
         "known values: detect, distance, raycast, cast, hit, move"},
        {"{'queries': [{}]}", 0, "/queries/0/op", "known values: detect, distance, raycast, cast"},
        {"{'queries': [{'op': 'hti'}]}", 2, "/queries/0/op", "did you mean \"hit\"?"},
        {"{'queries': [{'op': 'hti'}]}", 0, "/queries/0/op",
         "known values: detect, distance, raycast, cast"},
        {"{'queries': [{'op': 'ditance'}]}", 2, "/queries/0/op", "did you mean \"distance\"?"},
        {"{'queries': [{'op': 'cast', 'opp': 1}]}", 3, "/queries/0/opp", "did you mean \"op\"?"},
        {"{'queries': [{'op': 'detect', 'dimensoin': 2}]}", 0, "/queries/0/dimensoin",
         "did you mean \"dimension\"?"},
        {"{'queries': [{'op': 'raycast', 'shaps': {}}]}", 0, "/queries/0/shaps",
         "did you mean \"shape\"?"},
        {"{'queries': [{'op': 'cast', 'agianst': {}}]}", 0, "/queries/0/agianst",
         "did you mean \"against\"?"},
        {"{'queries': [{'op': 'hit', 'polciy': {}}]}", 2, "/queries/0/polciy",
         "did you mean \"policy\"?"},
        {"{'queries': [{'op': 'hit', 'ray': {'orign': 1}}]}", 2, "/queries/0/ray/orign",
         "did you mean \"origin\"?"},
        {"{'queries': [{'op': 'hit', 'ray': {'origin': [0, 0], 'direction': [1, 0]},"
         " 'claim': {'gruop': 1}}]}",
         2, "/queries/0/claim/gruop", "did you mean \"group\"?"},
        {"{'queries': [{'op': 'hit', 'ray': {'origin': [0, 0], 'direction': [1, 0]},"
         " 'claim': {'id': 'x'}, 'policy': {'obstacle': 1}}]}",
         2, "/queries/0/policy/obstacle", "did you mean \"obstacles\"?"},
    };
    for (int i = 0; i < COUNT_OF(rows); i++) {
        struct proto_batch *batch = open_batch(rows[i].body, rows[i].dimension);
        proto_query query;
        ck_assert(!proto_batch_query(batch, 0, &arena, &query, &problem));
        ck_assert_str_eq(problem.pointer, rows[i].pointer);
        ck_assert_msg(strcmp(problem.hint, rows[i].hint) == 0, "%s: %s", rows[i].body,
                      problem.hint);
        proto_batch_close(batch);
    }
}

TEST(what_the_batch_says_holds_until_a_query_says_otherwise) {
    struct proto_batch *batch =
        open_batch("{'at': {'tick': 7.5}, 'filter': {'mask': 5, 'category': 4}, 'options': "
                   "{'tolerance': 1e-3},"
                   " 'queries': [{'op': 'detect'},"
                   " {'op': 'detect', 'at': {'tick': 8}, 'filter': {'category': 1},"
                   "  'options': {'max_iterations': 9}},"
                   " {'op': 'detect', 'at': null, 'filter': {}, 'options': null}]}",
                   3);
    proto_query query;
    double tick = 0;
    ck_assert(proto_batch_tick(batch, &tick) && tick == 7.5);
    ck_assert(proto_batch_query(batch, 0, &arena, &query, &problem));
    ck_assert(query.at.given && query.at.tick == 7.5 && query.filter.mask == 5);
    ck_assert(!query.at.is_own);
    ck_assert(query.filter.category == 4 && query.options.tolerance == 1e-3);
    ck_assert(proto_batch_query(batch, 1, &arena, &query, &problem));
    ck_assert(query.at.tick == 8 && query.filter.category == 1);
    ck_assert(query.at.is_own);
    ck_assert(query.filter.mask == UINT32_MAX && query.options.max_iterations == 9);
    ck_assert(query.options.tolerance == GJK_TOLERANCE_DEFAULT);
    ck_assert(proto_batch_query(batch, 2, &arena, &query, &problem));
    ck_assert(query.at.tick == 7.5 && query.filter.mask == UINT32_MAX);
    ck_assert(query.options.tolerance == 1e-3);
    proto_batch_close(batch);
}

TEST(which_batches_have_a_query_without_a_member) {
    static const struct {
        const char *body;
        uint32_t dimension;
        bool detects, measures;
    } rows[] = {
        {"{'queries': [{'op': 'detect', 'a': 'x', 'b': 'y'}, 7, null]}", 2, false, false},
        {"{'queries': [{'op': 'detect', 'a': 'x'}, {'op': 'distance', 'a': 'x'}]}", 2, false,
         false},
        {"{'queries': [{'op': 'detect', 'a': 'x', 'b': 'y'}, {'op': 'detect'}]}", 2, true, false},
        {"{'queries': [{'op': 'detect', 'a': null}]}", 2, true, false},
        {"{'queries': [{'a': 'x'}, {'op': 'distance', 'max_distance': 1}]}", 2, false, true},
        {"{'queries': [{'op': 'detect'}]}", 0, false, false},
    };
    for (int i = 0; i < COUNT_OF(rows); i++) {
        struct proto_batch *batch = open_batch(rows[i].body, rows[i].dimension);
        ck_assert_int_eq(proto_batch_has_without(batch, PROTO_OP_DETECT, "a"), rows[i].detects);
        ck_assert_int_eq(proto_batch_has_without(batch, PROTO_OP_DISTANCE, "a"), rows[i].measures);
        proto_batch_close(batch);
    }
}

TEST(queries_of_a_batch_are_limited) {
    struct proto_batch *batch;
    limits.batch_queries_max = 2;
    ck_assert(!proto_decode_batch(test_text(&arena, "{'queries': [{}, {}, {}]}"), 2, false, &limits,
                                  &arena, &batch, &problem));
    ck_assert_int_eq(problem.code, PROTO_TOO_MANY);
    ck_assert(problem.has_limit && problem.limit == 2);
    proto_batch_close(open_batch("{'queries': [{}, {}]}", 2));
}

TEST(a_whole_hit) {
    proto_query query;
    test_accepted(&arena, PROTO_OP_HIT, 2,
                  "{'shooter': 'red', 'at': {'tick': 3}, 'ray': {'origin': [1, 2],"
                  " 'direction': [0, 2], 'max_distance': 9}, 'radius': 0.5, 'claim': {'id': 'x'},"
                  " 'policy': {'max_rewind_ticks': 7.5, 'obstacles': 'walls', 'near_miss': 2}}",
                  &query);
    ck_assert_str_eq(query.shooter, "red");
    ck_assert(query.at.given && query.at.tick == 3 && query.radius == 0.5);
    ck_assert(query.ray.direction.y == 1 && query.ray.max_distance == 9);
    ck_assert(strcmp(query.claim_id, "x") == 0 && query.claim_group == NULL);
    ck_assert(query.max_rewind_ticks == 7.5 && query.near_miss == 2);
    ck_assert_uint_eq(query.obstacles_count, 1);
    ck_assert_str_eq(query.obstacles[0].set, "walls");
    test_accepted(&arena, PROTO_OP_HIT, 3,
                  "{'ray': {'origin': [1, 2, 3], 'direction': [0, 0, 1]},"
                  " 'claim': {'group': 'g', 'id': null}, 'policy': null}",
                  &query);
    ck_assert(query.shooter == NULL && !query.at.given && query.radius == 0);
    ck_assert(query.claim_id == NULL && strcmp(query.claim_group, "g") == 0);
    ck_assert(isinf(query.max_rewind_ticks) && query.near_miss < 0 && query.obstacles_count == 0);
}

TEST(what_is_said_of_a_shot) {
    struct proto_buffer out;
    const gjk_body body = {.id = "x", .group = "g"};
    gjk_near near = {.body = &body, .result = {.distance = 2.5}};
    gjk_judgement judgement = {
        .verdict = GJK_VERDICT_DENIED,
        .reason = GJK_REASON_BLOCKED,
        .has_hit = true,
        .has_obstacle = true,
        .hit = {&body,
                {.piece = GJK_NO_PIECE,
                 .hit = true,
                 .has_normal = true,
                 .distance = 3,
                 .normal = {-1, 0, 0}}},
        .obstacle = {&body, {.piece = GJK_NO_PIECE, .hit = true, .inside = true}},
        .near_misses = {&near, 1, true},
    };
    const proto_rewind rewind =
        {.requested = 12.5, .is_found = true, .from = 12, .to = 13, .alpha = 0.5, .has_age = true};
    proto_buffer_init(&out, &arena);
    proto_encode_judgement(&out, 2, &judgement, NULL, NULL, &rewind, NULL);
    test_wrote(&out,
               "{'verdict':'denied','reason':'blocked','hit':{'id':'x','group':'g','distance':3,"
               "'point':[0,0],'normal':[-1,0],'inside':false,'status':'converged'},"
               "'obstacle':{'id':'x','group':'g','distance':0,'point':[0,0],'normal':null,"
               "'inside':true,'status':'converged'},"
               "'near_misses':[{'id':'x','group':'g','distance':2.5}],'truncated':true,"
               "'rewind':{'requested':12.5,'from':12,'to':13,'alpha':0.5,'age_ticks':0}}");
    judgement =
        (gjk_judgement){.verdict = GJK_VERDICT_UNVERIFIABLE, .reason = GJK_REASON_TICK_EXPIRED};
    proto_buffer_init(&out, &arena);
    proto_encode_judgement(&out, 2, &judgement, NULL, "maps", NULL, NULL);
    test_wrote(&out, "{'verdict':'unverifiable','reason':'tick-expired','set':'maps','hit':null,"
                     "'obstacle':null,'near_misses':[],'rewind':null}");
}

TEST(what_is_said_to_a_batch) {
    struct proto_buffer out, error;
    const proto_stamp stamp = {.has_revision = true, .revision = 4};
    proto_buffer_init(&out, &arena);
    proto_buffer_init(&error, &arena);
    proto_problem_set(&problem, PROTO_BAD_REQUEST, "no");
    proto_encode_error(&error, &problem);
    proto_encode_batch_begin(&out, &stamp);
    proto_encode_batch_reply(&out, (proto_text){"{}", 2});
    proto_encode_batch_reply(&out, (proto_text){"[]", 2});
    proto_encode_batch_end(&out, (proto_text){NULL, 0});
    test_wrote(&out, "{'revision':4,'results':[{},[]]}");
    ck_assert(strncmp(error.data, "{\"error\":{\"type\":\"/problems/bad-request\"", 40) == 0);
    proto_buffer_init(&out, &arena);
    proto_encode_batch_begin(&out, NULL);
    proto_encode_batch_end(&out, (proto_text){NULL, 0});
    test_wrote(&out, "{'results':[]}");
}
