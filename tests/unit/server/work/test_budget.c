/* The one budget of memory: its limit is exact, whoever charges and on however many threads. */

#include "work/budget.h"

#include <pthread.h>

#include "test_server.h"

#define MAX_BYTES ((uint64_t)8 << 20)
#define THREADS 4

static uint64_t before; /* what earlier tests left charged */

static void begin(void) {
    before = gjkd_budget_used();
    gjkd_budget_limit(before + MAX_BYTES);
}

static void finish(void) {
    ck_assert_uint_eq(gjkd_budget_used(), before);
    gjkd_budget_limit(0);
}

/* The ceiling, as far as it is not used. */
static uint64_t left(gjkd_charge charge) {
    return gjkd_budget_ceiling(charge) - gjkd_budget_used();
}

START_TEST(each_charge_has_its_ceiling) {
    static const gjkd_charge charges[] = {GJKD_CHARGE_LARGE, GJKD_CHARGE_SETS, GJKD_CHARGE_SMALL};
    const gjkd_charge charge = charges[_i];
    const uint64_t one = GJKD_SMALL_BYTES + 1; /* no small edit */
    begin();
    const uint64_t room = left(charge);
    ck_assert(!gjkd_budget_take(charge, room + one));
    ck_assert(gjkd_budget_take(charge, room));
    ck_assert(!gjkd_budget_take(charge, one));
    gjkd_budget_give(charge, room);
    ck_assert(gjkd_budget_take(charge, room - one));
    ck_assert(gjkd_budget_take(charge, one));
    ck_assert(gjkd_budget_take(charge, 0));
    ck_assert(!gjkd_budget_take(charge, UINT64_MAX));
    for (size_t i = 0; i < COUNT_OF(charges); i++) {
        ck_assert_uint_eq(gjkd_budget_take(charges[i], one), i > (size_t)_i);
        if (i > (size_t)_i) {
            gjkd_budget_give(charges[i], one);
        }
    }
    ck_assert(gjkd_budget_take(GJKD_CHARGE_SETS, GJKD_SMALL_BYTES) ==
              (charge != GJKD_CHARGE_SMALL));
    if (charge != GJKD_CHARGE_SMALL) {
        gjkd_budget_give(GJKD_CHARGE_SETS, GJKD_SMALL_BYTES);
    }
    gjkd_budget_give(charge, room);
    finish();
}
END_TEST

START_TEST(sets_are_told_apart) {
    begin();
    const uint64_t sets = gjkd_budget_sets();
    ck_assert(gjkd_budget_take(GJKD_CHARGE_SETS, 100));
    ck_assert(gjkd_budget_take(GJKD_CHARGE_LARGE, 1000));
    ck_assert_uint_eq(gjkd_budget_sets(), sets + 100);
    ck_assert_uint_eq(gjkd_budget_used(), before + 1100);
    gjkd_budget_give(GJKD_CHARGE_LARGE, 1000);
    gjkd_budget_give(GJKD_CHARGE_SETS, 100);
    ck_assert_uint_eq(gjkd_budget_sets(), sets);
    finish();
}
END_TEST

/* A request is small up to GJKD_SMALL_BYTES, in which it may use the reserve. */
START_TEST(small_requests_find_memory) {
    struct gjkd_account account;
    gjk_arena_account *payer = &account.account;
    begin();
    const uint64_t others = left(GJKD_CHARGE_LARGE);
    ck_assert(gjkd_budget_take(GJKD_CHARGE_LARGE, others));
    gjkd_account_init(&account);
    ck_assert(!gjkd_account_can_wait(&account));
    ck_assert(payer->take(payer, GJKD_SMALL_BYTES - 1));
    ck_assert(payer->take(payer, 1));
    ck_assert(!payer->take(payer, 1));
    ck_assert(gjkd_account_can_wait(&account));
    gjkd_budget_give(GJKD_CHARGE_LARGE, others);
    ck_assert(payer->take(payer, 1));
    payer->give(payer, GJKD_SMALL_BYTES + 1);
    finish();
}
END_TEST

START_TEST(what_cannot_fit_alone_need_not_wait) {
    struct gjkd_account account;
    begin();
    gjkd_account_init(&account);
    const uint64_t room = gjkd_budget_ceiling(GJKD_CHARGE_LARGE) - gjkd_budget_sets();
    ck_assert(gjkd_budget_take(GJKD_CHARGE_LARGE, left(GJKD_CHARGE_LARGE) - GJKD_SMALL_BYTES));
    ck_assert(!account.account.take(&account.account, room));
    ck_assert(gjkd_account_can_wait(&account));
    ck_assert(!account.account.take(&account.account, room + 1));
    ck_assert(!gjkd_account_can_wait(&account));
    gjkd_account_reset(&account);
    ck_assert(!account.account.take(&account.account, room));
    ck_assert(gjkd_account_can_wait(&account));
    gjkd_budget_give(GJKD_CHARGE_LARGE, gjkd_budget_used() - before);
    finish();
}
END_TEST

/* What an arena holds of malloc is what is charged, at every moment. */
START_TEST(arenas_charge_chunk_by_chunk) {
    struct gjkd_account account;
    struct gjk_arena arena;
    begin();
    gjkd_account_init(&account);
    gjk_arena_init(&arena, 0);
    gjk_arena_charge(&arena, &account.account);
    ck_assert_ptr_nonnull(gjk_arena_alloc(&arena, 100));
    const uint64_t first = gjkd_budget_used() - before;
    ck_assert(first >= 4096 && first < 5000);
    ck_assert_ptr_nonnull(gjk_arena_alloc(&arena, 1000));
    ck_assert_uint_eq(gjkd_budget_used() - before, first);
    gjk_arena_mark mark = gjk_arena_here(&arena);
    ck_assert_ptr_nonnull(gjk_arena_alloc(&arena, 1 << 20));
    ck_assert(gjkd_budget_used() - before > first + (1 << 20));
    ck_assert(gjk_arena_can_take(&arena, left(GJKD_CHARGE_LARGE)));
    ck_assert(!gjk_arena_can_take(&arena, left(GJKD_CHARGE_LARGE) + 1));
    ck_assert_ptr_null(gjk_arena_alloc(&arena, MAX_BYTES));
    ck_assert_ptr_nonnull(gjk_arena_alloc(&arena, 1000)); /* as good as before */
    gjk_arena_rewind(&arena, mark);
    gjk_arena_reset(&arena); /* keeps the newest chunk */
    ck_assert(gjkd_budget_used() - before > 1 << 20);
    gjk_arena_fini(&arena);
    ck_assert_uint_eq(atomic_load(&account.held_bytes), 0);
    finish();
}
END_TEST

static atomic_ullong most;

static void *charge_and_give(void *unused) {
    (void)unused;
    for (int i = 0; i < 20000; i++) {
        const uint64_t bytes = MAX_BYTES / (2 + (unsigned)i % 5);
        if (gjkd_budget_take(GJKD_CHARGE_LARGE, bytes)) {
            gjkd_budget_give(GJKD_CHARGE_LARGE, bytes);
            atomic_fetch_add(&most, 1);
        }
    }
    return NULL;
}

START_TEST(many_threads_lose_nothing) {
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
END_TEST

/* One request may hold all, several of one client no more than half of it; and small ones are not kept
 * out by large ones. */
START_TEST(clients_have_shares) {
    struct gjkd_account one, two, other;
    begin();
    const uint64_t half = (gjkd_budget_ceiling(GJKD_CHARGE_LARGE) - gjkd_budget_sets()) / 2;
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
END_TEST

/* What a request keeps when it is over is charged to no client, and then to the next one. */
START_TEST(shares_change_hands) {
    struct gjkd_account account, next;
    begin();
    const uint64_t half = (gjkd_budget_ceiling(GJKD_CHARGE_LARGE) - gjkd_budget_sets()) / 2;
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
END_TEST

Suite *work_budget_suite(void) {
    const TTest *const tests[] = {sets_are_told_apart,
                                  small_requests_find_memory,
                                  what_cannot_fit_alone_need_not_wait,
                                  arenas_charge_chunk_by_chunk,
                                  many_threads_lose_nothing,
                                  clients_have_shares,
                                  shares_change_hands};
    Suite *suite = test_suite("budget", tests, COUNT_OF(tests));
    TCase *table = tcase_create("ceilings");
    tcase_add_loop_test(table, each_charge_has_its_ceiling, 0, 3);
    suite_add_tcase(suite, table);
    return suite;
}
