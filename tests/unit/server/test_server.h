#ifndef TEST_SERVER_H
#define TEST_SERVER_H

/* What the tests of the server have in common. */

#include "support/checks.h"

#include "request/request.h"

Suite *server_access_suite(void);
Suite *server_config_suite(void);
Suite *server_disposal_suite(void);
Suite *server_host_suite(void);
Suite *server_others_suite(void);
Suite *server_parts_suite(void);
Suite *server_path_suite(void);
Suite *server_pool_suite(void);
Suite *server_route_suite(void);
Suite *server_etag_suite(void);
Suite *server_guard_suite(void);
Suite *server_connections_suite(void);
Suite *server_limiter_suite(void);
Suite *server_token_suite(void);
Suite *server_crowd_suite(void);
Suite *server_network_suite(void);
Suite *server_media_suite(void);
Suite *server_head_suite(void);
Suite *server_plan_suite(void);
Suite *server_version_suite(void);
Suite *server_edit_suite(void);
Suite *server_registry_suite(void);
Suite *server_job_suite(void);
Suite *server_telemetry_suite(void);
Suite *server_line_suite(void);
Suite *server_timing_suite(void);
Suite *server_reply_head_suite(void);

/* A suite of one case from so many tests. */
Suite *test_suite(const char *name, const TTest *const *tests, int count);

/* Decodes the body of a set, written with ' for ", and stores it as gjkd_commit_put does.
 * The version is retained; NULL when it was refused. */
struct gjkd_version *test_put(struct gjkd_registry *registry, const char *name, const char *body,
                              const char *if_match);

/* The handle of a shape of the version; fails the test when there is none. */
uint32_t test_handle(const struct gjkd_version *version, const char *id);

#define COUNT_OF(array) (int)(sizeof(array) / sizeof(array)[0])

#endif
