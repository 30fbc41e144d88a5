/*
 * A count of all connections and a hash table of counts by address. An entry is freed with the
 * last connection of its address. The hash has a secret seed, so that nobody can choose addresses
 * that share a chain.
 */

#include "security/connection_limiter.h"

#include <pthread.h>
#include <stdlib.h>
#include <uv.h>

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
static struct entry **find(struct gjkd_connection_limiter *limiter, const gjkd_ip *ip) {
    uint64_t hash = gjkd_ip_hash(ip, limiter->seed);
    struct entry **at = &limiter->chains[hash & (limiter->chain_count - 1)];
    while (*at != NULL && !gjkd_ip_equal(&(*at)->ip, ip)) {
        at = &(*at)->next;
    }
    return at;
}

static bool count_address(struct gjkd_connection_limiter *limiter, const gjkd_ip *ip) {
    gjkd_ip client = gjkd_ip_client(ip);
    struct entry **at = find(limiter, &client);
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
        struct entry **at = find(limiter, &client);
        struct entry *entry = *at;
        if (entry != NULL && --entry->count == 0) {
            *at = entry->next;
            free(entry);
        }
    }
    pthread_mutex_unlock(&limiter->lock);
}
