/* Is a path split before it is decoded, and are parameters strict? */

#include <string.h>

#include "test_server.h"

static gjkd_path path;
static gjkd_params params;

static gjkd_path_status parse(const char *text) {
    static char copy[256];
    strncpy(copy, text, sizeof copy - 1);
    return gjkd_path_parse(copy, &path);
}

TEST(split_then_decode) {
    ck_assert_int_eq(parse("/v1/sets/a%2Fb/x%25"), GJKD_PATH_OK);
    ck_assert_uint_eq(path.count, 4);
    ck_assert_str_eq(path.segments[2].text, "a/b");
    ck_assert_uint_eq(path.segments[2].length, 3);
    ck_assert_str_eq(path.segments[3].text, "x%");
    ck_assert_int_eq(parse("/"), GJKD_PATH_OK);
    ck_assert_uint_eq(path.count, 1);
    ck_assert_uint_eq(path.segments[0].length, 0);
    ck_assert_int_eq(parse("/a//b/"), GJKD_PATH_OK);
    ck_assert_uint_eq(path.count, 4);
    ck_assert_str_eq(path.segments[1].text, "");
    /* No '+' for blanks and no dots resolved in a path. */
    ck_assert_int_eq(parse("/a+b/.."), GJKD_PATH_OK);
    ck_assert_str_eq(path.segments[0].text, "a+b");
    ck_assert_str_eq(path.segments[1].text, "..");
}

TEST(malformed) {
    static const char *const bad[] = {"",     "v1",   "*",    "/%",     "/%4",
                                      "/%zz", "/a%2", "/%00", "/a%00b", "/%-1"};

    for (int i = 0; i < COUNT_OF(bad); i++)
        ck_assert_msg(parse(bad[i]) == GJKD_PATH_MALFORMED, "%s", bad[i]);
    ck_assert_int_eq(parse("/1/2/3/4/5/6/7/8"), GJKD_PATH_OK);
    ck_assert_int_eq(parse("/1/2/3/4/5/6/7/8/9"), GJKD_PATH_TOO_DEEP);
}

static bool parse_query(const char *text, unsigned taken) {
    static char copy[256];
    char error[GJKD_ERROR_MAX] = "";
    strncpy(copy, text, sizeof copy - 1);
    bool fine = gjkd_params_parse(copy, taken, &params, error);
    ck_assert_msg(fine == (error[0] == '\0'), "%s: %s", text, error);
    return fine;
}

#define ALL (GJKD_PARAM_PREFIX | GJKD_PARAM_LIMIT | GJKD_PARAM_CURSOR | GJKD_PARAM_FIELDS)

TEST(parameters) {
    ck_assert(parse_query("", 0));
    ck_assert(gjkd_params_parse(NULL, 0, &params, NULL));
    ck_assert(parse_query("prefix=a%20b+c&limit=7&cursor=x&fields=summary", ALL));
    ck_assert_str_eq(params.prefix, "a b c");
    ck_assert_uint_eq(params.limit, 7);
    ck_assert_str_eq(params.cursor, "x");
    ck_assert(params.summary);
    ck_assert_uint_eq(params.given, ALL);
    ck_assert(parse_query("&prefix&", ALL));
    ck_assert_ptr_null(params.prefix);
    ck_assert_uint_eq(params.given, GJKD_PARAM_PREFIX);
    ck_assert(parse_query("prefix=&limit=&cursor=", ALL)); /* an empty value is none */
    ck_assert(params.prefix == NULL && params.limit == 0 && params.cursor == NULL);
}

TEST(refused_parameters) {
    static const char *const bad[] = {"x=1",
                                      "limit=0",
                                      "limit=-1",
                                      "limit=x",
                                      "limit=1.",
                                      "limit=1&limit=1",
                                      "limit=&limit=1",
                                      "fields=",
                                      "fields=all",
                                      "prefix=%",
                                      "%ff=1",
                                      "Prefix=a",
                                      "limit=99999999999999999999"};

    for (int i = 0; i < COUNT_OF(bad); i++)
        ck_assert_msg(!parse_query(bad[i], ALL), "%s", bad[i]);
    ck_assert(!parse_query("prefix=a", ALL & ~(unsigned)GJKD_PARAM_PREFIX));
    ck_assert(parse_query("replace=true", GJKD_PARAM_REPLACE));
    ck_assert(!parse_query("replace", GJKD_PARAM_REPLACE)); /* which some mean as true */
    ck_assert(!parse_query("wait=", GJKD_PARAM_WAIT));
}
