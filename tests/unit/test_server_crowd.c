/* How many fit in, in all and from one address? */

#include <stdio.h>
#include <string.h>

#include "crowd.h"
#include "test_server.h"

static gjkd_ip ip_of(const char *text) {
    gjkd_ip ip;
    ck_assert(gjkd_ip_parse(text, strlen(text), &ip));
    return ip;
}

START_TEST(in_all) {
    struct gjkd_crowd *crowd = gjkd_crowd_new(3, 0);
    gjkd_ip ip = ip_of("10.0.0.1");

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++)
            ck_assert(gjkd_crowd_enter(crowd, i == 1 ? NULL : &ip));
        ck_assert(!gjkd_crowd_enter(crowd, &ip));
        ck_assert(!gjkd_crowd_enter(crowd, NULL));
        for (int i = 0; i < 3; i++)
            gjkd_crowd_leave(crowd, i == 1 ? NULL : &ip);
    }
    gjkd_crowd_free(crowd);
}
END_TEST

START_TEST(from_one_address) {
    struct gjkd_crowd *crowd = gjkd_crowd_new(10, 2);
    gjkd_ip a = ip_of("2001:db8::1"), neighbour = ip_of("2001:db8::2"), b = ip_of("10.0.0.1");

    ck_assert(gjkd_crowd_enter(crowd, &a));
    ck_assert(gjkd_crowd_enter(crowd, &neighbour));
    ck_assert(!gjkd_crowd_enter(crowd, &a));
    ck_assert(gjkd_crowd_enter(crowd, &b));
    ck_assert(gjkd_crowd_enter(crowd, NULL));
    gjkd_crowd_leave(crowd, &neighbour);
    ck_assert(gjkd_crowd_enter(crowd, &a));
    ck_assert(!gjkd_crowd_enter(crowd, &neighbour));
    gjkd_crowd_free(crowd);
}
END_TEST

/* Many addresses come and go, and none of them leaves anything behind. */
START_TEST(many_addresses) {
    enum { COUNT = 2000 };
    struct gjkd_crowd *crowd = gjkd_crowd_new(COUNT, 1);
    gjkd_ip ip = ip_of("10.0.0.0");

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < COUNT; i++) {
            ip.bytes[14] = (uint8_t)(i >> 8);
            ip.bytes[15] = (uint8_t)i;
            ck_assert(gjkd_crowd_enter(crowd, &ip));
            ck_assert(!gjkd_crowd_enter(crowd, &ip));
        }
        for (int i = COUNT; i-- > 0;) {
            ip.bytes[14] = (uint8_t)(i >> 8);
            ip.bytes[15] = (uint8_t)i;
            gjkd_crowd_leave(crowd, &ip);
        }
    }
    gjkd_crowd_free(crowd);
    gjkd_crowd_free(NULL);
}
END_TEST

Suite *server_crowd_suite(void) {
    const TTest *const tests[] = {in_all, from_one_address, many_addresses};
    return test_suite("crowd", tests, COUNT_OF(tests));
}
