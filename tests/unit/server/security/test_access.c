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
        ck_assert_msg(gjkd_access_set(&grant, rows[i].name, &problem) == rows[i].covers, "%d", i);
        if (!rows[i].covers)
            ck_assert_ptr_nonnull(strstr(problem.detail, rows[i].prefix));
    }
}

TEST(without_tokens_everything_is_granted) {
    gjkd_grant grant = gjkd_grant_all();
    struct proto_problem problem = {0};
    ck_assert(gjkd_access_scope(&grant, GJKD_SCOPE_ADMIN, &problem));
    ck_assert(gjkd_access_set(&grant, "any", &problem));
}
