/* What counts as JSON, in Content-Type and in Accept? */

#include <string.h>

#include "test_server.h"
#include "util/head.h"

TEST(content_types) {
    static const char *const good[] = {"application/json",
                                       "Application/JSON",
                                       "application/json; charset=utf-8",
                                       "application/json;charset=UTF-8",
                                       "application/json ; charset=\"utf-8\" ",
                                       "application/json;",
                                       "application/json ;x=y",
                                       "application/json; x=y ; charset=utf-8",
                                       "application/json; x=\"a; charset=b\"; charset=utf-8",
                                       "application/json; charset=\"utf-8\"; charset=utf-8"};
    static const char *const bad[] = {"",
                                      "text/plain",
                                      "application/jsonx",
                                      "application/json+x",
                                      "application/json; charset=latin1",
                                      "application/json; x=y; charset=utf-16",
                                      "application/json; charset=",
                                      "application/json; charset=\"utf-8",
                                      "application/json; charset=\"utf-8; x=y",
                                      "application/json; charset=utf-8\"",
                                      "application/json; charset=utf-8; charset=latin1",
                                      "application/json; charset=\"utf-8\"; charset=\"latin1\"",
                                      "application/json charset=utf-8",
                                      "application/json, text/plain",
                                      "application/merge-patch+json"};

    for (int i = 0; i < COUNT_OF(good); i++)
        ck_assert_msg(gjkd_is_text_type(good[i], GJKD_TYPE_JSON), "%s", good[i]);
    for (int i = 0; i < COUNT_OF(bad); i++)
        ck_assert_msg(!gjkd_is_text_type(bad[i], GJKD_TYPE_JSON), "%s", bad[i]);
    ck_assert(!gjkd_is_text_type(NULL, GJKD_TYPE_JSON));
}

TEST(parameters_of_columns_mean_nothing) {
    static const struct {
        const char *type;
        bool is_columns, is_short;
    } rows[] = {
        {NULL, false, false},
        {"application/x-protobuf", true, false},
        {"application/protobuf", true, true},
        {"Application/X-Protobuf; charset=binary", true, false},
        {"application/protobuf;charset=utf-16 ; x=y;", true, true},
        {"application/x-protobuf; messageType=\"gjkd.v1.RaycastColumns\"", true, false},
        {"application/x-protobuf; note=\"a; b \\\" c\"; q=1", true, false},
        {"application/x-protobuf charset=binary", false, false},
        {"application/x-protobuf; a b", false, false},
        {"application/x-protobuf, application/json", false, false},
        {"application/x-protobuffer", false, false},
        {"application/json", false, false},
    };

    for (int i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_msg(gjkd_is_columns_type(rows[i].type) == rows[i].is_columns, "row %d", i);
        ck_assert_msg(gjkd_is_short_name(rows[i].type) == rows[i].is_short, "row %d", i);
    }
}

TEST(parameters) {
    static const struct {
        const char *type, *value; /* of the parameter message; NULL: there is none */
    } rows[] = {
        {"application/x-protobuf", NULL},
        {"application/x-protobuf;", NULL},
        {"application/x-protobuf; messages=A", NULL},
        {"application/x-protobuf; x=\"; message=A\"", NULL},
        {"application/x-protobuf; message=A", "A"},
        {"application/x-protobuf ;Message=Ab ; x=y", "Ab"},
        {"application/x-protobuf; x=y;message=\"A b\";", "A b"},
        {"application/x-protobuf; message=A; message=B", "A"},
        {"application/x-protobuf; message=", ""},
        {"application/x-protobuf; message=\"\"", ""},
        {"application/x-protobuf; message=\"", ""},
        {"application/x-protobuf; message=\"A", "A"},
    };

    for (int i = 0; i < COUNT_OF(rows); i++) {
        size_t length = 0;
        const char *value = gjkd_type_parameter(rows[i].type, "message", &length);
        ck_assert_msg((value == NULL) == (rows[i].value == NULL), "row %d", i);
        if (value != NULL) {
            ck_assert_msg(length == strlen(rows[i].value) &&
                              memcmp(value, rows[i].value, length) == 0,
                          "row %d: %.*s", i, (int)length, value);
        }
    }
}

TEST(accepts) {
    static const char *const good[] = {"",
                                       "*/*",
                                       "application/json",
                                       "Application/*",
                                       "text/html, */*;q=0.1",
                                       "application/json;charset=utf-8",
                                       "text/html;q=0.9,application/json;q=0.1",
                                       "*/*;q=0, application/json",
                                       "application/*;q=0, application/json;q=0.001",
                                       "application/json ; q=1.0",
                                       "application/json;q=0.5,*/*;q=0",
                                       "*/* ;q=0.0001"};
    static const char *const bad[] = {"text/html",
                                      "application/xml, text/*",
                                      "application/json;q=0",
                                      "*/*;q=0",
                                      "application/json;q=0.000, */*",
                                      "application/*;q=0, */*",
                                      "application/jsonx",
                                      "json",
                                      "application/problem+json",
                                      "application/json;v=1;Q=0.0"};

    for (int i = 0; i < COUNT_OF(good); i++)
        ck_assert_msg(gjkd_accept_weight(good[i], GJKD_TYPE_JSON) > 0, "\"%s\"", good[i]);
    for (int i = 0; i < COUNT_OF(bad); i++)
        ck_assert_msg(gjkd_accept_weight(bad[i], GJKD_TYPE_JSON) == 0, "\"%s\"", bad[i]);
    ck_assert(gjkd_accept_weight(NULL, GJKD_TYPE_JSON) > 0);
}

TEST(weights) {
    static const struct {
        const char *accept;
        int json, protobuf;
    } rows[] = {
        {NULL, 1000, 1000},
        {"*/*", 1000, 1000},
        {"application/x-protobuf", 0, 1000},
        {"application/x-protobuf;q=0.5, application/json;q=0.125", 125, 500},
        {"application/x-protobuf, */*;q=0.1", 100, 1000},
        {"application/*;q=0.3, */*", 300, 300},
        {"application/json;q=0.0004", 1, 0},
        {"application/json;q=1.5, application/x-protobuf;q=0x", 1000, 1000},
        {"application/x-protobuf;q=0, */*", 1000, 0},
        {"application/x-protobuf; charset=binary ;q=0.5, application/json;v=1; q=0.25", 250, 500},
        {"text/plain;x=\",application/json;\", application/x-protobuf;y=\";q=0\";q=0.5", 0, 500},
    };

    for (int i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_int_eq(gjkd_accept_weight(rows[i].accept, GJKD_TYPE_JSON), rows[i].json);
        ck_assert_int_eq(gjkd_accept_weight(rows[i].accept, GJKD_TYPE_X_PROTOBUF),
                         rows[i].protobuf);
    }
}
