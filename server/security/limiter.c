/*
 * The generic cell rate algorithm (ITU-T I.371): an account is the time at which it will be full
 * again. A full account carries no information, so accounts are replaced without a sweep: they
 * live in rows of a few, found by a hash, and a new client takes the account of its row that is
 * full soonest.
 */

#include "security/limiter.h"

#include "util/hash.h"

#include <pthread.h>
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
    uint64_t full_ns; /* when the account is full again */
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

gjkd_limiter_key gjkd_limiter_key_beside(const gjkd_limiter_key *key) {
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

/* The client's account; a new client gets the account of its row that is full soonest, filled. */
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

/* Returns how long an account takes to regain that many queries, rounded up. */
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

static uint64_t request(struct gjkd_limiter *limiter, const gjkd_limiter_key *key, bool is_taken,
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
    return request(limiter, key, true, now_ns);
}

uint64_t gjkd_limiter_wait_s(struct gjkd_limiter *limiter, const gjkd_limiter_key *key,
                             uint64_t now_ns) {
    return request(limiter, key, false, now_ns);
}

void gjkd_limiter_charge(struct gjkd_limiter *limiter, const gjkd_limiter_key *key,
                         uint64_t queries, uint64_t now_ns) {
    pthread_mutex_lock(&limiter->lock);
    struct account *account = find_account(limiter, key);
    uint64_t full_ns = max2(account->full_ns, now_ns) + cost_ns(limiter, queries);
    account->full_ns = full_ns < now_ns + DEBT_MAX_NS ? full_ns : now_ns + DEBT_MAX_NS;
    pthread_mutex_unlock(&limiter->lock);
}

/*
 * A count of all connections and a hash table of counts by address. An entry is freed with the
 * last connection of its address. The hash has a secret seed, so that nobody can choose addresses
 * that share a chain.
 */

#define CHAINS_MAX 65536

struct entry {
    struct entry *next;
    gjkd_ip ip;
    uint64_t count;
};

struct gjkd_connection_limiter {
    pthread_mutex_t lock;
    uint64_t total, total_max, per_address_max;
    uint64_t seed;
    size_t chain_count; /* a power of two */
    struct entry **chains;
};

struct gjkd_connection_limiter *gjkd_connection_limiter_new(uint64_t total_max,
                                                            uint64_t per_address_max) {
    struct gjkd_connection_limiter *limiter = calloc(1, sizeof *limiter);
    if (limiter == NULL) {
        return NULL;
    }
    limiter->chain_count = 64;
    while (limiter->chain_count < total_max && limiter->chain_count < CHAINS_MAX) {
        limiter->chain_count *= 2;
    }
    limiter->chains = calloc(limiter->chain_count, sizeof *limiter->chains);
    limiter->total_max = total_max;
    limiter->per_address_max = per_address_max;
    if (limiter->chains == NULL) {
        free(limiter);
        return NULL;
    }
    pthread_mutex_init(&limiter->lock, NULL);
    if (uv_random(NULL, NULL, &limiter->seed, sizeof limiter->seed, 0, NULL) != 0) {
        limiter->seed = uv_hrtime();
    }
    return limiter;
}

void gjkd_connection_limiter_free(struct gjkd_connection_limiter *limiter) {
    if (limiter == NULL) {
        return;
    }
    for (size_t i = 0; i < limiter->chain_count; i++) {
        while (limiter->chains[i] != NULL) {
            struct entry *entry = limiter->chains[i];
            limiter->chains[i] = entry->next;
            free(entry);
        }
    }
    pthread_mutex_destroy(&limiter->lock);
    free(limiter->chains);
    free(limiter);
}

/* The link to the address's entry, or the last link of its chain. */
static struct entry **find_address(struct gjkd_connection_limiter *limiter, const gjkd_ip *ip) {
    uint64_t hash = gjkd_ip_hash(ip, limiter->seed);
    struct entry **at = &limiter->chains[hash & (limiter->chain_count - 1)];
    while (*at != NULL && !gjkd_ip_equal(&(*at)->ip, ip)) {
        at = &(*at)->next;
    }
    return at;
}

static bool count_address(struct gjkd_connection_limiter *limiter, const gjkd_ip *ip) {
    gjkd_ip client = gjkd_ip_client(ip);
    struct entry **at = find_address(limiter, &client);
    if (*at == NULL) {
        *at = calloc(1, sizeof **at);
        if (*at == NULL) {
            return false;
        }
        (*at)->ip = client;
    }
    if ((*at)->count == limiter->per_address_max) {
        return false;
    }
    (*at)->count++;
    return true;
}

bool gjkd_connection_limiter_admit(struct gjkd_connection_limiter *limiter, const gjkd_ip *ip) {
    pthread_mutex_lock(&limiter->lock);
    bool fits = limiter->total < limiter->total_max &&
                (ip == NULL || limiter->per_address_max == 0 || count_address(limiter, ip));
    limiter->total += fits ? 1 : 0;
    pthread_mutex_unlock(&limiter->lock);
    return fits;
}

void gjkd_connection_limiter_release(struct gjkd_connection_limiter *limiter, const gjkd_ip *ip) {
    pthread_mutex_lock(&limiter->lock);
    limiter->total--;
    if (ip != NULL && limiter->per_address_max > 0) {
        gjkd_ip client = gjkd_ip_client(ip);
        struct entry **at = find_address(limiter, &client);
        struct entry *entry = *at;
        if (entry != NULL && --entry->count == 0) {
            *at = entry->next;
            free(entry);
        }
    }
    pthread_mutex_unlock(&limiter->lock);
}
