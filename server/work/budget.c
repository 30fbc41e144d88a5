/*
 * One sum for the process. A charge is added first and taken off again where it is too much, so that
 * the limit is exact however many threads charge at once.
 */

#include "work/budget.h"

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
    const uint64_t ceiling = gjkd_budget_ceiling(charge);
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

/* Notes the most that was wanted. */
static void note_refusal(struct gjkd_account *own, uint64_t wanted) {
    uint64_t most = atomic_load_explicit(&own->wanted_bytes, memory_order_relaxed);
    while (wanted > most && !atomic_compare_exchange_weak(&own->wanted_bytes, &most, wanted)) {
    }
}

static bool take(gjk_arena_account *account, size_t bytes) {
    struct gjkd_account *own = (struct gjkd_account *)(void *)account;
    const uint64_t held =
        atomic_fetch_add_explicit(&own->held_bytes, bytes, memory_order_relaxed) + bytes;
    if (gjkd_budget_take(held <= GJKD_SMALL_BYTES ? GJKD_CHARGE_SMALL : GJKD_CHARGE_LARGE, bytes)) {
        return true;
    }
    atomic_fetch_sub_explicit(&own->held_bytes, bytes, memory_order_relaxed);
    note_refusal(own, held);
    return false;
}

static void give(gjk_arena_account *account, size_t bytes) {
    struct gjkd_account *own = (struct gjkd_account *)(void *)account;
    atomic_fetch_sub_explicit(&own->held_bytes, bytes, memory_order_relaxed);
    gjkd_budget_give(GJKD_CHARGE_LARGE, bytes);
}

void gjkd_account_init(struct gjkd_account *account) {
    account->account = (gjk_arena_account){take, give, &gjkd_budget_lasting};
    atomic_init(&account->held_bytes, 0);
    atomic_init(&account->wanted_bytes, 0);
}

void gjkd_account_reset(struct gjkd_account *account) {
    atomic_store_explicit(&account->wanted_bytes, 0, memory_order_relaxed);
}

bool gjkd_account_can_wait(const struct gjkd_account *account) {
    const uint64_t wanted = atomic_load_explicit(&account->wanted_bytes, memory_order_relaxed);
    const uint64_t ceiling = gjkd_budget_ceiling(GJKD_CHARGE_LARGE);
    const uint64_t sets = gjkd_budget_sets();
    return wanted > 0 && sets <= ceiling && wanted <= ceiling - sets;
}
