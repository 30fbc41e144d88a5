/* Has each client as many watches as it may have, and none that another gave back? */

#include <pthread.h>

#include "test_server.h"
#include "watch/quota.h"

#define MOST 5
#define THREADS 4
#define ROUNDS 20000

static struct gjkd_quota quota;

TEST(each_client_has_so_many) {
    gjkd_quota_init(&quota, MOST);
    for (uint64_t client = 1; client <= 100; client++) {
        for (int i = 0; i < MOST; i++)
            ck_assert_int_eq(gjkd_quota_take(&quota, client), GJKD_QUOTA_TAKEN);
        ck_assert_int_eq(gjkd_quota_take(&quota, client), GJKD_QUOTA_FULL);
    }
    gjkd_quota_give(&quota, 7);
    ck_assert_int_eq(gjkd_quota_take(&quota, 8), GJKD_QUOTA_FULL);
    ck_assert_int_eq(gjkd_quota_take(&quota, 7), GJKD_QUOTA_TAKEN);
    ck_assert_int_eq(gjkd_quota_take(&quota, 7), GJKD_QUOTA_FULL);
    for (uint64_t client = 1; client <= 100; client++)
        for (int i = 0; i < MOST; i++)
            gjkd_quota_give(&quota, client);
    ck_assert_uint_eq(quota.clients.count, 0);
    gjkd_quota_fini(&quota);
}

/* Takes and gives back; returns how many it could take. */
static void *take_and_give(void *taken) {
    for (int i = 0; i < ROUNDS; i++) {
        if (gjkd_quota_take(&quota, (uint64_t)(i % 3)) == GJKD_QUOTA_TAKEN) {
            ++*(int *)taken;
            gjkd_quota_give(&quota, (uint64_t)(i % 3));
        }
    }
    return NULL;
}

TEST(threads_may_take_and_give) {
    pthread_t threads[THREADS];
    int taken[THREADS] = {0};
    gjkd_quota_init(&quota, THREADS);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, take_and_give, &taken[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        ck_assert_int_eq(taken[i], ROUNDS); /* there is one for each thread */
    }
    ck_assert_uint_eq(quota.clients.count, 0);
    gjkd_quota_fini(&quota);
}
