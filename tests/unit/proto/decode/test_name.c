/* Which names may sets, shapes and groups have? */

#include <string.h>

#include "test_proto.h"

#define ID_BYTES_MAX 128

TEST(set_names) {
    static const char *const good[] = {"a", "0", "Arena2d", "a.b_c~d-e", "a..", "x-"};
    static const char *const bad[] = {"",    ".a",  "-a",  "_a",   "~",   "a/b",
                                      "a b", "a:b", "a@b", "a%2F", "a\n", "\xC3\xA4"};
    char name[130];

    for (int i = 0; i < COUNT_OF(good); i++)
        ck_assert_msg(proto_is_set_name(good[i], strlen(good[i])), "%s", good[i]);
    for (int i = 0; i < COUNT_OF(bad); i++)
        ck_assert_msg(!proto_is_set_name(bad[i], strlen(bad[i])), "%s", bad[i]);
    ck_assert(!proto_is_set_name("a\0b", 3));
    memset(name, 'x', sizeof name);
    ck_assert(proto_is_set_name(name, 127));
    ck_assert(proto_is_set_name(name, 128));
    ck_assert(!proto_is_set_name(name, 129));
}

TEST(ids) {
    static const char *const good[] = {"a",           "-",          "~",   ":",   "@",
                                       "a/b",         "a/b/c",      "...", "a..", "..a/.b",
                                       "p1/left-arm", "team:red@x", "_",   "0"};
    static const char *const bad[] = {"",     "/",        "/a",   "a/",   "a//b",   ".",   "..",
                                      "./a",  "a/.",      "a/..", "../a", "a/../b", "a b", "a%b",
                                      "a\\b", "\xC3\xA4", "a,b",  "a+b",  "a\"b"};
    char id[130];

    for (int i = 0; i < COUNT_OF(good); i++)
        ck_assert_msg(proto_is_id(good[i], strlen(good[i]), ID_BYTES_MAX), "%s", good[i]);
    for (int i = 0; i < COUNT_OF(bad); i++)
        ck_assert_msg(!proto_is_id(bad[i], strlen(bad[i]), ID_BYTES_MAX), "%s", bad[i]);
    ck_assert(!proto_is_id("a\0b", 3, ID_BYTES_MAX));
    memset(id, 'x', sizeof id);
    ck_assert(proto_is_id(id, 127, ID_BYTES_MAX));
    ck_assert(proto_is_id(id, 128, ID_BYTES_MAX));
    ck_assert(!proto_is_id(id, 129, ID_BYTES_MAX));
}
