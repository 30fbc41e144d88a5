/*
 * May this client ask? The generic cell rate algorithm (ITU-T I.371): all that is kept of a
 * client is when its account will be full again. Who is full is as good as unknown, so that
 * places are found again without a sweep: clients live in rows of a few places each, found by
 * a hash, and a newcomer takes the place of the one that is full soonest.
 */

#include "security/limiter.h"

#include "util/hash.h"

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

gjkd_limiter_key gjkd_limiter_key_beside(const gjkd_limiter_key *key) {
    return (gjkd_limiter_key){{key->words[0], ~key->words[1]}};
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

/* What so many queries take; rounded up, so that no account is ever too full. */
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

static uint64_t ask(struct gjkd_limiter *limiter, const gjkd_limiter_key *key, bool takes,
                    uint64_t now_ns) {
    const uint64_t one_ns = cost_ns(limiter, 1);
    const uint64_t latest_ns = now_ns + one_ns * limiter->per_second;
    uint64_t wait_s = 0;
    uv_mutex_lock(&limiter->lock);
    struct place *place = find(limiter, key);
    uint64_t full_ns = max2(place->full_ns, now_ns) + one_ns;
    if (full_ns > latest_ns) {
        wait_s = (full_ns - latest_ns - 1) / SECOND_NS + 1;
    } else if (takes) {
        place->full_ns = full_ns;
    }
    uv_mutex_unlock(&limiter->lock);
    return wait_s;
}

uint64_t gjkd_limiter_take(struct gjkd_limiter *limiter, const gjkd_limiter_key *key,
                           uint64_t now_ns) {
    return ask(limiter, key, true, now_ns);
}

uint64_t gjkd_limiter_wait_s(struct gjkd_limiter *limiter, const gjkd_limiter_key *key,
                             uint64_t now_ns) {
    return ask(limiter, key, false, now_ns);
}

void gjkd_limiter_charge(struct gjkd_limiter *limiter, const gjkd_limiter_key *key,
                         uint64_t queries, uint64_t now_ns) {
    uv_mutex_lock(&limiter->lock);
    struct place *place = find(limiter, key);
    uint64_t full_ns = max2(place->full_ns, now_ns) + cost_ns(limiter, queries);
    place->full_ns = full_ns < now_ns + DEBT_MAX_NS ? full_ns : now_ns + DEBT_MAX_NS;
    uv_mutex_unlock(&limiter->lock);
}
