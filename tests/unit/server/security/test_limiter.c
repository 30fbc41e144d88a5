/* Who may go on asking, and after how long? And who is asking, behind proxies? */

#include <string.h>

#include "security/limiter.h"
#include "test_server.h"
#include "util/network.h"

#define SECOND UINT64_C(1000000000)

static gjkd_limiter_key key_of(uint64_t number) {
    return (gjkd_limiter_key){{number, 0}};
}

/* At N - 1, N and N + 1 queries within a moment; then as they come back, one by one. */
TEST(a_second_of_silence_is_a_second_of_queries) {
    static const uint64_t rates[] = {1, 2, 3, 7, 1000, 1000000000};
    for (int i = 0; i < COUNT_OF(rates); i++) {
        struct gjkd_limiter *limiter = gjkd_limiter_new(rates[i]);
        gjkd_limiter_key key = key_of(1);
        uint64_t now = 5 * SECOND;
        uint64_t count = rates[i] < 1000 ? rates[i] : 1000;
        if (rates[i] > count)
            gjkd_limiter_charge(limiter, &key, rates[i] - count, now);
        for (uint64_t j = 0; j < count; j++)
            ck_assert_uint_eq(gjkd_limiter_take(limiter, &key, now), 0);
        ck_assert_uint_eq(gjkd_limiter_take(limiter, &key, now), 1);
        now += SECOND / rates[i] + 1;
        ck_assert_uint_eq(gjkd_limiter_take(limiter, &key, now), 0);
        gjkd_limiter_free(limiter);
    }
}

TEST(debts_are_waited_for) {
    struct gjkd_limiter *limiter = gjkd_limiter_new(10);
    gjkd_limiter_key key = key_of(1), other = key_of(2);

    ck_assert_uint_eq(gjkd_limiter_take(limiter, &key, SECOND), 0);
    gjkd_limiter_charge(limiter, &key, 99, SECOND); /* a batch of 100: ten seconds' worth */
    uint64_t wait = gjkd_limiter_take(limiter, &key, SECOND);
    ck_assert_uint_eq(wait, 10);
    ck_assert_uint_gt(gjkd_limiter_take(limiter, &key, SECOND + (wait - 1) * SECOND - 1), 0);
    ck_assert_uint_eq(gjkd_limiter_take(limiter, &key, SECOND + wait * SECOND), 0);
    ck_assert_uint_eq(gjkd_limiter_take(limiter, &other, SECOND), 0);
    /* The greatest debt there is. */
    gjkd_limiter_charge(limiter, &key, UINT64_MAX, SECOND);
    gjkd_limiter_charge(limiter, &key, UINT64_MAX, SECOND);
    wait = gjkd_limiter_take(limiter, &key, SECOND);
    ck_assert(wait >= 3599 && wait <= 3601);
    gjkd_limiter_free(limiter);
    gjkd_limiter_free(NULL);
}

/* Looking takes nothing; the account beside is another one. */
TEST(looking_is_free) {
    struct gjkd_limiter *limiter = gjkd_limiter_new(2);
    gjkd_limiter_key key = key_of(7), beside = gjkd_limiter_second_key(&key);

    for (int i = 0; i < 10; i++)
        ck_assert_uint_eq(gjkd_limiter_wait_s(limiter, &key, SECOND), 0);
    ck_assert_uint_eq(gjkd_limiter_take(limiter, &key, SECOND), 0);
    ck_assert_uint_eq(gjkd_limiter_wait_s(limiter, &key, SECOND), 0);
    ck_assert_uint_eq(gjkd_limiter_take(limiter, &key, SECOND), 0);
    ck_assert_uint_eq(gjkd_limiter_wait_s(limiter, &key, SECOND), 1);
    ck_assert_uint_eq(gjkd_limiter_take(limiter, &key, SECOND), 1);
    ck_assert_uint_eq(gjkd_limiter_wait_s(limiter, &beside, SECOND), 0);
    gjkd_limiter_charge(limiter, &beside, 20, SECOND);
    ck_assert_uint_eq(gjkd_limiter_wait_s(limiter, &beside, SECOND), 10);
    ck_assert_uint_eq(gjkd_limiter_wait_s(limiter, &key, SECOND), 1);
    gjkd_limiter_free(limiter);
}

/* More clients than there is room for: those who owe most are remembered. */
TEST(a_flood_of_clients) {
    struct gjkd_limiter *limiter = gjkd_limiter_new(1);
    gjkd_limiter_key debtor = key_of(0);
    uint64_t now = SECOND;

    gjkd_limiter_charge(limiter, &debtor, 1000, now);
    for (uint64_t i = 1; i <= 3 * GJKD_LIMITER_CLIENTS_MAX; i++) {
        gjkd_limiter_key key = key_of(i);
        ck_assert_uint_eq(gjkd_limiter_take(limiter, &key, now), 0);
    }
    ck_assert_uint_gt(gjkd_limiter_take(limiter, &debtor, now), 900);
    gjkd_limiter_free(limiter);
}

static gjkd_ip ip_of(const char *text) {
    gjkd_ip ip;
    ck_assert_msg(gjkd_ip_parse(text, strlen(text), &ip), "%s", text);
    return ip;
}

TEST(forwarded) {
    static const struct {
        const char *peer, *header, *client;
    } rows[] = {
        {"192.0.2.1", "10.0.0.9", "192.0.2.1"}, /* nobody trusts the peer */
        {"10.0.0.1", NULL, "10.0.0.1"},
        {"10.0.0.1", "", "10.0.0.1"},
        {"10.0.0.1", "192.0.2.7", "192.0.2.7"},
        {"10.0.0.1", " 192.0.2.7 ", "192.0.2.7"},
        {"10.0.0.1", "192.0.2.7:4711", "192.0.2.7"},
        {"10.0.0.1", "[2001:db8::1]:80", "2001:db8::1"},
        {"10.0.0.1", "[2001:db8::1]", "2001:db8::1"},
        {"10.0.0.1", "2001:db8::1", "2001:db8::1"},
        {"10.0.0.1", "127.0.0.1, 192.0.2.7", "192.0.2.7"}, /* the first is the client's lie */
        {"10.0.0.1", "192.0.2.7, 10.0.0.2", "192.0.2.7"},  /* two proxies in a row */
        {"10.0.0.1", "192.0.2.7,10.0.0.3,\t10.0.0.2", "192.0.2.7"},
        {"10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"},
        {"10.0.0.1", "192.0.2.7, unknown", "10.0.0.1"},
        {"10.0.0.1", "192.0.2.7, unknown, 10.0.0.2", "10.0.0.2"},
        {"10.0.0.1", "192.0.2.7,", "10.0.0.1"},
        {"10.0.0.1", ",,,", "10.0.0.1"},
        {"10.0.0.1", "[2001:db8::1", "10.0.0.1"},
        {"10.0.0.1", "[2001:db8::1]x", "10.0.0.1"},
    };
    struct gjkd_networks trusted = {.count = 1};
    ck_assert(gjkd_network_parse("10.0.0.0/8", 10, &trusted.items[0]));
    for (int i = 0; i < COUNT_OF(rows); i++) {
        gjkd_ip peer = ip_of(rows[i].peer), wanted = ip_of(rows[i].client);
        gjkd_ip client = gjkd_forwarded_client(&peer, rows[i].header, &trusted);
        ck_assert_msg(memcmp(&client, &wanted, sizeof client) == 0, "row %d", i);
    }
}
