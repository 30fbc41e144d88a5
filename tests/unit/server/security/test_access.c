/* What does a grant cover? */

#include <string.h>

#include "security/token.h"
#include "test_server.h"

TEST(scopes_include_the_ones_before) {
    for (int has = GJKD_SCOPE_NONE; has <= GJKD_SCOPE_ADMIN; has++) {
        gjkd_grant grant = {(gjkd_scope)has, "", ""};
        for (int needed = GJKD_SCOPE_NONE; needed <= GJKD_SCOPE_ADMIN; needed++) {
            struct proto_problem problem = {0};
            ck_assert_int_eq(gjkd_access_scope(&grant, (gjkd_scope)needed, &problem),
                             has >= needed);
            if (has < needed) {
                ck_assert_int_eq(problem.code, PROTO_FORBIDDEN);
                ck_assert_ptr_nonnull(strstr(problem.detail, gjkd_scope_text((gjkd_scope)needed)));
            }
        }
    }
}

TEST(prefixes_are_bytes) {
    static const struct {
        const char *prefix, *name;
        bool covers;
    } rows[] = {
        {"", "anything", true},     {"a-", "a-1", true},     {"a-", "a-", true},
        {"a-", "a", false},         {"a-", "A-1", false},    {"a-", "b-1", false},
        {"a-", "", false},          {"a-", "../a-1", false}, {"a-", "x/a-1", false},
        {"a", "\xd0\xb0-1", false}, /* a Cyrillic a */
    };
    for (int i = 0; i < COUNT_OF(rows); i++) {
        gjkd_grant grant = {GJKD_SCOPE_ADMIN, rows[i].prefix, ""};
        struct proto_problem problem = {0};
        ck_assert_msg(gjkd_grant_covers_set(&grant, rows[i].name) == rows[i].covers, "row %d", i);
        ck_assert_msg(gjkd_access_set(&grant, GJKD_SCOPE_WRITE, rows[i].name, &problem) ==
                          rows[i].covers,
                      "%d", i);
        if (!rows[i].covers)
            ck_assert_ptr_nonnull(strstr(problem.detail, rows[i].prefix));
    }
}

TEST(of_several_prefixes_the_longest_counts) {
    static const char list[] = "arena7.,maps.:read,maps.red.,b:read";
    static const struct {
        const char *name;
        gjkd_scope most;
    } rows[] = {
        {"arena7.1", GJKD_SCOPE_WRITE},  {"arena7", GJKD_SCOPE_NONE},
        {"arena77.", GJKD_SCOPE_NONE},   {"maps.1", GJKD_SCOPE_READ},
        {"maps.", GJKD_SCOPE_READ},      {"maps", GJKD_SCOPE_NONE},
        {"maps.red.", GJKD_SCOPE_WRITE}, {"maps.red", GJKD_SCOPE_READ},
        {"b", GJKD_SCOPE_READ},          {"b:read", GJKD_SCOPE_READ},
        {"", GJKD_SCOPE_NONE},           {":read", GJKD_SCOPE_NONE},
        {",", GJKD_SCOPE_NONE},          {"arena7.,maps.", GJKD_SCOPE_WRITE},
    };
    const gjkd_grant grant = {GJKD_SCOPE_WRITE, list, ""};
    for (int i = 0; i < COUNT_OF(rows); i++) {
        struct proto_problem problem = {0};
        const char *name = rows[i].name;
        ck_assert_msg(gjkd_grant_covers_set(&grant, name) == (rows[i].most > GJKD_SCOPE_NONE), "%d",
                      i);
        ck_assert_msg(gjkd_access_set(&grant, GJKD_SCOPE_READ, name, &problem) ==
                          (rows[i].most >= GJKD_SCOPE_READ),
                      "%d", i);
        ck_assert_msg(gjkd_access_set(&grant, GJKD_SCOPE_WRITE, name, &problem) ==
                          (rows[i].most >= GJKD_SCOPE_WRITE),
                      "%d", i);
        ck_assert_msg(rows[i].most != GJKD_SCOPE_READ ||
                          strstr(problem.detail, "can only read sets whose names begin with"),
                      "%d: %s", i, problem.detail);
    }
}

TEST(the_next_prefix) {
    const gjkd_grant grant = {GJKD_SCOPE_READ, "m.:read,b,m,z", ""};
    static const struct {
        const char *name, *next;
    } rows[] = {{"", "b"}, {"a", "b"}, {"c", "m"}, {"lz", "m"}, {"n", "z"}, {"zz", NULL}};
    for (int i = 0; i < COUNT_OF(rows); i++) {
        char next[GJKD_SET_PREFIX_BYTES_MAX + 1];
        const bool is_found = gjkd_grant_next(&grant, rows[i].name, next);
        ck_assert_msg(is_found == (rows[i].next != NULL), "%d", i);
        ck_assert_msg(!is_found || strcmp(next, rows[i].next) == 0, "%d: %s", i, next);
    }
}

TEST(without_tokens_everything_is_granted) {
    gjkd_grant grant = gjkd_grant_all();
    struct proto_problem problem = {0};
    ck_assert(gjkd_access_scope(&grant, GJKD_SCOPE_ADMIN, &problem));
    ck_assert(gjkd_access_set(&grant, GJKD_SCOPE_ADMIN, "any", &problem));
}
