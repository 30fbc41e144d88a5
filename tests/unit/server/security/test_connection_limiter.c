/* How many fit in, in all and from one address? */

#include <stdio.h>
#include <string.h>

#include "security/limiter.h"
#include "test_server.h"

static gjkd_ip ip_of(const char *text) {
    gjkd_ip ip;
    ck_assert(gjkd_ip_parse(text, strlen(text), &ip));
    return ip;
}

TEST(in_all) {
    struct gjkd_connection_limiter *connection_limiter = gjkd_connection_limiter_new(3, 0);
    gjkd_ip ip = ip_of("10.0.0.1");

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3; i++)
            ck_assert(gjkd_connection_limiter_admit(connection_limiter, i == 1 ? NULL : &ip));
        ck_assert(!gjkd_connection_limiter_admit(connection_limiter, &ip));
        ck_assert(!gjkd_connection_limiter_admit(connection_limiter, NULL));
        for (int i = 0; i < 3; i++)
            gjkd_connection_limiter_release(connection_limiter, i == 1 ? NULL : &ip);
    }
    gjkd_connection_limiter_free(connection_limiter);
}

TEST(from_one_address) {
    struct gjkd_connection_limiter *connection_limiter = gjkd_connection_limiter_new(10, 2);
    gjkd_ip a = ip_of("2001:db8::1"), neighbour = ip_of("2001:db8::2"), b = ip_of("10.0.0.1");

    ck_assert(gjkd_connection_limiter_admit(connection_limiter, &a));
    ck_assert(gjkd_connection_limiter_admit(connection_limiter, &neighbour));
    ck_assert(!gjkd_connection_limiter_admit(connection_limiter, &a));
    ck_assert(gjkd_connection_limiter_admit(connection_limiter, &b));
    ck_assert(gjkd_connection_limiter_admit(connection_limiter, NULL));
    gjkd_connection_limiter_release(connection_limiter, &neighbour);
    ck_assert(gjkd_connection_limiter_admit(connection_limiter, &a));
    ck_assert(!gjkd_connection_limiter_admit(connection_limiter, &neighbour));
    gjkd_connection_limiter_free(connection_limiter);
}

/* Many addresses come and go, and none of them leaves anything behind. */
TEST(many_addresses) {
    enum { COUNT = 2000 };
    struct gjkd_connection_limiter *connection_limiter = gjkd_connection_limiter_new(COUNT, 1);
    gjkd_ip ip = ip_of("10.0.0.0");

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < COUNT; i++) {
            ip.bytes[14] = (uint8_t)(i >> 8);
            ip.bytes[15] = (uint8_t)i;
            ck_assert(gjkd_connection_limiter_admit(connection_limiter, &ip));
            ck_assert(!gjkd_connection_limiter_admit(connection_limiter, &ip));
        }
        for (int i = COUNT; i-- > 0;) {
            ip.bytes[14] = (uint8_t)(i >> 8);
            ip.bytes[15] = (uint8_t)i;
            gjkd_connection_limiter_release(connection_limiter, &ip);
        }
    }
    gjkd_connection_limiter_free(connection_limiter);
    gjkd_connection_limiter_free(NULL);
}
