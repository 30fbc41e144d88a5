/* Which addresses, networks and origins are well-formed, and who belongs to them? */

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "test_server.h"
#include "util/host.h"
#include "util/network.h"

static gjkd_ip ip_of(const char *text) {
    gjkd_ip ip;
    ck_assert_msg(gjkd_ip_parse(text, strlen(text), &ip), "%s", text);
    return ip;
}

TEST(addresses) {
    static const char *const good[][2] = {{"10.1.2.3", "10.1.2.3"},
                                          {"::ffff:10.1.2.3", "10.1.2.3"},
                                          {"2001:DB8::7", "2001:db8::7"},
                                          {"::", "::"},
                                          {"255.255.255.255", "255.255.255.255"}};
    static const char *const bad[] = {"",      "10.1.2",           "10.1.2.3 ",    "10.1.2.256",
                                      "[::1]", "10.1.2.3:80",      "fe80::1%eth0", "example",
                                      ":::",   "1:2:3:4:5:6:7:8:9"};
    char text[GJKD_IP_TEXT_MAX];
    gjkd_ip ip;

    for (int i = 0; i < COUNT_OF(good); i++) {
        ip = ip_of(good[i][0]);
        gjkd_ip_format(&ip, text);
        ck_assert_str_eq(text, good[i][1]);
    }
    for (int i = 0; i < COUNT_OF(bad); i++)
        ck_assert_msg(!gjkd_ip_parse(bad[i], strlen(bad[i]), &ip), "%s", bad[i]);
    ck_assert(!gjkd_ip_parse("10.1\0.2.3", 9, &ip));
}

TEST(peers) {
    struct sockaddr_in four = {.sin_family = AF_INET};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6};
    struct sockaddr other = {.sa_family = AF_UNIX};

    inet_pton(AF_INET, "192.0.2.7", &four.sin_addr);
    inet_pton(AF_INET6, "::ffff:192.0.2.7", &six.sin6_addr);
    gjkd_ip a = gjkd_ip_of((const struct sockaddr *)(const void *)&four);
    gjkd_ip b = gjkd_ip_of((const struct sockaddr *)(const void *)&six);
    gjkd_ip wanted = ip_of("192.0.2.7");
    gjkd_ip none = gjkd_ip_of(&other);
    gjkd_ip zero = ip_of("::");
    ck_assert(memcmp(&a, &wanted, sizeof a) == 0 && memcmp(&b, &wanted, sizeof b) == 0);
    ck_assert(memcmp(&none, &zero, sizeof none) == 0);
}

TEST(clients) {
    static const struct {
        const char *a, *b;
        bool same;
    } rows[] = {{"10.0.0.1", "10.0.0.1", true},
                {"10.0.0.1", "10.0.0.2", false},
                {"2001:db8::1", "2001:db8::2", true},
                {"2001:db8::1", "2001:db8:0:1::1", false}};
    for (int i = 0; i < COUNT_OF(rows); i++) {
        gjkd_ip a = ip_of(rows[i].a), b = ip_of(rows[i].b);
        a = gjkd_ip_client(&a);
        b = gjkd_ip_client(&b);
        ck_assert_msg((memcmp(&a, &b, sizeof a) == 0) == rows[i].same, "row %d", i);
        ck_assert_msg((gjkd_ip_hash(&a, 7) == gjkd_ip_hash(&b, 7)) == rows[i].same, "row %d", i);
        ck_assert(gjkd_ip_hash(&a, 7) != gjkd_ip_hash(&a, 8));
    }
}

TEST(networks) {
    static const struct {
        const char *network, *inside, *outside;
    } rows[] = {
        {"10.0.0.0/8", "10.255.0.1", "11.0.0.0"},
        {"0.0.0.0/0", "1.2.3.4", "::1"},
        {"192.0.2.1", "192.0.2.1", "192.0.2.2"},
        {"192.0.2.4/31", "192.0.2.5", "192.0.2.6"},
        {"192.0.2.1/32", "192.0.2.1", "192.0.2.0"},
        {"fd00::/8", "fdff::1", "fe00::"},
        {"::1/128", "::1", "::"},
        {"2001:db8::/33", "2001:db8:7fff::", "2001:db8:8000::"},
        {"::ffff:10.0.0.0/104", "10.1.1.1", "9.1.1.1"},
    };
    static const char *const bad[] = {"10.0.0.0/33",  "10.0.0.1/8",    "::/129",      "10.0.0.0/",
                                      "10.0.0.0/a",   "10.0.0.0/-1",   "/8",          "::1/127",
                                      "10.0.0.0/08x", "10.0.0.0/0008", "10.0.0.0/8/8"};
    struct gjkd_networks list;
    char text[GJKD_NETWORK_TEXT_MAX];

    for (int i = 0; i < COUNT_OF(rows); i++) {
        list.count = 1;
        ck_assert_msg(gjkd_network_parse(rows[i].network, strlen(rows[i].network), &list.items[0]),
                      "%s", rows[i].network);
        gjkd_ip inside = ip_of(rows[i].inside), outside = ip_of(rows[i].outside);
        ck_assert_msg(gjkd_networks_contain(&list, &inside), "%s", rows[i].network);
        ck_assert_msg(!gjkd_networks_contain(&list, &outside), "%s", rows[i].network);
        gjkd_network again;
        gjkd_network_format(&list.items[0], text);
        ck_assert_msg(gjkd_network_parse(text, strlen(text), &again), "%s", text);
        ck_assert(again.bits == list.items[0].bits &&
                  memcmp(&again.ip, &list.items[0].ip, sizeof again.ip) == 0);
    }
    list.count = 0;
    gjkd_ip any = ip_of("::");
    ck_assert(!gjkd_networks_contain(&list, &any));
    for (int i = 0; i < COUNT_OF(bad); i++)
        ck_assert_msg(!gjkd_network_parse(bad[i], strlen(bad[i]), &list.items[0]), "%s", bad[i]);
}

TEST(origins) {
    static const char *const good[] = {"https://game.example", "http://localhost:3000", "*",
                                       "http://[::1]:80",      "http://[2001:db8::1]",  "app://x",
                                       "http://1.2.3.4:65535"};
    static const char *const bad[] = {"",
                                      "null",
                                      "https://",
                                      "game.example",
                                      "https://Game.example",
                                      "https://a/",
                                      "https://a:",
                                      "https://a:1:2",
                                      "https://a b",
                                      "://a",
                                      "http://[",
                                      "http://[]",
                                      "http://[::1",
                                      "http://[::1]x",
                                      "https://a:123456",
                                      "https://a?x",
                                      "https://u@a",
                                      "https:/a",
                                      "**"};
    struct gjkd_names list = {.count = 1};

    for (int i = 0; i < COUNT_OF(good); i++)
        ck_assert_msg(gjkd_is_origin(good[i], strlen(good[i])), "%s", good[i]);
    for (int i = 0; i < COUNT_OF(bad); i++)
        ck_assert_msg(!gjkd_is_origin(bad[i], strlen(bad[i])), "%s", bad[i]);
    strcpy(list.names[0], "https://a.example");
    ck_assert_ptr_eq(gjkd_origin_find("https://a.example", &list), list.names[0]);
    ck_assert_ptr_null(gjkd_origin_find("http://any", &list));
    ck_assert(NULL == gjkd_origin_find("https://a.example.evil", &list));
    ck_assert(NULL == gjkd_origin_find("http://a.example", &list));
    ck_assert(NULL == gjkd_origin_find("null", &list));
    strcpy(list.names[0], "*");
    ck_assert_str_eq(gjkd_origin_find("https://any", &list), "*");
    ck_assert_ptr_nonnull(gjkd_origin_find("http://any", &list));
}
