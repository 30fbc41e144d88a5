#include "watch/quota.h"

#include <stdlib.h>

/* A client that has watches. */
struct client {
    struct gjkd_entry by_hash; /* first: entries are cast back */
    uint64_t watches;
};

void gjkd_quota_init(struct gjkd_quota *quota, uint64_t max) {
    *quota = (struct gjkd_quota){.max = max};
    pthread_mutex_init(&quota->lock, NULL);
}

void gjkd_quota_fini(struct gjkd_quota *quota) {
    gjkd_table_fini(&quota->clients);
    pthread_mutex_destroy(&quota->lock);
}

static struct client *find_client(const struct gjkd_quota *quota, uint64_t hash) {
    return (struct client *)(void *)gjkd_table_find(&quota->clients, hash);
}

/* The client's entry, made if there is none. NULL: out of memory. */
static struct client *find_or_make(struct gjkd_quota *quota, uint64_t hash) {
    struct client *client = find_client(quota, hash);
    if (client != NULL) {
        return client;
    }
    client = calloc(1, sizeof *client);
    if (client != NULL && !gjkd_table_add(&quota->clients, &client->by_hash, hash)) {
        free(client);
        return NULL;
    }
    return client;
}

/* Forgets a client that has no watches. */
static void drop_unused(struct gjkd_quota *quota, struct client *client) {
    if (client->watches == 0) {
        gjkd_table_remove(&quota->clients, &client->by_hash);
        free(client);
    }
}

gjkd_quota_result gjkd_quota_take(struct gjkd_quota *quota, uint64_t hash) {
    gjkd_quota_result result = GJKD_QUOTA_NO_MEMORY;
    pthread_mutex_lock(&quota->lock);
    struct client *client = find_or_make(quota, hash);
    if (client != NULL) {
        result = client->watches < quota->max ? GJKD_QUOTA_TAKEN : GJKD_QUOTA_FULL;
        client->watches += result == GJKD_QUOTA_TAKEN ? 1 : 0;
        drop_unused(quota, client);
    }
    pthread_mutex_unlock(&quota->lock);
    return result;
}

void gjkd_quota_give(struct gjkd_quota *quota, uint64_t hash) {
    pthread_mutex_lock(&quota->lock);
    struct client *client = find_client(quota, hash);
    client->watches--;
    drop_unused(quota, client);
    pthread_mutex_unlock(&quota->lock);
}

/* One account for each block: of several blocks of a client no one may take all that others
 * leave. */

bool gjkd_payment_take(struct gjkd_payment *payment, uint64_t client, uint64_t bytes) {
    gjkd_account_init_queue(&payment->account, client);
    const bool is_taken = gjkd_account_take(&payment->account, bytes);
    payment->bytes = is_taken ? bytes : 0;
    return is_taken;
}

void gjkd_payment_give(struct gjkd_payment *payment) {
    gjkd_account_give(&payment->account, payment->bytes);
    gjkd_account_fini(&payment->account);
    payment->bytes = 0;
}
