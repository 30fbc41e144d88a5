/* Does a request travel from target to reply as it should, without a socket? */

#include <stdio.h>
#include <string.h>

#include "test_server.h"

static struct gjkd_config config;
static struct gjkd_context context;
static struct gjkd_request request;

static void start(void) {
    config.request_timeout_ms = 30000;
    config.max_answer_bytes = 67108864;
    context.config = &config;
    context.limits = proto_limits_default();
    context.limits.body_bytes_max = 4000;
    context.registry = context.newest = gjkd_registry_new(10);
    context.memory = gjkd_memory_storage(context.registry);
    context.storage = &context.memory;
    context.telemetry = gjkd_telemetry_new(1);
    atomic_init(&context.draining, false);
    ck_assert(gjkd_request_init(&request, &context, gjkd_telemetry_counters(context.telemetry, 0)));
    gjkd_request_reset(&request);
}

static void finish(void) {
    gjkd_request_fini(&request);
    gjkd_telemetry_free(context.telemetry);
    gjkd_registry_free(context.registry);
}

/* "Name: value" lines; the host is there already. */
static void begin(gjkd_method method, const char *target, const char *const *lines) {
    gjkd_request_reset(&request);
    ck_assert(gjkd_request_set_target(&request, target));
    request.head = gjkd_head_make(method);
    gjkd_head_add(&request.head, &request.arena, "Host", "localhost");
    for (; lines != NULL && *lines != NULL; lines++) {
        const char *colon = strchr(*lines, ':');
        const char *name = gjk_arena_copy_text(&request.arena, *lines, (size_t)(colon - *lines));
        gjkd_head_add(&request.head, &request.arena, name, colon + 2);
    }
    gjkd_request_begin(&request);
}

/* A whole request with a JSON body (' for "), given in two pieces. */
static int ask(gjkd_method method, const char *target, const char *body) {
    static char text[262144];
    char length[64];
    size_t size = strlen(body);

    snprintf(length, sizeof length, "Content-Length: %zu", size);
    for (size_t i = 0; i <= size; i++)
        text[i] = body[i] == '\'' ? '"' : body[i];
    begin(method, target, (const char *const[]){"Content-Type: application/json", length, NULL});
    if (size > 0) {
        ck_assert(gjkd_request_take_body(&request, text, size / 2));
        ck_assert(gjkd_request_take_body(&request, text + size / 2, size - size / 2));
    }
    gjkd_request_prepare(&request, uv_hrtime());
    gjkd_request_run(&request);
    ck_assert_ptr_null(request.version);
    return request.reply.status;
}

static bool replied(const char *chunk) {
    static char text[16384];
    snprintf(text, sizeof text, "%.*s", (int)request.reply.length, request.reply.data);
    return strstr(text, chunk) != NULL;
}

TEST(a_set_and_a_query) {
    start();
    ck_assert_int_eq(ask(GJKD_PUT, "/v1/sets/s",
                         "{'dimension':2,'shapes':{'a':{'type':'circle','radius':1},'b':{"
                         "'type':'circle','radius':1,'position':[5,0]}}}"),
                     201);
    ck_assert_str_ne(request.reply.etag, "");
    ck_assert_int_eq(ask(GJKD_POST, "/v1/sets/s/distance", "{'a':'a','b':'b'}"), 200);
    ck_assert(replied("\"distance\":3,"));
    ck_assert(replied("\"revision\":1"));
    ck_assert_int_eq(ask(GJKD_GET, "/v1/sets/s?fields=summary", ""), 200);
    ck_assert(replied("\"shapes\":2"));
    ck_assert_int_eq(ask(GJKD_DELETE, "/v1/sets/s", ""), 204);
    ck_assert_uint_eq(request.reply.length, 0);
    ck_assert_int_eq(ask(GJKD_GET, "/v1/sets/s", ""), 404);
    ck_assert(replied("\"code\":\"set-not-found\""));
    ck_assert_str_eq(request.reply.content_type, "application/problem+json");
    finish();
}

/* Others hold what there is: nothing is parsed, nothing is kept. */
TEST(no_room_for_the_body) {
    static char large[200000];
    const uint64_t max = 1 << 20;

    memset(large, ' ', sizeof large - 1);
    start();
    context.limits.body_bytes_max = sizeof large;
    gjkd_memory_set_limit(max);
    const uint64_t others = gjkd_memory_ceiling(GJKD_CHARGE_LARGE) - gjkd_memory_used();
    ck_assert(gjkd_memory_take(GJKD_CHARGE_LARGE, others));
    ck_assert_int_eq(ask(GJKD_POST, "/v1/detect", "{'a':{'type':'point'}}"), 422); /* small */
    ck_assert_int_eq(ask(GJKD_POST, "/v1/detect", large), 503);
    ck_assert(replied("\"code\":\"overloaded\""));
    ck_assert_uint_gt(request.reply.retry_after_s, 0);
    gjkd_request_reset(&request);
    gjkd_memory_give(GJKD_CHARGE_LARGE, others);
    ck_assert_int_eq(ask(GJKD_POST, "/v1/detect", large), 400);

    gjkd_request_reset(&request);
    gjkd_memory_set_limit(sizeof large / 2); /* alone, and still too large */
    ck_assert_int_eq(ask(GJKD_POST, "/v1/detect", large), 507);
    gjkd_request_reset(&request);
    gjkd_memory_set_limit(0);
    finish();
}

TEST(refusals_of_the_head) {
    static const struct {
        const char *target, *line;
        int status;
        bool close;
    } rows[] = {
        {"/v1/detect", "Content-Type: application/json", 0, false},
        {"/v1/detect", "Content-Length: 0", 0, false},
        {"/v1/detect", "Content-Length: 5", 415, false},
        {"/v1/detect", "Transfer-Encoding: chunked", 415, false},
        {"/v1/detect", "Accept: text/html", 406, false},
        {"/v1/detect?x=1", "X: y", 400, false},
        {"/v1/dtect", "X: y", 404, false},
        {"/v1/%zz", "X: y", 400, false},
        {"/v1/sets", "X: y", 405, false},
        {"/v1/detect", "Transfer-Encoding: gzip", 400, true},
        {"/v1/nope", "Content-Length: 5000", 404, true},
        {"http://127.0.0.1:80/v1/detect", "X: y", 0, false},
        {"http://example.com/v1/detect", "X: y", 403, false},
    };

    start();
    for (int i = 0; i < COUNT_OF(rows); i++) {
        begin(GJKD_POST, rows[i].target, (const char *const[]){rows[i].line, NULL});
        ck_assert_msg(request.reply.status == rows[i].status, "row %d: %d", i,
                      request.reply.status);
        ck_assert_msg(request.reply.close == rows[i].close, "row %d", i);
    }
    begin(GJKD_POST, "/v1/sets/s", NULL);
    ck_assert_str_eq(request.reply.allow, "GET, HEAD, PUT, PATCH, DELETE");
    finish();
}

TEST(names_do_not_rebind) {
    start();
    begin(GJKD_GET, "/livez", NULL);
    ck_assert_int_eq(request.reply.status, 0);
    gjkd_request_reset(&request);
    ck_assert(gjkd_request_set_target(&request, "/livez"));
    request.head = gjkd_head_make(GJKD_GET);
    gjkd_head_add(&request.head, &request.arena, "Host", "evil.example");
    gjkd_request_begin(&request);
    ck_assert_int_eq(request.reply.status, 403);
    finish();
}

TEST(sizes) {
    static char large[GJKD_FIELD_BYTES_MAX + 16];
    char piece[1000];

    start();
    memset(large, 'x', sizeof large - 1);
    memcpy(large, "X: ", 3);
    begin(GJKD_GET, "/livez", (const char *const[]){large, NULL});
    ck_assert_int_eq(request.reply.status, 431);
    large[0] = '/';
    large[GJKD_TARGET_BYTES_MAX + 1] = '\0';
    begin(GJKD_GET, large, NULL);
    ck_assert_int_eq(request.reply.status, 414);

    /* Announced too long: refused before a byte of it. */
    begin(GJKD_POST, "/v1/detect",
          (const char *const[]){"Content-Type: application/json", "Content-Length: 4001", NULL});
    ck_assert_int_eq(request.reply.status, 413);
    ck_assert(request.reply.close && replied("\"limit\":4000"));

    /* Not announced: counted; one byte over is over. */
    memset(piece, ' ', sizeof piece);
    begin(GJKD_POST, "/v1/detect",
          (const char *const[]){"Content-Type: application/json", "Transfer-Encoding: chunked",
                                NULL});
    for (int i = 0; i < 4; i++)
        ck_assert(gjkd_request_take_body(&request, piece, sizeof piece));
    ck_assert_int_eq(request.reply.status, 0);
    ck_assert_uint_eq(request.body_bytes, 4000);
    ck_assert(gjkd_request_take_body(&request, piece, 1));
    ck_assert_int_eq(request.reply.status, 413);
    /* What follows is thrown away, but not without end. */
    bool goes_on = true;
    uint64_t sent = 0;
    for (; goes_on && sent < 2 * GJKD_DISCARD_BYTES_MAX; sent += sizeof piece)
        goes_on = gjkd_request_take_body(&request, piece, sizeof piece);
    ck_assert(!goes_on);
    ck_assert_uint_le(sent, GJKD_DISCARD_BYTES_MAX + 2 * sizeof piece);
    finish();
}

TEST(deadlines) {
    static const char *const bad[] = {"Gjkd-Timeout-Ms: ", "Gjkd-Timeout-Ms: -1",
                                      "Gjkd-Timeout-Ms: 1.5"};
    static const char *const long_ones[] = {"Gjkd-Timeout-Ms: 999999999",
                                            "Gjkd-Timeout-Ms: 99999999999999999999999"};
    start();
    for (int i = 0; i < COUNT_OF(bad); i++) {
        begin(GJKD_GET, "/v1", (const char *const[]){bad[i], NULL});
        ck_assert_int_eq(request.reply.status, 400);
    }
    for (int i = 0; i < COUNT_OF(long_ones); i++) {
        begin(GJKD_GET, "/v1", (const char *const[]){long_ones[i], NULL});
        ck_assert_uint_eq(request.deadline_ns - request.timing.started_ns, UINT64_C(30000000000));
        gjkd_request_run(&request);
        ck_assert_int_eq(request.reply.status, 200);
    }
    begin(GJKD_GET, "/v1", (const char *const[]){"Gjkd-Timeout-Ms: 0", NULL});
    gjkd_request_run(&request);
    ck_assert_int_eq(request.reply.status, 504);
    finish();
}

/* Whoever was told that time is up finds nothing changed, and the other way round. */
TEST(a_write_happens_or_expires) {
    static const char body[] = "{\"dimension\":2}";
    static const char *const lines[] = {"Content-Type: application/json",
                                        "Transfer-Encoding: chunked", NULL};
    start();
    begin(GJKD_PUT, "/v1/sets/s", lines);
    ck_assert(gjkd_request_take_body(&request, body, strlen(body)));
    ck_assert(gjkd_request_expire(&request));
    gjkd_request_run(&request);
    ck_assert_ptr_null(gjkd_registry_get(context.registry, "s"));
    begin(GJKD_PUT, "/v1/sets/s", lines);
    ck_assert(gjkd_request_take_body(&request, body, strlen(body)));
    gjkd_request_run(&request);
    ck_assert(!gjkd_request_expire(&request));
    ck_assert_int_eq(request.reply.status, 201);
    finish();
}

TEST(probes) {
    start();
    ck_assert_int_eq(ask(GJKD_GET, "/readyz", ""), 200);
    atomic_store(&context.draining, true);
    ck_assert_int_eq(ask(GJKD_GET, "/readyz", ""), 503);
    ck_assert(request.reply.retry_after_s && replied("\"code\":\"draining\""));
    ck_assert_int_eq(ask(GJKD_GET, "/livez", ""), 200);
    atomic_store(&context.draining, false);
    atomic_store(&context.loading, true);
    ck_assert_int_eq(ask(GJKD_GET, "/readyz", ""), 503);
    ck_assert(request.reply.retry_after_s && replied("\"code\":\"not-ready\""));
    ck_assert_int_eq(ask(GJKD_GET, "/v1/sets/s", ""), 503);
    ck_assert_int_eq(ask(GJKD_GET, "/livez", ""), 200);
    ck_assert_int_eq(ask(GJKD_GET, "/metrics", ""), 200);
    ck_assert(replied("gjkd_ready 0\n"));
    atomic_store(&context.loading, false);
    ck_assert_int_eq(ask(GJKD_GET, "/readyz", ""), 200);
    ck_assert_int_eq(ask(GJKD_GET, "/problems/not-convex", ""), 200);
    ck_assert_int_eq(ask(GJKD_GET, "/problems/nonsense", ""), 404);
    ck_assert_int_eq(ask(GJKD_GET, "/metrics", ""), 200);
    ck_assert_str_eq(request.reply.content_type, "text/plain; version=0.0.4; charset=utf-8");
    finish();
}

/* What a set query says of a shape is what the question about that shape alone says. */
TEST(forms_agree) {
    char alone[1024];
    start();
    ck_assert_int_eq(ask(GJKD_PUT, "/v1/sets/s",
                         "{'dimension':3,'shapes':{'a':{'type':'sphere','radius':1},'b':{"
                         "'type':'box','half_extents':[1,1,1],'position':[1.5,0.25,0]}}}"),
                     201);
    ck_assert_int_eq(ask(GJKD_POST, "/v1/sets/s/detect", "{'a':'a','b':'b'}"), 200);
    size_t length = request.reply.length - strlen(",\"revision\":1}");
    snprintf(alone, sizeof alone, "%.*s", (int)length - 1, request.reply.data + 1);
    ck_assert_int_eq(ask(GJKD_POST, "/v1/sets/s/detect", "{'a':'a'}"), 200);
    ck_assert(replied(alone));
    ck_assert_int_eq(ask(GJKD_POST, "/v1/sets/s/detect", "{}"), 200);
    ck_assert(replied(alone));
    ck_assert_int_eq(ask(GJKD_POST, "/v1/sets/s/detect", "{'against':'s'}"), 200);
    ck_assert(replied(alone));
    ck_assert(replied("\"against_revision\":1"));
    finish();
}

TEST(queries_that_cannot_be) {
    start();
    ck_assert_int_eq(ask(GJKD_PUT, "/v1/sets/s",
                         "{'dimension':2,'shapes':{'a':{'type':'circle','radius':1}}}"),
                     201);
    ck_assert_int_eq(ask(GJKD_PUT, "/v1/sets/t", "{'dimension':3}"), 201);
    ck_assert_int_eq(ask(GJKD_POST, "/v1/sets/s/detect", "{'a':'a','b':'x'}"), 404);
    ck_assert(replied("\"shape-not-found\"") && replied("\"/b\""));
    ck_assert_int_eq(ask(GJKD_POST, "/v1/sets/s/detect", "{'against':'none'}"), 404);
    ck_assert(replied("\"set-not-found\"") && replied("\"/against\""));
    ck_assert_int_eq(ask(GJKD_POST, "/v1/sets/s/detect", "{'against':'t'}"), 422);
    ck_assert(replied("\"dimension-mismatch\""));
    ck_assert_int_eq(ask(GJKD_POST, "/v1/sets/s/detect", "{'at':{'tick':1}}"), 410);
    ck_assert(replied("\"tick-expired\""));
    ck_assert_int_eq(ask(GJKD_POST, "/v1/sets/none/detect", "{}"), 404);
    ck_assert_int_eq(ask(GJKD_POST, "/v1/detect", ""), 400);
    ck_assert_int_eq(ask(GJKD_PUT, "/v1/sets/-x", "{'dimension':2}"), 422);
    ck_assert(replied("\"bad-name\""));
    finish();
}

static void do_nothing(struct gjkd_request *unused) {
    (void)unused;
}

TEST(an_operation_without_an_answer) {
    start();
    begin(GJKD_GET, "/livez", NULL);
    struct gjkd_operation broken = *request.match.operation;
    broken.handler = do_nothing;
    request.match.operation = &broken;
    gjkd_request_prepare(&request, uv_hrtime());
    gjkd_request_run(&request);
    ck_assert_int_eq(request.reply.status, 500);
    ck_assert(replied("\"internal\""));
    finish();
}

/* An operation that takes longer than a trial, on a loop and on a worker alike. */
static void work_long(struct gjkd_request *of) {
    const uint64_t until_ns = uv_hrtime() + 2 * GJKD_TRIAL_NS;
    ck_assert_ptr_nonnull(gjk_arena_alloc(&of->arena, 100000));
    while (uv_hrtime() < until_ns) {
    }
    if (gjkd_request_check_time(of)) {
        gjkd_request_fail_late(of);
    } else {
        of->reply.status = 204;
    }
}

/* What is given up leaves the request as it was, body and all, and a worker answers it. */
TEST(a_trial_is_given_up) {
    static const struct gjkd_operation operation = {.path = "/", .handler = work_long};
    start();
    begin(GJKD_POST, "/v1/detect",
          (const char *const[]){"Content-Type: application/json", "Content-Length: 2", NULL});
    ck_assert(gjkd_request_take_body(&request, "{}", 2));
    const size_t used = request.arena.used_bytes;
    ck_assert(!gjkd_request_prepare(&request, uv_hrtime()));
    request.match.operation = &operation;
    ck_assert(!gjkd_request_try(&request));
    ck_assert_int_eq(request.reply.status, 0);
    ck_assert_uint_eq(request.arena.used_bytes, used);
    ck_assert_mem_eq(request.body, "{}", 2);
    gjkd_request_run(&request);
    ck_assert_int_eq(request.reply.status, 204);
    finish();
}

TEST(a_short_trial_is_the_answer) {
    start();
    begin(GJKD_GET, "/livez", NULL);
    ck_assert(!gjkd_request_prepare(&request, uv_hrtime()));
    ck_assert(gjkd_request_try(&request));
    ck_assert_int_eq(request.reply.status, 200);
    ck_assert(!gjkd_request_give_up_trial(&request)); /* it is over */
    finish();
}

/* Processor time beyond that of a short task; claims the write before or after. */
static bool claims_first;

static void write_long(struct gjkd_request *of) {
    const int64_t until_ns = gjkd_timing_thread_ns() + 2 * GJKD_SHORT_NS;
    bool claimed = claims_first && gjkd_request_claim(of);
    while (gjkd_timing_thread_ns() < until_ns) {
    }
    bool is_late = gjkd_request_check_time(of);
    claimed = claimed || gjkd_request_claim(of);
    if (is_late) {
        gjkd_request_fail_late(of);
    } else if (claimed) {
        of->reply.status = 204;
    }
}

static void write_patiently(struct gjkd_request *of) {
    uv_sleep((unsigned)(4 * GJKD_SHORT_NS / 1000000)); /* without the processor */
    of->reply.status = gjkd_request_check_time(of) ? 504 : 204;
}

static void begin_write(const struct gjkd_operation *operation) {
    start();
    begin(GJKD_PUT, "/v1/sets/a",
          (const char *const[]){"Content-Type: application/json", "Content-Length: 2", NULL});
    ck_assert(gjkd_request_take_body(&request, "{}", 2));
    request.match.operation = operation;
}

/* A write that takes too long for a short task is started anew, unless it has begun to change
 * something. */
TEST(a_short_task_is_given_up) {
    static const struct gjkd_operation operation = {.path = "/", .handler = write_long};
    for (int i = 0; i < 2; i++) {
        begin_write(&operation);
        claims_first = i == 1;
        ck_assert_int_eq(gjkd_request_try_short(&request, gjkd_timing_thread_ns()), claims_first);
        ck_assert_int_eq(request.reply.status, claims_first ? 204 : 0);
        ck_assert_int_eq(request.fate, claims_first ? GJKD_FATE_CLAIMED : GJKD_FATE_OPEN);
        if (!claims_first) {
            gjkd_request_run(&request);
            ck_assert_int_eq(request.reply.status, 204);
        }
        finish();
    }
}

/* Its limit of processor time lies a second further ahead than that of a real one, so that a slow
 * machine does not reach it. */
TEST(a_short_task_may_wait_for_its_processor) {
    static const struct gjkd_operation operation = {.path = "/", .handler = write_patiently};
    begin_write(&operation);
    ck_assert(gjkd_request_try_short(&request, gjkd_timing_thread_ns() + INT64_C(1000000000)));
    ck_assert_int_eq(request.reply.status, 204);
    finish();
}
