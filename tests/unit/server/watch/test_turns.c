/* Does everybody who waits have one turn, in the order of coming, and none who has gone? */

#include "test_server.h"
#include "watch/turns.h"

#define READERS 5

static struct gjkd_turns turns;

static struct reader {
    struct gjkd_turn turn; /* first: turns are cast back */
    struct reader *leaves; /* when this one has its turn */
    int adds_again;        /* so often */
} readers[READERS];

static char order[64];
static int taken;

static void take(struct gjkd_turn *turn) {
    struct reader *reader = (struct reader *)(void *)turn;
    order[taken++] = (char)('0' + (reader - readers));
    order[taken] = '\0';
    if (reader->leaves != NULL)
        ck_assert(gjkd_turns_remove(&turns, &reader->leaves->turn));
    if (reader->adds_again-- > 0)
        gjkd_turns_add(&turns, turn);
}

static void setup(void) {
    turns = (struct gjkd_turns){NULL, NULL};
    taken = 0;
    for (int i = 0; i < READERS; i++) {
        readers[i] = (struct reader){.turn.take = take};
        gjkd_turns_add(&turns, &readers[i].turn);
    }
}

static void check_order(const char *expected) {
    while (gjkd_turns_give(&turns)) {
    }
    ck_assert_str_eq(order, expected);
    ck_assert_ptr_null(turns.first);
}

TEST(each_has_one_turn_in_the_order_of_coming) {
    setup();
    for (int i = 0; i < READERS; i++)
        gjkd_turns_add(&turns, &readers[i].turn); /* they wait already */
    check_order("01234");
}

TEST(whoever_has_gone_has_none) {
    setup();
    ck_assert(gjkd_turns_remove(&turns, &readers[0].turn));
    ck_assert(gjkd_turns_remove(&turns, &readers[2].turn));
    ck_assert(gjkd_turns_remove(&turns, &readers[4].turn));
    ck_assert(!gjkd_turns_remove(&turns, &readers[4].turn));
    check_order("13");
}

TEST(others_may_come_and_go_in_a_turn) {
    setup();
    readers[1].adds_again = 2;
    readers[2].leaves = &readers[3];
    readers[4].leaves = &readers[1];
    check_order("0124");
    setup();
    readers[1].adds_again = 2;
    check_order("0123411");
}
