/*
 * Is there room for one more? A count, and a hash table of counts by address whose entries go
 * when their last connection does. Chains are found with a secret seed, so that nobody can
 * choose addresses that fall into one.
 */

#include "crowd.h"

#include <stdlib.h>
#include <uv.h>

#define CHAINS_MAX 65536

struct entry {
    struct entry *next;
    gjkd_ip ip;
    uint64_t count;
};

struct gjkd_crowd {
    uv_mutex_t lock;
    uint64_t total, total_max, per_address_max;
    uint64_t seed;
    size_t chain_count; /* a power of two */
    struct entry **chains;
};

struct gjkd_crowd *gjkd_crowd_new(uint64_t total_max, uint64_t per_address_max) {
    struct gjkd_crowd *crowd = calloc(1, sizeof *crowd);
    if (crowd == NULL) {
        return NULL;
    }
    crowd->chain_count = 64;
    while (crowd->chain_count < total_max && crowd->chain_count < CHAINS_MAX) {
        crowd->chain_count *= 2;
    }
    crowd->chains = calloc(crowd->chain_count, sizeof *crowd->chains);
    crowd->total_max = total_max;
    crowd->per_address_max = per_address_max;
    if (crowd->chains == NULL || uv_mutex_init(&crowd->lock) != 0) {
        free(crowd->chains);
        free(crowd);
        return NULL;
    }
    if (uv_random(NULL, NULL, &crowd->seed, sizeof crowd->seed, 0, NULL) != 0) {
        crowd->seed = uv_hrtime();
    }
    return crowd;
}

void gjkd_crowd_free(struct gjkd_crowd *crowd) {
    if (crowd == NULL) {
        return;
    }
    for (size_t i = 0; i < crowd->chain_count; i++) {
        while (crowd->chains[i] != NULL) {
            struct entry *entry = crowd->chains[i];
            crowd->chains[i] = entry->next;
            free(entry);
        }
    }
    uv_mutex_destroy(&crowd->lock);
    free(crowd->chains);
    free(crowd);
}

/* The place that points at the address's entry, or at the end of its chain. */
static struct entry **find(struct gjkd_crowd *crowd, const gjkd_ip *ip) {
    uint64_t hash = gjkd_ip_hash(ip, crowd->seed);
    struct entry **at = &crowd->chains[hash & (crowd->chain_count - 1)];
    while (*at != NULL && !gjkd_ip_equal(&(*at)->ip, ip)) {
        at = &(*at)->next;
    }
    return at;
}

static bool count_address(struct gjkd_crowd *crowd, const gjkd_ip *ip) {
    gjkd_ip client = gjkd_ip_client(ip);
    struct entry **at = find(crowd, &client);
    if (*at == NULL) {
        *at = calloc(1, sizeof **at);
        if (*at == NULL) {
            return false;
        }
        (*at)->ip = client;
    }
    if ((*at)->count == crowd->per_address_max) {
        return false;
    }
    (*at)->count++;
    return true;
}

bool gjkd_crowd_enter(struct gjkd_crowd *crowd, const gjkd_ip *ip) {
    uv_mutex_lock(&crowd->lock);
    bool fits = crowd->total < crowd->total_max &&
                (ip == NULL || crowd->per_address_max == 0 || count_address(crowd, ip));
    crowd->total += fits ? 1 : 0;
    uv_mutex_unlock(&crowd->lock);
    return fits;
}

void gjkd_crowd_leave(struct gjkd_crowd *crowd, const gjkd_ip *ip) {
    uv_mutex_lock(&crowd->lock);
    crowd->total--;
    if (ip != NULL && crowd->per_address_max > 0) {
        gjkd_ip client = gjkd_ip_client(ip);
        struct entry **at = find(crowd, &client);
        struct entry *entry = *at;
        if (entry != NULL && --entry->count == 0) {
            *at = entry->next;
            free(entry);
        }
    }
    uv_mutex_unlock(&crowd->lock);
}
