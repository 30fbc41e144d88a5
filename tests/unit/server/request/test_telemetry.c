/* Do the counters of all loops add up, in the text that Prometheus reads? */

#include <stdlib.h>
#include <string.h>

#include "test_server.h"

static char *print(struct gjkd_telemetry *telemetry) {
    static const gjkd_gauges gauges = {.sets = 2,
                                       .shapes = 30,
                                       .set_bytes = 5000,
                                       .jobs_queued = 4,
                                       .log_dropped = 6,
                                       .ready = true};
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    gjkd_telemetry_print(telemetry, &gauges, out);
    ck_assert_int_eq(fclose(out), 0);
    return text;
}

static void expect(const char *text, const char *line) {
    ck_assert_msg(strstr(text, line) != NULL, "no line \"%s\" in\n%s", line, text);
}

TEST(loops_add_up) {
    struct gjkd_telemetry *telemetry = gjkd_telemetry_new(2);
    struct gjkd_counters *a = gjkd_telemetry_counters(telemetry, 0);
    struct gjkd_counters *b = gjkd_telemetry_counters(telemetry, 1);

    gjkd_count_request(a, 0, GJKD_POST, 200, 40000);
    gjkd_count_request(b, 0, GJKD_POST, 200, 60000);
    gjkd_count_request(b, GJKD_ROUTE_NONE, GJKD_METHOD_OTHER, 404, 20000000000);
    gjkd_count(a, GJKD_COUNT_QUERIES + PROTO_OP_RAYCAST, 1);
    gjkd_count(a, GJKD_COUNT_QUERIES + GJKD_COUNTED_CONFIGURATIONS, 3);
    gjkd_count(b, GJKD_COUNT_QUERIES + PROTO_OP_RAYCAST, 1);
    gjkd_count_iterations(a, 3);
    gjkd_count_iterations(b, 5000);
    gjkd_count_request(b, 0, GJKD_POST, 0, 1000);
    gjkd_count(a, GJKD_COUNT_BYTES_IN, 264);
    gjkd_count(a, GJKD_COUNT_BYTES_OUT, 400);
    gjkd_count(b, GJKD_COUNT_BYTES_IN, 6);
    gjkd_count(a, GJKD_COUNT_CONNECTIONS_OPENED, 1);
    gjkd_count(b, GJKD_COUNT_CONNECTIONS_OPENED, 1);
    gjkd_count(b, GJKD_COUNT_CONNECTIONS_CLOSED, 1);
    gjkd_count(b, GJKD_COUNT_REJECTED + GJKD_REJECTED_QUEUE_FULL, 1);
    gjkd_count_refusal(a, PROTO_RATE_LIMITED);
    gjkd_count_refusal(b, PROTO_NOT_CONVEX);
    gjkd_count(b, GJKD_COUNT_CONNECTIONS_REFUSED, 1);
    char *text = print(telemetry);
    expect(text, "gjkd_http_requests_total{route=\"/v1/sets/{set}/detect\",method=\"POST\","
                 "code=\"200\"} 2\n");
    expect(text, "gjkd_http_requests_total{route=\"none\",method=\"other\",code=\"404\"} 1\n");
    expect(text, "gjkd_http_request_duration_seconds_bucket{le=\"5e-05\"} 1\n");
    expect(text, "gjkd_http_request_duration_seconds_bucket{le=\"0.0001\"} 2\n");
    expect(text, "gjkd_http_request_duration_seconds_bucket{le=\"10\"} 2\n");
    expect(text, "gjkd_http_request_duration_seconds_bucket{le=\"+Inf\"} 3\n");
    expect(text, "gjkd_http_request_duration_seconds_sum 20.000100000\n");
    expect(text, "gjkd_http_request_duration_seconds_count 3\n");
    expect(text, "gjkd_queries_total{op=\"raycast\"} 2\n");
    expect(text, "gjkd_queries_total{op=\"detect\"} 0\n");
    expect(text, "gjkd_queries_total{op=\"configurations\"} 3\n");
    expect(text, "gjkd_gjk_iterations_bucket{le=\"2\"} 0\n");
    expect(text, "gjkd_gjk_iterations_bucket{le=\"4\"} 1\n");
    expect(text, "gjkd_gjk_iterations_bucket{le=\"1024\"} 1\n");
    expect(text, "gjkd_gjk_iterations_bucket{le=\"+Inf\"} 2\n");
    expect(text, "gjkd_gjk_iterations_sum 5003\n");
    expect(text, "gjkd_http_request_seconds_total{route=\"/v1/sets/{set}/detect\"} 0.000100000\n");
    expect(text, "gjkd_http_request_seconds_total{route=\"none\"} 20.000000000\n");
    expect(text, "gjkd_http_requests_abandoned_total 1\n");
    expect(text, "gjkd_http_request_bytes_total 270\n");
    expect(text, "gjkd_http_response_bytes_total 400\n");
    expect(text, "gjkd_http_connections_opened_total 2\n");
    expect(text, "gjkd_http_connections 1\n");
    expect(text, "gjkd_set_bytes 5000\n");
    expect(text, "gjkd_ready 1\n");
    expect(text, "gjkd_log_lines_dropped_total 6\n");
    expect(text, "gjkd_sets 2\n");
    expect(text, "gjkd_shapes 30\n");
    expect(text, "gjkd_jobs_queued 4\n");
    expect(text, "gjkd_jobs_rejected_total{reason=\"queue-full\"} 1\n");
    expect(text, "gjkd_jobs_rejected_total{reason=\"rate-limited\"} 1\n");
    expect(text, "gjkd_http_connections_refused_total 1\n");
    expect(text, "gjkd_build_info{version=\"" GJKD_VERSION_TEXT "\"} 1\n");
    free(text);
    gjkd_telemetry_free(telemetry);
}
