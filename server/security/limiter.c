/*
 * The generic cell rate algorithm (ITU-T I.371): an account is the time at which it will be full
 * again. A full account carries no information, so accounts are replaced without a sweep: a hash
 * selects a row of a few accounts, and a new client takes the account of its row that is full
 * soonest.
 */

#include "security/limiter.h"

#include "util/hash.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define ROW_ACCOUNTS 8
#define ROWS (GJKD_LIMITER_CLIENTS_MAX / ROW_ACCOUNTS)
#define SECOND_NS UINT64_C(1000000000)

/* The largest debt; it keeps the sums within 64 bits. */
#define DEBT_MAX_NS (3600 * SECOND_NS)

struct account {
    gjkd_limiter_key key;
    uint64_t full_ns; /* time at which the account is full again */
};

struct gjkd_limiter {
    pthread_mutex_t lock;
    uint64_t per_second;
    uint64_t seed;
    struct account rows[ROWS][ROW_ACCOUNTS];
};

gjkd_limiter_key gjkd_limiter_key_of(const uint8_t bytes[16]) {
    gjkd_limiter_key key;
    memcpy(key.words, bytes, sizeof key.words);
    return key;
}

gjkd_limiter_key gjkd_limiter_second_key(const gjkd_limiter_key *key) {
    return (gjkd_limiter_key){{key->words[0], ~key->words[1]}};
}

struct gjkd_limiter *gjkd_limiter_new(uint64_t per_second) {
    struct gjkd_limiter *limiter = calloc(1, sizeof *limiter);
    if (limiter == NULL) {
        return NULL;
    }
    pthread_mutex_init(&limiter->lock, NULL);
    limiter->per_second = per_second;
    if (uv_random(NULL, NULL, &limiter->seed, sizeof limiter->seed, 0, NULL) != 0) {
        limiter->seed = uv_hrtime();
    }
    return limiter;
}

void gjkd_limiter_free(struct gjkd_limiter *limiter) {
    if (limiter != NULL) {
        pthread_mutex_destroy(&limiter->lock);
        free(limiter);
    }
}

/* Returns the client's account. A new client gets the account of its row that is full soonest. */
static struct account *find_account(struct gjkd_limiter *limiter, const gjkd_limiter_key *key) {
    struct account *row = limiter->rows[gjkd_hash2(key->words, limiter->seed) % ROWS];
    struct account *fullest = &row[0];
    for (unsigned i = 0; i < ROW_ACCOUNTS; i++) {
        if (memcmp(&row[i].key, key, sizeof *key) == 0) {
            return &row[i];
        }
        fullest = row[i].full_ns < fullest->full_ns ? &row[i] : fullest;
    }
    *fullest = (struct account){*key, 0};
    return fullest;
}

/* Returns the time in which an account regains that many queries, rounded up. */
static uint64_t cost_ns(const struct gjkd_limiter *limiter, uint64_t queries) {
    uint64_t rate = limiter->per_second;
    uint64_t max = DEBT_MAX_NS / SECOND_NS * rate;
    uint64_t counted = queries < max ? queries : max;
    /* split, so that the products fit into 64 bits */
    return counted / rate * SECOND_NS + (counted % rate * SECOND_NS + rate - 1) / rate;
}

static uint64_t max2(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static uint64_t try_take(struct gjkd_limiter *limiter, const gjkd_limiter_key *key, bool is_taken,
                         uint64_t now_ns) {
    const uint64_t one_ns = cost_ns(limiter, 1);
    const uint64_t latest_ns = now_ns + one_ns * limiter->per_second;
    uint64_t wait_s = 0;
    pthread_mutex_lock(&limiter->lock);
    struct account *account = find_account(limiter, key);
    uint64_t full_ns = max2(account->full_ns, now_ns) + one_ns;
    if (full_ns > latest_ns) {
        wait_s = (full_ns - latest_ns - 1) / SECOND_NS + 1;
    } else if (is_taken) {
        account->full_ns = full_ns;
    }
    pthread_mutex_unlock(&limiter->lock);
    return wait_s;
}

uint64_t gjkd_limiter_take(struct gjkd_limiter *limiter, const gjkd_limiter_key *key,
                           uint64_t now_ns) {
    return try_take(limiter, key, true, now_ns);
}

uint64_t gjkd_limiter_wait_s(struct gjkd_limiter *limiter, const gjkd_limiter_key *key,
                             uint64_t now_ns) {
    return try_take(limiter, key, false, now_ns);
}

void gjkd_limiter_charge(struct gjkd_limiter *limiter, const gjkd_limiter_key *key,
                         uint64_t queries, uint64_t now_ns) {
    pthread_mutex_lock(&limiter->lock);
    struct account *account = find_account(limiter, key);
    uint64_t full_ns = max2(account->full_ns, now_ns) + cost_ns(limiter, queries);
    account->full_ns = full_ns < now_ns + DEBT_MAX_NS ? full_ns : now_ns + DEBT_MAX_NS;
    pthread_mutex_unlock(&limiter->lock);
}

/* --- Quotas: a hash table with the counts of clients that hold something --- */

struct client {
    struct gjkd_entry by_hash; /* first: entries are cast back */
    uint64_t taken;
};

void gjkd_quota_init(struct gjkd_quota *quota, uint64_t most, uint64_t most_each) {
    *quota = (struct gjkd_quota){.most = most, .most_each = most_each};
    pthread_mutex_init(&quota->lock, NULL);
}

void gjkd_quota_fini(struct gjkd_quota *quota) {
    gjkd_table_fini(&quota->clients);
    pthread_mutex_destroy(&quota->lock);
}

/* Returns the client's entry, made if there is none, or NULL if memory is exhausted. */
static struct client *find_or_make(struct gjkd_quota *quota, uint64_t hash) {
    struct gjkd_entry *found = gjkd_table_find(&quota->clients, hash);
    struct client *client =
        found != NULL ? (struct client *)(void *)found : calloc(1, sizeof *client);
    if (found == NULL && client != NULL &&
        !gjkd_table_add(&quota->clients, &client->by_hash, hash)) {
        free(client);
        return NULL;
    }
    return client;
}

static void drop_unused(struct gjkd_quota *quota, struct client *client) {
    if (client->taken == 0) {
        gjkd_table_remove(&quota->clients, &client->by_hash);
        free(client);
    }
}

static gjkd_quota_result take_of_client(struct gjkd_quota *quota, uint64_t hash) {
    struct client *client = find_or_make(quota, hash);
    if (client == NULL) {
        return GJKD_QUOTA_NO_MEMORY;
    }
    const bool is_full = client->taken >= quota->most_each;
    client->taken += is_full ? 0 : 1;
    drop_unused(quota, client);
    return is_full ? GJKD_QUOTA_FULL : GJKD_QUOTA_TAKEN;
}

gjkd_quota_result gjkd_quota_take(struct gjkd_quota *quota, const uint64_t *client) {
    gjkd_quota_result result = GJKD_QUOTA_FULL;
    pthread_mutex_lock(&quota->lock);
    if (quota->taken < quota->most) {
        result = client != NULL ? take_of_client(quota, *client) : GJKD_QUOTA_TAKEN;
        quota->taken += result == GJKD_QUOTA_TAKEN ? 1 : 0;
    }
    pthread_mutex_unlock(&quota->lock);
    return result;
}

void gjkd_quota_give(struct gjkd_quota *quota, const uint64_t *client) {
    pthread_mutex_lock(&quota->lock);
    quota->taken--;
    if (client != NULL) {
        struct client *found = (struct client *)(void *)gjkd_table_find(&quota->clients, *client);
        found->taken--;
        drop_unused(quota, found);
    }
    pthread_mutex_unlock(&quota->lock);
}
