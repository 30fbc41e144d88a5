/* Do If-Match and If-None-Match hold when, and only when, they should? */

#include "test_server.h"

#define TAG "\"00000000000000ff-7\""

TEST(format) {
    char etag[GJKD_ETAG_MAX];

    gjkd_etag_format(etag, 255, 0, 7);
    ck_assert_str_eq(etag, TAG);
    gjkd_etag_format(etag, 255, 0xabc, 7);
    ck_assert_str_eq(etag, "\"00000000000000ff00000abc-7\"");
    gjkd_etag_format(etag, UINT64_MAX, UINT32_MAX, UINT64_MAX);
    gjkd_etag_add(etag, UINT64_MAX);
    gjkd_etag_mark_gzip(etag);
    ck_assert_str_eq(etag, "\"ffffffffffffffffffffffff-18446744073709551615-18446744073709551615"
                           "-gzip\"");
    ck_assert_uint_lt(strlen(etag), GJKD_ETAG_MAX);
}

TEST(preconditions) {
    static const struct {
        const char *if_match, *if_none_match, *etag;
        bool reading;
        gjkd_precondition expected;
    } rows[] = {
        {NULL, NULL, TAG, false, GJKD_PROCEED},
        {NULL, NULL, NULL, true, GJKD_PROCEED},
        {TAG, NULL, TAG, false, GJKD_PROCEED},
        {"\"x\", " TAG, NULL, TAG, false, GJKD_PROCEED},
        {"\"x\"," TAG ",", NULL, TAG, false, GJKD_PROCEED},
        {"*", NULL, TAG, false, GJKD_PROCEED},
        {" * ", NULL, TAG, false, GJKD_PROCEED},
        {"*", NULL, NULL, false, GJKD_PRECONDITION_FAILED},
        {TAG, NULL, NULL, false, GJKD_PRECONDITION_FAILED},
        {"\"x\"", NULL, TAG, false, GJKD_PRECONDITION_FAILED},
        {"\"x\"", NULL, TAG, true, GJKD_PRECONDITION_FAILED},
        /* If-Match compares strongly, If-None-Match weakly. */
        {"W/" TAG, NULL, TAG, false, GJKD_PRECONDITION_FAILED},
        {NULL, "W/" TAG, TAG, true, GJKD_NOT_MODIFIED},
        {NULL, TAG, TAG, true, GJKD_NOT_MODIFIED},
        {NULL, "\"a\" , \"b\"," TAG, TAG, true, GJKD_NOT_MODIFIED},
        {NULL, TAG, TAG, false, GJKD_PRECONDITION_FAILED},
        {NULL, "\"x\"", TAG, true, GJKD_PROCEED},
        {NULL, "*", TAG, false, GJKD_PRECONDITION_FAILED},
        {NULL, "*", NULL, false, GJKD_PROCEED},
        {NULL, TAG, NULL, false, GJKD_PROCEED},
        /* Both: If-Match first. */
        {"\"x\"", TAG, TAG, true, GJKD_PRECONDITION_FAILED},
        {TAG, TAG, TAG, true, GJKD_NOT_MODIFIED},
        /* A tag may hold a comma. */
        {NULL, "\"a,b\"", "\"a,b\"", true, GJKD_NOT_MODIFIED},
        {"", NULL, TAG, false, GJKD_PRECONDITION_UNCLEAR},
        {"x", NULL, TAG, false, GJKD_PRECONDITION_UNCLEAR},
        {"\"x", NULL, TAG, false, GJKD_PRECONDITION_UNCLEAR},
        {NULL, "* , \"x\"", TAG, true, GJKD_PRECONDITION_UNCLEAR},
        {NULL, "\"x\" \"y\"", TAG, true, GJKD_PRECONDITION_UNCLEAR},
        {NULL, ",", TAG, true, GJKD_PRECONDITION_UNCLEAR},
    };

    for (int i = 0; i < COUNT_OF(rows); i++) {
        gjkd_precondition found = gjkd_precondition_check(rows[i].if_match, rows[i].if_none_match,
                                                          rows[i].etag, rows[i].reading);
        ck_assert_msg(found == rows[i].expected, "row %d: %d", i, (int)found);
    }
}
