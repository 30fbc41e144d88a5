#ifndef TEST_SERVER_H
#define TEST_SERVER_H

/* What the tests of the server have in common. */

#include "support/test.h"

#include "request/context.h"
#include "request/request.h"
#include "request/telemetry.h"
#include "sets/registry.h"

/* Decodes the body of a set, written with ' for ", and stores it as gjkd_commit_put does.
 * The version is retained; NULL when it was refused. */
struct gjkd_version *test_put(struct gjkd_registry *registry, const char *name, const char *body,
                              const char *if_match);

/* The handle of a shape of the version; fails the test when there is none. */
uint32_t test_handle(const struct gjkd_version *version, const char *id);

/* Removes a directory of --data-dir with the files of a store that is closed. */
void test_remove_store(const char *directory);

#define COUNT_OF(array) (int)(sizeof(array) / sizeof(array)[0])

#endif
