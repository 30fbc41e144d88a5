#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Enough for the sanitizers on a busy machine. */
#define TIMEOUT_S 600

#define TESTS_MAX 1024

struct entry {
    const TTest *test;
    int from, end;    /* values of _i */
    int signal, code; /* that it ends with */
    void (*set_up)(void), (*tear_down)(void);
    char suite[64]; /* of a file's first entry: its suite's name, which check does not copy */
};

/* In the order of registration: that of the file. */
static struct entry entries[TESTS_MAX];
static int entry_count;

static struct {
    const char *file;
    void (*set_up)(void), (*tear_down)(void);
} fixture;

void test_register(const TTest *test, int from, int end, int signal, int code) {
    if (entry_count == TESTS_MAX) {
        abort();
    }
    struct entry *entry = &entries[entry_count++];
    *entry = (struct entry){test, from, end, signal, code, NULL, NULL, ""};
    if (fixture.file != NULL && strcmp(fixture.file, test->file) == 0) {
        entry->set_up = fixture.set_up;
        entry->tear_down = fixture.tear_down;
    }
}

static uint64_t number_from_environment(const char *name) {
    const char *text = getenv(name);
    return text != NULL ? strtoull(text, NULL, 10) : 1;
}

uint64_t test_factor(void) {
    return number_from_environment("GJKD_FACTOR");
}

uint64_t test_seed(void) {
    return number_from_environment("GJKD_SEED");
}

void test_register_fixture(const char *file, void (*set_up)(void), void (*tear_down)(void)) {
    fixture.file = file;
    fixture.set_up = set_up;
    fixture.tear_down = tear_down;
}

/* Makes a suite of the tests of the entry's file, named as the file is, and returns the next file's
 * first entry. */
static struct entry *add_suite(SRunner *runner, struct entry *entry) {
    const char *file = entry->test->file, *slash = strrchr(file, '/');
    snprintf(entry->suite, sizeof entry->suite, "%s", slash != NULL ? slash + 1 : file);
    entry->suite[strcspn(entry->suite, ".")] = '\0';
    Suite *suite = suite_create(entry->suite);
    for (; entry < entries + entry_count && strcmp(entry->test->file, file) == 0; entry++) {
        TCase *tests = tcase_create(entry->test->name);
        tcase_set_timeout(tests, TIMEOUT_S);
        tcase_add_checked_fixture(tests, entry->set_up, entry->tear_down);
        _tcase_add_test(tests, entry->test, entry->signal, entry->code, entry->from, entry->end);
        suite_add_tcase(suite, tests);
    }
    srunner_add_suite(runner, suite);
    return entry;
}

int main(void) {
    SRunner *runner = srunner_create(NULL);
    for (struct entry *entry = entries; entry < entries + entry_count;) {
        entry = add_suite(runner, entry);
    }
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    const int run = srunner_ntests_run(runner);
    srunner_free(runner);
    return failed == 0 && run > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
