/* Does the cost model see what a body asks for, and send long work away? */

#include <string.h>

#include "test_server.h"

TEST(glance) {
    static const struct {
        const char *body, *name;
        bool there;
    } rows[] = {
        {"{\"a\":\"x\",\"b\":\"y\"}", "b", true},
        {"{\"a\":\"x\",\"b\":\"y\"}", "a", true},
        {" { \"b\" : {\"id\":1} } ", "b", true},
        {"{\"a\":\"b\"}", "b", false},
        {"{\"a\":{\"b\":1}}", "b", false},
        {"{\"a\":[\"b\",{\"b\":2}]}", "b", false},
        {"{\"b\":null}", "b", false},
        {"{\"b\": null , \"a\": 1}", "b", false},
        {"{\"filter\":{\"ignore\":[\"b\"]}}", "b", false},
        {"{\"x\\\"b\":1}", "b", false},
        {"{\"x\\\\\":1,\"b\":2}", "b", true},
        {"{\"a\":\"}\",\"b\":2}", "b", true},
        {"{\"a\":\"{\\\"\",\"b\":2}", "b", true},
        {"[\"b\",1]", "b", false},
        {"\"b\"", "b", false},
        {"{\"b\"", "b", false},
        {"{\"b\":", "b", false},
        {"{\"b\\", "b", false},
        {"{\"ab\":1}", "b", false},
        {"", "b", false},
    };

    for (int i = 0; i < COUNT_OF(rows); i++)
        ck_assert_msg(gjkd_cost_model_has_member(rows[i].body, strlen(rows[i].body),
                                                 rows[i].name) == rows[i].there,
                      "%s", rows[i].body);
    ck_assert(!gjkd_cost_model_has_member(NULL, 0, "b"));
}

static const gjkd_cost *cost_of(const char *id) {
    for (unsigned i = 0; i < gjkd_operation_count; i++) {
        if (strcmp(gjkd_operations[i].id, id) == 0)
            return gjkd_operations[i].cost;
    }
    ck_abort_msg("there is no operation %s", id);
}

/* Of a set in which a question meets one in ten shapes. */
static bool wants_worker(const char *id, const char *body, uint64_t items) {
    gjkd_work work = {.cost = cost_of(id),
                      .body = body,
                      .body_bytes = strlen(body),
                      .items = items,
                      .points = 8,
                      .met = items / 10};
    return gjkd_cost_model_wants_worker(&work);
}

TEST(small_work_stays) {
    ck_assert(!wants_worker("about", "", 1000000));
    ck_assert(!wants_worker("detectInSet", "{\"a\":\"x\",\"b\":\"y\"}", 1000000));
    ck_assert(!wants_worker("distanceInSet", "{\"a\":\"x\",\"b\":\"y\"}", 1000000));
    ck_assert(!wants_worker("raycastInSet", "{\"target\":\"x\"}", 1000000));
    ck_assert(!wants_worker("detectInSet", "{}", 0));
    ck_assert(!wants_worker("detectInSet", "{}", 20));
    ck_assert(!wants_worker("detectInSet", "{\"a\":\"x\"}", 100));
    ck_assert(!wants_worker("raycastInSet", "{}", 1000));
    ck_assert(!wants_worker("getSet", "", 20));
}

TEST(pairs_of_large_shapes_go) {
    const char *pair = "{\"a\":\"x\",\"b\":\"y\"}";
    gjkd_work work = {.cost = cost_of("detectInSet"),
                      .body = pair,
                      .body_bytes = strlen(pair),
                      .items = 2,
                      .points = 32,
                      .met = 2};
    ck_assert(!gjkd_cost_model_wants_worker(&work));
    work.points = 60000;
    ck_assert(gjkd_cost_model_wants_worker(&work));
    work.cost = cost_of("distanceInSet");
    ck_assert(gjkd_cost_model_wants_worker(&work));
}

TEST(long_work_goes) {
    char body[5001];

    ck_assert(wants_worker("putSet", "", 0));
    ck_assert(wants_worker("detectInSet", "{}", 100));
    ck_assert(wants_worker("detectInSet", "{\"b\":null}", 1000000000000));
    ck_assert(wants_worker("detectInSet", "{\"a\":\"b\"}", 10000));
    ck_assert(wants_worker("distanceInSet", "{\"a\":\"x\"}", 10000));
    ck_assert(wants_worker("raycastInSet", "{}", 10000));
    ck_assert(wants_worker("getSet", "", 10000));
    ck_assert(wants_worker("castInSet", "{}", 10000));
    ck_assert(wants_worker("listSets", "", 1000));
    ck_assert(wants_worker("batchInSet", "", 0));
    ck_assert(!wants_worker("raycastInSet", "{}", 2200)); /* 220 shapes of 200 ns: 47 us */
    ck_assert(wants_worker("hitInSet", "{}", 2200));      /* the same twice */
    ck_assert(!wants_worker("distanceInSet", "{\"a\":\"x\",\"limit\":200}", 2200));
    ck_assert(wants_worker("distanceInSet", "{\"a\":\"x\",\"limit\":1000000}", 2200));
    ck_assert(wants_worker("distanceInSet", "{\"limit\":99999999999999999999999999", 2200));
    memset(body, ' ', sizeof body - 1);
    body[sizeof body - 1] = '\0';
    ck_assert(wants_worker("detectInSet", body, 0));
}

TEST(reading_large_shapes_goes) {
    gjkd_work work = {.cost = cost_of("getSet"), .items = 2, .stored_bytes = 20000};
    ck_assert(!gjkd_cost_model_wants_worker(&work));
    work.stored_bytes = 200000;
    ck_assert(gjkd_cost_model_wants_worker(&work));
    work.cost = cost_of("getShape");
    ck_assert(!gjkd_cost_model_wants_worker(&work));
    work.points = 3000;
    ck_assert(gjkd_cost_model_wants_worker(&work));
}
