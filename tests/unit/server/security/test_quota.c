/* Is so much taken and no more, in all and by each client, and does no client leave anything behind? */

#include <pthread.h>

#include "security/limiter.h"
#include "test_server.h"

#define MOST 5
#define THREADS 4
#define ROUNDS 20000

static struct gjkd_quota quota;

static gjkd_quota_result take(uint64_t client) {
    return gjkd_quota_take(&quota, &client);
}

static void give(uint64_t client) {
    gjkd_quota_give(&quota, &client);
}

TEST(in_all) {
    gjkd_quota_init(&quota, 3, MOST);
    for (int round = 0; round < 2; round++) {
        ck_assert_int_eq(take(1), GJKD_QUOTA_TAKEN);
        ck_assert_int_eq(gjkd_quota_take(&quota, NULL), GJKD_QUOTA_TAKEN);
        ck_assert_int_eq(take(2), GJKD_QUOTA_TAKEN);
        ck_assert_int_eq(take(3), GJKD_QUOTA_FULL);
        ck_assert_int_eq(gjkd_quota_take(&quota, NULL), GJKD_QUOTA_FULL);
        give(1);
        gjkd_quota_give(&quota, NULL);
        give(2);
    }
    ck_assert_uint_eq(quota.clients.count, 0);
    gjkd_quota_fini(&quota);
}

TEST(each_client_has_so_many) {
    gjkd_quota_init(&quota, UINT64_MAX, MOST);
    for (uint64_t client = 1; client <= 100; client++) {
        for (int i = 0; i < MOST; i++)
            ck_assert_int_eq(take(client), GJKD_QUOTA_TAKEN);
        ck_assert_int_eq(take(client), GJKD_QUOTA_FULL);
    }
    ck_assert_int_eq(gjkd_quota_take(&quota, NULL), GJKD_QUOTA_TAKEN);
    give(7);
    ck_assert_int_eq(take(8), GJKD_QUOTA_FULL);
    ck_assert_int_eq(take(7), GJKD_QUOTA_TAKEN);
    ck_assert_int_eq(take(7), GJKD_QUOTA_FULL);
    for (uint64_t client = 1; client <= 100; client++)
        for (int i = 0; i < MOST; i++)
            give(client);
    ck_assert_uint_eq(quota.clients.count, 0);
    gjkd_quota_fini(&quota);
}

/* Takes and gives back; returns how many it could take. */
static void *take_and_give(void *taken) {
    for (int i = 0; i < ROUNDS; i++) {
        if (take((uint64_t)(i % 3)) == GJKD_QUOTA_TAKEN) {
            ++*(int *)taken;
            give((uint64_t)(i % 3));
        }
    }
    return NULL;
}

TEST(threads_may_take_and_give) {
    pthread_t threads[THREADS];
    int taken[THREADS] = {0};
    gjkd_quota_init(&quota, UINT64_MAX, THREADS);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, take_and_give, &taken[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_int_eq(taken[i], ROUNDS); /* there is one for each thread */
    }
    ck_assert_uint_eq(quota.clients.count, 0);
    gjkd_quota_fini(&quota);
}
