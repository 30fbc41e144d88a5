/*
 * May this client ask? The generic cell rate algorithm (ITU-T I.371): all that is kept of a
 * client is when its account will be full again. Who is full is as good as unknown, so that
 * places are found again without a sweep: clients live in rows of a few places each, found by
 * a hash, and a newcomer takes the place of the one that is full soonest.
 */

#include "limiter.h"

#include "hash.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define ROW_PLACES 8
#define ROWS (GJKD_LIMITER_CLIENTS_MAX / ROW_PLACES)
#define SECOND_NS UINT64_C(1000000000)

/* Debts beyond this are forgiven, and keep the sums within 64 bits. */
#define DEBT_MAX_NS (3600 * SECOND_NS)

struct place {
    gjkd_limiter_key key;
    uint64_t full_ns; /* when the account is full again */
};

struct gjkd_limiter {
    uv_mutex_t lock;
    uint64_t per_second;
    uint64_t seed;
    struct place rows[ROWS][ROW_PLACES];
};

gjkd_limiter_key gjkd_limiter_key_of(const uint8_t bytes[16]) {
    gjkd_limiter_key key;
    memcpy(key.words, bytes, sizeof key.words);
    return key;
}

struct gjkd_limiter *gjkd_limiter_new(uint64_t per_second) {
    struct gjkd_limiter *limiter = calloc(1, sizeof *limiter);
    if (limiter == NULL || uv_mutex_init(&limiter->lock) != 0) {
        free(limiter);
        return NULL;
    }
    limiter->per_second = per_second;
    if (uv_random(NULL, NULL, &limiter->seed, sizeof limiter->seed, 0, NULL) != 0) {
        limiter->seed = uv_hrtime();
    }
    return limiter;
}

void gjkd_limiter_free(struct gjkd_limiter *limiter) {
    if (limiter != NULL) {
        uv_mutex_destroy(&limiter->lock);
        free(limiter);
    }
}

static bool same(const gjkd_limiter_key *a, const gjkd_limiter_key *b) {
    return a->words[0] == b->words[0] && a->words[1] == b->words[1];
}

/* The client's place; a newcomer gets the one that is full soonest, and a full account. */
static struct place *find(struct gjkd_limiter *limiter, const gjkd_limiter_key *key) {
    struct place *row = limiter->rows[gjkd_hash2(key->words, limiter->seed) % ROWS];
    struct place *fullest = &row[0];
    for (unsigned i = 0; i < ROW_PLACES; i++) {
        if (same(&row[i].key, key)) {
            return &row[i];
        }
        fullest = row[i].full_ns < fullest->full_ns ? &row[i] : fullest;
    }
    *fullest = (struct place){*key, 0};
    return fullest;
}

static void add(const struct gjkd_limiter *limiter, struct place *place, uint64_t queries,
                uint64_t now_ns) {
    uint64_t begin_ns = place->full_ns > now_ns ? place->full_ns : now_ns;
    uint64_t queries_max = DEBT_MAX_NS / SECOND_NS * limiter->per_second;
    uint64_t counted = queries < queries_max ? queries : queries_max;
    /* 3600 * 1e9 seconds' worth at most: split, so that the product fits */
    uint64_t whole = counted / limiter->per_second * SECOND_NS;
    /* rounded up: a second's worth of queries takes no less than a second */
    uint64_t rest =
        (counted % limiter->per_second * SECOND_NS + limiter->per_second - 1) / limiter->per_second;
    uint64_t full_ns = begin_ns + whole + rest;
    place->full_ns = full_ns < now_ns + DEBT_MAX_NS ? full_ns : now_ns + DEBT_MAX_NS;
}

uint64_t gjkd_limiter_take(struct gjkd_limiter *limiter, const gjkd_limiter_key *key,
                           uint64_t now_ns) {
    uint64_t wait_s = 0;
    uv_mutex_lock(&limiter->lock);
    struct place *place = find(limiter, key);
    if (place->full_ns >= now_ns + SECOND_NS) {
        wait_s = (place->full_ns - now_ns - SECOND_NS) / SECOND_NS + 1;
    } else {
        add(limiter, place, 1, now_ns);
    }
    uv_mutex_unlock(&limiter->lock);
    return wait_s;
}

void gjkd_limiter_charge(struct gjkd_limiter *limiter, const gjkd_limiter_key *key,
                         uint64_t queries, uint64_t now_ns) {
    uv_mutex_lock(&limiter->lock);
    add(limiter, find(limiter, key), queries, now_ns);
    uv_mutex_unlock(&limiter->lock);
}
