/* Do the statuses have texts, and do broken promises end the program? */

#include "gjk/base.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"

static const gjk_status statuses[] = {
#define X(name, text) GJK_##name,
    GJK_STATUS_MAP(X)
#undef X
};
#define STATUSES (sizeof statuses / sizeof statuses[0])

TEST(every_status_has_its_own_text) {
    for (size_t i = 0; i < STATUSES; i++) {
        const char *text = gjk_status_text(statuses[i]);
        ck_assert_uint_gt(strlen(text), 1);
        for (size_t j = 0; j < i; j++) {
            ck_assert_str_ne(text, gjk_status_text(statuses[j]));
        }
    }
}

TEST(ok_is_zero_and_unknown_statuses_have_a_text) {
    ck_assert_int_eq(GJK_OK, 0);
    ck_assert_str_eq(gjk_status_text((gjk_status)STATUSES), "unknown status");
    ck_assert_str_eq(gjk_status_text((gjk_status)9999), "unknown status");
}

TEST_ENDS(a_failed_assert_aborts, SIGABRT, 0) {
    gjk_assert_failed("the moon is cheese", __FILE__, __LINE__);
}

static void leave(const char *condition, const char *file, int line) {
    bool told = strcmp(condition, "x > 0") == 0 && strcmp(file, "f.c") == 0 && line == 7;
    _Exit(told ? 42 : 1);
}

TEST_ENDS(the_handler_is_told, 0, 42) {
    gjk_set_assert_handler(leave);
    gjk_assert_failed("x > 0", "f.c", 7);
}

static void come_back(const char *condition, const char *file, int line) {
    (void)condition, (void)file, (void)line;
}

TEST_ENDS(a_handler_that_returns_does_not_prevent_the_abort, SIGABRT, 0) {
    gjk_set_assert_handler(come_back);
    gjk_assert_failed("x > 0", "f.c", 7);
}

TEST_ENDS(the_default_handler_can_be_restored, SIGABRT, 0) {
    gjk_set_assert_handler(leave);
    gjk_set_assert_handler(NULL);
    gjk_assert_failed("x > 0", "f.c", 7);
}

#ifndef NDEBUG
TEST_ENDS(the_macro_passes_what_holds_and_stops_what_does_not, SIGABRT, 0) {
    int evaluated = 0;
    GJK_ASSERT(++evaluated == 1);
    ck_assert_int_eq(evaluated, 1);
    GJK_ASSERT(evaluated == 2);
}
#endif
