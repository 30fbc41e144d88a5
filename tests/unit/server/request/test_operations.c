/* Does each method on each path find its operation, and do the others say why not? */

#include <string.h>

#include "handlers/handlers.h"
#include "handlers/query.h"
#include "proto/columns.h"
#include "test_server.h"

static gjkd_match match;

static void find(gjkd_method method, const char *text) {
    static char copy[256];
    gjkd_path path;

    strncpy(copy, text, sizeof copy - 1);
    ck_assert_int_eq(gjkd_path_parse(copy, &path), GJKD_PATH_OK);
    gjkd_route_find(method, &path, &match);
}

TEST(operations_are_found) {
    static const struct {
        gjkd_method method;
        const char *path, *id;
    } rows[] = {
        {GJKD_GET, "/", "root"},
        {GJKD_GET, "/v1", "about"},
        {GJKD_HEAD, "/v1", "about"},
        {GJKD_GET, "/v1/sets", "listSets"},
        {GJKD_GET, "/v1/sets/a", "getSet"},
        {GJKD_PUT, "/v1/sets/a", "putSet"},
        {GJKD_DELETE, "/v1/sets/a", "deleteSet"},
        {GJKD_POST, "/v1/sets/a/detect", "detectInSet"},
        {GJKD_POST, "/v1/sets/detect/raycast", "raycastInSet"},
        {GJKD_POST, "/v1/distance", "distance"},
        {GJKD_GET, "/problems/not-convex", "explainProblem"},
        {GJKD_GET, "/livez", "live"},
    };

    for (int i = 0; i < COUNT_OF(rows); i++) {
        find(rows[i].method, rows[i].path);
        ck_assert_msg(match.operation != NULL, "%s", rows[i].path);
        ck_assert_str_eq(match.operation->id, rows[i].id);
        ck_assert_str_eq(match.allow, "");
        ck_assert_str_eq(gjkd_route_label(match.route), match.operation->path);
    }
    find(GJKD_GET, "/v1/sets/a%2Fb");
    ck_assert_str_eq(match.variable.text, "a/b");
}

TEST(paths_that_are_not) {
    static const char *const paths[] = {"/v2",
                                        "/v1/",
                                        "/v1/sets/",
                                        "/v1/sets//detect",
                                        "/v1/set",
                                        "/v1/sets/a/detect/",
                                        "/v1/sets/a/nope",
                                        "/livez/x",
                                        "/problems",
                                        "/problems/",
                                        "/V1"};

    for (int i = 0; i < COUNT_OF(paths); i++) {
        find(GJKD_GET, paths[i]);
        ck_assert_msg(match.route == GJKD_ROUTE_NONE, "%s", paths[i]);
        ck_assert_ptr_null(match.operation);
    }
    ck_assert_str_eq(gjkd_route_label(GJKD_ROUTE_NONE), "none");
}

TEST(methods_that_are_not) {
    find(GJKD_POST, "/v1/sets/a");
    ck_assert_ptr_null(match.operation);
    ck_assert_str_eq(match.allow, "GET, HEAD, PUT, PATCH, DELETE");
    ck_assert_str_eq(gjkd_route_label(match.route), "/v1/sets/{set}");
    find(GJKD_GET, "/v1/detect");
    ck_assert_str_eq(match.allow, "POST");
    find(GJKD_METHOD_OTHER, "/livez");
    ck_assert_str_eq(match.allow, "GET, HEAD");
}

TEST(the_table_is_whole) {
    for (unsigned i = 0; i < gjkd_operation_count; i++) {
        const struct gjkd_operation *row = &gjkd_operations[i];
        ck_assert(row->path[0] == '/' && row->handler != NULL);
        ck_assert(row->id[0] != '\0');
        ck_assert(row->method != GJKD_HEAD && row->method != GJKD_METHOD_OTHER);
        /* Only what reads a set by name has a set's name in its path. */
        if (row->flags & GJKD_READS_SET)
            ck_assert_ptr_nonnull(strstr(row->path, "{set}"));
        /* Queries and writes are paid for, and nothing else. */
        bool is_paid = row->cost->kind == GJKD_COST_QUERY || row->cost->kind == GJKD_COST_WORKER;
        ck_assert_msg(is_paid == ((row->flags & GJKD_CHARGED) != 0), "%s", row->id);
        for (unsigned j = 0; j < i; j++) {
            const struct gjkd_operation *other = &gjkd_operations[j];
            ck_assert_str_ne(row->id, other->id);
            ck_assert(row->method != other->method || strcmp(row->path, other->path) != 0);
        }
    }
}

TEST(every_kind_of_query_is_whole) {
    for (unsigned i = 0; i < gjkd_operation_count; i++) {
        const struct gjkd_operation *row = &gjkd_operations[i];
        if (row->handler != gjkd_handle_query)
            continue;
        const struct gjkd_query_kind *kind = &gjkd_query_kinds[row->op];
        ck_assert_ptr_eq(row->cost, &kind->cost);
        ck_assert(kind->answer != NULL && row->cost->kind == GJKD_COST_QUERY);
        ck_assert_str_eq(proto_block_table.columns[kind->blocks[0]].name, proto_op_name(row->op));
        ck_assert(!(row->flags & GJKD_ANSWERS_COLUMNS) || kind->fits_columns != NULL);
        ck_assert_ptr_nonnull(strstr(row->path, proto_op_name(row->op)));
    }
}
