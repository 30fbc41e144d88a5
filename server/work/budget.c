/*
 * One sum for the process. A charge is added first and taken off again where it is too much, so that
 * the limit is exact however many threads charge at once.
 */

#include "work/budget.h"

#include "work/deferred_free.h"

#include <stdlib.h>

#define RESERVE_PART 8
#define RESERVE_BYTES_MAX ((uint64_t)64 << 20)

static _Atomic uint64_t max_bytes; /* 0: no limit */
static _Alignas(64) _Atomic uint64_t used_bytes;
static _Atomic uint64_t set_bytes;

void gjkd_budget_limit(uint64_t bytes) {
    atomic_store(&max_bytes, bytes);
}

uint64_t gjkd_budget_ceiling(gjkd_charge charge) {
    const uint64_t max = atomic_load_explicit(&max_bytes, memory_order_relaxed);
    if (max == 0) {
        return UINT64_MAX;
    }
    const uint64_t part = max / RESERVE_PART;
    const uint64_t reserve = part < RESERVE_BYTES_MAX ? part : RESERVE_BYTES_MAX;
    switch (charge) {
    case GJKD_CHARGE_LARGE:
        return max - reserve;
    case GJKD_CHARGE_SETS:
        return max - reserve / 2;
    case GJKD_CHARGE_SMALL:
        break;
    }
    return max;
}

bool gjkd_budget_take(gjkd_charge charge, uint64_t bytes) {
    const bool is_small_edit = charge == GJKD_CHARGE_SETS && bytes <= GJKD_SMALL_BYTES;
    const uint64_t ceiling = gjkd_budget_ceiling(is_small_edit ? GJKD_CHARGE_SMALL : charge);
    const uint64_t before = atomic_fetch_add_explicit(&used_bytes, bytes, memory_order_relaxed);
    if (bytes > ceiling || before > ceiling - bytes) {
        atomic_fetch_sub_explicit(&used_bytes, bytes, memory_order_relaxed);
        return false;
    }
    if (charge == GJKD_CHARGE_SETS) {
        atomic_fetch_add_explicit(&set_bytes, bytes, memory_order_relaxed);
    }
    return true;
}

void gjkd_budget_give(gjkd_charge charge, uint64_t bytes) {
    atomic_fetch_sub_explicit(&used_bytes, bytes, memory_order_relaxed);
    if (charge == GJKD_CHARGE_SETS) {
        atomic_fetch_sub_explicit(&set_bytes, bytes, memory_order_relaxed);
    }
}

uint64_t gjkd_budget_used(void) {
    return atomic_load_explicit(&used_bytes, memory_order_relaxed);
}

uint64_t gjkd_budget_sets(void) {
    return atomic_load_explicit(&set_bytes, memory_order_relaxed);
}

bool gjkd_budget_is_tight(void) {
    return gjkd_budget_used() > gjkd_budget_ceiling(GJKD_CHARGE_SMALL) / 2;
}

/* --- Sets --- */

static bool take_lasting(gjk_arena_account *account, size_t bytes) {
    (void)account;
    return gjkd_budget_take(GJKD_CHARGE_SETS, bytes);
}

static void give_lasting(gjk_arena_account *account, size_t bytes) {
    (void)account;
    gjkd_budget_give(GJKD_CHARGE_SETS, bytes);
}

gjk_arena_account gjkd_budget_lasting = {take_lasting, give_lasting, NULL};

/* --- Requests --- */

#define SHARES 1024

static struct gjkd_share shares[SHARES];

static uint64_t add(_Atomic uint64_t *sum, uint64_t bytes) {
    return atomic_fetch_add_explicit(sum, bytes, memory_order_relaxed) + bytes;
}

static void subtract(_Atomic uint64_t *sum, uint64_t bytes) {
    atomic_fetch_sub_explicit(sum, bytes, memory_order_relaxed);
}

/* May a client's requests hold so much together, and one of them that of it? */
static bool is_within_share(gjkd_charge charge, uint64_t all, uint64_t own) {
    const uint64_t ceiling = gjkd_budget_ceiling(charge), sets = gjkd_budget_sets();
    return all <= own || all <= (sets < ceiling ? ceiling - sets : 0) / 2;
}

/* Notes the most that was wanted. */
static void note_refusal(struct gjkd_account *own, uint64_t wanted) {
    uint64_t most = atomic_load_explicit(&own->wanted_bytes, memory_order_relaxed);
    while (wanted > most && !atomic_compare_exchange_weak(&own->wanted_bytes, &most, wanted)) {
    }
}

/* Adds bytes to what the client's requests hold of that kind. False: it is more than their share. */
static bool add_to_share(struct gjkd_account *own, gjkd_charge charge, uint64_t bytes,
                         uint64_t own_bytes) {
    if (own->share == NULL) {
        return true;
    }
    const bool is_small = charge == GJKD_CHARGE_SMALL;
    const uint64_t all = add(is_small ? &own->share->small_bytes : &own->share->large_bytes, bytes);
    return is_within_share(charge, all, own_bytes);
}

/* Takes bytes off, of the large ones first: they came last. */
static void take_off(struct gjkd_account *own, uint64_t bytes) {
    uint64_t large = atomic_load(&own->large_bytes), from_large;
    do {
        from_large = bytes < large ? bytes : large;
    } while (!atomic_compare_exchange_weak(&own->large_bytes, &large, large - from_large));
    subtract(&own->held_bytes, bytes);
    if (own->share != NULL) {
        subtract(&own->share->large_bytes, from_large);
        subtract(&own->share->small_bytes, bytes - from_large);
    }
}

static bool take(gjk_arena_account *account, size_t bytes) {
    struct gjkd_account *own = (struct gjkd_account *)(void *)account;
    const uint64_t held = add(&own->held_bytes, bytes);
    const gjkd_charge charge = held <= GJKD_SMALL_BYTES ? GJKD_CHARGE_SMALL : GJKD_CHARGE_LARGE;
    const uint64_t of_kind = charge == GJKD_CHARGE_SMALL ? held : add(&own->large_bytes, bytes);
    if (add_to_share(own, charge, bytes, of_kind) && gjkd_budget_take(charge, bytes)) {
        return true;
    }
    take_off(own, bytes);
    note_refusal(own, held);
    return false;
}

static void give(gjk_arena_account *account, size_t bytes) {
    take_off((struct gjkd_account *)(void *)account, bytes);
    gjkd_budget_give(GJKD_CHARGE_LARGE, bytes);
}

void gjkd_account_init(struct gjkd_account *account) {
    account->account = (gjk_arena_account){take, give, &gjkd_budget_lasting};
    account->share = NULL;
    atomic_init(&account->held_bytes, 0);
    atomic_init(&account->large_bytes, 0);
    atomic_init(&account->wanted_bytes, 0);
}

/* What the account holds of each kind. */
static struct gjkd_share held_by(const struct gjkd_account *account) {
    const uint64_t large = atomic_load(&account->large_bytes);
    return (struct gjkd_share){atomic_load(&account->held_bytes) - large, large};
}

static void leave_share(struct gjkd_account *account) {
    if (account->share != NULL) {
        const struct gjkd_share held = held_by(account);
        subtract(&account->share->small_bytes, held.small_bytes);
        subtract(&account->share->large_bytes, held.large_bytes);
        account->share = NULL;
    }
}

void gjkd_account_assign(struct gjkd_account *account, uint64_t client_hash) {
    leave_share(account);
    const struct gjkd_share held = held_by(account);
    account->share = &shares[client_hash % SHARES];
    add(&account->share->small_bytes, held.small_bytes);
    add(&account->share->large_bytes, held.large_bytes);
}

void gjkd_account_reset(struct gjkd_account *account) {
    leave_share(account);
    atomic_store_explicit(&account->wanted_bytes, 0, memory_order_relaxed);
}

bool gjkd_account_can_wait(const struct gjkd_account *account) {
    const uint64_t wanted = atomic_load_explicit(&account->wanted_bytes, memory_order_relaxed);
    const uint64_t ceiling = gjkd_budget_ceiling(GJKD_CHARGE_LARGE);
    const uint64_t sets = gjkd_budget_sets();
    return wanted > 0 && sets <= ceiling && wanted <= ceiling - sets;
}

/* --- Large arenas --- */

static bool take_none(gjk_arena_account *account, size_t bytes) {
    (void)account, (void)bytes;
    return false;
}

static void give_any(gjk_arena_account *account, size_t bytes) {
    (void)account;
    gjkd_budget_give(GJKD_CHARGE_LARGE, bytes);
}

/* Of arenas whose request is over. */
static gjk_arena_account departing = {take_none, give_any, NULL};

static void free_departed(void *arena) {
    gjk_arena_fini(arena);
    free(arena);
}

void gjkd_account_free_arena(struct gjkd_account *account, struct gjk_arena *arena) {
    const uint64_t bytes = arena->used_bytes;
    struct gjk_arena *departed = bytes >= GJKD_LARGE_BYTES ? malloc(sizeof *departed) : NULL;
    if (departed == NULL) {
        gjk_arena_fini(arena);
        return;
    }
    *departed = *arena;
    departed->account = &departing;
    departed->budget = NULL;
    *arena = (struct gjk_arena){.limit_bytes = arena->limit_bytes,
                                .account = arena->account,
                                .budget = arena->budget};
    take_off(account, atomic_load(&account->held_bytes)); /* it was the account's only one */
    gjkd_deferred_free(departed, bytes, free_departed);
}
