/* Is every operation of the table guarded, whatever is added to it? */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test_server.h"

/* SHA-256 of "reader", "writer", "red" and "admin" (sha256sum). */
#define TOKENS                                                                          \
    "reader 3d0941964aa3ebdcb00ccef58b1bb399f9f898465e9886d5aec7f31090a0fb30 read\n"    \
    "writer b93006774cbdd4b299389a03ac3d88c3a76b460d538795bc12718011a909fba5 write\n"   \
    "red b1f51a511f1da0cd348b8f8598db32e61cb963e5fc69e2b41485bf99590ed75a write red-\n" \
    "admin 8c6976e5b5410415bde908bd4dee15dfb167a9c873fc4bb8a81f6f2ab448a918 admin\n"

static struct gjkd_config config;
static struct gjkd_context context;
static struct gjkd_request request;
static char file_name[32];

static void start(void) {
    char error[GJKD_ERROR_MAX];

    snprintf(file_name, sizeof file_name, "/tmp/gjkd-guard-XXXXXX"); /* anew for every test */
    int fd = mkstemp(file_name);
    ck_assert_int_eq(write(fd, TOKENS, sizeof TOKENS - 1), (ssize_t)sizeof TOKENS - 1);
    close(fd);
    config.request_timeout_ms = 30000;
    config.max_connections = 10;
    snprintf(config.token_file, sizeof config.token_file, "%s", file_name);
    context.config = &config;
    context.limits = proto_limits_default();
    context.telemetry = gjkd_telemetry_new(1);
    ck_assert_msg(gjkd_security_init(&context.security, &config, error), "%s", error);
    ck_assert(gjkd_request_init(&request, &context, gjkd_telemetry_counters(context.telemetry, 0)));
    gjkd_request_reset(&request);
}

static void finish(void) {
    gjkd_request_fini(&request);
    gjkd_security_fini(&context.security);
    gjkd_telemetry_free(context.telemetry);
    unlink(file_name);
}

/* The path with {set} filled in, and anything else in braces as "1". */
static void fill(const char *pattern, const char *set, char *path, size_t size) {
    size_t length = 0;
    for (const char *at = pattern; *at != '\0'; at++) {
        const char *text = strncmp(at, "{set}", 5) == 0 ? set : "1";
        if (*at == '{') {
            length += (size_t)snprintf(path + length, size - length, "%s", text);
            at = strchr(at, '}');
        } else {
            length += (size_t)snprintf(path + length, size - length, "%c", *at);
        }
    }
}

/* The status of what the head alone decides; 0: it passes. */
static int status_of(const struct gjkd_operation *operation, const char *set, const char *token) {
    char path[256];
    char authorization[64];

    fill(operation->path, set, path, sizeof path);
    gjkd_request_reset(&request);
    ck_assert(gjkd_request_set_target(&request, path));
    request.head = gjkd_head_make(operation->method);
    gjkd_head_add(&request.head, &request.arena, "Host", "gjkd.example");
    snprintf(authorization, sizeof authorization, "Bearer %s", token);
    if (token[0] != '\0')
        gjkd_head_add(&request.head, &request.arena, "Authorization", authorization);
    gjkd_request_begin(&request);
    return request.reply.status;
}

/* The contract's list, and the documents. */
static bool is_open(const char *path) {
    static const char *const open[] =
        {"/", "/livez", "/readyz", "/healthz", "/openapi.json", "/gjkd.proto", "/problems/{code}"};
    for (int i = 0; i < COUNT_OF(open); i++) {
        if (strcmp(path, open[i]) == 0)
            return true;
    }
    return strncmp(path, "/playground", 11) == 0 || strncmp(path, "/docs/", 6) == 0;
}

TEST(every_operation_is_guarded) {
    start();
    for (unsigned i = 0; i < gjkd_operation_count; i++) {
        const struct gjkd_operation *row = &gjkd_operations[i];
        bool writes =
            row->method == GJKD_PUT || row->method == GJKD_PATCH || row->method == GJKD_DELETE ||
            (row->method == GJKD_POST &&
             (strstr(row->path, "/ticks/") != NULL || strcmp(row->path, "/v1/import") == 0));
        bool of_set = strstr(row->path, "{set}") != NULL;
        bool open = is_open(row->path);
        bool later = (row->flags & GJKD_TOKEN_LATER) != 0;
        ck_assert_msg((status_of(row, "green", "") == 401) == !(open || later), "%s", row->id);
        ck_assert_msg((status_of(row, "green", "wrong") == 401) == !open, "%s", row->id);
        ck_assert_msg((status_of(row, "green", "reader") == 403) == writes, "%s", row->id);
        ck_assert_msg((status_of(row, "green", "red") == 403) == of_set, "%s", row->id);
        ck_assert_msg(status_of(row, "red-1", "red") != 403, "%s", row->id);
        int status = status_of(row, "green", "writer");
        ck_assert_msg(status != 401 && status != 403, "%s: %d", row->id, status);
        status = status_of(row, "green", "admin");
        ck_assert_msg(status != 401 && status != 403, "%s: %d", row->id, status);
    }
    finish();
}

/* What the set in the path was checked for, other sets are asked for. */
TEST(other_sets_are_asked_for) {
    const struct gjkd_operation *row = &gjkd_operations[0];
    start();
    status_of(row, "red-1", "red");
    ck_assert(gjkd_access_set(&request.grant, GJKD_SCOPE_READ, "red-2", &request.problem));
    ck_assert(!gjkd_access_set(&request.grant, GJKD_SCOPE_READ, "green", &request.problem));
    ck_assert_int_eq(request.problem.code, PROTO_FORBIDDEN);
    status_of(row, "green", "reader");
    ck_assert(gjkd_access_set(&request.grant, GJKD_SCOPE_READ, "red-2", &request.problem) &&
              gjkd_access_set(&request.grant, GJKD_SCOPE_READ, "green", &request.problem));
    finish();
}
