/*
 * Is there room for one more? A count, and a hash table of counts by address whose entries go
 * when their last connection does. Chains are found with a secret seed, so that nobody can
 * choose addresses that fall into one.
 */

#include "security/connection_limiter.h"

#include <stdlib.h>
#include <uv.h>

#define CHAINS_MAX 65536

struct entry {
    struct entry *next;
    gjkd_ip ip;
    uint64_t count;
};

struct gjkd_connection_limiter {
    uv_mutex_t lock;
    uint64_t total, total_max, per_address_max;
    uint64_t seed;
    size_t chain_count; /* a power of two */
    struct entry **chains;
};

struct gjkd_connection_limiter *gjkd_connection_limiter_new(uint64_t total_max,
                                                            uint64_t per_address_max) {
    struct gjkd_connection_limiter *connection_limiter = calloc(1, sizeof *connection_limiter);
    if (connection_limiter == NULL) {
        return NULL;
    }
    connection_limiter->chain_count = 64;
    while (connection_limiter->chain_count < total_max &&
           connection_limiter->chain_count < CHAINS_MAX) {
        connection_limiter->chain_count *= 2;
    }
    connection_limiter->chains =
        calloc(connection_limiter->chain_count, sizeof *connection_limiter->chains);
    connection_limiter->total_max = total_max;
    connection_limiter->per_address_max = per_address_max;
    if (connection_limiter->chains == NULL || uv_mutex_init(&connection_limiter->lock) != 0) {
        free(connection_limiter->chains);
        free(connection_limiter);
        return NULL;
    }
    if (uv_random(NULL, NULL, &connection_limiter->seed, sizeof connection_limiter->seed, 0,
                  NULL) != 0) {
        connection_limiter->seed = uv_hrtime();
    }
    return connection_limiter;
}

void gjkd_connection_limiter_free(struct gjkd_connection_limiter *connection_limiter) {
    if (connection_limiter == NULL) {
        return;
    }
    for (size_t i = 0; i < connection_limiter->chain_count; i++) {
        while (connection_limiter->chains[i] != NULL) {
            struct entry *entry = connection_limiter->chains[i];
            connection_limiter->chains[i] = entry->next;
            free(entry);
        }
    }
    uv_mutex_destroy(&connection_limiter->lock);
    free(connection_limiter->chains);
    free(connection_limiter);
}

/* The place that points at the address's entry, or at the end of its chain. */
static struct entry **find(struct gjkd_connection_limiter *connection_limiter, const gjkd_ip *ip) {
    uint64_t hash = gjkd_ip_hash(ip, connection_limiter->seed);
    struct entry **at = &connection_limiter->chains[hash & (connection_limiter->chain_count - 1)];
    while (*at != NULL && !gjkd_ip_equal(&(*at)->ip, ip)) {
        at = &(*at)->next;
    }
    return at;
}

static bool count_address(struct gjkd_connection_limiter *connection_limiter, const gjkd_ip *ip) {
    gjkd_ip client = gjkd_ip_client(ip);
    struct entry **at = find(connection_limiter, &client);
    if (*at == NULL) {
        *at = calloc(1, sizeof **at);
        if (*at == NULL) {
            return false;
        }
        (*at)->ip = client;
    }
    if ((*at)->count == connection_limiter->per_address_max) {
        return false;
    }
    (*at)->count++;
    return true;
}

bool gjkd_connection_limiter_enter(struct gjkd_connection_limiter *connection_limiter,
                                   const gjkd_ip *ip) {
    uv_mutex_lock(&connection_limiter->lock);
    bool fits = connection_limiter->total < connection_limiter->total_max &&
                (ip == NULL || connection_limiter->per_address_max == 0 ||
                 count_address(connection_limiter, ip));
    connection_limiter->total += fits ? 1 : 0;
    uv_mutex_unlock(&connection_limiter->lock);
    return fits;
}

void gjkd_connection_limiter_leave(struct gjkd_connection_limiter *connection_limiter,
                                   const gjkd_ip *ip) {
    uv_mutex_lock(&connection_limiter->lock);
    connection_limiter->total--;
    if (ip != NULL && connection_limiter->per_address_max > 0) {
        gjkd_ip client = gjkd_ip_client(ip);
        struct entry **at = find(connection_limiter, &client);
        struct entry *entry = *at;
        if (entry != NULL && --entry->count == 0) {
            *at = entry->next;
            free(entry);
        }
    }
    uv_mutex_unlock(&connection_limiter->lock);
}
