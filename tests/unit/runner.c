/* Does one module do what its header says? Runs the suite of the file it is linked with. */

#include "runner.h"

#include <stdlib.h>

TCase *test_case(Suite *suite, const char *name) {
    TCase *tests = tcase_create(name);
    tcase_set_timeout(tests, TEST_TIMEOUT_S);
    suite_add_tcase(suite, tests);
    return tests;
}

int main(void) {
    SRunner *runner = srunner_create(test_suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
