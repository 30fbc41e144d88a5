/* What is a request called, and how is its time told? */

#include <string.h>

#include "test_server.h"
#include "util/head.h"
#include "util/timing.h"

TEST(parts_of_the_time) {
    char text[GJKD_TIMING_TEXT_MAX];
    gjkd_timing timing = {1000, 2000, 14999, 1000014999, 3723004567891};

    gjkd_timing_format(&timing, text);
    ck_assert_str_eq(text, "queue;dur=0.012, decode;dur=1000.000, run;dur=3722004.552, "
                           "total;dur=3723004.566");
    timing = (gjkd_timing){.started_ns = 1000, .ended_ns = 1000};
    gjkd_timing_format(&timing, text);
    ck_assert_str_eq(text, "total;dur=0.000");
    timing = (gjkd_timing){.started_ns = 1, .complete_ns = 1, .begun_ns = 1, .ended_ns = 2000001};
    gjkd_timing_format(&timing, text);
    ck_assert_str_eq(text, "queue;dur=0.000, run;dur=2.000, total;dur=2.000");
    timing = (gjkd_timing){1, 1, 1, 1, UINT64_MAX};
    gjkd_timing_format(&timing, text);
    ck_assert_uint_lt(strlen(text), GJKD_TIMING_TEXT_MAX);
}

TEST(names_of_requests) {
    char longest[GJKD_REQUEST_ID_BYTES_MAX + 2];
    memset(longest, 'x', sizeof longest);
    longest[GJKD_REQUEST_ID_BYTES_MAX + 1] = '\0';
    ck_assert(!gjkd_is_request_id(longest));
    longest[GJKD_REQUEST_ID_BYTES_MAX] = '\0';
    ck_assert(gjkd_is_request_id(longest));
    ck_assert(gjkd_is_request_id("0"));
    ck_assert(gjkd_is_request_id("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"));
    static const char *const bad[] = {"", " ", "a b", "a\n", "a\"", "a\\", "a\x1b", "\xc3\xa9"};
    for (int i = 0; i < COUNT_OF(bad); i++)
        ck_assert(!gjkd_is_request_id(bad[i]));
}

TEST(fresh_names) {
    char a[GJKD_REQUEST_ID_FRESH_MAX];
    char b[GJKD_REQUEST_ID_FRESH_MAX];
    gjkd_request_id_make(a);
    gjkd_request_id_make(b);
    ck_assert(gjkd_is_request_id(a) && gjkd_is_request_id(b));
    ck_assert_uint_eq(strlen(a), GJKD_REQUEST_ID_FRESH_MAX - 1);
    ck_assert_str_ne(a, b);
}
