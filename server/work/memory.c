/*
 * One sum for the process, which is exact however many threads charge at once.
 *
 * An account also has one number, the bytes that it holds. Its contribution to its client's share
 * is a function of that number, and each atomic change of the number moves the share by the
 * difference. However the changes of several threads interleave, the shares end up as the sums over
 * the accounts.
 */

#include "work/memory.h"

#include "util/log.h"
#include "util/process.h"

#include <malloc.h>
#include <stdlib.h>
#include <uv.h>

#define RESERVE_PART 8
#define RESERVE_CLIENTS 64 /* one client may use the reserve divided by this */
#define RESERVE_BYTES_MAX ((uint64_t)64 << 20)

static _Atomic uint64_t max_bytes; /* 0: no limit */
static _Alignas(64) _Atomic uint64_t used_bytes;
static _Atomic uint64_t set_bytes;

void gjkd_memory_set_limit(uint64_t bytes) {
    atomic_store(&max_bytes, bytes);
}

static uint64_t reserve_of(uint64_t max) {
    const uint64_t part = max / RESERVE_PART;
    return part < RESERVE_BYTES_MAX ? part : RESERVE_BYTES_MAX;
}

uint64_t gjkd_memory_ceiling(gjkd_charge charge) {
    const uint64_t max = atomic_load_explicit(&max_bytes, memory_order_relaxed);
    if (max == 0) {
        return UINT64_MAX;
    }
    const uint64_t reserve = reserve_of(max);
    switch (charge) {
    case GJKD_CHARGE_LARGE:
        return max - reserve;
    case GJKD_CHARGE_SETS:
    case GJKD_CHARGE_QUEUE:
        return max - reserve / 2;
    case GJKD_CHARGE_SMALL:
        break;
    }
    return max;
}

/* --- Sums that never wrap --- */

#define REPORT_PAUSE_NS UINT64_C(10000000000)

/* Reports a defect of the daemon: debug builds abort, others log it at most every 10 seconds. */
static void report_excess(const char *sum, uint64_t bytes) {
    static _Atomic uint64_t next_ns;
    const uint64_t now_ns = uv_hrtime();
    uint64_t due_ns = atomic_load(&next_ns);
    if (now_ns >= due_ns &&
        atomic_compare_exchange_strong(&next_ns, &due_ns, now_ns + REPORT_PAUSE_NS)) {
        gjkd_log(GJKD_LOG_ERROR, "internal error: %llu bytes more were given back to %s than taken",
                 (unsigned long long)bytes, sum);
    }
    GJK_ASSERT(bytes == 0);
}

/* Subtracts bytes, at most down to 0. Returns the previous sum. */
static uint64_t subtract(_Atomic uint64_t *sum, uint64_t bytes, const char *name) {
    uint64_t before = atomic_load_explicit(sum, memory_order_relaxed), taken;
    do {
        taken = bytes < before ? bytes : before;
    } while (!atomic_compare_exchange_weak_explicit(sum, &before, before - taken,
                                                    memory_order_relaxed, memory_order_relaxed));
    if (taken < bytes) {
        report_excess(name, bytes - taken);
    }
    return before;
}

/* --- The process --- */

bool gjkd_memory_take(gjkd_charge charge, uint64_t bytes) {
    const bool is_small_edit = charge == GJKD_CHARGE_SETS && bytes <= GJKD_SMALL_BYTES;
    const uint64_t ceiling = gjkd_memory_ceiling(is_small_edit ? GJKD_CHARGE_SMALL : charge);
    uint64_t before = atomic_load_explicit(&used_bytes, memory_order_relaxed);
    do {
        if (bytes > ceiling || before > ceiling - bytes) {
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&used_bytes, &before, before + bytes,
                                                    memory_order_relaxed, memory_order_relaxed));
    if (charge == GJKD_CHARGE_SETS) {
        atomic_fetch_add_explicit(&set_bytes, bytes, memory_order_relaxed);
    }
    return true;
}

void gjkd_memory_give(gjkd_charge charge, uint64_t bytes) {
    (void)subtract(&used_bytes, bytes, "the process");
    if (charge == GJKD_CHARGE_SETS) {
        (void)subtract(&set_bytes, bytes, "the sets");
    }
}

uint64_t gjkd_memory_used(void) {
    return atomic_load_explicit(&used_bytes, memory_order_relaxed);
}

uint64_t gjkd_memory_sets(void) {
    return atomic_load_explicit(&set_bytes, memory_order_relaxed);
}

bool gjkd_memory_is_tight(void) {
    return gjkd_memory_used() > gjkd_memory_ceiling(GJKD_CHARGE_SMALL) / 2;
}

/* --- Sets --- */

static bool take_lasting(gjk_arena_account *account, size_t bytes) {
    (void)account;
    return gjkd_memory_take(GJKD_CHARGE_SETS, bytes);
}

static void give_lasting(gjk_arena_account *account, size_t bytes) {
    (void)account;
    gjkd_memory_give(GJKD_CHARGE_SETS, bytes);
}

gjk_arena_account gjkd_memory_lasting = {take_lasting, give_lasting, NULL};

/* --- Requests --- */

#define SHARES 16384

/* Maximum of what the process holds beside its sets and the account of its only request: the
 * request's connection, and what the daemon keeps. */
#define BESIDE_BYTES 32768

/* Maximum of one take, so that the sums of a share never overflow. */
#define BYTES_MAX ((uint64_t)1 << 48)

static struct gjkd_share shares[SHARES];

static gjkd_charge charge_of(uint64_t held_bytes) {
    return held_bytes <= GJKD_SMALL_BYTES ? GJKD_CHARGE_SMALL : GJKD_CHARGE_LARGE;
}

static int64_t add(_Atomic int64_t *sum, int64_t bytes) {
    return atomic_fetch_add_explicit(sum, bytes, memory_order_relaxed) + bytes;
}

static _Atomic int64_t *part_of(struct gjkd_share *share, gjkd_charge charge) {
    return charge == GJKD_CHARGE_SMALL ? &share->small_bytes : &share->large_bytes;
}

/* Changes an account's contribution to the share. Returns the new sum of that kind. */
static int64_t move_share(struct gjkd_share *share, uint64_t before, uint64_t after) {
    const gjkd_charge from = charge_of(before), to = charge_of(after);
    if (from == to) {
        return add(part_of(share, to), (int64_t)(after - before));
    }
    (void)add(part_of(share, from), -(int64_t)before);
    return add(part_of(share, to), (int64_t)after);
}

/* Returns the number of bytes that one client's accounts of that kind may hold together. */
static uint64_t most_of(gjkd_charge charge) {
    const uint64_t ceiling = gjkd_memory_ceiling(charge), sets = gjkd_memory_sets();
    return (sets < ceiling ? ceiling - sets : 0) / 2;
}

/* Returns true if a client's accounts may hold `all` bytes, of which this one holds `own`. */
static bool is_within_share(const struct gjkd_account *account, gjkd_charge charge, int64_t all,
                            uint64_t own) {
    return all <= 0 || (uint64_t)all <= most_of(charge) ||
           (!account->is_queue && (uint64_t)all <= own);
}

/* Returns the kind of charge to the process. The small accounts of one client may use a part of the
 * reserve only, so that other clients find some, and queues half of it, so that requests do. */
static gjkd_charge charge_to_process(const struct gjkd_account *account, gjkd_charge kind,
                                     int64_t all) {
    const uint64_t part = reserve_of(gjkd_memory_ceiling(GJKD_CHARGE_SMALL)) / RESERVE_CLIENTS;
    const uint64_t most = part > GJKD_SMALL_BYTES ? part : GJKD_SMALL_BYTES;
    if (kind != GJKD_CHARGE_SMALL || (all > 0 && (uint64_t)all > most)) {
        return GJKD_CHARGE_LARGE;
    }
    return account->is_queue ? GJKD_CHARGE_QUEUE : GJKD_CHARGE_SMALL;
}

/* --- Accounts --- */

/* Updates the largest amount that was refused. */
static void note_refusal(struct gjkd_account *account, uint64_t wanted) {
    uint64_t most = atomic_load_explicit(&account->wanted_bytes, memory_order_relaxed);
    while (wanted > most && !atomic_compare_exchange_weak(&account->wanted_bytes, &most, wanted)) {
    }
}

/* Subtracts bytes from the account and from its share. */
static void take_off(struct gjkd_account *account, uint64_t bytes) {
    const uint64_t before = subtract(&account->held_bytes, bytes, "an account");
    if (account->share != NULL) {
        (void)move_share(account->share, before, bytes < before ? before - bytes : 0);
    }
}

bool gjkd_account_take(struct gjkd_account *account, uint64_t bytes) {
    if (bytes > BYTES_MAX) {
        note_refusal(account, bytes);
        return false;
    }
    const uint64_t held =
        atomic_fetch_add_explicit(&account->held_bytes, bytes, memory_order_relaxed) + bytes;
    const gjkd_charge kind = charge_of(held);
    const int64_t all = account->share != NULL ? move_share(account->share, held - bytes, held) : 0;
    const gjkd_charge charge = charge_to_process(account, kind, all);
    const bool is_taken =
        is_within_share(account, kind, all, held) && gjkd_memory_take(charge, bytes);
    if (!is_taken) {
        take_off(account, bytes);
        note_refusal(account, held);
    }
    return is_taken;
}

void gjkd_account_give(struct gjkd_account *account, uint64_t bytes) {
    take_off(account, bytes);
    gjkd_memory_give(GJKD_CHARGE_LARGE, bytes);
}

static bool take(gjk_arena_account *account, size_t bytes) {
    return gjkd_account_take((struct gjkd_account *)(void *)account, bytes);
}

static void give(gjk_arena_account *account, size_t bytes) {
    gjkd_account_give((struct gjkd_account *)(void *)account, bytes);
}

void gjkd_account_init(struct gjkd_account *account) {
    *account = (struct gjkd_account){.account = {take, give, &gjkd_memory_lasting}};
}

void gjkd_account_init_queue(struct gjkd_account *account, uint64_t client_hash) {
    gjkd_account_init(account);
    account->is_queue = true;
    gjkd_account_assign(account, client_hash);
}

bool gjkd_account_open(struct gjkd_account *account, uint64_t client_hash, uint64_t bytes) {
    gjkd_account_init_queue(account, client_hash);
    return gjkd_account_take(account, bytes);
}

void gjkd_account_close(struct gjkd_account *account) {
    gjkd_account_give(account, atomic_load(&account->held_bytes));
    gjkd_account_fini(account);
}

void gjkd_account_fini(struct gjkd_account *account) {
    const uint64_t left = atomic_load(&account->held_bytes);
    GJK_ASSERT(left == 0);
    gjkd_account_reset(account);
    if (left > 0) {
        gjkd_log(GJKD_LOG_ERROR, "internal error: %llu bytes were not given back to an account",
                 (unsigned long long)left);
        gjkd_account_give(account, left);
    }
}

struct gjkd_account *gjkd_account_new(void) {
    struct gjkd_account *account = malloc(sizeof *account);
    if (account != NULL) {
        gjkd_account_init(account);
    }
    return account;
}

void gjkd_account_free(struct gjkd_account *account) {
    if (account != NULL) {
        gjkd_account_fini(account);
        free(account);
    }
}

static bool is_crowded(struct gjkd_share *share, gjkd_charge charge) {
    const int64_t all = atomic_load_explicit(part_of(share, charge), memory_order_relaxed);
    const uint64_t most = most_of(charge);
    return all > 0 && (uint64_t)all > most - most / 4;
}

static bool is_share_crowded(struct gjkd_share *share) {
    return is_crowded(share, GJKD_CHARGE_SMALL) || is_crowded(share, GJKD_CHARGE_LARGE);
}

bool gjkd_account_is_crowded(const struct gjkd_account *account) {
    return account->share != NULL && is_share_crowded(account->share);
}

bool gjkd_client_is_crowded(uint64_t client_hash) {
    return is_share_crowded(&shares[client_hash % SHARES]);
}

/* Sets the pinned bytes. Returns the new sum of large bytes of the share. */
static int64_t set_pinned(struct gjkd_account *account, uint64_t bytes) {
    const uint64_t before = account->pinned_bytes;
    account->pinned_bytes = bytes;
    return add(&account->share->large_bytes, (int64_t)(bytes - before));
}

bool gjkd_account_pin(struct gjkd_account *account, uint64_t bytes) {
    if (account->share == NULL) {
        return true;
    }
    const int64_t all = set_pinned(account, bytes < BYTES_MAX ? bytes : BYTES_MAX);
    return bytes == 0 || is_within_share(account, GJKD_CHARGE_LARGE, all, 0);
}

static void leave_share(struct gjkd_account *account) {
    if (account->share != NULL) {
        (void)set_pinned(account, 0);
        (void)move_share(account->share, atomic_load(&account->held_bytes), 0);
        account->share = NULL;
    }
}

void gjkd_account_assign(struct gjkd_account *account, uint64_t client_hash) {
    leave_share(account);
    account->share = &shares[client_hash % SHARES];
    (void)move_share(account->share, 0, atomic_load(&account->held_bytes));
}

void gjkd_account_reset(struct gjkd_account *account) {
    leave_share(account);
    atomic_store_explicit(&account->wanted_bytes, 0, memory_order_relaxed);
}

bool gjkd_account_can_wait(const struct gjkd_account *account) {
    const uint64_t wanted = atomic_load_explicit(&account->wanted_bytes, memory_order_relaxed);
    const uint64_t ceiling = gjkd_memory_ceiling(GJKD_CHARGE_LARGE);
    const uint64_t others = gjkd_memory_sets() + BESIDE_BYTES;
    return wanted > 0 && others <= ceiling && wanted <= ceiling - others;
}

/* --- Large arenas --- */

/* The arena of a request that has ended, and its account. */
struct retired {
    struct gjk_arena arena;
    struct gjkd_account *account;
};

static void free_retired(void *object) {
    struct retired *retired = object;
    gjk_arena_fini(&retired->arena);
    gjkd_account_free(retired->account);
    free(retired);
}

void gjkd_account_free_arena(struct gjkd_account **account, struct gjk_arena *arena) {
    const uint64_t bytes = arena->used_bytes;
    const bool is_large = bytes >= GJKD_LARGE_BYTES;
    struct retired *retired = is_large ? malloc(sizeof *retired) : NULL;
    struct gjkd_account *next = retired != NULL ? gjkd_account_new() : NULL;
    if (next == NULL) {
        free(retired);
        gjk_arena_fini(arena);
        return;
    }
    gjkd_account_reset(*account);
    *retired = (struct retired){*arena, *account};
    retired->arena.budget = NULL;
    *arena = (struct gjk_arena){.limit_bytes = arena->limit_bytes,
                                .account = &next->account,
                                .budget = arena->budget};
    *account = next;
    gjkd_deferred_free(retired, bytes, free_retired);
}

/*
 * A thread-local pool marks the threads of loops. On these, a large object becomes a task for a
 * worker, which is never refused and for which no thread waits.
 */

struct deferred {
    struct gjkd_task task; /* first: a task is cast to its deferred object */
    void *object;
    void (*release)(void *object);
};

static _Thread_local struct gjkd_pool *loop_pool; /* NULL: not marked */

void gjkd_deferred_free_begin(struct gjkd_pool *pool) {
    loop_pool = pool;
}

void gjkd_deferred_free_end(void) {
    loop_pool = NULL;
}

static gjkd_task_result free_on_worker(struct gjkd_task *task) {
    const struct deferred *deferred = (struct deferred *)(void *)task;
    deferred->release(deferred->object);
    free(task);
    return GJKD_TASK_DETACHED;
}

void gjkd_deferred_free(void *object, uint64_t bytes, void (*release)(void *object)) {
    bool is_freed_here = loop_pool == NULL || bytes < GJKD_LARGE_BYTES;
    struct deferred *deferred = is_freed_here ? NULL : malloc(sizeof *deferred);
    if (deferred == NULL) {
        release(object);
        return;
    }
    *deferred = (struct deferred){{.run = free_on_worker}, object, release};
    gjkd_pool_resume(loop_pool, &deferred->task);
}

/* --- The heap --- */

/* Free memory kept at the end of the heap for the next large request. By default malloc returns it
 * to the system, and the kernel has to clear it again page by page. */
#define KEPT_BYTES (16 << 20)

/* Blocks of at least this size are mapped individually and unmapped when freed. By default malloc
 * raises this threshold when a large block is freed; then temporary blocks of requests fragmented
 * the heap between long-lived sets, which took four times their memory. */
#define LARGE_BLOCK_BYTES (1 << 20)

/* A trim pays if the process holds more than a 16th of the limit beyond what is charged, and a 32nd
 * more than after the last trim. */
#define EXCESS_PART 16

/* Number of consecutive checks that must favour a trim while memory is not tight: memory that is
 * soon taken again is not returned, because the kernel would have to clear it. */
#define LOOKS 10

/* Number of checks after which another trim may pay although no more is held than after the last
 * one: memory that was in use then may have been freed since. */
#define LOOKS_AGAIN 60

void gjkd_heap_setup(unsigned threads) {
    mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
    mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES);
    /* Paused threads share the arenas of running ones, which can reuse what these free. */
    mallopt(M_ARENA_MAX, (int)threads);
}

static uint64_t bytes_beyond_charged(void) {
    const uint64_t resident = gjkd_process_resident_bytes(), used = gjkd_memory_used();
    return resident > used ? resident - used : 0;
}

bool gjkd_heap_trim(void) {
    static uint64_t kept_bytes; /* excess over what was charged, after the last trim */
    static unsigned looks;      /* consecutive checks that favoured a trim */
    static unsigned since_trim; /* number of checks */
    const uint64_t excess = gjkd_memory_ceiling(GJKD_CHARGE_SMALL) / EXCESS_PART;
    const bool is_tight = gjkd_memory_is_tight();
    const uint64_t beyond = bytes_beyond_charged();
    kept_bytes = beyond < kept_bytes ? beyond : kept_bytes;
    const bool has_more = beyond - kept_bytes > excess / 2 || ++since_trim > LOOKS_AGAIN;
    looks = beyond > excess && has_more ? looks + 1 : 0;
    if (looks >= (is_tight ? 1 : LOOKS)) {
        malloc_trim(0);
        kept_bytes = bytes_beyond_charged();
        looks = since_trim = 0;
    }
    return is_tight;
}
