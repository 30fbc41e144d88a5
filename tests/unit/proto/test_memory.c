/*
 * Does every failing allocation end in out-of-memory, with nothing leaked? The arena's limit goes
 * up in small steps from nothing to enough: each step lets some more allocations succeed, those
 * of the JSON tree included, and the next one fail. LeakSanitizer watches.
 */

#include <string.h>

#include "test_proto.h"

#define STEP_BYTES 16
#define ENOUGH_BYTES ((size_t)1 << 20)

static const proto_limits *limits(void) {
    static proto_limits defaults;

    defaults = proto_limits_default();
    return &defaults;
}

TEST_ARENA(texts)

static bool decode_query(proto_text body, proto_op op, size_t limit_bytes,
                         struct proto_problem *problem) {
    struct gjk_arena arena;
    proto_query query = {.dimension = 99};

    gjk_arena_init(&arena, limit_bytes);
    bool is_decoded = proto_decode_query(body, op, 0, limits(), &arena, &query, problem);
    ck_assert_int_eq(is_decoded, query.dimension != 99); /* never half a job */
    gjk_arena_fini(&arena);
    return is_decoded;
}

static bool decode_set(proto_text body, size_t limit_bytes, struct proto_problem *problem) {
    struct gjk_arena arena;
    proto_set set = {.dimension = 99};

    gjk_arena_init(&arena, limit_bytes);
    bool is_decoded = proto_decode_set(body, "arena", limits(), &arena, &set, problem);
    ck_assert_int_eq(is_decoded, set.dimension != 99);
    gjk_arena_fini(&arena);
    return is_decoded;
}

static void check_refusal(const struct proto_problem *problem) {
    ck_assert_msg(problem->code == PROTO_OUT_OF_MEMORY, "%s: %s", proto_code_text(problem->code),
                  problem->detail);
    ck_assert_str_eq(problem->pointer, "");
}

static const struct {
    proto_op op;
    const char *body;
} queries[] = {
    {PROTO_OP_DETECT,
     "{'a':{'type':'polygon','vertices':[[0,0],[1,0],[0,1]],'meta':{'k':'v'},'group':'g'},"
     "'b':{'type':'hull','points':[[0,0],[1,0],[0,1],[1,1]]},"
     "'filter':{'ignore':['x','y'],'only_groups':[],'ignore_groups':['z']}}"},
    {PROTO_OP_DISTANCE,
     "{'a':{'type':'box','half_extents':[1,2,3]},'b':{'type':'triangle','a':[0,0,0],'b':[1,0,0],"
     "'c':[0,0,1],'orientation':[0,0,0,1]},'options':{'tolerance':1e-3}}"},
    {PROTO_OP_RAYCAST,
     "{'origin':[0,0],'direction':[1,0],'shapes':{'a':{'type':'circle','radius':1},'b':"
     "{'type':'capsule','a':[0,0],'b':[0,1],'radius':0.5},'a/long/name/"
     "\\u0061':{'type':'point'}}}"},
    {PROTO_OP_CAST,
     "{'shape':{'type':'polygon','vertices':[[0,0],[1,0],[0,1]]},'translation':[1,2],'mode':'all',"
     "'shapes':{'e':{'type':'ellipse','radii':[1,2]},'s':{'type':'slice','radius':1,'theta':2},"
     "'h':{'type':'half_ellipse','width':1,'height':2,'group':'g'},'x/y':{'type':'hull',"
     "'points':[[0,0],[1,0],[0,1],[1,1]]}},'filter':{'ignore':['e']}}"},
};

TEST_EACH(queries_run_out_of_memory, 0, COUNT_OF(queries)) {
    proto_text body = test_text(&texts, queries[_i].body);
    int refused = 0;

    for (size_t limit = STEP_BYTES; limit <= ENOUGH_BYTES; limit += STEP_BYTES) {
        struct proto_problem problem = {0};
        if (decode_query(body, queries[_i].op, limit, &problem)) {
            ck_assert_int_gt(refused, 30); /* every allocation had its turn */
            return;
        }
        check_refusal(&problem);
        refused++;
    }
    ck_abort_msg("never enough memory");
}

TEST(sets_run_out_of_memory) {
    proto_text body =
        test_text(&texts,
                  "{'dimension':2,'meta':{'a':[1,2,{'b':'c'}]},'history':{'ticks':3},'shapes':{"
                  "'c':{'type':'hull','points':[[0,0],[1,0],[0,1],[1,1]],'meta':[1,2,3]},"
                  "'p':{'type':'polygon','vertices':[[0,0],[1,0],[0,1]],'group':'g'},"
                  "'q':{'type':'segment','a':[0,0],'b':[1,1]}}}");
    int refused = 0;

    for (size_t limit = STEP_BYTES; limit <= ENOUGH_BYTES; limit += STEP_BYTES) {
        struct proto_problem problem = {0};
        if (decode_set(body, limit, &problem)) {
            ck_assert_int_gt(refused, 50);
            return;
        }
        check_refusal(&problem);
        refused++;
    }
    ck_abort_msg("never enough memory");
}

/* Also in the middle of an escape. */
TEST_EACH(long_texts_run_out_of_memory, 0, 3) {
    static const char begin[] = "{\"dimension\":2,\"meta\":\"xx";
    char body[2048];
    size_t length = sizeof begin - 1 - (size_t)_i;

    memcpy(body, begin, length);
    while (length < sizeof body - 4) {
        body[length++] = '\\';
        body[length++] = 'n';
    }
    body[length++] = '"';
    body[length++] = '}';
    size_t limit = STEP_BYTES;
    struct proto_problem problem = {0};
    while (limit <= ENOUGH_BYTES && !decode_set((proto_text){body, length}, limit, &problem)) {
        check_refusal(&problem);
        limit += STEP_BYTES;
    }
    ck_assert_uint_gt(limit, 4096);
    ck_assert_uint_le(limit, ENOUGH_BYTES);
}

/* Bad syntax stays bad syntax, however little memory there is beyond what parsing it takes. */
TEST(malformed_is_told_from_memory) {
    proto_text body = test_text(&texts, "{'dimension':2,'shapes':{'a':}}");
    bool is_malformed = false;

    for (size_t limit = STEP_BYTES; limit <= 65536; limit += STEP_BYTES) {
        struct proto_problem problem = {0};
        ck_assert(!decode_set(body, limit, &problem));
        if (problem.code == PROTO_MALFORMED_JSON)
            is_malformed = true;
        else
            check_refusal(&problem);
        ck_assert(!is_malformed || problem.code == PROTO_MALFORMED_JSON);
    }
    ck_assert(is_malformed);
}

TEST(a_full_arena_is_out_of_memory) {
    struct proto_problem problem = {0};
    struct gjk_arena arena;
    proto_query query;

    gjk_arena_init(&arena, 4096);
    while (gjk_arena_alloc(&arena, 16) != NULL)
        continue;
    ck_assert(!proto_decode_query(test_text(&texts, "{}"), PROTO_OP_DETECT, 2, limits(), &arena,
                                  &query, &problem));
    check_refusal(&problem);
    gjk_arena_fini(&arena);
}

/* Decoding goes on after a mistake, but not after a lack of memory. */
TEST(mistakes_run_out_of_memory) {
    proto_text body = test_text(&texts, "{'x':1,'a':{'type':'circle','radius':-1}}");
    int refused = 0;

    for (size_t limit = STEP_BYTES; limit <= ENOUGH_BYTES; limit += STEP_BYTES) {
        struct proto_problem problem = {0};
        ck_assert(!decode_query(body, PROTO_OP_DETECT, limit, &problem));
        if (problem.code == PROTO_UNKNOWN_MEMBER) {
            ck_assert_uint_eq(problem.more_count, 2); /* /a/radius, /b */
            ck_assert_int_gt(refused, 50);
            return;
        }
        check_refusal(&problem);
        ck_assert_uint_eq(problem.more_count, 0);
        refused++;
    }
    ck_abort_msg("never enough memory");
}

TEST(replies_run_out_of_memory) {
    struct proto_problem problem;
    proto_problem_set(&problem, PROTO_INTERNAL, "x");

    for (size_t limit = STEP_BYTES; limit <= 65536; limit *= 2) {
        struct gjk_arena arena;
        struct proto_buffer out;
        gjk_arena_init(&arena, limit);
        proto_buffer_init(&out, &arena);
        for (int i = 0; i < 100; i++)
            proto_encode_problem(&out, &problem);
        ck_assert_int_eq(out.failed, limit <= 16384);
        ck_assert_uint_le(out.length, out.capacity);
        gjk_arena_fini(&arena);
    }
}
