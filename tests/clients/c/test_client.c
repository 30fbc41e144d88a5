/* The C client against the daemon that GJKD_BINARY names: the main job, ticks, events with a restart in between, a mesh, a
 * move, columns, errors, deadlines; and against a server that ends connections. */

#include "gjkd_client.h"
#include "test.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t daemon_id;
static char url[128];
static struct gjkd_client *k;

/* Runs a daemon on `address`, with its sets in `folder` where that is not NULL. */
static void start_at(const char *address, const char *folder) {
    int pipes[2];
    ck_assert_int_eq(pipe(pipes), 0);
    daemon_id = fork();
    if (daemon_id == 0) {
        dup2(pipes[1], 1);
        close(pipes[0]);
        execl(getenv("GJKD_BINARY"), "gjkd", "--drain-delay", "0", "--log-level", "warning",
              "--listen", address, folder ? "--data-dir" : NULL, folder, NULL);
        _exit(127);
    }
    close(pipes[1]);
    FILE *told = fdopen(pipes[0], "r");
    ck_assert_int_eq(fscanf(told, "gjkd listening on %127s", url), 1);
    fclose(told);
}

static void stop(void) {
    int status;
    kill(daemon_id, SIGTERM);
    waitpid(daemon_id, &status, 0);
    ck_assert_int_eq(status, 0);
}

static void set_up(void) {
    start_at("127.0.0.1:0", NULL);
    k = gjkd_client_new(url, NULL);
}

static void tear_down(void) {
    gjkd_client_free(k);
    stop();
}

/* Returns an answer, or fails with the reason for which there is none. */
static json_t *told(json_t *answer) {
    const struct gjkd_problem *problem = gjkd_last_problem(k);
    ck_assert_msg(answer != NULL, "%ld %s at %s: %s", problem->status, problem->code,
                  problem->pointer, problem->detail);
    return answer;
}

#define TELLS(answer, expected) tells(answer, expected, __LINE__)
/* Fails if an answer lacks a member of what is expected, a pattern of json_unpack without places. */
static void tells(json_t *answer, const char *expected, int line) {
    json_t *wanted = json_loads(expected, 0, NULL), *had = told(answer), *value;
    const char *name;
    json_object_foreach(wanted, name, value) {
        json_t *got = json_object_get(had, name);
        char *text = json_dumps(got, JSON_ENCODE_ANY);
        ck_assert_msg(json_equal(got, value), "line %d: %s is %s", line, name,
                      text ? text : "absent");
        free(text);
    }
    json_decref(wanted);
    json_decref(had);
}

static void refused(json_t *answer, long status, const char *code, const char *pointer) {
    ck_assert_ptr_null(answer);
    ck_assert_int_eq(gjkd_last_problem(k)->status, status);
    ck_assert_str_eq(gjkd_last_problem(k)->code, code);
    ck_assert_str_eq(gjkd_last_problem(k)->pointer, pointer);
}

static json_t *parse(const char *text) {
    return json_loads(text, 0, NULL);
}

static json_t *room(void) {
    return parse("{\"dimension\": 2, \"history\": {\"ticks\": 8}, \"shapes\": {"
                 "\"ada\": {\"type\": \"circle\", \"radius\": 0.5},"
                 "\"wall\": {\"type\": \"box\", \"half_extents\": [1, 1], \"position\": [4, 0]}}}");
}

TEST_FIXTURE(set_up, tear_down)

TEST(documents_are_put_asked_and_deleted) {
    struct gjkd_options handles = {.query = "fields=handles"};
    TELLS(gjkd_put_set(k, "room", room(), &handles),
          "{\"shapes\": 2, \"handles\": {\"ada\": 1, \"wall\": 2}}");
    ck_assert_int_eq(gjkd_status(k), 201);
    TELLS(gjkd_distance(k, "room", json_pack("{ssss}", "a", "ada", "b", "wall"), NULL),
          "{\"distance\": 2.5, \"normal\": [1, 0]}");
    TELLS(gjkd_detect(k, "room", json_pack("{ssss}", "a", "ada", "b", "wall"), NULL),
          "{\"colliding\": false}");
    TELLS(gjkd_raycast(k, "room",
                       parse("{\"origin\": [0, 5], \"direction\": [1, 0], \"mode\": \"any\"}"),
                       NULL),
          "{\"hit\": false}");
    TELLS(gjkd_cast(k, "room", parse("{\"shape\": \"ada\", \"translation\": [1, 0]}"), NULL),
          "{\"hits\": []}");
    TELLS(gjkd_move(k, "room", parse("{\"shape\": \"ada\", \"translation\": [0, 3]}"), NULL),
          "{\"position\": [0, 3], \"contacts\": []}");
    TELLS(gjkd_hit(k, "room",
                   parse("{\"ray\": {\"origin\": [2, 0], \"direction\": [1, 0]}, \"claim\": "
                         "{\"id\": \"wall\"}}"),
                   NULL),
          "{\"verdict\": \"confirmed\"}");
    TELLS(gjkd_batch(k, "room", parse("{\"queries\": []}"), NULL),
          "{\"results\": [], \"revision\": 1}");
    TELLS(gjkd_configurations(k, "room",
                              parse(
                                  "{\"shapes\": [\"ada\"], \"poses\": [[{\"position\": [3, 0]}]]}"),
                              NULL),
          "{\"results\": [{\"colliding\": true, \"pair\": [\"ada\", \"wall\"]}]}");
    TELLS(gjkd_distance(k, NULL,
                        parse("{\"a\": {\"type\": \"point\"}, \"b\": {\"type\": \"point\", "
                              "\"position\": [3, 4]}}"),
                        NULL),
          "{\"distance\": 5}");
    TELLS(gjkd_put_shape(k, "room", "rocks/1", parse("{\"type\": \"point\", \"position\": [0, 9]}"),
                         NULL),
          "{\"handle\": 3}");
    TELLS(gjkd_patch_shape(k, "room", "rocks/1", parse("{\"position\": [0, 8]}"), NULL),
          "{\"revision\": 3}");
    TELLS(gjkd_get_shape(k, "room", "rocks/1", NULL), "{\"position\": [0, 8]}");
    TELLS(gjkd_delete_shape(k, "room", "rocks/1", NULL), "{}");
    TELLS(gjkd_get_set(k, "room", NULL), "{\"name\": \"room\", \"revision\": 4}");
    TELLS(gjkd_head_set(k, "room", NULL), "{}");
    json_t *page = told(gjkd_list_sets(k, NULL));
    ck_assert_int_eq(json_array_size(json_object_get(page, "sets")), 1);
    json_decref(page);
    struct gjkd_request metrics = {.method = "GET", .safe = true};
    ck_assert(gjkd_call(k, "/metrics", &metrics, NULL));
    size_t length;
    ck_assert_ptr_nonnull(strstr(gjkd_body(k, &length), "gjkd_sets 1\n"));
    TELLS(gjkd_delete_set(k, "room", NULL), "{}");
    refused(gjkd_get_set(k, "room", NULL), 404, "set-not-found", "");
}

TEST(ticks_are_made_and_answered) {
    TELLS(gjkd_put_set(k, "room", room(), NULL), "{}");
    TELLS(
        gjkd_tick(
            k, "room", 7,
            parse(
                "{\"shapes\": {\"ada\": {\"position\": [4, 0]}}, \"overlaps\": {},"
                "\"queries\": [{\"op\": \"raycast\", \"origin\": [0, 9], \"direction\": [1, 0]}]}"),
            NULL),
        "{\"tick\": 7, \"overlaps\": {\"begin\": [[\"ada\", \"wall\"]], \"end\": []}, \"results\": "
        "[{\"hits\": []}]}");
    TELLS(gjkd_put_tick(k, "room", 8, parse("{\"shapes\": {\"ada\": {\"position\": [0, 0]}}}"),
                        NULL),
          "{\"tick\": 8}");
    TELLS(gjkd_tick(k, "room", 9, parse("{\"shapes\": {}}"), NULL), "{\"tick\": 9}");
    TELLS(gjkd_get_tick(k, "room", 7.5, NULL), "{\"tick\": 7.5}");
    TELLS(gjkd_get_ticks(k, "room", NULL), "{\"count\": 3}");
    double x[] = {3, 0};
    uint32_t ada = 1;
    Gjkd__V1__PoseColumns poses = GJKD__V1__POSE_COLUMNS__INIT;
    poses.dimension = 2;
    poses.handle = &ada;
    poses.position = x;
    poses.n_handle = 1;
    poses.n_position = 2;
    TELLS(gjkd_put_tick_columns(k, "room", 10, &poses, NULL), "{\"tick\": 10}");
    Gjkd__V1__OverlapColumns overlap = GJKD__V1__OVERLAP_COLUMNS__INIT;
    overlap.dimension = 2;
    overlap.shape = &ada;
    overlap.n_shape = 1;
    Gjkd__V1__Block block = GJKD__V1__BLOCK__INIT, *blocks[] = {&block};
    block.questions_case = GJKD__V1__BLOCK__QUESTIONS_OVERLAP;
    block.overlap = &overlap;
    Gjkd__V1__TickColumns tick = GJKD__V1__TICK_COLUMNS__INIT;
    tick.poses = &poses;
    tick.block = blocks;
    tick.n_block = 1;
    Gjkd__V1__TickAnswers *answers = gjkd_tick_columns(k, "room", 11, &tick, NULL);
    ck_assert_ptr_nonnull(answers);
    ck_assert_int_eq(answers->block[0]->overlap->handle[0], 2);
    gjkd__v1__tick_answers__free_unpacked(answers, NULL);
}

TEST(columns_are_answered_row_by_row) {
    TELLS(gjkd_put_set(k, "room", room(), NULL), "{}");
    uint32_t ada = 1, wall = 2;
    double origin[] = {2, 0, 2, 5}, direction[] = {1, 0, 1, 0}, up[] = {0, 3};
#define ROWS(kind, name, KIND)                                \
    Gjkd__V1__##kind name = GJKD__V1__##KIND##_COLUMNS__INIT; \
    name.dimension = 2
#define ASK(kind, kinds, name, rows)                                               \
    Gjkd__V1__##kind *name##_told = gjkd_##name##_columns(k, "room", &rows, NULL); \
    ck_assert_msg(name##_told != NULL, "%s", gjkd_last_problem(k)->detail);
    ROWS(RaycastColumns, rays, RAYCAST);
    rays.origin = origin;
    rays.direction = direction;
    rays.n_origin = rays.n_direction = 4;
    ASK(RaycastAnswers, raycast_answers, raycast, rays)
    ck_assert(raycast_told->n_handle == 2 && raycast_told->handle[0] == wall &&
              raycast_told->handle[1] == GJKD_NO_HANDLE);
    ck_assert_double_eq(raycast_told->distance[0], 1);
    gjkd__v1__raycast_answers__free_unpacked(raycast_told, NULL);
    ROWS(PairColumns, pairs, PAIR);
    pairs.a = &ada;
    pairs.b = &wall;
    pairs.n_a = pairs.n_b = 1;
    ASK(PairAnswers, pair_answers, distance, pairs)
    ck_assert_double_eq(distance_told->value[0], 2.5);
    gjkd__v1__pair_answers__free_unpacked(distance_told, NULL);
    ASK(PairAnswers, pair_answers, detect, pairs)
    ck_assert_int_eq(detect_told->state[0], 0);
    gjkd__v1__pair_answers__free_unpacked(detect_told, NULL);
    ROWS(CastColumns, casts, CAST);
    casts.shape = &ada;
    casts.translation = up;
    casts.n_shape = 1;
    casts.n_translation = 2;
    ASK(CastAnswers, cast_answers, cast, casts)
    ck_assert_double_eq(cast_told->fraction[0], 1);
    gjkd__v1__cast_answers__free_unpacked(cast_told, NULL);
    ROWS(MoveColumns, moves, MOVE);
    moves.shape = &ada;
    moves.translation = up;
    moves.n_shape = 1;
    moves.n_translation = 2;
    ASK(MoveAnswers, move_answers, move, moves)
    ck_assert_double_eq(move_told->position[1], 3);
    gjkd__v1__move_answers__free_unpacked(move_told, NULL);
    ROWS(NearestColumns, nearest, NEAREST);
    nearest.shape = &ada;
    nearest.n_shape = 1;
    ASK(NearestAnswers, nearest_answers, nearest, nearest)
    ck_assert(nearest_told->handle[0] == wall && nearest_told->value[0] == 2.5);
    gjkd__v1__nearest_answers__free_unpacked(nearest_told, NULL);
    ROWS(OverlapColumns, overlaps, OVERLAP);
    overlaps.shape = &ada;
    overlaps.n_shape = 1;
    ASK(OverlapAnswers, overlap_answers, overlap, overlaps)
    ck_assert_int_eq(overlap_told->count[0], 0);
    gjkd__v1__overlap_answers__free_unpacked(overlap_told, NULL);
    ROWS(HitColumns, hits, HIT);
    hits.origin = origin;
    hits.direction = direction;
    hits.n_origin = hits.n_direction = 2;
    ASK(HitAnswers, hit_answers, hit, hits)
    ck_assert_int_eq(hit_told->handle[0], wall);
    gjkd__v1__hit_answers__free_unpacked(hit_told, NULL);
    ROWS(ConfigurationColumns, rows, CONFIGURATION);
    double poses[] = {0, 0, 3, 0};
    rows.shape = &ada;
    rows.position = poses;
    rows.n_shape = 1;
    rows.n_position = 4;
    ASK(ConfigurationAnswers, configuration_answers, configuration, rows)
    ck_assert(configuration_told->n_colliding == 2 && configuration_told->colliding[1] == 1);
    gjkd__v1__configuration_answers__free_unpacked(configuration_told, NULL);
    Gjkd__V1__Block block = GJKD__V1__BLOCK__INIT, *blocks[] = {&block};
    block.questions_case = GJKD__V1__BLOCK__QUESTIONS_MOVE;
    block.move = &moves;
    ROWS(BatchColumns, batch, BATCH);
    batch.block = blocks;
    batch.n_block = 1;
    ASK(BatchAnswers, batch_answers, batch, batch)
    ck_assert_double_eq(batch_told->block[0]->move->position[1], 3);
    gjkd__v1__batch_answers__free_unpacked(batch_told, NULL);
}

TEST(meshes_travel_as_columns) {
    TELLS(gjkd_put_set(k, "level", parse("{\"dimension\": 3}"), NULL), "{}");
    float vertices[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    uint32_t triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    Gjkd__V1__BodyColumns body = GJKD__V1__BODY_COLUMNS__INIT;
    body.dimension = 3;
    body.type = "mesh";
    body.closed = true;
    body.vertices_float = vertices;
    body.triangles = triangles;
    body.n_vertices_float = body.n_triangles = 12;
    TELLS(gjkd_put_shape_columns(k, "level", "rock", &body, NULL), "{\"pieces\": 4}");
    TELLS(gjkd_detect(
              k, "level",
              parse(
                  "{\"a\": \"rock\", \"b\": {\"type\": \"point\", \"position\": [0.1, 0.1, 0.1]}}"),
              NULL),
          "{\"state\": \"overlapping\"}");
}

TEST(problems_conditions_and_deadlines) {
    refused(gjkd_detect(
                k, NULL,
                parse(
                    "{\"a\": {\"type\": \"circle\", \"raduis\": 1}, \"b\": {\"type\": \"point\"}}"),
                NULL),
            422, "unknown-member", "/a/raduis");
    ck_assert_str_eq(gjkd_last_problem(k)->hint, "did you mean \"radius\"?");
    struct gjkd_options create = {.if_none_match = "*"}, at = {0};
    char etag[160];
    TELLS(gjkd_put_set(k, "room", room(), &create), "{}");
    snprintf(etag, sizeof etag, "%s", gjkd_etag(k));
    at.if_match = etag;
    TELLS(gjkd_patch_set(k, "room", parse("{\"shapes\": {\"ada\": null}}"), &at),
          "{\"shapes\": 1}");
    char now[160];
    snprintf(now, sizeof now, "%s", gjkd_etag(k));
    refused(gjkd_delete_set(k, "room", &at), 412, "revision-mismatch", "");
    ck_assert_str_eq(gjkd_last_problem(k)->etag, now);
    struct gjkd_options known = {.if_none_match = now};
    TELLS(gjkd_get_set(k, "room", &known), "{}");
    ck_assert_int_eq(gjkd_status(k), 304);
    refused(gjkd_put_set(k, "room", NULL, NULL), 0, "bad-call", "");
    refused(gjkd_get_set(k, "..", NULL), 0, "bad-call", "");
    refused(gjkd_delete_shape(k, "room", "", NULL), 0, "bad-call", "");
    TELLS(gjkd_list_sets(k, NULL), "{}");
    ck_assert_ptr_null(gjkd_watch_new(k, "..", NULL, NULL));
    refused(NULL, 0, "bad-call", "");
    struct gjkd_options smuggled = {.if_match = "\"x\"\r\nIf-None-Match: *"};
    refused(gjkd_get_set(k, "room", &smuggled), 0, "bad-call", "");

    json_t *crowd = json_object();
    for (int i = 0; i < 6000; i++) {
        char id[16];
        snprintf(id, sizeof id, "c%d", i);
        json_object_set_new(crowd, id,
                            json_pack("{sssis[ii]}", "type", "circle", "radius", 9, "position",
                                      i % 100, i / 100));
    }
    TELLS(gjkd_put_set(k, "crowd", json_pack("{siso}", "dimension", 2, "shapes", crowd), NULL),
          "{\"shapes\": 6000}");
    struct gjkd_options soon = {.timeout_ms = 10};
    ck_assert_ptr_null(gjkd_detect(k, "crowd", json_object(), &soon));
    ck_assert_str_eq(gjkd_last_problem(k)->code, "deadline-exceeded");
    struct gjkd_settings small = {.answer_bytes_max = 1000};
    gjkd_client_free(k);
    k = gjkd_client_new(url, &small);
    refused(gjkd_get_set(k, "crowd", NULL), 0, "answer-too-large", "");
}

/* A server that counts requests. It ends the connection of each PATCH, and of the first POST, unanswered, after
 * one answer on that connection. */
static int asked_count;
static char last_head[4096];

static void *serve(void *connection) {
    int peer = (int)(intptr_t)connection;
    for (int kept = 0; kept < 2; kept++) {
        size_t length = 0;
        ssize_t count;
        char head[4096] = "";
        while (!strstr(head, "\r\n\r\n{}") &&
               !(strncmp(head, "GET", 3) == 0 && strstr(head, "\r\n\r\n")) &&
               (count = recv(peer, head + length, sizeof head - 1 - length, 0)) > 0) {
            length += (size_t)count;
        }
        if (length == 0) {
            break;
        }
        asked_count++;
        strcpy(last_head, head);
        bool is_read = strncmp(head, "GET", 3) == 0;
        if (!is_read && (strncmp(head, "PATCH", 5) == 0 || asked_count < 2)) {
            break;
        }
        const char *answer = !is_read && asked_count == 2
                                 ? "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"
                                 : "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
        (void)!write(peer, answer, strlen(answer));
    }
    close(peer);
    return NULL;
}

static void *accept_all(void *listener) {
    for (int peer; (peer = accept(*(int *)listener, NULL, NULL)) >= 0;) {
        pthread_t thread;
        pthread_create(&thread, NULL, serve, (void *)(intptr_t)peer);
        pthread_detach(thread);
    }
    return NULL;
}

TEST(only_safe_calls_are_sent_twice) {
    static int listener;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    listener = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(bind(listener, (struct sockaddr *)&address, size) | listen(listener, 8), 0);
    getsockname(listener, (struct sockaddr *)&address, &size);
    pthread_t thread;
    pthread_create(&thread, NULL, accept_all, &listener);
    char place[64];
    snprintf(place, sizeof place, "http://127.0.0.1:%d", ntohs(address.sin_port));
    struct gjkd_settings settings = {.token = "secret"};
    gjkd_client_free(k);
    k = gjkd_client_new(place, &settings);
    struct gjkd_options late = {.timeout_ms = 50000};
    TELLS(gjkd_distance(k, "a", json_object(), &late), "{}");
    ck_assert_int_eq(asked_count, 3);
    ck_assert_ptr_nonnull(strstr(last_head, "Authorization: Bearer secret\r\n"));
    ck_assert_ptr_nonnull(strstr(last_head, "Gjkd-Timeout-Ms: 4"));
    /* On a kept connection libcurl would send a call again by itself. */
    TELLS(gjkd_get_set(k, "a", NULL), "{}");
    asked_count = 0;
    refused(gjkd_patch_set(k, "a", json_object(), NULL), 0, "unreachable", "");
    ck_assert_int_eq(asked_count, 1);
    ck_assert_ptr_null(strstr(gjkd_last_problem(k)->detail, "secret"));
    asked_count = 0;
    struct gjkd_options at = {.if_match = "\"x\""};
    refused(gjkd_tick(k, "a", 1, json_object(), &at), 0, "unreachable", "");
    ck_assert_int_eq(asked_count, 1);
    shutdown(listener, SHUT_RDWR);
    pthread_join(thread, NULL);
    close(listener);
}

/* Returns the next event's kind, its revision in *revision. */
static const char *next(struct gjkd_watch *watch, json_int_t *revision) {
    static char kind[32];
    json_t *event;
    ck_assert_int_eq(gjkd_watch_next(watch, 30000, &event), GJKD_WATCH_EVENT);
    snprintf(kind, sizeof kind, "%s", json_string_value(json_object_get(event, "kind")));
    *revision = json_integer_value(json_object_get(event, "revision"));
    ck_assert_ptr_nonnull(strchr(json_string_value(json_object_get(event, "id")), '-'));
    json_decref(event);
    return kind;
}

static json_t *put_ada(int x) {
    return gjkd_patch_set(k, "room", json_pack("{s{s{s[ii]}}}", "shapes", "ada", "position", x, 0),
                          NULL);
}

TEST(a_watch_outlives_the_daemon) {
    char folder[] = "/tmp/gjkd-client-XXXXXX", address[64];
    json_int_t revision;
    json_t *event;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    tear_down();
    start_at("127.0.0.1:0", folder);
    k = gjkd_client_new(url, NULL);
    sscanf(url, "http://%63[^/]", address);
    TELLS(gjkd_put_set(k, "room", room(), NULL), "{}");
    struct gjkd_watch *watch = gjkd_watch_new(k, "room", "kinds=change", "1");
    ck_assert_int_eq(gjkd_watch_next(watch, 0, &event), GJKD_WATCH_NOTHING);
    TELLS(put_ada(1), "{\"revision\": 2}");
    ck_assert_str_eq(next(watch, &revision), "change");
    ck_assert_int_eq(revision, 2);
    ck_assert_int_eq(gjkd_watch_next(watch, 0, &event), GJKD_WATCH_NOTHING);
    stop();
    ck_assert_int_eq(gjkd_watch_next(watch, 300, &event), GJKD_WATCH_NOTHING);
    start_at(address, folder);
    TELLS(put_ada(2), "{\"revision\": 3}");
    const char *kind = next(watch, &revision);
    if (strcmp(kind, "reset") == 0) { /* the changes before a restart are not kept */
        TELLS(put_ada(3), "{\"revision\": 4}");
        kind = next(watch, &revision);
    }
    ck_assert_str_eq(kind, "change");
    ck_assert_int_ge(revision, 3);
    TELLS(gjkd_delete_set(k, "room", NULL), "{}");
    ck_assert_str_eq(next(watch, &revision), "deleted");
    ck_assert_int_eq(gjkd_watch_next(watch, 0, &event), GJKD_WATCH_ENDED);
    gjkd_watch_free(watch);
    watch = gjkd_watch_new(k, "room", NULL, NULL);
    ck_assert_int_eq(gjkd_watch_next(watch, 30000, &event), GJKD_WATCH_FAILED);
    ck_assert_str_eq(gjkd_last_problem(k)->code, "set-not-found");
    gjkd_watch_free(watch);
    TELLS(gjkd_put_set(k, "room", room(), NULL), "{}");
    watch = gjkd_watch_new(k, "room", NULL, "1");
    TELLS(put_ada(1), "{}");
    ck_assert_str_eq(next(watch, &revision), "change");
    stop();
    start_at(address, folder);
    TELLS(gjkd_delete_set(k, "room", NULL), "{}");
    ck_assert_int_eq(gjkd_watch_next(watch, 30000, &event), GJKD_WATCH_ENDED);
    gjkd_watch_free(watch);
    stop();
    watch = gjkd_watch_new(k, "room", NULL, NULL);
    ck_assert_int_eq(gjkd_watch_next(watch, 30000, &event), GJKD_WATCH_FAILED);
    ck_assert_str_eq(gjkd_last_problem(k)->code, "unreachable");
    gjkd_watch_free(watch);
    start_at(address, folder); /* tear_down ends it */
    char remove[128];
    snprintf(remove, sizeof remove, "rm -r %s", folder);
    ck_assert_int_eq(system(remove), 0);
}
