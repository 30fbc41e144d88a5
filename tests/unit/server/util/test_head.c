/* Are header fields read, lists joined and contradictions about the body refused? */

#include <string.h>

#include "test_server.h"

static struct gjk_arena arena;

/* Reads "Name: value" lines. */
static gjkd_head read_lines(const char *const *lines) {
    gjkd_head head = gjkd_head_make(GJKD_POST);

    for (; *lines != NULL; lines++) {
        const char *colon = strchr(*lines, ':');
        const char *name = gjk_arena_copy_text(&arena, *lines, (size_t)(colon - *lines));
        gjkd_head_add(&head, &arena, name, colon + 2);
    }
    return head;
}

#define READ(...) read_lines((const char *const[]){__VA_ARGS__, NULL})

TEST(methods) {
    ck_assert_int_eq(gjkd_method_find("GET"), GJKD_GET);
    ck_assert_int_eq(gjkd_method_find("OPTIONS"), GJKD_OPTIONS);
    ck_assert_int_eq(gjkd_method_find("get"), GJKD_METHOD_OTHER);
    ck_assert_str_eq(gjkd_method_text(GJKD_DELETE), "DELETE");
    ck_assert_str_eq(gjkd_method_text(GJKD_METHOD_OTHER), "other");
}

TEST(fields) {
    gjk_arena_init(&arena, 0);
    gjkd_head head = READ("host: a", "CONTENT-TYPE: application/json", "Content-Length: 12",
                          "Accept: a/b", "Accept: c/d", "If-Match: \"x\"", "If-None-Match: *",
                          "Expect: 100-Continue", "Gjkd-Timeout-Ms: 5", "X-Other: y");
    ck_assert_ptr_null(head.fault);
    ck_assert_str_eq(head.host, "a");
    ck_assert_str_eq(head.content_type, "application/json");
    ck_assert_str_eq(head.accept, "a/b, c/d");
    ck_assert_str_eq(head.if_match, "\"x\"");
    ck_assert_str_eq(head.if_none_match, "*");
    ck_assert_str_eq(head.timeout_ms, "5");
    ck_assert(head.has_length && head.wants_continue && !head.chunked);
    ck_assert_uint_eq(head.body_bytes, 12);
    ck_assert(gjkd_head_has_body(&head));
    gjk_arena_fini(&arena);
}

/* libmicrohttpd frees what the fields came in while a worker still reads the head. */
TEST(texts_are_copies) {
    char name[] = "Accept-Encoding", value[] = "gzip", more[] = "br", type[] = "a/b \t";
    gjk_arena_init(&arena, 0);
    gjkd_head head = gjkd_head_make(GJKD_GET);
    gjkd_head_add(&head, &arena, name, value);
    gjkd_head_add(&head, &arena, name, more);
    gjkd_head_add(&head, &arena, "Content-Type", type);
    gjkd_head_add(&head, &arena, "If-Match", value);
    memset(name, 'x', sizeof name);
    memset(value, 'x', sizeof value);
    memset(more, 'x', sizeof more);
    memset(type, 'x', sizeof type);
    ck_assert_str_eq(head.accept_encoding, "gzip, br");
    ck_assert_str_eq(head.content_type, "a/b");
    ck_assert_str_eq(head.if_match, "gzip");
    gjkd_head_forget_texts(&head);
    ck_assert(head.accept_encoding == NULL && head.content_type == NULL && head.if_match == NULL);
    gjk_arena_fini(&arena);
}

TEST(blanks_are_no_part_of_a_value) {
    gjk_arena_init(&arena, 0);
    gjkd_head head = READ("Host: a \t ", "Content-Length: 12 ", "Accept:  ");
    ck_assert_ptr_null(head.fault);
    ck_assert_str_eq(head.host, "a");
    ck_assert_uint_eq(head.body_bytes, 12);
    ck_assert_str_eq(head.accept, "");
    gjk_arena_fini(&arena);
}

TEST(bodies) {
    gjk_arena_init(&arena, 0);
    gjkd_head none = READ("Host: a");
    ck_assert(!gjkd_head_has_body(&none));
    gjkd_head empty = READ("Content-Length: 0");
    ck_assert(!gjkd_head_has_body(&empty) && empty.has_length);
    gjkd_head chunked = READ("Transfer-Encoding: Chunked");
    ck_assert(gjkd_head_has_body(&chunked) && chunked.fault == NULL);
    gjk_arena_fini(&arena);
}

TEST(faults) {
    static const char *const rows[][3] = {
        {"Content-Length: 1", "Content-Length: 1", NULL},
        {"Content-Length: 1", "content-length: 2", NULL},
        {"Content-Length: 1", "Transfer-Encoding: chunked", NULL},
        {"Transfer-Encoding: chunked", "Content-Length: 1", NULL},
        {"Transfer-Encoding: chunked", "Transfer-Encoding: chunked", NULL},
        {"Transfer-Encoding: gzip", NULL, NULL},
        {"Transfer-Encoding: gzip, chunked", NULL, NULL},
        {"Transfer-Encoding: chunked, chunked", NULL, NULL},
        {"Transfer-Encoding: ", NULL, NULL},
        {"Content-Length: -1", NULL, NULL},
        {"Content-Length: +1", NULL, NULL},
        {"Content-Length: 1, 1", NULL, NULL},
        {"Content-Length: ", NULL, NULL},
        {"Content-Length: 9999999999999999999", NULL, NULL},
        {"Content-Length : 1", NULL, NULL},
        {" Content-Length: 1", NULL, NULL},
        {"Host: a", "Host: a", NULL},
        {"Content-Type: a/b", "Content-Type: a/b", NULL},
    };

    gjk_arena_init(&arena, 0);
    for (int i = 0; i < COUNT_OF(rows); i++) {
        gjkd_head head = read_lines(rows[i]);
        ck_assert_msg(head.fault != NULL, "%s | %s", rows[i][0], rows[i][1]);
    }
    gjk_arena_fini(&arena);
}
