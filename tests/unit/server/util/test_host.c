/* Which Host headers pass, and which addresses are what they say? */

#include <string.h>

#include "test_server.h"

TEST(hosts) {
    static const char *const good[] = {"127.0.0.1",     "127.0.0.1:8080",
                                       "10.1.2.3",      "[::1]",
                                       "[::1]:8080",    "localhost",
                                       "LocalHost:1",   "[2001:db8::1]",
                                       "gjkd.internal", "GJKD.internal:80",
                                       "localhost:"};
    static const char *const bad[] = {"",
                                      "evil.example",
                                      "localhost.evil.example",
                                      "127.0.0.1.evil.example",
                                      "1.2.3",
                                      "0x7f.0.0.1",
                                      "127.0.0.1:80x",
                                      "::1",
                                      "[::1",
                                      "[::1]x",
                                      "[localhost]",
                                      "localhost:80:80",
                                      "a b",
                                      "gjkd",
                                      "user@localhost",
                                      "localhost/",
                                      "[fe80::1%25eth0]"};
    struct gjkd_names allowed = {.count = 1, .names = {"gjkd.internal"}};

    for (int i = 0; i < COUNT_OF(good); i++)
        ck_assert_msg(gjkd_host_allowed(good[i], &allowed), "\"%s\"", good[i]);
    for (int i = 0; i < COUNT_OF(bad); i++)
        ck_assert_msg(!gjkd_host_allowed(bad[i], &allowed), "\"%s\"", bad[i]);
}

TEST(a_long_host_is_no_host) {
    char name[400];
    struct gjkd_names allowed = {.count = 0};

    memset(name, 'a', sizeof name);
    name[sizeof name - 1] = '\0';
    ck_assert(!gjkd_host_allowed(name, &allowed));
    name[0] = '[';
    ck_assert(!gjkd_host_allowed(name, &allowed));
    ck_assert(gjkd_is_host_name("a", 1));
    ck_assert(!gjkd_is_host_name(name + 1, 256));
}

TEST(addresses_there_and_back) {
    static const char *const texts[] = {"127.0.0.1:0", "0.0.0.0:65535", "[::1]:8080",
                                        "[2001:db8::1]:1"};
    static const char *const bad[] =
        {"",           "127.0.0.1",       ":80",          "::1:80",
         "[::1]",      "1.2.3:4",         "[1.2.3.4]:5",  "a:1",
         "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:1x"};
    char text[GJKD_ADDRESS_TEXT_MAX];
    gjkd_address address;

    for (int i = 0; i < COUNT_OF(texts); i++) {
        ck_assert_msg(gjkd_address_parse(texts[i], &address), "%s", texts[i]);
        gjkd_address_format(&address, text);
        ck_assert_str_eq(text, texts[i]);
    }
    for (int i = 0; i < COUNT_OF(bad); i++)
        ck_assert_msg(!gjkd_address_parse(bad[i], &address), "%s", bad[i]);
    ck_assert(gjkd_address_parse("[::1]:0", &address));
    gjkd_address_set_port(&address, 4711);
    ck_assert_uint_eq(gjkd_address_port(&address), 4711);
    ck_assert(gjkd_address_parse("[::]:0", &address) && gjkd_address_is_any(&address));
    ck_assert(gjkd_address_parse("0.0.0.0:0", &address) && gjkd_address_is_any(&address));
}
