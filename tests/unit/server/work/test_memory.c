/* The one budget of memory: its limit is exact, whoever charges and on however many threads. */

#include "work/memory.h"

#include <pthread.h>
#include <stdlib.h>

#include "test_server.h"

#define MAX_BYTES ((uint64_t)8 << 20)
#define THREADS 4

static uint64_t before; /* what earlier tests left charged */

static void begin(void) {
    before = gjkd_memory_used();
    gjkd_memory_set_limit(before + MAX_BYTES);
}

static void finish(void) {
    ck_assert_uint_eq(gjkd_memory_used(), before);
    gjkd_memory_set_limit(0);
}

/* The ceiling, as far as it is not used. */
static uint64_t left(gjkd_charge charge) {
    return gjkd_memory_ceiling(charge) - gjkd_memory_used();
}

TEST_EACH(each_charge_has_its_ceiling, 0, 3) {
    static const gjkd_charge charges[] = {GJKD_CHARGE_LARGE, GJKD_CHARGE_SETS, GJKD_CHARGE_SMALL};
    const gjkd_charge charge = charges[_i];
    const uint64_t one = GJKD_SMALL_BYTES + 1; /* no small edit */
    begin();
    const uint64_t room = left(charge);
    ck_assert(!gjkd_memory_take(charge, room + one));
    ck_assert(gjkd_memory_take(charge, room));
    ck_assert(!gjkd_memory_take(charge, one));
    gjkd_memory_give(charge, room);
    ck_assert(gjkd_memory_take(charge, room - one));
    ck_assert(gjkd_memory_take(charge, one));
    ck_assert(gjkd_memory_take(charge, 0));
    ck_assert(!gjkd_memory_take(charge, UINT64_MAX));
    for (size_t i = 0; i < COUNT_OF(charges); i++) {
        ck_assert_uint_eq(gjkd_memory_take(charges[i], one), i > (size_t)_i);
        if (i > (size_t)_i) {
            gjkd_memory_give(charges[i], one);
        }
    }
    ck_assert(gjkd_memory_take(GJKD_CHARGE_SETS, GJKD_SMALL_BYTES) ==
              (charge != GJKD_CHARGE_SMALL));
    if (charge != GJKD_CHARGE_SMALL) {
        gjkd_memory_give(GJKD_CHARGE_SETS, GJKD_SMALL_BYTES);
    }
    gjkd_memory_give(charge, room);
    finish();
}

TEST(sets_are_told_apart) {
    begin();
    const uint64_t sets = gjkd_memory_sets();
    ck_assert(gjkd_memory_take(GJKD_CHARGE_SETS, 100));
    ck_assert(gjkd_memory_take(GJKD_CHARGE_LARGE, 1000));
    ck_assert_uint_eq(gjkd_memory_sets(), sets + 100);
    ck_assert_uint_eq(gjkd_memory_used(), before + 1100);
    gjkd_memory_give(GJKD_CHARGE_LARGE, 1000);
    gjkd_memory_give(GJKD_CHARGE_SETS, 100);
    ck_assert_uint_eq(gjkd_memory_sets(), sets);
    finish();
}

/* A request is small up to GJKD_SMALL_BYTES, in which it may use the reserve. */
TEST(small_requests_find_memory) {
    struct gjkd_account account;
    gjk_arena_account *payer = &account.account;
    begin();
    const uint64_t others = left(GJKD_CHARGE_LARGE);
    ck_assert(gjkd_memory_take(GJKD_CHARGE_LARGE, others));
    gjkd_account_init(&account);
    ck_assert(!gjkd_account_can_wait(&account));
    ck_assert(payer->take(payer, GJKD_SMALL_BYTES - 1));
    ck_assert(payer->take(payer, 1));
    ck_assert(!payer->take(payer, 1));
    ck_assert(gjkd_account_can_wait(&account));
    gjkd_memory_give(GJKD_CHARGE_LARGE, others);
    ck_assert(payer->take(payer, 1));
    payer->give(payer, GJKD_SMALL_BYTES + 1);
    finish();
}

TEST(what_cannot_fit_alone_need_not_wait) {
    struct gjkd_account account;
    begin();
    gjkd_account_init(&account);
    const uint64_t connection = 32768; /* and what else there is always */
    const uint64_t room = gjkd_memory_ceiling(GJKD_CHARGE_LARGE) - gjkd_memory_sets() - connection;
    ck_assert(gjkd_memory_take(GJKD_CHARGE_LARGE, left(GJKD_CHARGE_LARGE) - GJKD_SMALL_BYTES));
    ck_assert(!account.account.take(&account.account, room));
    ck_assert(gjkd_account_can_wait(&account));
    ck_assert(!account.account.take(&account.account, room + 1));
    ck_assert(!gjkd_account_can_wait(&account));
    gjkd_account_reset(&account);
    ck_assert(!account.account.take(&account.account, room));
    ck_assert(gjkd_account_can_wait(&account));
    gjkd_memory_give(GJKD_CHARGE_LARGE, gjkd_memory_used() - before);
    finish();
}

/* What an arena holds of malloc is what is charged, at every moment. */
TEST(arenas_charge_chunk_by_chunk) {
    struct gjkd_account account;
    struct gjk_arena arena;
    begin();
    gjkd_account_init(&account);
    gjk_arena_init(&arena, 0);
    gjk_arena_charge(&arena, &account.account);
    ck_assert_ptr_nonnull(gjk_arena_alloc(&arena, 100));
    const uint64_t first = gjkd_memory_used() - before;
    ck_assert(first >= 4096 && first < 5000);
    ck_assert_ptr_nonnull(gjk_arena_alloc(&arena, 1000));
    ck_assert_uint_eq(gjkd_memory_used() - before, first);
    gjk_arena_mark mark = gjk_arena_here(&arena);
    ck_assert_ptr_nonnull(gjk_arena_alloc(&arena, 1 << 20));
    ck_assert(gjkd_memory_used() - before > first + (1 << 20));
    ck_assert(gjk_arena_can_take(&arena, left(GJKD_CHARGE_LARGE)));
    ck_assert(!gjk_arena_can_take(&arena, left(GJKD_CHARGE_LARGE) + 1));
    ck_assert_ptr_null(gjk_arena_alloc(&arena, MAX_BYTES));
    ck_assert_ptr_nonnull(gjk_arena_alloc(&arena, 1000)); /* as good as before */
    gjk_arena_rewind(&arena, mark);
    gjk_arena_reset(&arena); /* keeps the newest chunk */
    ck_assert(gjkd_memory_used() - before > 1 << 20);
    gjk_arena_fini(&arena);
    ck_assert_uint_eq(atomic_load(&account.held_bytes), 0);
    finish();
}

/* Three quarters of what a client may hold, one byte more, and another client's. */
TEST(a_crowded_client_is_told) {
    struct gjkd_account one, other;
    begin();
    gjkd_account_init_queue(&one, 1);
    gjkd_account_init_queue(&other, 2);
    const uint64_t half = (gjkd_memory_ceiling(GJKD_CHARGE_LARGE) - gjkd_memory_sets()) / 2;
    const uint64_t quarter = half / 4;
    ck_assert(!gjkd_account_is_crowded(&one));
    ck_assert(gjkd_account_take(&one, half - quarter - 1));
    ck_assert(!gjkd_account_is_crowded(&one));
    ck_assert(gjkd_account_take(&one, 1));
    ck_assert(!gjkd_account_is_crowded(&one));
    ck_assert(gjkd_account_take(&one, 1));
    ck_assert(gjkd_account_is_crowded(&one) && !gjkd_account_is_crowded(&other));
    ck_assert(gjkd_client_is_crowded(1) && !gjkd_client_is_crowded(2));
    gjkd_account_give(&one, 1);
    ck_assert(!gjkd_account_is_crowded(&one));
    gjkd_account_give(&one, half - quarter);
    gjkd_account_fini(&one);
    gjkd_account_fini(&other);
    finish();
}

#define QUEUES 16

/* One client's queues and requests leave the reserve to others, and all queues half of it to
 * requests. */
TEST(the_reserve_is_for_others) {
    struct gjkd_account queues[QUEUES], request[2];
    begin();
    const uint64_t reserve =
        gjkd_memory_ceiling(GJKD_CHARGE_SMALL) - gjkd_memory_ceiling(GJKD_CHARGE_LARGE);
    const uint64_t used = gjkd_memory_ceiling(GJKD_CHARGE_LARGE) - gjkd_memory_used();
    const uint64_t most = GJKD_SMALL_BYTES; /* more than a 64th of this reserve */
    ck_assert_uint_lt(reserve / 64, most);
    ck_assert(gjkd_memory_take(GJKD_CHARGE_LARGE, used));
    uint64_t queued = 0;
    for (unsigned i = 0; i < QUEUES; i++) {
        gjkd_account_init_queue(&queues[i], 3 + i);
        const bool is_taken = gjkd_account_take(&queues[i], most);
        ck_assert(is_taken == (queued + most <= reserve / 2));
        queued += is_taken ? most : 0;
        ck_assert(!is_taken || !gjkd_account_take(&queues[i], 1));
    }
    ck_assert_uint_gt(queued, 0);
    gjkd_account_init(&request[0]);
    gjkd_account_init(&request[1]);
    gjkd_account_assign(&request[0], 1);
    gjkd_account_assign(&request[1], 2);
    ck_assert(gjkd_account_take(&request[0], most));
    ck_assert(!gjkd_account_take(&request[0], 1));
    ck_assert(gjkd_account_take(&request[1], most));
    gjkd_account_give(&request[0], most);
    gjkd_account_give(&request[1], most);
    for (unsigned i = 0; i < QUEUES; i++) {
        gjkd_account_give(&queues[i], atomic_load(&queues[i].held_bytes));
        gjkd_account_fini(&queues[i]);
    }
    gjkd_account_fini(&request[0]);
    gjkd_account_fini(&request[1]);
    gjkd_memory_give(GJKD_CHARGE_LARGE, used);
    finish();
}

static atomic_ullong most;

static void *charge_and_give(void *unused) {
    (void)unused;
    for (int i = 0; i < 20000; i++) {
        const uint64_t bytes = MAX_BYTES / (2 + (unsigned)i % 5);
        if (gjkd_memory_take(GJKD_CHARGE_LARGE, bytes)) {
            gjkd_memory_give(GJKD_CHARGE_LARGE, bytes);
            atomic_fetch_add(&most, 1);
        }
    }
    return NULL;
}

TEST(many_threads_lose_nothing) {
    pthread_t threads[THREADS];
    begin();
    atomic_store(&most, 0);
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, charge_and_give, NULL), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    ck_assert_uint_gt(atomic_load(&most), 0);
    finish();
}

/* One request may hold all, several of one client no more than half of it; and small ones are not
 * kept out by large ones. */
TEST(clients_have_shares) {
    struct gjkd_account one, two, other;
    begin();
    const uint64_t half = (gjkd_memory_ceiling(GJKD_CHARGE_LARGE) - gjkd_memory_sets()) / 2;
    gjkd_account_init(&one);
    gjkd_account_init(&two);
    gjkd_account_init(&other);
    gjkd_account_assign(&one, 7);
    gjkd_account_assign(&two, 7);
    gjkd_account_assign(&other, 8);
    const uint64_t second = (uint64_t)1 << 20;
    ck_assert(one.account.take(&one.account, half - second));
    ck_assert(two.account.take(&two.account, second));
    ck_assert(!two.account.take(&two.account, 1));
    ck_assert(gjkd_account_can_wait(&two));
    ck_assert(!one.account.take(&one.account, 1));
    ck_assert(other.account.take(&other.account, second));
    ck_assert(other.account.take(&other.account, 1));
    two.account.give(&two.account, second);
    ck_assert(two.account.take(&two.account, GJKD_SMALL_BYTES)); /* is small */
    two.account.give(&two.account, GJKD_SMALL_BYTES);
    ck_assert(one.account.take(&one.account, half / 2)); /* the only one again */
    one.account.give(&one.account, half / 2);
    one.account.give(&one.account, half - second);
    other.account.give(&other.account, second + 1);
    gjkd_account_reset(&one);
    gjkd_account_reset(&two);
    gjkd_account_reset(&other);
    finish();
}

/* What a request keeps when it is over is charged to no client, and then to the next one. */
TEST(shares_change_hands) {
    struct gjkd_account account, next;
    begin();
    const uint64_t half = (gjkd_memory_ceiling(GJKD_CHARGE_LARGE) - gjkd_memory_sets()) / 2;
    gjkd_account_init(&account);
    gjkd_account_init(&next);
    gjkd_account_assign(&account, 1);
    ck_assert(account.account.take(&account.account, half));
    gjkd_account_reset(&account);
    gjkd_account_assign(&next, 1);
    ck_assert(next.account.take(&next.account, half / 2));
    gjkd_account_assign(&account, 1);
    ck_assert(!next.account.take(&next.account, GJKD_SMALL_BYTES + 1));
    gjkd_account_reset(&account);
    ck_assert(next.account.take(&next.account, GJKD_SMALL_BYTES + 1));
    account.account.give(&account.account, half);
    next.account.give(&next.account, half / 2 + GJKD_SMALL_BYTES + 1);
    gjkd_account_reset(&next);
    finish();
}

/* What is queued for peers of one client stays within its share, also where it is the only one. */
TEST(queues_stay_within_the_share) {
    struct gjkd_account queue, other;
    begin();
    const uint64_t half = (gjkd_memory_ceiling(GJKD_CHARGE_LARGE) - gjkd_memory_sets()) / 2;
    gjkd_account_init_queue(&queue, 5);
    gjkd_account_init_queue(&other, 5);
    ck_assert(queue.wanted_bytes == 0);
    ck_assert(!gjkd_account_take(&queue, UINT64_MAX));
    ck_assert(!gjkd_account_take(&queue, half + 1));
    ck_assert(queue.wanted_bytes > 0);
    ck_assert(gjkd_account_take(&queue, half));
    ck_assert(queue.wanted_bytes > 0); /* until it is reset */
    ck_assert(gjkd_account_take(&other, GJKD_SMALL_BYTES));
    ck_assert(!gjkd_account_take(&other, 1));
    gjkd_account_give(&other, GJKD_SMALL_BYTES);
    gjkd_account_give(&queue, half);
    gjkd_account_reset(&queue);
    ck_assert(queue.wanted_bytes == 0);
    gjkd_account_fini(&queue);
    gjkd_account_fini(&other);
    finish();
}

/* What is pinned takes of the client's share and of nothing else, until it is let go. */
TEST(pins_take_of_the_share) {
    struct gjkd_account reader, request;
    begin();
    const uint64_t half = (gjkd_memory_ceiling(GJKD_CHARGE_LARGE) - gjkd_memory_sets()) / 2;
    gjkd_account_init(&reader);
    gjkd_account_init(&request);
    ck_assert(gjkd_account_pin(&reader, half)); /* of no client */
    gjkd_account_assign(&reader, 3);
    gjkd_account_assign(&request, 3);
    ck_assert(gjkd_account_pin(&reader, half));
    ck_assert_uint_eq(gjkd_memory_used(), before);
    ck_assert(!gjkd_account_take(&request, GJKD_SMALL_BYTES + 1));
    ck_assert(!gjkd_account_pin(&reader, half + 1));
    ck_assert(gjkd_account_pin(&reader, half - GJKD_SMALL_BYTES - 1));
    ck_assert(gjkd_account_take(&request, GJKD_SMALL_BYTES + 1));
    gjkd_account_reset(&reader);
    ck_assert(gjkd_account_take(&request, half));
    gjkd_account_give(&request, half + GJKD_SMALL_BYTES + 1);
    gjkd_account_fini(&reader);
    gjkd_account_fini(&request);
    finish();
}

/* An arena that a large arena's finalizer frees. */
struct nested {
    struct gjk_arena arena;
};

static void free_nested(void *nested) {
    gjk_arena_fini(&((struct nested *)nested)->arena);
}

/* Fills the arena with so many bytes and another one that is charged to the same account. */
static void fill(struct gjk_arena *arena, size_t bytes) {
    struct nested *nested = gjk_arena_alloc(arena, sizeof *nested);
    if (nested == NULL || !gjk_arena_defer(arena, free_nested, nested)) {
        return;
    }
    gjk_arena_init(&nested->arena, 0);
    gjk_arena_charge(&nested->arena, arena->account);
    (void)!gjk_arena_alloc(&nested->arena, 1000);
    (void)!gjk_arena_alloc(arena, bytes);
}

/* The next request is charged exactly, while the arena of the one before is still being freed. */
TEST(large_arenas_take_their_account_along) {
    struct gjkd_pool pool = {0};
    struct gjk_arena arena;
    begin();
    ck_assert(gjkd_pool_init(&pool, 1, 8, false));
    struct gjkd_account *account = gjkd_account_new();
    ck_assert_ptr_nonnull(account);
    gjk_arena_init(&arena, 0);
    gjk_arena_charge(&arena, &account->account);
    gjkd_deferred_free_begin(&pool);
    for (int i = 0; i < 50; i++) {
        gjkd_account_assign(account, 11);
        fill(&arena, i % 2 == 0 ? GJKD_LARGE_BYTES : 100);
        gjkd_account_free_arena(&account, &arena);
        ck_assert_uint_eq(atomic_load(&account->held_bytes), 0);
        ck_assert_ptr_eq(arena.account, &account->account);
    }
    gjkd_deferred_free_end();
    gjkd_account_assign(account, 11);
    ck_assert_int_eq(atomic_load(&account->share->large_bytes), 0);
    ck_assert_int_eq(atomic_load(&account->share->small_bytes), 0);
    gjkd_account_free(account);
    gjkd_pool_fini(&pool);
    finish();
}

/*
 * A model of all of it: threads take from and give to the same accounts at random, and note what
 * they hold; between rounds, when no thread uses them, accounts change hands, pin, and part with
 * arenas that are freed on workers meanwhile.
 */
#define ACCOUNTS 6
#define CLIENTS 3
#define ROUNDS 500
#define STEPS 200

struct model {
    struct gjkd_account *accounts[ACCOUNTS];
    struct gjk_arena arenas[ACCOUNTS];
    int clients[ACCOUNTS]; /* -1: none */
    uint64_t pinned[ACCOUNTS];
    _Atomic uint64_t held[ACCOUNTS]; /* by threads */
    pthread_barrier_t barrier;
    unsigned refusals;
};

struct model_thread {
    struct model *model;
    uint64_t random;
    uint64_t held[ACCOUNTS];
    pthread_t id;
};

static uint64_t next_random(uint64_t *state, uint64_t below) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*state >> 33) % below;
}

static void step_randomly(struct model_thread *thread) {
    const size_t i = next_random(&thread->random, ACCOUNTS);
    struct gjkd_account *account = thread->model->accounts[i];
    if (next_random(&thread->random, 2) == 0) {
        const uint64_t below = next_random(&thread->random, 2) == 0 ? 3000 : MAX_BYTES / 4;
        const uint64_t bytes = next_random(&thread->random, below);
        if (gjkd_account_take(account, bytes)) {
            thread->held[i] += bytes;
            atomic_fetch_add(&thread->model->held[i], bytes);
        }
    } else {
        const uint64_t bytes = next_random(&thread->random, thread->held[i] + 1);
        gjkd_account_give(account, bytes);
        thread->held[i] -= bytes;
        atomic_fetch_sub(&thread->model->held[i], bytes);
    }
}

static void *use_accounts(void *argument) {
    struct model_thread *thread = argument;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&thread->model->barrier);
        for (int i = 0; i < STEPS; i++) {
            step_randomly(thread);
        }
        pthread_barrier_wait(&thread->model->barrier);
    }
    for (size_t i = 0; i < ACCOUNTS; i++) {
        gjkd_account_give(thread->model->accounts[i], thread->held[i]);
        atomic_fetch_sub(&thread->model->held[i], thread->held[i]);
    }
    return NULL;
}

/* Compares accounts and shares with the reference. */
static void check_model(struct model *model) {
    uint64_t small[CLIENTS] = {0}, large[CLIENTS] = {0};
    const struct gjkd_share *shares[CLIENTS] = {NULL};
    for (size_t i = 0; i < ACCOUNTS; i++) {
        const uint64_t held = atomic_load(&model->held[i]);
        const int client = model->clients[i];
        ck_assert_uint_eq(atomic_load(&model->accounts[i]->held_bytes), held);
        if (client >= 0) {
            shares[client] = model->accounts[i]->share;
            *(held <= GJKD_SMALL_BYTES ? &small[client] : &large[client]) += held;
            large[client] += model->pinned[i];
        }
    }
    for (int c = 0; c < CLIENTS; c++) {
        ck_assert(shares[c] == NULL || atomic_load(&shares[c]->small_bytes) == (int64_t)small[c]);
        ck_assert(shares[c] == NULL || atomic_load(&shares[c]->large_bytes) == (int64_t)large[c]);
    }
}

/* Changes one account in the way of a request that ends, begins or keeps a version. */
static void change_hands(struct model *model, uint64_t *random) {
    const size_t i = next_random(random, ACCOUNTS);
    switch (next_random(random, 4)) {
    case 0:
        gjkd_account_reset(model->accounts[i]);
        model->clients[i] = -1;
        model->pinned[i] = 0;
        break;
    case 1:
        model->clients[i] = (int)next_random(random, CLIENTS);
        model->pinned[i] = 0;
        gjkd_account_assign(model->accounts[i], (uint64_t)model->clients[i]);
        break;
    case 2:
        model->pinned[i] = model->clients[i] < 0 ? 0 : next_random(random, 1 << 20);
        model->refusals += gjkd_account_pin(model->accounts[i], model->pinned[i]) ? 0 : 1;
        break;
    default:
        if (atomic_load(&model->held[i]) == 0) {
            fill(&model->arenas[i], GJKD_LARGE_BYTES);
            const bool is_large = model->arenas[i].used_bytes >= GJKD_LARGE_BYTES;
            gjkd_account_free_arena(&model->accounts[i], &model->arenas[i]);
            model->clients[i] = is_large ? -1 : model->clients[i];
            model->pinned[i] = is_large ? 0 : model->pinned[i];
        }
        break;
    }
}

TEST(accounts_agree_with_a_model) {
    static struct model model;
    struct model_thread threads[THREADS];
    struct gjkd_pool pool = {0};
    uint64_t random = 24;
    begin();
    ck_assert(gjkd_pool_init(&pool, 2, 8, false));
    gjkd_deferred_free_begin(&pool);
    ck_assert_int_eq(pthread_barrier_init(&model.barrier, NULL, THREADS + 1), 0);
    for (size_t i = 0; i < ACCOUNTS; i++) {
        model.accounts[i] = gjkd_account_new();
        ck_assert_ptr_nonnull(model.accounts[i]);
        model.accounts[i]->is_queue = i % 2 == 1;
        gjk_arena_init(&model.arenas[i], 0);
        gjk_arena_charge(&model.arenas[i], &model.accounts[i]->account);
        model.clients[i] = -1;
    }
    for (unsigned i = 0; i < THREADS; i++) {
        threads[i] = (struct model_thread){.model = &model, .random = i};
        ck_assert_int_eq(pthread_create(&threads[i].id, NULL, use_accounts, &threads[i]), 0);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 10; i++) {
            change_hands(&model, &random);
        }
        check_model(&model);
        pthread_barrier_wait(&model.barrier);
        pthread_barrier_wait(&model.barrier);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i].id, NULL);
    }
    check_model(&model);
    gjkd_deferred_free_end();
    for (size_t i = 0; i < ACCOUNTS; i++) {
        model.pinned[i] = 0;
        gjkd_account_pin(model.accounts[i], 0);
        ck_assert_uint_eq(atomic_load(&model.held[i]), 0);
        check_model(&model);
        gjk_arena_fini(&model.arenas[i]);
    }
    for (size_t i = 0; i < ACCOUNTS; i++) {
        gjkd_account_free(model.accounts[i]);
    }
    pthread_barrier_destroy(&model.barrier);
    gjkd_pool_fini(&pool);
    finish();
}
